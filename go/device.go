package icicle

// #include "shim.h"
//
// static go_status go_registered_devices(char *list, size_t bytes) {
//   GO_PLAIN(icicle_get_registered_devices(list, bytes));
// }
// static go_status go_device_info(icicle_device_t d, icicle_device_info_t *info) {
//   GO_PLAIN(icicle_device_info(&d, info));
// }
// static go_status go_device_facts(icicle_device_t d, char *text, size_t bytes, size_t *needed) {
//   GO_PLAIN(icicle_device_facts(&d, text, bytes, needed));
// }
// static go_status go_memory_stats(icicle_device_t d, icicle_memory_stats_t *stats) {
//   GO_PLAIN(icicle_memory_stats(&d, stats));
// }
// static go_status go_set_memory_limit(icicle_device_t d, uint64_t bytes) {
//   GO_PLAIN(icicle_set_memory_limit(&d, bytes));
// }
// static go_status go_memory_trim(icicle_device_t d, uint64_t keep) { GO_PLAIN(icicle_memory_trim(&d, keep)); }
// static go_status go_can_access_peer(icicle_device_t d, icicle_device_t peer, bool *result) {
//   GO_PLAIN(icicle_can_access_peer(&d, &peer, result));
// }
// static go_status go_set_default_device(icicle_device_t d) { GO_PLAIN(icicle_set_default_device(&d)); }
// static go_status go_set_library_path(const char *library, const char *path) {
//   GO_PLAIN(icicle_set_library_path(library, path));
// }
// static go_status go_device_synchronize(go_place at) { GO_CALL(at, icicle_device_synchronize()); }
import "C"

import (
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"unsafe"
)

// Device is a device by type, CPU or CUDA, and index among those of its type, from 0. It need not exist; Devices lists
// those that do.
type Device struct {
	Type  string
	Index int
}

// CPU is a CPU device.
func CPU(index int) Device { return Device{"CPU", index} }

// CUDA is a GPU of an NVIDIA driver.
func CUDA(index int) Device { return Device{"CUDA", index} }

// String returns the device as the library's messages name it, such as cuda:1.
func (d Device) String() string { return fmt.Sprintf("%s:%d", strings.ToLower(d.Type), d.Index) }

// raw is the device as C names it.
func (d Device) raw(op string) (C.icicle_device_t, error) {
	var raw C.icicle_device_t
	if len(d.Type) >= len(raw.device_type) || strings.IndexByte(d.Type, 0) >= 0 {
		return raw, fail(ErrInvalidDevice, op, "type %q: must be below %d bytes, none of them 0", d.Type, len(raw.device_type))
	}
	if d.Index < 0 || d.Index > math.MaxInt32 {
		return raw, fail(ErrInvalidDevice, op, "%v: index must be 0 to %d", d, math.MaxInt32)
	}
	for i := range len(d.Type) {
		raw.device_type[i] = C.char(d.Type[i])
	}
	raw.id = C.int32_t(d.Index)
	return raw, nil
}

// place makes calls run on this device.
func (d Device) place(op string) (C.go_place, error) {
	raw, err := d.raw(op)
	return C.go_place{device: raw}, err
}

func deviceOf(raw C.icicle_device_t) Device {
	return Device{text(raw.device_type[:]), int(raw.id)}
}

// text is a C string in an array.
func text(chars []C.char) string {
	bytes := make([]byte, 0, len(chars))
	for _, c := range chars {
		if c == 0 {
			break
		}
		bytes = append(bytes, byte(c))
	}
	return string(bytes)
}

// defaultPlace is where calls run that name no device; nil is the first CPU device.
var defaultPlace atomic.Pointer[C.go_place]

// ambient makes calls run on the device of the surrounding Device.Run, or else on the default device.
func ambient() C.go_place {
	if place := defaultPlace.Load(); place != nil {
		return *place
	}
	raw, _ := CPU(0).raw("")
	place := C.go_place{device: raw, ambient: true}
	defaultPlace.CompareAndSwap(nil, &place)
	return place
}

// SetDefaultDevice sets the device of calls outside Device.Run that have neither a stream nor device memory, in all
// goroutines, and of the process's other users of the library. It is the first CPU device until set.
//
// Errors: ErrInvalidDevice; the default stays.
func SetDefaultDevice(d Device) error {
	const op = "set_default_device"
	raw, err := d.raw(op)
	if err != nil {
		return err
	}
	if err := check(op, d, C.go_set_default_device(raw)); err != nil {
		return err
	}
	defaultPlace.Store(&C.go_place{device: raw, ambient: true})
	return nil
}

// SetLibraryPath says where the file of one of NVIDIA's libraries is, before anything needs it: NVRTC, which compiles what
// arrays on GPUs compute, cuBLAS, which multiplies matrices there, cuFFT, which does Fourier transforms, cuSOLVER, which does
// linear algebra, or NCCL, which carries collectives between them. What the process has loaded is taken before it, and so is a file
// that the environment names (ICICLE_NVRTC_PATH, ICICLE_CUBLAS_PATH and so on).
//
// Errors: ErrInvalidArgument if there is no such library or file, or the library has been looked for; nothing is changed.
func SetLibraryPath(library, path string) error {
	const op = "set_library_path"
	if strings.IndexByte(library+path, 0) >= 0 {
		return fail(ErrInvalidArgument, op, "library %q, path %q: must not have bytes that are 0", library, path)
	}
	cLibrary, cPath := C.CString(library), C.CString(path)
	defer C.free(unsafe.Pointer(cLibrary))
	defer C.free(unsafe.Pointer(cPath))
	return check(op, Device{}, C.go_set_library_path(cLibrary, cPath))
}

