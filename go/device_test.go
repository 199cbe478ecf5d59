package icicle

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestDevices(t *testing.T) {
	found := devices(t, 1)
	for i, d := range found {
		info := must(d.Info())
		if info.Name == "" || info.Units < 1 || d.Type == "CPU" && !info.UsesHostMemory {
			t.Errorf("%v: %+v", d, info)
		}
		for _, line := range strings.Split(must(d.Facts()), "\n") {
			if name, value, found := strings.Cut(line, "="); !found || name == "" || value == "" || strings.ContainsAny(line, "\x00\r") {
				t.Errorf("%v: fact %q", d, line)
			}
		}
		if !must(d.CanAccessPeer(d)) {
			t.Errorf("%v: cannot read its own memory", d)
		}
		ok(t, d.Synchronize())
		ok(t, d.Trim(0))
		for _, other := range found[:i] {
			if other == d {
				t.Errorf("%v is listed twice", d)
			}
		}
	}
	if kinds := must(DeviceTypes()); kinds[len(kinds)-1] != "CPU" {
		t.Errorf("types %v: the CPU must be last", kinds)
	}
	if strings.Count(Version(), ".") != 2 {
		t.Errorf("version %q", Version())
	}
	if got := CUDA(3).String(); got != "cuda:3" {
		t.Errorf("CUDA(3) is %q", got)
	}
}

func TestMemoryLimit(t *testing.T) {
	d := devices(t, 1)[0]
	before := must(d.MemoryStats())
	ok(t, d.SetMemoryLimit(before.Used+1<<20))
	defer func() { ok(t, d.SetMemoryLimit(math.MaxUint64)) }()
	_, err := NewDeviceSlice[byte](d, 2<<20)
	fails(t, err, ErrOutOfMemory, "malloc")
	var full *Error
	if !errors.As(err, &full) || full.Device != d || full.Op != "malloc" || full.Code != ErrOutOfMemory {
		t.Errorf("error %+v", full)
	}
	s := must(NewDeviceSlice[byte](d, 1<<19))
	now := must(d.MemoryStats())
	if now.Used < before.Used+1<<19 || now.Limit != before.Used+1<<20 || now.HighWater < now.Used || now.Allocations != before.Allocations+1 {
		t.Errorf("stats %+v, before %+v", now, before)
	}
	ok(t, s.Close())
}

// where is the device that a call with nothing but host memory runs on: the one whose domain it finds.
func where(t *testing.T, f Field, found []Device) Device {
	t.Helper()
	one := HostSlice[uint32]{1, 0}
	err := f.NTT(one, Forward, one, NTTOptions{})
	if err == nil {
		return found[1]
	}
	var full *Error
	if !errors.As(err, &full) {
		t.Fatal(err)
	}
	return full.Device
}

func TestRun(t *testing.T) {
	found := devices(t, 3)
	f := field(t, "babybear")
	smallDomain(t, f, found[1]) // where() finds it on this device alone
	on := func(want Device) {
		t.Helper()
		if got := where(t, f, found); got != want {
			t.Errorf("runs on %v, want %v", got, want)
		}
	}
	on(found[0])
	boom := errors.New("boom")
	ran := false
	err := found[1].Run(func() error {
		ran = true
		on(found[1])
		ok(t, found[2].Run(func() error { on(found[2]); return nil }))
		on(found[1])
		return boom
	})
	if !ran || !errors.Is(err, boom) {
		t.Errorf("Run returned %v", err)
	}
	on(found[0])
	err = found[2].Run(func() error { panic(boom) })
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), "TestRun") {
		t.Errorf("a panic became %v", err)
	}
	on(found[0])
	if err = found[2].Run(func() error { panic("text") }); err == nil || !strings.Contains(err.Error(), "panic: text") {
		t.Errorf("a panic became %v", err)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		_ = found[2].Run(func() error { runtime.Goexit(); return nil })
	}()
	<-done
	on(found[0])
	fails(t, CPU(77).Run(func() error { t.Error("must not run"); return nil }), ErrInvalidDevice, "cpu:77")
	fails(t, found[0].Run(nil), ErrInvalidArgument, "f is nil")

	ok(t, SetDefaultDevice(found[2]))
	on(found[2])
	ok(t, found[1].Run(func() error { on(found[1]); return nil }))
	fails(t, SetDefaultDevice(CPU(77)), ErrInvalidDevice, "cpu:77")
	fails(t, SetLibraryPath("abacus", "/dev/null"), ErrInvalidArgument, `must be one of ["NVRTC"`)
	fails(t, SetLibraryPath("nvrtc", "/nowhere"), ErrInvalidArgument, "path /nowhere: must be a file")
	fails(t, SetLibraryPath("nvrtc", "a\x00b"), ErrInvalidArgument, "0")
	on(found[2])
	ok(t, SetDefaultDevice(found[0]))
	on(found[0])
}

