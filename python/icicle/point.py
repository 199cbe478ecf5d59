"""Types of curve points, and arrays of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _icicle
from .array import Array
from .dtype import DType
from .errors import InvalidArgument
from .field_array import FieldArray

if TYPE_CHECKING:
    from ._icicle import Buffer, Stream
    from .curve import Curve
    from .dtype import DeviceLike


class PointArray(Array):
    """An array of points of one curve group on one device, affine `(x, y)` or homogeneous projective `(X, Y, Z)`.

    `+ -` add points one by one, and `scalars * points` multiplies them, scalars being integers or a FieldArray of the
    curve's scalar field; one operand of no axes stands for all. Results are projective. Sums of many products are the
    curve's msm(). `==` says whether shapes and all group elements are equal, whatever the forms.

    >>> import icicle
    >>> G = icicle.curves.bn254.generator
    >>> (G + G).to_ints() == (2 * G).to_ints(), G - G == 0 * G, (G - G).to_ints()
    (True, True, None)
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def dtype(self) -> PointType: ...

    def to_ints(self) -> Any:
        """Affine coordinates in nested lists: `(x, y)`, or None for the point at infinity; copied to the host.

        Coordinates are integers, or tuples of coefficients.
        """
        if self.dtype.projective or self.dtype.montgomery:
            return self.to("cpu").astype(self.dtype.curve.affine).to_ints()
        return self.dtype.to_ints(self)

    def _operand(self, stream: Stream | None = None) -> tuple[Buffer, bool]:
        points = self._encoded(False, stream)
        return points.buffer, points.dtype.projective

    def astype(self, dtype: PointType, *, stream: Stream | None = None) -> PointArray:
        """The same points in another form or encoding: itself if it is that, else a copy."""
        if dtype is self.dtype:
            return self
        curve = self.dtype.curve
        if dtype.curve is not curve:
            raise InvalidArgument("astype", f"type {dtype}: must be of points of {curve.name}")
        points = self
        if dtype.projective != points.dtype.projective:
            operand = points._operand(stream)
            made = _icicle.point_convert(curve.number, points.size, operand, dtype.projective, stream)
            points = PointArray(made, dtype.canonical_type, self.shape)
        return points._encoded(dtype.montgomery, stream)

    def _encoded(self, montgomery: bool, stream: Stream | None) -> PointArray:
        if montgomery == self.dtype.montgomery:
            return self
        operand = self.buffer, self.dtype.projective
        made = _icicle.point_convert_montgomery(self.dtype.number, self.size, operand, montgomery, stream)
        return PointArray(made, self.dtype._other, self.shape)

    def affine(self) -> PointArray:
        """The points in affine form, canonical."""
        return self.astype(self.dtype.curve.affine)

    def projective(self) -> PointArray:
        """The points in projective form, canonical."""
        return self.astype(self.dtype.curve.projective)

    def _shape_with(self, other: Array, left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of what two operands make, `left` and `right` as the caller wrote them."""
        if self.shape and other.shape and self.shape != other.shape:
            rule = "must be equal, or one of no axes"
            raise InvalidArgument("point_arithmetic", f"shapes {left} and {right}: {rule}")
        return self.shape or other.shape

    def _sum(self, other: Any, negate: bool) -> Any:
        if not isinstance(other, PointArray):
            return NotImplemented
        curve = self.dtype.curve
        if other.dtype.curve is not curve:
            raise InvalidArgument(
                "point_arithmetic", f"operands of {self.dtype} and {other.dtype}: must be of one curve"
            )
        shape = self._shape_with(other, self.shape, other.shape)
        made = _icicle.point_binary(curve.number, math.prod(shape), negate, self._operand(), other._operand())
        return PointArray(made, curve.projective, shape)

    def __add__(self, other: Any) -> Any:
        return self._sum(other, False)

    def __sub__(self, other: Any) -> Any:
        return self._sum(other, True)

    def __neg__(self) -> PointArray:
        made = _icicle.point_negate(self.dtype.number, self.size, self._operand())
        return PointArray(made, self.dtype.curve.projective, self.shape)

    def __mul__(self, scalars: Any) -> Any:
        curve = self.dtype.curve
        if hasattr(scalars, "__index__"):
            scalars = curve.scalar.from_ints(scalars, device=self.device)
        if not isinstance(scalars, FieldArray):
            return NotImplemented
        if scalars.dtype.canonical_type is not curve.scalar:
            raise InvalidArgument("point_arithmetic", f"scalars of {scalars.dtype}: must be of {curve.scalar}")
        scalars = scalars.astype(curve.scalar)
        shape = self._shape_with(scalars, scalars.shape, self.shape)
        made = _icicle.point_scale(curve.number, math.prod(shape), scalars.buffer, self._operand())
        return PointArray(made, curve.projective, shape)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, PointArray):
            return NotImplemented
        if other.dtype.curve is not self.dtype.curve or other.shape != self.shape:
            return False
        return _icicle.point_equal(self.dtype.number, self.size, self._operand(), other._operand())


class PointType(DType[PointArray]):
    """Points of a curve group in one form and encoding; the type of a PointArray's elements."""

    is_curve = True
    array = PointArray

    curve: Curve
    """The curve group."""
    projective: bool
    """Whether points are homogeneous `(X, Y, Z)` rather than `(x, y)`."""

    def __init__(self, curve: Curve, *, projective: bool, montgomery: bool) -> None:
        base = curve.base
        self.curve, self.number, self.projective, self.montgomery = curve, curve.number, projective, montgomery
        self.name = f"{curve.name} {'projective' if projective else 'affine'}"
        self._coordinates = 3 if projective else 2
        self.itemsize = self._coordinates * base.itemsize
        self.limb_bytes = base.limb_bytes
        self.limb_shape = (self._coordinates, *base.limb_shape)
        self._base = base.montgomery_type if montgomery else base

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self.curve, self.projective, self.montgomery)

    def zeros(self, shape: int | tuple[int, ...], *, device: DeviceLike | None = None) -> PointArray:
        """An array of points at infinity on a device, the current one if None."""
        out = self.curve.affine.empty(shape, device=device)
        out.buffer.fill(0)
        return out.astype(self)

    def random(self, shape: int | tuple[int, ...], *, device: DeviceLike | None = None) -> PointArray:
        """Random points of the group of prime order, from the operating system's entropy."""
        canonical = self.canonical_type
        out = canonical.empty(shape, device=device)
        _icicle.random_points(self.number, self.projective, out.buffer)
        return out.astype(self)

    def from_ints(self, values: Any, *, device: DeviceLike | None = None) -> PointArray:
        """As DType.from_ints; raises InvalidArgument naming the first point that is not on the curve."""
        affine = self.curve.affine
        made = super(PointType, affine).from_ints(values, device="cpu")
        _icicle.check_points(self.number, made.size, made.buffer)
        return made.astype(self).to(_icicle.current_device() if device is None else device)

    def _is_element(self, value: Any) -> bool:
        return value is None or isinstance(value, tuple)

    def _pack(self, values: Iterable[Any]) -> bytes:
        flat: list[Any] = []
        for value in values:
            point = (0, 0) if value is None else value
            if len(point) != 2:
                raise InvalidArgument("from_ints", f"point of {len(point)} coordinates: must be (x, y) or None")
            flat.extend(point)
        return self._base._pack(flat)

    def _unpack(self, data: bytes) -> list[Any]:
        flat = self._base._unpack(data)
        zero = (0,) * self._base.degree if self._base.degree > 1 else 0
        return [None if point == (zero, zero) else point for point in zip(flat[::2], flat[1::2], strict=True)]

    def _check(self, buffer: _icicle.Buffer, n: int) -> None:
        if self.projective or self.montgomery:
            _icicle.check_elements(self._base.number, n * self._coordinates, buffer)
        else:
            _icicle.check_points(self.number, n, buffer)


def _find(curve: Curve, projective: bool, montgomery: bool) -> PointType:
    kind = curve.projective if projective else curve.affine
    return kind.montgomery_type if montgomery else kind
