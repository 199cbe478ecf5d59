package icicle

// #include "shim.h"
//
// static go_status go_array_to_pinned(uintptr_t array, uintptr_t *handle) {
//   GO_MAKE(icicle_array_to_pinned((void *)array, &made));
// }
// static go_status go_array_is_pinned(uintptr_t array, bool *pinned) {
//   GO_PLAIN(icicle_array_is_pinned((void *)array, pinned));
// }
import "C"

// ToPinned is a dense copy in page-locked (pinned) memory of the host, on the array's device if that is a CPU, else on CPU device 0.
// GPUs copy it, with ToDevice, at the rate of their link; other memory of the host passes through page-locked chunks. Where there is
// no GPU it is plain memory. Page-locking takes longer than copying, and the pages are lost to the rest of the system: it pays for
// arrays that are copied several times, which Assign fills again. The copy is done on return; the memory is given back once every
// array in it is closed, and does not count as the device's used memory.
//
// Errors: ErrOutOfMemory or ErrAllocationFailed if the system refuses; ErrInvalidPointer if the array is nil or closed;
// ErrCopyFailed.
func (x *Array) ToPinned() (*Array, error) {
	return makeArray("to_pinned", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_to_pinned(h.of[0], &h.made)
	})
}

// IsPinned says whether the array's memory is page-locked, as ToPinned makes it where there is a GPU. What it depends on is computed.
//
// Errors: ErrInvalidPointer if the array is nil or closed; ErrOutOfMemory.
func (x *Array) IsPinned() (bool, error) {
	var pinned C.bool
	err := withArrays("is_pinned", []*Array{x}, &handles{of: make([]C.uintptr_t, 1)}, func(h *handles) C.go_status {
		return C.go_array_is_pinned(h.of[0], &pinned)
	})
	return bool(pinned), err
}
