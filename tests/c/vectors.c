/* The vectors of tests/vectors, shared by all languages: the files that the arguments name are run line by line, and every
 * operation that the library offers over a field or curve must have lines. */
#include "check.h"

enum { MOST_NUMBER = 1 << 14, MOST_WORDS = 10, MOST_BYTES = 1 << 17 };

static const char *const NAMES[] = {
  "vector_binary", "vector_mixed_mul", "vector_scalar", "vector_inv", "vector_reduce", "convert_montgomery",
  "bit_reverse", "slice", "highest_non_zero", "polynomial_evaluate", "polynomial_divide", "matrix_transpose",
  "matrix_multiply", "program", "ntt", "ec_ntt", "msm", "point_convert_montgomery", "point_binary", "point_scalar_mul",
  "point_unary", "point_equal",
};
enum { OPERATIONS = sizeof NAMES / sizeof *NAMES };

/* Numbers are given once and for all: what comes later may be over either. */
static bool takes_curves(int op) { return op >= ICICLE_OP_EC_NTT && op <= ICICLE_OP_POINT_EQUAL; }

/* The line: its words, and of those that are operands the memory and its bytes; room for the last one's result. */
static const char *path = NULL;
static int line_number, words;
static char line[MOST_BYTES], *word[MOST_WORDS];
static uint8_t *v[MOST_WORDS], *r;
static size_t size[MOST_WORDS];
/* The file's field or curve, bytes of its elements or coordinates, and its scalar field. */
static int32_t domain;
static bool is_curve;
static size_t bytes;
static icicle_field_info_t scalar;

static void where(void) {
  if (path) fprintf(stderr, "at %s:%d\n", path, line_number);
}

static uint8_t *room(size_t n) {
  uint8_t *memory = malloc(n);
  CHECK(memory);
  return memset(memory, 0xa5, n);
}

/* The memory that a word names, null where it is no operand. */
static uint8_t *operand(const char *text, size_t *n) {
  static const char digits[] = "0123456789abcdef";
  *n = 0;
  if (strlen(text) < 8 || strspn(text, "0123456789abcdef,") != strlen(text)) return NULL;
  uint8_t *memory = room(strlen(text));
  for (; text[0] && text[1]; text += 2) {
    if (*text == ',') text++;
    memory[(*n)++] = (uint8_t)((strchr(digits, text[0]) - digits) << 4 | (strchr(digits, text[1]) - digits));
  }
  return memory;
}

static uint64_t number(int i) {
  char *end;
  uint64_t value = strtoull(word[i], &end, 10);
  CHECK(end != word[i] && !*end);
  return value;
}

/* What was computed is what word i says. */
static void same(const void *found, int i) { CHECK(v[i] && !memcmp(found, v[i], size[i])); }
/* Whether the line is about this, with so many words; and its second word. */
static bool is(const char *name, int count) { return !strcmp(word[0], name) && words == count; }
static bool variant(const char *name) { return !strcmp(word[1], name); }

static bool affine(const char *forms, int i) {
  CHECK(forms[i] == 'a' || forms[i] == 'p');
  return forms[i] == 'a';
}

/* Elements of operand i, or its points of a form. */
static uint64_t elements(int i) { return size[i] / bytes; }
static uint64_t points(int i, bool flat) { return size[i] / ((flat ? 2 : 3) * bytes); }

static void root(void) {
  icicle_ntt_init_domain_config_t config = icicle_ntt_init_domain_config_default();
  OK(icicle_get_root_of_unity(scalar.id, number(1), r));
  same(r, 2);
  OK(icicle_ntt_release_domain(scalar.id));
  OK(icicle_ntt_init_domain(scalar.id, r, &config));
}

