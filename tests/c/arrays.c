/* Arrays of numbers against what NumPy gave, and random ones against other libraries: the files that the arguments name, of
 * core/array/tests, are run line by line, with operands that are dense and that lie backwards with gaps. A line is `operation name=value... array... -> array`,
 * an array `dtype:extents:bytes in hexadecimal`. */
#include "check.h"
#include <math.h>

enum { MOST_RANK = 8, MOST_WORDS = 8, UNARY = 64, BINARY = 64 };

/* Operations of the core that this interface does not offer. */
static const char *const ABSENT[] = {"quantiles", "tile", "repeat", "tril", "triu", "index", "assign_mask", "assign_at", "isin"};

typedef struct {
  int32_t dtype, rank;
  int64_t shape[MOST_RANK], size;
  uint8_t *bytes;
} values;

static const char *path = "";
static int line_number;
static int random_lines;
static bool seen_unary[UNARY], seen_binary[BINARY];

static void where(void) {
  if (path) fprintf(stderr, "at %s:%d\n", path, line_number);
}

static uint8_t *room(size_t n) {
  uint8_t *memory = malloc(n ? n : 1);
  CHECK(memory);
  return memory;
}

static int32_t dtype_by_name(const char *name) {
  for (int32_t d = 0; icicle_dtype_name(d); d++)
    if (!strcmp(icicle_dtype_name(d), name)) return d;
  return -1;
}

/* Integers between commas; how many. */
static int32_t numbers(const char *text, int64_t *list) {
  int32_t n = 0;
  while (*text) {
    char *end;
    CHECK(n < MOST_RANK);
    list[n++] = strtoll(text, &end, 10);
    CHECK(end != text);
    text = *end ? end + 1 : end;
  }
  return n;
}

static values parse(char *word) {
  static const char digits[] = "0123456789abcdef";
  values v = {0};
  char *shape = strchr(word, ':'), *hex = shape ? strchr(shape + 1, ':') : NULL;
  CHECK(hex);
  *shape++ = *hex++ = 0;
  v.dtype = dtype_by_name(word);
  v.rank = numbers(shape, v.shape);
  v.size = 1;
  for (int k = 0; k < v.rank; k++) v.size *= v.shape[k];
  const size_t n = (size_t)v.size * icicle_dtype_bytes(v.dtype);
  CHECK(v.dtype >= 0 && strlen(hex) == 2 * n);
  v.bytes = room(n);
  for (size_t i = 0; i < n; i++)
    v.bytes[i] = (uint8_t)((strchr(digits, hex[2 * i]) - digits) << 4 | (strchr(digits, hex[2 * i + 1]) - digits));
  return v;
}

/* An array of these values: of dense memory, or of memory where every axis runs backwards and every second element counts. */
static void *array_of(const values *v, bool strided) {
  void *made;
  if (!strided || !v->size) {
    OK(icicle_array_from_host(v->dtype, v->bytes, v->shape, v->rank, NULL, NULL, &made));
    return made;
  }
  const size_t bytes = icicle_dtype_bytes(v->dtype);
  const int64_t last = v->size - 1;
  uint8_t *wide = room((size_t)(2 * last + 1) * bytes);
  memset(wide, 0x55, (size_t)(2 * last + 1) * bytes);
  for (int64_t i = 0; i <= last; i++) memcpy(wide + (size_t)(2 * (last - i)) * bytes, v->bytes + (size_t)i * bytes, bytes);
  int64_t strides[MOST_RANK], step = -2 * (int64_t)bytes;
  for (int k = v->rank; k-- > 0; step *= v->shape[k]) strides[k] = step;
  const icicle_device_t device = cpu_device(0);
  OK(icicle_array_from_host(v->dtype, wide + (size_t)(2 * last) * bytes, v->shape, v->rank, strides, &device, &made));
  free(wide);
  return made;
}

/* The elements as complex numbers of doubles, whatever they are. */
static double *doubles(void *array, size_t n) {
  void *wide;
  double *out = (double *)room(2 * n * sizeof(double));
  OK(icicle_array_astype(array, ICICLE_DTYPE_COMPLEX128, &wide));
  OK(icicle_array_to_host(wide, out, 2 * n * sizeof(double)));
  OK(icicle_array_free(wide));
  return out;
}

/* How much a result may differ relative to the number: some units of the dtype's precision. How many each operation may,
 * the core's own tests hold. */
