"""What an index selects: NumPy's rules for integers, slices, `...`, None, lists of integers and masks."""

from __future__ import annotations

import math
from operator import index
from typing import Any, NamedTuple

from . import _icicle
from .arguments import MOST_AXES, flatten, is_array_like, is_foreign, shown


class Chosen(NamedTuple):
    """Elements chosen one by one along an axis of a view."""

    axis: int
    """The view's axis."""
    merged: int
    """How many of the view's axes, from that one on, count as one: as many as a mask has."""
    numbers: list[int]
    """Which elements, none negative."""
    shape: tuple[int, ...]
    """The axes that the chosen elements make."""

    def replaces(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of what is chosen from a view of a shape."""
        return *shape[: self.axis], *self.shape, *shape[self.axis + self.merged :]

    def lengths(self, shape: tuple[int, ...]) -> tuple[int, int]:
        """Elements along the merged axes, and elements behind each of them."""
        end = self.axis + self.merged
        return math.prod(shape[self.axis : end]), math.prod(shape[end:])


class Selection(NamedTuple):
    """A view in elements of memory, and what is chosen of it."""

    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    chosen: Chosen | None


def select(key: Any, start: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Selection:
    """What a key selects of an array; raises IndexError."""
    keys = [_plain(one) for one in (key if isinstance(key, tuple) else (key,))]
    consumed = sum(one.axes if isinstance(one, _List) else one is not None and one is not ... for one in keys)
    spread = [i for i, one in enumerate(keys) if one is ...]
    if len(spread) > 1:
        raise IndexError("index: more than one '...'")
    if consumed > len(shape):
        raise IndexError(f"index: {consumed} indices: the array has {len(shape)} axes")
    rest = [slice(None)] * (len(shape) - consumed)
    at = spread[0] if spread else len(keys)
    keys[at : at + 1] = rest
    lists = [one for one in keys if isinstance(one, _List)]
    if len(lists) > 1:
        raise IndexError("index: more than one list or mask: index by one after the other")
    if lists and any(isinstance(one, int) for one in keys):
        raise IndexError("index: an integer beside a list or mask: index by one after the other, as in x[0][:, [1, 2]]")
    made, steps, chosen, axis = [], [], None, 0
    for one in keys:
        if one is None:
            made.append(1)
            steps.append(0)
        elif isinstance(one, _List):
            numbers, axes = one.of(shape[axis : axis + one.axes])
            chosen = Chosen(len(made), one.axes, numbers, axes)
            made.extend(shape[axis : axis + one.axes])
            steps.extend(strides[axis : axis + one.axes])
            axis += one.axes
        else:
            n, stride = shape[axis], strides[axis]
            axis += 1
            if isinstance(one, slice):
                begin, end, step = one.indices(n)
                made.append(len(range(begin, end, step)))
                steps.append(step * stride)
                start += begin * stride if made[-1] else 0
            else:
                start += _within(one, n) * stride
    if len(made) > MOST_AXES:
        raise IndexError(f"index: makes {len(made)} axes: must be at most {MOST_AXES}")
    return Selection(start, tuple(made), tuple(steps), chosen)


def _within(number: int, n: int) -> int:
    if not -n <= number < n:
        raise IndexError(f"index: {number}: the axis has {n} elements")
    return number % n


class _List(NamedTuple):
    """A list of integers, or a mask: nested lists of truth values."""

    shape: tuple[int, ...]
    flat: list[Any]
    is_mask: bool

    @property
    def axes(self) -> int:
        """How many axes it indexes."""
        return len(self.shape) if self.is_mask else 1

    def of(self, shape: tuple[int, ...]) -> tuple[list[int], tuple[int, ...]]:
        """The elements it chooses along axes of an array, and the axes they make."""
        if not self.is_mask:
            return [_within(number, shape[0]) for number in self.flat], self.shape
        if shape != self.shape:
            raise IndexError(f"index: mask of shape {self.shape}: the axes have shape {shape}")
        numbers = [i for i, flag in enumerate(self.flat) if flag]
        return numbers, (len(numbers),)


def _plain(one: Any) -> Any:
    """A part of a key as None, `...`, a slice, an integer or a list."""
    if one is None or one is ... or isinstance(one, slice) or type(one) is int:
        return one
    if isinstance(one, bool):
        raise IndexError(f"index: {one}: must be an integer; a mask is a list or array")
    if isinstance(one, _icicle.Array):
        if one.shape:
            raise IndexError("index: an array of icicle's: must be a list, or an array of integers or truth values")
    elif is_array_like(one) and not (is_foreign(one) and not one.shape):
        return _list(one)
    return _number(one)


def _list(values: Any) -> _List:
    shape = None
    if is_foreign(values):
        shape, is_mask, values = tuple(map(int, values.shape)), _is_of_truth(values), values.tolist()
    try:
        found, flat = flatten("index", values, lambda value: hasattr(value, "__index__"), _unwrap, "an integer")
    except (TypeError, ValueError) as error:
        raise IndexError(str(error)) from None
    flat = [_unwrap(value) for value in flat]
    truths = sum(isinstance(value, bool) for value in flat)
    if shape is None:
        shape, is_mask = tuple(found), truths > 0
    if truths != (len(flat) if is_mask else 0):
        raise IndexError("index: integers and truth values in one list: must be of one kind")
    return _List(shape, flat if is_mask else [_number(value) for value in flat], is_mask)


def _is_of_truth(array: Any) -> bool:
    return str(array.dtype) in ("bool", "torch.bool")


def _unwrap(value: Any) -> Any:
    """Another library's array or scalar as lists or a number."""
    return value.tolist() if is_foreign(value) else value


def _number(value: Any) -> int:
    try:
        return index(value)
    except TypeError:
        rule = "must be an integer, a slice, '...', None, a list of integers or a mask"
        raise IndexError(f"index: {shown(value)}: {rule}") from None
