// Streams, events and memory; included by icicle.hpp.
#ifndef ICICLE_MEMORY_HPP
#define ICICLE_MEMORY_HPP

#include "device.hpp"

#include <type_traits>
#include <utility>

namespace icicle {

class Event;

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
  /// Let later work wait for an event, of whichever stream or device.
  inline void wait(const Event &event) const;
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
  /// Mark the end of the work now in a stream.
  void record(const Stream &stream) { check(icicle_event_record(raw_, stream.raw())); }
  /// Whether the work before the mark is done.
  bool query() const {
    bool reached = false;
    check(icicle_event_query(raw_, &reached));
    return reached;
  }
  void synchronize() const { check(icicle_event_synchronize(raw_)); }
  /// Milliseconds from this event to a later one, both with timing.
  float milliseconds_to(const Event &end) const {
    float milliseconds = 0;
    check(icicle_event_elapsed_ms(raw_, end.raw_, &milliseconds));
    return milliseconds;
  }
  void *raw() const noexcept { return raw_; }

 private:
  void *raw_ = nullptr;
};

inline void Stream::wait(const Event &event) const { check(icicle_stream_wait_event(raw_, event.raw())); }

/// `n` elements of memory on the device that is current when it is made, or, ordered after its work, on a stream's.
///
/// Copies are complete when they return; those that take a stream are enqueued on it: both sides stay in use until it is
/// synchronized.
template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable<T>::value, "elements are copied as bytes");

 public:
  explicit Buffer(std::size_t n) : n_(checked(n)) { check(icicle_malloc(&data_, bytes())); }
  Buffer(std::size_t n, const Stream &stream) : n_(checked(n)) {
    check(icicle_malloc_async(&data_, bytes(), stream.raw()));
  }
  explicit Buffer(const std::vector<T> &host) : Buffer(host.size()) { copy_from(host.data(), host.size()); }
  ~Buffer() { (void)icicle_free(data_); }
  Buffer(Buffer &&other) noexcept : data_(std::exchange(other.data_, nullptr)), n_(std::exchange(other.n_, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(n_, other.n_);
    return *this;
  }
  /// Free it now, ordered after the work in a stream.
  void release(const Stream &stream) {
    check(icicle_free_async(data_, stream.raw()));
    data_ = nullptr;
    n_ = 0;
  }
  void copy_from(const T *host, std::size_t n) {
    same_length(n);
    if (n) check(icicle_copy_to_device(data_, host, bytes()));
  }
  void copy_from(const T *host, std::size_t n, const Stream &stream) {
    same_length(n);
    if (n) check(icicle_copy_to_device_async(data_, host, bytes(), stream.raw()));
  }
  /// From a buffer of any device.
  void copy_from(const Buffer &other) {
    same_length(other.n_);
    if (n_) check(icicle_copy(data_, other.data_, bytes()));
  }
  void copy_from(const Buffer &other, const Stream &stream) {
    same_length(other.n_);
    if (n_) check(icicle_copy_async(data_, other.data_, bytes(), stream.raw()));
  }
  void copy_to(T *host, std::size_t n) const {
    same_length(n);
    if (n) check(icicle_copy_to_host(host, data_, bytes()));
  }
  void copy_to(T *host, std::size_t n, const Stream &stream) const {
    same_length(n);
    if (n) check(icicle_copy_to_host_async(host, data_, bytes(), stream.raw()));
  }
  std::vector<T> to_vector() const {
    std::vector<T> host(n_);
    copy_to(host.data(), n_);
    return host;
  }
  /// Set every byte to the low byte of `value`.
  void fill_bytes(int value) {
    if (n_) check(icicle_memset(data_, value, bytes()));
  }
  void fill_bytes(int value, const Stream &stream) {
    if (n_) check(icicle_memset_async(data_, value, bytes(), stream.raw()));
  }
  T *data() noexcept { return static_cast<T *>(data_); }
  const T *data() const noexcept { return static_cast<const T *>(data_); }
  /// Number of elements.
  std::size_t size() const noexcept { return n_; }
  std::size_t bytes() const noexcept { return n_ * sizeof(T); }

 private:
  static std::size_t checked(std::size_t n) {
    if (n > SIZE_MAX / sizeof(T)) throw Error(ICICLE_ALLOCATION_FAILED, "malloc: exceeds the address space");
    return n;
  }
  void same_length(std::size_t n) const {
    if (n != n_) throw Error(ICICLE_INVALID_ARGUMENT, "copy: the two sides differ in length");
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
  const T *begin() const noexcept { return data(); }
  const T *end() const noexcept { return data() + n_; }
  T &operator[](std::size_t i) { return data()[i]; }
  const T &operator[](std::size_t i) const { return data()[i]; }
  /// Number of elements.
  std::size_t size() const noexcept { return n_; }

 private:
  void *data_ = nullptr;
  std::size_t n_ = 0;
};

/// Copy between any two places, host or device, which the library finds by address.
inline void copy(void *to, const void *from, std::size_t bytes) { check(icicle_copy(to, from, bytes)); }
inline void copy(void *to, const void *from, std::size_t bytes, const Stream &stream) {
  check(icicle_copy_async(to, from, bytes, stream.raw()));
}

/// Where an address lies; interior pointers work.
inline icicle_pointer_attributes_t pointer_attributes(const void *address) {
  icicle_pointer_attributes_t attributes = {};
  attributes.struct_size = sizeof attributes;
  check(icicle_pointer_attributes(address, &attributes));
  return attributes;
}
inline bool is_host_memory(const void *address) { return icicle_is_host_memory(address) == ICICLE_SUCCESS; }
inline bool is_current_device_memory(const void *address) {
  return icicle_is_active_device_memory(address) == ICICLE_SUCCESS;
}

/// Bytes of the current GPU's memory, in all and free; Device::memory answers for every device.
inline std::pair<std::size_t, std::size_t> available_memory() {
  std::size_t total = 0, free = 0;
  check(icicle_get_available_memory(&total, &free));
  return {total, free};
}

/// Backend-specific options, for the `ext` member of configurations.
class Extension {
 public:
  Extension() : raw_(create_config_extension()) {
    if (!raw_) check_last();
  }
  ~Extension() { destroy_config_extension(raw_); }
  Extension(const Extension &other) : raw_(clone_config_extension(other.raw_)) {
    if (!raw_) check_last();
  }
  Extension(Extension &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Extension &operator=(Extension other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  void set(const char *key, int value) { call([&] { config_extension_set_int(raw_, key, value); }); }
  void set(const char *key, bool value) { call([&] { config_extension_set_bool(raw_, key, value); }); }
  int get_int(const char *key) const {
    int value = 0;
    call([&] { value = config_extension_get_int(raw_, key); });
    return value;
  }
  bool get_bool(const char *key) const {
    bool value = false;
    call([&] { value = config_extension_get_bool(raw_, key); });
    return value;
  }
  void *raw() const noexcept { return raw_; }

 private:
  // These return no code: an earlier failure is forgotten first, so that what is left is theirs.
  template <typename Call>
  static void call(Call call) {
    (void)icicle_error_take(nullptr, 0);
    call();
    check_last();
  }
  void *raw_;
};

}  // namespace icicle

#endif  // ICICLE_MEMORY_HPP
