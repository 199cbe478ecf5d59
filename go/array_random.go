package icicle

// #include "shim.h"
//
// static icicle_random_key_t go_random_key(uint64_t seed) { return icicle_random_key(seed); }
// static icicle_random_key_t go_random_fold_in(icicle_random_key_t key, uint64_t data) {
//   return icicle_random_fold_in(key, data);
// }
// static go_status go_random_split(icicle_random_key_t key, icicle_random_key_t *keys, int64_t n) {
//   GO_PLAIN(icicle_random_split(key, keys, n));
// }
// static go_status go_random_bits(go_place at, icicle_random_key_t key, int32_t dtype, const int64_t *shape, int32_t rank,
//                                 uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_random_bits(key, dtype, shape, rank, NULL, &made));
// }
// static go_status go_random_uniform(go_place at, icicle_random_key_t key, double low, double high, int32_t dtype,
//                                    const int64_t *shape, int32_t rank, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_random_uniform(key, low, high, dtype, shape, rank, NULL, &made));
// }
// static go_status go_random_normal(go_place at, icicle_random_key_t key, int32_t dtype, const int64_t *shape, int32_t rank,
//                                   uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_random_normal(key, dtype, shape, rank, NULL, &made));
// }
// static go_status go_random_integers(go_place at, icicle_random_key_t key, icicle_scalar_t low, icicle_scalar_t high,
//                                     int32_t dtype, const int64_t *shape, int32_t rank, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_random_integers(key, low, high, dtype, shape, rank, NULL, &made));
// }
// static go_status go_random_bernoulli(go_place at, icicle_random_key_t key, double probability, const int64_t *shape,
//                                      int32_t rank, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_random_bernoulli(key, probability, shape, rank, NULL, &made));
// }
// static go_status go_random_permutation(go_place at, icicle_random_key_t key, int64_t n, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_random_permutation(key, n, NULL, &made));
// }
// static go_status go_random_shuffle(icicle_random_key_t key, uintptr_t x, int32_t axis, uintptr_t *handle) {
//   GO_MAKE(icicle_random_shuffle(key, (void *)x, axis, &made));
// }
// static go_status go_random_choice(icicle_random_key_t key, uintptr_t x, int64_t n, int32_t axis, bool replace,
//                                   uintptr_t *handle) {
//   GO_MAKE(icicle_random_choice(key, (void *)x, n, axis, replace, &made));
// }
import "C"

import "unsafe"

// RandomKey is what random numbers are a function of: 128 bits. The same key gives the same numbers, every time and in every
// language, on any number of threads: split it for independent ones. Keys are compared by ==.
type RandomKey struct {
	words [4]uint32
}

// NewRandomKey is the key of a seed.
func NewRandomKey(seed uint64) RandomKey { return keyOf(C.go_random_key(C.uint64_t(seed))) }

// RandomKeyOf is the key of four words, of which any are a key: those that Words gives.
func RandomKeyOf(words [4]uint32) RandomKey { return RandomKey{words} }

// Words is the key as four words.
func (k RandomKey) Words() [4]uint32 { return k.words }

// FoldIn is the key for a number, such as that of a step.
func (k RandomKey) FoldIn(data uint64) RandomKey {
	return keyOf(C.go_random_fold_in(k.raw(), C.uint64_t(data)))
}

// Split is n keys whose numbers are independent of each other's and of this key's. No two of them are equal, and the first of
// many are those of few.
//
// Errors: ErrInvalidArgument if n is negative; ErrOutOfMemory.
func (k RandomKey) Split(n int) ([]RandomKey, error) {
	const op = "split"
	// A slice of more would be a panic of Go's.
	if n > 1<<32 {
		return nil, fail(ErrOutOfMemory, op, "%d keys", n)
	}
	raw := make([]C.icicle_random_key_t, max(n, 0))
	if err := check(op, Device{}, C.go_random_split(k.raw(), unsafe.SliceData(raw), C.int64_t(n))); err != nil {
		return nil, err
	}
	keys := make([]RandomKey, len(raw))
	for i, made := range raw {
		keys[i] = keyOf(made)
	}
	return keys, nil
}

func keyOf(raw C.icicle_random_key_t) RandomKey {
	var k RandomKey
	for i, word := range raw.words {
		k.words[i] = uint32(word)
	}
	return k
}

func (k RandomKey) raw() C.icicle_random_key_t {
	var raw C.icicle_random_key_t
	for i, word := range k.words {
		raw.words[i] = C.uint32_t(word)
	}
	return raw
}

