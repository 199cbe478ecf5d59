// Operations, casts and folds of number arrays on the host's grid, against literal values and one fold an element.
#include <cmath>
#include <cstring>

#include "device.h"

#include "../array/fold.cuh"
#include "../array/ranks.cuh"

using namespace array;

static int failures = 0;
static long checks = 0;

static void check(bool ok, const char* what)
{
  checks++;
  if (!ok && failures++ < 20) fprintf(stderr, "FAILED: %s\n", what);
}
#define CHECK(condition) check((condition), #condition)

static void operations()
{
  CHECK(ops::floor_divide(int8(-128), int8(-1)) == -128 && ops::floor_divide(int32(-7), int32(2)) == -4);
  CHECK(ops::remainder(int32(-7), int32(3)) == 2 && ops::remainder(uint8(7), uint8(0)) == 0);
  CHECK(ops::remainder(-7.0f, 3.0f) == 2.0f && ops::floor_divide(7.0, -2.0) == -4.0);
  CHECK(ops::pow(int16(-2), int16(15)) == -32768 && ops::pow(int64(2), int64(-1)) == 0);
  CHECK(ops::bitwise_left_shift(int8(1), int8(9)) == 0 && ops::bitwise_right_shift(int8(-2), int8(70)) == -1);
  CHECK(ops::multiply(uint16(65535), uint16(65535)) == 1 && ops::abs(int8(-128)) == -128);
  CHECK(is_nan(ops::maximum(1.0f, Traits<float>::nan())) && is_nan(ops::minimum(Traits<double>::nan(), 1.0)));
  CHECK(ops::nextafter(float16{0x3c00}, float16{0x7bff}).bits == 0x3c01 && ops::nextafter(0.0f, -1.0f) < 0);
  CHECK(cast<int8>(300.5f) == 127 && cast<int8>(-1e30) == -128 && cast<uint64>(1e30) == ~0ull && cast<int32>(Traits<float>::nan()) == 0);
  CHECK(cast<uint8>(int32(-1)) == 255 && cast<bool>(Traits<double>::nan()) && !cast<bool>(-0.0f));
  CHECK(cast<float16>(65504.0).bits == 0x7bff && cast<float16>(65520.0).bits == 0x7c00 && cast<float16>(5.9604645e-8).bits == 1);
  CHECK(cast<bfloat16>(1.00390625f).bits == 0x3f80 && cast<bfloat16>(1.01171875).bits == 0x3f82);
  const complex128 root = ops::sqrt(complex128{-4, -0.0});
  CHECK(root.re == 0 && root.im == -2);
  const complex64 quotient = ops::divide(complex64{1, 2}, complex64{3, -4});
  CHECK(std::fabs(quotient.re + 0.2f) < 1e-6f && std::fabs(quotient.im - 0.4f) < 1e-6f);
}

// Numbers 0 to n - 1, but for NaN at one place.
struct Numbers {
  using Out = float;
  uint64 nan;
  float* out;
  template <int V>
  void load(uint64 i, float* values) const
  {
    for (int k = 0; k < V; ++k) values[k] = i + k == nan ? Traits<float>::nan() : float(i + k);
  }
  template <int V>
  void store(uint64 i, const float* values) const
  {
    for (int k = 0; k < V; ++k) out[i + k] += values[k];
  }
};

template <int LANES, int V>
static void runs(uint64 outer, uint64 length, uint64 pieces)
{
  using F = fold::Sum<float, double>;
  std::vector<double> partial(outer * pieces), out(outer, -1);
  std::vector<uint32> counters(outer, 0);
  const unsigned groups = THREADS / LANES;
  const Dim3 grid{unsigned((outer * pieces + groups - 1) / groups), 1, 1};
  CHECK(device::launch(grid, THREADS, [&] {
    fold::runs<F, LANES, V>(Numbers{~0ull, nullptr}, outer, length, pieces, partial.data(), counters.data(), out.data());
  }));
  for (uint64 o = 0; o < outer; ++o) {
    CHECK(out[o] == double(length) * double(2 * o * length + length - 1) / 2 && counters[o] == 0);
  }
}

