package icicle

// #include <string.h>
// #include "shim.h"
//
// static go_status go_group_init_domain(uintptr_t group, int32_t field, go_in root) {
//   GO_PLAIN(icicle_group_ntt_init_domain((void *)group, field, root));
// }
// static go_status go_group_release_domain(uintptr_t group, int32_t field) {
//   GO_PLAIN(icicle_group_ntt_release_domain((void *)group, field));
// }
// // The options differ by the size of a scalar, in 32-bit limbs; of another size there are none.
// #define GO_GROUP_NTT(LIMBS)                                                          \
//   case LIMBS: {                                                                      \
//     icicle_ntt_config_##LIMBS##_t config = icicle_ntt_config_##LIMBS##_default();    \
//     if (coset) memcpy(config.coset_gen, coset, sizeof config.coset_gen);             \
//     if (batch) config.batch_size = batch;                                            \
//     config.columns_batch = columns;                                                  \
//     config.ordering = ordering;                                                      \
//     if (!in) GO_PLAIN(icicle_group_ntt_sharded((void *)group, field, (void *)a, dir, &config, (void *)b)); \
//     GO_PLAIN(icicle_group_ntt((void *)group, field, in, n, dir, &config, out));      \
//   }
// static go_status go_group_ntt(uintptr_t group, int32_t field, go_in in, int64_t n, go_out out, uintptr_t a, uintptr_t b, int dir,
//                               int limbs, go_in coset, int32_t batch, bool columns, int32_t ordering) {
//   switch (limbs) {
//     GO_GROUP_NTT(1)
//     GO_GROUP_NTT(2)
//     GO_GROUP_NTT(8)
//     GO_GROUP_NTT(12)
//     default: GO_PLAIN(icicle_group_ntt((void *)group, field, in, n, dir, NULL, out));
//   }
// }
// static go_status go_group_msm(uintptr_t group, int32_t curve, go_in scalars, go_in bases, int64_t n, uintptr_t a, uintptr_t b,
//                               int32_t factor, int32_t c, int32_t bitsize, int32_t batch, bool separate, bool scalars_montgomery,
//                               bool points_montgomery, go_out out) {
//   icicle_msm_config_t config = icicle_msm_config_default();
//   if (factor) config.precompute_factor = factor;
//   config.c = c;
//   config.bitsize = bitsize;
//   if (batch) config.batch_size = batch;
//   config.are_points_shared_in_batch = !separate;
//   config.are_scalars_montgomery_form = scalars_montgomery;
//   config.are_points_montgomery_form = points_montgomery;
//   if (a) GO_PLAIN(icicle_group_msm_sharded((void *)group, curve, (void *)a, (void *)b, &config, out));
//   GO_PLAIN(icicle_group_msm((void *)group, curve, scalars, bases, n, &config, out));
// }
// static go_status go_group_vector_binary(uintptr_t g, int32_t field, int32_t op, uintptr_t a, uintptr_t b, uintptr_t out) {
//   GO_PLAIN(icicle_group_vector_binary((void *)g, field, op, (void *)a, (void *)b, (void *)out));
// }
// static go_status go_group_vector_accumulate(uintptr_t g, int32_t field, uintptr_t a, uintptr_t b) {
//   GO_PLAIN(icicle_group_vector_accumulate((void *)g, field, (void *)a, (void *)b));
// }
// static go_status go_group_vector_mixed_mul(uintptr_t g, int32_t field, uintptr_t a, uintptr_t b, uintptr_t out) {
//   GO_PLAIN(icicle_group_vector_mixed_mul((void *)g, field, (void *)a, (void *)b, (void *)out));
// }
// static go_status go_group_vector_scalar(uintptr_t g, int32_t field, int32_t op, go_in scalar, uintptr_t v, uintptr_t out) {
//   GO_PLAIN(icicle_group_vector_scalar((void *)g, field, op, scalar, (void *)v, (void *)out));
// }
// static go_status go_group_vector_inv(uintptr_t g, int32_t field, uintptr_t v, uintptr_t out) {
//   GO_PLAIN(icicle_group_vector_inv((void *)g, field, (void *)v, (void *)out));
// }
// static go_status go_group_convert_montgomery(uintptr_t g, int32_t field, uintptr_t v, bool to, uintptr_t out) {
//   GO_PLAIN(icicle_group_convert_montgomery((void *)g, field, (void *)v, to, (void *)out));
// }
// static go_status go_group_vector_reduce(uintptr_t g, int32_t field, int32_t op, uintptr_t v, go_out out) {
//   GO_PLAIN(icicle_group_vector_reduce((void *)g, field, op, (void *)v, out));
// }
// static go_status go_group_poly_eval(uintptr_t g, int32_t field, uintptr_t v, go_in domain, uint64_t n, go_out evals) {
//   GO_PLAIN(icicle_group_poly_eval((void *)g, field, (void *)v, domain, n, evals));
// }
// static go_status go_group_execute_program(uintptr_t g, int32_t field, uintptr_t *vectors, uint64_t n, uintptr_t program) {
//   GO_PLAIN(icicle_group_execute_program((void *)g, field, (void *const *)vectors, n, (void *)program));
// }
import "C"

