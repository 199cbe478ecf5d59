// The transforms' passes run on the host, thread by thread and as kernels on a grid, against the defining sums; and the
// kernels that make their tables.
#include "memory.h"
#include "../ntt/instances.cuh"
#include "ntt_plan.h"

using namespace icicle;

// A field's kernels.
template <class F, bool SMALL>
struct Kernels;
#define IC_KERNELS(name)                                                                                               \
  IC_NTT_KERNELS(name)                                                                                                 \
  template <>                                                                                                          \
  struct Kernels<fields::name, false> {                                                                                \
    static constexpr auto DOWN = name##_ntt_down, UP = name##_ntt_up;                                                  \
    static constexpr auto PRODUCTS = name##_ntt_products;                                                              \
    static constexpr auto MULTIPLY = name##_ntt_multiply;                                                              \
    static constexpr auto SHIFT = name##_ntt_shift;                                                                    \
  };
#define IC_SMALL_KERNELS(name)                                                                                         \
  IC_NTT_LARGE(name)                                                                                                   \
  template <>                                                                                                          \
  struct Kernels<fields::name, true> {                                                                                 \
    static constexpr auto DOWN = name##_ntt_down_small, UP = name##_ntt_up_small;                                      \
    static constexpr auto DOWN_COLUMNS = name##_ntt_down_columns, UP_COLUMNS = name##_ntt_up_columns;                  \
    static constexpr auto DOWN_ROWS = name##_ntt_down_rows, UP_ROWS = name##_ntt_up_rows;                              \
  };
IC_KERNELS(babybear)
IC_KERNELS(goldilocks)
IC_KERNELS(bn254)
IC_SMALL_KERNELS(bn254)
IC_KERNELS(bls12_377_base_field)
IC_SMALL_KERNELS(bls12_377_base_field)

// Between layouts that need no barrier of the block, every element is fetched by the warp that kept it.
static void check_warps(const NttLayout& have, const NttLayout& next, u32 threads)
{
  if (!have.in_warp() || !next.in_warp()) { return; }
  std::vector<u32> keeper((u64)threads << have.held);
  for (bool fetching : {false, true}) {
    const NttLayout& layout = fetching ? next : have;
    for (u32 t = 0; t < threads; t++) {
      for (u32 j = 0; j < 1u << have.held; j++) {
        u32& warp = keeper[layout.of_thread(t) | layout.of_element(j)];
        if (fetching) { check(warp == t / 32, "an element changes its warp"); }
        warp = t / 32;
      }
    }
  }
}

// What `ntt_pass` does, barrier by barrier.
template <class F, bool DOWN, bool SMALL>
static void run(const NttPass& pass, const u32* a, u32* out, const u32* table, const u32* factors)
{
  using T = NttThread<F, DOWN, SMALL>;
  const NttShape& s = pass.shape;
  std::vector<Chunk> memory((F::WORDS << NttSize<F::WORDS, SMALL>::LOG_TILE) / 4);
  u32* shared = (u32*)memory.data();
  std::vector<T> threads(pass.threads);
  u32 n = pass.threads;
  bool low = s.lo == 0, aligned = (((u64)a | (u64)out) & 15) == 0;
  for (u64 at = 0; at < pass.tiles; at++) {
    NttTile tile = NttTile::at(s, pass.inner, pass.groups, at);
    NttSteps<DOWN> step = NttSteps<DOWN>::first(s.levels, T::HELD);
    NttLayout have = DOWN || !low ? T::layout(tile, step.pos, step.q) : T::flat(tile);
    bool permuted = !DOWN && s.mirrored;
    for (u32 t = 0; t < n; t++) {
      threads[t].look_ahead(tile, step.pos, t, table);
      threads[t].load(tile, have, t, a, permuted, aligned);
      if (DOWN && factors) { threads[t].scale(tile, have, t, factors); }
      if (!DOWN && low) { threads[t].keep(tile, have, t, shared, permuted); }
    }
    if (!DOWN && low) {
      have = T::layout(tile, step.pos, step.q);
      for (u32 t = 0; t < n; t++) { threads[t].fetch(tile, have, t, shared, false); }
    }
    while (true) {
      for (u32 t = 0; t < n; t++) { threads[t].step(tile, step.pos, step.q, t, table); }
      if (step.last()) { break; }
      step.next();
      NttLayout next = T::layout(tile, step.pos, step.q);
      check_warps(have, next, n);
      for (u32 t = 0; t < n; t++) {
        threads[t].look_ahead(tile, step.pos, t, table);
        threads[t].keep(tile, have, t, shared, false);
      }
      have = next;
      for (u32 t = 0; t < n; t++) { threads[t].fetch(tile, have, t, shared, false); }
    }
    if (!DOWN && factors) {
      for (u32 t = 0; t < n; t++) { threads[t].scale(tile, have, t, factors); }
    }
    permuted = DOWN && s.mirrored;
    if (DOWN && low) {
      for (u32 t = 0; t < n; t++) { threads[t].keep(tile, have, t, shared, false); }
      have = T::flat(tile);
      for (u32 t = 0; t < n; t++) { threads[t].fetch(tile, have, t, shared, permuted); }
    }
    for (u32 t = 0; t < n; t++) { threads[t].store(tile, have, t, out, permuted, aligned); }
  }
}

