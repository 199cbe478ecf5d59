"""Discrete Fourier transforms: the standard's extension.

>>> from icicle import xp
>>> xp.fft.fft(xp.asarray([1.0, 0.0, 0.0, 0.0]))
Array([(1+0j), (1+0j), (1+0j), (1+0j)], dtype=complex128)

Any length; in the precision of the array. `norm` says which direction is divided by the number of elements: "backward", the
inverse; "forward", the other; "ortho", both by its square root. On a GPU by cuFFT: `pip install icicle-compute[cufft13]`; without it
transforms raise Unsupported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from icicle import _icicle

from .array import Array, DType, axes_of
from .dtypes import float64, isdtype
from .errors import InvalidType

if TYPE_CHECKING:
    from icicle.dtype import DeviceLike

    Norm: TypeAlias = Literal["backward", "ortho", "forward"]

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]


def _one(operation: str, x: Array, n: int | None, axis: int, norm: str, *kinds: str) -> Array:
    _check(operation, x, kinds)
    return _icicle.number_fft(operation, x, n, axis, norm)


def _many(
    operation: str, x: Array, s: Sequence[int] | None, axes: Sequence[int] | None, norm: str, *kinds: str
) -> Array:
    _check(operation, x, kinds)
    return _icicle.number_fftn(operation, x, None if s is None else list(s), axes_of(axes), norm)


def _check(operation: str, x: Array, kinds: tuple[str, ...]) -> None:
    if isinstance(x, Array) and not isdtype(x.dtype, kinds):
        raise InvalidType(operation, f"array of {x.dtype}: must be of {' or '.join(kinds)} point")


_REAL = "real floating"
_COMPLEX = "complex floating"


def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The transform along an axis, complex; of `n` elements, cut or with zeros at the end. Raises InvalidArgument for an axis or
    norm there is not and an `n` of 0, OverflowError for a negative one, InvalidType."""
    return _one("fft", x, n, axis, norm, _REAL, _COMPLEX)


def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The inverse of fft(). Raises as fft()."""
    return _one("ifft", x, n, axis, norm, _REAL, _COMPLEX)


def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The first `n // 2 + 1` of the transform of real numbers along an axis. Raises as fft()."""
    return _one("rfft", x, n, axis, norm, _REAL)


def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The inverse of rfft(): `n` real numbers, or twice as many as there are less 2. Raises as fft()."""
    return _one("irfft", x, n, axis, norm, _REAL, _COMPLEX)


def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The transform, real, of what is its own conjugate reversed, given by its first half. Raises as fft()."""
    return _one("hfft", x, n, axis, norm, _REAL, _COMPLEX)


def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The inverse of hfft(), of real numbers. Raises as fft()."""
    return _one("ihfft", x, n, axis, norm, _REAL)


def fftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """The transform along several axes, all if not named, of `s` elements each; `s` without axes is of the last ones. Raises as
    fft(), and InvalidArgument for an `s` not as long as axes."""
    return _many("fftn", x, s, axes, norm, _REAL, _COMPLEX)


def ifftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """The inverse of fftn(). Raises as fftn()."""
    return _many("ifftn", x, s, axes, norm, _REAL, _COMPLEX)


def rfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """The transform of real numbers along several axes, of the last of which the first half. Raises as fftn()."""
    return _many("rfftn", x, s, axes, norm, _REAL)


def irfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """The inverse of rfftn(), real. Raises as fftn()."""
    return _many("irfftn", x, s, axes, norm, _REAL, _COMPLEX)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: DeviceLike | None = None) -> Array:
    """The frequencies of fft()'s results for samples at a distance `d`, of float64 without a dtype. Raises InvalidArgument for
    an `n` or `d` of 0 and a dtype that is not real floating point, OverflowError for a negative `n`, InvalidDevice."""
    return _icicle.number_frequencies("fftfreq", n, d, float64 if dtype is None else dtype, device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: DeviceLike | None = None) -> Array:
    """The frequencies of rfft()'s results. Raises as fftfreq()."""
    return _icicle.number_frequencies("rfftfreq", n, d, float64 if dtype is None else dtype, device)


def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """The zero frequency moved to the middle of axes, of all if not named. Raises InvalidArgument for axes that are not
    there."""
    return _icicle.number_fftshift("fftshift", x, axes_of(axes))


def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """The inverse of fftshift(). Raises as fftshift()."""
    return _icicle.number_fftshift("ifftshift", x, axes_of(axes))
