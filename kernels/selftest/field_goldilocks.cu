// Self-test of the vector kernels of goldilocks.
#include "field.cuh"

IC_VECTOR_KERNELS(goldilocks)

void selftest_goldilocks(double copy_gbs) { selftest("goldilocks", FIELD_KERNELS(goldilocks), copy_gbs); }
