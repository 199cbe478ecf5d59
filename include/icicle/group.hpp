// Groups of devices, jobs over them, sharded vectors; included by icicle.hpp.
#ifndef ICICLE_GROUP_HPP
#define ICICLE_GROUP_HPP

#include "field.hpp"
#include "memory.hpp"

#include <exception>
#include <functional>

namespace icicle {

/// Devices that work as one: each has a thread of the group's with the device current, whose place the calling thread may take. Any
/// thread may use a group.
class Group {
 public:
  /// Every GPU of the machine, or where there is none every CPU device.
  Group() { check(icicle_group_create_all(&raw_)); }
  /// Some devices; `shares`, unless empty, are each one's part of the work, in proportion.
  explicit Group(const std::vector<Device> &devices, const std::vector<double> &shares = {}) {
    if (!shares.empty() && shares.size() != devices.size())
      throw Error(ICICLE_INVALID_ARGUMENT, "group: shares must be one for each device");
    std::vector<icicle_device_t> raw;
    for (const Device &device : devices) raw.push_back(device.raw());
    check(icicle_group_create(raw.data(), static_cast<std::int32_t>(raw.size()), shares.empty() ? nullptr : shares.data(), &raw_));
  }
  /// Waits for the group's jobs and ends its threads.
  ~Group() { (void)icicle_group_destroy(raw_); }
  Group(Group &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Group &operator=(Group &&other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  std::vector<Device> devices() const {
    std::int32_t count = 0;
    check(icicle_group_size(raw_, &count));
    std::vector<Device> found;
    for (std::int32_t i = 0; i < count; i++) found.push_back(at(i).first);
    return found;
  }
  /// Each device's part of the work, as numbers in proportion.
  std::vector<double> shares() const {
    std::int32_t count = 0;
    check(icicle_group_size(raw_, &count));
    std::vector<double> found;
    for (std::int32_t i = 0; i < count; i++) found.push_back(at(i).second);
    return found;
  }

  /// Run `job(place)` for each of `jobs`, each on the device that is free, with it current, and wait for all. `place.job` is
  /// the job's number, `place.position` the device's in the group, `place.stream` a stream that is waited for before the job
  /// counts as done. The first exception in the jobs' order is thrown once all are done. `progress(done, total)`, unless
  /// empty, may return false to start no more jobs: those left throw CANCELLED.
  void map(std::int64_t jobs, const std::function<void(const icicle_group_job_t &)> &job, int streams = 1,
           const std::function<bool(std::int64_t, std::int64_t)> &progress = nullptr) const {
    Map call{job, progress, std::vector<std::exception_ptr>(static_cast<std::size_t>(jobs > 0 ? jobs : 0)), nullptr};
    icicle_group_map_config_t config = icicle_group_map_config_default();
    config.streams = streams;
    if (progress) {
      config.progress = &Map::told;
      config.progress_context = &call;
    }
    const icicle_error_t code = icicle_group_map(raw_, jobs, &Map::run, &call, &config, nullptr);
    if (call.thrown) std::rethrow_exception(call.thrown);
    for (const std::exception_ptr &failure : call.failures)
      if (failure) std::rethrow_exception(failure);
    check(code);
  }

  /// The handle for icicle.h.
  void *raw() const noexcept { return raw_; }

 private:
  struct Map {
    const std::function<void(const icicle_group_job_t &)> &job;
    const std::function<bool(std::int64_t, std::int64_t)> &progress;
    std::vector<std::exception_ptr> failures;
    std::exception_ptr thrown;

    // No exception crosses the library.
    static std::int32_t run(void *context, const icicle_group_job_t *place) {
      Map &self = *static_cast<Map *>(context);
      try {
        self.job(*place);
        return ICICLE_SUCCESS;
      } catch (const Error &error) {
        self.failures[static_cast<std::size_t>(place->job)] = std::current_exception();
        return error.code();
      } catch (...) {
        self.failures[static_cast<std::size_t>(place->job)] = std::current_exception();
        return ICICLE_UNKNOWN_ERROR;
      }
    }
    static bool told(void *context, std::int64_t done, std::int64_t total) {
      Map &self = *static_cast<Map *>(context);
      try {
        return self.progress(done, total);
      } catch (...) {
        self.thrown = std::current_exception();
        return false;
      }
    }
  };

  std::pair<Device, double> at(std::int32_t position) const {
    icicle_device_t device;
    double share = 0;
    check(icicle_group_device(raw_, position, &device, &share));
    return {Device(device), share};
  }

  void *raw_ = nullptr;
};

/// How copies go from a device to another.
enum class LinkKind { same_memory = 0, peer = 1, host = 2 };
struct Link {
  LinkKind kind;
  /// Measured at the first such call in the process.
  double bytes_per_second;
};
inline Link link(const Device &from, const Device &to) {
  std::int32_t kind = 0;
  double speed = 0;
  check(icicle_device_link(&from.raw(), &to.raw(), &kind, &speed));
  return Link{static_cast<LinkKind>(kind), speed};
}

/// How a vector lies over a group's devices.
enum class Layout { blocks = 0, cyclic = 1, replicated = 2 };

/// `n` elements over the devices of a group; the group must be there while this is used.
template <typename T>
class Sharded {
  static_assert(std::is_trivially_copyable<T>::value, "elements are copied as bytes");

 public:
  /// Uninitialised memory.
  Sharded(const Group &group, std::size_t n, Layout layout = Layout::blocks) : group_(&group), n_(n) {
    check(icicle_sharded_create(group.raw(), static_cast<std::int64_t>(n), sizeof(T), static_cast<int>(layout), &raw_));
  }
  Sharded(const Group &group, const std::vector<T> &host, Layout layout = Layout::blocks)
      : Sharded(group, host.size(), layout) {
    scatter(host.data());
  }
  ~Sharded() { (void)icicle_sharded_free(raw_); }
  Sharded(Sharded &&other) noexcept : group_(other.group_), raw_(std::exchange(other.raw_, nullptr)), n_(other.n_) {}
  Sharded &operator=(Sharded &&other) noexcept {
    std::swap(group_, other.group_);
    std::swap(raw_, other.raw_);
    std::swap(n_, other.n_);
    return *this;
  }
  /// Copy `size()` elements in, from host or device memory.
  void scatter(const T *source) { check(icicle_sharded_scatter(group_->raw(), source, raw_)); }
  /// Copy `size()` elements out, to host or device memory.
  void gather(T *destination) const { check(icicle_sharded_gather(group_->raw(), raw_, destination)); }
  std::vector<T> to_vector() const {
    std::vector<T> host(n_);
    gather(host.data());
    return host;
  }
  /// A copy in another layout.
  Sharded reshard(Layout layout) const {
    void *made = nullptr;
    check(icicle_sharded_reshard(group_->raw(), raw_, static_cast<int>(layout), &made));
    return Sharded(group_, made, n_);
  }
  std::size_t size() const noexcept { return n_; }
  Layout layout() const {
    std::int64_t n;
    std::uint64_t bytes;
    int layout;
    check(icicle_sharded_info(raw_, &n, &bytes, &layout));
    return static_cast<Layout>(layout);
  }
  /// What the device at a position of the group holds: `count` elements there, from element `first` on (0 in cyclic layout).
  struct Part {
    T *data;
    std::int64_t first, count;
  };
  Part part(int position) const {
    void *address;
    Part found;
    check(icicle_sharded_part(raw_, position, &address, &found.first, &found.count));
    found.data = static_cast<T *>(address);
    return found;
  }
  /// The handle for icicle.h.
  void *raw() const noexcept { return raw_; }

 private:
  Sharded(const Group *group, void *raw, std::size_t n) : group_(group), raw_(raw), n_(n) {}
  const Group *group_;
  void *raw_ = nullptr;
  std::size_t n_;
};

/// As `msm`, divided among the devices of a group.
inline void msm(const Group &group, icicle_curve_t curve, const void *scalars, const void *bases, std::int64_t n, void *out,
                const icicle_msm_config_t &config = icicle_msm_config_default()) {
  check(icicle_group_msm(group.raw(), curve, scalars, bases, n, &config, out));
}
/// One multiplication of sharded scalars and bases.
template <typename S, typename P>
void msm(const Group &group, icicle_curve_t curve, const Sharded<S> &scalars, const Sharded<P> &bases, void *out,
         const icicle_msm_config_t &config = icicle_msm_config_default()) {
  check(icicle_group_msm_sharded(group.raw(), curve, scalars.raw(), bases.raw(), &config, out));
}
/// Make the domain of size `max_size` ready on every device of a group.
inline void ntt_init_domain(const Group &group, icicle_field_t field, std::uint64_t max_size) {
  std::uint32_t root[24];
  root_of_unity(field, max_size, root);
  check(icicle_group_ntt_init_domain(group.raw(), field, root));
}
inline void ntt_release_domain(const Group &group, icicle_field_t field) {
  check(icicle_group_ntt_release_domain(group.raw(), field));
}
/// As `ntt`, divided among the devices of a group.
template <typename Config>
void ntt(const Group &group, icicle_field_t field, const void *in, std::int64_t n, bool inverse, void *out, const Config &config) {
  check(icicle_group_ntt(group.raw(), field, in, n, inverse ? 1 : 0, &config, out));
}
/// A sharded vector in blocks into another: `batch_size` transforms one after another, not interleaved.
template <typename T, typename Config>
void ntt(const Group &group, icicle_field_t field, const Sharded<T> &in, bool inverse, Sharded<T> &out, const Config &config) {
  check(icicle_group_ntt_sharded(group.raw(), field, in.raw(), inverse ? 1 : 0, &config, out.raw()));
}

/// What `vector_binary` does with two elements.
enum class Operation { add = 0, sub = 1, mul = 2, div = 3 };

/// `out[i] = a[i] ∘ b[i]` of sharded vectors; `out` is another one than `a` and `b`.
template <typename T>
void vector_binary(const Group &group, icicle_field_t field, Operation operation, const Sharded<T> &a, const Sharded<T> &b,
                   Sharded<T> &out) {
  check(icicle_group_vector_binary(group.raw(), field, static_cast<int>(operation), a.raw(), b.raw(), out.raw()));
}
/// `a[i] += b[i]`.
template <typename T>
void vector_accumulate(const Group &group, icicle_field_t field, Sharded<T> &a, const Sharded<T> &b) {
  check(icicle_group_vector_accumulate(group.raw(), field, a.raw(), b.raw()));
}
/// `out[i] = a[i]·b[i]`, elements of an extension and of its scalar field.
template <typename T, typename S>
void vector_mixed_mul(const Group &group, icicle_field_t field, const Sharded<T> &a, const Sharded<S> &b, Sharded<T> &out) {
  check(icicle_group_vector_mixed_mul(group.raw(), field, a.raw(), b.raw(), out.raw()));
}
/// `out[i] = scalar ∘ a[i]`, one scalar in memory; no quotient.
template <typename T>
void vector_scalar(const Group &group, icicle_field_t field, Operation operation, const T *scalar, const Sharded<T> &a,
                   Sharded<T> &out) {
  check(icicle_group_vector_scalar(group.raw(), field, static_cast<int>(operation), scalar, a.raw(), out.raw()));
}
/// `out[i] = 1/a[i]`, 0 of 0.
template <typename T>
void vector_inv(const Group &group, icicle_field_t field, const Sharded<T> &a, Sharded<T> &out) {
  check(icicle_group_vector_inv(group.raw(), field, a.raw(), out.raw()));
}
/// To Montgomery form or back.
template <typename T>
void convert_montgomery(const Group &group, icicle_field_t field, const Sharded<T> &in, bool to_montgomery, Sharded<T> &out) {
  check(icicle_group_convert_montgomery(group.raw(), field, in.raw(), to_montgomery, out.raw()));
}
/// `values[i]` = the polynomial of sharded coefficients at `points[i]`, both in memory.
template <typename T>
void polynomial_evaluate(const Group &group, icicle_field_t field, const Sharded<T> &coefficients, const T *points,
                         std::uint64_t n_points, T *values) {
  check(icicle_group_poly_eval(group.raw(), field, coefficients.raw(), points, n_points, values));
}
/// Execute a program (its handle) at every position of sharded vectors, one for each parameter, in the same places.
inline void execute_program(const Group &group, icicle_field_t field, icicle_handle_t program,
                            const std::vector<void *> &vectors) {
  check(icicle_group_execute_program(group.raw(), field, vectors.data(), vectors.size(), program));
}

/// The sum, or product, of a sharded vector's elements, to one element in memory.
template <typename T>
void vector_sum(const Group &group, icicle_field_t field, const Sharded<T> &a, T *out) {
  check(icicle_group_vector_reduce(group.raw(), field, 0, a.raw(), out));
}
template <typename T>
void vector_product(const Group &group, icicle_field_t field, const Sharded<T> &a, T *out) {
  check(icicle_group_vector_reduce(group.raw(), field, 1, a.raw(), out));
}

}  // namespace icicle

#endif  // ICICLE_GROUP_HPP
