package icicle

// #include "shim.h"
//
// static go_status go_malloc(go_place at, void **memory, size_t bytes, uintptr_t stream) {
//   GO_CALL(at, stream ? icicle_malloc_async(memory, bytes, (void *)stream) : icicle_malloc(memory, bytes));
// }
// static go_status go_host_alloc(go_place at, void **memory, size_t bytes) { GO_CALL(at, icicle_host_alloc(memory, bytes)); }
// static go_status go_free(void *memory) { GO_PLAIN(icicle_free(memory)); }
// static go_status go_host_free(void *memory) { GO_PLAIN(icicle_host_free(memory)); }
// static go_status go_copy(go_place at, go_out dst, go_in src, size_t bytes, bool async, uintptr_t stream) {
//   GO_CALL(at, async ? icicle_copy_async(dst, src, bytes, (void *)stream) : icicle_copy(dst, src, bytes));
// }
// static go_status go_memset(go_place at, go_out dst, uint8_t value, size_t bytes, bool async, uintptr_t stream) {
//   GO_CALL(at, async ? icicle_memset_async(dst, value, bytes, (void *)stream) : icicle_memset(dst, value, bytes));
// }
// static go_status go_pointer_attributes(go_in at, icicle_pointer_attributes_t *a) {
//   GO_PLAIN(icicle_pointer_attributes(at, a));
// }
import "C"

import "unsafe"

// DeviceSlice is n elements of T on a device. A view made by Slice shares its memory.
type DeviceSlice[T any] struct {
	memory *owner[unsafe.Pointer]
	// offset in bytes and length in elements within memory.
	offset, n int
	view      bool
}

// NewDeviceSlice allocates n elements on a device; their values are not set. Close frees them.
//
// Errors: ErrInvalidDevice; ErrOutOfMemory, with the pool's state; ErrAllocationFailed for a size that no device can
// have; ErrInvalidArgument if T has pointers or n is negative.
func NewDeviceSlice[T any](d Device, n int) (*DeviceSlice[T], error) {
	at, err := d.place("malloc")
	if err != nil {
		return nil, err
	}
	return newDeviceSlice[T](d, at, n, 0)
}

// NewDeviceSliceOn allocates on a stream's device, ordered after the work in the stream; otherwise as NewDeviceSlice.
// Work on other streams may use it once this one has been waited for.
//
// Errors: as NewDeviceSlice, and ErrInvalidPointer if the stream is nil or closed.
func NewDeviceSliceOn[T any](s *Stream, n int) (*DeviceSlice[T], error) {
	const op = "malloc_async"
	stream, err := s.use(op)
	if err != nil {
		return nil, err
	}
	defer stream.release()
	at, err := stream.device.place(op)
	if err != nil {
		return nil, err
	}
	return newDeviceSlice[T](stream.device, at, n, stream.handle.stream)
}

func newDeviceSlice[T any](d Device, at C.go_place, n int, stream uintptr) (*DeviceSlice[T], error) {
	const op = "malloc"
	bytes, err := byteSize[T](op, n)
	if err != nil {
		return nil, err
	}
	var memory unsafe.Pointer
	if err := check(op, d, C.go_malloc(at, &memory, C.size_t(bytes), C.uintptr_t(stream))); err != nil {
		return nil, err
	}
	return &DeviceSlice[T]{memory: newOwner("device memory", d, memory, freeDevice), n: n}, nil
}

// DeviceSliceFrom allocates on a device and copies values there.
//
// Errors: as NewDeviceSlice, and ErrCopyFailed.
func DeviceSliceFrom[T any](d Device, values []T) (*DeviceSlice[T], error) {
	s, err := NewDeviceSlice[T](d, len(values))
	if err != nil {
		return nil, err
	}
	if err := Copy(s, Host(values), Launch{}); err != nil {
		_ = s.Close() // the copy's error is the one to report
		return nil, err
	}
	return s, nil
}

func freeDevice(memory unsafe.Pointer) error { return check("free", Device{}, C.go_free(memory)) }
func freeHost(memory unsafe.Pointer) error {
	return check("host_free", Device{}, C.go_host_free(memory))
}

// Len is the number of elements.
func (s *DeviceSlice[T]) Len() int {
	if s == nil {
		return 0
	}
	return s.n
}

// Device is where the memory is; the zero Device for a nil slice.
func (s *DeviceSlice[T]) Device() Device {
	if s == nil || s.memory == nil {
		return Device{}
	}
	return s.memory.device
}

// Slice is the view of elements low to high-1. It keeps the memory from being collected, but owns nothing: its Close does
// nothing, and after the original's Close it can no longer be used.
//
// Errors: ErrInvalidArgument if the range leaves the slice.
func (s *DeviceSlice[T]) Slice(low, high int) (*DeviceSlice[T], error) {
	if s == nil || s.memory == nil {
		return nil, fail(ErrInvalidPointer, "slice", "device slice is nil")
	}
	if low < 0 || high < low || high > s.n {
		return nil, fail(ErrInvalidArgument, "slice", "range %d to %d: must lie in 0 to %d", low, high, s.n)
	}
	return &DeviceSlice[T]{s.memory, s.offset + low*sizeOf[T](), high - low, true}, nil
}

// CopyFrom copies from host memory of the same length.
//
// Errors: ErrInvalidArgument for another length, ErrCopyFailed.
func (s *DeviceSlice[T]) CopyFrom(values []T) error { return Copy(s, Host(values), Launch{}) }

