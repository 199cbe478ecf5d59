#pragma once
// Sums of heavy buckets: a binary tree over the chunks. A node knows its first chunks' share of the bucket that began
// before it, `head` of its first chunk, and its last chunks' share of the bucket that goes on, `tail` of its last chunk;
// one that covers it wholly counts as the former. So two nodes are put together by one addition at most, in place, and a
// bucket of `k` partial sums takes as many additions as ever, but only about log k one after another.
#include "accumulate.cuh"
#include "together.cuh"

namespace icicle {

// Threads of a block. Where its nodes are many, each thread puts two together, which is less work in all, else `TOGETHER`
// threads do, which is faster.
constexpr u32 MERGE_THREADS = 128;

// Put the two nodes of `stride` chunks from chunk `first` on together, by one thread or by a group of threads; `count`:
// all chunks.
template <class C, bool BY_GROUP>
IC_HD void merge_nodes(u64 first, u64 stride, u32 count, const u32* cross, const Points<C>& sums, const Points<C>& head,
                       const Points<C>& tail)
{
  u64 middle = first + stride, end = middle + stride;
  u32 bucket = middle < count ? cross[middle] : NO_BUCKET;
  if (bucket == NO_BUCKET) { return; }
  bool before = cross[first] == bucket, after = end < count && cross[end] == bucket;
  Xyzz<C> sum = before ? head.get(first) : tail.get(middle - 1), more = head.get(middle);
  if constexpr (BY_GROUP) {
    wait_together();
    add_together(sum, more);
#ifdef __CUDA_ARCH__
    if (threadIdx.x % TOGETHER != 0) { return; }
#endif
  } else {
    add_point(sum, more);
  }
  if (before) {
    head.set(first, sum);
  } else if (after) {
    tail.set(end - 1, sum);
  } else {
    sums.set(bucket, sum);
  }
}

#ifdef __CUDACC__

// Make one node of each `span` nodes of `stride` chunks, a block each.
template <class C>
IC_D void merge_span(u32 count, u32 stride, u32 span, const u32* cross, const Points<C>& sums, const Points<C>& head,
                     const Points<C>& tail)
{
  u64 first = (u64)blockIdx.x * span * stride;
  bool any = false;
  for (u32 q = 1 + threadIdx.x; q < span && first + (u64)q * stride < count; q += blockDim.x) {
    any |= cross[first + (u64)q * stride] != NO_BUCKET;
  }
  if (!__syncthreads_or(any)) { return; }
  IC_NO_UNROLL
  for (u32 half = 1; half < span; half *= 2) {
    u32 pairs = span / (2 * half);
    u64 nodes = (u64)half * stride;
    if (pairs * TOGETHER > blockDim.x) {
      IC_NO_UNROLL
      for (u32 q = threadIdx.x; q < pairs; q += blockDim.x) {
        merge_nodes<C, false>(first + 2 * q * nodes, nodes, count, cross, sums, head, tail);
      }
    } else if (threadIdx.x / TOGETHER < pairs) {
      merge_nodes<C, true>(first + 2 * (threadIdx.x / TOGETHER) * nodes, nodes, count, cross, sums, head, tail);
    }
    __syncthreads();
  }
}

#endif

} // namespace icicle
