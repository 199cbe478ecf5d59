// Command kzg_blobs commits to Ethereum blobs on every device at once, and extends them: kzg_blobs SETUP BLOBS RESULTS. SETUP
// holds 4,096 compressed G1 points in Lagrange form, natural order; BLOBS any number of blobs of 131,072 bytes. RESULTS is
// written: for each blob a commitment, and its polynomial at twice as many roots of unity, in a blob's form and order.
package main

import (
	"encoding/binary"
	"errors"
	"log"
	"os"
	"slices"
	"sync/atomic"

	icicle "icicle.example/go"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatalf("%v\nusage: kzg_blobs SETUP BLOBS RESULTS", err)
	}
	return value
}

func main() {
	const n = 4096
	args := append(os.Args, "", "", "") // a missing file is an error
	curve, field := must(icicle.CurveByName("bls12_381")), must(icicle.FieldByName("bls12_381"))
	setup, root, data := make(icicle.HostSlice[[24]uint32], n), make(icicle.HostSlice[[8]uint32], 1), must(os.ReadFile(args[2]))
	must(0, errors.Join(curve.DecompressPoints(must(os.ReadFile(args[1])), setup), field.RootOfUnity(2*n, root), icicle.CPU(0).Synchronize()))
	blobs := make([][32 * n]byte, (len(data)+32*n-1)/(32*n))
	must(binary.Decode(data, binary.BigEndian, blobs)) // refuses half a blob
	results := make([][48 + 64*n]byte, len(blobs))
	devices, next, done := must(icicle.Devices()), new(atomic.Int64), make(chan error)
	for _, d := range devices {
		go func() {
			bases := must(icicle.DeviceSliceFrom(d, setup))
			must(0, d.InitDomain(field, root))
			for i := next.Add(1) - 1; i < int64(len(blobs)); i = next.Add(1) - 1 {
				for number := range slices.Chunk(blobs[i][:], 32) { // big-endian
					slices.Reverse(number)
				}
				all, sum := must(icicle.DeviceSliceFrom(d, slices.Concat(blobs[i][:], make([]byte, 32*n)))), make(icicle.HostSlice[[36]uint32], 1)
				values := must(all.Slice(0, 32*n))
				must(0, errors.Join(field.BitReverse(values, values, icicle.VectorOptions{}), // a blob's order is bit-reversed
					curve.MSM(values, bases, sum, icicle.MSMOptions{}), curve.CompressPoints(sum, results[i][:48]),
					field.NTT(values, icicle.Inverse, values, icicle.NTTOptions{}), // coefficients
					field.NTT(all, icicle.Forward, all, icicle.NTTOptions{Ordering: icicle.NaturalReversed}),
					icicle.Copy(icicle.Host(results[i][48:]), all, icicle.Launch{}), all.Close()))
				for number := range slices.Chunk(results[i][48:], 32) {
					slices.Reverse(number)
				}
			}
			done <- bases.Close()
		}()
	}
	for range devices {
		must(0, <-done)
	}
	must(0, binary.Write(must(os.Create(args[3])), binary.BigEndian, results))
}
