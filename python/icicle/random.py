"""Arrays of random numbers that are functions of a key: the same call gives the same numbers, every time and in every language.

>>> from icicle import random, xp
>>> weights, noise = random.Key(7).split(2)
>>> w = random.normal(weights, (3, 4), dtype=xp.float32)
>>> u = random.uniform(noise, 3, -1.0, 1.0)
>>> w.shape, bool(xp.all((u >= -1) & (u < 1)))
((3, 4), True)

A key is never used up: each function gives the same numbers again for the same key, so whoever needs others splits it, or
takes that of a step by `key.fold_in(step)`. Element `i` depends on the key and `i` only, whatever the shape and the number of
threads (Philox4x32-10). Arrays are made on the current device if none is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _icicle
from ._icicle import Key
from .errors import InvalidArgument
from .xp.array import Array, DType, extents
from .xp.dtypes import float64, int64, uint32

if TYPE_CHECKING:
    from .dtype import DeviceLike
    from .xp.array import Shape

__all__ = ["Key", "bernoulli", "bits", "choice", "integers", "normal", "permutation", "shuffle", "uniform"]


def bits(key: Key, shape: Shape = (), *, dtype: DType = uint32, device: DeviceLike | None = None) -> Array:
    """Integers of all values of an unsigned dtype, equally likely: the bits of the cipher's blocks, lowest first.

    Raises InvalidArgument for another dtype or a shape too large, InvalidDevice, Unsupported on a GPU with neither NVRTC nor
    kernels.
    """
    return _icicle.random_bits(key, extents(shape), dtype, device)


def uniform(
    key: Key,
    shape: Shape = (),
    low: float = 0.0,
    high: float = 1.0,
    *,
    dtype: DType = float64,
    device: DeviceLike | None = None,
) -> Array:
    """Numbers from `low` up to before `high`, equally likely, of 24 random bits in float32 and 53 in float64.

    Raises InvalidArgument for another dtype, bounds of which `low` is not below `high` in it or whose distance is not finite,
    or a shape too large; InvalidDevice; Unsupported on a GPU with neither NVRTC nor kernels.
    """
    return _icicle.random_uniform(key, extents(shape), low, high, dtype, device)


def normal(key: Key, shape: Shape = (), *, dtype: DType = float64, device: DeviceLike | None = None) -> Array:
    """Normal numbers of mean 0 and deviation 1, in float32 or float64: at most 6.77 and 8.66 from 0.

    Raises InvalidArgument for another dtype or a shape too large, InvalidDevice, Unsupported on a GPU with neither NVRTC nor
    kernels.
    """
    return _icicle.random_normal(key, extents(shape), dtype, device)


def integers(
    key: Key, low: int, high: int, shape: Shape = (), *, dtype: DType = int64, device: DeviceLike | None = None
) -> Array:
    """Integers from `low` up to before `high`, equally likely, without bias.

    Raises InvalidArgument if `low` is not below `high`, for a dtype that is no integer one or does not hold them, or a shape
    too large; InvalidDevice; Unsupported on a GPU with neither NVRTC nor kernels.
    """
    return _icicle.random_integers(key, low, high, extents(shape), dtype, device)


def bernoulli(key: Key, probability: float, shape: Shape = (), *, device: DeviceLike | None = None) -> Array:
    """Truth values that are true with a probability, which is rounded to a multiple of 2**-32.

    Raises InvalidArgument for a probability that is not from 0 to 1 or a shape too large, InvalidDevice, Unsupported on a
    GPU with neither NVRTC nor kernels.
    """
    return _icicle.random_bernoulli(key, probability, extents(shape), device)


def permutation(key: Key, n: int, *, device: DeviceLike | None = None) -> Array:
    """The integers from 0 to `n - 1`, in int64, in an order all of which are equally likely.

    Raises InvalidArgument if `n` is negative or too large, InvalidDevice, Unsupported on a GPU with neither NVRTC nor
    kernels.
    """
    return _icicle.random_permutation(key, _count("permutation", n), device)


def shuffle(key: Key, x: Array, *, axis: int = 0) -> Array:
    """An array with the indices of an axis in the order that permutation() gives, on the array's device; `x` stays.

    Raises InvalidArgument for an axis that is not there, TypeError for what is no array of numbers, Unsupported on a GPU
    with neither NVRTC nor kernels.
    """
    return _icicle.random_shuffle(key, x, axis)


def choice(key: Key, x: Array, n: int, *, axis: int = 0, replace: bool = True) -> Array:
    """`n` elements along an axis, each of them any with the same probability; without `replace`, none twice.

    Raises InvalidArgument if `n` is negative, there are no elements to choose from or, without `replace`, fewer than `n`, and
    otherwise as shuffle().
    """
    return _icicle.random_choice(key, x, _count("choice", n), axis, replace)


def _count(operation: str, n: int) -> int:
    if n < 0:
        raise InvalidArgument(operation, f"n {n}: must not be negative")
    return n
