// Vector kernels and transforms of the fields of koalabear.
#include "../ntt/instances.cuh"
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(koalabear)
IC_VECTOR_KERNELS(koalabear_extension)
IC_MIXED_KERNELS(koalabear_extension)
IC_NTT_KERNELS(koalabear)
