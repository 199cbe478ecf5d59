// Products of large matrices of 16-bit floats, and of float32 as TF32, by warpgroups: for GPUs of capability 9.0 alone.
#define IC_NVCC "-gencode arch=compute_90a,code=sm_90a"
#include "../array/product_warpgroup.cuh"

using namespace array;

// `X` and `Y` say whether rows are dense, else columns.
#define MULTIPLY(NAME, T, OUT, X, X_ROWS, Y, Y_ROWS)                                                                            \
  extern "C" __global__ void __launch_bounds__(product::WarpgroupTile::THREADS, 1) NAME##_multiply_##X##_##Y(                   \
    const __grid_constant__ warpgroup::TensorMap x, const __grid_constant__ warpgroup::TensorMap y, OUT* out, uint64 m,         \
    uint64 n, uint64 k)                                                                                                         \
  {                                                                                                                             \
    product::warpgroup_tiles<T, OUT, X_ROWS, Y_ROWS>(x, y, out, m, n, k);                                                       \
  }

#define LAYOUTS(NAME, T)                                                                                                        \
  MULTIPLY(NAME, T, T, rows, true, rows, true)                                                                                  \
  MULTIPLY(NAME, T, T, rows, true, columns, false)                                                                              \
  MULTIPLY(NAME, T, T, columns, false, rows, true)                                                                              \
  MULTIPLY(NAME, T, T, columns, false, columns, false)

LAYOUTS(bf16, bfloat16)
LAYOUTS(f16, float16)
MULTIPLY(f32, warpgroup::tensorfloat32, float, rows, true, columns, false)
