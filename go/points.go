package icicle

// #include "shim.h"
//
// typedef struct {
//   uintptr_t stream;
//   bool is_async, is_a_on_device, is_b_on_device, is_result_on_device;
//   bool is_a_affine, is_b_affine, is_result_affine, is_a_single, is_b_single;
// } go_points_options;
// static icicle_points_config_t go_points_config(go_points_options o) {
//   icicle_points_config_t config = icicle_points_config_default();
//   config.stream = (void *)o.stream;
//   config.is_async = o.is_async;
//   config.is_a_on_device = o.is_a_on_device;
//   config.is_b_on_device = o.is_b_on_device;
//   config.is_result_on_device = o.is_result_on_device;
//   config.is_a_affine = o.is_a_affine;
//   config.is_b_affine = o.is_b_affine;
//   config.is_result_affine = o.is_result_affine;
//   config.is_a_single = o.is_a_single;
//   config.is_b_single = o.is_b_single;
//   return config;
// }
// typedef icicle_error_t (*go_arrays_call)(int32_t, const void *, const void *, uint64_t, const icicle_points_config_t *, void *);
// static go_status go_arrays(go_place at, go_arrays_call f, int32_t curve, go_in a, go_in b, uint64_t n, go_points_options o,
//                            go_out out) {
//   icicle_points_config_t config = go_points_config(o);
//   GO_CALL(at, f(curve, a, b, n, &config, out));
// }
// typedef icicle_error_t (*go_array_call)(int32_t, const void *, uint64_t, const icicle_points_config_t *, void *);
// static go_status go_array(go_place at, go_array_call f, int32_t curve, go_in a, uint64_t n, go_points_options o, go_out out) {
//   icicle_points_config_t config = go_points_config(o);
//   GO_CALL(at, f(curve, a, n, &config, out));
// }
// static go_status go_points_equal(go_place at, int32_t curve, go_in a, go_in b, uint64_t n, go_points_options o, go_out out) {
//   icicle_points_config_t config = go_points_config(o);
//   GO_CALL(at, icicle_points_equal(curve, a, b, n, &config, (uint32_t *)out));
// }
import "C"

// PointsOptions are options of operations on arrays of points. The zero value is homogeneous projective points.
type PointsOptions struct {
	Launch
	// AffineA, AffineB and AffineOut say that the first operand's points, the second's and the results are affine. Of
	// products the first operand is the scalars.
	AffineA, AffineB, AffineOut bool
}

// form is the bytes of a point.
func form(info CurveInfo, affine bool) int {
	if affine {
		return info.AffineBytes
	}
	return info.ProjectiveBytes
}

// each checks that operand i holds n elements of so many bytes, or one that stands for all, and says whether it does.
func (c *call) each(i, bytes, n int) C.bool {
	if c.err == nil && n != 1 && c.args[i].bytes == bytes {
		return true
	}
	c.need(i, bytes, n)
	return false
}

func (o PointsOptions) options(c *call) C.go_points_options {
	options := C.go_points_options{
		stream: c.stream(), is_async: C.bool(o.Async),
		is_a_affine: C.bool(o.AffineA), is_b_affine: C.bool(o.AffineB), is_result_affine: C.bool(o.AffineOut),
	}
	last := len(c.args) - 1
	options.is_a_on_device, options.is_result_on_device = c.onDevice(0), c.onDevice(last)
	options.is_b_on_device = last == 2 && c.onDevice(1)
	return options
}

// arrays is out = call(a, b), with elements of the operands of so many bytes.
func (c *call) arrays(function C.go_arrays_call, g Curve, info CurveInfo, bytesA, bytesB int, o PointsOptions) error {
	n := c.count(2, form(info, o.AffineOut), 1)
	singleA, singleB := c.each(0, bytesA, n), c.each(1, bytesB, n)
	if c.err != nil {
		return c.abandon()
	}
	options := o.options(c)
	options.is_a_single, options.is_b_single = singleA, singleB
	return c.end(C.go_arrays(c.at, function, C.int32_t(g), c.ptr(0), c.ptr(1), C.uint64_t(n), options, c.ptr(2)))
}