static double tolerance(int32_t dtype) {
  switch (dtype) {
    case ICICLE_DTYPE_FLOAT16: return 4 * 0x1p-10;
    case ICICLE_DTYPE_BFLOAT16: return 4 * 0x1p-7;
    case ICICLE_DTYPE_FLOAT32: case ICICLE_DTYPE_COMPLEX64: return 16 * 0x1p-23;
    case ICICLE_DTYPE_FLOAT64: case ICICLE_DTYPE_COMPLEX128: return 64 * 0x1p-52;
    default: return 0;
  }
}


static void compare(void *got, const values *want, bool exact) {
  icicle_array_info_t info;
  int64_t shape[MOST_RANK];
  info.struct_size = sizeof info;
  OK(icicle_array_info(got, &info));
  CHECK(info.dtype == want->dtype && info.rank == want->rank && info.size == want->size);
  OK(icicle_array_shape(got, info.rank, shape, NULL));
  for (int k = 0; k < info.rank; k++) CHECK(shape[k] == want->shape[k]);
  const size_t n = (size_t)info.size, bytes = n * icicle_dtype_bytes(info.dtype);
  const double relative = exact ? 0 : tolerance(info.dtype);
  if (relative == 0) {
    uint8_t *host = room(bytes);
    OK(icicle_array_to_host(got, host, bytes));
    CHECK(!memcmp(host, want->bytes, bytes));
    free(host);
    return;
  }
  void *expected = array_of(want, false);
  double *a = doubles(got, n), *b = doubles(expected, n);
  for (size_t i = 0; i < n; i++) {
    const double size = fmax(hypot(b[2 * i], b[2 * i + 1]), info.dtype >= ICICLE_DTYPE_COMPLEX64 ? 1 : 1e-300);
    for (size_t j = 2 * i; j < 2 * i + 2; j++)
      CHECK((isnan(a[j]) && isnan(b[j])) || a[j] == b[j] || (isfinite(size) && fabs(a[j] - b[j]) <= relative * size));
  }
  free(a), free(b);
  OK(icicle_array_free(expected));
}

typedef struct {
  char *op, *name[MOST_WORDS], *value[MOST_WORDS];
  int arguments, operands;
  values operand[MOST_WORDS], result;
} test_case;

static const char *argument(const test_case *c, const char *name) {
  for (int i = 0; i < c->arguments; i++)
    if (!strcmp(c->name[i], name)) return c->value[i];
  return NULL;
}

static icicle_error_t reduce(const test_case *c, void *x, const int32_t *axes, int32_t n, bool keep, void **made) {
  const int32_t none = ICICLE_DTYPE_DEFAULT;
  const char *initial = argument(c, "initial");
  const bool begins = initial && *initial == '1';
#define IS(text) if (!strcmp(c->op, text))
  IS("sum") return icicle_array_sum(x, axes, n, keep, none, made);
  IS("prod") return icicle_array_prod(x, axes, n, keep, none, made);
  IS("min") return icicle_array_min(x, axes, n, keep, made);
  IS("max") return icicle_array_max(x, axes, n, keep, made);
  IS("mean") return icicle_array_mean(x, axes, n, keep, made);
  IS("var") return icicle_array_var(x, axes, n, 0, keep, made);
  IS("std") return icicle_array_std(x, axes, n, 0, keep, made);
  IS("all") return icicle_array_all(x, axes, n, keep, made);
  IS("any") return icicle_array_any(x, axes, n, keep, made);
  IS("count_nonzero") return icicle_array_count_nonzero(x, axes, n, keep, made);
  IS("argmin") return icicle_array_argmin(x, n ? axes : NULL, keep, made);
  IS("argmax") return icicle_array_argmax(x, n ? axes : NULL, keep, made);
  IS("cumulative_sum") return icicle_array_cumulative_sum(x, n ? axes : NULL, none, begins, made);
  IS("cumulative_prod") return icicle_array_cumulative_prod(x, n ? axes : NULL, none, begins, made);
  return -1;
}

