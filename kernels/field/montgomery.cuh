#pragma once
// Montgomery multiplication in 32-bit limbs, interleaved row by row (CIOS: Koç, Acar, Kaliski 1996), with the
// accumulator split in two so that each half row is one unbroken carry chain.
//
// The value of an accumulator is `even + 2^32·odd`. A row adds `a·b[i]` and then the multiple of the modulus that makes
// `even[0]` zero. Dividing by 2^32 then costs nothing: the old `odd` becomes `even`, and the old `even`, two limbs up,
// becomes `odd`; the one limb that fits neither, `even[1]`, is added at the start of the next row's chain. Per row that
// is N wide multiply-adds for the product, N for the reduction, one multiplication and three additions; the wide
// multiply-adds (32 per clock and SM) bound it: 128 for N = 8, so 62 G products/s on an H200 at 1.98 GHz.
#include "wide.cuh"

namespace icicle {

#ifdef __CUDACC__
// -1, unknown to the compiler. Were it known, the multiple `-even[0]` of a modulus that is 1 modulo 2^32 would be negated
// in the low halves of products only, which splits each wide multiplication in two (8 % of a transform's time).
static __constant__ u32 minus_one = ~0u;
#endif

// `P`: the parameters of a prime (`primes_gen.cuh`).
template <class P>
struct Montgomery {
  static constexpr u32 N = P::N;

  // Whether a row's products with limb `j` of the modulus are nothing, so that only a carry passes.
  template <u32 J>
  struct Limb {
    static constexpr u32 value = P::modulus(J);
  };

  // The rest of a chain: `acc[k] += m·p[k+OFFSET]` for `k = K, K+2, …`; `RUNNING` says whether a carry may be pending.
  // `SHIFT` reads the accumulator two limbs up. The carry out of the last limb stays in the flag.
  template <u32 K, u32 OFFSET, u32 SHIFT, bool RUNNING>
  IC_HD static void modulus_chain(u32* acc, u32 m)
  {
    if constexpr (K < N) {
      constexpr u32 p = Limb<K + OFFSET>::value;
      constexpr bool inside = K + SHIFT < N;
      u32 low = inside ? acc[(K + SHIFT) % N] : 0;
      u32 high = inside ? acc[(K + SHIFT + 1) % N] : 0;
      if constexpr (p == 0 && !RUNNING) {
        acc[K] = low;
        acc[K + 1] = high;
        modulus_chain<K + 2, OFFSET, SHIFT, false>(acc, m);
      } else {
        if constexpr (p == 0 || p == 1) {
          u32 add = p == 0 ? 0 : m;
          acc[K] = RUNNING ? addc_cc(low, add) : add_cc(low, add);
          acc[K + 1] = addc_cc(high, 0);
        } else {
          acc[K] = RUNNING ? madc_lo_cc(m, p, low) : mad_lo_cc(m, p, low);
          acc[K + 1] = madc_hi_cc(m, p, high);
        }
        modulus_chain<K + 2, OFFSET, SHIFT, true>(acc, m);
      }
    }
  }

  // `acc[k], acc[k+1] += a[k]·b` for even `k`, the carry left in the flag.
  IC_HD static void chain(u32* acc, const u32* a, u32 b)
  {
    acc[0] = mad_lo_cc(a[0], b, acc[0]);
    acc[1] = madc_hi_cc(a[0], b, acc[1]);
    IC_UNROLL
    for (u32 k = 2; k < N; k += 2) {
      acc[k] = madc_lo_cc(a[k], b, acc[k]);
      acc[k + 1] = madc_hi_cc(a[k], b, acc[k + 1]);
    }
  }

  // First product of an accumulator.
  IC_HD static void start(u32* even, u32* odd, const u32* a, u32 b)
  {
    IC_UNROLL
    for (u32 k = 0; k < N; k += 2) {
      even[k] = a[k] * b;
      even[k + 1] = mul_hi(a[k], b);
      odd[k] = a[k + 1] * b;
      odd[k + 1] = mul_hi(a[k + 1], b);
    }
  }

  // A further product in the same row.
  IC_HD static void add_product(u32* even, u32* odd, const u32* a, u32 b)
  {
    chain(odd, a + 1, b);
    chain(even, a, b);
    odd[N - 1] = addc(odd[N - 1], 0);
  }