// AddPoints computes out[i] = a[i] + b[i]. An operand of one point stands for as many as out holds. Results are
// normalised: (x, y) or (x, y, 1), (0, 0) or (0, 1, 0) for the neutral element. out may be an operand of the same form.
//
// Errors, of all operations on arrays of points: ErrInvalidArgument for lengths that do not match or an out that
// overlaps an operand in part, ErrInvalidPointer for memory that is nil, closed, misaligned or of two devices,
// ErrUnsupported, ErrOutOfMemory; on GPUs ErrCopyFailed and ErrSynchronizationFailed. One refused for its arguments has
// written nothing.
func (g Curve) AddPoints(a, b, out Slice, o PointsOptions) error {
	c := begin("points_add", o.Launch, arg{"points_a", a}, arg{"points_b", b}, arg{"output", out})
	info := c.curve(g)
	return c.arrays(C.go_arrays_call(C.icicle_points_add), g, info, form(info, o.AffineA), form(info, o.AffineB), o)
}

// SubPoints computes out[i] = a[i] - b[i]; otherwise as AddPoints.
//
// Errors: as AddPoints.
func (g Curve) SubPoints(a, b, out Slice, o PointsOptions) error {
	c := begin("points_sub", o.Launch, arg{"points_a", a}, arg{"points_b", b}, arg{"output", out})
	info := c.curve(g)
	return c.arrays(C.go_arrays_call(C.icicle_points_sub), g, info, form(info, o.AffineA), form(info, o.AffineB), o)
}

// MulPoints computes out[i] = scalars[i]·points[i], with canonical elements of the scalar field, one of which stands
// for all; points are the second operand. out is disjoint from scalars. Otherwise as AddPoints.
//
// Errors: as AddPoints.
func (g Curve) MulPoints(scalars, points, out Slice, o PointsOptions) error {
	c := begin("points_mul", o.Launch, arg{"scalars", scalars}, arg{"points", points}, arg{"output", out})
	info := c.curve(g)
	return c.arrays(C.go_arrays_call(C.icicle_points_mul), g, info, c.field(info.Scalar).Bytes, form(info, o.AffineB), o)
}

// array is out = call(a).
func (c *call) array(function C.go_array_call, g Curve, o PointsOptions) error {
	info := c.curve(g)
	n := c.count(1, form(info, o.AffineOut), 1)
	c.need(0, form(info, o.AffineA), n)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_array(c.at, function, C.int32_t(g), c.ptr(0), C.uint64_t(n), o.options(c), c.ptr(1)))
}

// NormalizePoints computes out[i] = points[i], as many points, normalised, from affine to projective form, back, or to
// Z = 1. out may be points, of the same form.
//
// Errors: as AddPoints.
func (g Curve) NormalizePoints(points, out Slice, o PointsOptions) error {
	c := begin("points_normalize", o.Launch, arg{"points", points}, arg{"output", out})
	return c.array(C.go_array_call(C.icicle_points_normalize), g, o)
}

// NegatePoints computes out[i] = -points[i]; otherwise as NormalizePoints.
//
// Errors: as AddPoints.
func (g Curve) NegatePoints(points, out Slice, o PointsOptions) error {
	c := begin("points_negate", o.Launch, arg{"points", points}, arg{"output", out})
	return c.array(C.go_array_call(C.icicle_points_negate), g, o)
}

// EqualPoints computes out[i] = 1 if a[i] and b[i] are the same group element, else 0, as uint32. An operand of one
// point stands for as many as out holds; (0, 0, 0) is no point and equals nothing. out is disjoint from both.
//
// Errors: as AddPoints.
func (g Curve) EqualPoints(a, b, out Slice, o PointsOptions) error {
	c := begin("points_equal", o.Launch, arg{"points_a", a}, arg{"points_b", b}, arg{"output", out})
	info := c.curve(g)
	n := c.count(2, 4, 1)
	singleA, singleB := c.each(0, form(info, o.AffineA), n), c.each(1, form(info, o.AffineB), n)
	if c.err != nil {
		return c.abandon()
	}
	options := o.options(c)
	options.is_a_single, options.is_b_single = singleA, singleB
	return c.end(C.go_points_equal(c.at, C.int32_t(g), c.ptr(0), c.ptr(1), C.uint64_t(n), options, c.ptr(2)))
}