import "unsafe"

// groupOnly refuses what a group's call has of its own.
func (c *call) groupOnly(launch Launch) {
	if launch.Stream != nil || launch.Async {
		c.fail(ErrInvalidArgument, "stream or async: a group's call has its own streams and waits")
	}
}

// MSM computes Curve.MSM over the group, with its result to the byte: batches are spread, one multiplication is split by
// points. The options have no stream.
//
// Errors: as Curve.MSM, of a device named in the message; ErrInvalidPointer if the group is nil or closed.
func (g *Group) MSM(curve Curve, scalars, bases, results Slice, o MSMOptions) error {
	memory := []arg{{"scalars", scalars}, {"bases", bases}, {"results", results}}
	return g.with("group_msm", nil, memory, func(c *call, group C.uintptr_t, _ []C.uintptr_t) C.go_status {
		c.groupOnly(o.Launch)
		info := c.curve(curve)
		n := c.count(0, c.field(info.Scalar).Bytes, parts(o.Batch))
		c.need(1, info.AffineBytes, n, parts(o.PrecomputeFactor), o.sets())
		c.need(2, info.ProjectiveBytes, parts(o.Batch))
		return c.groupMSM(group, curve, n, c.maybe(0), c.maybe(1), 0, 0, 2, o)
	})
}

// MSMSharded computes one multiplication of sharded scalars and bases, whose elements are PrecomputeFactor affine points each;
// results is one projective point in memory.
//
// Errors: as MSM; ErrInvalidArgument also for vectors of other lengths, elements or devices, or one alone that is cyclic.
func (g *Group) MSMSharded(curve Curve, scalars, bases *Sharded, results Slice, o MSMOptions) error {
	vectors, memory := []*Sharded{scalars, bases}, []arg{{"results", results}}
	return g.with("group_msm_sharded", vectors, memory, func(c *call, group C.uintptr_t, v []C.uintptr_t) C.go_status {
		c.groupOnly(o.Launch)
		c.need(0, c.curve(curve).ProjectiveBytes, parts(o.Batch))
		return c.groupMSM(group, curve, 0, nil, nil, v[0], v[1], 0, o)
	})
}

// maybe is an operand's address, or nil after a failure.
func (c *call) maybe(i int) *C.uint8_t {
	if c.err != nil {
		return nil
	}
	return c.ptr(i)
}

func (c *call) groupMSM(group C.uintptr_t, curve Curve, n int, scalars, bases *C.uint8_t, a, b C.uintptr_t, results int, o MSMOptions) C.go_status {
	factor, window := c.integer("precompute_factor", o.PrecomputeFactor), c.integer("c", o.C)
	bits, batch := c.integer("bitsize", o.Bitsize), c.integer("batch_size", o.Batch)
	if c.err != nil {
		return C.go_status{}
	}
	return C.go_group_msm(group, C.int32_t(curve), scalars, bases, C.int64_t(n), a, b, factor, window, bits, batch,
		C.bool(o.SeparatePoints), C.bool(o.ScalarsMontgomery), C.bool(o.PointsMontgomery), c.ptr(results))
}

// InitDomain makes a root of unity the domain of a scalar field on every device of the group; root is one canonical element in
// host memory.
//
// Errors: as Device.InitDomain.
func (g *Group) InitDomain(f Field, root Slice) error {
	memory := []arg{{"primitive_root", root}}
	return g.with("group_ntt_init_domain", nil, memory, func(c *call, group C.uintptr_t, _ []C.uintptr_t) C.go_status {
		c.hostOnly()
		c.need(0, c.field(f).Bytes, 1)
		if c.err != nil {
			return C.go_status{}
		}
		return C.go_group_init_domain(group, C.int32_t(f), c.ptr(0))
	})
}

// ReleaseDomain forgets the domain of a scalar field on every device of the group.
//
// Errors: as Device.ReleaseDomain.
func (g *Group) ReleaseDomain(f Field) error {
	return g.with("group_ntt_release_domain", nil, nil, func(_ *call, group C.uintptr_t, _ []C.uintptr_t) C.go_status {
		return C.go_group_release_domain(group, C.int32_t(f))
	})
}

