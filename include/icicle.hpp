// icicle for C++17: owners and exceptions over icicle.h. Header only; link libicicle.
//
// Every call that fails throws icicle::Error. Owners are move-only and free what they hold on whichever device it is.
#ifndef ICICLE_HPP
#define ICICLE_HPP

#include "icicle.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace icicle {

/// A failed call: its code and message.
class Error : public std::runtime_error {
 public:
  Error(icicle_error_t code, const std::string &message) : std::runtime_error(message), code_(code) {}
  icicle_error_t code() const noexcept { return code_; }
  /// Name of the code, such as INVALID_POINTER.
  const char *name() const noexcept { return icicle_error_name(code_); }

 private:
  icicle_error_t code_;
};

/// Throw if a call of icicle.h failed; call it on the thread of the call.
inline void check(icicle_error_t code) {
  if (code == ICICLE_SUCCESS) return;
  std::string message(icicle_last_error_message(nullptr, 0), '\0');
  icicle_last_error_message(&message[0], message.size());
  message.resize(message.size() - 1);  // the final 0
  throw Error(code, message);
}

/// A device by type and index; it need not exist.
class Device {
 public:
  Device(const std::string &type, int id) : raw_() {
    if (type.size() >= sizeof raw_.device_type) throw Error(ICICLE_INVALID_DEVICE, "device: type is too long");
    std::memcpy(raw_.device_type, type.c_str(), type.size() + 1);
    raw_.id = id;
  }
  explicit Device(const icicle_device_t &raw) : raw_(raw) {}
  static Device cpu(int id = 0) { return Device("CPU", id); }
  static Device cuda(int id = 0) { return Device("CUDA", id); }
  /// The device this thread works on.
  static Device current() {
    icicle_device_t raw;
    check(icicle_get_active_device(&raw));
    return Device(raw);
  }
  /// Make it the device this thread works on.
  void set_current() const { check(icicle_set_device(&raw_)); }
  icicle_device_info_t info() const {
    icicle_device_info_t info;
    check(icicle_device_info(&raw_, &info));
    return info;
  }
  icicle_memory_stats_t memory() const {
    icicle_memory_stats_t stats;
    check(icicle_memory_stats(&raw_, &stats));
    return stats;
  }
  std::string type() const { return raw_.device_type; }
  int id() const noexcept { return raw_.id; }
  const icicle_device_t &raw() const noexcept { return raw_; }
  friend bool operator==(const Device &a, const Device &b) { return a.id() == b.id() && a.type() == b.type(); }
  friend bool operator!=(const Device &a, const Device &b) { return !(a == b); }

 private:
  icicle_device_t raw_;
};

/// Makes a device the thread's current one until destroyed, on the same thread.
class DeviceGuard {
 public:
  explicit DeviceGuard(const Device &device) : before_(Device::current()) { device.set_current(); }
  ~DeviceGuard() { (void)icicle_set_device(&before_.raw()); }
  DeviceGuard(const DeviceGuard &) = delete;
  DeviceGuard &operator=(const DeviceGuard &) = delete;

 private:
  Device before_;
};

/// Every device of every type.
inline std::vector<Device> devices() {
  char list[256];
  check(icicle_get_registered_devices(list, sizeof list));
  std::vector<Device> found;
  for (const char *at = list; *at;) {
    std::string type(at, std::strcspn(at, ","));
    at += type.size() + (at[type.size()] == ',');
    for (int id = 0;; id++) {
      Device device(type, id);
      icicle_device_info_t info;
      if (icicle_device_info(&device.raw(), &info) != ICICLE_SUCCESS) break;
      found.push_back(device);
    }
  }
  return found;
}

