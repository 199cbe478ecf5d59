package icicle

// #include "shim.h"
//
// static go_status go_sharded_array_scatter(uintptr_t group, uintptr_t x, const int32_t *axis, uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_scatter((void *)group, (void *)x, axis, &made));
// }
// static go_status go_sharded_array_free(uintptr_t x) { GO_PLAIN(icicle_sharded_array_free((void *)x)); }
// static go_status go_sharded_array_info(uintptr_t x, icicle_sharded_array_info_t *info, int64_t *shape) {
//   info->struct_size = sizeof *info;
//   int32_t code = icicle_sharded_array_info((void *)x, info);
//   GO_PLAIN(code ? code : icicle_sharded_array_shape((void *)x, info->rank, shape));
// }
// static go_status go_sharded_array_part(uintptr_t x, int32_t position, int64_t *first, int64_t *n, uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_part((void *)x, position, &made, first, n));
// }
// static go_status go_sharded_array_gather(uintptr_t group, uintptr_t x, icicle_device_t device, uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_gather((void *)group, (void *)x, &device, &made));
// }
// static go_status go_sharded_array_item(uintptr_t group, uintptr_t x, icicle_scalar_t *value) {
//   GO_PLAIN(icicle_sharded_array_item((void *)group, (void *)x, value));
// }
// static go_status go_sharded_array_reshard(uintptr_t group, uintptr_t x, const int32_t *axis, uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_reshard((void *)group, (void *)x, axis, &made));
// }
// static go_status go_sharded_array_astype(uintptr_t group, uintptr_t x, int32_t dtype, uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_astype((void *)group, (void *)x, dtype, &made));
// }
// static go_status go_sharded_array_unary(uintptr_t group, int32_t op, uintptr_t x, uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_unary((void *)group, op, (void *)x, &made));
// }
// static go_status go_sharded_array_binary(uintptr_t group, int32_t op, uintptr_t x, uintptr_t y, uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_binary((void *)group, op, (void *)x, (void *)y, &made));
// }
// static go_status go_sharded_array_binary_scalar(uintptr_t group, int32_t op, uintptr_t x, icicle_scalar_t y, bool reversed,
//                                                 uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_binary_scalar((void *)group, op, (void *)x, y, reversed, &made));
// }
// static go_status go_sharded_array_matmul(uintptr_t group, uintptr_t x, uintptr_t y, uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_matmul((void *)group, (void *)x, (void *)y, &made));
// }
// static go_status go_sharded_array_sum(uintptr_t group, uintptr_t x, const int32_t *axes, int32_t n, bool keep,
//                                     uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_sum((void *)group, (void *)x, axes, n, keep, &made));
// }
// static go_status go_sharded_array_prod(uintptr_t group, uintptr_t x, const int32_t *axes, int32_t n, bool keep,
//                                      uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_prod((void *)group, (void *)x, axes, n, keep, &made));
// }
// static go_status go_sharded_array_min(uintptr_t group, uintptr_t x, const int32_t *axes, int32_t n, bool keep,
//                                     uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_min((void *)group, (void *)x, axes, n, keep, &made));
// }
// static go_status go_sharded_array_max(uintptr_t group, uintptr_t x, const int32_t *axes, int32_t n, bool keep,
//                                     uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_max((void *)group, (void *)x, axes, n, keep, &made));
// }
// static go_status go_sharded_array_mean(uintptr_t group, uintptr_t x, const int32_t *axes, int32_t n, bool keep,
//                                      uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_mean((void *)group, (void *)x, axes, n, keep, &made));
// }
// static go_status go_sharded_array_all(uintptr_t group, uintptr_t x, const int32_t *axes, int32_t n, bool keep,
//                                     uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_all((void *)group, (void *)x, axes, n, keep, &made));
// }
// static go_status go_sharded_array_any(uintptr_t group, uintptr_t x, const int32_t *axes, int32_t n, bool keep,
//                                     uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_any((void *)group, (void *)x, axes, n, keep, &made));
// }
// static go_status go_sharded_array_count_nonzero(uintptr_t group, uintptr_t x, const int32_t *axes, int32_t n, bool keep,
//                                               uintptr_t *handle) {
//   GO_MAKE(icicle_sharded_array_count_nonzero((void *)group, (void *)x, axes, n, keep, &made));
// }
import "C"

