// Vector kernels of the fields of m31.
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(m31)
IC_VECTOR_KERNELS(m31_extension)
IC_MIXED_KERNELS(m31_extension)
IC_VECTOR_KERNELS(m31_qm31)
IC_MIXED_KERNELS(m31_qm31)
