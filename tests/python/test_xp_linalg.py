"""icicle.xp.linalg against NumPy, and by what defines the factors where those are not unique."""

import inspect

import array_api_strict as strict
import numpy as np
import pytest
from arrays_of_numbers import FLOATS, INEXACT, NUMBERS, arrays, same, strided
from hypothesis import given, settings
from hypothesis import strategies as st

from icicle import xp

LOOSE = {"float32": 2e-3, "complex64": 2e-3, "float64": 1e-9, "complex128": 1e-9}
SHAPES = [(0, 0), (1, 1), (2, 2), (3, 3), (8, 8), (33, 33), (2, 5, 5), (3, 0, 4, 4), (2, 1, 3, 3), (2, 0, 0)]
WIDE = [(0, 3), (3, 0), (1, 4), (4, 1), (5, 3), (3, 5), (2, 4, 3), (0, 2, 3), (17, 31)]


def close(got, want, scale=1.0):
    """Compare with what NumPy gives, to the dtype's precision."""
    assert isinstance(got, xp.Array) and got.dtype.name == want.dtype.name and got.shape == want.shape
    tolerance = LOOSE.get(want.dtype.name, 0)
    np.testing.assert_allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance * scale)


def sample(dtype, shape, seed=0):
    """Matrices far from singular, of either sign."""
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape)
    if dtype.startswith("complex"):
        x = x + 1j * random.standard_normal(shape)
    n = min(shape[-2:])
    x[..., range(n), range(n)] += 3 * np.sign(x[..., range(n), range(n)].real + 1e-9)
    return x.astype(dtype)


def hermitian(x):
    return x + np.conj(np.swapaxes(x, -1, -2))


def H(x):
    return np.conj(np.swapaxes(x, -1, -2))


def unitary(q):
    q = np.asarray(q)
    eye = np.broadcast_to(np.eye(q.shape[-1], dtype=q.dtype), (*q.shape[:-2], *[q.shape[-1]] * 2))
    np.testing.assert_allclose(H(q) @ q, eye, atol=LOOSE[q.dtype.name])


def test_names_and_signatures_are_the_standards():
    # New in 2025.12: array-api-strict has them, but not in its list.
    assert set(xp.linalg.__all__) == {*strict.linalg.__all__, "eig", "eigvals"}
    for name in xp.linalg.__all__:
        ours, theirs = (inspect.signature(getattr(module.linalg, name)).parameters for module in (xp, strict))
        assert [(p.name, p.kind) for p in ours.values()] == [(p.name, p.kind) for p in theirs.values()], name
        for one in theirs.values():
            assert one.default == ours[one.name].default or one.default is inspect.Parameter.empty, name
        assert "aises" in getattr(xp.linalg, name).__doc__


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", INEXACT)
def test_square(dtype, shape):
    x = sample(dtype, shape)
    close(xp.linalg.det(strided(x)), np.linalg.det(x), 10.0 ** shape[-1])
    sign, logarithm = np.linalg.slogdet(x)
    found = xp.linalg.slogdet(strided(x))
    close(found.sign, sign)
    close(found.logabsdet, logarithm)
    close(xp.linalg.inv(strided(x)), np.linalg.inv(x))
    y = sample(dtype, (*shape[:-1], 2), 1)
    close(xp.linalg.solve(strided(x), strided(y)), np.linalg.solve(x, y))
    vector = np.arange(shape[-1]).astype(dtype)
    column = np.broadcast_to(vector[:, None], (*shape[:-1], 1))
    close(xp.linalg.solve(strided(x), strided(vector)), np.linalg.solve(x, column)[..., 0])
    for n in (0, 1, 2, 5, -1, -3):
        want = np.linalg.matrix_power(x, n)
        close(xp.linalg.matrix_power(strided(x), n), want, max(1.0, np.abs(want).max(initial=0)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", INEXACT)
def test_positive_definite(dtype, shape):
    x = sample(dtype, shape)
    x = x @ H(x) + np.eye(shape[-1], dtype=dtype)
    want = np.linalg.cholesky(x)
    close(xp.linalg.cholesky(strided(x)), want)
    close(xp.linalg.cholesky(strided(x), upper=True), H(want))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", INEXACT)
def test_eigenvalues(dtype, shape):
    x = hermitian(sample(dtype, shape))
    values, vectors = xp.linalg.eigh(strided(x))
    close(values, np.linalg.eigvalsh(x), 10)
    close(xp.linalg.eigvalsh(strided(x)), np.linalg.eigvalsh(x), 10)
    unitary(vectors)
    close(vectors * values[..., None, :], x @ np.asarray(vectors), 100)
    x = sample(dtype, shape)
    values, vectors = map(np.asarray, xp.linalg.eig(strided(x)))
    assert values.dtype.name == vectors.dtype.name == str(np.result_type(dtype, "complex64"))
    np.testing.assert_allclose(x @ vectors, vectors * values[..., None, :], atol=100 * LOOSE[dtype])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=-2), np.ones(values.shape), rtol=1e-5)
    for found in (values, np.asarray(xp.linalg.eigvals(strided(x)))):
        want = np.linalg.eigvals(x)
        # In no order: each one is near another, and their sums agree.
        for one, other in ((found, want), (want, found)):
            near = np.abs(one[..., :, None] - other[..., None, :]).min(-1, initial=np.inf)
            assert (near < 100 * LOOSE[dtype]).all()
        np.testing.assert_allclose(found.sum(-1), want.sum(-1), atol=100 * LOOSE[dtype])


