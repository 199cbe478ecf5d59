// Operations and folds of arrays that are compiled ahead of time, on the host's grid, against what the core's CPU device gives.
#include "device.h"

#include "../array/ahead_fold.cuh"
#include <map>
#include <sstream>

using namespace array;

static int failures = 0;
static long checks = 0;

static void check(bool ok, const std::string& what)
{
  checks++;
  if (!ok && failures++ < 20) { fprintf(stderr, "FAILED: %s\n", what.c_str()); }
}

namespace array {
namespace ahead {
ARRAY_DTYPES(IC_LIGHT)
ARRAY_DTYPES(IC_HEAVY)
} // namespace ahead
} // namespace array

struct Kind {
  uint64 number, bytes;
};
struct Operation {
  uint64 number;
  bool heavy;
};
using Run = void (*)(const ahead::Apply&);
using Reduce = void (*)(const ahead::Fold&);

static std::map<std::string, Kind> kinds;
static std::map<std::string, Operation> operations;
static std::map<std::string, std::pair<Run, uint64>> kernels;
static std::map<std::string, Reduce> folds;
static std::map<std::string, uint64> held;

template <class T, bool HEAVY>
static void kernel(const std::string& name)
{
  kernels[name] = {[](const ahead::Apply& a) { ahead::apply<T, HEAVY>(a); }, ahead::BATCH<T, HEAVY>};
}

