// Command 01_vectors adds two vectors of BabyBear elements on every device of the machine.
package main

import (
	"fmt"
	"log"
	"slices"

	"icicle"
)

func main() {
	field, err := icicle.FieldByName("babybear")
	check(err)
	devices, err := icicle.Devices()
	check(err)
	for _, device := range devices {
		a, err := icicle.DeviceSliceFrom(device, []uint32{1, 2, 3})
		check(err)
		b, err := icicle.DeviceSliceFrom(device, []uint32{10, 20, 2013265920}) // the modulus less 1
		check(err)
		check(field.VectorAdd(a, b, a, icicle.VectorOptions{})) // in place, where the data lie
		sum, err := a.ToHost()
		check(err)
		if !slices.Equal(sum, []uint32{11, 22, 2}) {
			log.Fatalf("%v: got %v", device, sum)
		}
		fmt.Println(device, sum)
		check(a.Close())
		check(b.Close())
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
