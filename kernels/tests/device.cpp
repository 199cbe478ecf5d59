// Kernels run on the host, thread by thread, against results of the Rust core read from a file: divisions of polynomials,
// transforms and arrays of points word for word. Programs are checked against the same operations in working form.
#include "memory.h"
#include "../ecntt/instances.cuh"
#include "../ntt/tables.cuh"
#include "../point/instances.cuh"
#include "../program/machine.cuh"
#include "../vec/division.cuh"

using namespace icicle;

// A curve's kernels, by pointer.
struct Transforms {
  void (*load)(const u32*, u32*, u32, u64, u64, u32);
  void (*alone)(u32*, const u32*, u32*, u64, u64, EcnttShape);
  void (*together)(u32*, const u32*, u32*, u64, u64, EcnttShape);
  void (*store)(const u32*, u32*, u32, u64, u64, u32);
};
struct Arrays {
  void (*load)(PointsIn, u32*, u64, u32);
  void (*sum)(PointsIn, PointsIn, u32*, u64, u32);
  void (*mul_alone)(PointsIn, const u32*, u64, u32*, u32*, u64);
  void (*mul_together)(PointsIn, const u32*, u64, u32*, u32*, u64);
  void (*store)(const u32*, u32*, u64, u32);
  void (*copy)(PointsIn, u32*, u64, u32, u32);
  void (*equal)(PointsIn, PointsIn, u32*, u64);
};
IC_ECNTT_KERNELS(bn254)
IC_ECNTT_KERNELS(bls12_381)
IC_ECNTT_KERNELS(bls12_377)
IC_ECNTT_KERNELS(bw6_761)
IC_POINT_KERNELS(bn254)
IC_POINT_KERNELS(bn254_g2)
IC_POINT_KERNELS(bls12_377_g2)
IC_POINT_KERNELS(bw6_761)
IC_POINT_KERNELS(grumpkin)

// What a line's name names: `-` stands for no words.
static Words parse(const std::string& hex)
{
  Words out;
  for (u64 i = 0; hex != "-" && i + 8 <= hex.size(); i += 8) { out.push_back((u32)std::stoul(hex.substr(i, 8), nullptr, 16)); }
  return out;
}

// The index of the last element that is not zero, of every vector.
static void tops(const Words& a, u64 n, u64 batch, u64 pitch, u64 stride, u32 words, i64* out)
{
  for (u64 v = 0; v < batch; v++) {
    out[v] = -1;
    for (u64 i = 0; i < n * words; i++) {
      if (a[(v * pitch + i / words * stride) * words + i % words] != 0) { out[v] = (i64)(i / words); }
    }
  }
}

// What core/zk/src/cuda/polynomial.rs does.
template <class F>
static void divide(const std::string& what, std::istream& in, u32 shift, u32 blocks)
{
  u64 n, m, q_size, r_size, batch, columns;
  std::string texts[4];
  in >> n >> m >> q_size >> r_size >> batch >> columns >> texts[0] >> texts[1] >> texts[2] >> texts[3];
  constexpr u32 W = F::WORDS, THREADS = DIVISION_STEP;
  u64 stride = columns ? batch : 1;
  auto pitch = [&](u64 n) { return columns ? 1 : n; };
  Words numerator = parse(texts[0]), denominator = parse(texts[1]);
  std::vector<i64> top(3 * batch, -7);
  tops(numerator, n, batch, pitch(n), stride, W, top.data());
  tops(denominator, m, batch, pitch(m), stride, W, top.data() + batch);
  Memory rest(numerator, shift), divisor(denominator, shift), reversed(m * batch * W), series(DIVISION_STEP * batch * W);
  Memory quotient(Words(q_size * batch * W, 0), shift), remainder(r_size * batch * W, shift);
  Dim3 grid = {blocks, (unsigned)(batch < 2 ? batch : 2)};
  bool ok = device::launch(grid, THREADS, [&] {
    division_prepare<F>(divisor.p, top.data(), reversed.p, series.p, m, batch, pitch(m), stride);
  });
  u64 steps = 0;
  for (u64 v = 0; v < batch; v++) {
    check(top[2 * batch + v] == 1, what + " inverse of the leading coefficient");
    u64 length = top[v] + 1 < top[batch + v] ? 0 : (u64)(top[v] + 1 - top[batch + v]);
    if (length > steps * DIVISION_STEP) { steps = (length + DIVISION_STEP - 1) / DIVISION_STEP; }
  }
  for (u64 step = 0; step < steps; step++) {
    ok = ok && device::launch(grid, THREADS, [&] {
      division_step<F>(rest.p, reversed.p, series.p, top.data(), quotient.p, step, m, batch, pitch(n), pitch(q_size), stride);
    });
  }
  ok = ok && device::launch(grid, THREADS, [&] {
    division_remainder<F>(rest.p, top.data(), remainder.p, r_size, batch, pitch(n), pitch(r_size), stride);
  });
  check(ok && quotient.holds(parse(texts[2])), what + " quotient");
  check(ok && remainder.holds(parse(texts[3])), what + " remainder");
}

