// Multi-scalar multiplication and arrays of points over bn254_g2.
#include "../msm/instances.cuh"
#include "../point/instances.cuh"

IC_MSM_KERNELS(bn254_g2)
IC_POINT_KERNELS(bn254_g2)