// Placement is how an array lies over the devices of a group.
type Placement int32

// The placements.
const (
	// PlacementSplit: consecutive indices of an axis on each device, as many as its share.
	PlacementSplit Placement = C.ICICLE_PLACEMENT_SPLIT
	// PlacementReplicated: all of it on every device.
	PlacementReplicated Placement = C.ICICLE_PLACEMENT_REPLICATED
	// PlacementPartial: its elements are the sums of those on the devices. Sums and products over a split axis give it, and it
	// is added up when it is gathered, placed otherwise, or an operand of anything but sums.
	PlacementPartial Placement = C.ICICLE_PLACEMENT_PARTIAL
)

// ShardedArray is an array of numbers over the devices of a group. It is a value that no call changes, so any goroutine may use
// it; each is closed on its own. Calls fail once the group it was made with is closed. An error of a device names it.
type ShardedArray struct {
	owner *owner[uintptr]
	group *Group
}

// overGroup keeps a group and arrays over it for a call.
func overGroup(op string, g *Group, arrays []*ShardedArray, run func(group C.uintptr_t, h *handles) C.go_status) (*handles, error) {
	group, err := g.use(op)
	if err != nil {
		return nil, err
	}
	defer group.release()
	h := &handles{of: make([]C.uintptr_t, len(arrays))}
	for i, array := range arrays {
		held, err := array.use(op)
		if err != nil {
			return nil, err
		}
		defer held.release()
		h.of[i] = C.uintptr_t(held.handle)
	}
	collect()
	return h, check(op, Device{}, run(C.uintptr_t(group.handle), h))
}

// layOver runs what makes an array over a group.
func layOver(op string, g *Group, arrays []*ShardedArray, run func(group C.uintptr_t, h *handles) C.go_status) (*ShardedArray, error) {
	h, err := overGroup(op, g, arrays, run)
	if err != nil {
		return nil, err
	}
	return &ShardedArray{newOwner("sharded array", Device{}, uintptr(h.made), freeShardedArray), g}, nil
}

// made runs what makes an array of this one, over its group.
func (x *ShardedArray) made(op string, others []*ShardedArray, run func(group C.uintptr_t, h *handles) C.go_status) (*ShardedArray, error) {
	if x == nil || x.owner == nil {
		return nil, fail(ErrInvalidPointer, op, "array is nil")
	}
	return layOver(op, x.group, append([]*ShardedArray{x}, others...), run)
}

// use keeps the array for a call.
func (x *ShardedArray) use(op string) (*owner[uintptr], error) {
	switch {
	case x == nil || x.owner == nil:
		return nil, fail(ErrInvalidPointer, op, "array is nil")
	case !x.owner.acquire():
		return nil, fail(ErrInvalidPointer, op, "array: closed already")
	}
	return x.owner, nil
}

func freeShardedArray(array uintptr) error {
	return check("sharded_array_free", Device{}, C.go_sharded_array_free(C.uintptr_t(array)))
}

// Close frees the array, once no call uses it; what was made from it stays. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (x *ShardedArray) Close() error {
	if x == nil || x.owner == nil {
		return nil
	}
	return x.owner.close()
}

// ScatterArray lays an array's elements over the group's devices, split along an axis, which counts from the end if negative:
// each device gets consecutive indices, as many as its share says. Close frees it.
//
// Errors: ErrInvalidArgument if there is no such axis; ErrInvalidPointer if the group or the array is nil or closed;
// ErrOutOfMemory, naming the device; ErrCopyFailed.
func (g *Group) ScatterArray(x *Array, axis int) (*ShardedArray, error) {
	at := axis32(axis)
	return g.scatter(x, &at)
}

// ReplicateArray lays all of an array on every device of the group.
//
// Errors: as ScatterArray.
func (g *Group) ReplicateArray(x *Array) (*ShardedArray, error) { return g.scatter(x, nil) }

func (g *Group) scatter(x *Array, axis *C.int32_t) (*ShardedArray, error) {
	const op = "sharded_array_scatter"
	array, err := x.use(op)
	if err != nil {
		return nil, err
	}
	defer array.release()
	return layOver(op, g, nil, func(group C.uintptr_t, h *handles) C.go_status {
		return C.go_sharded_array_scatter(group, C.uintptr_t(array.handle), axis, &h.made)
	})
}

