#pragma once
// A pass of a transform. A thread does several levels on elements in registers, exchanges them through shared memory,
// and so on; data stay canonical, since (canonical) × (working-form twiddle) is canonical. Bound: multiplications for
// elements of 256 bits, memory for small ones.
#include "../field/fields_gen.cuh"
#include "reach.cuh"

namespace icicle {

template <class F, bool SMALL>
struct NttMemory {
  static constexpr u32 W = F::WORDS;
  // Words moved at once within an element.
  static constexpr u32 UNIT = W % 4 == 0 ? 4 : W;

  IC_HD static F load(const u32* p, bool aligned)
  {
    u32 w[W];
    if constexpr (W % 2 == 0) {
      if (aligned) {
        load_run<W>(w, p);
        return F::from_limbs(w);
      }
    }
    IC_UNROLL
    for (u32 k = 0; k < W; k++) { w[k] = p[k]; }
    return F::from_limbs(w);
  }
  IC_HD static void store(u32* p, const F& x, bool aligned)
  {
    u32 w[W];
    x.to_limbs(w);
    if constexpr (W % 2 == 0) {
      if (aligned) { return store_run<W>(p, w); }
    }
    IC_UNROLL
    for (u32 k = 0; k < W; k++) { p[k] = w[k]; }
  }
  // `COUNT` words from a multiple of as many (up to 16 bytes).
  template <u32 COUNT>
  IC_HD static void load_run(u32* w, const u32* p)
  {
    if constexpr (COUNT % 4 == 0) {
      IC_UNROLL
      for (u32 k = 0; k < COUNT; k += 4) {
        Chunk c = *(const Chunk*)(p + k);
        IC_UNROLL
        for (u32 i = 0; i < 4; i++) { w[k + i] = c.w[i]; }
      }
    } else if constexpr (COUNT == 2) {
      u64 c = *(const u64*)p;
      w[0] = (u32)c;
      w[1] = (u32)(c >> 32);
    } else {
      w[0] = p[0];
    }
  }
  template <u32 COUNT>
  IC_HD static void store_run(u32* p, const u32* w)
  {
    if constexpr (COUNT % 4 == 0) {
      IC_UNROLL
      for (u32 k = 0; k < COUNT; k += 4) { *(Chunk*)(p + k) = Chunk{{w[k], w[k + 1], w[k + 2], w[k + 3]}}; }
    } else if constexpr (COUNT == 2) {
      *(u64*)p = (u64)w[1] << 32 | w[0];
    } else {
      p[0] = w[0];
    }
  }
  // Shared memory: elements of several units lie in as many planes, so that a warp reads 16 bytes a lane side by side.
  IC_HD static F fetch(const u32* shared, u32 cell)
  {
    u32 w[W];
    IC_UNROLL
    for (u32 k = 0; k < W; k += UNIT) { load_run<UNIT>(w + k, shared + place(k, cell)); }
    return F::from_limbs(w);
  }
  IC_HD static void keep(u32* shared, u32 cell, const F& x)
  {
    u32 w[W];
    x.to_limbs(w);
    IC_UNROLL
    for (u32 k = 0; k < W; k += UNIT) { store_run<UNIT>(shared + place(k, cell), w + k); }
  }
  IC_HD static u32 place(u32 word, u32 cell) { return ((word / UNIT << NttSize<W, SMALL>::LOG_TILE) + cell) * UNIT; }
};

// A thread of a pass. `DOWN`: from natural to reversed order.
template <class F, bool DOWN, bool SMALL = false>
struct NttThread {
  using M = NttMemory<F, SMALL>;
  static constexpr u32 W = F::WORDS, HELD = NttSize<W, SMALL>::LOG_HELD, COUNT = 1 << HELD;
  // Whether a product is dear enough to branch around those by 1.
  static constexpr bool SKIP = W >= 8;

  F x[COUNT];
  // The twiddle of the next step, where a step is one level: loaded before the exchange, so that its way is hidden.
  F ahead;

  template <class Tile>
  IC_HD static NttLayout layout(const Tile& tile, u32 pos, u32 q)
  {
    return NttLayout{tile.s.log_cols + pos, q, HELD, tile.bits()};
  }
  // Elements in the order of the tile, neighbours in neighbouring threads.
  template <class Tile>
  IC_HD static NttLayout flat(const Tile& tile) { return NttLayout{0, 0, HELD, tile.bits()}; }

