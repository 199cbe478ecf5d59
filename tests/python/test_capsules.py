"""DLPack capsules built by hand, as another library in C would: right ones are read right, wrong ones refused."""

import ctypes
import gc

import numpy as np
import pytest

import icicle
from icicle import xp

GPUS = sum(device.kind == "cuda" for device in icicle.devices())


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def numbers(values):
    return None if values is None else (ctypes.c_int64 * max(len(values), 1))(*values)


GIVEN = []
"""Producers of capsules, which live on as another library's memory does: consumers call into them at any time."""


class Producer:
    """Gives out one capsule of limbs of 4 bytes; `deleted` counts what its consumer let go of."""

    def __init__(self, versioned, *, version=(1, 0), flags=0, misplaced=0, deleter=True, **facts):
        self.data = np.arange(100, 164, dtype=np.uint32)
        self.versioned, self.deleted = versioned, 0
        self.facts = {
            "data": self.data.ctypes.data,
            "device_type": 1,
            "device_id": 0,
            "ndim": 1,
            "code": 1,
            "bits": 32,
            "lanes": 1,
            "shape": (4,),
            "strides": None,
            "byte_offset": 0,
            **facts,
        }
        self.shape, self.strides = numbers(self.facts["shape"]), numbers(self.facts["strides"])
        pointer = ctypes.POINTER(ctypes.c_int64)
        fields = {
            **self.facts,
            "shape": ctypes.cast(self.shape, pointer) if self.shape is not None else pointer(),
            "strides": ctypes.cast(self.strides, pointer) if self.strides is not None else pointer(),
        }
        self.callback = DELETER(self._delete) if deleter else DELETER()
        if versioned:
            self.managed = Versioned(*version, None, self.callback, flags, Tensor(**fields))
        else:
            self.managed = Managed(Tensor(**fields), None, self.callback)
        self.name = b"dltensor_versioned" if versioned else b"dltensor"
        self.address = ctypes.addressof(self.managed) + misplaced

    def _delete(self, managed):
        assert managed == self.address
        self.deleted += 1

    def __dlpack_device__(self):
        return self.facts["device_type"], self.facts["device_id"]

    def __dlpack__(self, **options):
        GIVEN.append(self)
        return new_capsule(self.address, self.name, None)


class Old(Producer):
    """From before versions: it knows no `max_version`."""

    def __dlpack__(self, stream=None):
        return super().__dlpack__()


field = icicle.fields.babybear.scalar
BOTH = pytest.mark.parametrize("versioned", [False, True], ids=["dltensor", "dltensor_versioned"])


@pytest.mark.parametrize(
    ("code", "dtypes"),
    [
        (0, "int8 int16 int32 int64"),
        (1, "uint8 uint16 uint32 uint64"),
        (2, "float16 float32 float64"),
        (4, "bfloat16"),
        (5, "complex64 complex128"),
        (6, "bool"),
    ],
)
def test_numbers_have_the_standards_codes(code, dtypes):
    for name in dtypes.split():
        ones = np.full(3, 0x3F80, "uint16") if name == "bfloat16" else np.ones(3, name)
        bits = 8 * ones.itemsize
        x = xp.from_dlpack(Producer(True, data=ones.ctypes.data, code=code, bits=bits, shape=(3,)))
        assert x.dtype == getattr(xp, name) and x.tolist() == [1, 1, 1]
        capsule = x.__dlpack__(max_version=(1, 0))
        tensor = Versioned.from_address(pointer_of(capsule, b"dltensor_versioned")).tensor
        assert (tensor.code, tensor.bits, tensor.lanes) == (code, bits, 1)


