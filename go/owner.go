package icicle

import (
	"runtime"
	"sync/atomic"
)

// owner owns one object of the library: H is its handle or address. It counts the calls that use the object, so that a
// Close in one goroutine frees nothing that a call in another still works with: the last call does it then. An owner that
// nobody closed is freed when it is unreachable.
type owner[H any] struct {
	what    string
	device  Device
	handle  H
	free    func(H) error
	state   atomic.Int64
	cleanup runtime.Cleanup
}

// closed is the bit of an owner's state that says so; the bits below count uses.
const closed = 1 << 62

// newOwner takes an object over. free must not keep the owner reachable.
func newOwner[H any](what string, device Device, handle H, free func(H) error) *owner[H] {
	o := &owner[H]{what: what, device: device, handle: handle, free: free}
	o.cleanup = runtime.AddCleanup(o, func(handle H) { _ = free(handle) }, handle)
	return o
}

// acquire begins a use: the object stays until release. It fails if Close was called.
func (o *owner[H]) acquire() bool {
	for {
		state := o.state.Load()
		if state&closed != 0 {
			return false
		}
		if o.state.CompareAndSwap(state, state+1) {
			return true
		}
	}
}

// release ends a use.
func (o *owner[H]) release() {
	if o.state.Add(-1) == closed {
		_ = o.dispose() // Close has returned: nobody is left to tell
	}
}

// close frees the object, or leaves that to the last use; further calls do nothing.
func (o *owner[H]) close() error {
	for {
		state := o.state.Load()
		if state&closed != 0 {
			return nil
		}
		if o.state.CompareAndSwap(state, state|closed) {
			if state == 0 {
				return o.dispose()
			}
			return nil
		}
	}
}

func (o *owner[H]) dispose() error {
	o.cleanup.Stop() // has not run: o, of which the next line reads, was reachable until here
	return o.free(o.handle)
}
