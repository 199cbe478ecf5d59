#pragma once
// Sums of buckets. The sorted entries of all windows are cut into chunks of equal length, whatever the buckets, and each
// thread sums one: no distribution of digits makes a thread do more than another.
//
// A bucket inside one chunk is finished there. One that crosses chunks leaves a partial sum in each: `tail` of the chunk
// where it begins, `head` of those after. Buckets that cross few chunks are then put together by a thread each
// (`gather_bucket`); the others, which only skewed scalars have, by a tree over chunks (`merge.cuh`).
#include "points.cuh"

namespace icicle {

// No bucket crosses the chunk's start.
constexpr u32 NO_BUCKET = 0xffffffffu;
// Partial sums after the first that one thread adds up: about as many as a full bucket of uniform scalars has, fewer where
// chunks are short because there is little work. More would take as long as everything else there, were it in few buckets.
IC_HD u32 light(u32 chunk) { return chunk <= 16 ? 4 : 8; }

// Blocks of 128 threads that a multiprocessor should hold while it accumulates: as many as registers allow with hardly a
// spill (some 50 bytes a thread), since warps hide the latency of each other's chains of carries.
template <class C>
constexpr u32 resident()
{
  return C::Base::WORDS <= 8 ? 5 : C::Base::WORDS <= 12 ? 4 : 1;
}

// Whether a bucket of the positions `[start, end)` has more partial sums than a thread should add.
IC_HD bool is_heavy(u32 start, u32 end, u32 chunk) { return (end - 1) / chunk - start / chunk > light(chunk); }

// The bucket that holds a position: the last that starts at or before it.
IC_HD u32 bucket_at(const u32* starts, u32 buckets, u32 position)
{
  u32 low = 0, high = buckets;
  while (high - low > 1) {
    u32 middle = low + (high - low) / 2;
    if (starts[middle] <= position) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// Sum the entries of chunk `t`. `starts`: of `buckets` buckets, and the end; `cross[t]`: the heavy bucket that began
// before the chunk.
template <class C>
IC_HD void accumulate_chunk(u32 t, const u32* starts, u32 buckets, const u32* entries, const u32* points, u32 chunk,
                            const Points<C>& sums, const Points<C>& head, const Points<C>& tail, u32* cross)
{
  u32 total = starts[buckets], begin = t * chunk;
  if (begin >= total) {
    cross[t] = NO_BUCKET;
    return;
  }
  u32 end = begin + chunk < total ? begin + chunk : total;
  u32 bucket = bucket_at(starts, buckets, begin), start = starts[bucket], next = starts[bucket + 1];
  bool before = start < begin;
  cross[t] = before && is_heavy(start, next, chunk) ? bucket : NO_BUCKET;
  Xyzz<C> sum = Xyzz<C>::neutral();
  u32 entry = entries[begin];
  IC_NO_UNROLL
  for (u32 i = begin;;) {
    Affine<C> p = load_words<Affine<C>>(points + (u64)(entry & ~NEGATIVE) * Affine<C>::WORDS);
    if (entry & NEGATIVE) { p.y = -p.y; }
    if (++i < end) {
      entry = entries[i];
#ifdef __CUDA_ARCH__
      // The next point is on its way while this one is added.
      asm volatile("prefetch.global.L1 [%0];" ::"l"(points + (u64)(entry & ~NEGATIVE) * Affine<C>::WORDS));
#endif
    }
    sum.add(p);
    if (i == end) { break; }
    if (i == next) {
      (before ? head : sums).set(before ? t : bucket, sum);
      before = false;
      sum = Xyzz<C>::neutral();
      do { next = starts[++bucket + 1]; } while (next == i);
    }
  }
  if (before) {
    head.set(t, sum);
  } else if (next > end) {
    tail.set(t, sum);
  } else {
    sums.set(bucket, sum);
  }
}

// Put a bucket's partial sums together, unless it is heavy or in one chunk.
template <class C>
IC_HD void gather_bucket(u32 bucket, const u32* starts, u32 chunk, const Points<C>& sums, const Points<C>& head,
                         const Points<C>& tail)
{
  u32 start = starts[bucket], end = starts[bucket + 1];
  if (start == end || is_heavy(start, end, chunk)) { return; }
  u32 first = start / chunk, last = (end - 1) / chunk;
  if (first == last) { return; }
  Xyzz<C> sum = tail.get(first);
  IC_NO_UNROLL
  for (u32 t = first + 1; t <= last; t++) { add_point(sum, head.get(t)); }
  sums.set(bucket, sum);
}

} // namespace icicle
