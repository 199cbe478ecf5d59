#pragma once
// Arrays of a curve group's points, under the names of `src/point.rs`. Argument: name of the curve in
// `curves_gen.cuh`. Parameters: there.
#include "arithmetic.cuh"

#define IC_POINT_KERNEL(name, op, threads) extern "C" __global__ void __launch_bounds__(threads) name##_##op
#define IC_POINTS const __grid_constant__ icicle::PointsIn

#define IC_POINT_KERNELS(name)                                                                                         \
  IC_POINT_KERNEL(name, points_load, 128)(IC_POINTS a, icicle::u32* points, icicle::u64 n, icicle::u32 negate)         \
  {                                                                                                                    \
    icicle::points_load<icicle::curves::name>(a, points, n, negate);                                                   \
  }                                                                                                                    \
  IC_POINT_KERNEL(name, points_sum, 128)                                                                               \
  (IC_POINTS a, IC_POINTS b, icicle::u32* points, icicle::u64 n, icicle::u32 negate)                                   \
  {                                                                                                                    \
    icicle::points_sum<icicle::curves::name>(a, b, points, n, negate);                                                 \
  }                                                                                                                    \
  IC_POINT_KERNEL(name, points_mul_alone, 128)                                                                         \
  (IC_POINTS a, const icicle::u32* scalars, icicle::u64 scalar_step, icicle::u32* points, icicle::u32* multiples,      \
   icicle::u64 n)                                                                                                      \
  {                                                                                                                    \
    using C = icicle::curves::name;                                                                                    \
    icicle::points_mul<C, icicle::EcnttAlone<C>>(a, scalars, scalar_step, points, multiples, n);                       \
  }                                                                                                                    \
  IC_POINT_KERNEL(name, points_mul_together, 32)                                                                       \
  (IC_POINTS a, const icicle::u32* scalars, icicle::u64 scalar_step, icicle::u32* points, icicle::u32* multiples,      \
   icicle::u64 n)                                                                                                      \
  {                                                                                                                    \
    using C = icicle::curves::name;                                                                                    \
    icicle::points_mul<C, icicle::EcnttTogether<C>>(a, scalars, scalar_step, points, multiples, n);                    \
  }                                                                                                                    \
  IC_POINT_KERNEL(name, points_store, 64)                                                                              \
  (const icicle::u32* points, icicle::u32* out, icicle::u64 n, icicle::u32 projective)                                 \
  {                                                                                                                    \
    icicle::store_normalized<icicle::curves::name>(points, out, n, projective, icicle::InOrder());                     \
  }                                                                                                                    \
  IC_POINT_KERNEL(name, points_copy, 128)                                                                              \
  (IC_POINTS a, icicle::u32* out, icicle::u64 n, icicle::u32 projective, icicle::u32 negate)                           \
  {                                                                                                                    \
    icicle::points_copy<icicle::curves::name>(a, out, n, projective, negate);                                          \
  }                                                                                                                    \
  IC_POINT_KERNEL(name, points_equal, 128)(IC_POINTS a, IC_POINTS b, icicle::u32* out, icicle::u64 n)                  \
  {                                                                                                                    \
    icicle::points_equal<icicle::curves::name>(a, b, out, n);                                                          \
  }
