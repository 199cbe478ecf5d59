#pragma once
// A grid on the host, for tests in C++: blocks one after another, the threads of a block as fibers that give way to each
// other at barriers and where a warp's lanes exchange values. What is compiled is the kernels' own code, also what only
// nvcc sees otherwise, shared memory and all; inline PTX alone is not.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <ucontext.h>
#include <vector>

// As nvcc's pass over the host's half: `__CUDA_ARCH__` stays undefined. After the standard headers, which use such names.
#define __CUDACC__ 1
#define __host__
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
#define __constant__ __attribute__((unused))
#define __shared__ static
// In the middle of a declaration, where nvcc takes the standard's form and g++ only its own.
#define alignas(bytes) __attribute__((aligned(bytes)))

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
inline unsigned barriers_passed = 0;
inline std::vector<Barrier> of_group;
inline std::function<void()> kernel;
// What the threads show each other.
inline std::vector<unsigned long long> shown;
// Every other block's threads and warps run from the last to the first: what lacks a barrier fails in one order.
inline bool backwards = false;

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
    barriers_passed++;
  }
  while (barrier.passed == before) { give_way(); }
}
inline void enter()
{
  kernel();
  fibers[threadIdx.x].done = true;
  give_way();
}

// Every thread of a warp until it ends or waits; whether any ended, or let another go on.
inline bool run_warp(unsigned first, unsigned end, unsigned& left)
{
  unsigned before = left, passed = barriers_passed;
  for (unsigned i = first; i < end; i++) {
    unsigned t = backwards ? first + end - 1 - i : i;
    if (fibers[t].done) { continue; }
    threadIdx.x = t;
    swapcontext(&scheduler, &fibers[t].context);
    left -= fibers[t].done;
  }
  return left < before || passed != barriers_passed;
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
    shown.assign(threads, 0);
    backwards = !backwards;
    for (unsigned t = 0; t < threads; t++) {
      Fiber& fiber = fibers[t];
      fiber.done = false;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.get();
      fiber.context.uc_stack.ss_size = STACK;
      fiber.context.uc_link = nullptr;
      makecontext(&fiber.context, enter, 0);
    }
    unsigned left = threads;
    for (bool moved = true; left > 0; moved = false) {
      // A warp runs as far as it gets, past barriers that others have yet to leave.
      for (unsigned i = 0, warps = (threads + 31) / 32; i < warps; i++) {
        unsigned first = 32 * (backwards ? warps - 1 - i : i);
        while (run_warp(first, std::min(first + 32, threads), left)) { moved = true; }
      }
      if (!moved) { return false; }
    }
  }
  return true;
}

} // namespace device

inline void __syncthreads() { device::meet(device::of_block, blockDim.x); }
inline int __syncthreads_or(int mine)
{
  device::shown[threadIdx.x] = mine != 0;
  __syncthreads();
  bool any = std::any_of(device::shown.begin(), device::shown.begin() + blockDim.x, [](auto one) { return one != 0; });
  __syncthreads();
  return any;
}
// Of the threads in `mask` that the block has, by the lowest of them.
inline void __syncwarp(unsigned mask = 0xffffffffu)
{
  unsigned lanes = blockDim.x - threadIdx.x / 32 * 32;
  if (lanes < 32) { mask &= (1u << lanes) - 1; }
  unsigned first = threadIdx.x / 32 * 32 + (unsigned)__builtin_ctz(mask);
  device::meet(device::of_group[first], (unsigned)__builtin_popcount(mask));
}

namespace device {

// Show a value to the threads in `mask`, and take what `pick` makes of theirs, by lane.
template <class T, class Pick>
T exchange(unsigned mask, T mine, Pick pick)
{
  shown[threadIdx.x] = (unsigned long long)mine;
  __syncwarp(mask);
  T out = pick(&shown[threadIdx.x / 32 * 32]);
  __syncwarp(mask);
  return out;
}

} // namespace device

template <class T>
T __shfl_sync(unsigned mask, T mine, unsigned lane, unsigned width = 32)
{
  unsigned from = threadIdx.x % 32 / width * width + lane % width;
  return device::exchange(mask, mine, [&](const unsigned long long* of) { return (T)of[from]; });
}
template <class T>
T __shfl_up_sync(unsigned mask, T mine, unsigned distance)
{
  unsigned lane = threadIdx.x % 32;
  return device::exchange(mask, mine, [&](const unsigned long long* of) { return lane < distance ? mine : (T)of[lane - distance]; });
}
template <class T>
T __shfl_down_sync(unsigned mask, T mine, unsigned distance, unsigned width = 32)
{
  unsigned lane = threadIdx.x % 32, from = lane + distance;
  bool within = from / width == lane / width;
  return device::exchange(mask, mine, [&](const unsigned long long* of) { return within ? (T)of[from] : mine; });
}
// Of any type of at most eight bytes.
template <class T>
T __shfl_xor_sync(unsigned mask, T mine, unsigned lanes)
{
  unsigned long long bits = 0;
  std::memcpy(&bits, &mine, sizeof mine);
  bits = device::exchange(mask, bits, [&](const unsigned long long* of) { return of[(threadIdx.x % 32) ^ lanes]; });
  std::memcpy(&mine, &bits, sizeof mine);
  return mine;
}
// Blocks follow each other here.
inline void __threadfence() {}
template <class T>
unsigned __match_any_sync(unsigned mask, T mine)
{
  return (unsigned)device::exchange(mask, (unsigned long long)mine, [&](const unsigned long long* of) {
    unsigned long long same = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
      if (mask >> lane & 1 && (T)of[lane] == mine) { same |= 1ull << lane; }
    }
    return same;
  });
}
// Which are not contracted here either: nothing says that there are instructions for it.
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline int __ffs(unsigned x) { return __builtin_ffs((int)x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
inline unsigned long long __brevll(unsigned long long x)
{
  unsigned long long out = 0;
  for (unsigned b = 0; b < 64; b++) { out |= (x >> b & 1) << (63 - b); }
  return out;
}
template <class T>
T atomicAdd(T* at, T by)
{
  T before = *at;
  *at += by;
  return before;
}
template <class T>
T atomicMax(T* at, T value)
{
  T before = *at;
  *at = std::max(before, value);
  return before;
}
template <class T>
T atomicMin(T* at, T value)
{
  T before = *at;
  *at = std::min(before, value);
  return before;
}
template <class T>
T atomicCAS(T* at, T expected, T value)
{
  T before = *at;
  if (before == expected) { *at = value; }
  return before;
}