template <int V>
static void columns(uint64 outer, uint64 length, uint64 width, uint64 pieces)
{
  using F = fold::Sum<float, double>;
  const uint64 piece = (length + pieces - 1) / pieces, tiles = (width + 32 * V - 1) / (32 * V);
  pieces = (length + piece - 1) / piece;
  std::vector<double> partial(outer * pieces * width), out(outer * width, -1);
  std::vector<uint32> counters(outer * tiles, 0);
  CHECK(device::launch(Dim3{unsigned(outer * pieces * tiles), 1, 1}, THREADS, [&] {
    fold::columns<F, V>(Numbers{~0ull, nullptr}, outer, length, width, pieces, piece, partial.data(), counters.data(), out.data());
  }));
  for (uint64 i = 0; i < outer * width; ++i) {
    const double first = double(i / width * length * width + i % width);
    CHECK(out[i] == double(length) * first + double(width) * double(length) * double(length - 1) / 2);
  }
}

static void places()
{
  using F = fold::ArgMax<float, float>;
  int64 out = -1;
  for (uint64 nan : {uint64(777), ~uint64(0)}) {
    CHECK(device::launch(Dim3{1, 1, 1}, THREADS, [&] {
      fold::runs<F, THREADS, 4>(Numbers{nan, nullptr}, 1, 1001, 1, (F::Acc*)nullptr, (uint32*)nullptr, &out);
    }));
    CHECK(out == (nan == 777 ? 777 : 1000));
  }
}

// Given numbers.
struct Given {
  using Out = double;
  const std::vector<double>& of;
  template <int V>
  void load(uint64 i, double* values) const
  {
    for (int k = 0; k < V; ++k) values[k] = of[i + k];
  }
};

// The sum of squared distances from the mean, in one pass, beside two passes in extended precision.
template <int LANES, int V>
static void squares(const std::vector<double>& numbers, uint64 outer, uint64 pieces)
{
  using F = fold::Squares<double, double>;
  const uint64 length = numbers.size() / outer;
  std::vector<fold::Moments> partial(numbers.size());
  std::vector<double> out(outer, -1), across(length, -1);
  std::vector<uint32> counters(numbers.size(), 0);
  const unsigned groups = THREADS / LANES;
  CHECK(device::launch(Dim3{unsigned((outer * pieces + groups - 1) / groups), 1, 1}, THREADS, [&] {
    fold::runs<F, LANES, V>(Given{numbers}, outer, length, pieces, partial.data(), counters.data(), out.data());
  }));
  // The same numbers by columns, which are folded over `outer`.
  CHECK(device::launch(Dim3{unsigned((length + 31) / 32), 1, 1}, THREADS, [&] {
    fold::columns<F, 1>(Given{numbers}, 1, outer, length, 1, outer, partial.data(), counters.data(), across.data());
  }));
  const auto right = [&](double got, uint64 first, uint64 step, uint64 count) {
    long double sum = 0, want = 0;
    for (uint64 i = 0; i < count; ++i) sum += numbers[first + i * step];
    for (uint64 i = 0; i < count; ++i) {
      const long double apart = numbers[first + i * step] - sum / count;
      want += apart * apart;
    }
    // Where a thread begins with what is far from all others, all that it adds is as far.
    return std::fabs((long double)got - want) <= (1e-14L + 2.3e-16L * count) * want;
  };
  for (uint64 o = 0; o < outer; ++o) CHECK(right(out[o], o * length, 1, length));
  for (uint64 c = 0; c < length; ++c) CHECK(right(across[c], c, length, outer));
}

