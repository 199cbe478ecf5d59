// Rows by their places, sequences, and bytes for the host, kernel by kernel on the host's grid, against what the core's CPU device
// takes, sets and makes.
#include "memory.h"
#include "../array/rows.cuh"
#include "../array/sequence.cuh"
#include "../array/to_host.cuh"
#include <sstream>

using namespace icicle;

// Bytes at an address of 16 bytes' alignment, with nonsense around them that must stay.
struct Bytes {
  static constexpr u8 AROUND = 0xa5;
  std::vector<Chunk> chunks;
  u64 count;
  explicit Bytes(u64 bytes) : chunks(bytes / 16 + 3), count(bytes) { memset(chunks.data(), AROUND, chunks.size() * 16); }
  u8* p() { return (u8*)(chunks.data() + 1); }
  bool holds(const std::vector<u8>& expected)
  {
    const u8 *from = (const u8*)chunks.data(), *to = from + chunks.size() * 16;
    auto untouched = [](u8 byte) { return byte == AROUND; };
    return std::equal(expected.begin(), expected.end(), p(), p() + count) && std::all_of(from, (const u8*)p(), untouched) &&
           std::all_of((const u8*)p() + count, to, untouched);
  }
};

// Where a line's words are read from.
struct Line {
  std::istringstream in;
  template <class T>
  T next()
  {
    T x;
    in >> x;
    return x;
  }
  std::vector<i64> numbers(u64 n)
  {
    std::vector<i64> out(n);
    for (i64& x : out) { in >> x; }
    return out;
  }
  std::vector<u8> bytes()
  {
    std::string hex = next<std::string>();
    std::vector<u8> out;
    for (size_t i = 1; i + 1 < hex.size(); i += 2) { out.push_back((u8)std::stoul(hex.substr(i, 2), nullptr, 16)); }
    return out;
  }
};

// What `indices` on axes of these extents name, and for each axis the first that is outside it.
static std::vector<i64> places(u64 n, const std::vector<std::vector<i64>>& indices, const std::vector<u64>& extents, u32 wraps,
                               std::vector<u64>& bad)
{
  std::vector<i64> rows(n, -7);
  bad.assign(extents.size(), ~0ull);
  for (size_t k = 0; k < extents.size(); k++) {
    auto run = [&] { row_places(indices[k].data(), rows.data(), &bad[k], n, extents[k], k == 0, wraps); };
    check(device::launch({3}, 32, run), "places end");
  }
  return rows;
}

// Every size of words in which rows of so many bytes can be moved, by groups of one thread to a warp.
template <class Run>
static void each_way(u64 row_bytes, const Run& run)
{
  for (u32 log_lanes : {0u, 2u, 5u}) {
    if (row_bytes % 1 == 0) { run((u8*)nullptr, log_lanes); }
    if (row_bytes % 2 == 0) { run((unsigned short*)nullptr, log_lanes); }
    if (row_bytes % 4 == 0) { run((u32*)nullptr, log_lanes); }
    if (row_bytes % 8 == 0) { run((u64*)nullptr, log_lanes); }
    if (row_bytes % 16 == 0) { run((Chunk*)nullptr, log_lanes); }
  }
}

static void take(Line& line, const std::string& what)
{
  u64 outer = line.next<u64>(), extent = line.next<u64>(), taken = line.next<u64>(), row_bytes = line.next<u64>();
  u32 each = line.next<u32>(), wraps = line.next<u32>();
  u64 n = each ? outer * taken : taken;
  std::vector<std::vector<i64>> indices = {line.numbers(n)};
  std::vector<u8> from = line.bytes(), expected = line.bytes();
  std::vector<u64> bad;
  std::vector<i64> rows = places(n, indices, {extent}, wraps, bad);
  check(!line.in.fail() && bad[0] == ~0ull, what + ": indices");
  Bytes x(from.size());
  std::copy(from.begin(), from.end(), x.p());
  each_way(row_bytes, [&](auto* word, u32 log_lanes) {
    using W = std::remove_pointer_t<decltype(word)>;
    Bytes out(expected.size());
    auto run = [&] {
      take_rows((const W*)x.p(), rows.data(), (W*)out.p(), outer, extent, taken, row_bytes / sizeof(W), each, log_lanes);
    };
    bool ok = device::launch({2}, 64, run);
    check(ok && out.holds(expected), what + " by " + std::to_string(sizeof(W)) + " bytes, 2^" + std::to_string(log_lanes));
  });
}

