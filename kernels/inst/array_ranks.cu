// Numbers of several ranks reduced to one.
// Rounded after each operation, as what is compiled when it is needed is (`core/cuda/src/nvrtc.rs`).
#define IC_NVCC "--fmad=false"
#include "../array/ranks.cuh"
#include "../array/tables_gen.cuh"

using namespace array;

#define RANKS(NUMBER, T)                                                                                                        \
  extern "C" __global__ void __launch_bounds__(THREADS) T##_ranks(const __grid_constant__ ranks::Arguments a)                   \
  {                                                                                                                             \
    ranks::reduce_as_told<T>(a);                                                                                                \
  }

ARRAY_DTYPES(RANKS)
