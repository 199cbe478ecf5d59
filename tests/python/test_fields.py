"""Operations on field elements against Python's integers, for every field."""

import pytest
from oracle import Element, values

import icicle
from icicle.errors import InvalidArgument

SIZES = [0, 1, 2, 3, 7, 8, 9, 257]


def lift(field, flat):
    return [Element(field, value) for value in flat]


def lower(elements):
    return [element.value for element in elements]


@pytest.mark.parametrize("n", SIZES)
def test_integers_there_and_back(field, n, rng):
    data = values(field, n, rng)
    for dtype in (field, field.montgomery_type):
        assert dtype.from_ints(data).to_ints() == data
    if field.degree == 1:
        shifted = [x + field.modulus * k for k, x in enumerate(data, start=-2)]
        assert field.from_ints(shifted).to_ints() == data


@pytest.mark.parametrize("n", SIZES)
def test_arithmetic(field, n, rng):
    a, b = values(field, n, rng), values(field, n, rng)[::-1]
    x, y = field.from_ints(a), field.from_ints(b)
    ea, eb = lift(field, a), lift(field, b)
    zero = Element(field, 0)
    assert (x + y).to_ints() == lower(p + q for p, q in zip(ea, eb))
    assert (x - y).to_ints() == lower(p - q for p, q in zip(ea, eb))
    assert (x * y).to_ints() == lower(p * q for p, q in zip(ea, eb))
    assert (-x).to_ints() == lower(zero - p for p in ea)
    assert (x**5).to_ints() == lower(p**5 for p in ea)
    assert (x**0).to_ints() == lower(Element(field, 1) for _ in ea)
    total, product = zero, Element(field, 1)
    for p in ea:
        total, product = total + p, product * p
    assert x.sum().to_ints() == total.value
    assert x.prod().to_ints() == product.value


def test_inverses_and_quotients(field, rng):
    a, b = values(field, 9, rng), values(field, 9, rng)[::-1]
    x, y = field.from_ints(a), field.from_ints(b)
    if field.name == "m31_extension":  # a ring: the inverse is one where it is not zero
        one, zero = Element(field, 1), Element(field, 0)
        pairs = list(zip(lift(field, a), lift(field, x.inv().to_ints())))
        assert all(p * q == one or q == zero for p, q in pairs)
        assert sum(p * q == one for p, q in pairs) >= 7
        assert (x / y) == x * y.inv()
        return
    inverses = lower(p.inverse() for p in lift(field, a))
    assert x.inv().to_ints() == inverses
    assert (x ** (-2)).to_ints() == lower(p.inverse() ** 2 for p in lift(field, a))
    assert (x / y).to_ints() == lower(p * q.inverse() for p, q in zip(lift(field, a), lift(field, b)))


def test_scalars_on_either_side(field, rng):
    a = values(field, 6, rng)
    x, three = field.from_ints(a), Element(field, 3)
    ea = lift(field, a)
    for scalar in (3, field.from_ints(3)):
        assert (x + scalar).to_ints() == (scalar + x).to_ints() == lower(p + three for p in ea)
        assert (x * scalar).to_ints() == (scalar * x).to_ints() == lower(p * three for p in ea)
        assert (x - scalar).to_ints() == lower(p - three for p in ea)
        assert (scalar - x).to_ints() == lower(three - p for p in ea)
        assert (x / scalar * 3) == x
        assert (scalar / x) == x.inv() * 3
    batch = x.reshape(2, 3)
    each = field.from_ints([[2], [5]])
    expected = [lower(p * Element(field, k) for p in ea[3 * i : 3 * i + 3]) for i, k in enumerate((2, 5))]
    assert (batch * each).to_ints() == (each * batch).to_ints() == expected
    assert (each - batch) == -(batch - each)
    empty = field.zeros((0, 3))
    assert (empty * 3).shape == (empty * field.zeros((0, 1))).shape == (0, 3)


def test_mixed_products(rng):
    for field in icicle.fields.FIELDS.values():
        a = values(field, 8, rng)
        s = values(field.scalar, 8, rng)
        x, y = field.from_ints(a), field.scalar.from_ints(s)
        if not field.is_extension:
            continue
        expected = lower(p * Element(field, k) for p, k in zip(lift(field, a), s))
        assert (x * y).to_ints() == expected
        assert (x / y) == x * y.inv()
    with pytest.raises(InvalidArgument, match="operands of bn254 and babybear: must be the same"):
        icicle.fields.bn254.scalar.ones(2) * icicle.fields.babybear.scalar.ones(2)