static void squares_of_distances()
{
  for (double offset : {0.0, 1e6, -1e8}) {
    std::vector<double> numbers(3 * 9001);
    uint64 state = 5;
    for (double& x : numbers) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      x = offset + double(state >> 40) / 1024;
    }
    // One that is far from all others, and the first of its thread.
    numbers[0] = offset - 1e9;
    squares<256, 4>(numbers, 3, 5);
    squares<256, 1>(numbers, 1, 1);
    squares<8, 1>(numbers, 9001, 1);
    squares<1, 1>(numbers, 27003, 1);
  }
  using F = fold::Squares<float, double>;
  const auto of = [](std::vector<float> numbers) {
    fold::Moments acc = F::start();
    for (float x : numbers) acc = F::merge(acc, F::step(F::start(), x, 0));
    fold::Moments stepped = F::start();
    for (float x : numbers) stepped = F::step(stepped, x, 0);
    const double merged = fold::finished<double>(acc), straight = fold::finished<double>(stepped);
    CHECK(merged == straight || (is_nan(merged) && is_nan(straight)));
    return straight;
  };
  const float infinity = Traits<float>::infinity(), nan = Traits<float>::nan();
  CHECK(of({}) == 0 && of({3.5f}) == 0 && of({0.1f, 0.1f, 0.1f}) == 0 && of({1, 2, 3}) == 2);
  CHECK(is_nan(of({infinity, 1})) && is_nan(of({1, infinity})) && is_nan(of({1, nan, 2})) && is_nan(of({nan})));
  using D = fold::Squares<double, double>;
  const fold::Moments wide = D::step(D::step(D::start(), 1e200, 0), -1e200, 1);
  CHECK(fold::finished<double>(wide) == Traits<double>::infinity());
}

// The first place of what an order puts last, among equals, NaN and infinities.
static void first_places()
{
  const double infinity = Traits<double>::infinity(), nan = Traits<double>::nan();
  const auto found = [](const std::vector<double>& numbers, bool greatest) {
    int64 out = -1;
    const uint64 n = numbers.size();
    CHECK(device::launch(Dim3{1, 1, 1}, THREADS, [&] {
      if (greatest) {
        using F = fold::ArgMax<double, double>;
        fold::runs<F, 8, 2>(Given{numbers}, 1, n, 1, (F::Acc*)nullptr, (uint32*)nullptr, &out);
      } else {
        using F = fold::ArgMin<double, double>;
        fold::runs<F, 8, 2>(Given{numbers}, 1, n, 1, (F::Acc*)nullptr, (uint32*)nullptr, &out);
      }
    }));
    return out;
  };
  std::vector<double> flat(300, 7.0);
  CHECK(found(flat, true) == 0 && found(flat, false) == 0);
  for (uint64 at : {3, 17, 130, 131, 299}) {
    std::vector<double> numbers = flat;
    numbers[at] = numbers[299] = infinity;
    CHECK(found(numbers, true) == int64(at) && found(numbers, false) == 0);
    numbers[at] = numbers[299] = -infinity;
    CHECK(found(numbers, true) == 0 && found(numbers, false) == int64(at));
    numbers[at] = numbers[299] = nan;
    numbers[0] = infinity;
    numbers[1] = -infinity;
    CHECK(found(numbers, true) == int64(at) && found(numbers, false) == int64(at));
  }
  // The first of two, whichever threads take them, or one takes both.
  for (uint64 at = 0; at < 32; ++at) {
    for (uint64 apart : {1, 5, 11, 16, 64}) {
      for (double last : {infinity, nan}) {
        std::vector<double> numbers(100, 7.0);
        numbers[at] = numbers[at + apart] = last;
        CHECK(found(numbers, true) == int64(at));
      }
    }
  }
  CHECK(found(std::vector<double>(9, -infinity), true) == 0 && found(std::vector<double>(9, infinity), false) == 0);
  CHECK(found({-0.0, 0.0}, true) == 0 && found({0.0, -0.0}, false) == 0);
}

// Vectors of ranks, of which `own` is this one's, reduced in their order.
// The numbers by which kernels that know all reductions are told which.
template <class How>
constexpr uint64 HOW = 0;
template <>
constexpr uint64 HOW<ranks::Prod> = 1;
template <>
constexpr uint64 HOW<ranks::Min> = 2;
template <>
constexpr uint64 HOW<ranks::Max> = 3;
template <>
constexpr uint64 HOW<ranks::Avg> = 4;

