// Self-test of multi-scalar multiplication over bn254 and bls12_381: instances of the checks and times of `msm_checks.cuh`.
#include "msm_checks.cuh"

IC_MSM_KERNELS(bn254)
IC_MSM_KERNELS(bls12_381)

// Peers on an H200, device resident: the better of sppark and ICICLE v4 CUDA at 2^12, 2^14, …, 2^24; 0 where unmeasured.
void selftest_msm()
{
  msm_test::test<icicle::curves::bn254>(
    "bn254", IC_TEST_KERNELS(bn254), {4.2, 2.7, 3.96, 5.53, 10.3, 25.2, 78.6});
  msm_test::test<icicle::curves::bls12_381>(
    "bls12_381", IC_TEST_KERNELS(bls12_381), {10.6, 4.2, 6.2, 12.9, 19.8, 45.9, 140.1});
}
