// Collectives: operations of several ranks, each with a device, in one process or in several; included by icicle.hpp.
#ifndef ICICLE_COMM_HPP
#define ICICLE_COMM_HPP

#include "array.hpp"
#include "group.hpp"
#include "memory.hpp"

#include <chrono>
#include <functional>
#include <optional>

namespace icicle {

/// The type of a collective's elements.
class CommType {
 public:
  /// Numbers.
  CommType(icicle_dtype_t dtype) : raw_{ICICLE_COMM_NUMBERS, dtype} {}
  /// Canonical elements of a field, by its number.
  static CommType elements(std::int32_t field) { return CommType({ICICLE_COMM_ELEMENTS, field}); }
  /// Projective points of a curve, by its number.
  static CommType points(std::int32_t curve) { return CommType({ICICLE_COMM_POINTS, curve}); }
  const icicle_comm_type_t &raw() const noexcept { return raw_; }

 private:
  explicit CommType(const icicle_comm_type_t &raw) : raw_(raw) {}
  icicle_comm_type_t raw_;
};

/// How the elements of all ranks become one: in the order of ranks, so that every rank gets the same bits.
enum class ReduceOp : std::int32_t {
  sum = ICICLE_REDUCE_SUM,
  prod = ICICLE_REDUCE_PROD,
  min = ICICLE_REDUCE_MIN,
  max = ICICLE_REDUCE_MAX,
  avg = ICICLE_REDUCE_AVG
};

/// Options of a new communicator, which those split off it have too.
struct CommConfig {
  /// How long a call waits for ranks that do not come or do not go on, before it fails and names them.
  std::chrono::duration<double> timeout{icicle_comm_config_default().timeout_seconds};
  /// Whether ranks compare what each is about to do before any data is sent; all set it alike.
  bool check = icicle_comm_config_default().check;
  /// Whether GPUs reduce numbers in the order of ranks, as CPU devices always do, and not as NCCL does; all ranks set it alike.
  bool ordered = icicle_comm_config_default().ordered;