// ShardedArrayInfo is what an array over a group is.
type ShardedArrayInfo struct {
	DType     DType
	Placement Placement
	// Axis is the split one, or -1 if none is.
	Axis int
	// Size is the number of elements, each counted once.
	Size int
	// Shape is the extents of the whole array's axes.
	Shape []int
}

// Info says what the array is.
//
// Errors: ErrInvalidPointer if it is nil or closed.
func (x *ShardedArray) Info() (ShardedArrayInfo, error) {
	const op = "sharded_array_info"
	array, err := x.use(op)
	if err != nil {
		return ShardedArrayInfo{}, err
	}
	defer array.release()
	var raw C.icicle_sharded_array_info_t
	var shape [64]C.int64_t
	if err := check(op, Device{}, C.go_sharded_array_info(C.uintptr_t(array.handle), &raw, &shape[0])); err != nil {
		return ShardedArrayInfo{}, err
	}
	info := ShardedArrayInfo{DType: DType(raw.dtype), Placement: Placement(raw.placement), Axis: int(raw.axis), Size: int(raw.size)}
	info.Shape = make([]int, raw.rank)
	for k := range info.Shape {
		info.Shape[k] = int(shape[k])
	}
	return info, nil
}

// Group is the group that the array was made with.
func (x *ShardedArray) Group() *Group {
	if x == nil {
		return nil
	}
	return x.group
}

// Part is what the device at a position holds, which shares its memory and is closed on its own, and which indices of the split
// axis these are: first to first+count, both 0 if none is split. Of partial sums of floats it has the wider dtype in which they
// are held.
//
// Errors: ErrInvalidArgument if there is no such position; ErrInvalidPointer if the array is nil or closed.
func (x *ShardedArray) Part(position int) (part *Array, first, count int, err error) {
	const op = "sharded_array_part"
	array, err := x.use(op)
	if err != nil {
		return nil, 0, 0, err
	}
	defer array.release()
	var from, n C.int64_t
	part, err = makeArray(op, nil, func(h *handles) C.go_status {
		return C.go_sharded_array_part(C.uintptr_t(array.handle), axis32(position), &from, &n, &h.made)
	})
	return part, int(from), int(n), err
}

// Gather is the whole array on a device.
//
// Errors: ErrInvalidDevice; ErrInvalidPointer if the array is nil or closed, or its group; ErrOutOfMemory; ErrCopyFailed.
func (x *ShardedArray) Gather(device Device) (*Array, error) {
	const op = "sharded_array_gather"
	raw, err := device.raw(op)
	if err != nil {
		return nil, err
	}
	if x == nil || x.owner == nil {
		return nil, fail(ErrInvalidPointer, op, "array is nil")
	}
	h, err := overGroup(op, x.group, []*ShardedArray{x}, func(group C.uintptr_t, h *handles) C.go_status {
		return C.go_sharded_array_gather(group, h.of[0], raw, &h.made)
	})
	if err != nil {
		return nil, err
	}
	return &Array{newOwner("array", Device{}, uintptr(h.made), freeArray)}, nil
}

// Item is the value of an array of one element.
//
// Errors: ErrInvalidArgument if there is not exactly one; as Gather otherwise.
func (x *ShardedArray) Item() (Scalar, error) {
	const op = "sharded_array_item"
	if x == nil || x.owner == nil {
		return Scalar{}, fail(ErrInvalidPointer, op, "array is nil")
	}
	var value C.icicle_scalar_t
	_, err := overGroup(op, x.group, []*ShardedArray{x}, func(group C.uintptr_t, h *handles) C.go_status {
		return C.go_sharded_array_item(group, h.of[0], &value)
	})
	return Scalar{value}, err
}

// Reshard is the same array split along an axis; partial sums are added.
//
// Errors: as Group.ScatterArray.
func (x *ShardedArray) Reshard(axis int) (*ShardedArray, error) {
	at := axis32(axis)
	return x.made("sharded_array_reshard", nil, func(group C.uintptr_t, h *handles) C.go_status {
		return C.go_sharded_array_reshard(group, h.of[0], &at, &h.made)
	})
}

