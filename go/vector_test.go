package icicle

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"testing"
)

// lengths at the edges of powers of two.
var lengths = []int{0, 1, 2, 3, 7, 8, 9, 255, 256, 257}

// pairs applies an operation to coefficients one by one.
func pairs(a, b []*big.Int, op func(z, x, y *big.Int) *big.Int) []*big.Int {
	out := make([]*big.Int, len(a))
	for i := range a {
		out[i] = op(new(big.Int), a[i], b[i])
	}
	return out
}

// spread repeats each element of b for all coefficients of an extension's.
func spread(b []*big.Int, degree int) []*big.Int {
	out := make([]*big.Int, 0, len(b)*degree)
	for _, value := range b {
		out = append(out, slices.Repeat([]*big.Int{value}, degree)...)
	}
	return out
}

// embed is elements of the scalar field as an extension's.
func embed(b []*big.Int, degree int) []*big.Int {
	out := ints(make([]int64, len(b)*degree)...)
	for i, value := range b {
		out[i*degree] = value
	}
	return out
}

// Sums, differences and products against math/big; operands of an extension's product lie in its prime field, which its
// coefficients then are multiplied by.
func TestArithmeticOfVectors(t *testing.T) {
	r := random()
	eachField(t, func(t *testing.T, f Field, info FieldInfo) {
		prime := info
		prime.Bytes, prime.Degree = info.Bytes/info.Degree, 1
		for _, n := range lengths {
			what := func(op string) string { return fmt.Sprintf("%s of %d", op, n) }
			a, b, small := draw(r, info, n), draw(r, info, n), draw(r, prime, n)
			wide := spread(small, info.Degree)
			vecA, vecB, embedded := encode(info, a), encode(info, b), encode(info, embed(small, info.Degree))
			out := room(n * info.Bytes)
			ok(t, f.VectorAdd(vecA, vecB, out, VectorOptions{}))
			same(t, what("add"), info, out, pairs(a, b, (*big.Int).Add))
			ok(t, f.VectorSub(vecA, vecB, out, VectorOptions{}))
			same(t, what("sub"), info, out, pairs(a, b, (*big.Int).Sub))
			ok(t, f.VectorMul(vecA, embedded, out, VectorOptions{}))
			same(t, what("mul"), info, out, pairs(a, wide, (*big.Int).Mul))
			if must(CPU(0).Supports(OpVectorMixedMul, f)) {
				ok(t, f.VectorMixedMul(vecA, encode(prime, small), out, VectorOptions{}))
				same(t, what("mixed mul"), info, out, pairs(a, wide, (*big.Int).Mul))
			}
			inverses := pairs(small, small, func(z, x, _ *big.Int) *big.Int {
				if x.Sign() == 0 {
					return z
				}
				return z.ModInverse(x, info.Modulus)
			})
			ok(t, f.VectorInv(embedded, out, VectorOptions{}))
			same(t, what("inv"), info, out, embed(inverses, info.Degree))
			ok(t, f.VectorDiv(vecA, embedded, out, VectorOptions{}))
			same(t, what("div"), info, out, pairs(a, spread(inverses, info.Degree), (*big.Int).Mul))
			ok(t, f.VectorAccumulate(vecA, vecB, VectorOptions{}))
			same(t, what("accumulate"), info, vecA, pairs(a, b, (*big.Int).Add))

			bits := 8 * prime.Bytes
			montgomery := pairs(b, b, func(z, x, _ *big.Int) *big.Int { return z.Lsh(x, uint(bits)) })
			ok(t, f.ConvertMontgomery(vecB, out, true, VectorOptions{}))
			same(t, what("to Montgomery"), info, out, montgomery)
			ok(t, f.ConvertMontgomery(out, out, false, VectorOptions{}))
			same(t, what("from Montgomery, in place"), info, out, b)
		}
	})
}

