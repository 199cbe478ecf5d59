package icicle

// #include "shim.h"
//
// static go_status go_array_reshape(uintptr_t x, const int64_t *shape, int32_t rank, uintptr_t *handle) {
//   GO_MAKE(icicle_array_reshape((void *)x, shape, rank, &made));
// }
// static go_status go_array_permute_dims(uintptr_t x, const int32_t *axes, int32_t n, uintptr_t *handle) {
//   GO_MAKE(icicle_array_permute_dims((void *)x, axes, n, &made));
// }
// static go_status go_array_matrix_transpose(uintptr_t x, uintptr_t *handle) {
//   GO_MAKE(icicle_array_matrix_transpose((void *)x, &made));
// }
// static go_status go_array_moveaxis(uintptr_t x, const int32_t *from, const int32_t *to, int32_t n, uintptr_t *handle) {
//   GO_MAKE(icicle_array_moveaxis((void *)x, from, to, n, &made));
// }
// static go_status go_array_expand_dims(uintptr_t x, int32_t axis, uintptr_t *handle) {
//   GO_MAKE(icicle_array_expand_dims((void *)x, axis, &made));
// }
// static go_status go_array_squeeze(uintptr_t x, const int32_t *axes, int32_t n, uintptr_t *handle) {
//   GO_MAKE(icicle_array_squeeze((void *)x, axes, n, &made));
// }
// static go_status go_array_broadcast_to(uintptr_t x, const int64_t *shape, int32_t rank, uintptr_t *handle) {
//   GO_MAKE(icicle_array_broadcast_to((void *)x, shape, rank, &made));
// }
// static go_status go_array_flip(uintptr_t x, const int32_t *axes, int32_t n, uintptr_t *handle) {
//   GO_MAKE(icicle_array_flip((void *)x, axes, n, &made));
// }
// static go_status go_array_index(uintptr_t x, const icicle_array_index_t *indices, int32_t n, uintptr_t *handle) {
//   GO_MAKE(icicle_array_index((void *)x, indices, n, &made));
// }
// static go_status go_array_roll(uintptr_t x, const int64_t *shifts, const int32_t *axes, int32_t n, uintptr_t *handle) {
//   GO_MAKE(icicle_array_roll((void *)x, shifts, axes, n, &made));
// }
// static go_status go_array_take(uintptr_t x, uintptr_t indices, int32_t axis, uintptr_t *handle) {
//   GO_MAKE(icicle_array_take((void *)x, (void *)indices, axis, &made));
// }
// static go_status go_array_take_along_axis(uintptr_t x, uintptr_t indices, int32_t axis, uintptr_t *handle) {
//   GO_MAKE(icicle_array_take_along_axis((void *)x, (void *)indices, axis, &made));
// }
// static go_status go_array_compress(uintptr_t x, uintptr_t mask, uintptr_t *handle) {
//   GO_MAKE(icicle_array_compress((void *)x, (void *)mask, &made));
// }
// static go_status go_array_concat(uintptr_t *arrays, int32_t n, const int32_t *axis, uintptr_t *handle) {
//   GO_MAKE(icicle_array_concat((void **)arrays, n, axis, &made));
// }
// static go_status go_array_stack(uintptr_t *arrays, int32_t n, int32_t axis, uintptr_t *handle) {
//   GO_MAKE(icicle_array_stack((void **)arrays, n, axis, &made));
// }
// static go_status go_array_nonzero(uintptr_t x, uintptr_t *made, int32_t n) {
//   GO_PLAIN(icicle_array_nonzero((void *)x, (void **)made, n));
// }
import "C"

import (
	"math"
	"unsafe"
)

// Reshape is the same elements in C order in another shape of as many; one extent may be -1, which is what is left. A view
// if strides can say it, else a copy.
//
// Errors: ErrInvalidArgument if the elements are not as many; ErrOutOfMemory.
func (x *Array) Reshape(shape ...int) (*Array, error) {
	extent, rank := extents(shape)
	return makeArray("reshape", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_reshape(h.of[0], unsafe.SliceData(extent), rank, &h.made)
	})
}

// BroadcastTo is a view in a shape that repeats axes of extent 1, and leading ones.
//
// Errors: ErrInvalidArgument if the array does not broadcast to it.
func (x *Array) BroadcastTo(shape ...int) (*Array, error) {
	extent, rank := extents(shape)
	return makeArray("broadcast_to", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_broadcast_to(h.of[0], unsafe.SliceData(extent), rank, &h.made)
	})
}