// The same as a kernel, on two blocks, from and into memory of its own: what `run` is about to do to `out`.
template <class F, bool DOWN, bool SMALL>
static Words on_grid(const NttPass& pass, const Words& a, const u32* table, const u32* factors, const std::string& what)
{
  Memory from(a), to(a.size());
  bool ok = device::launch({2}, pass.threads, [&] {
    constexpr auto kernel = DOWN ? Kernels<F, SMALL>::DOWN : Kernels<F, SMALL>::UP;
    kernel(from.p, to.p, table, factors, pass.inner, pass.groups, pass.shape);
  });
  check(ok && from.holds(a) && to.is_whole(), what);
  return to.words();
}

// Columns whose rows lie somewhere, against what `run` did to the same vector in one place.
template <class F, bool DOWN>
static void columns(const NttPass& pass, const Words& a, const Words& out, const u32* table, const u32* factors, const std::string& what)
{
  u64 n = (u64)1 << pass.shape.log_n, row = a.size() / n, room = row + 4;
  NttPieces from = {}, to = {};
  // The last row first, each behind a gap of 16 bytes.
  auto place = [&](u64 i) { return (n - 1 - i) * room + 4; };
  auto spread = [&](const Words& dense) {
    Words words(n * room, NONSENSE);
    for (u64 i = 0; i < n; i++) { std::copy_n(&dense[i * row], row, &words[place(i)]); }
    return words;
  };
  Memory before(spread(a)), after(n * room);
  for (u64 i = 0; i < n; i++) {
    from.at[i] = (u64)(before.p + place(i));
    to.at[i] = (u64)(after.p + place(i));
  }
  auto kernel = DOWN ? Kernels<F, true>::DOWN_COLUMNS : Kernels<F, true>::UP_COLUMNS;
  bool ok = device::launch({2}, pass.threads, [&] { kernel(table, factors, pass.inner, pass.shape, from, to); });
  check(ok && before.holds(spread(a)) && after.holds(spread(out)), what + " columns");
  // In place, as where rows of one device are read and written.
  ok = device::launch({1}, pass.threads, [&] { kernel(table, factors, pass.inner, pass.shape, from, from); });
  check(ok && before.holds(spread(out)), what + " columns in place");
}

template <class F>
static std::vector<F> squares(F x, u32 count)
{
  std::vector<F> out;
  for (u32 i = 0; i < count; i++, x = x.sqr()) { out.push_back(x); }
  return out;
}

template <class F>
static NttBits<F::WORDS> bits_of(const std::vector<F>& elements, const F& scale)
{
  NttBits<F::WORDS> bits = {};
  scale.to_raw().to_limbs(bits.scale);
  for (u32 i = 0; i < elements.size(); i++) { elements[i].to_raw().to_limbs(bits.of_bit + i * F::WORDS); }
  return bits;
}

