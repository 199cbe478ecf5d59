// The registry, elements, vectors, matrices, polynomials and transforms; included by icicle.hpp.
//
// Elements are canonical little-endian 32-bit limbs. `n` counts elements of one vector; a configuration's `batch_size` says
// how many vectors there are. Outputs may be inputs unless said otherwise.
#ifndef ICICLE_FIELD_HPP
#define ICICLE_FIELD_HPP

#include "device.hpp"

namespace icicle {

using VectorConfig = icicle_vec_ops_config_t;
using MatmulConfig = icicle_matmul_config_t;

/// Every field, and every curve group.
inline std::vector<icicle_field_info_t> fields() {
  std::vector<icicle_field_info_t> all(icicle_field_count());
  for (std::uint32_t i = 0; i < all.size(); i++) {
    all[i].struct_size = sizeof all[i];
    check(icicle_field_info(i, &all[i]));
  }
  return all;
}
inline std::vector<icicle_curve_info_t> curves() {
  std::vector<icicle_curve_info_t> all(icicle_curve_count());
  for (std::uint32_t i = 0; i < all.size(); i++) {
    all[i].struct_size = sizeof all[i];
    check(icicle_curve_info(i, &all[i]));
  }
  return all;
}

/// Whether the current device offers an operation, over a field or on points of a curve.
inline bool supports(icicle_op_t op, icicle_field_t field) {
  bool supported = false;
  check(icicle_supports(op, field, &supported));
  return supported;
}
inline bool supports(icicle_op_t op, icicle_curve_t curve) {
  bool supported = false;
  check(icicle_supports(op, curve, &supported));
  return supported;
}

/// Single elements in host memory: `result = a + b`, and so on; the inverse of 0 is 0.
inline void field_add(icicle_field_t field, const void *a, const void *b, void *result) {
  check(icicle_field_add(field, a, b, result));
}
inline void field_sub(icicle_field_t field, const void *a, const void *b, void *result) {
  check(icicle_field_sub(field, a, b, result));
}
inline void field_mul(icicle_field_t field, const void *a, const void *b, void *result) {
  check(icicle_field_mul(field, a, b, result));
}
inline void field_sqr(icicle_field_t field, const void *a, void *result) { check(icicle_field_sqr(field, a, result)); }
inline void field_inv(icicle_field_t field, const void *a, void *result) { check(icicle_field_inv(field, a, result)); }
inline void field_pow(icicle_field_t field, const void *base, std::int32_t exponent, void *result) {
  check(icicle_field_pow(field, base, exponent, result));
}
inline bool field_eq(icicle_field_t field, const void *a, const void *b) {
  bool equal = false;
  check(icicle_field_eq(field, a, b, &equal));
  return equal;
}
inline void field_from_u32(icicle_field_t field, std::uint32_t value, void *result) {
  check(icicle_field_from_u32(field, value, result));
}
/// From as many little-endian bytes as an element has, reduced.
inline void field_from_bytes_le(icicle_field_t field, const std::uint8_t *bytes, void *result) {
  check(icicle_field_from_bytes_le(field, bytes, result));
}
/// `n` uniform elements, to host memory.
inline void field_random(icicle_field_t field, void *elements, std::int64_t n) {
  check(icicle_field_generate_random(field, elements, n));
}
/// Throw unless `n` elements in host memory are below the modulus.
inline void check_elements(icicle_field_t field, const void *elements, std::uint64_t n) {
  check(icicle_check_elements(field, elements, n));
}

/// `out[i] = a[i] + b[i]`, and so on; dividing by 0 gives 0.
inline void vector_add(icicle_field_t field, const void *a, const void *b, std::uint64_t n, void *out,
                       const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_vector_add(field, a, b, n, &config, out));
}
inline void vector_sub(icicle_field_t field, const void *a, const void *b, std::uint64_t n, void *out,
                       const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_vector_sub(field, a, b, n, &config, out));
}
inline void vector_mul(icicle_field_t field, const void *a, const void *b, std::uint64_t n, void *out,
                       const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_vector_mul(field, a, b, n, &config, out));
}
inline void vector_div(icicle_field_t field, const void *a, const void *b, std::uint64_t n, void *out,
                       const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_vector_div(field, a, b, n, &config, out));
}
/// `a[i] += b[i]`.
inline void vector_accumulate(icicle_field_t field, void *a, const void *b, std::uint64_t n,
                              const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_vector_accumulate(field, a, b, n, &config));
}
/// `out[i] = a[i]·b[i]`, `a` and `out` over the extension `field`, `b` over its scalar field.
inline void vector_mixed_mul(icicle_field_t field, const void *a, const void *b, std::uint64_t n, void *out,
                             const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_vector_mixed_mul(field, a, b, n, &config, out));
}
/// `out[i] = scalar + b[i]`, and so on, one scalar for each vector of the batch.
inline void scalar_add(icicle_field_t field, const void *scalar, const void *b, std::uint64_t n, void *out,
                       const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_scalar_add_vec(field, scalar, b, n, &config, out));
}
inline void scalar_sub(icicle_field_t field, const void *scalar, const void *b, std::uint64_t n, void *out,
                       const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_scalar_sub_vec(field, scalar, b, n, &config, out));
}
inline void scalar_mul(icicle_field_t field, const void *scalar, const void *b, std::uint64_t n, void *out,
                       const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_scalar_mul_vec(field, scalar, b, n, &config, out));
}
/// `out[i] = 1/a[i]`, 0 of 0.
inline void vector_inv(icicle_field_t field, const void *a, std::uint64_t n, void *out,
                       const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_vector_inv(field, a, n, &config, out));
}
/// `out[b]` = sum, or product, of vector `b`: one element for each of the batch.
inline void vector_sum(icicle_field_t field, const void *a, std::uint64_t n, void *out,
                       const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_vector_sum(field, a, n, &config, out));
}
inline void vector_product(icicle_field_t field, const void *a, std::uint64_t n, void *out,
                           const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_vector_product(field, a, n, &config, out));
}
/// To Montgomery form or back.
inline void convert_montgomery(icicle_field_t field, const void *in, std::uint64_t n, bool to_montgomery, void *out,
                               const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_convert_montgomery(field, in, n, to_montgomery, &config, out));
}
/// `out[i] = in[bits of i reversed]`; `n` is a power of two.
inline void bit_reverse(icicle_field_t field, const void *in, std::uint64_t n, void *out,
                        const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_bit_reverse(field, in, n, &config, out));
}
/// `out[i] = in[offset + i·stride]` for `i < n_out`; `in`, of `n_in` elements, and `out` are disjoint.
inline void slice(icicle_field_t field, const void *in, std::uint64_t n_in, std::uint64_t offset, std::uint64_t stride,
                  std::uint64_t n_out, void *out, const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_slice(field, in, offset, stride, n_in, n_out, &config, out));
}
/// `out[b]` = index of the last element of vector `b` that is not 0, or -1.
inline void highest_non_zero(icicle_field_t field, const void *in, std::uint64_t n, std::int64_t *out,
                             const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_highest_non_zero_idx(field, in, n, &config, out));
}

