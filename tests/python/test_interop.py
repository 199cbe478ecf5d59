"""What other libraries see: NumPy, the buffer protocol, DLPack, pickles."""

import copy
import ctypes
import gc
import pickle
import weakref

import numpy as np
import pytest
from oracle import values

import icicle
from icicle import Buffer
from icicle.errors import InvalidArgument

DTYPES = [*icicle.fields.FIELDS.values()]


def limbs_of(field, data):
    """Limbs by NumPy and Python's integers alone."""
    width = field.itemsize // field.degree
    flat = [c for value in data for c in (value if field.degree > 1 else (value,))]
    raw = b"".join(c.to_bytes(width, "little") for c in flat)
    kind = np.uint64 if width % 8 == 0 else np.uint32
    return np.frombuffer(raw, kind).reshape(len(data), *field.limb_shape)


def test_numpy_shares_the_memory(field, rng):
    data = values(field, 5, rng)
    x = field.from_ints(data)
    seen = np.asarray(x)
    assert seen.dtype == limbs_of(field, data).dtype and (seen == limbs_of(field, data)).all()
    assert seen.ctypes.data == x.buffer.ptr == x.__array_interface__["data"][0]
    seen[0] = seen[1]
    assert x[0].to_ints() == data[1]
    assert field.from_numpy(limbs_of(field, data)).to_ints() == data
    assert x.reshape(5, 1).numpy().shape == (5, 1, *field.limb_shape)
    assert (np.array(x[1:3], copy=True) == seen[1:3]).all() and x[2].numpy().shape == field.limb_shape
    assert field.zeros((0, 2)).numpy().shape == (0, 2, *field.limb_shape)
    with pytest.raises(TypeError, match="Montgomery form is not shared"):
        np.asarray(x.astype(field.montgomery_type))


def test_points_as_limbs(curve):
    points = curve.affine.random(3)
    seen = points.numpy()
    assert seen.shape == (3, 2, *curve.base.limb_shape)
    assert curve.affine.from_numpy(seen) == points
    assert curve.base.from_numpy(np.ascontiguousarray(seen[:, 0])).to_ints() == [p[0] for p in points.to_ints()]
    projective = points.projective()
    assert curve.projective.from_numpy(projective.numpy()) == points
    bad = seen.copy()
    bad[1, 0] = bad[1, 1]
    with pytest.raises(InvalidArgument, match="check_points: point 1"):
        curve.affine.from_numpy(bad)
    assert curve.affine.from_numpy(bad, check=False).shape == (3,)


def test_limbs_are_checked(field):
    limbs = np.array(field.ones(4))
    limbs[2] = ~np.zeros_like(limbs[2])
    with pytest.raises(InvalidArgument, match=f"check_elements: element 2: must be below the modulus of {field.name}"):
        field.from_numpy(limbs)
    wrong = limbs.astype(np.int64)
    with pytest.raises(InvalidArgument, match="from_numpy: limbs of other bytes"):
        field.from_numpy(wrong)
    with pytest.raises(InvalidArgument, match="must be unsigned"):
        field.from_numpy(np.zeros((3, 5), np.uint64 if field.limb_bytes == 4 else np.uint32))
    strided = np.array(field.from_ints([1, 2, 3, 4]))[::2]
    assert field.from_numpy(strided).to_ints() == field.from_ints([1, 3]).to_ints()
    frozen = np.array(field.ones(2))
    frozen.flags.writeable = False
    assert field.from_numpy(frozen) == field.ones(2)


def test_the_buffer_protocol_keeps_memory_alive():
    device = icicle.Device("cpu:2")
    field = icicle.fields.bn254.scalar
    before = device.memory.used
    x = field.from_ints([1, 2, 3], device=device)
    view = memoryview(x)
    assert (view.shape, view.format, view.itemsize, view.readonly, view.c_contiguous) == ((3, 4), "Q", 8, False, True)
    del x
    assert view.tolist()[2] == [3, 0, 0, 0] and device.memory.used > before
    view.release()
    assert device.memory.used == before
    assert memoryview(icicle.fields.m31.scalar.ones(())).shape == ()


