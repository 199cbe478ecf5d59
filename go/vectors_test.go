package icicle

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// vectorFile is a file of tests/vectors/operations: what it is about, and the line that runs. A line's words are operands
// by their places, the result last.
type vectorFile struct {
	*testing.T
	field  Field // or
	curve  Curve
	bytes  int // of an element, or of a coordinate
	scalar Field
	words  []string
}

// operand is the memory that word i names.
func (v vectorFile) operand(i int) HostSlice[byte] {
	v.Helper()
	memory, err := hex.DecodeString(strings.ReplaceAll(v.words[i], ",", ""))
	ok(v, err)
	return memory
}

// room is room for what word i names.
func (v vectorFile) room(i int) HostSlice[byte] {
	return bytes.Repeat([]byte{0xa5}, len(v.operand(i)))
}

func (v vectorFile) number(i int) uint64 {
	v.Helper()
	value, err := strconv.ParseUint(v.words[i], 10, 64)
	ok(v, err)
	return value
}

// same checks what was computed against word i.
func (v vectorFile) same(err error, found HostSlice[byte], i int) {
	v.Helper()
	ok(v, err)
	if want := v.operand(i); !bytes.Equal(found, want) {
		v.Fatalf("got %x, want %x", found, want)
	}
}

// choice is one of what word i may be.
func choice[T any](v vectorFile, i int, of map[string]T) T {
	v.Helper()
	value, found := of[v.words[i]]
	if !found {
		v.Fatalf("word %q", v.words[i])
	}
	return value
}

// affine says of the form at a place of word i whether it is.
func (v vectorFile) affine(i, at int) bool {
	v.Helper()
	form := v.words[i][at]
	if form != 'a' && form != 'p' {
		v.Fatalf("forms %q", v.words[i])
	}
	return form == 'a'
}

// transform is the direction and the options of a transform.
func (v vectorFile) transform() (Direction, NTTOptions) {
	orderings := map[string]Ordering{"nn": NaturalNatural, "nr": NaturalReversed, "rn": ReversedNatural, "rr": ReversedReversed}
	return choice(v, 1, map[string]Direction{"forward": Forward, "inverse": Inverse}),
		NTTOptions{Ordering: choice(v, 2, orderings), CosetGen: v.operand(3)}
}

// root checks the library's root of unity and makes it the domain.
func (v vectorFile) root() {
	w := v.room(2)
	v.same(v.scalar.RootOfUnity(v.number(1), w), w, 2)
	ok(v, CPU(0).ReleaseDomain(v.scalar))
	ok(v, CPU(0).InitDomain(v.scalar, w))
}

func (v vectorFile) program() {
	var program *Program
	want := []int{2, 3, 4, 5}
	operands := []Slice{v.operand(2), v.operand(3), v.operand(4)}
	switch v.words[1] {
	case "ab_minus_c":
		program, operands = must(v.field.NewPredefinedProgram(ABMinusC)), append(operands, v.room(5))
	case "eq_times_ab_minus_c":
		program, operands = must(v.field.NewPredefinedProgram(EqTimesABMinusC)), append(operands, v.operand(5), v.room(6))
		want = append(want, 6)
	case "exchange":
		x, y, z := Input(0), Input(1), Input(2)
		quotient := x.Mul(y).Sub(Constant(v.operand(2))).Mul(x.Add(z).Inv())
		program, operands = must(v.field.NewProgram(y, x, quotient.Add(z))), []Slice{v.operand(3), v.operand(4), v.operand(5)}
		want = []int{4, 3, 6}
	default:
		v.Fatalf("program %q", v.words[1])
	}
	defer program.Close()
	ok(v, v.field.Execute(program, operands, VectorOptions{}))
	for i, vector := range operands {
		v.same(nil, vector.(HostSlice[byte]), want[i])
	}
}

