// Command 02_msm computes an MSM over BN254: the sum of i·(i·G) for i from 1 to 8, which is 204·G.
package main

import (
	"fmt"
	"log"

	"icicle"
)

const n = 8

type (
	scalar     [8]uint32    // 256 bits, little-endian limbs
	affine     [2][8]uint32 // x, y
	projective [3][8]uint32 // X, Y, Z
)

func main() {
	curve, err := icicle.CurveByName("bn254")
	check(err)
	generator, point := make(icicle.HostSlice[projective], 1), make(icicle.HostSlice[projective], 1)
	check(curve.Generator(generator))
	scalars, bases := make(icicle.HostSlice[scalar], n), make(icicle.HostSlice[affine], n)
	for i := range scalars {
		scalars[i] = scalar{uint32(i) + 1}
		check(curve.MulScalar(generator, scalars[i:i+1], point))
		check(curve.ToAffine(point, bases[i:i+1]))
	}

	sum, want := make(icicle.HostSlice[projective], 1), make(icicle.HostSlice[projective], 1)
	check(curve.MSM(scalars, bases, sum, icicle.MSMOptions{}))

	check(curve.MulScalar(generator, icicle.Host([]scalar{{204}}), want)) // 1 + 4 + 9 + … + 64
	equal, err := curve.Eq(sum, want)
	check(err)
	if !equal {
		log.Fatalf("got %x, want %x", sum, want)
	}
	fmt.Println("the MSM is 204·G")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
