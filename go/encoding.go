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
// Errors: ErrInvalidArgument names the first that is not.
func (f Field) CheckElements(elements Slice) error {
	c := begin("check_elements", Launch{}, arg{"elements", elements})
	return c.check(C.go_check_call(C.icicle_check_elements), f, c.field(f).Bytes)
}

// CheckPoints checks that affine points in host memory have canonical coordinates and lie on the curve; (0, 0) is the
// neutral element. Membership of the prime-order group is not checked.
//
// Errors: ErrInvalidArgument names the first that does not.
func (g Curve) CheckPoints(points Slice) error {
	c := begin("check_points", Launch{}, arg{"points", points})
	return c.check(C.go_check_call(C.icicle_check_points), g, c.curve(g).AffineBytes)
}

// DecompressPoints decompresses points of BLS12-381's G1, 48 bytes each in the encoding of Ethereum and Zcash, to affine
// points in host memory. Membership of the prime-order group is not checked.
//
// Errors: ErrInvalidArgument names the first that is no such encoding; ErrUnsupported for other curves.
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

// CompressPoints compresses projective points of BLS12-381's G1 in host memory to 48 bytes each; otherwise as
// DecompressPoints.
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
