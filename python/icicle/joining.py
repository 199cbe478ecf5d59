"""Arrays joined along an axis, one that there is or a new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from .arguments import integer, is_sequence, need, shown
from .array import Array
from .errors import InvalidArgument

A = TypeVar("A", bound=Array)


def concatenate(arrays: Sequence[A], axis: int = 0) -> A:
    """A new array of the arrays' elements, one array after another along an axis; a negative one counts from the last.

    All must be of one type, on one device, which nothing leaves, and of equal shapes but for that axis. Raises InvalidArgument.

    Raises TypeError for what is no sequence of arrays, OutOfMemory.

    >>> import icicle
    >>> x = icicle.fields.m31.scalar.from_ints([[1, 2], [3, 4]])
    >>> icicle.concatenate([x, x[:, :1]], axis=1).to_ints()
    [[1, 2, 1], [3, 4, 3]]
    """
    first = _first("concatenate", arrays)
    axis = _axis("concatenate", axis, first.ndim)
    for x in arrays:
        _need_like("concatenate", first, x)
        if _without(x.shape, axis) != _without(first.shape, axis):
            rule = f"must be equal but for axis {axis}"
            raise InvalidArgument("concatenate", f"shapes {first.shape} and {x.shape}: {rule}")
    length = sum(x.shape[axis] for x in arrays)
    before, after = first.shape[:axis], first.shape[axis + 1 :]
    out: A = first.dtype.empty((*before, length, *after), device=first.device)
    start = 0
    for x in arrays:
        end = start + x.shape[axis]
        out[(slice(None),) * axis + (slice(start, end),)] = x
        start = end
    return out


def stack(arrays: Sequence[A], axis: int = 0) -> A:
    """A new array with the arrays along a new axis, whose number that is; a negative one counts from the last.

    All must be of one type, device and shape. Raises InvalidArgument.

    Raises TypeError for what is no sequence of arrays, OutOfMemory.

    >>> import icicle
    >>> x = icicle.fields.m31.scalar.from_ints([1, 2])
    >>> icicle.stack([x, x + 2]).to_ints(), icicle.stack([x, x + 2], axis=1).to_ints()
    ([[1, 2], [3, 4]], [[1, 3], [2, 4]])
    """
    first = _first("stack", arrays)
    axis = _axis("stack", axis, first.ndim + 1)
    for x in arrays:
        _need_like("stack", first, x)
        if x.shape != first.shape:
            raise InvalidArgument("stack", f"shapes {first.shape} and {x.shape}: must be equal")
    key = (slice(None),) * axis + (None,)
    return concatenate([x[key] for x in arrays], axis)


def _first(operation: str, arrays: Sequence[A]) -> A:
    if not is_sequence(arrays):
        raise TypeError(f"{operation}: arrays {shown(arrays)}: must be a sequence of arrays")
    if not arrays:
        raise InvalidArgument(operation, "no arrays: must be at least one")
    return need(operation, "array", arrays[0], Array)  # type: ignore[return-value]


def _need_like(operation: str, first: Array, x: Array) -> None:
    need(operation, "array", x, Array)
    if x.dtype is not first.dtype or x.device != first.device:
        got = f"arrays of {first.dtype} on {first.device} and of {x.dtype} on {x.device}"
        raise InvalidArgument(operation, f"{got}: must be of one type on one device; see astype() and to()")


def _axis(operation: str, axis: int, ndim: int) -> int:
    number = integer(operation, "axis", axis)
    if not -ndim <= number < ndim:
        raise InvalidArgument(operation, f"axis {number}: must be below {ndim}, the number of axes")
    return number % ndim


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]
