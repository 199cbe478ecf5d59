package icicle

// #include "shim.h"
//
// typedef icicle_error_t (*go_binary_call)(int32_t, const void *, const void *, uint64_t, const icicle_vec_ops_config_t *, void *);
// static go_status go_binary(go_place at, go_binary_call f, int32_t field, go_in a, go_in b, uint64_t n, go_vector_options o,
//                            go_out out) {
//   icicle_vec_ops_config_t config = go_vector_config(o);
//   GO_CALL(at, f(field, a, b, n, &config, out));
// }
// typedef icicle_error_t (*go_unary_call)(int32_t, const void *, uint64_t, const icicle_vec_ops_config_t *, void *);
// static go_status go_unary(go_place at, go_unary_call f, int32_t field, go_in a, uint64_t n, go_vector_options o, go_out out) {
//   icicle_vec_ops_config_t config = go_vector_config(o);
//   GO_CALL(at, f(field, a, n, &config, out));
// }
// static go_status go_accumulate(go_place at, int32_t field, go_out a, go_in b, uint64_t n, go_vector_options o) {
//   icicle_vec_ops_config_t config = go_vector_config(o);
//   GO_CALL(at, icicle_vector_accumulate(field, a, b, n, &config));
// }
// static go_status go_slice(go_place at, int32_t field, go_in a, uint64_t offset, uint64_t stride, uint64_t n, uint64_t n_out,
//                           go_vector_options o, go_out out) {
//   icicle_vec_ops_config_t config = go_vector_config(o);
//   GO_CALL(at, icicle_slice(field, a, offset, stride, n, n_out, &config, out));
// }
// static go_status go_highest_non_zero_idx(go_place at, int32_t field, go_in a, uint64_t n, go_vector_options o, go_out out) {
//   icicle_vec_ops_config_t config = go_vector_config(o);
//   GO_CALL(at, icicle_highest_non_zero_idx(field, a, n, &config, (int64_t *)out));
// }
import "C"

// VectorOptions are options of vector operations. The zero value is one vector.
type VectorOptions struct {
	Launch
	// Batch is the number of vectors, each as long as the operands divided by it; 0 means 1.
	Batch int
	// Columns interleaves the vectors: element i of vector b lies at i·Batch + b.
	Columns bool
}

// none is the place of an operand that a call does not have.
const none = -1

// options are the options as C takes them; a, b and result are the places of the operands that C calls so.
func (o VectorOptions) options(c *call, a, b, result int) C.go_vector_options {
	return C.go_vector_options{
		stream: c.stream(), is_async: C.bool(o.Async),
		batch_size: c.integer("batch_size", o.Batch), columns_batch: C.bool(o.Columns),
		is_a_on_device: c.onDevice(a), is_b_on_device: b != none && c.onDevice(b),
		is_result_on_device: result != none && c.onDevice(result),
	}
}

// binary is out = call(a, b), all of one length; elements of a and out, and those of b, have so many bytes.
func (c *call) binary(function C.go_binary_call, f Field, bytes, bytesB int, o VectorOptions) error {
	batch := parts(o.Batch)
	n := c.count(0, bytes, batch)
	c.need(1, bytesB, n, batch)
	c.need(2, bytes, n, batch)
	options := o.options(c, 0, 1, 2)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_binary(c.at, function, C.int32_t(f), c.ptr(0), c.ptr(1), C.uint64_t(n), options, c.ptr(2)))
}

func (f Field) elementwise(op string, function C.go_binary_call, a, b, out Slice, o VectorOptions) error {
	c := begin(op, o.Launch, arg{"vec_a", a}, arg{"vec_b", b}, arg{"output", out})
	bytes := c.field(f).Bytes
	return c.binary(function, f, bytes, bytes, o)
}

// VectorAdd computes out[i] = a[i] + b[i]. All hold Batch vectors of as many elements; out may be exactly a or b.
//
// Errors, of all vector operations: ErrInvalidArgument for an unknown field, lengths that do not match or an out that
// overlaps an operand in part, ErrInvalidPointer for memory that is nil, closed, misaligned or of two devices,
// ErrUnsupported, ErrOutOfMemory; on GPUs ErrCopyFailed and ErrSynchronizationFailed. One refused for its arguments has
// written nothing.
func (f Field) VectorAdd(a, b, out Slice, o VectorOptions) error {
	return f.elementwise("vector_add", C.go_binary_call(C.icicle_vector_add), a, b, out, o)
}

