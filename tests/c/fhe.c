/* Encrypted integers: every function, against C's own arithmetic, and what is refused. */
#include "check.h"

static void *client, *server;

static icicle_fhe_operand_t encrypted(void *array) {
  icicle_fhe_operand_t operand = {array, NULL, 0, 0};
  return operand;
}

static icicle_fhe_operand_t clear(const uint8_t *values, size_t n) {
  icicle_fhe_operand_t operand = {NULL, values, n, ICICLE_FHE_UINT8};
  return operand;
}

/* Decrypt two integers or truth values, compare, and free. */
static void holds(void *array, int32_t kind, uint8_t a, uint8_t b) {
  int32_t found;
  size_t n;
  uint8_t values[2] = {0xaa, 0xaa};
  OK(icicle_fhe_array_info(array, &found, &n));
  CHECK(found == kind && n == 2);
  OK(icicle_fhe_decrypt(client, array, values, 2));
  if (values[0] != a || values[1] != b) fprintf(stderr, "got %d %d, expected %d %d\n", values[0], values[1], a, b);
  CHECK(values[0] == a && values[1] == b);
  OK(icicle_fhe_array_free(array));
}

static const uint8_t X[2] = {200, 7}, Y[2] = {100, 9};

/* What an operation gives for a pair. */
static uint8_t expected(int32_t op, uint8_t x, uint8_t y) {
  const int by = y % 8;
  switch (op) {
    case ICICLE_FHE_ADD: return (uint8_t)(x + y);
    case ICICLE_FHE_SUB: return (uint8_t)(x - y);
    case ICICLE_FHE_MUL: return (uint8_t)(x * y);
    case ICICLE_FHE_MIN: return x < y ? x : y;
    case ICICLE_FHE_MAX: return x < y ? y : x;
    case ICICLE_FHE_BITAND: return x & y;
    case ICICLE_FHE_BITOR: return x | y;
    case ICICLE_FHE_BITXOR: return x ^ y;
    case ICICLE_FHE_SHL: return (uint8_t)(x << by);
    case ICICLE_FHE_SHR: return (uint8_t)(x >> by);
    case ICICLE_FHE_ROTATE_LEFT: return (uint8_t)(x << by | x >> (8 - by) % 8);
    case ICICLE_FHE_ROTATE_RIGHT: return (uint8_t)(x >> by | x << (8 - by) % 8);
    case ICICLE_FHE_EQ: return x == y;
    case ICICLE_FHE_NE: return x != y;
    case ICICLE_FHE_LT: return x < y;
    case ICICLE_FHE_LE: return x <= y;
    case ICICLE_FHE_GT: return x > y;
    case ICICLE_FHE_GE: return x >= y;
    default: CHECK(!"an operation that this test does not know"); return 0;
  }
}

