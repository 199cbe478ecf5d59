"""Checks of what callers pass: numbers, shapes, devices' arrays, and nested sequences of values."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

from . import _icicle
from .errors import InvalidArgument, OutOfMemory

if TYPE_CHECKING:
    import numpy

    Values = SupportsIndex | Sequence[int] | list[Any] | tuple[Any, ...] | numpy.ndarray[Any, Any]
    """One value, or nested sequences or an integer array of them."""
    Shape = SupportsIndex | Sequence[SupportsIndex]

T = TypeVar("T")

MOST_AXES = 64
"""As many as NumPy allows."""
MOST = (1 << 63) - 1


def integer(operation: str, name: str, value: Any) -> int:
    """An argument that must be an integer; raises TypeError naming it."""
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{operation}: {name} {shown(value)}: must be an integer") from None


def count(operation: str, name: str, value: Any, *, least: int = 0, most: int = MOST) -> int:
    """An argument that must be an integer of a range; raises TypeError or InvalidArgument naming it."""
    number = integer(operation, name, value)
    if not least <= number <= most:
        text = str(number) if number.bit_length() < 256 else f"of {number.bit_length()} bits"
        raise InvalidArgument(operation, f"{name} {text}: must be {least} to {most}")
    return number


def shape_of(operation: str, shape: Any) -> tuple[int, ...]:
    """A shape given as an integer or a sequence of them; raises TypeError or InvalidArgument naming it."""
    axes = shape if is_sequence(shape) else (shape,)
    made = tuple(count(operation, "shape: axis of length", n) for n in axes)
    if len(made) > MOST_AXES:
        raise InvalidArgument(operation, f"shape of {len(made)} axes: must have at most {MOST_AXES}")
    if math.prod(made) > MOST:
        raise InvalidArgument(operation, f"shape {made}: exceeds the address space")
    return made


def need(operation: str, name: str, value: Any, *kinds: type[T]) -> T:
    """An argument that must be of one of some classes; raises TypeError naming it."""
    if not isinstance(value, kinds):
        rule = " or ".join(_article(kind.__name__) for kind in kinds)
        raise TypeError(f"{operation}: {name} {shown(value)}: must be {rule}")
    return value


def is_sequence(value: Any) -> bool:
    """Whether a value holds others along an axis: a sequence that is neither text nor bytes."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview))


def is_array_like(value: Any) -> bool:
    """Whether a value is a sequence, or another library's array."""
    return is_sequence(value) or is_foreign(value)


def is_foreign(value: Any) -> bool:
    """Whether a value is an array, or a scalar with a type of its own, of another library: NumPy's, PyTorch's."""
    if isinstance(value, _icicle.Array):
        return False
    return hasattr(value, "tolist") and hasattr(value, "dtype") and hasattr(value, "shape")


def as_lists(operation: str, value: Any) -> Any:
    """Another library's array as nested lists, anything else as it is; raises TypeError for arrays not of integers."""
    if not is_foreign(value):
        return value
    if getattr(value.dtype, "kind", "i") not in "iuO":
        raise TypeError(f"{operation}: values of {value.dtype}: must be integers")
    return value.tolist()


def flatten(
    operation: str, values: Any, is_element: Callable[[Any], bool], plain: Callable[[Any], Any], what: str
) -> tuple[list[int], list[Any]]:
    """Shape and elements of nested sequences, or of one element; `plain` makes lists and elements of other arrays.

    Raises TypeError for what is neither, InvalidArgument for sequences of different lengths along an axis, more axes than
    64, or a sequence that contains itself, OutOfMemory for more elements than a list can hold here.
    """
    shape: list[int] = []
    path: set[int] = set()
    keep = []  # What plain() made stays, so that no identity is seen twice.
    whole = first = plain(values)
    if is_foreign(values) and 0 in values.shape:
        return [int(n) for n in values.shape], []  # Lists say nothing of axes below an empty one.
    while not is_element(first):
        if not is_sequence(first):
            raise TypeError(f"{operation}: {shown(first)}: must be {what}, or a sequence of them")
        if id(first) in path:
            raise InvalidArgument(operation, "values: a sequence contains itself")
        if len(shape) == MOST_AXES:
            raise InvalidArgument(operation, f"values: more than {MOST_AXES} axes")
        path.add(id(first))
        keep.append(first)
        shape.append(len(first))
        if not len(first):
            break
        first = plain(first[0])
    if math.prod(shape) * _POINTER > _memory():
        # Lists that share their parts say much in little: they are not unfolded to find out.
        raise OutOfMemory(operation, f"values of shape {tuple(shape)}: exceed the machine's memory")
    flat = [whole]
    for n in shape:
        level: list[Any] = []
        for one in flat:
            one = plain(one)
            if is_element(one) or not is_sequence(one) or len(one) != n:
                raise InvalidArgument(operation, f"values: every sequence along an axis must have {n} elements")
            level.extend(one)
        flat = level
    return shape, flat


_POINTER = 8
"""Bytes of a list for each element."""


def _memory() -> int:
    """Bytes of the machine's memory."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def nested(flat: list[Any], shape: tuple[int, ...]) -> Any:
    """Elements as nested lists of a shape; one element where it has no axes."""
    for i in range(len(shape) - 1, 0, -1):
        n = shape[i]
        flat = [flat[j : j + n] for j in range(0, len(flat), n)] if n else [[] for _ in range(math.prod(shape[:i]))]
    return flat if shape else flat[0]


def shown(value: Any) -> str:
    """A value in a message: small numbers and short text themselves, the class of anything else."""
    if value is None or (isinstance(value, (str, float)) and len(repr(value)) < 40):
        return repr(value)
    return f"of type {type(value).__name__}"


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
