// Two multiplications of different sizes on two devices at once, then one divided over both. Try ICICLE_CPU_DEVICES=2.
#include <icicle.hpp>

#include <cstdio>
#include <cstring>

int main() {
  const std::size_t sizes[] = {1 << 10, 1 << 12};
  std::vector<bn254_scalar_t> scalars(sizes[1]);
  std::vector<bn254_affine_t> points(sizes[1]);
  bn254_generate_scalars(scalars.data(), static_cast<int>(sizes[1]));
  bn254_generate_affine_points(points.data(), static_cast<int>(sizes[1]));

  // Independent jobs: each runs on the device that is free, which is current there.
  const std::vector<icicle::Device> devices = icicle::devices();
  bn254_projective_t sums[2];
  icicle::Group(devices).map(2, [&](const icicle_group_job_t &place) {
    const std::size_t n = sizes[place.job];
    icicle::msm(ICICLE_CURVE_BN254, scalars.data(), points.data(), static_cast<std::int64_t>(n), &sums[place.job]);
    std::printf("%s:%d %zu points\n", place.device.device_type, place.device.id, n);
  });

  // One operation: shares say that every device takes part, however little there is to do.
  icicle::Group group(devices, std::vector<double>(devices.size(), 1));
  for (int i = 0; i < 2; i++) {
    bn254_projective_t sum;
    icicle::msm(group, ICICLE_CURVE_BN254, scalars.data(), points.data(), static_cast<std::int64_t>(sizes[i]), &sum);
    if (std::memcmp(&sum, &sums[i], sizeof sum)) return std::puts("another sum"), 1;
  }
  std::puts("the divided sums are the same");
}