def test_in_place(field, rng):
    a, b = values(field, 5, rng), values(field, 5, rng)[::-1]
    x, y = field.from_ints(a), field.from_ints(b)
    for operator in ("__iadd__", "__isub__", "__imul__", "__itruediv__"):
        z = x.copy()
        address = z.buffer.ptr
        binary = getattr(x, operator.replace("__i", "__"))(y)
        same = getattr(z, operator)(y)
        assert same is z and z.buffer.ptr == address and z == binary
    assert x.to_ints() == a, "operands stay"
    small = field.ones(())
    with pytest.raises(InvalidArgument, match=r"vector_add: shapes \(\) and \(5,\)"):
        small += x


def test_comparison(field):
    x = field.from_ints([1, 2, 3])
    assert x == field.from_ints([1, 2, 3]) and not x != x.copy()
    assert x != field.from_ints([1, 2, 4]) and x != field.from_ints([0, 2, 3])
    assert x != x.reshape(3, 1) and x != x.astype(field.montgomery_type) and x == [1, 2, 3]
    assert field.zeros(0) == field.zeros(0) and field.ones(()) != field.zeros(())
    with pytest.raises(TypeError):
        hash(x)


def test_reductions_along_axes(field, rng):
    a = values(field, 12, rng)
    x = field.from_ints(a).reshape(3, 4)
    rows = [lift(field, a[4 * i : 4 * i + 4]) for i in range(3)]

    def fold(elements, product):
        out = Element(field, int(product))
        for element in elements:
            out = out * element if product else out + element
        return out.value

    for product, method in ((False, x.sum), (True, x.prod)):
        assert method(axis=1).to_ints() == method(axis=-1).to_ints() == [fold(row, product) for row in rows]
        assert method(axis=0).to_ints() == [fold(column, product) for column in zip(*rows)]
    assert field.zeros((0, 3)).sum(axis=1).shape == (0,) and field.zeros((3, 0)).sum(axis=1) == field.zeros(3)
    with pytest.raises(InvalidArgument, match="axis 1 of shape .2, 2, 2.: must be the first or the last"):
        field.zeros((2, 2, 2)).sum(axis=1)


def test_reorderings(field, rng):
    a = values(field, 16, rng)
    x = field.from_ints(a)
    order = [int(f"{i:04b}"[::-1], 2) for i in range(16)]
    assert x.bit_reverse().to_ints() == [a[i] for i in order]
    assert x.reshape(8, 2).bit_reverse(axis=0) == x.reshape(8, 2).T.bit_reverse().T
    assert x.slice(3, 4, 3).to_ints() == a[3:12:4]
    assert x.reshape(8, 2).slice(1, 2, 3, axis=0).to_ints() == [a[2 * i : 2 * i + 2] for i in (1, 3, 5)]
    assert x.reshape(2, 8).slice(0, 1, 2).to_ints() == [a[:2], a[8:10]]
    padded = field.zeros((2, 4))
    padded[1, 2] = 7
    assert padded.highest_non_zero() == [-1, 2] and padded.reshape(-1).highest_non_zero() == 6
    deep = field.zeros((2, 3, 1, 4))
    deep[1, 2, 0, 3] = deep[0, 1, 0, 0] = 7
    assert deep.highest_non_zero() == [[[-1], [0], [-1]], [[-1], [-1], [3]]]
    with pytest.raises(InvalidArgument, match="size 3: must be a power of two"):
        field.ones(3).bit_reverse()
    with pytest.raises(InvalidArgument, match="offset 1, stride 3, size_out 3"):
        field.ones(5).slice(1, 3, 3)


def test_matrices(field, rng):
    a = values(field, 12, rng)
    x = field.from_ints(a).reshape(3, 4)
    assert x.T.to_ints() == [list(column) for column in zip(*x.to_ints())]
    batch = field.from_ints(a).reshape(2, 2, 3)
    assert batch.T.to_ints() == [[list(c) for c in zip(*m)] for m in batch.to_ints()]
    rows = [lift(field, row) for row in x.to_ints()]
    expected = []
    for row in rows:
        line = []
        for other in rows:
            total = Element(field, 0)
            for p, q in zip(row, other):
                total = total + p * q
            line.append(total.value)
        expected.append(line)
    assert (x @ x.T).to_ints() == expected
    with pytest.raises(InvalidArgument, match="inner dimensions 4 and 3: must be equal"):
        x @ x
    with pytest.raises(InvalidArgument, match="every dimension must be at least 1"):
        field.zeros((0, 3)) @ field.zeros((3, 2))


