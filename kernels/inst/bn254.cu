// Vector kernels and transforms of the fields of bn254.
#include "../ntt/instances.cuh"
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(bn254)
IC_VECTOR_KERNELS(bn254_base_field)
IC_VECTOR_KERNELS(bn254_g2_base_field)
IC_NTT_KERNELS(bn254)
IC_NTT_SMALL(bn254)