// NTT transforms as Field.NTT over the group, whose devices all have the domain (InitDomain), with its result to the byte:
// batches are spread, one transform is done in four steps. The options have no stream.
//
// Errors: as Field.NTT, of a device named in the message; ErrInvalidPointer if the group is nil or closed.
func (g *Group) NTT(f Field, in Slice, dir Direction, out Slice, o NTTOptions) error {
	memory := []arg{{"input", in}, {"output", out}}
	return g.transform("group_ntt", f, nil, memory, dir, o)
}

// NTTSharded transforms a sharded vector in blocks into another; of at least 4,096 elements where they lie, of fewer on one
// device. It holds Batch transforms one after another, not interleaved: of several, each device does those that begin in its
// block, without copies where blocks are of whole transforms.
//
// Errors: as NTT; ErrInvalidArgument also for another layout, a batch that does not divide the vector or is interleaved, or an
// output that is the input.
func (g *Group) NTTSharded(f Field, in *Sharded, dir Direction, out *Sharded, o NTTOptions) error {
	return g.transform("group_ntt_sharded", f, []*Sharded{in, out}, nil, dir, o)
}

func (g *Group) transform(op string, f Field, vectors []*Sharded, memory []arg, dir Direction, o NTTOptions) error {
	if o.CosetGen != nil {
		memory = append(memory, arg{"coset_gen", o.CosetGen})
	}
	return g.with(op, vectors, memory, func(c *call, group C.uintptr_t, v []C.uintptr_t) C.go_status {
		c.groupOnly(o.Launch)
		info := c.field(f)
		var in, out, coset *C.uint8_t
		var a, b C.uintptr_t
		n, at := 0, 0
		if v == nil || len(v) == 0 {
			n = c.count(0, info.Bytes, parts(o.Batch))
			c.need(1, info.Bytes, n, parts(o.Batch))
			at = 2
		} else {
			a, b = v[0], v[1]
		}
		bytes := c.field(info.Scalar).Bytes
		if o.CosetGen != nil {
			c.need(at, bytes, 1)
			if c.args[at].onDevice {
				c.fail(ErrInvalidPointer, "coset_gen: memory of %v: must be the host's", c.args[at].owner.device)
			}
		}
		batch := c.integer("batch_size", o.Batch)
		if c.err != nil {
			return C.go_status{}
		}
		if at == 2 {
			in, out = c.ptr(0), c.ptr(1)
			if in == nil { // of no elements: nothing to transform
				return C.go_status{}
			}
		}
		if o.CosetGen != nil {
			coset = c.ptr(at)
		}
		return C.go_group_ntt(group, C.int32_t(f), in, C.int64_t(n), out, a, b, C.int(dir), C.int(bytes/4), coset, batch,
			C.bool(o.Columns), C.int32_t(o.Ordering))
	})
}

// Operation is what VectorBinary and VectorScalar do with two elements, and VectorReduce with all.
type Operation int32

// The operations; Div gives 0 where there is no inverse. VectorReduce takes Add and Mul.
const (
	Add Operation = 0
	Sub Operation = 1
	Mul Operation = 2
	Div Operation = 3
)

// VectorBinary computes out[i] = a[i] ∘ b[i] of sharded vectors; out is another vector than a and b. Blocks and copies of the
// whole may be mixed, each device working on its elements of out; cyclic vectors go with cyclic ones.
//
// Errors: ErrInvalidArgument for an unknown field or operation, vectors of other lengths, elements or devices, or an out that is
// an input; ErrInvalidPointer for what is nil or closed; ErrUnsupported; ErrOutOfMemory; ErrCopyFailed.
func (g *Group) VectorBinary(f Field, op Operation, a, b, out *Sharded) error {
	return g.with("group_vector_binary", []*Sharded{a, b, out}, nil, func(_ *call, group C.uintptr_t, v []C.uintptr_t) C.go_status {
		return C.go_group_vector_binary(group, C.int32_t(f), C.int32_t(op), v[0], v[1], v[2])
	})
}

// VectorAccumulate computes a[i] = a[i] + b[i] of sharded vectors.
//
// Errors: as VectorBinary.
func (g *Group) VectorAccumulate(f Field, a, b *Sharded) error {
	return g.with("group_vector_accumulate", []*Sharded{a, b}, nil, func(_ *call, group C.uintptr_t, v []C.uintptr_t) C.go_status {
		return C.go_group_vector_accumulate(group, C.int32_t(f), v[0], v[1])
	})
}