// onField runs a line about a field.
func (v vectorFile) onField() {
	type binary = func(Field, Slice, Slice, Slice, VectorOptions) error
	type unary = func(Field, Slice, Slice, VectorOptions) error
	f, o, last := v.field, VectorOptions{}, len(v.words)-1
	if v.words[0] == "highest_non_zero" {
		index := make(HostSlice[int64], 1)
		ok(v, f.HighestNonZeroIdx(v.operand(1), index, o))
		if fmt.Sprint(index[0]) != v.words[last] {
			v.Fatalf("got %d, want %s", index[0], v.words[last])
		}
		return
	}
	out := v.room(last)
	var err error
	switch v.words[0] {
	case "vector_binary":
		calls := map[string]binary{"add": Field.VectorAdd, "sub": Field.VectorSub, "mul": Field.VectorMul, "div": Field.VectorDiv}
		err = choice(v, 1, calls)(f, v.operand(2), v.operand(3), out, o)
	case "vector_mixed_mul":
		err = f.VectorMixedMul(v.operand(1), v.operand(2), out, o)
	case "vector_scalar":
		calls := map[string]binary{"add": Field.ScalarAddVec, "sub": Field.ScalarSubVec, "mul": Field.ScalarMulVec}
		err = choice(v, 1, calls)(f, v.operand(2), v.operand(3), out, o)
	case "vector_inv":
		err = f.VectorInv(v.operand(1), out, o)
	case "vector_reduce":
		err = choice(v, 1, map[string]unary{"sum": Field.VectorSum, "product": Field.VectorProduct})(f, v.operand(2), out, o)
	case "convert_montgomery":
		back := v.room(1)
		v.same(f.ConvertMontgomery(v.operand(2), back, false, o), back, 1)
		err = f.ConvertMontgomery(v.operand(1), out, true, o)
	case "bit_reverse":
		err = f.BitReverse(v.operand(1), out, o)
	case "slice":
		err = f.Slice(v.operand(3), v.number(1), v.number(2), out, o)
	case "polynomial_evaluate":
		err = f.PolyEval(v.operand(1), v.operand(2), out, o)
	case "polynomial_divide":
		quotient := v.room(3)
		v.same(f.PolyDivision(v.operand(1), v.operand(2), quotient, out, o), quotient, 3)
	case "matrix_transpose":
		err = f.MatrixTranspose(Matrix{v.operand(3), uint32(v.number(1)), uint32(v.number(2))}, out, o)
	case "matrix_multiply":
		rows, inner, cols := uint32(v.number(1)), uint32(v.number(2)), uint32(v.number(3))
		err = f.MatMul(Matrix{v.operand(4), rows, inner}, Matrix{v.operand(5), inner, cols}, out, MatMulOptions{})
	case "program":
		v.program()
		return
	case "ntt":
		direction, options := v.transform()
		err = f.NTT(v.operand(4), direction, out, options)
	default:
		v.Fatalf("no operation on fields")
	}
	v.same(err, out, last)
}

// onCurve runs a line about a curve group.
func (v vectorFile) onCurve() {
	type unary = func(Curve, Slice, Slice, PointsOptions) error
	type binary = func(Curve, Slice, Slice, Slice, PointsOptions) error
	g, last := v.curve, len(v.words)-1
	out := v.room(last)
	var err error
	switch v.words[0] {
	case "ec_ntt":
		direction, options := v.transform()
		err = g.ECNTT(v.operand(4), direction, out, options)
	case "msm":
		err = g.MSM(v.operand(1), v.operand(2), out, MSMOptions{})
	case "msm_precompute":
		err = g.MSMPrecomputeBases(v.operand(3), out, MSMOptions{PrecomputeFactor: int(v.number(1)), C: int(v.number(2))})
	case "point_convert_montgomery":
		type conversion = func(Curve, Slice, Slice, bool, VectorOptions) error
		call := choice(v, 1, map[string]conversion{"a": Curve.AffineConvertMontgomery, "p": Curve.ProjectiveConvertMontgomery})
		back := v.room(2)
		v.same(call(g, v.operand(3), back, false, VectorOptions{}), back, 2)
		err = call(g, v.operand(2), out, true, VectorOptions{})
	case "point_binary":
		o := PointsOptions{AffineA: v.affine(2, 0), AffineB: v.affine(2, 1), AffineOut: v.affine(2, 2)}
		call := choice(v, 1, map[string]binary{"add": Curve.AddPoints, "sub": Curve.SubPoints})
		err = call(g, v.operand(3), v.operand(4), out, o)
	case "point_scalar_mul":
		o := PointsOptions{AffineB: v.affine(1, 0), AffineOut: v.affine(1, 1)}
		err = g.MulPoints(v.operand(2), v.operand(3), out, o)
	case "point_unary":
		o := PointsOptions{AffineA: v.affine(2, 0), AffineOut: v.affine(2, 1)}
		call := choice(v, 1, map[string]unary{"negate": Curve.NegatePoints, "normalize": Curve.NormalizePoints})
		err = call(g, v.operand(3), out, o)
	case "point_equal":
		err = g.EqualPoints(v.operand(2), v.operand(3), out, PointsOptions{AffineA: v.affine(1, 0), AffineB: v.affine(1, 1)})
	default:
		v.Fatalf("no operation on curves")
	}
	v.same(err, out, last)
}