// Replicate is the same array with all of it on every device; partial sums are added.
//
// Errors: as Group.ReplicateArray.
func (x *ShardedArray) Replicate() (*ShardedArray, error) {
	return x.made("sharded_array_reshard", nil, func(group C.uintptr_t, h *handles) C.go_status {
		return C.go_sharded_array_reshard(group, h.of[0], nil, &h.made)
	})
}

// AsType is the values in another dtype, as Array.AsType, placed as the array is.
//
// Errors: ErrInvalidArgument for complex to real, and a dtype that is none; as Gather otherwise.
func (x *ShardedArray) AsType(dtype DType) (*ShardedArray, error) {
	return x.made("sharded_array_astype", nil, func(group C.uintptr_t, h *handles) C.go_status {
		return C.go_sharded_array_astype(group, h.of[0], C.int32_t(dtype), &h.made)
	})
}

// Unary is an operation on each element, placed as the array is. Each device computes on its part.
//
// Errors: ErrInvalidArgument if there is no such operation, or it is not defined for the dtype; as Gather otherwise.
func (x *ShardedArray) Unary(op UnaryOp) (*ShardedArray, error) {
	return x.made(op.String(), nil, func(group C.uintptr_t, h *handles) C.go_status {
		return C.go_sharded_array_unary(group, C.int32_t(op), h.of[0], &h.made)
	})
}

// Binary is an operation on each pair of elements of x and y, whose shapes broadcast, in their common dtype. It is placed as x is
// if that is split, else as y; elements of the other are brought to where they are needed.
//
// Errors: ErrInvalidArgument if there is no such operation, it is not defined for the dtype, the shapes do not broadcast, the
// dtypes have no common one, or y lies on other devices; ErrInvalidPointer for arrays that are nil or closed, or a closed group;
// ErrOutOfMemory; ErrCopyFailed.
func (x *ShardedArray) Binary(op BinaryOp, y *ShardedArray) (*ShardedArray, error) {
	return x.made(op.String(), []*ShardedArray{y}, func(group C.uintptr_t, h *handles) C.go_status {
		return C.go_sharded_array_binary(group, C.int32_t(op), h.of[0], h.of[1], &h.made)
	})
}

// BinaryScalar is an operation on each element and a number, which takes the array's dtype; reversed, the number comes first.
//
// Errors: as Binary, and ErrInvalidArgument if the number's kind does not fit the dtype, or the dtype does not hold it.
func (x *ShardedArray) BinaryScalar(op BinaryOp, y Scalar, reversed bool) (*ShardedArray, error) {
	return x.made(op.String(), nil, func(group C.uintptr_t, h *handles) C.go_status {
		return C.go_sharded_array_binary_scalar(group, C.int32_t(op), h.of[0], y.raw, C.bool(reversed), &h.made)
	})
}

// Add is x + y.
//
// Errors: as Binary.
func (x *ShardedArray) Add(y *ShardedArray) (*ShardedArray, error) { return x.Binary(BinaryAdd, y) }

// Subtract is x - y.
//
// Errors: as Binary.
func (x *ShardedArray) Subtract(y *ShardedArray) (*ShardedArray, error) {
	return x.Binary(BinarySubtract, y)
}

// Multiply is x * y, element by element.
//
// Errors: as Binary.
func (x *ShardedArray) Multiply(y *ShardedArray) (*ShardedArray, error) {
	return x.Binary(BinaryMultiply, y)
}

// Divide is x / y of floating-point numbers.
//
// Errors: as Binary.
func (x *ShardedArray) Divide(y *ShardedArray) (*ShardedArray, error) {
	return x.Binary(BinaryDivide, y)
}

// MatMul is the matrix product, as Array.MatMul. How it is divided follows from how the operands lie: x split by rows or a
// leading axis, each device computes its rows with all of y; x split by columns or y by rows, each device computes a part of
// every sum, and the result is partial sums; y split by columns, each device computes its columns; neither, every device
// computes all of it.
//
// Errors: ErrInvalidArgument if the shapes do not fit; as Binary otherwise.
func (x *ShardedArray) MatMul(y *ShardedArray) (*ShardedArray, error) {
	return x.made("matmul", []*ShardedArray{y}, func(group C.uintptr_t, h *handles) C.go_status {
		return C.go_sharded_array_matmul(group, h.of[0], h.of[1], &h.made)
	})
}

