"""Points against the chord-and-tangent rule over Python's integers, and against py_ecc."""

import pytest
from oracle import add, times

import icicle
from icicle.errors import InvalidArgument, Unsupported


def negated(curve, point):
    if point is None:
        return None
    x, y = point
    p = curve.base.modulus
    return (x, tuple(-c % p for c in y) if isinstance(y, tuple) else -y % p)


def test_group_law(curve, rng):
    g = curve.generator.to_ints()
    multiples = [times(curve, k, g) for k in (1, 2, 3, 5, 0, 1)]
    points = curve.affine.from_ints(multiples)
    assert points.to_ints() == multiples and points.projective().to_ints() == multiples
    others = [multiples[0], multiples[1], negated(curve, multiples[2]), multiples[4], multiples[4], multiples[3]]
    b = curve.affine.from_ints(others)
    sums = [add(curve, p, q) for p, q in zip(multiples, others)]
    differences = [add(curve, p, negated(curve, q)) for p, q in zip(multiples, others)]
    for x in (points, points.projective()):
        for y in (b, b.projective()):
            assert (x + y).to_ints() == sums and (x - y).to_ints() == differences
    for x in (points, points.projective()):
        assert (-x).to_ints() == [negated(curve, p) for p in multiples]
    # One point for all, on either side.
    assert (curve.generator + b).to_ints() == [add(curve, g, q) for q in others]
    assert (b - curve.generator).to_ints() == [add(curve, q, negated(curve, g)) for q in others]
    assert (curve.generator - b.reshape(2, 3)).shape == (2, 3)
    assert (curve.generator + curve.affine.zeros(0)).to_ints() == []


def test_scalar_multiplication(curve, rng):
    order = curve.scalar.modulus
    g = curve.generator
    ints = g.to_ints()
    scalars = [0, 1, 2, order - 1, 2**32 + 1, rng.randrange(order)]
    expected = [times(curve, k, ints) for k in scalars]
    assert (curve.scalar.from_ints(scalars) * g).to_ints() == expected
    assert (g * curve.scalar.from_ints(scalars).astype(curve.scalar.montgomery_type)).to_ints() == expected
    assert (order * g).to_ints() is None and (-1 * g).to_ints() == expected[3]
    many = curve.affine.from_ints([expected[1], expected[2], None])
    assert (3 * many).to_ints() == [times(curve, 3, p) for p in (expected[1], expected[2], None)]


def test_equality_is_the_groups(curve):
    g = curve.generator
    double = g + g
    width = curve.base.itemsize
    coordinates = [curve.base._wrap(double.buffer[i * width : (i + 1) * width], ()) for i in range(3)]
    scaled = curve.projective.empty(())
    for i, coordinate in enumerate(coordinates):
        scaled.buffer[i * width : (i + 1) * width].copy_from((coordinate * 7).buffer)
    assert scaled.buffer.tobytes() != double.buffer.tobytes() and scaled == double and scaled.affine() == double
    assert double == 2 * g and double != g and g - g == 0 * g and g - g != g
    assert g.reshape(1) != g and g != curve.scalar.ones(())
    montgomery = g.astype(curve.affine.montgomery_type)
    assert (
        montgomery.projective() == montgomery == g
        and montgomery.to_ints() == g.to_ints()
        and montgomery.buffer.tobytes() != g.buffer.tobytes()
    )


def test_random_points_are_on_the_curve_and_in_the_group(curve):
    for kind in (curve.affine, curve.projective, curve.affine.montgomery_type):
        points = kind.random(4)
        checked = curve.affine.from_ints(points.to_ints())
        assert checked == points and len(set(points.to_ints())) == 4
        assert (curve.scalar.modulus * points).to_ints() == [None] * 4


def test_points_at_infinity(curve):
    for kind in (curve.affine, curve.projective, curve.projective.montgomery_type):
        zeros = kind.zeros((2, 2))
        assert zeros.to_ints() == [[None, None], [None, None]] and zeros.dtype is kind
        assert zeros == curve.affine.from_ints([[None] * 2] * 2)


