// Vector kernels of the fields of babybear.
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(babybear)
IC_VECTOR_KERNELS(babybear_extension)
IC_MIXED_KERNELS(babybear_extension)
