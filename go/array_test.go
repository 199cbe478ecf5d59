package icicle

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// holds checks an array's shape and elements, and closes it.
func holds[T Number](t *testing.T, got *Array, shape []int, want ...T) {
	t.Helper()
	values, err := ToSlice[T](got)
	ok(t, err)
	if info := must(got.Info()); !slices.Equal(info.Shape, shape) || !slices.Equal(values, want) {
		t.Fatalf("%v %v, want %v %v", info.Shape, values, shape, want)
	}
	ok(t, got.Close())
}

func TestArraysAreMade(t *testing.T) {
	x := must(ArrayFrom([]int32{1, 2, 3, 4, 5, 6}, 2, 3))
	want := ArrayInfo{DTypeInt32, CPU(0), 6, []int{2, 3}, []int{12, 4}, true}
	if info := must(x.Info()); !reflect.DeepEqual(info, want) {
		t.Errorf("%+v, want %+v", info, want)
	}
	holds(t, must(x.Copy()), []int{2, 3}, int32(1), 2, 3, 4, 5, 6)
	holds(t, must(x.AsType(DTypeFloat64)), []int{2, 3}, 1.0, 2, 3, 4, 5, 6)
	holds(t, must(x.ToDevice(CPU(1))), []int{2, 3}, int32(1), 2, 3, 4, 5, 6)
	holds(t, must(x.Reshape(-1)), []int{6}, int32(1), 2, 3, 4, 5, 6)
	holds(t, x, []int{2, 3}, int32(1), 2, 3, 4, 5, 6)
	data := []float32{0, 1, 2, 3, 4, 5}
	holds(t, must(ArrayFromStrided(data, 5, []int{2, 2}, []int{-3, -1})), []int{2, 2}, float32(5), 4, 2, 1)
	holds(t, must(ArrayFromStrided(data, 1, []int{3}, []int{0})), []int{3}, float32(1), 1, 1)
	holds[float32](t, must(ArrayFromStrided(data, 99, []int{0, 3}, []int{7, 7})), []int{0, 3})
	holds(t, must(ArrayFrom([]bool{true, false})), []int{2}, true, false)
	holds(t, must(ArrayFrom([]int{1, -2})), []int{2}, 1, -2)
	holds[float64](t, must(ArrayFrom([]float64{})), []int{0})
	holds(t, must(Zeros(DTypeUint8, 2, 1)), []int{2, 1}, uint8(0), 0)
	holds(t, must(Ones(DTypeComplex64)), []int{}, complex64(1))
	holds(t, must(Full(0.5, DTypeBFloat16, 2)), []int{2}, BFloat16(0x3f00), 0x3f00)
	holds(t, must(Full(Float16(0x3800), DTypeFloat32)), []int{}, float32(0.5))
	holds(t, must(Arange(5, -1, -2, DTypeInt64)), []int{3}, int64(5), 3, 1)
	holds(t, must(Linspace(0, 1, 4, false, DTypeFloat64)), []int{4}, 0.0, 0.25, 0.5, 0.75)
	holds(t, must(Eye(2, 3, 1, DTypeInt16)), []int{2, 3}, int16(0), 1, 0, 0, 0, 1)
	ok(t, CPU(1).Run(func() error {
		here, err := Zeros(DTypeInt8, 1)
		if err == nil && must(here.Info()).Device != CPU(1) {
			t.Errorf("made on %v in CPU(1).Run", must(here.Info()).Device)
		}
		return err
	}))
}

