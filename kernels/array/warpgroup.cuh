// What a warpgroup, four warps, does together on architecture 90 and no other: products of tiles in shared memory on its tensor cores
// (`wgmma`), copies of tiles by the engine for tensors, and barriers that both report to (PTX ISA, "Asynchronous Warpgroup Level
// Matrix Instructions", "cp.async.bulk.tensor", "mbarrier").
#pragma once
#include "tensor.cuh"

namespace array {
namespace warpgroup {

constexpr int THREADS = 128;

// A matrix as the engine copies tiles of it: `CUtensorMap`, which the driver writes (`core/cuda/src/driver.rs`).
struct alignas(128) TensorMap {
  uint64 of[16];
};

// float32, of which products take the sign, the exponent and 10 bits of the mantissa.
struct tensorfloat32 {
  float value;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ __forceinline__ uint32 shared(const void* p) { return uint32(__cvta_generic_to_shared(p)); }

// Threads, or copies, of which a barrier waits for so many before its phase ends.
struct Barrier {
  uint64 state;

  __device__ __forceinline__ void start(uint32 count)
  {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared(&state)), "r"(count) : "memory");
  }
  __device__ __forceinline__ void arrive()
  {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared(&state)) : "memory");
  }
  // Arrive, for copies of so many bytes: the phase does not end before they are there.
  __device__ __forceinline__ void expect(uint32 bytes)
  {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared(&state)), "r"(bytes) : "memory");
  }
  // Until a phase of this parity is over.
  __device__ __forceinline__ void wait(uint32 parity)
  {
    uint32 is_over;
    do {
      asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(is_over)
        : "r"(shared(&state)), "r"(parity)
        : "memory");
    } while (is_over == 0);
  }
};

// Copy the tile whose first element is number `dense` of line `line`, with zeros for what is not there; `done` is told its bytes.
__device__ __forceinline__ void fetch(void* tile, const TensorMap* map, int dense, int line, Barrier* done)
{
  asm volatile(
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(shared(tile)),
    "l"(map), "r"(shared(done)), "r"(dense), "r"(line)
    : "memory");
}

// A tile of 128 bytes a line, its chunks of 16 bytes swizzled by the line's number modulo eight, as a product takes it. Lines are one
// below another; or, of a tile whose lines lie along k, in blocks `block` bytes apart.
__device__ __forceinline__ uint64 tile(const void* at, uint32 block)
{
  constexpr uint64 EIGHT_LINES = 8 * 128 >> 4, SWIZZLE_128 = uint64(1) << 62;
  return uint64(shared(at) >> 4 & 0x3fff) | uint64(block >> 4) << 16 | EIGHT_LINES << 32 | SWIZZLE_128;
}

// Registers of sums and of memory may be used by products from here on.
__device__ __forceinline__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
// The products since the last one are a group.
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until no more than so many groups are left.
template <int LEFT>
__device__ __forceinline__ void wait()
{
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}
// Give registers to other warpgroups, or take what others gave: so many for each thread.
template <int COUNT>
__device__ __forceinline__ void keep_registers()
{
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}
template <int COUNT>
__device__ __forceinline__ void take_registers()
{
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

#define IC_REGISTERS \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define IC_SUMS \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), \
  "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), \
  "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), \
  "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), \
  "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), \
  "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), \
  "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), \
  "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), \
  "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), \
  "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), \
  "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), \
  "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), \
  "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), \
  "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), \
  "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), \
  "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])

// Add to 64 by 256 sums the products of 64 by K and K by 256 numbers, 32 bytes of each line: of `d[4 * j + 2 * i + l]` row
// 16 * warp + 8 * i + lane / 4, column 8 * j + 2 * (lane % 4) + l. X_ALONG and Y_ALONG say that lines are along k.
template <class T, bool X_ALONG, bool Y_ALONG>
__device__ __forceinline__ void multiply(float (&d)[128], uint64 x, uint64 y)
{
  if constexpr (tensor::IsBrain<T>::value) {
    asm volatile("{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\nwgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" IC_REGISTERS "}, %128, %129, add, 1, 1, %130, %131;\n}"
                 : IC_SUMS
                 : "l"(x), "l"(y), "n"(!X_ALONG), "n"(!Y_ALONG));
  } else if constexpr (Is<T>::half) {
    asm volatile("{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\nwgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" IC_REGISTERS "}, %128, %129, add, 1, 1, %130, %131;\n}"
                 : IC_SUMS
                 : "l"(x), "l"(y), "n"(!X_ALONG), "n"(!Y_ALONG));
  } else {
    static_assert(X_ALONG && Y_ALONG, "longer numbers lie along k");
    asm volatile("{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\nwgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {" IC_REGISTERS "}, %128, %129, add, 1, 1;\n}"
                 : IC_SUMS
                 : "l"(x), "l"(y));
  }
}

#undef IC_REGISTERS
#undef IC_SUMS
#endif

} // namespace warpgroup
} // namespace array
