// The device templates compiled for the host: fields against values of the Rust core (read from a file), curves against
// chord-and-tangent arithmetic written down with nothing but field operations.
#include "../curve/projective.cuh"
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using namespace icicle;

static int failures = 0;

static void check(bool ok, const std::string& what)
{
  if (!ok && failures++ < 20) { fprintf(stderr, "FAILED: %s\n", what.c_str()); }
}

template <class F>
static F parse(const std::string& hex)
{
  std::vector<u32> words(F::WORDS);
  if (hex.size() != 8 * F::WORDS) {
    check(false, "length of " + hex);
    return F::zero();
  }
  for (u32 i = 0; i < F::WORDS; i++) { words[i] = (u32)std::stoul(hex.substr(8 * i, 8), nullptr, 16); }
  return F::from_limbs(words.data());
}

template <class F>
static void field_line(const std::string& what, const std::string& op, const F& a, const F& b, const F& expected)
{
  F x = F::from_raw(a), y = F::from_raw(b), got = F::zero();
  if (op == "add") got = (x + y).to_raw();
  else if (op == "sub") got = (x - y).to_raw();
  else if (op == "neg") got = (-x).to_raw();
  else if (op == "mul") got = (x * y).to_raw();
  else if (op == "sqr") got = x.sqr().to_raw();
  else if (op == "inv") got = x.inverse().to_raw();
  else if (op == "raw") got = a.to_raw() == a.to_raw() ? a : b;
  else if (op == "encode") got = a.encode();
  else check(false, "unknown operation " + op);
  check(got == expected, what);
  if (op == "add") check(a + b == expected, what + " on limbs");
  if (op == "sub") check(a - b == expected, what + " on limbs");
  if (op == "encode") check(expected.decode() == a, what + " decoded");
  if (op == "mul") {
    check(F::mul_raw(a, b) == expected, what + " raw");
    check((x * b) == expected, what + " mixed forms");
    check((x + y) * (x - y) == x.sqr() - y.sqr(), what + " binomial");
    check(x.pow(5) == x.sqr().sqr() * x, what + " power");
    check((x + y).dbl() == x.dbl() + y.dbl(), what + " double");
  }
}

// What only prime fields of several limbs have.
template <class P>
static void lazy_line(const std::string& what, const Fp<P>& a, const Fp<P>& b)
{
  using F = Fp<P>;
  F c = a + b + F::one(), d = a - b;
  check(F::mul_add_mul(a, b, c, d) == a * b + c * d, what + " mul_add_mul");
  check(F::mul_sub_mul(a, b, c, d) == a * b - c * d, what + " mul_sub_mul");
  check(F::reduced(a.mul_lazy(b)) == a * b, what + " mul_lazy");
  if (F::LAZY) {
    check(a.add_lazy(b) * c.sub_lazy(d) == (a + b) * (c - d), what + " lazy operands");
    check(a.neg_lazy() * b == -(a * b), what + " lazy negation");
  }
}
template <class F>
static void lazy_line(const std::string&, const F&, const F&)
{
}

template <class F>
static void root_line(const std::string& what, const F& expected)
{
  check(F::two_adic_root().to_raw() == expected, what);
}

template <class F>
static bool lines_of(const std::string& name, const std::string& field, const std::string& op, const std::string& a,
                     const std::string& b, const std::string& e)
{
  if (name != field) { return false; }
  std::string what = field + " " + op + " " + a + " " + b;
  field_line(what, op, parse<F>(a), parse<F>(b), parse<F>(e));
  if (op == "mul") { lazy_line(what, parse<F>(a), parse<F>(b)); }
  return true;
}

template <class F>
static bool root_of(const std::string& name, const std::string& field, const std::string& e)
{
  if (name != field) { return false; }
  root_line("root of " + field, parse<F>(e));
  return true;
}

// `P + Q` by the definition: slope, third intersection, reflection.
template <class C>
static Affine<C> reference_sum(const Affine<C>& p, const Affine<C>& q)
{
  using F = typename C::Base;
  if (p.is_neutral()) { return q; }
  if (q.is_neutral()) { return p; }
  if (p.x == q.x && p.y != q.y) { return Affine<C>::neutral(); }
  F xx = p.x.sqr();
  F slope = p.x == q.x ? (xx + xx + xx) * p.y.dbl().inverse() : (q.y - p.y) * (q.x - p.x).inverse();
  F x = slope.sqr() - p.x - q.x;
  return Affine<C>::make(x, slope * (p.x - x) - p.y);
}

template <class C>
static bool same(const Affine<C>& p, const Affine<C>& q)
{
  return p.x == q.x && p.y == q.y;
}

