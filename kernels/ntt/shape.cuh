#pragma once
// Indices of a transform's passes, host and device alike, so that they can be tested without a GPU.
//
// A transform of `2^log_n` rows (of `width` elements each, transformed one by one) is a network of `log_n` levels: block
// `k` of a level of `2h`-row blocks is a polynomial modulo `x^(2h) - c²`, `c = g^h·W[k]`; going down, its halves are the
// remainders modulo `x^h - c` and `x^h + c` (Harvey, "Faster arithmetic for number-theoretic transforms", 2014, §2). So
// a twiddle belongs to a block and not to a position in it, one table `W` in bit-reversed order serves all sizes, and a
// coset generator `g` is part of the twiddles. Going up is the inverse, without `1/n`.
//
// A pass does the levels of row bits `lo .. lo+levels`: it falls into groups of `2^levels` rows that lie `2^lo` rows apart.
// A block of threads takes a tile of them: `2^log_cols` adjacent elements of the rows of `2^log_grps` groups. In a tile
// an element has the index `e = (group·2^levels + row)·2^log_cols + column`.
#include "../field/base.cuh"

namespace icicle {

// How passes are cut, by the words of an element. Mirrored in src/ntt.rs. `SMALL`: for transforms that leave most of the
// machine idle, where more threads with less work each wait less; large elements only.
template <u32 WORDS, bool SMALL = false>
struct NttSize {
  static_assert(!SMALL || WORDS >= 8, "");
  // Log of the elements in a thread's registers, and of those in a block's tile: 16 KiB, 24 for 12 words.
  static constexpr u32 LOG_HELD = WORDS == 1 ? 5 : WORDS == 2 ? 4 : SMALL ? 1 : 2;
  static constexpr u32 LOG_TILE = WORDS == 1 ? 12 : WORDS == 2 ? 11 : SMALL && WORDS <= 8 ? 10 : 9;
  static constexpr u32 THREADS = 1 << (LOG_TILE - LOG_HELD);
  // Blocks a multiprocessor holds at least: registers are limited accordingly. Small blocks wait less at barriers.
  static constexpr u32 BLOCKS = SMALL ? 2 : WORDS == 1 ? 4 : WORDS == 2 ? 4 : WORDS <= 8 ? 7 : 4;
};

// A pass. Where the low rows are (`lo = 0`) one side may be in natural order although the network's is reversed, and rows
// may have factors.
struct NttShape {
  u32 log_n, lo, levels, log_cols, log_grps;
  // Which block the transform is of the network that `table` is for: 0 for all of it. Where `table` has all levels one
  // after another (`2^s + k` for block k of 2^s), as with a coset in it, it is block 1.
  u32 block;
  // Whether the side away from the network's middle is permuted.
  u32 mirrored;
  // Factor of row `r` of a group: `factors[r & factor_mask]`.
  u32 factor_mask;
};

IC_HD u64 reversed_bits(u64 x, u32 bits)
{
  if (bits == 0) { return 0; }
#ifdef __CUDA_ARCH__
  return __brevll(x) >> (64 - bits);
#else
  u64 out = 0;
  for (u32 b = 0; b < bits; b++) { out |= (x >> b & 1) << (bits - 1 - b); }
  return out;
#endif
}

// A tile's place in memory. Offsets of indices without a common bit add up, which makes those of a thread's elements a
// thread's own part plus parts that are the same for all threads.
struct NttTile {
  NttShape s;
  // `2^lo·width` elements from row to row of a group, and groups of all vectors.
  u64 inner, groups;
  u64 first_group, first_col;

