"""Types of numbers: which there are, what they hold, which result a pair has."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import TYPE_CHECKING

from icicle import _icicle
from icicle.errors import InvalidArgument

from .array import Array, DType
from .errors import InvalidType

if TYPE_CHECKING:
    from icicle.dtype import DeviceLike

    from .array import Number

bool = _icicle.number_type("bool")
int8 = _icicle.number_type("int8")
int16 = _icicle.number_type("int16")
int32 = _icicle.number_type("int32")
int64 = _icicle.number_type("int64")
uint8 = _icicle.number_type("uint8")
uint16 = _icicle.number_type("uint16")
uint32 = _icicle.number_type("uint32")
uint64 = _icicle.number_type("uint64")
float16 = _icicle.number_type("float16")
bfloat16 = _icicle.number_type("bfloat16")
float32 = _icicle.number_type("float32")
float64 = _icicle.number_type("float64")
complex64 = _icicle.number_type("complex64")
complex128 = _icicle.number_type("complex128")

TYPES: dict[str, DType] = {dtype.name: dtype for dtype in _icicle.number_types()}
"""Every dtype by name."""


@dataclass(frozen=True)
class FloatInfo:
    """What a floating-point dtype holds, or the parts of a complex one."""

    bits: int
    """Bits of a number."""
    eps: float
    """The difference of 1 and the next greater number."""
    max: float
    """The greatest number."""
    min: float
    """The least number."""
    smallest_normal: float
    """The smallest positive number with all bits of precision."""
    dtype: DType
    """The dtype of the numbers, of the parts for a complex one."""


@dataclass(frozen=True)
class IntegerInfo:
    """What an integer dtype holds."""

    bits: int
    """Bits of a number."""
    max: int
    """The greatest number."""
    min: int
    """The least number."""
    dtype: DType
    """The dtype itself."""


def _dtype(type: DType | Array) -> DType:
    return type.dtype if isinstance(type, Array) else type


def finfo(type: DType | Array, /) -> FloatInfo:
    """What a floating-point dtype, or that of an array, holds. Raises InvalidArgument for another dtype."""
    bits, eps, greatest, smallest, dtype = _icicle.number_finfo(_dtype(type))
    return FloatInfo(bits, eps, greatest, -greatest, smallest, dtype)


def iinfo(type: DType | Array, /) -> IntegerInfo:
    """What an integer dtype, or that of an array, holds. Raises InvalidArgument for another dtype."""
    bits, least, greatest = _icicle.number_iinfo(_dtype(type))
    return IntegerInfo(bits, greatest, least, _dtype(type))


def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> _Truth:
    """Whether a dtype is another, or of a kind: "bool", "signed integer", "unsigned integer", "integral", "real floating",
    "complex floating", "numeric"; of a tuple, any. Raises InvalidArgument for an unknown kind, TypeError for what is no dtype.
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str):
        return _icicle.number_isdtype(dtype, kind)
    if not isinstance(kind, DType):
        raise TypeError(f"isdtype: kind of type {type(kind).__name__}: must be a dtype, a str or a tuple of them")
    return dtype == kind


def can_cast(from_: DType | Array, to: DType, /) -> _Truth:
    """Whether promotion leads from a dtype, or that of an array, to another. Raises TypeError for what is no dtype."""
    return _icicle.number_can_cast(_dtype(from_), to)


def result_type(*arrays_and_dtypes: Array | DType | Number) -> DType:
    """The dtype that operations on arrays, dtypes and numbers of Python's have.

    Raises InvalidType if there is none, InvalidArgument if there are only numbers, TypeError for anything else.
    """
    known = [_dtype(one) for one in arrays_and_dtypes if isinstance(one, (Array, DType))]
    if not known:
        raise InvalidArgument("result_type", f"{len(arrays_and_dtypes)} numbers: one must be an array or a dtype")
    found = _icicle.number_promote(known)
    for one in arrays_and_dtypes:
        if not isinstance(one, (Array, DType)):
            found = _with_number(found, one)
    return found


def _with_number(dtype: DType, number: Number) -> DType:
    if not isinstance(number, (_Truth, int, float, complex)):
        raise TypeError(f"result_type: {type(number).__name__}: must be an array, a dtype or a number")
    kinds: dict[type, str | tuple[DType | str, ...]] = {
        _Truth: "bool",
        int: "numeric",
        float: ("real floating", "complex floating"),
    }
    for kind, fits in kinds.items():
        if isinstance(number, kind):
            if isdtype(dtype, fits):
                return dtype
            raise InvalidType("result_type", f"{number!r} with {dtype}: no common dtype; cast first")
    if isdtype(dtype, ("real floating", "complex floating")):
        return _icicle.number_promote([dtype, complex64])
    raise InvalidType("result_type", f"{number!r} with {dtype}: no common dtype; cast first")


def astype(x: Array, dtype: DType, /, *, copy: _Truth = True, device: DeviceLike | None = None) -> Array:
    """The same values in another dtype: integers wrap, floats to integers saturate with NaN as 0.

    With `copy=False` the array itself if it has the dtype and device already. Raises InvalidType for complex to real,
    InvalidDevice.
    """
    made = _icicle.number_astype(x, dtype)
    if device is not None:
        made = made.to_device(device)
    if copy:
        return _icicle.number_copy(made) if x.dtype == dtype else made
    return x if x.dtype == dtype and made.device == x.device else made


_Truth = builtins.bool