/* `ntt` and `ec_ntt`; options differ by the size of a scalar. */
static void transform(void) {
  static const char *const orderings[] = {"nn", "nr", "rn", "rr"};
  int direction = variant("inverse"), ordering = 0;
  while (ordering < 4 && strcmp(word[2], orderings[ordering])) ordering++;
  CHECK(words == 6 && (direction || variant("forward")) && ordering < 4 && size[3] == scalar.bytes);
  int64_t n = (int64_t)(is_curve ? points(4, false) : elements(4));
#define TRANSFORM(LIMBS) \
  case LIMBS: { \
    icicle_ntt_config_##LIMBS##_t config = icicle_ntt_config_##LIMBS##_default(); \
    config.ordering = ordering; \
    memcpy(config.coset_gen, v[3], sizeof config.coset_gen); \
    OK((is_curve ? icicle_ecntt : icicle_ntt)(domain, v[4], n, direction, &config, r)); \
    break; \
  }
  switch (scalar.bytes / 4) {
    TRANSFORM(1)
    TRANSFORM(2)
    TRANSFORM(8)
    TRANSFORM(12)
    default: CHECK(!"options of this size");
  }
}

static void program(const icicle_vec_ops_config_t *config) {
  bool exchange = is("program", 7) && variant("exchange"), eq = is("program", 7) && variant("eq_times_ab_minus_c");
  CHECK(exchange || eq || (is("program", 6) && variant("ab_minus_c")));
  icicle_handle_t made, value, divisor;
  if (exchange) { /* y, x and (x·y - k)/(x + z) + z */
    icicle_handle_t x = icicle_create_input_symbol(domain, 0), y = icicle_create_input_symbol(domain, 1);
    icicle_handle_t z = icicle_create_input_symbol(domain, 2), k = icicle_create_scalar_symbol(domain, v[2]);
    OK(icicle_multiply_symbols(domain, x, y, &value));
    OK(icicle_sub_symbols(domain, value, k, &value));
    OK(icicle_add_symbols(domain, x, z, &divisor));
    OK(icicle_inverse_symbol(domain, divisor, &divisor));
    OK(icicle_multiply_symbols(domain, value, divisor, &value));
    OK(icicle_add_symbols(domain, value, z, &value));
    icicle_handle_t parameters[] = {y, x, value};
    OK(icicle_generate_program(domain, parameters, 3, &made));
    memcpy(r, v[5], size[5]);
    uint8_t *x_out = memcpy(room(size[3]), v[3], size[3]), *y_out = memcpy(room(size[4]), v[4], size[4]);
    void *data[] = {x_out, y_out, r};
    OK(icicle_execute_program(domain, data, 3, made, elements(3), config));
    same(x_out, 4), same(y_out, 3), free(x_out), free(y_out);
  } else {
    void *data[] = {v[2], v[3], v[4], eq ? v[5] : r, r};
    made = icicle_create_predefined_program(domain, eq);
    OK(icicle_execute_program(domain, data, eq ? 5 : 4, made, elements(2), config));
  }
  OK(delete_program(made));
}