template <class F>
static std::vector<u32> products(const std::vector<F>& elements, const F& scale, u32 count)
{
  NttBits<F::WORDS> bits = bits_of(elements, scale);
  std::vector<u32> out(F::WORDS << count);
  for (u64 i = 0; i < (u64)1 << count; i++) {
    (F::from_raw(F::from_limbs(bits.scale)) * ntt_select<F>(bits, i, 0, count)).to_limbs(&out[i * F::WORDS]);
  }
  return out;
}

// What a transform is of: the whole group of roots, a coset, or one that makes it a block of a network `2^LOG_BLOCKS` times
// as large.
enum class Of { ALL, COSET, BLOCK };
static constexpr u32 LOG_BLOCKS = 3;

// One transform of every option against the sums. `DOWN` natural to reversed, else reversed to natural; `mirrored`: both
// natural.
template <class F, bool DOWN, bool SMALL>
static void transform(const std::string& name, u32 log_n, u64 width, u64 batch, bool inverse, Of of, bool mirrored, u32 sms)
{
  bool coset = of == Of::COSET, shifts_inputs = of != Of::ALL;
  constexpr u32 W = F::WORDS;
  u64 n = (u64)1 << log_n, total = n * width * batch;
  F root = F::two_adic_root();
  for (u32 i = log_n; i < F::Params::TWO_ADICITY; i++) { root = root.sqr(); }
  if (inverse) { root = root.inverse(); }
  F g = F::from_u32(7), size = F::one();
  if (inverse) { g = g.inverse(); }
  u32 more = of == Of::BLOCK ? LOG_BLOCKS : 0, block = log_n % (1 << LOG_BLOCKS);
  F larger_root = F::two_adic_root();
  for (u32 i = log_n + more; i < F::Params::TWO_ADICITY; i++) { larger_root = larger_root.sqr(); }
  if (inverse) { larger_root = larger_root.inverse(); }
  if (of == Of::BLOCK) {
    g = F::one();
    for (u32 i = 0; i < reversed_bits(block, LOG_BLOCKS); i++) { g = g * larger_root; }
  }
  for (u32 i = 0; i < log_n; i++) { size = size.dbl(); }
  F scale = inverse ? size.inverse() : F::one();

  std::vector<F> turns;
  for (u32 i = 0; i + 1 < log_n + more; i++) {
    F turn = larger_root;
    for (u32 k = i + 2; k < log_n + more; k++) { turn = turn.sqr(); }
    turns.push_back(turn);
  }
  std::vector<u32> table = products<F>(turns, F::one(), log_n + more - 1);
  std::vector<NttPass> plan = ntt_plan<W, SMALL>(log_n, width, batch, mirrored, sms);
  u32 low = plan[0].shape.levels;
  std::vector<F> shifts = squares(g, log_n);
  std::vector<u32> factors = coset ? products<F>(shifts, scale, low) : products<F>(shifts, scale, 0);
  bool scaled = inverse || coset;
  std::vector<u32> shifted(W << (log_n - low));
  for (u64 at = 1; at < (u64)1 << (log_n - low); at++) {
    u32 s = 63 - __builtin_clzll(at);
    (F::from_limbs(&table[(at - ((u64)1 << s)) * W]) * shifts[log_n - 1 - s]).to_limbs(&shifted[at * W]);
  }

  std::vector<u32> in(total * W);
  u64 state = 88172645463325252ull;
  for (u64 i = 0; i < total; i++) {
    in[i * W] = i == 5 ? 0 : (u32)(state >> 40);
    if (W > 2) { in[i * W + 1] = (u32)state; }
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  }
  // Two passes may not share memory when one side is permuted.
  std::vector<u32> out(total * W), middle(total * W);
  // Not all: a grid's threads take their time here.
  bool gridded = log_n % 3 == 1 || (sms == 1 && total < 1 << 11);
  for (u32 i = 0; i < plan.size(); i++) {
    NttPass pass = plan[DOWN ? plan.size() - 1 - i : i];
    bool by_level = coset && pass.shape.lo > 0;
    pass.shape.block = of == Of::BLOCK ? block : by_level ? 1 : 0;
    pass.shape.factor_mask = coset ? ~0u : 0;
    const u32* from = i == 0 ? in.data() : middle.data();
    u32* to = i + 1 == plan.size() ? out.data() : middle.data();
    const u32* turns = by_level ? shifted.data() : table.data();
    const u32* scales = scaled && pass.shape.lo == 0 ? factors.data() : nullptr;
    Words kernel;
    if (gridded) { kernel = on_grid<F, DOWN, SMALL>(pass, i == 0 ? in : middle, turns, scales, name + " kernel"); }
    run<F, DOWN, SMALL>(pass, from, to, turns, scales);
    if constexpr (W >= 8 && !SMALL) {
      if (mirrored && batch == 1 && plan.size() == 1 && n <= NttPieces::MOST) {
        columns<F, DOWN>(pass, in, out, turns, scales, name + " 2^" + std::to_string(log_n));
      }
    }
    check(!gridded || kernel == (to == out.data() ? out : middle), name + " kernel of 2^" + std::to_string(log_n));
  }

  bool reversed_in = !DOWN && !mirrored, reversed_out = DOWN && !mirrored, ok = true;
  u64 columns = width < 2 ? width : 2;
  std::vector<F> powers(n), shift(n, F::one());
  powers[0] = F::one();
  for (u64 i = 1; i < n; i++) { powers[i] = powers[i - 1] * root; }
  for (u64 i = 1; shifts_inputs && i < n; i++) { shift[i] = shift[i - 1] * g; }
  for (u64 v = 0; v < batch; v += batch > 1 ? batch - 1 : 1) {
    for (u64 c = 0; c < columns; c++) {
      u64 column = c == 0 ? 0 : width - 1;
      auto element = [&](const std::vector<u32>& data, u64 i) {
        return F::from_limbs(&data[((v * n + i) * width + column) * W]);
      };
      for (u64 k = 0; k < n; k += log_n < 7 ? 1 : n / 64 + 1) {
        F sum = F::zero();
        for (u64 j = 0; j < n; j++) {
          F x = element(in, reversed_in ? reversed_bits(j, log_n) : j) * powers[j * k & (n - 1)];
          sum = sum + (shifts_inputs && !inverse ? x * shift[j] : x);
        }
        // The coset is on the side in natural order of coefficients.
        sum = sum * scale;
        if (shifts_inputs && inverse) { sum = sum * shift[k]; }
        ok = ok && element(out, reversed_out ? reversed_bits(k, log_n) : k) == sum;
      }
    }
  }
  check(ok, name + (DOWN ? " down" : " up") + " 2^" + std::to_string(log_n) + " width " + std::to_string(width) + " batch " +
              std::to_string(batch) + (inverse ? " inverse" : "") + (coset ? " coset" : of == Of::BLOCK ? " block" : "") + (mirrored ? " mirrored" : ""));
}

