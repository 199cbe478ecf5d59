// Multi-scalar multiplication and arrays of points over bw6_761_g2.
#include "../msm/instances.cuh"
#include "../point/instances.cuh"

IC_MSM_KERNELS(bw6_761_g2)
IC_POINT_KERNELS(bw6_761_g2)
