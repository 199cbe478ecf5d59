#pragma once
// Products of matrices. A block of 16 × 16 threads computes a tile of 16R × 16R results, R × R a thread (R = 4 for
// elements of up to 8 bytes, 2 for 16, else 1), from strips of 16 columns and rows in shared memory (at most 48 KiB).
// Bound: multiplications; pairs of products share a reduction where the field allows.
#include "access.cuh"

namespace icicle {

template <class F>
struct Matmul {
  static constexpr u32 R = F::WORDS <= 2 ? 4 : F::WORDS <= 4 ? 2 : 1;
  static constexpr u32 SIDE = 16, TILE = SIDE * R;

  // `out[r][c] = Σ_k a[r][k]·b[k][c]`, canonical; entry (r, k) of `a` at `r·a_row + k·a_col` and so on, which covers
  // operands and results stored transposed. Grid: x over tiles of columns, y over tiles of rows, both strided.
  IC_D static void run(const u32* a, const u32* b, u32* out, u64 rows, u64 inner, u64 cols, u64 a_row, u64 a_col, u64 b_row,
                       u64 b_col, u64 out_row, u64 out_col)
  {
    constexpr u32 W = F::WORDS;
    __shared__ alignas(16) u32 left[TILE][SIDE * W + (W < 4 ? 1 : 0)];
    __shared__ alignas(16) u32 right[SIDE][TILE * W];
    u32 tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
    bool aligned = is_aligned(a) && is_aligned(b) && is_aligned(out);
    for (u64 row0 = (u64)blockIdx.y * TILE; row0 < rows; row0 += (u64)gridDim.y * TILE) {
      for (u64 col0 = (u64)blockIdx.x * TILE; col0 < cols; col0 += (u64)gridDim.x * TILE) {
        F sum[R][R];
        IC_UNROLL
        for (u32 i = 0; i < R * R; i++) { sum[i / R][i % R] = F::zero(); }
        IC_NO_UNROLL
        for (u64 k0 = 0; k0 < inner; k0 += SIDE) {
          IC_NO_UNROLL
          for (u32 at = threadIdx.x; at < TILE * SIDE; at += SIDE * SIDE) {
            // Neighbouring threads along whichever index is contiguous.
            u32 r = a_col == 1 ? at / SIDE : at % TILE, k = a_col == 1 ? at % SIDE : at / TILE;
            F x = row0 + r < rows && k0 + k < inner
                    ? load_element<F>(a + ((row0 + r) * a_row + (k0 + k) * a_col) * W, aligned)
                    : F::zero();
            store_element(&left[r][k * W], x, true);
            u32 c = b_col == 1 ? at % TILE : at / SIDE, l = b_col == 1 ? at / TILE : at % SIDE;
            F y = col0 + c < cols && k0 + l < inner
                    ? load_element<F>(b + ((k0 + l) * b_row + (col0 + c) * b_col) * W, aligned)
                    : F::zero();
            store_element(&right[l][c * W], y, true);
          }
          __syncthreads();
          IC_NO_UNROLL
          for (u32 k = 0; k < SIDE; k += 2) {
            F x0[R], x1[R], y0[R], y1[R];
            IC_UNROLL
            for (u32 i = 0; i < R; i++) {
              x0[i] = load_element<F>(&left[ty + i * SIDE][k * W], true);
              x1[i] = load_element<F>(&left[ty + i * SIDE][(k + 1) * W], true);
              y0[i] = load_element<F>(&right[k][(tx + i * SIDE) * W], true);
              y1[i] = load_element<F>(&right[k + 1][(tx + i * SIDE) * W], true);
            }
            IC_UNROLL
            for (u32 i = 0; i < R * R; i++) {
              sum[i / R][i % R] += F::mul_add_mul(x0[i / R], y0[i % R], x1[i / R], y1[i % R]);
            }
          }
          __syncthreads();
        }
        IC_UNROLL
        for (u32 i = 0; i < R * R; i++) {
          u64 r = row0 + ty + i / R * SIDE, c = col0 + tx + i % R * SIDE;
          if (r < rows && c < cols) {
            store_element(out + (r * out_row + c * out_col) * W, sum[i / R][i % R].raw_fix(), aligned);
          }
        }
      }
    }
  }
};

} // namespace icicle
