"""On machines with NVIDIA GPUs: host memory that they copy at full speed or reach, and views at strides of theirs."""

import ctypes
import time

import pytest

import icicle
from icicle import Buffer
from icicle.errors import InvalidPointer

GPUS = [device for device in icicle.devices() if device.kind == "cuda"]
pytestmark = pytest.mark.skipif(not GPUS, reason="no CUDA device")
GPU = GPUS[0] if GPUS else None


def seconds(copy):
    """The least time of several copies."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        copy()
        times.append(time.perf_counter() - start)
    return min(times)


def test_pinned_memory_is_copied_faster():
    field, n = icicle.fields.goldilocks.scalar, 1 << 25
    pinned, plain, there = field.empty(n, memory="pinned"), field.zeros(n, device="cpu"), field.zeros(n, device=GPU)
    assert pinned.buffer.is_pinned and not plain.buffer.is_pinned and not there.buffer.is_pinned
    memoryview(pinned)[12345] = 99
    assert pinned.to(GPU).to("cpu") == pinned
    memoryview(plain)[n - 1] = 1  # its pages are there
    fast = seconds(lambda: there.buffer.copy_from(pinned.buffer))
    slow = seconds(lambda: there.buffer.copy_from(plain.buffer))
    rates = [f"{pinned.nbytes / each / 1e9:.1f} GB/s" for each in (fast, slow)]
    print("256 MiB to the device, page-locked and pageable:", *rates)
    assert fast < slow


def test_registered_memory_is_pinned_for_a_while():
    memory = bytearray(1 << 20)
    with memoryview(memory) as view:
        there = Buffer(1 << 20, GPU)
        address = ctypes.addressof(ctypes.c_char.from_buffer(view))
        seen = Buffer.from_address(address, 1 << 20, "cpu", memory)
        assert not seen.is_pinned
        with icicle.registered(view) as lock:
            assert seen.is_pinned
            seen.fill(7)
            there.copy_from(seen)
            with pytest.raises(InvalidPointer, match="host_register"):
                icicle.registered(view)
            lock.close()
            assert not seen.is_pinned
        assert there.tobytes() == b"\7" * (1 << 20)


def test_managed_memory_is_both_sides():
    field = icicle.fields.goldilocks.scalar
    x = field.empty(1000, device=GPU, memory="managed")
    assert x.device == GPU and x == field.zeros(1000, device=GPU)
    host = memoryview(x)
    for i in range(1000):
        host[i] = i
    y = x + x
    assert y.device == GPU and y.to_ints() == [2 * i for i in range(1000)]
    x += y
    assert list(host) == [3 * i for i in range(1000)] and not x.buffer.is_pinned
    host.release()
    with pytest.raises(BufferError, match="copy it"):
        memoryview(y)


KEYS = [
    (slice(None, None, 2),),
    (slice(None, None, -1),),
    (slice(None), 1),
    (slice(None), slice(1, 3)),
    (slice(None), slice(None, None, -2), slice(None, None, 3)),
    (..., -1),
    (slice(4, 0, -2), ..., slice(1, 3)),
    (slice(2, 2),),
]


def test_views_are_the_cpus():
    for field in (icicle.fields.bn254.scalar, icicle.fields.babybear.scalar, icicle.fields.bls12_381.base):
        here, other = field.random((6, 5, 4), seed=1), field.random((6, 5, 4), seed=2)
        for key in KEYS:
            x, y = here.copy(), here.to(GPU)
            assert y[key].device == GPU and y[key].to("cpu") == x[key] and y[key].copy().tobytes() == x[key].tobytes()
            assert y[key].memory.ptr == y.buffer.ptr or not y[key].size or y[key].is_contiguous
            strides = y[key].__cuda_array_interface__["strides"]
            assert strides == x[key].__array_interface__["strides"]
            x[key], y[key] = other[key], other.to(GPU)[key]
            assert y.to("cpu") == x
            y.__dlpack__(max_version=(1, 0))
        column = field.random((1 << 12, 8), seed=3)
        assert column.to(GPU)[:, 5].to("cpu") == column[:, 5]


def test_operations_take_views():
    for field in (icicle.fields.bn254.scalar, icicle.fields.babybear.scalar):
        if not GPU.supports("vector_binary", field):
            continue
        a, b = field.random((8, 6), seed=1), field.random((8, 4), seed=2)
        x, y = a.to(GPU), b.to(GPU)
        assert (x[::2] * x[1::2]).to("cpu") == a[::2] * a[1::2] and (x.T @ y).to("cpu") == a.T @ b
        assert x.T.contiguous().to("cpu") == a.transpose()
        x[:, ::-2] -= x[:, ::2]
        a[:, ::-2] -= a[:, ::2]
        assert x.to("cpu") == a
