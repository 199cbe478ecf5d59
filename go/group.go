package icicle

// #include "shim.h"
//
// static go_status go_group_create(const icicle_device_t *devices, int32_t count, const double *shares, uintptr_t *handle) {
//   void *made = NULL;
//   GO_PLAIN(go_keep(count ? icicle_group_create(devices, count, shares, &made) : icicle_group_create_all(&made), &made, handle));
// }
// static go_status go_group_destroy(uintptr_t group) { GO_PLAIN(icicle_group_destroy((void *)group)); }
// static go_status go_group_size(uintptr_t group, int32_t *count) { GO_PLAIN(icicle_group_size((void *)group, count)); }
// static go_status go_group_device(uintptr_t group, int32_t position, icicle_device_t *device, double *share) {
//   GO_PLAIN(icicle_group_device((void *)group, position, device, share));
// }
// static go_status go_device_link(icicle_device_t from, icicle_device_t to, int32_t *kind, double *speed) {
//   GO_PLAIN(icicle_device_link(&from, &to, kind, speed));
// }
import "C"

import "unsafe"

// Group is devices that work as one: each has a thread of the group's with the device current, whose place the calling thread may take.
// Any goroutine may use it.
type Group struct {
	owner   *owner[uintptr]
	devices []Device
	shares  []float64
}

// NewGroup makes a group of devices, of any kinds; of none every GPU of the machine, and where there is none every CPU
// device. Close ends its threads.
//
// shares, unless nil, are each device's part of the work, in proportion: one operation is then split so among all, also
// where fewer would be faster, and a device of share 0 gets none of it. With nil the library divides by speed and leaves
// out devices that would make a call slower: of virtual CPU devices, which have the same cores, all but one.
//
// Errors: ErrInvalidArgument for a device named twice, or shares that are not one number a device, negative, not finite or
// all 0; ErrInvalidDevice; ErrUnknown if the system refuses a thread.
func NewGroup(devices []Device, shares []float64) (*Group, error) {
	const op = "group_create"
	if shares != nil && len(shares) != len(devices) {
		return nil, fail(ErrInvalidArgument, op, "%d shares: must be one for each of %d devices", len(shares), len(devices))
	}
	raw := make([]C.icicle_device_t, len(devices))
	for i, device := range devices {
		var err error
		if raw[i], err = device.raw(op); err != nil {
			return nil, err
		}
	}
	var handle C.uintptr_t
	parts := (*C.double)(unsafe.SliceData(shares))
	if err := check(op, Device{}, C.go_group_create(unsafe.SliceData(raw), C.int32_t(len(raw)), parts, &handle)); err != nil {
		return nil, err
	}
	g := &Group{owner: newOwner("group", Device{}, uintptr(handle), destroyGroup)}
	return g, g.describe(op, handle)
}

// describe asks what the group is made of.
func (g *Group) describe(op string, handle C.uintptr_t) error {
	var count C.int32_t
	err := check(op, Device{}, C.go_group_size(handle, &count))
	for i := C.int32_t(0); err == nil && i < count; i++ {
		var device C.icicle_device_t
		var share C.double
		if err = check(op, Device{}, C.go_group_device(handle, i, &device, &share)); err == nil {
			g.devices, g.shares = append(g.devices, deviceOf(device)), append(g.shares, float64(share))
		}
	}
	return err
}

func destroyGroup(group uintptr) error {
	return check("group_destroy", Device{}, C.go_group_destroy(C.uintptr_t(group)))
}

// Devices are the group's devices; a device's place among them is its position.
func (g *Group) Devices() []Device { return append([]Device{}, g.devices...) }

// Shares are each device's part of the work, as numbers in proportion: those chosen, else by speed.
func (g *Group) Shares() []float64 { return append([]float64{}, g.shares...) }

// Close ends the group's threads, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (g *Group) Close() error {
	if g == nil || g.owner == nil {
		return nil
	}
	return g.owner.close()
}

// use keeps the group for a call; its handle is 0 if err is not nil.
func (g *Group) use(op string) (*owner[uintptr], error) {
	switch {
	case g == nil || g.owner == nil:
		return nil, fail(ErrInvalidPointer, op, "group is nil")
	case !g.owner.acquire():
		return nil, fail(ErrInvalidPointer, op, "group: closed already")
	}
	return g.owner, nil
}

// Link is how copies go from one device to another.
type Link int32

// The links: within the same memory, directly (NVLink, PCIe), or over the host's memory.
const (
	SameMemory Link = 0
	Peer       Link = 1
	OverHost   Link = 2
)

// LinkTo is how copies go to another device, and bytes a second, measured at the first such call in the process.
//
// Errors: ErrInvalidDevice; ErrOutOfMemory and ErrCopyFailed of the measurement.
func (d Device) LinkTo(to Device) (Link, float64, error) {
	const op = "device_link"
	a, err := d.raw(op)
	if err != nil {
		return 0, 0, err
	}
	b, err := to.raw(op)
	if err != nil {
		return 0, 0, err
	}
	var kind C.int32_t
	var speed C.double
	err = check(op, d, C.go_device_link(a, b, &kind, &speed))
	return Link(kind), float64(speed), err
}
