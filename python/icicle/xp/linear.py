"""Products of matrices and vectors."""

from __future__ import annotations

from collections.abc import Sequence

from icicle import _icicle
from icicle.errors import InvalidArgument

from .array import Array


def matmul(x1: Array, x2: Array, /) -> Array:
    """The matrix product over the last two axes, the others broadcasting; an operand of one axis is a row on the left and a
    column on the right. Raises InvalidArgument for shapes that do not fit, InvalidType."""
    return _icicle.number_matmul(x1, x2)


def matrix_transpose(x: Array, /) -> Array:
    """The last two axes exchanged: a view. Raises InvalidArgument for fewer axes."""
    return _icicle.number_transpose(x)


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The sum of products along an axis, of the first's complex conjugates. Raises InvalidArgument for extents that differ
    or an axis that is not there, InvalidType."""
    return _icicle.number_vecdot(x1, x2, axis)


def tensordot(x1: Array, x2: Array, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """The sum of products over pairs of axes: so many last of the first and first of the second, or those named. Raises
    InvalidArgument for extents that differ or axes that are not there, InvalidType."""
    if not isinstance(axes, int):
        first, second = axes
        return _icicle.number_tensordot(x1, x2, list(first), list(second))
    if axes < 0:
        raise InvalidArgument("tensordot", f"axes {axes}: must not be negative")
    return _icicle.number_tensordot(x1, x2, list(range(-axes, 0)), list(range(axes)))
