#pragma once
// Signed digits of scalars: the windows of core/zk/src/cpu/msm/plan.rs, read without carries between windows.
//
// Half of each window's range is added to the scalar once; a digit is then the window's bits minus that half, whatever
// the windows below hold. The topmost digit alone is not shifted.
#include "../field/fields_gen.cuh"
#ifdef __CUDACC__
#include "../vec/access.cuh"
#endif

namespace icicle {

// No bucket: a zero digit, or no element.
constexpr u32 NO_KEY = 0xffffffffu;
// Of keys and entries: the point is to be subtracted.
constexpr u32 NEGATIVE = 0x80000000u;

struct Digit {
  u32 start, width, bias;
};

// How scalars are cut: `factor` multiples of each point at distances of `step` bits; `wide` windows of `c` bits, those
// above of one bit less, so that no window is left with so few bits that its buckets overflow.
struct Cut {
  u32 bits, factor, step, c, wide;

  IC_HD u32 width(u32 w) const { return w < wide ? c : c - 1; }
  IC_HD u32 start(u32 w) const { return w * c - (w < wide ? 0 : w - wide); }

  // The digit in window `w` of multiple `j`.
  IC_HD Digit digit(u32 w, u32 j) const
  {
    u64 top = bits + 1, first = (u64)step * j;
    if (first > top) { first = top; }
    u64 end = j + 1 == factor || first + step > top ? top : first + step;
    u64 from = first + start(w) < end ? first + start(w) : end;
    Digit d;
    d.start = (u32)from;
    d.width = (u32)(end - from < width(w) ? end - from : width(w));
    d.bias = d.width == 0 || from + d.width == top ? 0 : 1u << (d.width - 1);
    return d;
  }
};

// Sum of the biases at their places, from the host.
struct Shift {
  u32 w[12];
};

// The low `bits` of a canonical scalar of N words plus the shift; `out` has N + 2 words, the last two zero.
template <u32 N>
IC_HD void shift_scalar(u32* out, const u32* scalar, u32 bits, const Shift& shift)
{
  u64 carry = 0;
  IC_UNROLL
  for (u32 k = 0; k < N; k++) {
    u32 word = scalar[k], rest = bits > 32 * k ? bits - 32 * k : 0;
    if (rest < 32) { word &= (1u << rest) - 1; }
    carry += (u64)word + shift.w[k];
    out[k] = (u32)carry;
    carry >>= 32;
  }
  out[N] = out[N + 1] = 0;
}

// Bucket of a digit with `NEGATIVE` for its sign, or `NO_KEY`.
IC_HD u32 digit_key(const Digit& d, const u32* words)
{
  if (d.width == 0) { return NO_KEY; }
  u32 at = d.start / 32;
  u64 two = (u64)words[at + 1] << 32 | words[at];
  i32 value = (i32)((u32)(two >> (d.start % 32)) & ((1u << d.width) - 1)) - (i32)d.bias;
  if (value == 0) { return NO_KEY; }
  return value < 0 ? (u32)(-value - 1) | NEGATIVE : (u32)(value - 1);
}

#ifdef __CUDACC__

// One lane of each group of lanes with the same key adds the group's size; returns the size's share before this lane and
// the group's first lane. Without this all-equal scalars would queue at one address.
IC_D u32 count_in_warp(u32 key, u32& leader, u32& size)
{
  u32 same = __match_any_sync(0xffffffffu, key), lane = threadIdx.x % 32;
  leader = __ffs(same) - 1;
  size = __popc(same);
  return __popc(same & ((1u << lane) - 1));
}

// Keys of all digits in `windows` windows from `first_window`, and how often each bucket occurs.
//
// `keys`: `batch·windows` rows of `n·factor`; `counts`: as many rows of `2^(c-1)`, zero before. x over scalars of the
// whole batch, y over windows.
template <class S>
IC_D void msm_digits(const u32* scalars, u32* keys, u32* counts, u64 n, u64 batch, const Cut& cut, u32 first_window,
                     u32 windows, u32 montgomery, const Shift& shift)
{
  constexpr u32 N = S::WORDS;
  bool aligned = is_aligned(scalars);
  u64 entries = n * cut.factor, total = n * batch, row = 1ull << (cut.c - 1);
  // Whole warps stay in the loop, since they vote.
  for (u64 base = thread_index() / 32 * 32; base < total; base += thread_count()) {
    u64 i = base + threadIdx.x % 32;
    bool valid = i < total;
    u32 limbs[N], words[N + 2];
    S s = valid ? load_element<S>(scalars + i * N, aligned) : S::zero();
    if (montgomery) { s = s.decode(); }
    s.to_limbs(limbs);
    shift_scalar<N>(words, limbs, cut.bits, shift);
    u64 b = valid ? i / n : 0, e = valid ? (i - b * n) * cut.factor : 0;
    for (u32 w = blockIdx.y; w < windows; w += gridDim.y) {
      u64 outer = b * windows + w;
      for (u32 j = 0; j < cut.factor; j++) {
        u32 key = valid ? digit_key(cut.digit(first_window + w, j), words) : NO_KEY;
        if (valid) { keys[outer * entries + e + j] = key; }
        u32 slot = key == NO_KEY ? NO_KEY : (u32)(outer * row) + (key & ~NEGATIVE), leader, size;
        u32 before = count_in_warp(slot, leader, size);
        if (slot != NO_KEY && before == 0) { atomicAdd(counts + slot, size); }
      }
    }
  }
}

#endif

} // namespace icicle
