// Self-test of the vector kernels of babybear_extension.
#include "field.cuh"

IC_VECTOR_KERNELS(babybear_extension)

void selftest_babybear_extension(double copy_gbs) { selftest("babybear_extension", FIELD_KERNELS(babybear_extension), copy_gbs); }
