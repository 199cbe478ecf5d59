// The index logic of multi-scalar multiplication on the host: digits, chunks, tree and lanes of `msm/*.cuh`, run thread by
// thread, against double-and-add. What is atomic on the device, the counting sort, is a plain loop here.
#include "../msm/reduce.cuh"
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace icicle;

static int failures = 0;

static u64 next_random(u64& state)
{
  state += 0x9e3779b97f4a7c15ull;
  u64 z = state;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

// Words at an address of 16 bytes' alignment, of nonsense until written.
struct Memory {
  std::vector<Chunk> chunks;
  explicit Memory(u64 words) : chunks(words / 4 + 2, Chunk{{0xa5a5a5a5u, 0xa5a5a5a5u, 0xa5a5a5a5u, 0xa5a5a5a5u}}) {}
  u32* p() { return chunks[0].w; }
};

// Sum of the biases (`shift` in core/zk/src/cuda/msm/plan.rs).
static Shift shift_of(const Cut& cut, u32 windows)
{
  Shift out = {};
  for (u32 w = 0; w < windows; w++) {
    for (u32 j = 0; j < cut.factor; j++) {
      Digit d = cut.digit(w, j);
      if (d.bias) { out.w[(d.start + d.width - 1) / 32] |= 1u << ((d.start + d.width - 1) % 32); }
    }
  }
  return out;
}

struct Case {
  u32 n, batch, c, factor, step, bits, chunk, log_lane, montgomery, group;
};

template <class C>
static void run(const char* name, const Case& k, const std::vector<u32>& scalars, const std::vector<u32>& bases,
                const std::vector<u32>& expected)
{
  constexpr u32 W = Affine<C>::WORDS, X = Xyzz<C>::WORDS, S = C::Scalar::WORDS;
  u32 span = k.factor == 1 ? k.bits + 1 : k.step, rest = (k.factor - 1) * k.step;
  if (k.factor > 1 && rest < k.bits + 1 && k.bits + 1 - rest > span) { span = k.bits + 1 - rest; }
  u32 windows = (span + k.c - 1) / k.c;
  // As core/zk/src/cuda/msm/plan.rs: as many windows, no wider than needed.
  u32 c = (span + windows - 1) / windows;
  Cut cut = {k.bits, k.factor, k.step, c, span - windows * (c - 1)};
  u32 row = 1u << (c - 1), entries = k.n * k.factor;
  Shift shift = shift_of(cut, windows);
  Memory totals((u64)k.batch * windows * X), points((u64)entries * W);
  for (u32 i = 0; i < entries; i++) {
    store_words(points.p() + i * W, load_caller_point<C>(&bases[i * W], k.montgomery));
  }
  for (u32 first = 0; first < windows; first += k.group) {
    u32 group = windows - first < k.group ? windows - first : k.group, rows = k.batch * group, buckets = rows * row;
    std::vector<u32> keys((u64)rows * entries), starts(buckets + 1), sorted(keys.size() + 1);
    for (u32 i = 0; i < k.n * k.batch; i++) {
      u32 words[S + 2];
      shift_scalar<S>(words, &scalars[i * S], k.bits, shift);
      for (u32 w = 0; w < group; w++) {
        for (u32 j = 0; j < k.factor; j++) {
          u32 key = digit_key(cut.digit(first + w, j), words), r = i / k.n * group + w;
          keys[(u64)r * entries + i % k.n * k.factor + j] = key;
          if (key != NO_KEY) {
            if ((key & ~NEGATIVE) >= row) { failures++; return; }
            starts[r * row + (key & ~NEGATIVE) + 1]++;
          }
        }
      }
    }
    for (u32 g = 0; g < buckets; g++) { starts[g + 1] += starts[g]; }
    std::vector<u32> cursor = starts;
    for (u64 at = 0; at < keys.size(); at++) {
      u32 key = keys[at];
      if (key != NO_KEY) {
        sorted[cursor[at / entries * row + (key & ~NEGATIVE)]++] = (u32)(at % entries) | (key & NEGATIVE);
      }
    }
    u32 count = (u32)((keys.size() + k.chunk - 1) / k.chunk);
    Memory head((u64)count * X), tail((u64)count * X), sums((u64)buckets * X);
    std::vector<u32> cross(count);
    Points<C> h = {head.p()}, t = {tail.p()}, s = {sums.p()};
    for (u32 u = 0; u < count; u++) {
      accumulate_chunk<C>(u, starts.data(), buckets, sorted.data(), points.p(), k.chunk, s, h, t, cross.data());
    }
    for (u32 g = 0; g < buckets; g++) { gather_bucket<C>(g, starts.data(), k.chunk, s, h, t); }
    for (u32 stride = 1; stride < count; stride *= 2) {
      for (u32 first = 0; first < count; first += 2 * stride) {
        if (stride < 4) {
          merge_nodes<C, false>(first, stride, count, cross.data(), s, h, t);
        } else {
          merge_nodes<C, true>(first, stride, count, cross.data(), s, h, t);
        }
      }
    }
    u32 log_lane = k.log_lane < c ? k.log_lane : c - 1, log_lanes = c - 1 - log_lane, lanes = buckets >> log_lane, per_row = 1u << log_lanes;
    Memory plain((u64)lanes * X), weighted((u64)lanes * X), parts((u64)rows * (1 + log_lanes) * X);
    Points<C> p = {plain.p()}, v = {weighted.p()}, q = {parts.p()};
    for (u32 lane = 0; lane < lanes; lane++) { reduce_lane<C>(lane, starts.data(), log_lane, s, p, v); }
    for (u32 r = 0; r < rows; r++) {
      for (u32 part = 0; part <= log_lanes; part++) {
        Xyzz<C> sum = Xyzz<C>::neutral();
        for (u32 i = 0; i < (part ? per_row / 2 : per_row); i++) {
          sum.add(part ? p.get(r * per_row + lane_with_bit(i, part - 1)) : v.get(r * per_row + i));
        }
        q.set(r * (1 + log_lanes) + part, sum);
      }
      Points<C>{totals.p()}.set(r / group * windows + first + r % group, combine_row<C>(q, r, log_lanes, log_lane));
    }
  }
  for (u32 b = 0; b < k.batch; b++) {
    u32 out[Projective<C>::WORDS];
    finish_result<C>(Points<C>{totals.p()}, b, windows, c, cut.wide).to_limbs(out);
    for (u32 i = 0; i < Projective<C>::WORDS; i++) {
      if (out[i] != expected[b * Projective<C>::WORDS + i]) {
        failures++;
        fprintf(stderr, "FAILED: %s n %u c %u factor %u chunk %u lane %u group %u, result %u\n", name, k.n, k.c,
                k.factor, k.chunk, k.log_lane, k.group, b);
        return;
      }
    }
  }
}

// Kinds of inputs: random, all equal, few distinct, mostly zeros and ones, `r - 1`, one point in every place.
template <class C>
static void test(const char* name, u32 kind, u32 n, u32 batch)
{
  using S = typename C::Scalar;
  constexpr u32 W = Affine<C>::WORDS, P = Projective<C>::WORDS;
  u64 state = 17 * kind + n;
  std::vector<u32> scalars((u64)n * batch * S::WORDS), bases((u64)n * W), expected((u64)batch * P);
  std::vector<Xyzz<C>> powers;
  Xyzz<C> g = Xyzz<C>::from_affine(Affine<C>::generator());
  std::vector<Affine<C>> points;
  for (u32 i = 0; i < 11; i++) {
    g = g.dbl();
    if (i % 3 == 1) { g.add(Affine<C>::generator()); }
    points.push_back(g.to_affine());
  }
  std::vector<Affine<C>> used;
  for (u32 i = 0; i < n; i++) {
    Affine<C> p = points[kind == 5 ? 0 : next_random(state) % points.size()];
    if (next_random(state) % 5 == 0) { p = -p; }
    if (next_random(state) % 9 == 0) { p = Affine<C>::neutral(); }
    used.push_back(p);
    p.to_raw().to_limbs(&bases[i * W]);
  }
  for (u32 i = 0; i < n * batch; i++) {
    S s = S::zero();
    for (u32 k = 0; k < S::WORDS; k++) { s.v[k] = (u32)next_random(state); }
    s = S::from_raw(s).to_raw();
    if (kind == 1) { s = S::from_u32(0xdeadbeef).sqr().sqr().to_raw(); }
    if (kind == 2) { s = S::from_u32(0x10001 * (i % 3) + 5).sqr().sqr().to_raw(); }
    if (kind == 3) { s = S::from_u32(i % 7 == 6 ? 12345 : i % 2).to_raw(); }
    if (kind == 4) { s = (-S::one()).to_raw(); }
    s.to_limbs(&scalars[i * S::WORDS]);
  }
  for (u32 b = 0; b < batch; b++) {
    Xyzz<C> all = Xyzz<C>::neutral();
    for (u32 i = 0; i < n; i++) {
      Xyzz<C> sum = Xyzz<C>::neutral();
      for (u32 bit = S::BITS; bit-- > 0;) {
        sum = sum.dbl();
        if (scalars[(b * n + i) * S::WORDS + bit / 32] >> (bit % 32) & 1) { sum.add(used[i]); }
      }
      all.add(sum);
    }
    Projective<C>::from_affine(all.to_affine()).to_raw().to_limbs(&expected[b * P]);
  }
  u32 bits = S::BITS;
  for (u32 c : {1u, 3u, 8u, 11u}) {
    for (u32 chunk : {1u, 3u, 8u}) {
      u32 lane = c > 3 ? 2 : 0;
      run<C>(name, {n, batch, c, 1, bits + 1, bits, chunk, lane, 0, c == 8 ? 5u : 1000u}, scalars, bases, expected);
    }
  }
  for (u32 factor : {2u, 5u}) {
    u32 c = 7, windows = (bits + c - 1) / c, step = c * ((windows - 1) / factor + 1);
    std::vector<u32> multiples((u64)n * factor * W), montgomery(bases.size());
    for (u32 i = 0; i < n; i++) { precompute_point<C>(bases.data(), multiples.data(), i, factor, step, 0); }
    run<C>(name, {n, batch, c, factor, step, bits, 4, 1, 0, 1000}, scalars, multiples, expected);
    for (u32 i = 0; i < n; i++) { Affine<C>::from_raw(Affine<C>::from_limbs(&bases[i * W])).to_limbs(&montgomery[i * W]); }
    for (u32 i = 0; i < n; i++) { precompute_point<C>(montgomery.data(), multiples.data(), i, factor, step, 1); }
    run<C>(name, {n, batch, 5, factor, step, bits, 4, 1, 1, 1000}, scalars, multiples, expected);
  }
}

int main()
{
  for (u32 kind = 0; kind < 6; kind++) {
    test<curves::bn254>("bn254", kind, 150, 1);
    test<curves::bn254>("bn254", kind, 9, 2);
  }
  test<curves::bn254>("bn254", 0, 1, 1);
  test<curves::bn254_g2>("bn254_g2", 0, 12, 1);
  test<curves::bls12_381>("bls12_381", 1, 60, 1);
  test<curves::bls12_377_g2>("bls12_377_g2", 3, 12, 1);
  test<curves::bw6_761>("bw6_761", 4, 20, 1);
  test<curves::grumpkin>("grumpkin", 2, 60, 1);
  if (failures) { fprintf(stderr, "%d failures\n", failures); }
  return failures != 0;
}