  icicle_comm_config_t raw() const {
    icicle_comm_config_t config = icicle_comm_config_default();
    config.timeout_seconds = timeout.count();
    config.check = check;
    config.ordered = ordered;
    return config;
  }
};

/// What the ranks of one communicator find each other by, once: bytes to copy to the other ranks. Its process is to be rank 0, and
/// listens until Communicator::init_rank or release(). `address` is a host and a port, such as 10.0.0.1:0, that the other ranks'
/// hosts reach; without one it is for ranks of this host.
inline icicle_comm_id_t comm_id(const std::string &address = "") {
  icicle_comm_id_t id;
  check(icicle_comm_id_create(address.empty() ? nullptr : address.c_str(), &id));
  return id;
}
/// No longer listen for ranks of an id that is not used after all.
inline void release(const icicle_comm_id_t &id) { check(icicle_comm_id_release(&id)); }

/// The operations. Counts are of the elements of one rank: see icicle.h. `Self` makes the call, or keeps it for a group. With a
/// stream a call on a GPU returns once it is enqueued there.
template <typename Self>
class Collectives {
 public:
  /// Every rank gets the reduction of all ranks' elements; `recv` may be `send`.
  void all_reduce(CommType type, ReduceOp op, std::size_t count, const void *send, void *recv, const Stream *stream = nullptr) {
    perform(ICICLE_COMM_ALL_REDUCE, type, op, count, 0, send, recv, stream);
  }
  /// As above, of numbers.
  template <typename T>
  void all_reduce(ReduceOp op, std::size_t count, const T *send, T *recv, const Stream *stream = nullptr) {
    all_reduce(dtype_of<T>(), op, count, send, recv, stream);
  }
  /// Every rank gets the root's elements; `send` counts at the root, and `recv` may be it.
  void broadcast(CommType type, std::size_t count, int root, const void *send, void *recv, const Stream *stream = nullptr) {
    perform(ICICLE_COMM_BROADCAST, type, ReduceOp::sum, count, root, send, recv, stream);
  }
  /// The root gets the reduction of all ranks' elements; `recv` counts there, and may be `send`.
  void reduce(CommType type, ReduceOp op, std::size_t count, int root, const void *send, void *recv, const Stream *stream = nullptr) {
    perform(ICICLE_COMM_REDUCE, type, op, count, root, send, recv, stream);
  }
  /// Every rank gets `count` elements of each, in the order of ranks; `send` may be part `rank` of `recv`.
  void all_gather(CommType type, std::size_t count, const void *send, void *recv, const Stream *stream = nullptr) {
    perform(ICICLE_COMM_ALL_GATHER, type, ReduceOp::sum, count, 0, send, recv, stream);
  }
  /// Each rank gets its `count` elements of the reduction of all ranks' vectors; `recv` may be part `rank` of `send`.
  void reduce_scatter(CommType type, ReduceOp op, std::size_t count, const void *send, void *recv, const Stream *stream = nullptr) {
    perform(ICICLE_COMM_REDUCE_SCATTER, type, op, count, 0, send, recv, stream);
  }
  /// Each rank sends `count` elements to each, which receives them in the order of ranks; not in place.
  void all_to_all(CommType type, std::size_t count, const void *send, void *recv, const Stream *stream = nullptr) {
    perform(ICICLE_COMM_ALL_TO_ALL, type, ReduceOp::sum, count, 0, send, recv, stream);
  }
  /// The root gets `count` elements of each, in the order of ranks; `send` may be part `root` of `recv`, which counts there.
  void gather(CommType type, std::size_t count, int root, const void *send, void *recv, const Stream *stream = nullptr) {
    perform(ICICLE_COMM_GATHER, type, ReduceOp::sum, count, root, send, recv, stream);
  }
  /// Each rank gets its `count` of the root's elements; `recv` may be part `root` of `send`, which counts there.
  void scatter(CommType type, std::size_t count, int root, const void *send, void *recv, const Stream *stream = nullptr) {
    perform(ICICLE_COMM_SCATTER, type, ReduceOp::sum, count, root, send, recv, stream);
  }
  /// Send to another rank, which calls recv(); to this one in a group that has both.
  void send(CommType type, std::size_t count, int peer, const void *send, const Stream *stream = nullptr) {
    perform(ICICLE_COMM_SEND, type, ReduceOp::sum, count, peer, send, nullptr, stream);
  }
  /// Receive from another rank, which calls send().
  void recv(CommType type, std::size_t count, int peer, void *recv, const Stream *stream = nullptr) {
    perform(ICICLE_COMM_RECV, type, ReduceOp::sum, count, peer, nullptr, recv, stream);
  }
  /// Wait for all ranks.
  void barrier(const Stream *stream = nullptr) {
    perform(ICICLE_COMM_BARRIER, ICICLE_DTYPE_UINT8, ReduceOp::sum, 0, 0, nullptr, nullptr, stream);
  }

