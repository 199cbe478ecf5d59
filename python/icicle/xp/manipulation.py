"""Other shapes and orders of arrays, joining and repeating them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from icicle import _icicle
from icicle.errors import InvalidArgument

from .array import Array, axes_of, extents

if TYPE_CHECKING:
    from .array import Shape


def reshape(x: Array, /, shape: Shape, *, copy: bool | None = None) -> Array:
    """The same elements in C order in another shape; one extent may be -1. A view where strides can say it.

    Raises InvalidArgument if the elements are not as many, and with `copy=False` where a copy is needed.
    """
    made = _icicle.number_reshape(x, extents(shape))
    if copy is False and made.size and made.address != x.address:
        raise InvalidArgument("reshape", f"copy=False: shape {tuple(extents(shape))} of these strides needs a copy")
    return _icicle.number_copy(made) if copy else made


def permute_dims(x: Array, /, axes: Sequence[int]) -> Array:
    """Axes in another order: axis k of the result is axis `axes[k]`. Raises InvalidArgument if not every axis is there
    once."""
    return _icicle.number_permute(x, list(axes))


def moveaxis(x: Array, source: int | Sequence[int], destination: int | Sequence[int], /) -> Array:
    """Some axes elsewhere, the others in their order. Raises InvalidArgument for axes that are not there, twice, or not as
    many."""
    return _icicle.number_moveaxis(x, axes_of(source) or [], axes_of(destination) or [])


def expand_dims(x: Array, /, axis: int | Sequence[int] = 0) -> Array:
    """New axes of extent 1, at places of the result. Raises InvalidArgument if there is no such place, or for one twice."""
    if isinstance(axis, int):
        return _icicle.number_expand_dims(x, axis)
    rank = x.ndim + len(axis)
    places = sorted(place + rank if place < 0 else place for place in axis)
    if len(set(places)) < len(places) or any(not 0 <= place < rank for place in places):
        raise InvalidArgument("expand_dims", f"axes {tuple(axis)}: must be of {rank} axes, each once")
    for place in places:
        x = _icicle.number_expand_dims(x, place)
    return x


def squeeze(x: Array, /, axis: int | Sequence[int]) -> Array:
    """Without axes of extent 1. Raises InvalidArgument if one has another extent."""
    return _icicle.number_squeeze(x, axes_of(axis) or [])


def flip(x: Array, /, *, axis: int | Sequence[int] | None = None) -> Array:
    """Axes run backwards, all for None. Raises InvalidArgument for axes that are not there."""
    return _icicle.number_flip(x, axes_of(axis))


def roll(x: Array, /, shift: int | Sequence[int], *, axis: int | Sequence[int] | None = None) -> Array:
    """Elements moved along axes, those beyond the end to the start; without axes, of the flattened array. Raises
    InvalidArgument for axes that are not there or not as many as shifts."""
    axes = axes_of(axis)
    shifts = [shift] if isinstance(shift, int) else list(shift)
    if axes is not None and isinstance(shift, int):
        shifts *= len(axes)
    return _icicle.number_roll(x, shifts, axes)


def broadcast_to(x: Array, /, shape: Shape) -> Array:
    """Repeated along axes of extent 1 and new leading ones: a view. Raises InvalidArgument if it does not fit."""
    return _icicle.number_broadcast_to(x, extents(shape))


def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """Arrays in the shape they have together: views. Raises InvalidArgument if they have none."""
    return tuple(_icicle.number_broadcast(list(arrays)))


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that arrays of these shapes have together. Raises InvalidArgument if they have none."""
    zero = _icicle.number_full([], 0, _icicle.number_type("bool"))
    arrays = [_icicle.number_broadcast_to(zero, extents(shape)) for shape in shapes]
    return arrays and _icicle.number_broadcast(arrays)[0].shape or ()


def concat(arrays: Sequence[Array], /, *, axis: int | None = 0) -> Array:
    """Arrays one after another along an axis, flattened for None, in their common dtype. Raises InvalidArgument for shapes
    that do not fit or no arrays, InvalidType."""
    return _icicle.number_concat(list(arrays), axis)


def stack(arrays: Sequence[Array], /, *, axis: int = 0) -> Array:
    """Arrays of one shape along a new axis. Raises InvalidArgument for shapes that differ or no arrays, InvalidType."""
    return _icicle.number_stack(list(arrays), axis)


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Views of each index of an axis. Raises InvalidArgument if there is none."""
    return tuple(_icicle.number_unstack(x, axis))


def tile(x: Array, repetitions: Shape, /) -> Array:
    """Repeated along each axis, along the last for an integer; missing leading axes are of extent 1. Raises InvalidArgument for a shape too large,
    OverflowError for a negative number."""
    return _icicle.number_tile(x, extents(repetitions))


def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Each element so many times, along an axis or flattened. Raises InvalidArgument if the numbers are not as many as
    elements, OverflowError for a negative one."""
    times = [repeats] if isinstance(repeats, int) else _icicle.number_reshape(repeats, [-1]).tolist()
    return _icicle.number_repeat(x, times, axis)
