// Arrays of numbers; included by icicle.hpp.
#ifndef ICICLE_ARRAY_HPP
#define ICICLE_ARRAY_HPP

#include "device.hpp"

#include <complex>
#include <initializer_list>
#include <memory>
#include <optional>
#include <type_traits>

namespace icicle {

/// The bits of a 16-bit float: IEEE 754's of 5 bits of exponent, or the upper half of a float.
struct float16 {
  std::uint16_t bits;
};
struct bfloat16 {
  std::uint16_t bits;
};

/// The dtype of a C++ type.
template <typename T>
constexpr icicle_dtype_t dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return ICICLE_DTYPE_BOOL;
  else if constexpr (std::is_same_v<T, float16>) return ICICLE_DTYPE_FLOAT16;
  else if constexpr (std::is_same_v<T, bfloat16>) return ICICLE_DTYPE_BFLOAT16;
  else if constexpr (std::is_same_v<T, float>) return ICICLE_DTYPE_FLOAT32;
  else if constexpr (std::is_same_v<T, double>) return ICICLE_DTYPE_FLOAT64;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return ICICLE_DTYPE_COMPLEX64;
  else if constexpr (std::is_same_v<T, std::complex<double>>) return ICICLE_DTYPE_COMPLEX128;
  else {
    static_assert(std::is_integral_v<T>, "no dtype has elements of this type");
    constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<icicle_dtype_t>((std::is_signed_v<T> ? ICICLE_DTYPE_INT8 : ICICLE_DTYPE_UINT8) + width);
  }
}

/// Name of a dtype, such as float32.
inline std::string dtype_name(icicle_dtype_t dtype) {
  const char *found = icicle_dtype_name(dtype);
  return found ? found : "none";
}
/// Bytes of an element.
inline std::size_t dtype_bytes(icicle_dtype_t dtype) { return icicle_dtype_bytes(dtype); }
/// Names of operations in the array API.
inline std::string op_name(icicle_unary_op_t op) {
  const char *found = icicle_unary_op_name(op);
  return found ? found : "none";
}
inline std::string op_name(icicle_binary_op_t op) {
  const char *found = icicle_binary_op_name(op);
  return found ? found : "none";
}

/// A number without a dtype: it takes that of the array it meets.
class ArrayScalar {
 public:
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  ArrayScalar(T value) : raw_() {
    if constexpr (std::is_floating_point_v<T>) {
      raw_.kind = ICICLE_SCALAR_FLOAT;
      raw_.real = static_cast<double>(value);
    } else {
      raw_.kind = std::is_same_v<T, bool> ? ICICLE_SCALAR_BOOL : std::is_signed_v<T> ? ICICLE_SCALAR_INT : ICICLE_SCALAR_UINT;
      raw_.integer = static_cast<std::int64_t>(value);
    }
  }
  template <typename T>
  ArrayScalar(const std::complex<T> &value) : raw_() {
    raw_.kind = ICICLE_SCALAR_COMPLEX;
    raw_.real = static_cast<double>(value.real());
    raw_.imaginary = static_cast<double>(value.imag());
  }
  explicit ArrayScalar(const icicle_scalar_t &raw) : raw_(raw) {}
  /// Its value as a real number, rounded; of a complex one the real part.
  double real() const noexcept {
    if (raw_.kind >= ICICLE_SCALAR_FLOAT) return raw_.real;
    return raw_.kind == ICICLE_SCALAR_UINT ? static_cast<double>(static_cast<std::uint64_t>(raw_.integer))
                                           : static_cast<double>(raw_.integer);
  }
  /// Its value as an integer; 0 unless it is one.
  std::int64_t integer() const noexcept { return raw_.integer; }
  std::complex<double> complex() const noexcept { return {real(), raw_.kind == ICICLE_SCALAR_COMPLEX ? raw_.imaginary : 0}; }
  const icicle_scalar_t &raw() const noexcept { return raw_; }