// Many goroutines, each with its device, on few threads.
func TestGoroutinesKeepTheirDevice(t *testing.T) {
	found := devices(t, 3)
	f := field(t, "babybear")
	smallDomain(t, f, found[1])
	var group sync.WaitGroup
	for i := range 48 {
		want := found[i%3]
		group.Add(1)
		go func() {
			defer group.Done()
			for range 20 {
				if got := where(t, f, found); got != found[0] {
					t.Errorf("outside Run on %v", got)
				}
				ok := want.Run(func() error {
					for range 5 {
						runtime.Gosched()
						if got := where(t, f, found); got != want {
							t.Errorf("in Run of %v on %v", want, got)
						}
					}
					return nil
				})
				if ok != nil {
					t.Error(ok)
				}
			}
		}()
	}
	group.Wait()
}

func TestDeviceNames(t *testing.T) {
	for _, bad := range []Device{{}, {"ABACUS", 0}, CPU(-1), CPU(1 << 40), CPU(1 << 20), {strings.Repeat("C", 64), 0}, {"CPU\x00", 0}} {
		_, err := bad.Info()
		fails(t, err, ErrInvalidDevice, "")
		_, err = bad.MemoryStats()
		fails(t, err, ErrInvalidDevice, "")
		_, err = bad.Facts()
		fails(t, err, ErrInvalidDevice, "")
		_, err = bad.NewStream()
		fails(t, err, ErrInvalidDevice, "")
		_, err = bad.NewEvent(false)
		fails(t, err, ErrInvalidDevice, "")
		_, err = CPU(0).CanAccessPeer(bad)
		fails(t, err, ErrInvalidDevice, "")
		_, err = bad.CanAccessPeer(CPU(0))
		fails(t, err, ErrInvalidDevice, "")
		_, err = bad.Supports(OpNTT, Fields()[0])
		fails(t, err, ErrInvalidDevice, "")
		_, err = NewPinnedSlice[uint32](bad, 1)
		fails(t, err, ErrInvalidDevice, "")
		fails(t, bad.SetMemoryLimit(1), ErrInvalidDevice, "")
		fails(t, bad.Trim(0), ErrInvalidDevice, "")
		fails(t, bad.Synchronize(), ErrInvalidDevice, "")
		fails(t, bad.ReleaseDomain(Fields()[0]), ErrInvalidDevice, "")
	}
	// What C has no room for is refused here, up to the last byte and index; the rest is for the library to judge.
	for _, bad := range []struct {
		device Device
		here   bool
	}{
		{Device{strings.Repeat("C", 64), 0}, true},
		{Device{strings.Repeat("C", 63), 0}, false},
		{Device{"\x00CPU", 0}, true},
		{CPU(-1), true},
		{CPU(math.MaxInt32), false},
		{CPU(math.MaxInt32 + 1), true},
	} {
		_, err := bad.device.Info()
		if here := strings.Contains(err.Error(), "must be below 64 bytes") || strings.Contains(err.Error(), "index must be 0 to"); here != bad.here {
			t.Errorf("%q: %v", bad.device.Type, err)
		}
	}
}
