// Arrays of numbers of icicle.hpp, against values computed here by definition.
#include "icicle.hpp"
#include "check.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <thread>

using namespace icicle;
using Index = Array::Index;
using Axes = Array::Axes;

template <typename T>
static bool holds(const Array &x, const Array::Shape &shape, const std::vector<T> &values) {
  return x.shape() == shape && x.to_vector<T>() == values;
}

static void making() {
  const std::vector<float> data = {1, 2, 3, 4, 5, 6};
  const Array x = Array::from_vector(data, Array::Shape{2, 3});
  CHECK(x.dtype() == ICICLE_DTYPE_FLOAT32 && x.rank() == 2 && x.size() == 6 && x.is_dense());
  CHECK(x.strides() == (Array::Shape{12, 4}) && x.device() == Device::cpu());
  CHECK(holds(x, {2, 3}, data));
  CHECK(holds(Array::from_host(data.data() + 5, {2, 3}, {-4, -8}), {2, 3}, std::vector<float>{6, 4, 2, 5, 3, 1}));
  CHECK(holds(Array::from_vector<bool>({true, false}), {2}, std::vector<bool>{true, false}));
  CHECK(holds(Array::zeros(ICICLE_DTYPE_INT8, {2}), {2}, std::vector<std::int8_t>(2)));
  CHECK(holds(Array::ones(ICICLE_DTYPE_UINT16, {1, 2}), {1, 2}, std::vector<std::uint16_t>{1, 1}));
  CHECK(holds(Array::full(std::complex<double>(1, -2), ICICLE_DTYPE_COMPLEX64), {}, std::vector<std::complex<float>>{{1, -2}}));
  CHECK(holds(Array::arange(5, -1, -2, ICICLE_DTYPE_INT64), {3}, std::vector<std::int64_t>{5, 3, 1}));
  CHECK(holds(Array::linspace(0, 1, 4, ICICLE_DTYPE_FLOAT64, false), {4}, std::vector<double>{0, 0.25, 0.5, 0.75}));
  CHECK(holds(Array::eye(2, 3, 1, ICICLE_DTYPE_INT32), {2, 3}, std::vector<std::int32_t>{0, 1, 0, 0, 0, 1}));
  CHECK(Array::full(UINT64_MAX, ICICLE_DTYPE_UINT64).item().raw().kind == ICICLE_SCALAR_UINT);
  CHECK(Array::full(-7, ICICLE_DTYPE_INT8).item().integer() == -7 && Array::full(true, ICICLE_DTYPE_BOOL).item().integer() == 1);
  CHECK(Array::full(0.5, ICICLE_DTYPE_BFLOAT16).to_vector<bfloat16>()[0].bits == 0x3f00);
  CHECK(Array::full(0.5, ICICLE_DTYPE_FLOAT16).to_vector<float16>()[0].bits == 0x3800);
  CHECK(x.astype(ICICLE_DTYPE_INT32).to_vector<int>()[5] == 6 && x.to_device(Device::cpu()).size() == 6);
  CHECK(dtype_name(ICICLE_DTYPE_COMPLEX128) == "complex128" && dtype_bytes(ICICLE_DTYPE_COMPLEX128) == 16);
  CHECK(op_name(ICICLE_UNARY_SQRT) == "sqrt" && op_name(ICICLE_BINARY_LOGADDEXP) == "logaddexp");
  CHECK(dtype_of<unsigned char>() == ICICLE_DTYPE_UINT8 && dtype_of<long long>() == ICICLE_DTYPE_INT64);
}

