package icicle

// #include "shim.h"
//
// static go_status go_poly_eval(go_place at, int32_t field, go_in coeffs, uint64_t n, go_in domain, uint64_t points,
//                               go_vector_options o, go_out evals) {
//   icicle_vec_ops_config_t config = go_vector_config(o);
//   GO_CALL(at, icicle_poly_eval(field, coeffs, n, domain, points, &config, evals));
// }
// static go_status go_poly_division(go_place at, int32_t field, go_in num, uint64_t n, go_in den, int64_t m,
//                                   go_vector_options o, go_out q, uint64_t q_n, go_out r, uint64_t r_n) {
//   icicle_vec_ops_config_t config = go_vector_config(o);
//   GO_CALL(at, icicle_poly_division(field, num, n, den, m, &config, q, q_n, r, r_n));
// }
import "C"

// PolyEval computes the values of Batch polynomials, constant term first, at the points of domain, which the batch
// shares: evals holds Batch times as many elements as domain, and is disjoint from both. It takes a product for each
// coefficient and value (Horner's rule).
//
// Errors: as VectorAdd.
func (f Field) PolyEval(coeffs, domain, evals Slice, o VectorOptions) error {
	c := begin("poly_eval", o.Launch, arg{"coeffs", coeffs}, arg{"domain", domain}, arg{"evals", evals})
	bytes, batch := c.field(f).Bytes, parts(o.Batch)
	n, points := c.count(0, bytes, batch), c.count(1, bytes, 1)
	c.need(2, bytes, points, batch)
	options := o.options(c, 0, 1, 2)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_poly_eval(c.at, C.int32_t(f), c.ptr(0), C.uint64_t(n), c.ptr(1), C.uint64_t(points), options, c.ptr(2)))
}

// PolyDivision computes numerator = quotient·denominator + remainder, the remainder's degree below the denominator's,
// of Batch polynomials each, constant term first. quotient has room for its degree plus 1, remainder for the
// numerator's; what is left over is filled with 0. All four are disjoint. It takes a product for each pair of
// coefficients of quotient and denominator; also if asynchronous, it first waits for the stream, as the degrees decide
// whether it is refused.
//
// Errors: ErrInvalidArgument for too little room, or a denominator that is 0 or whose leading coefficient has no
// inverse; otherwise as VectorAdd.
func (f Field) PolyDivision(numerator, denominator, quotient, remainder Slice, o VectorOptions) error {
	c := begin("poly_division", o.Launch,
		arg{"numerator", numerator}, arg{"denominator", denominator}, arg{"q_out", quotient}, arg{"r_out", remainder})
	bytes, batch := c.field(f).Bytes, parts(o.Batch)
	n, m := c.count(0, bytes, batch), c.count(1, bytes, batch)
	q, r := c.count(2, bytes, batch), c.count(3, bytes, batch)
	options := o.options(c, 0, 1, 2)
	options.is_result_on_device = options.is_result_on_device && c.onDevice(3)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_poly_division(c.at, C.int32_t(f), c.ptr(0), C.uint64_t(n), c.ptr(1), C.int64_t(m), options,
		c.ptr(2), C.uint64_t(q), c.ptr(3), C.uint64_t(r)))
}
