package icicle

import (
	"math/big"
	"testing"
)

// transform is Σ x[j]·(g·w^k)^j by definition, coefficient by coefficient of an extension.
func transform(x []*big.Int, degree int, w, g, p *big.Int) []*big.Int {
	n := len(x) / degree
	out := ints(make([]int64, len(x))...)
	for k := range n {
		step := new(big.Int).Exp(w, big.NewInt(int64(k)), p)
		step.Mul(step, g)
		power := big.NewInt(1)
		for j := range n {
			for c := range degree {
				at := out[k*degree+c]
				at.Mod(at.Add(at, new(big.Int).Mul(x[j*degree+c], power)), p)
			}
			power.Mod(power.Mul(power, step), p)
		}
	}
	return out
}

func root(t *testing.T, info FieldInfo, n uint64) *big.Int {
	t.Helper()
	scalar := must(info.Scalar.Info())
	memory := room(scalar.Bytes)
	ok(t, info.Scalar.RootOfUnity(n, memory))
	w := decode(scalar, memory)[0]
	half := new(big.Int).Exp(w, new(big.Int).SetUint64(n/2), scalar.Modulus)
	if n > 1 && half.Cmp(new(big.Int).Sub(scalar.Modulus, big.NewInt(1))) != 0 {
		t.Fatalf("%s: root %v is not of order %d", info.Name, w, n)
	}
	return w
}

func TestTransforms(t *testing.T) {
	r := random()
	domains(t, CPU(0))
	eachField(t, func(t *testing.T, f Field, info FieldInfo) {
		if !info.HasNTT {
			fails(t, f.RootOfUnity(8, room(must(info.Scalar.Info()).Bytes)), ErrUnsupported, info.Name)
			return
		}
		scalar := must(info.Scalar.Info())
		g := big.NewInt(7)
		coset := encode(scalar, []*big.Int{g})
		for _, n := range []int{0, 1, 2, 8, 64} {
			x := draw(r, info, n)
			in, out, back := encode(info, x), room(n*info.Bytes), room(n*info.Bytes)
			w := big.NewInt(1)
			if n > 0 {
				w = root(t, info, uint64(n))
			}
			ok(t, f.NTT(in, Forward, out, NTTOptions{}))
			same(t, "forward", info, out, transform(x, info.Degree, w, big.NewInt(1), info.Modulus))
			ok(t, f.NTT(out, Inverse, back, NTTOptions{}))
			same(t, "inverse", info, back, x)
			ok(t, f.NTT(in, Forward, out, NTTOptions{CosetGen: coset, Ordering: NaturalReversed}))
			natural := room(n * info.Bytes)
			ok(t, f.BitReverse(out, natural, VectorOptions{}))
			same(t, "over a coset", info, natural, transform(x, info.Degree, w, g, info.Modulus))
			ok(t, f.NTT(out, Inverse, out, NTTOptions{CosetGen: coset, Ordering: ReversedNatural}))
			same(t, "back from a coset, in place", info, out, x)
		}
		// Two transforms, interleaved.
		x, y := draw(r, info, 8), draw(r, info, 8)
		var both, want []*big.Int
		w := root(t, info, 8)
		one := big.NewInt(1)
		fx, fy := transform(x, info.Degree, w, one, info.Modulus), transform(y, info.Degree, w, one, info.Modulus)
		for i := 0; i < 8*info.Degree; i += info.Degree {
			both = append(append(both, x[i:i+info.Degree]...), y[i:i+info.Degree]...)
			want = append(append(want, fx[i:i+info.Degree]...), fy[i:i+info.Degree]...)
		}
		out := encode(info, both)
		ok(t, f.NTT(out, Forward, out, NTTOptions{Batch: 2, Columns: true}))
		same(t, "columns", info, out, want)

		fails(t, f.NTT(room(128*info.Bytes), Forward, room(128*info.Bytes), NTTOptions{}), ErrInvalidArgument, "ntt: ")
		fails(t, f.NTT(room(6*info.Bytes), Forward, room(6*info.Bytes), NTTOptions{}), ErrInvalidArgument, "power of two")
		fails(t, f.NTT(out, Direction(2), out, NTTOptions{}), ErrInvalidArgument, "dir 2")
		fails(t, f.NTT(out, Forward, out, NTTOptions{Ordering: 9}), ErrInvalidArgument, "ordering 9")
		fails(t, f.NTT(out, Forward, out, NTTOptions{CosetGen: room(scalar.Bytes + 4)}), ErrInvalidArgument, "coset_gen")
		fails(t, f.NTT(out, Forward, out, NTTOptions{Batch: 1 << 40}), ErrInvalidArgument, "input holds 16 elements")
		fails(t, f.NTT(out, Forward, out, NTTOptions{Batch: -1}), ErrInvalidArgument, "batch_size -1")
		if scalar.TwoAdicity < 63 {
			fails(t, info.Scalar.RootOfUnity(2<<scalar.TwoAdicity, room(scalar.Bytes)), ErrInvalidArgument, "get_root_of_unity")
		}
	})
}

// A domain is a device's own.
func TestDomainsAreOfTheirDevice(t *testing.T) {
	found := devices(t, 2)
	f := field(t, "babybear")
	root, got := room(4), room(4)
	ok(t, f.RootOfUnity(16, root))
	ok(t, found[1].InitDomain(f, root))
	defer func() { ok(t, found[1].ReleaseDomain(f)) }()
	ok(t, found[1].DomainRoot(f, 4, got))
	if got[0] != root[0] {
		t.Errorf("root %v, want %v", got, root)
	}
	fails(t, found[0].DomainRoot(f, 4, got), ErrInvalidArgument, "cpu:0")
	x := HostSlice[uint32]{1, 2, 3, 4}
	fails(t, f.NTT(x, Forward, x, NTTOptions{}), ErrInvalidArgument, "cpu:0")
	ok(t, found[1].Run(func() error { return f.NTT(x, Forward, x, NTTOptions{}) }))
	there := must(DeviceSliceFrom(found[1], x))
	defer there.Close()
	ok(t, f.NTT(there, Inverse, there, NTTOptions{})) // the memory knows its device
	same(t, "there and back", info(f), must(there.ToHost()), ints(1, 2, 3, 4))
	fails(t, found[0].InitDomain(f, room(4)), ErrInvalidArgument, "primitive_root")
	fails(t, found[0].InitDomain(f, there), ErrInvalidPointer, "must be the host's")
	fails(t, CPU(99).InitDomain(f, root), ErrInvalidDevice, "cpu:99")
	fails(t, CPU(99).ReleaseDomain(f), ErrInvalidDevice, "cpu:99")
}
