// Command kzg_blobs commits to Ethereum blobs on every device at once: kzg_blobs SETUP BLOBS prints the commitments. SETUP
// holds 4,096 compressed G1 points in Lagrange form, natural order; BLOBS any number of blobs of 131,072 bytes.
package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"math/bits"
	"os"
	"sync/atomic"

	icicle "icicle.example/go"
)

const elements, blobBytes = 4096, 4096 * 32

func work(curve icicle.Curve, d icicle.Device, setup [][24]uint32, data []byte, next *atomic.Int64, out [][48]byte) error {
	bases, err := icicle.DeviceSliceFrom(d, setup)
	defer bases.Close()
	for blob := next.Add(1) - 1; blob < int64(len(out)); blob = next.Add(1) - 1 {
		scalars, sum := make([][8]uint32, elements), make([][36]uint32, 1)
		for i := range 8 * elements { // big-endian elements to little-endian words
			scalars[i/8][7-i%8] = binary.BigEndian.Uint32(data[int(blob)*blobBytes+4*i:])
		}
		err = errors.Join(err, curve.MSM(icicle.Host(scalars), bases, icicle.Host(sum), icicle.MSMOptions{}),
			curve.CompressPoints(icicle.Host(sum), out[blob][:]))
	}
	return err
}

func main() {
	args := append(os.Args, "", "") // a missing file is an error below
	compressed, err := os.ReadFile(args[1])
	data, err2 := os.ReadFile(args[2])
	curve, err3 := icicle.CurveByName("bls12_381")
	devices, err4 := icicle.Devices()
	natural, setup := make([][24]uint32, elements), make([][24]uint32, elements)
	err = errors.Join(err, err2, err3, err4, curve.DecompressPoints(compressed, icicle.Host(natural)))
	if err != nil || len(data)%blobBytes != 0 {
		log.Fatalf("usage: kzg_blobs SETUP BLOBS, of %d bytes each\n%v", blobBytes, err)
	}
	for i := range natural { // a blob's elements stand at bit-reversed places
		setup[bits.Reverse16(uint16(i))>>4] = natural[i]
	}
	out, done, next := make([][48]byte, len(data)/blobBytes), make(chan error), new(atomic.Int64)
	for _, d := range devices {
		go func() { done <- work(curve, d, setup, data, next, out) }()
	}
	for range devices {
		err = errors.Join(err, <-done)
	}
	for _, commitment := range out {
		fmt.Printf("%x\n", commitment)
	}
	if err != nil {
		log.Fatal(err)
	}
}
