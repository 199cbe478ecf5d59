package icicle

// #include "shim.h"
//
// typedef icicle_error_t (*go_generate_call)(int32_t, void *, int64_t);
// static go_status go_generate(go_generate_call f, int32_t domain, go_out out, int64_t n) { GO_PLAIN(f(domain, out, n)); }
import "C"

// generate fills host memory with random elements or points of so many bytes.
func (c *call) generate(function C.go_generate_call, domain Domain, bytes int) error {
	c.hostOnly()
	n := c.count(0, bytes, 1)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_generate(function, domain.number(), c.ptr(0), C.int64_t(n)))
}

// GenerateRandom fills host memory with random elements, uniform and canonical, from the operating system's seed.
//
// Errors: ErrInvalidArgument for a part of an element, ErrInvalidPointer for nil, misaligned or device memory,
// ErrOutOfMemory, ErrUnknown if the system gives no entropy.
func (f Field) GenerateRandom(out Slice) error {
	c := begin("field_generate_random", Launch{}, arg{"elements", out})
	return c.generate(C.go_generate_call(C.icicle_field_generate_random), f, c.field(f).Bytes)
}

// GenerateAffinePoints fills host memory with random affine points of the group of prime order: the generator times
// uniform scalars from the operating system's seed.
//
// Errors: as Field.GenerateRandom, of points.
func (g Curve) GenerateAffinePoints(out Slice) error {
	c := begin("generate_affine_points", Launch{}, arg{"points", out})
	return c.generate(C.go_generate_call(C.icicle_generate_affine_points), g, c.curve(g).AffineBytes)
}

// GenerateProjectivePoints fills host memory with random projective points; otherwise as GenerateAffinePoints.
//
// Errors: as GenerateAffinePoints.
func (g Curve) GenerateProjectivePoints(out Slice) error {
	c := begin("generate_projective_points", Launch{}, arg{"points", out})
	return c.generate(C.go_generate_call(C.icicle_generate_projective_points), g, c.curve(g).ProjectiveBytes)
}
