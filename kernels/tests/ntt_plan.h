#pragma once
// The passes of a transform as src/ntt.rs plans them, for tests in C++.
#include "../ntt/shape.cuh"
#include <vector>

struct NttPass {
  icicle::NttShape shape;
  icicle::u64 inner, groups, tiles;
  icicle::u32 threads;
};

// From the low rows up.
template <icicle::u32 WORDS, bool SMALL = false>
std::vector<NttPass> ntt_plan(icicle::u32 log_n, icicle::u64 width, icicle::u64 batch, bool mirrored, icicle::u32 sms)
{
  using namespace icicle;
  using Size = NttSize<WORDS, SMALL>;
  auto log_up = [](u64 x) {
    u32 log = 0;
    while (((u64)1 << log) < x) { log++; }
    return log;
  };
  auto smaller = [](u32 a, u32 b) { return a < b ? a : b; };
  u32 most = WORDS <= 2 ? 10 : WORDS <= 8 ? 9 : 8;
  u32 count = (log_n + most - 1) / most, lo = 0;
  std::vector<NttPass> out;
  for (u32 i = 0; i < count; i++) {
    u32 levels = log_n / count + (i < log_n % count ? 1 : 0);
    NttPass pass;
    pass.inner = width << lo;
    pass.groups = batch << (log_n - lo - levels);
    u32 room = Size::LOG_TILE - levels;
    u32 cols = smaller(room, log_up(pass.inner)), grps = smaller(room - cols, log_up(pass.groups));
    auto shape = [&] { return NttShape{log_n, lo, levels, cols, grps, 0, mirrored && lo == 0 ? 1u : 0u, 0}; };
    while (NttTile::tiles(shape(), pass.inner, pass.groups) < sms) {
      bool run = ((u64)WORDS * 4 << (lo == 0 ? cols + grps : cols)) > 32;
      if (grps > 0 && run) {
        grps--;
      } else if (cols > 0 && run) {
        cols--;
      } else {
        break;
      }
    }
    u32 bits = levels + cols + grps;
    if (bits < Size::LOG_HELD) { grps += Size::LOG_HELD - bits; }
    pass.shape = shape();
    pass.tiles = NttTile::tiles(pass.shape, pass.inner, pass.groups);
    pass.threads = 1u << (levels + cols + grps - Size::LOG_HELD);
    out.push_back(pass);
    lo += levels;
  }
  return out;
}
