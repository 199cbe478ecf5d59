// The kernels of vectors, matrices and polynomials under their own names, on the host's grid with several blocks, against
// the same operations one element after another in working form.
#include "memory.h"
#include "../vec/instances.cuh"

using namespace icicle;

IC_VECTOR_KERNELS(babybear)
IC_VECTOR_KERNELS(babybear_extension)
IC_MIXED_KERNELS(babybear_extension)
IC_VECTOR_KERNELS(goldilocks)
IC_VECTOR_KERNELS(goldilocks_extension)
IC_MIXED_KERNELS(goldilocks_extension)
IC_VECTOR_KERNELS(m31_extension)
IC_VECTOR_KERNELS(m31_qm31)
IC_VECTOR_KERNELS(bn254)
IC_VECTOR_KERNELS(bls12_377_base_field)
IC_VECTOR_KERNELS(bw6_761_base_field)

// A field's kernels.
struct Kernels {
  using Binary = void (*)(const u32*, const u32*, u32*, u64);
  using Unary = void (*)(const u32*, u32*, u64);
  using Row = void (*)(const u32*, const u32*, u32*, u64, u64);
  using Flat = void (*)(const u32*, const u32*, u32*, u64, u64, u32);
  using Block = void (*)(const u32*, u32*, u64, u64);
  using Thread = void (*)(const u32*, u32*, u64, u64, u64, u64, u64);
  Binary binary[3];
  Unary encode, decode;
  void (*inv)(const u32*, u32*, u32*, u64);
  void (*div)(const u32*, const u32*, u32*, u32*, u64);
  Row row[3];
  Flat flat[3];
  Block block[2];
  Thread thread[2];
  void (*evaluate)(const u32*, const u32*, u32*, u64, u64, u64, u64, u64, u64, u32);
  void (*matmul)(const u32*, const u32*, u32*, u64, u64, u64, u64, u64, u64, u64, u64, u64);
  Binary mixed;
};

