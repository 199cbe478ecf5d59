package icicle

// #include "shim.h"
//
// static go_status go_array_unary(int32_t op, uintptr_t x, uintptr_t *handle) {
//   GO_MAKE(icicle_array_unary(op, (void *)x, &made));
// }
// static go_status go_array_binary(int32_t op, uintptr_t x, uintptr_t y, uintptr_t *handle) {
//   GO_MAKE(icicle_array_binary(op, (void *)x, (void *)y, &made));
// }
// static go_status go_array_binary_scalar(int32_t op, uintptr_t x, icicle_scalar_t y, bool reversed, uintptr_t *handle) {
//   GO_MAKE(icicle_array_binary_scalar(op, (void *)x, y, reversed, &made));
// }
// static go_status go_array_where(uintptr_t condition, uintptr_t x, uintptr_t y, uintptr_t *handle) {
//   GO_MAKE(icicle_array_where((void *)condition, (void *)x, (void *)y, &made));
// }
// static go_status go_array_clip(uintptr_t x, uintptr_t min, uintptr_t max, uintptr_t *handle) {
//   GO_MAKE(icicle_array_clip((void *)x, (void *)min, (void *)max, &made));
// }
// static go_status go_array_sum(uintptr_t x, const int32_t *axes, int32_t n, bool keep, int32_t dtype, uintptr_t *handle) {
//   GO_MAKE(icicle_array_sum((void *)x, axes, n, keep, dtype, &made));
// }
// static go_status go_array_prod(uintptr_t x, const int32_t *axes, int32_t n, bool keep, int32_t dtype, uintptr_t *handle) {
//   GO_MAKE(icicle_array_prod((void *)x, axes, n, keep, dtype, &made));
// }
// static go_status go_array_min(uintptr_t x, const int32_t *axes, int32_t n, bool keep, uintptr_t *handle) {
//   GO_MAKE(icicle_array_min((void *)x, axes, n, keep, &made));
// }
// static go_status go_array_max(uintptr_t x, const int32_t *axes, int32_t n, bool keep, uintptr_t *handle) {
//   GO_MAKE(icicle_array_max((void *)x, axes, n, keep, &made));
// }
// static go_status go_array_mean(uintptr_t x, const int32_t *axes, int32_t n, bool keep, uintptr_t *handle) {
//   GO_MAKE(icicle_array_mean((void *)x, axes, n, keep, &made));
// }
// static go_status go_array_all(uintptr_t x, const int32_t *axes, int32_t n, bool keep, uintptr_t *handle) {
//   GO_MAKE(icicle_array_all((void *)x, axes, n, keep, &made));
// }
// static go_status go_array_any(uintptr_t x, const int32_t *axes, int32_t n, bool keep, uintptr_t *handle) {
//   GO_MAKE(icicle_array_any((void *)x, axes, n, keep, &made));
// }
// static go_status go_array_count_nonzero(uintptr_t x, const int32_t *axes, int32_t n, bool keep, uintptr_t *handle) {
//   GO_MAKE(icicle_array_count_nonzero((void *)x, axes, n, keep, &made));
// }
// static go_status go_array_var(uintptr_t x, const int32_t *axes, int32_t n, double correction, bool keep,
//                               uintptr_t *handle) {
//   GO_MAKE(icicle_array_var((void *)x, axes, n, correction, keep, &made));
// }
// static go_status go_array_std(uintptr_t x, const int32_t *axes, int32_t n, double correction, bool keep,
//                               uintptr_t *handle) {
//   GO_MAKE(icicle_array_std((void *)x, axes, n, correction, keep, &made));
// }
// static go_status go_array_argmin(uintptr_t x, const int32_t *axis, bool keep, uintptr_t *handle) {
//   GO_MAKE(icicle_array_argmin((void *)x, axis, keep, &made));
// }
// static go_status go_array_argmax(uintptr_t x, const int32_t *axis, bool keep, uintptr_t *handle) {
//   GO_MAKE(icicle_array_argmax((void *)x, axis, keep, &made));
// }
// static go_status go_array_cumulative_sum(uintptr_t x, int32_t axis, int32_t dtype, bool initial, uintptr_t *handle) {
//   GO_MAKE(icicle_array_cumulative_sum((void *)x, &axis, dtype, initial, &made));
// }
// static go_status go_array_cumulative_prod(uintptr_t x, int32_t axis, int32_t dtype, bool initial, uintptr_t *handle) {
//   GO_MAKE(icicle_array_cumulative_prod((void *)x, &axis, dtype, initial, &made));
// }
import "C"

