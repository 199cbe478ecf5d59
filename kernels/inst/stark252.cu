// Vector kernels of stark252.
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(stark252)