// ToHost copies to new host memory.
//
// Errors: ErrInvalidPointer if closed, ErrCopyFailed.
func (s *DeviceSlice[T]) ToHost() ([]T, error) {
	if s == nil {
		return nil, fail(ErrInvalidPointer, "copy", "src is nil")
	}
	values := make([]T, s.n)
	if err := Copy(Host(values), s, Launch{}); err != nil {
		return nil, err
	}
	return values, nil
}

// Close frees the memory, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidDevice or ErrDeallocationFailed if the library refuses.
func (s *DeviceSlice[T]) Close() error {
	if s == nil || s.memory == nil || s.view {
		return nil
	}
	return s.memory.close()
}

func (s *DeviceSlice[T]) operand() operand {
	if s == nil || s.memory == nil {
		return noMemory("device slice")
	}
	ptr := s.memory.handle
	if ptr != nil {
		ptr = unsafe.Add(ptr, s.offset)
	}
	return operand{ptr: ptr, bytes: s.n * sizeOf[T](), owner: s.memory, onDevice: true}
}

// PinnedSlice is n elements of T in page-locked host memory: copies to and from GPUs are faster, and asynchronous.
type PinnedSlice[T any] struct {
	memory *owner[unsafe.Pointer]
	n      int
}

// NewPinnedSlice allocates n zeroed elements, page-locked for a device's type. Close frees them.
//
// Errors: as NewDeviceSlice.
func NewPinnedSlice[T any](d Device, n int) (*PinnedSlice[T], error) {
	const op = "host_alloc"
	bytes, err := byteSize[T](op, n)
	if err != nil {
		return nil, err
	}
	at, err := d.place(op)
	if err != nil {
		return nil, err
	}
	var memory unsafe.Pointer
	if err := check(op, d, C.go_host_alloc(at, &memory, C.size_t(bytes))); err != nil {
		return nil, err
	}
	return &PinnedSlice[T]{newOwner("pinned memory", d, memory, freeHost), n}, nil
}

// Data is the memory as a Go slice, valid until Close, nil after it. The collector does not see that such a slice needs
// the memory: once it was asked for, only Close frees it.
func (s *PinnedSlice[T]) Data() []T {
	if s == nil || s.memory == nil || !s.memory.acquire() {
		return nil
	}
	defer s.memory.release()
	s.memory.cleanup.Stop()
	if s.memory.handle == nil {
		return make([]T, s.n) // of no bytes
	}
	return unsafe.Slice((*T)(s.memory.handle), s.n)
}

// Close frees the memory, once no call uses it; no slice of Data may be used after. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (s *PinnedSlice[T]) Close() error {
	if s == nil || s.memory == nil {
		return nil
	}
	return s.memory.close()
}

func (s *PinnedSlice[T]) operand() operand {
	if s == nil || s.memory == nil {
		return noMemory("pinned slice")
	}
	return operand{ptr: s.memory.handle, bytes: s.n * sizeOf[T](), owner: s.memory}
}

// Copy copies src to dst: host, device, or two devices. Both are of the same length in bytes. With a stream, device
// memory must be of its device, so that a copy between two devices takes none. An asynchronous copy between Go memory
// and a device has read its source, or written its destination, when it returns; page-locked memory is in use until the
// stream is synchronized.
//
// Errors: ErrInvalidArgument for other lengths, or for ranges on a device that overlap in part; ErrInvalidPointer for nil
// or closed memory, or that of another device than the stream's; ErrCopyFailed; ErrSynchronizationFailed if earlier work
// failed.
func Copy(dst, src Slice, launch Launch) error {
	c := begin("copy", launch, arg{"dst", dst}, arg{"src", src})
	c.need(1, 1, c.args[0].bytes)
	if c.err != nil {
		return c.abandon()
	}
	bytes := C.size_t(c.args[0].bytes)
	return c.end(C.go_copy(c.at, c.ptr(0), c.ptr(1), bytes, C.bool(launch.Async), c.stream()))
}

// Fill sets every byte of device memory to a value.
//
// Errors: ErrInvalidPointer for nil, closed or host memory, or that of another device than the stream's; ErrCopyFailed.
func Fill(dst Slice, value byte, launch Launch) error {
	c := begin("memset", launch, arg{"ptr", dst})
	if c.err != nil {
		return c.abandon()
	}
	bytes := C.size_t(c.args[0].bytes)
	return c.end(C.go_memset(c.at, c.ptr(0), C.uint8_t(value), bytes, C.bool(launch.Async), c.stream()))
}

// PointerAttributes says what an address is.
type PointerAttributes struct {
	// Device whose memory it is; CPU, index -1, for the host's.
	Device Device
	// IsDevice and IsPinned say whether it is device memory, or page-locked host memory.
	IsDevice, IsPinned bool
	// Base and Bytes of its allocation; 0 where that is not one of the library's.
	Base, Bytes uint64
}

// Attributes says where the memory of a slice lies.
//
// Errors: ErrInvalidPointer if it is closed.
func Attributes(s Slice) (PointerAttributes, error) {
	c := begin("pointer_attributes", Launch{}, arg{"ptr", s})
	if c.err != nil {
		return PointerAttributes{}, c.abandon()
	}
	a := C.icicle_pointer_attributes_t{struct_size: C.sizeof_icicle_pointer_attributes_t}
	err := c.end(C.go_pointer_attributes(c.ptr(0), &a))
	return PointerAttributes{deviceOf(a.device), bool(a.is_device), bool(a.is_pinned), uint64(a.base), uint64(a.bytes)}, err
}
