// Self-test of the vector kernels of bn254.
#include "field.cuh"

IC_VECTOR_KERNELS(bn254)

void selftest_bn254(double copy_gbs) { selftest("bn254", FIELD_KERNELS(bn254), copy_gbs); }
