package icicle

// #include "shim.h"
//
// static go_status go_event_create(go_place at, bool timing, uintptr_t *handle) {
//   void *made = NULL;
//   GO_CALL(at, go_keep(icicle_event_create(&made, timing), &made, handle));
// }
// static go_status go_event_destroy(uintptr_t event) { GO_PLAIN(icicle_event_destroy((void *)event)); }
// static go_status go_event_record(uintptr_t event, uintptr_t stream) {
//   GO_PLAIN(icicle_event_record((void *)event, (void *)stream));
// }
// static go_status go_stream_wait_event(uintptr_t stream, uintptr_t event) {
//   GO_PLAIN(icicle_stream_wait_event((void *)stream, (void *)event));
// }
// static go_status go_event_query(uintptr_t event, bool *reached) { GO_PLAIN(icicle_event_query((void *)event, reached)); }
// static go_status go_event_synchronize(uintptr_t event) { GO_PLAIN(icicle_event_synchronize((void *)event)); }
// static go_status go_event_elapsed_ms(uintptr_t start, uintptr_t end, float *ms) {
//   GO_PLAIN(icicle_event_elapsed_ms((void *)start, (void *)end, ms));
// }
import "C"

import "time"

// Event marks a point in a stream's work.
type Event struct {
	owner *owner[uintptr]
}

// NewEvent creates an event; timing lets it measure. Close destroys it.
//
// Errors: ErrInvalidDevice, ErrStreamCreationFailed.
func (d Device) NewEvent(timing bool) (*Event, error) {
	const op = "event_create"
	at, err := d.place(op)
	if err != nil {
		return nil, err
	}
	var handle C.uintptr_t
	if err := check(op, d, C.go_event_create(at, C.bool(timing), &handle)); err != nil {
		return nil, err
	}
	return &Event{newOwner("event", d, uintptr(handle), destroyEvent)}, nil
}

func destroyEvent(event uintptr) error {
	return check("event_destroy", Device{}, C.go_event_destroy(C.uintptr_t(event)))
}

// Device is whose streams the event marks; the zero Device for a nil event.
func (e *Event) Device() Device {
	if e == nil || e.owner == nil {
		return Device{}
	}
	return e.owner.device
}

func (e *Event) use(op string) (*owner[uintptr], error) {
	if e == nil || e.owner == nil {
		return nil, fail(ErrInvalidPointer, op, "event is nil")
	}
	if !e.owner.acquire() {
		return nil, fail(ErrInvalidPointer, op, "event of %v: closed already", e.owner.device)
	}
	return e.owner, nil
}

// with calls f with the handles of a live event and stream.
func (e *Event) with(op string, s *Stream, f func(event, stream C.uintptr_t) C.go_status) error {
	event, err := e.use(op)
	if err != nil {
		return err
	}
	defer event.release()
	stream, err := s.use(op)
	if err != nil {
		return err
	}
	defer stream.release()
	return check(op, stream.device, f(C.uintptr_t(event.handle), C.uintptr_t(stream.handle.stream)))
}

// Record marks the end of the work now in a stream of the event's device; an earlier mark is forgotten.
//
// Errors: ErrInvalidPointer if either is closed, ErrInvalidArgument if the stream is another device's.
func (e *Event) Record(s *Stream) error {
	const op = "event_record"
	// A stream of a CPU has no handle that the library could tell from another's.
	if e.Device() != s.Device() {
		return fail(ErrInvalidArgument, op, "stream of %v: the event is of %v", s.Device(), e.Device())
	}
	return e.with(op, s, func(event, stream C.uintptr_t) C.go_status { return C.go_event_record(event, stream) })
}

// WaitEvent lets later work of the stream wait for the event, which may be another device's.
//
// Errors: ErrInvalidPointer if either is closed, ErrSynchronizationFailed.
func (s *Stream) WaitEvent(e *Event) error {
	const op = "stream_wait_event"
	if s != nil && s.owner != nil && s.owner.handle.stream == 0 {
		return e.Synchronize() // a CPU's later work runs when it is called
	}
	return e.with(op, s, func(event, stream C.uintptr_t) C.go_status {
		return C.go_stream_wait_event(stream, event)
	})
}

// Query says whether the work before the mark is done; true of an event never recorded.
//
// Errors: ErrInvalidPointer if closed, ErrSynchronizationFailed if work failed.
func (e *Event) Query() (bool, error) {
	const op = "event_query"
	o, err := e.use(op)
	if err != nil {
		return false, err
	}
	defer o.release()
	var reached C.bool
	err = check(op, o.device, C.go_event_query(C.uintptr_t(o.handle), &reached))
	return bool(reached), err
}

// Synchronize waits for the work before the mark. Host memory of asynchronous calls stays held until their stream is
// synchronized.
//
// Errors: as Query.
func (e *Event) Synchronize() error {
	const op = "event_synchronize"
	o, err := e.use(op)
	if err != nil {
		return err
	}
	defer o.release()
	return check(op, o.device, C.go_event_synchronize(C.uintptr_t(o.handle)))
}

// Elapsed is the time from the mark of e to that of end, negative if end came first.
//
// Errors: ErrInvalidArgument for events without timing, never recorded, or of two devices; ErrInvalidPointer if closed.
func (e *Event) Elapsed(end *Event) (time.Duration, error) {
	const op = "event_elapsed_ms"
	from, err := e.use(op)
	if err != nil {
		return 0, err
	}
	defer from.release()
	to, err := end.use(op)
	if err != nil {
		return 0, err
	}
	defer to.release()
	var ms C.float
	err = check(op, from.device, C.go_event_elapsed_ms(C.uintptr_t(from.handle), C.uintptr_t(to.handle), &ms))
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}

// Close destroys the event, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (e *Event) Close() error {
	if e == nil || e.owner == nil {
		return nil
	}
	return e.owner.close()
}
