package icicle

// #include "shim.h"
//
// static go_status go_array_to_unified(uintptr_t array, icicle_device_t device, uintptr_t *handle) {
//   GO_MAKE(icicle_array_to_unified((void *)array, &device, &made));
// }
// static go_status go_array_is_unified(uintptr_t array, bool *unified) {
//   GO_PLAIN(icicle_array_is_unified((void *)array, unified));
// }
// static go_status go_array_shared_with(uintptr_t array, icicle_device_t device, uintptr_t *handle) {
//   GO_MAKE(icicle_array_shared_with((void *)array, &device, &made));
// }
// static go_status go_array_prefetch(uintptr_t array) { GO_PLAIN(icicle_array_prefetch((void *)array)); }
import "C"

// ToUnified is a dense copy in unified memory of a device, which the host and every GPU reach at one address: a GPU's managed
// memory, of which the driver moves pages to who touches them, or a CPU's plain memory, which all CPU devices reach. SharedWith
// gives it to another device without a copy. Elements of one device should be multiples of 2 MiB, the unit in which pages move. It
// does not count as the device's used memory, and is no more than the device has free. The copy is done on return; the memory is
// given back once every array in it is closed.
//
// Errors: ErrUnsupported if the device has no managed memory, or cannot use it while the host does; ErrInvalidDevice;
// ErrInvalidPointer if the array is nil or closed; ErrOutOfMemory; ErrCopyFailed.
func (x *Array) ToUnified(device Device) (*Array, error) {
	raw, err := device.raw("to_unified")
	if err != nil {
		return nil, err
	}
	return makeArray("to_unified", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_to_unified(h.of[0], raw, &h.made)
	})
}

// IsUnified says whether the array's memory is unified, as that of CPUs always is. What it depends on is computed.
//
// Errors: ErrInvalidPointer if the array is nil or closed; ErrOutOfMemory.
func (x *Array) IsUnified() (bool, error) {
	var unified C.bool
	err := withArrays("is_unified", []*Array{x}, &handles{of: make([]C.uintptr_t, 1)}, func(h *handles) C.go_status {
		return C.go_array_is_unified(h.of[0], &unified)
	})
	return bool(unified), err
}

// SharedWith is the same memory for use by another device, without a copy: an array of any CPU device for another, one in unified
// memory of a GPU for a CPU or any GPU. What the device computes from it comes after what was enqueued before; for a CPU device
// the call waits for that. The memory stays as long as one of the arrays.
//
// Errors: ErrInvalidArgument if the device does not reach the memory; ErrInvalidDevice; ErrInvalidPointer if the array is nil or
// closed; ErrOutOfMemory.
func (x *Array) SharedWith(device Device) (*Array, error) {
	raw, err := device.raw("shared_with")
	if err != nil {
		return nil, err
	}
	return makeArray("shared_with", []*Array{x}, func(h *handles) C.go_status {
		return C.go_array_shared_with(h.of[0], raw, &h.made)
	})
}

// Prefetch moves the pages from the array's first to its last element to its device, enqueued on the default stream there, so that
// what follows does not fetch them one by one. On a CPU device pages of a GPU's unified memory move to the host, and plain memory
// stays.
//
// Errors: ErrInvalidArgument if it lies in a GPU's own memory; ErrInvalidPointer if the array is nil or closed; ErrCopyFailed.
func (x *Array) Prefetch() error {
	return withArrays("prefetch", []*Array{x}, &handles{of: make([]C.uintptr_t, 1)}, func(h *handles) C.go_status {
		return C.go_array_prefetch(h.of[0])
	})
}
