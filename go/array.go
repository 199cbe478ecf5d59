package icicle

// #include "shim.h"
//
// static go_status go_array_from_host(go_place at, int32_t dtype, go_in data, const int64_t *shape, int32_t rank,
//                                     const int64_t *strides, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_array_from_host(dtype, data, shape, rank, strides, NULL, &made));
// }
// static go_status go_array_zeros(go_place at, int32_t dtype, const int64_t *shape, int32_t rank, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_array_zeros(dtype, shape, rank, NULL, &made));
// }
// static go_status go_array_ones(go_place at, int32_t dtype, const int64_t *shape, int32_t rank, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_array_ones(dtype, shape, rank, NULL, &made));
// }
// static go_status go_array_full(go_place at, icicle_scalar_t value, int32_t dtype, const int64_t *shape, int32_t rank,
//                                uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_array_full(value, dtype, shape, rank, NULL, &made));
// }
// static go_status go_array_arange(go_place at, icicle_scalar_t start, icicle_scalar_t stop, icicle_scalar_t step,
//                                  int32_t dtype, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_array_arange(start, stop, step, dtype, NULL, &made));
// }
// static go_status go_array_linspace(go_place at, icicle_scalar_t start, icicle_scalar_t stop, int64_t n, bool endpoint,
//                                    int32_t dtype, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_array_linspace(start, stop, n, endpoint, dtype, NULL, &made));
// }
// static go_status go_array_eye(go_place at, int64_t rows, int64_t columns, int64_t k, int32_t dtype, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_array_eye(rows, columns, k, dtype, NULL, &made));
// }
// static go_status go_array_free(uintptr_t array) { GO_PLAIN(icicle_array_free((void *)array)); }
// static go_status go_array_to_host(uintptr_t array, go_out data, uint64_t bytes) {
//   GO_PLAIN(icicle_array_to_host((void *)array, data, bytes));
// }
// static go_status go_array_item(uintptr_t array, icicle_scalar_t *value) {
//   GO_PLAIN(icicle_array_item((void *)array, value));
// }
// static go_status go_array_info(uintptr_t array, icicle_array_info_t *info) {
//   info->struct_size = sizeof *info;
//   GO_PLAIN(icicle_array_info((void *)array, info));
// }
// static go_status go_array_shape(uintptr_t array, int32_t rank, int64_t *shape, int64_t *strides) {
//   GO_PLAIN(icicle_array_shape((void *)array, rank, shape, strides));
// }
// static go_status go_array_astype(uintptr_t array, int32_t dtype, uintptr_t *handle) {
//   GO_MAKE(icicle_array_astype((void *)array, dtype, &made));
// }
// static go_status go_array_copy(uintptr_t array, uintptr_t *handle) { GO_MAKE(icicle_array_copy((void *)array, &made)); }
// static go_status go_array_to_device(uintptr_t array, icicle_device_t device, uintptr_t *handle) {
//   GO_MAKE(icicle_array_to_device((void *)array, &device, &made));
// }
import "C"

import (
	"math"
	"slices"
	"unsafe"
)

// Array is an n-dimensional array of numbers of one dtype on a device. It is a value that no call changes, so any goroutine
// may use it. Views share memory with what they are views of; each array is closed on its own.
//
// Calls check their arguments before they return; elements are computed then, or once they are needed. What is made, is made
// on the device of the surrounding Device.Run, or else on the default device.
type Array struct {
	owner *owner[uintptr]
}

// handles is the operands of a call, and what it makes.
type handles struct {
	of   []C.uintptr_t
	made C.uintptr_t
}

// makeArray runs what makes an array, and keeps its operands meanwhile.
func makeArray(op string, operands []*Array, run func(h *handles) C.go_status) (*Array, error) {
	h := &handles{of: make([]C.uintptr_t, len(operands))}
	if err := withArrays(op, operands, h, run); err != nil {
		return nil, err
	}
	return &Array{newOwner("array", Device{}, uintptr(h.made), freeArray)}, nil
}

