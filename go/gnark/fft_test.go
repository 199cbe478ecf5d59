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

	"icicle"
)

// peer is gnark-crypto's domain of one size.
type peer[E any] struct {
	generator, coset E
	fft, onCoset     func(a []E)
}

// domain is a domain of one of gnark-crypto's fields: the types differ from one to the next.
type domain[E, D, O any] interface {
	FFT(a []E, decimation D, options ...O)
}

func peerOf[E, D, O any](d domain[E, D, O], generator, coset E, dif D, onCoset O) peer[E] {
	return peer[E]{generator, coset, func(a []E) { d.FFT(a, dif) }, func(a []E) { d.FFT(a, dif, onCoset) }}
}

// transforms compares with gnark-crypto's, over the domain and over its coset, in host and device memory, and goes back.
func transforms[E comparable, PE element[E]](name string, over func(n uint64) peer[E]) func(*testing.T) {
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
			theirs := over(uint64(n))
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
			return peerOf(d, d.Generator, d.FrMultiplicativeGen, fft254.DIF, fft254.OnCoset())
		}),
		"bls12_381": transforms("bls12_381", func(n uint64) peer[fr381.Element] {
			d := fft381.NewDomain(n)
			return peerOf(d, d.Generator, d.FrMultiplicativeGen, fft381.DIF, fft381.OnCoset())
		}),
		"bls12_377": transforms("bls12_377", func(n uint64) peer[fr377.Element] {
			d := fft377.NewDomain(n)
			return peerOf(d, d.Generator, d.FrMultiplicativeGen, fft377.DIF, fft377.OnCoset())
		}),
		"bw6_761": transforms("bw6_761", func(n uint64) peer[fr761.Element] {
			d := fft761.NewDomain(n)
			return peerOf(d, d.Generator, d.FrMultiplicativeGen, fft761.DIF, fft761.OnCoset())
		}),
		"babybear": transforms("babybear", func(n uint64) peer[babybear.Element] {
			d := fftBaby.NewDomain(n)
			return peerOf(d, d.Generator, d.FrMultiplicativeGen, fftBaby.DIF, fftBaby.OnCoset())
		}),
		"koalabear": transforms("koalabear", func(n uint64) peer[koalabear.Element] {
			d := fftKoala.NewDomain(n)
			return peerOf(d, d.Generator, d.FrMultiplicativeGen, fftKoala.DIF, fftKoala.OnCoset())
		}),
		"goldilocks": transforms("goldilocks", func(n uint64) peer[goldilocks.Element] {
			d := fftGoldi.NewDomain(n)
			return peerOf(d, d.Generator, d.FrMultiplicativeGen, fftGoldi.DIF, fftGoldi.OnCoset())
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
