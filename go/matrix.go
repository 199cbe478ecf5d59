package icicle

// #include "shim.h"
//
// typedef struct {
//   uintptr_t stream;
//   bool is_async, a_transposed, b_transposed, result_transposed, is_a_on_device, is_b_on_device, is_result_on_device;
// } go_matmul_options;
// static go_status go_matmul(go_place at, int32_t field, go_in a, uint32_t rows_a, uint32_t cols_a, go_in b, uint32_t rows_b,
//                            uint32_t cols_b, go_matmul_options o, go_out out) {
//   icicle_matmul_config_t config = icicle_matmul_config_default();
//   config.stream = (void *)o.stream;
//   config.is_async = o.is_async;
//   config.a_transposed = o.a_transposed;
//   config.b_transposed = o.b_transposed;
//   config.result_transposed = o.result_transposed;
//   config.is_a_on_device = o.is_a_on_device;
//   config.is_b_on_device = o.is_b_on_device;
//   config.is_result_on_device = o.is_result_on_device;
//   GO_CALL(at, icicle_matmul(field, a, rows_a, cols_a, b, rows_b, cols_b, &config, out));
// }
// static go_status go_matrix_transpose(go_place at, int32_t field, go_in a, uint32_t rows, uint32_t cols, go_vector_options o,
//                                      go_out out) {
//   icicle_vec_ops_config_t config = go_vector_config(o);
//   GO_CALL(at, icicle_matrix_transpose(field, a, rows, cols, &config, out));
// }
import "C"

// Matrix is a matrix's elements, row by row as stored.
type Matrix struct {
	Elements   Slice
	Rows, Cols uint32
}

// MatMulOptions are options of a matrix product. The zero value transposes nothing.
type MatMulOptions struct {
	Launch
	// ATransposed and BTransposed say that an operand is stored transposed.
	ATransposed, BTransposed bool
	// ResultTransposed stores the result transposed.
	ResultTransposed bool
}

// MatMul computes out = a·b, rows times columns elements, disjoint from both.
//
// Errors: ErrInvalidArgument for dimensions of 0, that do not match each other or the elements; otherwise as VectorAdd.
func (f Field) MatMul(a, b Matrix, out Slice, o MatMulOptions) error {
	c := begin("matmul", o.Launch, arg{"mat_a", a.Elements}, arg{"mat_b", b.Elements}, arg{"mat_out", out})
	bytes := c.field(f).Bytes
	rows, cols := a.Rows, b.Cols
	if o.ATransposed {
		rows = a.Cols
	}
	if o.BTransposed {
		cols = b.Rows
	}
	c.need(0, bytes, int(a.Rows), int(a.Cols))
	c.need(1, bytes, int(b.Rows), int(b.Cols))
	c.need(2, bytes, int(rows), int(cols))
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_matmul(c.at, C.int32_t(f), c.ptr(0), C.uint32_t(a.Rows), C.uint32_t(a.Cols),
		c.ptr(1), C.uint32_t(b.Rows), C.uint32_t(b.Cols), C.go_matmul_options{
			stream: c.stream(), is_async: C.bool(o.Async),
			a_transposed: C.bool(o.ATransposed), b_transposed: C.bool(o.BTransposed),
			result_transposed: C.bool(o.ResultTransposed),
			is_a_on_device:    c.onDevice(0), is_b_on_device: c.onDevice(1), is_result_on_device: c.onDevice(2),
		}, c.ptr(2)))
}

// MatrixTranspose transposes Batch matrices of a's dimensions, one after another; out may be a's elements.
//
// Errors: as VectorAdd.
func (f Field) MatrixTranspose(a Matrix, out Slice, o VectorOptions) error {
	c := begin("matrix_transpose", o.Launch, arg{"mat_in", a.Elements}, arg{"mat_out", out})
	bytes, batch := c.field(f).Bytes, parts(o.Batch)
	c.need(0, bytes, int(a.Rows), int(a.Cols), batch)
	c.need(1, bytes, int(a.Rows), int(a.Cols), batch)
	options := o.options(c, 0, none, 1)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_matrix_transpose(c.at, C.int32_t(f), c.ptr(0), C.uint32_t(a.Rows), C.uint32_t(a.Cols), options, c.ptr(1)))
}
