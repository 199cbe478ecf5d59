// Transforms of polynomials of 2048 real coefficients modulo X²⁰⁴⁸ + 1, in doubles, by the 32 lanes of a warp with 32 complex
// values each: what `fourier.rs` of `core/fhe` does on CPUs, with the same butterflies.
//
// A polynomial is read as 1024 complex coefficients, aⱼ + i aⱼ₊₁₀₂₄, modulo X¹⁰²⁴ - i. The forward transform splits it by
// X^2m - w² = (X^m - w)(X^m + w) down to values; the inverse is the usual one of 1024 values in that order, which leaves
// coefficients twisted by exp(iπj/2048). Five levels stand in a lane's registers, before and after one exchange through
// shared memory.
#pragma once
#include "../field/base.cuh"

namespace icicle {
namespace fhe {

constexpr int LANES = 32;
// Coefficients of a polynomial, and complex values of its transform.
constexpr int N = 2048, HALF = N / 2;
static_assert(HALF == LANES * LANES, "two passes");

struct alignas(16) Complex {
  double re, im;
};

// A root of unity as butterflies take it: its cosine and its tangent.
struct alignas(16) Root {
  double cos, tan;
};

// What all lanes have the same roots for: the first levels of each transform, and the twist from a lane's one coefficient to
// the next. Made by the host.
struct Roots {
  // By `place` of the level and the block.
  Root forward[16];
  // exp(-2πi j/32) at j.
  Root inverse[8];
  // exp(-2πi 32k/4096) at k.
  Root twist[32];
};

// And what is each lane's own: roots of the last levels, lane by lane, and its twist exp(-2πi lane/4096).
struct LaneRoots {
  Root forward[16][LANES];
  Root inverse[16][LANES];
  Root twist[LANES];
};

// Where the root stands that splits block `m`, or joins the values `m`, of a level within a lane, and the next one's, which
// is the same a quarter of a turn further.
IC_D constexpr int place(int level, int m) { return level == 0 ? 0 : (1 << (level - 1)) + m; }

IC_D double fused(double a, double b, double c)
{
#ifdef __CUDA_ARCH__
  return __fma_rn(a, b, c);
#else
  return a * b + c;
#endif
}

// a + w b and a - w b; with QUARTER of a turn more.
enum class Turn { none, plus, minus };
template <Turn TURN>
IC_D void butterfly(Complex& a, Complex& b, Root w)
{
  const double t = fused(-w.tan, b.im, b.re), s = fused(w.tan, b.re, b.im);
  const double re = TURN == Turn::none ? t : TURN == Turn::plus ? -s : s;
  const double im = TURN == Turn::none ? s : TURN == Turn::plus ? t : -t;
  b = {fused(-w.cos, re, a.re), fused(-w.cos, im, a.im)};
  a = {fused(w.cos, re, a.re), fused(w.cos, im, a.im)};
}
// The same where w is 1.
template <Turn TURN>
IC_D void plain_butterfly(Complex& a, Complex& b)
{
  const double re = TURN == Turn::none ? b.re : TURN == Turn::plus ? -b.im : b.im;
  const double im = TURN == Turn::none ? b.im : TURN == Turn::plus ? b.re : -b.re;
  b = {a.re - re, a.im - im};
  a = {a.re + re, a.im + im};
}

// So many levels of the forward transform on as many values as they split. `root(i)` is that of `place` i.
template <int LEVELS, int LEVEL = 0, class R>
IC_D void forward(Complex* x, R root)
{
  constexpr int SPLIT = (1 << LEVELS >> 1) >> LEVEL;
  IC_UNROLL
  for (int block = 0; block < 1 << LEVEL; block += 2) {
    const Root w = root(place(LEVEL, block / 2));
    IC_UNROLL
    for (int k = 0; k < SPLIT; ++k) {
      Complex* const at = x + 2 * SPLIT * block + k;
      butterfly<Turn::none>(at[0], at[SPLIT], w);
      if constexpr (LEVEL > 0) { butterfly<Turn::plus>(at[2 * SPLIT], at[3 * SPLIT], w); }
    }
  }
  if constexpr (LEVEL + 1 < LEVELS) { forward<LEVELS, LEVEL + 1>(x, root); }
}

// The first levels of the inverse transform: value `j` of a block of 2M and the one M after it have the same root in all blocks,
// and those half as far again one a quarter of a turn back.
template <int LEVELS, int LEVEL = 0>
IC_D void inverse_first(Complex* x, const Root (&roots)[8])
{
  constexpr int M = 1 << LEVEL, QUARTER = M / 2;
  IC_UNROLL
  for (int block = 0; block < 1 << LEVELS; block += 2 * M) {
    plain_butterfly<Turn::none>(x[block], x[block + M]);
    if constexpr (LEVEL > 0) { plain_butterfly<Turn::minus>(x[block + QUARTER], x[block + QUARTER + M]); }
    IC_UNROLL
    for (int j = 1; j < QUARTER; ++j) {
      const Root w = roots[j * (16 / M)];
      butterfly<Turn::none>(x[block + j], x[block + j + M], w);
      butterfly<Turn::minus>(x[block + j + QUARTER], x[block + j + QUARTER + M], w);
    }
  }
  if constexpr (LEVEL + 1 < LEVELS) { inverse_first<LEVELS, LEVEL + 1>(x, roots); }
}

// Later ones, on values that do not stand side by side. `root(i)` is that of `place` i.
template <int LEVELS, int LEVEL = 0, class R>
IC_D void inverse_last(Complex* x, R root)
{
  constexpr int M = 1 << LEVEL, QUARTER = M / 2;
  IC_UNROLL
  for (int j = 0; j < (LEVEL == 0 ? 1 : QUARTER); ++j) {
    const Root w = root(place(LEVEL, j));
    IC_UNROLL
    for (int block = 0; block < 1 << LEVELS; block += 2 * M) {
      butterfly<Turn::none>(x[block + j], x[block + j + M], w);
      if constexpr (LEVEL > 0) { butterfly<Turn::minus>(x[block + j + QUARTER], x[block + j + QUARTER + M], w); }
    }
  }
  if constexpr (LEVEL + 1 < LEVELS) { inverse_last<LEVELS, LEVEL + 1>(x, root); }
}

// Values between the passes: in rows of 32, of which a warp writes or reads a row or a column without two lanes in one bank.
IC_D int exchanged(int row, int column) { return row * LANES + (column ^ (row % 8)); }

} // namespace fhe
} // namespace icicle