  template <class Tile>
  IC_HD void load(const Tile& tile, const NttLayout& have, u32 t, const u32* a, bool permuted, bool aligned)
  {
    u32 mine = index(tile, have.of_thread(t), permuted);
    const u32* from = a + (tile.start(permuted) + tile.offset(mine, permuted)) * W;
    u64 offset[COUNT];
    offsets(tile, have, permuted, offset);
    if (tile.full()) {
      IC_UNROLL
      for (u32 j = 0; j < COUNT; j++) { x[j] = M::load(from + offset[j], aligned); }
    } else {
      IC_UNROLL
      for (u32 j = 0; j < COUNT; j++) {
        bool exists = tile.exists(mine | index(tile, have.of_element(j), permuted));
        x[j] = exists ? M::load(from + offset[j], aligned) : F::zero();
      }
    }
  }
  template <class Tile>
  IC_HD void store(const Tile& tile, const NttLayout& have, u32 t, u32* out, bool permuted, bool aligned) const
  {
    u32 mine = index(tile, have.of_thread(t), permuted);
    u32* to = out + (tile.start(permuted) + tile.offset(mine, permuted)) * W;
    u64 offset[COUNT];
    offsets(tile, have, permuted, offset);
    if (tile.full()) {
      IC_UNROLL
      for (u32 j = 0; j < COUNT; j++) { M::store(to + offset[j], x[j], aligned); }
    } else {
      IC_UNROLL
      for (u32 j = 0; j < COUNT; j++) {
        if (tile.exists(mine | index(tile, have.of_element(j), permuted))) { M::store(to + offset[j], x[j], aligned); }
      }
    }
  }
  // Like `load` and `store` of whole tiles' rows that lie somewhere.
  IC_HD void gather(const NttTile& tile, const NttLayout& have, u32 t, const NttPieces& rows, bool permuted)
  {
    u32 mine = index(tile, have.of_thread(t), permuted);
    IC_UNROLL
    for (u32 j = 0; j < COUNT; j++) {
      u32 e = mine | index(tile, have.of_element(j), permuted);
      x[j] = tile.exists(e) ? M::load((const u32*)ntt_address(tile, rows, e, permuted, W), true) : F::zero();
    }
  }
  IC_HD void scatter(const NttTile& tile, const NttLayout& have, u32 t, const NttPieces& rows, bool permuted) const
  {
    u32 mine = index(tile, have.of_thread(t), permuted);
    IC_UNROLL
    for (u32 j = 0; j < COUNT; j++) {
      u32 e = mine | index(tile, have.of_element(j), permuted);
      if (tile.exists(e)) { M::store((u32*)ntt_address(tile, rows, e, permuted, W), x[j], true); }
    }
  }
  template <class Tile>
  IC_HD void fetch(const Tile& tile, const NttLayout& have, u32 t, const u32* shared, bool permuted)
  {
    u32 cell[COUNT];
    cells(tile, have, t, permuted, cell);
    IC_UNROLL
    for (u32 j = 0; j < COUNT; j++) { x[j] = M::fetch(shared, cell[j]); }
  }
  template <class Tile>
  IC_HD void keep(const Tile& tile, const NttLayout& have, u32 t, u32* shared, bool permuted) const
  {
    u32 cell[COUNT];
    cells(tile, have, t, permuted, cell);
    IC_UNROLL
    for (u32 j = 0; j < COUNT; j++) { M::keep(shared, cell[j], x[j]); }
  }
  // Multiply each row by its factor.
  template <class Tile>
  IC_HD void scale(const Tile& tile, const NttLayout& have, u32 t, const u32* factors)
  {
    u32 mine = have.of_thread(t);
    IC_UNROLL
    for (u32 j = 0; j < COUNT; j++) {
      u32 row = tile.row(mine | have.of_element(j)) & tile.s.factor_mask;
      x[j] = x[j] * M::load(factors + (u64)row * W, true);
    }
  }
  template <class Tile>
  IC_HD void look_ahead(const Tile& tile, u32 pos, u32 t, const u32* table)
  {
    if constexpr (HELD == 1) {
      u64 block = ntt_block(tile, layout(tile, pos, 1).of_thread(t), pos, 1);
      u32 w[W];
      twiddles<1, 0>(w, block, table);
      ahead = F::from_limbs(w);
    }
  }
  // The levels of row bits `pos .. pos+q`.
  template <class Tile>
  IC_HD void step(const Tile& tile, u32 pos, u32 q, u32 t, const u32* table)
  {
     step_of<HELD>(tile, pos, q, t, table);
  }

private:
  template <class Tile>
  IC_HD static u32 index(const Tile& tile, u32 e, bool permuted)
  {
    return permuted ? ntt_storage_order(tile.s, e) : e;
  }
  // The lowest bit of `j > 0`.
  IC_HD static constexpr u32 lowest(u32 j) { return j & 1 ? 0 : 1 + lowest(j >> 1); }
  // Words from a thread's first element to each, as sums of what the bits of their number contribute.
  template <class Tile>
  IC_HD static void offsets(const Tile& tile, const NttLayout& have, bool permuted, u64* offset)
  {
    u64 of_bit[HELD];
    IC_UNROLL
    for (u32 b = 0; b < HELD; b++) {
      of_bit[b] = tile.offset(index(tile, have.of_element(1 << b), permuted), permuted) * W;
    }
    offset[0] = 0;
    IC_UNROLL
    for (u32 j = 1; j < COUNT; j++) { offset[j] = offset[j & (j - 1)] + of_bit[lowest(j)]; }
  }
  // Likewise the places in shared memory.
  template <class Tile>
  IC_HD static void cells(const Tile& tile, const NttLayout& have, u32 t, bool permuted, u32* cell)
  {
    u32 of_bit[HELD];
    IC_UNROLL
    for (u32 b = 0; b < HELD; b++) { of_bit[b] = ntt_cell<W>(tile.s, index(tile, have.of_element(1 << b), permuted)); }
    cell[0] = ntt_cell<W>(tile.s, index(tile, have.of_thread(t), permuted));
    IC_UNROLL
    for (u32 j = 1; j < COUNT; j++) { cell[j] = cell[j & (j - 1)] ^ of_bit[lowest(j)]; }
  }
  template <u32 Q, class Tile>
  IC_HD void step_of(const Tile& tile, u32 pos, u32 q, u32 t, const u32* table)
  {
    if (q == Q) {
      levels_of<Q>(tile, pos, t, table);
    } else if constexpr (Q > 1) {
      step_of<Q - 1>(tile, pos, q, t, table);
    }
  }
  template <u32 Q, class Tile>
  IC_HD void levels_of(const Tile& tile, u32 pos, u32 t, const u32* table)
  {
    NttLayout have = layout(tile, pos, Q);
    u32 mine = have.of_thread(t);
    IC_UNROLL
    for (u32 part = 0; part < COUNT >> Q; part++) {
      u64 block = ntt_block(tile, mine | have.of_element(part << Q), pos, Q);
      bool unit = SKIP && block == 0;
      u32 w[((1 << Q) - 1) * W];
      if constexpr (HELD == 1) {
        ahead.to_limbs(w);
      } else {
        twiddles<Q, 0>(w, block, table);
      }
      levels<Q, DOWN ? 0 : Q - 1>(x + (part << Q), w, unit);
    }
  }
  // The twiddles of a block and its parts on `Q` levels from `D` on, `2^D` of them on level `D`, one level after another.
  template <u32 Q, u32 D>
  IC_HD static void twiddles(u32* w, u64 block, const u32* table)
  {
    u64 first = block << D;
    M::template load_run<(1 << D) * W>(w + ((1 << D) - 1) * W, table + first * W);
    if constexpr (D + 1 < Q) { twiddles<Q, D + 1>(w, block, table); }
  }
  // Level `D` of `Q` from the top, and those that follow.
  template <u32 Q, u32 D>
  IC_HD static void levels(F* v, const u32* w, bool unit)
  {
    constexpr u32 BLOCKS = 1 << D, HALF = 1 << (Q - 1 - D);
    IC_UNROLL
    for (u32 i = 0; i < BLOCKS; i++) {
      F twiddle = F::from_limbs(w + (BLOCKS - 1 + i) * W);
      IC_UNROLL
      for (u32 m = 0; m < HALF; m++) {
        F& a = v[2 * HALF * i + m];
        F& b = v[2 * HALF * i + m + HALF];
        if constexpr (DOWN) {
          if (i > 0 || !unit) { b = b * twiddle; }
          F sum = a + b;
          b = a - b;
          a = sum;
        } else {
          F difference = a - b;
          a = a + b;
          b = difference;
          if (i > 0 || !unit) { b = b * twiddle; }
        }
      }
    }
    if constexpr (DOWN && D + 1 < Q) { levels<Q, D + 1>(v, w, unit); }
    if constexpr (!DOWN && D > 0) { levels<Q, D - 1>(v, w, unit); }
  }
};

// The steps of a pass in order: `HELD` levels each, those that are left over at the top.
template <bool DOWN>
struct NttSteps {
  u32 levels, held, pos, q;

