// Products of matrices and vectors on the host's grid, against the defining sums: of small integers, which every type holds exactly,
// and of any integers that wrap.
#include "device.h"

#include "../array/product_tensor.cuh"
#include "../array/product_tiles.cuh"
#include "../array/product_vector.cuh"
#include "../array/product_warpgroup.cuh"

using namespace array;
using namespace array::product;

static int failures = 0;
static long checks = 0;

static void check(bool ok, const std::string& what)
{
  checks++;
  if (!ok && failures++ < 20) { fprintf(stderr, "FAILED: %s\n", what.c_str()); }
}

static uint64 seed = 1;
static uint64 random_bits()
{
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return seed >> 30;
}

// A random number of a type, as the type of sums: integers of all bits, floats from -3 to 3.
template <class T>
static AccOf<T> value()
{
  if constexpr (Traits<T>::is_integer) {
    return AccOf<T>(T(random_bits() * 0x9e3779b97f4a7c15ull >> 7));
  } else if constexpr (Traits<T>::is_complex) {
    using Part = typename Traits<T>::Part;
    return {Part(int(random_bits() % 7) - 3), Part(int(random_bits() % 7) - 3)};
  } else {
    return AccOf<T>(int(random_bits() % 7) - 3);
  }
}

template <class T>
static bool same(T a, T b)
{
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// Memory of numbers at an address of 16 bytes' alignment, or `shift` numbers behind one.
template <class T>
struct Numbers {
  std::vector<Chunk> chunks;
  T* p;
  Numbers(size_t n, unsigned shift) : chunks(((n + shift) * sizeof(T)) / 16 + 1), p((T*)chunks.data() + shift) {}
};

// Results with marks around them that must stay.
template <class T>
struct Results {
  static constexpr size_t MARGIN = 64;
  Numbers<T> memory;
  size_t n;
  T* p;
  Results(size_t n) : memory(n + 2 * MARGIN, 0), n(n), p(memory.p + MARGIN)
  {
    std::memset((void*)memory.p, 0xa5, (n + 2 * MARGIN) * sizeof(T));
  }
  bool is_whole() const
  {
    T mark;
    std::memset((void*)&mark, 0xa5, sizeof(T));
    for (size_t i = 0; i < MARGIN; i++) {
      if (!same(memory.p[i], mark) || !same(p[n + i], mark)) { return false; }
    }
    return true;
  }
};

// A stack of matrices, by rows or by columns, `gap` numbers between those.
template <class T>
struct Matrices {
  uint64 rows, columns, pitch, each;
  bool by_rows;
  std::vector<AccOf<T>> values;
  Numbers<T> memory;
  Matrices(uint64 count, uint64 rows, uint64 columns, bool by_rows, unsigned gap, unsigned shift)
      : rows(rows), columns(columns), pitch((by_rows ? columns : rows) + gap), each(pitch * (by_rows ? rows : columns)),
        by_rows(by_rows), values(count * rows * columns), memory(count * each + 1, shift)
  {
    for (uint64 s = 0; s < count; s++) {
      for (uint64 i = 0; i < rows; i++) {
        for (uint64 j = 0; j < columns; j++) {
          AccOf<T> x = value<T>();
          values[(s * rows + i) * columns + j] = x;
          memory.p[s * each + (by_rows ? i * pitch + j : j * pitch + i)] = narrow<T>(x);
        }
      }
    }
  }
  AccOf<T> at(uint64 s, uint64 i, uint64 j) const { return values[(s * rows + i) * columns + j]; }
  bool aligned(unsigned bytes) const
  {
    return (uint64)memory.p % bytes == 0 && pitch * sizeof(T) % bytes == 0 && each * sizeof(T) % bytes == 0;
  }
};

// Two by `count / 2` products, x the same for each of the first two.
static Stack stack_of(uint64 count, uint64 x_each, uint64 y_each)
{
  uint64 inner = count > 1 ? count / 2 : 1;
  return {{1, 1, count / inner, inner}, {0, 0, 0, int64(x_each)}, {0, 0, int64(inner * y_each), int64(y_each)}};
}

template <class T>
static std::vector<T> expected(const Matrices<T>& x, const Matrices<T>& y, uint64 count)
{
  uint64 inner = count > 1 ? count / 2 : 1;
  std::vector<T> out;
  for (uint64 s = 0; s < count; s++) {
    for (uint64 i = 0; i < x.rows; i++) {
      for (uint64 j = 0; j < y.columns; j++) {
        AccOf<T> sum{};
        for (uint64 k = 0; k < x.columns; k++) { add_product(sum, x.at(s % inner, i, k), y.at(s, k, j)); }
        out.push_back(narrow<T>(sum));
      }
    }
  }
  return out;
}

// What `run` leaves at its argument: results, or with several parts sums, which are added then.
template <class T, class Run>
static void compare(const std::vector<T>& wanted, uint64 parts, const std::string& what, Run run)
{
  Results<T> out(wanted.size());
  bool ok;
  if (parts > 1) {
    Results<AccOf<T>> sums(wanted.size() * parts);
    ok = run((void*)sums.p) &&
         device::launch({2}, VECTOR_THREADS, [&] { sum_parts<T>(sums.p, out.p, wanted.size(), parts); });
    check(sums.is_whole(), what + ": nothing is written around sums");
  } else {
    ok = run((void*)out.p);
  }
  check(ok, what + ": ends");
  check(out.is_whole(), what + ": nothing is written around results");
  bool equal = true;
  for (size_t i = 0; i < wanted.size(); i++) {
    // Zeros of either sign.
    equal = equal && (same(out.p[i], wanted[i]) || same(narrow<T>(plus(widen(out.p[i]), AccOf<T>{})), narrow<T>(plus(widen(wanted[i]), AccOf<T>{}))));
  }
  check(equal, what);
}

struct Case {
  uint64 count, m, n, k, parts;
  unsigned gap, shift;
};

// What computes tiles of a shape.
template <class T, bool LARGE>
struct Plain : Tile<AccOf<T>, LARGE> {
  static constexpr const char* name = LARGE ? " large " : " small ";
  template <bool X_ROWS, bool Y_ROWS, class... P>
  static void run(P... p)
  {
    tiles<T, LARGE, X_ROWS, Y_ROWS>(p...);
  }
};
template <class T>
struct OnTensorCores : TensorTile {
  static constexpr const char* name = " tensor ";
  static constexpr int V = 8;
  template <bool X_ROWS, bool Y_ROWS, class... P>
  static void run(P... p)
  {
    tensor_tiles<T, X_ROWS, Y_ROWS>(p...);
  }
};

template <class T, class Shape, bool X_ROWS, bool Y_ROWS>
static void tiles_of(const char* name, Case c)
{
  uint64 inner = c.count > 1 ? c.count / 2 : 1, part = ((c.k + c.parts - 1) / c.parts + Shape::K - 1) / Shape::K * Shape::K;
  Matrices<T> x(inner, c.m, c.k, X_ROWS, c.gap, c.shift), y(c.count, c.k, c.n, Y_ROWS, c.gap, c.shift);
  Sizes sizes = {c.count, c.m, c.n, c.k, c.parts, part};
  Stack stack = stack_of(c.count, x.each, y.each);
  constexpr unsigned BYTES = Shape::V * sizeof(T);
  uint32 aligned = (x.aligned(BYTES) ? X_ALIGNED : 0) | (y.aligned(BYTES) ? Y_ALIGNED : 0);
  uint64 blocks = (c.m + Shape::M - 1) / Shape::M * ((c.n + Shape::N - 1) / Shape::N) * c.count * c.parts;
  std::string what = std::string(name) + Shape::name + std::to_string(c.count) + " of " +
                     std::to_string(c.m) + "x" + std::to_string(c.k) + "x" + std::to_string(c.n) + " rows " +
                     std::to_string(X_ROWS) + std::to_string(Y_ROWS) + " aligned " + std::to_string(aligned);
  // One block more than there are tiles, in rows.
  Dim3 grid{unsigned(blocks + 2) / 2, 2, 1};
  compare<T>(expected<T>(x, y, c.count), c.parts, what, [&](void* out) {
    return device::launch(grid, Shape::THREADS, [&] {
      Shape::template run<X_ROWS, Y_ROWS>(
        (const T*)x.memory.p, (const T*)y.memory.p, out, sizes, int64(x.pitch), int64(y.pitch), stack, aligned);
    });
  });
}

template <class T, class Shape>
static void all_tiles(const char* name)
{
  const uint64 M = Shape::M, N = Shape::N, K = Shape::K, V = Shape::V;
  for (Case c : {Case{1, M, N, 2 * K, 1, 0, 0}, Case{2, M + 1, N - 1, 3 * K + 1, 1, 0, 0}, Case{1, 1, 3, 1, 1, 0, 0},
                 Case{1, M, N + V, 3 * K, 2, unsigned(V), 0}, Case{4, 5, V, 0, 1, 0, 0}, Case{1, M - 1, N + 1, 5 * K - 1, 3, 1, 1},
                 Case{2, 69, 37, 6 * K + 5, 1, unsigned(8 * V - 5), 0}}) {
    tiles_of<T, Shape, true, true>(name, c);
    tiles_of<T, Shape, true, false>(name, c);
    tiles_of<T, Shape, false, true>(name, c);
    tiles_of<T, Shape, false, false>(name, c);
  }
}

static uint64 rounded_up(uint64 n, uint64 to) { return (n + to - 1) / to * to; }

template <class T, int ROWS>
static void rows_of(const char* name, Case c)
{
  constexpr uint64 V = 16 / sizeof(T);
  uint64 inner = c.count > 1 ? c.count / 2 : 1, part = rounded_up((c.k + c.parts - 1) / c.parts, V);
  Matrices<T> x(inner, c.m, c.k, true, c.gap, c.shift), y(c.count, c.k, 1, false, 0, c.shift);
  Sizes sizes = {c.count, c.m, 1, c.k, c.parts, part};
  Stack stack = stack_of(c.count, x.each, y.each);
  uint32 aligned = x.aligned(16) && y.aligned(16);
  uint64 blocks = ((c.m + ROWS - 1) / ROWS * c.count * c.parts + 7) / 8;
  std::string what = std::string(name) + " " + std::to_string(ROWS) + " rows of " + std::to_string(c.count) + " of " +
                     std::to_string(c.m) + "x" + std::to_string(c.k) + " aligned " + std::to_string(aligned);
  compare<T>(expected<T>(x, y, c.count), c.parts, what, [&](void* out) {
    return device::launch({unsigned(blocks + 1), 1, 1}, VECTOR_THREADS, [&] {
      rows_times_vector<T, ROWS>(x.memory.p, y.memory.p, out, sizes, int64(x.pitch), stack, aligned);
    });
  });
}

template <class T>
static void columns_of(const char* name, uint32 width, Case c)
{
  constexpr uint64 V = 16 / sizeof(T);
  uint64 inner = c.count > 1 ? c.count / 2 : 1, part = (c.k + c.parts - 1) / c.parts;
  Matrices<T> x(inner, c.m, c.k, false, c.gap, c.shift), y(c.count, c.k, 1, false, 0, 0);
  Sizes sizes = {c.count, c.m, 1, c.k, c.parts, part};
  Stack stack = stack_of(c.count, x.each, y.each);
  uint32 aligned = x.aligned(16);
  uint64 blocks = (c.m + width * V - 1) / (width * V) * c.count * c.parts;
  std::string what = std::string(name) + " columns by " + std::to_string(width) + " of " + std::to_string(c.count) + " of " +
                     std::to_string(c.m) + "x" + std::to_string(c.k) + " aligned " + std::to_string(aligned);
  compare<T>(expected<T>(x, y, c.count), c.parts, what, [&](void* out) {
    return device::launch({unsigned(blocks + 1), 1, 1}, VECTOR_THREADS, [&] {
      columns_times_vector<T>(x.memory.p, y.memory.p, out, sizes, int64(x.pitch), stack, width, aligned);
    });
  });
}

// What the host launches with: `tiles` of this type, large or not.
static std::vector<std::string> lines;
template <class T, bool LARGE>
static void known(const char* name)
{
  using Shape = Tile<AccOf<T>, LARGE>;
  std::string line = std::string(name) + " " + std::to_string(LARGE);
  // What is so for tensor cores, is for others.
  constexpr bool HALF = Is<T>::half;
  constexpr size_t K = HALF && LARGE ? TensorTile::K : Shape::K, ALIGNED = HALF ? 8 : Shape::V;
  static_assert(K % Shape::K == 0 && ALIGNED % Shape::V == 0, "");
  if (HALF && LARGE) { check(Shape::M == TensorTile::M && Shape::N == TensorTile::N, "tiles of the same size"); }
  for (size_t number : {size_t(Shape::M), size_t(Shape::N), K, sizeof(T), sizeof(AccOf<T>), ALIGNED}) {
    line += " " + std::to_string(number);
  }
  check(std::count(lines.begin(), lines.end(), line) == 1, "the host has not " + line);
}

template <class T>
static void all(const char* name)
{
  known<T, true>(name);
  known<T, false>(name);
  constexpr uint64 V = 16 / sizeof(T);
  all_tiles<T, Plain<T, true>>(name);
  all_tiles<T, Plain<T, false>>(name);
  if constexpr (Is<T>::half) { all_tiles<T, OnTensorCores<T>>(name); }
  const unsigned gap = unsigned(V);
  for (Case c : {Case{1, 1, 1, 1, 1, 0, 0}, Case{1, 9, 1, 256 * V, 1, gap, 0}, Case{2, 4, 1, 130 * V, 2, 0, 0},
                 Case{4, 3, 1, 1031, 3, 1, 1}, Case{1, 5, 1, 0, 1, 0, 0}, Case{1, 2, 1, 64 * V * 3 + 7, 1, gap, 1}}) {
    rows_of<T, 1>(name, c);
    rows_of<T, 4>(name, c);
  }
  for (uint32 width : {1u, 4u, 32u, 256u}) {
    const uint64 strip = width * V;
    for (Case c : {Case{1, strip, 1, 19, 1, 0, 0}, Case{2, 2 * strip + V, 1, 5, 1, gap, 0}, Case{1, strip + 1, 1, 9, 1, 0, 0},
                   Case{1, strip + V, 1, 7, 1, 0, 0}, Case{4, 3, 1, 2100, 3, 0, 0}, Case{2, 2, 1, 0, 1, 0, 0},
                   Case{1, strip - 1, 1, 33, 4, 1, 1}}) {
      if (c.m > 0) { columns_of<T>(name, width, c); }
    }
  }
}

int main(int, char** arguments)
{
  std::ifstream in(arguments[1]);
  for (std::string line; std::getline(in, line);) { lines.push_back(line); }
  check(lines.size() == 21, "every type, large and small, and warpgroups");
  using Warpgroup = WarpgroupTile;
  std::string line = "warpgroup";
  for (int number : {Warpgroup::M, Warpgroup::N, Warpgroup::LINE, Warpgroup::THREADS, Warpgroup::SHARED}) {
    line += " " + std::to_string(number);
  }
  check(lines.back() == line, "the host has not " + line);
  all<uint8>("u8");
  all<uint16>("u16");
  all<uint32>("u32");
  all<uint64>("u64");
  all<float16>("f16");
  all<bfloat16>("bf16");
  all<float>("f32");
  all<double>("f64");
  all<complex64>("c64");
  all<complex128>("c128");
  // Every tile once, eight rows of them together.
  for (uint64 rows : {1, 7, 8, 9, 20}) {
    for (uint64 columns : {1, 3}) {
      std::vector<int> seen(rows * columns, 0);
      for (uint64 i = 0; i < rows * columns; i++) {
        uint64 row, column;
        tile_place(i, rows, columns, row, column);
        if (row < rows && column < columns) { seen[row * columns + column]++; }
      }
      check(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }), "each tile once");
    }
  }
  printf("%ld checks, %d failures\n", checks, failures);
  return failures != 0;
}
