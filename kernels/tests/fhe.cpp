// Programmable bootstrapping, kernel by kernel on the host's grid: rotations against the definition, by keys whose bits are
// known, also where they are encrypted; combinations, key and modulus switch against sums in 64 bits and more.
#include "memory.h"
#include "../fhe/rotation_one.cuh"
#include "../fhe/switching.cuh"
#include <cmath>

using namespace icicle;
using namespace icicle::fhe;

// Of an angle in turns.
static Root root(double turns)
{
  double c = std::cos(2 * M_PI * turns), s = std::sin(2 * M_PI * turns);
  // Where the cosine is zero, one that makes no difference.
  if (std::fabs(c) < 1e-12) { c = std::ldexp(1, -70); }
  return {c, s / c};
}
static unsigned reversed(unsigned x, int bits)
{
  unsigned out = 0;
  for (int i = 0; i < bits; i++) { out |= (x >> i & 1) << (bits - 1 - i); }
  return out;
}
static Roots roots;
static LaneRoots lane_roots;
static ThreadRoots thread_roots;
static void make_roots()
{
  auto split = [](int level, unsigned block) {
    return root(std::ldexp(1, -(level + 3)) + std::ldexp(reversed(block, level), -(level + 1)));
  };
  for (int level = 0; level < 5; level++) {
    for (int m = 0; m < std::max(1, (1 << level) / 2); m++) {
      roots.forward[place(level, m)] = split(level, 2u * unsigned(m));
      for (int lane = 0; lane < LANES; lane++) {
        lane_roots.forward[place(level, m)][lane] = split(level + 5, (unsigned(lane) << level) + 2u * unsigned(m));
        lane_roots.inverse[place(level, m)][lane] = root(-(lane + 32.0 * m) / (64 << level));
      }
    }
  }
  for (int j = 0; j < 8; j++) { roots.inverse[j] = root(-j / 32.0); }
  for (int k = 0; k < LANES; k++) {
    roots.twist[k] = root(-32.0 * k / 4096);
    lane_roots.twist[k] = root(-k / 4096.0);
  }
  for (int t = 0; t < THREADS; t++) {
    for (int level = 0; level < 4; level++) {
      for (int m = 0; m < std::max(1, (1 << level) / 2); m++) {
        thread_roots.forward[place(level, m)][t] = split(level + 4, (unsigned(t / 4) << level) + 2u * unsigned(m));
        thread_roots.outer[place(level, m)][t] = root(-(t + 64.0 * m) / (128 << level));
        if (t < 4) { thread_roots.inner[place(level, m)][t] = root(-(t + 4.0 * m) / (8 << level)); }
      }
    }
    for (unsigned four = 0; four < 4; four++) {
      thread_roots.forward[8 + 2 * four][t] = split(8, 4u * unsigned(t) + four);
      thread_roots.forward[9 + 2 * four][t] = split(9, 2 * (4u * unsigned(t) + four));
    }
    thread_roots.twist[t] = root(-t / 4096.0);
  }
}

using Polynomial = std::vector<u64>;

// The product with a polynomial of bits, modulo X^N + 1.
static Polynomial times_bits(const Polynomial& a, const std::vector<u8>& bits)
{
  Polynomial out(N);
  for (int i = 0; i < N; i++) {
    for (int j = 0; bits[i] && j < N; j++) { out[(i + j) % N] += i + j < N ? a[j] : 0 - a[j]; }
  }
  return out;
}

// A key of GGSW ciphertexts of bits: rows of the bit at 2^41 times minus the secret and times 1, masks random, without noise.
static std::vector<fhe::Complex> key_of(const std::vector<u8>& bits, const std::vector<u8>& secret, u64& state)
{
  std::vector<u64> words(bits.size() * 4 * N);
  for (size_t i = 0; i < bits.size(); i++) {
    for (int row = 0; row < 2; row++) {
      Polynomial mask(N);
      for (u64& word : mask) { word = next_random(state); }
      Polynomial body = times_bits(mask, secret);
      for (int j = 0; j < N; j++) {
        if (row == 0) { body[j] -= u64(bits[i]) * secret[j] << 41; }
      }
      if (row == 1) { body[0] += u64(bits[i]) << 41; }
      std::copy(mask.begin(), mask.end(), words.begin() + (4 * i + 2 * row) * N);
      std::copy(body.begin(), body.end(), words.begin() + (4 * i + 2 * row + 1) * N);
    }
  }
  // The values of each polynomial, as signed fractions of the torus and divided by HALF, at the powers of X that transforms end at:
  // value i at exp(2πi (1/4 + i reversed)/1024).
  std::vector<fhe::Complex> out(words.size() / 2), powers(4 * HALF);
  for (int k = 0; k < 4 * HALF; k++) { powers[k] = {std::cos(2 * M_PI * k / (4 * HALF)), std::sin(2 * M_PI * k / (4 * HALF))}; }
  const double scale = std::ldexp(1, -64) / HALF;
  for (size_t polynomial = 0; polynomial < 4 * bits.size(); polynomial++) {
    const u64* const from = &words[polynomial * N];
    for (unsigned i = 0; i < HALF; i++) {
      double re = 0, im = 0;
      for (unsigned j = 0; j < HALF; j++) {
        const fhe::Complex w = powers[j * (4 * reversed(i, 10) + 1) % (4 * HALF)];
        const double a = double(i64(from[j])) * scale, b = double(i64(from[j + HALF])) * scale;
        re += a * w.re - b * w.im;
        im += a * w.im + b * w.re;
      }
      out[polynomial * HALF + size_t(key_place(int(i) / LANES, int(i) % LANES))] = {re, im};
    }
  }
  return out;
}

