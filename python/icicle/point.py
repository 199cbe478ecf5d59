"""Types of curve points, and arrays of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from . import _icicle
from .arguments import is_array_like, need, shown
from .array import Array
from .broadcasting import spread_shape
from .dtype import DType
from .errors import InvalidArgument
from .field_array import FieldArray

if TYPE_CHECKING:
    from ._icicle import Buffer, Stream
    from .arguments import Shape, Values
    from .curve import Curve
    from .dtype import DeviceLike

    Points = list[Any] | tuple[Any, ...]

X = TypeVar("X", bound=Array)


class PointArray(Array):
    """An array of points of one curve group on one device, affine `(x, y)` or homogeneous projective `(X, Y, Z)`.

    `+ -` add points one by one, and `scalars * points` multiplies them, scalars being a FieldArray of the curve's scalar
    field or what that field's `from_ints` takes. Axes of length 1 and missing first axes are spread as in NumPy. Results are
    projective. Sums of many products are the curve's msm(). `==` compares whole arrays, as Array says: group elements,
    whatever the forms. As integers, points are affine: `(x, y)`, coordinates of extensions as tuples, and None for the point
    at infinity.

    Operators raise InvalidArgument for shapes, curves or fields that do not fit, InvalidPointer for operands on two
    devices, TypeError for what is no operand, OutOfMemory, Unsupported where the device lacks the curve's kernels.

    >>> import icicle
    >>> G = icicle.curves.bn254.generator
    >>> (G + G).to_ints() == (2 * G).to_ints(), G - G == 0 * G, (G - G).to_ints()
    (True, True, None)
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def dtype(self) -> PointType: ...

    def _operand(self, stream: Stream | None = None) -> tuple[Buffer, bool]:
        points = self._encoded(False, stream)
        return points.buffer, points.dtype.projective

    def astype(self, dtype: PointType, *, stream: Stream | None = None) -> PointArray:
        """The same points in another form or encoding: itself if it is that, else a copy.

        Raises TypeError for what is no type of points, InvalidArgument for one of another curve, OutOfMemory,
        Unsupported.
        """
        if dtype is self.dtype:
            return self
        curve = self.dtype.curve
        if need("astype", "type", dtype, PointType).curve is not curve:
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
        """The points in affine form, canonical. Raises as `astype`: OutOfMemory, Unsupported."""
        return self.astype(self.dtype.curve.affine)

    def projective(self) -> PointArray:
        """The points in projective form, canonical. Raises as `astype`: OutOfMemory, Unsupported."""
        return self.astype(self.dtype.curve.projective)

    def _sum(self, other: Any, negate: bool) -> Any:
        if is_array_like(other):
            other = self.dtype.curve.affine.from_ints(other, device=self.device)
        if not isinstance(other, PointArray):
            return NotImplemented
        curve = self.dtype.curve
        if other.dtype.curve is not curve:
            raise InvalidArgument(
                "point_arithmetic", f"operands of {self.dtype} and {other.dtype}: must be of one curve"
            )
        shape, a, b = _spread(self, other)
        made = _icicle.point_binary(curve.number, math.prod(shape), negate, a._operand(), b._operand())
        return PointArray(made, curve.projective, shape)

    def __add__(self, other: PointArray | Points) -> PointArray:
        return self._sum(other, False)  # type: ignore[no-any-return]

    def __sub__(self, other: PointArray | Points) -> PointArray:
        return self._sum(other, True)  # type: ignore[no-any-return]

    __radd__ = __add__

    def __rsub__(self, other: Points) -> PointArray:
        return -self + other if is_array_like(other) else NotImplemented

    def __neg__(self) -> PointArray:
        made = _icicle.point_negate(self.dtype.number, self.size, self._operand())
        return PointArray(made, self.dtype.curve.projective, self.shape)

    def __mul__(self, scalars: FieldArray | Values) -> PointArray:
        curve = self.dtype.curve
        if is_array_like(scalars) or curve.scalar._is_element(scalars):
            scalars = curve.scalar.from_ints(scalars, device=self.device)
        if not isinstance(scalars, FieldArray):
            return NotImplemented
        if scalars.dtype.canonical_type is not curve.scalar:
            raise InvalidArgument("point_arithmetic", f"scalars of {scalars.dtype}: must be of {curve.scalar}")
        shape, factors, points = _spread(scalars.astype(curve.scalar), self)
        made = _icicle.point_scale(curve.number, math.prod(shape), factors.buffer, points._operand())
        return PointArray(made, curve.projective, shape)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        other = self._as_other_side(other)
        if not isinstance(other, PointArray) or other.dtype.curve is not self.dtype.curve or other.shape != self.shape:
            return False
        return _icicle.point_equal(self.dtype.number, self.size, self._operand(), other._operand())


