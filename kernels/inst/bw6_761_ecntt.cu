// Transforms of points over bw6_761.
#include "../ecntt/instances.cuh"

IC_ECNTT_KERNELS(bw6_761)
