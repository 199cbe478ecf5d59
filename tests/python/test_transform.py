"""Transforms against their definition, over every field and curve that has them."""

import threading

import pytest
from oracle import Element, add, times, values

import icicle
from icicle.errors import InvalidArgument, Unsupported

FIELDS = [field for field in icicle.fields.FIELDS.values() if field.has_ntt]
CURVES = [curve for curve in icicle.curves.CURVES.values() if curve.has_ecntt]


def definition(field, flat, root, coset=1):
    p = field.modulus
    n = len(flat)
    out = []
    for k in range(n):
        total = Element(field, 0)
        for j, x in enumerate(flat):
            total = total + Element(field, x) * Element(field, pow(coset, j, p) * pow(root, j * k, p))
        out.append(total.value)
    return out


def reversed_order(flat):
    bits = (len(flat) - 1).bit_length()
    return [flat[int(f"{i:0{bits}b}"[::-1], 2) if bits else 0] for i in range(len(flat))]


@pytest.mark.parametrize("field", FIELDS, ids=str)
@pytest.mark.parametrize("n", [1, 2, 4, 16])
def test_definition(field, n, rng):
    family = icicle.fields.FAMILIES[field.prefix]
    a = values(field, n, rng)
    x = field.from_ints(a)
    root = family.root_of_unity(n)
    assert pow(root, n, field.modulus) == 1 and (n == 1 or pow(root, n // 2, field.modulus) == field.modulus - 1)
    expected = definition(field, a, root)
    assert family.ntt(x).to_ints() == expected
    coset = 5
    shifted = definition(field, a, root, coset)
    assert family.ntt(x, coset=coset).to_ints() == shifted
    y = field.from_ints(shifted)
    assert family.ntt(y, inverse=True, coset=coset) == x
    for ordering in ("nr", "rn", "rr", "nm", "mn"):
        source = x.bit_reverse() if ordering[0] in "rm" else x
        wanted = reversed_order(expected) if ordering[1] in "rm" else expected
        assert family.ntt(source, ordering=ordering).to_ints() == wanted, ordering


@pytest.mark.parametrize("field", FIELDS, ids=str)
def test_batches_and_axes(field, rng):
    x = field.random((3, 8), seed=1)
    y = icicle.ntt(x)
    for i in range(3):
        assert y[i] == icicle.ntt(x[i])
    assert icicle.ntt(x.T, axis=0) == y.T and icicle.ntt(x, axis=1) == y
    assert icicle.ntt(x.reshape(3, 1, 8)).reshape(3, 8) == y
    out = field.empty((3, 8))
    assert icicle.ntt(x, out=out) is out and out == y
    z = x.copy()
    assert icicle.ntt(z, out=z) is z and z == y
    assert icicle.ntt(field.zeros(0)).shape == (0,) and icicle.ntt(field.zeros((0, 4))).shape == (0, 4)
    m = x.astype(field.montgomery_type)
    assert icicle.ntt(m).astype(field) == y, "linear: Montgomery data stays so"


def test_lists_are_of_the_familys_scalars():
    family = icicle.fields.babybear
    assert family.ntt([3, 1, 4, 2]) == family.ntt((3, 1, 4, 2)) == icicle.ntt(family.scalar.from_ints([3, 1, 4, 2]))


def test_convolution(rng):
    field = icicle.fields.goldilocks.scalar
    a, b = values(field, 5, rng), values(field, 4, rng)
    x, y = (field.from_ints(v + [0] * (8 - len(v))) for v in (a, b))
    product = icicle.ntt(icicle.ntt(x) * icicle.ntt(y), inverse=True).to_ints()
    expected = [sum(a[i] * b[k - i] for i in range(5) if 0 <= k - i < 4) % field.modulus for k in range(8)]
    assert product == expected


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_points(curve, rng):
    n, g = 4, curve.generator.to_ints()
    scalars = values(curve.scalar, n, rng)
    points = curve.scalar.from_ints(scalars) * curve.generator
    transformed = icicle.ntt(curve.scalar.from_ints(scalars))
    forward = curve.ecntt(points)
    assert forward == transformed * curve.generator, "the transform commutes with multiplying the generator"
    assert forward[0].to_ints() == add(
        curve,
        add(curve, *(times(curve, k, g) for k in scalars[:2])),
        add(curve, *(times(curve, k, g) for k in scalars[2:])),
    )
    assert curve.ecntt(forward, inverse=True) == points
    shifted = icicle.ntt(curve.scalar.from_ints(scalars), coset=5)
    assert curve.ecntt(points, coset=5) == shifted * curve.generator
    assert curve.ecntt(forward, inverse=True, out=forward) is forward and forward == points
    batch = curve.ecntt(points.reshape(2, 2))
    assert batch[1] == curve.ecntt(points[2:])
    with pytest.raises(InvalidArgument, match="must be projective and canonical"):
        curve.ecntt(points.affine())


def test_domains():
    family = icicle.fields.koalabear
    field, device = family.scalar, icicle.Device("cpu:1")
    x = field.from_ints([3, 1, 4, 2], device=device)
    family.init_domain(4, device=device)
    first = icicle.ntt(x)
    root = family.root_of_unity(4)
    other = pow(root, 3, field.modulus)
    family.init_domain(4, root=other, device=device)
    changed = icicle.ntt(x)
    assert changed != first and changed.to_ints() == definition(field, [3, 1, 4, 2], other)
    with pytest.raises(InvalidArgument, match=r"ntt: size 2\^3: larger than the NTT domain of koalabear on cpu:1"):
        icicle.ntt(field.ones(8, device=device))
    family.init_domain(4, device=device)
    assert icicle.ntt(x) == first, "the library's root again"
    family.init_domain(4, root=other, device=device)
    assert icicle.ntt(x) == changed
    with device:
        family.release_domain()
    assert icicle.ntt(x) == first and icicle.ntt(field.ones(8, device=device))[0].to_ints() == 8
    with pytest.raises(InvalidArgument, match="its order must be a power of two"):
        family.init_domain(4, root=5, device=device)
    assert icicle.ntt(x) == first, "a refused root leaves the library's"


@pytest.mark.parametrize("family", [icicle.fields.babybear, icicle.fields.bn254], ids=["babybear", "bn254"])
def test_threads_share_domains(family):
    field = family.scalar
    failures = []

    def work(log_n):
        for k in range(4):
            x = field.random(1 << (log_n + k), device="cpu:2")
            if icicle.ntt(icicle.ntt(x), inverse=True) != x:
                failures.append(log_n)

    family.release_domain(device="cpu:2")

    threads = [threading.Thread(target=work, args=(log_n,)) for log_n in (3, 12, 5, 10, 1, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_bad_arguments():
    field = icicle.fields.babybear.scalar
    x = field.ones(4)
    with pytest.raises(InvalidArgument, match="ntt: size 3: must be a power of two"):
        icicle.ntt(field.ones(3))
    with pytest.raises(InvalidArgument, match='ordering "nx": must be nn, nr, rn, rr, nm or mn'):
        icicle.ntt(x, ordering="nx")
    with pytest.raises(InvalidArgument, match="coset_gen: must be nonzero"):
        icicle.ntt(x, coset=0)
    with pytest.raises(InvalidArgument, match="axis 1 of shape .1, 2, 2.: must be the first or the last"):
        icicle.ntt(x.reshape(1, 2, 2), axis=1)
    with pytest.raises(InvalidArgument, match="out of babybear, shape"):
        icicle.ntt(x, out=field.ones(8))
    with pytest.raises(InvalidArgument, match="array of babybear: must be of a field of bn254"):
        icicle.fields.bn254.ntt(x)
    with pytest.raises(InvalidArgument, match=r"max_size 1073741824: must be at most 2\^27"):
        icicle.fields.babybear.root_of_unity(1 << 30)
    with pytest.raises(Unsupported, match="field m31: has no NTT"):
        icicle.ntt(icicle.fields.m31.scalar.ones(4))
    with pytest.raises(Unsupported, match="curve grumpkin: has no ECNTT"):
        icicle.curves.grumpkin.ecntt(icicle.curves.grumpkin.projective.zeros(4))
    with pytest.raises(TypeError):
        icicle.ntt(x, True)
