// Points, arrays of points, MSM and transforms of points; included by icicle.hpp.
//
// Affine points are x, y with (0, 0) the neutral element; projective points X, Y, Z with (0, 1, 0). Scalars are elements of
// the curve's scalar field.
#ifndef ICICLE_CURVE_HPP
#define ICICLE_CURVE_HPP

#include "device.hpp"

namespace icicle {

using PointsConfig = icicle_points_config_t;
using MsmConfig = icicle_msm_config_t;

/// Single projective points in host memory: `result = a + b`, and so on.
inline void point_add(icicle_curve_t curve, const void *a, const void *b, void *result) {
  check(icicle_point_add(curve, a, b, result));
}
inline void point_sub(icicle_curve_t curve, const void *a, const void *b, void *result) {
  check(icicle_point_sub(curve, a, b, result));
}
inline void point_mul(icicle_curve_t curve, const void *scalar, const void *point, void *result) {
  check(icicle_point_mul_scalar(curve, point, scalar, result));
}
inline bool point_eq(icicle_curve_t curve, const void *a, const void *b) {
  bool equal = false;
  check(icicle_point_eq(curve, a, b, &equal));
  return equal;
}
inline bool point_is_on_curve(icicle_curve_t curve, const void *point) {
  bool on_curve = false;
  check(icicle_point_is_on_curve(curve, point, &on_curve));
  return on_curve;
}
inline void point_to_affine(icicle_curve_t curve, const void *projective, void *affine) {
  check(icicle_point_to_affine(curve, projective, affine));
}
inline void point_from_affine(icicle_curve_t curve, const void *affine, void *projective) {
  check(icicle_point_from_affine(curve, affine, projective));
}
/// The generator of the group of prime order, projective.
inline void generator(icicle_curve_t curve, void *point) { check(icicle_point_generator(curve, point)); }

/// `n` random points of the group of prime order, to host memory.
inline void random_affine(icicle_curve_t curve, void *points, std::int64_t n) {
  check(icicle_generate_affine_points(curve, points, n));
}
inline void random_projective(icicle_curve_t curve, void *points, std::int64_t n) {
  check(icicle_generate_projective_points(curve, points, n));
}
/// Throw unless `n` affine points in host memory lie on the curve.
inline void check_points(icicle_curve_t curve, const void *points, std::uint64_t n) {
  check(icicle_check_points(curve, points, n));
}
/// BLS12-381's G1 alone: `n` points of 48 bytes to affine ones, and projective ones to 48 bytes, in host memory.
inline void decompress(icicle_curve_t curve, const void *compressed, std::uint64_t n, void *points) {
  check(icicle_decompress_points(curve, compressed, n, points));
}
inline void compress(icicle_curve_t curve, const void *points, std::uint64_t n, void *compressed) {
  check(icicle_compress_points(curve, points, n, compressed));
}

/// `out[i] = a[i] + b[i]`, and so on, of points in the forms that the configuration says, projective by default.
inline void points_add(icicle_curve_t curve, const void *a, const void *b, std::uint64_t n, void *out,
                       const PointsConfig &config = icicle_points_config_default()) {
  check(icicle_points_add(curve, a, b, n, &config, out));
}
inline void points_sub(icicle_curve_t curve, const void *a, const void *b, std::uint64_t n, void *out,
                       const PointsConfig &config = icicle_points_config_default()) {
  check(icicle_points_sub(curve, a, b, n, &config, out));
}
inline void points_mul(icicle_curve_t curve, const void *scalars, const void *points, std::uint64_t n, void *out,
                       const PointsConfig &config = icicle_points_config_default()) {
  check(icicle_points_mul(curve, scalars, points, n, &config, out));
}
/// The same points, normalised, in the form that the configuration says of the result.
inline void points_normalize(icicle_curve_t curve, const void *points, std::uint64_t n, void *out,
                             const PointsConfig &config = icicle_points_config_default()) {
  check(icicle_points_normalize(curve, points, n, &config, out));
}
inline void points_negate(icicle_curve_t curve, const void *points, std::uint64_t n, void *out,
                          const PointsConfig &config = icicle_points_config_default()) {
  check(icicle_points_negate(curve, points, n, &config, out));
}
/// `out[i]` = 1 where the points are the same group element, else 0.
inline void points_equal(icicle_curve_t curve, const void *a, const void *b, std::uint64_t n, std::uint32_t *out,
                         const PointsConfig &config = icicle_points_config_default()) {
  check(icicle_points_equal(curve, a, b, n, &config, out));
}
/// Coordinates to Montgomery form or back; `out` may be `in`.
inline void affine_convert_montgomery(icicle_curve_t curve, const void *in, std::uint64_t n, bool to_montgomery,
                                      void *out,
                                      const icicle_vec_ops_config_t &config = icicle_vec_ops_config_default()) {
  check(icicle_affine_convert_montgomery(curve, in, n, to_montgomery, &config, out));
}
inline void projective_convert_montgomery(icicle_curve_t curve, const void *in, std::uint64_t n, bool to_montgomery,
                                          void *out,
                                          const icicle_vec_ops_config_t &config = icicle_vec_ops_config_default()) {
  check(icicle_projective_convert_montgomery(curve, in, n, to_montgomery, &config, out));
}

/// `out = Σ scalars[i]·bases[i]`: affine bases, a projective result for each of the batch.
inline void msm(icicle_curve_t curve, const void *scalars, const void *bases, std::int64_t n, void *out,
                const MsmConfig &config = icicle_msm_config_default()) {
  check(icicle_msm(curve, scalars, bases, n, &config, out));
}
/// `precompute_factor` multiples of each base, for `msm` with the same configuration.
inline void msm_precompute_bases(icicle_curve_t curve, const void *bases, std::int64_t n, void *out,
                                 const MsmConfig &config) {
  check(icicle_msm_precompute_bases(curve, bases, n, &config, out));
}

/// Transform projective points over the domain of the curve's scalar field, with the options of that field's size.
template <typename Config>
void ecntt(icicle_curve_t curve, const void *in, std::int64_t n, bool inverse, void *out, const Config &config) {
  check(icicle_ecntt(curve, in, n, inverse ? 1 : 0, &config, out));
}

}  // namespace icicle

#endif  // ICICLE_CURVE_HPP