// axesOf is a list that is never nil, so that none is not all.
func axesOf(axes []int) (*C.int32_t, C.int32_t) { return list(append([]int{}, axes...)) }

// PermuteDims is a view with the axes in another order: axis k of the result is axis order[k].
//
// Errors: ErrInvalidArgument if order is not every axis once.
func (x *Array) PermuteDims(order ...int) (*Array, error) {
	axes, n := axesOf(order)
	return makeArray("permute_dims", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_permute_dims(h.of[0], axes, n, &h.made)
	})
}

// MatrixTranspose is a view with the last two axes exchanged.
//
// Errors: ErrInvalidArgument if there are fewer.
func (x *Array) MatrixTranspose() (*Array, error) {
	return makeArray("matrix_transpose", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_matrix_transpose(h.of[0], &h.made)
	})
}

// MoveAxis is a view with some axes elsewhere: source[k] becomes destination[k]; the others keep their order.
//
// Errors: ErrInvalidArgument if axes are not there, occur twice, or are not as many as their places.
func (x *Array) MoveAxis(source, destination []int) (*Array, error) {
	if len(source) != len(destination) {
		return nil, fail(ErrInvalidArgument, "moveaxis", "axes %v to %v: must be as many", source, destination)
	}
	from, n := axesOf(source)
	to, _ := axesOf(destination)
	return makeArray("moveaxis", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_moveaxis(h.of[0], from, to, n, &h.made)
	})
}

// ExpandDims is a view with a new axis of extent 1 at a place of the result.
//
// Errors: ErrInvalidArgument if there is no such place.
func (x *Array) ExpandDims(axis int) (*Array, error) {
	return makeArray("expand_dims", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_expand_dims(h.of[0], axis32(axis), &h.made)
	})
}

// Squeeze is a view without axes of extent 1.
//
// Errors: ErrInvalidArgument if one has another extent, is not there or occurs twice.
func (x *Array) Squeeze(axes ...int) (*Array, error) {
	gone, n := axesOf(axes)
	return makeArray("squeeze", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_squeeze(h.of[0], gone, n, &h.made)
	})
}

// Flip is a view whose axes run backwards; all if none are named.
//
// Errors: ErrInvalidArgument if there is no such axis, or one occurs twice.
func (x *Array) Flip(axes ...int) (*Array, error) {
	turned, n := list(axes)
	return makeArray("flip", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_flip(h.of[0], turned, n, &h.made)
	})
}

// Index is what Array.Index takes along an axis.
type Index struct {
	raw C.icicle_array_index_t
}

// Omitted, as start or stop of a range, is the end of the axis that the range comes to.
const Omitted = math.MinInt

// At is one element of an axis, from its end if negative; the axis is gone.
func At(index int) Index {
	return Index{C.icicle_array_index_t{kind: C.ICICLE_INDEX_AT, start: C.int64_t(index)}}
}

// Range is Python's start:stop, both from the end of the axis if negative.
func Range(start, stop int) Index { return RangeBy(start, stop, 1) }

// RangeBy is Python's start:stop:step.
func RangeBy(start, stop, step int) Index {
	return Index{C.icicle_array_index_t{
		kind: C.ICICLE_INDEX_SLICE, has_start: start != Omitted, has_stop: stop != Omitted,
		start: C.int64_t(start), stop: C.int64_t(stop), step: C.int64_t(step),
	}}
}

// Ellipsis is all of as many axes as are not named otherwise.
func Ellipsis() Index { return Index{C.icicle_array_index_t{kind: C.ICICLE_INDEX_ELLIPSIS}} }

// NewAxis is a new axis of extent 1.
func NewAxis() Index { return Index{C.icicle_array_index_t{kind: C.ICICLE_INDEX_NEW_AXIS}} }

// Index is a view of what indices take, one an axis from the first on; axes beyond them are taken whole.
//
// Errors: ErrInvalidArgument for more indices than axes, several ellipses, an element outside its axis, or a step of 0.
func (x *Array) Index(indices ...Index) (*Array, error) {
	raw := make([]C.icicle_array_index_t, len(indices), len(indices)+1)
	for i, index := range indices {
		raw[i] = index.raw
	}
	return makeArray("index", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_index(h.of[0], unsafe.SliceData(raw), count(len(raw)), &h.made)
	})
}

