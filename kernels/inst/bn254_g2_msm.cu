// Multi-scalar multiplication over bn254_g2.
#include "../msm/instances.cuh"

IC_MSM_KERNELS(bn254_g2)
