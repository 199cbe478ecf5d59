package icicle

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"
)

func errorsOf(errs ...error) error { return errors.Join(errs...) }

// A chain of asynchronous calls whose operands nobody else holds, on every device.
func TestAsynchronousCalls(t *testing.T) {
	f := field(t, "goldilocks")
	for _, d := range devices(t, 1) {
		stream := must(d.NewStream())
		launch := Launch{Stream: stream, Async: true}
		out := make(HostSlice[uint64], 1000)
		for round := range uint64(10) {
			a, b := make(HostSlice[uint64], 1000), make(HostSlice[uint64], 1000)
			for i := range a {
				a[i], b[i] = uint64(i), round
			}
			here := must(NewDeviceSlice[uint64](d, 1000))
			ok(t, Copy(here, a, launch))
			ok(t, f.VectorMul(here, b, here, VectorOptions{Launch: launch}))
			ok(t, Copy(out, here, launch))
			ok(t, here.Close()) // frees when the stream is done with it
			a, b, here = nil, nil, nil
			runtime.GC()
			ok(t, stream.Synchronize())
			if out[999] != 999*round || out[1] != round {
				t.Fatalf("%v: round %d gave %v", d, round, out[990:])
			}
		}
		ok(t, f.VectorAdd(out, out, out, VectorOptions{Launch: launch}))
		ok(t, stream.Close())
		ok(t, stream.Close())
		fails(t, stream.Synchronize(), ErrInvalidPointer, "closed already")
		fails(t, Copy(out, out, launch), ErrInvalidPointer, "closed already")
		if out[2] != 36 {
			t.Errorf("%v: %d after Close, want 36", d, out[2])
		}
	}
}

// What an asynchronous call uses stays until its stream is synchronized, and no longer.
func TestAStreamHoldsWhatItUses(t *testing.T) {
	d := devices(t, 1)[0]
	stream := must(d.NewStream())
	before := must(d.MemoryStats()).Allocations
	s := must(NewDeviceSlice[uint32](d, 8))
	ok(t, Fill(s, 1, Launch{Stream: stream, Async: true}))
	ok(t, s.Close())
	if got := must(d.MemoryStats()).Allocations; got != before+1 {
		t.Errorf("%d allocations while the stream uses one, %d before", got, before)
	}
	ok(t, stream.Synchronize())
	if got := must(d.MemoryStats()).Allocations; got != before {
		t.Errorf("%d allocations after the stream is done, %d before", got, before)
	}
	// A dropped stream lets go, too, also of Go memory it pinned.
	s = must(NewDeviceSlice[uint32](d, 8))
	ok(t, Copy(s, make(HostSlice[uint32], 8), Launch{Stream: stream, Async: true}))
	ok(t, s.Close())
	s, stream = nil, nil
	eventually(t, "the dropped stream's memory", func() bool { return must(d.MemoryStats()).Allocations == before })
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 200 {
		runtime.GC()
		if done() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%s is never let go", what)
}

// Owners that nobody closed are freed when they are unreachable; views keep their memory.
func TestForgottenOwnersAreFreed(t *testing.T) {
	d := devices(t, 1)[0]
	runtime.GC()
	before := must(d.MemoryStats()).Allocations
	view := func() *DeviceSlice[uint32] {
		for range 10 {
			must(NewDeviceSlice[uint32](d, 100))
			must(NewPinnedSlice[uint32](d, 100))
			must(d.NewEvent(false))
		}
		return must(must(DeviceSliceFrom(d, []uint32{1, 2, 3})).Slice(1, 3))
	}()
	eventually(t, "device memory", func() bool { return must(d.MemoryStats()).Allocations == before+1 })
	if got := must(view.ToHost()); !slices.Equal(got, []uint32{2, 3}) {
		t.Errorf("the view shows %v", got)
	}
	view = nil
	eventually(t, "the view's memory", func() bool { return must(d.MemoryStats()).Allocations == before })

	data := must(NewPinnedSlice[uint32](d, 1<<16)).Data()
	for range 5 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	data[1<<15] = 1 // once handed out as a slice, pinned memory stays
}

// Close while calls use the object: none fails but with an error, nothing is freed under it.
func TestCloseWhileInUse(t *testing.T) {
	f, d := field(t, "babybear"), devices(t, 1)[0]
	for range 50 {
		s := must(DeviceSliceFrom(d, make([]uint32, 1000)))
		results := make(chan error)
		for range 4 {
			go func() {
				var err error
				for err == nil {
					err = f.VectorAdd(s, s, s, VectorOptions{})
				}
				results <- err
			}()
		}
		time.Sleep(time.Millisecond)
		ok(t, s.Close())
		for range 4 {
			fails(t, <-results, ErrInvalidPointer, "closed already")
		}
	}
}

func TestEvents(t *testing.T) {
	found := devices(t, 2)
	stream, other := must(found[0].NewStream()), must(found[1].NewStream())
	defer stream.Close()
	defer other.Close()
	start, end := must(found[0].NewEvent(true)), must(found[0].NewEvent(true))
	if !must(start.Query()) {
		t.Error("an event never recorded must count as reached")
	}
	_, err := start.Elapsed(end)
	fails(t, err, ErrInvalidArgument, "never recorded")
	ok(t, start.Record(stream))
	time.Sleep(2 * time.Millisecond)
	ok(t, end.Record(stream))
	ok(t, end.Synchronize())
	if ms := must(start.Elapsed(end)); ms < 2*time.Millisecond || ms > time.Minute {
		t.Errorf("%v between the events", ms)
	}
	ok(t, other.WaitEvent(start))
	fails(t, start.Record(other), ErrInvalidArgument, "stream of cpu:1: the event is of cpu:0")
	plain := must(found[0].NewEvent(false))
	ok(t, plain.Record(stream))
	_, err = plain.Elapsed(end)
	fails(t, err, ErrInvalidArgument, "without timing")
	ok(t, errorsOf(plain.Close(), start.Close(), start.Close()))
	_, err = start.Query()
	fails(t, err, ErrInvalidPointer, "closed already")
	_, err = end.Elapsed(start)
	fails(t, err, ErrInvalidPointer, "closed already")
	fails(t, other.WaitEvent(plain), ErrInvalidPointer, "closed already")
	ok(t, end.Close())
}
