package icicle

// #include "shim.h"
//
// static go_status go_sharded_create(uintptr_t group, int64_t n, uint64_t bytes, int layout, uintptr_t *handle) {
//   void *made = NULL;
//   GO_PLAIN(go_keep(icicle_sharded_create((void *)group, n, bytes, layout, &made), &made, handle));
// }
// static go_status go_sharded_free(uintptr_t vector) { GO_PLAIN(icicle_sharded_free((void *)vector)); }
// static go_status go_sharded_info(uintptr_t vector, int64_t *n, uint64_t *bytes, int *layout) {
//   GO_PLAIN(icicle_sharded_info((void *)vector, n, bytes, layout));
// }
// static go_status go_sharded_part(uintptr_t vector, int32_t position, void **address, int64_t *first, int64_t *count) {
//   GO_PLAIN(icicle_sharded_part((void *)vector, position, address, first, count));
// }
// static go_status go_sharded_scatter(uintptr_t group, go_in source, uintptr_t vector) {
//   GO_PLAIN(icicle_sharded_scatter((void *)group, source, (void *)vector));
// }
// static go_status go_sharded_gather(uintptr_t group, uintptr_t vector, go_out destination) {
//   GO_PLAIN(icicle_sharded_gather((void *)group, (void *)vector, destination));
// }
// static go_status go_sharded_reshard(uintptr_t group, uintptr_t vector, int layout, uintptr_t *handle) {
//   void *made = NULL;
//   GO_PLAIN(go_keep(icicle_sharded_reshard((void *)group, (void *)vector, layout, &made), &made, handle));
// }
import "C"

import "unsafe"

// Layout is how a vector lies over the devices of a group.
type Layout int32

// The layouts.
const (
	// Blocks: consecutive elements, one block a device, as long as its share says; a power of two of at least 4,096 elements
	// in whole 64ths.
	Blocks Layout = 0
	// Cyclic: element i on device i modulo their number.
	Cyclic Layout = 1
	// Replicated: every element on every device.
	Replicated Layout = 2
)

// Sharded is a vector over the devices of a group; it is used with a group of the same devices. Several calls may read one
// at once; a call that writes one waits for the others.
type Sharded struct {
	owner *owner[uintptr]
}

// NewSharded makes a vector of n elements of so many bytes over the group; their values are not set. Close frees it.
//
// Errors: ErrInvalidArgument for n below 0, elements of no bytes, sizes beyond the address space and layouts that are none;
// ErrInvalidPointer if the group is nil or closed; ErrOutOfMemory, naming the device.
func (g *Group) NewSharded(n, elementBytes int, layout Layout) (*Sharded, error) {
	const op = "sharded_create"
	group, err := g.use(op)
	if err != nil {
		return nil, err
	}
	defer group.release()
	var handle C.uintptr_t
	status := C.go_sharded_create(C.uintptr_t(group.handle), C.int64_t(n), C.uint64_t(max(elementBytes, 0)), C.int(layout), &handle)
	return sharded(check(op, Device{}, status), handle)
}

func sharded(err error, handle C.uintptr_t) (*Sharded, error) {
	if err != nil {
		return nil, err
	}
	return &Sharded{newOwner("sharded vector", Device{}, uintptr(handle), freeSharded)}, nil
}

func freeSharded(vector uintptr) error {
	return check("sharded_free", Device{}, C.go_sharded_free(C.uintptr_t(vector)))
}

// Close frees the vector, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (v *Sharded) Close() error {
	if v == nil || v.owner == nil {
		return nil
	}
	return v.owner.close()
}

// use keeps the vector for a call.
func (v *Sharded) use(op, name string) (*owner[uintptr], error) {
	switch {
	case v == nil || v.owner == nil:
		return nil, fail(ErrInvalidPointer, op, "%s is nil", name)
	case !v.owner.acquire():
		return nil, fail(ErrInvalidPointer, op, "%s: closed already", name)
	}
	return v.owner, nil
}