import (
	"math"
	"unsafe"
)

// Unary is an operation on each element: an array of the same shape.
//
// Errors: ErrInvalidArgument if there is no such operation, or it is not defined for the dtype; ErrInvalidPointer if the array
// is nil or closed; ErrUnsupported if it is not on a CPU; ErrOutOfMemory.
func (x *Array) Unary(op UnaryOp) (*Array, error) {
	return makeArray(op.String(), []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_unary(C.int32_t(op), h.of[0], &h.made)
	})
}

// Binary is an operation on each pair of elements of x and y, whose shapes broadcast, in their common dtype.
//
// Errors: ErrInvalidArgument if there is no such operation, it is not defined for the dtype, the shapes do not broadcast, or
// the dtypes have no common one; ErrInvalidPointer for arrays that are nil or closed; ErrUnsupported if they are not on a
// CPU; ErrOutOfMemory.
func (x *Array) Binary(op BinaryOp, y *Array) (*Array, error) {
	return makeArray(op.String(), []*Array{x, y}, func(h *handles) C.go_status {
		return C.go_array_binary(C.int32_t(op), h.of[0], h.of[1], &h.made)
	})
}

// BinaryScalar is an operation on each element and a number, which takes the array's dtype; reversed, the number comes first.
//
// Errors: as Binary, and ErrInvalidArgument if the number's kind does not fit the dtype, or the dtype does not hold it.
func (x *Array) BinaryScalar(op BinaryOp, y Scalar, reversed bool) (*Array, error) {
	return makeArray(op.String(), []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_binary_scalar(C.int32_t(op), h.of[0], y.raw, C.bool(reversed), &h.made)
	})
}

// Add is x + y.
//
// Errors: as Binary.
func (x *Array) Add(y *Array) (*Array, error) { return x.Binary(BinaryAdd, y) }

// Subtract is x - y.
//
// Errors: as Binary.
func (x *Array) Subtract(y *Array) (*Array, error) { return x.Binary(BinarySubtract, y) }

// Multiply is x * y, element by element.
//
// Errors: as Binary.
func (x *Array) Multiply(y *Array) (*Array, error) { return x.Binary(BinaryMultiply, y) }

// Divide is x / y of floating-point numbers.
//
// Errors: as Binary.
func (x *Array) Divide(y *Array) (*Array, error) { return x.Binary(BinaryDivide, y) }

// Where is the element of x where the condition, of bool, is true, else that of y; all three broadcast.
//
// Errors: as Binary, and ErrInvalidArgument if the condition is not of bool.
func Where(condition, x, y *Array) (*Array, error) {
	return makeArray("where", []*Array{condition, x, y}, func(h *handles) C.go_status {
		return C.go_array_where(h.of[0], h.of[1], h.of[2], &h.made)
	})
}

// Clip is the elements no less than least and no greater than most, which broadcast; nil is no bound.
//
// Errors: as Binary, and ErrInvalidArgument if bounds widen the shape or the dtype.
func (x *Array) Clip(least, most *Array) (*Array, error) {
	operands := []*Array{x}
	place := [2]int{-1, -1}
	for k, bound := range []*Array{least, most} {
		if bound != nil {
			place[k] = len(operands)
			operands = append(operands, bound)
		}
	}
	return makeArray("clip", operands, func(h *handles) C.go_status {
		var bounds [2]C.uintptr_t
		for k, at := range place {
			if at >= 0 {
				bounds[k] = h.of[at]
			}
		}
		return C.go_array_clip(h.of[0], bounds[0], bounds[1], &h.made)
	})
}

