"""Views at strides: NumPy's indexing is what they are compared with."""

import copy
import hashlib
import pickle

import numpy as np
import pytest

import icicle
from icicle.errors import InvalidArgument

S = slice
KEYS = [
    S(None, None, 2),
    S(None, None, -1),
    S(5, 0, -3),
    (S(None), 1),
    (S(None), S(1, 3)),
    (S(None), S(None, None, -2)),
    (S(None), S(None), 0),
    (S(None), S(None), S(None, None, 3)),
    (..., -1),
    (S(1, 4), ..., S(None, None, -1)),
    (2, S(None, None, -1), S(1, 2)),
    (S(4, 4), S(None, None, 2)),
    (S(None), S(3, 1), S(None, None, 2)),
    (1, 2, 3),
    (S(2, 3), S(None, None, 2), 1),
    (S(None, None, 2), S(0, 1), S(2, 3)),
    ...,
]


def of_limbs(key):
    """The same of an array with one more axis, of limbs, which `...` does not stand for."""
    return (*key, S(None)) if isinstance(key, tuple) and ... in key else key


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_reading(key):
    for field in (icicle.fields.bn254.scalar, icicle.fields.m31.qm31, icicle.fields.bls12_381.scalar.montgomery_type):
        x = field.canonical_type.random((6, 5, 4), seed=11)
        want = np.asarray(x)[of_limbs(key)]
        if field.montgomery:
            view = x.astype(field)[key].astype(field.canonical_type)
            assert view.buffer.tobytes() == want.tobytes()
            continue
        view = x[key]
        assert view.shape == want.shape[: len(view.shape)] and view.size * field.itemsize == view.nbytes == want.nbytes
        seen = np.asarray(view)
        assert (seen == want).all() and (not want.size or np.shares_memory(seen, np.asarray(x)))
        assert view.buffer.tobytes() == view.tobytes() == want.tobytes() and view.to_ints() == view.copy().to_ints()
        assert view.contiguous().is_contiguous and view.contiguous() == view == view.copy() == copy.deepcopy(view)
        assert view.copy().numpy().tobytes() == want.tobytes() == view.to("cpu:2").tobytes()
        assert not np.shares_memory(view.copy().numpy(), np.asarray(x))
        assert pickle.loads(pickle.dumps(view)) == view and view.reshape(-1).tobytes() == want.tobytes()
        strides = view.__array_interface__["strides"]
        assert (strides is None) == view.is_contiguous == want.flags.c_contiguous or not want.size
        if want.size and strides is not None:
            assert all(n == 1 or ours == theirs for n, ours, theirs in zip(want.shape, strides, want.strides))
            assert tuple(step // field.itemsize for step in strides[: view.ndim]) == view.strides
            shared = memoryview(view)
            assert not shared.c_contiguous and shared.tobytes() == want.tobytes()
            shared.release()
        for made in (np.from_dlpack(view), np.from_dlpack(view, copy=True)):
            assert (made == want).all()
        assert not want.size or np.shares_memory(np.from_dlpack(view), np.asarray(x))


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_writing(key):
    field = icicle.fields.bls12_377.scalar
    x, y = field.random((6, 5, 4), seed=11), field.random((6, 5, 4), seed=12)
    expected = np.array(np.asarray(x))
    expected[of_limbs(key)] = np.asarray(y)[of_limbs(key)]
    x[key] = y[key].copy()
    assert (np.asarray(x) == expected).all()
    x[key] = x[key] + y[key]
    into = x.copy()
    into[key] -= y[key]
    assert (np.asarray(into) == expected).all(), "in place through views"
    x[key] = y[key]
    assert (np.asarray(x) == expected).all()


def test_elements_that_overlap_are_copied_first():
    field = icicle.fields.babybear.scalar
    x = field.from_ints(list(range(10)))
    x[:] = x[::-1]
    assert x.to_ints() == list(range(9, -1, -1))
    x[::2] = x[:5]
    assert x.to_ints() == [9, 8, 8, 6, 7, 4, 6, 2, 5, 0]
    x[1::2] += x[::2]
    assert x.to_ints() == [9, 17, 8, 14, 7, 11, 6, 8, 5, 5]
    x[::-3] = [1, 2, 3, 4]
    assert x.to_ints() == [4, 17, 8, 3, 7, 11, 2, 8, 5, 1]


def test_operations_take_views(field, rng):
    x, y = field.random((4, 6), seed=1), field.random((6, 4), seed=2)
    for a in (x[:, ::-2], x[::2, 1:4], y.T[:, :3]):
        b = a.contiguous()
        assert not a.is_contiguous and b.is_contiguous and b == a
        assert a + a == b + b and a * b == b * a == b * b and a - 3 == b - 3 and 3 / a == 3 / b and -a == -b
        assert a**2 == b * b and a.inv() == b.inv() and a.sum() == b.sum() and a.prod(axis=0) == b.prod(axis=0)
        assert a.slice(0, 2, 2) == b.slice(0, 2, 2) and a.highest_non_zero() == b.highest_non_zero()
        assert a.astype(field.montgomery_type) == b.astype(field.montgomery_type) and a.transpose() == b.T == a.T
        assert icicle.polynomial.evaluate(a[0], a[1]) == icicle.polynomial.evaluate(b[0], b[1])
        c = a * 1
        a_again = a
        a_again += a
        assert a == c + c, "in place"
        a /= field.from_ints(2)
        assert a == c
    if field.has_ntt:
        v = field.random(16, seed=3)
        assert icicle.ntt(v[::2]) == icicle.ntt(v[::2].copy()) and icicle.ntt(v[::-1]) == icicle.ntt(v[::-1].copy())


def test_products_of_transposed_matrices(field):
    a, b = field.random((3, 5), seed=1), field.random((3, 4), seed=2)
    at, bt = a.transpose(), b.transpose()
    assert at.is_contiguous and a.T == at and not a.T.is_contiguous and a.T.memory.ptr == a.buffer.ptr
    assert a.T @ b == at @ b and bt @ a == b.T @ a and bt @ at.T == bt @ a and (at @ b).T == b.T @ at.T
    assert a.T[::2] @ b == at[::2].copy() @ b and (a.T @ bt.T).shape == (5, 4)
    row = field.random((1, 5), seed=3)
    assert row.T.is_contiguous and row @ row.T == (row * row).sum().reshape(1, 1)
    with pytest.raises(InvalidArgument, match="inner dimensions 5 and 3: must be equal"):
        a @ b
    batch = field.random((2, 3, 4), seed=4)
    assert batch.T.contiguous().tobytes() == np.ascontiguousarray(np.asarray(batch).swapaxes(1, 2)).tobytes()


def test_points_at_strides(curve):
    points, scalars = curve.affine.random(6), curve.scalar.random(6)
    assert points[::-2].to_ints() == points.to_ints()[::-2] and (np.asarray(points[::2]) == points.numpy()[::2]).all()
    assert curve.msm(scalars[::-1], points[::-1]) == curve.msm(scalars, points)
    assert curve.msm(scalars[::2], points[::2]) == curve.msm(scalars[::2].copy(), points[::2].copy())
    points[::2] = points[1::2]
    assert points[0] == points[1] and points[4] == points[5]


def test_outputs_lie_in_order():
    field = icicle.fields.bn254.scalar
    x, rule = field.random(16), "at strides, of which this is a copy: must be an array whose elements lie in order"
    before = x.to_ints()
    view = x[::2]
    with pytest.raises(InvalidArgument, match=f"ntt: output {rule}"):
        icicle.ntt(x[:8], out=view)
    with pytest.raises(InvalidArgument, match=f"execute_program: vector 0 {rule}"):
        icicle.program.execute(icicle.program.Program([icicle.program.Symbol.input(0).inverse()]), [view])
    curve = icicle.curves.bn254
    with pytest.raises(InvalidArgument, match=f"msm: output {rule}"):
        curve.msm(x.reshape(2, 8), curve.affine.random(8), out=curve.projective.zeros(4)[::2])
    for write in (lambda b: b.fill(0), lambda b: b.write(bytes(256)), lambda b: b.copy_from(icicle.Buffer(256))):
        with pytest.raises(InvalidArgument, match=rule):
            write(view.buffer)
    with pytest.raises(InvalidArgument, match=rule):
        view.buffer[:32].fill(1)
    assert memoryview(view.buffer).readonly and not memoryview(x.buffer).readonly and x.to_ints() == before


def test_views_share_and_keep_memory():
    device = icicle.Device("cpu:3")
    before = device.memory.used
    x = icicle.fields.m31.scalar.random(1000, device=device)
    view = x[::-7]
    assert view.memory.ptr == x.buffer.ptr and view.device == device and view.start == 999 and view.strides == (-7,)
    last = x.to_ints()[999]
    del x
    assert view[0].to_ints() == last and device.memory.used > before
    del view
    assert device.memory.used == before


def test_what_is_no_view():
    field = icicle.fields.goldilocks.scalar
    x = field.random((4, 4))
    make = icicle.FieldArray
    for start, shape, strides, text in [
        (0, (2, 2), [1], "1 strides: must be 2"),
        (1, (4, 4), [4, 1], "elements 1 to 16: the buffer holds 16"),
        (0, (2,), [-1], "elements -1 to 0"),
        (0, (1 << 20, 1 << 20), [1 << 62, 1 << 62], "the buffer holds 16"),
        (0, (1 << 40, 1 << 20), [1 << 62, 1 << 62], "exceeds the address space"),
        (16, (1,), [0], "elements 16 to 16"),
    ]:
        with pytest.raises(ValueError, match=text):
            make(x.buffer, field, shape, start, strides)
    with pytest.raises(ValueError, match="needs another number"):
        make(x.buffer, field, (4, 3), 4)
    assert make(x.buffer, field, (3,), 15, [0]).to_ints() == [x[3, 3].to_ints()] * 3, "one element, repeated"
    with pytest.raises(BufferError, match="Montgomery"):
        memoryview(x.astype(field.montgomery_type)[::2])
    with pytest.raises(BufferError, match="array at strides: the view asked for has none"):
        hashlib.sha256(x.reshape(16)[::2])
    flat = x.numpy().reshape(-1)
    assert hashlib.sha256(x.reshape(16)[3::4].contiguous()).digest() == hashlib.sha256(flat[3::4].copy()).digest()
