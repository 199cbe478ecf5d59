// Commit to Ethereum blobs on every device of the machine at once, in C++.
//
// usage: kzg_blobs SETUP BLOBS | --help | --version
//
// SETUP holds the trusted setup's 4,096 compressed G1 points in Lagrange form, natural order; BLOBS any number of blobs of
// 131,072 bytes. A group maps blobs to commitments: each device gets the points once, and a blob whenever it is free.
// Prints each blob's commitment, compressed, in hexadecimal, in the order of the blobs; what it does, and how many blobs
// each device took, goes to stderr.
#include <icicle.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kElements = 4096;
constexpr std::size_t kBlobBytes = 32 * kElements;

using Scalar = std::array<std::uint32_t, 8>;
using Affine = std::array<std::uint32_t, 24>;
using Projective = std::array<std::uint32_t, 36>;
using Bytes = std::vector<unsigned char>;

Bytes read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

// The points, decompressed, in the order of a blob's elements: bit-reversed.
std::vector<Affine> load_setup(const char *path) {
  Bytes compressed = read(path);
  if (compressed.size() != 48 * kElements) throw std::runtime_error("the setup must hold 4096 points");
  std::vector<Affine> natural(kElements), reversed(kElements);
  icicle::check(icicle_decompress_points(ICICLE_CURVE_BLS12_381, compressed.data(), kElements, natural.data()));
  for (std::size_t i = 0; i < kElements; i++) {
    std::size_t mirror = 0;
    for (int bit = 0; bit < 12; bit++) mirror |= ((i >> bit) & 1) << (11 - bit);
    reversed[mirror] = natural[i];
  }
  return reversed;
}

// A blob's elements: 32 bytes big-endian each, to little-endian words.
std::vector<Scalar> elements(const unsigned char *blob) {
  std::vector<Scalar> out(kElements);
  for (std::size_t e = 0; e < kElements; e++)
    for (std::size_t w = 0; w < 8; w++) {
      const unsigned char *at = blob + 32 * e + 28 - 4 * w;
      out[e][w] = std::uint32_t(at[0]) << 24 | std::uint32_t(at[1]) << 16 | std::uint32_t(at[2]) << 8 | at[3];
    }
  return out;
}

// What one device has and did.
struct Work {
  std::unique_ptr<icicle::Buffer<Affine>> bases;
  std::size_t blobs = 0;
  double seconds = 0;
};

// One blob's commitment, on the current device.
Projective commit(Work &own, const std::vector<Affine> &setup, const unsigned char *blob) {
  if (!own.bases) own.bases = std::make_unique<icicle::Buffer<Affine>>(setup);
  auto start = std::chrono::steady_clock::now();
  icicle::Buffer<Scalar> scalars(elements(blob));
  Projective commitment;
  icicle::msm(ICICLE_CURVE_BLS12_381, scalars.data(), own.bases->data(), kElements, &commitment);
  own.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  own.blobs++;
  return commitment;
}

void print(const Projective &point) {
  unsigned char bytes[48];
  icicle::check(icicle_compress_points(ICICLE_CURVE_BLS12_381, &point, 1, bytes));
  for (unsigned char byte : bytes) std::printf("%02x", byte);
  std::printf("\n");
}

int run(const char *setup_path, const char *blobs_path) {
  Bytes blobs = read(blobs_path);
  if (blobs.empty() || blobs.size() % kBlobBytes)
    throw std::runtime_error(std::string(blobs_path) + ": " + std::to_string(blobs.size()) +
                             " bytes, must be some blobs of 131072 bytes each");
  std::fprintf(stderr, "decompressing the trusted setup's %zu points …\n", kElements);
  std::vector<Affine> setup = load_setup(setup_path);
  std::vector<Projective> commitments(blobs.size() / kBlobBytes);
  const std::vector<icicle::Device> devices = icicle::devices();
  if (devices.empty()) throw std::runtime_error("no device");
  icicle::Group group(devices);
  std::vector<Work> work(devices.size());
  std::fprintf(stderr, "committing to %zu blobs on %zu devices …\n", commitments.size(), devices.size());
  group.map(static_cast<std::int64_t>(commitments.size()), [&](const icicle_group_job_t &place) {
    const std::size_t blob = static_cast<std::size_t>(place.job);
    commitments[blob] = commit(work[static_cast<std::size_t>(place.position)], setup, &blobs[blob * kBlobBytes]);
  });
  for (std::size_t i = 0; i < devices.size(); i++)
    std::fprintf(stderr, "%s:%d %zu blobs, %.2f s\n", devices[i].type().c_str(), devices[i].id(), work[i].blobs,
                 work[i].seconds);
  for (const Projective &commitment : commitments) print(commitment);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  const std::string option = argc == 2 ? argv[1] : "";
  if (option == "--version") return std::printf("kzg_blobs, icicle %s\n", icicle::version().c_str()), 0;
  if (argc != 3) {
    const char *usage = "usage: %s SETUP BLOBS\n"
                        "  SETUP  4096 compressed G1 points in Lagrange form, as tests/vectors/kzg/g1_lagrange.bin\n"
                        "  BLOBS  blobs of 131072 bytes, one after another\n";
    std::fprintf(option == "--help" ? stdout : stderr, usage, argv[0]);
    return option == "--help" ? 0 : 2;
  }
  try {
    return run(argv[1], argv[2]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
