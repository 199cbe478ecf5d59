// Collectives of icicle.hpp: ranks in threads, over TCP, in processes; what goes wrong between them.
#include "icicle.hpp"
#include "check.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <thread>

using namespace icicle;

static CommConfig seconds(double timeout) {
  CommConfig config;
  config.timeout = std::chrono::duration<double>(timeout);
  return config;
}

template <typename Job>
static void each(std::vector<Communicator> &comms, Job job) {
  std::vector<std::thread> threads;
  for (Communicator &comm : comms) threads.emplace_back([&] { job(comm); });
  for (std::thread &thread : threads) thread.join();
}

static std::vector<Communicator> connected(int n, double timeout) {
  const icicle_comm_id_t id = comm_id();
  std::vector<std::optional<Communicator>> made(static_cast<std::size_t>(n));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < n; rank++)
    threads.emplace_back([&, rank] {
      Device::cpu(rank).set_current();
      made[static_cast<std::size_t>(rank)].emplace(Communicator::init_rank(id, n, rank, seconds(timeout)));
    });
  for (std::thread &thread : threads) thread.join();
  std::vector<Communicator> comms;
  for (auto &comm : made) comms.push_back(std::move(*comm));
  return comms;
}

// Every operation on two numbers a rank; expected values are written out.
static void every_operation(Communicator &comm) {
  using Numbers = std::vector<double>;
  const int n = comm.size(), rank = comm.rank(), root = n - 1;
  const CommType type = dtype_of<double>();
  const std::size_t count = static_cast<std::size_t>(n);
  const Numbers mine = {1.0 * rank, 10.0 * rank};
  double total = 0;
  Numbers every;
  for (int i = 0; i < n; i++) {
    total += i;
    every.push_back(i);
    every.push_back(10.0 * i);
  }
  const Numbers none(2), none_of_all(2 * count);
  const std::pair<ReduceOp, Numbers> reductions[] = {
      {ReduceOp::sum, {total, 10 * total}}, {ReduceOp::prod, none}, {ReduceOp::min, none},
      {ReduceOp::max, {1.0 * root, 10.0 * root}}, {ReduceOp::avg, {total / n, 10 * total / n}}};
  for (const auto &[op, expected] : reductions) {
    Numbers got(2);
    comm.all_reduce(type, op, 2, mine.data(), got.data());
    CHECK(got == expected);
    got = mine;
    comm.all_reduce(op, 2, got.data(), got.data());
    CHECK(got == expected);
    got = none;
    comm.reduce(type, op, 2, root, mine.data(), rank == root ? got.data() : nullptr);
    CHECK(got == (rank == root ? expected : none));
  }
  Numbers got(2), all(2 * count);
  comm.broadcast(type, 2, root, rank == root ? mine.data() : nullptr, got.data());
  CHECK((got == Numbers{1.0 * root, 10.0 * root}));
  comm.all_gather(type, 2, mine.data(), all.data());
  CHECK(all == every);
  all = none_of_all;
  comm.gather(type, 2, root, mine.data(), rank == root ? all.data() : nullptr);
  CHECK(all == (rank == root ? every : none_of_all));
  comm.scatter(type, 2, root, rank == root ? every.data() : nullptr, got.data());
  CHECK(got == mine);
  comm.reduce_scatter(type, ReduceOp::sum, 2, every.data(), got.data());
  CHECK((got == Numbers{n * mine[0], n * mine[1]}));
  Numbers sent(count), received(count), expected(count);
  for (std::size_t i = 0; i < count; i++) {
    sent[i] = 100.0 * rank + static_cast<double>(i);
    expected[i] = 100.0 * static_cast<double>(i) + rank;
  }
  comm.all_to_all(type, 1, sent.data(), received.data());
  CHECK(received == expected);
  const int next = (rank + 1) % n, before = (rank + n - 1) % n;
  comm_group([&](CommGroup &group) {
    auto member = group.of(comm);
    member.send(type, 2, next, mine.data());
    member.recv(type, 2, before, got.data());
    member.barrier();
  });
  CHECK((got == Numbers{1.0 * before, 10.0 * before}));
  comm.barrier();
}

static double sum(Communicator &comm, double value) {
  comm.all_reduce(ReduceOp::sum, 1, &value, &value);
  return value;
}

