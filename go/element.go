package icicle

// #include "shim.h"
//
// typedef icicle_error_t (*go_element_call)(int32_t, const void *, void *);
// static go_status go_element(go_element_call f, int32_t field, go_in a, go_out out) { GO_PLAIN(f(field, a, out)); }
// typedef icicle_error_t (*go_elements_call)(int32_t, const void *, const void *, void *);
// static go_status go_elements(go_elements_call f, int32_t field, go_in a, go_in b, go_out out) { GO_PLAIN(f(field, a, b, out)); }
// static go_status go_field_pow(int32_t field, go_in a, int32_t exp, go_out out) { GO_PLAIN(icicle_field_pow(field, a, exp, out)); }
// static go_status go_field_eq(int32_t field, go_in a, go_in b, bool *result) { GO_PLAIN(icicle_field_eq(field, a, b, result)); }
// static go_status go_field_from_u32(int32_t field, uint32_t value, go_out out) {
//   GO_PLAIN(icicle_field_from_u32(field, value, out));
// }
// static go_status go_field_from_bytes_le(int32_t field, go_in bytes, go_out out) {
//   GO_PLAIN(icicle_field_from_bytes_le(field, bytes, out));
// }
import "C"

func (f Field) combine(op string, function C.go_elements_call, a, b, out Slice) error {
	c := begin(op, Launch{}, arg{"a", a}, arg{"b", b}, arg{"result", out})
	bytes := c.field(f).Bytes
	c.single(bytes, bytes, bytes)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_elements(function, C.int32_t(f), c.ptr(0), c.ptr(1), c.ptr(2)))
}

func (f Field) change(op string, function C.go_element_call, a, out Slice) error {
	c := begin(op, Launch{}, arg{"a", a}, arg{"result", out})
	bytes := c.field(f).Bytes
	c.single(bytes, bytes)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_element(function, C.int32_t(f), c.ptr(0), c.ptr(1)))
}

// Add computes out = a + b, single elements in host memory; out may be an operand. An operand that is not below the
// modulus counts as some element.
//
// Errors, of all functions on elements: ErrInvalidArgument for an unknown field or another number of bytes than an
// element's, ErrInvalidPointer for nil, misaligned, closed or device memory.
func (f Field) Add(a, b, out Slice) error {
	return f.combine("field_add", C.go_elements_call(C.icicle_field_add), a, b, out)
}

// Sub computes out = a - b; otherwise as Add.
//
// Errors: as Add.
func (f Field) Sub(a, b, out Slice) error {
	return f.combine("field_sub", C.go_elements_call(C.icicle_field_sub), a, b, out)
}

// Mul computes out = a·b; otherwise as Add.
//
// Errors: as Add.
func (f Field) Mul(a, b, out Slice) error {
	return f.combine("field_mul", C.go_elements_call(C.icicle_field_mul), a, b, out)
}

// Sqr computes out = a²; otherwise as Add.
//
// Errors: as Add.
func (f Field) Sqr(a, out Slice) error {
	return f.change("field_sqr", C.go_element_call(C.icicle_field_sqr), a, out)
}

// Inv computes out = 1/a, 0 where a has no inverse; otherwise as Add.
//
// Errors: as Add; none for 0.
func (f Field) Inv(a, out Slice) error {
	return f.change("field_inv", C.go_element_call(C.icicle_field_inv), a, out)
}

// Pow computes out = a^exp; a negative exponent takes the power of the inverse, 0^0 is 1. Otherwise as Add.
//
// Errors: as Add.
func (f Field) Pow(a Slice, exp int32, out Slice) error {
	c := begin("field_pow", Launch{}, arg{"base", a}, arg{"result", out})
	bytes := c.field(f).Bytes
	c.single(bytes, bytes)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_field_pow(C.int32_t(f), c.ptr(0), C.int32_t(exp), c.ptr(1)))
}

// Eq says whether a = b by value, single elements in host memory: those that differ by the modulus are equal.
//
// Errors: as Add.
func (f Field) Eq(a, b Slice) (bool, error) {
	c := begin("field_eq", Launch{}, arg{"a", a}, arg{"b", b})
	bytes := c.field(f).Bytes
	c.single(bytes, bytes)
	if c.err != nil {
		return false, c.abandon()
	}
	var result C.bool
	err := c.end(C.go_field_eq(C.int32_t(f), c.ptr(0), c.ptr(1), &result))
	return bool(result), err
}

// FromU32 writes an integer, reduced, to out, one element in host memory.
//
// Errors: as Add.
func (f Field) FromU32(value uint32, out Slice) error {
	c := begin("field_from_u32", Launch{}, arg{"result", out})
	c.single(c.field(f).Bytes)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_field_from_u32(C.int32_t(f), C.uint32_t(value), c.ptr(0)))
}

// FromBytesLE writes a little-endian integer of as many bytes as an element, reduced, to out, one element in host
// memory; an extension's coefficients one after another.
//
// Errors: as Add.
func (f Field) FromBytesLE(value []byte, out Slice) error {
	c := begin("field_from_bytes_le", Launch{}, arg{"bytes", Host(value)}, arg{"result", out})
	bytes := c.field(f).Bytes
	c.single(bytes, bytes)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_field_from_bytes_le(C.int32_t(f), c.ptr(0), c.ptr(1)))
}
