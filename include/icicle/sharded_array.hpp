// Arrays of numbers over the devices of a group; included by icicle.hpp.
#ifndef ICICLE_SHARDED_ARRAY_HPP
#define ICICLE_SHARDED_ARRAY_HPP

#include "array.hpp"
#include "group.hpp"

namespace icicle {

/// How an array lies over the devices of a group: consecutive indices of an axis on each; all of it on every one; or as sums,
/// whose elements are those of what lies on the devices.
enum class Placement : std::int32_t {
  split = ICICLE_PLACEMENT_SPLIT,
  replicated = ICICLE_PLACEMENT_REPLICATED,
  partial = ICICLE_PLACEMENT_PARTIAL,
};

/// An n-dimensional array of numbers over the devices of a group. Like Array it is a value that no call changes, and copies
/// share it. It is used with the group it was made with: once that is destroyed, calls that need it throw INVALID_POINTER. An
/// error of a device names it.
///
/// Sums and products over a split axis are partial sums, which are added when the array is gathered, placed otherwise, or an
/// operand of anything but sums.
class ShardedArray {
 public:
  using Axis = std::optional<std::int32_t>;

  ShardedArray() = default;
  /// Lay an array over a group's devices: split along an axis, from the end if negative, each device getting consecutive indices,
  /// as many as its share says; or, without one, all of it on every device.
  static ShardedArray scatter(const Group &group, const Array &array, Axis axis = 0) {
    return make(group.raw(), icicle_sharded_array_scatter, array.raw(), axis ? &*axis : nullptr);
  }

  icicle_sharded_array_info_t info() const {
    icicle_sharded_array_info_t found = {};
    found.struct_size = sizeof found;
    check(icicle_sharded_array_info(raw(), &found));
    return found;
  }
  icicle_dtype_t dtype() const { return static_cast<icicle_dtype_t>(info().dtype); }
  /// Number of elements, each counted once.
  std::int64_t size() const { return info().size; }
  std::int32_t rank() const { return info().rank; }
  Placement placement() const { return static_cast<Placement>(info().placement); }
  /// The split axis, if one is.
  Axis axis() const {
    const std::int32_t found = info().axis;
    return found < 0 ? Axis() : Axis(found);
  }
  /// Extents of the whole array's axes.
  Array::Shape shape() const {
    Array::Shape found(static_cast<std::size_t>(rank()) + 1);
    found.pop_back();
    check(icicle_sharded_array_shape(raw(), static_cast<std::int32_t>(found.size()), found.data()));
    return found;
  }
  /// What a device holds, which shares its memory, and which indices of the split axis these are; none if none is split.
  struct Part {
    Array array;
    std::int64_t first, count;
  };
  /// That of a position of the group. Partial sums of floats have the wider dtype in which they are held.
  Part part(std::int32_t position) const {
    void *made = nullptr;
    std::int64_t first = 0, count = 0;
    check(icicle_sharded_array_part(raw(), position, &made, &first, &count));
    return {Array(made), first, count};
  }
  /// The whole array on a device, by default the thread's current one.
  Array gather(const Array::Place &device = {}) const {
    return Array::make(icicle_sharded_array_gather, group_, raw(), device ? &device->raw() : nullptr);
  }
  /// The value of an array of one element.
  ArrayScalar item() const {
    icicle_scalar_t value;
    check(icicle_sharded_array_item(group_, raw(), &value));
    return ArrayScalar(value);
  }
  /// The same array placed otherwise, as scatter() says; partial sums are added.
  ShardedArray reshard(Axis axis) const { return made(icicle_sharded_array_reshard, raw(), axis ? &*axis : nullptr); }
  ShardedArray astype(icicle_dtype_t dtype) const { return made(icicle_sharded_array_astype, raw(), dtype); }

