// Self-test of the vector kernels of babybear.
#include "field.cuh"

IC_VECTOR_KERNELS(babybear)

void selftest_babybear(double copy_gbs) { selftest("babybear", FIELD_KERNELS(babybear), copy_gbs); }
