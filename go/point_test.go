package icicle

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// multiples are G, 2G, … nG, affine.
func multiples(t *testing.T, g Curve, info CurveInfo, n int) words {
	t.Helper()
	generator, sum, affine := room(info.ProjectiveBytes), room(info.ProjectiveBytes), room(info.AffineBytes)
	ok(t, g.Generator(generator))
	copy(sum, generator)
	var out words
	for range n {
		ok(t, g.ToAffine(sum, affine))
		out = append(out, affine...)
		ok(t, g.Add(sum, generator, sum))
	}
	return out
}

// times is k·G, projective.
func times(t *testing.T, g Curve, i CurveInfo, k *big.Int) words {
	t.Helper()
	out := room(i.ProjectiveBytes)
	ok(t, g.Generator(out))
	ok(t, g.MulScalar(out, encode(info(i.Scalar), []*big.Int{new(big.Int).Mod(k, info(i.Scalar).Modulus)}), out))
	return out
}

func equal(t *testing.T, what string, g Curve, a, b words) {
	t.Helper()
	if !must(g.Eq(a, b)) {
		t.Errorf("%v: %s: %v is not %v", g, what, a, b)
	}
}

// Σ s[i]·(i+1)·G = (Σ s[i]·(i+1))·G, in every form and batch.
func TestMultiScalarMultiplication(t *testing.T) {
	r, sizes := random(), []int{0, 1, 2, 9, 33}
	if forceCollections { // around each of the hundreds of additions that an expected sum takes; other builds test all sizes
		sizes = []int{0, 33}
	}
	eachCurve(t, func(t *testing.T, g Curve, i CurveInfo) {
		scalar := info(i.Scalar)
		for _, n := range sizes {
			const batch = 2
			s, bases := draw(r, scalar, batch*n), multiples(t, g, i, n)
			want := ints(0, 0)
			for j, value := range s {
				want[j/n].Add(want[j/n], new(big.Int).Mul(value, big.NewInt(int64(j%n+1))))
			}
			sums := func(want []*big.Int) [batch]words {
				return [batch]words{times(t, g, i, want[0]), times(t, g, i, want[1])}
			}
			expected := sums(want)
			check := func(what string, scalars, bases Slice, expected [batch]words, o MSMOptions) {
				t.Helper()
				o.Batch = batch
				results := room(batch * i.ProjectiveBytes)
				ok(t, g.MSM(scalars, bases, results, o))
				for b := range batch {
					equal(t, what, g, results[b*i.ProjectiveBytes/4:(b+1)*i.ProjectiveBytes/4], expected[b])
				}
			}
			scalars := encode(scalar, s)
			check("shared points", scalars, bases, expected, MSMOptions{})
			check("window of 3", scalars, bases, expected, MSMOptions{C: 3})
			var even words
			for j := range n {
				double := room(i.AffineBytes)
				ok(t, g.ToAffine(times(t, g, i, big.NewInt(int64(2*j+2))), double))
				even = append(even, double...)
			}
			want[1].Lsh(want[1], 1) // the second set is of even multiples
			check("separate points", scalars, slices.Concat(bases, even), sums(want), MSMOptions{SeparatePoints: true})
			ok(t, i.Scalar.ConvertMontgomery(scalars, scalars, true, VectorOptions{}))
			check("Montgomery scalars", scalars, bases, expected, MSMOptions{ScalarsMontgomery: true})
			converted := room(4 * len(bases))
			ok(t, g.AffineConvertMontgomery(bases, converted, true, VectorOptions{}))
			check("Montgomery form", scalars, converted, expected, MSMOptions{ScalarsMontgomery: true, PointsMontgomery: true})
			expanded := room(4 * 3 * len(bases))
			o := MSMOptions{PrecomputeFactor: 3, ScalarsMontgomery: true}
			ok(t, g.MSMPrecomputeBases(bases, expanded, o))
			check("precomputed", scalars, expanded, expected, o)
		}
		scalars, bases, out := room(scalar.Bytes), room(i.AffineBytes), room(i.ProjectiveBytes)
		fails(t, g.MSM(scalars, bases, out, MSMOptions{C: 1000}), ErrInvalidArgument, "msm: c 1000")
		fails(t, g.MSM(scalars, bases, out, MSMOptions{C: 1 << 40}), ErrInvalidArgument, "c 1099511627776")
		fails(t, g.MSM(scalars, bases, out, MSMOptions{Bitsize: -1}), ErrInvalidArgument, "bitsize -1")
		// The largest number that C has room for is for the library to judge.
		fails(t, g.MSM(scalars, bases, out, MSMOptions{Bitsize: math.MaxInt32 + 1}), ErrInvalidArgument, "must be at most 2147483647")
		if err := g.MSM(scalars, bases, out, MSMOptions{Bitsize: math.MaxInt32}); err == nil || strings.Contains(err.Error(), "must be at most 2147483647") {
			t.Errorf("scalars of 2^31 - 1 bits: %v", err)
		}
		fails(t, g.MSM(scalars, bases[1:], out, MSMOptions{}), ErrInvalidArgument, "bases holds")
		fails(t, g.MSM(scalars, bases, out[1:], MSMOptions{}), ErrInvalidArgument, "results holds")
		fails(t, g.MSM(scalars[:0], bases, out, MSMOptions{}), ErrInvalidArgument, "bases holds")
		fails(t, g.MSM(scalars, bases, out, MSMOptions{PrecomputeFactor: 1 << 62}), ErrInvalidArgument, "address space")
	})
}