@BOTH
def test_a_right_capsule(versioned):
    producer = Producer(versioned)
    x = field.from_dlpack(producer, device="cpu:2")
    assert x == [100, 101, 102, 103] and x.buffer.ptr == producer.data.ctypes.data and str(x.device) == "cpu:2"
    producer.data[1] = 7
    assert x[1] == 7, "shared"
    view = x[2:]
    del x
    gc.collect()
    assert producer.deleted == 0 and view == [102, 103]
    del view
    gc.collect()
    assert producer.deleted == 1
    assert field.from_dlpack(Old(versioned)) == [100, 101, 102, 103]
    assert field.from_dlpack(Producer(versioned, deleter=False)) == [100, 101, 102, 103]


@BOTH
def test_shapes(versioned):
    for shape, strides, want in [
        ((2, 3), None, [[100, 101, 102], [103, 104, 105]]),
        ((2, 3), (3, 1), [[100, 101, 102], [103, 104, 105]]),
        ((1, 3), (77, 1), [[100, 101, 102]]),
        ((2, 1), (1, -9), [[100], [101]]),
        ((0, 3), (-5, 5), []),
        ((3, 0), None, [[], [], []]),
        ((), (), 100),
    ]:
        x = field.from_dlpack(Producer(versioned, shape=shape, strides=strides, ndim=len(shape)))
        assert x.shape == shape and x.tolist() == want
    assert field.from_dlpack(Producer(versioned, shape=None, ndim=0)) == 100
    empty = field.from_dlpack(Producer(versioned, data=None, shape=(0,)))
    assert empty.shape == (0,) and empty.tolist() == []
    wide = icicle.fields.goldilocks.scalar.from_dlpack(Producer(versioned, bits=64, shape=(2,)))
    assert wide == [100 + (101 << 32), 102 + (103 << 32)]


@BOTH
def test_the_offset_is_honoured(versioned):
    for offset in (4, 20, 60 * 4):
        producer = Producer(versioned, byte_offset=offset)
        x = field.from_dlpack(producer)
        first = 100 + offset // 4
        assert x == range(first, first + 4) and x.buffer.ptr == producer.data.ctypes.data + offset
        assert (x + x).tolist() == [2 * n for n in range(first, first + 4)]
    copied = field.from_dlpack(Producer(versioned, byte_offset=8, shape=(2,)), copy=True)
    assert copied == [102, 103]


def test_read_only_data_is_copied():
    producer = Producer(True, flags=1, byte_offset=4)
    x = field.from_dlpack(producer)
    assert x == [101, 102, 103, 104] and x.buffer.ptr != producer.data.ctypes.data + 4
    with pytest.raises(BufferError, match="read-only"):
        field.from_dlpack(Producer(True, flags=1), copy=False)


