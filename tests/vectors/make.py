"""Write tests/vectors/operations/, or with --check compare what is there. README.md has the format."""

import sys
from pathlib import Path

from arithmetic import Curve, Field
from parameters import BLS12_377_SEED, BLS12_381_SEED, BN254_SEED, CURVES, FIELDS, PRIMES

FOLDER = Path(__file__).parent / "operations"
LENGTHS = (1, 2, 4, 8)
ORDERINGS = ("nn", "nr", "rn", "rr")


def check_parameters():
    """Literals against what defines them: seeds, orders, the curves' equations."""
    for p, generator, *_ in PRIMES.values():
        assert pow(2, p - 1, p) == pow(3, p - 1, p) == 1 and pow(generator, (p - 1) // 2, p) == p - 1
    p, r = PRIMES["bn254 p"][0], PRIMES["bn254 r"][0]
    t = BN254_SEED
    assert p == 36 * t**4 + 36 * t**3 + 24 * t**2 + 6 * t + 1 and p - r == 6 * t**2
    for name, x in ("bls12_381", BLS12_381_SEED), ("bls12_377", BLS12_377_SEED):
        p, r = PRIMES[f"{name} p"][0], PRIMES[f"{name} r"][0]
        assert r == x**4 - x**2 + 1 and 3 * (p - x) == (x - 1) ** 2 * r
    coefficients = (103, -379, 250, 691, -911, -79, 623, -640, 274, 763, 73, 254, 229)
    bw6 = sum(c * BLS12_377_SEED ** (12 - i) for i, c in enumerate(coefficients))
    assert 9 * PRIMES["bw6_761 p"][0] == bw6
    for name in CURVES:
        curve, order = curve_of(name), field_of(CURVES[name][1]).p
        assert curve.contains(curve.generator) and curve.times(order, curve.generator) is None, name


def field_of(name):
    prime, shape, *_ = FIELDS[name]
    return Field(PRIMES[prime][0], shape)


def curve_of(name):
    base, _, (numerator, denominator), x, y, *_ = CURVES[name]
    f = field_of(base)
    x, y, numerator, denominator = (tuple(c % f.p for c in e) for e in (x, y, numerator, denominator))
    return Curve(f, f.div(numerator, denominator), (x, y))


def joined(texts):
    return ",".join(texts)


def reversed_bits(values):
    bits = len(values).bit_length() - 1
    return [values[int(f"{i:0{bits}b}"[::-1], 2) if bits else 0] for i in range(len(values))]


def root_of_unity(prime, order):
    p, generator, *_ = PRIMES[prime]
    return pow(generator, (p - 1) // order, p)


def roots(prime):
    """The largest whose order every language has an integer for, and that of the transforms here, which comes last."""
    p = PRIMES[prime][0]
    adicity = (p - 1 & 1 - p).bit_length() - 1
    for order in (1 << min(adicity, 62), LENGTHS[-1]):
        yield "root", order, Field(p, ("binomial", 1, 0)).hex((root_of_unity(prime, order),))


def transforms(keyword, prime, draw, times, total, encode, decoded):
    """Lines of transforms by definition: X[k] = Σ x[j]·g^j·w^(jk). `times` is the product with an integer."""
    p, generator, *_ = PRIMES[prime]
    scalar = Field(p, ("binomial", 1, 0))
    cases = [(n, "forward", "nn", 1) for n in LENGTHS] + [(n, "inverse", "nn", 1) for n in (1, 4)]
    cases += [
        (4, way, ordering, g) for way, g in (("forward", generator), ("inverse", p - 2)) for ordering in ORDERINGS
    ]
    for i, (n, way, ordering, g) in enumerate(cases):
        w, natural = root_of_unity(prime, n), draw(i, n)
        steps = [g * pow(w, k, p) % p for k in range(n)]
        values = [total(times(pow(step, j, p), x) for j, x in enumerate(natural)) for step in steps]
        pair = (natural, values) if way == "forward" else (values, natural)
        memory = [reversed_bits(v) if order == "r" else v for v, order in zip(pair, ordering)]
        yield keyword, way, ordering, scalar.hex((g,)), encode(memory[0]), decoded(memory[1])


def field_lines(name):
    """Lines of every operation on a field."""
    prime, shape, scalar_name, transformed, extends, _ = FIELDS[name]
    f, scalar = field_of(name), field_of(scalar_name)

    def draw(label, n, of=f):
        return of.draw(f"{name}/{label}", n)

    def line(values):
        return joined(map(f.hex, values))

    zero, one, minus = f.zero, f.one, f.element(-1)
    x, y, z = draw("edges", 3)
    # All coefficients at their most, the last one alone, and, where the shape makes a ring, a divisor of zero.
    odd = [(f.p - 1,) * f.degree, (0,) * (f.degree - 1) + (1,)]
    if name == "m31_extension":  # x⁴ + 1 = (x² + 2^16·x + 1)·(x² - 2^16·x + 1)
        odd.append((1, 1 << 16, 1, 0))
    left, right = [zero, zero, one, minus, minus, x, x, y], [zero, one, minus, minus, one, x, f.neg(x), z]

    for i, operation in enumerate(("add", "sub", "mul", "div")):
        several = draw(operation, i + 4)
        pairs = [(left, right), (draw(f"{operation} first", i + 1), draw(f"{operation} second", i + 1))]
        with_odd = (odd + several)[: i + 4]
        pairs.append((with_odd, several) if i % 2 == 0 else (several, with_odd))
        for a, b in pairs:
            result = [getattr(f, operation)(u, v) for u, v in zip(a, b)]
            yield "vector_binary", operation, line(a), line(b), line(result)
    if extends:
        edges = [(v,) for v in (0, 1, f.p - 1, f.p - 1, 1)]
        for a, b in (left, edges + draw("mixed", 3, scalar)), (odd, draw("mixed odd", len(odd), scalar)):
            result = [f.mul(u, f.element(v[0])) for u, v in zip(a, b)]
            yield "vector_mixed_mul", line(a), joined(map(scalar.hex, b)), line(result)
    for i, operation in enumerate(("add", "sub", "mul")):
        for s, v in (minus, left), (zero, right), (x, draw(f"scalar {operation}", i + 2)):
            yield "vector_scalar", operation, line([s]), line(v), line([getattr(f, operation)(s, u) for u in v])
    for v in right, odd, [zero], draw("inverse", 7):
        yield "vector_inv", line(v), line(map(f.inv, v))
    for operation, reduce in ("sum", f.sum), ("product", f.product):
        for v in left, right[1:], [minus], draw(operation, 6):
            yield "vector_reduce", operation, line(v), line([reduce(v)])
    for v in left, odd, draw("montgomery", 5):
        yield "convert_montgomery", line(v), line(map(f.montgomery, v))
    for n in LENGTHS:
        v = draw("bit_reverse", n)
        yield "bit_reverse", line(v), line(reversed_bits(v))
    for n, offset, stride, count in (8, 1, 2, 4), (5, 0, 1, 5), (7, 6, 0, 3), (3, 2, 9, 1):
        v = draw("slice", n)
        yield "slice", offset, stride, line(v), line([v[offset + i * stride] for i in range(count)])
    for v in [zero] * 3, [x, zero, y, zero], left, [zero], [*odd, zero], [zero] * 7 + [one]:
        found = max((i for i, u in enumerate(v) if u != zero), default=-1)
        yield "highest_non_zero", line(v), found
    for coefficients, points in (draw("evaluate", 5), left), (left, draw("points", 3)), ([x], [y, zero]):
        yield "polynomial_evaluate", line(coefficients), line(points), line([f.value(coefficients, u) for u in points])
    divided = (
        (draw("divide", 8), [x, y, z]),
        (left, [y, minus, zero]),
        (draw("divide", 2), [zero, y, z]),
        ([x], [minus]),
    )
    for numerator, denominator in divided:
        quotient, remainder = f.divide(numerator, denominator)
        yield "polynomial_divide", line(numerator), line(denominator), line(quotient), line(remainder)
    for rows, cols in (1, 1), (2, 3), (4, 2), (1, 8):
        v = draw("transpose", rows * cols)
        flipped = [v[r * cols + c] for c in range(cols) for r in range(rows)]
        yield "matrix_transpose", rows, cols, line(v), line(flipped)
    matrices = (2, 4, 2, left, right), (2, 3, 1, draw("a", 6), draw("b", 3)), (1, 1, 1, [x], [minus])
    for rows, inner, cols, a, b in matrices:
        entries = [(a[r * inner : (r + 1) * inner], b[c::cols]) for r in range(rows) for c in range(cols)]
        result = [f.sum(map(f.mul, row, column)) for row, column in entries]
        yield "matrix_multiply", rows, inner, cols, line(a), line(b), line(result)
    for a, b, c, e in (left, right, right[::-1], left[::-1]), [draw(f"program {i}", 3) for i in range(4)]:
        difference = [f.sub(f.mul(u, v), w) for u, v, w in zip(a, b, c)]
        yield "program", "ab_minus_c", line(a), line(b), line(c), line(difference)
        scaled = map(f.mul, e, difference)
        yield "program", "eq_times_ab_minus_c", line(a), line(b), line(c), line(e), line(scaled)
        last = [f.add(f.div(f.sub(f.mul(u, v), x), f.add(u, w)), w) for u, v, w in zip(a, b, c)]
        yield "program", "exchange", line([x]), line(a), line(b), line(c), line(last)
    if transformed:
        yield from roots(FIELDS[scalar_name][0])

        def times(k, v):
            return f.mul(f.element(k), v)

        def samples(i, n):
            return left if i == 3 else draw(f"ntt {i}", n)

        yield from transforms("ntt", FIELDS[scalar_name][0], samples, times, f.sum, line, line)


def curve_lines(name):
    """Lines of every operation on a curve group."""
    _, scalar_name, *_, transformed, _ = CURVES[name]
    curve, scalar = curve_of(name), field_of(scalar_name)
    f, order, g = curve.base, scalar.p, curve.generator
    scales, normal = f.draw(f"{name}/z", 8), [f.one] * 9

    def line(form, points, z=scales):
        """Points in affine or projective form, each of the latter with another Z."""
        if form == "a":
            return joined(curve.hex(curve.affine(p)) for p in points)
        return joined(curve.hex(curve.projective(p, scale)) for p, scale in zip(points, z))

    def scalars(values):
        return joined(scalar.hex((k,)) for k in values)

    r1, r2, r3, r4 = (k for (k,) in scalar.draw(f"{name}/multiples", 4))
    p, q, s, t = (curve.times(k, g) for k in (r1, r2, r3, r4))
    left = [None, None, p, p, p, g, s, t]
    right = [None, p, None, p, curve.neg(p), g, q, s]
    for operation in ("add", "sub"):
        for forms, n in ("aaa", 4), ("pap", 8), ("app", 6), ("ppa", 3), ("ppp", 1):
            a, b = left[-n:], right[-n:]
            result = [curve.add(u, v if operation == "add" else curve.neg(v)) for u, v in zip(a, b)]
            yield "point_binary", operation, forms, line(forms[0], a), line(forms[1], b), line(forms[2], result, normal)
    factors, points = [0, 1, order - 1, 2, r1, r2, 7, r3], [p, q, s, g, None, g, p, q]
    results = [curve.times(k, u) for k, u in zip(factors, points)]
    for forms, n in ("ap", 8), ("pa", 3), ("pp", 5), ("aa", 1):
        operands = scalars(factors[-n:]), line(forms[0], points[-n:])
        yield "point_scalar_mul", forms, *operands, line(forms[1], results[-n:], normal)
    for operation, change in ("normalize", lambda u: u), ("negate", curve.neg):
        for forms, n in ("aa", 2), ("ap", 7), ("pa", 8), ("pp", 4):
            v = left[-n:]
            yield "point_unary", operation, forms, line(forms[0], v), line(forms[1], map(change, v), normal)
    others = [None, p, curve.neg(p), p, q, g, s, curve.neg(t)]
    pairs = list(zip(left, others))
    for forms, n in ("aa", 3), ("ap", 5), ("pp", 8):
        a, b = line(forms[0], left[-n:]), line(forms[1], others[-n:], scales[::-1])
        yield "point_equal", forms, a, b, joined(int(u == v).to_bytes(4, "little").hex() for u, v in pairs[-n:])
    for form, coordinates in ("a", curve.affine), ("p", curve.projective):
        v = [coordinates(u) for u in left[1:]]
        converted = [curve.hex(map(f.montgomery, u)) for u in v]
        yield "point_convert_montgomery", form, joined(map(curve.hex, v)), joined(converted)
    products = [curve.times(k, u) for k, u in zip(factors, right)]
    for n in (1, 2, 3, 5, 8):
        yield "msm", scalars(factors[:n]), line("a", right[:n]), line("p", [curve.sum(products[:n])], normal)
    few, factor, window = [p, None, g], 3, 7
    shift = window * ((-(-order.bit_length() // window) - 1) // factor + 1)
    multiples = [curve.times(1 << shift * j, u) for u in few for j in range(factor)]
    yield "msm_precompute", factor, window, line("a", few), line("a", multiples)
    if transformed:
        prime = FIELDS[scalar_name][0]
        yield from roots(prime)

        def samples(i, n):
            return left if i == 3 else [curve.times(k, g) for (k,) in scalar.draw(f"{name}/ecntt {i}", n)]

        def given(points):
            return line("p", points)

        def normalised(points):
            return line("p", points, normal)

        yield from transforms("ec_ntt", prime, samples, curve.times, curve.sum, given, normalised)


def files():
    """Names and lines of all files."""
    for name, (prime, _, scalar, _, _, source) in FIELDS.items():
        _, _, defined, generated = PRIMES[prime]
        sources = f"# prime: {defined}", f"# generator of its units: {generated}", f"# field: {source}"
        yield f"field_{name}", sources, ("field", name, field_of(name).bytes, scalar), field_lines(name)
    for name, (base, scalar, *_, source) in CURVES.items():
        header = "curve", name, field_of(base).bytes, scalar
        yield f"curve_{name}", (f"# curve: {source}",), header, curve_lines(name)


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(f"usage: {sys.argv[0]} [--check]")
    check_parameters()
    made = {}
    for name, sources, header, lines in files():
        first = "# Made by tests/vectors/make.py; tests/vectors/README.md has the format.", *sources
        made[f"{name}.txt"] = "\n".join([*first, *(" ".join(map(str, words)) for words in (header, *lines)), ""])
    if not arguments:
        FOLDER.mkdir(exist_ok=True)
        for name, text in made.items():
            (FOLDER / name).write_text(text)
    found = {path.name: path.read_text() for path in FOLDER.iterdir()}
    wrong = sorted(name for name in {*found, *made} if found.get(name) != made.get(name))
    if wrong:
        sys.exit(f"not what make.py writes: {', '.join(wrong)}")
    print(f"{len(made)} files, {sum(map(len, made.values()))} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
