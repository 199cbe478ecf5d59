package icicle

// #include "shim.h"
//
// typedef struct {
//   uintptr_t stream;
//   int32_t precompute_factor, c, bitsize, batch_size;
//   bool is_async, separate_points, scalars_montgomery, points_montgomery;
//   bool are_scalars_on_device, are_points_on_device, are_results_on_device;
// } go_msm_options;
// static icicle_msm_config_t go_msm_config(go_msm_options o) {
//   icicle_msm_config_t config = icicle_msm_config_default();
//   config.stream = (void *)o.stream;
//   config.is_async = o.is_async;
//   if (o.precompute_factor) config.precompute_factor = o.precompute_factor;
//   config.c = o.c;
//   config.bitsize = o.bitsize;
//   if (o.batch_size) config.batch_size = o.batch_size;
//   config.are_points_shared_in_batch = !o.separate_points;
//   config.are_scalars_montgomery_form = o.scalars_montgomery;
//   config.are_points_montgomery_form = o.points_montgomery;
//   config.are_scalars_on_device = o.are_scalars_on_device;
//   config.are_points_on_device = o.are_points_on_device;
//   config.are_results_on_device = o.are_results_on_device;
//   return config;
// }
// static go_status go_msm(go_place at, int32_t curve, go_in scalars, go_in bases, int64_t n, go_msm_options o, go_out out) {
//   icicle_msm_config_t config = go_msm_config(o);
//   GO_CALL(at, icicle_msm(curve, scalars, bases, n, &config, out));
// }
// static go_status go_msm_precompute_bases(go_place at, int32_t curve, go_in bases, int64_t n, go_msm_options o, go_out out) {
//   icicle_msm_config_t config = go_msm_config(o);
//   GO_CALL(at, icicle_msm_precompute_bases(curve, bases, n, &config, out));
// }
import "C"

// MSMOptions are options of a multi-scalar multiplication. The zero value is one, of canonical scalars and points, its
// window chosen by the library.
type MSMOptions struct {
	Launch
	// PrecomputeFactor says that the bases hold this many multiples of each point, of MSMPrecomputeBases; 0 means 1.
	PrecomputeFactor int
	// C is the window's bits; 0 lets the library choose.
	C int
	// Bitsize is the scalars' significant bits; 0 means those of the scalar field.
	Bitsize int
	// Batch is the number of MSMs; 0 means 1.
	Batch int
	// SeparatePoints gives each multiplication of the batch its own bases; else they share one set.
	SeparatePoints bool
	// ScalarsMontgomery and PointsMontgomery say that scalars, and the points' coordinates, are in Montgomery form.
	ScalarsMontgomery, PointsMontgomery bool
}

// sets is the number of sets of bases.
func (o MSMOptions) sets() int {
	if o.SeparatePoints {
		return parts(o.Batch)
	}
	return 1
}

func (o MSMOptions) options(c *call, scalars, points, results int) C.go_msm_options {
	return C.go_msm_options{
		stream: c.stream(), is_async: C.bool(o.Async),
		precompute_factor: c.integer("precompute_factor", o.PrecomputeFactor), c: c.integer("c", o.C),
		bitsize: c.integer("bitsize", o.Bitsize), batch_size: c.integer("batch_size", o.Batch),
		separate_points: C.bool(o.SeparatePoints), scalars_montgomery: C.bool(o.ScalarsMontgomery),
		points_montgomery:     C.bool(o.PointsMontgomery),
		are_scalars_on_device: scalars != none && c.onDevice(scalars),
		are_points_on_device:  c.onDevice(points), are_results_on_device: c.onDevice(results),
	}
}

// MSM computes results[b] = Σ scalars[b][i]·bases[i]. scalars holds Batch times n elements of the scalar field; bases n
// affine points times PrecomputeFactor, one set or one for each of the batch; results Batch homogeneous projective
// points, normalised, disjoint from both. The affine point (0, 0) is the neutral element. Scalars of more than Bitsize
// bits, and points not on the curve, give an unspecified point.
//
// It takes, with windows of c bits, about n + 2^(c-1) additions for each of Bitsize/c windows (the bucket method).
//
// Errors: ErrInvalidArgument for lengths that do not match and options out of range; otherwise as VectorAdd.
func (g Curve) MSM(scalars, bases, results Slice, o MSMOptions) error {
	c := begin("msm", o.Launch, arg{"scalars", scalars}, arg{"bases", bases}, arg{"results", results})
	info := c.curve(g)
	n := c.count(0, c.field(info.Scalar).Bytes, parts(o.Batch))
	c.need(1, info.AffineBytes, n, parts(o.PrecomputeFactor), o.sets())
	c.need(2, info.ProjectiveBytes, parts(o.Batch))
	options := o.options(c, 0, 1, 2)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_msm(c.at, C.int32_t(g), c.ptr(0), c.ptr(1), C.int64_t(n), options, c.ptr(2)))
}

// MSMPrecomputeBases expands affine bases for MSM with the same PrecomputeFactor, C and Bitsize:
// out[factor·i + j] = 2^(shift·j)·bases[i]. out holds PrecomputeFactor times as many points, disjoint from bases unless the
// factor is 1.
//
// Errors: as MSM.
func (g Curve) MSMPrecomputeBases(bases, out Slice, o MSMOptions) error {
	c := begin("msm_precompute_bases", o.Launch, arg{"input_bases", bases}, arg{"output_bases", out})
	info := c.curve(g)
	n := c.count(0, info.AffineBytes, o.sets())
	c.need(1, info.AffineBytes, n, o.sets(), parts(o.PrecomputeFactor))
	options := o.options(c, none, 0, 1)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_msm_precompute_bases(c.at, C.int32_t(g), c.ptr(0), C.int64_t(n), options, c.ptr(1)))
}
