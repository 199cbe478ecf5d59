#pragma once
// Places on several devices, for the parts of a transform that reach over them: indices, host and device alike.
#include "shape.cuh"

namespace icicle {

// Where rows, or pieces of a vector, begin that several devices hold: addresses, multiples of 16.
struct NttPieces {
  static constexpr u32 MOST = 64;
  u64 at[MOST];
};

// Where an element of a row lies that begins at an address; rows are the whole transform.
IC_HD u64 ntt_address(const NttTile& tile, const NttPieces& rows, u32 e, bool permuted, u32 words)
{
  u64 number = permuted ? reversed_bits(tile.row(e), tile.s.levels) : tile.row(e);
  return rows.at[number] + (tile.first_col + tile.col(e)) * words * 4;
}

// Rows of a larger transform's matrix, transformed together: `2^log_vectors` from number `first` on, of `2^log_rows`. On the
// permuted side the elements of one index lie together, every `2^log_rows`-th being a row's, in pieces of `2^log_piece`
// elements of each row. Row `r` is block `r`, bits reversed, of the larger network.
struct NttRows {
  u32 first, log_vectors, log_rows, log_piece;
};

// A tile of such rows, numbered so that elements of the same index are neighbours: in group `g` of row `v` is
// `g·2^log_vectors + v`.
struct NttRowsTile : NttTile {
  NttRows r;

  IC_HD static NttRowsTile at(const NttShape& s, const NttRows& r, u64 tile)
  {
    u64 groups = (u64)1 << (s.log_n - s.levels + r.log_vectors);
    return NttRowsTile{NttTile::at(s, 1, groups, tile), r};
  }
  IC_HD u32 vector(u64 group) const { return (u32)group & ((1u << r.log_vectors) - 1); }
  IC_HD u64 low(u64 group) const { return group >> r.log_vectors; }
  IC_HD u64 place(u64 group, u32 row) const
  {
    u64 within = s.mirrored ? reversed_bits(low(group), group_bits()) : low(group);
    return ((((u64)vector(group) << group_bits()) | within) << s.levels) + row;
  }
  IC_HD u64 start(bool) const { return place(first_group, 0); }
  IC_HD u64 offset(u32 e, bool) const { return place(grp(e), row(e)); }
  // As `ntt_block`.
  IC_HD u64 network_block(u32 e, u32 pos, u32 q) const
  {
    u64 group = first_group + grp(e), within = s.mirrored ? reversed_bits(low(group), group_bits()) : low(group);
    u64 whole = reversed_bits(r.first + vector(group), r.log_rows);
    return (whole << log_blocks(pos, q)) + ((within << (s.levels - pos - q)) | (row(e) >> (pos + q)));
  }
  // Where an element lies on the permuted side.
  IC_HD u64 address(const NttPieces& pieces, u32 e, u32 words) const
  {
    u64 group = first_group + grp(e), place = (reversed_bits(row(e), s.levels) << group_bits()) + low(group);
    u64 within = place & (((u64)1 << r.log_piece) - 1);
    return pieces.at[place >> r.log_piece] + ((within << r.log_rows) + r.first + vector(group)) * words * 4;
  }
};

// First twiddle of a step on row bits `pos .. pos+q`, in the table of the network that the transform is a block of.
IC_HD u64 ntt_block(const NttTile& tile, u32 e, u32 pos, u32 q)
{
  return ((u64)tile.s.block << tile.log_blocks(pos, q)) + tile.block(e, pos, q);
}
IC_HD u64 ntt_block(const NttRowsTile& tile, u32 e, u32 pos, u32 q) { return tile.network_block(e, pos, q); }

} // namespace icicle