static void operations(void *x, void *y) {
  void *made, *flags;
  int ops = 0;
  for (int32_t op = 0; icicle_fhe_binary_op_name(op); op++, ops++) {
    const int32_t kind = op >= ICICLE_FHE_EQ ? ICICLE_FHE_BOOL : ICICLE_FHE_UINT8;
    OK(icicle_fhe_binary(op, encrypted(x), encrypted(y), &made));
    holds(made, kind, expected(op, X[0], Y[0]), expected(op, X[1], Y[1]));
    OK(icicle_fhe_binary(op, encrypted(x), clear(Y, 1), &made)); /* one for all */
    holds(made, kind, expected(op, X[0], Y[0]), expected(op, X[1], Y[0]));
  }
  CHECK(ops == 18 && !strcmp(icicle_fhe_binary_op_name(ICICLE_FHE_ROTATE_LEFT), "rotate_left") && !icicle_fhe_binary_op_name(-1));
  OK(icicle_fhe_binary(ICICLE_FHE_SUB, clear(X, 2), encrypted(y), &made));
  holds(made, ICICLE_FHE_UINT8, 100, 254);
  CHECK(!strcmp(icicle_fhe_unary_op_name(ICICLE_FHE_NOT), "not") && !icicle_fhe_unary_op_name(3));
  OK(icicle_fhe_unary(ICICLE_FHE_NOT, x, &made));
  holds(made, ICICLE_FHE_UINT8, 55, 248);
  OK(icicle_fhe_unary(ICICLE_FHE_NEG, x, &made));
  holds(made, ICICLE_FHE_UINT8, 56, 249);
  OK(icicle_fhe_unary(ICICLE_FHE_SUM, x, &made));
  void *twice;
  OK(icicle_fhe_repeat(made, 2, &twice));
  holds(twice, ICICLE_FHE_UINT8, 207, 207);
  OK(icicle_fhe_array_free(made));
  CHECK(!strcmp(icicle_fhe_overflow_op_name(ICICLE_FHE_OVERFLOWING_SUB), "overflowing_sub"));
  OK(icicle_fhe_overflowing(ICICLE_FHE_OVERFLOWING_ADD, encrypted(x), encrypted(y), &made, &flags));
  holds(made, ICICLE_FHE_UINT8, 44, 16);
  holds(flags, ICICLE_FHE_BOOL, 1, 0);
  OK(icicle_fhe_overflowing(ICICLE_FHE_OVERFLOWING_SUB, encrypted(x), clear(Y, 2), &made, &flags));
  holds(made, ICICLE_FHE_UINT8, 100, 254);
  /* Of truth values. */
  void *chosen, *count, *wide;
  OK(icicle_fhe_select(flags, encrypted(x), clear(Y, 2), &chosen));
  holds(chosen, ICICLE_FHE_UINT8, 100, 7);
  OK(icicle_fhe_count(flags, ICICLE_FHE_UINT16, &count));
  uint16_t held = 9;
  OK(icicle_fhe_decrypt(client, count, &held, 1));
  CHECK(held == 1);
  OK(icicle_fhe_cast(count, ICICLE_FHE_UINT64, &wide));
  uint64_t same = 9;
  OK(icicle_fhe_decrypt(client, wide, &same, 1));
  CHECK(same == 1);
  OK(icicle_fhe_array_free(count));
  OK(icicle_fhe_array_free(wide));
  OK(icicle_fhe_unary(ICICLE_FHE_NOT, flags, &made));
  holds(made, ICICLE_FHE_BOOL, 1, 0);
  OK(icicle_fhe_binary(ICICLE_FHE_BITOR, encrypted(flags), encrypted(flags), &made));
  holds(made, ICICLE_FHE_BOOL, 0, 1);
  OK(icicle_fhe_cast(flags, ICICLE_FHE_UINT8, &made));
  holds(made, ICICLE_FHE_UINT8, 0, 1);
  FAILS(icicle_fhe_binary(ICICLE_FHE_ADD, encrypted(flags), encrypted(flags), &made), ICICLE_INVALID_ARGUMENT,
        "x and y hold truth values, must hold integers");
  FAILS(icicle_fhe_binary(ICICLE_FHE_ADD, encrypted(flags), encrypted(x), &made), ICICLE_INVALID_ARGUMENT,
        "fhe_add: x holds truth values, must hold integers");
  FAILS(icicle_fhe_select(x, encrypted(x), encrypted(y), &made), ICICLE_INVALID_ARGUMENT, "condition holds integers");
  FAILS(icicle_fhe_count(x, ICICLE_FHE_UINT8, &made), ICICLE_INVALID_ARGUMENT, "x holds integers");
  holds(flags, ICICLE_FHE_BOOL, 0, 1);
}

static void refusals(void *x) {
  void *made = &made, *const before = made;
  uint64_t wide[2] = {1, 2};
  const icicle_fhe_operand_t other = {NULL, wide, 2, ICICLE_FHE_UINT64}, none = {NULL, wide, 2, 9};
  FAILS(icicle_fhe_binary(ICICLE_FHE_ADD, encrypted(x), other, &made), ICICLE_INVALID_ARGUMENT,
        "y has integers of 64 bits, x of 8: must be the same");
  FAILS(icicle_fhe_binary(ICICLE_FHE_ADD, encrypted(x), none, &made), ICICLE_INVALID_ARGUMENT, "kind 9");
  FAILS(icicle_fhe_binary(99, encrypted(x), encrypted(x), &made), ICICLE_INVALID_ARGUMENT, "op 99: must be an icicle_fhe_binary_op_t");
  FAILS(icicle_fhe_unary(-1, x, &made), ICICLE_INVALID_ARGUMENT, "op -1: must be an icicle_fhe_unary_op_t");
  FAILS(icicle_fhe_binary(ICICLE_FHE_ADD, clear(X, 2), clear(Y, 2), &made), ICICLE_INVALID_ARGUMENT, "x and y are clear");
  FAILS(icicle_fhe_binary(ICICLE_FHE_SHL, clear(X, 2), encrypted(x), &made), ICICLE_INVALID_ARGUMENT, "x is clear");
  FAILS(icicle_fhe_binary(ICICLE_FHE_ADD, encrypted(x), clear(NULL, 2), &made), ICICLE_INVALID_POINTER, "y is null");
  FAILS(icicle_fhe_binary(ICICLE_FHE_ADD, encrypted(client), encrypted(x), &made), ICICLE_INVALID_POINTER, "x: encrypted array");
  FAILS(icicle_fhe_binary(ICICLE_FHE_ADD, encrypted(x), encrypted(x), NULL), ICICLE_INVALID_POINTER, "made is null");
  FAILS(icicle_fhe_encrypt(client, 7, X, 2, &made), ICICLE_INVALID_ARGUMENT, "kind 7");
  FAILS(icicle_fhe_encrypt(server, ICICLE_FHE_UINT8, X, 2, &made), ICICLE_INVALID_POINTER, "client key");
  FAILS(icicle_fhe_decrypt(client, x, wide, 3), ICICLE_INVALID_ARGUMENT, "n is 3, must be the array's length, 2");
  FAILS(icicle_fhe_decrypt(client, x, NULL, 2), ICICLE_INVALID_POINTER, "values is null");
  FAILS(icicle_fhe_slice(x, 1, 3, &made), ICICLE_INVALID_ARGUMENT, "range is 1..3, must lie within 0..2");
  FAILS(icicle_fhe_repeat(x, SIZE_MAX, &made), ICICLE_OUT_OF_MEMORY, "fhe_repeat");
  void *arrays[2] = {x, server};
  FAILS(icicle_fhe_concatenate(arrays, 2, &made), ICICLE_INVALID_POINTER, "arrays[1]");
  FAILS(icicle_fhe_concatenate(arrays, 0, &made), ICICLE_INVALID_ARGUMENT, "count");
  FAILS(icicle_fhe_array_free(server), ICICLE_INVALID_POINTER, "encrypted array");
  FAILS(icicle_fhe_set_server_key(client), ICICLE_INVALID_POINTER, "server key");
  const icicle_device_t gone = cpu_device(1000);
  FAILS(icicle_fhe_server_key_generate(client, &gone, &made), ICICLE_INVALID_DEVICE, "fhe_server_key");
  CHECK(made == before);
}

