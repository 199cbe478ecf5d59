package icicle

// #include "shim.h"
//
// static go_status go_array_sort(uintptr_t x, int32_t axis, bool descending, uintptr_t *handle) {
//   GO_MAKE(icicle_array_sort((void *)x, axis, descending, &made));
// }
// static go_status go_array_argsort(uintptr_t x, int32_t axis, bool descending, uintptr_t *handle) {
//   GO_MAKE(icicle_array_argsort((void *)x, axis, descending, &made));
// }
// static go_status go_array_searchsorted(uintptr_t x, uintptr_t values, bool right, uintptr_t *handle) {
//   GO_MAKE(icicle_array_searchsorted((void *)x, (void *)values, right, &made));
// }
// static go_status go_array_unique_values(uintptr_t x, uintptr_t *handle) {
//   GO_MAKE(icicle_array_unique_values((void *)x, &made));
// }
// static go_status go_array_matmul(uintptr_t x, uintptr_t y, uintptr_t *handle) {
//   GO_MAKE(icicle_array_matmul((void *)x, (void *)y, &made));
// }
// static go_status go_array_tensordot(uintptr_t x, uintptr_t y, const int32_t *a, const int32_t *b, int32_t n, uintptr_t *handle) {
//   GO_MAKE(icicle_array_tensordot((void *)x, (void *)y, a, b, n, &made));
// }
// static go_status go_array_vecdot(uintptr_t x, uintptr_t y, int32_t axis, uintptr_t *handle) {
//   GO_MAKE(icicle_array_vecdot((void *)x, (void *)y, axis, &made));
// }
// static go_status go_set_float32_matmul_precision(int32_t precision) {
//   GO_PLAIN(icicle_set_float32_matmul_precision(precision));
// }
import "C"

// Sort is the elements along an axis in ascending order, NaN last, or descending, NaN first; complex numbers are in the
// order of their real and then imaginary parts.
//
// Errors: ErrInvalidArgument if there is no such axis; ErrInvalidPointer if the array is nil or closed; ErrUnsupported if it
// is not on a CPU; ErrOutOfMemory.
func (x *Array) Sort(axis int, descending bool) (*Array, error) {
	return makeArray("sort", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_sort(h.of[0], axis32(axis), C.bool(descending), &h.made)
	})
}

// ArgSort is the indices that sort the elements along an axis, in int64; equal elements keep their order.
//
// Errors: as Sort.
func (x *Array) ArgSort(axis int, descending bool) (*Array, error) {
	return makeArray("argsort", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_argsort(h.of[0], axis32(axis), C.bool(descending), &h.made)
	})
}

// SearchSorted is, for each of values, the index in x, sorted and of one axis, before which it belongs: the first such, or
// with right the last.
//
// Errors: ErrInvalidArgument if x has not one axis, or the dtypes have no common one; as Sort otherwise.
func (x *Array) SearchSorted(values *Array, right bool) (*Array, error) {
	return makeArray("searchsorted", []*Array{x, values}, func(h *handles) C.go_status {
		return C.go_array_searchsorted(h.of[0], h.of[1], C.bool(right), &h.made)
	})
}

// UniqueValues is each value once, ascending; every NaN is one of its own.
//
// Errors: ErrInvalidPointer if the array is nil or closed; ErrUnsupported if it is not on a CPU; ErrOutOfMemory.
func (x *Array) UniqueValues() (*Array, error) {
	return makeArray("unique_values", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_unique_values(h.of[0], &h.made)
	})
}

// MatMul is the matrix product over the last two axes, the others broadcasting. An operand of one axis is a row on the left
// and a column on the right, and that axis is gone from the result.
//
// Errors: ErrInvalidArgument if an operand has no axis, the inner extents differ, or the dtypes have no common one or are bool;
// ErrInvalidPointer for arrays that are nil or closed; ErrUnsupported if they are not on a CPU; ErrOutOfMemory.
func (x *Array) MatMul(y *Array) (*Array, error) {
	return makeArray("matmul", []*Array{x, y}, func(h *handles) C.go_status {
		return C.go_array_matmul(h.of[0], h.of[1], &h.made)
	})
}

// TensorDot is the sum of products over pairs of axes, xAxes[k] of x and yAxes[k] of y; the others stay, those of x first.
//
// Errors: as MatMul, and ErrInvalidArgument if the axes are not as many, or there is no such axis.
func (x *Array) TensorDot(y *Array, xAxes, yAxes []int) (*Array, error) {
	if len(xAxes) != len(yAxes) {
		return nil, fail(ErrInvalidArgument, "tensordot", "axes %v and %v: must be as many", xAxes, yAxes)
	}
	a, n := axesOf(xAxes)
	b, _ := axesOf(yAxes)
	return makeArray("tensordot", []*Array{x, y}, func(h *handles) C.go_status {
		return C.go_array_tensordot(h.of[0], h.of[1], a, b, n, &h.made)
	})
}

// VecDot is the sum of products along an axis, of the complex conjugates of x; the other axes broadcast. The axis is
// negative, or both have as many axes.
//
// Errors: as MatMul, and ErrInvalidArgument if there is no such axis, or its extents differ.
func (x *Array) VecDot(y *Array, axis int) (*Array, error) {
	return makeArray("vecdot", []*Array{x, y}, func(h *handles) C.go_status {
		return C.go_array_vecdot(h.of[0], h.of[1], axis32(axis), &h.made)
	})
}

// Float32Precision is how exactly products of float32 matrices are computed.
type Float32Precision int32

// The precisions.
const (
	// Float32Highest: products and sums in float32.
	Float32Highest Float32Precision = C.ICICLE_FLOAT32_HIGHEST
	// Float32High: GPUs may round operands to 10 bits behind the point before they are multiplied (TF32), where they have units
	// for it; sums are in float32. Several times as fast; relative errors near 1e-3.
	Float32High Float32Precision = C.ICICLE_FLOAT32_HIGH
)

// SetFloat32MatMulPrecision sets how exactly products of float32 are computed from now on, in all threads; at first
// Float32Highest. CPUs always compute with that.
//
// Errors: ErrInvalidArgument for a precision that is none.
func SetFloat32MatMulPrecision(precision Float32Precision) error {
	return check("set_float32_matmul_precision", Device{}, C.go_set_float32_matmul_precision(C.int32_t(precision)))
}

// Float32MatMulPrecision is what SetFloat32MatMulPrecision set.
func Float32MatMulPrecision() Float32Precision {
	return Float32Precision(C.icicle_float32_matmul_precision())
}
