package icicle

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// draw is the line's random numbers, which are functions of one key; nil if the line is of no function that makes some.
func (l line) draw(key RandomKey) (*Array, error) {
	number := func(name string) float64 { return must(strconv.ParseFloat(l.arguments[name], 64)) }
	shape, dtype := l.result.shape, l.result.dtype
	switch l.op {
	case "bits":
		return RandomBits(key, dtype, shape...)
	case "uniform":
		return RandomUniform(key, number("low"), number("high"), dtype, shape...)
	case "normal":
		return RandomNormal(key, dtype, shape...)
	case "bernoulli":
		return RandomBernoulli(key, number("p"), shape...)
	case "permutation":
		return RandomPermutation(key, shape[0])
	case "integers":
		low, high := l.arguments["low"], l.arguments["high"]
		switch {
		case high == "18446744073709551616": // one more than a number holds
			return RandomBits(key, dtype, shape...)
		case strings.HasPrefix(low, "-"):
			return randomIntegers(key, ScalarOf(must(strconv.ParseInt(low, 10, 64))), ScalarOf(must(strconv.ParseUint(high, 10, 64))), dtype, shape)
		}
		return RandomIntegers(key, must(strconv.ParseUint(low, 10, 64)), must(strconv.ParseUint(high, 10, 64)), dtype, shape...)
	case "split":
		i := must(strconv.Atoi(l.arguments["i"]))
		return RandomBits(must(key.Split(i + 1))[i], dtype, shape...)
	case "fold":
		return RandomBits(key.FoldIn(must(strconv.ParseUint(l.arguments["data"], 10, 64))), dtype, shape...)
	}
	return nil, nil
}

// Random numbers are those that other libraries give for the same words.
func TestRandomNumbersAgainstOtherLibraries(t *testing.T) {
	text := string(must(os.ReadFile(repository("core", "array", "tests", "random", "random.txt"))))
	drawn := 0
	for _, text := range strings.Split(strings.TrimSpace(text), "\n") {
		if strings.HasPrefix(text, "#") {
			continue
		}
		l := parseLine(text)
		got, err := l.draw(NewRandomKey(0x0123456789abcdef))
		ok(t, err)
		if got == nil {
			continue
		}
		drawn++
		l.result.check(t, got)
		if l.op == "uniform" { // to the bit
			bits := make([]byte, len(l.result.data))
			ok(t, got.toHost("to_host", unsafe.Pointer(unsafe.SliceData(bits)), len(bits)))
			if !bytes.Equal(bits, l.result.data) {
				t.Errorf("%.60s: other bits", text)
			}
		}
		ok(t, got.Close())
	}
	if drawn != 35 {
		t.Errorf("%d lines", drawn)
	}
}

func TestRandomKeysAreValues(t *testing.T) {
	key := NewRandomKey(0x0123456789abcdef)
	if key.Words() != [4]uint32{0x89abcdef, 0x01234567, 0, 0} || RandomKeyOf(key.Words()) != key {
		t.Errorf("words %x", key.Words())
	}
	keys := must(key.Split(3))
	if keys[0] == keys[1] || keys[0] == key || !slices.Equal(must(key.Split(2)), keys[:2]) || len(must(key.Split(0))) != 0 {
		t.Errorf("keys %v", keys)
	}
	if key.FoldIn(1) != key.FoldIn(1) || key.FoldIn(1) == key.FoldIn(2) {
		t.Error("folded keys")
	}
	x := must(Arange(0, 10, 1, DTypeInt64))
	defer x.Close()
	order := must(ToSlice[int64](must(RandomPermutation(key, 10))))
	holds(t, must(RandomShuffle(key, x, -1)), []int{10}, order...)
	holds(t, must(RandomChoice(key, x, 4, 0, false)), []int{4}, order[:4]...)
	for _, one := range must(ToSlice[int64](must(RandomChoice(key, x, 40, 0, true)))) {
		if one < 0 || one > 9 {
			t.Errorf("choice of %d", one)
		}
	}
	whole := must(ToSlice[float32](must(RandomNormal(key, DTypeFloat32, 2, 3))))
	holds(t, must(RandomNormal(key, DTypeFloat32)), []int{}, whole[0])
	ok(t, CPU(1).Run(func() error {
		here, err := RandomUniform(key, 0, 1, DTypeFloat64, 1)
		if err == nil && must(here.Info()).Device != CPU(1) {
			t.Errorf("made on %v in CPU(1).Run", must(here.Info()).Device)
		}
		return err
	}))
}

func TestRandomNumbersThatCannotBe(t *testing.T) {
	key := NewRandomKey(1)
	x := must(Zeros(DTypeFloat32, 2))
	argument := func(text string) func(*Array, error) {
		return func(_ *Array, err error) { t.Helper(); fails(t, err, ErrInvalidArgument, text) }
	}
	argument("bits: dtype int64: must be an unsigned integer")(RandomBits(key, DTypeInt64, 1))
	argument("bits: extent -1")(RandomBits(key, DTypeUint8, -1))
	argument("exceeds the address space")(RandomBits(key, DTypeUint8, math.MaxInt, 9))
	argument("uniform: low 1 and high 1: low must be below high")(RandomUniform(key, 1, 1, DTypeFloat64, 1))
	argument("normal: dtype bool: must be float32 or float64")(RandomNormal(key, DTypeBool, 1))
	argument("integers: low: kind 3: must be ICICLE_SCALAR_INT")(RandomIntegers(key, 0.5, 1, DTypeInt8, 1))
	argument("integers: low 0 and high 129: low must be below high")(RandomIntegers(key, 0, 129, DTypeInt8, 1))
	argument("bernoulli: probability 1.5: must be from 0 to 1")(RandomBernoulli(key, 1.5, 1))
	argument("permutation: n -1: must be at least 0")(RandomPermutation(key, -1))
	argument("shuffle: axis 2147483647: an array of 1 axes has -1 to 0")(RandomShuffle(key, x, math.MaxInt))
	argument("choice: 3 of 2 elements: there must be as many")(RandomChoice(key, x, 3, 0, false))
	argument("choice: n -1: must be at least 0")(RandomChoice(key, x, -1, 0, true))
	_, err := key.Split(-1)
	fails(t, err, ErrInvalidArgument, "split: count -1: must be at least 0")
	_, err = key.Split(math.MaxInt)
	fails(t, err, ErrOutOfMemory, fmt.Sprintf("%d keys", math.MaxInt))
	ok(t, x.Close())
	_, err = RandomShuffle(key, x, 0)
	fails(t, err, ErrInvalidPointer, "shuffle: array: closed already")
	_, err = RandomChoice(key, nil, 1, 0, true)
	fails(t, err, ErrInvalidPointer, "choice: array is nil")
}
