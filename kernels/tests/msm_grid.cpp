// A whole multi-scalar multiplication by the kernels themselves on the host's grid, launched as core/zk/src/cuda/msm does,
// against double-and-add.
#include "memory.h"
#include "../inst/sort.cu"
#include "../msm/instances.cuh"

using namespace icicle;

IC_MSM_KERNELS(bn254)
IC_MSM_KERNELS(bls12_381_g2)

// The kernels of a curve, by pointer.
struct Kernels {
  void (*convert)(const u32*, u32*, u64, u32);
  void (*precompute)(const u32*, u32*, u64, u64, u32, u32);
  void (*digits)(const u32*, u32*, u32*, u64, u64, u32, u32, u32, u32, u32, u32, u32, u32, Shift);
  void (*accumulate)(const u32*, const u32*, const u32*, u32*, u32*, u32*, u32*, u32, u32, u32);
  void (*gather)(const u32*, u32*, u32*, u32*, u32, u32);
  void (*merge)(const u32*, u32*, u32*, u32*, u32, u32, u32);
  void (*lanes)(const u32*, u32*, u32*, u32*, u64, u32);
  void (*parts)(u32*, u32*, u32*, u32, u64);
  void (*rows)(u32*, u32*, u64, u32, u32, u32, u32, u32, u32);
  void (*finish)(u32*, u32*, u64, u32, u32, u32);
};

#define IC_ALL(name)                                                                                                   \
  Kernels                                                                                                              \
  {                                                                                                                    \
    name##_msm_convert, name##_msm_precompute, name##_msm_digits, name##_msm_accumulate, name##_msm_gather,            \
      name##_msm_merge, name##_msm_lanes, name##_msm_parts, name##_msm_rows, name##_msm_finish                         \
  }

struct Case {
  u32 n, batch, factor, c, chunk, log_lane;
  // Windows at a time; points in so many parts; every multiplication with points of its own; form of coordinates and scalars.
  u32 group, parts, own, montgomery, kind;
};

constexpr u32 MERGE_FEW = 7;

static u32 blocks_for(u64 threads, u32 block) { return threads == 0 ? 1 : (u32)((threads + block - 1) / block); }

template <class C>
struct Job {
  using S = typename C::Scalar;
  static constexpr u32 W = Affine<C>::WORDS, X = Xyzz<C>::WORDS, P = Projective<C>::WORDS;
  Kernels k;
  Case of;
  u32 step, span, windows, c, wide;
  Shift shift = {};
  bool ok = true;

  Job(const Kernels& kernels, const Case& wanted) : k(kernels), of(wanted)
  {
    u32 top = S::BITS + 1;
    step = of.factor == 1 ? top : of.c * ((S::BITS / of.c + of.factor) / of.factor);
    u32 rest = std::min((of.factor - 1) * step, top);
    span = of.factor == 1 ? top : std::max(step, top - rest);
    windows = (span + of.c - 1) / of.c;
    c = (span + windows - 1) / windows;
    wide = span - windows * (c - 1);
    Cut cut = {S::BITS, of.factor, step, c, wide};
    for (u32 w = 0; w < windows; w++) {
      for (u32 j = 0; j < of.factor; j++) {
        Digit d = cut.digit(w, j);
        if (d.bias) { shift.w[(d.start + d.width - 1) / 32] |= 1u << ((d.start + d.width - 1) % 32); }
      }
    }
  }

  template <class Body>
  void launch(Dim3 grid, u32 threads, Body body)
  {
    ok = ok && device::launch(grid, threads, body);
  }