static void operators() {
  const Array x = Array::from_vector<double>({1, -2, 3}), y = Array::from_vector<double>({4, 0.5, 3});
  CHECK(holds(x + y, {3}, std::vector<double>{5, -1.5, 6}) && holds(x - 1, {3}, std::vector<double>{0, -3, 2}));
  CHECK(holds(1 - x, {3}, std::vector<double>{0, 3, -2}) && holds(x * y, {3}, std::vector<double>{4, -1, 9}));
  CHECK(holds(x / 2, {3}, std::vector<double>{0.5, -1, 1.5}) && holds(-x, {3}, std::vector<double>{-1, 2, -3}));
  CHECK(holds(x == y, {3}, std::vector<bool>{false, false, true}) && holds(x != y, {3}, std::vector<bool>{true, true, false}));
  CHECK(holds(x < 2, {3}, std::vector<bool>{true, true, false}) && holds(x <= y, {3}, std::vector<bool>{true, true, true}));
  CHECK(holds(2 > x, {3}, std::vector<bool>{true, true, false}) && holds(x >= 3.0, {3}, std::vector<bool>{false, false, true}));
  const Array bits = Array::from_vector<std::uint8_t>({6, 5});
  CHECK(holds(bits & 3, {2}, std::vector<std::uint8_t>{2, 1}) && holds(bits | 1, {2}, std::vector<std::uint8_t>{7, 5}));
  CHECK(holds(bits ^ bits, {2}, std::vector<std::uint8_t>{0, 0}) && holds(~bits, {2}, std::vector<std::uint8_t>{249, 250}));
  CHECK(holds(Array::from_vector<int>({-7, 7}) % 4, {2}, std::vector<int>{1, 3}));
  CHECK(holds(where(x > 0, x, y), {3}, std::vector<double>{1, 0.5, 3}));
  CHECK(holds(x.clip(Array::full(0, ICICLE_DTYPE_FLOAT64), Array()), {3}, std::vector<double>{1, 0, 3}));
  CHECK(holds(maximum(x, y), {3}, std::vector<double>{4, 0.5, 3}) && holds(square(x), {3}, std::vector<double>{1, 4, 9}));
  const Array one = Array::full(0.5, ICICLE_DTYPE_FLOAT64);
  CHECK(std::fabs(sin(one).item().real() - std::sin(0.5)) < 1e-15 && std::fabs(pow(2, one).item().real() - std::sqrt(2)) < 1e-15);
  // Complex beside real makes both complex.
  CHECK((one * std::complex<double>(0, 2)).item().complex() == std::complex<double>(0, 1));
  // Numbers' own functions are not hidden.
  CHECK(std::fabs(pow(2, 0.5f) - std::sqrt(2)) < 1e-7 && maximum(one, 2).item().real() == 2);
  CHECK(real(one).item().real() == 0.5 && isnan(one).item().integer() == 0 && atan2(one, one).dtype() == ICICLE_DTYPE_FLOAT64);
}

static void axes() {
  std::vector<int> data(24);
  std::iota(data.begin(), data.end(), -5);
  const Array x = Array::from_vector(data, Array::Shape{2, 3, 4});
  std::vector<std::int64_t> sums(4);
  for (int i = 0; i < 24; i++) sums[static_cast<std::size_t>(i % 4)] += data[static_cast<std::size_t>(i)];
  CHECK(holds(x.sum({0, 1}), {4}, sums) && x.sum({0, -2}, true).shape() == (Array::Shape{1, 1, 4}));
  CHECK(x.sum(Axes{}).rank() == 0 && x.sum(Axes(std::vector<std::int32_t>{})).shape() == x.shape());
  CHECK(x.sum(0, false, ICICLE_DTYPE_INT16).dtype() == ICICLE_DTYPE_INT16 && x.prod().item().integer() == 0);
  CHECK(x.min().item().integer() == -5 && x.max().item().integer() == 18 && x.argmax().item().integer() == 23);
  CHECK(holds(x.argmin(1), {2, 4}, std::vector<std::int64_t>(8)) && x.count_nonzero().item().integer() == 23);
  CHECK(x.all().item().integer() == 0 && x.any().item().integer() == 1);
  const Array y = Array::from_vector<double>({1, 2, 3, 6});
  CHECK(y.mean().item().real() == 3 && y.var().item().real() == 3.5 && y.std({}, 1).item().real() == std::sqrt(14.0 / 3));
  CHECK(holds(y.cumulative_sum({}, ICICLE_DTYPE_DEFAULT, true), {5}, std::vector<double>{0, 1, 3, 6, 12}));
  CHECK(holds(y.cumulative_prod(0), {4}, std::vector<double>{1, 2, 6, 36}));
}

