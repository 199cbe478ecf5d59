package main

import (
	bls "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	blsfft "github.com/consensys/gnark-crypto/ecc/bls12-381/fr/fft"
	bn "github.com/consensys/gnark-crypto/ecc/bn254/fr"
	bnfft "github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"
	"github.com/consensys/gnark-crypto/field/babybear"
	babyfft "github.com/consensys/gnark-crypto/field/babybear/fft"
	"github.com/consensys/gnark-crypto/field/goldilocks"
	goldfft "github.com/consensys/gnark-crypto/field/goldilocks/fft"
	"github.com/consensys/gnark-crypto/field/koalabear"
	koalafft "github.com/consensys/gnark-crypto/field/koalabear/fft"
)

// transform times a transform to reversed order, and the same with its results put in natural order.
func transform[E any](name string, logN, threads, runs int, random func(*E) (*E, error), fft, reverse func([]E)) {
	x := make([]E, 1<<logN)
	for i := range x {
		if _, err := random(&x[i]); err != nil {
			panic(err)
		}
	}
	measure(name+" ntt reversed", logN, threads, runs, func() { fft(x) })
	measure(name+" ntt natural", logN, threads, runs, func() {
		fft(x)
		reverse(x)
	})
}

// transforms times each field, the peer of `cargo bench -p icicle --bench ntt`.
func transforms(logN, threads, runs int) {
	n := uint64(1) << logN
	bnDomain := bnfft.NewDomain(n)
	transform("bn254", logN, threads, runs, (*bn.Element).SetRandom,
		func(x []bn.Element) { bnDomain.FFT(x, bnfft.DIF, bnfft.WithNbTasks(threads)) }, bnfft.BitReverse)
	blsDomain := blsfft.NewDomain(n)
	transform("bls12_381", logN, threads, runs, (*bls.Element).SetRandom,
		func(x []bls.Element) { blsDomain.FFT(x, blsfft.DIF, blsfft.WithNbTasks(threads)) }, blsfft.BitReverse)
	babyDomain := babyfft.NewDomain(n)
	transform("babybear", logN, threads, runs, (*babybear.Element).SetRandom,
		func(x []babybear.Element) { babyDomain.FFT(x, babyfft.DIF, babyfft.WithNbTasks(threads)) }, babyfft.BitReverse)
	koalaDomain := koalafft.NewDomain(n)
	transform("koalabear", logN, threads, runs, (*koalabear.Element).SetRandom,
		func(x []koalabear.Element) { koalaDomain.FFT(x, koalafft.DIF, koalafft.WithNbTasks(threads)) }, koalafft.BitReverse)
	goldDomain := goldfft.NewDomain(n)
	transform("goldilocks", logN, threads, runs, (*goldilocks.Element).SetRandom,
		func(x []goldilocks.Element) { goldDomain.FFT(x, goldfft.DIF, goldfft.WithNbTasks(threads)) }, goldfft.BitReverse)
}
