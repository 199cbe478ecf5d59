// The order of arrays' elements against that of the core's CPU device, and what indexes and searches sorted arrays, kernel by
// kernel on the host's grid. What wraps CUB's parts only nvcc compiles.
#include "memory.h"
#include "../array/indices.cuh"
#include "../array/search.cuh"
#include "../array/shape.cuh"
#include <numeric>
#include <sstream>

using namespace icicle;

template <class K>
static void order(bool ranked, const OrderMasks& masks, const std::vector<u64>& words, const std::vector<u64>& expected)
{
  Order<K> order = Order<K>::of(masks);
  std::string what = "order of " + std::to_string(sizeof(K)) + " bytes";
  std::vector<u64> indices(words.size());
  std::iota(indices.begin(), indices.end(), 0);
  std::stable_sort(indices.begin(), indices.end(), [&](u64 i, u64 j) { return order.key((K)words[i]) < order.key((K)words[j]); });
  std::vector<u64> found;
  for (u64 i : indices) { found.push_back(ranked ? i : order.bits(order.key((K)words[i]))); }
  check(found == expected, what + (ranked ? ", indices" : ""));
  check(order.key(order.highest()) == (K)~(K)0, what + ": the highest has all bits");
  for (u64 word : words) {
    K element = order.bits(order.key((K)word));
    check(order.key(element) == order.key((K)word), what + ": an element keeps its word");
    check(order.is_nan((K)word) == order.is_nan(element), what + ": NaN stays");
  }
}

static BlockTile shape(const std::string& name, u32 a, u32 b, u32 c)
{
  if (name == "onesweep") { return onesweep_tile(a, b, c); }
  if (name == "lines") { return LINE_TILES[a]; }
  if (name == "histogram") { return HISTOGRAM; }
  if (name == "scan") { return SCAN; }
  if (name == "compact") { return COMPACT; }
  return name == "lanes" ? BlockTile{LANES_BLOCK, DIGIT_BITS} : BlockTile{WARP_LINE, DIGITS};
}

// Indices of `lines` of `length`, and what is found by them.
template <class W>
static void indices(u64 lines, u64 length)
{
  u64 n = lines * length, seed = n;
  std::string what = " of " + std::to_string(lines) + " lines of " + std::to_string(length);
  std::vector<W> numbers(n);
  bool ok = device::launch({3}, 64, [&] { number(numbers.data(), (W)n); });
  std::vector<W> expected(n);
  std::iota(expected.begin(), expected.end(), (W)0);
  check(ok && numbers == expected, "numbers" + what);
  // Elements keep their lines.
  for (u64 line = 0; line < lines; line++) {
    for (u64 i = length; i > 1; i--) { std::swap(numbers[line * length + i - 1], numbers[line * length + next_random(seed) % i]); }
  }
  std::vector<u32> of_lines(n), wanted_lines(n);
  std::vector<i64> of_places(n), wanted_places(n);
  std::vector<u64> in(n), gathered(n), wanted(n);
  for (u64& x : in) { x = next_random(seed); }
  for (u64 i = 0; i < n; i++) {
    wanted_lines[i] = (u32)(i / length);
    wanted_places[i] = (i64)(numbers[i] % length);
    wanted[i] = in[numbers[i]];
  }
  OrderMasks plain = {~0ull, ~0ull, 0, 0, 0, 0, 0};
  ok = device::launch({2}, 64, [&] { line_numbers(numbers.data(), of_lines.data(), (W)n, (W)length); }) &&
       device::launch({2}, 64, [&] { places(numbers.data(), of_places.data(), (W)n, (W)length); }) &&
       device::launch({2}, 64, [&] { gather(in.data(), numbers.data(), gathered.data(), (W)n, plain); });
  check(ok && of_lines == wanted_lines && of_places == wanted_places && gathered == wanted, "indices" + what);
}

