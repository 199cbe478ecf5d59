// Encrypted integers; included by icicle.hpp.
#ifndef ICICLE_FHE_HPP
#define ICICLE_FHE_HPP

#include "group.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace icicle {
namespace fhe {

/// The type of encrypted elements of a C++ type.
template <typename T>
constexpr icicle_fhe_type_t type_of() {
  if constexpr (std::is_same_v<T, bool>) return ICICLE_FHE_BOOL;
  else {
    static_assert(std::is_unsigned_v<T>, "elements are bool or unsigned integers of 8, 16, 32 or 64 bits");
    return sizeof(T) == 1 ? ICICLE_FHE_UINT8 : sizeof(T) == 2 ? ICICLE_FHE_UINT16 : sizeof(T) == 4 ? ICICLE_FHE_UINT32 : ICICLE_FHE_UINT64;
  }
}

/// Name of a type, such as uint8.
inline std::string type_name(icicle_fhe_type_t kind) {
  const char *found = icicle_fhe_type_name(kind);
  return found ? found : "none";
}
/// Names of operations.
inline std::string op_name(icicle_fhe_unary_op_t op) {
  const char *found = icicle_fhe_unary_op_name(op);
  return found ? found : "none";
}
inline std::string op_name(icicle_fhe_binary_op_t op) {
  const char *found = icicle_fhe_binary_op_name(op);
  return found ? found : "none";
}
inline std::string op_name(icicle_fhe_overflow_op_t op) {
  const char *found = icicle_fhe_overflow_op_name(op);
  return found ? found : "none";
}

/// The bytes of a key or an array, of a function of icicle.h that first tells how many there are.
inline std::vector<std::uint8_t> bytes_of(icicle_error_t (*call)(void *, void *, std::size_t, std::size_t *), void *raw) {
  std::size_t needed = 0;
  check(call(raw, nullptr, 0, &needed));
  std::vector<std::uint8_t> bytes(needed);
  check(call(raw, bytes.data(), bytes.size(), nullptr));
  return bytes;
}

/// What a function of icicle.h makes, a handle that the caller owns.
template <typename... Types, typename... Arguments>
void *made_by(icicle_error_t (*call)(Types...), Arguments... arguments) {
  void *made = nullptr;
  check(call(arguments..., &made));
  return made;
}

class Operand;

/// An encrypted array of unsigned integers or truth values. It is a value that no call changes: copies share it, and any thread
/// may use it. Operations use the calling thread's server key (ServerKey::set), and either operand may be clear; results lie in the
/// memory of that key's device, and are there when the call returns.
class Array {
 public:
  Array() = default;
  /// Takes a handle of icicle.h over.
  explicit Array(void *raw) : raw_(raw, [](void *handle) { (void)icicle_fhe_array_free(handle); }) {}

  /// What the elements are.
  icicle_fhe_type_t kind() const {
    std::int32_t kind = 0;
    check(icicle_fhe_array_info(raw(), &kind, nullptr));
    return static_cast<icicle_fhe_type_t>(kind);
  }
  std::size_t size() const {
    std::size_t n = 0;
    check(icicle_fhe_array_info(raw(), nullptr, &n));
    return n;
  }
  /// Elements that anyone can read, in the form of encrypted ones under the thread's server key.
  template <typename T>
  static Array trivial(const std::vector<T> &values) {
    const std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> copy(values.begin(), values.end());
    return make(icicle_fhe_trivial, type_of<T>(), copy.data(), copy.size());
  }
  /// The elements from start up to end, in the same memory, which is given back with the last array that has it.
  Array slice(std::size_t start, std::size_t end) const { return make(icicle_fhe_slice, raw(), start, end); }
  /// The array so many times, one after another: on a GPU in the same memory, on the host as copies.
  Array repeat(std::size_t times) const { return make(icicle_fhe_repeat, raw(), times); }
  /// The elements of arrays, one array after another: copied where all lie on the host, else in the same memory.
  static Array concatenate(const std::vector<Array> &arrays) {
    std::vector<void *> raw;
    for (const Array &array : arrays) raw.push_back(array.raw());
    return make(icicle_fhe_concatenate, raw.data(), static_cast<std::int32_t>(raw.size()));
  }
  /// In another type: the low bits, or zeros above; truth values as 0 and 1, integers as whether they are not 0.
  template <typename T>
  Array cast() const {
    return make(icicle_fhe_cast, raw(), type_of<T>());
  }
  /// How many truth values hold, as an array of one integer.
  template <typename T>
  Array count() const {
    return make(icicle_fhe_count, raw(), type_of<T>());
  }
  /// As bytes, the same in every language, to be kept and sent: 8 kB for each bit.
  std::vector<std::uint8_t> to_bytes() const { return bytes_of(icicle_fhe_array_to_bytes, raw()); }
  /// The array that bytes of to_bytes hold; they say of which type.
  static Array from_bytes(const std::vector<std::uint8_t> &bytes) { return make(icicle_fhe_array_from_bytes, bytes.data(), bytes.size()); }
  /// The sum of all elements, as an array of one.
  Array sum() const { return unary(ICICLE_FHE_SUM); }
  Array operator-() const { return unary(ICICLE_FHE_NEG); }
  /// The bits not set; of truth values, whether they do not hold.
  Array operator~() const { return unary(ICICLE_FHE_NOT); }
  Array operator!() const { return unary(ICICLE_FHE_NOT); }
  /// Of truth values: of each pair of integers the first where this holds, else the second.
  Array select(const Operand &x, const Operand &y) const;
  Array unary(icicle_fhe_unary_op_t op) const { return make(icicle_fhe_unary, op, raw()); }
  /// A handle of icicle.h, which this owns.
  void *raw() const noexcept { return raw_.get(); }