static void set(Line& line, const std::string& what)
{
  std::vector<u64> extents = {line.next<u64>(), line.next<u64>()};
  u64 row_bytes = line.next<u64>(), n = line.next<u64>();
  std::vector<std::vector<i64>> indices = {line.numbers(n), line.numbers(n)};
  std::vector<u8> from = line.bytes(), values = line.bytes(), expected = line.bytes();
  std::vector<u64> bad;
  std::vector<i64> rows = places(n, indices, extents, 1, bad);
  check(!line.in.fail() && bad[0] == ~0ull && bad[1] == ~0ull, what + ": indices");
  u64 slots = 1;
  while (slots < 2 * std::min(n, extents[0] * extents[1])) { slots *= 2; }
  std::vector<RowSlot> table(slots, RowSlot{RowSlot::FREE, ~0ull});
  bool ok = device::launch({3}, 32, [&] { enter_rows(rows.data(), table.data(), n, slots - 1); }) &&
            device::launch({3}, 32, [&] { keep_last_rows(rows.data(), table.data(), n, slots - 1); });
  check(ok, what + ": repetitions");
  Bytes source(values.size());
  std::copy(values.begin(), values.end(), source.p());
  each_way(row_bytes, [&](auto* word, u32 log_lanes) {
    using W = std::remove_pointer_t<decltype(word)>;
    Bytes x(from.size());
    std::copy(from.begin(), from.end(), x.p());
    auto run = [&] { set_rows((W*)x.p(), rows.data(), (const W*)source.p(), n, row_bytes / sizeof(W), log_lanes); };
    bool done = device::launch({2}, 64, run);
    check(done && x.holds(expected), what + " by " + std::to_string(sizeof(W)) + " bytes, 2^" + std::to_string(log_lanes));
  });
}

// The first index that is outside its axis, as the core's error has it.
static void outside(Line& line, const std::string& what)
{
  u64 extent = line.next<u64>();
  u32 wraps = line.next<u32>();
  i64 expected = line.next<i64>();
  u64 n = line.next<u64>();
  std::vector<std::vector<i64>> indices = {line.numbers(n)};
  std::vector<u64> bad;
  places(n, indices, {extent}, wraps, bad);
  check(!line.in.fail() && bad[0] < n && indices[0][bad[0]] == expected, what);
}

static void nonzero(Line& line, const std::string& what)
{
  u64 step = line.next<u64>(), extent = line.next<u64>(), n = line.next<u64>();
  std::vector<i64> from = line.numbers(n), expected = line.numbers(n), out(n);
  bool ok = device::launch({2}, 32, [&] { axis_indices(from.data(), out.data(), n, step, extent); });
  check(!line.in.fail() && ok && out == expected, what);
}

// Numbers by their bits.
static void sequence(Line& line, const std::string& what)
{
  u32 real = line.next<u32>(), ends = line.next<u32>();
  u64 n = line.next<u64>(), stride = line.next<u64>(), start[3];
  for (u64& x : start) { x = line.next<u64>(); }
  std::vector<u64> expected(n * stride, 7), out(n * stride, 7);
  for (u64 i = 0; i < n; i++) { expected[i * stride] = line.next<u64>(); }
  double numbers[3];
  memcpy(numbers, start, sizeof numbers);
  bool ok = device::launch({2}, 32, [&] {
    if (real) {
      reals((double*)out.data(), n, stride, numbers[0], numbers[1], ends, numbers[2]);
    } else {
      integers(out.data(), n, start[0], start[1]);
    }
  });
  check(!line.in.fail() && ok && out == expected, what);
}

// Bytes from a place on, aligned or not.
static void copy_to_host(Line& line, const std::string& what)
{
  u64 from = line.next<u64>();
  std::vector<u8> all = line.bytes(), expected(all.begin() + from, all.end());
  Bytes source(all.size()), out(expected.size());
  memcpy(source.p(), all.data(), all.size());
  bool ok = device::launch({2}, 32, [&] { to_host(source.p() + from, out.p(), expected.size()); });
  check(ok && out.holds(expected), what);
}

int main(int, char** arguments)
{
  std::ifstream in(arguments[1]);
  long cases = 0;
  for (std::string text; std::getline(in, text); cases++) {
    Line line{std::istringstream(text)};
    std::string kind = line.next<std::string>(), what = text.substr(0, 60);
    if (kind == "take") {
      take(line, what);
    } else if (kind == "set") {
      set(line, what);
    } else if (kind == "outside") {
      outside(line, what);
    } else if (kind == "nonzero") {
      nonzero(line, what);
    } else if (kind == "sequence") {
      sequence(line, what);
    } else if (kind == "host") {
      copy_to_host(line, what);
    } else {
      u64 items = line.next<u64>(), slot = line.next<u64>();
      check(kind == "constants" && items == RowPieces::ITEMS && slot == sizeof(RowSlot), text);
    }
  }
  check(cases > 60, "cases of every kind");
  printf("%ld checks, %d failures\n", checks, failures);
  return failures != 0;
}
