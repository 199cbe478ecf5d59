#pragma once
// Multi-scalar multiplication in CUDA C++ alone: what core/zk/src/cuda/msm does, all windows at once, bases shared.
// The kernels are those of the images; only the host's side is written again.
#include "../msm/instances.cuh"
#include "harness.cuh"

namespace msm_test {

using namespace icicle;

// `core/zk/src/cuda/msm/plan.rs` and `kernels/src/msm.rs`.
struct Plan {
  u32 bits, c, wide, windows, chunk, log_lane;
  u64 rows, entries, buckets, chunks, lanes;
  Shift shift;

  Plan(u32 bits, u64 n, u32 batch, u64 point_bytes, u32 wanted) : bits(bits), entries(n)
  {
    u32 span = bits + 1;
    double best = 0;
    c = 1;
    for (u32 k = 1; k <= 20; k++) {
      u64 row = 1ull << (k - 1), w = (span + k - 1) / k, most = 16 * point_bytes * n;
      if (row / 4 > n || w * row * 2 * point_bytes > (most > 1ull << 28 ? most : 1ull << 28)) { continue; }
      double cost = (double)w * ((double)n + 8.0 * (double)row);
      if ((wanted == 0 || k <= wanted) && (best == 0 || cost < best)) {
        best = cost;
        c = k;
      }
    }
    windows = (span + c - 1) / c;
    c = (span + windows - 1) / windows;
    wide = span - windows * (c - 1);
    rows = (u64)windows * batch;
    u64 each = (rows * n + SMS * 2048 - 1) / (SMS * 2048);
    for (chunk = 16; chunk < 64 && chunk < each; chunk *= 2) {}
    buckets = rows << (c - 1);
    u64 spare = buckets / (SMS * 256);
    for (log_lane = 1; log_lane < 6 && spare >> (log_lane + 1); log_lane++) {}
    if (log_lane > c - 1) { log_lane = c - 1; }
    chunks = (rows * n + chunk - 1) / chunk;
    lanes = buckets >> log_lane;
    shift = {};
    for (u32 w = 0, at = 0; w + 1 < windows; w++) {
      at += w < wide ? c : c - 1;
      shift.w[(at - 1) / 32] |= 1u << ((at - 1) % 32);
    }
  }
};

__global__ void __launch_bounds__(256) sums_kernel(const u32* counts, u32* sums, u32 n) { scan_sums(counts, sums, n); }
__global__ void __launch_bounds__(1024) top_kernel(u32* sums, u32 n) { scan_top(sums, n); }
__global__ void __launch_bounds__(256) apply_kernel(const u32* counts, const u32* sums, u32* starts, u32* cursor, u32 n)
{
  scan_apply(counts, sums, starts, cursor, n);
}
__global__ void __launch_bounds__(256)
  scatter_kernel(const u32* keys, u32* cursor, u32* entries, u64 length, u64 rows, u32 windows, u64 set, u32 buckets)
{
  scatter(keys, cursor, entries, length, rows, windows, set, buckets);
}

// The kernels of a curve, by pointer.
struct Kernels {
  void (*convert)(const u32*, u32*, u64, u32);
  void (*digits)(const u32*, u32*, u32*, u64, u64, u32, u32, u32, u32, u32, u32, u32, u32, Shift);
  void (*accumulate)(const u32*, const u32*, const u32*, u32*, u32*, u32*, u32*, u32, u32, u32);
  void (*gather)(const u32*, u32*, u32*, u32*, u32, u32);
  void (*merge)(const u32*, u32*, u32*, u32*, u32, u32, u32);
  void (*lanes)(const u32*, u32*, u32*, u32*, u64, u32);
  void (*parts)(u32*, u32*, u32*, u32, u64);
  void (*rows)(u32*, u32*, u64, u32, u32, u32, u32, u32, u32);
  void (*finish)(u32*, u32*, u64, u32, u32, u32);
};

inline u32 blocks(u64 threads, u32 block)
{
  u64 count = (threads + block - 1) / block;
  return count == 0 ? 1 : (u32)count;
}

// Scratch of one shape, and the launches over it.
template <class C>
struct Job {
  static constexpr u32 W = Affine<C>::WORDS, X = 2 * W;
  Plan plan;
  Kernels k;
  u64 n;
  u32 batch;
  Buffer points, keys, entries, starts, cursor, scan, cross, head, tail, sums, plain, weighted, parts, rows;