 private:
  icicle_scalar_t raw_;
};

/// What Array::index takes along an axis: an integer, a range, as many axes as are not named, or a new axis.
class ArrayIndex {
 public:
  /// One element, from the end if negative; the axis is gone.
  ArrayIndex(std::int64_t at) : raw_() {
    raw_.kind = ICICLE_INDEX_AT;
    raw_.start = at;
  }
  /// Python's start:stop:step.
  static ArrayIndex slice(std::optional<std::int64_t> start = {}, std::optional<std::int64_t> stop = {}, std::int64_t step = 1) {
    ArrayIndex index(start.value_or(0));
    index.raw_.kind = ICICLE_INDEX_SLICE;
    index.raw_.has_start = start.has_value();
    index.raw_.has_stop = stop.has_value();
    index.raw_.stop = stop.value_or(0);
    index.raw_.step = step;
    return index;
  }
  static ArrayIndex ellipsis() { return of(ICICLE_INDEX_ELLIPSIS); }
  static ArrayIndex new_axis() { return of(ICICLE_INDEX_NEW_AXIS); }
  const icicle_array_index_t &raw() const noexcept { return raw_; }

 private:
  static ArrayIndex of(std::int32_t kind) {
    ArrayIndex index(0);
    index.raw_.kind = kind;
    return index;
  }
  icicle_array_index_t raw_;
};

/// ArrayAxes by number, from the end if negative: one, several, or all.
class ArrayAxes {
 public:
  ArrayAxes() = default;
  ArrayAxes(std::int32_t axis) : list_(std::vector<std::int32_t>{axis}) {}
  ArrayAxes(std::initializer_list<std::int32_t> axes) : list_(std::vector<std::int32_t>(axes)) {}
  ArrayAxes(std::vector<std::int32_t> axes) : list_(std::move(axes)) {}
  static ArrayAxes all() { return ArrayAxes(); }
  /// Null for all.
  const std::int32_t *data() const noexcept {
    static const std::int32_t none = 0;
    return !list_ ? nullptr : list_->empty() ? &none : list_->data();
  }
  std::int32_t size() const noexcept { return list_ ? static_cast<std::int32_t>(list_->size()) : 0; }

 private:
  std::optional<std::vector<std::int32_t>> list_;
};

/// An n-dimensional array of numbers of one dtype on a device. It is a value that no call changes: copies share it, and any
/// thread may use it. One that was default-constructed or moved from holds nothing, and calls with it throw INVALID_POINTER.
///
/// Calls check their arguments before they return; elements are computed then, or once they are needed.
class Array {
 public:
  using Shape = std::vector<std::int64_t>;
  using Place = std::optional<Device>;
  using Scalar = ArrayScalar;
  using Index = ArrayIndex;
  using Axes = ArrayAxes;

  Array() = default;
  /// Takes a handle of icicle.h over.
  explicit Array(void *raw) : raw_(raw, [](void *handle) { (void)icicle_array_free(handle); }) {}

