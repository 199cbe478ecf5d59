"""How shapes combine: NumPy's rules, and which cases the library does without copies."""

from __future__ import annotations

import math
from itertools import takewhile

from .array import Array
from .errors import InvalidArgument


def spread_shape(operation: str, a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of what two operands make: axes, from the last, equal or one of them of length 1 or missing.

    >>> spread_shape("add", (3, 1), (4,))
    (3, 4)
    """
    axes = max(len(a), len(b))
    left, right = ((1,) * (axes - len(shape)) + shape for shape in (a, b))
    if any(n != m and 1 not in (n, m) for n, m in zip(left, right)):
        raise InvalidArgument(operation, f"shapes {a} and {b}: each axis must be equal, or one of them of length 1")
    return tuple(m if n == 1 else n for n, m in zip(left, right))


def as_batch(shape: tuple[int, ...], scalars: tuple[int, ...]) -> tuple[int, bool] | None:
    """How scalars spread to a shape without a copy: one for each of how many vectors, and whether those are interleaved.

    None where they are neither equal for all last axes nor for all first ones. The shape holds elements.

    >>> as_batch((2, 3, 4), ()), as_batch((2, 3, 4), (2, 1, 1)), as_batch((2, 3, 4), (3, 4)), as_batch((2, 3, 4), (3, 1))
    ((1, False), (2, False), (12, True), None)
    """
    size = math.prod(scalars)
    scalars = (1,) * (len(shape) - len(scalars)) + scalars
    last = sum(1 for _ in takewhile(lambda n: n == 1, reversed(scalars)))
    if scalars[: len(shape) - last] == shape[: len(shape) - last]:
        return size, False
    first = sum(1 for _ in takewhile(lambda n: n == 1, scalars))
    return (size, True) if scalars[first:] == shape[first:] else None


def shares_memory(a: Array, b: Array) -> bool:
    """Whether arrays may share bytes, other than being the same elements in the same order."""
    x, y = a.memory, b.memory
    apart = a.device != b.device or x.ptr + x.nbytes <= y.ptr or y.ptr + y.nbytes <= x.ptr
    same = x.ptr == y.ptr and a.shape == b.shape and a.strides == b.strides and a.start == b.start
    return not apart and not same