  Job(const Kernels& k, u64 n, u32 batch, u32 c)
      : plan(C::Scalar::BITS, n, batch, 4 * W, c), k(k), n(n), batch(batch),
        points(n * W), keys(plan.rows * n), entries(plan.rows * n), starts(plan.buckets + 1), cursor(plan.buckets),
        scan(plan.buckets / SCAN_BLOCK + 1), cross(plan.chunks), head(plan.chunks * X), tail(plan.chunks * X),
        sums(plan.buckets * X), plain(plan.lanes * X), weighted(plan.lanes * X), parts(plan.rows * plan.c * X),
        rows(plan.rows * X)
  {
  }

  // Everything enqueued on the default stream; `stages` stops early, for timing.
  void run(const u32* scalars, const u32* bases, u32* out, u32 stages = 4)
  {
    u64 threads = SMS * 2048;
    u32 buckets = (u32)plan.buckets, c = plan.c, row = 1u << (c - 1), lanes = c - 1 - plan.log_lane;
    u32 total_rows = (u32)plan.rows, along_y = total_rows < 65535 ? total_rows : 65535;
    auto most = [](u64 x, u64 limit) { return x < limit ? x : limit; };
    k.convert<<<blocks(most(2 * n, SMS * 32 * 256), 256), 256>>>(bases, points.p, n, 0);
    CUDA(cudaMemsetAsync(starts.p, 0, 4 * plan.buckets));
    u64 across = 2 * threads / (n * batch);
    across = across < 1 ? 1 : most(across, plan.windows);
    k.digits<<<dim3(blocks(most(n * batch, 4 * threads), 256), (u32)across), 256>>>(
      scalars, keys.p, starts.p, n, batch, plan.bits, 1, plan.bits + 1, c, plan.wide, 0, plan.windows, 0,
      plan.shift);
    u32 scans = blocks(plan.buckets, SCAN_BLOCK);
    sums_kernel<<<scans, 256>>>(starts.p, scan.p, buckets);
    top_kernel<<<1, 1024>>>(scan.p, scans);
    apply_kernel<<<scans, 256>>>(starts.p, scan.p, starts.p, cursor.p, buckets);
    scatter_kernel<<<dim3(blocks(most(n, threads), 256), along_y), 256>>>(keys.p, cursor.p, entries.p, n, plan.rows,
                                                                         plan.windows, 0, row);
    if (stages == 1) { return; }
    u32 count = (u32)plan.chunks;
    k.accumulate<<<blocks(count, 128), 128>>>(starts.p, entries.p, points.p, sums.p, head.p, tail.p, cross.p, buckets,
                                              plan.chunk, count);
    if (stages == 2) { return; }
    k.gather<<<blocks(plan.buckets, 128), 128>>>(starts.p, sums.p, head.p, tail.p, buckets, plan.chunk);
    for (u32 nodes = count, stride = 1; n > light(plan.chunk) * plan.chunk && nodes > 1;) {
      u32 span = nodes > 1 << 16 ? 256 : 32;
      nodes = (nodes + span - 1) / span;
      k.merge<<<nodes, MERGE_THREADS>>>(cross.p, sums.p, head.p, tail.p, count, stride, span);
      stride *= span;
    }
    k.lanes<<<blocks(plan.lanes, 128), 128>>>(starts.p, sums.p, plain.p, weighted.p, plan.lanes, plan.log_lane);
    if (stages == 3) { return; }
    k.parts<<<dim3(1 + lanes, along_y), 128>>>(plain.p, weighted.p, parts.p, lanes, plan.rows);
    k.rows<<<blocks(plan.rows * TOGETHER, 32), 32>>>(parts.p, rows.p, plan.rows, lanes, plan.log_lane, 0, plan.windows,
                                          plan.windows, 0);
    k.finish<<<blocks((u64)batch * TOGETHER, 32), 32>>>(rows.p, out, batch, plan.windows, c,
                                                                        plan.wide);
  }
};

} // namespace msm_test
