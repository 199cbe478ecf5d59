// Vector kernels and transforms of stark252.
#include "../ntt/instances.cuh"
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(stark252)
IC_NTT_KERNELS(stark252)
IC_NTT_SMALL(stark252)