template <class C>
static void curve(const char* name)
{
  using A = Affine<C>;
  std::vector<A> points = {A::neutral(), A::generator(), -A::generator()};
  check(A::generator().is_on_curve(), std::string(name) + " generator");
  for (int i = 0; i < 9; i++) { points.push_back(reference_sum(points.back(), points[i % 2 + 1 + i / 4])); }
  points.push_back(A::generator());
  for (size_t i = 0; i < points.size(); i++) {
    for (size_t j = 0; j < points.size(); j++) {
      const A &p = points[i], &q = points[j];
      A sum = reference_sum(p, q), twice = reference_sum(p, p);
      std::string what = std::string(name) + " points " + std::to_string(i) + " " + std::to_string(j);
      check(sum.is_on_curve(), what);

      Xyzz<C> x = Xyzz<C>::from_affine(p);
      x.add(q);
      check(same(x.to_affine(), sum), what + " xyzz mixed");
      check(same(x.dbl().to_affine(), reference_sum(sum, sum)), what + " xyzz double");
      Xyzz<C> y = x;
      y.add(Xyzz<C>::from_affine(twice));
      y.add(-x);
      check(same(y.to_affine(), twice), what + " xyzz full");
      Xyzz<C> z = x;
      z.add(x);
      check(same(z.to_affine(), reference_sum(sum, sum)), what + " xyzz sum of equals");
      z.add(-z);
      check(z.is_neutral(), what + " xyzz sum of opposites");

      Jacobian<C> k = Jacobian<C>::from_affine(p);
      k.add(q);
      check(same(k.to_affine(), sum), what + " jacobian mixed");
      check(same(k.dbl().to_affine(), reference_sum(sum, sum)), what + " jacobian double");
      Jacobian<C> l = k;
      l.add(Jacobian<C>::from_affine(twice).dbl());
      l.add(-k);
      check(same(l.to_affine(), reference_sum(twice, twice)), what + " jacobian full");
      l = k;
      l.add(k);
      check(same(l.to_affine(), reference_sum(sum, sum)), what + " jacobian sum of equals");
      check(same(Jacobian<C>::from_xyzz(x).to_affine(), sum), what + " jacobian from xyzz");
      check(same(k.to_xyzz().to_affine(), sum), what + " jacobian to xyzz");

      Projective<C> h = Projective<C>::from_affine(p) + q;
      check(same(h.to_affine(), sum), what + " projective mixed");
      check(same((h + Projective<C>::from_affine(q)).to_affine(), reference_sum(sum, q)), what + " projective full");
      check(same((h + h).to_affine(), reference_sum(sum, sum)), what + " projective sum of equals");
      check(same(h.dbl().to_affine(), reference_sum(sum, sum)), what + " projective double");
      check((h + -h).is_neutral(), what + " projective sum of opposites");
      check(same(Projective<C>::from_xyzz(x).to_affine(), sum), what + " projective from xyzz");
      check(same(Projective<C>::from_jacobian(k).to_affine(), sum), what + " projective from jacobian");
      check(same(h.to_xyzz().to_affine(), sum), what + " projective to xyzz");
    }
  }
}

int main(int argc, char** argv)
{
  FILE* file = argc == 2 ? fopen(argv[1], "r") : nullptr;
  if (!file) {
    fprintf(stderr, "usage: host VECTORS\n");
    return 2;
  }
  static char field[64], op[16], a[1024], b[1024], e[1024];
  long lines = 0;
  while (fscanf(file, "%63s %15s %1023s %1023s %1023s", field, op, a, b, e) == 5) {
    lines++;
    bool known = false;
    if (std::string(op) == "root") {
#define IC_FIELD(name) known = known || root_of<fields::name>(#name, field, e);
      IC_FIELD(bn254) IC_FIELD(bn254_base_field) IC_FIELD(bls12_381) IC_FIELD(bls12_377) IC_FIELD(bw6_761)
      IC_FIELD(babybear) IC_FIELD(stark252) IC_FIELD(koalabear) IC_FIELD(goldilocks)
#undef IC_FIELD
    } else {
#define IC_FIELD(name) known = known || lines_of<fields::name>(#name, field, op, a, b, e);
      IC_FIELD(bn254) IC_FIELD(bn254_base_field) IC_FIELD(bn254_g2_base_field) IC_FIELD(bls12_381)
      IC_FIELD(bls12_381_base_field) IC_FIELD(bls12_381_g2_base_field) IC_FIELD(bls12_377)
      IC_FIELD(bls12_377_base_field) IC_FIELD(bls12_377_g2_base_field) IC_FIELD(bw6_761) IC_FIELD(bw6_761_base_field)
      IC_FIELD(bw6_761_g2_base_field) IC_FIELD(grumpkin) IC_FIELD(grumpkin_base_field) IC_FIELD(babybear)
      IC_FIELD(babybear_extension) IC_FIELD(stark252) IC_FIELD(m31) IC_FIELD(m31_extension) IC_FIELD(m31_qm31)
      IC_FIELD(koalabear) IC_FIELD(koalabear_extension) IC_FIELD(goldilocks) IC_FIELD(goldilocks_extension)
#undef IC_FIELD
    }
    check(known, std::string("unknown field ") + field);
  }
  check(lines > 0, "no lines");
  curve<curves::bn254>("bn254");
  curve<curves::bn254_g2>("bn254_g2");
  curve<curves::bls12_381>("bls12_381");
  curve<curves::bls12_381_g2>("bls12_381_g2");
  curve<curves::bls12_377>("bls12_377");
  curve<curves::bls12_377_g2>("bls12_377_g2");
  curve<curves::bw6_761>("bw6_761");
  curve<curves::bw6_761_g2>("bw6_761_g2");
  curve<curves::grumpkin>("grumpkin");
  printf("%ld lines, %d failures\n", lines, failures);
  return failures != 0;
}
