// Vector kernels of the fields of goldilocks.
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(goldilocks)
IC_VECTOR_KERNELS(goldilocks_extension)
IC_MIXED_KERNELS(goldilocks_extension)
