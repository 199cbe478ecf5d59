// Arrays of random numbers, which are functions of a key; included by icicle.hpp.
#ifndef ICICLE_RANDOM_HPP
#define ICICLE_RANDOM_HPP

#include "array.hpp"

#include <array>

namespace icicle {
namespace random {

/// What random numbers are a function of: 128 bits. The same key gives the same numbers, every time and in every language, on
/// any number of threads: split it for independent ones.
class Key {
 public:
  /// The key of a seed.
  explicit Key(std::uint64_t seed) : raw_(icicle_random_key(seed)) {}
  /// The key of four words, of which any are a key: those that words() gives.
  explicit Key(const std::array<std::uint32_t, 4> &words) : raw_() {
    for (std::size_t i = 0; i < 4; i++) raw_.words[i] = words[i];
  }
  explicit Key(const icicle_random_key_t &raw) : raw_(raw) {}
  std::array<std::uint32_t, 4> words() const noexcept { return {raw_.words[0], raw_.words[1], raw_.words[2], raw_.words[3]}; }
  /// Keys whose numbers are independent of each other's and of this key's. No two of them are equal, and the first of many are
  /// those of few.
  std::vector<Key> split(std::size_t n = 2) const {
    std::vector<icicle_random_key_t> raw(n);
    check(icicle_random_split(raw_, raw.data(), static_cast<std::int64_t>(n)));
    std::vector<Key> keys;
    for (const icicle_random_key_t &one : raw) keys.emplace_back(one);
    return keys;
  }
  /// The key for a number, such as that of a step.
  Key fold_in(std::uint64_t data) const { return Key(icicle_random_fold_in(raw_, data)); }
  friend bool operator==(const Key &a, const Key &b) noexcept { return a.words() == b.words(); }
  friend bool operator!=(const Key &a, const Key &b) noexcept { return !(a == b); }
  const icicle_random_key_t &raw() const noexcept { return raw_; }

 private:
  icicle_random_key_t raw_;
};

namespace detail {
inline std::int32_t rank(const Array::Shape &shape) { return static_cast<std::int32_t>(shape.size()); }
inline const icicle_device_t *raw(const Array::Place &device) { return device ? &device->raw() : nullptr; }
}  // namespace detail

// Element i, in C order, depends on the key and i only. Arrays are made on the thread's current device if none is named, and
// are the same on each. The functions throw INVALID_ARGUMENT for a dtype that they do not draw or a shape too large,
// API_NOT_IMPLEMENTED on a GPU with neither NVRTC nor kernels, INVALID_DEVICE and OUT_OF_MEMORY.

/// Integers of all values of an unsigned dtype, equally likely: the bits of the cipher's blocks, lowest first.
inline Array bits(const Key &key, const Array::Shape &shape, icicle_dtype_t dtype = ICICLE_DTYPE_UINT32, const Array::Place &device = {}) {
  return Array::make(icicle_random_bits, key.raw(), dtype, shape.data(), detail::rank(shape), detail::raw(device));
}
/// Numbers from `low` up to before `high`, of 24 random bits in float32 and 53 in float64. Throws INVALID_ARGUMENT also if low
/// is not below high, or their distance not finite.
inline Array uniform(const Key &key, const Array::Shape &shape, double low = 0, double high = 1,
                     icicle_dtype_t dtype = ICICLE_DTYPE_FLOAT64, const Array::Place &device = {}) {
  return Array::make(icicle_random_uniform, key.raw(), low, high, dtype, shape.data(), detail::rank(shape), detail::raw(device));
}
/// Normal numbers of mean 0 and deviation 1, in float32 or float64: at most 6.77 and 8.66 from 0.
inline Array normal(const Key &key, const Array::Shape &shape, icicle_dtype_t dtype = ICICLE_DTYPE_FLOAT64, const Array::Place &device = {}) {
  return Array::make(icicle_random_normal, key.raw(), dtype, shape.data(), detail::rank(shape), detail::raw(device));
}
/// Integers from `low` up to before `high`, equally likely, without bias. Throws INVALID_ARGUMENT also for bounds that are no
/// integers, low not below high, or a dtype that does not hold the numbers. Those of all values of uint64 are bits().
inline Array integers(const Key &key, const ArrayScalar &low, const ArrayScalar &high, const Array::Shape &shape,
                      icicle_dtype_t dtype = ICICLE_DTYPE_INT64, const Array::Place &device = {}) {
  return Array::make(icicle_random_integers, key.raw(), low.raw(), high.raw(), dtype, shape.data(), detail::rank(shape),
                     detail::raw(device));
}
/// Truth values that are true with a probability, which is rounded to a multiple of 2^-32. Throws INVALID_ARGUMENT also for one
/// that is not from 0 to 1.
inline Array bernoulli(const Key &key, double probability, const Array::Shape &shape, const Array::Place &device = {}) {
  return Array::make(icicle_random_bernoulli, key.raw(), probability, shape.data(), detail::rank(shape), detail::raw(device));
}
/// The integers from 0 to n - 1, in int64, in an order all of which are equally likely.
inline Array permutation(const Key &key, std::int64_t n, const Array::Place &device = {}) {
  return Array::make(icicle_random_permutation, key.raw(), n, detail::raw(device));
}
/// `x` with the indices of an axis in the order that permutation() gives, on its device.
inline Array shuffle(const Key &key, const Array &x, std::int32_t axis = 0) {
  return Array::make(icicle_random_shuffle, key.raw(), x.raw(), axis);
}
/// `n` elements along an axis, each of them any with the same probability; without `replace`, none twice. Throws
/// INVALID_ARGUMENT also if there are none to choose from, or too few.
inline Array choice(const Key &key, const Array &x, std::int64_t n, std::int32_t axis = 0, bool replace = true) {
  return Array::make(icicle_random_choice, key.raw(), x.raw(), n, axis, replace);
}

}  // namespace random
}  // namespace icicle

#endif  // ICICLE_RANDOM_HPP