  /// A copy of host memory, dense in C order or by strides in bytes; by default on the thread's current device.
  template <typename T>
  static Array from_host(const T *data, const Shape &shape, const Shape &strides = {}, const Place &device = {}) {
    if (!strides.empty() && strides.size() != shape.size())
      throw Error(ICICLE_INVALID_ARGUMENT, "from_host: strides must be one for each axis");
    return make(icicle_array_from_host, dtype_of<T>(), data, shape.data(), rank(shape),
                strides.empty() ? nullptr : strides.data(), raw(device));
  }
  /// As many elements as the shape says, by default along one axis.
  template <typename T>
  static Array from_vector(const std::vector<T> &values, const std::optional<Shape> &shape = {}, const Place &device = {}) {
    const Shape extents = shape ? *shape : Shape{static_cast<std::int64_t>(values.size())};
    std::uint64_t count = 1;  // a shape whose product wraps is refused by the call
    for (std::int64_t extent : extents) count *= static_cast<std::uint64_t>(extent);
    if (count != values.size())
      throw Error(ICICLE_INVALID_ARGUMENT, "from_vector: " + std::to_string(values.size()) + " values: the shape has " +
                                             std::to_string(count));
    if constexpr (std::is_same_v<T, bool>) {
      const std::unique_ptr<bool[]> copy(new bool[values.size()]);
      for (std::size_t i = 0; i < values.size(); i++) copy[i] = values[i];
      return from_host(copy.get(), extents, {}, device);
    } else {
      return from_host(values.data(), extents, {}, device);
    }
  }
  static Array zeros(icicle_dtype_t dtype, const Shape &shape, const Place &device = {}) {
    return make(icicle_array_zeros, dtype, shape.data(), rank(shape), raw(device));
  }
  static Array ones(icicle_dtype_t dtype, const Shape &shape, const Place &device = {}) {
    return make(icicle_array_ones, dtype, shape.data(), rank(shape), raw(device));
  }
  /// All elements of one value; of no axes, that number as an array.
  static Array full(const ArrayScalar &value, icicle_dtype_t dtype, const Shape &shape = {}, const Place &device = {}) {
    return make(icicle_array_full, value.raw(), dtype, shape.data(), rank(shape), raw(device));
  }
  /// start, start + step and so on, up to before stop.
  static Array arange(const ArrayScalar &start, const ArrayScalar &stop, const ArrayScalar &step, icicle_dtype_t dtype,
                      const Place &device = {}) {
    return make(icicle_array_arange, start.raw(), stop.raw(), step.raw(), dtype, raw(device));
  }
  /// n numbers at equal distances; without endpoint, stop is the one after the last.
  static Array linspace(const ArrayScalar &start, const ArrayScalar &stop, std::int64_t n, icicle_dtype_t dtype = ICICLE_DTYPE_FLOAT64,
                        bool endpoint = true, const Place &device = {}) {
    return make(icicle_array_linspace, start.raw(), stop.raw(), n, endpoint, dtype, raw(device));
  }
  /// Ones on a diagonal, k to the right of the main one.
  static Array eye(std::int64_t rows, std::int64_t columns, std::int64_t k, icicle_dtype_t dtype, const Place &device = {}) {
    return make(icicle_array_eye, rows, columns, k, dtype, raw(device));
  }

  icicle_dtype_t dtype() const { return static_cast<icicle_dtype_t>(info().dtype); }
  std::int64_t size() const { return info().size; }
  std::int32_t rank() const { return info().rank; }
  Device device() const { return Device(info().device); }
  /// Whether elements follow each other in memory, the last axis densest.
  bool is_dense() const { return info().is_dense; }
  icicle_array_info_t info() const {
    icicle_array_info_t found = {};
    found.struct_size = sizeof found;
    check(icicle_array_info(raw(), &found));
    return found;
  }
  Shape shape() const {
    Shape found(static_cast<std::size_t>(rank()));
    check(icicle_array_shape(raw(), rank(found), found.data(), nullptr));
    return found;
  }
  /// Bytes from one index of each axis to the next.
  Shape strides() const {
    Shape found(static_cast<std::size_t>(rank()));
    check(icicle_array_shape(raw(), rank(found), nullptr, found.data()));
    return found;
  }
  /// Copy the elements to host memory of as many bytes as they take, dense in C order.
  void to_host(void *data, std::size_t bytes) const { check(icicle_array_to_host(raw(), data, bytes)); }
  /// The elements in C order; T is the dtype's type.
  template <typename T>
  std::vector<T> to_vector() const {
    const icicle_array_info_t found = info();
    if (found.dtype != dtype_of<T>())
      throw Error(ICICLE_INVALID_ARGUMENT, "to_vector: elements of " + dtype_name(dtype_of<T>()) + ": the array holds " +
                                             dtype_name(static_cast<icicle_dtype_t>(found.dtype)));
    const std::size_t n = static_cast<std::size_t>(found.size);
    if constexpr (std::is_same_v<T, bool>) {
      const std::unique_ptr<bool[]> copy(new bool[n]);
      to_host(copy.get(), n);
      return std::vector<bool>(copy.get(), copy.get() + n);
    } else {
      std::vector<T> host(n);
      to_host(host.data(), n * sizeof(T));
      return host;
    }
  }
  /// The value of an array of one element.
  ArrayScalar item() const {
    icicle_scalar_t value;
    check(icicle_array_item(raw(), &value));
    return ArrayScalar(value);
  }
  Array astype(icicle_dtype_t dtype) const { return make(icicle_array_astype, raw(), dtype); }
  /// A dense copy in memory of its own.
  Array copy() const { return make(icicle_array_copy, raw()); }
  Array to_device(const Device &device) const { return make(icicle_array_to_device, raw(), &device.raw()); }

