// Checks all kernels on a GPU and times them; exit code 1 if anything is wrong. Built and run by run.sh.
#include "harness.cuh"

int checks = 0, failures = 0;

void selftest_bn254(double);
void selftest_bls12_381_base_field(double);
void selftest_babybear(double);
void selftest_babybear_extension(double);
void selftest_goldilocks(double);
void selftest_m31(double);
void selftest_layout(double);
void selftest_curves();
void selftest_msm();
void selftest_ntt();

int main()
{
  cudaDeviceProp device;
  CUDA(cudaGetDeviceProperties(&device, 0));
  Buffer from(1ull << 28), to(1ull << 28);
  double ms = time_ms([&] { CUDA(cudaMemcpyAsync(to.p, from.p, 1ull << 30, cudaMemcpyDeviceToDevice)); });
  double copy_gbs = 2.0 * (1ull << 30) / ms / 1e6;
  printf("%s, %d SMs; copy of 1 GiB: %.0f GB/s read and written\n", device.name, device.multiProcessorCount, copy_gbs);
  selftest_bn254(copy_gbs);
  selftest_bls12_381_base_field(copy_gbs);
  selftest_babybear(copy_gbs);
  selftest_babybear_extension(copy_gbs);
  selftest_goldilocks(copy_gbs);
  selftest_m31(copy_gbs);
  selftest_curves();
  selftest_msm();
  selftest_ntt();
  selftest_layout(copy_gbs);
  printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