func TestNumbersOfEveryType(t *testing.T) {
	item := func(s Scalar, d DType) Scalar {
		one := must(full(s, d, nil))
		defer one.Close()
		return must(one.Item())
	}
	if s := item(ScalarOf(uint64(math.MaxUint64)), DTypeUint64); s.Uint() != math.MaxUint64 || s.Int() != 0 || s.Float() != 0x1p64 {
		t.Errorf("%+v", s)
	}
	if s := item(ScalarOf(int8(-7)), DTypeInt64); s.Int() != -7 || s.Uint() != 0 || s.Float() != -7 {
		t.Errorf("%+v", s)
	}
	if s := item(ScalarOf(complex64(1-2i)), DTypeComplex128); s.Complex() != 1-2i || s.Float() != 1 {
		t.Errorf("%+v", s)
	}
	if !item(ScalarOf(true), DTypeBool).Bool() || item(ScalarOf(false), DTypeBool).Bool() {
		t.Error("booleans")
	}
	for d, s := range map[DType]Scalar{
		DTypeInt16: ScalarOf(int16(3)), DTypeInt32: ScalarOf(int32(3)), DTypeInt8: ScalarOf(int64(3)),
		DTypeUint8: ScalarOf(uint8(3)), DTypeUint16: ScalarOf(uint16(3)), DTypeUint32: ScalarOf(uint32(3)),
		DTypeFloat32: ScalarOf(float32(3)), DTypeFloat64: ScalarOf(3.0), DTypeComplex64: ScalarOf(3 + 0i),
	} {
		if got := item(s, d).Float(); got != 3 {
			t.Errorf("%v: %v", d, got)
		}
	}
	// The values of bits, by the library's own conversion.
	for bits := 0; bits < 1<<16; bits += 61 {
		half, brain := must(ArrayFrom([]Float16{Float16(bits)})), must(ArrayFrom([]BFloat16{BFloat16(bits)}))
		for _, pair := range [][2]float64{{Float16(bits).Float(), must(half.Item()).Float()}, {BFloat16(bits).Float(), must(brain.Item()).Float()}} {
			if pair[0] != pair[1] && !(math.IsNaN(pair[0]) && math.IsNaN(pair[1])) || math.Signbit(pair[0]) != math.Signbit(pair[1]) && pair[0] == 0 {
				t.Fatalf("bits %#x: %v", bits, pair)
			}
		}
		ok(t, half.Close())
		ok(t, brain.Close())
	}
}

func TestArraysCompute(t *testing.T) {
	x, y := must(ArrayFrom([]float64{1, -2, 3})), must(ArrayFrom([]float64{4, 0.5, 3}))
	three := []int{3}
	holds(t, must(x.Add(y)), three, 5.0, -1.5, 6)
	holds(t, must(x.Subtract(y)), three, -3.0, -2.5, 0)
	holds(t, must(x.Multiply(y)), three, 4.0, -1, 9)
	holds(t, must(x.Divide(y)), three, 0.25, -4, 1)
	holds(t, must(x.BinaryScalar(BinarySubtract, ScalarOf(1), false)), three, 0.0, -3, 2)
	holds(t, must(x.BinaryScalar(BinarySubtract, ScalarOf(1), true)), three, 0.0, 3, -2)
	positive := must(x.BinaryScalar(BinaryGreater, ScalarOf(0), false))
	holds(t, must(Where(positive, x, y)), three, 1.0, 0.5, 3)
	holds(t, must(x.Compress(positive)), []int{2}, 1.0, 3)
	zero := must(Full(0, DTypeFloat64))
	holds(t, must(x.Clip(zero, nil)), three, 1.0, 0, 3)
	holds(t, must(x.Clip(nil, zero)), three, 0.0, -2, 0)
	holds(t, must(y.Var(Along{Axes: []int{0}, KeepDims: true}, 1)), []int{1}, 3.25)
	holds(t, must(x.Sum(Along{Axes: []int{}}, DTypeDefault)), three, 1.0, -2, 3)
	holds(t, must(x.Sum(Along{}, DTypeFloat32)), []int{}, float32(2))
	m := must(Arange(0, 6, 1, DTypeInt32))
	m = must(m.Reshape(2, 3))
	holds(t, must(m.MatrixTranspose()), []int{3, 2}, int32(0), 3, 1, 4, 2, 5)
	holds(t, must(m.PermuteDims(1, 0)), []int{3, 2}, int32(0), 3, 1, 4, 2, 5)
	holds(t, must(must(m.ExpandDims(0)).Squeeze(0)), []int{2, 3}, int32(0), 1, 2, 3, 4, 5)
	holds(t, must(m.Index(Ellipsis(), RangeBy(Omitted, Omitted, -2))), []int{2, 2}, int32(2), 0, 5, 3)
	holds(t, must(m.Index(At(-1), NewAxis(), Range(1, Omitted))), []int{1, 2}, int32(4), 5)
	holds(t, must(must(m.Index(At(1))).BroadcastTo(2, 3)), []int{2, 3}, int32(3), 4, 5, 3, 4, 5)
}

