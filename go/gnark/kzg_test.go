package gnark

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// The example, run as a user would on several devices, prints gnark-crypto's commitments.
func TestTheExamplesCommitments(t *testing.T) {
	const setupPath, elements = "../../tests/vectors/kzg/g1_lagrange.bin", 4096
	compressed := must(os.ReadFile(setupPath))
	setup := make([]bls12381.G1Affine, elements)
	for i := range setup {
		must(setup[bits.Reverse16(uint16(i))>>4].SetBytes(compressed[48*i : 48*i+48]))
	}
	random := rand.NewChaCha8([32]byte{'k', 'z', 'g'})
	var blobs []byte
	var want []string
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
		want = append(want, fmt.Sprintf("%x", commitment))
	}
	path := filepath.Join(t.TempDir(), "blobs")
	run := func(data []byte, arguments ...string) (string, error) {
		must(0, os.WriteFile(path, data, 0o600))
		command := exec.Command("go", append([]string{"run", "icicle.example/go/examples/kzg_blobs"}, arguments...)...)
		command.Env = append(os.Environ(), "ICICLE_CPU_DEVICES=4")
		var printed, complaint bytes.Buffer
		command.Stdout, command.Stderr = &printed, &complaint
		err := command.Run()
		return printed.String() + complaint.String(), err
	}
	text, err := run(blobs, setupPath, path)
	if got := strings.Fields(text); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: got %v, want %v", err, got, want)
	}
	for name, arguments := range map[string][]string{"no files": nil, "no setup": {"/nonexistent", path}, "half a blob": {setupPath, path}} {
		if text, err := run(blobs[:1<<16], arguments...); err == nil || !strings.Contains(text, "usage") {
			t.Errorf("%s: %v, %s", name, err, text)
		}
	}
}