/// `values[b][i]` = polynomial `b` at `points[i]`; coefficients from the constant up; outputs are disjoint from inputs.
inline void polynomial_evaluate(icicle_field_t field, const void *coefficients, std::uint64_t n, const void *points,
                                std::uint64_t n_points, void *values,
                                const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_poly_eval(field, coefficients, n, points, n_points, &config, values));
}
/// `numerator = quotient·denominator + remainder`; what the outputs have room for beyond is 0. All are disjoint.
inline void polynomial_divide(icicle_field_t field, const void *numerator, std::uint64_t n_numerator,
                              const void *denominator, std::int64_t n_denominator, void *quotient,
                              std::uint64_t n_quotient, void *remainder, std::uint64_t n_remainder,
                              const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_poly_division(field, numerator, n_numerator, denominator, n_denominator, &config, quotient, n_quotient,
                             remainder, n_remainder));
}

/// `out = a·b`, row-major; rows and columns are as stored. `out` is disjoint from both.
inline void matrix_multiply(icicle_field_t field, const void *a, std::uint32_t rows_a, std::uint32_t columns_a,
                            const void *b, std::uint32_t rows_b, std::uint32_t columns_b, void *out,
                            const MatmulConfig &config = icicle_matmul_config_default()) {
  check(icicle_matmul(field, a, rows_a, columns_a, b, rows_b, columns_b, &config, out));
}
inline void matrix_transpose(icicle_field_t field, const void *in, std::uint32_t rows, std::uint32_t columns, void *out,
                             const VectorConfig &config = icicle_vec_ops_config_default()) {
  check(icicle_matrix_transpose(field, in, rows, columns, &config, out));
}

/// A root of unity for domains of up to `max_size` elements, to host memory.
inline void root_of_unity(icicle_field_t field, std::uint64_t max_size, void *root) {
  check(icicle_get_root_of_unity(field, max_size, root));
}
/// The root of order `2^log_n` of the current device's domain, to host memory.
inline void root_of_unity_from_domain(icicle_field_t field, std::uint64_t log_n, void *root) {
  check(icicle_get_root_of_unity_from_domain(field, log_n, root));
}
/// Make the domain of a root, one element in host memory, ready on the current device, or the stream's.
inline void ntt_init_domain(icicle_field_t field, const void *root,
                            const icicle_ntt_init_domain_config_t &config = icicle_ntt_init_domain_config_default()) {
  check(icicle_ntt_init_domain(field, root, &config));
}
/// Make the domain of size `max_size` ready on the current device.
inline void ntt_init_domain(icicle_field_t field, std::uint64_t max_size) {
  std::uint32_t root[24];
  root_of_unity(field, max_size, root);
  ntt_init_domain(field, static_cast<const void *>(root));
}
inline void ntt_release_domain(icicle_field_t field) { check(icicle_ntt_release_domain(field)); }

/// Transform with the options of the field's scalar size: `icicle_ntt_config_8_t` for 32 bytes, and so on.
template <typename Config>
void ntt(icicle_field_t field, const void *in, std::int64_t n, bool inverse, void *out, const Config &config) {
  check(icicle_ntt(field, in, n, inverse ? 1 : 0, &config, out));
}

}  // namespace icicle

#endif  // ICICLE_FIELD_HPP