static void on_field(void) {
  typedef icicle_error_t (*call)(
    int32_t, const void *, const void *, uint64_t, const icicle_vec_ops_config_t *, void *);
  static const char *const names[] = {"add", "sub", "mul", "div"};
  static const call of_vectors[] = {icicle_vector_add, icicle_vector_sub, icicle_vector_mul, icicle_vector_div};
  static const call of_scalars[] = {icicle_scalar_add_vec, icicle_scalar_sub_vec, icicle_scalar_mul_vec, NULL};
  icicle_vec_ops_config_t config = icicle_vec_ops_config_default();
  int i = 0;
  if (is("vector_binary", 5) || is("vector_scalar", 5)) {
    while (i < 3 && !variant(names[i])) i++;
    call binary = (is("vector_binary", 5) ? of_vectors : of_scalars)[i];
    CHECK(variant(names[i]) && binary);
    OK(binary(domain, v[2], v[3], elements(3), &config, r));
  } else if (is("vector_mixed_mul", 4)) {
    OK(icicle_vector_mixed_mul(domain, v[1], v[2], elements(1), &config, r));
  } else if (is("vector_inv", 3) || is("bit_reverse", 3)) {
    OK((is("bit_reverse", 3) ? icicle_bit_reverse : icicle_vector_inv)(domain, v[1], elements(1), &config, r));
  } else if (is("vector_reduce", 4)) {
    CHECK(variant("sum") || variant("product"));
    OK((variant("sum") ? icicle_vector_sum : icicle_vector_product)(domain, v[2], elements(2), &config, r));
  } else if (is("convert_montgomery", 3)) {
    OK(icicle_convert_montgomery(domain, v[2], elements(2), false, &config, r));
    same(r, 1);
    OK(icicle_convert_montgomery(domain, v[1], elements(1), true, &config, r));
  } else if (is("slice", 5)) {
    OK(icicle_slice(domain, v[3], number(1), number(2), elements(3), elements(4), &config, r));
  } else if (is("polynomial_evaluate", 4)) {
    OK(icicle_poly_eval(domain, v[1], elements(1), v[2], elements(2), &config, r));
  } else if (is("polynomial_divide", 5)) {
    uint8_t *q = room(size[3]);
    int64_t m = (int64_t)elements(2);
    OK(icicle_poly_division(domain, v[1], elements(1), v[2], m, &config, q, elements(3), r, elements(4)));
    same(q, 3);
    free(q);
  } else if (is("matrix_transpose", 5)) {
    OK(icicle_matrix_transpose(domain, v[3], (uint32_t)number(1), (uint32_t)number(2), &config, r));
  } else if (is("matrix_multiply", 7)) {
    icicle_matmul_config_t matmul = icicle_matmul_config_default();
    uint32_t rows = (uint32_t)number(1), inner = (uint32_t)number(2), cols = (uint32_t)number(3);
    OK(icicle_matmul(domain, v[4], rows, inner, v[5], inner, cols, &matmul, r));
  } else {
    program(&config);
  }
}

static void on_curve(void) {
  icicle_msm_config_t msm = icicle_msm_config_default();
  icicle_points_config_t config = icicle_points_config_default();
  if (is("msm", 4)) {
    OK(icicle_msm(domain, v[1], v[2], (int64_t)points(2, true), &msm, r));
  } else if (is("msm_precompute", 5)) {
    msm.precompute_factor = (int32_t)number(1), msm.c = (int32_t)number(2);
    OK(icicle_msm_precompute_bases(domain, v[3], (int64_t)points(3, true), &msm, r));
  } else if (is("point_convert_montgomery", 4)) {
    icicle_vec_ops_config_t vectors = icicle_vec_ops_config_default();
    bool flat = affine(word[1], 0);
    for (int into = 0; into < 2; into++) {
      OK((flat ? icicle_affine_convert_montgomery : icicle_projective_convert_montgomery)(
        domain, v[3 - into], points(2, flat), into, &vectors, r));
      same(r, 2 + into);
    }
  } else if (is("point_binary", 6)) {
    CHECK(variant("add") || variant("sub"));
    config.is_a_affine = affine(word[2], 0), config.is_b_affine = affine(word[2], 1);
    config.is_result_affine = affine(word[2], 2);
    uint64_t n = points(3, config.is_a_affine);
    OK((variant("add") ? icicle_points_add : icicle_points_sub)(domain, v[3], v[4], n, &config, r));
  } else if (is("point_scalar_mul", 5)) {
    config.is_b_affine = affine(word[1], 0), config.is_result_affine = affine(word[1], 1);
    OK(icicle_points_mul(domain, v[2], v[3], points(3, config.is_b_affine), &config, r));
  } else if (is("point_unary", 5)) {
    CHECK(variant("negate") || variant("normalize"));
    config.is_a_affine = affine(word[2], 0), config.is_result_affine = affine(word[2], 1);
    uint64_t n = points(3, config.is_a_affine);
    OK((variant("negate") ? icicle_points_negate : icicle_points_normalize)(domain, v[3], n, &config, r));
  } else {
    CHECK(is("point_equal", 5));
    config.is_a_affine = affine(word[1], 0), config.is_b_affine = affine(word[1], 1);
    OK(icicle_points_equal(domain, v[2], v[3], points(2, config.is_a_affine), &config, (uint32_t *)(void *)r));
  }
}