// Places of values in `n` sorted numbers with repetitions, and the runs there.
static void searches(u64 n)
{
  u64 seed = n + 7, count = 200;
  std::vector<u32> sorted(n), values(count);
  for (u32& x : sorted) { x = (u32)(next_random(seed) % (n / 2 + 3)); }
  for (u32& x : values) { x = (u32)(next_random(seed) % (n / 2 + 5)); }
  std::sort(sorted.begin(), sorted.end());
  OrderMasks plain = {~0u, ~0u, 0, 1, 0, 0, 0};
  for (u32 right : {0u, 1u}) {
    std::vector<i64> found(count), expected;
    for (u32 x : values) {
      auto at = right ? std::upper_bound(sorted.begin(), sorted.end(), x) : std::lower_bound(sorted.begin(), sorted.end(), x);
      expected.push_back(at - sorted.begin());
    }
    bool ok = device::launch({2}, 32, [&] { search(sorted.data(), values.data(), found.data(), n, count, right, plain); });
    check(ok && found == expected, "search in " + std::to_string(n));
  }
  std::vector<u8> begins(n), expected_begins(n);
  std::vector<i64> starts;
  for (u64 i = 0; i < n; i++) {
    expected_begins[i] = i == 0 || sorted[i] != sorted[i - 1];
    if (expected_begins[i]) { starts.push_back((i64)i); }
  }
  bool ok = device::launch({2}, 64, [&] { run_starts(sorted.data(), begins.data(), n, plain); });
  check(ok && begins == expected_begins, "run starts of " + std::to_string(n));
  u64 runs = starts.size();
  std::vector<i64> lengths(runs), permutation(n), numbers(n), expected_numbers(n);
  std::iota(permutation.rbegin(), permutation.rend(), 0);
  for (u64 i = 0, run = 0; i < n; i++) {
    run += i > 0 && expected_begins[i];
    expected_numbers[(u64)permutation[i]] = (i64)run;
  }
  ok = device::launch({2}, 64, [&] { run_lengths(starts.data(), lengths.data(), runs, n); }) &&
       device::launch({2}, 64, [&] { run_numbers(permutation.data(), starts.data(), numbers.data(), runs, n); });
  check(ok && std::accumulate(lengths.begin(), lengths.end(), (i64)0) == (i64)n, "run lengths of " + std::to_string(n));
  for (u64 k = 0; k < runs; k++) {
    check(lengths[k] == std::count(sorted.begin(), sorted.end(), sorted[(u64)starts[k]]), "run length of " + std::to_string(n));
  }
  check(numbers == expected_numbers, "run numbers of " + std::to_string(n));
}

int main(int, char** arguments)
{
  std::ifstream in(arguments[1]);
  long orders = 0, shapes = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "shape") {
      std::string name;
      u32 a, b, c, threads, items;
      words >> name >> a >> b >> c >> threads >> items;
      BlockTile own = shape(name, a, b, c);
      check(own.threads == threads && own.items == items, line);
      shapes++;
      continue;
    }
    u32 ranked, bytes;
    u64 n;
    words >> ranked >> bytes >> n >> std::hex;
    auto read = [&] {
      u64 x;
      words >> x;
      return x;
    };
    OrderMasks masks;
    masks.magnitude = read(), masks.infinity = read(), masks.nan = read(), masks.smallest = read();
    masks.negative = read(), masks.positive = read(), masks.shift = read();
    std::vector<u64> elements(n), expected(n);
    std::generate(elements.begin(), elements.end(), read);
    std::generate(expected.begin(), expected.end(), read);
    check(!words.fail(), "a whole line");
    switch (bytes) {
    case 1: order<u8>(ranked, masks, elements, expected); break;
    case 2: order<unsigned short>(ranked, masks, elements, expected); break;
    case 4: order<u32>(ranked, masks, elements, expected); break;
    default: order<u64>(ranked, masks, elements, expected);
    }
    orders++;
  }
  check(orders == 13 * 4 && shapes == 25, "every dtype in both directions, and every shape");
  indices<u32>(1, 500);
  indices<u32>(7, 33);
  indices<u64>(5, 41);
  indices<u64>(40, 1);
  for (u64 n : {1, 2, 3, 31, 32, 33, 1000}) { searches(n); }
  printf("%ld checks, %d failures\n", checks, failures);
  return failures != 0;
}
