// Multi-scalar multiplication over bls12_377.
#include "../msm/instances.cuh"

IC_MSM_KERNELS(bls12_377)
