// Bytes and compressed forms of icicle.hpp's encrypted integers: there and back, and files that another language wrote.
#include "icicle.hpp"
#include "check.hpp"

#include <fstream>
#include <iterator>

namespace fhe = icicle::fhe;
using Bytes = std::vector<std::uint8_t>;

static Bytes file(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  CHECK(in.good());
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

/// Bytes as an object, which gives them again; a part of them as none.
template <typename T>
static T back(const Bytes &bytes) {
  const T made = T::from_bytes(bytes);
  CHECK(made.to_bytes() == bytes);
  Bytes part(bytes.begin(), bytes.end() - 1), more = bytes;
  more.push_back(0);
  for (const Bytes &bad : {part, more, Bytes(), Bytes(100, 7)})
    CHECK(code_of([&] { T::from_bytes(bad); }) == ICICLE_INVALID_ARGUMENT);
  return made;
}

/// What tests/vectors/fhe/README.md says of the files.
static void files(const std::string &folder) {
  const auto client = back<fhe::ClientKey>(file(folder + "/client_key"));
  CHECK(client.decrypt<std::uint8_t>(back<fhe::Array>(file(folder + "/uint8"))) == std::vector<std::uint8_t>{200});
  CHECK(client.decrypt<bool>(back<fhe::Array>(file(folder + "/bool"))) == std::vector<bool>{true});
  const auto wide = back<fhe::CompressedArray>(file(folder + "/compressed_uint16"));
  CHECK(wide.kind() == ICICLE_FHE_UINT16 && wide.size() == 2);
  CHECK(client.decrypt<std::uint16_t>(wide.decompress()) == (std::vector<std::uint16_t>{0xcafe, 7}));
  const auto flags = back<fhe::CompressedArray>(file(folder + "/compressed_bool"));
  CHECK(flags.kind() == ICICLE_FHE_BOOL && flags.size() == 3);
  CHECK(client.decrypt<bool>(flags.decompress()) == (std::vector<bool>{true, false, true}));
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  files(arguments[1]);
  const fhe::ClientKey client;
  const fhe::CompressedServerKey compressed = back<fhe::CompressedServerKey>(client.compressed_server_key().to_bytes());
  const fhe::ServerKey server = compressed.decompress(icicle::Device::cpu());
  const Bytes ready = server.to_bytes();
  const fhe::ServerKey again = fhe::ServerKey::from_bytes(ready);
  CHECK(again.to_bytes() == ready);
  // Both go to the device that is named.
  const icicle::Device none = icicle::Device::cpu(1000);
  CHECK(code_of([&] { compressed.decompress(none); }) == ICICLE_INVALID_DEVICE);
  CHECK(code_of([&] { fhe::ServerKey::from_bytes(ready, none); }) == ICICLE_INVALID_DEVICE);
  CHECK(code_of([&] { fhe::ServerKey::from_bytes(compressed.to_bytes()); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { fhe::Array::from_bytes(client.to_bytes()); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { server.over(icicle::Group()).to_bytes(); }) == ICICLE_INVALID_ARGUMENT);
  CHECK(code_of([&] { fhe::ServerKey().to_bytes(); }) == ICICLE_INVALID_POINTER);
  const auto x = back<fhe::CompressedArray>(client.encrypt_compressed<std::uint8_t>({200, 7}).to_bytes());
  const auto flags = client.encrypt_compressed<bool>({true, false}).decompress();
  const fhe::ServerKeyGuard guard(again);
  const auto total = back<fhe::Array>((x.decompress() + flags.cast<std::uint8_t>()).to_bytes());
  const auto reader = back<fhe::ClientKey>(client.to_bytes());
  CHECK(reader.decrypt<std::uint8_t>(total) == (std::vector<std::uint8_t>{201, 7}));
  CHECK(reader.decrypt<bool>(back<fhe::Array>(flags.to_bytes())) == (std::vector<bool>{true, false}));
  std::puts("ok");
}
