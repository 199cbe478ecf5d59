"""The array of numbers, and what stands for arrays, shapes and axes in signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from icicle._icicle import NumberArray as Array
from icicle._icicle import NumberType as DType

if TYPE_CHECKING:
    Number: TypeAlias = bool | int | float | complex
    Shape: TypeAlias = int | Sequence[int]
    Axes: TypeAlias = int | Sequence[int] | None

__all__ = ["Array", "DType", "axes_of", "extents"]


def extents(shape: Shape) -> list[int]:
    """A shape as a list: of one axis where it is an integer."""
    return [shape] if isinstance(shape, int) else list(shape)


def axes_of(axis: Axes) -> list[int] | None:
    """Axes as a list, None for all."""
    if axis is None:
        return None
    return [axis] if isinstance(axis, int) else list(axis)