/* Bytes of memory that are in use on a device. */
static uint64_t used(const icicle_device_t *device) {
  icicle_memory_stats_t stats;
  memset(&stats, 0, sizeof stats);
  stats.struct_size = sizeof stats;
  OK(icicle_memory_stats(device, &stats));
  return stats.used;
}

/* Keys and results on a GPU where there is one, else on the CPU. */
static void on_a_device(void *x, void *y) {
  icicle_device_t devices[2] = {cpu_device(0), cpu_device(0)};
  strcpy(devices[0].device_type, "CUDA");
  const int gpu = icicle_is_device_available(&devices[0]) == ICICLE_SUCCESS;
  icicle_error_take(NULL, 0);
  if (!gpu) devices[0] = devices[1];
  void *compressed, *key, *group, *set, *sum, *less, *made;
  OK(icicle_fhe_compressed_server_key_generate(client, &compressed));
  OK(icicle_fhe_server_key_decompress(compressed, &devices[0], &key));
  OK(icicle_fhe_compressed_server_key_free(compressed));
  OK(icicle_fhe_set_server_key(key));
  const uint64_t before = used(&devices[0]);
  OK(icicle_fhe_binary(ICICLE_FHE_ADD, encrypted(x), encrypted(y), &sum));
  const uint64_t after = used(&devices[0]);
  CHECK(!gpu || after - before == 2 * 4 * 2049 * 8); /* where the key is: two integers of four blocks */
  OK(icicle_fhe_binary(ICICLE_FHE_LT, encrypted(x), encrypted(sum), &less));
  OK(icicle_fhe_select(less, encrypted(x), encrypted(sum), &made));
  holds(made, ICICLE_FHE_UINT8, 44, 7);
  OK(icicle_fhe_array_free(less));
  /* Parts of it have its memory. */
  void *parts[2], *twice;
  OK(icicle_fhe_slice(sum, 1, 2, &parts[0]));
  OK(icicle_fhe_slice(sum, 0, 1, &parts[1]));
  OK(icicle_fhe_concatenate(parts, 2, &made));
  OK(icicle_fhe_repeat(parts[0], 2, &twice));
  CHECK(used(&devices[0]) == after);
  OK(icicle_fhe_array_free(parts[0]));
  OK(icicle_fhe_array_free(parts[1]));
  holds(made, ICICLE_FHE_UINT8, 16, 44);
  holds(twice, ICICLE_FHE_UINT8, 16, 16);
  size_t n;
  OK(icicle_fhe_array_to_bytes(sum, NULL, 0, &n));
  void *bytes = malloc(n);
  CHECK(bytes);
  OK(icicle_fhe_array_to_bytes(sum, bytes, n, NULL));
  OK(icicle_fhe_array_from_bytes(bytes, n, &made));
  holds(made, ICICLE_FHE_UINT8, 44, 16);
  free(bytes);
  OK(icicle_fhe_server_key_to_bytes(key, NULL, 0, &n));
  CHECK((bytes = malloc(n)) != NULL);
  if (gpu) FAILS(icicle_fhe_server_key_to_bytes(key, bytes, n, NULL), ICICLE_API_NOT_IMPLEMENTED, "keeps a part of it only");
  else OK(icicle_fhe_server_key_to_bytes(key, bytes, n, NULL));
  free(bytes);
  /* Over both, from the CPU's key; what lies on one is an operand for both, and for the CPU. */
  const double shares[2] = {1, 1};
  OK(icicle_group_create(devices, gpu ? 2 : 1, shares, &group));
  if (gpu) FAILS(icicle_fhe_key_set_create(key, group, &set), ICICLE_API_NOT_IMPLEMENTED, "keeps a part of it only");
  OK(icicle_fhe_key_set_create(server, group, &set));
  for (int turn = 0; turn < 2; turn++) {
    OK(icicle_fhe_set_server_key(turn ? set : server));
    OK(icicle_fhe_binary(ICICLE_FHE_ADD, encrypted(sum), encrypted(y), &made));
    holds(made, ICICLE_FHE_UINT8, 144, 25);
  }
  OK(icicle_fhe_server_key_free(set));
  OK(icicle_fhe_server_key_free(key));
  OK(icicle_group_destroy(group));
  OK(icicle_fhe_array_free(sum));
  OK(icicle_fhe_set_server_key(server));
}

