package icicle

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// line is one of the files of core/array/tests/vectors: an operation, its arguments, operands and NumPy's result.
type line struct {
	op        string
	arguments map[string]string
	operands  []numbers
	result    numbers
}

// numbers is an array as those files have it.
type numbers struct {
	dtype DType
	shape []int
	data  []byte
}

var dtypesByName = func() map[string]DType {
	found := map[string]DType{}
	for d := DTypeBool; d.Bytes() > 0; d++ {
		found[d.String()] = d
	}
	return found
}()

func integers(text string) []int {
	list := []int{}
	for _, word := range strings.Split(text, ",") {
		if word != "" {
			list = append(list, must(strconv.Atoi(word)))
		}
	}
	return list
}

func parseNumbers(word string) numbers {
	parts := strings.Split(word, ":")
	return numbers{dtypesByName[parts[0]], integers(parts[1]), must(hex.DecodeString(parts[2]))}
}

func parseLine(text string) line {
	call, result, _ := strings.Cut(text, " -> ")
	words := strings.Split(call, " ")
	l := line{op: words[0], arguments: map[string]string{}, result: parseNumbers(result)}
	for _, word := range words[1:] {
		if name, value, given := strings.Cut(word, "="); given {
			l.arguments[name] = value
		} else {
			l.operands = append(l.operands, parseNumbers(word))
		}
	}
	return l
}

// array is these numbers, dense, or turned around in memory and back.
func (n numbers) array(turned bool) *Array {
	var data [1]complex128 // aligned for any element
	start := unsafe.Pointer(&data)
	if len(n.data) > 0 {
		aligned := make([]complex128, (len(n.data)+15)/16)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&aligned[0])), len(n.data)), n.data)
		start = unsafe.Pointer(&aligned[0])
	}
	dense := must(fromHost(n.dtype, start, n.shape, nil))
	if !turned {
		return dense
	}
	defer dense.Close()
	away := must(dense.Flip())
	defer away.Close()
	copied := must(away.Copy())
	defer copied.Close()
	return must(copied.Flip())
}

// tolerance is how much results may differ relative to the number; how much each operation may, the core's tests hold.
func tolerance(d DType) float64 {
	switch d {
	case DTypeFloat16:
		return 0x1p-8
	case DTypeBFloat16:
		return 0x1p-5
	case DTypeFloat32, DTypeComplex64:
		return 0x1p-19
	case DTypeFloat64, DTypeComplex128:
		return 0x1p-46
	}
	return 0
}

func near(a, b, size, relative float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || !math.IsInf(size, 0) && math.Abs(a-b) <= relative*size
}

func (n numbers) check(t *testing.T, got *Array) {
	t.Helper()
	info := must(got.Info())
	if info.DType != n.dtype || !slices.Equal(info.Shape, n.shape) {
		t.Fatalf("%v %v, want %v %v", info.DType, info.Shape, n.dtype, n.shape)
	}
	relative := tolerance(n.dtype)
	if relative == 0 {
		data := make([]byte, len(n.data)+1)
		ok(t, got.toHost("to_host", unsafe.Pointer(&data[0]), len(n.data)))
		if !bytes.Equal(data[:len(n.data)], n.data) {
			t.Fatalf("%x, want %x", data[:len(n.data)], n.data)
		}
		return
	}
	complexes := func(x *Array) []complex128 {
		wide := must(x.AsType(DTypeComplex128))
		defer wide.Close()
		return must(ToSlice[complex128](wide))
	}
	expected := n.array(false)
	defer expected.Close()
	want := complexes(expected)
	for i, z := range complexes(got) {
		size := max(cmplx.Abs(want[i]), 1e-300)
		if n.dtype >= DTypeComplex64 {
			size = max(size, 1)
		}
		if !near(real(z), real(want[i]), size, relative) || !near(imag(z), imag(want[i]), size, relative) {
			t.Fatalf("at %d %v, want %v", i, z, want[i])
		}
	}
}