template <class T, class How, int V>
static std::vector<T> reduced(const std::vector<std::vector<T>>& of, uint64 own)
{
  const uint64 n = of[0].size(), stride = (n * sizeof(T) + 15) / 16 * 16;
  struct alignas(16) Line {
    char bytes[16];
  };
  std::vector<Line> mine(stride / 16 + 1), slots(of.size() * (stride / 16 + 1)), out(stride / 16 + 1);
  uint64 slot = 0;
  for (uint64 rank = 0; rank < of.size(); ++rank) {
    char* to = rank == own ? (char*)mine.data() : (char*)slots.data() + stride * slot++;
    memcpy(to, of[rank].data(), n * sizeof(T));
  }
  ranks::Arguments a{uint64(mine.data()), uint64(slots.data()), stride, own, of.size(), uint64(out.data()), n, 0};
  CHECK(device::launch(Dim3{2, 1, 1}, 64, [&] { ranks::reduce<T, How, V>(a); }));
  std::vector<T> result(n);
  memcpy(result.data(), out.data(), n * sizeof(T));
  std::fill(out.begin(), out.end(), Line{});
  a.how = HOW<How>;
  CHECK(device::launch(Dim3{2, 1, 1}, 64, [&] { ranks::reduce_as_told<T>(a); }));
  CHECK(memcmp(result.data(), out.data(), n * sizeof(T)) == 0);
  return result;
}

static void reductions_of_ranks()
{
  for (uint64 own : {0, 1, 2}) {
    for (uint64 n : {1, 3, 4, 515}) {
      std::vector<std::vector<int32>> of(3);
      std::vector<std::vector<float16>> halves(3);
      std::vector<std::vector<float>> reals(3);
      for (int r = 0; r < 3; ++r) {
        for (uint64 i = 0; i < n; ++i) {
          of[r].push_back(int32(i) * (r + 1) - 7);
          // 1, 2^-11 and 2^-11: rounded after each addition it would be 1.
          halves[r].push_back(float16{uint16(r == 0 ? 0x3c00 : 0x1000)});
          // In another order it would be 0.
          reals[r].push_back(r == 0 ? 1e30f : r == 1 ? -1e30f : 1.0f);
        }
      }
      const auto sum = reduced<int32, ranks::Sum, 4>(of, own), mean = reduced<int32, ranks::Avg, 4>(of, own);
      const auto least = reduced<int32, ranks::Min, 4>(of, own), most = reduced<int32, ranks::Max, 4>(of, own);
      const auto product = reduced<int32, ranks::Prod, 4>(of, own);
      const auto half = reduced<float16, ranks::Sum, 8>(halves, own);
      const auto real = reduced<float, ranks::Sum, 1>(reals, own);
      for (uint64 i = 0; i < n; ++i) {
        const int32 k = int32(i), x = k - 7, y = 2 * k - 7, z = 3 * k - 7;
        CHECK(sum[i] == 6 * k - 21 && mean[i] == (6 * k - 21) / 3 && product[i] == int32(uint32(x) * uint32(y) * uint32(z)));
        CHECK(least[i] == x && most[i] == z && half[i].bits == 0x3c01 && real[i] == 1.0f);
      }
    }
  }
}

int main()
{
  operations();
  reductions_of_ranks();
  for (uint64 n : {1, 5, 255, 256, 257, 4096, 4099}) {
    std::vector<float> out(n, 0.0f);
    const unsigned blocks = unsigned((n / 4 + 1 + 2 * THREADS - 1) / (2 * THREADS));
    CHECK(device::launch(Dim3{blocks, 1, 1}, THREADS, [&] { elementwise<4, 2>(Numbers{~0ull, out.data()}, n); }));
    for (uint64 i = 0; i < n; ++i) CHECK(out[i] == float(i));
  }
  runs<1, 1>(300, 3, 1);
  runs<8, 1>(70, 17, 1);
  runs<32, 4>(19, 100, 1);
  runs<256, 4>(2, 5000, 1);
  runs<256, 4>(3, 9001, 5);
  columns<1>(2, 41, 33, 1);
  columns<4>(2, 100, 200, 7);
  places();
  squares_of_distances();
  first_places();
  printf("%ld checks, %d failures\n", checks, failures);
  return failures != 0;
}
