// Errors and devices; included by icicle.hpp.
#ifndef ICICLE_DEVICE_HPP
#define ICICLE_DEVICE_HPP

#include "../icicle.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace icicle {

/// The library's version, such as 0.1.0.
inline std::string version() { return icicle_version(); }

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

/// Throw if a call of icicle.h that returns a handle, or nothing, failed on this thread; forget the failure.
inline void check_last() {
  const icicle_error_t code = icicle_last_error();
  if (code == ICICLE_SUCCESS) return;
  std::string message(icicle_last_error_message(nullptr, 0), '\0');
  icicle_error_take(&message[0], message.size());
  message.resize(message.size() - 1);
  throw Error(code, message);
}

/// Say where the file of one of NVIDIA's libraries is, before anything needs it: see icicle_set_library_path.
inline void set_library_path(const std::string &library, const std::string &path) {
  check(icicle_set_library_path(library.c_str(), path.c_str()));
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
  /// Make it the device of threads that never set one, now and later.
  void set_default() const { check(icicle_set_default_device(&raw_)); }
  /// Whether the library drives devices of this type; this one need not exist.
  bool is_available() const noexcept { return icicle_is_device_available(&raw_) == ICICLE_SUCCESS; }
  icicle_device_info_t info() const {
    icicle_device_info_t info = {};
    info.struct_size = sizeof info;
    check(icicle_device_info(&raw_, &info));
    return info;
  }
  /// Further facts, such as `compute capability=9.0`, one a line.
  std::string facts() const {
    std::size_t bytes = 0;
    check(icicle_device_facts(&raw_, nullptr, 0, &bytes));
    std::string text(bytes, '\0');
    check(icicle_device_facts(&raw_, &text[0], text.size(), nullptr));
    text.resize(std::strlen(text.c_str()));
    return text;
  }
  icicle_memory_stats_t memory() const {
    icicle_memory_stats_t stats = {};
    stats.struct_size = sizeof stats;
    check(icicle_memory_stats(&raw_, &stats));
    return stats;
  }
  /// Limit the bytes handed out at a time; UINT64_MAX lifts the limit.
  void set_memory_limit(std::uint64_t bytes) const { check(icicle_set_memory_limit(&raw_, bytes)); }
  /// Give cached memory back until at most `keep_bytes` stay reserved.
  void trim_memory(std::uint64_t keep_bytes = 0) const { check(icicle_memory_trim(&raw_, keep_bytes)); }
  /// Whether work on this device reads memory of `peer` directly. Copies work either way.
  bool can_access(const Device &peer) const {
    bool result = false;
    check(icicle_can_access_peer(&raw_, &peer.raw_, &result));
    return result;
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

/// The device types the library drives, the CPU last.
inline std::vector<std::string> device_types() {
  char list[256];
  check(icicle_get_registered_devices(list, sizeof list));
  std::vector<std::string> types;
  for (const char *at = list; *at;) {
    types.emplace_back(at, std::strcspn(at, ","));
    at += types.back().size();
    at += *at == ',';
  }
  return types;
}

/// How many devices there are of the current device's type.
inline int device_count() {
  int count = 0;
  check(icicle_get_device_count(&count));
  return count;
}

/// What the current device is.
inline icicle_device_properties_t device_properties() {
  icicle_device_properties_t properties;
  check(icicle_get_device_properties(&properties));
  return properties;
}

/// Every device of every type.
inline std::vector<Device> devices() {
  std::vector<Device> found;
  for (const std::string &type : device_types())
    for (int id = 0;; id++) {
      Device device(type, id);
      icicle_device_info_t info = {};
    info.struct_size = sizeof info;
      if (icicle_device_info(&device.raw(), &info) != ICICLE_SUCCESS) break;
      found.push_back(device);
    }
  return found;
}

/// Wait for all work of the current device.
inline void synchronize() { check(icicle_device_synchronize()); }

}  // namespace icicle

#endif  // ICICLE_DEVICE_HPP
