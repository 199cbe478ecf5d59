// Transforms of points over bls12_381.
#include "../ecntt/instances.cuh"

IC_ECNTT_KERNELS(bls12_381)
