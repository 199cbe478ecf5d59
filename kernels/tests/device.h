#pragma once
// A grid on the host, for tests in C++: blocks one after another, the threads of a block as fibers that give way to each
// other at barriers. What is compiled is the kernels' own code, shared memory and all; only warps' shuffles are missing.
#define IC_D inline
#define __shared__ static
#include <functional>
#include <memory>
#include <ucontext.h>
#include <vector>

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};
inline Dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace device {

constexpr size_t STACK = 256 << 10;

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack{new char[STACK]};
  bool done = false;
};
// Who has arrived at a barrier, and how often all have.
struct Barrier {
  unsigned arrived = 0, passed = 0;
};

inline std::vector<Fiber> fibers;
inline ucontext_t scheduler;
inline Barrier of_block;
inline std::vector<Barrier> of_group;
inline std::function<void()> kernel;

inline void give_way()
{
  unsigned me = threadIdx.x;
  swapcontext(&fibers[me].context, &scheduler);
}
inline void meet(Barrier& barrier, unsigned threads)
{
  unsigned before = barrier.passed;
  if (++barrier.arrived == threads) {
    barrier.arrived = 0;
    barrier.passed++;
  }
  while (barrier.passed == before) { give_way(); }
}
inline void enter()
{
  kernel();
  fibers[threadIdx.x].done = true;
  give_way();
}

// Run `body` in every thread of the grid. A barrier that not all threads reach never ends; that is a failure, told as one.
inline bool launch(Dim3 grid, unsigned threads, std::function<void()> body)
{
  gridDim = grid;
  blockDim = Dim3{threads, 1, 1};
  kernel = std::move(body);
  if (fibers.size() < threads) { fibers.resize(threads); }
  for (unsigned block = 0; block < grid.x * grid.y; block++) {
    blockIdx = Dim3{block % grid.x, block / grid.x, 0};
    of_block = Barrier();
    of_group.assign(threads, Barrier());
    for (unsigned t = 0; t < threads; t++) {
      Fiber& fiber = fibers[t];
      fiber.done = false;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.get();
      fiber.context.uc_stack.ss_size = STACK;
      fiber.context.uc_link = nullptr;
      makecontext(&fiber.context, enter, 0);
    }
    unsigned left = threads, idle = 0;
    while (left > 0) {
      unsigned before = left, passed = of_block.passed;
      for (Barrier& barrier : of_group) { passed += barrier.passed; }
      for (unsigned t = 0; t < threads; t++) {
        if (fibers[t].done) { continue; }
        threadIdx.x = t;
        swapcontext(&scheduler, &fibers[t].context);
        left -= fibers[t].done;
      }
      unsigned now = of_block.passed;
      for (Barrier& barrier : of_group) { now += barrier.passed; }
      idle = left == before && now == passed ? idle + 1 : 0;
      if (idle > 2) { return false; }
    }
  }
  return true;
}

} // namespace device

inline void __syncthreads() { device::meet(device::of_block, blockDim.x); }
// Of the threads in `mask`, by the lowest of them.
inline void __syncwarp(unsigned mask = 0xffffffffu)
{
  unsigned first = threadIdx.x / 32 * 32 + (unsigned)__builtin_ctz(mask);
  device::meet(device::of_group[first], (unsigned)__builtin_popcount(mask));
}
