// Multi-scalar multiplication over grumpkin.
#include "../msm/instances.cuh"

IC_MSM_KERNELS(grumpkin)