/// A queue of work on the device that is current when it is made.
class Stream {
 public:
  Stream() { check(icicle_create_stream(&raw_)); }
  ~Stream() { (void)icicle_destroy_stream(raw_); }
  Stream(Stream &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Stream &operator=(Stream &&other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  void synchronize() const { check(icicle_stream_synchronize(raw_)); }
  /// The handle for configurations; null on the CPU.
  void *raw() const noexcept { return raw_; }

 private:
  void *raw_ = nullptr;
};

/// A point in a stream's work.
class Event {
 public:
  explicit Event(bool timing = false) { check(icicle_event_create(&raw_, timing)); }
  ~Event() { (void)icicle_event_destroy(raw_); }
  Event(Event &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Event &operator=(Event &&other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  void record(const Stream &stream) { check(icicle_event_record(raw_, stream.raw())); }
  bool query() const {
    bool reached = false;
    check(icicle_event_query(raw_, &reached));
    return reached;
  }
  void synchronize() const { check(icicle_event_synchronize(raw_)); }
  /// Let later work of a stream wait for this event.
  void wait_on(const Stream &stream) const { check(icicle_stream_wait_event(stream.raw(), raw_)); }
  float milliseconds_to(const Event &end) const {
    float milliseconds = 0;
    check(icicle_event_elapsed_ms(raw_, end.raw_, &milliseconds));
    return milliseconds;
  }

 private:
  void *raw_ = nullptr;
};

/// `n` elements of memory on the device that is current when it is made.
template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable<T>::value, "elements are copied as bytes");

 public:
  explicit Buffer(std::size_t n) : n_(n) {
    if (n > SIZE_MAX / sizeof(T)) throw Error(ICICLE_ALLOCATION_FAILED, "malloc: exceeds the address space");
    check(icicle_malloc(&data_, n * sizeof(T)));
  }
  explicit Buffer(const std::vector<T> &host) : Buffer(host.size()) { copy_from(host.data(), host.size()); }
  ~Buffer() { (void)icicle_free(data_); }
  Buffer(Buffer &&other) noexcept : data_(std::exchange(other.data_, nullptr)), n_(std::exchange(other.n_, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(n_, other.n_);
    return *this;
  }
  void copy_from(const T *host, std::size_t n) {
    same_size(n);
    if (n) check(icicle_copy_to_device(data_, host, n * sizeof(T)));
  }
  void copy_to(T *host, std::size_t n) const {
    same_size(n);
    if (n) check(icicle_copy_to_host(host, data_, n * sizeof(T)));
  }
  std::vector<T> to_vector() const {
    std::vector<T> host(n_);
    copy_to(host.data(), n_);
    return host;
  }
  T *data() noexcept { return static_cast<T *>(data_); }
  const T *data() const noexcept { return static_cast<const T *>(data_); }
  std::size_t size() const noexcept { return n_; }

 private:
  void same_size(std::size_t n) const {
    if (n != n_) throw Error(ICICLE_INVALID_ARGUMENT, "copy: host data and buffer differ in length");
  }
  void *data_ = nullptr;
  std::size_t n_ = 0;
};

/// `n` elements of page-locked host memory, zeroed.
template <typename T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable<T>::value, "elements are bytes");

 public:
  explicit PinnedBuffer(std::size_t n) : n_(n) {
    if (n > SIZE_MAX / sizeof(T)) throw Error(ICICLE_ALLOCATION_FAILED, "host_alloc: exceeds the address space");
    check(icicle_host_alloc(&data_, n * sizeof(T)));
  }
  ~PinnedBuffer() { (void)icicle_host_free(data_); }
  PinnedBuffer(PinnedBuffer &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)), n_(std::exchange(other.n_, 0)) {}
  PinnedBuffer &operator=(PinnedBuffer &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(n_, other.n_);
    return *this;
  }
  T *data() noexcept { return static_cast<T *>(data_); }
  const T *data() const noexcept { return static_cast<const T *>(data_); }
  T *begin() noexcept { return data(); }
  T *end() noexcept { return data() + n_; }
  T &operator[](std::size_t i) { return data()[i]; }
  std::size_t size() const noexcept { return n_; }

