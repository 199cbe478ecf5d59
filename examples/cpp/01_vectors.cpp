// Add two vectors of BabyBear elements on every device of the machine.
#include <icicle.hpp>

#include <cstdio>

int main() {
  for (const icicle::Device &device : icicle::devices()) {
    icicle::DeviceGuard current(device);  // this thread's device until destroyed
    icicle::Buffer<std::uint32_t> a({1, 2, 3}), b({10, 20, 2013265920}), sum(3);  // 2013265920: the modulus less 1
    icicle::vector_add(ICICLE_FIELD_BABYBEAR, a.data(), b.data(), 3, sum.data());
    const std::vector<std::uint32_t> host = sum.to_vector();
    if (host != std::vector<std::uint32_t>{11, 22, 2}) return 1;
    std::printf("%s:%d %u %u %u\n", device.type().c_str(), device.id(), host[0], host[1], host[2]);
  }
}
