// Multi-scalar multiplication and arrays of points over bls12_381.
#include "../msm/instances.cuh"
#include "../point/instances.cuh"

IC_MSM_KERNELS(bls12_381)
IC_POINT_KERNELS(bls12_381)
