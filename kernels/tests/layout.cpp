// Reorderings on the host's grid with several blocks, for every size of element, against one move an element.
#include "memory.h"
#include "../inst/layout.cu"

using namespace icicle;

// Element `i` becomes element `index(i)` of the operand.
static Words gather(const Words& in, u32 w, u64 n, const std::function<u64(u64)>& index)
{
  Words out(n * w);
  for (u64 i = 0; i < n * w; i++) { out[i] = in[index(i / w) * w + i % w]; }
  return out;
}

static u64 reversed(u64 i, u32 bits)
{
  u64 out = 0;
  for (u32 b = 0; b < bits; b++) { out = out << 1 | (i >> b & 1); }
  return out;
}

struct Layout {
  u32 w, log_side;
  void (*tiles)(const u32*, u32*, u32, u64);
  void (*pairs)(const u32*, u32*, u32, u64, u64, u64);
  void (*slice)(const u32*, u32*, u64, u64, u64, u64, u64, u64, u64);
  void (*transpose)(const u32*, u32*, u64, u64, u64);
  void (*transpose_columns)(const u32*, u32*, u64, u64, u64);
  void (*highest)(const u32*, i64*, u64, u64, u64, u64);

  Words numbered(u64 n) const
  {
    Words out(n * w);
    for (u64 i = 0; i < n * w; i++) { out[i] = (u32)(i * 2654435761u); }
    return out;
  }
  std::string what(const std::string& op, u64 n) const { return "words" + std::to_string(w) + " " + op + " of " + std::to_string(n); }

  void bit_reversals(u32 log_n, u64 batch, u32 shift) const
  {
    u64 n = (u64)1 << log_n;
    Words in = numbered(n * batch);
    Words expected = gather(in, w, n * batch, [&](u64 i) { return i / n * n + reversed(i % n, log_n); });
    Memory a(in, shift), out(in.size(), shift), all(in.size(), shift), columns(in, shift);
    if (log_n >= 2 * log_side) {
      bool ok = device::launch({3, 2}, 256, [&] { tiles(a.p, out.p, log_n, batch); });
      check(ok && out.holds(expected), what("bit_reverse_tiles", n));
      ok = device::launch({2, 1}, 256, [&] { tiles(out.p, out.p, log_n, batch); });
      check(ok && out.holds(in), what("bit_reverse_tiles in place", n));
    }
    bool ok = device::launch({3}, 32, [&] { pairs(a.p, all.p, log_n, batch, n, 1); });
    check(ok && all.holds(expected), what("bit_reverse_pairs", n));
    ok = device::launch({2}, 64, [&] { pairs(columns.p, columns.p, log_n, batch, 1, batch); });
    expected = gather(in, w, n * batch, [&](u64 i) { return reversed(i / batch, log_n) * batch + i % batch; });
    check(ok && columns.holds(expected), what("bit_reverse_pairs of columns", n));
  }

  void transposes(u64 rows, u64 cols, u64 batch, u32 shift) const
  {
    u64 n = rows * cols;
    Words in = numbered(n * batch);
    Memory a(in, shift), out(in.size(), shift), columns(in.size(), shift);
    bool ok = device::launch({3, 2}, 256, [&] { transpose(a.p, out.p, rows, cols, batch); });
    check(ok && out.holds(gather(in, w, n * batch, [&](u64 i) { return i / n * n + i % n % rows * cols + i % n / rows; })),
          what("transpose", n));
    ok = device::launch({3}, 64, [&] { transpose_columns(a.p, columns.p, rows, cols, batch); });
    check(ok && columns.holds(gather(in, w, n * batch, [&](u64 i) {
      return (i / batch % rows * cols + i / batch / rows) * batch + i % batch;
    })), what("transpose_columns", n));
  }

  void slices(u64 n, u64 n_out, u64 batch, u64 offset, u64 step, u32 shift) const
  {
    Words in = numbered(n * batch);
    Memory a(in, shift), out(n_out * batch * w, shift), columns(n_out * batch * w, shift);
    bool ok = device::launch({2}, 32, [&] { slice(a.p, out.p, n_out, batch, offset, step, n, n_out, 1); });
    check(ok && out.holds(gather(in, w, n_out * batch, [&](u64 i) { return i / n_out * n + offset + i % n_out * step; })),
          what("slice", n));
    ok = device::launch({2}, 32, [&] { slice(a.p, columns.p, n_out, batch, offset, step, 1, 1, batch); });
    check(ok && columns.holds(gather(in, w, n_out * batch, [&](u64 i) { return (offset + i / batch * step) * batch + i % batch; })),
          what("slice of columns", n));
  }

  // Zeros but for a word of some elements; vectors one after another and interleaved.
  void highest_of(u64 n, const std::vector<std::vector<u64>>& places, u32 shift) const
  {
    u64 batch = places.size();
    for (u64 stride : {(u64)1, batch}) {
      Words in(n * batch * w);
      std::vector<i64> expected, found(batch, -1);
      for (u64 v = 0; v < batch; v++) {
        i64 top = -1;
        for (u64 i : places[v]) {
          in[(stride == 1 ? v * n + i : i * batch + v) * w + i % w] = 1u << (i % 32);
          top = std::max(top, (i64)i);
        }
        expected.push_back(top);
      }
      Memory a(in, shift);
      bool ok = device::launch({3, 2}, 32, [&] { highest(a.p, found.data(), n, batch, stride == 1 ? n : 1, stride); });
      check(ok && found == expected, what("highest_non_zero", n));
    }
  }

  void all() const
  {
    for (u32 shift : {0, 1}) {
      for (u32 log_n : {0u, 1u, 5u, 2 * log_side, 2 * log_side + 1, 2 * log_side + 3}) { bit_reversals(log_n, 3, shift); }
      transposes(1, 1, 1, shift);
      transposes(45, 71, 2, shift);
      transposes(3, 100, 3, shift);
      // Thinner than a square in either way, and long enough for several tiles.
      for (u64 thin : {1, 2, 5, 8}) {
        transposes(thin, 2100, 2, shift);
        transposes(2100, thin, 2, shift);
      }
      transposes(4, 7, 2, shift);
      slices(100, 20, 2, 3, 4, shift);
      slices(100, 1, 3, 99, 1, shift);
      slices(7, 7, 1, 0, 1, shift);
      highest_of(1, {{0}, {}}, shift);
      highest_of(1000, {{0}, {777, 12}, {}, {999}, {500, 501, 502, 3}}, shift);
    }
  }
};

#define IC_LAYOUT_OF(W, side)                                                                                          \
  Layout                                                                                                               \
  {                                                                                                                    \
    W, side, words##W##_bit_reverse_tiles, words##W##_bit_reverse_pairs, words##W##_slice, words##W##_transpose,       \
      words##W##_transpose_columns, words##W##_highest_non_zero                                                        \
  }

int main()
{
  // Sides as kernels/src/launch.rs has them.
  for (const Layout& k : {IC_LAYOUT_OF(1, 5), IC_LAYOUT_OF(2, 5), IC_LAYOUT_OF(4, 4), IC_LAYOUT_OF(8, 4), IC_LAYOUT_OF(12, 3),
                          IC_LAYOUT_OF(16, 3), IC_LAYOUT_OF(24, 3)}) {
    k.all();
  }
  printf("%ld checks, %d failures\n", checks, failures);
  return failures != 0;
}
