// Vector kernels of the fields of koalabear.
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(koalabear)
IC_VECTOR_KERNELS(koalabear_extension)
IC_MIXED_KERNELS(koalabear_extension)