@pytest.mark.parametrize("shape", [*SHAPES, *WIDE])
@pytest.mark.parametrize("dtype", INEXACT)
def test_singular_values_and_orthonormal_columns(dtype, shape):
    x = sample(dtype, shape)
    k = min(shape[-2:])
    values = np.linalg.svd(x, compute_uv=False)
    close(xp.linalg.svdvals(strided(x)), values, 10)
    for full in (True, False):
        found = xp.linalg.svd(strided(x), full_matrices=full)
        want = np.linalg.svd(x, full_matrices=full)
        for one, other in zip(found, want):
            assert (one.dtype.name, one.shape) == (other.dtype.name, other.shape)
        left, values, right = map(np.asarray, found)
        unitary(left)
        unitary(H(right))
        np.testing.assert_allclose(left[..., :k] * values[..., None, :] @ right[..., :k, :], x, atol=10 * LOOSE[dtype])
    for mode in ("reduced", "complete"):
        first, second = xp.linalg.qr(strided(x), mode=mode)
        inner = k if mode == "reduced" else shape[-2]
        assert first.shape == (*shape[:-1], inner) and second.shape == (*shape[:-2], inner, shape[-1])
        unitary(first)
        assert (np.asarray(second) == np.triu(np.asarray(second))).all()
        diagonal = np.diagonal(np.asarray(second), axis1=-2, axis2=-1)
        theirs = np.diagonal(np.linalg.qr(x, mode=mode)[1], axis1=-2, axis2=-1)
        assert (diagonal.imag == 0).all()
        np.testing.assert_allclose(abs(diagonal), abs(theirs), atol=10 * LOOSE[dtype])
        # NumPy's sign, which the standard leaves open.
        np.testing.assert_allclose(diagonal[..., :1], theirs[..., :1], atol=10 * LOOSE[dtype])
        np.testing.assert_allclose(np.asarray(first) @ np.asarray(second), x, atol=10 * LOOSE[dtype])
    if x.size or 0 not in shape[-2:]:
        close(xp.linalg.pinv(strided(x)), np.linalg.pinv(x))
    else:
        assert xp.linalg.pinv(strided(x)).shape == (*shape[:-2], shape[-1], shape[-2])
    found = xp.linalg.matrix_rank(strided(x))
    assert found.dtype == xp.int64 and (np.asarray(found) == k).all() and found.shape == shape[:-2]


def test_ranks_and_tolerances():
    x = np.diag([4.0, 2.0, 1e-3, 0.0])
    assert int(xp.linalg.matrix_rank(xp.asarray(x))) == 3 and int(xp.linalg.matrix_rank(xp.asarray(x), rtol=0.01)) == 2
    both = xp.linalg.matrix_rank(xp.asarray(np.stack([x, x])), rtol=xp.asarray([0.01, 0.6]))
    assert both.tolist() == [2, 1]
    close(xp.linalg.pinv(xp.asarray(x)), np.linalg.pinv(x))
    close(xp.linalg.pinv(xp.asarray(x), rtol=0.01), np.linalg.pinv(x, rtol=0.01))
    assert xp.linalg.pinv(xp.zeros((2, 3))).tolist() == [[0.0, 0.0]] * 3


