#pragma once
// Products of little-endian numbers of `N` 32-bit limbs (`N` even), whole or only some columns of them.
//
// Products of limbs i and j start at column i+j. Those of even columns accumulate in one array and those of odd columns
// in another, so that each row is one chain of multiply-adds without gaps, which the assembler fuses into
// IMAD.WIDE with carry; the two arrays are added once at the end.
#include "carry.cuh"

namespace icicle {

// Multiply-add of the products `a[j]·b` for `j = first, first+2, …`, landing on columns `i + j` of `acc`, restricted to
// columns in `[LO, HI)`. `acc[k]` is column `LO + k`.
template <u32 N, u32 LO, u32 HI>
IC_HD void wide_row(u32* acc, const u32* a, u32 b, u32 i, u32 first)
{
  bool running = false;
  u32 end = HI; // column that receives the carry
  IC_UNROLL
  for (u32 j = first; j < N; j += 2) {
    u32 c = i + j;
    if (c + 1 > LO && c < HI) {
      u32 k = c - LO;
      bool last = c + 1 >= HI;
      if (last) {
        acc[k] = running ? madc_lo(a[j], b, acc[k]) : acc[k] + a[j] * b;
      } else {
        acc[k] = running ? madc_lo_cc(a[j], b, acc[k]) : mad_lo_cc(a[j], b, acc[k]);
        acc[k + 1] = madc_hi_cc(a[j], b, acc[k + 1]);
        running = true;
        end = c + 2;
      }
      if (last) { end = HI; }
    }
  }
  if (running && end < HI) { acc[end - LO] = addc(acc[end - LO], 0); }
}

// Columns `[LO, HI)` of `a·b`, without the carries that the columns below `LO` would send in.
template <u32 N, u32 LO, u32 HI>
IC_HD void wide_mul(u32 (&out)[HI - LO], const u32* a, const u32* b)
{
  u32 odd[HI - LO];
  IC_UNROLL
  for (u32 k = 0; k < HI - LO; k++) { out[k] = odd[k] = 0; }
  IC_UNROLL
  for (u32 i = 0; i < N; i++) {
    wide_row<N, LO, HI>(odd, a, b[i], i, 1 - i % 2);
    wide_row<N, LO, HI>(out, a, b[i], i, i % 2);
  }
  out[0] = add_cc(out[0], odd[0]);
  IC_UNROLL
  for (u32 k = 1; k + 1 < HI - LO; k++) { out[k] = addc_cc(out[k], odd[k]); }
  out[HI - LO - 1] = addc(out[HI - LO - 1], odd[HI - LO - 1]);
}

// `a²`: the products of different limbs once, doubled, and the squares.
template <u32 N>
IC_HD void wide_sqr(u32 (&out)[2 * N], const u32* a)
{
  u32 even[2 * N], odd[2 * N];
  IC_UNROLL
  for (u32 k = 0; k < 2 * N; k++) { even[k] = odd[k] = 0; }
  IC_UNROLL
  for (u32 i = 0; i + 1 < N; i++) {
    wide_row<N, 0, 2 * N>(odd, a, a[i], i, i + 1);
    wide_row<N, 0, 2 * N>(even, a, a[i], i, i + 2);
  }
  // Column 0 and the top columns hold nothing yet; the sum is below 2^(64N-1).
  even[1] = add_cc(even[1], odd[1]);
  IC_UNROLL
  for (u32 k = 2; k < 2 * N - 1; k++) { even[k] = addc_cc(even[k], odd[k]); }
  even[2 * N - 1] = addc(even[2 * N - 1], odd[2 * N - 1]);
  IC_UNROLL
  for (u32 k = 2 * N - 1; k > 1; k--) { out[k] = funnel_right(even[k - 1], even[k], 31); }
  out[1] = even[1] << 1;
  out[0] = a[0] * a[0];
  out[1] = add_cc(out[1], mul_hi(a[0], a[0]));
  IC_UNROLL
  for (u32 i = 1; i < N; i++) {
    out[2 * i] = madc_lo_cc(a[i], a[i], out[2 * i]);
    out[2 * i + 1] = i + 1 < N ? madc_hi_cc(a[i], a[i], out[2 * i + 1]) : madc_hi(a[i], a[i], out[2 * i + 1]);
  }
}

} // namespace icicle
