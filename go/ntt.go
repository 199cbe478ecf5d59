package icicle

// #include <string.h>
// #include "shim.h"
//
// typedef struct {
//   uintptr_t stream;
//   int32_t batch_size, ordering;
//   bool is_async, columns_batch, are_inputs_on_device, are_outputs_on_device;
// } go_ntt_options;
// typedef icicle_error_t (*go_ntt_call)(int32_t, const void *, int64_t, int, const void *, void *);
//
// // The options of a transform differ by the size of a scalar, in 32-bit limbs. Of another size there are none; the
// // library says so, given null.
// #define GO_NTT_LIMBS(LIMBS)                                                         \
//   case LIMBS: {                                                                     \
//     icicle_ntt_config_##LIMBS##_t config = icicle_ntt_config_##LIMBS##_default();   \
//     config.stream = (void *)o.stream;                                               \
//     if (coset) memcpy(config.coset_gen, coset, sizeof config.coset_gen);            \
//     if (o.batch_size) config.batch_size = o.batch_size;                             \
//     config.columns_batch = o.columns_batch;                                         \
//     config.ordering = o.ordering;                                                   \
//     config.are_inputs_on_device = o.are_inputs_on_device;                           \
//     config.are_outputs_on_device = o.are_outputs_on_device;                         \
//     config.is_async = o.is_async;                                                   \
//     GO_CALL(at, f(domain, in, n, dir, &config, out));                               \
//   }
// static go_status go_ntt(go_place at, go_ntt_call f, int32_t domain, go_in in, int64_t n, int dir, int limbs, go_in coset,
//                         go_ntt_options o, go_out out) {
//   switch (limbs) {
//     GO_NTT_LIMBS(1)
//     GO_NTT_LIMBS(2)
//     GO_NTT_LIMBS(8)
//     GO_NTT_LIMBS(12)
//     default: GO_CALL(at, f(domain, in, n, dir, NULL, out));
//   }
// }
// static go_status go_ntt_init_domain(go_place at, int32_t field, go_in root) {
//   icicle_ntt_init_domain_config_t config = icicle_ntt_init_domain_config_default();
//   GO_CALL(at, icicle_ntt_init_domain(field, root, &config));
// }
// static go_status go_ntt_release_domain(go_place at, int32_t field) { GO_CALL(at, icicle_ntt_release_domain(field)); }
// static go_status go_get_root_of_unity(int32_t field, uint64_t n, go_out root) {
//   GO_PLAIN(icicle_get_root_of_unity(field, n, root));
// }
// static go_status go_get_root_of_unity_from_domain(go_place at, int32_t field, uint64_t log_n, go_out root) {
//   GO_CALL(at, icicle_get_root_of_unity_from_domain(field, log_n, root));
// }
import "C"

// Direction is which way a transform goes.
type Direction int32

// The directions.
const (
	Forward Direction = 0
	Inverse Direction = 1
)

// Ordering is the order of a transform's inputs, then of its outputs.
type Ordering int32

// The orders: natural, bit-reversed, or mixed, any that the counterpart undoes.
const (
	NaturalNatural   Ordering = 0
	NaturalReversed  Ordering = 1
	ReversedNatural  Ordering = 2
	ReversedReversed Ordering = 3
	NaturalMixed     Ordering = 4
	MixedNatural     Ordering = 5
)

// NTTOptions are options of a transform. The zero value is one transform in natural order over no coset.
type NTTOptions struct {
	Launch
	// CosetGen is the coset's generator, one canonical scalar in host memory; nil for none.
	CosetGen Slice
	// Batch is the number of transforms; 0 means 1.
	Batch int
	// Columns interleaves them: element i of transform b lies at i·Batch + b.
	Columns bool
	// Ordering of inputs and outputs.
	Ordering Ordering
}

// transform is out = call(in) of elements of so many bytes.
func (c *call) transform(function C.go_ntt_call, domain Domain, scalar Field, bytes int, dir Direction, o NTTOptions) error {
	batch := parts(o.Batch)
	n := c.count(0, bytes, batch)
	c.need(1, bytes, n, batch)
	scalarBytes := c.field(scalar).Bytes
	var coset *C.uint8_t
	if o.CosetGen != nil {
		c.need(2, scalarBytes, 1)
		if c.args[2].onDevice {
			c.fail(ErrInvalidPointer, "coset_gen: memory of %v: must be the host's", c.args[2].owner.device)
		}
		coset = c.ptr(2)
	}
	options := C.go_ntt_options{
		stream: c.stream(), batch_size: c.integer("batch_size", o.Batch), ordering: C.int32_t(o.Ordering),
		is_async: C.bool(o.Async), columns_batch: C.bool(o.Columns),
		are_inputs_on_device: c.onDevice(0), are_outputs_on_device: c.onDevice(1),
	}
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_ntt(c.at, function, domain.number(), c.ptr(0), C.int64_t(n), C.int(dir), C.int(scalarBytes/4), coset,
		options, c.ptr(1)))
}

