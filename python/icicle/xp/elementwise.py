"""Operations on each element, made from the core's tables: the names below are declared for readers and type checkers, and
a test compares them with the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from icicle import _icicle

from .array import Array
from .dtypes import isdtype
from .errors import InvalidType

if TYPE_CHECKING:
    from .array import Number


class Unary(Protocol):
    """An operation on each element of an array."""

    def __call__(self, x: Array, /) -> Array: ...


class Binary(Protocol):
    """An operation on each pair of elements of two arrays, or of an array and a number."""

    def __call__(self, x1: Array | Number, x2: Array | Number, /) -> Array: ...


abs: Unary
negative: Unary
positive: Unary
sign: Unary
sqrt: Unary
square: Unary
reciprocal: Unary
exp: Unary
expm1: Unary
log: Unary
log1p: Unary
log2: Unary
log10: Unary
sin: Unary
cos: Unary
tan: Unary
asin: Unary
acos: Unary
atan: Unary
sinh: Unary
cosh: Unary
tanh: Unary
asinh: Unary
acosh: Unary
atanh: Unary
floor: Unary
ceil: Unary
trunc: Unary
round: Unary
isnan: Unary
isinf: Unary
isfinite: Unary
signbit: Unary
conj: Unary
real: Unary
imag: Unary
logical_not: Unary
bitwise_invert: Unary
add: Binary
subtract: Binary
multiply: Binary
divide: Binary
floor_divide: Binary
remainder: Binary
pow: Binary
atan2: Binary
hypot: Binary
copysign: Binary
nextafter: Binary
logaddexp: Binary
maximum: Binary
minimum: Binary
bitwise_and: Binary
bitwise_or: Binary
bitwise_xor: Binary
bitwise_left_shift: Binary
bitwise_right_shift: Binary
equal: Binary
not_equal: Binary
less: Binary
less_equal: Binary
greater: Binary
greater_equal: Binary
logical_and: Binary
logical_or: Binary
logical_xor: Binary
_RAISES = "Raises InvalidType for a dtype it is not defined for, TypeError for what is no array."
_PAIRS = "One operand may be a number of Python's. Raises InvalidType for dtypes without a common one or that it is not"
_SHAPES = "defined for, InvalidArgument for shapes that do not broadcast, TypeError for what is no array."


def _unary(number: int, name: str, meaning: str) -> Unary:
    native = _icicle.number_unary

    def operation(x: Array, /) -> Array:
        return native(number, x)

    operation.__name__ = operation.__qualname__ = name
    operation.__doc__ = f"{meaning}\n\n{_RAISES}"
    return operation


def _binary(number: int, name: str, meaning: str) -> Binary:
    native = _icicle.number_binary

    def operation(x1: Array | Number, x2: Array | Number, /) -> Array:
        return native(number, x1, x2)

    operation.__name__ = operation.__qualname__ = name
    operation.__doc__ = f"{meaning}\n\n{_PAIRS}\n{_SHAPES}"
    return operation


_one, _two = _icicle.number_operations()
UNARY_NAMES = tuple(name for _, name, _ in _one)
"""Operations on one array."""
BINARY_NAMES = tuple(name for _, name, _ in _two)
"""Operations on two."""
globals().update({name: _unary(number, name, meaning) for number, name, meaning in _one})
globals().update({name: _binary(number, name, meaning) for number, name, meaning in _two})


def clip(x: Array, /, min: Array | Number | None = None, max: Array | Number | None = None) -> Array:
    """Elements no less than `min` and no greater than `max`; NaN stays. The result has the array's dtype.

    Raises InvalidType for bounds of another dtype, InvalidArgument for shapes that do not broadcast, TypeError.
    """
    if isdtype(x.dtype, ("bool", "complex floating")):
        raise InvalidType("clip", f"array of {x.dtype}: must be of real numbers")
    bounds = [bound for bound in (min, max) if isinstance(bound, Array)]
    wide = _icicle.number_broadcast([x, *bounds])[0] if bounds else x
    return _icicle.number_clip(wide, min, max)
