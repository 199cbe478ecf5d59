// Normal numbers by the transform of Box and Muller: the host's operations in the host's order (`random/normal.rs`), none of
// them fused, and so the host's bits.
#pragma once
#include "random.cuh"

namespace array {
namespace random {

// The value of a polynomial, coefficients lowest first.
template <class T>
IC_FN T polynomial(T, T last)
{
  return last;
}
template <class T, class... Rest>
IC_FN T polynomial(T x, T lowest, Rest... rest)
{
  return polynomial(x, rest...) * x + lowest;
}

template <class T>
struct Parts;
template <>
struct Parts<float> {
  using Word = uint32;
  using Signed = int32;
  static constexpr int BITS = 32, MANTISSA = 23;
  static constexpr Word ROOT_HALF = 0x3f3504f3;
  static constexpr float LN2 = 0.69314575f, LN2_REST = 1.4286068e-6f;
  static IC_FN float fraction(Word word) { return (float(word) + 0.5f) * (1.0f / 4294967296.0f); }
  static IC_FN float quarter(Signed left) { return float(left) * (1.0f / 1073741824.0f); }
  static IC_FN float atanh(float z) { return polynomial(z, 0.33333343f, 0.1999439f, 0.14789975f); }
  static IC_FN float sine(float z)
  {
    return polynomial(z, 1.5707964f, -0.6459641f, 0.07969258f, -0.0046812664f, 0.0001582063f);
  }
  static IC_FN float cosine(float z)
  {
    return polynomial(z, 1.0f, -1.2337005f, 0.2536692f, -0.02086007f, 0.00090362807f);
  }
};
template <>
struct Parts<double> {
  using Word = uint64;
  using Signed = int64;
  static constexpr int BITS = 64, MANTISSA = 52;
  static constexpr Word ROOT_HALF = 0x3fe6a09e667f3bcd;
  static constexpr double LN2 = 0.69314718055994717, LN2_REST = -1.8641886737243033e-15;
  static IC_FN double fraction(Word word) { return (double(word >> 11) + 0.5) * (1.0 / 9007199254740992.0); }
  static IC_FN double quarter(Signed left) { return double(left) * (1.0 / 4611686018427387904.0); }
  static IC_FN double atanh(double z)
  {
    return polynomial(
      z, 0.33333333333333348, 0.19999999999949752, 0.14285714312987743, 0.1111110556739754, 0.090914445626308613,
      0.07665860800278021, 0.073082248425217031);
  }
  static IC_FN double sine(double z)
  {
    return polynomial(
      z, 1.5707963267948966, -0.64596409750624628, 0.079692626246167048, -0.0046817541353186849,
      0.00016044118478728591, -3.5988432343577428e-6, 5.6921723418431317e-8, -6.6878054675112211e-10,
      6.0178831240409115e-12);
  }
  static IC_FN double cosine(double z)
  {
    return polynomial(
      z, 1.0, -1.2337005501361697, 0.25366950790104803, -0.020863480763352916, 0.00091926027483853309,
      -2.5202042362733303e-5, 4.7108740775364384e-7, -6.3863254633863561e-9, 6.5066542354246982e-11);
  }
};

// Two normal numbers of two words.
template <class T>
IC_FN void normal_pair(typename Parts<T>::Word radius, typename Parts<T>::Word turn, T& first, T& second)
{
  using P = Parts<T>;
  using Word = typename P::Word;
  using Signed = typename P::Signed;
  const T u = P::fraction(radius);
  const Word above = bits_of(u) - P::ROOT_HALF;
  const T exponent = T(Signed(above) >> P::MANTISSA);
  const T m = Traits<T>::from_bits((above & ((Word(1) << P::MANTISSA) - 1)) + P::ROOT_HALF);
  const T s = (m - T(1)) / (m + T(1)), log_square = s * s, twice = s + s;
  const T log =
    exponent * P::LN2 + (twice + (twice * (log_square * P::atanh(log_square)) + exponent * P::LN2_REST));
  const T square = (T(0) - log) * T(2), r = machine::sqrt(square > T(0) ? square : T(0));
  const Word quarter = Word(turn + (Word(1) << (P::BITS - 3))) >> (P::BITS - 2);
  const T t = P::quarter(Signed(turn - (quarter << (P::BITS - 2)))), z = t * t;
  const T sine = t * P::sine(z), cosine = P::cosine(z);
  const bool odd = quarter & 1;
  const T x = odd ? sine : cosine, y = odd ? cosine : sine;
  first = r * (quarter == 1 || quarter == 2 ? -x : x);
  second = r * (quarter >= 2 ? -y : y);
}

template <class T>
struct Normal {
  using Out = T;
  static constexpr int OF_BLOCK = 16 / sizeof(T);
  IC_FN Normal(const Stream&, const uint64*) {}
  IC_FN void elements(const Block& block, uint64, T* out) const
  {
#pragma unroll
    for (int k = 0; k < OF_BLOCK; k += 2) {
      normal_pair(word_of(block, k, T()), word_of(block, k + 1, T()), out[k], out[k + 1]);
    }
  }
};

} // namespace random
} // namespace array
