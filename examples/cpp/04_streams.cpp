// Two streams work side by side: one squares a vector, the other waits for an event of the first before it adds. On a GPU
// nothing waits on the host until the end; on the CPU every call is complete when it returns.
#include <icicle.hpp>

#include <cstdio>

int main() {
  const icicle_field_t field = ICICLE_FIELD_BABYBEAR;
  const std::size_t n = 1 << 16;
  icicle::PinnedBuffer<std::uint32_t> in(n), out(n);  // page-locked: copies overlap with work
  icicle::Buffer<std::uint32_t> x(n), y(n);
  icicle::Stream first, second;
  icicle::Event squared;
  for (std::uint32_t i = 0; i < n; i++) in[i] = i;

  auto config = icicle_vec_ops_config_default();
  config.is_async = true;
  config.stream = first.raw();
  x.copy_from(in.data(), n, first);
  icicle::vector_mul(field, x.data(), x.data(), n, y.data(), config);
  squared.record(first);
  config.stream = second.raw();
  second.wait(squared);
  icicle::vector_add(field, x.data(), y.data(), n, y.data(), config);
  y.copy_to(out.data(), n, second);
  second.synchronize();

  for (std::uint64_t i = 0; i < n; i++)
    if (out[i] != i * (i + 1) % 2013265921) return 1;
  std::printf("x² + x of %zu elements\n", n);
}