template <class F>
static std::vector<F> squares(F x, u32 count)
{
  std::vector<F> out;
  for (u32 i = 0; i < count; i++, x = x.sqr()) { out.push_back(x); }
  return out;
}

// `scale · Π of_bit[b]` over the set bits of each index.
template <class S>
static Memory products(const std::vector<S>& of_bit, const S& scale)
{
  Memory out((u64)S::WORDS << of_bit.size());
  for (u64 i = 0; i >> of_bit.size() == 0; i++) {
    S x = scale;
    for (u32 b = 0; b < of_bit.size(); b++) {
      if (i >> b & 1) { x = x * of_bit[b]; }
    }
    x.to_limbs(out.p + i * S::WORDS);
  }
  return out;
}

// What core/zk/src/cuda/ntt/points.rs does.
template <class C>
static void transform(const std::string& what, std::istream& in, u32 shift, u32 blocks, bool together, const Transforms& k)
{
  using S = typename C::Scalar;
  constexpr u32 W = 3 * C::Base::WORDS;
  u32 log_n, batch, columns, inverse, reversed_in, reversed_out, coset;
  std::string texts[2];
  in >> log_n >> batch >> columns >> inverse >> reversed_in >> reversed_out >> coset >> texts[0] >> texts[1];
  u64 count = (u64)batch << log_n, width = columns ? batch : 1;
  bool down = reversed_in == reversed_out ? !inverse : reversed_out;
  S root = S::two_adic_root(), g = S::from_u32(coset), size = S::one();
  for (u32 i = log_n; i < S::Params::TWO_ADICITY; i++) { root = root.sqr(); }
  for (u32 i = 0; i < log_n; i++) { size = size.dbl(); }
  if (inverse) {
    root = root.inverse();
    g = g.inverse();
    size = size.inverse();
  }
  S scale = inverse ? size : S::one();
  bool inside = coset > 1 && down == !inverse, outside = coset > 1 && !inside;
  std::vector<S> turns, powers = squares(g, log_n);
  for (u32 i = 0; i + 1 < log_n; i++) {
    S turn = root;
    for (u32 k = i + 2; k < log_n; k++) { turn = turn.sqr(); }
    turns.push_back(turn);
  }
  Memory plain = products(turns, S::one()), shifted((u64)S::WORDS << log_n);
  for (u32 s = 0; s < log_n; s++) {
    for (u64 k = 0; k >> s == 0; k++) {
      S x = S::from_limbs(plain.p + k * S::WORDS) * powers[log_n - 1 - s];
      x.to_limbs(shifted.p + (k + ((u64)1 << s)) * S::WORDS);
    }
  }
  std::vector<S> reversed_powers(powers.rbegin(), powers.rend());
  Memory factors = outside ? products(reversed_powers, scale) : products(std::vector<S>(), scale);

  Memory a(parse(texts[0]), shift), out(count * W, shift), points(count * W);
  Memory multiples((u64)blocks * 32 * ECNTT_MULTIPLES * 4 * C::Base::WORDS);
  bool ok = device::launch({blocks}, 32, [&] {
    k.load(a.p, points.p, log_n, width, count, reversed_in == (u32)down);
  });
  auto pass = [&](const u32* table, u64 count, EcnttShape shape) {
    ok = ok && device::launch({blocks}, 32, [&] {
      (together ? k.together : k.alone)(points.p, table, multiples.p, width, count, shape);
    });
  };
  auto multiply = [&] {
    if (log_n == 0 || !(inverse || outside)) { return; }
    pass(factors.p, count, {31, 0, ECNTT_MULTIPLY, 0, outside ? (1u << log_n) - 1 : 0});
  };
  if (!down) { multiply(); }
  for (u32 i = 0; i < log_n; i++) {
    u32 level = down ? i : log_n - 1 - i;
    pass(inside ? shifted.p : plain.p, count / 2, {log_n, level, down ? ECNTT_DOWN : ECNTT_UP, inside, 0});
  }
  if (down) { multiply(); }
  ok = ok && device::launch({blocks}, 32, [&] {
    k.store(points.p, out.p, log_n, width, count, reversed_out != (u32)down);
  });
  ok = ok && a.holds(parse(texts[0])) && points.is_whole() && multiples.is_whole();
  check(ok && out.holds(parse(texts[1])), what + (together ? " together" : " alone"));
}