#define IC_ALL(name, mixed)                                                                                            \
  Kernels                                                                                                              \
  {                                                                                                                    \
    {name##_add, name##_sub, name##_mul}, name##_encode, name##_decode, name##_inv, name##_div,                        \
      {name##_scalar_add_row, name##_scalar_sub_row, name##_scalar_mul_row},                                           \
      {name##_scalar_add_flat, name##_scalar_sub_flat, name##_scalar_mul_flat}, {name##_sum_block, name##_product_block},\
      {name##_sum_thread, name##_product_thread}, name##_polynomial_evaluate, name##_matmul, mixed                     \
  }

// One field's tests. Elements are kept in working form; operands and results are their canonical words.
template <class F>
struct Test {
  static constexpr u32 W = F::WORDS, THREADS = Access<F>::THREADS;
  using Vector = std::vector<F>;
  std::string name;
  Kernels k;
  u32 shift;
  u64 state = W;

  Vector random(u64 n)
  {
    Vector out;
    for (u64 i = 0; i < n; i++) { out.push_back(F::from_raw(element<F>(state))); }
    return out;
  }
  static Words words(const Vector& of)
  {
    Words out(of.size() * W);
    for (u64 i = 0; i < of.size(); i++) { of[i].to_raw().to_limbs(&out[i * W]); }
    return out;
  }
  static Words encoded(const Vector& of)
  {
    Words out(of.size() * W);
    for (u64 i = 0; i < of.size(); i++) { of[i].to_raw().encode().to_limbs(&out[i * W]); }
    return out;
  }
  static F apply(u32 op, const F& a, const F& b) { return op == 0 ? a + b : op == 1 ? a - b : a * b; }
  std::string what(const std::string& op, u64 n) const
  {
    return name + " " + op + " of " + std::to_string(n) + " shift " + std::to_string(shift);
  }
  // Three blocks, so that neither a thread nor a block sees everything.
  template <class Body>
  bool run(Dim3 grid, Body body)
  {
    return device::launch(grid, THREADS, body);
  }

  void elementwise(u64 n)
  {
    Vector a = random(n), b = random(n);
    for (u32 op = 0; op < 3; op++) {
      Vector expected;
      for (u64 i = 0; i < n; i++) { expected.push_back(apply(op, a[i], b[i])); }
      Memory x(words(a), shift), y(words(b), shift), out(n * W, shift);
      bool ok = run({3}, [&] { k.binary[op](x.p, y.p, out.p, n); });
      check(ok && out.holds(words(expected)), what("binary " + std::to_string(op), n));
      ok = run({2}, [&] { k.binary[op](x.p, y.p, x.p, n); });
      check(ok && x.holds(words(expected)) && y.holds(words(b)), what("binary in place " + std::to_string(op), n));
    }
    Memory plain(words(a), shift), out(n * W, shift);
    bool ok = run({3}, [&] { k.encode(plain.p, out.p, n); });
    check(ok && out.holds(encoded(a)), what("encode", n));
    ok = run({3}, [&] { k.decode(out.p, out.p, n); });
    check(ok && out.holds(words(a)), what("decode in place", n));
  }

  void inverses(u64 n)
  {
    Vector a = random(n), b = random(n), inverses, quotients;
    for (u64 i = 0; i < n; i++) {
      inverses.push_back(b[i].inverse());
      quotients.push_back(a[i] * b[i].inverse());
    }
    Memory x(words(a), shift), y(words(b), shift), out(n * W, shift), scratch(n * W);
    // The host's blocks here are of 64 threads, each with several elements.
    bool ok = device::launch({3}, 8, [&] { k.inv(y.p, out.p, scratch.p, n); });
    check(ok && out.holds(words(inverses)) && scratch.is_whole(), what("inv", n));
    ok = device::launch({2}, 16, [&] { k.div(x.p, y.p, out.p, scratch.p, n); });
    check(ok && out.holds(words(quotients)) && scratch.is_whole(), what("div", n));
    ok = device::launch({1}, 4, [&] { k.div(x.p, y.p, y.p, scratch.p, n); });
    check(ok && y.holds(words(quotients)) && x.holds(words(a)), what("div in place of the divisor", n));
  }

  void scalars(u64 n, u64 batch)
  {
    Vector a = random(n * batch), s = random(batch);
    Memory x(words(a), shift), of(words(s), shift);
    for (u32 op = 0; op < 3; op++) {
      for (u32 columns = 0; columns < 2; columns++) {
        Vector expected;
        for (u64 i = 0; i < n * batch; i++) { expected.push_back(apply(op, s[columns ? i % batch : i / n], a[i])); }
        Memory out(n * batch * W, shift);
        bool ok = run({2}, [&] { k.flat[op](of.p, x.p, out.p, n, batch, columns); });
        check(ok && out.holds(words(expected)), what("scalars flat " + std::to_string(op), n));
        if (columns) { continue; }
        Memory by_row(n * batch * W, shift);
        ok = run({2, 2}, [&] { k.row[op](of.p, x.p, by_row.p, n, batch); });
        check(ok && by_row.holds(words(expected)), what("scalars by row " + std::to_string(op), n));
      }
    }
  }

  // Sums and products of `batch` vectors: by blocks in two launches, and by threads in two launches.
  void reductions(u64 n, u64 batch, u32 blocks, u64 segments)
  {
    for (u32 op = 0; op < 2; op++) {
      Vector a = random(n * batch);
      for (F& x : a) {
        if (op == 1 && x.is_zero()) { x = F::from_u32(5); }
      }
      for (u32 columns = 0; columns < 2; columns++) {
        u64 pitch = columns ? 1 : n, stride = columns ? batch : 1;
        Vector expected(batch, op == 0 ? F::zero() : F::one());
        for (u64 v = 0; v < batch; v++) {
          for (u64 i = 0; i < n; i++) { expected[v] = apply(op * 2, expected[v], a[v * pitch + i * stride]); }
        }
        Memory x(words(a), shift), part(batch * segments * W, shift), out(batch * W, shift);
        bool ok = run({2}, [&] { k.thread[op](x.p, part.p, n, batch, pitch, stride, segments); }) &&
                  run({1}, [&] { k.thread[op](part.p, out.p, segments, batch, 1, batch, 1); });
        check(ok && out.holds(words(expected)) && part.is_whole(), what("reduction by threads " + std::to_string(op), n));
        if (columns) { continue; }
        Memory parts(batch * blocks * W, shift), result(batch * W, shift);
        ok = run({blocks, 2}, [&] { k.block[op](x.p, parts.p, n, batch); }) &&
             run({1, 2}, [&] { k.block[op](parts.p, result.p, blocks, batch); });
        check(ok && result.holds(words(expected)) && parts.is_whole(), what("reduction by blocks " + std::to_string(op), n));
      }
    }
  }

  void polynomials(u64 n, u64 points, u64 batch, u64 segments)
  {
    Vector a = random(n * batch), x = random(points);
    for (u32 columns = 0; columns < 2; columns++) {
      u64 pitch = columns ? 1 : n, stride = columns ? batch : 1;
      Vector expected(points * batch);
      for (u64 v = 0; v < batch; v++) {
        for (u64 j = 0; j < points; j++) {
          F value = F::zero();
          for (u64 i = n; i-- > 0;) { value = value * x[j] + a[v * pitch + i * stride]; }
          expected[columns ? j * batch + v : v * points + j] = value;
        }
      }
      Memory coefficients(words(a), shift), domain(words(x), shift), part(points * batch * segments * W, shift);
      Memory out(points * batch * W, shift);
      u64 values = points * batch;
      bool ok = run({3}, [&] {
        k.evaluate(coefficients.p, domain.p, part.p, n, points, batch, pitch, stride, segments, columns);
      }) && run({1, 2}, [&] { k.block[0](part.p, out.p, segments, values); });
      check(ok && out.holds(words(expected)) && part.is_whole(), what("polynomials", n));
    }
  }

  // Operands and result stored as they are or transposed.
  void matrices(u64 rows, u64 inner, u64 cols)
  {
    Vector a = random(rows * inner), b = random(inner * cols);
    for (u32 stored = 0; stored < 8; stored++) {
      u64 a_row = stored & 1 ? 1 : inner, a_col = stored & 1 ? rows : 1;
      u64 b_row = stored & 2 ? 1 : cols, b_col = stored & 2 ? inner : 1;
      u64 out_row = stored & 4 ? 1 : cols, out_col = stored & 4 ? rows : 1;
      Vector expected(rows * cols, F::zero());
      for (u64 r = 0; r < rows; r++) {
        for (u64 c = 0; c < cols; c++) {
          F& sum = expected[r * out_row + c * out_col];
          for (u64 i = 0; i < inner; i++) { sum += a[r * a_row + i * a_col] * b[i * b_row + c * b_col]; }
        }
      }
      Memory x(words(a), shift), y(words(b), shift), out(rows * cols * W, shift);
      bool ok = device::launch({2, 1}, 256, [&] {
        k.matmul(x.p, y.p, out.p, rows, inner, cols, a_row, a_col, b_row, b_col, out_row, out_col);
      });
      check(ok && out.holds(words(expected)), what("matrices stored " + std::to_string(stored), rows));
    }
  }

  void mixed(u64 n)
  {
    using P = typename F::Prime;
    if (k.mixed == nullptr) { return; }
    Vector a = random(n), expected;
    Words b(n * P::WORDS);
    for (u64 i = 0; i < n; i++) {
      P y = element<P>(state);
      y.to_limbs(&b[i * P::WORDS]);
      expected.push_back(a[i].scale(P::from_raw(y)));
    }
    Memory x(words(a), shift), y(b, shift), out(n * W, shift);
    bool ok = run({2}, [&] { k.mixed(x.p, y.p, out.p, n); });
    check(ok && out.holds(words(expected)), what("mixed", n));
  }

  void all()
  {
    for (u64 n : {1, 3, 31, 33, 257, 900}) { elementwise(n); }
    // Every thread several times.
    elementwise(3 * THREADS * Access<F>::PER_CHUNK * 2 + 5);
    for (u64 n : {1, 2, 77}) { inverses(n); }
    scalars(1, 3);
    scalars(45, 3);
    scalars(300, 2);
    reductions(1, 1, 1, 1);
    reductions(2 * THREADS + 3, 3, 1, 4);
    reductions(5 * THREADS + 2, 2, 3, 7);
    polynomials(1, 1, 1, 1);
    polynomials(2 * THREADS + 9, 2, 2, 3);
    matrices(1, 1, 1);
    matrices(17, 18, 20);
    mixed(70);
  }
};

#define IC_TEST(name, mixed, shift) Test<fields::name>{#name, IC_ALL(name, mixed), shift}.all();

int main()
{
  // Operands at 16 bytes' alignment, and at 4.
  for (u32 shift : {0, 1}) {
    IC_TEST(babybear, nullptr, shift)
    IC_TEST(babybear_extension, babybear_extension_mixed_mul, shift)
    IC_TEST(goldilocks, nullptr, shift)
    IC_TEST(bn254, nullptr, shift)
  }
  IC_TEST(goldilocks_extension, goldilocks_extension_mixed_mul, 1)
  IC_TEST(m31_extension, nullptr, 0)
  IC_TEST(m31_qm31, nullptr, 1)
  IC_TEST(bls12_377_base_field, nullptr, 0)
  IC_TEST(bw6_761_base_field, nullptr, 1)
  // More than one tile of a product in each direction.
  Test<fields::babybear>{"babybear", IC_ALL(babybear, nullptr), 0}.matrices(130, 33, 70);
  Test<fields::goldilocks_extension>{"goldilocks_extension", IC_ALL(goldilocks_extension, nullptr), 1}.matrices(65, 17, 40);
  printf("%ld checks, %d failures\n", checks, failures);
  return failures != 0;
}
