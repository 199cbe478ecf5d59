"""Numbers from the elements along axes, running totals, and truth of all or any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from icicle import _icicle
from icicle.errors import InvalidArgument

from .array import Array, DType, axes_of

if TYPE_CHECKING:
    from .array import Axes

_bool = bool


def sum(x: Array, /, *, axis: Axes = None, dtype: DType | None = None, keepdims: bool = False) -> Array:
    """The sum along axes, of all elements for None. Integers and bool are summed in 64 bits, floats keep their dtype and are
    added in float64. Raises InvalidArgument for axes that are not there, InvalidType."""
    return _icicle.number_total("sum", x, axes_of(axis), keepdims, dtype)


def prod(x: Array, /, *, axis: Axes = None, dtype: DType | None = None, keepdims: bool = False) -> Array:
    """The product along axes, with dtypes as sum(). Raises InvalidArgument for axes that are not there, InvalidType."""
    return _icicle.number_total("prod", x, axes_of(axis), keepdims, dtype)


def min(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """The least element along axes, NaN if one is. Raises InvalidArgument where there is no element or axis, InvalidType."""
    return _icicle.number_fold("min", x, axes_of(axis), keepdims)


def max(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """The greatest element along axes, NaN if one is. Raises as min()."""
    return _icicle.number_fold("max", x, axes_of(axis), keepdims)


def mean(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """The mean along axes of floating-point numbers; NaN of none. Raises InvalidArgument for axes that are not there,
    InvalidType for other dtypes."""
    return _icicle.number_fold("mean", x, axes_of(axis), keepdims)


def var(x: Array, /, *, axis: Axes = None, correction: int | float = 0.0, keepdims: bool = False) -> Array:
    """The mean square of distances from the mean, divided by their number less `correction`. Raises as mean()."""
    return _icicle.number_spread("var", x, axes_of(axis), float(correction), keepdims)


def std(x: Array, /, *, axis: Axes = None, correction: int | float = 0.0, keepdims: bool = False) -> Array:
    """The square root of var(). Raises as mean()."""
    return _icicle.number_spread("std", x, axes_of(axis), float(correction), keepdims)


def all(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Whether all elements along axes are true or not 0. Raises InvalidArgument for axes that are not there."""
    return _icicle.number_fold("all", x, axes_of(axis), keepdims)


def any(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Whether any element along axes is true or not 0. Raises InvalidArgument for axes that are not there."""
    return _icicle.number_fold("any", x, axes_of(axis), keepdims)


def count_nonzero(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """How many elements along axes are true or not 0, in int64. Raises InvalidArgument for axes that are not there."""
    return _icicle.number_fold("count_nonzero", x, axes_of(axis), keepdims)


def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """The index of the first greatest element along an axis, in all for None. Raises as min()."""
    return _icicle.number_place("argmax", x, axis, keepdims)


def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """The index of the first least element along an axis, in all for None. Raises as min()."""
    return _icicle.number_place("argmin", x, axis, keepdims)


def cumulative_sum(
    x: Array, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Array:
    """The sum up to each element along an axis, None where there is only one; with `include_initial`, 0 before. Dtypes as
    sum(). Raises InvalidArgument for an axis that is not there or not said."""
    return _icicle.number_scan("cumulative_sum", x, axis, dtype, include_initial)


def cumulative_prod(
    x: Array, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Array:
    """The product up to each element along an axis; as cumulative_sum(), with 1 before. Raises as cumulative_sum()."""
    return _icicle.number_scan("cumulative_prod", x, axis, dtype, include_initial)


def diff(
    x: Array,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Array | None = None,
    append: Array | None = None,
) -> Array:
    """Differences of neighbours along an axis, `n` times, after joining arrays before and after. Raises InvalidArgument for
    an axis that is not there, a negative `n`, bool."""
    if n < 0:
        raise InvalidArgument("diff", f"n {n}: must not be negative")
    parts = [part for part in (prepend, x, append) if part is not None]
    whole = _icicle.number_concat(parts, axis) if len(parts) > 1 and n else x
    return _icicle.number_diff(whole, axis, n)
