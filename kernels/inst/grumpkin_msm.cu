// Multi-scalar multiplication and arrays of points over grumpkin.
#include "../msm/instances.cuh"
#include "../point/instances.cuh"

IC_MSM_KERNELS(grumpkin)
IC_POINT_KERNELS(grumpkin)
