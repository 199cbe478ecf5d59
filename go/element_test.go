package icicle

import (
	"math/big"
	"testing"
)

func TestElements(t *testing.T) {
	r := random()
	eachField(t, func(t *testing.T, f Field, info FieldInfo) {
		a, b, out := draw(r, info, 1), draw(r, info, 1), room(info.Bytes)
		for a[0].Sign() == 0 || info.Degree > 1 && a[1].Sign() == 0 {
			a = draw(r, info, 1)
		}
		elementA, elementB := encode(info, a), encode(info, b)
		ok(t, f.Add(elementA, elementB, out))
		same(t, "add", info, out, pairs(a, b, (*big.Int).Add))
		ok(t, f.Sub(elementA, elementB, out))
		same(t, "sub", info, out, pairs(a, b, (*big.Int).Sub))
		three := encode(info, embed(ints(3), info.Degree))
		ok(t, f.Mul(elementA, three, out))
		same(t, "mul", info, out, pairs(a, spread(ints(3), info.Degree), (*big.Int).Mul))
		ok(t, f.Sqr(three, out))
		same(t, "sqr", info, out, embed(ints(9), info.Degree))
		ok(t, f.Pow(three, 5, out))
		same(t, "pow", info, out, embed(ints(243), info.Degree))
		ok(t, f.Pow(three, -1, out))
		ok(t, f.Mul(out, three, out))
		same(t, "3^-1·3", info, out, embed(ints(1), info.Degree))
		ok(t, f.Inv(three, out))
		ok(t, f.Mul(out, three, out))
		same(t, "1/3·3", info, out, embed(ints(1), info.Degree))
		ok(t, f.FromU32(1<<30, out))
		same(t, "from u32", info, out, embed(ints(1<<30), info.Degree))

		limbs := info.Bytes / info.Degree
		bytes, want := make([]byte, info.Bytes), make([]*big.Int, info.Degree)
		for i := range want {
			bytes[(i+1)*limbs-1] = byte(0xf0 + i) // above every modulus: reduced
			want[i] = new(big.Int).Lsh(big.NewInt(int64(0xf0+i)), uint(8*limbs-8))
		}
		ok(t, f.FromBytesLE(bytes, out))
		same(t, "from bytes", info, out, want)
		if must(f.Eq(elementA, out)) || !must(f.Eq(elementA, elementA)) {
			t.Errorf("%v: elements are compared wrongly", f)
		}

		many := room(64 * info.Bytes)
		ok(t, f.GenerateRandom(many))
		ok(t, f.CheckElements(many))
		if must(f.Eq(many[:info.Bytes/4], many[info.Bytes/4:info.Bytes/2])) && info.Bits > 60 {
			t.Errorf("%v: two random elements are equal", f)
		}
		copy(many[len(many)-limbs/4:], encode(info, []*big.Int{info.Modulus}))
		fails(t, f.CheckElements(many), ErrInvalidArgument, "check_elements")

		short := room(info.Bytes + 4)
		fails(t, f.Add(short, elementB, out), ErrInvalidArgument, "a holds")
		fails(t, f.FromBytesLE(bytes[1:], out), ErrInvalidArgument, "bytes holds")
	})
}