int main(void) {
  void *x, *y, *made, *none, *key;
  OK(icicle_fhe_client_key_generate(&client));
  OK(icicle_fhe_server_key_generate(client, NULL, &server));
  OK(icicle_fhe_encrypt(client, ICICLE_FHE_UINT8, X, 2, &x));
  OK(icicle_fhe_encrypt(client, ICICLE_FHE_UINT8, Y, 2, &y));
  OK(icicle_fhe_encrypt(client, ICICLE_FHE_UINT64, NULL, 0, &none));
  FAILS(icicle_fhe_binary(ICICLE_FHE_ADD, encrypted(x), encrypted(y), &made), ICICLE_INVALID_ARGUMENT, "no server key");
  OK(icicle_fhe_server_key(&key));
  CHECK(!key);
  OK(icicle_fhe_set_server_key(server));
  OK(icicle_fhe_server_key(&key));
  CHECK(key);
  OK(icicle_fhe_server_key_free(key));
  CHECK(!strcmp(icicle_fhe_type_name(ICICLE_FHE_UINT16), "uint16") && !icicle_fhe_type_name(5));
  OK(icicle_fhe_decrypt(client, none, NULL, 0));
  operations(x, y);
  refusals(x);
  on_a_device(x, y);
  /* Parts of arrays. */
  void *part, *both;
  OK(icicle_fhe_slice(x, 1, 2, &part));
  OK(icicle_fhe_slice(y, 0, 1, &made));
  void *arrays[2] = {part, made};
  OK(icicle_fhe_concatenate(arrays, 2, &both));
  OK(icicle_fhe_array_free(part));
  OK(icicle_fhe_array_free(made));
  holds(both, ICICLE_FHE_UINT8, 7, 100);
  OK(icicle_fhe_trivial(ICICLE_FHE_UINT8, X, 2, &made));
  holds(made, ICICLE_FHE_UINT8, 200, 7);
  const uint8_t flags[2] = {0, 255};
  OK(icicle_fhe_encrypt(client, ICICLE_FHE_BOOL, flags, 2, &made));
  holds(made, ICICLE_FHE_BOOL, 0, 1);
  /* Over a group; the thread keeps the key, and the key the group. */
  void *group, *set;
  OK(icicle_group_create_all(&group));
  OK(icicle_fhe_key_set_create(server, group, &set));
  FAILS(icicle_fhe_key_set_create(set, group, &made), ICICLE_INVALID_ARGUMENT, "key is of a group");
  OK(icicle_fhe_set_server_key(set));
  OK(icicle_fhe_server_key_free(set));
  OK(icicle_fhe_server_key_free(server));
  OK(icicle_group_destroy(group));
  OK(icicle_fhe_binary(ICICLE_FHE_ADD, encrypted(x), encrypted(y), &made));
  holds(made, ICICLE_FHE_UINT8, 44, 16);
  OK(icicle_fhe_set_server_key(NULL));
  FAILS(icicle_fhe_unary(ICICLE_FHE_NEG, x, &made), ICICLE_INVALID_ARGUMENT, "no server key");
  OK(icicle_fhe_array_free(x));
  FAILS(icicle_fhe_array_free(x), ICICLE_INVALID_POINTER, "freed already");
  OK(icicle_fhe_array_free(y));
  OK(icicle_fhe_array_free(none));
  OK(icicle_fhe_array_free(NULL));
  OK(icicle_fhe_client_key_free(client));
  FAILS(icicle_fhe_client_key_free(client), ICICLE_INVALID_POINTER, "freed already");
  OK(icicle_fhe_client_key_free(NULL));
  OK(icicle_fhe_server_key_free(NULL));
  puts("ok");
  return 0;
}
