// Command 03_ntt multiplies two polynomials over BabyBear: forward NTTs, a product of values, an inverse NTT.
package main

import (
	"fmt"
	"log"
	"slices"

	"icicle"
)

const n = 4 // more than the product's degree

func main() {
	field, err := icicle.FieldByName("babybear")
	check(err)
	root := make(icicle.HostSlice[uint32], 1)
	check(field.RootOfUnity(n, root))
	check(icicle.CPU(0).InitDomain(field, root)) // once for all sizes up to n

	a := icicle.Host([]uint32{1, 2, 3, 0}) // 1 + 2x + 3x²
	b := icicle.Host([]uint32{4, 5, 0, 0}) // 4 + 5x
	valuesA, valuesB := make(icicle.HostSlice[uint32], n), make(icicle.HostSlice[uint32], n)
	check(field.NTT(a, icicle.Forward, valuesA, icicle.NTTOptions{}))
	check(field.NTT(b, icicle.Forward, valuesB, icicle.NTTOptions{}))

	back := make(icicle.HostSlice[uint32], n)
	check(field.NTT(valuesA, icicle.Inverse, back, icicle.NTTOptions{}))
	if !slices.Equal(back, a) {
		log.Fatalf("round trip: got %v", back)
	}

	check(field.VectorMul(valuesA, valuesB, valuesA, icicle.VectorOptions{}))
	check(field.NTT(valuesA, icicle.Inverse, valuesA, icicle.NTTOptions{}))
	if !slices.Equal(valuesA, []uint32{4, 13, 22, 15}) {
		log.Fatalf("product: got %v", valuesA)
	}
	fmt.Println("the product's coefficients are", valuesA)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