/* A field or curve of the library by place, or that of a name. */
#define AT(kind) \
  static icicle_##kind##_info_t kind##_at(uint32_t i, const char *name) { \
    icicle_##kind##_info_t info = {.struct_size = sizeof info}; \
    OK(icicle_##kind##_info(i, &info)); \
    return name && strcmp(info.name, name) ? kind##_at(i + 1, name) : info; \
  }
AT(field)
AT(curve)

static void header(void) {
  CHECK((is_curve = is("curve", 4)) || is("field", 4));
  scalar = field_at(0, word[3]), bytes = number(2);
  if (is_curve) {
    icicle_curve_info_t curve = curve_at(0, word[1]);
    CHECK(curve.affine_bytes == 2 * bytes && curve.scalar_id == scalar.id);
    domain = curve.id;
  } else {
    icicle_field_info_t field = field_at(0, word[1]);
    CHECK(field.bytes == bytes && field.scalar_id == scalar.id);
    domain = field.id;
  }
}

static bool ran[OPERATIONS][MOST_NUMBER], offered; /* by the domain's number */

/* Run a line. */
static void run(void) {
  int op = 0;
  if (is("root", 3)) {
    root();
    return;
  }
  while (op < OPERATIONS && strcmp(word[0], NAMES[op])) op++;
  if (is("msm_precompute", 5)) op = ICICLE_OP_MSM;
  CHECK(op < OPERATIONS && domain < MOST_NUMBER && is_curve == takes_curves(op));
  ran[op][domain] = true;
  if (op == ICICLE_OP_HIGHEST_NON_ZERO) {
    int64_t found = INT64_MIN;
    icicle_vec_ops_config_t config = icicle_vec_ops_config_default();
    OK(icicle_highest_non_zero_idx(domain, v[1], elements(1), &config, &found));
    CHECK(words == 3 && found == strtoll(word[2], NULL, 10));
    return;
  }
  (op == ICICLE_OP_NTT || op == ICICLE_OP_EC_NTT ? transform : is_curve ? on_curve : on_field)();
  same(r, words - 1);
}

/* An operation has run over a domain exactly if the library offers it; whether it has. */
static int covered(int op, int32_t number, const char *name) {
  OK(icicle_supports(op, number, &offered));
  if (offered != ran[op][number])
    fprintf(stderr, "%s over %s: %s\n", NAMES[op], name, offered ? "has no vectors" : "is not offered"), exit(1);
  return offered;
}


int main(int argc, char **argv) {
  int pairs = 0;
  icicle_device_t cpu = cpu_device(0);
  CHECK(!icicle_set_device(&cpu) && !atexit(where));
  for (int file_number = 1; file_number < argc; file_number++) {
    FILE *file = fopen(path = argv[file_number], "r");
    CHECK(file);
    domain = 0;
    for (line_number = 1; fgets(line, sizeof line, file); line_number++) {
      CHECK(strchr(line, '\n'));
      if (*line == '#') continue;
      for (char *next = strtok(line, " \n"); next; next = strtok(NULL, " \n")) {
        CHECK(words < MOST_WORDS);
        v[words] = operand(next, &size[words]), word[words] = next, words++;
      }
      r = room(words ? size[words - 1] + 1 : 1);
      (domain ? run : header)();
      for (free(r); words; words--) free(v[words - 1]);
    }
    fclose(file);
  }
  path = NULL;
  for (int op = 0; op < OPERATIONS; op++)
    for (uint32_t i = 0; i < (takes_curves(op) ? icicle_curve_count() : icicle_field_count()); i++)
      pairs += takes_curves(op) ? covered(op, curve_at(i, NULL).id, curve_at(i, NULL).name)
                                : covered(op, field_at(i, NULL).id, field_at(i, NULL).name);
  FAILS(icicle_supports(OPERATIONS, ICICLE_FIELD_BABYBEAR, &offered), ICICLE_INVALID_ARGUMENT, "must be an icicle_op_t");
  printf("%d pairs of operation and domain\n", pairs);
  return 0;
}
