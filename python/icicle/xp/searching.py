"""Elements by place and by value: taking, finding, sorting, and each once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from icicle import _icicle
from icicle.errors import InvalidArgument

from .array import Array
from .creation import asarray
from .dtypes import result_type

if TYPE_CHECKING:
    from .array import Number


class UniqueAll(NamedTuple):
    """What unique_all() finds."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """What unique_counts() finds."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """What unique_inverse() finds."""

    values: Array
    inverse_indices: Array


def where(condition: Array, x1: Array | Number, x2: Array | Number, /) -> Array:
    """The element of `x1` where the condition is true, else that of `x2`, in their common dtype. Raises InvalidType for a
    condition that is not bool and dtypes without a common one, InvalidArgument for shapes that do not broadcast."""
    return _icicle.number_where(condition, x1, x2)


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """The indices of elements that are not 0, an array of int64 for each axis. Raises InvalidArgument for no axes."""
    return tuple(_icicle.number_nonzero(x))


def searchsorted(
    x1: Array, x2: Array | Number, /, *, side: Literal["left", "right"] = "left", sorter: Array | None = None
) -> Array:
    """Where values `x2`, or a number of Python's, belong in a sorted `x1`, or in `x1` in the order of `sorter`. Raises InvalidArgument for an `x1` of
    several axes and another side, InvalidType."""
    if side not in ("left", "right"):
        raise InvalidArgument("searchsorted", f'side {side!r}: must be "left" or "right"')
    values = x2 if isinstance(x2, Array) else asarray(x2, dtype=result_type(x1, x2), device=x1.device)
    return _icicle.number_searchsorted(x1 if sorter is None else take(x1, sorter), values, side == "right")


def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The elements along an axis in order, NaN last; always stable. Raises InvalidArgument for an axis that is not there."""
    return _icicle.number_sort(x, axis, descending)


def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The indices that sort along an axis, in int64; equal elements keep their order. Raises as sort()."""
    return _icicle.number_argsort(x, axis, descending)


def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """The elements at indices along an axis, which only arrays of one axis may leave out. Raises InvalidIndex for one outside
    it, InvalidType for indices that are no integers, InvalidArgument for an axis that is not there or not said."""
    if axis is None:
        if x.ndim != 1:
            raise InvalidArgument("take", f"axis None: an array of {x.ndim} axes needs one")
        axis = 0
    return _icicle.number_take(x, indices, axis, False)


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """The elements at indices given for each line along an axis. Raises as take()."""
    return _icicle.number_take(x, indices, axis, True)


def unique_all(x: Array, /) -> UniqueAll:
    """Each value once, ascending, where it first is, the index of each element's value, and how often it is; every NaN is one
    of its own. Raises OutOfMemory."""
    return UniqueAll(*_icicle.number_unique(x))


def unique_counts(x: Array, /) -> UniqueCounts:
    """Each value once and how often it is. Raises OutOfMemory."""
    values, _, _, counts = _icicle.number_unique(x)
    return UniqueCounts(values, counts)


def unique_inverse(x: Array, /) -> UniqueInverse:
    """Each value once and the index of each element's. Raises OutOfMemory."""
    values, _, inverse, _ = _icicle.number_unique(x)
    return UniqueInverse(values, inverse)


def unique_values(x: Array, /) -> Array:
    """Each value once, ascending. Raises OutOfMemory."""
    return _icicle.number_unique_values(x)


def isin(x1: Array | Number, x2: Array | Number, /, *, invert: bool = False) -> Array:
    """Whether each element of `x1` occurs in `x2`, or with `invert` whether it does not; one may be a number of Python's.
    Raises InvalidArgument for dtypes without a common one, TypeError for two numbers."""
    if isinstance(x1, Array):
        second = x2 if isinstance(x2, Array) else asarray(x2, dtype=result_type(x1, x2))
        found = _icicle.number_isin(x1, second)
    elif isinstance(x2, Array):
        found = _icicle.number_isin(asarray(x1, dtype=result_type(x2, x1)), x2)
    else:
        raise TypeError("isin: two numbers: one must be an array")
    return ~found if invert else found
