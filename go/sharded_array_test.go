package icicle

import (
	"fmt"
	"math"
	"reflect"
	"sync"
	"testing"
)

// tableOf is small numbers of both signs, none of them 0.
func tableOf(shape ...int) *Array {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32((i*7919+13)%41-20) + 0.5
	}
	return must(ArrayFrom(data, shape...))
}

// lay is an array over a group, split along an axis, or replicated for -1.
func lay(g *Group, x *Array, axis int) *ShardedArray {
	if axis < 0 {
		return must(g.ReplicateArray(x))
	}
	return must(g.ScatterArray(x, axis))
}

// equals checks an array over a group against one device's, and closes both.
func equals(t *testing.T, what string, got *ShardedArray, want *Array) {
	t.Helper()
	info, about := must(want.Info()), must(got.Info())
	if !reflect.DeepEqual(info.Shape, about.Shape) || info.DType != about.DType || info.Size != about.Size {
		t.Fatalf("%s: %v of %v, want %v of %v", what, about.Shape, about.DType, info.Shape, info.DType)
	}
	here := must(got.Gather(CPU(0)))
	one, other := must(here.AsType(DTypeFloat64)), must(want.AsType(DTypeFloat64))
	if a, b := must(ToSlice[float64](one)), must(ToSlice[float64](other)); !reflect.DeepEqual(a, b) {
		t.Fatalf("%s: %v, want %v", what, a, b)
	}
	for _, array := range []*Array{here, one, other, want} {
		ok(t, array.Close())
	}
	ok(t, got.Close())
}

func TestArraysOverGroupsGiveOneDevices(t *testing.T) {
	type of1 func(Along) (*Array, error)
	type ofG func(Along) (*ShardedArray, error)
	inGroups(t, func(t *testing.T, g *Group) {
		x, row, y := tableOf(5, 4), tableOf(4), tableOf(4, 3)
		for _, axis := range []int{0, 1, -1} {
			// Under forced collections each call costs a hundred times as much.
			if forceCollections && axis != len(g.Shares())%2 {
				continue
			}
			what := fmt.Sprintf("axis %d", axis)
			over := lay(g, x, axis)
			want := ShardedArrayInfo{DTypeFloat32, PlacementSplit, axis, 20, []int{5, 4}}
			if axis < 0 {
				want.Placement = PlacementReplicated
			}
			if info := must(over.Info()); !reflect.DeepEqual(info, want) || over.Group() != g {
				t.Errorf("%+v, want %+v", info, want)
			}
			equals(t, what, must(over.Unary(UnaryNegative)), must(x.Unary(UnaryNegative)))
			equals(t, what, must(over.AsType(DTypeInt16)), must(x.AsType(DTypeInt16)))
			half := ScalarOf(0.5)
			for _, reversed := range []bool{false, true} {
				equals(t, what, must(over.BinaryScalar(BinarySubtract, half, reversed)), must(x.BinaryScalar(BinarySubtract, half, reversed)))
			}
			for _, place := range []int{0, -1} {
				r, m := lay(g, row, place), lay(g, y, place)
				equals(t, what, must(over.Add(r)), must(x.Add(row)))
				equals(t, what, must(over.Subtract(r)), must(x.Subtract(row)))
				equals(t, what, must(over.Multiply(r)), must(x.Multiply(row)))
				equals(t, what, must(over.Divide(r)), must(x.Divide(row)))
				equals(t, what, must(over.Binary(BinaryMaximum, r)), must(x.Binary(BinaryMaximum, row)))
				equals(t, what, must(over.MatMul(m)), must(x.MatMul(y)))
				ok(t, r.Close())
				ok(t, m.Close())
			}
			for name, fold := range map[string]struct {
				group ofG
				one   of1
			}{
				"sum":   {over.Sum, func(a Along) (*Array, error) { return x.Sum(a, DTypeDefault) }},
				"prod":  {over.Prod, func(a Along) (*Array, error) { return x.Prod(a, DTypeDefault) }},
				"min":   {over.Min, x.Min},
				"max":   {over.Max, x.Max},
				"mean":  {over.Mean, x.Mean},
				"all":   {over.All, x.All},
				"any":   {over.Any, x.Any},
				"count": {over.CountNonzero, x.CountNonzero},
			} {
				if forceCollections && name != "sum" {
					continue
				}
				for _, along := range []Along{{}, {Axes: []int{0}}, {Axes: []int{-1}, KeepDims: true}, {Axes: []int{}}} {
					equals(t, fmt.Sprint(name, along, what), must(fold.group(along)), must(fold.one(along)))
				}
			}
			equals(t, what, must(over.Reshard(-1)), must(x.Copy()))
			equals(t, what, must(over.Reshard(0)), must(x.Copy()))
			equals(t, what, must(over.Replicate()), must(x.Copy()))
			ok(t, over.Close())
		}
	})
}

