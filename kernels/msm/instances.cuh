#pragma once
// The kernels of a curve group, under the names of `src/msm.rs`. Argument: name of the curve in
// `curves_gen.cuh`, which is the prefix of the kernels' names. Parameters: there.
#include "reduce.cuh"
#include "sort.cuh"

#define IC_MSM_KERNEL(name, op, ...) extern "C" __global__ void __launch_bounds__(__VA_ARGS__) name##_##op
#define IC_C icicle::curves
#define IC_P(name) icicle::Points<icicle::curves::name>

#define IC_MSM_KERNELS(name)                                                                                           \
  IC_MSM_KERNEL(name, msm_convert, 256)(const icicle::u32* a, icicle::u32* out, icicle::u64 n, icicle::u32 montgomery) \
  {                                                                                                                    \
    icicle::convert_points<IC_C::name>(a, out, n, montgomery);                                                         \
  }                                                                                                                    \
  IC_MSM_KERNEL(name, msm_precompute, 128)                                                                             \
  (const icicle::u32* a, icicle::u32* out, icicle::u64 n, icicle::u64 factor, icicle::u32 shift,                       \
   icicle::u32 montgomery)                                                                                             \
  {                                                                                                                    \
    for (icicle::u64 i = icicle::thread_index(); i < n; i += icicle::thread_count()) {                                 \
      icicle::precompute_point<IC_C::name>(a, out, i, factor, shift, montgomery);                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  IC_MSM_KERNEL(name, msm_digits, 256)                                                                                 \
  (const icicle::u32* scalars, icicle::u32* keys, icicle::u32* counts, icicle::u64 n, icicle::u64 batch,               \
   icicle::u32 bits, icicle::u32 factor, icicle::u32 step, icicle::u32 c, icicle::u32 wide,                            \
   icicle::u32 first_window, icicle::u32 windows, icicle::u32 montgomery, icicle::Shift shift)                         \
  {                                                                                                                    \
    icicle::Cut cut = {bits, factor, step, c, wide};                                                                   \
    icicle::msm_digits<IC_C::name::Scalar>(scalars, keys, counts, n, batch, cut, first_window, windows, montgomery,    \
                                           shift);                                                                     \
  }                                                                                                                    \
  IC_MSM_KERNEL(name, msm_accumulate, 128, icicle::resident<icicle::curves::name>())                                   \
  (const icicle::u32* starts, const icicle::u32* entries, const icicle::u32* points, icicle::u32* sums,                \
   icicle::u32* head, icicle::u32* tail, icicle::u32* cross, icicle::u32 buckets, icicle::u32 chunk,                   \
   icicle::u32 chunks)                                                                                                 \
  {                                                                                                                    \
    icicle::u32 t = (icicle::u32)icicle::thread_index();                                                               \
    if (t < chunks) {                                                                                                  \
      icicle::accumulate_chunk<IC_C::name>(t, starts, buckets, entries, points, chunk, IC_P(name){sums}, IC_P(name){head},\
                                           IC_P(name){tail}, cross);                                                   \
    }                                                                                                                  \
  }                                                                                                                    \
  IC_MSM_KERNEL(name, msm_gather, 128)                                                                                 \
  (const icicle::u32* starts, icicle::u32* sums, icicle::u32* head, icicle::u32* tail, icicle::u32 buckets,            \
   icicle::u32 chunk)                                                                                                  \
  {                                                                                                                    \
    icicle::u64 g = icicle::thread_index();                                                                            \
    if (g < buckets) {                                                                                                 \
      icicle::gather_bucket<IC_C::name>((icicle::u32)g, starts, chunk, IC_P(name){sums}, IC_P(name){head}, IC_P(name){tail});\
    }                                                                                                                  \
  }                                                                                                                    \
  IC_MSM_KERNEL(name, msm_merge, icicle::MERGE_THREADS)                                                                \
  (const icicle::u32* cross, icicle::u32* sums, icicle::u32* head, icicle::u32* tail, icicle::u32 count,               \
   icicle::u32 stride, icicle::u32 span)                                                                               \
  {                                                                                                                    \
    icicle::merge_span<IC_C::name>(count, stride, span, cross, IC_P(name){sums}, IC_P(name){head}, IC_P(name){tail});  \
  }                                                                                                                    \
  IC_MSM_KERNEL(name, msm_lanes, 128)                                                                                  \
  (const icicle::u32* starts, icicle::u32* sums, icicle::u32* plain, icicle::u32* weighted, icicle::u64 lanes,         \
   icicle::u32 log_lane)                                                                                               \
  {                                                                                                                    \
    icicle::u64 lane = icicle::thread_index();                                                                         \
    if (lane < lanes) {                                                                                                \
      icicle::reduce_lane<IC_C::name>(lane, starts, log_lane, IC_P(name){sums}, IC_P(name){plain}, IC_P(name){weighted});\
    }                                                                                                                  \
  }                                                                                                                    \
  IC_MSM_KERNEL(name, msm_parts, 128)                                                                                  \
  (icicle::u32* plain, icicle::u32* weighted, icicle::u32* parts, icicle::u32 log_lanes, icicle::u64 rows)             \
  {                                                                                                                    \
    icicle::reduce_parts<IC_C::name>(IC_P(name){plain}, IC_P(name){weighted}, IC_P(name){parts}, log_lanes, rows);     \
  }                                                                                                                    \
  IC_MSM_KERNEL(name, msm_rows, 32)                                                                                    \
  (icicle::u32* parts, icicle::u32* sums, icicle::u64 rows, icicle::u32 log_lanes, icicle::u32 log_lane,               \
   icicle::u32 first_window, icicle::u32 windows, icicle::u32 all_windows, icicle::u32 more)                           \
  {                                                                                                                    \
    icicle::u64 r = icicle::thread_index() / icicle::TOGETHER;                                                         \
    if (r < rows) {                                                                                                    \
      icicle::u64 at = r / windows * all_windows + first_window + r % windows;                                         \
      auto sum = icicle::combine_row<IC_C::name>(IC_P(name){parts}, r, log_lanes, log_lane);                           \
      if (more) { icicle::add_together(sum, IC_P(name){sums}.get(at)); }                                               \
      icicle::wait_together();                                                                                         \
      if (threadIdx.x % icicle::TOGETHER == 0) { IC_P(name){sums}.set(at, sum); }                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  IC_MSM_KERNEL(name, msm_finish, 32)                                                                                  \
  (icicle::u32* rows, icicle::u32* out, icicle::u64 batch, icicle::u32 windows, icicle::u32 c, icicle::u32 wide)       \
  {                                                                                                                    \
    icicle::u64 b = icicle::thread_index() / icicle::TOGETHER;                                                         \
    if (b < batch) {                                                                                                   \
      auto result = icicle::finish_result<IC_C::name>(IC_P(name){rows}, b, windows, c, wide);                          \
      if (threadIdx.x % icicle::TOGETHER == 0) {                                                                       \
        result.to_limbs(out + b * icicle::Projective<IC_C::name>::WORDS);                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }
