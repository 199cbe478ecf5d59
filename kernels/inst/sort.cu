// The counting sort of multi-scalar multiplications.
#include "../msm/sort.cuh"

using icicle::u32;
using icicle::u64;

extern "C" __global__ void __launch_bounds__(256) sort_sums(const u32* counts, u32* sums, u32 n)
{
  icicle::scan_sums(counts, sums, n);
}
extern "C" __global__ void __launch_bounds__(1024) sort_top(u32* sums, u32 n) { icicle::scan_top(sums, n); }
extern "C" __global__ void __launch_bounds__(256)
  sort_apply(const u32* counts, const u32* sums, u32* starts, u32* cursor, u32 n)
{
  icicle::scan_apply(counts, sums, starts, cursor, n);
}
extern "C" __global__ void __launch_bounds__(256)
  sort_scatter(const u32* keys, u32* cursor, u32* entries, u64 length, u64 rows, u32 windows, u64 set, u32 buckets)
{
  icicle::scatter(keys, cursor, entries, length, rows, windows, set, buckets);
}
