// Products of matrices and vectors of arrays' numbers; of integers by their size, as wrapping makes no difference of their signs.
#include "../array/product_tensor.cuh"
#include "../array/product_tiles.cuh"
#include "../array/product_vector.cuh"

using namespace array;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
constexpr bool HAS_TENSOR_CORES = true;
#else
constexpr bool HAS_TENSOR_CORES = false;
#endif

// Large tiles of 16-bit floats are computed on tensor cores.
template <class T, bool LARGE, bool X_ROWS, bool Y_ROWS, class... P>
static __device__ __forceinline__ void compute(P... p)
{
  if constexpr (HAS_TENSOR_CORES && LARGE && Is<T>::half) {
    product::tensor_tiles<T, X_ROWS, Y_ROWS>(p...);
  } else {
    product::tiles<T, LARGE, X_ROWS, Y_ROWS>(p...);
  }
}

// `X` and `Y` say whether rows are dense, else columns.
#define TILES(NAME, T, KIND, LARGE, BLOCKS, X, X_ROWS, Y, Y_ROWS)                                                               \
  extern "C" __global__ void __launch_bounds__(256, BLOCKS) NAME##_##KIND##_##X##_##Y(                                          \
    const T* x, const T* y, void* out, product::Sizes sizes, int64 x_stride, int64 y_stride, product::Stack stack,              \
    uint32 aligned)                                                                                                             \
  {                                                                                                                             \
    compute<T, LARGE, X_ROWS, Y_ROWS>(x, y, out, sizes, x_stride, y_stride, stack, aligned);                                    \
  }

#define LAYOUTS(NAME, T, KIND, LARGE, BLOCKS)                                                                                   \
  TILES(NAME, T, KIND, LARGE, BLOCKS, rows, true, rows, true)                                                                   \
  TILES(NAME, T, KIND, LARGE, BLOCKS, rows, true, columns, false)                                                               \
  TILES(NAME, T, KIND, LARGE, BLOCKS, columns, false, rows, true)                                                               \
  TILES(NAME, T, KIND, LARGE, BLOCKS, columns, false, columns, false)

#define PRODUCTS(NAME, T)                                                                                                       \
  LAYOUTS(NAME, T, large, true, (sizeof(product::AccOf<T>) == 16 ? 1 : 2))                                                      \
  LAYOUTS(NAME, T, small, false, 2)                                                                                             \
  extern "C" __global__ void __launch_bounds__(product::VECTOR_THREADS) NAME##_row_times_vector(                                \
    const T* matrix, const T* vector, void* out, product::Sizes sizes, int64 pitch, product::Stack stack, uint32 aligned)       \
  {                                                                                                                             \
    product::rows_times_vector<T, 1>(matrix, vector, out, sizes, pitch, stack, aligned);                                        \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(product::VECTOR_THREADS) NAME##_rows_times_vector(                               \
    const T* matrix, const T* vector, void* out, product::Sizes sizes, int64 pitch, product::Stack stack, uint32 aligned)       \
  {                                                                                                                             \
    product::rows_times_vector<T, 4>(matrix, vector, out, sizes, pitch, stack, aligned);                                        \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(product::VECTOR_THREADS) NAME##_columns_times_vector(                            \
    const T* matrix, const T* vector, void* out, product::Sizes sizes, int64 pitch, product::Stack stack, uint32 width,         \
    uint32 aligned)                                                                                                             \
  {                                                                                                                             \
    product::columns_times_vector(matrix, vector, out, sizes, pitch, stack, width, aligned);                                    \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(product::VECTOR_THREADS)                                                         \
    NAME##_sum_parts(const product::AccOf<T>* sums, T* out, uint64 n, uint64 parts)                                             \
  {                                                                                                                             \
    product::sum_parts(sums, out, n, parts);                                                                                    \
  }

PRODUCTS(u8, uint8)
PRODUCTS(u16, uint16)
PRODUCTS(u32, uint32)
PRODUCTS(u64, uint64)
PRODUCTS(f16, float16)
PRODUCTS(bf16, bfloat16)
PRODUCTS(f32, float32)
PRODUCTS(f64, float64)
PRODUCTS(c64, complex64)
PRODUCTS(c128, complex128)
