// Transforms of points over bn254.
#include "../ecntt/instances.cuh"

IC_ECNTT_KERNELS(bn254)
