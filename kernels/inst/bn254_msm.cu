// Multi-scalar multiplication over bn254.
#include "../msm/instances.cuh"

IC_MSM_KERNELS(bn254)
