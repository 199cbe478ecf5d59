// Self-test of the vector kernels of m31.
#include "field.cuh"

IC_VECTOR_KERNELS(m31)

void selftest_m31(double copy_gbs) { selftest("m31", FIELD_KERNELS(m31), copy_gbs); }