 private:
  void perform(std::int32_t operation, const CommType &type, ReduceOp op, std::size_t count, int peer, const void *send, void *recv,
               const Stream *stream) {
    icicle_comm_call_t call = icicle_comm_call_default();
    call.operation = operation;
    call.reduce = static_cast<std::int32_t>(op);
    call.type = type.raw();
    call.count = count;
    call.peer = peer;
    call.send = send;
    call.recv = recv;
    call.stream = stream ? stream->raw() : nullptr;
    static_cast<Self *>(this)->make(call);
  }
};

/// One rank's end of a group of ranks, each with a device. Every rank calls the same operations in the same order, from a thread or
/// process of its own, or one thread calls for several ranks by comm_group(). Any thread may abort().
class Communicator : public Collectives<Communicator> {
 public:
  /// Communicators of this process, one rank for each device, in their order; a device may be named more than once.
  static std::vector<Communicator> init_all(const std::vector<Device> &devices, const CommConfig &config = {}) {
    std::vector<icicle_device_t> raw;
    for (const Device &device : devices) raw.push_back(device.raw());
    std::vector<void *> handles(devices.size() + 1);
    const icicle_comm_config_t options = config.raw();
    icicle::check(icicle_comm_init_all(raw.data(), static_cast<std::int32_t>(raw.size()), &options, handles.data()));
    return owners(handles);
  }
  /// As init_all, one rank for each device of a group, in its order: run_sharded() does collectives over the group's vectors.
  static std::vector<Communicator> init_group(const Group &group, const CommConfig &config = {}) {
    std::int32_t size = 0;
    icicle::check(icicle_group_size(group.raw(), &size));
    std::vector<void *> handles(static_cast<std::size_t>(size) + 1);
    const icicle_comm_config_t options = config.raw();
    icicle::check(icicle_comm_init_group(group.raw(), &options, handles.data()));
    return owners(handles);
  }
  /// Rank `rank` of `size`, each perhaps in a process of its own, on the current device: waits until all came. Rank 0 is in the
  /// process that made the id.
  static Communicator init_rank(const icicle_comm_id_t &id, int size, int rank, const CommConfig &config = {}) {
    const icicle_comm_config_t options = config.raw();
    void *made = nullptr;
    icicle::check(icicle_comm_init_rank(&id, size, rank, nullptr, &options, &made));
    return Communicator(made);
  }
  /// The rank that a launcher made this process, as torchrun sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, on the current
  /// device: see icicle_comm_from_env.
  static Communicator from_env(const CommConfig &config = {}) {
    const icicle_comm_config_t options = config.raw();
    void *made = nullptr;
    icicle::check(icicle_comm_from_env(nullptr, &options, &made));
    return Communicator(made);
  }
  /// Leaves: those that wait for this rank fail. finalize() waits until none does.
  ~Communicator() { (void)icicle_comm_destroy(raw_); }
  Communicator(Communicator &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Communicator &operator=(Communicator &&other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }

  /// This rank, from 0.
  int rank() const { return info().rank; }
  /// How many ranks there are.
  int size() const { return info().size; }
  /// This rank's device.
  Device device() const { return Device(info().device); }
  /// What carries, for humans: `host memory`, `TCP`, `copies between devices`, or `NCCL` and its version.
  std::string carrier() const {
    char text[64];
    icicle::check(icicle_comm_carrier(raw_, text, sizeof text));
    return text;
  }
  /// The error that ended communication, if one did.
  std::optional<Error> failure() const {
    icicle_error_t code = ICICLE_SUCCESS;
    char text[1024];
    icicle::check(icicle_comm_failure(raw_, &code, text, sizeof text));
    if (code == ICICLE_SUCCESS) return std::nullopt;
    return Error(code, text);
  }
  /// Divide the ranks: those of one color make a communicator, ordered by key, and by rank where keys are equal. All ranks call
  /// it; one without a color gets none.
  std::optional<Communicator> split(std::optional<int> color, int key = 0) const {
    if (color && *color < 0) throw Error(ICICLE_INVALID_ARGUMENT, "split: color " + std::to_string(*color) + ": must be at least 0");
    void *made = nullptr;
    icicle::check(icicle_comm_split(raw_, color ? *color : -1, key, &made));
    if (!made) return std::nullopt;
    return Communicator(made);
  }
  /// End communication: calls of this rank that wait, in any thread, throw CANCELLED, and so do later ones.
  void abort() { icicle::check(icicle_comm_abort(raw_)); }
  /// Wait for all ranks to finalize, and leave, also where that fails.
  void finalize() { icicle::check(icicle_comm_finalize(std::exchange(raw_, nullptr))); }
  /// The handle for icicle.h.
  void *raw() const noexcept { return raw_; }

 private:
  friend class Collectives<Communicator>;
  explicit Communicator(void *raw) : raw_(raw) {}

  // One handle fewer than there is room for.
  static std::vector<Communicator> owners(const std::vector<void *> &handles) {
    std::vector<Communicator> made;
    for (std::size_t i = 0; i + 1 < handles.size(); i++) made.push_back(Communicator(handles[i]));
    return made;
  }
  icicle_comm_info_t info() const {
    icicle_comm_info_t info = {};
    info.struct_size = sizeof info;
    icicle::check(icicle_comm_info(raw_, &info));
    return info;
  }

  void make(const icicle_comm_call_t &c) {
    icicle::check([&] {
      switch (c.operation) {
        case ICICLE_COMM_ALL_REDUCE: return icicle_comm_all_reduce(raw_, c.type, c.reduce, c.count, c.send, c.recv, c.stream);
        case ICICLE_COMM_BROADCAST: return icicle_comm_broadcast(raw_, c.type, c.count, c.peer, c.send, c.recv, c.stream);
        case ICICLE_COMM_REDUCE: return icicle_comm_reduce(raw_, c.type, c.reduce, c.count, c.peer, c.send, c.recv, c.stream);
        case ICICLE_COMM_ALL_GATHER: return icicle_comm_all_gather(raw_, c.type, c.count, c.send, c.recv, c.stream);
        case ICICLE_COMM_REDUCE_SCATTER:
          return icicle_comm_reduce_scatter(raw_, c.type, c.reduce, c.count, c.send, c.recv, c.stream);
        case ICICLE_COMM_ALL_TO_ALL: return icicle_comm_all_to_all(raw_, c.type, c.count, c.send, c.recv, c.stream);
        case ICICLE_COMM_GATHER: return icicle_comm_gather(raw_, c.type, c.count, c.peer, c.send, c.recv, c.stream);
        case ICICLE_COMM_SCATTER: return icicle_comm_scatter(raw_, c.type, c.count, c.peer, c.send, c.recv, c.stream);
        case ICICLE_COMM_SEND: return icicle_comm_send(raw_, c.type, c.count, c.peer, c.send, c.stream);
        case ICICLE_COMM_RECV: return icicle_comm_recv(raw_, c.type, c.count, c.peer, c.recv, c.stream);
        default: return icicle_comm_barrier(raw_, c.stream);
      }
    }());
  }

  void *raw_ = nullptr;
};

/// The calls of a group.
class CommGroup {
 public:
  /// A communicator whose calls are the group's.
  class Member : public Collectives<Member> {
    friend class CommGroup;
    friend class Collectives<Member>;
    Member(CommGroup &group, void *raw) : group_(group), raw_(raw) {}
    void make(icicle_comm_call_t call) {
      call.comm = raw_;
      group_.calls_.push_back(call);
    }
    CommGroup &group_;
    void *raw_;
  };
  Member of(const Communicator &comm) { return Member(*this, comm.raw()); }

