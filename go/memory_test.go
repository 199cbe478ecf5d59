package icicle

import (
	"bytes"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"
)

func TestDeviceMemory(t *testing.T) {
	for _, d := range devices(t, 1) {
		values := []uint64{1, 2, 3, 4, 5, 6, 7, 8}
		s := must(DeviceSliceFrom(d, values))
		if s.Len() != 8 || s.Device() != d || !slices.Equal(must(s.ToHost()), values) {
			t.Fatalf("%v: %d elements, %v", s.Device(), s.Len(), must(s.ToHost()))
		}
		a := must(Attributes(s))
		if a.Device != d || !a.IsDevice || a.Bytes != 64 {
			t.Errorf("attributes of device memory: %+v", a)
		}
		view := must(s.Slice(2, 5))
		ok(t, Fill(view, 0xff, Launch{}))
		if got := must(s.ToHost()); !slices.Equal(got, []uint64{1, 2, math.MaxUint64, math.MaxUint64, math.MaxUint64, 6, 7, 8}) {
			t.Errorf("after filling elements 2 to 4: %v", got)
		}
		ok(t, must(view.Slice(1, 2)).CopyFrom([]uint64{9}))
		if got := must(view.ToHost()); got[1] != 9 || len(got) != 3 {
			t.Errorf("view of a view: %v", got)
		}
		ok(t, view.Close()) // owns nothing
		ok(t, Copy(must(s.Slice(0, 2)), must(s.Slice(6, 8)), Launch{}))
		if got := must(s.ToHost()); got[0] != 7 || got[1] != 8 {
			t.Errorf("copied within a device: %v", got)
		}
		for _, at := range []int{0, 3, 8} {
			if empty := must(s.Slice(at, at)); empty.Len() != 0 {
				t.Errorf("elements from %d to %d: %d", at, at, empty.Len())
			}
		}
		for _, bad := range [][2]int{{-1, 2}, {3, 2}, {0, 9}} {
			_, err := s.Slice(bad[0], bad[1])
			fails(t, err, ErrInvalidArgument, "range")
		}
		fails(t, s.CopyFrom(values[1:]), ErrInvalidArgument, "src holds 56 bytes: need")
		ok(t, s.Close())
		ok(t, s.Close())
		_, err := view.ToHost()
		fails(t, err, ErrInvalidPointer, "closed already")
		fails(t, Copy(s, Host(values), Launch{}), ErrInvalidPointer, "dst: device memory closed already")

		empty := must(NewDeviceSlice[uint32](d, 0))
		ok(t, empty.CopyFrom(nil))
		ok(t, empty.Close())
		_, err = NewDeviceSlice[uint32](d, -1)
		fails(t, err, ErrInvalidArgument, "n -1")
		_, err = NewDeviceSlice[uint32](d, math.MaxInt/2)
		fails(t, err, ErrInvalidArgument, "address space")
	}
	_, err := NewDeviceSlice[uint32](CPU(1<<20), 1)
	fails(t, err, ErrInvalidDevice, "cpu:1048576")
	fails(t, Fill(Host([]uint32{1}), 0, Launch{}), ErrInvalidPointer, "memset")
}

// Memory crosses devices, and belongs to one.
func TestMemoryOfTwoDevices(t *testing.T) {
	found := devices(t, 2)
	f := field(t, "koalabear")
	a, b := must(DeviceSliceFrom(found[0], []uint32{1, 2})), must(DeviceSliceFrom(found[1], []uint32{10, 20}))
	defer a.Close()
	defer b.Close()
	err := f.VectorAdd(a, b, a, VectorOptions{})
	fails(t, err, ErrInvalidPointer, "memory on cpu:1: the call runs on cpu:0")
	ok(t, Copy(a, b, Launch{}))
	stream := must(found[1].NewStream())
	defer stream.Close()
	if stream.Device() != found[1] {
		t.Errorf("stream of %v", stream.Device())
	}
	fails(t, f.VectorAdd(a, a, a, VectorOptions{Launch: Launch{Stream: stream}}), ErrInvalidPointer, "memory of cpu:0: the stream is of cpu:1")
	out := make(HostSlice[uint32], 2)
	ok(t, f.VectorAdd(b, Host([]uint32{1, 1}), out, VectorOptions{Launch: Launch{Stream: stream}}))
	if !slices.Equal(out, []uint32{11, 21}) || !slices.Equal(must(a.ToHost()), []uint32{10, 20}) {
		t.Errorf("sums %v, copy %v", out, must(a.ToHost()))
	}
	there := must(NewDeviceSliceOn[uint32](stream, 4))
	if there.Device() != found[1] {
		t.Errorf("allocated on %v", there.Device())
	}
	ok(t, there.Close())
}

func TestPinnedMemory(t *testing.T) {
	d := devices(t, 1)[0]
	p := must(NewPinnedSlice[[4]uint64](d, 3))
	data := p.Data()
	if len(data) != 3 || data[2] != [4]uint64{} {
		t.Fatalf("pinned memory of %v", data)
	}
	data[1][3] = 7
	s := must(NewDeviceSlice[[4]uint64](d, 3))
	defer s.Close()
	ok(t, Copy(s, p, Launch{}))
	if got := must(s.ToHost()); got[1][3] != 7 {
		t.Errorf("copied from pinned memory: %v", got)
	}
	if a := must(Attributes(p)); !a.IsPinned || a.IsDevice {
		t.Errorf("attributes of pinned memory: %+v", a)
	}
	ok(t, p.Close())
	ok(t, p.Close())
	if p.Data() != nil {
		t.Error("pinned memory after Close")
	}
	fails(t, Copy(s, p, Launch{}), ErrInvalidPointer, "pinned memory closed already")
	if got := must(NewPinnedSlice[uint32](d, 0)).Data(); len(got) != 0 {
		t.Errorf("no elements are %v", got)
	}
	_, err := NewPinnedSlice[byte](d, math.MaxInt)
	fails(t, err, ErrAllocationFailed, "exceeds the address space")
}

// gone says whether page-locked memory is freed within some collections.
func gone(t *testing.T, memory []byte) bool {
	t.Helper()
	for range 20 {
		runtime.GC()
		time.Sleep(time.Millisecond) // clean-ups run in a goroutine of their own
		if !must(Attributes(Host(memory))).IsPinned {
			return true
		}
	}
	return false
}

// pinned is the memory of a page-locked slice that nothing refers to when it returns.
func pinned(n int, ask bool) []byte {
	p := must(NewPinnedSlice[byte](CPU(0), n))
	if ask {
		data := p.Data()
		for i := range data {
			data[i] = byte(i)
		}
		return data
	}
	return unsafe.Slice((*byte)(p.memory.handle), n)
}

func TestPinnedDataOutlivesItsOwner(t *testing.T) {
	// What nobody asked for is freed, so the collector does come by.
	if !gone(t, pinned(4096, false)) {
		t.Fatal("memory without an owner was not freed")
	}
	data := pinned(4096, true)
	if gone(t, data) {
		t.Fatal("memory was freed though its slice is in use")
	}
	for i, x := range data {
		if x != byte(i) {
			t.Fatalf("byte %d is %d", i, x)
		}
	}
	// A second look at it, and a view of it as an operand.
	other := must(NewPinnedSlice[byte](CPU(0), len(data)))
	ok(t, Copy(other, Host(data), Launch{}))
	if got := other.Data(); !slices.Equal(got, data) {
		t.Fatal("the copy differs")
	}
	ok(t, other.Close())
}