LARGEST = (1 << 63) - 1
WRONG = {
    "null data": ({"data": None}, "data of 16 bytes is null"),
    "null data with an offset": ({"data": None, "byte_offset": 64}, "data of 16 bytes is null"),
    "null shape": ({"shape": None}, "shape of 1 axes is null"),
    "null shape of many": ({"shape": None, "ndim": 3}, "shape of 3 axes is null"),
    "negative ndim": ({"ndim": -1}, "ndim -1: must be 0 to 64"),
    "least ndim": ({"ndim": -(1 << 31)}, "must be 0 to 64"),
    "most ndim": ({"ndim": (1 << 31) - 1}, "ndim 2147483647: must be 0 to 64"),
    "many axes": ({"shape": (1,) * 65, "ndim": 65}, "ndim 65: must be 0 to 64"),
    "negative axis": ({"shape": (-4,)}, r"shape \[-4\]: must not be negative"),
    "negative axes": ({"shape": (-2, -2), "ndim": 2}, "must not be negative"),
    "size beyond addresses": ({"shape": (LARGEST,)}, "exceeds the address space"),
    "half the addresses": ({"shape": (1 << 61,)}, "exceeds the address space"),
    "product of 2^64": ({"shape": (1 << 32, 1 << 32), "ndim": 2}, "exceeds the address space"),
    "product of 2^64 + 16": ({"shape": (1 << 62, 4, 2), "ndim": 3}, "exceeds the address space"),
    "empty with a size": ({"shape": (LARGEST, LARGEST, 0), "ndim": 3}, "exceeds the address space"),
    "offset beyond addresses": (
        {"byte_offset": (1 << 64) - 4},
        "byte_offset 18446744073709551612: exceeds the address",
    ),
    "end beyond addresses": ({"data": (1 << 64) - 8}, "exceeds the address space"),
    "odd offset": ({"byte_offset": 2}, "must be aligned to 4 bytes"),
    "odd data": ({"data": 4099}, "must be aligned to 4 bytes"),
    "strides": ({"shape": (2, 2), "strides": (1, 2), "ndim": 2}, "must be C-contiguous"),
    "stride 0": ({"strides": (0,)}, "must be C-contiguous"),
    "stride -1": ({"strides": (-1,)}, r"strides \[-1\] of shape \[4\]: must be C-contiguous"),
    "signed": ({"code": 0}, "must be unsigned, 32 or 64 bits"),
    "floating": ({"code": 2}, "must be unsigned"),
    "bits 8": ({"bits": 8}, "8 bits"),
    "bits 0": ({"bits": 0}, "0 bits"),
    "lanes": ({"lanes": 4}, "4 lanes"),
    "no lanes": ({"lanes": 0}, "0 lanes"),
    "a CPU that is not there": ({"device_id": 1}, "device id 1 of the CPU: must be 0"),
    "a CPU below 0": ({"device_id": -1}, "device id -1 of the CPU: must be 0"),
    "a GPU that is not there": (
        {"device_type": 2, "device_id": 1000},
        f"device id 1000 of CUDA: there are {GPUS} CUDA",
    ),
    "a GPU below 0": ({"device_type": 2, "device_id": -1}, "device id -1 of CUDA"),
    "Metal": ({"device_type": 8}, r"device type 8: must be 1 \(CPU\) or 2 \(CUDA\)"),
    "no device": ({"device_type": 0}, "device type 0"),
    "misplaced": ({"misplaced": 1}, "its structure is misaligned"),
}


@BOTH
@pytest.mark.parametrize("name", WRONG)
def test_wrong_capsules(versioned, name):
    facts, text = WRONG[name]
    producer = Producer(versioned, **facts)
    with pytest.raises(BufferError, match=f"from_dlpack: .*{text}"):
        field.from_dlpack(producer)
    gc.collect()
    assert producer.deleted == 0, "left to its owner"


def test_wrong_versions():
    for version in ((0, 8), (2, 0), ((1 << 32) - 1, 0)):
        with pytest.raises(BufferError, match="from_dlpack: version .*: must be 1.x"):
            field.from_dlpack(Producer(True, version=version))
    assert field.from_dlpack(Producer(True, version=(1, 99))) == [100, 101, 102, 103]


@pytest.mark.skipif(not GPUS, reason="no CUDA device")
def test_host_memory_is_no_gpus():
    with pytest.raises(BufferError, match="from_dlpack: data at .* of no CUDA device: the tensor says cuda:0"):
        field.from_dlpack(Producer(True, device_type=2))


class Lying:
    def __init__(self, device=(1, 0), capsule=None):
        self.device, self.capsule = device, capsule

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        return self.capsule


def test_what_is_no_capsule():
    for bad in ([1, 2], 5, None, "abc", b"abcd", object()):
        with pytest.raises(TypeError, match="from_dlpack: data .*: must have __dlpack__"):
            field.from_dlpack(bad)
    data = (ctypes.c_char * 256)()
    for capsule in (
        None,
        5,
        new_capsule(ctypes.addressof(data), b"other", None),
        new_capsule(ctypes.addressof(data), None, None),
    ):
        with pytest.raises(TypeError):
            field.from_dlpack(Lying(capsule=capsule))
    for device in (None, 5, (1,), "cpu", (1, 2, 3)):
        with pytest.raises((TypeError, ValueError)):
            field.from_dlpack(Lying(device=device))
