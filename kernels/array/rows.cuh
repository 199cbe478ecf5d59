#pragma once
// Rows of an array by their places: what indices and masks take and set.
//
// A row is what follows the indexed axes, moved as words `W` of 1 to 16 bytes: the widest that rows and addresses allow.
#include "../vec/access.cuh"

namespace icicle {

#ifdef __CUDACC__
// `rows[i]` = the place that `indices[i]` names on an axis of `extent`, after `rows[i]·extent` unless the axis is the first.
// With `wraps`, negative indices count from the axis' end. The least `i` whose index is outside the axis is left in `bad`, which
// is above all before. Any grid.
IC_D void row_places(const i64* indices, i64* rows, u64* bad, u64 n, u64 extent, u32 first, u32 wraps)
{
  u64 outside = ~0ull;
  for (u64 i = thread_index(); i < n; i += thread_count()) {
    i64 index = indices[i];
    u64 place = (u64)(wraps && index < 0 ? index + (i64)extent : index);
    if (place >= extent) {
      outside = i < outside ? i : outside;
      place = 0;
    }
    rows[i] = (i64)((first ? 0 : (u64)rows[i] * extent) + place);
  }
  if (outside != ~0ull) { atomicMin(bad, outside); }
}

// `out[i]` = the index on an axis of element `places[i]`, where `step` elements lie between neighbours on it. Any grid.
IC_D void axis_indices(const i64* places, i64* out, u64 n, u64 step, u64 extent)
{
  for (u64 i = thread_index(); i < n; i += thread_count()) { out[i] = (i64)((u64)places[i] / step % extent); }
}

// Rows are shared out to groups of 2^`log_lanes` neighbouring threads, so that short rows leave no thread idle and long ones
// are cut into pieces. What a thread moves of a piece is under way at once.
struct RowPieces {
  static constexpr u32 ITEMS = 4;
  u64 width; // words of a row
  u32 log_lanes;

  IC_D u64 words() const { return (u64)ITEMS << log_lanes; }
  IC_D u64 count() const { return (width + words() - 1) / words(); }
  IC_D u64 group() const { return thread_index() >> log_lanes; }
  IC_D u64 groups() const { return thread_count() >> log_lanes; }

  template <class W>
  IC_D void move(const W* from, W* to, u64 piece) const
  {
    u64 first = piece * words() + (thread_index() & ((1u << log_lanes) - 1));
    W held[ITEMS];
    IC_UNROLL
    for (u32 k = 0; k < ITEMS; k++) {
      u64 at = first + ((u64)k << log_lanes);
      if (at < width) { held[k] = from[at]; }
    }
    IC_UNROLL
    for (u32 k = 0; k < ITEMS; k++) {
      u64 at = first + ((u64)k << log_lanes);
      if (at < width) { to[at] = held[k]; }
    }
  }
};

// For each of `outer` blocks of `extent` rows of `x`, those at `taken` places, one after another in `out`. With `each`, every block
// has places of its own, else all have the same. Any grid.
template <class W>
IC_D void take_rows(
  const W* x, const i64* places, W* out, u64 outer, u64 extent, u64 taken, u64 width, u32 each, u32 log_lanes)
{
  RowPieces pieces = {width, log_lanes};
  u64 count = pieces.count(), all = outer * taken * count;
  for (u64 i = pieces.group(); i < all; i += pieces.groups()) {
    u64 row = i / count, block = row / taken;
    u64 from = block * extent + (u64)places[each ? row : row - block * taken];
    pieces.move(x + from * width, out + row * width, i - row * count);
  }
}

// Row `rows[i]` of `x` = row `i` of `values`, unless `rows[i]` is negative; no row occurs twice. Any grid.
template <class W>
IC_D void set_rows(W* x, const i64* rows, const W* values, u64 n, u64 width, u32 log_lanes)
{
  RowPieces pieces = {width, log_lanes};
  u64 count = pieces.count(), all = n * count;
  for (u64 i = pieces.group(); i < all; i += pieces.groups()) {
    u64 k = i / count;
    i64 row = rows[k];
    if (row >= 0) { pieces.move(values + k * width, x + (u64)row * width, i - k * count); }
  }
}

// Where rows are entered with the last place that names each: a hash table with open addressing, which begins with all bits set.
struct RowSlot {
  static constexpr u64 FREE = ~0ull;
  u64 row;
  u64 last; // inverted, so that the last is the least
};

// The slot of a row among `mask` + 1, a power of two and at least twice as many as there are rows; entered if it is not there.
IC_D RowSlot* row_slot(RowSlot* slots, u64 row, u64 mask)
{
  // What ends MurmurHash3 (https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp: fmix64): every bit of a row
  // decides about each of the slot's, so that rows at equal distances do not meet.
  u64 at = row;
  at = (at ^ at >> 33) * 0xff51afd7ed558ccdull;
  at = (at ^ at >> 33) * 0xc4ceb9fe1a85ec53ull;
  at ^= at >> 33;
  for (;; at++) {
    RowSlot* slot = slots + (at & mask);
    u64 before = *(const volatile u64*)&slot->row;
    if (before == RowSlot::FREE) { before = atomicCAS(&slot->row, RowSlot::FREE, row); }
    if (before == RowSlot::FREE || before == row) { return slot; }
  }
}

// Enter the places `0..n` that name rows. Any grid.
IC_D void enter_rows(const i64* rows, RowSlot* slots, u64 n, u64 mask)
{
  for (u64 i = thread_index(); i < n; i += thread_count()) { atomicMin(&row_slot(slots, (u64)rows[i], mask)->last, ~i); }
}

// Where a later place names the same row, -1 for the row; all places have been entered. Any grid.
IC_D void keep_last_rows(i64* rows, RowSlot* slots, u64 n, u64 mask)
{
  for (u64 i = thread_index(); i < n; i += thread_count()) {
    if (row_slot(slots, (u64)rows[i], mask)->last != ~i) { rows[i] = -1; }
  }
}
#endif

} // namespace icicle
