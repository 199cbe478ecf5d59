package gnark

import (
	"slices"
	"testing"

	fr377 "github.com/consensys/gnark-crypto/ecc/bls12-377/fr"
	fft377 "github.com/consensys/gnark-crypto/ecc/bls12-377/fr/fft"
	fr381 "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	fft381 "github.com/consensys/gnark-crypto/ecc/bls12-381/fr/fft"
	fr254 "github.com/consensys/gnark-crypto/ecc/bn254/fr"
	fft254 "github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"
	fr761 "github.com/consensys/gnark-crypto/ecc/bw6-761/fr"
	fft761 "github.com/consensys/gnark-crypto/ecc/bw6-761/fr/fft"
	"github.com/consensys/gnark-crypto/field/babybear"
	fftBaby "github.com/consensys/gnark-crypto/field/babybear/fft"
	"github.com/consensys/gnark-crypto/field/goldilocks"
	fftGoldi "github.com/consensys/gnark-crypto/field/goldilocks/fft"
	"github.com/consensys/gnark-crypto/field/koalabear"
	fftKoala "github.com/consensys/gnark-crypto/field/koalabear/fft"

	icicle "icicle.example/go"
)

// peer is gnark-crypto's domain of one size.
type peer[E any] struct {
	generator, coset E
	fft, onCoset     func(a []E)
}

// transforms compares with gnark-crypto's, over the domain and over its coset, in host and device memory, and goes back.
func transforms[E comparable, PE element[E]](name string, domain func(n uint64) peer[E]) func(*testing.T) {
	return func(t *testing.T) {
		field, devices := must(icicle.FieldByName(name)), must(icicle.Devices())
		d := devices[len(devices)-1]
		ok := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range []int{2, 8, 1024} {
			theirs := domain(uint64(n))
			ok(InitDomain(d, field, theirs.generator))
			a := make([]E, n)
			for i := range a {
				must(PE(&a[i]).SetRandom())
			}
			a[0] = *PE(new(E)).SetInt64(-1)
			compare := func(where string, transform func(a []E), coset icicle.Slice) {
				want := slices.Clone(a)
				transform(want)
				there := must(icicle.DeviceSliceFrom(d, a))
				ok(FFT(field, there, coset, icicle.Launch{}))
				if !slices.Equal(must(there.ToHost()), want) {
					t.Errorf("%s of %d over %s is not gnark-crypto's", name, n, where)
				}
				ok(FFTInverse(field, there, coset, icicle.Launch{}))
				if !slices.Equal(must(there.ToHost()), a) {
					t.Errorf("%s of %d over %s does not come back", name, n, where)
				}
				ok(there.Close())
				here := slices.Clone(a)
				ok(d.Run(func() error { return FFT(field, icicle.Host(here), coset, icicle.Launch{}) }))
				if !slices.Equal(here, want) {
					t.Errorf("%s of %d over %s in host memory is not gnark-crypto's", name, n, where)
				}
			}
			compare("the domain", theirs.fft, nil)
			compare("a coset", theirs.onCoset, must(Canonical(field, theirs.coset)))
			ok(d.ReleaseDomain(field))
		}
	}
}

func TestTransformsAreGnarkCryptos(t *testing.T) {
	covered := map[string]func(*testing.T){
		"bn254": transforms("bn254", func(n uint64) peer[fr254.Element] {
			d := fft254.NewDomain(n)
			return peer[fr254.Element]{d.Generator, d.FrMultiplicativeGen, func(a []fr254.Element) { d.FFT(a, fft254.DIF) },
				func(a []fr254.Element) { d.FFT(a, fft254.DIF, fft254.OnCoset()) }}
		}),
		"bls12_381": transforms("bls12_381", func(n uint64) peer[fr381.Element] {
			d := fft381.NewDomain(n)
			return peer[fr381.Element]{d.Generator, d.FrMultiplicativeGen, func(a []fr381.Element) { d.FFT(a, fft381.DIF) },
				func(a []fr381.Element) { d.FFT(a, fft381.DIF, fft381.OnCoset()) }}
		}),
		"bls12_377": transforms("bls12_377", func(n uint64) peer[fr377.Element] {
			d := fft377.NewDomain(n)
			return peer[fr377.Element]{d.Generator, d.FrMultiplicativeGen, func(a []fr377.Element) { d.FFT(a, fft377.DIF) },
				func(a []fr377.Element) { d.FFT(a, fft377.DIF, fft377.OnCoset()) }}
		}),
		"bw6_761": transforms("bw6_761", func(n uint64) peer[fr761.Element] {
			d := fft761.NewDomain(n)
			return peer[fr761.Element]{d.Generator, d.FrMultiplicativeGen, func(a []fr761.Element) { d.FFT(a, fft761.DIF) },
				func(a []fr761.Element) { d.FFT(a, fft761.DIF, fft761.OnCoset()) }}
		}),
		"babybear": transforms("babybear", func(n uint64) peer[babybear.Element] {
			d := fftBaby.NewDomain(n)
			return peer[babybear.Element]{d.Generator, d.FrMultiplicativeGen, func(a []babybear.Element) { d.FFT(a, fftBaby.DIF) },
				func(a []babybear.Element) { d.FFT(a, fftBaby.DIF, fftBaby.OnCoset()) }}
		}),
		"koalabear": transforms("koalabear", func(n uint64) peer[koalabear.Element] {
			d := fftKoala.NewDomain(n)
			return peer[koalabear.Element]{d.Generator, d.FrMultiplicativeGen, func(a []koalabear.Element) { d.FFT(a, fftKoala.DIF) },
				func(a []koalabear.Element) { d.FFT(a, fftKoala.DIF, fftKoala.OnCoset()) }}
		}),
		"goldilocks": transforms("goldilocks", func(n uint64) peer[goldilocks.Element] {
			d := fftGoldi.NewDomain(n)
			return peer[goldilocks.Element]{d.Generator, d.FrMultiplicativeGen, func(a []goldilocks.Element) { d.FFT(a, fftGoldi.DIF) },
				func(a []goldilocks.Element) { d.FFT(a, fftGoldi.DIF, fftGoldi.OnCoset()) }}
		}),
	}
	for _, field := range icicle.Fields() {
		info := must(field.Info())
		if !info.HasNTT || info.Scalar != field || info.Name == "stark252" { // gnark-crypto has no transform over that
			continue
		}
		test, ok := covered[info.Name]
		if !ok {
			t.Errorf("%v: not compared with gnark-crypto", field)
			continue
		}
		t.Run(info.Name, test)
	}
}