@pytest.mark.parametrize("power", [-200, -170, 0, 150, 200])
def test_numbers_of_any_magnitude(power):
    x = sample("float64", (6, 6)) * 10.0**power
    np.testing.assert_allclose(np.asarray(xp.linalg.svdvals(xp.asarray(x))), np.linalg.svd(x)[1], rtol=1e-9)
    x = hermitian(x)
    np.testing.assert_allclose(np.asarray(xp.linalg.eigh(xp.asarray(x))[0]), np.linalg.eigvalsh(x), rtol=1e-9)
    close(xp.linalg.matrix_norm(xp.asarray(x), ord=2), np.linalg.norm(x, 2), 10.0**power)


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (5, 3), (2, 3, 4), (0, 2, 3), (2, 2)])
@pytest.mark.parametrize("dtype", INEXACT)
def test_norms_of_matrices(dtype, shape, ord):
    x = sample(dtype, shape)
    for keepdims in (False, True):
        want = np.linalg.matrix_norm(x, ord=ord, keepdims=keepdims)
        close(xp.linalg.matrix_norm(strided(x), ord=ord, keepdims=keepdims), np.asarray(want))
    assert xp.linalg.matrix_norm(xp.zeros((0, 3)), ord=abs(ord) if isinstance(ord, (int, float)) else ord).tolist() == 0


@settings(max_examples=80, deadline=None, derandomize=True)
@given(x=arrays(INEXACT, least=1, least_side=1), data=st.data())
def test_norms_of_vectors(x, data):
    ord = data.draw(st.sampled_from([0, 1, 2, 3, -1, -2, 0.5, np.inf, -np.inf]))
    axis = data.draw(st.sampled_from([None, 0, -1, tuple(range(x.ndim))]))
    keepdims = data.draw(st.booleans())
    with np.errstate(all="ignore"):
        want = np.asarray(np.linalg.vector_norm(x, axis=axis, ord=ord, keepdims=keepdims))
    want = want.astype(np.abs(x).dtype)
    close(xp.linalg.vector_norm(strided(x), axis=axis, ord=ord, keepdims=keepdims), want)


def test_norms_of_nothing():
    x = xp.zeros((0,))
    assert [float(xp.linalg.vector_norm(x, ord=n)) for n in (0, 1, 2, np.inf, -np.inf)] == [0, 0, 0, 0, np.inf]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(x=arrays(NUMBERS, least=2), data=st.data())
def test_parts_and_products(x, data):
    offset = data.draw(st.integers(-6, 6))
    ours = strided(x)
    same(xp.linalg.diagonal(ours, offset=offset), np.linalg.diagonal(x, offset=offset))
    same(xp.linalg.trace(ours, offset=offset), np.linalg.trace(x, offset=offset))
    vector = np.ascontiguousarray(x).reshape(-1)[:7]
    same(xp.linalg.outer(strided(vector), strided(vector)), np.linalg.outer(vector, vector))
    for name in ("matmul", "matrix_transpose", "tensordot", "vecdot"):
        assert getattr(xp.linalg, name) is getattr(xp, name)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(x=arrays(NUMBERS, shape=(2, 1, 3)), y=arrays(NUMBERS, shape=(4, 3)))
def test_cross(x, y):
    y = y.astype(x.dtype)
    same(xp.linalg.cross(strided(x), strided(y)), np.cross(x, y))
    turned = np.moveaxis(x, -1, -2), np.moveaxis(y, -1, -2)
    same(xp.linalg.cross(*map(strided, turned), axis=-2), np.cross(np.moveaxis(turned[0], -2, -1), y).swapaxes(-1, -2))


def test_diagonals_beyond_every_matrix():
    assert xp.linalg.diagonal(xp.ones((2, 3)), offset=10**30).shape == (0,)
    assert xp.linalg.trace(xp.ones((2, 3)), offset=-(10**30)).tolist() == 0.0
    assert xp.eye(2, k=10**30).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert xp.linalg.diagonal(xp.ones((2, 3))).address, "a view"


