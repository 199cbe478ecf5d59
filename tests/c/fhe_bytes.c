/* Encrypted integers as bytes and in the form to send: there and back, files that another language wrote, and what is refused. */
#include "check.h"

typedef icicle_error_t (*to_bytes_fn)(void *, void *, size_t, size_t *);
typedef icicle_error_t (*from_bytes_fn)(const void *, size_t, void **);
typedef icicle_error_t (*free_fn)(void *);

typedef struct {
  uint8_t *data;
  size_t n;
} bytes_t;

/* An object's bytes, in memory that they fill; what a size that is too small and a missing buffer do. */
static bytes_t bytes_of(to_bytes_fn to_bytes, void *object) {
  bytes_t bytes = {NULL, 0};
  OK(to_bytes(object, NULL, 0, &bytes.n));
  CHECK(bytes.n > 32);
  OK(to_bytes(object, NULL, 0, NULL));
  CHECK((bytes.data = malloc(bytes.n + 1)) != NULL);
  memset(bytes.data, 0xaa, bytes.n + 1);
  size_t needed = 1;
  FAILS(to_bytes(object, bytes.data, bytes.n - 1, &needed), ICICLE_INVALID_ARGUMENT, "must be at least");
  CHECK(needed == 1 && bytes.data[0] == 0xaa);
  FAILS(to_bytes(object, NULL, bytes.n, NULL), ICICLE_INVALID_POINTER, "buffer is null");
  OK(to_bytes(object, bytes.data, bytes.n + 1, &needed));
  CHECK(needed == bytes.n && bytes.data[bytes.n] == 0xaa && !memcmp(bytes.data, "icicle", 6));
  return bytes;
}

/* Read bytes, write them again, compare; bytes that are cut off, go on, or are something else are refused. */
static void *there_and_back(from_bytes_fn from_bytes, to_bytes_fn to_bytes, free_fn free_it, bytes_t bytes) {
  void *made = &made, *const before = made;
  FAILS(from_bytes(bytes.data, bytes.n - 1, &made), ICICLE_INVALID_ARGUMENT, "end too early");
  FAILS(from_bytes(bytes.data, 0, &made), ICICLE_INVALID_ARGUMENT, "end too early");
  FAILS(from_bytes(NULL, bytes.n, &made), ICICLE_INVALID_POINTER, "data is null");
  FAILS(from_bytes(bytes.data, SIZE_MAX, &made), ICICLE_INVALID_ARGUMENT, "exceeds the address space");
  FAILS(from_bytes(bytes.data, bytes.n, NULL), ICICLE_INVALID_POINTER, "made is null");
  uint8_t *longer = malloc(bytes.n + 1);
  CHECK(longer);
  memcpy(longer, bytes.data, bytes.n);
  longer[bytes.n] = 0;
  FAILS(from_bytes(longer, bytes.n + 1, &made), ICICLE_INVALID_ARGUMENT, "go on after their end: 1 too many");
  longer[0] = 'j';
  FAILS(from_bytes(longer, bytes.n, &made), ICICLE_INVALID_ARGUMENT, "not of this library's format");
  longer[0] = 'i';
  longer[8] = 9;
  FAILS(from_bytes(longer, bytes.n, &made), ICICLE_INVALID_ARGUMENT, "version 9, must be of 1");
  longer[8] = 1;
  longer[10] = 77;
  FAILS(from_bytes(longer, bytes.n, &made), ICICLE_INVALID_ARGUMENT, "are of kind 77");
  CHECK(made == before);
  /* Of any alignment. */
  memmove(longer + 1, bytes.data, bytes.n);
  OK(from_bytes(longer + 1, bytes.n, &made));
  free(longer);
  bytes_t again = bytes_of(to_bytes, made);
  CHECK(again.n == bytes.n && !memcmp(again.data, bytes.data, bytes.n));
  free(again.data);
  void *twice;
  OK(from_bytes(bytes.data, bytes.n, &twice));
  OK(free_it(twice));
  FAILS(free_it(twice), ICICLE_INVALID_POINTER, "freed already");
  FAILS(to_bytes(twice, NULL, 0, NULL), ICICLE_INVALID_POINTER, "freed already");
  OK(free_it(NULL));
  free(bytes.data);
  return made;
}

