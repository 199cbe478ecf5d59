//go:build icicle_probe

package icicle

// What tests need of C and cannot have: test files may not use cgo. No build without the tag contains it.

// #include <time.h>
// #include "shim.h"
//
// static go_status go_probe_set_device(icicle_device_t d) { GO_PLAIN(icicle_set_device(&d)); }
// static go_status go_probe_device(icicle_device_t *d) { GO_PLAIN(icicle_get_active_device(d)); }
// static go_status go_probe_malloc(size_t bytes) {
//   void *memory;
//   GO_PLAIN(icicle_malloc(&memory, bytes));
// }
// static double go_probe_vector_add(int32_t field, go_in a, go_in b, go_out out, int calls) {
//   icicle_vec_ops_config_t config = icicle_vec_ops_config_default();
//   struct timespec from, to;
//   clock_gettime(CLOCK_MONOTONIC, &from);
//   for (int i = 0; i < calls; i++)
//     if (icicle_vector_add(field, a, b, 1, &config, out)) return -1;
//   clock_gettime(CLOCK_MONOTONIC, &to);
//   return ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / calls;
// }
import "C"

import "unsafe"

// probeSetDevice sets the thread's device and leaves it so, as foreign C code may.
func probeSetDevice(d Device) error {
	raw, err := d.raw("set_device")
	if err != nil {
		return err
	}
	return check("set_device", d, C.go_probe_set_device(raw))
}

// probeDevice is the thread's device as C sees it.
func probeDevice() (Device, error) {
	var raw C.icicle_device_t
	err := check("get_active_device", Device{}, C.go_probe_device(&raw))
	return deviceOf(raw), err
}

// probeMalloc allocates what no slice could ask for.
func probeMalloc(bytes uint64) error {
	return check("malloc", Device{}, C.go_probe_malloc(C.size_t(bytes)))
}

// probeVectorAdd is how many nanoseconds C takes to add one element of 4 bytes.
func probeVectorAdd(f Field, a, b, out *uint32, calls int) float64 {
	in := func(p *uint32) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(p)) }
	return float64(C.go_probe_vector_add(C.int32_t(f), in(a), in(b), in(out), C.int(calls)))
}