// Scalars, sums and products of batches in rows and in columns.
func TestBatches(t *testing.T) {
	r := random()
	const n, batch = 6, 3
	eachField(t, func(t *testing.T, f Field, info FieldInfo) {
		prime := info
		prime.Bytes, prime.Degree = info.Bytes/info.Degree, 1
		d := info.Degree
		v, s := draw(r, prime, n*batch), draw(r, info, batch)
		vec, scalars := encode(info, embed(v, d)), encode(info, s)
		for _, columns := range []bool{false, true} {
			of := func(i int) int { // which vector element i is of
				if columns {
					return i % batch
				}
				return i / n
			}
			sums, products := ints(0, 0, 0), ints(1, 1, 1)
			wide, long := make([]*big.Int, 0, n*batch*d), make([]*big.Int, 0, n*batch*d)
			for i, value := range v {
				sums[of(i)].Add(sums[of(i)], value)
				products[of(i)].Mul(products[of(i)], value)
				wide = append(wide, s[of(i)*d:(of(i)+1)*d]...)
				long = append(long, spread(v[i:i+1], d)...)
			}
			o := VectorOptions{Batch: batch, Columns: columns}
			out, reduced := room(n*batch*info.Bytes), room(batch*info.Bytes)
			ok(t, f.VectorSum(vec, reduced, o))
			same(t, "sum", info, reduced, embed(sums, d))
			ok(t, f.VectorProduct(vec, reduced, o))
			same(t, "product", info, reduced, embed(products, d))
			ok(t, f.ScalarAddVec(scalars, vec, out, o))
			same(t, "scalar add", info, out, pairs(wide, embed(v, d), (*big.Int).Add))
			ok(t, f.ScalarSubVec(scalars, vec, out, o))
			same(t, "scalar sub", info, out, pairs(wide, embed(v, d), (*big.Int).Sub))
			ok(t, f.ScalarMulVec(scalars, vec, out, o))
			same(t, "scalar mul", info, out, pairs(wide, long, (*big.Int).Mul))
		}
	})
}

func TestReordering(t *testing.T) {
	r := random()
	eachField(t, func(t *testing.T, f Field, info FieldInfo) {
		element := func(v []*big.Int, i int) []*big.Int { return v[i*info.Degree : (i+1)*info.Degree] }
		for _, n := range []int{0, 1, 2, 64, 256} {
			v := draw(r, info, n)
			vec, out := encode(info, v), room(n*info.Bytes)
			var want []*big.Int
			for i := range n {
				want = append(want, element(v, int(bits.Reverse64(uint64(i)<<(64-bits.Len(uint(n))+1))))...)
			}
			ok(t, f.BitReverse(vec, out, VectorOptions{}))
			same(t, "bit reverse", info, out, want)
		}
		v := draw(r, info, 20)
		vec, out := encode(info, v), room(6*info.Bytes)
		ok(t, f.Slice(vec, 3, 3, out, VectorOptions{}))
		same(t, "slice", info, out, slices.Concat(element(v, 3), element(v, 6), element(v, 9), element(v, 12), element(v, 15), element(v, 18)))
		fails(t, f.Slice(vec, 5, 3, out, VectorOptions{}), ErrInvalidArgument, "slice")

		last, sparse := make(HostSlice[int64], 2), room(20*info.Bytes)
		copy(sparse[7*info.Bytes/4:], encode(info, ints(append([]int64{1}, make([]int64, info.Degree-1)...)...)))
		ok(t, f.HighestNonZeroIdx(sparse, last, VectorOptions{Batch: 2}))
		if !slices.Equal(last, []int64{7, -1}) {
			t.Errorf("last nonzero elements at %v, want 7 and -1", last)
		}
	})
}

func TestMatrices(t *testing.T) {
	r := random()
	eachField(t, func(t *testing.T, f Field, info FieldInfo) {
		const rows, inner, cols = 3, 4, 2
		prime := info
		prime.Bytes, prime.Degree = info.Bytes/info.Degree, 1
		d := info.Degree
		a, b := draw(r, info, rows*inner), draw(r, prime, inner*cols)
		want := ints(make([]int64, rows*cols*d)...)
		for i := range rows * cols * d {
			row, col, k := i/d/cols, i/d%cols, i%d
			for j := range inner {
				want[i].Add(want[i], new(big.Int).Mul(a[(row*inner+j)*d+k], b[j*cols+col]))
			}
		}
		matA := Matrix{encode(info, a), rows, inner}
		matB := Matrix{encode(info, embed(b, d)), inner, cols}
		out := room(rows * cols * info.Bytes)
		if must(CPU(0).Supports(OpMatrixMultiply, f)) {
			ok(t, f.MatMul(matA, matB, out, MatMulOptions{}))
			same(t, "matmul", info, out, want)
		}
		flipped := Matrix{room(rows * inner * info.Bytes), inner, rows}
		ok(t, f.MatrixTranspose(matA, flipped.Elements, VectorOptions{}))
		ok(t, f.MatMul(flipped, matB, out, MatMulOptions{ATransposed: true}))
		same(t, "matmul of a transposed", info, out, want)
		fails(t, f.MatMul(matA, flipped, out, MatMulOptions{}), ErrInvalidArgument, "mat_out holds")
		fails(t, f.MatMul(matA, matA, room(rows*inner*info.Bytes), MatMulOptions{}), ErrInvalidArgument, "inner dimensions")
		fails(t, f.MatrixTranspose(Matrix{matA.Elements, 5, 5}, out, VectorOptions{}), ErrInvalidArgument, "mat_in holds")
		ok(t, f.MatrixTranspose(Matrix{room(0), 0, 5}, room(0), VectorOptions{}))
	})
}

