// Vector kernels of the fields of bn254.
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(bn254)
IC_VECTOR_KERNELS(bn254_base_field)
IC_VECTOR_KERNELS(bn254_g2_base_field)
