// Command 05_devices shares one long sum out over every device of the machine, a goroutine each.
// Try ICICLE_CPU_DEVICES=4, which makes four devices of the processor.
package main

import (
	"fmt"
	"log"

	"icicle"
)

const n = 1 << 20

func main() {
	field, err := icicle.FieldByName("babybear")
	check(err)
	devices, err := icicle.Devices()
	check(err)
	x := make([]uint32, n)
	for i := range x {
		x[i] = uint32(i)
	}

	sums := make(chan uint64, len(devices))
	for k, device := range devices {
		part := x[n*k/len(devices) : n*(k+1)/len(devices)]
		go func() {
			// The call runs where its device memory is, whichever thread the goroutine is on.
			memory, err := icicle.DeviceSliceFrom(device, part)
			check(err)
			sum := make(icicle.HostSlice[uint32], 1)
			check(field.VectorSum(memory, sum, icicle.VectorOptions{}))
			check(memory.Close())
			fmt.Println(device, len(part), "elements")
			sums <- uint64(sum[0])
		}()
	}
	total := uint64(0)
	for range devices {
		total += <-sums
	}
	if want := uint64(n) * (n - 1) / 2; total%2013265921 != want%2013265921 {
		log.Fatalf("got %d, want %d", total%2013265921, want%2013265921)
	}
	fmt.Println("the parts' sum is right")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