// DeviceTypes returns the types of devices this library drives, the CPU last.
//
// Errors: none to expect.
func DeviceTypes() ([]string, error) {
	var list [1024]C.char
	if err := check("get_registered_devices", Device{}, C.go_registered_devices(&list[0], C.size_t(len(list)))); err != nil {
		return nil, err
	}
	return strings.Split(text(list[:]), ","), nil
}

// Devices returns every device of the machine. ICICLE_CPU_DEVICES=n in the environment makes n CPU devices.
//
// Errors: as DeviceTypes.
func Devices() ([]Device, error) {
	types, err := DeviceTypes()
	if err != nil {
		return nil, err
	}
	var found []Device
	for _, kind := range types {
		for d := (Device{kind, 0}); ; d.Index++ {
			if _, err := d.Info(); err != nil {
				break // the first index that does not exist
			}
			found = append(found, d)
		}
	}
	return found, nil
}

// DeviceInfo is a device in numbers.
type DeviceInfo struct {
	// Name is the processor's or GPU's.
	Name string
	// Units are hardware threads of a CPU, multiprocessors of a GPU.
	Units int
	// TotalMemoryBytes is 0 where unknown.
	TotalMemoryBytes uint64
	// UsesHostMemory says whether the device computes directly in host memory.
	UsesHostMemory bool
	// SupportsPinned says whether page-locked host memory speeds up copies.
	SupportsPinned bool
}

// Info describes the device.
//
// Errors: ErrInvalidDevice if there is none.
func (d Device) Info() (DeviceInfo, error) {
	const op = "device_info"
	raw, err := d.raw(op)
	if err != nil {
		return DeviceInfo{}, err
	}
	info := C.icicle_device_info_t{struct_size: C.sizeof_icicle_device_info_t}
	if err := check(op, d, C.go_device_info(raw, &info)); err != nil {
		return DeviceInfo{}, err
	}
	return DeviceInfo{
		text(info.name[:]), int(info.units), uint64(info.total_memory_bytes),
		bool(info.uses_host_memory), bool(info.supports_pinned),
	}, nil
}

// Facts returns further facts, such as `compute capability=9.0`, one a line.
//
// Errors: ErrInvalidDevice.
func (d Device) Facts() (string, error) {
	const op = "device_facts"
	raw, err := d.raw(op)
	if err != nil {
		return "", err
	}
	buffer := make([]byte, 1024)
	for {
		var needed C.size_t
		at := (*C.char)(unsafe.Pointer(&buffer[0]))
		if err := check(op, d, C.go_device_facts(raw, at, C.size_t(len(buffer)), &needed)); err != nil {
			return "", err
		}
		if int(needed) <= len(buffer) {
			return string(buffer[:max(needed, 1)-1]), nil
		}
		buffer = make([]byte, needed)
	}
}

// MemoryStats is a device's memory in numbers, in bytes but for Allocations.
type MemoryStats struct {
	// Total memory of the device, and what of it no process uses.
	Total, Free uint64
	// Used is handed out by this library, Reserved held by its pool, HighWater the highest Used so far.
	Used, Reserved, HighWater uint64
	// Allocations alive.
	Allocations uint64
	// Limit of Used; math.MaxUint64 if none is set.
	Limit uint64
}

// MemoryStats returns the device's memory in numbers.
//
// Errors: ErrInvalidDevice.
func (d Device) MemoryStats() (MemoryStats, error) {
	const op = "memory_stats"
	raw, err := d.raw(op)
	if err != nil {
		return MemoryStats{}, err
	}
	s := C.icicle_memory_stats_t{struct_size: C.sizeof_icicle_memory_stats_t}
	if err := check(op, d, C.go_memory_stats(raw, &s)); err != nil {
		return MemoryStats{}, err
	}
	return MemoryStats{
		uint64(s.total), uint64(s.free), uint64(s.used), uint64(s.reserved),
		uint64(s.high_water), uint64(s.allocations), uint64(s.limit),
	}, nil
}

// SetMemoryLimit limits the bytes handed out at a time; math.MaxUint64 lifts the limit.
//
// Errors: ErrInvalidDevice.
func (d Device) SetMemoryLimit(bytes uint64) error {
	const op = "set_memory_limit"
	raw, err := d.raw(op)
	if err != nil {
		return err
	}
	return check(op, d, C.go_set_memory_limit(raw, C.uint64_t(bytes)))
}

// Trim gives cached memory back until at most keepBytes stay reserved; on a GPU it waits for all work.
//
// Errors: ErrInvalidDevice, ErrDeallocationFailed.
func (d Device) Trim(keepBytes uint64) error {
	const op = "memory_trim"
	raw, err := d.raw(op)
	if err != nil {
		return err
	}
	return check(op, d, C.go_memory_trim(raw, C.uint64_t(keepBytes)))
}

// CanAccessPeer says whether work on the device can read peer's memory directly. Copies work either way.
//
// Errors: ErrInvalidDevice.
func (d Device) CanAccessPeer(peer Device) (bool, error) {
	const op = "can_access_peer"
	raw, err := d.raw(op)
	if err != nil {
		return false, err
	}
	other, err := peer.raw(op)
	if err != nil {
		return false, err
	}
	var result C.bool
	err = check(op, d, C.go_can_access_peer(raw, other, &result))
	return bool(result), err
}

// Synchronize waits for all work of the device. Host memory of asynchronous calls stays held until their stream is
// synchronized.
//
// Errors: ErrInvalidDevice, ErrSynchronizationFailed if work failed.
func (d Device) Synchronize() error {
	const op = "device_synchronize"
	at, err := d.place(op)
	if err != nil {
		return err
	}
	return check(op, d, C.go_device_synchronize(at))
}