// What core/zk/src/cuda/point.rs does.
template <class C>
static void points(const std::string& what, std::istream& in, u32 shift, u32 blocks, bool together, const Arrays& k)
{
  constexpr u32 W = C::Base::WORDS;
  u64 n, a_count, b_count, a_form, b_form;
  u32 projective;
  std::string op, texts[3];
  in >> op >> n >> a_count >> b_count >> a_form >> b_form >> projective >> texts[0] >> texts[1] >> texts[2];
  Words expected = parse(texts[2]);
  Memory a(parse(texts[0]), shift), b(parse(texts[1]), shift), out(expected.size(), shift), points(n * 3 * W);
  Memory multiples((u64)blocks * 32 * ECNTT_MULTIPLES * 4 * W);
  PointsIn x = {a.p, a_count > 1, a_form}, y = {b.p, b_count > 1, b_form};
  u32 negate = op == "sub" || op == "negate";
  bool alone = (op == "normalize" || op == "negate") && !a_form;
  // In place where operand and result are of one form.
  Memory& to = op != "equal" && a_count == n && a_form == projective ? a : out;
  bool ok = device::launch({blocks}, 32, [&] {
    if (op == "equal") {
      k.equal(x, y, to.p, n);
    } else if (op == "mul") {
      (together ? k.mul_together : k.mul_alone)(x, b.p, y.step, points.p, multiples.p, n);
    } else if (alone) {
      k.copy(x, to.p, n, projective, negate);
    } else if (op == "normalize" || op == "negate") {
      k.load(x, points.p, n, negate);
    } else {
      k.sum(x, y, points.p, n, negate);
    }
  });
  if (op != "equal" && !alone) {
    // More points than threads.
    ok = ok && device::launch({1}, 4, [&] { k.store(points.p, to.p, n, projective); });
  }
  ok = ok && b.is_whole() && points.is_whole() && multiples.is_whole();
  check(ok && to.holds(expected) && !expected.empty(), what + " " + op + (together ? " together" : " alone"));
}

// Random code over three inputs, two outputs, four registers and two constants; the values it should give are computed
// beside it.
template <class F>
static void program(const std::string& name, u64 n, u32 shift, u64 seed)
{
  constexpr u32 W = F::WORDS, REGISTERS = 4, BLOCKS = 2, THREADS = 16;
  u64 state = seed;
  std::vector<Memory> inputs, outputs;
  for (u32 i = 0; i < 3; i++) {
    inputs.emplace_back(n * W, shift);
    for (u64 k = 0; k < n; k++) { element<F>(state).to_limbs(inputs[i].p + k * W); }
  }
  outputs.emplace_back(n * W, shift);
  outputs.emplace_back(n * W, 0);
  std::vector<std::vector<F>> registers(REGISTERS), expected(2);
  F constants[2] = {element<F>(state), element<F>(state)};
  std::vector<F> last(n, F::zero());
  bool known[REGISTERS] = {};
  constexpr u32 COUNT = 40;
  ProgramInstruction code[COUNT];
  auto choose = [&](u64& operand) {
    u64 kind = next_random(state) % 4, number = next_random(state);
    if (kind == PROGRAM_REGISTER && known[number % REGISTERS]) {
      operand = number % REGISTERS << 2 | kind;
      return registers[number % REGISTERS];
    }
    if (kind == PROGRAM_CONSTANT) {
      operand = (sizeof code + number % 2 * 4 * W) | kind;
      return std::vector<F>(n, F::from_raw(constants[number % 2]));
    }
    if (kind == PROGRAM_ELEMENT) {
      const u32* from = inputs[number % 3].p;
      operand = (u64)from | kind;
      std::vector<F> values;
      for (u64 k = 0; k < n; k++) { values.push_back(F::from_raw(F::from_limbs(from + k * W))); }
      return values;
    }
    operand = PROGRAM_LAST;
    return last;
  };
  for (u32 at = 0; at < COUNT; at++) {
    ProgramInstruction& now = code[at];
    u64 kind = next_random(state) % 16;
    now.opcode = at >= COUNT - 2 || kind == 0 ? (u64)PROGRAM_COPY : kind == 1 ? (u64)PROGRAM_INVERSE : kind % 3;
    std::vector<F> x = choose(now.a), y = choose(now.b);
    for (u64 k = 0; k < n; k++) {
      F a = x[k], b = y[k];
      last[k] = now.opcode == PROGRAM_ADD ? a + b : now.opcode == PROGRAM_SUB ? a - b : now.opcode == PROGRAM_MUL ? a * b
              : now.opcode == PROGRAM_INVERSE ? a.inverse() : a;
    }
    u64 number = next_random(state) % REGISTERS;
    now.to = PROGRAM_LAST;
    if (at >= COUNT - 2) {
      now.to = (u64)outputs[COUNT - 1 - at].p | PROGRAM_ELEMENT;
      expected[COUNT - 1 - at] = last;
    } else if (next_random(state) % 2) {
      now.to = number << 2 | PROGRAM_REGISTER;
      registers[number] = last;
      known[number] = true;
    }
  }
  Memory text(sizeof code / 4 + 2 * W), file(REGISTERS * BLOCKS * THREADS * W);
  memcpy(text.p, code, sizeof code);
  for (u32 i = 0; i < 2; i++) { constants[i].to_limbs(text.p + sizeof code / 4 + i * W); }
  bool ok = device::launch({BLOCKS}, THREADS, [&] { run_program<F>(text.p, file.p, n, COUNT); });
  // Each thread's registers hold what its last position left there.
  for (u64 number = 0; number < REGISTERS; number++) {
    for (u64 t = 0; known[number] && t < BLOCKS * THREADS && t < n; t++) {
      u64 last_position = t + (n - 1 - t) / (BLOCKS * THREADS) * (BLOCKS * THREADS);
      ProgramFile<F> of_thread = {file.p + t * ProgramFile<F>::UNIT, BLOCKS * THREADS};
      ok = ok && of_thread.get(number) == registers[number][last_position].to_raw();
    }
  }
  for (u32 i = 0; i < 2; i++) {
    for (u64 k = 0; k < n; k++) { ok = ok && F::from_limbs(outputs[i].p + k * W) == expected[i][k].to_raw(); }
  }
  check(ok, name + " program of " + std::to_string(n) + " shift " + std::to_string(shift));
}

