package icicle

// #include "shim.h"
import "C"

import (
	"math"
	"runtime"
	"sync"
)

// Launch says where and how a call runs. The zero Launch runs on the device of the call's device memory, else on that
// of the surrounding Device.Run, else on the default device, and returns when the work is done.
type Launch struct {
	// Stream to enqueue on; the call runs on its device, and so must all device memory be.
	Stream *Stream
	// Async returns once the work is enqueued, on GPUs. Until Stream.Synchronize, or an event recorded after the call is
	// reached, inputs must stay as they are, and outputs are not to be read; the call keeps the memory itself alive. Work
	// that fails later is the error of the call that waits for it. It needs a Stream; on the CPU it changes nothing.
	Async bool
}

// arg is an operand with the name that errors call it by.
type arg struct {
	name  string
	slice Slice
}

// call is one call into the library: where it runs, and what it uses until the work is done. The first failure is kept in
// err; what follows then does nothing.
type call struct {
	op     string
	err    error
	at     C.go_place
	device Device // the zero Device if only the library knows
	launch *owner[*streamState]
	async  bool
	args   []operand
	few    [4]operand // what args lies in, if it fits
	pinner runtime.Pinner
}

// calls are those that are over: a new one would be the better part of a small call's cost.
var calls = sync.Pool{New: func() any { return new(call) }}

// begin takes the operands of a call, and keeps them and the stream from being freed. After the checks, either end follows
// with the call's status, or abandon if err is set.
func begin(op string, launch Launch, args ...arg) *call {
	c := calls.Get().(*call)
	c.op, c.at, c.async = op, ambient(), launch.Async
	if c.args = c.few[:]; len(args) > len(c.few) {
		c.args = make([]operand, len(args))
	}
	c.args = c.args[:len(args)]
	if launch.Stream != nil {
		if c.launch, c.err = launch.Stream.use(op); c.err == nil {
			c.device = c.launch.device
			c.at, c.err = c.device.place(op)
		}
	} else if launch.Async {
		c.fail(ErrInvalidArgument, "async: needs a stream to wait for")
	}
	for i, a := range args {
		c.use(i, a)
	}
	collect()
	return c
}

// collect, with the tag icicle_debug, makes memory that the call did not keep alive go before and after it: it waits until what
// was unreachable has been freed, however few threads there are.
func collect() {
	if forceCollections {
		freed := make(chan struct{})
		runtime.AddCleanup(new(chan struct{}), func(freed chan struct{}) { close(freed) }, freed)
		runtime.GC()
		<-freed
	}
}

// fail keeps the first failure.
func (c *call) fail(code Code, format string, args ...any) {
	if c.err == nil {
		c.err = fail(code, c.op, format, args...)
	}
}

// use takes an operand.
func (c *call) use(i int, a arg) {
	switch {
	case c.err != nil:
		return
	case a.slice == nil:
		c.fail(ErrInvalidPointer, "%s is nil", a.name)
		return
	}
	o := a.slice.operand()
	o.name = a.name
	switch {
	case o.problem != "":
		c.fail(o.code, "%s: %s", a.name, o.problem)
		return
	case o.owner != nil && !o.owner.acquire():
		c.fail(ErrInvalidPointer, "%s: %s closed already", a.name, o.owner.what)
		return
	}
	c.args[i] = o
	switch {
	case o.onDevice && c.launch != nil && c.device != o.owner.device:
		c.fail(ErrInvalidPointer, "%s: memory of %v: the stream is of %v; copy it there, or use a stream of %[2]v",
			a.name, o.owner.device, c.device)
	case o.onDevice && c.device == (Device{}):
		c.device = o.owner.device
	case c.async && o.owner == nil && o.bytes > 0:
		c.pinner.Pin(o.ptr)
	}
}

// on makes the call run on a device, whatever the surroundings.
func (c *call) on(d Device) {
	at, err := d.place(c.op)
	if c.err == nil {
		c.err = err
	}
	c.at, c.device = at, d
}

// hostOnly refuses device memory: the call computes on the host.
func (c *call) hostOnly() {
	for _, o := range c.args {
		if o.onDevice {
			c.fail(ErrInvalidPointer, "%s: memory of %v: must be the host's", o.name, o.owner.device)
		}
	}
}

// ptr is an operand's address as C takes it.
func (c *call) ptr(i int) *C.uint8_t { return (*C.uint8_t)(c.args[i].ptr) }

func (c *call) onDevice(i int) C.bool { return C.bool(c.args[i].onDevice) }

// stream is the stream's handle as C takes it.
func (c *call) stream() C.uintptr_t {
	if c.launch == nil {
		return 0
	}
	return C.uintptr_t(c.launch.handle.stream)
}

// end finishes a call that was made.
func (c *call) end(status C.go_status) error {
	collect()
	err := check(c.op, c.device, status)
	if !c.async {
		c.release()
		return err
	}
	// Also after an error: part of the work may be enqueued. What the stream holds must not hold the stream.
	stream := c.launch
	c.launch = nil
	stream.handle.hold(c)
	stream.release()
	return err
}

// abandon gives up a call that was not made.
func (c *call) abandon() error {
	err := c.err
	c.release()
	return err
}

// release lets the operands go, and the stream. The call is over, and must not be used again.
func (c *call) release() {
	for i := range c.args {
		if owner := c.args[i].owner; owner != nil {
			owner.release()
		}
	}
	if c.async {
		c.pinner.Unpin()
	}
	if c.launch != nil {
		c.launch.release()
	}
	*c = call{} // Go memory, too, was used until here
	calls.Put(c)
}

// field looks the call's field up.
func (c *call) field(f Field) FieldInfo {
	info, err := f.info(c.op)
	if c.err == nil {
		c.err = err
	}
	return info
}

// curve looks the call's curve group up.
func (c *call) curve(g Curve) CurveInfo {
	info, err := g.info(c.op)
	if c.err == nil {
		c.err = err
	}
	return info
}

// need checks that operand i holds as many elements as the factors' product, of so many bytes each.
func (c *call) need(i, bytes int, factors ...int) {
	if c.err != nil {
		return
	}
	o, n := &c.args[i], bytes
	for _, factor := range factors {
		if factor < 0 || factor > 0 && n > math.MaxInt/factor {
			c.fail(ErrInvalidArgument, "%s of %d elements: must be within the address space", o.name, append([]int{}, factors...))
			return
		}
		n *= factor
	}
	if o.bytes != n {
		c.fail(ErrInvalidArgument, "%s holds %d bytes: need %d elements, %d bytes", o.name, o.bytes, n/bytes, n)
	}
}

// count is how many elements of so many bytes each of batch parts of operand i has.
func (c *call) count(i, bytes, batch int) int {
	if c.err != nil {
		return 0
	}
	got, name := c.args[i].bytes, c.args[i].name
	switch {
	case got%bytes != 0:
		c.fail(ErrInvalidArgument, "%s holds %d bytes: must be a multiple of an element's %d", name, got, bytes)
	case got/bytes%batch != 0:
		c.fail(ErrInvalidArgument, "%s holds %d elements: must be a multiple of %d", name, got/bytes, batch)
	}
	return got / bytes / batch
}

// parts is an option where 0 stands for the library's default of 1; the library refuses what is below.
func parts(option int) int { return max(option, 1) }

// integer is a count as C takes it.
func (c *call) integer(name string, value int) C.int32_t {
	if value < math.MinInt32 || value > math.MaxInt32 {
		c.fail(ErrInvalidArgument, "%s %d: must be at most %d", name, value, math.MaxInt32)
	}
	return C.int32_t(value)
}