// withArrays runs a call on arrays, and keeps them meanwhile.
func withArrays(op string, operands []*Array, h *handles, run func(h *handles) C.go_status) error {
	for i, array := range operands {
		held, err := array.use(op)
		if err != nil {
			return err
		}
		defer held.release()
		h.of[i] = C.uintptr_t(held.handle)
	}
	collect()
	return check(op, Device{}, run(h))
}

// use keeps the array for a call.
func (x *Array) use(op string) (*owner[uintptr], error) {
	switch {
	case x == nil || x.owner == nil:
		return nil, fail(ErrInvalidPointer, op, "array is nil")
	case !x.owner.acquire():
		return nil, fail(ErrInvalidPointer, op, "array: closed already")
	}
	return x.owner, nil
}

func freeArray(array uintptr) error {
	return check("array_free", Device{}, C.go_array_free(C.uintptr_t(array)))
}

// Close frees the array, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (x *Array) Close() error {
	if x == nil || x.owner == nil {
		return nil
	}
	return x.owner.close()
}

// extents is a list of integers as C has it, never nil.
func extents(list []int) ([]C.int64_t, C.int32_t) {
	out := make([]C.int64_t, len(list), len(list)+1)
	for i, n := range list {
		out[i] = C.int64_t(n)
	}
	return out, count(len(list))
}

// count is a length as C has it; more than it holds are too many as well.
func count(n int) C.int32_t { return C.int32_t(min(n, math.MaxInt32)) }

// ArrayFrom copies data, in C order, to a new array; without a shape, of one axis.
//
// Errors: ErrInvalidArgument if the data are not as many as the shape says, or it has more than 64 axes; ErrOutOfMemory.
func ArrayFrom[T Number](data []T, shape ...int) (*Array, error) {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	n := 1
	for _, extent := range shape {
		if extent > 0 && n > math.MaxInt/extent {
			return nil, fail(ErrInvalidArgument, "from_host", "shape %v: exceeds the address space", shape)
		}
		n *= extent
	}
	if n != len(data) {
		return nil, fail(ErrInvalidArgument, "from_host", "%d elements: shape %v has %d", len(data), shape, n)
	}
	return fromHost(DTypeOf[T](), unsafe.Pointer(unsafe.SliceData(data)), shape, nil)
}

// ArrayFromStrided copies elements of data to a new array: the one whose indices are all 0 is data[offset], and strides are
// the elements of data from one index of each axis to the next, which may be 0 or negative.
//
// Errors: ErrInvalidArgument if strides are not one for each axis, or lead outside data; as ArrayFrom otherwise.
func ArrayFromStrided[T Number](data []T, offset int, shape, strides []int) (*Array, error) {
	const op = "from_host"
	if len(strides) != len(shape) {
		return nil, fail(ErrInvalidArgument, op, "strides %v: must be one for each of %d axes", strides, len(shape))
	}
	if slices.Contains(shape, 0) {
		return fromHost(DTypeOf[T](), nil, shape, nil)
	}
	outside := fail(ErrInvalidArgument, op, "strides %v from %d for shape %v: lead outside %d elements", strides, offset, shape, len(data))
	if offset < 0 || offset >= len(data) {
		return nil, outside
	}
	least, most := offset, offset
	for k, extent := range shape {
		// No product of what passes exceeds an int: each is a way within the data.
		if steps := extent - 1; steps > 0 && strides[k] != 0 {
			if steps > len(data) || strides[k] > len(data)/steps || strides[k] < -len(data)/steps {
				return nil, outside
			}
			least, most = least+min(0, steps*strides[k]), most+max(0, steps*strides[k])
		}
	}
	if least < 0 || most >= len(data) {
		return nil, outside
	}
	bytes := make([]int, len(strides))
	for k, stride := range strides {
		bytes[k] = stride * sizeOf[T]()
	}
	return fromHost(DTypeOf[T](), unsafe.Pointer(&data[offset]), shape, bytes)
}

