// Operations on arrays' elements that take more than a few instructions: of integers, real and complex numbers.
// Rounded after each operation, as what is compiled when it is needed is (`core/cuda/src/nvrtc.rs`).
#define IC_NVCC "--fmad=false"
#include "../array/ahead.cuh"

using namespace array;

#define HEAVY(T)                                                                                                                \
  namespace array {                                                                                                             \
  namespace ahead {                                                                                                             \
  IC_HEAVY(, T)                                                                                                                 \
  }                                                                                                                             \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS) T##_heavy(const __grid_constant__ ahead::Apply a)                       \
  {                                                                                                                             \
    ahead::apply<T, true>(a);                                                                                                   \
  }

// Functions of float32 are not those of float64.
static_assert(sizeof(machine::exp(1.0f)) == 4 && sizeof(machine::pow(1.0f, 1.0f)) == 4, "overloads");

HEAVY(int8)
HEAVY(int16)
HEAVY(int32)
HEAVY(int64)
HEAVY(uint8)
HEAVY(uint16)
HEAVY(uint32)
HEAVY(uint64)
HEAVY(float32)
HEAVY(float64)
HEAVY(complex64)
HEAVY(complex128)
