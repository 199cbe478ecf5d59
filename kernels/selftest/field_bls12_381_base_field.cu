// Self-test of the vector kernels of bls12_381_base_field.
#include "field.cuh"

IC_VECTOR_KERNELS(bls12_381_base_field)

void selftest_bls12_381_base_field(double copy_gbs) { selftest("bls12_381_base_field", FIELD_KERNELS(bls12_381_base_field), copy_gbs); }