// header reads a file's first line.
func (v *vectorFile) header() Domain {
	v.bytes, v.scalar = int(v.number(2)), field(v, v.words[3])
	switch v.words[0] {
	case "field":
		v.field = field(v, v.words[1])
		if i := info(v.field); i.Bytes != v.bytes || i.Scalar != v.scalar {
			v.Fatalf("the library's is %+v", i)
		}
		return v.field
	case "curve":
		v.curve = curve(v, v.words[1])
		if i := must(v.curve.Info()); i.AffineBytes != 2*v.bytes || i.Scalar != v.scalar {
			v.Fatalf("the library's is %+v", i)
		}
		return v.curve
	}
	v.Fatalf("no field or curve")
	return nil
}

// The vectors of tests/vectors, which are shared by all languages: every line is run, and every operation on offer has some.
func TestSharedVectors(t *testing.T) {
	type pair struct{ operation, domain string }
	ran, offered := map[pair]bool{}, map[pair]bool{}
	for _, path := range must(filepath.Glob(repository("tests/vectors/operations/*"))) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			v := vectorFile{T: t}
			var domain Domain
			at := 0
			defer func() {
				if t.Failed() {
					t.Logf("at %s:%d", path, at)
				}
				if domain != nil && info(v.scalar).HasNTT {
					ok(t, CPU(0).ReleaseDomain(v.scalar))
				}
			}()
			for line := range strings.Lines(string(must(os.ReadFile(path)))) {
				at++
				v.words = strings.Split(strings.TrimSuffix(line, "\n"), " ")
				switch {
				case strings.HasPrefix(line, "#"):
					continue
				case domain == nil:
					domain = v.header()
					continue
				case v.words[0] == "root":
					v.root()
					continue
				case v.curve != 0:
					v.onCurve()
				default:
					v.onField()
				}
				ran[pair{strings.TrimSuffix(v.words[0], "_precompute"), fmt.Sprint(domain)}] = true
			}
		})
	}
	for name, number := range enum(t, header(t), "icicle_op_t", "ICICLE_OP_") {
		support := func(domain Domain) {
			if must(CPU(0).Supports(Op(number), domain)) {
				offered[pair{strings.ToLower(name), fmt.Sprint(domain)}] = true
			}
		}
		for _, f := range Fields() {
			if fieldCalls[Op(number)] != nil {
				support(f)
			}
		}
		for _, g := range Curves() {
			if curveCalls[Op(number)] != nil {
				support(g)
			}
		}
	}
	missing := maps.Clone(offered)
	maps.DeleteFunc(missing, func(p pair, _ bool) bool { return ran[p] })
	if len(missing) > 0 || len(ran) != len(offered) {
		t.Errorf("%d pairs offered, %d with lines; without: %v", len(offered), len(ran), missing)
	}
	t.Logf("%d pairs of operation and domain", len(ran))
}
