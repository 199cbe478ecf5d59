// What a warp does together on tensor cores, and copies into shared memory beside other work; for architectures from 80 on. On the
// host the lanes of a warp show each other what they hold.
#pragma once
#include "product.cuh"

namespace array {
namespace tensor {

using product::Chunk;

// Copy the first `bytes` of 16 to shared memory, with zeros behind them; done once `wait` says so of its group.
IC_FN void copy(Chunk* to, const void* from, int bytes)
{
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(uint32(__cvta_generic_to_shared(to))), "l"(from),
               "r"(bytes)
               : "memory");
#endif
#else
  *to = Chunk{};
  std::memcpy((void*)to, from, size_t(bytes));
#endif
}
// The copies since the last one are a group.
IC_FN void commit()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Until no more than so many of this thread's groups are left.
template <int LEFT>
IC_FN void wait()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

// Four words of each lane.
struct Words {
  uint32 of[4];
};

// Four matrices of 8 by 8 numbers of 16 bits, whose rows of 16 bytes lie where lanes 8i to 8i + 7 say of matrix i. A lane gets of
// each the numbers 2(lane % 4) and the next of row lane / 4; or of column lane / 4 if TRANSPOSED.
template <bool TRANSPOSED>
IC_FN Words load_matrices(const Chunk* row)
{
  Words out;
#ifdef __CUDA_ARCH__
  const uint32 at = uint32(__cvta_generic_to_shared(row));
  if constexpr (TRANSPOSED) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out.of[0]), "=r"(out.of[1]), "=r"(out.of[2]), "=r"(out.of[3])
                 : "r"(at)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out.of[0]), "=r"(out.of[1]), "=r"(out.of[2]), "=r"(out.of[3])
                 : "r"(at)
                 : "memory");
  }
#else
  static const uint16* rows[1024];
  const unsigned warp = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;
  rows[threadIdx.x] = reinterpret_cast<const uint16*>(row);
  __syncwarp();
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned own = lane / 4, first = lane % 4 * 2;
    const uint16* const* const matrix = rows + warp + 8 * i;
    const uint32 low = TRANSPOSED ? matrix[first][own] : matrix[own][first];
    const uint32 high = TRANSPOSED ? matrix[first + 1][own] : matrix[own][first + 1];
    out.of[i] = high << 16 | low;
  }
  __syncwarp();
#endif
  return out;
}

template <class T>
struct IsBrain {
  static constexpr bool value = false;
};
template <>
struct IsBrain<bfloat16> {
  static constexpr bool value = true;
};

// Add to 16 by 8 sums the products of 16 by 16 and 16 by 8 numbers of 16 bits, as PTX's `mma.m16n8k16` has lanes hold them: of `sum`
// row lane / 4, columns 2(lane % 4) and the next, and then eight rows further down.
template <class T>
IC_FN void multiply(float (&sum)[4], const Words& a, uint32 b0, uint32 b1)
{
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 800
  if constexpr (IsBrain<T>::value) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a.of[0]), "r"(a.of[1]), "r"(a.of[2]), "r"(a.of[3]), "r"(b0), "r"(b1));
  } else {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a.of[0]), "r"(a.of[1]), "r"(a.of[2]), "r"(a.of[3]), "r"(b0), "r"(b1));
  }
#endif
#else
  static Words of_a[1024];
  static uint32 of_b[1024][2];
  const unsigned warp = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;
  of_a[threadIdx.x] = a;
  of_b[threadIdx.x][0] = b0;
  of_b[threadIdx.x][1] = b1;
  __syncwarp();
  const auto half = [](uint32 word, unsigned i) { return product::widen(T{uint16(word >> (16 * i))}); };
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = lane / 4, column = lane % 4 * 2 + i % 2;
    for (unsigned k = 0; k < 16; ++k) {
      const float x = half(of_a[warp + row * 4 + k % 8 / 2].of[i / 2 + k / 8 * 2], k % 2);
      sum[i] += x * half(of_b[warp + column * 4 + k % 8 / 2][k / 8], k % 2);
    }
  }
  __syncwarp();
#endif
}

} // namespace tensor
} // namespace array
