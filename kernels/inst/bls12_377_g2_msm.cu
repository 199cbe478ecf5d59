// Multi-scalar multiplication over bls12_377_g2.
#include "../msm/instances.cuh"

IC_MSM_KERNELS(bls12_377_g2)