// VectorMixedMul computes out[i] = a[i]·b[i] of sharded vectors of elements of an extension and of its scalar field.
//
// Errors: as VectorBinary; ErrUnsupported also if f is no extension.
func (g *Group) VectorMixedMul(f Field, a, b, out *Sharded) error {
	return g.with("group_vector_mixed_mul", []*Sharded{a, b, out}, nil, func(_ *call, group C.uintptr_t, v []C.uintptr_t) C.go_status {
		return C.go_group_vector_mixed_mul(group, C.int32_t(f), v[0], v[1], v[2])
	})
}

// VectorScalar computes out[i] = scalar ∘ v[i] of sharded vectors, scalar being one element in memory and op not Div.
//
// Errors: as VectorBinary.
func (g *Group) VectorScalar(f Field, op Operation, scalar Slice, v, out *Sharded) error {
	vectors, memory := []*Sharded{v, out}, []arg{{"scalar", scalar}}
	return g.with("group_vector_scalar", vectors, memory, func(c *call, group C.uintptr_t, v []C.uintptr_t) C.go_status {
		c.need(0, c.field(f).Bytes, 1)
		if c.err != nil {
			return C.go_status{}
		}
		return C.go_group_vector_scalar(group, C.int32_t(f), C.int32_t(op), c.ptr(0), v[0], v[1])
	})
}

// VectorInv computes out[i] = 1/v[i] of sharded vectors, 0 where there is no inverse.
//
// Errors: as VectorBinary.
func (g *Group) VectorInv(f Field, v, out *Sharded) error {
	return g.with("group_vector_inv", []*Sharded{v, out}, nil, func(_ *call, group C.uintptr_t, v []C.uintptr_t) C.go_status {
		return C.go_group_vector_inv(group, C.int32_t(f), v[0], v[1])
	})
}

// ConvertMontgomery converts a sharded vector to Montgomery form, or back.
//
// Errors: as VectorBinary.
func (g *Group) ConvertMontgomery(f Field, v, out *Sharded, toMontgomery bool) error {
	return g.with("group_convert_montgomery", []*Sharded{v, out}, nil, func(_ *call, group C.uintptr_t, v []C.uintptr_t) C.go_status {
		return C.go_group_convert_montgomery(group, C.int32_t(f), v[0], C.bool(toMontgomery), v[1])
	})
}

// VectorReduce computes the sum (Add) or product (Mul) of a sharded vector's elements, to one element in memory.
//
// Errors: as VectorBinary.
func (g *Group) VectorReduce(f Field, op Operation, v *Sharded, out Slice) error {
	memory := []arg{{"output", out}}
	return g.with("group_vector_reduce", []*Sharded{v}, memory, func(c *call, group C.uintptr_t, v []C.uintptr_t) C.go_status {
		c.need(0, c.field(f).Bytes, 1)
		kind := C.int32_t(-1)
		switch op {
		case Add:
			kind = 0
		case Mul:
			kind = 1
		}
		if c.err != nil {
			return C.go_status{}
		}
		return C.go_group_vector_reduce(group, C.int32_t(f), kind, v[0], c.ptr(0))
	})
}

// PolyEval computes the values of the polynomial whose coefficients are a sharded vector, blocks or replicated, at
// the points of domain; domain and evals are memory of as many elements.
//
// Errors: as VectorBinary; ErrInvalidArgument also for cyclic coefficients.
func (g *Group) PolyEval(f Field, coeffs *Sharded, domain, evals Slice) error {
	vectors, memory := []*Sharded{coeffs}, []arg{{"domain", domain}, {"evals", evals}}
	return g.with("group_poly_eval", vectors, memory, func(c *call, group C.uintptr_t, v []C.uintptr_t) C.go_status {
		bytes := c.field(f).Bytes
		n := c.count(0, bytes, 1)
		c.need(1, bytes, n)
		if c.err != nil {
			return C.go_status{}
		}
		return C.go_group_poly_eval(group, C.int32_t(f), v[0], c.ptr(0), C.uint64_t(n), c.ptr(1))
	})
}

// Execute runs a program at every position of sharded vectors, one for each parameter, all different and in the same places.
//
// Errors: as VectorBinary; ErrInvalidArgument also for another number of vectors than parameters, a vector named twice, or vectors
// in different places.
func (g *Group) Execute(f Field, program *Program, vectors []*Sharded) error {
	const op = "group_execute_program"
	if program == nil || program.owner == nil {
		return fail(ErrInvalidPointer, op, "program is nil")
	}
	if !program.owner.acquire() {
		return fail(ErrInvalidPointer, op, "program: closed already")
	}
	defer program.owner.release()
	return g.with(op, vectors, nil, func(_ *call, group C.uintptr_t, v []C.uintptr_t) C.go_status {
		return C.go_group_execute_program(group, C.int32_t(f), unsafe.SliceData(v), C.uint64_t(len(v)), C.uintptr_t(program.owner.handle))
	})
}
