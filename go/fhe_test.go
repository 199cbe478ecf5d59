package icicle

import (
	"slices"
	"sync"
	"testing"
)

// fheKeys are seconds of work, once.
var fheKeys = sync.OnceValues(func() (*FheClientKey, *FheServerKey) {
	client := must(NewFheClientKey())
	return client, must(client.ServerKey())
})

func TestEncryptedIntegers(t *testing.T) {
	client, server := fheKeys()
	a, b := []uint8{200, 7}, []uint8{100, 9}
	x, y := must(FheEncrypt(client, a)), must(FheEncrypt(client, b))
	holds := func(array *FheArray, want ...uint8) {
		t.Helper()
		if got := must(FheDecrypt[uint8](client, array)); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	flags := func(array *FheArray, want ...bool) {
		t.Helper()
		if got := must(FheDecrypt[bool](client, array)); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	// Every operation, as Go has it; amounts of shifts modulo 8.
	integers := map[FheBinaryOp]func(x, y uint8) uint8{
		FheAdd: func(x, y uint8) uint8 { return x + y }, FheSub: func(x, y uint8) uint8 { return x - y },
		FheMul: func(x, y uint8) uint8 { return x * y }, FheMin: func(x, y uint8) uint8 { return min(x, y) },
		FheMax: func(x, y uint8) uint8 { return max(x, y) }, FheBitAnd: func(x, y uint8) uint8 { return x & y },
		FheBitOr: func(x, y uint8) uint8 { return x | y }, FheBitXor: func(x, y uint8) uint8 { return x ^ y },
		FheShl: func(x, y uint8) uint8 { return x << (y % 8) }, FheShr: func(x, y uint8) uint8 { return x >> (y % 8) },
		FheRotateLeft:  func(x, y uint8) uint8 { return x<<(y%8) | x>>(8-y%8) },
		FheRotateRight: func(x, y uint8) uint8 { return x>>(y%8) | x<<(8-y%8) },
	}
	for op, f := range integers {
		holds(must(server.Binary(op, x, y)), f(200, 100), f(7, 9))
		holds(must(server.Binary(op, x, FheClear(b...))), f(200, 100), f(7, 9))
		holds(must(server.Binary(op, x, FheClear[uint8](5))), f(200, 5), f(7, 5))
	}
	comparisons := map[FheBinaryOp][]bool{
		FheEq: {false, false}, FheNe: {true, true}, FheLt: {false, true}, FheLe: {false, true}, FheGt: {true, false}, FheGe: {true, false},
	}
	for op, want := range comparisons {
		flags(must(server.Binary(op, x, y)), want...)
		flags(must(server.Binary(op, FheClear(a...), y)), want...)
	}
	if n := len(integers) + len(comparisons); FheBinaryOp(n-1).String() != "ge" || FheBinaryOp(n).String() != "none" {
		t.Errorf("%d operations are tested, there are others", n)
	}
	holds(must(server.Unary(FheNot, x)), 55, 248)
	holds(must(server.Unary(FheNeg, x)), 56, 249)
	holds(must(server.Sum(x)), 207)
	total, over, err := server.Overflowing(FheOverflowingAdd, x, y)
	if err != nil {
		t.Fatal(err)
	}
	holds(total, 44, 16)
	flags(over, true, false)
	_, borrow, err := server.Overflowing(FheOverflowingSub, x, FheClear(b...))
	if err != nil {
		t.Fatal(err)
	}
	flags(borrow, false, true)
	holds(must(server.Select(borrow, x, FheClear[uint8](1))), 1, 7)
	flags(must(server.Unary(FheNot, borrow)), true, false)
	flags(must(server.Binary(FheBitOr, over, borrow)), true, true)
	if got := must(FheDecrypt[uint16](client, must(server.Count(over, FheUint16)))); !slices.Equal(got, []uint16{1}) {
		t.Errorf("counted %v", got)
	}
	if got := must(FheDecrypt[uint64](client, must(server.Cast(x, FheUint64)))); !slices.Equal(got, []uint64{200, 7}) {
		t.Errorf("cast to %v", got)
	}
	holds(must(FheTrivial(server, []uint8{5, 6})), 5, 6)
	holds(must(FheConcatenate(must(x.Slice(1, 2)), must(y.Slice(0, 1)))), 7, 100)
	holds(must(must(x.Slice(1, 2)).Repeat(2)), 7, 7)
	for _, named := range []func(x, y FheOperand) (*FheArray, error){server.Add, server.Sub, server.Mul, server.Min, server.Max, server.Shl, server.Shr} {
		must(named(x, FheClear[uint8](2)))
	}
	for _, named := range []func(x, y FheOperand) (*FheArray, error){server.Eq, server.Lt, server.Gt} {
		must(named(x, y))
	}
	if kind, n, err := x.Info(); kind != FheUint8 || n != 2 || err != nil || kind.String() != "uint8" {
		t.Errorf("%v %d %v", kind, n, err)
	}
	if FheNot.String() != "not" || FheOverflowingSub.String() != "overflowing_sub" || FheType(9).String() != "none" {
		t.Error("names of operations")
	}
	// Goroutines share keys and arrays.
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			holds(must(server.Add(x, y)), 44, 16)
		}()
	}
	group.Wait()
	over3 := must(NewGroup([]Device{CPU(0), CPU(1), CPU(2)}, []float64{1, 0, 2}))
	set := must(server.Over(over3))
	holds(must(set.Mul(x, y)), 32, 63)
	_, err = set.Over(over3)
	fails(t, err, ErrInvalidArgument, "key is of a group")
	if err := over3.Close(); err != nil {
		t.Error(err)
	}
	holds(must(set.Add(x, y)), 44, 16)
}