static void tables()
{
#define KIND(NUMBER, T)                                                                                                \
  kinds[#T] = {NUMBER, sizeof(T)};                                                                                     \
  operations["cast " #T] = {ARRAY_CAST, false};                                                                        \
  operations["where " #T] = {ARRAY_WHERE, false};                                                                      \
  kernel<T, false>(#T " light");                                                                                       \
  kernel<T, true>(#T " heavy");
  ARRAY_DTYPES(KIND)
#define LIGHT(NUMBER, NAME, RESULT) of[#NAME] = {NUMBER, false};
#define HEAVY(NUMBER, NAME, RESULT) of[#NAME] = {NUMBER, true};
#define OPERATIONS(NUMBER, T)                                                                                          \
  {                                                                                                                    \
    std::map<std::string, Operation> of;                                                                               \
    ARRAY_LIGHT_UNARY_##T(LIGHT) ARRAY_LIGHT_BINARY_##T(LIGHT) ARRAY_HEAVY_UNARY_##T(HEAVY)                            \
      ARRAY_HEAVY_BINARY_##T(HEAVY) for (const auto& [name, op] : of)                                                  \
    {                                                                                                                  \
      operations[name + " " #T] = op;                                                                                  \
    }                                                                                                                  \
  }
  ARRAY_DTYPES(OPERATIONS)
#define FOLD(TYPE, NAME, T, ACC, OUT)                                                                                  \
  folds[#NAME " " #T] = [](const ahead::Fold& a) { ahead::folded<fold::TYPE<T, ACC>, T, OUT>(a); };                    \
  held[#NAME " " #T] = sizeof(fold::TYPE<T, ACC>::Acc);
  ARRAY_FOLDS(FOLD)
}

using Bytes = std::vector<unsigned char>;

// Bytes at an address of 16 bytes' alignment.
struct Memory {
  struct alignas(16) Chunk {
    unsigned char bytes[16];
  };
  std::vector<Chunk> chunks;
  explicit Memory(uint64 bytes) : chunks(bytes / 16 + 1) { memset((void*)chunks.data(), 0xa5, chunks.size() * 16); }
  explicit Memory(const Bytes& from) : Memory(from.size()) { std::copy(from.begin(), from.end(), p()); }
  unsigned char* p() { return (unsigned char*)chunks.data(); }
};

// Where a line's words are read from.
struct Line {
  std::istringstream in;
  template <class T>
  T next()
  {
    T x{};
    in >> x;
    return x;
  }
  std::string word() { return next<std::string>(); }
  Bytes bytes()
  {
    std::string hex = word();
    Bytes out;
    for (size_t i = 1; i + 1 < hex.size(); i += 2) { out.push_back((unsigned char)std::stoul(hex.substr(i, 2), nullptr, 16)); }
    return out;
  }
};

// A leaf of the line, and its memory.
static ahead::Leaf leaf(Line& line, uint64 rank, std::vector<Memory>& memory)
{
  ahead::Leaf out{};
  out.dtype = kinds.at(line.word()).number;
  const uint64 offset = line.next<uint64>();
  for (uint64 k = 0; k < rank; ++k) out.stride[k] = line.next<int64>();
  memory.emplace_back(line.bytes());
  out.address = uint64(memory.back().p()) + offset;
  return out;
}

template <class T>
static bool close(T got, T want, double tolerance)
{
  return got == want || (is_nan(got) && is_nan(want)) || std::fabs(double(got) - double(want)) <= tolerance * std::fabs(double(want));
}
template <class T>
static bool parts_close(const unsigned char* got, const unsigned char* want, double tolerance)
{
  complex<T> x, y;
  memcpy(&x, got, sizeof x);
  memcpy(&y, want, sizeof y);
  if (close(x.re, y.re, tolerance) && close(x.im, y.im, tolerance)) { return true; }
  return std::hypot(double(x.re) - double(y.re), double(x.im) - double(y.im)) <= tolerance * std::hypot(double(y.re), double(y.im));
}

// Whether two elements of a dtype are the same: any NaN is, and numbers that are near if that is enough.
static bool same(const std::string& dtype, bool near, const unsigned char* got, const unsigned char* want)
{
  const auto real = [&](auto zero, double tolerance) {
    decltype(zero) x, y;
    memcpy(&x, got, sizeof x);
    memcpy(&y, want, sizeof y);
    if constexpr (sizeof zero == 2) {
      return close(widened(x), widened(y), near ? tolerance : 0);
    } else {
      return close(x, y, near ? tolerance : 0);
    }
  };
  if (dtype == "float16") { return real(float16{}, 1e-3); }
  if (dtype == "bfloat16") { return real(bfloat16{}, 1e-2); }
  if (dtype == "float32") { return real(0.0f, 1e-6); }
  if (dtype == "float64") { return real(0.0, 1e-14); }
  if (dtype == "complex64") { return parts_close<float>(got, want, near ? 4e-6 : 0); }
  if (dtype == "complex128") { return parts_close<double>(got, want, near ? 1e-14 : 0); }
  return memcmp(got, want, kinds.at(dtype).bytes) == 0;
}

static void elementwise(Line& line, const std::string& text)
{
  const std::string name = line.word(), of = line.word();
  const bool near = line.word() == "near";
  ahead::Apply a{};
  const uint64 rank = line.next<uint64>();
  a.shape.rank = rank == 0 ? 1 : rank;
  a.shape.n = 1;
  a.shape.extent[0] = 1;
  for (uint64 k = 0; k < rank; ++k) a.shape.n *= a.shape.extent[k] = line.next<uint64>();
  const std::string to = line.word();
  a.operands = line.next<uint64>();
  std::vector<Memory> memory;
  memory.reserve(4);
  for (uint64 k = 0; k < a.operands; ++k) a.leaf[k + 1] = leaf(line, rank, memory);
  const Bytes want = line.bytes();
  const Operation op = operations.at(name + " " + of);
  a.op = op.number;
  const auto [run, batch] = kernels.at(of + (op.heavy ? " heavy" : " light"));
  const unsigned blocks = unsigned((a.shape.n + THREADS * batch - 1) / (THREADS * batch));
  const uint64 bytes = kinds.at(to).bytes;
  // Results one after another, and with room between them from the last to the first.
  for (const int64 apart : {int64(1), int64(-2)}) {
    Memory out(a.shape.n * 2 * bytes);
    int64 stride = apart * int64(bytes);
    for (uint64 k = rank; k-- > 0; stride *= int64(a.shape.extent[k])) a.leaf[0].stride[k] = stride;
    unsigned char* const first = out.p() + (apart > 0 ? 0 : (a.shape.n - 1) * 2 * bytes);
    a.leaf[0].address = uint64(first);
    a.leaf[0].dtype = kinds.at(to).number;
    check(device::launch(Dim3{blocks, 1, 1}, THREADS, [&, run = run] { run(a); }), "ends: " + text);
    bool right = true;
    for (uint64 i = 0; i < a.shape.n; ++i) {
      const unsigned char* const got = first + int64(i) * apart * int64(bytes);
      right &= same(to, near, got, want.data() + i * bytes);
      // What lies between is as it was.
      for (uint64 k = bytes; k < 2 * bytes && apart < 0; ++k) right &= got[k] == 0xa5;
    }
    check(right, text);
  }
}

// An operand of one value, which is in the argument.
static void constants()
{
  ahead::Apply a{};
  a.op = operations.at("add float64").number;
  a.operands = 2;
  a.shape.n = a.shape.extent[0] = 700;
  a.shape.rank = 1;
  std::vector<double> out(700), x(700);
  for (int i = 0; i < 700; ++i) x[i] = i;
  const float half = 0.5f;
  memcpy(a.leaf[2].value, &half, sizeof half);
  a.leaf[0] = {uint64(out.data()), {}, kinds.at("float64").number, {8}};
  a.leaf[1] = {uint64(x.data()), {}, kinds.at("float64").number, {8}};
  a.leaf[2].dtype = kinds.at("float32").number;
  check(device::launch(Dim3{2, 1, 1}, THREADS, [&] { ahead::apply<double, false>(a); }), "constants end");
  for (int i = 0; i < 700; ++i) check(out[i] == i + 0.5, "a constant");
}

static void reduce(Line& line, const std::string& text)
{
  const std::string name = line.word(), of = line.word();
  const bool near = line.word() == "near";
  ahead::Fold a{};
  a.shape.rank = 3;
  a.shape.n = 1;
  for (uint64 k = 0; k < 3; ++k) a.shape.n *= a.shape.extent[k] = line.next<uint64>();
  a.outer = a.shape.extent[0], a.length = a.shape.extent[1], a.width = a.shape.extent[2];
  std::vector<Memory> memory;
  a.leaf = leaf(line, 3, memory);
  const std::string to = line.word();
  const Bytes want = line.bytes();
  const Reduce run = folds.at(name + " " + of);
  const uint64 bytes = kinds.at(to).bytes, results = a.outer * a.width, kept = held.at(name + " " + of);
  const auto by = [&](uint64 lanes, uint64 pieces, const std::string& how) {
    a.lanes = lanes;
    a.rows = std::max<uint64>((a.length + pieces - 1) / pieces, 1);
    a.pieces = a.width > 1 ? std::max<uint64>((a.length + a.rows - 1) / a.rows, 1) : pieces;
    Memory out(results * bytes), partial(results * a.pieces * kept);
    const uint64 tiles = (a.width + 31) / 32;
    std::vector<uint32> counters(a.outer * tiles, 0);
    a.partial = uint64(partial.p()), a.counters = uint64(counters.data()), a.out = uint64(out.p());
    const uint64 groups = a.width > 1 ? 1 : THREADS / lanes, tasks = a.outer * a.pieces * (a.width > 1 ? tiles : 1);
    const Dim3 grid{unsigned((tasks + groups - 1) / groups), 1, 1};
    check(device::launch(grid, THREADS, [&] { run(a); }), "ends: " + text);
    bool right = true;
    for (uint64 i = 0; i < results; ++i) right &= same(to, near, out.p() + i * bytes, want.data() + i * bytes);
    for (const uint32 counter : counters) right &= counter == 0;
    check(right, std::to_string(lanes) + " lanes, " + std::to_string(pieces) + " pieces, " + how + ": " + text);
  };
  const auto every_way = [&](const std::string& how) {
    if (a.width > 1) return by(32, 1, how), by(32, 2, how);
    by(32, 1, how), by(THREADS, 1, how), by(THREADS, 3, how);
  };
  every_way("three axes");
  // The same elements along one axis, as they follow each other, and with room between them.
  const uint64 size = uint64(a.leaf.stride[2]), n = a.shape.n;
  a.shape.rank = 1;
  a.shape.extent[0] = n;
  a.leaf.stride[0] = int64(size);
  every_way("one axis");
  Memory apart(3 * n * size);
  for (uint64 i = 0; i < n; ++i) memcpy(apart.p() + 3 * i * size, (const char*)a.leaf.address + i * size, size);
  a.leaf.address = uint64(apart.p());
  a.leaf.stride[0] = int64(3 * size);
  every_way("apart");
}

static void sizes(Line& line)
{
  for (const size_t size : {sizeof(ahead::Shape), sizeof(ahead::Leaf), sizeof(ahead::Apply), sizeof(ahead::Fold), size_t(ahead::AXES), size_t(32)}) {
    check(line.next<uint64>() == size, "sizes");
  }
  for (const std::string of : {"uint8", "uint16", "uint32", "uint64", "complex128"}) {
    for (const std::string weight : {" light", " heavy"}) { check(line.next<uint64>() == kernels.at(of + weight).second, "batches"); }
  }
}

int main(int, char** arguments)
{
  tables();
  constants();
  std::ifstream file(arguments[1]);
  for (std::string text; std::getline(file, text);) {
    Line line{std::istringstream(text)};
    const std::string kind = line.word();
    if (kind == "constants") {
      sizes(line);
    } else if (kind == "apply") {
      elementwise(line, text.substr(0, 200));
    } else {
      reduce(line, text.substr(0, 200));
    }
  }
  fprintf(stderr, "%ld checks\n", checks);
  return failures != 0 || checks < 2000;
}