  /// A dense copy in unified memory of a device, by default the thread's current one, which the host and every GPU reach: a GPU's
  /// managed memory, of which the driver moves pages to who touches them, or a CPU's plain memory. Done on return; the memory is
  /// given back with the last array in it. Throws API_NOT_IMPLEMENTED where the device has none that it uses while the host does.
  Array to_unified(const Place &device = {}) const { return make(icicle_array_to_unified, raw(), raw(device)); }
  /// Whether its memory is unified, as that of CPUs always is. What it depends on is computed.
  bool is_unified() const {
    bool unified = false;
    check(icicle_array_is_unified(raw(), &unified));
    return unified;
  }
  /// The same memory for use by another device, without a copy. What that computes from it comes after what was enqueued before; for
  /// a CPU device the call waits for that. Throws INVALID_ARGUMENT if the device does not reach the memory.
  Array shared_with(const Device &device) const { return make(icicle_array_shared_with, raw(), &device.raw()); }
  /// Move the pages from its first to its last element to its device, enqueued on its default stream. On a CPU device pages of a
  /// GPU's unified memory move to the host, and plain memory stays. Throws INVALID_ARGUMENT for a GPU's own memory.
  void prefetch() const { check(icicle_array_prefetch(raw())); }

  /// A dense copy in page-locked (pinned) memory of the host, on its device if that is a CPU, else on CPU device 0: GPUs copy it at
  /// the rate of their link. Plain memory where there is no GPU. Done on return; the memory is given back with the last array in it.
  Array to_pinned() const { return make(icicle_array_to_pinned, raw()); }
  /// Whether its memory is page-locked, as that of to_pinned is where there is a GPU. What it depends on is computed.
  bool is_pinned() const {
    bool pinned = false;
    check(icicle_array_is_pinned(raw(), &pinned));
    return pinned;
  }

