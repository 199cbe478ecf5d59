package gnark

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr/fft"

	"icicle"
)

// The example, run as a user would on several devices, writes gnark-crypto's commitments and extensions.
func TestTheExamplesResults(t *testing.T) {
	const setupPath, elements = "../../tests/vectors/kzg/g1_lagrange.bin", 4096
	compressed := must(os.ReadFile(setupPath))
	setup := make([]bls12381.G1Affine, elements)
	for i := range setup {
		must(setup[bits.Reverse16(uint16(i))>>4].SetBytes(compressed[48*i : 48*i+48]))
	}
	random := rand.NewChaCha8([32]byte{'k', 'z', 'g'})
	var blobs []byte
	var want []byte
	once, twice := fft.NewDomain(elements), fft.NewDomain(2*elements)
	for blob := range 5 {
		scalars := make([]fr.Element, elements)
		for i := range scalars {
			var value [32]byte
			if blob > 0 { // the first is of zeros
				random.Read(value[:])
				value[0] &= 0x3f // below the modulus
			}
			blobs = append(blobs, value[:]...)
			if err := scalars[i].SetBytesCanonical(value[:]); err != nil {
				t.Fatal(err)
			}
		}
		commitment := must(new(bls12381.G1Affine).MultiExp(setup, scalars, ecc.MultiExpConfig{})).Bytes()
		want = append(want, commitment[:]...)
		once.FFTInverse(scalars, fft.DIT) // from a blob's order, which is bit-reversed
		extended := append(scalars, make([]fr.Element, elements)...)
		twice.FFT(extended, fft.DIF)
		for i := range extended {
			value := extended[i].Bytes()
			want = append(want, value[:]...)
		}
	}
	path, results := filepath.Join(t.TempDir(), "blobs"), filepath.Join(t.TempDir(), "results")
	environment := append(os.Environ(), "ICICLE_CPU_DEVICES=4")
	run := func(data []byte, arguments ...string) (string, error) {
		must(0, os.WriteFile(path, data, 0o600))
		command := exec.Command("go", append([]string{"run", "icicle/examples/kzg_blobs"}, arguments...)...)
		command.Env = environment
		text, err := command.CombinedOutput()
		return string(text), err
	}
	if text, err := run(blobs, setupPath, path, results); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	got, each := must(os.ReadFile(results)), len(want)/5
	if len(got) != len(want) {
		t.Fatalf("%d bytes of results, want %d", len(got), len(want))
	}
	for i := range 5 {
		got, want := got[i*each:][:each], want[i*each:][:each]
		if !bytes.Equal(got[:48], want[:48]) {
			t.Errorf("commitment %d: %x, want %x", i, got[:48], want[:48])
		}
		if !bytes.Equal(got[48:], want[48:]) {
			t.Errorf("extension %d differs", i)
		}
	}
	for name, arguments := range map[string][]string{
		"no files": nil, "no setup": {"/nonexistent", path, results}, "half a blob": {setupPath, path, results},
		"no results": {setupPath, path}, "no blobs": {setupPath, "/dev/null", results},
	} {
		if text, err := run(blobs[:1<<16], arguments...); err == nil || !strings.Contains(text, "usage") {
			t.Errorf("%s: %v, %s", name, err, text)
		}
	}
	environment = append(environment, "ICICLE_CPU_ISA=avx9") // no processor has these, so there is no device
	if text, err := run(blobs, setupPath, path, results); err == nil || !strings.Contains(text, "ICICLE_CPU_ISA") {
		t.Errorf("no device: %v, %s", err, text)
	}
	if text, err := run(blobs, "--version"); err != nil || !strings.Contains(text, icicle.Version()) {
		t.Errorf("--version: %v, %s", err, text)
	}
	if text, err := run(blobs, "--help"); err != nil || !strings.HasPrefix(text, "usage") {
		t.Errorf("--help: %v, %s", err, text)
	}
}