class Legacy:
    """A producer and consumer from before versions."""

    def __init__(self, inner):
        self.inner = inner

    def __dlpack_device__(self):
        return self.inner.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        return self.inner.__dlpack__(stream=stream)


def capsule_name(capsule):
    get = ctypes.pythonapi.PyCapsule_GetName
    get.restype, get.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return get(capsule)


def test_dlpack_out(field, rng):
    data = values(field, 4, rng)
    x = field.from_ints(data)
    for producer in (x, Legacy(x)):
        seen = np.from_dlpack(producer)
        assert seen.ctypes.data == x.buffer.ptr and (seen == limbs_of(field, data)).all()
    assert x.__dlpack_device__() == (1, 0)
    assert capsule_name(x.__dlpack__()) == b"dltensor"
    assert capsule_name(x.__dlpack__(max_version=(1, 0))) == b"dltensor_versioned"
    copied = np.from_dlpack(x, copy=True)
    assert copied.ctypes.data != x.buffer.ptr and (copied == limbs_of(field, data)).all()
    with pytest.raises(BufferError, match="Montgomery"):
        x.astype(field.montgomery_type).__dlpack__()
    with pytest.raises(BufferError, match=r"dl_device Some\(\(2, 0\)\): the array is on \(1, 0\)"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(ValueError, match="stream 5: must be None or -1 on the CPU"):
        x.__dlpack__(stream=5)


def test_dlpack_in(field, rng):
    data = values(field, 4, rng)
    for wrap in (lambda a: a, Legacy):
        source = np.array(limbs_of(field, data))
        x = field.from_dlpack(wrap(source), device="cpu:1")
        assert x.to_ints() == data and x.buffer.ptr == source.ctypes.data and str(x.device) == "cpu:1"
        source[0] = source[3]
        assert x[0].to_ints() == data[3], "shared"
        alive = weakref.ref(source)
        del source
        gc.collect()
        assert alive() is not None and (x + x).to_ints() == (field.from_ints(data[3:] + data[1:]) * 2).to_ints()
        del x
        gc.collect()
        assert alive() is None
    source = np.array(limbs_of(field, data))
    assert field.from_dlpack(source, copy=True).buffer.ptr != source.ctypes.data
    source.flags.writeable = False
    assert field.from_dlpack(source).buffer.ptr != source.ctypes.data, "read-only data is copied"
    with pytest.raises(BufferError, match="read-only"):
        field.from_dlpack(source, copy=False)


def test_dlpack_refuses_what_it_cannot_share():
    field = icicle.fields.bn254.scalar
    with pytest.raises(BufferError, match="must be unsigned, 32 or 64 bits"):
        field.from_dlpack(np.zeros((3, 4)))
    with pytest.raises(BufferError, match="must be C-contiguous"):
        field.from_dlpack(np.zeros((3, 8), np.uint64)[:, ::2])
    with pytest.raises(InvalidArgument, match="from_dlpack: limbs of 8 bytes, shape .3, 5."):
        field.from_dlpack(np.zeros((3, 5), np.uint64))
    unaligned = np.frombuffer(bytearray(33), np.uint8)[1:].view(np.uint64)
    with pytest.raises(BufferError, match="must be aligned to 4 bytes"):
        field.from_dlpack(unaligned)
    x = field.ones(2)
    capsule = x.__dlpack__(max_version=(1, 0))
    icicle._icicle.from_dlpack(capsule, "cpu")
    assert capsule_name(capsule) == b"used_dltensor_versioned"
    with pytest.raises(TypeError, match="must be an unused"):
        icicle._icicle.from_dlpack(capsule, "cpu")
    with pytest.raises(BufferError, match="device cuda:0 must be a CPU device"):
        field.from_dlpack(np.zeros((3, 4), np.uint64), device="cuda:0")


def test_unconsumed_capsules_free_their_memory():
    device = icicle.Device("cpu:3")
    before = device.memory.used
    x = icicle.fields.bn254.scalar.ones(1000, device=device)
    for version in (None, (1, 0)):
        for copied in (None, True):
            x.__dlpack__(max_version=version, copy=copied)
    del x
    assert device.memory.used == before


class FakeCuda:
    def __init__(self, **facts):
        self.__cuda_array_interface__ = {
            "shape": (2, 4),
            "typestr": "<u8",
            "data": (4096, False),
            "version": 3,
            **facts,
        }


def test_cuda_interface_needs_a_gpu():
    field = icicle.fields.bn254.scalar
    x = field.ones(2)
    assert not hasattr(x, "__cuda_array_interface__")
    with pytest.raises(BufferError, match="strides or mask"):
        field.from_cuda_array(FakeCuda(strides=(8, 8)))
    with pytest.raises(BufferError, match="read-only"):
        field.from_cuda_array(FakeCuda(data=(4096, True)))
    with pytest.raises(InvalidArgument, match="limbs of other bytes"):
        field.from_cuda_array(FakeCuda(typestr="<f8"))
    if not any(device.kind == "cuda" for device in icicle.devices()):
        with pytest.raises(icicle.InvalidDevice, match="pointer_info"):
            field.from_cuda_array(FakeCuda())


def test_indexing_gives_views(field):
    x = field.from_ints([[1, 2, 3], [4, 5, 6]])
    assert x[1, 0].to_ints() == field.from_ints(4).to_ints() and x[-1] == x[1] and len(x) == 2 and x.ndim == 2
    assert x[1:].shape == (1, 3) and x[0, 1:].shape == (2,) and x[...,] == x and x[:, :] == x and x[2:].shape == (0, 3)
    assert x.reshape(3, 2)[1:].to_ints() == field.from_ints([[3, 4], [5, 6]]).to_ints()
    x[0, 1:] = [8, 9]
    x[1] = x[0]
    assert x == field.from_ints([[1, 8, 9], [1, 8, 9]])
    view = x[1]
    view += 1
    assert x[1] == field.from_ints([2, 9, 10]), "in place through a view"
    assert x.reshape(3, -1).shape == (3, 2) and x.reshape(-1)[4] == x[1, 1]
    for bad in (2, -3, (0, 3), (0, 0, 0), (slice(None), 3), (..., ...)):
        with pytest.raises(IndexError):
            x[bad]
    with pytest.raises(InvalidArgument, match="value of"):
        x[0] = field.ones(2)
    with pytest.raises(InvalidArgument, match="must hold 6 elements"):
        x.reshape(4)
    with pytest.raises(TypeError):
        len(x[0, 0])


def test_copies_and_pickles(field, curve):
    for x in (field.random((2, 3)), field.ones(2).astype(field.montgomery_type), curve.projective.random(2)):
        x = x.to("cpu:1")
        for twin in (copy.copy(x), copy.deepcopy(x)):
            assert twin == x and twin.device == x.device and twin.buffer.ptr != x.buffer.ptr and twin.dtype is x.dtype
        with icicle.Device("cpu:3"):
            loaded = pickle.loads(pickle.dumps(x))
        assert loaded.dtype is x.dtype and loaded.shape == x.shape and str(loaded.device) == "cpu:3"
        assert loaded.to("cpu:1") == x and x.to("cpu:1") is x
    kinds = (curve.affine, curve.affine.montgomery_type, curve.projective, curve.projective.montgomery_type)
    for one in (curve, field, field.montgomery_type, *kinds):
        assert pickle.loads(pickle.dumps(one)) is one


def test_arrays_check_their_buffer(field):
    with pytest.raises(ValueError, match="buffer holds 5 bytes"):
        icicle.FieldArray(Buffer(5), field, (1,))
    with pytest.raises(ValueError, match="shape is too large"):
        icicle.FieldArray(Buffer(5), field, (1 << 62, 1 << 62))
    whole = Buffer(field.itemsize + 1)
    with pytest.raises(icicle.InvalidPointer, match="must be aligned to 4 bytes"):
        icicle.FieldArray(whole[1:], field, (1,)) + 1


def test_text(field):
    assert (
        repr(field.from_ints([1, 2])).startswith("<FieldArray [")
        and repr(field.ones((2, 2))).count("shape (2, 2)") == 1
    )
    assert str(field.montgomery_type) == f"{field.name} in Montgomery form" and field.name in repr(field)
