package gnark

import (
	"errors"
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	bls12377 "github.com/consensys/gnark-crypto/ecc/bls12-377"
	fr377 "github.com/consensys/gnark-crypto/ecc/bls12-377/fr"
	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
	fr381 "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254"
	fr254 "github.com/consensys/gnark-crypto/ecc/bn254/fr"
	bw6761 "github.com/consensys/gnark-crypto/ecc/bw6-761"
	fr761 "github.com/consensys/gnark-crypto/ecc/bw6-761/fr"
	"github.com/consensys/gnark-crypto/ecc/grumpkin"
	frGrumpkin "github.com/consensys/gnark-crypto/ecc/grumpkin/fr"

	"icicle"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// affine is a pointer to gnark-crypto's affine points of one curve.
type affine[A, E any] interface {
	*A
	MultiExp(points []A, scalars []E, config ecc.MultiExpConfig) (*A, error)
	ScalarMultiplication(a *A, s *big.Int) *A
	Equal(a *A) bool
	Neg(a *A) *A
}

type element[E any] interface {
	*E
	SetRandom() (*E, error)
	SetInt64(int64) *E
}

// sums compares with gnark-crypto's own sums, in host and device memory: random scalars, 0, 1 and -1, points repeated and
// negated, and the point at infinity.
func sums[A, E any, PA affine[A, E], PE element[E]](name string, generator A) func(*testing.T) {
	return func(t *testing.T) {
		curve := must(icicle.CurveByName(name))
		for _, n := range []int{1, 2, 31, 200} {
			points, scalars := make([]A, n), make([]E, n)
			for i := range points {
				PA(&points[i]).ScalarMultiplication(&generator, big.NewInt(int64(i*i+1)))
				must(PE(&scalars[i]).SetRandom())
			}
			if n > 10 {
				points[3], points[5] = points[2], *new(A)
				PA(&points[4]).Neg(&points[2])
				PE(&scalars[6]).SetInt64(0)
				PE(&scalars[7]).SetInt64(1)
				PE(&scalars[8]).SetInt64(-1)
			}
			want := *must(PA(new(A)).MultiExp(points, scalars, ecc.MultiExpConfig{}))
			compare := func(where string, points, scalars icicle.Slice) {
				got := must(MSM[A](curve, points, scalars, icicle.MSMOptions{}))
				if len(got) != 1 || !PA(&got[0]).Equal(&want) {
					t.Errorf("%s of %d in %s: %v, gnark-crypto gets %v", name, n, where, got, want)
				}
			}
			compare("host memory", icicle.Host(points), icicle.Host(scalars))
			devices := must(icicle.Devices())
			d := devices[len(devices)-1]
			there := must(icicle.DeviceSliceFrom(d, points))
			compare(d.String(), there, icicle.Host(scalars))
			if err := there.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestSumsAreGnarkCryptos(t *testing.T) {
	_, _, g254, h254 := bn254.Generators()
	_, _, g381, h381 := bls12381.Generators()
	_, _, g377, h377 := bls12377.Generators()
	_, _, g761, h761 := bw6761.Generators()
	_, gGrumpkin := grumpkin.Generators()
	covered := map[string]func(*testing.T){
		"bn254":        sums[bn254.G1Affine, fr254.Element]("bn254", g254),
		"bn254_g2":     sums[bn254.G2Affine, fr254.Element]("bn254_g2", h254),
		"bls12_381":    sums[bls12381.G1Affine, fr381.Element]("bls12_381", g381),
		"bls12_381_g2": sums[bls12381.G2Affine, fr381.Element]("bls12_381_g2", h381),
		"bls12_377":    sums[bls12377.G1Affine, fr377.Element]("bls12_377", g377),
		"bls12_377_g2": sums[bls12377.G2Affine, fr377.Element]("bls12_377_g2", h377),
		"bw6_761":      sums[bw6761.G1Affine, fr761.Element]("bw6_761", g761),
		"grumpkin":     sums[grumpkin.G1Affine, frGrumpkin.Element]("grumpkin", gGrumpkin),
		"bw6_761_g2":   sums[bw6761.G2Affine, fr761.Element]("bw6_761_g2", h761),
	}
	for _, curve := range icicle.Curves() {
		test, ok := covered[curve.String()]
		if !ok {
			t.Errorf("%v: not compared with gnark-crypto", curve)
			continue
		}
		t.Run(curve.String(), test)
	}
}

func TestTypesOfAnotherCurveAreRefused(t *testing.T) {
	curve := must(icicle.CurveByName("bn254"))
	_, err := MSM[bls12381.G1Affine](curve, icicle.Host([]bn254.G1Affine{{}}), icicle.Host([]fr254.Element{{}}), icicle.MSMOptions{})
	if !errors.Is(err, icicle.ErrInvalidArgument) {
		t.Errorf("sums of another type: %v", err)
	}
	if _, err := Canonical(must(icicle.FieldByName("bw6_761")), fr254.Element{}); !errors.Is(err, icicle.ErrInvalidArgument) {
		t.Errorf("an element of another size: %v", err)
	}
	stream := must(icicle.CPU(0).NewStream())
	defer stream.Close()
	launch := icicle.Launch{Stream: stream, Async: true}
	_, err = MSM[bn254.G1Affine](curve, icicle.Host([]bn254.G1Affine{{}}), icicle.Host([]fr254.Element{{}}), icicle.MSMOptions{Launch: launch})
	if !errors.Is(err, icicle.ErrInvalidArgument) {
		t.Errorf("an asynchronous sum: %v", err)
	}
	if _, err = MSM[bn254.G1Affine](icicle.Curve(3), nil, nil, icicle.MSMOptions{}); !errors.Is(err, icicle.ErrInvalidArgument) {
		t.Errorf("no such curve: %v", err)
	}
}