SINGULAR = [np.zeros((2, 2)), np.ones((3, 3)), np.diag([1.0, 0.0])]


@pytest.mark.parametrize("x", SINGULAR)
def test_singular(x):
    for call in (xp.linalg.inv, lambda x: xp.linalg.solve(x, x), lambda x: xp.linalg.matrix_power(x, -1)):
        with pytest.raises(ValueError, match="matrix 1 of 2: is singular"):
            call(xp.asarray(np.stack([np.eye(len(x)), x])))
    assert float(xp.linalg.det(xp.asarray(x))) == 0
    sign, logarithm = xp.linalg.slogdet(xp.asarray(x))
    assert (float(sign), float(logarithm)) == (0, -np.inf)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", INEXACT)
def test_not_finite(dtype, bad):
    x = xp.asarray(np.asarray([[1, bad], [bad, 1]]).astype(dtype))
    linalg = xp.linalg
    for call in (linalg.svd, linalg.svdvals, linalg.eigh, linalg.eigvalsh, linalg.eig, linalg.eigvals, linalg.pinv):
        with pytest.raises(ValueError, match="matrix 0 of 1: holds NaN or infinities"):
            call(x)
    with pytest.raises(ValueError, match="cholesky: matrix 0 of 1: must be positive definite"):
        linalg.cholesky(x)
    for call in (linalg.det, linalg.qr, linalg.slogdet, linalg.vector_norm, linalg.matrix_norm):
        call(x)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: xp.linalg.inv(xp.ones((2, 3))), ValueError, "inv: matrices of 2 rows and 3 columns: must be square"),
        (lambda: xp.linalg.det(xp.ones(3)), ValueError, r"det: array of shape \[3\]: must have two axes"),
        (lambda: xp.linalg.svd(xp.ones((2, 2), dtype=xp.int8)), TypeError, "svd: array of int8: must be floating"),
        (lambda: xp.linalg.cholesky(-xp.eye(2)), ValueError, "must be positive definite"),
        (lambda: xp.linalg.qr(xp.eye(2), mode="raw"), ValueError, "mode 'raw'"),
        (lambda: xp.linalg.matrix_norm(xp.eye(2), ord=3), ValueError, "ord 3: must be"),
        (lambda: xp.linalg.matrix_norm(xp.ones(2)), ValueError, "two axes or more"),
        (lambda: xp.linalg.solve(xp.eye(2), xp.ones((3, 1))), ValueError, "as many rows"),
        (lambda: xp.linalg.cross(xp.ones(2), xp.ones(2)), ValueError, "axis -1 of extent 2: must be 3"),
        (lambda: xp.linalg.cross(xp.ones(3), xp.ones(3), axis=0), ValueError, "axis 0: must be negative"),
        (lambda: xp.linalg.cross(xp.ones((1, 3)), xp.ones((3, 1)), axis=-2), ValueError, "extent 1: must be 3"),
        (lambda: xp.linalg.outer(xp.ones((2, 2)), xp.ones(2)), ValueError, "must have one axis each"),
        (lambda: xp.linalg.pinv(xp.eye(2), rtol=xp.asarray([1, 2])), ValueError, "rtol of int64"),
        (lambda: xp.linalg.trace(xp.ones((2, 2), dtype=xp.bool)), TypeError, "trace: arrays of bool: must be numeric"),
        (lambda: xp.linalg.matrix_power(xp.ones((2, 3)), 2), ValueError, "must be of square matrices"),
        (lambda: xp.linalg.vector_norm(xp.ones(2), axis=1), ValueError, "axis 1"),
    ],
)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_large_stack_and_a_large_matrix(dtype):
    x = sample(dtype, (500, 9, 9))
    close(xp.linalg.inv(strided(x)), np.linalg.inv(x))
    x = sample(dtype, (257, 257))
    close(xp.linalg.svdvals(strided(x)), np.linalg.svd(x, compute_uv=False), 100)
    vectors = xp.linalg.eigh(strided(hermitian(x))).eigenvectors
    unitary(vectors)