// A kernel's memory, and what it does on it.
template <class Memory, class Rotate>
static void rotations(u32 together, u32 threads, size_t bytes, Rotate rotate)
{
  check(bytes == sizeof(Memory), "the shared memory is the host's");
  u64 state = together + 10 * threads;
  std::vector<u8> bits = {1, 0, 1}, secret(N);
  for (u8& bit : secret) { bit = next_random(state) & 1; }
  const std::vector<fhe::Complex> key = key_of(bits, secret, state);
  const u32 steps = u32(bits.size()), stride = steps + 2, count = 3, tables = 2, outputs = 2;
  std::vector<unsigned short> masks(count * stride);
  for (auto& element : masks) { element = next_random(state) % (2 * N); }
  masks[0] = 0;
  masks[stride] = N;
  std::vector<u32> table(tables * VALUES);
  for (u32& value : table) { value = u32(next_random(state)) & 0xf8000000u; }
  std::vector<u64> out(count * outputs * WORDS + 1, NONSENSE);
  const Rotation a{masks.data(), table.data(), key.data(), out.data(), count, tables, outputs, steps, stride};
  static Memory shared;
  check(device::launch({(count + together - 1) / together}, threads, [&] { rotate(shared, a); }), "rotate ends");
  check(out.back() == NONSENSE, "nothing is written behind results");
  for (u32 i = 0; i < count; i++) {
    u32 turned = masks[i * stride + steps];
    for (u32 step = 0; step < steps; step++) { turned -= bits[step] * masks[i * stride + step]; }
    for (u32 o = 0; o < outputs; o++) {
      const u64* ciphertext = &out[(i * outputs + o) * WORDS];
      u64 phase = ciphertext[N];
      for (int j = 0; j < N; j++) { phase -= secret[j] * ciphertext[j]; }
      const u32 at = (turned + BOX / 2 + o * HALF) % (2 * N);
      const u64 value = u64(table[i % tables * VALUES + at % N / BOX]) << 32, wanted = at < N ? value : 0 - value;
      // Rounding to digits: up to 2^40 for each of the secret's bits and step; 2^45 and more as they add up.
      const double error = std::fabs(double(i64(phase - wanted)));
      check(error < std::ldexp(1, 49), "rotation of " + std::to_string(i) + ": error 2^" + std::to_string(std::log2(error)));
    }
  }
}