func (x *ShardedArray) reduce(op string, along Along, run func(group C.uintptr_t, h *handles, axes *C.int32_t, n C.int32_t, keep C.bool) C.go_status) (*ShardedArray, error) {
	axes, n := list(along.Axes)
	return x.made(op, nil, func(group C.uintptr_t, h *handles) C.go_status {
		return run(group, h, axes, n, C.bool(along.KeepDims))
	})
}

// Sum is the sum along axes, of all elements if along names none, as Array.Sum with DTypeDefault. Over a split axis the result is partial
// sums, of floats in float64, which are rounded once when they are added.
//
// Errors: ErrInvalidArgument if there is no such axis, one occurs twice, or the dtype has no sum; as Binary otherwise.
func (x *ShardedArray) Sum(along Along) (*ShardedArray, error) {
	return x.reduce("sum", along, func(group C.uintptr_t, h *handles, axes *C.int32_t, n C.int32_t, keep C.bool) C.go_status {
		return C.go_sharded_array_sum(group, h.of[0], axes, n, keep, &h.made)
	})
}

// Prod is the product along axes. Over a split axis the result is on every device.
//
// Errors: as Sum.
func (x *ShardedArray) Prod(along Along) (*ShardedArray, error) {
	return x.reduce("prod", along, func(group C.uintptr_t, h *handles, axes *C.int32_t, n C.int32_t, keep C.bool) C.go_status {
		return C.go_sharded_array_prod(group, h.of[0], axes, n, keep, &h.made)
	})
}

// Min is the least element along axes. Over a split axis the result is on every device.
//
// Errors: as Sum, and ErrInvalidArgument if there is no element along the axes, or the dtype has no order.
func (x *ShardedArray) Min(along Along) (*ShardedArray, error) {
	return x.reduce("min", along, func(group C.uintptr_t, h *handles, axes *C.int32_t, n C.int32_t, keep C.bool) C.go_status {
		return C.go_sharded_array_min(group, h.of[0], axes, n, keep, &h.made)
	})
}

// Max is the greatest element along axes. Over a split axis the result is on every device.
//
// Errors: as Min.
func (x *ShardedArray) Max(along Along) (*ShardedArray, error) {
	return x.reduce("max", along, func(group C.uintptr_t, h *handles, axes *C.int32_t, n C.int32_t, keep C.bool) C.go_status {
		return C.go_sharded_array_max(group, h.of[0], axes, n, keep, &h.made)
	})
}

// Mean is the mean along axes of floating-point numbers. Over a split axis the result is on every device.
//
// Errors: as Sum, and ErrInvalidArgument for other dtypes.
func (x *ShardedArray) Mean(along Along) (*ShardedArray, error) {
	return x.reduce("mean", along, func(group C.uintptr_t, h *handles, axes *C.int32_t, n C.int32_t, keep C.bool) C.go_status {
		return C.go_sharded_array_mean(group, h.of[0], axes, n, keep, &h.made)
	})
}

// All is whether all elements along axes are true or not 0. Over a split axis the result is on every device.
//
// Errors: as Sum.
func (x *ShardedArray) All(along Along) (*ShardedArray, error) {
	return x.reduce("all", along, func(group C.uintptr_t, h *handles, axes *C.int32_t, n C.int32_t, keep C.bool) C.go_status {
		return C.go_sharded_array_all(group, h.of[0], axes, n, keep, &h.made)
	})
}

// Any is whether any element along axes is true or not 0. Over a split axis the result is on every device.
//
// Errors: as Sum.
func (x *ShardedArray) Any(along Along) (*ShardedArray, error) {
	return x.reduce("any", along, func(group C.uintptr_t, h *handles, axes *C.int32_t, n C.int32_t, keep C.bool) C.go_status {
		return C.go_sharded_array_any(group, h.of[0], axes, n, keep, &h.made)
	})
}

// CountNonzero is how many elements along axes are true or not 0, in int64: partial sums over a split axis.
//
// Errors: as Sum.
func (x *ShardedArray) CountNonzero(along Along) (*ShardedArray, error) {
	return x.reduce("count_nonzero", along, func(group C.uintptr_t, h *handles, axes *C.int32_t, n C.int32_t, keep C.bool) C.go_status {
		return C.go_sharded_array_count_nonzero(group, h.of[0], axes, n, keep, &h.made)
	})
}