// Rows of a larger matrix together, against what `run` does to each of them, the same block of the same table; its elements
// are then every `2^log_rows`-th of the vector, in pieces, or come from there.
template <class F, bool DOWN>
static void rows(const std::string& name, u32 log_n, u32 levels, u32 log_rows, u32 first, u32 log_vectors)
{
  constexpr u32 W = F::WORDS, TILE = NttSize<W>::LOG_TILE, HELD = NttSize<W>::LOG_HELD;
  u64 state = log_n + first, n = (u64)1 << log_n, vectors = (u64)1 << log_vectors, pieces_count = (u64)1 << log_rows;
  auto random = [&](u64 count) {
    Words words(count * W);
    for (u64 i = 0; i < count; i++) { element<F>(state).to_limbs(&words[i * W]); }
    return words;
  };
  Words table = random(n << log_rows), scale = random(1), dense = random(n * vectors);
  auto pass_of = [&](u64 groups) {
    u32 log_grps = 0;
    while (levels + log_grps < TILE && (u64)1 << log_grps < groups) { log_grps++; }
    if (levels + log_grps < HELD) { log_grps = HELD - levels; }
    NttPass pass = {NttShape{log_n, 0, levels, 0, log_grps, 0, 1, 0}, 1, groups, 0, 1u << (levels + log_grps - HELD)};
    pass.tiles = NttTile::tiles(pass.shape, 1, groups);
    return pass;
  };
  Words done(dense.size());
  for (u32 v = 0; v < vectors; v++) {
    NttPass pass = pass_of(n >> levels);
    pass.shape.block = (u32)reversed_bits(first + v, log_rows);
    run<F, DOWN, false>(pass, &dense[v * n * W], &done[v * n * W], table.data(), scale.data());
  }
  // Pieces in reverse order behind gaps; of each element only those of the rows are touched.
  u64 log_piece = log_n - log_rows, room = (n + 1) * W;
  auto place = [&](u64 k, u64 v) {
    return (pieces_count - 1 - (k >> log_piece)) * room + W + (((k & ((1ull << log_piece) - 1)) << log_rows) + first + v) * W;
  };
  auto spread = [&](const Words& of) {
    Words words(pieces_count * room, NONSENSE);
    for (u64 v = 0; v < vectors; v++) {
      for (u64 k = 0; k < n; k++) { std::copy_n(&of[(v * n + k) * W], W, &words[place(k, v)]); }
    }
    return words;
  };
  Memory memory(DOWN ? dense : Words(dense.size())), vector(DOWN ? Words(pieces_count * room, NONSENSE) : spread(dense));
  NttPieces pieces = {};
  for (u64 i = 0; i < pieces_count; i++) { pieces.at[i] = (u64)(vector.p + (pieces_count - 1 - i) * room + W); }
  NttPass pass = pass_of((n >> levels) << log_vectors);
  auto kernel = DOWN ? Kernels<F, true>::DOWN_ROWS : Kernels<F, true>::UP_ROWS;
  NttRows which = {first, log_vectors, log_rows, (u32)log_piece};
  bool ok = device::launch({2}, pass.threads, [&] { kernel(memory.p, table.data(), scale.data(), pass.shape, which, pieces); });
  check(ok && vector.holds(DOWN ? spread(done) : spread(dense)) && memory.holds(DOWN ? dense : done),
        name + (DOWN ? " down" : " up") + " rows from " + std::to_string(first) + " of 2^" + std::to_string(log_n));
}

