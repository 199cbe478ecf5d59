// Gradients summed over all ranks. Under torchrun, or whatever sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, each process
// is a rank; by itself it has two ranks, a thread each.
//
// A listing that is handed around does this with one `ncclComm_t comm` and `ncclCommInitAll(&comm, 2, devices)`: that function
// writes two communicators, the second over whatever lies behind the variable on the stack; and then one device alone calls
// `ncclAllReduce`, which waits for the other for ever. Here each rank has a communicator of its own, and each calls the sum.
#include <icicle.hpp>

#include <cstdio>
#include <cstdlib>
#include <thread>

static void train(icicle::Communicator &comm) {
  std::vector<float> gradients(1 << 20, static_cast<float>(comm.rank() + 1));
  comm.all_reduce(icicle::ReduceOp::sum, gradients.size(), gradients.data(), gradients.data());  // in place
  const float total = static_cast<float>(comm.size() * (comm.size() + 1)) / 2;
  for (float gradient : gradients)
    if (gradient != total) throw std::runtime_error("a gradient is not the sum");
  std::printf("rank %d of %d on %s:%d: every gradient is %g\n", comm.rank(), comm.size(), comm.device().type().c_str(),
              comm.device().id(), static_cast<double>(total));
  comm.finalize();
}

int main() {
  if (std::getenv("RANK")) {
    icicle::Communicator comm = icicle::Communicator::from_env();
    return train(comm), 0;
  }
  std::vector<icicle::Communicator> ranks = icicle::Communicator::init_all({icicle::Device::cpu(), icicle::Device::cpu()});
  std::vector<std::thread> threads;
  for (icicle::Communicator &comm : ranks) threads.emplace_back([&] { train(comm); });
  for (std::thread &thread : threads) thread.join();
}