  /// Along axes, which are gone from the result or with keepdims of extent 1. Without a dtype, integers are summed in 64 bits.
  Array sum(const ArrayAxes &axes = {}, bool keepdims = false, icicle_dtype_t dtype = ICICLE_DTYPE_DEFAULT) const {
    return make(icicle_array_sum, raw(), axes.data(), axes.size(), keepdims, dtype);
  }
  Array prod(const ArrayAxes &axes = {}, bool keepdims = false, icicle_dtype_t dtype = ICICLE_DTYPE_DEFAULT) const {
    return make(icicle_array_prod, raw(), axes.data(), axes.size(), keepdims, dtype);
  }
  Array min(const ArrayAxes &axes = {}, bool keepdims = false) const { return reduce(icicle_array_min, axes, keepdims); }
  Array max(const ArrayAxes &axes = {}, bool keepdims = false) const { return reduce(icicle_array_max, axes, keepdims); }
  Array mean(const ArrayAxes &axes = {}, bool keepdims = false) const { return reduce(icicle_array_mean, axes, keepdims); }
  Array all(const ArrayAxes &axes = {}, bool keepdims = false) const { return reduce(icicle_array_all, axes, keepdims); }
  Array any(const ArrayAxes &axes = {}, bool keepdims = false) const { return reduce(icicle_array_any, axes, keepdims); }
  Array count_nonzero(const ArrayAxes &axes = {}, bool keepdims = false) const {
    return reduce(icicle_array_count_nonzero, axes, keepdims);
  }
  /// Divided by the number of elements less `correction`.
  Array var(const ArrayAxes &axes = {}, double correction = 0, bool keepdims = false) const {
    return make(icicle_array_var, raw(), axes.data(), axes.size(), correction, keepdims);
  }
  Array std(const ArrayAxes &axes = {}, double correction = 0, bool keepdims = false) const {
    return make(icicle_array_std, raw(), axes.data(), axes.size(), correction, keepdims);
  }
  /// Indices in int64, along an axis or of all elements in C order.
  Array argmin(std::optional<std::int32_t> axis = {}, bool keepdims = false) const {
    return make(icicle_array_argmin, raw(), axis ? &*axis : nullptr, keepdims);
  }
  Array argmax(std::optional<std::int32_t> axis = {}, bool keepdims = false) const {
    return make(icicle_array_argmax, raw(), axis ? &*axis : nullptr, keepdims);
  }
  /// Along an axis, which may be left out where there is one.
  Array cumulative_sum(std::optional<std::int32_t> axis = {}, icicle_dtype_t dtype = ICICLE_DTYPE_DEFAULT, bool initial = false) const {
    return make(icicle_array_cumulative_sum, raw(), axis ? &*axis : nullptr, dtype, initial);
  }
  Array cumulative_prod(std::optional<std::int32_t> axis = {}, icicle_dtype_t dtype = ICICLE_DTYPE_DEFAULT, bool initial = false) const {
    return make(icicle_array_cumulative_prod, raw(), axis ? &*axis : nullptr, dtype, initial);
  }

  /// One extent may be -1, which is what is left.
  Array reshape(const Shape &shape) const { return make(icicle_array_reshape, raw(), shape.data(), rank(shape)); }
  Array permute_dims(const ArrayAxes &order) const { return make(icicle_array_permute_dims, raw(), order.data(), order.size()); }
  Array matrix_transpose() const { return make(icicle_array_matrix_transpose, raw()); }
  Array moveaxis(const ArrayAxes &source, const ArrayAxes &destination) const {
    if (source.size() != destination.size())
      throw Error(ICICLE_INVALID_ARGUMENT, "moveaxis: source and destination must be as many axes");
    return make(icicle_array_moveaxis, raw(), source.data(), destination.data(), source.size());
  }
  Array expand_dims(std::int32_t axis) const { return make(icicle_array_expand_dims, raw(), axis); }
  Array squeeze(const ArrayAxes &axes) const { return make(icicle_array_squeeze, raw(), axes.data(), axes.size()); }
  Array broadcast_to(const Shape &shape) const { return make(icicle_array_broadcast_to, raw(), shape.data(), rank(shape)); }
  Array flip(const ArrayAxes &axes = {}) const { return make(icicle_array_flip, raw(), axes.data(), axes.size()); }
  /// A view of what indices take, one an axis from the first on.
  Array index(const std::vector<ArrayIndex> &indices) const {
    std::vector<icicle_array_index_t> list;
    for (const ArrayIndex &one : indices) list.push_back(one.raw());
    return make(icicle_array_index, raw(), list.data(), static_cast<std::int32_t>(list.size()));
  }
  /// Elements moved along axes, each by its shift; of all axes, by one shift in C order.
  Array roll(const Shape &shifts, const ArrayAxes &axes = {}) const {
    if (axes.data() && static_cast<std::size_t>(axes.size()) != shifts.size())
      throw Error(ICICLE_INVALID_ARGUMENT, "roll: shifts must be one for each axis");
    return make(icicle_array_roll, raw(), shifts.data(), axes.data(), rank(shifts));
  }
  Array take(const Array &indices, std::int32_t axis) const { return make(icicle_array_take, raw(), indices.raw(), axis); }
  Array take_along_axis(const Array &indices, std::int32_t axis = -1) const {
    return make(icicle_array_take_along_axis, raw(), indices.raw(), axis);
  }
  /// The elements where a mask is true.
  Array compress(const Array &mask) const { return make(icicle_array_compress, raw(), mask.raw()); }
  /// The indices of elements that are not 0, an array for each axis.
  std::vector<Array> nonzero() const {
    std::vector<void *> made(static_cast<std::size_t>(rank()) + 1);
    check(icicle_array_nonzero(raw(), made.data(), static_cast<std::int32_t>(made.size() - 1)));
    made.pop_back();
    std::vector<Array> found;
    for (void *one : made) found.emplace_back(one);
    return found;
  }
  Array clip(const Array &min, const Array &max) const { return make(icicle_array_clip, raw(), min.raw(), max.raw()); }

