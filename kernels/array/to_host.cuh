#pragma once
// A few bytes brought to the host.
#include "../vec/access.cuh"

namespace icicle {

#ifdef __CUDACC__
// `to` = `bytes` of `from`; `to`, at a multiple of 16, is page-locked memory of the host, which the device reaches by the same address.
// Any grid.
IC_D void to_host(const u8* from, u8* to, u64 bytes)
{
  if (((u64)from | bytes) % 16 == 0) {
    for (u64 i = thread_index(); i < bytes / 16; i += thread_count()) { ((Chunk*)to)[i] = ((const Chunk*)from)[i]; }
  } else {
    for (u64 i = thread_index(); i < bytes; i += thread_count()) { to[i] = from[i]; }
  }
}
#endif

} // namespace icicle