def test_py_ecc_agrees(rng):
    """A second implementation of the curves Ethereum uses, with its own generators."""
    from py_ecc import bls12_381 as bls
    from py_ecc import bn128

    def pair(point):
        if point is None:
            return None
        return tuple(tuple(int(c) for c in x.coeffs) if hasattr(x, "coeffs") else int(x) for x in point)

    rows = [
        (icicle.curves.bn254, bn128, bn128.G1),
        (icicle.curves.bn254_g2, bn128, bn128.G2),
        (icicle.curves.bls12_381, bls, bls.G1),
        (icicle.curves.bls12_381_g2, bls, bls.G2),
    ]
    for curve, module, generator in rows:
        assert curve.generator.to_ints() == pair(generator)
        scalars = [rng.randrange(curve.scalar.modulus) for _ in range(3)]
        points = curve.scalar.from_ints(scalars) * curve.generator
        assert points.to_ints() == [pair(module.multiply(generator, k)) for k in scalars]
        total = None
        for k, p in zip([3, 5, 7], scalars):
            total = module.add(total, module.multiply(generator, k * p % curve.scalar.modulus))
        assert curve.msm(curve.scalar.from_ints([3, 5, 7]), points.affine()).to_ints() == pair(total)


def test_compression():
    bls = icicle.curves.bls12_381
    points = bls.scalar.from_ints([1, 2, -1, 0]) * bls.generator
    data = bls.compress(points)
    # The generator's encoding in draft-irtf-cfrg-pairing-friendly-curves-11, appendix C, and the point at infinity's.
    assert data[:8].hex() == "97f1d3a73197d794" and data[144:] == bytes([0xC0]) + bytes(47)
    assert bls.decompress(data) == points
    for source in (bytearray(data), memoryview(data)):
        made = bls.decompress(source, device="cpu:1")
        assert made == points.to("cpu:1") and str(made.device) == "cpu:1"
    with pytest.raises(InvalidArgument, match="decompress_points: point 1: the compressed flag must be set"):
        bls.decompress(data[:48] + bytes(48))
    with pytest.raises(Unsupported, match="only bls12_381"):
        icicle.curves.bn254.compress(icicle.curves.bn254.generator)


def test_the_setup_of_the_vectors_is_on_the_curve():
    from pathlib import Path

    data = (Path(__file__).parents[1] / "vectors/kzg/g1_lagrange.bin").read_bytes()
    bls = icicle.curves.bls12_381
    points = bls.decompress(data)
    assert points.shape == (4096,) and bls.compress(points) == data
    # The Lagrange basis sums to one, so its points sum to the generator.
    assert bls.msm(bls.scalar.ones(4096), points) == bls.generator.reshape().projective()


def test_bad_points(curve):
    x, y = curve.generator.to_ints()
    with pytest.raises(InvalidArgument, match="check_points: point 1:"):
        curve.affine.from_ints([(x, y), (y, x)])
    with pytest.raises(InvalidArgument, match="point of 3 coordinates"):
        curve.affine.from_ints([(x, y, 1)])
    g = curve.generator
    with pytest.raises(InvalidArgument, match="shapes"):
        curve.affine.zeros(2) + curve.affine.zeros(3)
    with pytest.raises(InvalidArgument, match="shapes"):
        curve.scalar.ones(2) * curve.affine.zeros(3)
    other = icicle.curves.grumpkin if curve.name != "grumpkin" else icicle.curves.bn254
    with pytest.raises(InvalidArgument, match="must be of one curve"):
        g + other.generator
    with pytest.raises(InvalidArgument, match="point_arithmetic: scalars of babybear"):
        icicle.fields.babybear.scalar.ones(()) * g
    with pytest.raises(TypeError):
        g + 1
