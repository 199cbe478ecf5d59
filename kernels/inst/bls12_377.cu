// Vector kernels and transforms of the fields of bls12_377.
#include "../ntt/instances.cuh"
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(bls12_377)
IC_VECTOR_KERNELS(bls12_377_base_field)
IC_VECTOR_KERNELS(bls12_377_g2_base_field)
IC_NTT_KERNELS(bls12_377)
IC_NTT_SMALL(bls12_377)
IC_NTT_KERNELS(bls12_377_base_field)
IC_NTT_SMALL(bls12_377_base_field)