func TestArraysThatCannotBe(t *testing.T) {
	x, y := must(ArrayFrom([]int32{1, 2, 3})), must(ArrayFrom([]int32{1, 2}))
	bad := func(code Code, text string) func(*Array, error) {
		return func(_ *Array, err error) { t.Helper(); fails(t, err, code, text) }
	}
	argument := func(text string) func(*Array, error) { return bad(ErrInvalidArgument, text) }
	argument("add: shapes [[3], [2]]")(x.Add(y))
	argument("no common dtype")(x.BinaryScalar(BinaryAdd, ScalarOf(0.5), false))
	argument("op 99: must be an icicle_unary_op_t")(x.Unary(99))
	argument("op -1: must be an icicle_binary_op_t")(x.Binary(-1, y))
	argument("sqrt: array of int32")(x.Unary(UnarySqrt))
	argument("2 elements: shape [3] has 3")(ArrayFrom([]int8{1, 2}, 3))
	argument("exceeds the address space")(ArrayFrom([]int8{1}, math.MaxInt, math.MaxInt))
	argument("extent -1")(ArrayFrom([]int8{1}, -1, -1))
	argument("must be one for each of 2 axes")(ArrayFromStrided([]int8{1}, 0, []int{1, 1}, []int{1}))
	for _, c := range []struct{ offset, extent, stride int }{
		{0, 3, 1}, {1, 2, 1}, {0, 2, -1}, {-1, 1, 1}, {2, 1, 1}, {0, math.MaxInt, math.MaxInt}, {0, 2, math.MinInt}, {0, 2, math.MaxInt}, {math.MaxInt, 1, 1},
	} {
		argument("lead outside 2 elements")(ArrayFromStrided([]int8{1, 2}, c.offset, []int{c.extent}, []int{c.stride}))
	}
	argument("dtype 15: must be an icicle_dtype_t")(Zeros(15, 1))
	argument("rank 65: must be at most 64")(Zeros(DTypeInt8, make([]int, 65)...))
	argument("int8 holds -128 to 127")(Full(200, DTypeInt8))
	argument("the step must not be 0")(Arange(0, 1, 0, DTypeInt8))
	argument("n -1")(Linspace(0, 1, -1, true, DTypeFloat32))
	argument("rows -1")(Eye(-1, 1, 0, DTypeInt8))
	argument("axis 1")(x.Sum(Along{Axes: []int{1}}, DTypeDefault))
	argument("axis 2147483647")(x.Sum(Along{Axes: []int{math.MaxInt}}, DTypeDefault))
	argument("must be one, or nil for all")(x.ArgMax(Along{Axes: []int{0, 0}}))
	argument("must be as many")(x.MoveAxis([]int{0}, nil))
	argument("2 shifts for 1 axes")(x.Roll([]int{1, 2}, []int{0}))
	argument("must be as many")(x.TensorDot(x, []int{0}, nil))
	argument("count 0")(Concat(nil, 0))
	argument("index 3: the axis has 3 elements")(x.Index(At(3)))
	argument("step 0")(x.Index(RangeBy(0, 1, 0)))
	bad(ErrInvalidDevice, "cpu:63")(x.ToDevice(CPU(63)))
	bad(ErrInvalidDevice, "index must be")(x.ToDevice(CPU(-1)))
	_, err := ToSlice[float32](x)
	fails(t, err, ErrInvalidArgument, "elements of float32: the array holds int32")
	_, err = x.Item()
	fails(t, err, ErrInvalidArgument, "must have exactly one")
	one := must(Full(1, DTypeInt8))
	_, err = one.Nonzero()
	fails(t, err, ErrInvalidArgument, "without axes")
	ok(t, y.Close())
	ok(t, y.Close())
	bad(ErrInvalidPointer, "add: array: closed already")(x.Add(y))
	bad(ErrInvalidPointer, "concat: array is nil")(Concat([]*Array{x, nil}, 0))
	bad(ErrInvalidPointer, "array is nil")((&Array{}).Copy())
	var none *Array
	ok(t, none.Close())
	_, err = none.Info()
	fails(t, err, ErrInvalidPointer, "array is nil")
	_, err = y.Nonzero()
	fails(t, err, ErrInvalidPointer, "closed already")
	_, err = ToSlice[int32](y)
	fails(t, err, ErrInvalidPointer, "closed already")
	if DType(99).String() != "DType(99)" || UnaryOp(99).String() != "UnaryOp(99)" || BinaryOp(-1).String() != "BinaryOp(-1)" || DType(99).Bytes() != 0 {
		t.Error("numbers that name nothing")
	}
}