// Roll is the elements moved by shifts[k] along axes[k], those that leave its end coming back at its beginning; with nil
// axes, by one shift of the elements in C order.
//
// Errors: ErrInvalidArgument if there is no such axis, or the shifts are not as many; ErrOutOfMemory.
func (x *Array) Roll(shifts, axes []int) (*Array, error) {
	if axes != nil && len(axes) != len(shifts) {
		return nil, fail(ErrInvalidArgument, "roll", "%d shifts for %d axes: must be as many", len(shifts), len(axes))
	}
	distance, n := extents(shifts)
	along, _ := list(axes)
	return makeArray("roll", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_roll(h.of[0], unsafe.SliceData(distance), along, n, &h.made)
	})
}

// Concat is arrays one after another along an axis, in their common dtype.
//
// Errors: ErrInvalidArgument if there are none, there is no such axis, other extents differ, or the dtypes have no common one;
// ErrInvalidPointer for arrays that are nil or closed; ErrOutOfMemory.
func Concat(arrays []*Array, axis int) (*Array, error) {
	along := axis32(axis)
	return makeArray("concat", arrays, func(h *handles) C.go_status {
		return C.go_array_concat(unsafe.SliceData(h.of), count(len(h.of)), &along, &h.made)
	})
}

// ConcatFlat is the elements of arrays one after another, each in C order.
//
// Errors: as Concat.
func ConcatFlat(arrays []*Array) (*Array, error) {
	return makeArray("concat", arrays, func(h *handles) C.go_status {
		return C.go_array_concat(unsafe.SliceData(h.of), count(len(h.of)), nil, &h.made)
	})
}

// Stack is arrays of one shape along a new axis.
//
// Errors: as Concat, and ErrInvalidArgument if the shapes differ.
func Stack(arrays []*Array, axis int) (*Array, error) {
	return makeArray("stack", arrays, func(h *handles) C.go_status {
		return C.go_array_stack(unsafe.SliceData(h.of), count(len(h.of)), axis32(axis), &h.made)
	})
}

// Take is the elements at integer indices along an axis, which the axes of indices replace; negative ones count from its
// end.
//
// Errors: ErrInvalidArgument if there is no such axis, or an index is outside it or no integer; ErrInvalidPointer for arrays
// that are nil or closed; ErrOutOfMemory.
func (x *Array) Take(indices *Array, axis int) (*Array, error) {
	return makeArray("take", []*Array{x, indices}, func(h *handles) C.go_status {
		return C.go_array_take(h.of[0], h.of[1], axis32(axis), &h.made)
	})
}

// TakeAlongAxis is the elements at indices that are given for each line along an axis; the other axes broadcast.
//
// Errors: as Take, and ErrInvalidArgument if the axes are not as many.
func (x *Array) TakeAlongAxis(indices *Array, axis int) (*Array, error) {
	return makeArray("take_along_axis", []*Array{x, indices}, func(h *handles) C.go_status {
		return C.go_array_take_along_axis(h.of[0], h.of[1], axis32(axis), &h.made)
	})
}

// Compress is the elements where a mask of bool is true, in C order: the mask's axes, the array's leading ones, become one.
//
// Errors: as Take, and ErrInvalidArgument if the mask is not of bool or of another shape.
func (x *Array) Compress(mask *Array) (*Array, error) {
	return makeArray("compress", []*Array{x, mask}, func(h *handles) C.go_status {
		return C.go_array_compress(h.of[0], h.of[1], &h.made)
	})
}

// Nonzero is the indices of elements that are not 0, in C order: for each axis an array of int64.
//
// Errors: ErrInvalidArgument for an array without axes; ErrOutOfMemory.
func (x *Array) Nonzero() ([]*Array, error) {
	info, err := x.Info()
	if err != nil {
		return nil, err
	}
	made := make([]C.uintptr_t, len(info.Shape)+1)
	h := &handles{of: make([]C.uintptr_t, 1)}
	err = withArrays("nonzero", []*Array{x}, h, func(h *handles) C.go_status {
		return C.go_array_nonzero(h.of[0], unsafe.SliceData(made), count(len(info.Shape)))
	})
	if err != nil {
		return nil, err
	}
	found := make([]*Array, len(info.Shape))
	for k := range found {
		found[k] = &Array{newOwner("array", Device{}, uintptr(made[k]), freeArray)}
	}
	return found, nil
}