// run is the line's operation; nil without an error if Go does not have it.
func (l line) run(of []*Array) (*Array, error) {
	along, axis := Along{}, 0
	if text, given := l.arguments["axis"]; given {
		if along.Axes = integers(text); len(along.Axes) > 0 {
			axis = along.Axes[0]
		}
	}
	x, initial, descending := of[0], l.arguments["initial"] == "1", l.arguments["descending"] == "1"
	for op := UnaryAbs; op <= UnaryBitwiseInvert; op++ {
		if op.String() == l.op {
			return x.Unary(op)
		}
	}
	for op := BinaryAdd; op <= BinaryLogicalXor; op++ {
		if op.String() == l.op {
			return x.Binary(op, of[1])
		}
	}
	switch l.op {
	case "where":
		return Where(x, of[1], of[2])
	case "astype":
		return x.AsType(dtypesByName[l.arguments["dtype"]])
	case "sum":
		return x.Sum(along, DTypeDefault)
	case "prod":
		return x.Prod(along, DTypeDefault)
	case "min":
		return x.Min(along)
	case "max":
		return x.Max(along)
	case "mean":
		return x.Mean(along)
	case "var":
		return x.Var(along, 0)
	case "std":
		return x.Std(along, 0)
	case "all":
		return x.All(along)
	case "any":
		return x.Any(along)
	case "count_nonzero":
		return x.CountNonzero(along)
	case "argmin":
		return x.ArgMin(along)
	case "argmax":
		return x.ArgMax(along)
	case "cumulative_sum":
		return x.CumulativeSum(axis, DTypeDefault, initial)
	case "cumulative_prod":
		return x.CumulativeProd(axis, DTypeDefault, initial)
	case "concat":
		if along.Axes == nil {
			return ConcatFlat(of)
		}
		return Concat(of, axis)
	case "stack":
		return Stack(of, axis)
	case "flip":
		return x.Flip(along.Axes...)
	case "roll":
		return x.Roll(integers(l.arguments["shift"]), along.Axes)
	case "moveaxis":
		return x.MoveAxis(integers(l.arguments["source"]), along.Axes)
	case "take":
		return x.Take(of[1], axis)
	case "take_along_axis":
		return x.TakeAlongAxis(of[1], axis)
	case "mask":
		return x.Compress(of[1])
	case "nonzero":
		found, err := x.Nonzero()
		if err != nil {
			return nil, err
		}
		return found[axis], nil
	case "sort":
		return x.Sort(axis, descending)
	case "argsort":
		return x.ArgSort(axis, descending)
	case "searchsorted":
		return x.SearchSorted(of[1], l.arguments["right"] == "1")
	case "unique":
		if l.arguments["part"] == "values" {
			return x.UniqueValues()
		}
	case "matmul":
		return x.MatMul(of[1])
	case "vecdot":
		return x.VecDot(of[1], axis)
	case "tensordot":
		return x.TensorDot(of[1], integers(l.arguments["x"]), integers(l.arguments["y"]))
	case "tile", "repeat", "tril", "triu", "index", "assign_mask", "assign_at", "isin":
	default:
		return nil, fail(ErrInvalidArgument, "test", "operation %s", l.op)
	}
	return nil, nil
}

// Arrays do what NumPy does, dense and strided.
func TestArraysAgainstNumPy(t *testing.T) {
	files := must(filepath.Glob(repository("core", "array", "tests", "vectors", "*.txt")))
	run, left := 0, map[string]bool{}
	for _, name := range files {
		for i, text := range strings.Split(strings.TrimSpace(string(must(os.ReadFile(name)))), "\n") {
			// Under forced collections each call costs a hundred times as much.
			if strings.HasPrefix(text, "#") || forceCollections && i%50 != 0 {
				continue
			}
			l := parseLine(text)
			func() {
				defer func() {
					if t.Failed() {
						t.Logf("%s:%d: %s", name, i+1, l.op)
					}
				}()
				for _, turned := range []bool{false, true} {
					var of []*Array
					for _, operand := range l.operands {
						array := operand.array(turned)
						defer array.Close()
						of = append(of, array)
					}
					got, err := l.run(of)
					ok(t, err)
					if got == nil {
						left[l.op] = true
						return
					}
					l.result.check(t, got)
					ok(t, got.Close())
				}
			}()
			run++
		}
	}
	if len(files) != 6 || run < 60 || len(left) > 9 || !forceCollections && run < 3000 {
		t.Errorf("%d files, %d lines, without %v", len(files), run, left)
	}
}
