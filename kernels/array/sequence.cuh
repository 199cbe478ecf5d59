#pragma once
// Numbers at equal distances.
#include "../vec/access.cuh"

namespace icicle {

#ifdef __CUDACC__
// `out[i]` = `from` + `by`·`i`, modulo 2^64. Any grid.
IC_D void integers(u64* out, u64 n, u64 from, u64 by)
{
  for (u64 i = thread_index(); i < n; i += thread_count()) { out[i] = from + by * i; }
}

// `out[i·stride]` = `from` + `by`·`i`, both rounded, as on the host; with `ends`, the last is `to`. Any grid.
IC_D void reals(double* out, u64 n, u64 stride, double from, double by, u32 ends, double to)
{
  for (u64 i = thread_index(); i < n; i += thread_count()) {
    out[i * stride] = ends && i == n - 1 ? to : __dadd_rn(from, __dmul_rn(by, (double)i));
  }
}
#endif

} // namespace icicle