// Element types with pointers would let the library write into the collector's memory.
func TestElementTypesHaveNoPointers(t *testing.T) {
	type point struct {
		X, Y [6]uint64
		flag [4]byte
	}
	type linked struct {
		value uint32
		next  *linked
	}
	f := field(t, "babybear")
	ok(t, f.GenerateRandom(make(HostSlice[point], 3)))
	fails(t, f.GenerateRandom(make(HostSlice[linked], 3)), ErrInvalidArgument, "linked: must be without pointers")
	fails(t, f.GenerateRandom(make(HostSlice[string], 3)), ErrInvalidArgument, "string: must be without pointers")
	_, err := NewDeviceSlice[[]uint32](CPU(0), 1)
	fails(t, err, ErrInvalidArgument, "[]uint32: must be without pointers")
	_, err = NewPinnedSlice[any](CPU(0), 1)
	fails(t, err, ErrInvalidArgument, "interface {}: must be without pointers")

	_, err = NewDeviceSlice[[2]*uint32](CPU(0), 1)
	fails(t, err, ErrInvalidArgument, "[2]*uint32: must be without pointers")
	_, err = NewDeviceSlice[uintptr](CPU(0), 1)
	ok(t, err)
	// The first and the last of the plain kinds, and elements of no bytes.
	ok(t, must(NewDeviceSlice[bool](CPU(0), 1)).Close())
	ok(t, must(NewDeviceSlice[complex128](CPU(0), 1)).Close())
	ok(t, must(NewDeviceSlice[[0]*uint32](CPU(0), 3)).Close())
	ok(t, must(NewDeviceSlice[struct{}](CPU(0), 3)).Close())

	// Numbers inside a larger object with pointers are fine: only the numbers are the library's.
	inside := &struct {
		values [2]uint32
		next   *linked
	}{next: &linked{}}
	ok(t, f.VectorAdd(Host(inside.values[:]), Host([]uint32{1, 2}), Host(inside.values[:]), VectorOptions{}))
	if inside.values != [2]uint32{1, 2} {
		t.Errorf("sums inside an object: %v", inside.values)
	}
	unaligned := make([]byte, 16)
	fails(t, f.GenerateRandom(Host(unaligned[1:5])), ErrInvalidPointer, "aligned to 4")
	aligned := make([]byte, 8)
	ok(t, f.GenerateRandom(Host(aligned)))
	if bytes.Equal(aligned, make([]byte, 8)) {
		t.Error("random elements are 0")
	}
}

func TestNilIsAnError(t *testing.T) {
	f := field(t, "babybear")
	var device *DeviceSlice[uint32]
	var pinned *PinnedSlice[uint32]
	one := HostSlice[uint32]{1}
	fails(t, f.VectorAdd(nil, one, one, VectorOptions{}), ErrInvalidPointer, "vec_a is nil")
	fails(t, f.VectorAdd(one, device, one, VectorOptions{}), ErrInvalidPointer, "vec_b: device slice is nil")
	fails(t, f.VectorAdd(one, one, pinned, VectorOptions{}), ErrInvalidPointer, "output: pinned slice is nil")
	fails(t, f.VectorAdd(one, one, &DeviceSlice[uint32]{}, VectorOptions{}), ErrInvalidPointer, "output: device slice is nil")
	fails(t, f.VectorAdd(one, one, one, VectorOptions{Launch: Launch{Async: true}}), ErrInvalidArgument, "async: needs a stream")
	fails(t, f.VectorAdd(one, one, one, VectorOptions{Launch: Launch{Stream: &Stream{}}}), ErrInvalidPointer, "stream is nil")
	ok(t, f.VectorAdd(HostSlice[uint32](nil), HostSlice[uint32](nil), HostSlice[uint32](nil), VectorOptions{}))
	ok(t, errorsOf(device.Close(), pinned.Close(), (*Stream)(nil).Close(), (*Event)(nil).Close(), (*Program)(nil).Close()))
	_, err := device.ToHost()
	fails(t, err, ErrInvalidPointer, "nil")
	_, err = device.Slice(0, 0)
	fails(t, err, ErrInvalidPointer, "nil")
	_, err = (*Event)(nil).Query()
	fails(t, err, ErrInvalidPointer, "event is nil")
	fails(t, (*Stream)(nil).Synchronize(), ErrInvalidPointer, "stream is nil")
	fails(t, (*Stream)(nil).WaitEvent(nil), ErrInvalidPointer, "event is nil")
	fails(t, (*Event)(nil).Record(nil), ErrInvalidPointer, "event is nil")
	fails(t, f.Execute(nil, nil, VectorOptions{}), ErrInvalidPointer, "program is nil")
	if device.Len() != 0 || device.Device() != (Device{}) || pinned.Data() != nil || (*Stream)(nil).Device() != (Device{}) {
		t.Error("nil owners have something")
	}
}

// Exactly with the tag icicle_debug, a call collects before and after.
func TestTheDebugTagForcesCollections(t *testing.T) {
	f, x := field(t, "babybear"), HostSlice[uint32]{1}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ok(t, f.VectorAdd(x, x, x, VectorOptions{}))
	runtime.ReadMemStats(&after)
	if forced := after.NumForcedGC - before.NumForcedGC; (forced >= 2) != forceCollections || !forceCollections && forced > 0 {
		t.Errorf("%d collections forced by a call, with the tag: %v", forced, forceCollections)
	}
}