func TestPoints(t *testing.T) {
	eachCurve(t, func(t *testing.T, g Curve, i CurveInfo) {
		generator, zero, affine := room(i.ProjectiveBytes), room(i.ProjectiveBytes), room(i.AffineBytes)
		ok(t, g.Generator(generator))
		if !must(g.IsOnCurve(generator)) || must(g.IsOnCurve(zero)) {
			t.Errorf("%v: the generator must be on the curve, (0, 0, 0) not", g)
		}
		ok(t, g.FromAffine(affine, zero))
		difference := room(i.ProjectiveBytes)
		ok(t, g.Sub(generator, generator, difference))
		equal(t, "G - G", g, difference, zero)
		equal(t, "order·G", g, times(t, g, i, info(i.Scalar).Modulus), zero)
		ok(t, g.Add(generator, generator, difference))
		equal(t, "G + G", g, difference, times(t, g, i, big.NewInt(2)))
		ok(t, g.ToAffine(generator, affine))
		ok(t, g.CheckPoints(affine))
		affine[0] ^= 1
		fails(t, g.CheckPoints(affine), ErrInvalidArgument, "check_points")

		points := room(5 * i.AffineBytes)
		ok(t, g.GenerateAffinePoints(points))
		ok(t, g.CheckPoints(points))
		if slices.Equal(points[:i.AffineBytes/4], points[i.AffineBytes/4:2*i.AffineBytes/4]) {
			t.Errorf("%v: two random points are equal", g)
		}
		projective, back := room(3*i.ProjectiveBytes), room(3*i.ProjectiveBytes)
		ok(t, g.GenerateProjectivePoints(projective))
		ok(t, g.ProjectiveConvertMontgomery(projective, back, true, VectorOptions{}))
		ok(t, g.ProjectiveConvertMontgomery(back, back, false, VectorOptions{}))
		if !slices.Equal(projective, back) {
			t.Errorf("%v: Montgomery form and back changes points", g)
		}
		fails(t, g.Add(generator[1:], generator, generator), ErrInvalidArgument, "point1 holds")
		fails(t, g.Generator(nil), ErrInvalidPointer, "result is nil")
		if i.Name != "bls12_381" {
			fails(t, g.CompressPoints(generator, make([]byte, 48)), ErrUnsupported, "only bls12_381")
			return
		}
		// The generator's compressed form, from the specification of BLS signatures (draft-irtf-cfrg-bls-signature).
		compressed := make([]byte, 48)
		ok(t, g.CompressPoints(generator, compressed))
		want, _ := new(big.Int).SetString("97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", 16)
		if new(big.Int).SetBytes(compressed).Cmp(want) != 0 {
			t.Errorf("the generator compresses to %x", compressed)
		}
		affine[0] ^= 1
		again := room(i.AffineBytes)
		ok(t, g.DecompressPoints(compressed, again))
		if !slices.Equal(again, affine) {
			t.Errorf("the generator decompresses to %v, want %v", again, affine)
		}
		compressed[0] &= 0x7f
		fails(t, g.DecompressPoints(compressed, again), ErrInvalidArgument, "point 0: the compressed flag")
	})
}

