package icicle

import (
	"math/big"
	"runtime"
	"sync"
	"testing"
)

func TestPrograms(t *testing.T) {
	r := random()
	const n = 9
	eachField(t, func(t *testing.T, f Field, info FieldInfo) {
		prime := info
		prime.Bytes, prime.Degree = info.Bytes/info.Degree, 1
		d := info.Degree
		a, b, c := draw(r, prime, n), draw(r, prime, n), draw(r, prime, n)
		memory := func(v []*big.Int) words { return encode(info, embed(v, d)) }
		want := pairs(pairs(a, b, (*big.Int).Mul), c, (*big.Int).Sub)

		program := must(f.NewPredefinedProgram(ABMinusC))
		out := room(n * info.Bytes)
		ok(t, f.Execute(program, []Slice{memory(a), memory(b), memory(c), out}, VectorOptions{}))
		same(t, "a·b - c", info, out, embed(want, d))
		fails(t, f.Execute(program, []Slice{out, out, out, out}, VectorOptions{}), ErrInvalidArgument, "overlap")
		fails(t, f.Execute(program, []Slice{out}, VectorOptions{}), ErrInvalidArgument, "nof_params 1")
		fails(t, f.Execute(program, []Slice{memory(a), memory(b), memory(c), nil}, VectorOptions{}), ErrInvalidPointer, "vector is nil")
		fails(t, f.Execute(program, []Slice{memory(a), memory(b), memory(c), out[1:]}, VectorOptions{}), ErrInvalidArgument, "holds")
		ok(t, program.Close())
		ok(t, program.Close())
		fails(t, f.Execute(program, []Slice{out, out, out, out}, VectorOptions{}), ErrInvalidPointer, "closed already")

		// (a + b)², its parts shared, and 1/c + 5 in place of c; in batches.
		five := make([]byte, info.Bytes)
		five[0] = 5
		sum := Input(0).Add(Input(1))
		own := must(f.NewProgram(Input(0), Input(1), Input(2).Inv().Add(Constant(five)), sum.Mul(sum).Sub(Input(3))))
		defer own.Close()
		vecC, vecE := memory(c), room(n*info.Bytes)
		ok(t, f.Execute(own, []Slice{memory(a), memory(b), vecC, vecE}, VectorOptions{Batch: 3}))
		sums := pairs(a, b, (*big.Int).Add)
		same(t, "(a + b)²", info, vecE, embed(pairs(sums, sums, (*big.Int).Mul), d))
		inverses := pairs(c, c, func(z, x, _ *big.Int) *big.Int {
			if x.Sign() != 0 {
				z.ModInverse(x, info.Modulus)
			}
			return z.Add(z, big.NewInt(5))
		})
		same(t, "1/c + 5", info, vecC, embed(inverses, d))
		_, err := f.NewProgram(Constant(five[1:]))
		fails(t, err, ErrInvalidArgument, "constant holds")
	})
}

func TestProgramsOfBadSymbols(t *testing.T) {
	f := field(t, "babybear")
	for _, bad := range []*Symbol{nil, {}, Input(0).Add(nil), (*Symbol)(nil).Inv()} {
		_, err := f.NewProgram(bad)
		fails(t, err, ErrInvalidPointer, "symbol is nil")
	}
	_, err := f.NewProgram(Input(-1))
	fails(t, err, ErrInvalidArgument, "in_idx -1")
	_, err = f.NewProgram(Input(1 << 40))
	fails(t, err, ErrInvalidArgument, "in_idx")
	_, err = f.NewPredefinedProgram(2)
	fails(t, err, ErrInvalidArgument, "pre_def 2")
	_, err = Field(3).NewProgram(Input(0))
	fails(t, err, ErrInvalidArgument, "field 3")
	_, err = Field(3).NewPredefinedReturningProgram(ABMinusC)
	fails(t, err, ErrInvalidArgument, "field 3")
	// More vectors than a call has room for by itself, and none of them longer than nothing.
	many := make([]*Symbol, 7)
	for i := range many {
		many[i] = Input((i + 1) % 7).Add(Input(i))
	}
	rotated := must(f.NewProgram(many...))
	for _, n := range []int{3, 0} {
		vectors := make([]Slice, 7)
		for i := range vectors {
			vectors[i] = make(HostSlice[uint32], n)
			for j := range n {
				vectors[i].(HostSlice[uint32])[j] = uint32(10*i + j)
			}
		}
		ok(t, f.Execute(rotated, vectors, VectorOptions{}))
		for i := range vectors {
			for j, got := range vectors[i].(HostSlice[uint32]) {
				if want := uint32(10*i + j + 10*((i+1)%7) + j); got != want {
					t.Errorf("vector %d of 7, element %d: got %d, want %d", i, j, got, want)
				}
			}
		}
	}
	ok(t, rotated.Close())
	returning := must(f.NewReturningProgram(Input(0), Input(1), Input(0).Mul(Input(1))))
	ok(t, returning.Close())
	predefined := must(f.NewPredefinedReturningProgram(EqTimesABMinusC))
	ok(t, predefined.Close())
}

// The library's symbols belong to threads; Go's do not: circuits are built and compiled on any goroutine.
func TestSymbolsCrossGoroutines(t *testing.T) {
	f := field(t, "babybear")
	shared := Input(0).Add(Input(1))
	chain := shared
	for range 999 {
		chain = chain.Add(shared)
	}
	// Goroutines change threads often.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	var group sync.WaitGroup
	for range 16 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 10 {
				program, err := f.NewProgram(chain, Input(1))
				if err != nil {
					t.Error(err)
					return
				}
				a := HostSlice[uint32]{1, 2}
				if err := f.Execute(program, []Slice{a, Host([]uint32{10, 20})}, VectorOptions{}); err != nil || a[1] != 1000*22 {
					t.Errorf("%v, %v", a, err)
				}
				if err := program.Close(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
}
