// Random numbers, and arrays over groups of icicle.hpp, which give what one device gives.
#include "icicle.hpp"
#include "check.hpp"

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

using namespace icicle;
using Shape = Array::Shape;

/// The bytes of elements in hexadecimal.
static std::string hexadecimal(const Array &x) {
  static const char digits[] = "0123456789abcdef";
  std::vector<unsigned char> bytes(static_cast<std::size_t>(x.size()) * dtype_bytes(x.dtype()));
  x.to_host(bytes.data(), bytes.size());
  std::string text;
  for (unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

static icicle_dtype_t dtype_by_name(const std::string &name) {
  for (std::int32_t d = 0; icicle_dtype_name(d); d++)
    if (name == icicle_dtype_name(d)) return static_cast<icicle_dtype_t>(d);
  CHECK(!"a dtype");
  return ICICLE_DTYPE_DEFAULT;
}

/// A number of a line, such as that of `low=0`.
static std::string argument(const std::string &call, const std::string &name) {
  const std::size_t at = call.find(" " + name + "=");
  CHECK(at != std::string::npos);
  const std::string rest = call.substr(at + name.size() + 2);
  return rest.substr(0, rest.find(' '));
}

static ArrayScalar bound(const std::string &text) {
  if (text[0] == '-') return ArrayScalar(static_cast<std::int64_t>(std::stoll(text)));
  return ArrayScalar(static_cast<std::uint64_t>(std::stoull(text)));
}

/// Numbers are those that other libraries give for the same words.
static void vectors(const char *path) {
  std::ifstream file(path);
  std::string line;
  int lines = 0;
  const random::Key key(0x0123456789abcdef);
  while (std::getline(file, line)) {
    const std::size_t arrow = line.find(" -> ");
    if (arrow == std::string::npos) continue;
    const std::string call = line.substr(0, arrow), op = call.substr(0, call.find(' '));
    std::istringstream result(line.substr(arrow + 4));
    std::string name, extent, hex;
    std::getline(result, name, ':');
    std::getline(result, extent, ':');
    std::getline(result, hex);
    const icicle_dtype_t dtype = dtype_by_name(name);
    const Shape shape = {std::stoll(extent)};
    Array got;
    if (op == "bits") got = random::bits(key, shape, dtype);
    else if (op == "uniform")
      got = random::uniform(key, shape, std::stod(argument(call, "low")), std::stod(argument(call, "high")), dtype);
    else if (op == "bernoulli") got = random::bernoulli(key, std::stod(argument(call, "p")), shape);
    else if (op == "permutation") got = random::permutation(key, shape[0]);
    else if (op == "split") {
      const std::size_t i = static_cast<std::size_t>(std::stoull(argument(call, "i")));
      got = random::bits(key.split(i + 1)[i], shape, dtype);
    } else if (op == "fold") got = random::bits(key.fold_in(std::stoull(argument(call, "data"))), shape, dtype);
    else if (op == "integers" && argument(call, "high") != "18446744073709551616")  // one more than a scalar holds
      got = random::integers(key, bound(argument(call, "low")), bound(argument(call, "high")), shape, dtype);
    else continue;  // normal numbers are not the same to the bit: C's test compares them
    CHECK(got.dtype() == dtype && got.shape() == shape && hexadecimal(got) == hex);
    lines++;
  }
  CHECK(lines == 32);
}

static void keys() {
  const random::Key key(7);
  CHECK(key.words() == (std::array<std::uint32_t, 4>{7, 0, 0, 0}) && random::Key(key.words()) == key);
  const std::vector<random::Key> pair = key.split();
  CHECK(pair.size() == 2 && pair[0] != pair[1] && pair[0] != key && key.split(5)[1] == pair[1] && key.split(0).empty());
  CHECK(key.fold_in(1) == key.fold_in(1) && key.fold_in(1) != key.fold_in(2));
  CHECK(hexadecimal(random::normal(key, {2, 3}, ICICLE_DTYPE_FLOAT32)) == hexadecimal(random::normal(key, {6}, ICICLE_DTYPE_FLOAT32)));
  CHECK(random::uniform(key, {}).rank() == 0 && random::uniform(key, {2}, 0, 1, ICICLE_DTYPE_FLOAT64, Device::cpu(1)).device() == Device::cpu(1));
  const Array x = Array::arange(0, 10, 1, ICICLE_DTYPE_INT64), order = random::permutation(key, 10);
  CHECK(hexadecimal(random::shuffle(key, x)) == hexadecimal(order) && random::choice(key, x, 40).shape() == (Shape{40}));
  CHECK(hexadecimal(random::choice(key, x, 3, -1, false)) == hexadecimal(order).substr(0, 48));
  const icicle_error_t argument = ICICLE_INVALID_ARGUMENT;
  CHECK(code_of([&] { random::bits(key, {1}, ICICLE_DTYPE_INT8); }) == argument);
  CHECK(code_of([&] { random::uniform(key, {1}, 1, 1); }) == argument && code_of([&] { random::bernoulli(key, 2, {1}); }) == argument);
  CHECK(code_of([&] { random::normal(key, {-1}); }) == argument && code_of([&] { random::integers(key, 0.5, 1, {1}); }) == argument);
  CHECK(code_of([&] { random::permutation(key, -1); }) == argument && code_of([&] { random::shuffle(key, x, 1); }) == argument);
  CHECK(code_of([&] { random::choice(key, x, 11, 0, false); }) == argument);
  CHECK(code_of([&] { random::choice(key, Array(), 1); }) == ICICLE_INVALID_POINTER);
}

/// That an array over a group is one of a device.
static bool same(const ShardedArray &found, const Array &want) {
  return found.dtype() == want.dtype() && found.shape() == want.shape() && found.size() == want.size() &&
         hexadecimal(found.gather()) == hexadecimal(want);
}

static Array table(const Shape &shape) {
  std::int64_t n = 1;
  for (std::int64_t extent : shape) n *= extent;
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; i++) values.push_back(static_cast<float>((i * 7919 + 13) % 41 - 20) + 0.5f);
  return Array::from_vector(values, shape);
}

static void over(const Group &group) {
  const Array x = table({5, 4}), row = table({4}), y = table({4, 3}), whole = x.astype(ICICLE_DTYPE_INT32);
  for (const ShardedArray::Axis axis : {ShardedArray::Axis(0), ShardedArray::Axis(-1), ShardedArray::Axis()}) {
    const ShardedArray a = ShardedArray::scatter(group, x, axis), ints = ShardedArray::scatter(group, whole, axis);
    CHECK(a.placement() == (axis ? Placement::split : Placement::replicated) && a.rank() == 2);
    CHECK(a.axis() == (axis ? ShardedArray::Axis(*axis < 0 ? 1 : 0) : ShardedArray::Axis()));
    for (const ShardedArray::Axis other : {ShardedArray::Axis(0), ShardedArray::Axis()}) {
      const ShardedArray r = ShardedArray::scatter(group, row, other), m = ShardedArray::scatter(group, y, other);
      CHECK(same(a + r, x + row) && same(a - r, x - row) && same(r * a, row * x) && same(a / r, x / row) && same(a % r, x % row));
      CHECK(same(a == r, x == row) && same(a != r, x != row) && same(a < r, x < row) && same(a >= r, x >= row));
      CHECK(same(binary(ICICLE_BINARY_MAXIMUM, a, r), maximum(x, row)) && same(matmul(a, m), matmul(x, y)));
    }
    CHECK(same(a + 1, x + 1) && same(1 - a, 1 - x) && same(a <= 0.5, x <= 0.5) && same(0.5 > a, 0.5 > x) && same(-a, -x));
    CHECK(same(ints & 3, whole & 3) && same(ints | 1, whole | 1) && same(5 ^ ints, 5 ^ whole) && same(~ints, ~whole));
    CHECK(same(unary(ICICLE_UNARY_ABS, a), abs(x)) && same(a.astype(ICICLE_DTYPE_INT32), whole));
    for (const ArrayAxes &axes : {ArrayAxes(), ArrayAxes(0), ArrayAxes{-1}, ArrayAxes{0, 1}})
      for (bool keep : {false, true}) {
        CHECK(same(a.sum(axes, keep), x.sum(axes, keep)) && same(a.prod(axes, keep), x.prod(axes, keep)));
        CHECK(same(a.min(axes, keep), x.min(axes, keep)) && same(a.max(axes, keep), x.max(axes, keep)));
        CHECK(same(a.mean(axes, keep), x.mean(axes, keep)) && same(ints.count_nonzero(axes, keep), whole.count_nonzero(axes, keep)));
        CHECK(same(ints.all(axes, keep), whole.all(axes, keep)) && same(ints.any(axes, keep), whole.any(axes, keep)));
      }
    CHECK(same(a.reshard(1), x) && a.reshard(1).axis() == 1 && same(a.reshard({}), x) && !a.reshard({}).axis());
  }
}

static void parts(const Group &group) {
  const Array x = Array::from_vector<float>({33554432, 1, -33554432, 1});
  const ShardedArray a = ShardedArray::scatter(group, x), sum = a.sum();
  std::int64_t at = 0;
  for (std::int32_t position = 0; position < a.info().devices; position++) {
    const ShardedArray::Part part = a.part(position);
    CHECK(part.first == at && part.array.size() == part.count && part.array.device() == Device::cpu(position));
    at += part.count;
  }
  // Partial sums are held in doubles, and rounded once.
  CHECK(at == 4 && sum.placement() == Placement::partial && sum.part(0).array.dtype() == ICICLE_DTYPE_FLOAT64);
  CHECK(sum.dtype() == ICICLE_DTYPE_FLOAT32 && sum.item().real() == 2 && (sum + sum).placement() == Placement::partial);
  CHECK(a.gather(Device::cpu(1)).device() == Device::cpu(1));
}

static void refusals() {
  Group other({Device::cpu(0)});
  const Array x = table({4, 3});
  ShardedArray kept, far = ShardedArray::scatter(other, x);
  {
    const Group group({Device::cpu(0), Device::cpu(1)}, {1, 1});
    const ShardedArray a = ShardedArray::scatter(group, x), ints = a.astype(ICICLE_DTYPE_INT32);
    kept = a;
    const icicle_error_t argument = ICICLE_INVALID_ARGUMENT;
    CHECK(code_of([&] { ShardedArray::scatter(group, x, 2); }) == argument && code_of([&] { a.reshard(-3); }) == argument);
    CHECK(code_of([&] { a + far; }) == argument && code_of([&] { a + ints; }) == argument && code_of([&] { ints + 0.5; }) == argument);
    CHECK(code_of([&] { matmul(a, a); }) == argument && code_of([&] { a.sum(2); }) == argument && code_of([&] { ints.mean(); }) == argument);
    CHECK(code_of([&] { a.item(); }) == argument && code_of([&] { a.part(2); }) == argument);
    CHECK(code_of([&] { unary(ICICLE_UNARY_SQRT, ints); }) == argument);
    CHECK(code_of([&] { a.gather(Device::cpu(63)); }) == ICICLE_INVALID_DEVICE);
    CHECK(code_of([&] { ShardedArray::scatter(group, Array()); }) == ICICLE_INVALID_POINTER);
    CHECK(code_of([&] { a + ShardedArray(); }) == ICICLE_INVALID_POINTER && code_of([] { ShardedArray().size(); }) == ICICLE_INVALID_POINTER);
  }
  // The group is gone, the array is not.
  CHECK(kept.size() == 12 && code_of([&] { kept + 1; }) == ICICLE_INVALID_POINTER);
  // A group that moves is the same.
  const Group moved = std::move(other);
  CHECK((far + 1).shape() == (Shape{4, 3}));
  // Copies share; the last one frees.
  void *handle = far.raw();
  ShardedArray second = far;
  far = ShardedArray();
  CHECK(second.raw() == handle && second.size() == 12);
  second = ShardedArray();
  CHECK(icicle_sharded_array_free(handle) == ICICLE_INVALID_POINTER);
}

int main(int count, char **files) {
  setenv("ICICLE_CPU_DEVICES", "4", 1);
  CHECK(count == 2);
  vectors(files[1]);
  keys();
  for (const std::vector<double> &shares : {std::vector<double>{1}, {1, 3}, {2, 0, 1, 1}}) {
    std::vector<Device> devices;
    for (std::size_t i = 0; i < shares.size(); i++) devices.push_back(Device::cpu(static_cast<int>(i)));
    const Group group(devices, shares);
    over(group);
    parts(group);
  }
  refusals();
  CHECK(float32_matmul_precision() == Float32Precision::highest);
  set_float32_matmul_precision(Float32Precision::high);
  CHECK(float32_matmul_precision() == Float32Precision::high);
  CHECK(code_of([] { set_float32_matmul_precision(static_cast<Float32Precision>(2)); }) == ICICLE_INVALID_ARGUMENT);
  set_float32_matmul_precision(Float32Precision::highest);
  std::puts("random numbers and arrays over groups: ok");
  return 0;
}
