// Multi-scalar multiplication over bw6_761_g2.
#include "../msm/instances.cuh"

IC_MSM_KERNELS(bw6_761_g2)
