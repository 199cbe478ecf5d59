// Multi-scalar multiplication over bls12_381_g2.
#include "../msm/instances.cuh"

IC_MSM_KERNELS(bls12_381_g2)