/* Run the line's operation; false if this interface does not offer it. */
static bool apply(const test_case *c, void **of, void **made) {
  int64_t list[MOST_RANK], other[MOST_RANK];
  int32_t axes[MOST_RANK], places[MOST_RANK], n = 0;
  const char *axis = argument(c, "axis"), *flag = argument(c, "descending");
  const bool descending = flag && *flag == '1';
  if (axis) n = numbers(axis, list);
  for (int k = 0; k < n; k++) axes[k] = (int32_t)list[k];
  for (size_t i = 0; i < sizeof ABSENT / sizeof *ABSENT; i++) IS(ABSENT[i]) return false;
  for (int32_t op = 0; icicle_unary_op_name(op); op++)
    IS(icicle_unary_op_name(op)) {
      CHECK(op < UNARY);
      seen_unary[op] = true;
      OK(icicle_array_unary(op, of[0], made));
      return true;
    }
  for (int32_t op = 0; icicle_binary_op_name(op); op++)
    IS(icicle_binary_op_name(op)) {
      CHECK(op < BINARY);
      seen_binary[op] = true;
      OK(icicle_array_binary(op, of[0], of[1], made));
      return true;
    }
  icicle_error_t code = reduce(c, of[0], axis ? axes : NULL, n, false, made);
  if (code == -1) {
    IS("where") code = icicle_array_where(of[0], of[1], of[2], made);
    IS("astype") code = icicle_array_astype(of[0], dtype_by_name(argument(c, "dtype")), made);
    IS("concat") code = icicle_array_concat(of, c->operands, axis ? axes : NULL, made);
    IS("stack") code = icicle_array_stack(of, c->operands, axes[0], made);
    IS("flip") code = icicle_array_flip(of[0], axis ? axes : NULL, n, made);
    IS("roll") {
      const int32_t shifts = numbers(argument(c, "shift"), other);
      CHECK(!axis || shifts == n);
      code = icicle_array_roll(of[0], other, axis ? axes : NULL, shifts, made);
    }
    IS("moveaxis") {
      CHECK(numbers(argument(c, "source"), other) == n);
      for (int k = 0; k < n; k++) places[k] = (int32_t)other[k];
      code = icicle_array_moveaxis(of[0], places, axes, n, made);
    }
    IS("take") code = icicle_array_take(of[0], of[1], axes[0], made);
    IS("take_along_axis") code = icicle_array_take_along_axis(of[0], of[1], axes[0], made);
    IS("mask") code = icicle_array_compress(of[0], of[1], made);
    IS("nonzero") {
      void *found[MOST_RANK];
      OK(icicle_array_nonzero(of[0], found, c->operand[0].rank));
      for (int k = 0; k < c->operand[0].rank; k++)
        if (k == axes[0]) *made = found[k];
        else OK(icicle_array_free(found[k]));
      code = ICICLE_SUCCESS;
    }
    IS("sort") code = icicle_array_sort(of[0], axes[0], descending, made);
    IS("argsort") code = icicle_array_argsort(of[0], axes[0], descending, made);
    IS("searchsorted") code = icicle_array_searchsorted(of[0], of[1], *argument(c, "right") == '1', made);
    IS("unique") {
      if (strcmp(argument(c, "part"), "values")) return false;
      code = icicle_array_unique_values(of[0], made);
    }
    IS("matmul") code = icicle_array_matmul(of[0], of[1], made);
    IS("vecdot") code = icicle_array_vecdot(of[0], of[1], axes[0], made);
    IS("tensordot") {
      n = numbers(argument(c, "x"), list);
      CHECK(numbers(argument(c, "y"), other) == n);
      for (int k = 0; k < n; k++) axes[k] = (int32_t)list[k], places[k] = (int32_t)other[k];
      code = icicle_array_tensordot(of[0], of[1], axes, places, n, made);
    }
  }
  OK(code);
  return true;
}

/* A bound of integers. */
static icicle_scalar_t bound(const char *text) {
  icicle_scalar_t value = {0};
  value.kind = *text == '-' ? ICICLE_SCALAR_INT : ICICLE_SCALAR_UINT;
  value.integer = *text == '-' ? strtoll(text, NULL, 10) : (int64_t)strtoull(text, NULL, 10);
  return value;
}

/* Draw the line's random numbers, which are functions of one key; false if the line is of no function that does. */
static bool drawn(const test_case *c, void **made) {
  const values *want = &c->result;
  const icicle_random_key_t key = icicle_random_key(0x0123456789abcdef);
  const char *low = argument(c, "low"), *high = argument(c, "high"), *i = argument(c, "i"), *p = argument(c, "p");
  icicle_error_t code = -1;
  IS("bits") code = icicle_random_bits(key, want->dtype, want->shape, want->rank, NULL, made);
  IS("normal") code = icicle_random_normal(key, want->dtype, want->shape, want->rank, NULL, made);
  IS("uniform")
    code = icicle_random_uniform(key, atof(low), atof(high), want->dtype, want->shape, want->rank, NULL, made);
  IS("bernoulli") code = icicle_random_bernoulli(key, atof(p), want->shape, want->rank, NULL, made);
  IS("permutation") code = icicle_random_permutation(key, want->shape[0], NULL, made);
  IS("integers") {
    /* One more than a scalar holds. */
    if (!strcmp(high, "18446744073709551616"))
      code = icicle_random_bits(key, want->dtype, want->shape, want->rank, NULL, made);
    else
      code = icicle_random_integers(key, bound(low), bound(high), want->dtype, want->shape, want->rank, NULL, made);
  }
  IS("split") {
    const int64_t n = strtoll(i, NULL, 10) + 1;
    icicle_random_key_t *keys = (icicle_random_key_t *)room((size_t)n * sizeof *keys);
    OK(icicle_random_split(key, keys, n));
    code = icicle_random_bits(keys[n - 1], want->dtype, want->shape, want->rank, NULL, made);
    free(keys);
  }
  IS("fold") {
    const icicle_random_key_t folded = icicle_random_fold_in(key, strtoull(argument(c, "data"), NULL, 10));
    code = icicle_random_bits(folded, want->dtype, want->shape, want->rank, NULL, made);
  }
  if (code == -1) return false;
  OK(code);
  return true;
}

