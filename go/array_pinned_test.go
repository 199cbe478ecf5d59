package icicle

import "testing"

// Where there is a GPU, copies from and to it, too.
func TestPinnedArrays(t *testing.T) {
	x := must(must(ArrayFrom([]int32{1, 2, 3, 4, 5, 6}, 2, 3)).MatrixTranspose())
	isGPU := false
	for _, device := range devices(t, 1) {
		isGPU = isGPU || device.Type == "CUDA"
	}
	for _, device := range devices(t, 2) {
		there := must(x.ToDevice(device))
		pinned := must(there.ToPinned())
		want := device
		if device.Type == "CUDA" {
			want = CPU(0)
		}
		if info := must(pinned.Info()); info.Device != want || !info.IsDense || must(pinned.IsPinned()) != isGPU {
			t.Errorf("%+v, must be dense on %v and page-locked if there is a GPU", info, want)
		}
		holds(t, must(pinned.ToDevice(device)), []int{3, 2}, int32(1), 4, 2, 5, 3, 6)
		sum := must(pinned.Binary(BinaryAdd, pinned))
		if must(sum.IsPinned()) || must(there.IsPinned()) {
			t.Error("what was not asked for must not be page-locked")
		}
		holds(t, sum, []int{3, 2}, int32(2), 8, 4, 10, 6, 12)
		ok(t, pinned.Close())
		ok(t, there.Close())
	}
	ok(t, x.Close())
	_, err := x.ToPinned()
	fails(t, err, ErrInvalidPointer, "to_pinned: array: closed already")
	_, err = x.IsPinned()
	fails(t, err, ErrInvalidPointer, "is_pinned: array: closed already")
}