func fromHost(dtype DType, data unsafe.Pointer, shape, strides []int) (*Array, error) {
	extent, rank := extents(shape)
	var steps *C.int64_t
	if strides != nil {
		list, _ := extents(strides)
		steps = unsafe.SliceData(list)
	}
	return makeArray("from_host", nil, func(h *handles) C.go_status {
		return C.go_array_from_host(ambient(), C.int32_t(dtype), (*C.uint8_t)(data), unsafe.SliceData(extent), rank, steps, &h.made)
	})
}

// Zeros makes an array of zeros, or false; without a shape, of no axes.
//
// Errors: ErrInvalidArgument if an extent is negative, the dtype is none, or the shape too large; ErrOutOfMemory.
func Zeros(dtype DType, shape ...int) (*Array, error) {
	extent, rank := extents(shape)
	return makeArray("zeros", nil, func(h *handles) C.go_status {
		return C.go_array_zeros(ambient(), C.int32_t(dtype), unsafe.SliceData(extent), rank, &h.made)
	})
}

// Ones makes an array of ones, or true.
//
// Errors: as Zeros.
func Ones(dtype DType, shape ...int) (*Array, error) {
	extent, rank := extents(shape)
	return makeArray("ones", nil, func(h *handles) C.go_status {
		return C.go_array_ones(ambient(), C.int32_t(dtype), unsafe.SliceData(extent), rank, &h.made)
	})
}

// Full makes an array of one value; without a shape, that number as an array.
//
// Errors: as Zeros, and ErrInvalidArgument if the dtype does not hold the value.
func Full[T Number](value T, dtype DType, shape ...int) (*Array, error) {
	return full(ScalarOf(value), dtype, shape)
}

func full(value Scalar, dtype DType, shape []int) (*Array, error) {
	extent, rank := extents(shape)
	return makeArray("full", nil, func(h *handles) C.go_status {
		return C.go_array_full(ambient(), value.raw, C.int32_t(dtype), unsafe.SliceData(extent), rank, &h.made)
	})
}

// Arange makes an array of one axis: start, start+step and so on, up to before stop.
//
// Errors: ErrInvalidArgument for a step of 0, numbers that are not finite or that the dtype does not hold, and a dtype that
// is none, bool or complex; ErrOutOfMemory.
func Arange[T Number](start, stop, step T, dtype DType) (*Array, error) {
	return arange(ScalarOf(start), ScalarOf(stop), ScalarOf(step), dtype)
}

func arange(start, stop, step Scalar, dtype DType) (*Array, error) {
	return makeArray("arange", nil, func(h *handles) C.go_status {
		return C.go_array_arange(ambient(), start.raw, stop.raw, step.raw, C.int32_t(dtype), &h.made)
	})
}

// Linspace makes an array of n numbers from start to stop at equal distances; without endpoint, stop is the one after the
// last.
//
// Errors: ErrInvalidArgument if n is negative, or the dtype not floating point; ErrOutOfMemory.
func Linspace[T Number](start, stop T, n int, endpoint bool, dtype DType) (*Array, error) {
	return linspace(ScalarOf(start), ScalarOf(stop), n, endpoint, dtype)
}

func linspace(start, stop Scalar, n int, endpoint bool, dtype DType) (*Array, error) {
	return makeArray("linspace", nil, func(h *handles) C.go_status {
		return C.go_array_linspace(ambient(), start.raw, stop.raw, C.int64_t(n), C.bool(endpoint), C.int32_t(dtype), &h.made)
	})
}

// Eye makes a matrix of ones on a diagonal, k to the right of the main one, zeros elsewhere.
//
// Errors: as Zeros.
func Eye(rows, columns, k int, dtype DType) (*Array, error) {
	return makeArray("eye", nil, func(h *handles) C.go_status {
		return C.go_array_eye(ambient(), C.int64_t(rows), C.int64_t(columns), C.int64_t(k), C.int32_t(dtype), &h.made)
	})
}

