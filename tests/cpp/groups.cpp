// Groups, jobs over them and sharded vectors of icicle.hpp.
#include "icicle.hpp"
#include "check.hpp"

#include <atomic>
#include <stdexcept>

using Scalar = babybear_scalar_t;

static std::vector<Scalar> random_elements(std::size_t n) {
  std::vector<Scalar> values(n);
  babybear_generate_scalars(values.data(), static_cast<int>(n));
  CHECK(values[0].limbs[0] != values[1].limbs[0]);
  return values;
}

static bool same(const std::vector<Scalar> &a, const std::vector<Scalar> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Scalar)) == 0;
}

int main() {
  using namespace icicle;
  setenv("ICICLE_CPU_DEVICES", "4", 1);  // read when the first device is asked for
  CHECK(!Group().devices().empty());
  CHECK(code_of([] { Group(std::vector<Device>{}); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([] { Group({Device::cpu(1), Device::cpu(1)}); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([] { Group({Device::cpu(63)}); }) == ICICLE_INVALID_DEVICE);
  CHECK(code_of([] { Group({Device::cpu()}, {1, 2}); }) == ICICLE_INVALID_ARGUMENT);

  Group made({Device::cpu(0), Device::cpu(2), Device::cpu(3)}, {1, 2, 1});
  Group group(std::move(made));
  CHECK(made.raw() == nullptr && group.devices()[1] == Device::cpu(2) && group.shares()[1] == 2);

  std::vector<int> results(50);
  std::atomic<int> told{0};
  group.map(50, [&](const icicle_group_job_t &place) {
    CHECK(Device::current() == group.devices()[static_cast<std::size_t>(place.position)]);
    results[static_cast<std::size_t>(place.job)] = static_cast<int>(place.job * place.job);
  }, 2, [&](std::int64_t done, std::int64_t total) { return ++told == done && total == 50; });
  for (int i = 0; i < 50; i++) CHECK(results[static_cast<std::size_t>(i)] == i * i);
  CHECK(told == 50);
  try {
    group.map(5, [](const icicle_group_job_t &place) {
      if (place.job == 3) throw std::out_of_range("three");
    });
    CHECK(false);
  } catch (const std::out_of_range &error) {
    CHECK(std::string(error.what()) == "three");
  }
  CHECK(code_of([&] { group.map(5, [](const icicle_group_job_t &) { check(icicle_set_device(nullptr)); }); }) == ICICLE_INVALID_POINTER);
  CHECK(code_of([&] {
    group.map(100, [](const icicle_group_job_t &) {}, 1, [](std::int64_t done, std::int64_t) { return done < 5; });
  }) == ICICLE_CANCELLED);
  CHECK(code_of([&] { group.map(1, [](const icicle_group_job_t &) {}, 0); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { group.map(-1, [](const icicle_group_job_t &) {}); }) == ICICLE_INVALID_ARGUMENT);

  const icicle_field_t field = ICICLE_FIELD_BABYBEAR;
  const std::size_t n = 1 << 12;
  const std::vector<Scalar> a = random_elements(n), b = random_elements(n);
  std::vector<Scalar> expected(n);
  for (Layout layout : {Layout::blocks, Layout::cyclic, Layout::replicated}) {
    Sharded<Scalar> x(group, a, layout), y(group, b, layout), out(group, n, layout);
    CHECK(same(x.to_vector(), a) && same(x.reshard(Layout::cyclic).to_vector(), a));
    vector_binary(group, field, Operation::mul, x, y, out);
    vector_mul(field, a.data(), b.data(), n, expected.data());
    CHECK(same(out.to_vector(), expected));
    Scalar sum, whole;
    vector_sum(group, field, x, &sum);
    vector_sum(field, a.data(), n, &whole);
    CHECK(sum.limbs[0] == whole.limbs[0]);
    vector_product(group, field, x, &sum);
    vector_product(field, a.data(), n, &whole);
    CHECK(sum.limbs[0] == whole.limbs[0]);
    CHECK(code_of([&] { vector_binary(group, field, Operation::add, x, y, x); }) == ICICLE_INVALID_ARGUMENT);
    CHECK(x.layout() == layout && x.part(1).count > 0 && x.part(1).data != nullptr);
    vector_scalar(group, field, Operation::mul, &b[0], x, out);
    scalar_mul(field, &b[0], a.data(), n, expected.data());
    CHECK(same(out.to_vector(), expected));
    vector_inv(group, field, x, out);
    vector_inv(field, a.data(), n, expected.data());
    CHECK(same(out.to_vector(), expected));
    convert_montgomery(group, field, x, true, out);
    convert_montgomery(field, a.data(), n, true, expected.data());
    CHECK(same(out.to_vector(), expected));
    if (layout != Layout::cyclic) {
      std::vector<Scalar> values(2), wanted(2);
      polynomial_evaluate(group, field, x, b.data(), 2, values.data());
      polynomial_evaluate(field, a.data(), n, b.data(), 2, wanted.data());
      CHECK(same(values, wanted));
    }
    void *program = icicle_create_predefined_program(field, 0);
    Sharded<Scalar> c(group, a, layout), d(group, b, layout);
    execute_program(group, field, program, {x.raw(), y.raw(), c.raw(), d.raw()});
    vector_mul(field, a.data(), b.data(), n, expected.data());
    vector_sub(field, expected.data(), a.data(), n, expected.data());
    CHECK(same(d.to_vector(), expected));
    check(delete_program(program));
    vector_accumulate(group, field, x, y);
    vector_add(field, a.data(), b.data(), n, expected.data());
    CHECK(same(x.to_vector(), expected));
  }

  CHECK(link(Device::cpu(0), Device::cpu(2)).kind == LinkKind::same_memory && link(Device::cpu(0), Device::cpu(2)).bytes_per_second > 0);
  const icicle_field_t extension = ICICLE_FIELD_BABYBEAR_EXTENSION;
  std::vector<babybear_extension_t> wide(n), product(n);
  std::memcpy(wide.data(), random_elements(4 * n).data(), 4 * n * sizeof(Scalar));
  Sharded<babybear_extension_t> w(group, wide), p(group, n);
  vector_mixed_mul(group, extension, w, Sharded<Scalar>(group, a), p);
  vector_mixed_mul(extension, wide.data(), a.data(), n, product.data());
  CHECK(std::memcmp(p.to_vector().data(), product.data(), n * sizeof(product[0])) == 0);

  ntt_init_domain(group, field, n);
  ntt_init_domain(field, n);
  icicle_ntt_config_1_t config = icicle_ntt_config_1_default();
  std::vector<Scalar> got(n);
  ntt(field, a.data(), n, false, expected.data(), config);
  ntt(group, field, a.data(), n, false, got.data(), config);
  CHECK(same(got, expected));
  Sharded<Scalar> in(group, a), out(group, n);
  ntt(group, field, in, false, out, config);
  CHECK(same(out.to_vector(), expected));
  ntt_release_domain(group, field);

  std::vector<bn254_affine_t> points(100);
  std::vector<bn254_scalar_t> scalars(100);
  bn254_generate_affine_points(points.data(), 100);
  bn254_generate_scalars(scalars.data(), 100);
  CHECK(points[0].x.limbs[0] != points[1].x.limbs[0] && scalars[0].limbs[0] != scalars[1].limbs[0]);
  bn254_projective_t one, divided, sharded;
  msm(ICICLE_CURVE_BN254, scalars.data(), points.data(), 100, &one);
  msm(group, ICICLE_CURVE_BN254, scalars.data(), points.data(), 100, &divided);
  msm(group, ICICLE_CURVE_BN254, Sharded<bn254_scalar_t>(group, scalars), Sharded<bn254_affine_t>(group, points), &sharded);
  CHECK(std::memcmp(&one, &divided, sizeof one) == 0 && std::memcmp(&one, &sharded, sizeof one) == 0);
}