static void switches(u32 rows, u32 columns_together, size_t key_bytes)
{
  check(rows == ROWS && columns_together == COLUMNS && key_bytes == sizeof(Chunk) * STEP_CHUNKS * COLUMN_STEPS, "sizes are the host's");
  u64 state = 7;
  const u32 columns = 21, stride = 24, n = 36, groups = (columns + COLUMNS - 1) / COLUMNS;
  std::vector<u64> key(size_t(N) * LEVELS * columns);
  for (u64& word : key) { word = next_random(state); }
  std::vector<Chunk> arranged(size_t(groups) * COLUMN_STEPS * STEP_CHUNKS);
  const u32 blocks = u32(arranged.size() / 128);
  check(device::launch({blocks}, 128, [&] { arrange_key(key.data(), arranged.data(), columns); }), "arrange_key ends");

  // Two signals an element, of a ciphertext each, clear values and constants.
  std::vector<u64> ciphertexts(size_t(n + 1) * WORDS);
  for (u64& word : ciphertexts) { word = next_random(state); }
  for (int j = 0; j < N; j += 3) { ciphertexts[size_t(j) + WORDS] = u64(next_random(state) % 17) << 47 << (j % 13); }
  std::vector<u8> clear(2 * n);
  for (u8& value : clear) { value = next_random(state) % 4; }
  const Source sources[] = {{u64(ciphertexts.data()), 1, 0}, {u64(clear.data()), 2, 1}};
  const Term terms[] = {{0, 0, 1}, {0, 1, -3}, {1, 1, 2}};
  const Signal signals[] = {{5, 1, 3}, {DELTA / 2, 0, 1}};
  const u64 first = 3;
  const u32 count = 2 * (n - 3);
  const Combination combination{sources, terms, signals, first, 2};
  auto wanted = [&](u32 i, int at) {
    const u64 element = first + i / 2;
    const u64* of = &ciphertexts[element * WORDS];
    if (i % 2 == 1) { return of[at] + (at == N ? DELTA / 2 : 0); }
    return 0 - 3 * of[WORDS + at] + (at == N ? 5 + 2 * DELTA * clear[2 * element + 1] : 0);
  };
  std::vector<u64> out(size_t(count) * WORDS);
  check(device::launch({count}, 128, [&] { combine(combination, out.data()); }), "combine ends");
  for (u32 i = 0; i < count; i++) {
    for (int at = 0; at <= N; at++) { check(out[size_t(i) * WORDS + at] == wanted(i, at), "combine"); }
  }

  std::vector<u32> digits_of(size_t(count) * N), small(size_t(count) * stride);
  auto begin = [&] { decompose(combination, digits_of.data(), small.data(), columns - 1, stride); };
  // In four parts of the elements, one after another.
  const unsigned parts = 4;
  check(device::launch({count}, 128, begin), "decompose ends");
  for (unsigned z = 0; z < parts; z++) {
    auto run = [&] {
      gridDim.z = parts;
      blockIdx.z = z;
      key_switch(digits_of.data(), arranged.data(), small.data(), count, columns, stride);
    };
    check(device::launch({(groups + 3) / 4, (count + ROWS - 1) / ROWS}, 128, run), "key_switch ends");
  }
  for (u32 i = 0; i < count; i += 5) {
    for (u32 column = 0; column < columns; column++) {
      u64 sum = column == columns - 1 ? wanted(i, N) : 0;
      for (int element = 0; element < N; element++) {
        u32 packed = digits_of[size_t(i) * N + element];
        for (int level = 0; level < LEVELS; level++, packed >>= 8) {
          sum -= u64(i64((signed char)packed)) * key[(size_t(element) * LEVELS + level) * columns + column];
        }
      }
      // Halves of 2^32 for each product, which have both signs.
      const double error = std::fabs(double(i64((u64(small[i * stride + column]) << 32) - sum)));
      check(error < std::ldexp(1, 43), "key switch: error 2^" + std::to_string(std::log2(error)));
    }
  }
  // Digits: balanced, and together the word to nearest.
  for (u32 i = 0; i < count; i++) {
    for (int at = 0; at < N; at++) {
      u32 packed = digits_of[size_t(i) * N + at];
      u64 sum = 0;
      for (int level = 0; level < LEVELS; level++, packed >>= 8) {
        check(std::abs(int((signed char)packed)) <= 8, "digits are balanced");
        sum += u64(i64((signed char)packed)) << (48 + 4 * level);
      }
      const u64 error = wanted(i, at) - sum;
      check(error <= 1ull << 47 || 0 - error <= 1ull << 47, "digits make the word");
    }
  }
  std::vector<unsigned short> switched(size_t(count) * stride, 0xffff);
  check(device::launch({(count + 3) / 4}, 128, [&] { switch_modulus(small.data(), switched.data(), count, columns, stride); }),
        "switch_modulus ends");
  for (u32 i = 0; i < count; i++) {
    i64 errors = 0;
    for (u32 at = 0; at + 1 < columns; at++) {
      const u32 word = small[i * stride + at];
      const double exact = std::ldexp(word, -20), rounded = std::floor(exact + 0.5);
      errors += i64(std::ldexp(exact - rounded, 20));
      check(switched[i * stride + at] == u32(rounded) % 4096, "elements to nearest");
    }
    const u32 body = small[i * stride + columns - 1] - u32(errors >> 1);
    check(switched[i * stride + columns - 1] == body >> 20, "the body down, less half of the errors");
    check(switched[i * stride + columns] == 0xffff, "nothing behind");
  }
}

int main(int, char** arguments)
{
  std::ifstream in(arguments[1]);
  unsigned together[3], threads[3], rows, columns;
  size_t bytes[3], roots_bytes, lane_bytes, thread_bytes, key_bytes;
  for (int i = 0; i < 3; i++) { in >> together[i] >> threads[i] >> bytes[i]; }
  in >> roots_bytes >> lane_bytes >> thread_bytes >> rows >> columns >> key_bytes;
  check(bool(in) && roots_bytes == sizeof(Roots) && lane_bytes == sizeof(LaneRoots) && thread_bytes == sizeof(ThreadRoots), "roots are the host's");
  make_roots();
  rotations<SharedOne>(together[0], threads[0], bytes[0],
                       [](SharedOne& shared, const Rotation& a) { rotate_one(shared, roots, thread_roots, a); });
  using Two = Shared<2, Stage::among_values>;
  rotations<Two>(together[1], threads[1], bytes[1], [](Two& shared, const Rotation& a) { rotate(shared, roots, lane_roots, a); });
  using Small = Shared<1, Stage::none>;
  rotations<Small>(together[2], threads[2], bytes[2],
                   [](Small& shared, const Rotation& a) { rotate(shared, roots, lane_roots, a); });
  switches(rows, columns, key_bytes);
  printf("%ld checks, %d failures\n", checks, failures);
  return failures > 0;
}