  template <typename... Types, typename... Arguments>
  static Array make(icicle_error_t (*call)(Types...), Arguments... arguments) {
    return Array(made_by(call, arguments...));
  }

 private:
  std::shared_ptr<void> raw_;
};

/// What an operation takes: an encrypted array, or clear elements, one for all or one each. It refers to what it is made from.
class Operand {
 public:
  Operand(const Array &array) : raw_{array.raw(), nullptr, 0, 0}, one_(0) {}
  template <typename T, typename = std::enable_if_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>>>
  Operand(T value) : raw_{nullptr, nullptr, 1, type_of<T>()}, one_(0) {
    std::memcpy(&one_, &value, sizeof value);
  }
  template <typename T, typename = std::enable_if_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>>>
  Operand(const std::vector<T> &values) : raw_{nullptr, values.data(), values.size(), type_of<T>()}, one_(0) {}
  /// Valid as long as this is.
  icicle_fhe_operand_t raw() const noexcept {
    icicle_fhe_operand_t raw = raw_;
    if (!raw.array && !raw.values && raw.n == 1) raw.values = &one_;
    return raw;
  }

 private:
  icicle_fhe_operand_t raw_;
  std::uint64_t one_;
};

inline Array Array::select(const Operand &x, const Operand &y) const { return make(icicle_fhe_select, raw(), x.raw(), y.raw()); }

/// An operation on each pair of elements.
inline Array binary(icicle_fhe_binary_op_t op, const Operand &x, const Operand &y) {
  return Array::make(icicle_fhe_binary, op, x.raw(), y.raw());
}
/// The same, and whether results are beyond the width.
inline std::pair<Array, Array> overflowing(icicle_fhe_overflow_op_t op, const Operand &x, const Operand &y) {
  void *made = nullptr, *flags = nullptr;
  check(icicle_fhe_overflowing(op, x.raw(), y.raw(), &made, &flags));
  return {Array(made), Array(flags)};
}

#define ICICLE_FHE_NAMED(name, op)                                                                     \
  inline Array name(const Array &x, const Operand &y) { return binary(ICICLE_FHE_##op, x, y); }        \
  inline Array name(const Operand &x, const Array &y) { return binary(ICICLE_FHE_##op, x, y); }        \
  inline Array name(const Array &x, const Array &y) { return binary(ICICLE_FHE_##op, x, y); }
ICICLE_FHE_NAMED(operator+, ADD)
ICICLE_FHE_NAMED(operator-, SUB)
ICICLE_FHE_NAMED(operator*, MUL)
ICICLE_FHE_NAMED(operator&, BITAND)
ICICLE_FHE_NAMED(operator|, BITOR)
ICICLE_FHE_NAMED(operator^, BITXOR)
ICICLE_FHE_NAMED(operator==, EQ)
ICICLE_FHE_NAMED(operator!=, NE)
ICICLE_FHE_NAMED(operator<, LT)
ICICLE_FHE_NAMED(operator<=, LE)
ICICLE_FHE_NAMED(operator>, GT)
ICICLE_FHE_NAMED(operator>=, GE)
ICICLE_FHE_NAMED(min, MIN)
ICICLE_FHE_NAMED(max, MAX)
#undef ICICLE_FHE_NAMED

inline Array operator<<(const Array &x, const Operand &amount) { return binary(ICICLE_FHE_SHL, x, amount); }
inline Array operator>>(const Array &x, const Operand &amount) { return binary(ICICLE_FHE_SHR, x, amount); }
inline Array rotate_left(const Array &x, const Operand &amount) { return binary(ICICLE_FHE_ROTATE_LEFT, x, amount); }
inline Array rotate_right(const Array &x, const Operand &amount) { return binary(ICICLE_FHE_ROTATE_RIGHT, x, amount); }
inline std::pair<Array, Array> overflowing_add(const Operand &x, const Operand &y) {
  return overflowing(ICICLE_FHE_OVERFLOWING_ADD, x, y);
}
inline std::pair<Array, Array> overflowing_sub(const Operand &x, const Operand &y) {
  return overflowing(ICICLE_FHE_OVERFLOWING_SUB, x, y);
}

/// Freshly encrypted elements in the form to send, 4 bytes for each bit: ClientKey::encrypt_compressed makes one. Copies share it.
class CompressedArray {
 public:
  CompressedArray() = default;
  /// Takes a handle of icicle.h over.
  explicit CompressedArray(void *raw) : raw_(raw, [](void *handle) { (void)icicle_fhe_compressed_array_free(handle); }) {}
  /// What the elements are.
  icicle_fhe_type_t kind() const {
    std::int32_t kind = 0;
    check(icicle_fhe_compressed_array_info(raw_.get(), &kind, nullptr));
    return static_cast<icicle_fhe_type_t>(kind);
  }
  std::size_t size() const {
    std::size_t n = 0;
    check(icicle_fhe_compressed_array_info(raw_.get(), nullptr, &n));
    return n;
  }
  /// The array to compute with; this one stays.
  Array decompress() const { return Array::make(icicle_fhe_array_decompress, raw_.get()); }
  /// As bytes, the same in every language.
  std::vector<std::uint8_t> to_bytes() const { return bytes_of(icicle_fhe_compressed_array_to_bytes, raw_.get()); }
  /// The array that bytes of to_bytes hold; they say of which type.
  static CompressedArray from_bytes(const std::vector<std::uint8_t> &bytes) {
    return CompressedArray(made_by(icicle_fhe_compressed_array_from_bytes, bytes.data(), bytes.size()));
  }

 private:
  std::shared_ptr<void> raw_;
};

/// The key to compute with, of one device or of a group. Copies share it.
class ServerKey {
 public:
  ServerKey() = default;
  /// Takes a handle of icicle.h over.
  explicit ServerKey(void *raw) : raw_(raw, [](void *handle) { (void)icicle_fhe_server_key_free(handle); }) {}
  /// A key that divides arrays among the devices of a group, which this key serves.
  ServerKey over(const Group &group) const { return ServerKey(made_by(icicle_fhe_key_set_create, raw_.get(), group.raw())); }
  /// As bytes, the same in every language: 120 MB, ready to compute with. Not of a key of a group.
  std::vector<std::uint8_t> to_bytes() const { return bytes_of(icicle_fhe_server_key_to_bytes, raw_.get()); }
  /// The key that bytes of to_bytes hold, for a device, by default the thread's current one.
  static ServerKey from_bytes(const std::vector<std::uint8_t> &bytes, const std::optional<Device> &device = {}) {
    const icicle_device_t raw = device ? device->raw() : icicle_device_t{};
    return ServerKey(made_by(icicle_fhe_server_key_from_bytes, bytes.data(), bytes.size(), device ? &raw : nullptr));
  }
  /// Make it the calling thread's, for its operations. Each thread has its own.
  void set() const { check(icicle_fhe_set_server_key(raw_.get())); }
  /// Leave the calling thread without one.
  static void unset() { check(icicle_fhe_set_server_key(nullptr)); }
  /// The calling thread's; one that names none if it has none.
  static ServerKey current() {
    void *key = nullptr;
    check(icicle_fhe_server_key(&key));
    return key ? ServerKey(key) : ServerKey();
  }
  explicit operator bool() const noexcept { return raw_ != nullptr; }

 private:
  std::shared_ptr<void> raw_;
};

/// A server key in the form to keep and send, 30 MB: ClientKey::compressed_server_key makes one. Copies share it.
class CompressedServerKey {
 public:
  CompressedServerKey() = default;
  /// Takes a handle of icicle.h over.
  explicit CompressedServerKey(void *raw)
      : raw_(raw, [](void *handle) { (void)icicle_fhe_compressed_server_key_free(handle); }) {}
  /// The key to compute with on a device, by default the thread's current one; this one stays.
  ServerKey decompress(const std::optional<Device> &device = {}) const {
    const icicle_device_t raw = device ? device->raw() : icicle_device_t{};
    return ServerKey(made_by(icicle_fhe_server_key_decompress, raw_.get(), device ? &raw : nullptr));
  }
  /// As bytes, the same in every language.
  std::vector<std::uint8_t> to_bytes() const { return bytes_of(icicle_fhe_compressed_server_key_to_bytes, raw_.get()); }
  /// The key that bytes of to_bytes hold.
  static CompressedServerKey from_bytes(const std::vector<std::uint8_t> &bytes) {
    return CompressedServerKey(made_by(icicle_fhe_compressed_server_key_from_bytes, bytes.data(), bytes.size()));
  }

 private:
  std::shared_ptr<void> raw_;
};

/// The thread's server key for as long as this lives; then that from before again.
class ServerKeyGuard {
 public:
  explicit ServerKeyGuard(const ServerKey &key) : before_(ServerKey::current()) { key.set(); }
  ~ServerKeyGuard() {
    try {
      before_ ? before_.set() : ServerKey::unset();
    } catch (const Error &) {  // the key lives, so that nothing can fail
    }
  }
  ServerKeyGuard(const ServerKeyGuard &) = delete;
  ServerKeyGuard &operator=(const ServerKeyGuard &) = delete;

 private:
  ServerKey before_;
};

/// The key that encrypts and decrypts. It is wiped when the last copy is gone.
class ClientKey {
 public:
  /// Drawn of the operating system's random numbers.
  ClientKey() : ClientKey(made_by(icicle_fhe_client_key_generate)) {}
  /// Takes a handle of icicle.h over.
  explicit ClientKey(void *raw) : raw_(raw, [](void *handle) { (void)icicle_fhe_client_key_free(handle); }) {}
  /// As bytes, the same in every language and as secret as the key: whoever asked for them wipes them.
  std::vector<std::uint8_t> to_bytes() const { return bytes_of(icicle_fhe_client_key_to_bytes, raw_.get()); }
  /// The key that bytes of to_bytes hold.
  static ClientKey from_bytes(const std::vector<std::uint8_t> &bytes) {
    return ClientKey(made_by(icicle_fhe_client_key_from_bytes, bytes.data(), bytes.size()));
  }
  /// The key to compute with on a device, by default the thread's current one: seconds of work, 120 MB.
  ServerKey server_key(const std::optional<Device> &device = {}) const {
    const icicle_device_t raw = device ? device->raw() : icicle_device_t{};
    return ServerKey(made_by(icicle_fhe_server_key_generate, raw_.get(), device ? &raw : nullptr));
  }
  /// The same key in the form to keep and send, 30 MB.
  CompressedServerKey compressed_server_key() const {
    return CompressedServerKey(made_by(icicle_fhe_compressed_server_key_generate, raw_.get()));
  }
  /// Encrypt bools or unsigned integers.
  template <typename T>
  Array encrypt(const std::vector<T> &values) const {
    const std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> copy(values.begin(), values.end());
    return Array::make(icicle_fhe_encrypt, raw_.get(), type_of<T>(), copy.data(), copy.size());
  }
  /// Encrypt them in the form to send, 4 bytes for each bit.
  template <typename T>
  CompressedArray encrypt_compressed(const std::vector<T> &values) const {
    const std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> copy(values.begin(), values.end());
    return CompressedArray(made_by(icicle_fhe_encrypt_compressed, raw_.get(), type_of<T>(), copy.data(), copy.size()));
  }
  /// Decrypt elements of the type.
  template <typename T>
  std::vector<T> decrypt(const Array &array) const {
    if (array.kind() != type_of<T>())
      throw Error(ICICLE_INVALID_ARGUMENT,
                  "fhe_decrypt: array holds " + type_name(array.kind()) + ", read as " + type_name(type_of<T>()));
    std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> values(array.size());
    check(icicle_fhe_decrypt(raw_.get(), array.raw(), values.data(), values.size()));
    return std::vector<T>(values.begin(), values.end());
  }

 private:
  std::shared_ptr<void> raw_;
};

}  // namespace fhe
}  // namespace icicle

#endif  // ICICLE_FHE_HPP
