"""Page-locked, registered and managed memory: on the CPU ordinary memory, locked where there are CUDA devices."""

import gc

import numpy as np
import pytest

import icicle
from icicle.errors import AllocationFailed, InvalidArgument, InvalidDevice, OutOfMemory

CUDA = any(device.kind == "cuda" for device in icicle.devices())


def test_pinned_memory_is_a_cpus():
    buffer = icicle.pinned_empty(1 << 16)
    assert str(buffer.device) == "cpu:0" and buffer.nbytes == 1 << 16 and buffer.ptr % 64 == 0
    assert buffer.is_pinned == CUDA and buffer[100:].is_pinned == CUDA and not icicle.Buffer(64, "cpu").is_pinned
    seen = np.asarray(buffer)
    assert seen.ctypes.data == buffer.ptr and not seen.any(), "shared, and zero"
    seen[:] = 7
    assert buffer[5:9].tobytes() == b"\7" * 4
    del buffer
    gc.collect()
    assert seen[1 << 15] == 7, "a view keeps it"
    assert icicle.pinned_empty(0).tobytes() == b"" and str(icicle.pinned_empty(8, "cpu:2").device) == "cpu:2"


def test_arrays_in_pinned_memory(field):
    x = field.empty((3, 4), memory="pinned")
    assert x == field.zeros((3, 4)) and x.buffer.is_pinned == CUDA
    limbs = x.numpy()
    assert limbs.ctypes.data == x.buffer.ptr
    data = field.random((3, 4), seed=5)
    limbs[...] = data.numpy()
    assert x == data and (x + x) == data * 2 and x[:, ::2] == data[:, ::2]
    x *= data
    assert x == data * data and field.empty(4, device="cpu:3", memory="pinned").device == icicle.Device("cpu:3")
    with pytest.raises(InvalidArgument, match="memory 'locked': must be device, pinned or managed"):
        field.empty(3, memory="locked")


def test_what_cannot_be_pinned():
    with pytest.raises(InvalidArgument, match="host_alloc: device cuda:0: must be a CPU device"):
        icicle.pinned_empty(8, "cuda:0")
    with pytest.raises(InvalidDevice, match="cpu:9"):
        icicle.pinned_empty(8, "cpu:9")
    with pytest.raises((OutOfMemory, AllocationFailed)):
        icicle.pinned_empty(1 << 60)
    with pytest.raises((InvalidArgument, AllocationFailed), match="exceeds the address space"):
        icicle.pinned_empty((1 << 64) - 1)
    with pytest.raises(OverflowError):
        icicle.pinned_empty(-1)


def test_managed_memory_is_a_gpus():
    with pytest.raises(InvalidDevice, match="managed: cpu:1: must be CUDA"):
        icicle.managed_empty(64, "cpu:1")
    with pytest.raises(InvalidDevice, match="managed: cpu:0: must be CUDA"):
        icicle.fields.m31.scalar.empty(4, memory="managed")


def test_registered_memory():
    data = np.arange(1 << 12, dtype=np.uint64)
    field = icicle.fields.goldilocks.scalar
    with icicle.registered(data) as lock:
        assert field.from_dlpack(data).buffer.is_pinned == CUDA
        assert field.from_numpy(data).to_ints() == list(range(1 << 12))
        lock.close()
        assert not field.from_dlpack(data).buffer.is_pinned
    memory = bytearray(4096)
    lock = icicle.registered(memory)
    with pytest.raises(BufferError):
        memory.extend(b"1")  # held while it is registered
    del lock
    memory.extend(b"1")
    with pytest.raises(InvalidArgument, match="host_register: size 0"):
        icicle.registered(b"")
    with pytest.raises((TypeError, BufferError)):
        icicle.registered(data[::2])
    with pytest.raises(TypeError):
        icicle.registered(3)
