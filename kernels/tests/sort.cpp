// The counting sort and the digits of multi-scalar multiplication, kernel by kernel on the host's grid: scans against plain
// sums, sorted entries against the keys, and digits against the scalars they must add up to.
#include "memory.h"
#include "../inst/sort.cu"
#include "../msm/digits.cuh"

using namespace icicle;

static u32 blocks_for(u64 n, u32 each) { return n == 0 ? 1 : (u32)((n + each - 1) / each); }

// Sums before each item.
static Words running(const Words& values)
{
  Words out;
  u32 sum = 0;
  for (u32 value : values) {
    out.push_back(sum);
    sum += value;
  }
  out.push_back(sum);
  return out;
}

static Words random_words(u64 n, u32 below, u64 seed)
{
  Words out(n);
  for (u32& x : out) { x = (u32)(next_random(seed) % below); }
  return out;
}

// More sums than the block has threads: what was before is carried from round to round.
static void top(u32 n, u32 threads)
{
  Words sums = random_words(n, 1000, n), before = running(sums);
  before.pop_back();
  Memory in_place(sums);
  bool ok = device::launch({1}, threads, [&] { sort_top(in_place.p, n); });
  check(ok && in_place.holds(before), "top of " + std::to_string(n) + " by " + std::to_string(threads));
}

// The three launches of a scan, in place as the host does it.
static void scan(u32 n)
{
  Words counts = random_words(n, 7, n + 1), expected = running(counts);
  u32 blocks = blocks_for(n, SCAN_BLOCK);
  Words with_end = counts;
  with_end.push_back(NONSENSE);
  Memory starts(with_end), sums(blocks), cursor(n);
  bool ok = device::launch({blocks}, 256, [&] { sort_sums(starts.p, sums.p, n); });
  Words of_block(blocks);
  for (u32 i = 0; i < n; i++) { of_block[i / SCAN_BLOCK] += counts[i]; }
  check(ok && sums.holds(of_block), "sums of " + std::to_string(n));
  ok = device::launch({1}, 1024, [&] { sort_top(sums.p, blocks); }) &&
       device::launch({blocks}, 256, [&] { sort_apply(starts.p, sums.p, starts.p, cursor.p, n); });
  check(ok && starts.holds(expected), "starts of " + std::to_string(n));
  expected.pop_back();
  check(cursor.holds(expected), "cursor of " + std::to_string(n));
}

// Entries of each bucket, in any order.
static void scatter_rows(u64 length, u32 batch, u32 windows, u64 set, u32 row, Dim3 grid, u32 kind)
{
  u64 rows = (u64)batch * windows, state = length + kind;
  u32 buckets = (u32)(rows * row);
  Words keys(rows * length), counts(buckets);
  std::vector<std::vector<u32>> expected(buckets);
  for (u64 r = 0; r < rows; r++) {
    for (u64 e = 0; e < length; e++) {
      u64 random = next_random(state);
      // Random, all in one bucket, and mostly none.
      u32 bucket = kind == 1 ? row - 1 : (u32)(random % row), sign = random >> 40 & 1 ? NEGATIVE : 0;
      bool none = kind == 2 ? random >> 50 & 7 : (random >> 50) % 9 == 0;
      keys[r * length + e] = none ? NO_KEY : bucket | sign;
      if (none) { continue; }
      counts[r * row + bucket]++;
      expected[r * row + bucket].push_back((u32)(r / windows * set + e) | sign);
    }
  }
  Words starts = running(counts), first = starts;
  first.pop_back();
  Memory cursor(first), entries(starts.back());
  Memory of_keys(keys);
  bool ok = device::launch(grid, 256, [&] {
    sort_scatter(of_keys.p, cursor.p, entries.p, length, rows, windows, set, row);
  });
  for (u32 b = 0; b < buckets; b++) {
    Words got(entries.p + starts[b], entries.p + starts[b + 1]);
    std::sort(got.begin(), got.end());
    std::sort(expected[b].begin(), expected[b].end());
    ok = ok && got == expected[b] && cursor.p[b] == starts[b + 1];
  }
  check(ok && entries.is_whole() && cursor.is_whole(),
        "scatter of " + std::to_string(rows) + " rows of " + std::to_string(length) + ", kind " + std::to_string(kind));
}

// `a + b·2^start` for signed `b`, modulo 2^(32·words).
static void add_shifted(Words& a, i64 b, u32 start)
{
  Words term(a.size(), b < 0 ? ~0u : 0u);
  unsigned __int128 low = (unsigned __int128)(__int128)b << (start % 32);
  for (u32 i = 0; start / 32 + i < a.size(); i++) {
    term[start / 32 + i] = i < 4 ? (u32)(low >> (32 * i)) : (b < 0 ? ~0u : 0u);
  }
  for (u32 i = 0; i < start / 32 && i < a.size(); i++) { term[i] = 0; }
  u64 carry = 0;
  for (u32 i = 0; i < a.size(); i++) {
    carry += (u64)a[i] + term[i];
    a[i] = (u32)carry;
    carry >>= 32;
  }
}

