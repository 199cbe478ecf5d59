"""Multi-scalar multiplication against sums over Python's integers, for every curve."""

import pytest
from oracle import add, times

import icicle
from icicle.errors import InvalidArgument


def total(curve, scalars, points):
    out = None
    for k, p in zip(scalars, points):
        out = add(curve, out, times(curve, k, p))
    return out


@pytest.fixture
def few(curve, rng):
    """Scalars and points with all edges: zero, one, -1, infinity, repeated and opposite points."""
    order, g = curve.scalar.modulus, curve.generator.to_ints()
    p = times(curve, 7, g)
    minus = (curve.scalar.from_ints(order - 7) * curve.generator).to_ints()
    scalars = [0, 1, order - 1, rng.randrange(order), rng.randrange(order), rng.randrange(2**16), 5, 5]
    return scalars, [g, g, p, p, None, minus, p, minus]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 8])
def test_sums(curve, few, n):
    scalars, points = few[0][:n], few[1][:n]
    x, y = curve.scalar.from_ints(scalars), curve.affine.from_ints(points)
    expected = total(curve, scalars, points)
    assert curve.msm(x, y).to_ints() == expected
    for c in (1, 5, 13):
        assert curve.msm(x, y, c=c).to_ints() == expected
    out = curve.projective.empty(())
    assert curve.msm(x, y, out=out) is out and out.to_ints() == expected


def test_montgomery_operands(curve, few):
    scalars, points = curve.scalar.from_ints(few[0]), curve.affine.from_ints(few[1])
    expected = curve.msm(scalars, points)
    for s in (scalars, scalars.astype(curve.scalar.montgomery_type)):
        for p in (points, points.astype(curve.affine.montgomery_type)):
            assert curve.msm(s, p) == expected


def test_batches(curve, few):
    scalars, points = curve.scalar.from_ints(few[0]), curve.affine.from_ints(few[1])
    pairs = scalars.reshape(2, 2, 2)
    own, shared = curve.msm(pairs, points), curve.msm(pairs, points[:2])
    assert own.shape == shared.shape == (2, 2)
    for i in range(2):
        for j in range(2):
            k = 4 * i + 2 * j
            assert own[i, j] == curve.msm(scalars[k : k + 2], points[k : k + 2])
            assert shared[i, j] == curve.msm(scalars[k : k + 2], points[:2])
    assert curve.msm(curve.scalar.zeros((0, 3)), points[:3]).shape == (0,)


def test_precomputed_points(curve, few):
    scalars, points = curve.scalar.from_ints(few[0]), curve.affine.from_ints(few[1])
    expected = curve.msm(scalars, points)
    for factor in (1, 3):
        for c in (None, 9):
            multiples = curve.precompute(points, factor, c=c)
            assert multiples.shape == (8, factor)
            assert curve.msm(scalars, multiples, precompute=factor, c=c) == expected
    pairs, own = scalars.reshape(4, 2), curve.precompute(points.reshape(4, 2), 3)
    assert curve.msm(pairs, own, precompute=3) == curve.msm(pairs, points)
    assert curve.msm(pairs, curve.precompute(points[:2], 3), precompute=3) == curve.msm(pairs, points[:2])


def test_small_scalars(curve):
    scalars = curve.scalar.from_ints([3, 2**10 - 1, 0])
    points = curve.scalar.from_ints([1, 2, 3]) * curve.generator
    expected = (3 + 2 * (2**10 - 1)) * curve.generator
    assert curve.msm(scalars, points.affine(), bitsize=10) == expected
    multiples = curve.precompute(points.affine(), 2, bitsize=10)
    assert curve.msm(scalars, multiples, precompute=2, bitsize=10) == expected


def test_linearity(curve):
    n = 300
    a, b, points = curve.scalar.random(n, seed=1), curve.scalar.random(n, seed=2), curve.affine.random(n)
    assert curve.msm(a + b, points) == curve.msm(a, points) + curve.msm(b, points)
    assert curve.msm(a * 9, points) == 9 * curve.msm(a, points)


def test_bad_arguments(curve):
    scalars, points = curve.scalar.ones(4), curve.affine.random(4)
    with pytest.raises(InvalidArgument, match=r"msm: 3 points for scalars of shape \(4,\)"):
        curve.msm(scalars, points[:3])
    with pytest.raises(InvalidArgument, match=f"msm: points of {curve.name} projective"):
        curve.msm(scalars, points.projective())
    with pytest.raises(InvalidArgument, match="msm: scalars of babybear"):
        curve.msm(icicle.fields.babybear.scalar.ones(4), points)
    with pytest.raises(InvalidArgument, match="must have an axis"):
        curve.msm(curve.scalar.ones(()), points)
    with pytest.raises(InvalidArgument, match="msm: c 25: must be at most 24"):
        curve.msm(scalars, points, c=25)
    with pytest.raises(InvalidArgument, match="msm: bitsize 1000: must be at most"):
        curve.msm(scalars, points, bitsize=1000)
    with pytest.raises(InvalidArgument, match="precompute_factor 0"):
        curve.precompute(points, 0)
    with pytest.raises(InvalidArgument, match="msm: out of"):
        curve.msm(scalars, points, out=curve.projective.empty(2))
    with pytest.raises(TypeError):
        curve.msm(scalars, points, 2)
