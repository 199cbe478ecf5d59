package icicle

// #include "shim.h"
//
// typedef icicle_error_t (*go_check_call)(int32_t, const void *, uint64_t);
// static go_status go_check(go_check_call f, int32_t domain, go_in a, uint64_t n) { GO_PLAIN(f(domain, a, n)); }
// typedef icicle_error_t (*go_encode_call)(int32_t, const void *, uint64_t, void *);
// static go_status go_encode(go_encode_call f, int32_t curve, go_in a, uint64_t n, go_out out) { GO_PLAIN(f(curve, a, n, out)); }
import "C"

// compressedBytes is what a compressed point of BLS12-381's G1 takes; other curves have no encoding.
const compressedBytes = 48

func (c *call) check(function C.go_check_call, domain Domain, bytes int) error {
	c.hostOnly()
	n := c.count(0, bytes, 1)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_check(function, domain.number(), c.ptr(0), C.uint64_t(n)))
}

// CheckElements checks that elements in host memory are below the modulus, coefficient by coefficient.
//
// Errors: ErrInvalidArgument names the first that is not, also for a part of an element; ErrInvalidPointer for device
// memory.
func (f Field) CheckElements(elements Slice) error {
	c := begin("check_elements", Launch{}, arg{"elements", elements})
	return c.check(C.go_check_call(C.icicle_check_elements), f, c.field(f).Bytes)
}

// CheckPoints checks that affine points in host memory have canonical coordinates and lie on the curve; (0, 0) is the
// neutral element. Membership of the prime-order group is not checked.
//
// Errors: ErrInvalidArgument names the first that does not, also for a part of a point; ErrInvalidPointer for device
// memory.
func (g Curve) CheckPoints(points Slice) error {
	c := begin("check_points", Launch{}, arg{"points", points})
	return c.check(C.go_check_call(C.icicle_check_points), g, c.curve(g).AffineBytes)
}

// DecompressPoints decompresses points of BLS12-381's G1, 48 bytes each in the encoding of Ethereum and Zcash
// (draft-irtf-cfrg-pairing-friendly-curves-11, appendix C), to as many affine points in host memory. Membership of the
// prime-order group is not checked.
//
// Errors: ErrInvalidArgument names the first that is no such encoding, and nothing is written; also for lengths that do
// not match. ErrUnsupported for other curves, ErrInvalidPointer for device memory, ErrOutOfMemory.
func (g Curve) DecompressPoints(compressed []byte, points Slice) error {
	c := begin("decompress_points", Launch{}, arg{"compressed", Host(compressed)}, arg{"points", points})
	c.hostOnly()
	n := c.count(0, compressedBytes, 1)
	c.need(1, c.curve(g).AffineBytes, n)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_encode(C.go_encode_call(C.icicle_decompress_points), C.int32_t(g), c.ptr(0), C.uint64_t(n), c.ptr(1)))
}

// CompressPoints compresses projective points of BLS12-381's G1 in host memory to 48 bytes each, as DecompressPoints
// reads them.
//
// Errors: ErrInvalidArgument for lengths that do not match, ErrUnsupported for other curves, ErrInvalidPointer for
// device memory, ErrOutOfMemory.
func (g Curve) CompressPoints(points Slice, compressed []byte) error {
	c := begin("compress_points", Launch{}, arg{"points", points}, arg{"compressed", Host(compressed)})
	c.hostOnly()
	n := c.count(0, c.curve(g).ProjectiveBytes, 1)
	c.need(1, compressedBytes, n)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_encode(C.go_encode_call(C.icicle_compress_points), C.int32_t(g), c.ptr(0), C.uint64_t(n), c.ptr(1)))
}