/* With keepdims, the same elements in a shape of the operand's rank. */
static void check_keepdims(const test_case *c, void *x) {
  int64_t list[MOST_RANK];
  int32_t axes[MOST_RANK];
  const char *axis = argument(c, "axis");
  const int32_t n = axis ? numbers(axis, list) : 0;
  for (int k = 0; k < n; k++) axes[k] = (int32_t)list[k];
  void *kept, *flat;
  icicle_array_info_t info;
  info.struct_size = sizeof info;
  if (!strncmp(c->op, "cumulative", 10) || reduce(c, x, axis ? axes : NULL, n, true, &kept)) return;
  OK(icicle_array_info(kept, &info));
  CHECK(info.rank == c->operand[0].rank);
  OK(icicle_array_reshape(kept, c->result.shape, c->result.rank, &flat));
  compare(flat, &c->result, false);
  OK(icicle_array_free(kept));
  OK(icicle_array_free(flat));
}

static bool run(char *line) {
  test_case c = {0};
  char *arrow = strstr(line, " -> ");
  CHECK(arrow);
  *arrow = 0;
  c.result = parse(arrow + 4);
  for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
    char *equals = strchr(word, '=');
    CHECK(c.arguments < MOST_WORDS && c.operands < MOST_WORDS);
    if (!c.op) {
      c.op = word;
    } else if (equals) {
      *equals = 0;
      c.name[c.arguments] = word;
      c.value[c.arguments++] = equals + 1;
    } else {
      c.operand[c.operands++] = parse(word);
    }
  }
  bool offered = true;
  for (int strided = 0; strided < 2 && offered; strided++) {
    void *of[MOST_WORDS], *made = NULL;
    for (int i = 0; i < c.operands; i++) of[i] = array_of(&c.operand[i], strided);
    const bool random = drawn(&c, &made);
    offered = random || apply(&c, of, &made);
    if (offered) {
      compare(made, &c.result, random && strcmp(c.op, "normal"));
      random_lines += random && !strided;
      if (c.operands == 1) check_keepdims(&c, of[0]);
      OK(icicle_array_free(made));
    }
    for (int i = 0; i < c.operands; i++) OK(icicle_array_free(of[i]));
  }
  for (int i = 0; i < c.operands; i++) free(c.operand[i].bytes);
  free(c.result.bytes);
  return offered;
}

int main(int count, char **files) {
  int lines = 0, left_out = 0;
  atexit(where);
  for (int i = 1; i < count; i++) {
    path = files[i];
    line_number = 0;
    FILE *file = fopen(path, "rb");
    CHECK(file && !fseek(file, 0, SEEK_END));
    const long bytes = ftell(file);
    CHECK(bytes > 0 && !fseek(file, 0, SEEK_SET));
    char *text = (char *)room((size_t)bytes + 1), *next = text;
    CHECK(fread(text, 1, (size_t)bytes, file) == (size_t)bytes);
    text[bytes] = 0;
    fclose(file);
    while (*next) {
      char *line = next, *end = strchr(next, '\n');
      CHECK(end);
      *end = 0;
      next = end + 1;
      line_number++;
      if (*line == '#') continue;
      if (run(line)) lines++;
      else left_out++;
    }
    free(text);
  }
  path = "the end";
  for (int32_t op = 0; icicle_unary_op_name(op); op++) CHECK(seen_unary[op]);
  for (int32_t op = 0; icicle_binary_op_name(op); op++) CHECK(seen_binary[op]);
  CHECK(lines > 2000 && left_out < 200 && random_lines == 35);
  printf("arrays: %d lines\n", lines);
  path = NULL;
  return 0;
}
