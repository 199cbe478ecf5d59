package icicle

// #include "shim.h"
//
// typedef icicle_error_t (*go_point_call)(int32_t, const void *, void *);
// static go_status go_point(go_point_call f, int32_t curve, go_in in, go_out out) { GO_PLAIN(f(curve, in, out)); }
// typedef icicle_error_t (*go_points_call)(int32_t, const void *, const void *, void *);
// static go_status go_points(go_points_call f, int32_t curve, go_in a, go_in b, go_out out) { GO_PLAIN(f(curve, a, b, out)); }
// static go_status go_point_eq(int32_t curve, go_in a, go_in b, bool *result) { GO_PLAIN(icicle_point_eq(curve, a, b, result)); }
// static go_status go_point_is_on_curve(int32_t curve, go_in a, bool *result) {
//   GO_PLAIN(icicle_point_is_on_curve(curve, a, result));
// }
// static go_status go_point_generator(int32_t curve, go_out out) { GO_PLAIN(icicle_point_generator(curve, out)); }
import "C"

// single checks a call on single elements and points: each operand is host memory of so many bytes.
func (c *call) single(bytes ...int) {
	c.hostOnly()
	for i, each := range bytes {
		c.need(i, each, 1)
	}
}

func (c *call) points(function C.go_points_call, g Curve) error {
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_points(function, C.int32_t(g), c.ptr(0), c.ptr(1), c.ptr(2)))
}

func (c *call) point(function C.go_point_call, g Curve) error {
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_point(function, C.int32_t(g), c.ptr(0), c.ptr(1)))
}

// Add computes out = a + b, single projective points in host memory; out may be an operand. The result's Z is not
// normalised. Nothing checks that points are on the curve.
//
// Errors, of all functions on points: ErrInvalidArgument for an unknown curve or another number of bytes than a
// point's, ErrInvalidPointer for nil, misaligned, closed or device memory.
func (g Curve) Add(a, b, out Slice) error {
	c := begin("point_add", Launch{}, arg{"point1", a}, arg{"point2", b}, arg{"result", out})
	bytes := c.curve(g).ProjectiveBytes
	c.single(bytes, bytes, bytes)
	return c.points(C.go_points_call(C.icicle_point_add), g)
}

// Sub computes out = a - b; otherwise as Add.
//
// Errors: as Add.
func (g Curve) Sub(a, b, out Slice) error {
	c := begin("point_sub", Launch{}, arg{"point1", a}, arg{"point2", b}, arg{"result", out})
	bytes := c.curve(g).ProjectiveBytes
	c.single(bytes, bytes, bytes)
	return c.points(C.go_points_call(C.icicle_point_sub), g)
}

// MulScalar computes out = scalar·point, with one canonical element of the scalar field; otherwise as Add.
//
// Errors: as Add.
func (g Curve) MulScalar(point, scalar, out Slice) error {
	c := begin("point_mul_scalar", Launch{}, arg{"point", point}, arg{"scalar", scalar}, arg{"result", out})
	info := c.curve(g)
	c.single(info.ProjectiveBytes, c.field(info.Scalar).Bytes, info.ProjectiveBytes)
	return c.points(C.go_points_call(C.icicle_point_mul_scalar), g)
}

// ToAffine converts one projective point in host memory to affine form; (0, 0) for the neutral element.
//
// Errors: as Add.
func (g Curve) ToAffine(point, out Slice) error {
	c := begin("point_to_affine", Launch{}, arg{"point", point}, arg{"point_out", out})
	info := c.curve(g)
	c.single(info.ProjectiveBytes, info.AffineBytes)
	return c.point(C.go_point_call(C.icicle_point_to_affine), g)
}

// FromAffine converts one affine point in host memory to projective form; (0, 1, 0) for (0, 0).
//
// Errors: as Add.
func (g Curve) FromAffine(point, out Slice) error {
	c := begin("point_from_affine", Launch{}, arg{"point", point}, arg{"point_out", out})
	info := c.curve(g)
	c.single(info.AffineBytes, info.ProjectiveBytes)
	return c.point(C.go_point_call(C.icicle_point_from_affine), g)
}

// Eq says whether two projective points in host memory are equal; never true of (0, 0, 0), which is no point.
//
// Errors: as Add.
func (g Curve) Eq(a, b Slice) (bool, error) {
	c := begin("point_eq", Launch{}, arg{"point1", a}, arg{"point2", b})
	bytes := c.curve(g).ProjectiveBytes
	c.single(bytes, bytes)
	if c.err != nil {
		return false, c.abandon()
	}
	var result C.bool
	err := c.end(C.go_point_eq(C.int32_t(g), c.ptr(0), c.ptr(1), &result))
	return bool(result), err
}

// IsOnCurve says whether a projective point in host memory satisfies the curve's equation; (0, 0, 0) does not count.
// Membership of the prime-order group is not checked.
//
// Errors: as Add.
func (g Curve) IsOnCurve(point Slice) (bool, error) {
	c := begin("point_is_on_curve", Launch{}, arg{"point", point})
	c.single(c.curve(g).ProjectiveBytes)
	if c.err != nil {
		return false, c.abandon()
	}
	var result C.bool
	err := c.end(C.go_point_is_on_curve(C.int32_t(g), c.ptr(0), &result))
	return bool(result), err
}

// Generator writes the generator of the group of prime order, a projective point, to host memory.
//
// Errors: as Add.
func (g Curve) Generator(out Slice) error {
	c := begin("point_generator", Launch{}, arg{"result", out})
	c.single(c.curve(g).ProjectiveBytes)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_point_generator(C.int32_t(g), c.ptr(0)))
}