// A transform of j·G at j is the transform of the scalars j, times G.
func TestTransformsOfPoints(t *testing.T) {
	domains(t, CPU(0))
	const n = 8
	eachCurve(t, func(t *testing.T, g Curve, i CurveInfo) {
		if !i.HasECNTT {
			return // refused: see TestEveryOperationOnEveryDomain
		}
		scalar := info(i.Scalar)
		s := ints(3, 1, 4, 1, 5, 9, 2, 0)
		var points words
		for _, value := range s {
			points = append(points, times(t, g, i, value)...)
		}
		out := room(n * i.ProjectiveBytes)
		ok(t, g.ECNTT(points, Forward, out, NTTOptions{}))
		w := root(t, scalar, n)
		for k, value := range transform(s, 1, w, big.NewInt(1), scalar.Modulus) {
			equal(t, "transform", g, out[k*i.ProjectiveBytes/4:(k+1)*i.ProjectiveBytes/4], times(t, g, i, value))
		}
		ok(t, g.ECNTT(out, Inverse, out, NTTOptions{}))
		for k, value := range s {
			equal(t, "inverse", g, out[k*i.ProjectiveBytes/4:(k+1)*i.ProjectiveBytes/4], times(t, g, i, value))
		}
	})
}

// The flow of the C and Rust suites: scalars 1 to 8, bases G to 8G, x + x^(100+i).
func TestTheFlowOfAClient(t *testing.T) {
	domains(t, CPU(0))
	g := curve(t, "bn254")
	i := must(g.Info())
	f, scalar := i.Scalar, info(i.Scalar)
	s := ints(1, 2, 3, 4, 5, 6, 7, 8)
	dScalars, dBases := must(DeviceSliceFrom(CPU(0), encode(scalar, s))), must(DeviceSliceFrom(CPU(0), multiples(t, g, i, 8)))
	defer dScalars.Close()
	defer dBases.Close()
	result := room(i.ProjectiveBytes)
	ok(t, g.MSM(dScalars, dBases, Host(result), MSMOptions{}))
	equal(t, "msm", g, result, times(t, g, i, big.NewInt(204))) // the sum of the squares
	out := room(8 * scalar.Bytes)
	ok(t, f.NTT(dScalars, Forward, out, NTTOptions{}))
	same(t, "ntt", scalar, out, transform(s, 1, root(t, scalar, 8), big.NewInt(1), scalar.Modulus))
	other := room(8 * scalar.Bytes)
	want := make([]*big.Int, 8)
	for k := range s {
		at := other[k*8 : k*8+8]
		ok(t, f.FromU32(uint32(k+1), at))
		ok(t, f.Pow(at, int32(100+k), at))
		want[k] = new(big.Int).Add(s[k], new(big.Int).Exp(s[k], big.NewInt(int64(100+k)), scalar.Modulus))
	}
	dOut := must(NewDeviceSlice[uint32](CPU(0), len(out)))
	defer dOut.Close()
	ok(t, f.VectorAdd(dScalars, other, dOut, VectorOptions{}))
	same(t, "sum", scalar, must(dOut.ToHost()), want)
}
