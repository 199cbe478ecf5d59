#pragma once
// Types and function markers of the kernel tree: no host header anywhere, so that NVRTC compiles the same files.

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define IC_HD __host__ __device__ __forceinline__
#define IC_HD_NOINLINE __host__ __device__ __noinline__
#define IC_D __device__ __forceinline__
#define IC_UNROLL _Pragma("unroll")
#define IC_NO_UNROLL _Pragma("unroll 1")
#else
#define IC_HD inline
#define IC_HD_NOINLINE inline
#define IC_UNROLL
#define IC_NO_UNROLL
#endif

namespace icicle {

typedef unsigned char u8;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;

// Sixteen bytes: the widest access of one thread.
struct alignas(16) Chunk {
  u32 w[4];
};

} // namespace icicle