// Horner's rule, and a division whose parts are multiplied back.
func TestPolynomials(t *testing.T) {
	r := random()
	eachField(t, func(t *testing.T, f Field, info FieldInfo) {
		if info.Degree > 1 {
			return // the conformance suite of the core has extensions; here it is the binding that is tested
		}
		coeffs, points := draw(r, info, 2*5), draw(r, info, 3)
		var want []*big.Int
		for b := range 2 {
			for _, x := range points {
				value := new(big.Int)
				for i := 4; i >= 0; i-- {
					value.Mod(value.Add(value.Mul(value, x), coeffs[5*b+i]), info.Modulus)
				}
				want = append(want, value)
			}
		}
		evals := room(6 * info.Bytes)
		ok(t, f.PolyEval(encode(info, coeffs), encode(info, points), evals, VectorOptions{Batch: 2}))
		same(t, "values", info, evals, want)

		q, div, rem := draw(r, info, 4), draw(r, info, 3), draw(r, info, 2)
		div[2] = big.NewInt(2) // of degree 2
		num := append(ints(0, 0, 0, 0, 0, 0)[:0], ints(0, 0, 0, 0, 0, 0)...)
		for i := range q {
			for j := range div {
				num[i+j].Add(num[i+j], new(big.Int).Mul(q[i], div[j]))
			}
		}
		for i := range rem {
			num[i].Add(num[i], rem[i])
		}
		for i := range num {
			num[i].Mod(num[i], info.Modulus)
		}
		quotient, remainder := room(5*info.Bytes), room(6*info.Bytes)
		ok(t, f.PolyDivision(encode(info, num), encode(info, div), quotient, remainder, VectorOptions{}))
		same(t, "quotient", info, quotient, append(q, ints(0)...))
		same(t, "remainder", info, remainder, append(rem, ints(0, 0, 0, 0)...))
		zero := room(3 * info.Bytes)
		fails(t, f.PolyDivision(encode(info, num), zero, quotient, remainder, VectorOptions{}), ErrInvalidArgument, "denominator")
	})
}

// What holds too little or too much is refused before the library reads it, whichever operand it is.
func TestVectorsOfOtherLengthsAreRefused(t *testing.T) {
	f, o := must(FieldByName("babybear")), VectorOptions{}
	vector, one, index := func() Slice { return Host(make([]uint32, 4)) }, Host(make([]uint32, 1)), Host(make([]uint64, 1))
	binary := func(call func(a, b, out Slice, o VectorOptions) error) func(x ...Slice) error {
		return func(x ...Slice) error { return call(x[0], x[1], x[2], o) }
	}
	unary := func(call func(a, out Slice, o VectorOptions) error) func(x ...Slice) error {
		return func(x ...Slice) error { return call(x[0], x[1], o) }
	}
	// The operand that says how long the others must be has no name here.
	type operand struct {
		name   string
		memory Slice
	}
	both := []operand{{"", vector()}, {"vec_b", vector()}, {"output", vector()}}
	scaled := []operand{{"scalar_a", one}, {"", vector()}, {"output", vector()}}
	same, reduced := []operand{{"", vector()}, {"output", vector()}}, []operand{{"", vector()}, {"output", one}}
	for _, call := range []struct {
		run      func(x ...Slice) error
		operands []operand
	}{
		{binary(f.VectorAdd), both},
		{binary(f.VectorSub), both},
		{binary(f.VectorMul), both},
		{binary(f.VectorDiv), both},
		{binary(f.ScalarAddVec), scaled},
		{binary(f.ScalarSubVec), scaled},
		{binary(f.ScalarMulVec), scaled},
		{binary(f.PolyEval), []operand{{"", vector()}, {"", vector()}, {"evals", vector()}}},
		{unary(f.VectorInv), same},
		{unary(f.VectorSum), reduced},
		{unary(f.VectorProduct), reduced},
		{unary(f.BitReverse), same},
		{unary(f.VectorAccumulate), both[:2]},
		{unary(f.HighestNonZeroIdx), []operand{{"", vector()}, {"out_idx", index}}},
		{func(x ...Slice) error { return f.ConvertMontgomery(x[0], x[1], true, o) }, same},
		{func(x ...Slice) error { return f.NTT(x[0], Forward, x[1], NTTOptions{}) }, same},
	} {
		for i, wrong := range call.operands {
			for _, words := range []int{wrong.memory.operand().bytes/4 - 1, wrong.memory.operand().bytes/4 + 1} {
				if wrong.name == "" {
					continue
				}
				var memory []Slice
				for _, operand := range call.operands {
					memory = append(memory, operand.memory)
				}
				memory[i] = Host(make([]uint32, words))
				fails(t, call.run(memory...), ErrInvalidArgument, fmt.Sprintf("%s holds %d bytes: need", wrong.name, 4*words))
			}
		}
	}
}
