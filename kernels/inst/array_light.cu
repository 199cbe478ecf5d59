// Operations on arrays' elements that take a few instructions each, and copies.
// Rounded after each operation, as what is compiled when it is needed is (`core/cuda/src/nvrtc.rs`).
#define IC_NVCC "--fmad=false"
#include "../array/ahead.cuh"

using namespace array;

namespace array {
namespace ahead {
ARRAY_DTYPES(IC_LIGHT)
} // namespace ahead
} // namespace array

#define LIGHT(NUMBER, T)                                                                                                        \
  extern "C" __global__ void __launch_bounds__(THREADS) T##_light(const __grid_constant__ ahead::Apply a)                       \
  {                                                                                                                             \
    ahead::apply<T, false>(a);                                                                                                  \
  }

ARRAY_DTYPES(LIGHT)