// Calls on arrays that other goroutines close give whole results, or say so.
func TestArraysClosedWhileInUse(t *testing.T) {
	data := make([]int32, 1000)
	var all sync.WaitGroup
	start := func(f func()) {
		all.Add(1)
		go func() {
			defer all.Done()
			f()
		}()
	}
	for range 50 {
		x := must(ArrayFrom(data))
		for range 3 {
			start(func() {
				sum, err := x.Add(x)
				if err != nil {
					fails(t, err, ErrInvalidPointer, "closed already")
					return
				}
				holds(t, sum, []int{1000}, data...)
			})
		}
		start(func() { ok(t, x.Close()) })
	}
	all.Wait()
	// What is forgotten is freed by the collector; its finalizer must not meet what Close freed.
	for range 100 {
		_ = must(ArrayFrom(data))
	}
	runtime.GC()
}

func TestArrayConstantsAreTheHeaders(t *testing.T) {
	code, ours := header(t), sources(t)
	check := func(name, prefix, kind string, text func(int32) string, least int) {
		found := enum(t, code, name, prefix)
		if len(found) < least {
			t.Errorf("%s: only %d", name, len(found))
		}
		for constant, number := range found {
			if got := text(number); got != strings.ToLower(constant) {
				t.Errorf("%s%s is called %s", prefix, constant, got)
			}
			if !regexp.MustCompile(`\b\w+ +` + kind + ` = C\.` + prefix + constant + `\b`).MatchString(ours) {
				t.Errorf("%s%s has no constant in Go", prefix, constant)
			}
		}
	}
	check("icicle_dtype_t", "ICICLE_DTYPE_", "DType", func(n int32) string { return DType(n).String() }, 15)
	check("icicle_unary_op_t", "ICICLE_UNARY_", "UnaryOp", func(n int32) string { return UnaryOp(n).String() }, 38)
	check("icicle_binary_op_t", "ICICLE_BINARY_", "BinaryOp", func(n int32) string { return BinaryOp(n).String() }, 28)
}

// The guide to arrays shows this function's body up to the values.
func ExampleArrayFrom() {
	run := func() error {
		x, err := ArrayFrom([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
		if err != nil {
			return err
		}
		defer x.Close()
		sums, err := x.Sum(Along{Axes: []int{0}}, DTypeDefault)
		if err != nil {
			return err
		}
		defer sums.Close()
		values, err := ToSlice[float32](sums) // 5, 7, 9
		fmt.Println(values)
		return err
	}
	if err := run(); err != nil {
		panic(err)
	}
	// Output: [5 7 9]
}
