// Multi-scalar multiplication over bls12_381.
#include "../msm/instances.cuh"

IC_MSM_KERNELS(bls12_381)