  IC_HD static NttSteps first(u32 levels, u32 held)
  {
    u32 rest = levels % held, top = rest != 0 ? rest : held;
    return DOWN ? NttSteps{levels, held, levels - top, top} : NttSteps{levels, held, 0, levels < held ? levels : held};
  }
  IC_HD bool last() const { return DOWN ? pos == 0 : pos + q == levels; }
  IC_HD void next()
  {
    if (DOWN) {
      pos -= held;
      q = held;
    } else {
      pos += held;
      q = levels - pos < held ? levels - pos : held;
    }
  }
};

// Where a pass reads and writes: two vectors, which may be one and the same unless one side is permuted and the pass is not the
// only one.
template <class F>
struct NttDense {
  static constexpr bool BY_UNITS = false;
  const u32* a;
  u32* out;
  u64 inner, groups;
  bool aligned;

  IC_HD u64 tiles(const NttShape& s) const { return NttTile::tiles(s, inner, groups); }
  IC_HD NttTile tile(const NttShape& s, u64 at) const { return NttTile::at(s, inner, groups, at); }
  template <class T>
  IC_HD void load(T& self, const NttTile& tile, const NttLayout& have, u32 t, bool permuted) const
  {
    self.load(tile, have, t, a, permuted, aligned);
  }
  template <class T>
  IC_HD void store(const T& self, const NttTile& tile, const NttLayout& have, u32 t, bool permuted) const
  {
    self.store(tile, have, t, out, permuted, aligned);
  }
};

// Columns of which every row lies somewhere, before and after: transforms of one pass.
template <class F>
struct NttColumns {
  static constexpr bool BY_UNITS = false;
  const NttPieces &from, &to;
  u64 inner;