// VectorSub computes out[i] = a[i] - b[i]; otherwise as VectorAdd.
//
// Errors: as VectorAdd.
func (f Field) VectorSub(a, b, out Slice, o VectorOptions) error {
	return f.elementwise("vector_sub", C.go_binary_call(C.icicle_vector_sub), a, b, out, o)
}

// VectorMul computes out[i] = a[i]·b[i]; otherwise as VectorAdd.
//
// Errors: as VectorAdd.
func (f Field) VectorMul(a, b, out Slice, o VectorOptions) error {
	return f.elementwise("vector_mul", C.go_binary_call(C.icicle_vector_mul), a, b, out, o)
}

// VectorDiv computes out[i] = a[i]/b[i], 0 where b[i] has no inverse; otherwise as VectorAdd. It takes some four
// products an element, and one inversion for many.
//
// Errors: as VectorAdd; none for a divisor of 0.
func (f Field) VectorDiv(a, b, out Slice, o VectorOptions) error {
	return f.elementwise("vector_div", C.go_binary_call(C.icicle_vector_div), a, b, out, o)
}

// VectorMixedMul computes out[i] = a[i]·b[i], a and out over this extension, b over its scalar field, as many elements
// each; out may be a.
//
// Errors: as VectorAdd; ErrUnsupported also if this is no extension of a scalar field.
func (f Field) VectorMixedMul(a, b, out Slice, o VectorOptions) error {
	c := begin("vector_mixed_mul", o.Launch, arg{"vec_a", a}, arg{"vec_b", b}, arg{"output", out})
	info := c.field(f)
	return c.binary(C.go_binary_call(C.icicle_vector_mixed_mul), f, info.Bytes, c.field(info.Scalar).Bytes, o)
}

// scalar is out = call(a, b) with one scalar in a for each vector of b.
func (f Field) scalar(op string, function C.go_binary_call, scalar, b, out Slice, o VectorOptions) error {
	c := begin(op, o.Launch, arg{"scalar_a", scalar}, arg{"vec_b", b}, arg{"output", out})
	bytes, batch := c.field(f).Bytes, parts(o.Batch)
	n := c.count(1, bytes, batch)
	c.need(0, bytes, batch)
	c.need(2, bytes, n, batch)
	options := o.options(c, 0, 1, 2)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_binary(c.at, function, C.int32_t(f), c.ptr(0), c.ptr(1), C.uint64_t(n), options, c.ptr(2)))
}

// ScalarAddVec computes out[i] = scalar + b[i], one scalar for each vector of the batch; out may be b, and is disjoint
// from scalar.
//
// Errors: as VectorAdd.
func (f Field) ScalarAddVec(scalar, b, out Slice, o VectorOptions) error {
	return f.scalar("scalar_add_vec", C.go_binary_call(C.icicle_scalar_add_vec), scalar, b, out, o)
}

// ScalarSubVec computes out[i] = scalar - b[i]; otherwise as ScalarAddVec.
//
// Errors: as VectorAdd.
func (f Field) ScalarSubVec(scalar, b, out Slice, o VectorOptions) error {
	return f.scalar("scalar_sub_vec", C.go_binary_call(C.icicle_scalar_sub_vec), scalar, b, out, o)
}

// ScalarMulVec computes out[i] = scalar·b[i]; otherwise as ScalarAddVec.
//
// Errors: as VectorAdd.
func (f Field) ScalarMulVec(scalar, b, out Slice, o VectorOptions) error {
	return f.scalar("scalar_mul_vec", C.go_binary_call(C.icicle_scalar_mul_vec), scalar, b, out, o)
}

