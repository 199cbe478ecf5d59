// Command 06_groups does two multiplications of different sizes on two devices at once, then one divided over both.
// Try ICICLE_CPU_DEVICES=2, which makes two devices of the processor.
package main

import (
	"fmt"
	"log"
	"slices"

	"icicle"
)

type sum = icicle.HostSlice[[24]uint32]

func main() {
	curve, field := must(icicle.CurveByName("bn254")), must(icicle.FieldByName("bn254"))
	const most = 1 << 12
	scalars, points := make(icicle.HostSlice[[8]uint32], most), make(icicle.HostSlice[[16]uint32], most)
	must(0, field.GenerateRandom(scalars))
	must(0, curve.GenerateAffinePoints(points))

	// Independent jobs: each runs on the device that is free, which is the surrounding one there.
	devices, sizes := must(icicle.Devices()), []int{1 << 10, most}
	group := must(icicle.NewGroup(devices, nil))
	sums := must(icicle.Map(group, sizes, icicle.MapOptions{}, func(at icicle.JobPlace, n int) (sum, error) {
		out := make(sum, 1)
		fmt.Println(at.Device, n, "points")
		return out, curve.MSM(scalars[:n], points[:n], out, icicle.MSMOptions{})
	}))
	must(0, group.Close())

	// One operation: shares say that every device takes part, however little there is to do.
	group = must(icicle.NewGroup(devices, slices.Repeat([]float64{1}, len(devices))))
	for i, n := range sizes {
		out := make(sum, 1)
		must(0, group.MSM(curve, scalars[:n], points[:n], out, icicle.MSMOptions{}))
		if !slices.Equal(out, sums[i]) {
			log.Fatalf("another sum of %d points", n)
		}
	}
	must(0, group.Close())
	fmt.Println("the divided sums are the same")
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