template <class F>
static void rows(const std::string& name)
{
  // Tiles of one group and several, one row and eight, the last row of all, fewer elements than a tile has.
  for (auto [log_n, levels, log_rows, first, log_vectors] : std::vector<std::array<u32, 5>>{
         {9, 6, 3, 0, 2}, {9, 6, 3, 4, 2}, {9, 6, 4, 8, 3}, {10, 8, 4, 15, 0}, {8, 6, 1, 0, 0}, {6, 5, 6, 32, 4}, {4, 2, 1, 1, 0}}) {
    rows<F, true>(name, log_n, levels, log_rows, first, log_vectors);
    rows<F, false>(name, log_n, levels, log_rows, first, log_vectors);
  }
}

// The kernels that make tables, over more than one chunk of 2^12, against products by the definition.
template <class F>
static void tables(const std::string& name)
{
  constexpr u32 W = F::WORDS;
  u64 state = W;
  auto value = [&] { return F::from_raw(element<F>(state)); };
  for (u32 count : {0, 1, 5, 9, 13}) {
    std::vector<F> elements;
    for (u32 i = 0; i < count; i++) { elements.push_back(value()); }
    F scale = value();
    NttBits<W> bits = bits_of(elements, scale);
    std::vector<F> expected;
    for (u64 i = 0; i < (u64)1 << count; i++) {
      F x = scale;
      for (u32 b = 0; b < count; b++) {
        if (i >> b & 1) { x = x * elements[b]; }
      }
      expected.push_back(x);
    }
    auto words = [](const std::vector<F>& of) {
      Words out(of.size() * W);
      for (u64 i = 0; i < of.size(); i++) { of[i].to_limbs(&out[i * W]); }
      return out;
    };
    Memory table((u64)W << count);
    bool ok = device::launch({2}, 256, [&] { Kernels<F, false>::PRODUCTS(table.p, count, bits); });
    check(ok && table.holds(words(expected)), name + " products of " + std::to_string(count));

    for (u64 width : {1, 3}) {
      u64 batch = count < 13 ? 3 : 1;
      std::vector<F> a, scaled;
      for (u64 i = 0; i < (batch << count) * width; i++) {
        a.push_back(element<F>(state));
        scaled.push_back(a[i] * expected[i / width & (((u64)1 << count) - 1)]);
      }
      Memory from(words(a)), to(a.size() * W);
      ok = device::launch({2, 2}, 256, [&] { Kernels<F, false>::MULTIPLY(from.p, to.p, count, width, batch, bits); });
      check(ok && to.holds(words(scaled)), name + " multiply of " + std::to_string(count));
      ok = device::launch({1, 1}, 256, [&] { Kernels<F, false>::MULTIPLY(from.p, from.p, count, width, batch, bits); });
      check(ok && from.holds(words(scaled)), name + " multiply in place of " + std::to_string(count));
    }

    // A table of as many levels as there are bits; the transform has two more.
    elements.push_back(value());
    elements.push_back(value());
    std::vector<F> shifted(1, F::zero());
    for (u32 s = 0; s < count; s++) {
      for (u64 i = 0; i < (u64)1 << s; i++) { shifted.push_back(expected[i] * elements[count + 1 - s]); }
    }
    Memory out((u64)W << count);
    memset(out.p, 0, 4 * W);
    ok = device::launch({2}, 64, [&] { Kernels<F, false>::SHIFT(table.p, out.p, count + 2, count, bits_of(elements, scale)); });
    check(ok && out.holds(words(shifted)), name + " shift of " + std::to_string(count));
  }
}