func TestPartsOfArraysOverGroups(t *testing.T) {
	g := must(NewGroup(cpus(3), []float64{1, 0, 2}))
	defer g.Close()
	x := must(ArrayFrom([]float32{1 << 25, 1, -(1 << 25), 1}))
	over := must(g.ScatterArray(x, 0))
	ok(t, x.Close())
	at, whole := 0, []float32{1 << 25, 1, -(1 << 25), 1}
	for position := range 3 {
		part, first, count, err := over.Part(position)
		ok(t, err)
		if first != at || must(part.Info()).Device != CPU(position) {
			t.Errorf("part %d from %d on %v", position, first, must(part.Info()).Device)
		}
		holds(t, part, []int{count}, whole[first:first+count]...)
		at += count
	}
	// Partial sums are held in doubles, and rounded once.
	sum := must(over.Sum(Along{}))
	if info := must(sum.Info()); info.Placement != PlacementPartial || info.Axis != -1 || info.DType != DTypeFloat32 {
		t.Errorf("%+v", info)
	}
	part, first, count, err := sum.Part(2)
	ok(t, err)
	if must(part.Info()).DType != DTypeFloat64 || first != 0 || count != 0 {
		t.Errorf("%+v %d %d", must(part.Info()), first, count)
	}
	ok(t, part.Close())
	if got := must(sum.Item()).Float(); got != 2 {
		t.Errorf("sum %v", got)
	}
	ok(t, over.Close())
	ok(t, sum.Close())
}

