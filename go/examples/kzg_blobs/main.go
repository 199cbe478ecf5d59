// Command kzg_blobs commits to Ethereum blobs on every device of the machine at once, and extends each to twice as many
// roots of unity (EIP-4844, EIP-7594).
package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"

	"icicle"
)

const usage = `usage: kzg_blobs SETUP BLOBS RESULTS | --help | --version
  SETUP    4096 compressed G1 points in Lagrange form, natural order, as tests/vectors/kzg/g1_lagrange.bin
  BLOBS    blobs of 131072 bytes, one after another
  RESULTS  is written: for each blob a commitment of 48 bytes and its extension of 262144, in a blob's form and order`

const n = 4096 // elements of a blob

type (
	blob   [32 * n]byte
	result [48 + 64*n]byte
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatalf("%v\n%s", err, usage)
	}
	return value
}

func main() {
	switch {
	case slices.Equal(os.Args[1:], []string{"--help"}):
		fmt.Println(usage)
		return
	case slices.Equal(os.Args[1:], []string{"--version"}):
		fmt.Println("kzg_blobs, icicle", icicle.Version())
		return
	case len(os.Args) != 4:
		log.Fatalf("%d files, must be three\n%s", len(os.Args)-1, usage)
	}
	data := must(os.ReadFile(os.Args[2]))
	if len(data) == 0 || len(data)%len(blob{}) != 0 {
		must(0, fmt.Errorf("%s: %d bytes, must be some blobs of %d bytes each", os.Args[2], len(data), len(blob{})))
	}
	blobs := make([]blob, len(data)/len(blob{}))
	must(binary.Decode(data, binary.BigEndian, blobs))

	log.Printf("decompressing the trusted setup's %d points …", n)
	curve, field := must(icicle.CurveByName("bls12_381")), must(icicle.FieldByName("bls12_381"))
	setup, root := make(icicle.HostSlice[[24]uint32], n), make(icicle.HostSlice[[8]uint32], 1)
	must(0, icicle.CPU(0).Synchronize()) // says why, if there is no device
	must(0, curve.DecompressPoints(must(os.ReadFile(os.Args[1])), setup))
	must(0, field.RootOfUnity(2*n, root))

	group := must(icicle.NewGroup(must(icicle.Devices()), nil))
	must(0, group.InitDomain(field, root))
	bases := make([]*icicle.DeviceSlice[[24]uint32], len(group.Devices()))
	for i, device := range group.Devices() {
		bases[i] = must(icicle.DeviceSliceFrom(device, setup))
	}
	log.Printf("committing to %d blobs on %d devices …", len(blobs), len(bases))
	results := must(icicle.Map(group, blobs, icicle.MapOptions{}, func(at icicle.JobPlace, b blob) (result, error) {
		return commit(at.Device, curve, field, bases[at.Position], b)
	}))
	must(0, group.Close())
	must(0, binary.Write(must(os.Create(os.Args[3])), binary.BigEndian, results))
}

// commit makes one blob's commitment and extension.
func commit(device icicle.Device, curve icicle.Curve, field icicle.Field, bases icicle.Slice, b blob) (r result, err error) {
	reverse(b[:]) // numbers are big-endian in blobs, little-endian here
	all, err := icicle.DeviceSliceFrom(device, slices.Concat(b[:], make([]byte, 32*n)))
	if err != nil {
		return r, err
	}
	values, sum := must(all.Slice(0, 32*n)), make(icicle.HostSlice[[36]uint32], 1)
	err = errors.Join(
		field.BitReverse(values, values, icicle.VectorOptions{}), // a blob's order is bit-reversed
		curve.MSM(values, bases, sum, icicle.MSMOptions{}),
		curve.CompressPoints(sum, r[:48]),
		field.NTT(values, icicle.Inverse, values, icicle.NTTOptions{}), // coefficients, and zeros behind them
		field.NTT(all, icicle.Forward, all, icicle.NTTOptions{Ordering: icicle.NaturalReversed}),
		icicle.Copy(icicle.Host(r[48:]), all, icicle.Launch{}),
		all.Close())
	reverse(r[48:])
	return r, err
}

// reverse turns the bytes of each number of 32 bytes around.
func reverse(numbers []byte) {
	for number := range slices.Chunk(numbers, 32) {
		slices.Reverse(number)
	}
}
