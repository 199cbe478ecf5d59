#pragma once
// Elements in global memory: 16-byte accesses where pointers allow them, coalesced across the warp.
#include "../field/fields_gen.cuh"

namespace icicle {

// How elements of `F` meet chunks of 16 bytes.
template <class F>
struct Access {
  static constexpr u32 WORDS = F::WORDS;
  // Elements in a chunk (1 for elements of 16 bytes and more), chunks in an element (1 for elements of at most 16).
  static constexpr u32 PER_CHUNK = WORDS < 4 ? 4 / WORDS : 1;
  static constexpr u32 CHUNKS = WORDS < 4 ? 1 : WORDS / 4;
  // Threads of a block: fewer for the largest elements, so that tiles fit 48 KiB of shared memory.
  static constexpr u32 THREADS = WORDS >= 24 ? 128 : 256;
};

IC_D bool is_aligned(const void* p) { return ((u64)p & 15) == 0; }

IC_D u64 thread_index() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
IC_D u64 thread_count() { return (u64)gridDim.x * blockDim.x; }

// Buffers promise 4-byte alignment only; those of the allocator and whole-element offsets into them have 16.
IC_D Chunk load_chunk(const u32* p, bool aligned)
{
  if (aligned) { return *(const Chunk*)p; }
  Chunk c;
  IC_UNROLL
  for (u32 k = 0; k < 4; k++) { c.w[k] = p[k]; }
  return c;
}
IC_D void store_chunk(u32* p, const Chunk& c, bool aligned)
{
  if (aligned) {
    *(Chunk*)p = c;
    return;
  }
  IC_UNROLL
  for (u32 k = 0; k < 4; k++) { p[k] = c.w[k]; }
}

// One element by one thread. Reads of neighbouring threads share sectors through L1; for streams of large elements
// `Tile` below is better.
template <class F>
IC_D F load_element(const u32* p, bool aligned)
{
  u32 w[F::WORDS];
  if constexpr (F::WORDS % 4 == 0) {
    IC_UNROLL
    for (u32 k = 0; k < F::WORDS; k += 4) {
      Chunk c = load_chunk(p + k, aligned);
      IC_UNROLL
      for (u32 j = 0; j < 4; j++) { w[k + j] = c.w[j]; }
    }
  } else {
    IC_UNROLL
    for (u32 k = 0; k < F::WORDS; k++) { w[k] = p[k]; }
  }
  return F::from_limbs(w);
}
template <class F>
IC_D void store_element(u32* p, const F& x, bool aligned)
{
  u32 w[F::WORDS];
  x.to_limbs(w);
  if constexpr (F::WORDS % 4 == 0) {
    IC_UNROLL
    for (u32 k = 0; k < F::WORDS; k += 4) {
      Chunk c;
      IC_UNROLL
      for (u32 j = 0; j < 4; j++) { c.w[j] = w[k + j]; }
      store_chunk(p + k, c, aligned);
    }
  } else {
    IC_UNROLL
    for (u32 k = 0; k < F::WORDS; k++) { p[k] = w[k]; }
  }
}

// A warp's 32 elements of several chunks each, passed through shared memory: lanes touch global memory chunk by chunk in
// order, 512 bytes an instruction, and each gets its own element. An odd pitch keeps both sides free of bank conflicts.
template <class F>
struct Tile {
  static constexpr u32 CHUNKS = Access<F>::CHUNKS;
  static constexpr u32 PITCH = CHUNKS | 1;
  static constexpr u32 SIZE = 32 * PITCH;

  // The chunks a lane fetches, before they are exchanged.
  struct Pending {
    Chunk c[CHUNKS];
  };

  // Start loading elements `0..count` (at most 32) from `p`.
  IC_D static Pending fetch(const u32* p, u32 count, bool aligned)
  {
    u32 lane = threadIdx.x % 32;
    Pending out;
    IC_UNROLL
    for (u32 k = 0; k < CHUNKS; k++) {
      u32 at = k * 32 + lane;
      if (at < count * CHUNKS) { out.c[k] = load_chunk(p + 4 * at, aligned); }
    }
    return out;
  }
  // Hand each lane its element. `tile`: `SIZE` chunks of this warp.
  IC_D static F exchange(Chunk* tile, const Pending& pending)
  {
    u32 lane = threadIdx.x % 32;
    IC_UNROLL
    for (u32 k = 0; k < CHUNKS; k++) {
      u32 at = k * 32 + lane;
      tile[at / CHUNKS * PITCH + at % CHUNKS] = pending.c[k];
    }
    __syncwarp();
    u32 w[F::WORDS];
    IC_UNROLL
    for (u32 k = 0; k < CHUNKS; k++) {
      Chunk c = tile[lane * PITCH + k];
      IC_UNROLL
      for (u32 j = 0; j < 4; j++) { w[4 * k + j] = c.w[j]; }
    }
    __syncwarp();
    return F::from_limbs(w);
  }
  // Store each lane's element.
  IC_D static void store(Chunk* tile, u32* p, const F& x, u32 count, bool aligned)
  {
    u32 lane = threadIdx.x % 32;
    u32 w[F::WORDS];
    x.to_limbs(w);
    IC_UNROLL
    for (u32 k = 0; k < CHUNKS; k++) {
      Chunk c;
      IC_UNROLL
      for (u32 j = 0; j < 4; j++) { c.w[j] = w[4 * k + j]; }
      tile[lane * PITCH + k] = c;
    }
    __syncwarp();
    IC_UNROLL
    for (u32 k = 0; k < CHUNKS; k++) {
      u32 at = k * 32 + lane;
      if (at < count * CHUNKS) { store_chunk(p + 4 * at, tile[at / CHUNKS * PITCH + at % CHUNKS], aligned); }
    }
    __syncwarp();
  }
};

} // namespace icicle