func TestArraysOverGroupsThatCannotBe(t *testing.T) {
	g, other := must(NewGroup(cpus(2), []float64{1, 1})), must(NewGroup(cpus(3), []float64{1, 1, 1}))
	x := tableOf(4, 3)
	over, far := must(g.ScatterArray(x, 0)), must(other.ScatterArray(x, 0))
	whole := must(over.AsType(DTypeInt32))
	bad := func(code Code, text string) func(*ShardedArray, error) {
		return func(_ *ShardedArray, err error) { t.Helper(); fails(t, err, code, text) }
	}
	argument := func(text string) func(*ShardedArray, error) { return bad(ErrInvalidArgument, text) }
	argument("axis 2: an array of 2 axes has -2 to 1")(g.ScatterArray(x, 2))
	argument("axis -2147483648")(over.Reshard(math.MinInt))
	argument("array on cpu:0, cpu:1, cpu:2: the group has cpu:0, cpu:1")(over.Add(far))
	argument("have no common dtype")(over.Add(whole))
	argument("scalar Float(0.5) with an array of int32")(whole.BinaryScalar(BinaryAdd, ScalarOf(0.5), false))
	argument("op 99: must be an icicle_unary_op_t")(over.Unary(99))
	argument("op -1: must be an icicle_binary_op_t")(over.Binary(-1, over))
	argument("dtype 99")(over.AsType(99))
	argument("inner extents must be equal")(over.MatMul(over))
	argument("sum: axis 2")(over.Sum(Along{Axes: []int{2}}))
	argument("must be floating point")(whole.Mean(Along{}))
	_, err := over.Item()
	fails(t, err, ErrInvalidArgument, "item: array of 12 elements: must have exactly one")
	_, err = over.Gather(CPU(63))
	fails(t, err, ErrInvalidDevice, "cpu:63")
	_, err = over.Gather(CPU(-1))
	fails(t, err, ErrInvalidDevice, "index must be")
	_, _, _, err = over.Part(2)
	fails(t, err, ErrInvalidArgument, "position 2: the array lies on 2")
	ok(t, far.Close())
	ok(t, far.Close())
	bad(ErrInvalidPointer, "add: array: closed already")(over.Add(far))
	bad(ErrInvalidPointer, "add: array is nil")(over.Add(nil))
	bad(ErrInvalidPointer, "sharded_array_scatter: array is nil")(g.ScatterArray(nil, 0))
	var none *ShardedArray
	ok(t, none.Close())
	bad(ErrInvalidPointer, "array is nil")(none.Replicate())
	_, err = none.Info()
	fails(t, err, ErrInvalidPointer, "array is nil")
	_, err = (&ShardedArray{}).Gather(CPU(0))
	fails(t, err, ErrInvalidPointer, "array is nil")
	_, err = none.Item()
	fails(t, err, ErrInvalidPointer, "array is nil")
	if none.Group() != nil {
		t.Error("a group of nothing")
	}
	ok(t, g.Close())
	bad(ErrInvalidPointer, "group: closed already")(over.Add(over))
	bad(ErrInvalidPointer, "group: closed already")(g.ScatterArray(x, 0))
	if must(over.Info()).Size != 12 {
		t.Error("an array is gone with its group")
	}
	for _, array := range []*ShardedArray{over, whole} {
		ok(t, array.Close())
	}
	ok(t, other.Close())
	ok(t, x.Close())
}

// Calls on arrays that other goroutines close give whole results, or say so.
func TestArraysOverGroupsClosedWhileInUse(t *testing.T) {
	g := must(NewGroup(cpus(2), []float64{1, 2}))
	x := tableOf(30, 4)
	var all sync.WaitGroup
	for range 20 {
		over := must(g.ScatterArray(x, 0))
		for range 3 {
			all.Add(1)
			go func() {
				defer all.Done()
				sum, err := over.Add(over)
				if err != nil {
					fails(t, err, ErrInvalidPointer, "closed already")
					return
				}
				equals(t, "in use", sum, must(x.Add(x)))
			}()
		}
		ok(t, over.Close())
	}
	all.Wait()
	ok(t, g.Close())
}

func TestThePrecisionOfProductsStays(t *testing.T) {
	if got := Float32MatMulPrecision(); got != Float32Highest {
		t.Errorf("precision %d at first", got)
	}
	ok(t, SetFloat32MatMulPrecision(Float32High))
	fails(t, SetFloat32MatMulPrecision(2), ErrInvalidArgument, "precision 2: must be 0 (highest) or 1 (high)")
	if got := Float32MatMulPrecision(); got != Float32High {
		t.Errorf("precision %d, set to %d", got, Float32High)
	}
	ok(t, SetFloat32MatMulPrecision(Float32Highest))
}

// The guide to arrays shows this function's body up to the value.
func ExampleGroup_ScatterArray() {
	run := func() error {
		group, err := NewGroup(nil, nil)
		if err != nil {
			return err
		}
		defer group.Close()
		x, err := RandomUniform(NewRandomKey(7), 0, 1, DTypeFloat32, 6, 4)
		if err != nil {
			return err
		}
		defer x.Close()
		rows, err := group.ScatterArray(x, 0)
		if err != nil {
			return err
		}
		defer rows.Close()
		largest, err := rows.Max(Along{})
		if err != nil {
			return err
		}
		defer largest.Close()
		value, err := largest.Item() // below 1
		fmt.Println(value.Float() < 1)
		return err
	}
	if err := run(); err != nil {
		panic(err)
	}
	// Output: true
}
