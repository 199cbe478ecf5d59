#pragma once
// Checks and times every vector kernel of a field against the same templates compiled for the host (which the crate's
// test has compared with the Rust core).
#include "../vec/instances.cuh"
#include "harness.cuh"

template <class F>
struct FieldKernels {
  using Binary = void (*)(const u32*, const u32*, u32*, u64);
  using Unary = void (*)(const u32*, u32*, u64);
  Binary add, sub, mul;
  Unary encode, decode;
  void (*inv)(const u32*, u32*, u32*, u64);
  void (*div)(const u32*, const u32*, u32*, u32*, u64);
  void (*scalar_row[3])(const u32*, const u32*, u32*, u64, u64);
  void (*scalar_flat[3])(const u32*, const u32*, u32*, u64, u64, u32);
  void (*reduce_block[2])(const u32*, u32*, u64, u64);
  void (*reduce_thread[2])(const u32*, u32*, u64, u64, u64, u64, u64);
  void (*evaluate)(const u32*, const u32*, u32*, u64, u64, u64, u64, u64, u64, u32);
  void (*matmul)(const u32*, const u32*, u32*, u64, u64, u64, u64, u64, u64, u64, u64, u64);
};

#define FIELD_KERNELS(name)                                                                                            \
  FieldKernels<icicle::fields::name>                                                                                   \
  {                                                                                                                    \
    name##_add, name##_sub, name##_mul, name##_encode, name##_decode, name##_inv, name##_div,                          \
      {name##_scalar_add_row, name##_scalar_sub_row, name##_scalar_mul_row},                                           \
      {name##_scalar_add_flat, name##_scalar_sub_flat, name##_scalar_mul_flat},                                        \
      {name##_sum_block, name##_product_block}, {name##_sum_thread, name##_product_thread},                            \
      name##_polynomial_evaluate, name##_matmul                                                                        \
  }

template <class F>
F scalar_op(int op, const F& a, const F& b)
{
  return op == 0 ? a + b : op == 1 ? a - b : F::mul_raw(a, b);
}

template <class F>
void test_elements(const std::string& name, const FieldKernels<F>& k)
{
  constexpr u32 T = icicle::Access<F>::THREADS, PER = icicle::Access<F>::PER_CHUNK;
  for (u64 n : {1, 2, 31, 64, 1003, 4099}) {
    for (u32 shift : {0, 1}) {
      std::string what = name + " n=" + std::to_string(n) + " shift=" + std::to_string(shift) + " ";
      std::vector<F> a = random_vector<F>(n, n), b = random_vector<F>(n, n + 7), e(n);
      Buffer da(words_of(a), shift), db(words_of(b), shift), out(n * F::WORDS, shift), scratch(n * F::WORDS, shift);
      u32 blocks = blocks_for(n, T, PER) > 3 ? 3 : blocks_for(n, T, PER);
      for (int op = 0; op < 3; op++) {
        for (u64 i = 0; i < n; i++) { e[i] = scalar_op(op, a[i], b[i]); }
        (op == 0 ? k.add : op == 1 ? k.sub : k.mul)<<<blocks, T>>>(da.p, db.p, out.p, n);
        compare(out, words_of(e), what + "binary " + std::to_string(op));
      }
      for (u64 i = 0; i < n; i++) { e[i] = a[i].encode(); }
      k.encode<<<blocks, T>>>(da.p, out.p, n);
      compare(out, words_of(e), what + "encode");
      k.decode<<<blocks, T>>>(out.p, out.p, n);
      compare(out, words_of(a), what + "decode in place");
      for (u64 i = 0; i < n; i++) { e[i] = F::from_raw(b[i]).inverse().to_raw(); }
      k.inv<<<2, 32>>>(db.p, out.p, scratch.p, n);
      compare(out, words_of(e), what + "inv");
      for (u64 i = 0; i < n; i++) { e[i] = F::mul_raw(a[i], e[i]); }
      k.div<<<2, 32>>>(da.p, db.p, da.p, scratch.p, n);
      compare(da, words_of(e), what + "div in place");
    }
  }
}

template <class F>
void test_batches(const std::string& name, const FieldKernels<F>& k)
{
  constexpr u32 T = icicle::Access<F>::THREADS;
  for (u64 batch : {1, 3}) {
    for (u64 n : {1, 77, 5003}) {
      std::string what = name + " n=" + std::to_string(n) + " batch=" + std::to_string(batch) + " ";
      std::vector<F> s = random_vector<F>(batch, 11 + n), a = random_vector<F>(n * batch, 13), e(n * batch);
      Buffer ds(words_of(s)), da(words_of(a)), out(n * batch * F::WORDS), few(8 * batch * F::WORDS);
      for (int op = 0; op < 3; op++) {
        for (u32 columns : {0, 1}) {
          for (u64 i = 0; i < n * batch; i++) { e[i] = scalar_op(op, s[columns ? i % batch : i / n], a[i]); }
          k.scalar_flat[op]<<<5, T>>>(ds.p, da.p, out.p, n, batch, columns);
          compare(out, words_of(e), what + "scalar flat " + std::to_string(op));
          if (columns) { continue; }
          k.scalar_row[op]<<<dim3(3, 2), T>>>(ds.p, da.p, out.p, n, batch);
          compare(out, words_of(e), what + "scalar row " + std::to_string(op));
        }
      }
      for (int op = 0; op < 2; op++) {
        // Products: no zeros, or there is nothing to see.
        std::vector<F> x = a;
        for (u64 i = 0; i < n * batch; i++) { x[i] = op == 1 && x[i].is_zero() ? F::raw_one() : x[i]; }
        Buffer dx(words_of(x)), result(batch * F::WORDS);
        for (u32 columns : {0, 1}) {
          std::vector<F> r(batch);
          for (u64 v = 0; v < batch; v++) {
            r[v] = op == 0 ? F::zero() : F::raw_one();
            for (u64 i = 0; i < n; i++) {
              const F& y = x[columns ? i * batch + v : v * n + i];
              r[v] = op == 0 ? r[v] + y : F::mul_raw(r[v], y);
            }
          }
          u64 pitch = columns ? 1 : n, stride = columns ? batch : 1;
          k.reduce_thread[op]<<<2, T>>>(dx.p, few.p, n, batch, pitch, stride, 8);
          k.reduce_thread[op]<<<1, T>>>(few.p, result.p, 8, batch, 1, batch, 1);
          compare(result, words_of(r), what + "reduce thread " + std::to_string(op));
          if (columns) { continue; }
          k.reduce_block[op]<<<dim3(5, 2), T>>>(dx.p, few.p, n, batch);
          k.reduce_block[op]<<<dim3(1, 2), T>>>(few.p, result.p, 5, batch);
          compare(result, words_of(r), what + "reduce block " + std::to_string(op));
        }
      }
    }
  }
}

template <class F>
void test_polynomials_and_matrices(const std::string& name, const FieldKernels<F>& k)
{
  constexpr u32 T = icicle::Access<F>::THREADS;
  const u64 n = 1500, points = 3, batch = 2;
  std::vector<F> c = random_vector<F>(n * batch, 17), x = random_vector<F>(points, 19), e(points * batch);
  Buffer dc(words_of(c)), dx(words_of(x)), out(points * batch * F::WORDS), parts(4 * points * batch * F::WORDS);
  for (u32 columns : {0, 1}) {
    u64 pitch = columns ? 1 : n, stride = columns ? batch : 1;
    for (u64 v = 0; v < batch; v++) {
      for (u64 j = 0; j < points; j++) {
        F value = F::zero(), at = F::from_raw(x[j]);
        for (u64 i = n; i-- > 0;) { value = value * at + c[v * pitch + i * stride]; }
        e[columns ? j * batch + v : v * points + j] = value;
      }
    }
    k.evaluate<<<4, T>>>(dc.p, dx.p, out.p, n, points, batch, pitch, stride, 1, columns);
    compare(out, words_of(e), name + " evaluate");
    k.evaluate<<<30, T>>>(dc.p, dx.p, parts.p, n, points, batch, pitch, stride, 4, columns);
    k.reduce_block[0]<<<dim3(1, points * batch), T>>>(parts.p, out.p, 4, points * batch);
    compare(out, words_of(e), name + " evaluate in segments");
  }
  const u64 rows = 37, inner = 21, cols = 70;
  std::vector<F> a = random_vector<F>(rows * inner, 23), b = random_vector<F>(inner * cols, 29), m(rows * cols);
  for (u64 r = 0; r < rows; r++) {
    for (u64 j = 0; j < cols; j++) {
      F sum = F::zero();
      for (u64 i = 0; i < inner; i++) { sum += F::mul_raw(a[r * inner + i], b[i * cols + j]); }
      m[r * cols + j] = sum;
    }
  }
  std::vector<F> at(rows * inner), mt(rows * cols);
  for (u64 r = 0; r < rows; r++) {
    for (u64 i = 0; i < inner; i++) { at[i * rows + r] = a[r * inner + i]; }
    for (u64 j = 0; j < cols; j++) { mt[j * rows + r] = m[r * cols + j]; }
  }
  Buffer da(words_of(a)), dat(words_of(at)), db(words_of(b)), dm(rows * cols * F::WORDS);
  k.matmul<<<dim3(2, 3), 256>>>(da.p, db.p, dm.p, rows, inner, cols, inner, 1, cols, 1, cols, 1);
  compare(dm, words_of(m), name + " matmul");
  k.matmul<<<dim3(1, 1), 256>>>(dat.p, db.p, dm.p, rows, inner, cols, 1, rows, cols, 1, 1, rows);
  compare(dm, words_of(mt), name + " matmul transposed");
}

// Dependent products in registers, two chains a thread: `OP` 0 product, 1 square, 2 sum, 3 canonical product.
template <class F, int OP>
__global__ void __launch_bounds__(256) throughput(u32* data, u32 rounds)
{
  u64 t = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  F x = F::from_limbs(data + t * F::WORDS), y = F::from_limbs(data + (t ^ 1) * F::WORDS), z = x + y;
#pragma unroll 1
  for (u32 i = 0; i < rounds; i++) {
    if (OP == 0) { x = x * z; y = y * z; }
    if (OP == 1) { x = x.sqr(); y = y.sqr(); }
    if (OP == 2) { x = x + z; y = y + z; }
    if (OP == 3) { x = F::mul_raw(x, z); y = F::mul_raw(y, z); }
  }
  (x + y).to_limbs(data + t * F::WORDS);
}

template <class F, int OP>
double giga_ops()
{
  u32 blocks = SMS * 8, rounds = F::WORDS >= 8 ? 1000 : 20000;
  Buffer data(words_of(random_vector<F>((size_t)blocks * 256, 3)));
  double ms = time_ms([&] { throughput<F, OP><<<blocks, 256>>>(data.p, rounds); });
  return 2.0 * blocks * 256 * rounds / ms / 1e6;
}

template <class F>
void bench_arithmetic(const std::string& name)
{
  printf("%-22s G/s: mul %8.1f  sqr %8.1f  add %8.1f  canonical mul %8.1f\n", name.c_str(), giga_ops<F, 0>(),
         giga_ops<F, 1>(), giga_ops<F, 2>(), giga_ops<F, 3>());
}

template <class F>
void bench_vectors(const std::string& name, const FieldKernels<F>& k, double copy_gbs)
{
  constexpr u32 T = icicle::Access<F>::THREADS, PER = icicle::Access<F>::PER_CHUNK;
  u64 n = F::WORDS == 1 ? 1ull << 27 : 1ull << 24;
  double bytes = 4.0 * F::WORDS * n;
  Buffer a(n * F::WORDS), b(n * F::WORDS), out(n * F::WORDS), scratch(n * F::WORDS);
  // Distinct canonical data: a small pattern repeated.
  std::vector<u32> pattern = words_of(random_vector<F>(1 << 14, 5));
  for (u64 at = 0; at < n * F::WORDS; at += pattern.size()) {
    CUDA(cudaMemcpy(a.p + at, pattern.data(), pattern.size() * 4, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(b.p + at, pattern.data(), pattern.size() * 4, cudaMemcpyHostToDevice));
  }
  u32 blocks = blocks_for(n, T, PER);
  auto line = [&](const char* op, double ms, double moved) {
    printf("%-22s %-8s n=%llu %8.3f ms %7.0f GB/s (%3.0f %% of copy) %7.1f G/s\n", name.c_str(), op, n, ms, moved / ms / 1e6,
           100 * moved / ms / 1e6 / copy_gbs, n / ms / 1e6);
  };
  line("add", time_ms([&] { k.add<<<blocks, T>>>(a.p, b.p, out.p, n); }), 3 * bytes);
  line("mul", time_ms([&] { k.mul<<<blocks, T>>>(a.p, b.p, out.p, n); }), 3 * bytes);
  line("encode", time_ms([&] { k.encode<<<blocks, T>>>(a.p, out.p, n); }), 2 * bytes);
  line("scalar*", time_ms([&] { k.scalar_row[2]<<<dim3(blocks, 1), T>>>(b.p, a.p, out.p, n, 1); }), 2 * bytes);
  u32 partials = SMS * (2048 / T);
  for (int op = 0; op < 2; op++) {
    line(op ? "product" : "sum", time_ms([&] {
           k.reduce_block[op]<<<dim3(partials, 1), T>>>(a.p, out.p, n, 1);
           k.reduce_block[op]<<<dim3(1, 1), T>>>(out.p, scratch.p, partials, 1);
         }),
         bytes);
  }
  u32 runs = (u32)(n / 32 / 64);
  line("inv", time_ms([&] { k.inv<<<runs, 64>>>(a.p, out.p, scratch.p, n); }), 5 * bytes);
  line("div", time_ms([&] { k.div<<<runs, 64>>>(a.p, b.p, out.p, scratch.p, n); }), 6 * bytes);
  u64 segments = SMS * (2048 / T);
  line("evaluate", time_ms([&] {
         k.evaluate<<<segments, T>>>(a.p, b.p + 64 * F::WORDS, out.p, n, 1, 1, n, 1, segments, 0);
         k.reduce_block[0]<<<dim3(1, 1), T>>>(out.p, scratch.p, segments, 1);
       }),
       bytes);
  u64 side = F::WORDS >= 8 ? 512 : 2048;
  u32 tiles = side / (16 * (F::WORDS <= 2 ? 4 : F::WORDS <= 4 ? 2 : 1));
  double ms = time_ms([&] {
    k.matmul<<<dim3(tiles, tiles), 256>>>(a.p, b.p, out.p, side, side, side, side, 1, side, 1, side, 1);
  });
  printf("%-22s matmul   %llu cubed %8.3f ms %8.1f G products/s\n", name.c_str(), side, ms, (double)side * side * side / ms / 1e6);
}

template <class F>
void selftest(const std::string& name, const FieldKernels<F>& k, double copy_gbs)
{
  int before = failures;
  test_elements(name, k);
  test_batches(name, k);
  test_polynomials_and_matrices(name, k);
  printf("%-22s checked%s\n", name.c_str(), failures == before ? "" : ", WITH FAILURES");
  bench_arithmetic<F>(name);
  bench_vectors(name, k, copy_gbs);
}
