// Vector kernels of the fields of bls12_377.
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(bls12_377)
IC_VECTOR_KERNELS(bls12_377_base_field)
IC_VECTOR_KERNELS(bls12_377_g2_base_field)
