package icicle

import (
	"fmt"
	"math"
	"reflect"
	"sync"
	"unsafe"
)

// Slice is memory that operations read or write: a HostSlice, a DeviceSlice or a PinnedSlice. Its element type T may be
// any type without Go pointers, such as uint32 or [4]uint64: what counts are bytes, which must be those of the field
// elements or points the operation is about: canonical little-endian 32-bit limbs, aligned to 4 bytes.
type Slice interface {
	operand() operand
}

// operand is what a call needs to know of a Slice.
type operand struct {
	// name is what errors call it by.
	name  string
	ptr   unsafe.Pointer
	bytes int
	// owner is nil for Go memory; a call acquires it.
	owner *owner[unsafe.Pointer]
	// onDevice says whether it is memory of owner.device.
	onDevice bool
	// problem, if any, is why there is no memory, with its code.
	problem string
	code    Code
}

// HostSlice is Go memory, converted without a copy: icicle.HostSlice[uint32](values), or icicle.Host(values).
//
// An asynchronous call pins the memory until its stream is synchronized; until then Go code must not use outputs nor
// change inputs.
type HostSlice[T any] []T

// Host converts Go memory without a copy.
func Host[T any](values []T) HostSlice[T] { return values }

func (s HostSlice[T]) operand() operand {
	if problem := plainProblem[T](); problem != "" {
		return operand{problem: problem, code: ErrInvalidArgument}
	}
	return operand{ptr: unsafe.Pointer(unsafe.SliceData(s)), bytes: len(s) * sizeOf[T]()}
}

// noMemory is the operand of a nil slice.
func noMemory(what string) operand {
	return operand{problem: what + " is nil", code: ErrInvalidPointer}
}

func sizeOf[T any]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// plainProblem refuses element types with Go pointers.
func plainProblem[T any]() string {
	if t := reflect.TypeFor[T](); !isPlain(t) {
		return fmt.Sprintf("element type %v: must be without pointers", t)
	}
	return ""
}

// plainStructs remembers which structs have no pointers.
var plainStructs sync.Map

func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() == 0 || isPlain(t.Elem())
	case reflect.Struct:
		known, ok := plainStructs.Load(t)
		if !ok {
			plain := true
			for i := range t.NumField() {
				plain = plain && isPlain(t.Field(i).Type)
			}
			known, _ = plainStructs.LoadOrStore(t, plain)
		}
		return known == true
	default:
		return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Complex128
	}
}

// byteSize is the bytes of n elements.
func byteSize[T any](op string, n int) (int, error) {
	if problem := plainProblem[T](); problem != "" {
		return 0, fail(ErrInvalidArgument, op, "%s", problem)
	}
	if n < 0 {
		return 0, fail(ErrInvalidArgument, op, "n %d: must be at least 0", n)
	}
	if size := sizeOf[T](); size > 0 && n > math.MaxInt/size {
		return 0, fail(ErrInvalidArgument, op, "n %d: exceeds the address space", n)
	}
	return n * sizeOf[T](), nil
}
