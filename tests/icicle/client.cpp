// A client of ICICLE 4 in C++: what its tests and its users' programs do, on the main device and on the CPU beside it.
// Prints the main device's type.
#include "client.hpp"
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

static_assert(sizeof(NTTConfig) == 64 && offsetof(NTTConfig, ext) == 56);
static_assert(sizeof(MSMConfig) == 40 && sizeof(VecOpsConfig) == 32);

static const Device CPU = {"CPU", 0};
static Device main_device = {"CUDA", 0};

static bool same(const void* a, const void* b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

// "If available, set the device, else the CPU."
static void devices() {
  OK(icicle_load_backend_from_env_or_default());
  char list[256];
  OK(icicle_get_registered_devices(list, sizeof list));
  const bool gpu = icicle_is_device_available(&main_device) == 0;
  CHECK((std::string(list) == "CUDA,CPU") == gpu && (std::string(list) == "CPU") == !gpu);
  if (!gpu) main_device = CPU;
  OK(icicle_is_device_available(&CPU));
  for (const Device& device : {CPU, main_device}) {
    OK(icicle_set_device(&device));
    int count = 0;
    size_t total = 0, free = 0;
    OK(icicle_get_device_count(&count));
    OK(icicle_get_available_memory(&total, &free));
    CHECK(count >= 1 && total > (1u << 30) && free > 0 && free <= total);
  }
}

// A stream of the main device stays in the configuration when the program switches to the CPU.
static void streams() {
  const int n = 1 << 12;
  std::vector<Scalar> a(n), b(n), main_sum(n), cpu_sum(n);
  bn254_generate_random(a.data(), n);
  bn254_generate_random(b.data(), n);
  OK(icicle_set_device(&main_device));
  void* stream = nullptr;
  OK(icicle_create_stream(&stream));
  VecOpsConfig config{};
  config.stream = stream;
  config.batch_size = 1;
  config.is_async = true;
  config.ext = create_config_extension();
  config_extension_set_int(config.ext, "n_threads", 2);
  CHECK(reinterpret_cast<uintptr_t>(config.ext) > (64 << 10));
  void* device_sum = nullptr;
  OK(icicle_malloc_async(&device_sum, n * sizeof(Scalar), stream));
  config.is_result_on_device = true;
  OK(bn254_vector_add(a.data(), b.data(), n, &config, static_cast<Scalar*>(device_sum)));
  // A synchronous copy before the stream is synchronized, as ICICLE's own tests have it.
  OK(icicle_copy_to_host(main_sum.data(), device_sum, n * sizeof(Scalar)));
  OK(icicle_free_async(device_sum, stream));
  OK(icicle_set_device(&CPU));
  config.is_result_on_device = false;
  OK(bn254_vector_add(a.data(), b.data(), n, &config, cpu_sum.data()));
  OK(icicle_stream_synchronize(stream));
  CHECK(same(main_sum.data(), cpu_sum.data(), n * sizeof(Scalar)));
  OK(icicle_set_device(&main_device));
  OK(icicle_destroy_stream(stream));
  // The CPU also ignores one that is gone.
  OK(icicle_set_device(&CPU));
  OK(bn254_vector_mul(a.data(), b.data(), n, &config, cpu_sum.data()));
  Scalar product;
  bn254_mul(&a[n - 1], &b[n - 1], &product);
  CHECK(same(&product, &cpu_sum[n - 1], sizeof product));
  destroy_config_extension(config.ext);
}

// ICICLE's roots of unity, and a transform with one against the definition.
static void transforms() {
  const Scalar root_bls = {{0x912f1f, 0x88f500b, 0x3e0941b7, 0xf270b, 0, 0, 0, 0}};
  (void)root_bls;
  Scalar root;
  const uint32_t bls[8] = {0x0b912f1f, 0x1b788f50, 0x70b3e094, 0xc4024ff2, 0xd168d6c0, 0x0fd56dc8, 0x5b416b6f, 0x0212d79e};
  OK(bls12_381_get_root_of_unity(uint64_t{1} << 32, &root));
  CHECK(same(root.limbs, bls, sizeof bls));
  uint32_t babybear = 0;
  OK(babybear_get_root_of_unity(uint64_t{1} << 27, &babybear));
  CHECK(babybear == 0x89);

  const int n = 16;
  Scalar w;
  OK(bn254_get_root_of_unity(n, &w));
  std::vector<Scalar> x(n), out(n), back(n);
  bn254_generate_random(x.data(), n);
  for (const Device& device : {main_device, CPU}) {
    OK(icicle_set_device(&device));
    NTTInitDomainConfig init{};
    OK(bn254_ntt_init_domain(&w, &init));
    OK(bn254_ntt_init_domain(&w, &init));
    NTTConfig config{};
    config.coset_gen.limbs[0] = 1;
    config.batch_size = 1;
    OK(bn254_ntt(x.data(), n, 0, &config, out.data()));
    OK(bn254_ntt(out.data(), n, 1, &config, back.data()));
    CHECK(same(x.data(), back.data(), n * sizeof(Scalar)));
    CHECK(bn254_ntt(x.data(), 2 * n, 0, &config, out.data()) == 11);
    OK(bn254_ntt_release_domain());
    Scalar wk;
    bn254_from_u32(1, &wk);
    for (int k = 0; k < n; ++k) {
      Scalar sum{}, power;
      bn254_from_u32(1, &power);
      for (int j = 0; j < n; ++j) {
        Scalar term;
        bn254_mul(&x[j], &power, &term);
        bn254_add(&sum, &term, &sum);
        bn254_mul(&power, &wk, &power);
      }
      CHECK(same(&sum, &out[k], sizeof sum));
      bn254_mul(&wk, &w, &wk);
    }
  }
}

// gnark's way: c = 16 whatever the size; ICICLE's shared-batch test: c = 4, precomputed bases, asynchronous.
static void msm() {
  const int n = 100, batch = 2;
  std::vector<Scalar> scalars(n * batch);
  std::vector<Affine> points(n);
  bn254_generate_random(scalars.data(), n * batch);
  bn254_generate_affine_points(points.data(), n);
  Projective expected[batch];
  for (int b = 0; b < batch; ++b) {
    for (int i = 0; i < n; ++i) {
      Projective point, term;
      bn254_from_affine(&points[i], &point);
      bn254_mul_scalar(&point, &scalars[b * n + i], &term);
      if (i == 0) expected[b] = term;
      else bn254_ecadd(&expected[b], &term, &expected[b]);
    }
  }
  for (const Device& device : {main_device, CPU}) {
    OK(icicle_set_device(&device));
    void* stream = nullptr;
    OK(icicle_create_stream(&stream));
    MSMConfig config{};
    config.precompute_factor = 1;
    config.c = 16;
    config.batch_size = batch;
    config.are_points_shared_in_batch = true;
    config.stream = stream;
    Projective results[batch];
    OK(bn254_msm(scalars.data(), points.data(), n, &config, results));
    for (int b = 0; b < batch; ++b) CHECK(bn254_projective_eq(&results[b], &expected[b]));

    config.c = 4;
    config.precompute_factor = 8;
    std::vector<Affine> expanded(n * config.precompute_factor);
    OK(bn254_msm_precompute_bases(points.data(), n, &config, expanded.data()));
    void *bases = nullptr, *device_results = nullptr;
    OK(icicle_malloc(&bases, expanded.size() * sizeof(Affine)));
    OK(icicle_malloc(&device_results, sizeof results));
    OK(icicle_copy_to_device(bases, expanded.data(), expanded.size() * sizeof(Affine)));
    config.are_points_on_device = config.are_results_on_device = config.is_async = true;
    OK(bn254_msm(scalars.data(), static_cast<Affine*>(bases), n, &config, static_cast<Projective*>(device_results)));
    OK(icicle_copy_to_host(results, device_results, sizeof results));
    OK(icicle_stream_synchronize(stream));
    for (int b = 0; b < batch; ++b) CHECK(bn254_projective_eq(&results[b], &expected[b]));
    OK(icicle_free(bases));
    OK(icicle_free(device_results));
    OK(icicle_destroy_stream(stream));

    config = MSMConfig{};
    config.precompute_factor = INT32_MAX;
    config.batch_size = 1;
    config.are_points_shared_in_batch = true;
    const int code = bn254_msm(nullptr, nullptr, 0, &config, results);
    CHECK(code == 0 || code == 11);
  }
}

// Coordinates are copied as they are, also those that are not reduced.
static void from_affine() {
  Affine point;
  memset(&point, 0xff, sizeof point);
  Projective out;
  bn254_from_affine(&point, &out);
  const Base one = {{1}};
  CHECK(same(&out, &point, sizeof point) && same(&out.z, &one, sizeof one));
  memset(&point, 0, sizeof point);
  bn254_from_affine(&point, &out);
  const Base zero = {{0}};
  CHECK(same(&out.x, &zero, sizeof zero) && same(&out.y, &one, sizeof one) && same(&out.z, &zero, sizeof zero));
}

// Parameters are assigned in place, in order: the fifth reads the fourth's new value, a·b is computed once.
static void programs() {
  void *p[7], *nine, *two, *ab, *difference, *scaled, *inverse;
  for (int i = 0; i < 7; ++i) CHECK((p[i] = bn254_create_input_symbol(i)) > reinterpret_cast<void*>(64 << 10));
  Scalar constant[2];
  bn254_from_u32(9, &constant[0]);
  bn254_from_u32(2, &constant[1]);
  nine = bn254_create_scalar_symbol(&constant[0]);
  two = bn254_create_scalar_symbol(&constant[1]);
  OK(bn254_multiply_symbols(p[0], p[1], &ab));
  OK(bn254_sub_symbols(ab, p[2], &difference));
  OK(bn254_multiply_symbols(p[3], difference, &scaled));
  OK(bn254_add_symbols(scaled, nine, &p[4]));
  OK(bn254_inverse_symbol(p[2], &inverse));
  OK(bn254_sub_symbols(ab, inverse, &p[5]));
  p[6] = p[5];
  OK(bn254_add_symbols(p[0], p[1], &p[3]));
  OK(bn254_multiply_symbols(p[3], two, &p[3]));
  void* program = nullptr;
  OK(bn254_generate_program(p, 7, &program));

  for (const Device& device : {main_device, CPU}) {
    OK(icicle_set_device(&device));
    const int n = 3;
    std::vector<Scalar> vectors[7];
    Scalar* data[7];
    for (int i = 0; i < 7; ++i) {
      vectors[i].resize(n);
      for (int k = 0; k < n; ++k) bn254_from_u32(100 * i + k + 1, &vectors[i][k]);
      data[i] = vectors[i].data();
    }
    VecOpsConfig config{};
    config.batch_size = 1;
    OK(bn254_execute_program(data, 7, program, n, &config));
    for (uint32_t k = 0; k < n; ++k) {
      const uint32_t a = k + 1, b = 100 + k + 1, c = 200 + k + 1;
      // All positive but a·b - c, which is negative for the first position: compare with c·d added.
      const uint32_t d = 2 * (a + b);
      Scalar expected, left, right;
      bn254_from_u32(d, &expected);
      CHECK(same(&vectors[3][k], &expected, sizeof expected));
      bn254_from_u32(d * a * b + 9, &expected);
      bn254_from_u32(d * c, &left);
      bn254_add(&vectors[4][k], &left, &right);
      CHECK(same(&right, &expected, sizeof expected));
      // (a·b - 1/c)·c + 1 = a·b·c.
      bn254_from_u32(c, &left);
      bn254_mul(&vectors[5][k], &left, &right);
      bn254_from_u32(1, &left);
      bn254_add(&right, &left, &right);
      bn254_from_u32(a * b * c, &expected);
      CHECK(same(&right, &expected, sizeof expected));
      CHECK(same(&vectors[6][k], &vectors[5][k], sizeof expected));
    }
  }
  OK(delete_program(program));
}

// The device server: a thread a device, each with its own stream and memory.
static void device_server() {
  int count = 0;
  OK(icicle_set_device(&main_device));
  OK(icicle_get_device_count(&count));
  std::vector<std::thread> servers;
  for (int id = 0; id < count; ++id) {
    servers.emplace_back([id] {
      Device device = main_device;
      device.id = id;
      OK(icicle_set_device(&device));
      const int n = 1 << 10;
      std::vector<Scalar> a(n), out(n);
      bn254_generate_random(a.data(), n);
      void *stream = nullptr, *memory = nullptr;
      OK(icicle_create_stream(&stream));
      OK(icicle_malloc(&memory, n * sizeof(Scalar)));
      OK(icicle_copy_to_device_async(memory, a.data(), n * sizeof(Scalar), stream));
      VecOpsConfig config{};
      config.stream = stream;
      config.batch_size = 1;
      config.is_a_on_device = config.is_b_on_device = config.is_result_on_device = config.is_async = true;
      Scalar* vector = static_cast<Scalar*>(memory);
      OK(bn254_vector_add(vector, vector, n, &config, vector));
      OK(icicle_copy_to_host_async(out.data(), memory, n * sizeof(Scalar), stream));
      OK(icicle_stream_synchronize(stream));
      Scalar twice;
      bn254_add(&a[n - 1], &a[n - 1], &twice);
      CHECK(same(&twice, &out[n - 1], sizeof twice));
      OK(icicle_free(memory));
      OK(icicle_destroy_stream(stream));
    });
  }
  for (std::thread& server : servers) server.join();
}

// One thread destroys a stream while another uses it: each call succeeds or says that the handle is none.
static void destroyed_meanwhile() {
  OK(icicle_set_device(&main_device));
  for (int round = 0; round < 20; ++round) {
    void* stream = nullptr;
    OK(icicle_create_stream(&stream));
    std::thread user([stream] {
      OK(icicle_set_device(&main_device));
      std::vector<Scalar> a(64), out(64);
      VecOpsConfig config{};
      config.stream = stream;
      config.batch_size = 1;
      for (int i = 0; i < 200; ++i) {
        const int code = bn254_vector_add(a.data(), a.data(), a.size(), &config, out.data());
        CHECK(code == 0 || code == 3);
        const int waited = icicle_stream_synchronize(stream);
        CHECK(waited == 0 || waited == 3);
      }
    });
    std::this_thread::yield();
    OK(icicle_destroy_stream(stream));
    user.join();
  }
}

int main() {
  devices();
  streams();
  transforms();
  msm();
  from_affine();
  programs();
  device_server();
  destroyed_meanwhile();
  puts(main_device.type);
}