// RandomBits makes an array of integers of all values of an unsigned dtype, equally likely: the bits of the cipher's blocks,
// lowest first. Without a shape it has no axes; element i in C order depends on the key and i only.
//
// Errors: ErrInvalidArgument if the dtype is not unsigned, an extent is negative, or the shape too large; ErrUnsupported on a
// GPU with neither NVRTC nor kernels; ErrOutOfMemory.
func RandomBits(key RandomKey, dtype DType, shape ...int) (*Array, error) {
	extent, rank := extents(shape)
	return makeArray("bits", nil, func(h *handles) C.go_status {
		return C.go_random_bits(ambient(), key.raw(), C.int32_t(dtype), unsafe.SliceData(extent), rank, &h.made)
	})
}

// RandomUniform makes an array of numbers from low up to before high, equally likely, of 24 random bits in float32 and 53 in
// float64.
//
// Errors: as RandomBits, and ErrInvalidArgument if the dtype is not one of these, low is not below high in it, or their
// distance is not finite.
func RandomUniform(key RandomKey, low, high float64, dtype DType, shape ...int) (*Array, error) {
	extent, rank := extents(shape)
	return makeArray("uniform", nil, func(h *handles) C.go_status {
		return C.go_random_uniform(ambient(), key.raw(), C.double(low), C.double(high), C.int32_t(dtype), unsafe.SliceData(extent), rank, &h.made)
	})
}

// RandomNormal makes an array of normal numbers of mean 0 and deviation 1, in float32 or float64: at most 6.77 and 8.66 from 0.
//
// Errors: as RandomBits, and ErrInvalidArgument if the dtype is not one of these.
func RandomNormal(key RandomKey, dtype DType, shape ...int) (*Array, error) {
	extent, rank := extents(shape)
	return makeArray("normal", nil, func(h *handles) C.go_status {
		return C.go_random_normal(ambient(), key.raw(), C.int32_t(dtype), unsafe.SliceData(extent), rank, &h.made)
	})
}

// RandomIntegers makes an array of integers from low up to before high, equally likely, without bias. Those of all values of
// uint64 are RandomBits'.
//
// Errors: as RandomBits, and ErrInvalidArgument if T is no integer type, low is not below high, or the dtype is no integer one
// or does not hold the numbers.
func RandomIntegers[T Number](key RandomKey, low, high T, dtype DType, shape ...int) (*Array, error) {
	return randomIntegers(key, ScalarOf(low), ScalarOf(high), dtype, shape)
}

func randomIntegers(key RandomKey, low, high Scalar, dtype DType, shape []int) (*Array, error) {
	extent, rank := extents(shape)
	return makeArray("integers", nil, func(h *handles) C.go_status {
		return C.go_random_integers(ambient(), key.raw(), low.raw, high.raw, C.int32_t(dtype), unsafe.SliceData(extent), rank, &h.made)
	})
}

// RandomBernoulli makes an array of bool whose elements are true with a probability, which is rounded to a multiple of 2^-32.
//
// Errors: as RandomBits, and ErrInvalidArgument if the probability is not from 0 to 1.
func RandomBernoulli(key RandomKey, probability float64, shape ...int) (*Array, error) {
	extent, rank := extents(shape)
	return makeArray("bernoulli", nil, func(h *handles) C.go_status {
		return C.go_random_bernoulli(ambient(), key.raw(), C.double(probability), unsafe.SliceData(extent), rank, &h.made)
	})
}

// RandomPermutation makes an array of the integers from 0 to n-1, in int64, in an order all of which are equally likely.
//
// Errors: ErrInvalidArgument if n is negative or too large; ErrUnsupported on a GPU with neither
// NVRTC nor kernels; ErrOutOfMemory.
func RandomPermutation(key RandomKey, n int) (*Array, error) {
	return makeArray("permutation", nil, func(h *handles) C.go_status {
		return C.go_random_permutation(ambient(), key.raw(), C.int64_t(n), &h.made)
	})
}

// RandomShuffle is x with the indices of an axis in the order that RandomPermutation gives, on the device of x.
//
// Errors: ErrInvalidArgument if there is no such axis; ErrInvalidPointer if the array is nil or closed; ErrUnsupported on a GPU
// with neither NVRTC nor kernels; ErrOutOfMemory.
func RandomShuffle(key RandomKey, x *Array, axis int) (*Array, error) {
	return makeArray("shuffle", []*Array{x}, func(h *handles) C.go_status {
		return C.go_random_shuffle(key.raw(), h.of[0], axis32(axis), &h.made)
	})
}

// RandomChoice is n elements of x along an axis, each of them any with the same probability; without replace, none twice.
//
// Errors: as RandomShuffle, and ErrInvalidArgument if n is negative, or there are no elements to choose from or, without
// replace, fewer than n.
func RandomChoice(key RandomKey, x *Array, n, axis int, replace bool) (*Array, error) {
	return makeArray("choice", []*Array{x}, func(h *handles) C.go_status {
		return C.go_random_choice(key.raw(), h.of[0], C.int64_t(n), axis32(axis), C.bool(replace), &h.made)
	})
}
