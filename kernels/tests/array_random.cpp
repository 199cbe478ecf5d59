// Random numbers on the host's grid, against those of the core's CPU device, to the bit.
#include "device.h"

#include "../array/normal.cuh"
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

using Bytes = std::vector<unsigned char>;
struct alignas(32) Line {
  unsigned char byte[32];
};

// `word`: the number of elements, a place for their address, the key, and what the rule is made of. With 32 bytes behind them
// that must stay.
template <class Rule>
static Bytes filled(std::vector<uint64> word)
{
  const uint64 n = word[0], bytes = n * sizeof(typename Rule::Out);
  std::vector<Line> lines(bytes / 32 + 2);
  std::memset((void*)lines.data(), 0xa5, lines.size() * 32);
  word[1] = uint64(lines.data());
  const uint64 threads = (n + Rule::OF_BLOCK - 1) / Rule::OF_BLOCK;
  const Dim3 grid{unsigned((threads + THREADS - 1) / THREADS), 1, 1};
  check(device::launch(grid, THREADS, [&] { random::fill<Rule>(word.data()); }), "fill ends");
  const auto* const first = (const unsigned char*)lines.data();
  const auto untouched = [](unsigned char byte) { return byte == 0xa5; };
  check(std::all_of(first + bytes, first + lines.size() * 32, untouched), "nothing is written behind");
  return Bytes(first, first + bytes);
}

using Fill = Bytes (*)(std::vector<uint64>);

template <class T>
static void integers(std::map<std::string, Fill>& rules, const std::string& name)
{
  rules["Few<" + name + ">"] = filled<random::Few<T>>;
  rules["Many<" + name + ">"] = filled<random::Many<T>>;
}

int main(int, char** arguments)
{
  std::map<std::string, Fill> rules = {
    {"Bits<uint8>", filled<random::Bits<uint8>>},         {"Bits<uint16>", filled<random::Bits<uint16>>},
    {"Bits<uint32>", filled<random::Bits<uint32>>},       {"Bits<uint64>", filled<random::Bits<uint64>>},
    {"Uniform<float32>", filled<random::Uniform<float>>}, {"Uniform<float64>", filled<random::Uniform<double>>},
    {"Normal<float32>", filled<random::Normal<float>>},   {"Normal<float64>", filled<random::Normal<double>>},
    {"Bernoulli", filled<random::Bernoulli>},
  };
  integers<int8>(rules, "int8");
  integers<int16>(rules, "int16");
  integers<int32>(rules, "int32");
  integers<int64>(rules, "int64");
  integers<uint8>(rules, "uint8");
  integers<uint16>(rules, "uint16");
  integers<uint32>(rules, "uint32");
  integers<uint64>(rules, "uint64");
  std::ifstream file(arguments[1]);
  std::map<std::string, int> seen;
  for (std::string text; std::getline(file, text);) {
    std::istringstream in(text);
    std::string name, hex;
    uint64 n, key, upper, count;
    in >> name >> n >> key >> upper >> count;
    std::vector<uint64> word = {n, 0, key, upper};
    for (uint64 k = 0, next; k < count && in >> next; ++k) word.push_back(next);
    in >> hex;
    Bytes want;
    for (size_t i = 0; i + 1 < hex.size(); i += 2) want.push_back((unsigned char)std::stoul(hex.substr(i, 2), nullptr, 16));
    if (!rules.count(name)) {
      check(false, "no rule " + name);
      continue;
    }
    check(rules[name](word) == want, text.substr(0, 80));
    seen[name]++;
  }
  check(seen.size() == rules.size(), "cases of every rule");
  printf("%ld checks, %d failures\n", checks, failures);
  return failures != 0;
}
