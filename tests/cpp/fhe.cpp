// Encrypted integers of icicle.hpp, against C++'s own arithmetic.
#include "icicle.hpp"
#include "check.hpp"

#include <thread>

namespace fhe = icicle::fhe;
using fhe::Array;
using icicle::Device;
using icicle::Group;

/// Keys and results on a GPU where there is one, else on the CPU.
static void on_a_device(const fhe::ClientKey &client, const fhe::ServerKey &server, const Array &x, const Array &y) {
  const auto is = [&](const Array &array, const std::vector<std::uint8_t> &values) {
    return client.decrypt<std::uint8_t>(array) == values;
  };
  const bool gpu = Device::cuda().is_available();
  const Device device = gpu ? Device::cuda() : Device::cpu();
  const fhe::ServerKey key = client.compressed_server_key().decompress(device);
  const auto before = device.memory().used;
  Array sum;
  {
    const fhe::ServerKeyGuard guard(key);
    sum = x + y;
    const auto after = device.memory().used;
    CHECK(!gpu || after - before == 2 * 4 * 2049 * 8);  // where the key is: two integers of four blocks
    CHECK(is((x < sum).select(x, sum), {44, 7}));
    // Parts of it have its memory.
    const Array part = sum.slice(1, 2), both = Array::concatenate({part, sum}), twice = part.repeat(2);
    CHECK(device.memory().used == after && is(both, {16, 44, 16}) && is(twice, {16, 16}));
  }
  CHECK(is(Array::from_bytes(sum.to_bytes()), {44, 16}));
  CHECK(code_of([&] { key.to_bytes(); }) == (gpu ? ICICLE_API_NOT_IMPLEMENTED : ICICLE_SUCCESS));
  // Over both, from the CPU's key; what lies on one is an operand for both, and for the CPU.
  const Group group(gpu ? std::vector<Device>{device, Device::cpu()} : std::vector<Device>{device});
  CHECK(code_of([&] { key.over(group); }) == (gpu ? ICICLE_API_NOT_IMPLEMENTED : ICICLE_SUCCESS));
  for (const fhe::ServerKey &other : {server.over(group), server}) {
    const fhe::ServerKeyGuard guard(other);
    CHECK(is(sum + y, {144, 25}));
  }
}

int main() {
  const fhe::ClientKey client;
  const fhe::ServerKey server = client.server_key(Device::cpu());
  const Array x = client.encrypt<std::uint8_t>({200, 7}), y = client.encrypt<std::uint8_t>({100, 9});
  const auto is = [&](const Array &array, const std::vector<std::uint8_t> &values) {
    return client.decrypt<std::uint8_t>(array) == values;
  };
  const auto holds = [&](const Array &array, const std::vector<bool> &values) { return client.decrypt<bool>(array) == values; };
  CHECK(x.kind() == ICICLE_FHE_UINT8 && x.size() == 2 && fhe::type_name(x.kind()) == "uint8");
  CHECK(code_of([&] { x + y; }) == ICICLE_INVALID_ARGUMENT);
  CHECK(!fhe::ServerKey::current() && server);
  {
    const fhe::ServerKeyGuard guard(server);
    CHECK(fhe::ServerKey::current());
    CHECK(is(x + y, {44, 16}) && is(x - y, {100, 254}) && is(x * y, {32, 63}));
    CHECK(is(x * std::uint8_t(3), {88, 21}) && is(std::uint8_t(1) - x, {57, 250}));
    CHECK(is(x + std::vector<std::uint8_t>{1, 2}, {201, 9}));
    CHECK(is(x & y, {64, 1}) && is(x | y, {236, 15}) && is(x ^ std::uint8_t(255), {55, 248}));
    CHECK(is(-x, {56, 249}) && is(~x, {55, 248}) && is(x << std::uint8_t(1), {144, 14}) && is(x >> y, {12, 3}));
    CHECK(is(rotate_left(x, std::uint8_t(4)), {0x8c, 0x70}) && is(rotate_right(x, std::uint8_t(4)), {0x8c, 0x70}));
    CHECK(is(min(x, y), {100, 7}) && is(max(x, std::uint8_t(50)), {200, 50}));
    CHECK(holds(x == std::uint8_t(7), {false, true}) && holds(x != y, {true, true}) && holds(x < y, {false, true}));
    CHECK(holds(x <= y, {false, true}) && holds(x > y, {true, false}) && holds(std::uint8_t(7) >= x, {false, true}));
    const auto sum = overflowing_add(x, y), difference = overflowing_sub(x, y);
    CHECK(is(sum.first, {44, 16}) && holds(sum.second, {true, false}) && holds(difference.second, {false, true}));
    const Array less = x < y;
    CHECK(is(less.select(x, std::uint8_t(1)), {1, 7}) && holds(!less, {true, false}) && holds(less | !less, {true, true}));
    CHECK(client.decrypt<std::uint32_t>(less.count<std::uint32_t>()) == std::vector<std::uint32_t>{1});
    CHECK(client.decrypt<std::uint64_t>(x.cast<std::uint64_t>()) == (std::vector<std::uint64_t>{200, 7}));
    CHECK(client.decrypt<std::uint8_t>(x.sum()) == std::vector<std::uint8_t>{207});
    CHECK(is(Array::trivial<std::uint8_t>({5, 6}), {5, 6}));
    CHECK(code_of([&] { x + client.encrypt<std::uint16_t>({1, 2}); }) == ICICLE_INVALID_ARGUMENT);
    CHECK(code_of([&] { client.decrypt<std::uint16_t>(x); }) == ICICLE_INVALID_ARGUMENT);
    CHECK(code_of([&] { Array() + x; }) == ICICLE_INVALID_ARGUMENT);
    // A thread has no key of another.
    std::thread([&] { CHECK(code_of([&] { -x; }) == ICICLE_INVALID_ARGUMENT); }).join();
    {
      const fhe::ServerKeyGuard over(server.over(Group()));
      CHECK(is(x + y, {44, 16}));
    }
    // The key from before is the thread's again.
    CHECK(fhe::ServerKey::current() && is(-x, {56, 249}));
  }
  CHECK(!fhe::ServerKey::current());
  on_a_device(client, server, x, y);
  CHECK(is(Array::concatenate({x.slice(1, 2), y.slice(0, 1)}), {7, 100}) && is(x.slice(1, 2).repeat(2), {7, 7}));
  CHECK(fhe::op_name(ICICLE_FHE_NEG) == "neg" && fhe::op_name(ICICLE_FHE_SHL) == "shl");
  CHECK(fhe::op_name(ICICLE_FHE_OVERFLOWING_ADD) == "overflowing_add");
  std::puts("ok");
}