// Along is the axes of a reduction.
type Along struct {
	// Axes by number, from the end if negative; nil is all.
	Axes []int
	// KeepDims leaves the axes in the result, with extent 1.
	KeepDims bool
}

// list is axes as C has them: nil stays nil, and what exceeds 32 bits is no axis.
func list(axes []int) (*C.int32_t, C.int32_t) {
	if axes == nil {
		return nil, 0
	}
	out := make([]C.int32_t, len(axes), len(axes)+1)
	for i, axis := range axes {
		out[i] = axis32(axis)
	}
	return unsafe.SliceData(out), count(len(out))
}

func axis32(axis int) C.int32_t {
	return C.int32_t(max(math.MinInt32, min(axis, math.MaxInt32)))
}

func (x *Array) reduce(op string, along Along, run func(h *handles, axes *C.int32_t, n C.int32_t) C.go_status) (*Array, error) {
	axes, n := list(along.Axes)
	return makeArray(op, []*Array{x}, func(h *handles) C.go_status { return run(h, axes, n) })
}

// Sum is the sum along axes, 0 of none. With DTypeDefault integers and booleans are summed in 64 bits, wrapping, and floats
// keep their dtype.
//
// Errors: ErrInvalidArgument if there is no such axis, one occurs twice, or the dtype is none or cannot be cast to;
// ErrInvalidPointer if the array is nil or closed; ErrUnsupported if it is not on a CPU; ErrOutOfMemory.
func (x *Array) Sum(along Along, dtype DType) (*Array, error) {
	return x.reduce("sum", along, func(h *handles, axes *C.int32_t, n C.int32_t) C.go_status {
		return C.go_array_sum(h.of[0], axes, n, C.bool(along.KeepDims), C.int32_t(dtype), &h.made)
	})
}

// Prod is the product along axes, 1 of none; as Sum otherwise.
//
// Errors: as Sum.
func (x *Array) Prod(along Along, dtype DType) (*Array, error) {
	return x.reduce("prod", along, func(h *handles, axes *C.int32_t, n C.int32_t) C.go_status {
		return C.go_array_prod(h.of[0], axes, n, C.bool(along.KeepDims), C.int32_t(dtype), &h.made)
	})
}

// Min is the least element along axes, NaN if one is.
//
// Errors: as Sum, and ErrInvalidArgument if there is no element along the axes, or the dtype has no order.
func (x *Array) Min(along Along) (*Array, error) {
	return x.reduce("min", along, func(h *handles, axes *C.int32_t, n C.int32_t) C.go_status {
		return C.go_array_min(h.of[0], axes, n, C.bool(along.KeepDims), &h.made)
	})
}

// Max is the greatest element along axes, NaN if one is.
//
// Errors: as Min.
func (x *Array) Max(along Along) (*Array, error) {
	return x.reduce("max", along, func(h *handles, axes *C.int32_t, n C.int32_t) C.go_status {
		return C.go_array_max(h.of[0], axes, n, C.bool(along.KeepDims), &h.made)
	})
}

// Mean is the mean along axes of floating-point numbers, NaN of none.
//
// Errors: as Sum, and ErrInvalidArgument for other dtypes.
func (x *Array) Mean(along Along) (*Array, error) {
	return x.reduce("mean", along, func(h *handles, axes *C.int32_t, n C.int32_t) C.go_status {
		return C.go_array_mean(h.of[0], axes, n, C.bool(along.KeepDims), &h.made)
	})
}

// All is whether all elements along axes are true or not 0.
//
// Errors: as Sum.
func (x *Array) All(along Along) (*Array, error) {
	return x.reduce("all", along, func(h *handles, axes *C.int32_t, n C.int32_t) C.go_status {
		return C.go_array_all(h.of[0], axes, n, C.bool(along.KeepDims), &h.made)
	})
}