// unary is out = call(a); out holds as many elements as a, or, reduced, one for each vector.
func (f Field) unary(op, name string, function C.go_unary_call, a, out Slice, reduced bool, o VectorOptions) error {
	c := begin(op, o.Launch, arg{name, a}, arg{"output", out})
	bytes, batch := c.field(f).Bytes, parts(o.Batch)
	n := c.count(0, bytes, batch)
	if reduced {
		c.need(1, bytes, batch)
	} else {
		c.need(1, bytes, n, batch)
	}
	options := o.options(c, 0, none, 1)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_unary(c.at, function, C.int32_t(f), c.ptr(0), C.uint64_t(n), options, c.ptr(1)))
}

// VectorInv computes out[i] = 1/a[i], 0 where there is no inverse; both hold as many elements, and out may be a. It
// takes some three products an element, and one inversion for many.
//
// Errors: as VectorAdd; none for an element of 0.
func (f Field) VectorInv(a, out Slice, o VectorOptions) error {
	return f.unary("vector_inv", "vec_a", C.go_unary_call(C.icicle_vector_inv), a, out, false, o)
}

// VectorSum computes out[b] = the sum of vector b, 0 of none. out holds Batch elements, disjoint from a.
//
// Errors: as VectorAdd.
func (f Field) VectorSum(a, out Slice, o VectorOptions) error {
	return f.unary("vector_sum", "vec_a", C.go_unary_call(C.icicle_vector_sum), a, out, true, o)
}

// VectorProduct computes out[b] = the product of vector b, 1 of none. out holds Batch elements, disjoint from a.
//
// Errors: as VectorAdd.
func (f Field) VectorProduct(a, out Slice, o VectorOptions) error {
	return f.unary("vector_product", "vec_a", C.go_unary_call(C.icicle_vector_product), a, out, true, o)
}

// BitReverse computes out[i] = a[bits of i reversed]; each vector's length is a power of two, or 0. out may be a.
//
// Errors: as VectorAdd; ErrInvalidArgument also for another length.
func (f Field) BitReverse(a, out Slice, o VectorOptions) error {
	return f.unary("bit_reverse", "input", C.go_unary_call(C.icicle_bit_reverse), a, out, false, o)
}

// VectorAccumulate computes a[i] += b[i], as many elements each; b is exactly a or disjoint.
//
// Errors: as VectorAdd.
func (f Field) VectorAccumulate(a, b Slice, o VectorOptions) error {
	c := begin("vector_accumulate", o.Launch, arg{"vec_a", a}, arg{"vec_b", b})
	bytes, batch := c.field(f).Bytes, parts(o.Batch)
	n := c.count(0, bytes, batch)
	c.need(1, bytes, n, batch)
	options := o.options(c, 0, 1, 0)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_accumulate(c.at, C.int32_t(f), c.ptr(0), c.ptr(1), C.uint64_t(n), options))
}

// Slice computes out[i] = a[offset + i·stride] in each vector, as many as out holds; every index lies in the vector. a
// and out are disjoint.
//
// Errors: as VectorAdd; ErrInvalidArgument also for an index beyond the vector.
func (f Field) Slice(a Slice, offset, stride uint64, out Slice, o VectorOptions) error {
	c := begin("slice", o.Launch, arg{"input", a}, arg{"output", out})
	bytes, batch := c.field(f).Bytes, parts(o.Batch)
	n, taken := c.count(0, bytes, batch), c.count(1, bytes, batch)
	options := o.options(c, 0, none, 1)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_slice(c.at, C.int32_t(f), c.ptr(0), C.uint64_t(offset), C.uint64_t(stride), C.uint64_t(n),
		C.uint64_t(taken), options, c.ptr(1)))
}

// HighestNonZeroIdx computes out[b] = the index of the last element of vector b that is not 0, or -1. out holds Batch
// integers of 64 bits, aligned to 8 bytes, disjoint from a.
//
// Errors: as VectorAdd.
func (f Field) HighestNonZeroIdx(a, out Slice, o VectorOptions) error {
	c := begin("highest_non_zero_idx", o.Launch, arg{"input", a}, arg{"out_idx", out})
	batch := parts(o.Batch)
	n := c.count(0, c.field(f).Bytes, batch)
	c.need(1, 8, batch)
	options := o.options(c, 0, none, 1)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_highest_non_zero_idx(c.at, C.int32_t(f), c.ptr(0), C.uint64_t(n), options, c.ptr(1)))
}
