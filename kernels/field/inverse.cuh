#pragma once
// Inversion in prime fields of several limbs, by Fermat's little theorem with four bits of the exponent at a time.
#include "fp.cuh"

namespace icicle {

// `x^(p-2)`; about 1.25·BITS products.
template <class P>
IC_HD_NOINLINE Fp<P> Fp<P>::inverse() const
{
  Fp table[16];
  table[0] = one();
  IC_NO_UNROLL
  for (u32 i = 1; i < 16; i++) { table[i] = table[i - 1] * *this; }
  Fp out = one();
  // Limb by limb from the top; p is odd and above 2, so p-2 borrows from no other limb than the lowest two.
  IC_NO_UNROLL
  for (i32 bit = 32 * (i32)N - 4; bit >= 0; bit -= 4) {
    u32 limb = P::modulus_minus_two((u32)bit / 32);
    out = out.sqr().sqr().sqr().sqr();
    out *= table[limb >> (bit % 32) & 15];
  }
  return out;
}

} // namespace icicle