  Array sort(std::int32_t axis = -1, bool descending = false) const { return make(icicle_array_sort, raw(), axis, descending); }
  Array argsort(std::int32_t axis = -1, bool descending = false) const {
    return make(icicle_array_argsort, raw(), axis, descending);
  }
  /// Where values belong in this array, which is sorted and has one axis.
  Array searchsorted(const Array &values, bool right = false) const {
    return make(icicle_array_searchsorted, raw(), values.raw(), right);
  }
  Array unique_values() const { return make(icicle_array_unique_values, raw()); }

  /// The handle for icicle.h; null if this holds nothing.
  void *raw() const noexcept { return raw_.get(); }

  /// Call a function of icicle.h that makes an array; its last argument, where to, is left out.
  template <typename Call, typename... Arguments>
  static Array make(Call call, const Arguments &...arguments) {
    void *made = nullptr;
    check(call(arguments..., &made));
    return Array(made);
  }

 private:
  static std::int32_t rank(const Shape &shape) { return static_cast<std::int32_t>(shape.size()); }
  static const icicle_device_t *raw(const Place &device) { return device ? &device->raw() : nullptr; }
  template <typename Call>
  Array reduce(Call call, const ArrayAxes &axes, bool keepdims) const {
    return make(call, raw(), axes.data(), axes.size(), keepdims);
  }

  std::shared_ptr<void> raw_;
};

/// An operation on each element, or pair of elements; shapes broadcast, and numbers take the array's dtype.
inline Array unary(icicle_unary_op_t op, const Array &x) { return Array::make(icicle_array_unary, op, x.raw()); }
inline Array binary(icicle_binary_op_t op, const Array &x, const Array &y) {
  return Array::make(icicle_array_binary, op, x.raw(), y.raw());
}
inline Array binary(icicle_binary_op_t op, const Array &x, const ArrayScalar &y) {
  return Array::make(icicle_array_binary_scalar, op, x.raw(), y.raw(), false);
}
inline Array binary(icicle_binary_op_t op, const ArrayScalar &x, const Array &y) {
  return Array::make(icicle_array_binary_scalar, op, y.raw(), x.raw(), true);
}

