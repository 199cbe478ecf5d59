"""On machines with NVIDIA GPUs: the same results as on the CPU, and sharing memory without copies."""

import gc
import os
import weakref

import numpy as np
import pytest

import icicle
from icicle import Buffer, Event, Stream
from icicle.errors import InvalidPointer, Unsupported

GPUS = [device for device in icicle.devices() if device.kind == "cuda"]
pytestmark = pytest.mark.skipif(not GPUS, reason="no CUDA device")
GPU = GPUS[0] if GPUS else None


class Shared:
    """Another library's view of an array: what it gives out, and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


def test_memory_streams_and_events():
    field = icicle.fields.bn254.scalar
    x = field.random(1 << 16)
    stream, start, end = Stream(GPU), Event(GPU, timing=True), Event(GPU, timing=True)
    start.record(stream)
    y = x.to(GPU)
    end.record(stream)
    stream.synchronize()
    assert y.device == GPU and y.to("cpu") == x and start.elapsed_ms(end) >= 0 and stream.handle
    before = GPU.memory.used
    z = y.copy()
    assert GPU.memory.used - before == x.nbytes and z.buffer.ptr != y.buffer.ptr
    del z
    assert GPU.memory.used == before
    with GPU:
        assert field.zeros(3).device == GPU and field.zeros(3).to_ints() == [0, 0, 0]
    assert y[5:9].to("cpu") == x[5:9]
    y[5:9] = y[10:14]
    assert y[5:9].to("cpu") == x[10:14]


def test_nothing_reaches_the_host_unasked():
    x = icicle.fields.bn254.scalar.zeros(3, device=GPU)
    for use in (np.asarray, np.array, lambda x: x.numpy()):
        with pytest.raises(TypeError, match=f"array on {GPU}: copy it with to"):
            use(x)
    with pytest.raises(BufferError):
        memoryview(x)
    with pytest.raises(BufferError):
        memoryview(x.buffer)
    assert not hasattr(x, "__array_interface__")
    with pytest.raises(BufferError, match="dl_device"):
        x.__dlpack__(dl_device=(1, 0))
    with pytest.raises(InvalidPointer, match="cpu:0"):
        x + icicle.fields.bn254.scalar.zeros(3)
    with pytest.raises(InvalidPointer, match="cpu:0"):
        icicle.curves.bn254.affine.random(2, device=GPU) + icicle.curves.bn254.affine.random(2)


@pytest.mark.parametrize("field", icicle.fields.FIELDS.values(), ids=str)
def test_sharing_without_copies(field):
    host = field.random((2, 3))
    x = host.to(GPU)
    address = x.buffer.ptr
    facts = x.__cuda_array_interface__
    assert facts["data"] == (address, False) and facts["shape"] == (2, 3, *field.limb_shape) and facts["stream"] == 1
    assert x.__dlpack_device__() == (2, GPU.index)
    for make in (field.from_dlpack, field.from_cuda_array):
        owner = Shared(x)
        alive = weakref.ref(owner)
        y = make(owner)
        del owner
        assert y.buffer.ptr == address and y.device == GPU and y.to("cpu") == host
        if make == field.from_cuda_array:
            assert alive() is not None
        del y
        gc.collect()
        assert alive() is None
    stream = Stream(GPU)
    for consumer in (None, 1, 2, -1, stream.handle):
        for version in (None, (1, 0)):
            x.__dlpack__(stream=consumer, max_version=version)
    for bad in (0, -2):
        with pytest.raises(ValueError, match="0 is ambiguous"):
            x.__dlpack__(stream=bad)
    assert icicle._icicle.pointer_device(address) == GPU
    with pytest.raises(InvalidPointer):
        icicle._icicle.pointer_device(Buffer(64).ptr)


def test_elements_are_chosen_and_joined_where_they_are():
    """Copies alone, which need no kernels."""
    for x in (icicle.fields.bn254.scalar.random((5, 4, 3)), icicle.curves.grumpkin.projective.random((5, 4, 3))):
        y = x.to(GPU)
        for key in (
            [4, 0, 0],
            (slice(None), [1, 3]),
            (..., [2]),
            np.arange(20).reshape(5, 4) % 3 == 0,
            (slice(None, None, -2), [3, 1]),
        ):
            chosen = y[key]
            assert chosen.device == GPU and chosen.to_bytes() == x[key].to_bytes()
            a, b = x.copy(), y.copy()
            a[key], b[key] = a[key][::-1].copy(), b[key][::-1].copy()
            assert b.device == GPU and b.to_bytes() == a.to_bytes()
        joined = icicle.concatenate([y, y[:, ::-1]], axis=1)
        assert joined.device == GPU and joined.to_bytes() == icicle.concatenate([x, x[:, ::-1]], axis=1).to_bytes()
        assert icicle.stack([y, y]).to_bytes() == 2 * x.to_bytes()
    bytes_of = y.to_bytes()
    assert y.dtype.from_bytes(bytes_of, device=GPU).reshape(5, 4, 3).to_bytes() == bytes_of


def _calls():
    def fields(field):
        n = 64
        x, y = field.random(n, seed=1), field.random(n, seed=2)
        calls = {
            "vector_binary": lambda x, y: [x + y, x - y, x * y, x / y],
            "vector_scalar": lambda x, y: [
                x * 3,
                5 - x,
                x.reshape(8, 8) + y.reshape(8, 8)[0:8].slice(0, 1, 1),
                y[:8] - x.reshape(8, 8),
                x.reshape(4, 4, 4) * y[:16].reshape(4, 1, 4),
                x[:8].reshape(8, 1) * y[:4],
            ],
            "vector_inv": lambda x, y: [x.inv()],
            "vector_reduce": lambda x, y: [x.sum(), y.reshape(8, 8).prod(axis=0), y.reshape(8, 8).sum(axis=1)],
            "bit_reverse": lambda x, y: [x.bit_reverse(), x.reshape(8, 8).bit_reverse(axis=0)],
            "slice": lambda x, y: [x.slice(1, 3, 20)],
            "convert_montgomery": lambda x, y: [x.astype(x.dtype.montgomery_type)],
            "matrix_transpose": lambda x, y: [x.reshape(4, 16).T],
            "matrix_multiply": lambda x, y: [x.reshape(8, 8) @ y.reshape(8, 8)],
            "polynomial_evaluate": lambda x, y: [icicle.polynomial.evaluate(x, y)],
            "ntt": lambda x, y: [
                icicle.ntt(x),
                icicle.ntt(x.reshape(8, 8), axis=0, inverse=True, ordering="nr", coset=7),
            ],
        }
        return calls, (x, y)

    for field in icicle.fields.FIELDS.values():
        calls, operands = fields(field)
        for name, call in calls.items():
            yield pytest.param(name, field, call, operands, id=f"{name} {field.name}")
    for curve in icicle.curves.CURVES.values():
        operands = curve.scalar.random((2, 33), seed=3), curve.affine.random(33)
        call = lambda s, p, curve=curve: [curve.msm(s, p), curve.msm(s[0], p, bitsize=curve.scalar.bits)]  # noqa: E731
        yield pytest.param("msm", curve, call, operands, id=f"msm {curve.name}")
        p, s = curve.projective.random(33), curve.scalar.random(33, seed=4)
        operands = p, curve.affine.from_ints([*p.to_ints()[:11], *(-p).to_ints()[11:22], *[None] * 11]), s
        calls = {
            "point_binary": lambda p, q, s: [p + q, q - p, p[0] + q, p - q[0]],
            "point_scalar_mul": lambda p, q, s: [s * p, q * s, 5 * q, s * p[0], -1 * p],
            "point_unary": lambda p, q, s: [-p, -q, p.affine(), q.projective(), p.affine().astype(p.dtype)],
        }
        for name, call in calls.items():
            yield pytest.param(name, curve, call, operands, id=f"{name} {curve.name}")


@pytest.mark.parametrize(("name", "domain", "call", "operands"), list(_calls()) if GPUS else [])
def test_results_are_the_cpus(name, domain, call, operands):
    moved = [operand.to(GPU) for operand in operands]
    if not GPU.supports(name, domain):
        with pytest.raises(Unsupported):
            call(*moved)
        return
    for got, expected in zip(call(*moved), call(*operands), strict=True):
        assert got.device == GPU and got.to("cpu") == expected
    if name == "ntt":
        stream = Stream(GPU)
        later = icicle.ntt(moved[0], stream=stream)
        stream.synchronize()
        assert later.to("cpu") == icicle.ntt(operands[0])


@pytest.mark.parametrize("curve", icicle.curves.CURVES.values(), ids=str)
def test_points_are_compared_where_they_are(curve):
    if not GPU.supports("point_equal", curve):
        assert "ICICLE_TEST_KERNELS" not in os.environ, "this build embeds no kernels"
        pytest.skip("no kernels")
    p = curve.projective.random(33, device=GPU)
    q = p.affine()
    assert p == q and p != -q and curve.affine.zeros(3, device=GPU) == p[:3] - q[:3]
    q[32:] = q[31:32]
    assert p != q


@pytest.mark.skipif(len(GPUS) < 2, reason="one CUDA device")
def test_two_gpus():
    x = icicle.fields.bn254.scalar.random(1000)
    first, second = x.to(GPUS[0]), x.to(GPUS[0]).to(GPUS[1])
    assert second.device == GPUS[1] and second.to("cpu") == x
    with pytest.raises(InvalidPointer, match=f"memory on {GPUS[1]}: the call runs on {GPUS[0]}"):
        first + second