static void views() {
  const Array x = Array::arange(0, 6, 1, ICICLE_DTYPE_INT32).reshape({2, -1});
  using Ints = std::vector<std::int32_t>;
  CHECK(holds(x.matrix_transpose(), {3, 2}, Ints{0, 3, 1, 4, 2, 5}) && holds(x.permute_dims({1, 0}).copy(), {3, 2}, Ints{0, 3, 1, 4, 2, 5}));
  CHECK(holds(x.moveaxis(0, -1), {3, 2}, Ints{0, 3, 1, 4, 2, 5}) && x.expand_dims(1).shape() == (Array::Shape{2, 1, 3}));
  CHECK(x.expand_dims(0).squeeze(0).shape() == x.shape() && holds(x.flip(), {2, 3}, Ints{5, 4, 3, 2, 1, 0}));
  CHECK(holds(x.flip(1), {2, 3}, Ints{2, 1, 0, 5, 4, 3}) && holds(x.roll({1}), {2, 3}, Ints{5, 0, 1, 2, 3, 4}));
  CHECK(holds(x.roll({1, -1}, {0, 1}), {2, 3}, Ints{4, 5, 3, 1, 2, 0}));
  CHECK(holds(x.index({Index::ellipsis(), Index::slice({}, {}, -2)}), {2, 2}, Ints{2, 0, 5, 3}));
  CHECK(holds(x.index({-1, Index::new_axis(), Index::slice(1, 3)}), {1, 2}, Ints{4, 5}));
  CHECK(holds(x.index({1}).broadcast_to({2, 3}), {2, 3}, Ints{3, 4, 5, 3, 4, 5}));
  const Array indices = Array::from_vector<std::int64_t>({2, -3});
  CHECK(holds(x.take(indices, 1), {2, 2}, Ints{2, 0, 5, 3}));
  CHECK(holds(x.take_along_axis(indices.reshape({2, 1})), {2, 1}, Ints{2, 3}));
  CHECK(holds(x.compress(x > 3), {2}, Ints{4, 5}));
  const std::vector<Array> places = (x > 3).nonzero();
  CHECK(places.size() == 2 && holds(places[0], {2}, std::vector<std::int64_t>{1, 1}));
  CHECK(holds(places[1], {2}, std::vector<std::int64_t>{1, 2}));
  CHECK(concat({x, x}).shape() == (Array::Shape{4, 3}) && concat({x, x}, {}).shape() == (Array::Shape{12}));
  CHECK(stack({x, x, x}, -1).shape() == (Array::Shape{2, 3, 3}));
}

static void order_and_products() {
  const Array x = Array::from_vector<int>({3, 1, 2, 1});
  using Ints = std::vector<int>;
  CHECK(holds(x.sort(), {4}, Ints{1, 1, 2, 3}) && holds(x.sort(0, true), {4}, Ints{3, 2, 1, 1}));
  CHECK(holds(x.argsort(), {4}, std::vector<std::int64_t>{1, 3, 2, 0}) && holds(x.unique_values(), {3}, Ints{1, 2, 3}));
  CHECK(holds(x.sort().searchsorted(x, true), {4}, std::vector<std::int64_t>{4, 2, 3, 2}));
  const Array a = Array::arange(0, 6, 1, ICICLE_DTYPE_FLOAT32).reshape({2, 3}), v = Array::from_vector<float>({1, 10, 100});
  CHECK(holds(matmul(a, a.matrix_transpose()), {2, 2}, std::vector<float>{5, 14, 14, 50}));
  CHECK(holds(matmul(a, v), {2}, std::vector<float>{210, 543}) && holds(vecdot(a, v), {2}, std::vector<float>{210, 543}));
  CHECK(tensordot(a, a, {0, 1}, {0, 1}).item().real() == 55 && tensordot(a, a, {1}, {1}).shape() == (Array::Shape{2, 2}));
}