 private:
  void *data_ = nullptr;
  std::size_t n_ = 0;
};

/// `out[i] = a[i] + b[i]`, and so on; pointers may be host or device memory.
inline void vector_add(icicle_field_t field, const void *a, const void *b, std::uint64_t n, void *out,
                       icicle_vec_ops_config_t config = icicle_vec_ops_config_default()) {
  check(icicle_vector_add(field, a, b, n, &config, out));
}
inline void vector_sub(icicle_field_t field, const void *a, const void *b, std::uint64_t n, void *out,
                       icicle_vec_ops_config_t config = icicle_vec_ops_config_default()) {
  check(icicle_vector_sub(field, a, b, n, &config, out));
}
inline void vector_mul(icicle_field_t field, const void *a, const void *b, std::uint64_t n, void *out,
                       icicle_vec_ops_config_t config = icicle_vec_ops_config_default()) {
  check(icicle_vector_mul(field, a, b, n, &config, out));
}

/// `out[i] = a[i] + b[i]`, and so on, of points in the forms that `config` says, projective by default.
inline void points_add(icicle_curve_t curve, const void *a, const void *b, std::uint64_t n, void *out,
                       icicle_points_config_t config = icicle_points_config_default()) {
  check(icicle_points_add(curve, a, b, n, &config, out));
}
inline void points_sub(icicle_curve_t curve, const void *a, const void *b, std::uint64_t n, void *out,
                       icicle_points_config_t config = icicle_points_config_default()) {
  check(icicle_points_sub(curve, a, b, n, &config, out));
}
inline void points_mul(icicle_curve_t curve, const void *scalars, const void *points, std::uint64_t n, void *out,
                       icicle_points_config_t config = icicle_points_config_default()) {
  check(icicle_points_mul(curve, scalars, points, n, &config, out));
}
inline void points_normalize(icicle_curve_t curve, const void *points, std::uint64_t n, void *out,
                             icicle_points_config_t config = icicle_points_config_default()) {
  check(icicle_points_normalize(curve, points, n, &config, out));
}
inline void points_negate(icicle_curve_t curve, const void *points, std::uint64_t n, void *out,
                          icicle_points_config_t config = icicle_points_config_default()) {
  check(icicle_points_negate(curve, points, n, &config, out));
}
/// `out[i]` = 1 where the points are the same group element, else 0.
inline void points_equal(icicle_curve_t curve, const void *a, const void *b, std::uint64_t n, std::uint32_t *out,
                         icicle_points_config_t config = icicle_points_config_default()) {
  check(icicle_points_equal(curve, a, b, n, &config, out));
}

/// `out = Σ scalars[i]·bases[i]`: affine bases, a projective result for each of the batch.
inline void msm(icicle_curve_t curve, const void *scalars, const void *bases, std::int64_t n, void *out,
                icicle_msm_config_t config = icicle_msm_config_default()) {
  check(icicle_msm(curve, scalars, bases, n, &config, out));
}

/// Make the domain of size `max_size` ready on the current device.
inline void ntt_init_domain(icicle_field_t field, std::uint64_t max_size) {
  std::uint32_t root[24];
  check(icicle_get_root_of_unity(field, max_size, root));
  icicle_ntt_init_domain_config_t config = icicle_ntt_init_domain_config_default();
  check(icicle_ntt_init_domain(field, root, &config));
}
inline void ntt_release_domain(icicle_field_t field) { check(icicle_ntt_release_domain(field)); }

/// Transform with options of the field's scalar size: `icicle_ntt_config_8_t` for 32 bytes, and so on.
template <typename Config>
void ntt(icicle_field_t field, const void *input, std::int64_t n, bool inverse, void *output, const Config &config) {
  check(icicle_ntt(field, input, n, inverse ? 1 : 0, &config, output));
}

}  // namespace icicle

#endif  // ICICLE_HPP