template <class F, bool SMALL = false>
static void field(const std::string& name, u32 most)
{
  if (!SMALL) { tables<F>(name); }
  if constexpr (SMALL) { rows<F>(name); }
  for (u32 log_n = 1; log_n <= most; log_n++) {
    for (u32 option = 0; option < 4; option++) {
      bool inverse = option & 1, mirrored = option & 2;
      transform<F, true, SMALL>(name, log_n, 1, 1, inverse, Of::ALL, mirrored, 4);
      transform<F, false, SMALL>(name, log_n, 1, 1, inverse, Of::ALL, mirrored, 4);
      // The coset is part of the network where that starts from coefficients, or ends there.
      for (Of of : {Of::COSET, Of::BLOCK}) {
        inverse ? transform<F, false, SMALL>(name, log_n, 1, 1, true, of, mirrored, 132)
                : transform<F, true, SMALL>(name, log_n, 1, 1, false, of, mirrored, 132);
      }
      if (F::WORDS >= 8 && !SMALL && mirrored && log_n <= 6) {
        // Few of them fill tiles.
        inverse ? transform<F, false, SMALL>(name, log_n, 5, 1, true, Of::COSET, true, 1)
                : transform<F, true, SMALL>(name, log_n, 5, 1, false, Of::COSET, true, 1);
      }
      if (log_n > 6 && log_n != most) { continue; }
      for (u64 width : {1, 3, 4}) {
        transform<F, true, SMALL>(name, log_n, width, 5, false, option & 1 ? Of::COSET : Of::BLOCK, mirrored, option < 2 ? 1 : 132);
        transform<F, false, SMALL>(name, log_n, width, 5, true, option & 1 ? Of::COSET : Of::BLOCK, mirrored, option < 2 ? 1 : 132);
      }
    }
  }
}

int main()
{
  field<fields::babybear>("babybear", 12);
  field<fields::goldilocks>("goldilocks", 12);
  field<fields::bn254>("bn254", 11);
  field<fields::bls12_377_base_field>("bls12_377_base_field", 9);
  field<fields::bn254, true>("bn254 small", 11);
  field<fields::bls12_377_base_field, true>("bls12_377_base_field small", 9);
  return failures != 0;
}