  // Windows `first..first + group` of the scalars at `scalars` over `n` points.
  void run(const u32* scalars, const u32* bases, u32 n, u32 first, u32 group, bool more, u32* sums_of_rows)
  {
    u32 sets = of.own ? of.batch : 1, entries = n * of.factor, rows = of.batch * group, row = 1u << (c - 1);
    u32 buckets = rows * row, chunks = blocks_for((u64)rows * entries, of.chunk);
    u32 log_lane = std::min(of.log_lane, c - 1), log_lanes = c - 1 - log_lane;
    u64 lanes = buckets >> log_lane, partials = (u64)chunks * X;
    Memory points((u64)sets * entries * W), keys((u64)rows * entries), sorted((u64)rows * entries), cross(chunks);
    Memory starts(Words(buckets + 1, 0)), cursor(buckets), scan(blocks_for(buckets, SCAN_BLOCK)), head(partials), tail(partials);
    Memory sums((u64)buckets * X), plain(lanes * X), weighted(lanes * X), parts((u64)rows * (1 + log_lanes) * X);
    starts.p[buckets] = NONSENSE;
    launch({2}, 64, [&] { k.convert(bases, points.p, (u64)sets * entries, of.montgomery); });
    launch({2, 2}, 256, [&] {
      k.digits(scalars, keys.p, starts.p, n, of.batch, S::BITS, of.factor, step, c, wide, first, group, of.montgomery, shift);
    });
    u32 scans = blocks_for(buckets, SCAN_BLOCK);
    launch({scans}, 256, [&] { sort_sums(starts.p, scan.p, buckets); });
    launch({1}, 1024, [&] { sort_top(scan.p, scans); });
    launch({scans}, 256, [&] { sort_apply(starts.p, scan.p, starts.p, cursor.p, buckets); });
    launch({2, 3}, 256, [&] {
      sort_scatter(keys.p, cursor.p, sorted.p, entries, rows, group, of.own ? entries : 0, row);
    });
    u32 count = chunks;
    launch({blocks_for(count, 128)}, 128, [&] {
      k.accumulate(starts.p, sorted.p, points.p, sums.p, head.p, tail.p, cross.p, buckets, of.chunk, count);
    });
    launch({blocks_for(buckets, 128)}, 128, [&] { k.gather(starts.p, sums.p, head.p, tail.p, buckets, of.chunk); });
    // Fewer threads than add together, who would each add here: one thread an addition.
    static_assert(MERGE_FEW < TOGETHER);
    for (u32 nodes = count, stride = 1; entries > light(of.chunk) * of.chunk && nodes > 1;) {
      u32 span = nodes > 40 ? 32 : 4;
      nodes = (nodes + span - 1) / span;
      launch({nodes}, MERGE_FEW, [&] { k.merge(cross.p, sums.p, head.p, tail.p, count, stride, span); });
      stride *= span;
    }
    launch({blocks_for(lanes, 128)}, 128, [&] { k.lanes(starts.p, sums.p, plain.p, weighted.p, lanes, log_lane); });
    launch({1 + log_lanes, 3}, 128, [&] { k.parts(plain.p, weighted.p, parts.p, log_lanes, rows); });
    launch({blocks_for((u64)rows * TOGETHER, 32)}, 32, [&] {
      k.rows(parts.p, sums_of_rows, rows, log_lanes, log_lane, first, group, windows, more);
    });
    for (const Memory* all : {&points, &keys, &sorted, &cross, &starts, &cursor, &scan, &head, &tail, &sums, &plain, &weighted, &parts}) {
      ok = ok && all->is_whole();
    }
  }

  Words results(const Words& scalars, const Words& bases)
  {
    Memory totals((u64)of.batch * windows * X), out((u64)of.batch * P);
    u32 part = (of.n + of.parts - 1) / of.parts, each = of.factor * W;
    for (u32 from = 0; from < of.n; from += part) {
      u32 n = std::min(part, of.n - from);
      // The part's scalars of every multiplication, and points of every set, at no alignment.
      Words some, few;
      for (u32 b = 0; b < of.batch; b++) {
        const u32* first = &scalars[(u64)(b * of.n + from) * S::WORDS];
        some.insert(some.end(), first, first + n * S::WORDS);
        const u32* base = &bases[(u64)(b * of.n + from) * each];
        if (b == 0 || of.own) { few.insert(few.end(), base, base + (u64)n * each); }
      }
      Memory s(some, 1), p(few, 3);
      for (u32 first = 0; first < windows; first += of.group) {
        run(s.p, p.p, n, first, std::min(of.group, windows - first), from > 0, totals.p);
      }
      ok = ok && s.holds(some) && p.holds(few);
    }
    launch({blocks_for(of.batch * TOGETHER, 32)}, 32, [&] { k.finish(totals.p, out.p, of.batch, windows, c, wide); });
    ok = ok && totals.is_whole() && out.is_whole();
    return out.words();
  }
};

