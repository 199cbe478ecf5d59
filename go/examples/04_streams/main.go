// Command 04_streams lets two streams of a device work side by side: one squares a vector, the other waits for an event
// of the first before it adds. On a GPU nothing waits on the host until the end; on the CPU every call is complete when
// it returns, and the program is the same.
package main

import (
	"fmt"
	"log"

	"icicle"
)

const n = 1 << 16

func main() {
	field, err := icicle.FieldByName("babybear")
	check(err)
	devices, err := icicle.Devices()
	check(err)
	device := devices[0]
	first, err := device.NewStream()
	check(err)
	second, err := device.NewStream()
	check(err)
	squared, err := device.NewEvent(false)
	check(err)
	in, err := icicle.NewPinnedSlice[uint32](device, n) // page-locked: copies overlap with work
	check(err)
	out, err := icicle.NewPinnedSlice[uint32](device, n)
	check(err)
	for i := range in.Data() {
		in.Data()[i] = uint32(i)
	}
	x, err := icicle.NewDeviceSlice[uint32](device, n)
	check(err)
	y, err := icicle.NewDeviceSlice[uint32](device, n)
	check(err)

	on := func(stream *icicle.Stream) icicle.Launch { return icicle.Launch{Stream: stream, Async: true} }
	check(icicle.Copy(x, in, on(first)))
	check(field.VectorMul(x, x, y, icicle.VectorOptions{Launch: on(first)}))
	check(squared.Record(first))
	check(second.WaitEvent(squared))
	check(field.VectorAdd(x, y, y, icicle.VectorOptions{Launch: on(second)}))
	check(icicle.Copy(out, y, on(second)))
	check(second.Synchronize())

	for i, got := range out.Data() {
		if want := uint64(i) * uint64(i+1) % 2013265921; uint64(got) != want {
			log.Fatalf("element %d: got %d, want %d", i, got, want)
		}
	}
	fmt.Println("x² + x of", n, "elements on", device)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
