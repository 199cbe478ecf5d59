package icicle

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// words is n elements as they lie in memory, in 32-bit limbs.
type words = HostSlice[uint32]

// seed of what tests draw: fixed, so that failures repeat.
var seed = [32]byte{'i', 'c', 'i', 'c', 'l', 'e'}

func random() *rand.Rand { return rand.New(rand.NewChaCha8(seed)) }

// must is for what tests need before they test anything.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// repository is a file's path in the repository: around the module, or where ICICLE_REPOSITORY says, for a copy of the
// module elsewhere.
func repository(path ...string) string {
	root := os.Getenv("ICICLE_REPOSITORY")
	if root == "" {
		root = ".."
	}
	return filepath.Join(append([]string{root}, path...)...)
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fails checks an error's code, and that its text names what is wrong.
func fails(t testing.TB, err error, code Code, text string) {
	t.Helper()
	var full *Error
	if !errors.Is(err, code) || !errors.As(err, &full) || full.Op == "" || !strings.Contains(err.Error(), text) {
		t.Fatalf("got %v, want %v with %q", err, code, text)
	}
}

// coefficients of n elements drawn from the whole field, its edges among them.
func draw(r *rand.Rand, info FieldInfo, n int) []*big.Int {
	values := make([]*big.Int, n*info.Degree)
	for i := range values {
		switch r.IntN(8) {
		case 0:
			values[i] = new(big.Int)
		case 1:
			values[i] = new(big.Int).Sub(info.Modulus, big.NewInt(1))
		default:
			bytes := make([]byte, info.Bytes+8)
			for j := range bytes {
				bytes[j] = byte(r.Uint32())
			}
			values[i] = new(big.Int).Mod(new(big.Int).SetBytes(bytes), info.Modulus)
		}
	}
	return values
}

// encode is coefficients as they lie in memory.
func encode(info FieldInfo, values []*big.Int) words {
	limbs := info.Bytes / info.Degree / 4
	out := make(words, 0, limbs*len(values))
	for _, value := range values {
		rest := new(big.Int).Set(value)
		for range limbs {
			out = append(out, uint32(rest.Uint64()))
			rest.Rsh(rest, 32)
		}
	}
	return out
}

// decode is encode's inverse.
func decode(info FieldInfo, memory words) []*big.Int {
	limbs := info.Bytes / info.Degree / 4
	out := make([]*big.Int, len(memory)/limbs)
	for i := range out {
		out[i] = new(big.Int)
		for j := range limbs {
			out[i].Or(out[i].Lsh(out[i], 32), big.NewInt(int64(memory[(i+1)*limbs-1-j])))
		}
	}
	return out
}

// same checks coefficients, reduced, against memory.
func same(t testing.TB, what string, info FieldInfo, got words, want []*big.Int) {
	t.Helper()
	values := decode(info, got)
	if len(values) != len(want) {
		t.Fatalf("%s: %s: %d coefficients, want %d", info.Name, what, len(values), len(want))
	}
	for i := range want {
		if values[i].Cmp(new(big.Int).Mod(want[i], info.Modulus)) != 0 {
			t.Fatalf("%s: %s: coefficient %d is %v, want %v mod %v", info.Name, what, i, values[i], want[i], info.Modulus)
		}
	}
}

// ints are small integers as coefficients.
func ints(values ...int64) []*big.Int {
	out := make([]*big.Int, len(values))
	for i, value := range values {
		out[i] = big.NewInt(value)
	}
	return out
}

func room(bytes int) words { return make(words, bytes/4) }

// eachField tests every field of the registry.
func eachField(t *testing.T, test func(t *testing.T, f Field, info FieldInfo)) {
	for _, f := range Fields() {
		t.Run(f.String(), func(t *testing.T) { test(t, f, must(f.Info())) })
	}
}

// eachCurve tests every curve group of the registry.
func eachCurve(t *testing.T, test func(t *testing.T, g Curve, info CurveInfo)) {
	for _, g := range Curves() {
		t.Run(g.String(), func(t *testing.T) { test(t, g, must(g.Info())) })
	}
}

func info(f Field) FieldInfo { return must(f.Info()) }

func field(t testing.TB, name string) Field {
	t.Helper()
	f, err := FieldByName(name)
	ok(t, err)
	return f
}

func curve(t testing.TB, name string) Curve {
	t.Helper()
	g, err := CurveByName(name)
	ok(t, err)
	return g
}

// devices are those of the machine, the CPU's first; tests that need two say so where there is one.
func devices(t testing.TB, atLeast int) []Device {
	t.Helper()
	found := must(Devices())
	if len(found) < atLeast {
		t.Fatalf("%d devices, need %d: set ICICLE_CPU_DEVICES=%d", len(found), atLeast, atLeast)
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Type == "CPU" && found[j].Type != "CPU" })
	return found
}

// smallDomain makes a transform domain ready on one device, until the test ends.
func smallDomain(t testing.TB, f Field, d Device) {
	t.Helper()
	root := room(info(f).Bytes)
	ok(t, f.RootOfUnity(8, root))
	ok(t, d.InitDomain(f, root))
	t.Cleanup(func() { ok(t, d.ReleaseDomain(f)) })
}