def _spread(a: X, b: PointArray) -> tuple[tuple[int, ...], X, PointArray]:
    """The shape of what two operands make, and both in it; one point or scalar stays, as it stands for all."""
    shape = spread_shape("point_arithmetic", a.shape, b.shape)
    if not math.prod(shape):
        return shape, a._spread("", shape), b._spread("", shape)
    return shape, a if a.size == 1 else a._spread("", shape), b if b.size == 1 else b._spread("", shape)


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

    def zeros(self, shape: Shape, *, device: DeviceLike | None = None) -> PointArray:
        """An array of points at infinity on a device, the current one if None.

        Raises as `empty`: TypeError, InvalidArgument, InvalidDevice, OutOfMemory.
        """
        out = self.curve.affine.empty(shape, device=device)
        out.buffer.fill(0)
        return out.astype(self)

    def random(self, shape: Shape, *, device: DeviceLike | None = None) -> PointArray:
        """Random points of the group of prime order, from the operating system's entropy.

        Multiples of the generator by uniform scalars. Raises as `empty`, and Internal if the system gives no entropy.
        """
        canonical = self.canonical_type
        out = canonical.empty(shape, device=device)
        _icicle.random_points(self.number, self.projective, out.buffer)
        return out.astype(self)

    def from_ints(self, values: Any, *, device: DeviceLike | None = None) -> PointArray:
        """As DType.from_ints; raises InvalidArgument naming the first point that is not on the curve."""
        affine = self.curve.affine
        made = super(PointType, affine).from_ints(values, device="cpu")
        affine._check(made)
        return made.astype(self).to(_icicle.current_device() if device is None else device)

    def _plain(self, value: Any) -> Any:
        # Points of any form stand for themselves.
        if isinstance(value, PointArray) and value.dtype.curve is self.curve:
            return value.to_ints()
        return super()._plain(value)

    def _is_element(self, value: Any) -> bool:
        return value is None or isinstance(value, tuple)

    def _pack(self, values: Iterable[Any]) -> bytes:
        flat: list[Any] = []
        for i, value in enumerate(values):
            value = self._plain(value)
            if not self._is_element(value):
                raise TypeError(f"from_ints: point {i} {shown(value)}: must be (x, y) or None")
            point = (0, 0) if value is None else value
            if len(point) != 2:
                raise InvalidArgument("from_ints", f"point of {len(point)} coordinates: must be (x, y) or None")
            flat.extend(point)
        return self._base._pack(flat)

    def _values(self, array: PointArray) -> list[Any]:
        if self.projective or self.montgomery:
            array = array.to("cpu").astype(self.curve.affine)
        return self.curve.affine._unpack(array.buffer.tobytes())

    def _unpack(self, data: bytes) -> list[Any]:
        flat = self._base._unpack(data)
        zero = (0,) * self._base.degree if self._base.degree > 1 else 0
        return [None if point == (zero, zero) else point for point in zip(flat[::2], flat[1::2], strict=True)]

    def _check(self, array: PointArray) -> None:
        if not self.projective and not self.montgomery:
            _icicle.check_points(self.number, array.size, array.buffer)
            return
        base, array = self.curve.base, array.to("cpu")
        _icicle.check_elements(base.number, array.size * self._coordinates, array.buffer)
        if not self.projective:
            self.curve.affine._check(array.astype(self.curve.affine))
            return
        points = array._encoded(False, None).reshape(-1)
        x, y, z = (base._wrap(points.buffer, (points.size, 3))[:, i] for i in range(3))
        b = self.curve.b if base.degree > 1 else self.curve.b[0]
        # y² = x³ + b of x/z and y/z; at infinity, where z is 0, x is then 0 too, and y must not be.
        apart = (y**2 * z - x**3 - z**3 * b)._is_zero()
        for i, (equal, flat, infinite) in enumerate(zip(apart, y._is_zero(), z._is_zero())):
            if not equal or (flat and infinite):
                rule = f"must satisfy the equation of {self.curve.name}"
                raise InvalidArgument("check_points", f"point {i}: coordinates {rule}")

    @property
    def _encoded_type(self) -> PointType:
        return self.curve.affine

    def _converted(self, array: PointArray) -> PointArray:
        return array.astype(self)


def _find(curve: Curve, projective: bool, montgomery: bool) -> PointType:
    kind = curve.projective if projective else curve.affine
    return kind.montgomery_type if montgomery else kind