template <class F>
static void programs(const char* name)
{
  for (u64 seed = 0; seed < 8; seed++) { program<F>(name, seed == 0 ? 1 : 70, seed % 4, seed); }
}

int main(int argc, char** argv)
{
  std::ifstream in(argc == 2 ? argv[1] : "");
  if (!in) {
    fprintf(stderr, "usage: device CASES\n");
    return 2;
  }
  std::string op, name;
  u32 cases = 0;
  while (in >> op >> name) {
    std::string what = op + " " + name + ", case " + std::to_string(cases++);
    std::streampos at = in.tellg();
    bool known = false;
    for (u32 variant = 0; variant < 2; variant++) {
      in.seekg(at);
      u32 shift = variant * 3, blocks = 1 + variant;
#define IC_FIELD(field) \
  if (op == "divide" && name == #field) { divide<fields::field>(what, in, shift, blocks); known = true; }
      IC_FIELD(bn254) IC_FIELD(bn254_g2_base_field) IC_FIELD(bls12_381_base_field) IC_FIELD(bw6_761_base_field)
      IC_FIELD(babybear) IC_FIELD(babybear_extension) IC_FIELD(goldilocks) IC_FIELD(goldilocks_extension) IC_FIELD(m31_qm31)
#define IC_CURVE(curve) \
  if (op == "ecntt" && name == #curve) {                                                              \
    Transforms k = {curve##_ecntt_load, curve##_ecntt_alone, curve##_ecntt_together, curve##_ecntt_store};             \
    transform<curves::curve>(what, in, shift, blocks, variant == 0, k);                                                \
    known = true;                                                                                                      \
  }
      IC_CURVE(bn254) IC_CURVE(bls12_381) IC_CURVE(bls12_377) IC_CURVE(bw6_761)
#define IC_GROUP(curve) \
  if (op == "points" && name == #curve) {                                                             \
    Arrays k = {curve##_points_load,         curve##_points_sum,   curve##_points_mul_alone,                           \
                curve##_points_mul_together, curve##_points_store, curve##_points_copy, curve##_points_equal};         \
    points<curves::curve>(what, in, shift, blocks, variant == 0, k);                                                   \
    known = true;                                                                                                      \
  }
      IC_GROUP(bn254) IC_GROUP(bn254_g2) IC_GROUP(bls12_377_g2) IC_GROUP(bw6_761) IC_GROUP(grumpkin)
    }
    if (!known) {
      check(false, "unknown " + what);
      break;
    }
  }
  check(cases > 0, "no cases");
  programs<fields::babybear>("babybear");
  programs<fields::babybear_extension>("babybear_extension");
  programs<fields::goldilocks>("goldilocks");
  programs<fields::goldilocks_extension>("goldilocks_extension");
  programs<fields::m31>("m31");
  programs<fields::m31_extension>("m31_extension");
  programs<fields::m31_qm31>("m31_qm31");
  programs<fields::bn254>("bn254");
  programs<fields::bn254_g2_base_field>("bn254_g2_base_field");
  programs<fields::bls12_377_base_field>("bls12_377_base_field");
  programs<fields::bw6_761_base_field>("bw6_761_base_field");
  printf("%u cases, %ld checks, %d failures\n", cases, checks, failures);
  return failures != 0;
}
