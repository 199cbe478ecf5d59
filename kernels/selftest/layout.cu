// Self-test of the reorderings.
#include "../inst/layout.cu"
#include "harness.cuh"

template <u32 W>
static std::vector<u32> numbered(u64 n)
{
  std::vector<u32> out(n * W);
  for (u64 i = 0; i < n * W; i++) { out[i] = (u32)(i * 2654435761u); }
  return out;
}

// `out[i] = in[index(i)]`, element by element.
template <u32 W>
static std::vector<u32> gather(const std::vector<u32>& in, u64 n, const std::function<u64(u64)>& index)
{
  std::vector<u32> out(n * W);
  for (u64 i = 0; i < n; i++) { memcpy(&out[i * W], &in[index(i) * W], 4 * W); }
  return out;
}

static u64 reversed(u64 i, u32 bits)
{
  u64 out = 0;
  for (u32 b = 0; b < bits; b++) { out |= (i >> b & 1) << (bits - 1 - b); }
  return out;
}

struct Layout {
  void (*tiles)(const u32*, u32*, u32, u64);
  void (*pairs)(const u32*, u32*, u32, u64, u64, u64);
  void (*slice)(const u32*, u32*, u64, u64, u64, u64, u64, u64, u64);
  void (*transpose)(const u32*, u32*, u64, u64, u64);
  void (*transpose_columns)(const u32*, u32*, u64, u64, u64);
  void (*highest)(const u32*, i64*, u64, u64, u64, u64);
};

template <u32 W>
static void test(const Layout& k, u32 log_side, double copy_gbs)
{
  std::string name = "words" + std::to_string(W);
  for (u32 shift : {0, 1}) {
    for (u32 log_n : {2 * log_side, 2 * log_side + 1, 2 * log_side + 3}) {
      u64 n = 1ull << log_n, batch = 3;
      std::vector<u32> in = numbered<W>(n * batch);
      auto expected = gather<W>(in, n * batch, [&](u64 i) { return (i >> log_n << log_n) + reversed(i % n, log_n); });
      Buffer a(in, shift), out(in.size(), shift);
      k.tiles<<<dim3(3, 2), 256>>>(a.p, out.p, log_n, batch);
      compare(out, expected, name + " bit_reverse_tiles");
      k.pairs<<<7, 256>>>(a.p, out.p, log_n, batch, n, 1);
      compare(out, expected, name + " bit_reverse_pairs");
      k.tiles<<<dim3(3, 2), 256>>>(a.p, a.p, log_n, batch);
      compare(a, expected, name + " bit_reverse_tiles in place");
      Buffer c(in, shift);
      k.pairs<<<7, 256>>>(c.p, c.p, log_n, batch, 1, batch);
      compare(c, gather<W>(in, n * batch, [&](u64 i) { return reversed(i / batch, log_n) * batch + i % batch; }),
              name + " bit_reverse_pairs of columns");
    }
    u64 rows = 45, cols = 71, batch = 2, n = 100, n_out = 20, offset = 3, step = 4;
    std::vector<u32> in = numbered<W>(rows * cols * batch);
    Buffer a(in, shift), out(in.size(), shift), few(n_out * batch * W, shift);
    k.transpose<<<dim3(4, 1), 256>>>(a.p, out.p, rows, cols, batch);
    compare(out, gather<W>(in, rows * cols * batch,
                           [&](u64 i) {
                             u64 v = i / (rows * cols), j = i % (rows * cols);
                             return v * rows * cols + j % rows * cols + j / rows;
                           }),
            name + " transpose");
    k.transpose_columns<<<4, 256>>>(a.p, out.p, rows, cols, batch);
    compare(out, gather<W>(in, rows * cols * batch,
                           [&](u64 i) { return (i / batch % rows * cols + i / batch / rows) * batch + i % batch; }),
            name + " transpose_columns");
    k.slice<<<1, 256>>>(a.p, few.p, n_out, batch, offset, step, n, n_out, 1);
    compare(few, gather<W>(in, n_out * batch, [&](u64 i) { return i / n_out * n + offset + i % n_out * step; }),
            name + " slice");
    k.slice<<<1, 256>>>(a.p, few.p, n_out, batch, offset, step, 1, 1, batch);
    compare(few, gather<W>(in, n_out * batch, [&](u64 i) { return (offset + i / batch * step) * batch + i % batch; }),
            name + " slice of columns");
    // Zeros but for one element of each vector, and none in the last.
    u64 count = 1000, vectors = 3;
    std::vector<u32> sparse(count * vectors * W);
    sparse[(0 * count + 0) * W + W - 1] = 1;
    sparse[(1 * count + 777) * W] = 5;
    sparse[(1 * count + 12) * W] = 5;
    Buffer ds(sparse, shift), found(2 * vectors);
    CUDA(cudaMemset(found.p, 0xff, 8 * vectors));
    k.highest<<<dim3(2, 2), 256>>>(ds.p, (i64*)found.p, count, vectors, count, 1);
    compare(found, {0, 0, 777, 0, 0xffffffff, 0xffffffff}, name + " highest_non_zero");
  }
  u64 log_n = W == 1 ? 27 : W == 2 ? 26 : 24, n = 1ull << log_n;
  Buffer a(n * W), out(n * W);
  double moved = 8.0 * n * W;
  auto line = [&](const char* op, double ms) {
    printf("%-10s %-22s n=2^%llu %8.3f ms %7.0f GB/s (%3.0f %% of copy)\n", name.c_str(), op, log_n, ms, moved / ms / 1e6,
           100 * moved / ms / 1e6 / copy_gbs);
  };
  u32 middles = (u32)(n >> 2 * log_side);
  line("bit_reverse", time_ms([&] { k.tiles<<<dim3(middles, 1), 256>>>(a.p, out.p, log_n, 1); }));
  line("bit_reverse in place", time_ms([&] { k.tiles<<<dim3(middles, 1), 256>>>(a.p, a.p, log_n, 1); }));
  line("transpose", time_ms([&] { k.transpose<<<dim3(middles, 1), 256>>>(a.p, out.p, 4096, n / 4096, 1); }));
  line("slice", time_ms([&] { k.slice<<<blocks_for(n, 256, 1), 256>>>(a.p, out.p, n, 1, 0, 1, n, n, 1); }));
}

#define LAYOUT(W)                                                                                                      \
  Layout                                                                                                               \
  {                                                                                                                    \
    words##W##_bit_reverse_tiles, words##W##_bit_reverse_pairs, words##W##_slice, words##W##_transpose,                \
      words##W##_transpose_columns, words##W##_highest_non_zero                                                        \
  }

void selftest_layout(double copy_gbs)
{
  int before = failures;
  test<1>(LAYOUT(1), 5, copy_gbs);
  test<2>(LAYOUT(2), 5, copy_gbs);
  test<4>(LAYOUT(4), 4, copy_gbs);
  test<8>(LAYOUT(8), 4, copy_gbs);
  test<12>(LAYOUT(12), 3, copy_gbs);
  printf("layout checked%s\n", failures == before ? "" : ", WITH FAILURES");
}