  /// Along axes, which are gone from the result or with keepdims of extent 1. Over a split axis: partial sums.
  ShardedArray sum(const ArrayAxes &axes = {}, bool keepdims = false) const { return reduce(icicle_sharded_array_sum, axes, keepdims); }
  ShardedArray count_nonzero(const ArrayAxes &axes = {}, bool keepdims = false) const {
    return reduce(icicle_sharded_array_count_nonzero, axes, keepdims);
  }
  /// Over a split axis: on every device.
  ShardedArray prod(const ArrayAxes &axes = {}, bool keepdims = false) const { return reduce(icicle_sharded_array_prod, axes, keepdims); }
  ShardedArray min(const ArrayAxes &axes = {}, bool keepdims = false) const { return reduce(icicle_sharded_array_min, axes, keepdims); }
  ShardedArray max(const ArrayAxes &axes = {}, bool keepdims = false) const { return reduce(icicle_sharded_array_max, axes, keepdims); }
  ShardedArray mean(const ArrayAxes &axes = {}, bool keepdims = false) const { return reduce(icicle_sharded_array_mean, axes, keepdims); }
  ShardedArray all(const ArrayAxes &axes = {}, bool keepdims = false) const { return reduce(icicle_sharded_array_all, axes, keepdims); }
  ShardedArray any(const ArrayAxes &axes = {}, bool keepdims = false) const { return reduce(icicle_sharded_array_any, axes, keepdims); }

  friend ShardedArray unary(icicle_unary_op_t op, const ShardedArray &x) { return x.made(icicle_sharded_array_unary, op, x.raw()); }
  friend ShardedArray binary(icicle_binary_op_t op, const ShardedArray &x, const ShardedArray &y) {
    return x.made(icicle_sharded_array_binary, op, x.raw(), y.raw());
  }
  friend ShardedArray binary(icicle_binary_op_t op, const ShardedArray &x, const ArrayScalar &y) {
    return x.made(icicle_sharded_array_binary_scalar, op, x.raw(), y.raw(), false);
  }
  friend ShardedArray binary(icicle_binary_op_t op, const ArrayScalar &x, const ShardedArray &y) {
    return y.made(icicle_sharded_array_binary_scalar, op, y.raw(), x.raw(), true);
  }
  /// The matrix product. How it is divided follows from how the operands lie, as icicle_sharded_array_matmul says.
  friend ShardedArray matmul(const ShardedArray &x, const ShardedArray &y) {
    return x.made(icicle_sharded_array_matmul, x.raw(), y.raw());
  }

  /// The handle for icicle.h; null if this holds nothing.
  void *raw() const noexcept { return raw_.get(); }

 private:
  ShardedArray(void *group, void *raw) : group_(group), raw_(raw, [](void *handle) { (void)icicle_sharded_array_free(handle); }) {}
  template <typename Call, typename... Arguments>
  static ShardedArray make(void *group, Call call, const Arguments &...arguments) {
    void *made = nullptr;
    check(call(group, arguments..., &made));
    return ShardedArray(group, made);
  }
  template <typename Call, typename... Arguments>
  ShardedArray made(Call call, const Arguments &...arguments) const {
    return make(group_, call, arguments...);
  }
  template <typename Call>
  ShardedArray reduce(Call call, const ArrayAxes &axes, bool keepdims) const {
    return made(call, raw(), axes.data(), axes.size(), keepdims);
  }

  void *group_ = nullptr;
  std::shared_ptr<void> raw_;
};

// Operators, of two arrays or an array and a number. The result is placed as the first is if that is split, else as the other.
#define ICICLE_OPERATOR(symbol, OP) \
  inline ShardedArray operator symbol(const ShardedArray &x, const ShardedArray &y) { return binary(ICICLE_BINARY_##OP, x, y); } \
  inline ShardedArray operator symbol(const ShardedArray &x, const ArrayScalar &y) { return binary(ICICLE_BINARY_##OP, x, y); } \
  inline ShardedArray operator symbol(const ArrayScalar &x, const ShardedArray &y) { return binary(ICICLE_BINARY_##OP, x, y); }
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
inline ShardedArray operator-(const ShardedArray &x) { return unary(ICICLE_UNARY_NEGATIVE, x); }
inline ShardedArray operator~(const ShardedArray &x) { return unary(ICICLE_UNARY_BITWISE_INVERT, x); }

}  // namespace icicle

#endif  // ICICLE_SHARDED_ARRAY_HPP
