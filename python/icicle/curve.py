"""Curve groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Unpack

from . import _icicle, transform
from .arguments import count, is_array_like, need
from .errors import InvalidArgument
from .field import BY_NUMBER, Field
from .field_array import FieldArray
from .point import PointArray, PointType

if TYPE_CHECKING:
    from ._icicle import Stream
    from .arguments import Values
    from .dtype import DeviceLike
    from .group import DeviceGroup
    from .point import Points
    from .transform import EcnttOptions


class Curve:
    """A curve group `y² = x³ + b` of prime order."""

    is_curve = True

    name: str
    """Name in messages and in the C API, such as `bn254_g2`."""
    number: int
    """Number in the C API."""
    base: Field
    """The field of the coordinates."""
    scalar: Field
    """The field whose modulus is the group's order."""
    has_ecntt: bool
    """Whether transforms of points are offered."""
    affine: PointType
    """The type of points `(x, y)`; the point at infinity is `(0, 0)`."""
    projective: PointType
    """The type of points `(X, Y, Z)` with `x = X/Z`, `y = Y/Z`; the point at infinity is `(0, 1, 0)`."""
    source: str
    """Where the curve and its generator are defined."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.name, self.number, self.source = row["name"], row["number"], row["source"]
        self.has_ecntt = row["has_ecntt"]
        self.base, self.scalar = BY_NUMBER[row["base"]], BY_NUMBER[row["scalar"]]
        self.b: tuple[int, ...] = tuple(int.from_bytes(c, "little") for c in row["b"])[: self.base.degree]
        """The coefficient b of the equation, as many integers as coefficients."""
        self.affine, self.projective = self._forms(False), self._forms(True)

    def _forms(self, projective: bool) -> PointType:
        canonical, other = (PointType(self, projective=projective, montgomery=form) for form in (False, True))
        canonical._other, other._other = other, canonical
        return canonical

    @property
    def generator(self) -> PointArray:
        """The generator, an affine point on the current device."""
        out = self.affine.empty(())
        _icicle.generator(self.number, out.buffer)
        return out

    def msm(
        self,
        scalars: FieldArray | Values,
        points: PointArray | Points,
        *,
        precompute: int | None = None,
        c: int | None = None,
        bitsize: int | None = None,
        out: PointArray | None = None,
        stream: Stream | None = None,
        group: DeviceGroup | None = None,
    ) -> PointArray:
        """Multi-scalar multiplication `Σ scalars[i]·points[i]` along the last axis, projective.

        `scalars` has shape `(…, n)`; `points`, affine, hold n points shared by the leading axes, or as many as there are
        scalars. Either may be in Montgomery form, or what `from_ints` of its type takes, copied to the other's device. `precompute` says that `points` come from `precompute()` with that
        factor. With `group` the work is divided among its devices: leading axes are spread, one sum is split by points. `c`
        are the window's bits, chosen if None; scalars of more than `bitsize` bits give an unspecified point.

        The result has the shape of the leading axes; with `stream` it is there once that is synchronized. By the bucket
        method: with windows of c bits about `n + 2^(c-1)` additions for each of `bitsize/c`. Raises TypeError for what
        is no array; InvalidArgument for shapes, types, `c` (at most 24), `bitsize` or `precompute` out of range, and
        points that `from_ints` finds not on the curve; InvalidPointer for operands on two devices; OutOfMemory;
        Unsupported.

        >>> import icicle
        >>> bn254 = icicle.curves.bn254
        >>> points = bn254.scalar.from_ints([1, 2, 3]) * bn254.generator
        >>> bn254.msm(bn254.scalar.from_ints([10, 20, 30]), points.affine()) == 140 * bn254.generator
        True
        """
        factor = 1 if precompute is None else count("msm", "precompute", precompute)
        bits = self._bits("msm", c, bitsize)
        scalars, points = self._operands(scalars, points)
        self._need_affine("msm", points)
        if scalars.dtype.canonical_type is not self.scalar:
            raise InvalidArgument("msm", f"scalars of {scalars.dtype}: must be of {self.scalar}")
        if not scalars.shape:
            raise InvalidArgument("msm", "scalars of shape (): must have an axis to sum along")
        *axes, n = scalars.shape
        batch = math.prod(axes)
        if points.size not in (n * factor, batch * n * factor):
            rule = f"{n} or one for each scalar, times precompute {factor}"
            raise InvalidArgument("msm", f"{points.size} points for scalars of shape {scalars.shape}: must be {rule}")
        if out is not None and (
            need("msm", "out", out, PointArray).dtype is not self.projective or out.shape != tuple(axes)
        ):
            raise InvalidArgument(
                "msm", f"out of {out.dtype}, shape {out.shape}: must be {self.projective}, {tuple(axes)}"
            )
        if not batch:
            return self.projective.empty(tuple(axes), device=points.device)
        memory = None if out is None else out.buffer
        montgomery = scalars.dtype.montgomery, points.dtype.montgomery
        shared = points.size == n * factor
        data = self.number, n, batch, scalars.buffer, points.buffer, shared, factor, *bits, montgomery, memory
        made = _icicle.msm(*data, stream, None if group is None else group._native)
        return PointArray(made, self.projective, tuple(axes)) if out is None else out

    def precompute(
        self,
        points: PointArray,
        factor: int,
        *,
        c: int | None = None,
        bitsize: int | None = None,
        stream: Stream | None = None,
    ) -> PointArray:
        """`factor` multiples of each affine point, shape `shape + (factor,)`, which make later `msm()` calls cheaper.

        Those must be given the same `c` and `bitsize`, and `precompute=factor`.

        In the encoding of `points`. Raises TypeError for what is no PointArray, InvalidArgument for points that are not
        affine or options out of range, OutOfMemory, Unsupported.
        """
        self._need_affine("msm_precompute_bases", need("msm_precompute_bases", "points", points, PointArray))
        factor = count("msm_precompute_bases", "precompute_factor", factor)
        montgomery, bits = points.dtype.montgomery, self._bits("msm_precompute_bases", c, bitsize)
        made = _icicle.msm_precompute(self.number, points.size, points.buffer, factor, *bits, montgomery, stream)
        return PointArray(made, points.dtype, (*points.shape, factor))

    @staticmethod
    def _bits(operation: str, c: int | None, bitsize: int | None) -> tuple[int, int]:
        """Bits of the window and of scalars; 0 lets the library choose."""
        most = (1 << 32) - 1
        return count(operation, "c", c or 0, most=most), count(operation, "bitsize", bitsize or 0, most=most)

    def _operands(self, scalars: FieldArray | Values, points: PointArray | Points) -> tuple[FieldArray, PointArray]:
        """Scalars and points as arrays, made of sequences on the other's device."""
        if is_array_like(points):
            device = scalars.device if isinstance(scalars, FieldArray) else None
            points = self.affine.from_ints(points, device=device)
        points = need("msm", "points", points, PointArray)
        if is_array_like(scalars):
            scalars = self.scalar.from_ints(scalars, device=points.device)
        return need("msm", "scalars", scalars, FieldArray), points

    def _need_affine(self, operation: str, points: PointArray) -> None:
        if points.dtype.canonical_type is not self.affine:
            raise InvalidArgument(operation, f"points of {points.dtype}: must be {self.affine}")

    def ecntt(self, points: PointArray, **options: Unpack[EcnttOptions]) -> PointArray:
        """Transform projective points along an axis: the options of `icicle.ntt`. Raises Unsupported for some curves.

        Raises InvalidArgument for points of another curve or in affine form, and as `icicle.ntt`.
        """
        if need("ecntt", "points", points, PointArray).dtype.curve is not self:
            raise InvalidArgument("ecntt", f"points of {points.dtype}: must be of {self.name}")
        return transform.ecntt(points, **options)

    def compress(self, points: PointArray) -> bytes:
        """Points as bytes, 48 each, big-endian x and flags; for bls12_381, else raises Unsupported.

        The form of draft-irtf-cfrg-pairing-friendly-curves-11, appendix C.

        Raises TypeError for what is no PointArray, OutOfMemory.
        """
        points = need("compress_points", "points", points, PointArray).to("cpu").projective()
        return _icicle.compress(self.number, points.size, points.buffer)

    def decompress(self, data: bytes | bytearray | memoryview, *, device: DeviceLike | None = None) -> PointArray:
        """The affine points of compressed ones, on a device (the current one if None).

        Raises InvalidArgument naming the first that is none, or for another number of bytes than a multiple of 48.

        >>> import icicle
        >>> bls = icicle.curves.bls12_381
        >>> bls.decompress(bls.compress(bls.generator)).reshape() == bls.generator
        True
        """
        data = bytes(need("decompress_points", "data", data, bytes, bytearray, memoryview))
        out = self.affine.empty(len(data) // 48, device=device)
        _icicle.decompress(self.number, data, out.buffer)
        return out

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self.name,)

    def __repr__(self) -> str:
        return f"<icicle curve {self.name}>"


def _find(name: str) -> Curve:
    return CURVES[name]


CURVES: dict[str, Curve] = {row["name"]: Curve(row) for row in _icicle.curves()}
"""Every curve group by name."""