def test_polynomials(field, rng):
    coefficients, points = values(field, 5, rng), values(field, 4, rng)
    f = field.from_ints(coefficients)

    def horner(x):
        total = Element(field, 0)
        for c in reversed(coefficients):
            total = total * Element(field, x) + Element(field, c)
        return total.value

    assert icicle.polynomial.evaluate(f, field.from_ints(points)).to_ints() == [horner(x) for x in points]
    batch = icicle.polynomial.evaluate(field.from_ints([coefficients, coefficients]), field.from_ints(points))
    assert batch.shape == (2, 4) and batch[0] == batch[1]
    g = field.from_ints([1, 2, 1])
    quotient, remainder = icicle.polynomial.divide(f, g)
    assert remainder.highest_non_zero() < 2
    x = field.random(7)

    def at(p):
        return icicle.polynomial.evaluate(p, x)

    assert at(quotient) * at(g) + at(remainder) == at(f)
    with pytest.raises(InvalidArgument, match="poly_division"):
        icicle.polynomial.divide(f, field.zeros(2))


def test_programs(field, rng):
    from icicle.program import Program, Symbol, execute

    a, b, c = (values(field, 9, rng) for _ in range(3))
    symbols = [Symbol.input(i) for i in range(3)]
    result = (symbols[0] * symbols[1] - symbols[2]) * field.symbol(5)
    program = Program([*symbols[:2], symbols[2], result])
    assert program.parameters == 4 and program.degree == 2
    vectors = [field.from_ints(v) for v in (a, b, c)] + [field.zeros(9)]
    execute(program, vectors)
    expected = [(p * q - r) * Element(field, 5) for p, q, r in zip(*(lift(field, v) for v in (a, b, c)))]
    assert vectors[3].to_ints() == lower(expected) and vectors[0].to_ints() == a
    execute(Program.predefined("ab-c"), vectors)
    assert vectors[3] == vectors[0] * vectors[1] - vectors[2]
    inverse = Program([Symbol.input(0).inverse()])
    assert inverse.degree == -1
    x = vectors[0].copy()
    execute(inverse, [x])
    assert x == vectors[0].inv()
    with pytest.raises(InvalidArgument, match="2 vectors: the program has 1 parameters"):
        execute(inverse, [x, vectors[1]])
    with pytest.raises(InvalidArgument, match="overlap"):
        execute(program, [vectors[0]] * 4)


def test_montgomery_is_a_type_of_its_own(field, rng):
    a = values(field, 6, rng)
    x = field.from_ints(a)
    m = x.astype(field.montgomery_type)
    assert m.dtype.montgomery and m.to_ints() == a and m.astype(field) == x
    radix = pow(2, 8 * field.itemsize // field.degree, field.modulus)
    assert field._unpack(m.buffer.tobytes()) == lower(p * Element(field, radix) for p in lift(field, a))
    assert (m + m).astype(field) == x + x and (m - 2).astype(field) == x - 2 and m.sum().to_ints() == x.sum().to_ints()
    for call in (lambda: m * m, lambda: m / 3, lambda: 3 / m, m.inv, m.prod, lambda: m**2):
        with pytest.raises(InvalidArgument, match="in Montgomery form: must be canonical"):
            call()


def test_random_elements(field):
    x = field.random(200, seed=7)
    assert x == field.random(200, seed=7) and x != field.random(200, seed=8) and field.random(9) != field.random(9)
    low, high = field.modulus // 4, 3 * field.modulus // 4
    flat = [c for value in x.to_ints() for c in (value if field.degree > 1 else (value,))]
    assert all(0 <= c < field.modulus for c in flat)
    middle = sum(low <= c < high for c in flat) / len(flat)
    assert 0.35 < middle < 0.65


def test_filled_arrays(field):
    for dtype in (field, field.montgomery_type):
        assert dtype.ones((2, 2)).to_ints() == dtype.from_ints([[1, 1], [1, 1]]).to_ints()
        assert dtype.full(3, -1).to_ints() == dtype.from_ints([-1] * 3).to_ints()
        assert dtype.zeros(()).to_ints() == dtype.from_ints(0).to_ints()


def test_bad_values():
    field, extension = icicle.fields.bn254.scalar, icicle.fields.babybear.extension
    with pytest.raises(InvalidArgument, match="every sequence along an axis must have 2 elements"):
        field.from_ints([[1, 2], [3]])
    with pytest.raises(InvalidArgument, match="every sequence"):
        field.from_ints([[1, 2], 3])
    for bad in ("12", 1.5, [1.5], None):
        with pytest.raises(TypeError):
            field.from_ints(bad)
    with pytest.raises(InvalidArgument, match="3 coefficients: an element of babybear_extension has 4"):
        extension.from_ints([(1, 2, 3)])
    with pytest.raises(TypeError):
        field.ones(2) + "1"