// Kinds of scalars: random, all equal, `r - 1`, and 2^9 in every place but some.
template <class C>
static void test(const char* name, const Kernels& kernels, const Case& of)
{
  using S = typename C::Scalar;
  constexpr u32 W = Affine<C>::WORDS, P = Projective<C>::WORDS;
  u64 state = of.n + of.kind;
  u32 sets = of.own ? of.batch : 1, count = of.n * of.batch;
  std::vector<Affine<C>> points;
  Words bases, scalars, expected;
  auto put = [](Words& to, const auto& x) {
    u32 w[std::decay_t<decltype(x)>::WORDS];
    x.to_limbs(w);
    to.insert(to.end(), w, w + std::decay_t<decltype(x)>::WORDS);
  };
  Xyzz<C> at = Xyzz<C>::from_affine(Affine<C>::generator());
  std::vector<Affine<C>> known;
  for (u32 i = 0; i < 40; i++) {
    at = at.dbl();
    if (i % 3 == 0) { at.add(Affine<C>::generator()); }
    known.push_back(at.to_affine());
  }
  for (u32 i = 0; i < of.n * sets; i++) {
    Affine<C> p = known[next_random(state) % known.size()];
    points.push_back(i % 9 == 4 ? Affine<C>::neutral() : i % 5 == 1 ? -p : p);
    put(bases, of.montgomery ? points.back() : points.back().to_raw());
  }
  std::vector<S> of_places;
  S same = element<S>(state), top = (-S::one()).to_raw(), small = S::zero();
  small.v[0] = 1 << 9;
  for (u32 i = 0; i < count; i++) {
    of_places.push_back(of.kind == 0 ? element<S>(state) : of.kind == 1 ? same : of.kind == 2 ? top : i % 50 == 7 ? same : small);
    put(scalars, of.montgomery ? of_places.back().encode() : of_places.back());
  }
  for (u32 b = 0; b < of.batch; b++) {
    Xyzz<C> all = Xyzz<C>::neutral();
    for (u32 i = 0; i < of.n; i++) {
      Xyzz<C> sum = Xyzz<C>::neutral();
      for (u32 bit = S::BITS; bit-- > 0;) {
        sum = sum.dbl();
        if (of_places[b * of.n + i].v[bit / 32] >> (bit % 32) & 1) { sum.add(points[(of.own ? b * of.n : 0) + i]); }
      }
      all.add(sum);
    }
    put(expected, Projective<C>::from_affine(all.to_affine()).to_raw());
  }
  Job<C> job(kernels, of);
  if (of.factor > 1) {
    Memory in(bases, 1), multiples((u64)of.n * sets * of.factor * W, 3);
    job.launch({2}, 32, [&] { kernels.precompute(in.p, multiples.p, (u64)of.n * sets, of.factor, job.step, of.montgomery); });
    job.ok = job.ok && in.holds(bases) && multiples.is_whole();
    bases = multiples.words();
  }
  bool right = job.results(scalars, bases) == expected && expected.size() == of.batch * P;
  check(right && job.ok, std::string(name) + " n " + std::to_string(of.n) + " batch " + std::to_string(of.batch) + " factor " +
                           std::to_string(of.factor) + " c " + std::to_string(of.c) + " kind " + std::to_string(of.kind));
}

int main()
{
  Kernels bn254 = IC_ALL(bn254), g2 = IC_ALL(bls12_381_g2);
  // n, batch, factor, c, chunk, log_lane, group, parts, own, montgomery, kind
  test<curves::bn254>("bn254", bn254, {1, 1, 1, 1, 16, 1, 99, 1, 0, 0, 0});
  test<curves::bn254>("bn254", bn254, {300, 1, 1, 8, 16, 2, 99, 1, 0, 0, 0});
  test<curves::bn254>("bn254", bn254, {150, 2, 1, 10, 16, 6, 7, 1, 0, 1, 0});
  test<curves::bn254>("bn254", bn254, {90, 3, 1, 6, 4, 1, 10, 2, 1, 0, 0});
  // Buckets over so many chunks that the tree puts them together, of two levels and more.
  test<curves::bn254>("bn254", bn254, {300, 1, 1, 10, 1, 3, 99, 1, 0, 0, 1});
  test<curves::bn254>("bn254", bn254, {500, 1, 1, 10, 2, 3, 3, 3, 0, 1, 3});
  test<curves::bn254>("bn254", bn254, {120, 1, 1, 9, 3, 2, 99, 1, 0, 0, 2});
  test<curves::bn254>("bn254", bn254, {60, 1, 4, 7, 4, 1, 99, 1, 0, 0, 0});
  test<curves::bn254>("bn254", bn254, {40, 2, 3, 11, 8, 2, 4, 1, 1, 1, 0});
  test<curves::bls12_381_g2>("bls12_381_g2", g2, {20, 1, 1, 7, 4, 1, 99, 1, 0, 1, 0});
  test<curves::bls12_381_g2>("bls12_381_g2", g2, {30, 1, 2, 9, 2, 2, 99, 1, 0, 0, 1});
  printf("%ld checks, %d failures\n", checks, failures);
  return failures != 0;
}
