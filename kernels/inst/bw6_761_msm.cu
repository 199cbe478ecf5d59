// Multi-scalar multiplication over bw6_761.
#include "../msm/instances.cuh"

IC_MSM_KERNELS(bw6_761)
