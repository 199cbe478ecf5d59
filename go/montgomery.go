package icicle

// #include "shim.h"
//
// typedef icicle_error_t (*go_convert_call)(int32_t, const void *, uint64_t, bool, const icicle_vec_ops_config_t *, void *);
// static go_status go_convert(go_place at, go_convert_call f, int32_t domain, go_in a, uint64_t n, bool to, go_vector_options o,
//                             go_out out) {
//   icicle_vec_ops_config_t config = go_vector_config(o);
//   GO_CALL(at, f(domain, a, n, to, &config, out));
// }
import "C"

// convert is the conversion of elements or points of so many bytes.
func (c *call) convert(function C.go_convert_call, domain Domain, bytes int, to bool, o VectorOptions) error {
	batch := parts(o.Batch)
	n := c.count(0, bytes, batch)
	c.need(1, bytes, n, batch)
	options := o.options(c, 0, none, 1)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_convert(c.at, function, domain.number(), c.ptr(0), C.uint64_t(n), C.bool(to), options, c.ptr(1)))
}

// ConvertMontgomery converts to Montgomery form, in[i]·R with R = 2 to the bits of the prime field's limbs, or back.
// Both hold as many elements; out may be in.
//
// Errors: as VectorAdd.
func (f Field) ConvertMontgomery(in, out Slice, toMontgomery bool, o VectorOptions) error {
	c := begin("convert_montgomery", o.Launch, arg{"input", in}, arg{"output", out})
	return c.convert(C.go_convert_call(C.icicle_convert_montgomery), f, c.field(f).Bytes, toMontgomery, o)
}

// AffineConvertMontgomery converts the coordinates of affine points; otherwise as Field.ConvertMontgomery.
//
// Errors: as Field.VectorAdd.
func (g Curve) AffineConvertMontgomery(in, out Slice, toMontgomery bool, o VectorOptions) error {
	c := begin("affine_convert_montgomery", o.Launch, arg{"input", in}, arg{"output", out})
	return c.convert(C.go_convert_call(C.icicle_affine_convert_montgomery), g, c.curve(g).AffineBytes, toMontgomery, o)
}

// ProjectiveConvertMontgomery converts the coordinates of projective points; otherwise as Field.ConvertMontgomery.
//
// Errors: as Field.VectorAdd.
func (g Curve) ProjectiveConvertMontgomery(in, out Slice, toMontgomery bool, o VectorOptions) error {
	c := begin("projective_convert_montgomery", o.Launch, arg{"input", in}, arg{"output", out})
	return c.convert(C.go_convert_call(C.icicle_projective_convert_montgomery), g, c.curve(g).ProjectiveBytes, toMontgomery, o)
}
