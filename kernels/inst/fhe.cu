// Encrypted integers: the steps of programmable bootstrapping, and keys for them.
#include "../fhe/rotation_one.cuh"
#include "../fhe/switching.cuh"

using namespace icicle;

extern "C" __global__ void __launch_bounds__(128) fhe_combine(const fhe::Source* sources, const fhe::Term* terms,
                                                              const fhe::Signal* signals, u64 first, u32 per_element, u64* out)
{
  fhe::combine({sources, terms, signals, first, per_element}, out);
}
extern "C" __global__ void __launch_bounds__(128)
  fhe_decompose(const fhe::Source* sources, const fhe::Term* terms, const fhe::Signal* signals, u64 first, u32 per_element,
                u32* digits, u32* small, u32 body, u32 stride)
{
  fhe::decompose({sources, terms, signals, first, per_element}, digits, small, body, stride);
}
extern "C" __global__ void __launch_bounds__(128)
  fhe_key_switch(const u32* digits, const Chunk* key, u32* small, u32 count, u32 columns, u32 stride)
{
  fhe::key_switch(digits, key, small, count, columns, stride);
}
extern "C" __global__ void __launch_bounds__(128)
  fhe_switch_modulus(const u32* small, unsigned short* out, u32 count, u32 words, u32 stride)
{
  fhe::switch_modulus(small, out, count, words, stride);
}

#define ROTATE(NAME, THREADS, BLOCKS, OWN, ROTATION, ...)                                                                       \
  extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                                                                 \
    NAME(const __grid_constant__ fhe::Roots roots, const fhe::OWN* own_roots, const unsigned short* masks, const u32* tables,   \
         const fhe::Complex* key, u64* out, u32 count, u32 table_count, u32 outputs, u32 steps, u32 stride)                     \
  {                                                                                                                             \
    extern __shared__ __align__(16) unsigned char bytes[];                                                                      \
    ROTATION(*reinterpret_cast<__VA_ARGS__*>(bytes), roots, *own_roots,                                                         \
             fhe::Rotation{masks, tables, key, out, count, table_count, outputs, steps, stride});                               \
  }

ROTATE(fhe_rotate_one, 128, 1, ThreadRoots, fhe::rotate_one, fhe::SharedOne)
ROTATE(fhe_rotate_two, 128, 2, LaneRoots, fhe::rotate, fhe::Shared<2, fhe::Stage::among_values>)
ROTATE(fhe_rotate_small, 64, 1, LaneRoots, fhe::rotate, fhe::Shared<1, fhe::Stage::none>)

extern "C" __global__ void __launch_bounds__(128) fhe_arrange_key(const u64* words, Chunk* out, u32 columns)
{
  fhe::arrange_key(words, out, columns);
}
