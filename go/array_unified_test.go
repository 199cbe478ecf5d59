package icicle

import (
	"errors"
	"os"
	"strconv"
	"testing"
)

// Of GPUs there must be as many as ICICLE_TEST_GPUS says.
func TestUnifiedMemory(t *testing.T) {
	x := must(must(ArrayFrom([]int32{1, 2, 3, 4, 5, 6}, 2, 3)).MatrixTranspose())
	gpus := 0
	for _, device := range devices(t, 2) {
		isGPU := device.Type == "CUDA"
		if isGPU {
			gpus++
		}
		there, err := x.ToUnified(device)
		if isGPU && errors.Is(err, ErrUnsupported) {
			t.Log(err) // no managed memory that it uses while the host does
			continue
		}
		ok(t, err)
		ok(t, there.Prefetch())
		if info := must(there.Info()); info.Device != device || !info.IsDense || !must(there.IsUnified()) {
			t.Errorf("%+v, must be dense in unified memory on %v", info, device)
		}
		sum := must(there.Binary(BinaryAdd, there))
		if info := must(sum.Info()); info.Device != device || must(sum.IsUnified()) == isGPU {
			t.Errorf("sum of arrays on %v: %+v", device, info)
		}
		holds(t, sum, []int{3, 2}, int32(2), 8, 4, 10, 6, 12)
		before := must(CPU(1).MemoryStats()).Used
		here := must(there.SharedWith(CPU(1)))
		if after := must(CPU(1).MemoryStats()).Used; after > before {
			t.Errorf("%d bytes more on %v: must be no copy", after-before, CPU(1))
		}
		holds(t, there, []int{3, 2}, int32(1), 4, 2, 5, 3, 6) // and closes it: the memory stays with the other
		ok(t, here.Prefetch())
		if info := must(here.Info()); info.Device != CPU(1) || !must(here.IsUnified()) {
			t.Errorf("%+v, must be in unified memory on %v", info, CPU(1))
		}
		holds(t, must(here.Binary(BinaryAdd, here)), []int{3, 2}, int32(2), 8, 4, 10, 6, 12)
		holds(t, here, []int{3, 2}, int32(1), 4, 2, 5, 3, 6)
		if isGPU {
			own := must(must(x.ToDevice(device)).Copy())
			if must(own.IsUnified()) {
				t.Errorf("own memory of %v: must not be unified", device)
			}
			fails(t, own.Prefetch(), ErrInvalidArgument, "must be in unified memory")
			_, err = own.SharedWith(CPU(0))
			fails(t, err, ErrInvalidArgument, "must be in unified memory")
		}
	}
	if wanted := os.Getenv("ICICLE_TEST_GPUS"); wanted != "" && gpus < must(strconv.Atoi(wanted)) {
		t.Errorf("%d GPUs, ICICLE_TEST_GPUS asks for %s", gpus, wanted)
	}
	_, err := x.ToUnified(CPU(99))
	fails(t, err, ErrInvalidDevice, "99")
	_, err = x.SharedWith(Device{"CPU", -1})
	fails(t, err, ErrInvalidDevice, "index must be 0")
	ok(t, x.Close())
	_, err = x.ToUnified(CPU(0))
	fails(t, err, ErrInvalidPointer, "to_unified: array: closed already")
	_, err = x.SharedWith(CPU(0))
	fails(t, err, ErrInvalidPointer, "shared_with: array: closed already")
	_, err = x.IsUnified()
	fails(t, err, ErrInvalidPointer, "is_unified: array: closed already")
	fails(t, x.Prefetch(), ErrInvalidPointer, "prefetch: array: closed already")
}