// Info is the vector's number of elements, bytes of each, and layout.
//
// Errors: ErrInvalidPointer if it is nil or closed.
func (v *Sharded) Info() (n, elementBytes int, layout Layout, err error) {
	const op = "sharded_info"
	vector, err := v.use(op, "vector")
	if err != nil {
		return 0, 0, 0, err
	}
	defer vector.release()
	var count C.int64_t
	var bytes C.uint64_t
	var kind C.int
	err = check(op, Device{}, C.go_sharded_info(C.uintptr_t(vector.handle), &count, &bytes, &kind))
	return int(count), int(bytes), Layout(kind), err
}

// Part is the address of what the device at a position holds, and which elements: first to first+count, in cyclic layout
// count of them from first 0. The memory is the vector's.
//
// Errors: ErrInvalidArgument if there is no such position, ErrInvalidPointer if the vector is nil or closed.
func (v *Sharded) Part(position int) (address uintptr, first, count int, err error) {
	const op = "sharded_part"
	vector, err := v.use(op, "vector")
	if err != nil {
		return 0, 0, 0, err
	}
	defer vector.release()
	var at unsafe.Pointer
	var from, n C.int64_t
	err = check(op, Device{}, C.go_sharded_part(C.uintptr_t(vector.handle), C.int32_t(position), &at, &from, &n))
	return uintptr(at), int(from), int(n), err
}

// Scatter copies a whole vector in, from host memory or one device; each device's thread copies its part.
//
// Errors: ErrInvalidArgument for another length or a group of other devices; ErrInvalidPointer for what is nil or closed;
// ErrCopyFailed; ErrOutOfMemory of the host.
func (g *Group) Scatter(source Slice, v *Sharded) error {
	return g.move("sharded_scatter", "source", source, v, func(c *call, group, vector C.uintptr_t) C.go_status {
		return C.go_sharded_scatter(group, c.ptr(0), vector)
	})
}

// Gather copies the whole vector out, to host memory or one device.
//
// Errors: as Scatter.
func (g *Group) Gather(v *Sharded, destination Slice) error {
	return g.move("sharded_gather", "destination", destination, v, func(c *call, group, vector C.uintptr_t) C.go_status {
		return C.go_sharded_gather(group, vector, c.ptr(0))
	})
}

func (g *Group) move(op, name string, memory Slice, v *Sharded, run func(c *call, group, vector C.uintptr_t) C.go_status) error {
	n, bytes, _, err := v.Info()
	if err != nil {
		return err
	}
	return g.with(op, []*Sharded{v}, []arg{{name, memory}}, func(c *call, group C.uintptr_t, vectors []C.uintptr_t) C.go_status {
		c.need(0, bytes, n)
		if c.err != nil {
			return C.go_status{}
		}
		return run(c, group, vectors[0])
	})
}

// with keeps the group, vectors and memory of a call while it runs.
func (g *Group) with(op string, vectors []*Sharded, memory []arg, run func(*call, C.uintptr_t, []C.uintptr_t) C.go_status) error {
	group, err := g.use(op)
	if err != nil {
		return err
	}
	defer group.release()
	handles := make([]C.uintptr_t, len(vectors))
	for i, vector := range vectors {
		held, err := vector.use(op, "vector")
		if err != nil {
			return err
		}
		defer held.release()
		handles[i] = C.uintptr_t(held.handle)
	}
	c := begin(op, Launch{}, memory...)
	if c.err != nil {
		return c.abandon()
	}
	status := run(c, C.uintptr_t(group.handle), handles)
	if c.err != nil {
		return c.abandon()
	}
	c.device = Device{} // the message names it
	return c.end(status)
}

// Reshard is a copy of a vector in another layout; close it as well. What changes between blocks and cyclic places goes
// over the host.
//
// Errors: as NewSharded, and ErrInvalidArgument if the group has other devices.
func (g *Group) Reshard(v *Sharded, layout Layout) (*Sharded, error) {
	var handle C.uintptr_t
	err := g.with("sharded_reshard", []*Sharded{v}, nil, func(_ *call, group C.uintptr_t, vectors []C.uintptr_t) C.go_status {
		return C.go_sharded_reshard(group, vectors[0], C.int(layout), &handle)
	})
	return sharded(err, handle)
}
