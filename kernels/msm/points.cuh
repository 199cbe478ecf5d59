#pragma once
// Points in scratch memory: working form, 16-byte aligned. Everything here also runs on the host, for its tests.
#include "../curve/projective.cuh"
#include "digits.cuh"

namespace icicle {

template <class T>
IC_HD T load_words(const u32* p)
{
  u32 w[T::WORDS];
  IC_UNROLL
  for (u32 k = 0; k < T::WORDS; k += 4) {
    Chunk c = *(const Chunk*)(p + k);
    IC_UNROLL
    for (u32 j = 0; j < 4; j++) { w[k + j] = c.w[j]; }
  }
  return T::from_limbs(w);
}
template <class T>
IC_HD void store_words(u32* p, const T& x)
{
  u32 w[T::WORDS];
  x.to_limbs(w);
  IC_UNROLL
  for (u32 k = 0; k < T::WORDS; k += 4) {
    Chunk c;
    IC_UNROLL
    for (u32 j = 0; j < 4; j++) { c.w[j] = w[k + j]; }
    *(Chunk*)(p + k) = c;
  }
}

// An array of extended Jacobian points.
template <class C>
struct Points {
  u32* p;

  IC_HD Xyzz<C> get(u64 i) const { return load_words<Xyzz<C>>(p + i * Xyzz<C>::WORDS); }
  IC_HD void set(u64 i, const Xyzz<C>& x) const { store_words(p + i * Xyzz<C>::WORDS, x); }
};

// One copy a kernel, outside the accumulation: inlined everywhere these take minutes to compile.
template <class C>
IC_HD_NOINLINE void add_point(Xyzz<C>& a, const Xyzz<C>& b)
{
  a.add(b);
}
// `2^times·a`.
template <class P>
IC_HD_NOINLINE void double_point(P& a, u32 times)
{
  IC_NO_UNROLL
  for (u32 i = 0; i < times; i++) { a = a.dbl(); }
}

// A caller's point into working form: `factor` is R² for canonical coordinates; for Montgomery form it is R, which
// brings limbs above the modulus below it and changes nothing else.
template <class C>
IC_HD Affine<C> load_caller_point(const u32* p, u32 montgomery)
{
  using Prime = typename C::Base::Prime;
  Affine<C> q = Affine<C>::from_limbs(p);
  Prime by = montgomery ? Prime::one() : Prime::r2();
  return Affine<C>::make(q.x.scale(by), q.y.scale(by));
}

// `out[factor·i + j] = 2^(shift·j)·bases[i]` for one `i`, in the caller's form.
template <class C>
IC_HD void precompute_point(const u32* bases, u32* out, u64 i, u64 factor, u32 shift, u32 montgomery)
{
  constexpr u32 W = Affine<C>::WORDS;
  Affine<C> p = load_caller_point<C>(bases + i * W, montgomery);
  IC_NO_UNROLL
  for (u64 j = 0; j < factor; j++) {
    if (j > 0) {
      Jacobian<C> q = Jacobian<C>::from_affine(p);
      double_point(q, shift);
      p = q.to_affine();
    }
    (montgomery ? p : p.to_raw()).to_limbs(out + (i * factor + j) * W);
  }
}

#ifdef __CUDACC__

// Points of the caller's, at any alignment, into working form.
template <class C>
IC_D void convert_points(const u32* a, u32* out, u64 n, u32 montgomery)
{
  using F = typename C::Base;
  using Prime = typename F::Prime;
  Prime by = montgomery ? Prime::one() : Prime::r2();
  bool aligned = is_aligned(a);
  for (u64 i = thread_index(); i < 2 * n; i += thread_count()) {
    store_element(out + i * F::WORDS, load_element<F>(a + i * F::WORDS, aligned).scale(by), true);
  }
}

#endif

} // namespace icicle
