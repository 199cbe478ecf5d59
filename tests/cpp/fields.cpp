// Every wrapper of icicle/device.hpp, memory.hpp, field.hpp and program.hpp, over BabyBear; expected values by hand.
#include "check.hpp"

#include <algorithm>

using namespace icicle;

static constexpr std::uint32_t p = 2013265921;
static constexpr icicle_field_t F = ICICLE_FIELD_BABYBEAR, E = ICICLE_FIELD_BABYBEAR_EXTENSION;
using Vec = std::vector<std::uint32_t>;

static void device_and_memory() {
  CHECK(version().size() >= 5);
  CHECK(device_types().back() == "CPU" && device_count() >= 1 && device_properties().using_host_memory);
  CHECK(Device::cpu().is_available() && !Device("ABACUS", 0).is_available());
  CHECK(Device::cpu().can_access(Device::cpu()) && Device::cpu().facts().find('=') != std::string::npos);
  Device::cpu().set_default();
  Device::cpu().set_memory_limit(1 << 20);
  CHECK(code_of([] { Buffer<char> big(2 << 20); }) == ICICLE_OUT_OF_MEMORY);
  Device::cpu().set_memory_limit(UINT64_MAX);
  Device::cpu().trim_memory();
  const auto [total, free_bytes] = available_memory();
  CHECK(free_bytes > 0 && free_bytes <= total);

  Stream stream;
  Buffer<std::uint32_t> a(4, stream), b(4);
  const Vec ones{1, 1, 1, 1}, counted{1, 2, 3, 4};
  a.fill_bytes(0xff, stream);
  stream.synchronize();
  CHECK(a.to_vector()[3] == 0xffffffff);
  b.fill_bytes(0);
  CHECK(b.to_vector() == Vec(4));
  a.copy_from(counted.data(), 4, stream);
  b.copy_from(a, stream);
  Vec back(4);
  b.copy_to(back.data(), 4, stream);
  synchronize();
  CHECK(back == counted);
  b.copy_from(ones.data(), 4);
  a.copy_from(b);
  copy(back.data(), a.data(), 16);
  CHECK(back == ones);
  copy(a.data(), counted.data(), 16, stream);
  stream.synchronize();
  CHECK(a.to_vector() == counted);
  CHECK(code_of([&] { a.copy_from(ones.data(), 3); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(pointer_attributes(a.data() + 1).is_device && pointer_attributes(a.data() + 1).bytes == 16);
  CHECK(is_current_device_memory(a.data()) && !is_host_memory(a.data()) && is_host_memory(back.data()));
  a.release(stream);
  CHECK(a.size() == 0 && a.data() == nullptr);

  Extension extension;
  extension.set("threads", 7);
  extension.set("quiet", true);
  Extension copied(extension), assigned;
  assigned = std::move(extension);
  CHECK(copied.get_int("threads") == 7 && assigned.get_bool("quiet"));
  CHECK(code_of([&] { copied.get_int("missing"); }) == ICICLE_INVALID_ARGUMENT);
}

static void elements() {
  CHECK(fields().size() == 24 && curves().size() == 9);
  CHECK(supports(ICICLE_OP_NTT, F) && !supports(ICICLE_OP_NTT, ICICLE_FIELD_M31));
  CHECK(supports(ICICLE_OP_MSM, ICICLE_CURVE_BN254) && !supports(ICICLE_OP_EC_NTT, ICICLE_CURVE_BN254_G2));
  const std::uint32_t a = p - 1, b = 2;
  std::uint32_t out = 0;
  field_add(F, &a, &b, &out); CHECK(out == 1);
  field_sub(F, &b, &a, &out); CHECK(out == 3);
  field_mul(F, &a, &b, &out); CHECK(out == p - 2);
  field_sqr(F, &a, &out); CHECK(out == 1);
  field_inv(F, &b, &out); CHECK(out == (p + 1) / 2);
  field_pow(F, &b, 10, &out); CHECK(out == 1024);
  field_from_u32(F, p + 5, &out); CHECK(out == 5 && field_eq(F, &out, &out) && !field_eq(F, &a, &b));
  const std::uint8_t bytes[4] = {1, 2, 0, 0};
  field_from_bytes_le(F, bytes, &out); CHECK(out == 513);
  Vec random(64);
  field_random(F, random.data(), 64);
  check_elements(F, random.data(), 64);
  CHECK(std::any_of(random.begin(), random.end(), [&](std::uint32_t x) { return x != random[0]; }));
  CHECK(code_of([] { check_elements(F, Vec{p}.data(), 1); }) == ICICLE_INVALID_ARGUMENT);
}

static void vectors() {
  const Vec a{1, 2, 3, 4}, b{5, 6, 7, p - 1};
  Vec out(4);
  vector_add(F, a.data(), b.data(), 4, out.data()); CHECK((out == Vec{6, 8, 10, 3}));
  vector_sub(F, b.data(), a.data(), 4, out.data()); CHECK((out == Vec{4, 4, 4, p - 5}));
  vector_mul(F, a.data(), b.data(), 4, out.data()); CHECK((out == Vec{5, 12, 21, p - 4}));
  vector_div(F, out.data(), b.data(), 4, out.data()); CHECK(out == a);
  vector_accumulate(F, out.data(), a.data(), 4); CHECK((out == Vec{2, 4, 6, 8}));
  scalar_add(F, &b[0], a.data(), 4, out.data()); CHECK((out == Vec{6, 7, 8, 9}));
  scalar_sub(F, &b[0], a.data(), 4, out.data()); CHECK((out == Vec{4, 3, 2, 1}));
  scalar_mul(F, &b[3], a.data(), 4, out.data()); CHECK((out == Vec{p - 1, p - 2, p - 3, p - 4}));
  vector_inv(F, a.data(), 4, out.data()), vector_mul(F, out.data(), a.data(), 4, out.data());
  CHECK((out == Vec{1, 1, 1, 1}));
  vector_sum(F, a.data(), 4, out.data()); CHECK(out[0] == 10);
  vector_product(F, a.data(), 4, out.data()); CHECK(out[0] == 24);
  convert_montgomery(F, a.data(), 4, true, out.data()); CHECK(out[0] == (std::uint64_t(1) << 32) % p);
  convert_montgomery(F, out.data(), 4, false, out.data()); CHECK(out == a);
  bit_reverse(F, a.data(), 4, out.data()); CHECK((out == Vec{1, 3, 2, 4}));
  Vec odd(2);
  slice(F, a.data(), 4, 1, 2, 2, odd.data()); CHECK((odd == Vec{2, 4}));
  std::int64_t last = 0;
  highest_non_zero(F, Vec{1, 0, 9, 0}.data(), 4, &last); CHECK(last == 2);
  const Vec extension{1, 2, 3, 4, 5, 6, 7, 8}, two{2, 3};
  Vec product(8);
  vector_mixed_mul(E, extension.data(), two.data(), 2, product.data());
  CHECK((product == Vec{2, 4, 6, 8, 15, 18, 21, 24}));

  VectorConfig columns = icicle_vec_ops_config_default();
  columns.batch_size = 2;
  columns.columns_batch = true;
  vector_sum(F, a.data(), 2, out.data(), columns); CHECK(out[0] == 4 && out[1] == 6);
  CHECK(code_of([&] { vector_add(F, nullptr, b.data(), 4, out.data()); }) == ICICLE_INVALID_POINTER);
}

static void polynomials_and_matrices() {
  // 3x² + 2x + 1 at 0, 1, 2; (x² - 1) = (x - 1)(x + 1) + 0.
  Vec values(3);
  polynomial_evaluate(F, Vec{1, 2, 3}.data(), 3, Vec{0, 1, 2}.data(), 3, values.data());
  CHECK((values == Vec{1, 6, 17}));
  Vec quotient(2), remainder(3, 9);
  polynomial_divide(F, Vec{p - 1, 0, 1}.data(), 3, Vec{1, 1}.data(), 2, quotient.data(), 2, remainder.data(), 3);
  CHECK((quotient == Vec{p - 1, 1}) && remainder == Vec(3));
  const Vec a{1, 2, 3, 4, 5, 6};  // two rows
  Vec product(4), transposed(6);
  matrix_transpose(F, a.data(), 2, 3, transposed.data()); CHECK((transposed == Vec{1, 4, 2, 5, 3, 6}));
  matrix_multiply(F, a.data(), 2, 3, transposed.data(), 3, 2, product.data());
  CHECK((product == Vec{14, 32, 32, 77}));
  MatmulConfig config = icicle_matmul_config_default();
  config.b_transposed = true;
  matrix_multiply(F, a.data(), 2, 3, a.data(), 2, 3, product.data(), config);
  CHECK((product == Vec{14, 32, 32, 77}));
}

static void transforms() {
  ntt_init_domain(F, 8);
  std::uint32_t root = 0, same = 0;
  root_of_unity(F, 4, &root), root_of_unity_from_domain(F, 2, &same);
  field_pow(F, &root, 4, &root); CHECK(root == 1);
  field_pow(F, &same, 2, &same); CHECK(same == p - 1);
  Vec x{1, 2, 3, 4}, y(4);
  auto config = icicle_ntt_config_1_default();
  ntt(F, x.data(), 4, false, y.data(), config); CHECK(y[0] == 10 && y[2] == p - 2);
  ntt(F, y.data(), 4, true, y.data(), config); CHECK(y == x);
  ntt_release_domain(F);
  CHECK(code_of([&] { ntt(F, x.data(), 4, false, y.data(), config); }) == ICICLE_INVALID_ARGUMENT);
  root_of_unity(F, 4, &root);
  ntt_init_domain(F, static_cast<const void *>(&root));
  ntt(F, x.data(), 4, false, y.data(), config); CHECK(y[0] == 10);
  ntt_release_domain(F);
}

static void programs() {
  Vec a{1, 2, 3}, b{4, 5, 6}, c{0, 0, 0};
  const std::uint32_t seven = 7;
  {
    Symbol x = Symbol::input(F, 0), y = Symbol::input(F, 1);
    Program program(F, {x, y, (x + y.copy()) * (x + y) - Symbol::constant(F, &seven)});
    Program moved(std::move(program));
    moved.execute({a.data(), b.data(), c.data()}, 3);
  }
  CHECK((c == Vec{18, 42, 74}));
  {
    Symbol x = Symbol::input(F, 0);
    Program::returning(F, {x, x.inverse() * x}).execute({a.data(), c.data()}, 3);
  }
  CHECK((c == Vec{1, 1, 1}));
  Vec out(3);
  Program::predefined(F, Predefined::kAbMinusC).execute({a.data(), b.data(), c.data(), out.data()}, 3);
  CHECK((out == Vec{3, 9, 17}));
  Program::predefined_returning(F, Predefined::kAbMinusC).execute({a.data(), b.data(), c.data(), out.data()}, 3);
  CHECK((out == Vec{3, 9, 17}));
  Symbol::input(F, 0);
  Symbol::release_all();
  CHECK(code_of([] { Symbol::input(F, -1); }) == ICICLE_INVALID_ARGUMENT);
}

int main() {
  device_and_memory(), elements(), vectors(), polynomials_and_matrices(), transforms(), programs();
  std::puts("fields: ok");
}
