// Transforms of points over bls12_377.
#include "../ecntt/instances.cuh"

IC_ECNTT_KERNELS(bls12_377)