// Each operation by its name in the array API, as C's constants have it.
#define ICICLE_NAMED(name, OP) \
  inline Array name(const Array &x) { return unary(ICICLE_UNARY_##OP, x); }
ICICLE_NAMED(abs, ABS) ICICLE_NAMED(negative, NEGATIVE) ICICLE_NAMED(positive, POSITIVE) ICICLE_NAMED(sign, SIGN)
ICICLE_NAMED(sqrt, SQRT) ICICLE_NAMED(square, SQUARE) ICICLE_NAMED(reciprocal, RECIPROCAL) ICICLE_NAMED(exp, EXP)
ICICLE_NAMED(expm1, EXPM1) ICICLE_NAMED(log, LOG) ICICLE_NAMED(log1p, LOG1P) ICICLE_NAMED(log2, LOG2)
ICICLE_NAMED(log10, LOG10) ICICLE_NAMED(sin, SIN) ICICLE_NAMED(cos, COS) ICICLE_NAMED(tan, TAN) ICICLE_NAMED(asin, ASIN)
ICICLE_NAMED(acos, ACOS) ICICLE_NAMED(atan, ATAN) ICICLE_NAMED(sinh, SINH) ICICLE_NAMED(cosh, COSH)
ICICLE_NAMED(tanh, TANH) ICICLE_NAMED(asinh, ASINH) ICICLE_NAMED(acosh, ACOSH) ICICLE_NAMED(atanh, ATANH)
ICICLE_NAMED(floor, FLOOR) ICICLE_NAMED(ceil, CEIL) ICICLE_NAMED(trunc, TRUNC) ICICLE_NAMED(round, ROUND)
ICICLE_NAMED(isnan, ISNAN) ICICLE_NAMED(isinf, ISINF) ICICLE_NAMED(isfinite, ISFINITE) ICICLE_NAMED(signbit, SIGNBIT)
ICICLE_NAMED(conj, CONJ) ICICLE_NAMED(real, REAL) ICICLE_NAMED(imag, IMAG) ICICLE_NAMED(logical_not, LOGICAL_NOT)
ICICLE_NAMED(bitwise_invert, BITWISE_INVERT)
#undef ICICLE_NAMED
#define ICICLE_NAMED(name, OP) \
  inline Array name(const Array &x, const Array &y) { return binary(ICICLE_BINARY_##OP, x, y); } \
  inline Array name(const Array &x, const ArrayScalar &y) { return binary(ICICLE_BINARY_##OP, x, y); } \
  inline Array name(const ArrayScalar &x, const Array &y) { return binary(ICICLE_BINARY_##OP, x, y); }
ICICLE_NAMED(add, ADD) ICICLE_NAMED(subtract, SUBTRACT) ICICLE_NAMED(multiply, MULTIPLY) ICICLE_NAMED(divide, DIVIDE)
ICICLE_NAMED(floor_divide, FLOOR_DIVIDE) ICICLE_NAMED(remainder, REMAINDER) ICICLE_NAMED(pow, POW)
ICICLE_NAMED(atan2, ATAN2) ICICLE_NAMED(hypot, HYPOT) ICICLE_NAMED(copysign, COPYSIGN)
ICICLE_NAMED(nextafter, NEXTAFTER) ICICLE_NAMED(logaddexp, LOGADDEXP) ICICLE_NAMED(maximum, MAXIMUM)
ICICLE_NAMED(minimum, MINIMUM) ICICLE_NAMED(bitwise_and, BITWISE_AND) ICICLE_NAMED(bitwise_or, BITWISE_OR)
ICICLE_NAMED(bitwise_xor, BITWISE_XOR) ICICLE_NAMED(bitwise_left_shift, BITWISE_LEFT_SHIFT)
ICICLE_NAMED(bitwise_right_shift, BITWISE_RIGHT_SHIFT) ICICLE_NAMED(equal, EQUAL) ICICLE_NAMED(not_equal, NOT_EQUAL)
ICICLE_NAMED(less, LESS) ICICLE_NAMED(less_equal, LESS_EQUAL) ICICLE_NAMED(greater, GREATER)
ICICLE_NAMED(greater_equal, GREATER_EQUAL) ICICLE_NAMED(logical_and, LOGICAL_AND) ICICLE_NAMED(logical_or, LOGICAL_OR)
ICICLE_NAMED(logical_xor, LOGICAL_XOR)
#undef ICICLE_NAMED

// Operators, of two arrays or an array and a number. Comparisons give arrays of bool.
#define ICICLE_OPERATOR(symbol, OP) \
  inline Array operator symbol(const Array &x, const Array &y) { return binary(ICICLE_BINARY_##OP, x, y); } \
  inline Array operator symbol(const Array &x, const ArrayScalar &y) { return binary(ICICLE_BINARY_##OP, x, y); } \
  inline Array operator symbol(const ArrayScalar &x, const Array &y) { return binary(ICICLE_BINARY_##OP, x, y); }
ICICLE_OPERATOR(+, ADD)
ICICLE_OPERATOR(-, SUBTRACT)
ICICLE_OPERATOR(*, MULTIPLY)
ICICLE_OPERATOR(/, DIVIDE)
ICICLE_OPERATOR(%, REMAINDER)
ICICLE_OPERATOR(&, BITWISE_AND)
ICICLE_OPERATOR(|, BITWISE_OR)
ICICLE_OPERATOR(^, BITWISE_XOR)
ICICLE_OPERATOR(==, EQUAL)
ICICLE_OPERATOR(!=, NOT_EQUAL)
ICICLE_OPERATOR(<, LESS)
ICICLE_OPERATOR(<=, LESS_EQUAL)
ICICLE_OPERATOR(>, GREATER)
ICICLE_OPERATOR(>=, GREATER_EQUAL)
#undef ICICLE_OPERATOR
inline Array operator-(const Array &x) { return unary(ICICLE_UNARY_NEGATIVE, x); }
inline Array operator~(const Array &x) { return unary(ICICLE_UNARY_BITWISE_INVERT, x); }

/// The element of `x` where the condition is true, else that of `y`.
inline Array where(const Array &condition, const Array &x, const Array &y) {
  return Array::make(icicle_array_where, condition.raw(), x.raw(), y.raw());
}

/// Arrays one after another along an axis, flattened without one; or along a new axis.
inline Array concat(const std::vector<Array> &arrays, std::optional<std::int32_t> axis = 0) {
  std::vector<void *> raw;
  for (const Array &one : arrays) raw.push_back(one.raw());
  return Array::make(icicle_array_concat, raw.data(), static_cast<std::int32_t>(raw.size()), axis ? &*axis : nullptr);
}
inline Array stack(const std::vector<Array> &arrays, std::int32_t axis = 0) {
  std::vector<void *> raw;
  for (const Array &one : arrays) raw.push_back(one.raw());
  return Array::make(icicle_array_stack, raw.data(), static_cast<std::int32_t>(raw.size()), axis);
}

/// The matrix product over the last two axes, or with a vector of one axis.
inline Array matmul(const Array &x, const Array &y) { return Array::make(icicle_array_matmul, x.raw(), y.raw()); }
/// How exactly matrices of float32 are multiplied: in float32, or with operands that GPUs may round to 10 bits behind the point
/// (TF32), several times as fast.
enum class Float32Precision : std::int32_t { highest = ICICLE_FLOAT32_HIGHEST, high = ICICLE_FLOAT32_HIGH };
/// From now on, in all threads; at first highest. CPUs always compute with that. Throws INVALID_ARGUMENT for what is none.
inline void set_float32_matmul_precision(Float32Precision precision) {
  check(icicle_set_float32_matmul_precision(static_cast<std::int32_t>(precision)));
}
inline Float32Precision float32_matmul_precision() { return static_cast<Float32Precision>(icicle_float32_matmul_precision()); }
/// The sum of products over pairs of axes.
inline Array tensordot(const Array &x, const Array &y, const ArrayAxes &x_axes, const ArrayAxes &y_axes) {
  if (!x_axes.data() || !y_axes.data() || x_axes.size() != y_axes.size())
    throw Error(ICICLE_INVALID_ARGUMENT, "tensordot: axes must be named, and as many of each");
  return Array::make(icicle_array_tensordot, x.raw(), y.raw(), x_axes.data(), y_axes.data(), x_axes.size());
}
/// The sum of products along an axis, of the complex conjugates of `x`.
inline Array vecdot(const Array &x, const Array &y, std::int32_t axis = -1) {
  return Array::make(icicle_array_vecdot, x.raw(), y.raw(), axis);
}

}  // namespace icicle

#endif  // ICICLE_ARRAY_HPP