// ArrayInfo is what an array is.
type ArrayInfo struct {
	DType  DType
	Device Device
	// Size is the number of elements.
	Size int
	// Shape is the extents of the axes, Strides the bytes from one index of each to the next.
	Shape, Strides []int
	// IsDense says whether elements follow each other in memory, the last axis densest.
	IsDense bool
}

// Info says what the array is.
//
// Errors: ErrInvalidPointer if it is nil or closed.
func (x *Array) Info() (ArrayInfo, error) {
	var raw C.icicle_array_info_t
	var shape, strides [64]C.int64_t
	err := withArrays("array_info", []*Array{x}, &handles{of: make([]C.uintptr_t, 1)}, func(h *handles) C.go_status {
		if status := C.go_array_info(h.of[0], &raw); status.code != C.ICICLE_SUCCESS {
			return status
		}
		return C.go_array_shape(h.of[0], raw.rank, &shape[0], &strides[0])
	})
	if err != nil {
		return ArrayInfo{}, err
	}
	info := ArrayInfo{DType: DType(raw.dtype), Device: deviceOf(raw.device), Size: int(raw.size), IsDense: bool(raw.is_dense)}
	info.Shape, info.Strides = make([]int, raw.rank), make([]int, raw.rank)
	for k := range info.Shape {
		info.Shape[k], info.Strides[k] = int(shape[k]), int(strides[k])
	}
	return info, nil
}

// ToSlice copies the array's elements out, in C order.
//
// Errors: ErrInvalidArgument if T is not the dtype's type; ErrInvalidPointer if the array is nil or closed; ErrUnsupported for
// a strided array that is not on a CPU; ErrOutOfMemory.
func ToSlice[T Number](x *Array) ([]T, error) {
	const op = "to_host"
	info, err := x.Info()
	if err != nil {
		return nil, err
	}
	if info.DType != DTypeOf[T]() {
		return nil, fail(ErrInvalidArgument, op, "elements of %v: the array holds %v", DTypeOf[T](), info.DType)
	}
	out := make([]T, info.Size)
	return out, x.toHost(op, unsafe.Pointer(unsafe.SliceData(out)), info.Size*sizeOf[T]())
}

func (x *Array) toHost(op string, data unsafe.Pointer, bytes int) error {
	return withArrays(op, []*Array{x}, &handles{of: make([]C.uintptr_t, 1)}, func(h *handles) C.go_status {
		return C.go_array_to_host(h.of[0], (*C.uint8_t)(data), C.uint64_t(bytes))
	})
}

// Item is the value of an array of one element.
//
// Errors: ErrInvalidArgument if there is not exactly one; ErrInvalidPointer if the array is nil or closed.
func (x *Array) Item() (Scalar, error) {
	var value C.icicle_scalar_t
	err := withArrays("item", []*Array{x}, &handles{of: make([]C.uintptr_t, 1)}, func(h *handles) C.go_status {
		return C.go_array_item(h.of[0], &value)
	})
	return Scalar{value}, err
}

// AsType is the values in another dtype. Integers wrap, floats to integers saturate with NaN as 0.
//
// Errors: ErrInvalidArgument for complex to real, and a dtype that is none; ErrUnsupported if the array is not on a CPU;
// ErrOutOfMemory.
func (x *Array) AsType(dtype DType) (*Array, error) {
	return makeArray("astype", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_astype(h.of[0], C.int32_t(dtype), &h.made)
	})
}

// Copy is a dense copy in C order.
//
// Errors: ErrUnsupported if the array is not on a CPU; ErrOutOfMemory.
func (x *Array) Copy() (*Array, error) {
	return makeArray("copy", []*Array{x}, func(h *handles) C.go_status { return C.go_array_copy(h.of[0], &h.made) })
}

// ToDevice is the same values on a device.
//
// Errors: ErrInvalidDevice; ErrOutOfMemory; ErrCopyFailed.
func (x *Array) ToDevice(device Device) (*Array, error) {
	raw, err := device.raw("to_device")
	if err != nil {
		return nil, err
	}
	return makeArray("to_device", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_to_device(h.of[0], raw, &h.made)
	})
}