// Any is whether any element along axes is true or not 0.
//
// Errors: as Sum.
func (x *Array) Any(along Along) (*Array, error) {
	return x.reduce("any", along, func(h *handles, axes *C.int32_t, n C.int32_t) C.go_status {
		return C.go_array_any(h.of[0], axes, n, C.bool(along.KeepDims), &h.made)
	})
}

// CountNonzero is how many elements along axes are true or not 0, in int64.
//
// Errors: as Sum.
func (x *Array) CountNonzero(along Along) (*Array, error) {
	return x.reduce("count_nonzero", along, func(h *handles, axes *C.int32_t, n C.int32_t) C.go_status {
		return C.go_array_count_nonzero(h.of[0], axes, n, C.bool(along.KeepDims), &h.made)
	})
}

// Var is the mean square of distances from the mean along axes of real floating-point numbers, divided by their number less
// correction.
//
// Errors: as Mean, and ErrInvalidArgument for complex numbers.
func (x *Array) Var(along Along, correction float64) (*Array, error) {
	return x.reduce("var", along, func(h *handles, axes *C.int32_t, n C.int32_t) C.go_status {
		return C.go_array_var(h.of[0], axes, n, C.double(correction), C.bool(along.KeepDims), &h.made)
	})
}

// Std is the square root of Var.
//
// Errors: as Var.
func (x *Array) Std(along Along, correction float64) (*Array, error) {
	return x.reduce("std", along, func(h *handles, axes *C.int32_t, n C.int32_t) C.go_status {
		return C.go_array_std(h.of[0], axes, n, C.double(correction), C.bool(along.KeepDims), &h.made)
	})
}

// ArgMin is the index of the first least element along one axis, or in C order of all, in int64; of the first NaN if there is one.
//
// Errors: ErrInvalidArgument if several axes are named, there is no such axis or no element along it, or the dtype has no order; as
// Sum otherwise.
func (x *Array) ArgMin(along Along) (*Array, error) {
	if along.Axes != nil && len(along.Axes) != 1 {
		return nil, fail(ErrInvalidArgument, "argmin", "axes %v: must be one, or nil for all", along.Axes)
	}
	return x.reduce("argmin", along, func(h *handles, axis *C.int32_t, _ C.int32_t) C.go_status {
		return C.go_array_argmin(h.of[0], axis, C.bool(along.KeepDims), &h.made)
	})
}

// ArgMax is the index of the first greatest element; as ArgMin otherwise.
//
// Errors: as ArgMin.
func (x *Array) ArgMax(along Along) (*Array, error) {
	if along.Axes != nil && len(along.Axes) != 1 {
		return nil, fail(ErrInvalidArgument, "argmax", "axes %v: must be one, or nil for all", along.Axes)
	}
	return x.reduce("argmax", along, func(h *handles, axis *C.int32_t, _ C.int32_t) C.go_status {
		return C.go_array_argmax(h.of[0], axis, C.bool(along.KeepDims), &h.made)
	})
}

// CumulativeSum is for each element along an axis the sum of those up to it; with initial, 0 before the first. The dtype is
// as of Sum.
//
// Errors: ErrInvalidArgument if there is no such axis, or the dtype is none or bool; as Sum otherwise.
func (x *Array) CumulativeSum(axis int, dtype DType, initial bool) (*Array, error) {
	return makeArray("cumulative_sum", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_cumulative_sum(h.of[0], axis32(axis), C.int32_t(dtype), C.bool(initial), &h.made)
	})
}

// CumulativeProd is for each element along an axis the product of those up to it; with initial, 1 before the first.
//
// Errors: as CumulativeSum.
func (x *Array) CumulativeProd(axis int, dtype DType, initial bool) (*Array, error) {
	return makeArray("cumulative_prod", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_cumulative_prod(h.of[0], axis32(axis), C.int32_t(dtype), C.bool(initial), &h.made)
	})
}
