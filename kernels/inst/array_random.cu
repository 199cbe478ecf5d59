// Random numbers, by the key, how many and where they go, and what the rule is made of.
// Rounded after each operation, as what is compiled when it is needed is (`core/cuda/src/nvrtc.rs`).
#define IC_NVCC "--fmad=false"
#include "../array/normal.cuh"
#include "../array/tables_gen.cuh"

using namespace array;

struct Words {
  uint64 word[8];
};

#define RULE(TYPE, NAME, T)                                                                                                     \
  extern "C" __global__ void __launch_bounds__(THREADS) T##_##NAME(const __grid_constant__ Words words)                         \
  {                                                                                                                             \
    random::fill<random::TYPE>(words.word);                                                                                     \
  }

ARRAY_RULES(RULE)