// Keys and results on a GPU where there is one, else on the CPU.
func TestEncryptedIntegersOnADevice(t *testing.T) {
	client, server := fheKeys()
	device, devices := CPU(0), []Device{CPU(0)}
	gpu := slices.Contains(must(DeviceTypes()), "CUDA")
	if gpu {
		device, devices = CUDA(0), []Device{CUDA(0), CPU(0)}
	}
	x, y := must(FheEncrypt(client, []uint8{200, 7})), must(FheEncrypt(client, []uint8{100, 9}))
	holds := func(array *FheArray, want ...uint8) {
		t.Helper()
		if got := must(FheDecrypt[uint8](client, array)); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	var key *FheServerKey
	ok(t, device.Run(func() (err error) {
		key, err = must(client.CompressedServerKey()).Decompress()
		return err
	}))
	before := must(device.MemoryStats()).Used
	sum := must(key.Add(x, y))
	after := must(device.MemoryStats()).Used
	// Where the key is: two integers of four blocks.
	if gpu && after-before != 2*4*2049*8 {
		t.Errorf("the sum has %d bytes on %v", after-before, device)
	}
	less := must(key.Lt(x, sum))
	chosen := must(key.Select(less, x, sum))
	holds(chosen, 44, 7)
	ok(t, less.Close())
	ok(t, chosen.Close())
	// Parts of it have its memory.
	part := must(sum.Slice(1, 2))
	both, twice := must(FheConcatenate(part, sum)), must(part.Repeat(2))
	if used := must(device.MemoryStats()).Used; gpu && used != after {
		t.Errorf("parts have %d bytes of their own", used-after)
	}
	holds(both, 16, 44, 16)
	holds(twice, 16, 16)
	read := new(FheArray)
	ok(t, read.UnmarshalBinary(must(sum.MarshalBinary())))
	holds(read, 44, 16)
	// Over both, from the CPU's key; what lies on one is an operand for both, and for the CPU.
	group := must(NewGroup(devices, nil))
	if gpu {
		_, err := key.MarshalBinary()
		fails(t, err, ErrUnsupported, "keeps a part of it only")
		_, err = key.Over(group)
		fails(t, err, ErrUnsupported, "keeps a part of it only")
	}
	for _, other := range []*FheServerKey{must(server.Over(group)), server} {
		holds(must(other.Add(sum, y)), 144, 25)
	}
	ok(t, group.Close())
}

// encryptsAndDecrypts is whether values come back, and as which type they are encrypted.
func encryptsAndDecrypts[T FheElement](t *testing.T, client *FheClientKey, kind FheType, values ...T) {
	t.Helper()
	for _, array := range []*FheArray{must(FheEncrypt(client, values)), must(must(FheEncryptCompressed(client, values)).Decompress())} {
		got := must(FheDecrypt[T](client, array))
		if found, n, err := array.Info(); !slices.Equal(got, values) || found != kind || n != len(values) || err != nil {
			t.Errorf("%v of %v: got %v of %v, %v", values, kind, got, found, err)
		}
	}
}

func TestEncryptedTypes(t *testing.T) {
	client, _ := fheKeys()
	encryptsAndDecrypts(t, client, FheBool, true, false, true)
	encryptsAndDecrypts[uint8](t, client, FheUint8, 0, 255, 7)
	encryptsAndDecrypts[uint16](t, client, FheUint16, 65535, 256)
	encryptsAndDecrypts[uint32](t, client, FheUint32, 1<<32-1, 1<<16)
	encryptsAndDecrypts[uint64](t, client, FheUint64, 1<<64-1, 1<<32)
	encryptsAndDecrypts[uint64](t, client, FheUint64)
}

func TestEncryptedIntegersAreRefused(t *testing.T) {
	client, server := fheKeys()
	x, wide := must(FheEncrypt(client, []uint8{1, 2})), must(FheEncrypt(client, []uint16{1, 2}))
	_, err := server.Add(x, wide)
	fails(t, err, ErrInvalidArgument, "y has integers of 16 bits, x of 8: must be the same")
	_, err = server.Add(FheClear[uint8](1), FheClear[uint8](1))
	fails(t, err, ErrInvalidArgument, "x and y are clear")
	_, err = server.Add(x, nil)
	fails(t, err, ErrInvalidPointer, "y is nil")
	_, err = server.Binary(99, x, x)
	fails(t, err, ErrInvalidArgument, "op 99")
	_, err = x.Slice(1, 3)
	fails(t, err, ErrInvalidArgument, "range is 1..3")
	_, err = x.Slice(-1, 1)
	fails(t, err, ErrInvalidArgument, "range is -1..1")
	_, err = x.Repeat(-1)
	fails(t, err, ErrInvalidArgument, "times is -1")
	_, err = FheConcatenate()
	fails(t, err, ErrInvalidArgument, "count")
	_, err = FheConcatenate(x, wide)
	fails(t, err, ErrInvalidArgument, "arrays[1]")
	_, err = FheDecrypt[uint16](client, x)
	fails(t, err, ErrInvalidArgument, "array holds uint8, read as uint16")
	other := must(NewFheClientKey())
	_, err = FheDecrypt[uint8](other, x)
	fails(t, err, ErrInvalidArgument, "is encrypted under the key")
	_, err = server.Select(x, x, x)
	fails(t, err, ErrInvalidArgument, "condition holds integers")
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	_, err = FheEncrypt(other, []uint8{1})
	fails(t, err, ErrInvalidPointer, "client key: closed already")
	if err := x.Close(); err != nil || x.Close() != nil {
		t.Error(err)
	}
	_, err = server.Add(x, wide)
	fails(t, err, ErrInvalidPointer, "x: closed already")
	_, _, err = (*FheArray)(nil).Info()
	fails(t, err, ErrInvalidPointer, "array is nil")
	_, err = (*FheServerKey)(nil).Add(wide, wide)
	fails(t, err, ErrInvalidPointer, "server key is nil")
	if (*FheServerKey)(nil).Close() != nil || (*FheClientKey)(nil).Close() != nil || (*FheArray)(nil).Close() != nil {
		t.Error("Close of nil")
	}
}