static void refusals() {
  const int number = 1;
  const Array x = Array::from_vector<int>({1, 2, 3}), y = Array::from_vector<int>({1, 2});
  CHECK(code_of([&] { x + y; }) == ICICLE_INVALID_ARGUMENT && code_of([&] { x + 0.5; }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { x.to_vector<float>(); }) == ICICLE_INVALID_ARGUMENT && code_of([&] { x.item(); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { x.sum(1); }) == ICICLE_INVALID_ARGUMENT && code_of([&] { sqrt(x); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { Array::from_vector<int>({1, 2}, Array::Shape{3}); }) == ICICLE_INVALID_ARGUMENT);
  const std::int64_t half = std::int64_t{1} << 32;
  CHECK(code_of([&] { Array::from_vector<int>({}, Array::Shape{half, half}); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { Array::from_vector<int>({1, 2}, Array::Shape{-1, -2}); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { Array::from_host(&number, {1}, {8, 8}); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { x.moveaxis({0}, {}); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { x.roll({1, 2}, {0}); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { tensordot(x, x, {0}, Axes::all()); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { concat({}); }) == ICICLE_INVALID_ARGUMENT && code_of([&] { concat({x, Array()}); }) == ICICLE_INVALID_POINTER);
  CHECK(code_of([] { Array().size(); }) == ICICLE_INVALID_POINTER && code_of([&] { x + Array(); }) == ICICLE_INVALID_POINTER);
  CHECK(code_of([] { Array::zeros(ICICLE_DTYPE_INT8, {1}, Device::cpu(63)); }) == ICICLE_INVALID_DEVICE);
}

/// Memory that several devices reach: CPUs all, and with a GPU's unified memory it and the host. Of GPUs there must be as many as
/// ICICLE_TEST_GPUS says.
static void unified() {
  int gpus = 0;
  const char *wanted = std::getenv("ICICLE_TEST_GPUS");
  const Array x = Array::arange(0, 6, 1, ICICLE_DTYPE_FLOAT32).reshape({2, 3});
  const std::vector<float> turned = {0, 3, 1, 4, 2, 5}, twice = {0, 6, 2, 8, 4, 10};
  for (const Device &device : devices()) {
    const bool gpu = device.type() == "CUDA";
    gpus += gpu;
    Array there;
    try {
      there = x.matrix_transpose().to_unified(device);
    } catch (const Error &error) {
      CHECK(gpu && error.code() == ICICLE_API_NOT_IMPLEMENTED);  // no managed memory that it uses while the host does
      std::puts(error.what());
      continue;
    }
    there.prefetch();
    CHECK(there.device() == device && there.is_unified() && there.is_dense() && holds(there, {3, 2}, turned));
    const Array sum = there + there;
    CHECK(sum.device() == device && holds(sum, {3, 2}, twice) && sum.is_unified() == !gpu);
    const std::uint64_t before = Device::cpu(1).memory().used;
    const Array here = there.shared_with(Device::cpu(1));
    CHECK(Device::cpu(1).memory().used == before);  // no copy
    there = Array();  // the memory stays with the other
    here.prefetch();
    CHECK(here.device() == Device::cpu(1) && here.is_unified() && holds(here + here, {3, 2}, twice));
    if (gpu) {
      const Array own = x.to_device(device).copy();
      CHECK(!own.is_unified() && code_of([&] { own.prefetch(); }) == ICICLE_INVALID_ARGUMENT);
      CHECK(code_of([&] { own.shared_with(Device::cpu()); }) == ICICLE_INVALID_ARGUMENT);
    }
  }
  CHECK(!wanted || gpus >= std::atoi(wanted));
  CHECK(x.to_unified().is_unified() && x.shared_with(x.device()).to_vector<float>() == x.to_vector<float>());
  CHECK(code_of([&] { x.to_unified(Device::cpu(99)); }) == ICICLE_INVALID_DEVICE);
  CHECK(code_of([&] { x.shared_with(Device::cpu(99)); }) == ICICLE_INVALID_DEVICE);
  CHECK(code_of([] { Array().to_unified(); }) == ICICLE_INVALID_POINTER);
}

/// Page-locked if there is a GPU.
static void pinned() {
  bool gpu = false;
  for (const Device &device : devices()) gpu = gpu || device.type() == "CUDA";
  const Array x = Array::arange(0, 6, 1, ICICLE_DTYPE_FLOAT32).reshape({2, 3});
  const std::vector<float> turned = {0, 3, 1, 4, 2, 5}, twice = {0, 6, 2, 8, 4, 10};
  for (const Device &device : devices()) {
    const Array there = x.matrix_transpose().to_device(device);
    const Array pinned = there.to_pinned();
    CHECK(pinned.device() == (device.type() == "CUDA" ? Device::cpu() : device) && pinned.is_pinned() == gpu);
    CHECK(pinned.is_dense() && holds(pinned, {3, 2}, turned) && holds(pinned.to_device(device), {3, 2}, turned));
    CHECK(!there.is_pinned() && !(pinned + pinned).is_pinned() && holds(pinned + pinned, {3, 2}, twice));
  }
  CHECK(code_of([] { Array().to_pinned(); }) == ICICLE_INVALID_POINTER);
}

int main() {
  setenv("ICICLE_CPU_DEVICES", "2", 1);  // read when the first device is asked for
  making();
  operators();
  axes();
  views();
  order_and_products();
  refusals();
  unified();
  pinned();
  // Copies share; the last one frees.
  Array first = Array::from_vector<int>({1, 2}), second = first;
  CHECK(first.raw() == second.raw());
  Array third = std::move(first);
  CHECK(first.raw() == nullptr && third.raw() == second.raw());
  void *handle = second.raw();
  second = Array();
  third = Array();
  CHECK(icicle_array_free(handle) == ICICLE_INVALID_POINTER);
  // One array, many threads.
  const Array shared = Array::ones(ICICLE_DTYPE_INT32, {1000});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([shared, t] { CHECK((shared * t).sum().item().integer() == 1000 * t); });
  for (std::thread &thread : threads) thread.join();
  std::puts("arrays: ok");
  return 0;
}