static void failures(std::vector<Communicator> (*connect)(double)) {
  std::vector<Communicator> comms = connect(0.2);
  CHECK(code_of([&] { sum(comms[0], 1); }) == ICICLE_TIMEOUT);
  CHECK(comms[0].failure() && comms[0].failure()->code() == ICICLE_TIMEOUT && std::strstr(comms[0].failure()->what(), "[1]"));
  comms = connect(60);
  std::thread waiting([&] {
    double value = 0;
    CHECK(code_of([&] { comms[0].recv(dtype_of<double>(), 1, 1, &value); }) == ICICLE_CANCELLED);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  comms[0].abort();
  waiting.join();
  comms = connect(60);
  {
    Communicator gone(std::move(comms[0]));
  }
  double value = 0;
  CHECK(code_of([&] { comms[1].recv(dtype_of<double>(), 1, 0, &value); }) == ICICLE_REMOTE_ERROR);
  CHECK(code_of([&] { comms[0].barrier(); }) == ICICLE_INVALID_POINTER);
}

// Vectors over a group as operands; expected values are written out.
static void over_group() {
  const Group group({Device::cpu(0), Device::cpu(1)});
  const std::vector<Communicator> ranks = Communicator::init_group(group, seconds(20));
  CHECK(ranks.size() == 2 && ranks[1].rank() == 1 && ranks[1].size() == 2 && ranks[1].device().id() == 1);
  CHECK(ranks[0].carrier() == "host memory");
  using Numbers = std::vector<std::int64_t>;
  Sharded<std::int64_t> x(group, Numbers{1, 2, 3, 4}), y(group, 4), all(group, 4, Layout::replicated);
  const CommType type = dtype_of<std::int64_t>();
  run_sharded(ranks, Collective::all_gather, type, ReduceOp::sum, 0, x, all);
  CHECK((all.to_vector() == Numbers{1, 2, 3, 4}));
  run_sharded(ranks, Collective::all_reduce, type, ReduceOp::prod, 0, x, y);
  CHECK((y.to_vector() == Numbers{3, 8, 3, 8}));
  run_sharded(ranks, Collective::reduce_scatter, type, ReduceOp::sum, 0, all, y);
  CHECK((y.to_vector() == Numbers{2, 4, 6, 8}));
  run_sharded(ranks, Collective::broadcast, type, ReduceOp::sum, 1, x);
  CHECK((x.to_vector() == Numbers{3, 4, 3, 4}));
  CHECK(code_of([&] { run_sharded(ranks, Collective::all_gather, type, ReduceOp::sum, 0, x, y); }) == ICICLE_INVALID_ARGUMENT);
}

int main(int argc, char **argv) {
  setenv("ICICLE_CPU_DEVICES", "4", 1);  // read when the first device is asked for
  if (argc == 2) {
    Communicator comm = Communicator::from_env(seconds(60));
    every_operation(comm);
    comm.finalize();
    return 0;
  }
  const std::vector<Device> devices = {Device::cpu(0), Device::cpu(1), Device::cpu(2)};
  std::vector<Communicator> local = Communicator::init_all(devices, seconds(60)), far = connected(3, 60);
  for (std::vector<Communicator> *comms : {&local, &far}) {
    each(*comms, [&](Communicator &comm) {
      CHECK(comm.device() == devices[static_cast<std::size_t>(comm.rank())] && !comm.failure());
      every_operation(comm);
      std::optional<Communicator> part = comm.split(comm.rank() == 1 ? std::nullopt : std::optional<int>(5), -comm.rank());
      CHECK(part.has_value() == (comm.rank() != 1));
      if (part) CHECK(part->size() == 2 && part->rank() == (comm.rank() == 0) && sum(*part, comm.rank()) == 2);
      if (part) part->finalize();
      comm.finalize();
      CHECK(comm.raw() == nullptr && code_of([&] { comm.barrier(); }) == ICICLE_INVALID_POINTER);
    });
  }
  failures([](double timeout) { return Communicator::init_all({Device::cpu(0), Device::cpu(1)}, seconds(timeout)); });
  failures([](double timeout) { return connected(2, timeout); });

  std::vector<Communicator> pair = Communicator::init_all({Device::cpu(), Device::cpu()}, seconds(60));
  bn254_scalar_t x[2] = {}, y[2] = {};
  x[0].limbs[0] = x[1].limbs[0] = 3;
  comm_group([&](CommGroup &group) {
    for (int k = 0; k < 2; k++)
      group.of(pair[static_cast<std::size_t>(k)])
          .all_reduce(CommType::elements(ICICLE_FIELD_BN254), ReduceOp::prod, 1, &x[k], &y[k]);
  });
  CHECK(y[0].limbs[0] == 9 && y[1].limbs[0] == 9);
  CHECK(code_of([&] { pair[0].all_reduce(CommType::points(ICICLE_CURVE_BN254), ReduceOp::min, 1, x, x); }) ==
        ICICLE_API_NOT_IMPLEMENTED);
  CHECK(code_of([&] { (void)pair[0].split(-1); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([] { Communicator::init_all({}); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([] { Communicator::init_all({Device::cpu()}, seconds(-1)); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([] { comm_id("nowhere"); }) == ICICLE_INVALID_ARGUMENT);
  const icicle_comm_id_t id = comm_id("127.0.0.1:0");
  release(id);
  CHECK(code_of([&] { release(id); }) == ICICLE_INVALID_ARGUMENT);

  over_group();

  // Two processes of this program, as a launcher starts them; the port was free a moment ago.
  const icicle_comm_id_t probe = comm_id();
  setenv("MASTER_PORT", std::to_string(probe.bytes[6] << 8 | probe.bytes[7]).c_str(), 1);
  release(probe);
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  setenv("WORLD_SIZE", "2", 1);
  pid_t started[2];
  for (int rank = 0; rank < 2; rank++) {
    setenv("RANK", rank ? "1" : "0", 1);
    char job[] = "rank";
    char *arguments[] = {argv[0], job, nullptr};
    started[rank] = fork();
    if (started[rank] == 0) {
      execv(argv[0], arguments);
      _exit(127);
    }
  }
  for (pid_t process : started) {
    int status = 0;
    CHECK(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  std::puts("comm: ok");
}