  IC_HD u64 tiles(const NttShape& s) const { return NttTile::tiles(s, inner, 1); }
  IC_HD NttTile tile(const NttShape& s, u64 at) const { return NttTile::at(s, inner, 1, at); }
  template <class T>
  IC_HD void load(T& self, const NttTile& tile, const NttLayout& have, u32 t, bool permuted) const
  {
    self.gather(tile, have, t, from, permuted);
  }
  template <class T>
  IC_HD void store(const T& self, const NttTile& tile, const NttLayout& have, u32 t, bool permuted) const
  {
    self.scatter(tile, have, t, to, permuted);
  }
};

// Rows one after another in memory, and pieces on the permuted side. There every 16 bytes of a tile go between shared memory
// and their place by a thread of their own, neighbours by neighbours, so that links carry whole runs.
template <class F>
struct NttTogether {
  static constexpr bool BY_UNITS = true;
  static constexpr u32 W = F::WORDS;
  using M = NttMemory<F, false>;
  u32* memory;
  const NttRows& rows;
  const NttPieces& pieces;

  IC_HD u64 tiles(const NttShape& s) const { return NttTile::tiles(s, 1, (u64)1 << (s.log_n - s.levels + rows.log_vectors)); }
  IC_HD NttRowsTile tile(const NttShape& s, u64 at) const { return NttRowsTile::at(s, rows, at); }
  template <class T>
  IC_HD void load(T& self, const NttRowsTile& tile, const NttLayout& have, u32 t, bool) const
  {
    self.load(tile, have, t, memory, false, true);
  }
  template <class T>
  IC_HD void store(const T& self, const NttRowsTile& tile, const NttLayout& have, u32 t, bool) const
  {
    self.store(tile, have, t, memory, false, true);
  }
  // Call `f` with each of a thread's places in the pieces and in shared memory.
  template <class Move>
  IC_HD void units(const NttRowsTile& tile, u32 t, u32 threads, u32* shared, Move f) const
  {
    constexpr u32 UNITS = W / M::UNIT;
    static_assert(M::UNIT == 4, "");
    IC_UNROLL
    for (u32 i = 0; i < UNITS << NttSize<W, false>::LOG_HELD; i++) {
      u32 at = t + i * threads, unit = at % UNITS, e = ntt_storage_order(tile.s, at / UNITS);
      u64 there = tile.address(pieces, e, W) + unit * 16;
      if (tile.exists(e)) { f((Chunk*)there, (Chunk*)(shared + M::place(unit * 4, ntt_cell<W>(tile.s, e)))); }
    }
  }
  IC_HD void bring(const NttRowsTile& tile, u32 t, u32 threads, u32* shared) const
  {
    units(tile, t, threads, shared, [](const Chunk* there, Chunk* here) { *here = *there; });
  }
  IC_HD void send(const NttRowsTile& tile, u32 t, u32 threads, u32* shared) const
  {
    units(tile, t, threads, shared, [](Chunk* there, const Chunk* here) { *there = *here; });
  }
};

#ifdef __CUDACC__
// Blocks of as many threads as a tile has elements over `COUNT`, along x, striding over the tiles. `factors` may be null. The
// host may start a pass early, beside the last blocks of the one before, for whose end it waits here.
template <class F, bool DOWN, bool SMALL, class Ends>
IC_D void ntt_pass(const Ends& ends, const u32* table, const u32* factors, const NttShape& shape)
{
  using T = NttThread<F, DOWN, SMALL>;
  __shared__ alignas(16) u32 shared[F::WORDS << NttSize<F::WORDS, SMALL>::LOG_TILE];
#if __CUDA_ARCH__ >= 900
  // In this order: else passes after the next would come as well, and take the places of its blocks.
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  // Rows are neighbours only where the low bits are: there memory is read and written in the order of the tile.
  bool low = shape.lo == 0;
  u64 tiles = ends.tiles(shape);
  u32 t = threadIdx.x;
  IC_NO_UNROLL
  for (u64 at = blockIdx.x; at < tiles; at += gridDim.x) {
    auto tile = ends.tile(shape, at);
    NttSteps<DOWN> step = NttSteps<DOWN>::first(shape.levels, T::HELD);
    NttLayout have = DOWN || !low ? T::layout(tile, step.pos, step.q) : T::flat(tile);
    bool permuted = !DOWN && shape.mirrored;
    T self;
    self.look_ahead(tile, step.pos, t, table);
    if constexpr (Ends::BY_UNITS && !DOWN) {
      ends.bring(tile, t, blockDim.x, shared);
    } else {
      ends.load(self, tile, have, t, permuted);
      if (DOWN && factors != nullptr) { self.scale(tile, have, t, factors); }
      if (!DOWN && low) { self.keep(tile, have, t, shared, permuted); }
    }
    if (!DOWN && low) {
      __syncthreads();
      have = T::layout(tile, step.pos, step.q);
      self.fetch(tile, have, t, shared, false);
    }
    IC_NO_UNROLL
    while (true) {
      self.step(tile, step.pos, step.q, t, table);
      if (step.last()) { break; }
      step.next();
      NttLayout next = T::layout(tile, step.pos, step.q);
      self.look_ahead(tile, step.pos, t, table);
      // A thread writes where it read last, so one barrier is enough.
      self.keep(tile, have, t, shared, false);
      if (have.in_warp() && next.in_warp()) {
        __syncwarp();
      } else {
        __syncthreads();
      }
      have = next;
      self.fetch(tile, have, t, shared, false);
    }
    if (!DOWN && factors != nullptr) { self.scale(tile, have, t, factors); }
    permuted = DOWN && shape.mirrored;
    if (DOWN && low) {
      self.keep(tile, have, t, shared, false);
      __syncthreads();
    }
    if constexpr (Ends::BY_UNITS && DOWN) {
      ends.send(tile, t, blockDim.x, shared);
    } else {
      if (DOWN && low) {
        have = T::flat(tile);
        self.fetch(tile, have, t, shared, permuted);
      }
      ends.store(self, tile, have, t, permuted);
    }
    __syncthreads();
  }
}
#endif

} // namespace icicle