#define BACK(name, object) \
  there_and_back(icicle_fhe_##name##_from_bytes, icicle_fhe_##name##_to_bytes, icicle_fhe_##name##_free, \
                 bytes_of(icicle_fhe_##name##_to_bytes, object))

/* Server keys are read for a device. */
static icicle_error_t server_key_from_bytes(const void *data, size_t n, void **made) {
  return icicle_fhe_server_key_from_bytes(data, n, NULL, made);
}

static bytes_t file(const char *folder, const char *name) {
  char path[1024];
  CHECK(snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path);
  FILE *in = fopen(path, "rb");
  if (!in) fprintf(stderr, "%s: cannot be read\n", path);
  CHECK(in);
  bytes_t bytes = {malloc(1 << 20), 0};
  CHECK(bytes.data);
  bytes.n = fread(bytes.data, 1, 1 << 20, in);
  CHECK(bytes.n > 32 && bytes.n < 1 << 20 && !fclose(in));
  return bytes;
}

#define READ(name, folder, file_name) \
  there_and_back(icicle_fhe_##name##_from_bytes, icicle_fhe_##name##_to_bytes, icicle_fhe_##name##_free, file(folder, file_name))

static void decrypts(void *client, void *array, int32_t kind, size_t n, const void *expected, size_t bytes) {
  int32_t found;
  size_t held;
  uint8_t values[16];
  OK(icicle_fhe_array_info(array, &found, &held));
  CHECK(found == kind && held == n && bytes <= sizeof values);
  OK(icicle_fhe_decrypt(client, array, values, n));
  CHECK(!memcmp(values, expected, bytes));
  OK(icicle_fhe_array_free(array));
}

/* What tests/vectors/fhe/README.md says of the files. */
static void files(const char *folder) {
  const uint8_t small[1] = {200}, flag[1] = {1}, flags[3] = {1, 0, 1};
  const uint16_t wide[2] = {0xcafe, 7};
  void *client = READ(client_key, folder, "client_key"), *array;
  decrypts(client, READ(array, folder, "uint8"), ICICLE_FHE_UINT8, 1, small, sizeof small);
  decrypts(client, READ(array, folder, "bool"), ICICLE_FHE_BOOL, 1, flag, sizeof flag);
  void *compressed = READ(compressed_array, folder, "compressed_uint16");
  OK(icicle_fhe_array_decompress(compressed, &array));
  decrypts(client, array, ICICLE_FHE_UINT16, 2, wide, sizeof wide);
  OK(icicle_fhe_compressed_array_free(compressed));
  compressed = READ(compressed_array, folder, "compressed_bool");
  OK(icicle_fhe_array_decompress(compressed, &array));
  decrypts(client, array, ICICLE_FHE_BOOL, 3, flags, sizeof flags);
  OK(icicle_fhe_compressed_array_free(compressed));
  OK(icicle_fhe_client_key_free(client));
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  files(arguments[1]);
  const uint16_t x[2] = {65000, 7}, y[2] = {1000, 9}, sums[2] = {464, 16};
  const uint8_t flags[2] = {1, 0};
  void *client, *server, *compressed_key, *compressed, *a, *b, *made, *group, *set;
  OK(icicle_fhe_client_key_generate(&client));
  OK(icicle_fhe_compressed_server_key_generate(client, &compressed_key));
  OK(icicle_fhe_encrypt_compressed(client, ICICLE_FHE_UINT16, x, 2, &compressed));
  int32_t kind = -1;
  size_t n = 0;
  OK(icicle_fhe_compressed_array_info(compressed, &kind, &n));
  CHECK(kind == ICICLE_FHE_UINT16 && n == 2);
  /* Neither is written if the other cannot be. */
  kind = -1;
  FAILS(icicle_fhe_compressed_array_info(compressed, &kind, (size_t *)((char *)&n + 1)), ICICLE_INVALID_POINTER, "n ");
  CHECK(kind == -1);
  /* All that a client sends and gets back, as bytes; the server's keys are of the same client. */
  void *client_again = BACK(client_key, client), *key_again = BACK(compressed_server_key, compressed_key);
  void *compressed_again = BACK(compressed_array, compressed);
  OK(icicle_fhe_server_key_decompress(key_again, NULL, &server));
  void *server_again = there_and_back(server_key_from_bytes, icicle_fhe_server_key_to_bytes, icicle_fhe_server_key_free,
                                      bytes_of(icicle_fhe_server_key_to_bytes, server));
  OK(icicle_fhe_array_decompress(compressed_again, &a));
  OK(icicle_fhe_encrypt(client_again, ICICLE_FHE_UINT16, y, 2, &b));
  OK(icicle_fhe_set_server_key(server_again));
  const icicle_fhe_operand_t operands[2] = {{a, NULL, 0, 0}, {b, NULL, 0, 0}};
  OK(icicle_fhe_binary(ICICLE_FHE_ADD, operands[0], operands[1], &made));
  void *sum = BACK(array, made);
  decrypts(client, sum, ICICLE_FHE_UINT16, 2, sums, sizeof sums);
  OK(icicle_fhe_binary(ICICLE_FHE_LT, operands[1], operands[0], &made));
  void *less = BACK(array, made);
  decrypts(client_again, less, ICICLE_FHE_BOOL, 2, flags, sizeof flags);
  /* One kind is not another, and names both. */
  bytes_t bytes = bytes_of(icicle_fhe_compressed_array_to_bytes, compressed);
  FAILS(icicle_fhe_array_from_bytes(bytes.data, bytes.n, &made), ICICLE_INVALID_ARGUMENT,
        "fhe_array_from_bytes: bytes are of kind 8, must be of 5, FheUint, or 6, FheBool");
  FAILS(icicle_fhe_client_key_from_bytes(bytes.data, bytes.n, &made), ICICLE_INVALID_ARGUMENT, "must be of 1, ClientKey");
  free(bytes.data);
  bytes = bytes_of(icicle_fhe_array_to_bytes, a);
  FAILS(icicle_fhe_compressed_array_from_bytes(bytes.data, bytes.n, &made), ICICLE_INVALID_ARGUMENT, "bytes are of kind 5");
  FAILS(icicle_fhe_server_key_from_bytes(bytes.data, bytes.n, NULL, &made), ICICLE_INVALID_ARGUMENT, "must be of 2, ServerKey");
  FAILS(icicle_fhe_compressed_server_key_from_bytes(bytes.data, bytes.n, &made), ICICLE_INVALID_ARGUMENT,
        "must be of 3, CompressedServerKey");
  /* A count beyond the bytes, and a width that there is not. */
  memset(bytes.data + 32 + 16, 0xff, 8);
  FAILS(icicle_fhe_array_from_bytes(bytes.data, bytes.n, &made), ICICLE_INVALID_ARGUMENT, "end too early for 18446744073709551615");
  bytes.data[32] = 9;
  FAILS(icicle_fhe_array_from_bytes(bytes.data, bytes.n, &made), ICICLE_INVALID_ARGUMENT, "integers of 9 bits");
  free(bytes.data);
  /* Handles of one kind are none of another. */
  FAILS(icicle_fhe_server_key_decompress(server, NULL, &made), ICICLE_INVALID_POINTER, "compressed server key");
  FAILS(icicle_fhe_server_key_to_bytes(compressed_key, NULL, 0, &n), ICICLE_INVALID_POINTER, "server key");
  FAILS(icicle_fhe_array_decompress(a, &made), ICICLE_INVALID_POINTER, "compressed array");
  FAILS(icicle_fhe_compressed_array_to_bytes(a, NULL, 0, &n), ICICLE_INVALID_POINTER, "compressed array");
  FAILS(icicle_fhe_array_to_bytes(compressed, NULL, 0, &n), ICICLE_INVALID_POINTER, "array: encrypted array");
  FAILS(icicle_fhe_encrypt_compressed(server, ICICLE_FHE_UINT16, x, 2, &made), ICICLE_INVALID_POINTER, "client key");
  FAILS(icicle_fhe_encrypt_compressed(client, 5, x, 2, &made), ICICLE_INVALID_ARGUMENT, "kind 5");
  FAILS(icicle_fhe_encrypt_compressed(client, ICICLE_FHE_UINT16, NULL, 2, &made), ICICLE_INVALID_POINTER, "values is null");
  icicle_device_t gpu = cpu_device(0);
  strcpy(gpu.device_type, "CUDA");
  CHECK(icicle_fhe_server_key_decompress(compressed_key, &gpu, &made) != ICICLE_SUCCESS);
  OK(icicle_group_create_all(&group));
  OK(icicle_fhe_key_set_create(server, group, &set));
  FAILS(icicle_fhe_server_key_to_bytes(set, NULL, 0, &n), ICICLE_INVALID_ARGUMENT, "key is of a group, must be of one device");
  OK(icicle_group_destroy(group));
  void *arrays[] = {a, b}, *compressed_arrays[] = {compressed, compressed_again};
  void *servers[] = {server, server_again, set}, *clients[] = {client, client_again};
  void *keys[] = {compressed_key, key_again};
  for (int i = 0; i < 2; i++) {
    OK(icicle_fhe_array_free(arrays[i]));
    OK(icicle_fhe_compressed_array_free(compressed_arrays[i]));
    OK(icicle_fhe_client_key_free(clients[i]));
    OK(icicle_fhe_compressed_server_key_free(keys[i]));
  }
  for (int i = 0; i < 3; i++) OK(icicle_fhe_server_key_free(servers[i]));
  OK(icicle_fhe_set_server_key(NULL));
  puts("ok");
  return 0;
}
