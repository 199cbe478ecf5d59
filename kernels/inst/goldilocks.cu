// Vector kernels and transforms of the fields of goldilocks.
#include "../ntt/instances.cuh"
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(goldilocks)
IC_VECTOR_KERNELS(goldilocks_extension)
IC_MIXED_KERNELS(goldilocks_extension)
IC_NTT_KERNELS(goldilocks)