  // Divide by 2^32 and add a product: the caller has swapped the halves, so `odd` is the old even half, not yet shifted.
  IC_HD static void shift_and_add_product(u32* even, u32* odd, const u32* a, u32 b)
  {
    even[0] = add_cc(even[0], odd[1]);
    IC_UNROLL
    for (u32 k = 0; k + 2 < N; k += 2) {
      odd[k] = madc_lo_cc(a[k + 1], b, odd[k + 2]);
      odd[k + 1] = madc_hi_cc(a[k + 1], b, odd[k + 3]);
    }
    odd[N - 2] = madc_lo_cc(a[N - 1], b, 0);
    odd[N - 1] = madc_hi(a[N - 1], b, 0);
    chain(even, a, b);
    odd[N - 1] = addc(odd[N - 1], 0);
  }

  // `-1/p` modulo 2^32.
  IC_HD static u32 inv()
  {
#ifdef __CUDA_ARCH__
    if constexpr (P::INV == ~0u) { return minus_one; }
#endif
    return P::INV;
  }

  // Make `even[0]` zero by adding a multiple of the modulus.
  IC_HD static void reduce_row(u32* even, u32* odd)
  {
    u32 m = even[0] * inv();
    modulus_chain<0, 1, 0, false>(odd, m);
    modulus_chain<0, 0, 0, false>(even, m);
    odd[N - 1] = addc(odd[N - 1], 0);
  }

  // Divide by 2^32 and reduce, without a product in between.
  IC_HD static void shift_and_reduce(u32* even, u32* odd)
  {
    even[0] = add_cc(even[0], odd[1]);
    u32 m = even[0] * inv();
    modulus_chain<0, 1, 2, true>(odd, m);
    modulus_chain<0, 0, 0, false>(even, m);
    odd[N - 1] = addc(odd[N - 1], 0);
  }

  // `out = even + odd/2^32`: the halves have been swapped by an even number of rows.
  IC_HD static void merge(u32* out, const u32* even, const u32* odd)
  {
    out[0] = add_cc(even[0], odd[1]);
    IC_UNROLL
    for (u32 k = 1; k + 1 < N; k++) { out[k] = addc_cc(even[k], odd[k + 1]); }
    out[N - 1] = addc(even[N - 1], 0);
  }

  // `out ≡ a·b/R`, below `2p` if `a·b < R·p`; `a` below `R - p` where the modulus leaves two bits, else below `p`.
  IC_HD static void mul(u32* out, const u32* a, const u32* b)
  {
    u32 even[N], odd[N];
    start(even, odd, a, b[0]);
    reduce_row(even, odd);
    IC_UNROLL
    for (u32 i = 1; i < N; i += 2) {
      shift_and_add_product(odd, even, a, b[i]);
      reduce_row(odd, even);
      if (i + 1 < N) {
        shift_and_add_product(even, odd, a, b[i + 1]);
        reduce_row(even, odd);
      }
    }
    merge(out, even, odd);
  }

  // `out ≡ (a·b + c·d)/R`, below `2p`, for operands below `p`: one reduction for two products. Needs `4p < R`.
  IC_HD static void mul_add_mul(u32* out, const u32* a, const u32* b, const u32* c, const u32* d)
  {
    u32 even[N], odd[N];
    start(even, odd, a, b[0]);
    add_product(even, odd, c, d[0]);
    reduce_row(even, odd);
    IC_UNROLL
    for (u32 i = 1; i < N; i += 2) {
      shift_and_add_product(odd, even, a, b[i]);
      add_product(odd, even, c, d[i]);
      reduce_row(odd, even);
      if (i + 1 < N) {
        shift_and_add_product(even, odd, a, b[i + 1]);
        add_product(even, odd, c, d[i + 1]);
        reduce_row(even, odd);
      }
    }
    merge(out, even, odd);
  }

  // `out ≡ t/R`, below `2p`, for `t < R·p`, of `2N` limbs.
  IC_HD static void reduce(u32* out, const u32* t)
  {
    u32 even[N], odd[N];
    IC_UNROLL
    for (u32 k = 0; k < N; k++) {
      even[k] = t[k];
      odd[k] = 0;
    }
    reduce_row(even, odd);
    IC_UNROLL
    for (u32 i = 1; i < N; i += 2) {
      shift_and_reduce(odd, even);
      if (i + 1 < N) { shift_and_reduce(even, odd); }
    }
    merge(out, even, odd);
    out[0] = add_cc(out[0], t[N]);
    IC_UNROLL
    for (u32 k = 1; k + 1 < N; k++) { out[k] = addc_cc(out[k], t[N + k]); }
    out[N - 1] = addc(out[N - 1], t[2 * N - 1]);
  }
};

} // namespace icicle
