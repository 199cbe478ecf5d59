// Folds of arrays.
// Rounded after each operation, as what is compiled when it is needed is (`core/cuda/src/nvrtc.rs`).
#define IC_NVCC "--fmad=false"
#include "../array/ahead_fold.cuh"

using namespace array;

#define FOLD(TYPE, NAME, T, ACC, OUT)                                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS) T##_##NAME(const __grid_constant__ ahead::Fold a)                       \
  {                                                                                                                             \
    ahead::folded<fold::TYPE<T, ACC>, T, OUT>(a);                                                                               \
  }

ARRAY_FOLDS(FOLD)