// The digits of every scalar, at their places, add up to it; buckets are counted as often as they occur.
template <class S>
static void digits(const char* name, u32 n, u32 batch, u32 bits, u32 wanted, u32 factor, bool montgomery, u32 shift_words)
{
  u32 step = factor == 1 ? bits + 1 : wanted * (((bits + wanted - 1) / wanted + factor - 1) / factor);
  u32 rest = (factor - 1) * step < bits + 1 ? (factor - 1) * step : bits + 1;
  u32 span = factor == 1 ? bits + 1 : std::max(step, bits + 1 - rest);
  u32 windows = (span + wanted - 1) / wanted, c = (span + windows - 1) / windows, wide = span - windows * (c - 1);
  Cut cut = {bits, factor, step, c, wide};
  Shift bias = {};
  for (u32 w = 0; w < windows; w++) {
    for (u32 j = 0; j < factor; j++) {
      Digit d = cut.digit(w, j);
      if (d.bias) { bias.w[(d.start + d.width - 1) / 32] |= 1u << ((d.start + d.width - 1) % 32); }
    }
  }
  u64 state = n * bits + c;
  Words scalars, canonical;
  for (u32 i = 0; i < n * batch; i++) {
    S s = element<S>(state);
    u32 words[S::WORDS];
    (montgomery ? s.encode() : s).to_limbs(words);
    scalars.insert(scalars.end(), words, words + S::WORDS);
    s.to_limbs(words);
    for (u32 k = 0; k < S::WORDS; k++) {
      u32 left = bits > 32 * k ? bits - 32 * k : 0;
      canonical.push_back(left < 32 ? words[k] & ((1u << left) - 1) : words[k]);
    }
  }
  u32 row = 1u << (c - 1), entries = n * factor;
  // Windows in two groups, as when memory is short.
  for (u32 first = 0, group = (windows + 1) / 2; first < windows; first += group) {
    u32 count = std::min(group, windows - first), rows = batch * count;
    Memory in(scalars, shift_words), keys((u64)rows * entries), counts(Words((u64)rows * row, 0));
    bool ok = device::launch({2, 3}, 256, [&] {
      msm_digits<S>(in.p, keys.p, counts.p, n, batch, cut, first, count, montgomery, bias);
    });
    Words found((u64)rows * row);
    for (u32 i = 0; ok && i < n * batch; i++) {
      for (u32 w = 0; w < count; w++) {
        for (u32 j = 0; j < factor; j++) {
          u32 r = i / n * count + w, key = keys.p[(u64)r * entries + i % n * factor + j];
          ok = ok && (key == NO_KEY || (key & ~NEGATIVE) < row);
          if (ok && key != NO_KEY) { found[(u64)r * row + (key & ~NEGATIVE)]++; }
        }
      }
    }
    check(ok && counts.holds(found) && keys.is_whole(), std::string(name) + " counts of digits, c " + std::to_string(c));
  }
  u32 rows = batch * windows;
  Memory in(scalars, shift_words), keys((u64)rows * entries), counts(Words((u64)rows * row, 0));
  bool ok = device::launch({3, 2}, 256, [&] {
    msm_digits<S>(in.p, keys.p, counts.p, n, batch, cut, 0, windows, montgomery, bias);
  });
  for (u32 i = 0; ok && i < n * batch; i++) {
    Words sum(S::WORDS + 2);
    for (u32 j = 0; j < factor; j++) {
      u32 at = j * step;
      for (u32 w = 0; w < windows; w++) {
        u32 key = keys.p[((u64)(i / n) * windows + w) * entries + i % n * factor + j];
        if (key != NO_KEY) {
          i64 digit = (key & ~NEGATIVE) + 1;
          add_shifted(sum, key & NEGATIVE ? -digit : digit, at);
        }
        at += w < wide ? c : c - 1;
      }
    }
    Words expected(canonical.begin() + i * S::WORDS, canonical.begin() + (i + 1) * S::WORDS);
    expected.resize(S::WORDS + 2);
    ok = sum == expected;
  }
  check(ok, std::string(name) + " digits, bits " + std::to_string(bits) + ", c " + std::to_string(c) + ", factor " +
              std::to_string(factor) + (montgomery ? ", Montgomery form" : ""));
}

int main()
{
  for (u32 n : {1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 2048, 2049, 5000}) {
    top(n, 1024);
    top(n, 256);
  }
  for (u32 n : {1, 7, 8, 9, 256, 2047, 2048, 2049, 4096, 10000}) { scan(n); }
  for (u32 kind = 0; kind < 3; kind++) {
    scatter_rows(1, 1, 1, 0, 4, {1, 1}, kind);
    scatter_rows(1000, 1, 5, 0, 16, {3, 2}, kind);
    scatter_rows(700, 3, 4, 700, 8, {2, 5}, kind);
    scatter_rows(33, 2, 3, 0, 1, {1, 1}, kind);
  }
  using Large = fields::bn254;
  for (u32 c : {1u, 3u, 8u, 13u}) { digits<Large>("bn254", 90, 2, 254, c, 1, c == 3, c == 8); }
  digits<Large>("bn254", 300, 1, 254, 8, 4, false, 0);
  // The multiples' distance divides the scalar: the carry bit is a digit of its own.
  digits<Large>("bn254", 90, 1, 128, 8, 2, false, 0);
  digits<Large>("bn254", 90, 1, 128, 16, 2, true, 1);
  digits<Large>("bn254", 90, 1, 1, 5, 1, false, 0);
  digits<Large>("bn254", 90, 1, 1, 5, 3, false, 0);
  digits<fields::bls12_381>("bls12_381", 60, 1, 255, 10, 3, false, 0);
  digits<fields::bw6_761>("bw6_761", 60, 1, 377, 12, 1, true, 0);
  printf("%ld checks, %d failures\n", checks, failures);
  return failures != 0;
}