  IC_HD static u64 tiles(const NttShape& s, u64 inner, u64 groups)
  {
    u64 cols = (u64)1 << s.log_cols, grps = (u64)1 << s.log_grps;
    return (inner + cols - 1) / cols * ((groups + grps - 1) / grps);
  }
  IC_HD static NttTile at(const NttShape& s, u64 inner, u64 groups, u64 tile)
  {
    u64 across = (inner + ((u64)1 << s.log_cols) - 1) >> s.log_cols;
    u64 down = tile / across;
    return NttTile{s, inner, groups, down << s.log_grps, (tile - down * across) << s.log_cols};
  }
  IC_HD u32 bits() const { return s.levels + s.log_cols + s.log_grps; }
  // Log of the groups of a vector.
  IC_HD u32 group_bits() const { return s.log_n - s.lo - s.levels; }
  IC_HD u32 col(u32 e) const { return e & ((1u << s.log_cols) - 1); }
  IC_HD u32 row(u32 e) const { return e >> s.log_cols & ((1u << s.levels) - 1); }
  IC_HD u32 grp(u32 e) const { return e >> (s.log_cols + s.levels); }
  // Groups are numbered as their outputs lie, so that those of a tile are neighbours on the permuted side.
  IC_HD u64 prefix(u64 group) const
  {
    u64 low = group & (((u64)1 << group_bits()) - 1);
    return s.mirrored ? reversed_bits(low, group_bits()) : low;
  }
  // In elements, in the network's order.
  IC_HD u64 place(u64 group, u32 row, u64 col) const
  {
    u64 vector = group >> group_bits();
    return (((vector << group_bits() | prefix(group)) << s.levels) + row) * inner + col;
  }
  // In elements, rows permuted; `lo = 0`.
  IC_HD u64 mirrored_place(u64 group, u32 row, u64 col) const
  {
    u64 vector = group >> group_bits(), low = group & (((u64)1 << group_bits()) - 1);
    return ((vector << s.log_n) + (reversed_bits(row, s.levels) << group_bits()) + low) * inner + col;
  }
  IC_HD u64 start(bool permuted) const
  {
    return permuted ? mirrored_place(first_group, 0, first_col) : place(first_group, 0, first_col);
  }
  IC_HD u64 offset(u32 e, bool permuted) const
  {
    return permuted ? mirrored_place(grp(e), row(e), col(e)) : place(grp(e), row(e), col(e));
  }
  // Whether all of the tile exists, and whether one element does.
  IC_HD bool full() const
  {
    return first_col + ((u64)1 << s.log_cols) <= inner && first_group + ((u64)1 << s.log_grps) <= groups;
  }
  IC_HD bool exists(u32 e) const { return first_col + col(e) < inner && first_group + grp(e) < groups; }
  // First twiddle of a step on row bits `pos .. pos+q`: that of its highest level.
  IC_HD u64 block(u32 e, u32 pos, u32 q) const
  {
    return (prefix(first_group + grp(e)) << (s.levels - pos - q)) | (row(e) >> (pos + q));
  }
  // Log of the blocks at that level.
  IC_HD u32 log_blocks(u32 pos, u32 q) const { return s.log_n - s.lo - pos - q; }
};

// Which elements of a tile a thread holds: bits `at .. at+q` of the index count its elements, as do the highest of the
// others; the rest is the thread's number.
struct NttLayout {
  u32 at, q, held, bits;

  // Whether the elements of a warp are those whose indices differ in the low `5 + held` bits: between two such layouts
  // they stay in the warp.
  IC_HD bool in_warp() const { return q == held && at <= 5; }
  IC_HD u32 of(u32 rest_low, u32 rest_high, u32 middle) const
  {
    u32 rest = rest_high << (bits - held) | rest_low;
    return (rest >> at) << (at + q) | middle << at | (rest & ((1u << at) - 1));
  }
  IC_HD u32 of_thread(u32 t) const { return of(t, 0, 0); }
  IC_HD u32 of_element(u32 j) const { return of(0, j >> q, j & ((1u << q) - 1)); }
};

// The index in permuted storage order (columns, groups, rows) that lets a warp write whole runs of neighbouring groups.
// Rows are rotated so that the lanes' row bits meet other banks than their group bits.
IC_HD u32 ntt_storage_order(const NttShape& s, u32 f)
{
  u32 col = f & ((1u << s.log_cols) - 1), grp = f >> s.log_cols & ((1u << s.log_grps) - 1);
  u32 row = f >> (s.log_cols + s.log_grps);
  if (s.log_grps < s.levels) { row = (row << s.log_grps | row >> (s.levels - s.log_grps)) & ((1u << s.levels) - 1); }
  return (grp << s.levels | row) << s.log_cols | col;
}

// Where an element lies in shared memory, in units of 4, 8 or 16 bytes: distinct banks for the lanes of all usual steps
// (exclusive or is linear, so this splits like offsets do).
template <u32 WORDS>
IC_HD u32 ntt_cell(const NttShape& s, u32 e)
{
  u32 grp = e >> (s.log_cols + s.levels);
  if constexpr (WORDS == 1) {
    return e ^ (e >> 5 & 15) ^ (e >> 4 & 16) ^ (grp & 31);
  } else if constexpr (WORDS == 2) {
    return e ^ (e >> 4 & 7) ^ (e >> 3 & 8) ^ (grp & 15);
  } else {
    return e ^ (e >> 2 & 6) ^ (e >> 4 & 1) ^ (grp & 7);
  }
}

} // namespace icicle
