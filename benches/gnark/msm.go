package main

import (
	"log"

	"github.com/consensys/gnark-crypto/ecc"
	blscurve "github.com/consensys/gnark-crypto/ecc/bls12-381"
	bls "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	bncurve "github.com/consensys/gnark-crypto/ecc/bn254"
	bn "github.com/consensys/gnark-crypto/ecc/bn254/fr"
)

// multiplications times MSM in G1 over uniform scalars and points, the peer of `msm-bench`.
func multiplications(logN, threads, runs int) {
	config := ecc.MultiExpConfig{NbTasks: threads}
	n := 1 << logN
	{
		scalars := make(bn.Vector, n)
		scalars.MustSetRandom()
		_, _, generator, _ := bncurve.Generators()
		points := bncurve.BatchScalarMultiplicationG1(&generator, scalars)
		measure("bn254 msm", logN, threads, runs, func() {
			if _, err := new(bncurve.G1Jac).MultiExp(points, scalars, config); err != nil {
				log.Fatal(err)
			}
		})
	}
	scalars := make(bls.Vector, n)
	scalars.MustSetRandom()
	_, _, generator, _ := blscurve.Generators()
	points := blscurve.BatchScalarMultiplicationG1(&generator, scalars)
	measure("bls12_381 msm", logN, threads, runs, func() {
		if _, err := new(blscurve.G1Jac).MultiExp(points, scalars, config); err != nil {
			log.Fatal(err)
		}
	})
}
