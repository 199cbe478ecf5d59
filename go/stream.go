package icicle

// #include "shim.h"
//
// static go_status go_create_stream(go_place at, uintptr_t *handle) {
//   void *made = NULL;
//   GO_CALL(at, go_keep(icicle_create_stream(&made), &made, handle));
// }
// static go_status go_destroy_stream(uintptr_t handle) { GO_PLAIN(icicle_destroy_stream((void *)handle)); }
// static go_status go_stream_synchronize(go_place at, uintptr_t handle) {
//   GO_CALL(at, icicle_stream_synchronize((void *)handle));
// }
import "C"

import "sync"

// Stream is a queue of work on a device, done in order. On the CPU every call is complete when it returns, and a stream
// only names its device.
type Stream struct {
	owner *owner[*streamState]
}

// streamState outlives the Stream if that is dropped while work is in it.
type streamState struct {
	stream uintptr
	mu     sync.Mutex
	// held are the asynchronous calls whose memory the library may still use.
	held []*call
}

// hold keeps a call's memory until the work enqueued so far is done.
func (s *streamState) hold(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, c)
}

// take returns what is held, to be released after the wait: what is enqueued meanwhile is the next wait's.
func (s *streamState) take() []*call {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.held
	s.held = nil
	return held
}

func releaseAll(held []*call) {
	for _, c := range held {
		c.release()
	}
}

// NewStream creates a stream. Close destroys it.
//
// Errors: ErrInvalidDevice, ErrStreamCreationFailed.
func (d Device) NewStream() (*Stream, error) {
	const op = "create_stream"
	at, err := d.place(op)
	if err != nil {
		return nil, err
	}
	var handle C.uintptr_t
	if err := check(op, d, C.go_create_stream(at, &handle)); err != nil {
		return nil, err
	}
	return &Stream{newOwner("stream", d, &streamState{stream: uintptr(handle)}, destroyStream)}, nil
}

func destroyStream(s *streamState) error {
	err := check("destroy_stream", Device{}, C.go_destroy_stream(C.uintptr_t(s.stream)))
	releaseAll(s.take()) // the library has waited for the work
	return err
}

// use acquires a stream for a call.
func (s *Stream) use(op string) (*owner[*streamState], error) {
	if s == nil || s.owner == nil {
		return nil, fail(ErrInvalidPointer, op, "stream is nil")
	}
	if !s.owner.acquire() {
		return nil, fail(ErrInvalidPointer, op, "stream of %v: closed already", s.owner.device)
	}
	return s.owner, nil
}

// Device is where the stream's work runs; the zero Device for a nil stream.
func (s *Stream) Device() Device {
	if s == nil || s.owner == nil {
		return Device{}
	}
	return s.owner.device
}

// Synchronize waits for the work enqueued so far.
//
// Errors: ErrInvalidPointer if closed, ErrSynchronizationFailed if work failed.
func (s *Stream) Synchronize() error {
	const op = "stream_synchronize"
	o, err := s.use(op)
	if err != nil {
		return err
	}
	defer o.release()
	at, err := o.device.place(op)
	if err != nil {
		return err
	}
	held := o.handle.take()
	err = check(op, o.device, C.go_stream_synchronize(at, C.uintptr_t(o.handle.stream)))
	releaseAll(held)
	return err
}

// Close waits for the stream's work and destroys it, once no call uses it. Further calls do nothing.
//
// Errors: ErrStreamDestructionFailed; ErrSynchronizationFailed if its work failed, and it is destroyed all the same.
func (s *Stream) Close() error {
	if s == nil || s.owner == nil {
		return nil
	}
	return s.owner.close()
}
