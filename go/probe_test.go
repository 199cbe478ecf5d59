//go:build icicle_probe

package icicle

import (
	"math"
	"runtime"
	"testing"
	"time"
)

// Codes that no call of the package can end with unless something else in the process misbehaves.
func TestCodesOfForeignCalls(t *testing.T) {
	fails(t, probeMalloc(math.MaxUint64), ErrAllocationFailed, "address space")
	fails(t, destroyStream(&streamState{stream: 0x1230}), ErrStreamDestructionFailed, "stream")
	fails(t, destroyEvent(0x1230), ErrInvalidPointer, "event")
	fails(t, deleteProgram(0x1230), ErrInvalidPointer, "program")
	s := must(NewDeviceSlice[uint32](CPU(0), 4))
	ok(t, freeDevice(s.memory.handle)) // as foreign code might
	fails(t, s.Close(), ErrInvalidDevice, "freed already")
}

// A thread on which foreign code left another device than it found.
func TestForeignCodeChangesTheThreadsDevice(t *testing.T) {
	found := devices(t, 3)
	f := field(t, "babybear")
	smallDomain(t, f, found[1])
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ok(t, probeSetDevice(found[2]))
	defer func() { ok(t, probeSetDevice(found[0])) }()
	if got := where(t, f, found); got != found[0] {
		t.Errorf("runs on %v, want %v", got, found[0])
	}
	unchanged := func() {
		t.Helper()
		if got := must(probeDevice()); got != found[2] {
			t.Errorf("the thread is left with %v, was given %v", got, found[2])
		}
	}
	unchanged()
	ok(t, found[1].Run(func() error {
		if got := must(probeDevice()); got != found[1] {
			t.Errorf("C code in Run is on %v, want %v", got, found[1])
		}
		ok(t, probeSetDevice(found[2]))
		if got := where(t, f, found); got != found[1] {
			t.Errorf("in Run on %v, want %v", got, found[1])
		}
		unchanged()
		return nil
	}))
	unchanged()
}

// A call of nothing costs less than a microsecond more than in C. What counts is the least of many short rounds: more of
// them where other processes disturb.
func TestOverheadOfACall(t *testing.T) {
	if instrumented || forceCollections {
		t.Skip("measures the plain build")
	}
	const calls, rounds, most = 500, 400, 8000
	f := field(t, "babybear")
	a, b, out := HostSlice[uint32]{1}, HostSlice[uint32]{2}, make(HostSlice[uint32], 1)
	inC, inGo := math.Inf(1), math.Inf(1)
	for round := 0; round < rounds || round < most && inGo-inC > 1000; round++ {
		inC = min(inC, probeVectorAdd(f, &a[0], &b[0], &out[0], calls))
		start := time.Now()
		for range calls {
			if err := f.VectorAdd(a, b, out, VectorOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		inGo = min(inGo, float64(time.Since(start).Nanoseconds())/calls)
	}
	t.Logf("a sum of one element: %.0f ns in C, %.0f ns in Go", inC, inGo)
	if inC < 0 || inGo-inC > 1000 {
		t.Errorf("%.0f ns in Go, %.0f ns in C: must be less than 1 µs more", inGo, inC)
	}
}

func BenchmarkVectorAddOfOne(b *testing.B) {
	f := field(b, "babybear")
	x, out := HostSlice[uint32]{1}, make(HostSlice[uint32], 1)
	for b.Loop() {
		ok(b, f.VectorAdd(x, x, out, VectorOptions{}))
	}
}
