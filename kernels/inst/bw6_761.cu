// Vector kernels of the coordinates of bw6_761; its scalars are the coordinates of bls12_377.
#include "../vec/instances.cuh"

IC_VECTOR_KERNELS(bw6_761_base_field)