 private:
  friend void comm_group(const std::function<void(CommGroup &)> &calls);
  std::vector<icicle_comm_call_t> calls_;
};

/// Do the calls that `calls` makes, on communicators of CommGroup::of, as one, after it returned: of one rank, so that transfers in
/// both directions do not wait for each other, or of several ranks of this process. If it throws, nothing is done.
inline void comm_group(const std::function<void(CommGroup &)> &calls) {
  CommGroup group;
  calls(group);
  check(icicle_comm_group(group.calls_.data(), static_cast<std::int32_t>(group.calls_.size())));
}

/// A collective of run_sharded().
enum class Collective : std::int32_t {
  all_reduce = ICICLE_COMM_ALL_REDUCE,
  broadcast = ICICLE_COMM_BROADCAST,
  reduce = ICICLE_COMM_REDUCE,
  all_gather = ICICLE_COMM_ALL_GATHER,
  reduce_scatter = ICICLE_COMM_REDUCE_SCATTER,
  all_to_all = ICICLE_COMM_ALL_TO_ALL,
  gather = ICICLE_COMM_GATHER,
  scatter = ICICLE_COMM_SCATTER
};

/// Do a collective of all ranks of a process at once, whose operands are what the ranks' devices hold of vectors over them: see
/// icicle_comm_run_sharded. `ranks` are all ranks of a communicator, in their order, as Communicator::init_group makes them.
template <typename T>
void run_sharded(const std::vector<Communicator> &ranks, Collective operation, CommType type, ReduceOp op, int root,
                 const Sharded<T> &send, Sharded<T> &recv) {
  std::vector<void *> comms;
  for (const Communicator &rank : ranks) comms.push_back(rank.raw());
  check(icicle_comm_run_sharded(comms.data(), static_cast<std::int32_t>(comms.size()), static_cast<std::int32_t>(operation), type.raw(),
                                static_cast<std::int32_t>(op), root, send.raw(), recv.raw()));
}
/// In place: of all_reduce, broadcast and reduce.
template <typename T>
void run_sharded(const std::vector<Communicator> &ranks, Collective operation, CommType type, ReduceOp op, int root, Sharded<T> &both) {
  run_sharded(ranks, operation, type, op, root, both, both);
}

}  // namespace icicle

#endif  // ICICLE_COMM_HPP