func (o NTTOptions) begin(op string, in, out Slice) *call {
	args := []arg{{"input", in}, {"output", out}}
	if o.CosetGen != nil {
		args = append(args, arg{"coset_gen", o.CosetGen})
	}
	return begin(op, o.Launch, args...)
}

// NTT transforms vectors of this field, a scalar field or its extension: X[k] = Σ x[j]·g^j·w^(jk) with the coset
// generator g and w the domain's root of the vectors' length n, a power of two up to the domain's, or 0. The inverse
// undoes it. in and out hold Batch vectors each; out may be in. The domain is that of the device the call runs on: see
// InitDomain. It takes n/2·log2(n) products a vector.
//
// Errors: ErrInvalidArgument for lengths that do not match, are no power of two or exceed the domain, for a direction
// or order that is none, and a coset generator that is 0 or not canonical; otherwise as VectorAdd.
func (f Field) NTT(in Slice, dir Direction, out Slice, o NTTOptions) error {
	c := o.begin("ntt", in, out)
	info := c.field(f)
	return c.transform(C.go_ntt_call(C.icicle_ntt), f, info.Scalar, info.Bytes, dir, o)
}

// ECNTT transforms vectors of projective points over the domain of the curve's scalar field; results are normalised.
// Otherwise as NTT, with scalar multiplications for products.
//
// Errors: as NTT; ErrUnsupported for curves without such transforms.
func (g Curve) ECNTT(in Slice, dir Direction, out Slice, o NTTOptions) error {
	c := o.begin("ecntt", in, out)
	info := c.curve(g)
	return c.transform(C.go_ntt_call(C.icicle_ecntt), g, info.Scalar, info.ProjectiveBytes, dir, o)
}

// InitDomain makes a root of unity, one canonical element in host memory, the device's domain of a scalar field; its
// order is the largest transform's length. A domain that is there already stays, and the call succeeds: release it
// first to change the root. Tables are made by the transforms that need them.
//
// Errors: ErrInvalidArgument for a root that is not canonical or whose order is no power of two, ErrUnsupported if the
// field is no scalar field with transforms, ErrInvalidDevice.
func (d Device) InitDomain(f Field, root Slice) error {
	c := begin("ntt_init_domain", Launch{}, arg{"primitive_root", root})
	c.on(d)
	c.hostOnly()
	c.need(0, c.field(c.field(f).Scalar).Bytes, 1)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_ntt_init_domain(c.at, C.int32_t(f), c.ptr(0)))
}

// ReleaseDomain forgets the device's domain of a scalar field; nothing happens where there is none.
//
// Errors: ErrUnsupported if the field is no scalar field with transforms, ErrInvalidDevice.
func (d Device) ReleaseDomain(f Field) error {
	c := begin("ntt_release_domain", Launch{})
	c.on(d)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_ntt_release_domain(c.at, C.int32_t(f)))
}

// RootOfUnity writes a primitive root of unity for domains of up to n elements, rounded up to a power of two, to root, one
// element of the scalar field in host memory.
//
// Errors: ErrInvalidArgument if the field has none of that order, ErrUnsupported for fields without transforms.
func (f Field) RootOfUnity(n uint64, root Slice) error {
	c := begin("get_root_of_unity", Launch{}, arg{"rou", root})
	c.hostOnly()
	c.need(0, c.field(c.field(f).Scalar).Bytes, 1)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_get_root_of_unity(C.int32_t(f), C.uint64_t(n), c.ptr(0)))
}

// DomainRoot writes the root of order 2^logN of the device's domain of a field to root, as RootOfUnity.
//
// Errors: ErrInvalidArgument if there is no domain that large; otherwise as RootOfUnity.
func (d Device) DomainRoot(f Field, logN uint64, root Slice) error {
	c := begin("get_root_of_unity_from_domain", Launch{}, arg{"rou", root})
	c.on(d)
	c.hostOnly()
	c.need(0, c.field(c.field(f).Scalar).Bytes, 1)
	if c.err != nil {
		return c.abandon()
	}
	return c.end(C.go_get_root_of_unity_from_domain(c.at, C.int32_t(f), C.uint64_t(logN), c.ptr(0)))
}
