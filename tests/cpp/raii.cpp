// Owners, exceptions and thin wrappers of icicle.hpp.
#include "icicle.hpp"
#include "check.hpp"

static bool pinned_end_is_zero(const icicle::PinnedBuffer<babybear_scalar_t> &pinned) {
  return pinned[pinned.size() - 1].limbs[0] == 0;
}

int main() {
  using namespace icicle;
  CHECK(!devices().empty() && devices().back() == Device::cpu(devices().back().id()));
  {
    DeviceGuard guard(Device::cpu());
    CHECK(Device::current() == Device::cpu());
  }
  CHECK(Device::cpu().info().units >= 1);
  CHECK(code_of([] { Device("ABACUS", 0).set_current(); }) == ICICLE_INVALID_DEVICE);
  CHECK(code_of([] { Buffer<int> big(SIZE_MAX / sizeof(int)); }) == ICICLE_ALLOCATION_FAILED);

  Stream stream, moved(std::move(stream));
  Event start(true), end(true);
  start.record(moved);
  end.record(moved);
  moved.wait(end);
  moved.synchronize();
  end.synchronize();
  CHECK(end.query() && start.milliseconds_to(end) >= 0);

  const auto used = Device::cpu().memory().used;
  {
    std::vector<babybear_scalar_t> host{{{1}}, {{2}}, {{3}}, {{2013265920}}};
    Buffer<babybear_scalar_t> a(host), out(4);
    Buffer<babybear_scalar_t> b(std::move(a));
    CHECK(a.data() == nullptr && a.size() == 0 && b.size() == 4);
    Buffer<babybear_scalar_t> assigned(1);
    assigned = std::move(b);
    CHECK(assigned.size() == 4 && assigned.bytes() == 16 && assigned.to_vector()[2].limbs[0] == 3);
    b = std::move(assigned);
    CHECK(b.size() == 4 && b.to_vector()[3].limbs[0] == 2013265920);
    PinnedBuffer<babybear_scalar_t> other(4), pinned(1);
    pinned = std::move(other);
    CHECK(pinned.size() == 4 && pinned.end() - pinned.begin() == 4 && pinned_end_is_zero(pinned));
    for (auto &x : pinned) x.limbs[0] = 5;
    vector_add(ICICLE_FIELD_BABYBEAR, b.data(), pinned.data(), 4, out.data());
    const auto sum = out.to_vector();
    CHECK(sum[0].limbs[0] == 6 && sum[3].limbs[0] == 4);

    ntt_init_domain(ICICLE_FIELD_BABYBEAR, 8);
    auto config = icicle_ntt_config_1_default();
    ntt(ICICLE_FIELD_BABYBEAR, b.data(), 4, false, out.data(), config);
    CHECK(out.to_vector()[0].limbs[0] == 5);
    ntt(ICICLE_FIELD_BABYBEAR, out.data(), 4, true, out.data(), config);
    CHECK(std::memcmp(out.to_vector().data(), host.data(), 16) == 0);
    ntt_release_domain(ICICLE_FIELD_BABYBEAR);

    bn254_projective_t generator, twice, result;
    bn254_affine_t base;
    bn254_scalar_t two;
    bn254_generator(&generator);
    bn254_to_affine(&generator, &base);
    bn254_from_u32(2, &two);
    msm(ICICLE_CURVE_BN254, &two, &base, 1, &result);
    bn254_ecadd(&generator, &generator, &twice);
    CHECK(bn254_projective_eq(&twice, &result));

    std::uint32_t same[2] = {7, 7};
    bn254_projective_t points[2] = {generator, twice}, sums[2], products[2];
    const auto curve = ICICLE_CURVE_BN254;
    points_add(curve, points, points, 2, sums);
    auto one_scalar = icicle_points_config_default();
    one_scalar.is_a_single = true;
    points_mul(curve, &two, points, 2, products, one_scalar);
    CHECK(std::memcmp(sums, products, sizeof sums) == 0);
    points_negate(curve, products, 2, products);
    points_equal(curve, sums, products, 2, same);
    CHECK(same[0] == 0 && same[1] == 0);
    points_sub(curve, points, products, 2, sums);
    points_normalize(curve, sums, 2, products);
    points_equal(curve, sums, products, 2, same);
    CHECK(same[0] == 1 && same[1] == 1);
    CHECK(code_of([] { points_add(ICICLE_CURVE_BN254, nullptr, nullptr, 2, nullptr); }) == ICICLE_INVALID_POINTER);
  }
  CHECK(Device::cpu().memory().used == used);
  std::puts("raii: ok");
}
