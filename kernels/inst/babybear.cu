// Vector kernels and transforms of the fields of babybear.
#include "../ntt/instances.cuh"
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(babybear)
IC_VECTOR_KERNELS(babybear_extension)
IC_MIXED_KERNELS(babybear_extension)
IC_NTT_KERNELS(babybear)
