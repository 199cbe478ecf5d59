// Share one long sum out over every device of the machine, a thread each.
// Try ICICLE_CPU_DEVICES=4, which makes four devices of the processor.
#include <icicle.hpp>

#include <cstdio>
#include <future>
#include <numeric>

int main() {
  const std::uint64_t n = 1 << 20, modulus = 2013265921;
  std::vector<std::uint32_t> x(n);
  std::iota(x.begin(), x.end(), 0);
  const std::vector<icicle::Device> devices = icicle::devices();

  std::vector<std::future<std::uint32_t>> sums;
  for (std::size_t k = 0; k < devices.size(); k++) {
    const auto from = n * k / devices.size(), to = n * (k + 1) / devices.size();
    sums.push_back(std::async(std::launch::async, [&, k, from, to] {
      icicle::DeviceGuard current(devices[k]);  // of this thread
      std::uint32_t sum = 0;
      icicle::vector_sum(ICICLE_FIELD_BABYBEAR, x.data() + from, to - from, &sum);
      std::printf("%s:%d %zu elements\n", devices[k].type().c_str(), devices[k].id(), std::size_t(to - from));
      return sum;
    }));
  }
  std::uint64_t total = 0;
  for (auto &sum : sums) total += sum.get();  // throws what the thread threw
  if (total % modulus != n * (n - 1) / 2 % modulus) return 1;
  std::puts("the parts' sum is right");
}
