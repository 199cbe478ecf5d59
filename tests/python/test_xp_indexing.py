"""Indexing and operators of icicle.xp's arrays, against NumPy."""

import operator

import numpy as np
import pytest
from arrays_of_numbers import ALL, REAL, arrays, same, strided
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from icicle import xp


def ours(key):
    """A key of NumPy's with our arrays in it."""
    if isinstance(key, tuple):
        return tuple(ours(entry) for entry in key)
    return xp.asarray(key) if isinstance(key, np.ndarray) else key


@settings(max_examples=200, deadline=None, derandomize=True)
@given(data=st.data())
def test_basic_keys(data):
    x = data.draw(arrays(least=1))
    key = data.draw(hnp.basic_indices(x.shape, allow_newaxis=True))
    same(strided(x)[key], np.asarray(x[key]))
    got, want = strided(x), x.copy()
    before = got[...]
    got[key] = xp.ones((), dtype=got.dtype)
    want[key] = 1
    same(got, want)
    same(before, x)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(data=st.data())
def test_arrays_as_keys(data):
    x = data.draw(arrays(least=1, least_side=1))
    count = data.draw(st.integers(1, x.ndim))
    shape = data.draw(hnp.array_shapes(max_dims=2, max_side=3))
    entries = []
    for n in x.shape[:count]:
        chosen = st.integers(-n, n - 1)
        kind = data.draw(st.sampled_from(["array", "array", "slice", "integer"]))
        if kind == "array":
            entries.append(data.draw(hnp.arrays(np.int64, shape, elements=chosen)))
        else:
            entries.append(slice(None, None, -1) if kind == "slice" else data.draw(chosen))
    if data.draw(st.booleans()):
        entries.insert(data.draw(st.integers(0 if count == x.ndim else count, count)), ...)
    key = tuple(entries)
    same(strided(x)[ours(key)], np.asarray(x[key]))
    got, want = strided(x), x.copy()
    got[ours(key)] = xp.zeros((), dtype=got.dtype)
    want[key] = 0
    same(got, want)
    part = np.asarray(np.flip(x[key]))
    if len(np.unique(np.arange(x.size).reshape(x.shape)[key])) == x[key].size:
        got[ours(key)] = xp.asarray(part)
        want[key] = part
        same(got, want)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(data=st.data())
def test_masks(data):
    x = data.draw(arrays(least=1))
    depth = data.draw(st.integers(1, x.ndim))
    mask = data.draw(hnp.arrays(bool, x.shape[:depth]))
    same(strided(x)[xp.asarray(mask)], x[mask])
    if depth < x.ndim:
        same(strided(x)[xp.asarray(mask), ...], x[mask, ...])
    got, want = strided(x), x.copy()
    got[xp.asarray(mask)] = got[xp.asarray(mask)][::-1]
    want[mask] = x[mask][::-1]
    same(got, want)


@pytest.mark.parametrize("key", [3, -4, (0, 0, 0), "a", 1.0, True, (..., ...), xp.asarray([3]), xp.asarray([True])])
def test_keys_that_fit_nothing(key):
    x = xp.ones((3, 2))
    with pytest.raises(IndexError, match="index: |mask: "):
        x[key]
    with pytest.raises(IndexError):
        x[key] = 1
    same(x, np.ones((3, 2)))


def test_values_that_do_not_fit():
    x = xp.ones(3, dtype=xp.int32)
    for value in (1.5, 1j, True, xp.ones(3), xp.ones(3, dtype=xp.bool)):
        with pytest.raises(TypeError, match="assign: "):
            x[...] = value
    for value in (xp.ones(2, dtype=xp.int32), 1 << 40):
        with pytest.raises(ValueError):
            x[...] = value
    with pytest.raises(TypeError, match="must be an array"):
        x[0] = "a"
    same(x, np.ones(3, np.int32))
    x[1:] = xp.asarray([7, -1])
    same(x, np.asarray([1, 7, -1], np.int32))


OPERATORS = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift lt le eq ne gt ge".split()


@pytest.mark.parametrize("name", OPERATORS)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(data=st.data())
def test_operators(name, data):
    call = getattr(operator, name)
    x = data.draw(arrays(least=1))
    one = {"b": True, "c": 2j, "f": 2.5}.get(x.dtype.kind, 2)
    try:
        got = call(strided(x), one)
    except TypeError:
        return
    with np.errstate(all="ignore"):
        same(got, call(x, one), 1e-4 if x.dtype.kind == "c" else None)
        same(call(strided(x), strided(np.full_like(x, one))), call(x, np.full_like(x, one)), 1e-4)
        back = np.abs(x) if name in ("pow", "lshift", "rshift") and x.dtype.kind in "iu" else x
        back = np.where(back == 0, np.ones_like(x), back)
        same(call(one, strided(back)), call(one, back), 1e-4 if x.dtype.kind == "c" else None)
        if name not in ("lt", "le", "eq", "ne", "gt", "ge") and got.dtype.name == x.dtype.name:
            shared = changed = strided(x)
            keep = changed[...]
            changed = getattr(operator, "i" + name.rstrip("_"))(changed, one)
            assert changed is shared
            same(changed, call(x, one), 1e-4 if x.dtype.kind == "c" else None)
            same(keep, x)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(x=arrays(REAL, shape=(3, 4)))
def test_unary_operators_and_products(x):
    same(-strided(x), -x)
    same(+strided(x), +x)
    same(abs(strided(x)), abs(x))
    same(strided(x) @ strided(x).T, x @ x.T)
    y = strided(x)[:, :3]
    y @= strided(x)[:, 1:].mT
    same(y, x[:, :3] @ x[:, 1:].T)
    if x.dtype.kind in "iu":
        same(~strided(x), ~x)


def test_in_place_keeps_shape_and_dtype():
    x = xp.ones(3, dtype=xp.int8)
    with pytest.raises(TypeError, match="add: result of int16 in place of int8"):
        x += xp.ones(3, dtype=xp.int16)
    with pytest.raises(ValueError, match=r"add: result of shape \[2, 3\] in place of \[3\]"):
        x += xp.ones((2, 3), dtype=xp.int8)
    x += x
    same(x, np.full(3, 2, np.int8))


def test_one_number():
    assert bool(xp.asarray(2)) and not xp.asarray(0.0) and int(xp.asarray(2.9)) == 2 and float(xp.asarray(3)) == 3.0
    assert complex(xp.asarray(1.5)) == 1.5 and [7, 8][xp.asarray(1, dtype=xp.uint8)] == 8
    for call in (bool, int, float, complex, operator.index):
        with pytest.raises(TypeError, match="must have no axes|must be of integers"):
            call(xp.ones(1))
    for call in (int, float):
        with pytest.raises(TypeError, match="complex numbers are not? "):
            call(xp.asarray(1j))


def test_as_a_sequence():
    x = xp.asarray([[1, 2], [3, 4]])
    assert len(x) == 2 and [row.tolist() for row in x] == x.tolist() == [[1, 2], [3, 4]]
    for call in (len, iter):
        with pytest.raises(TypeError, match="has no axes"):
            call(xp.asarray(1))
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)


@pytest.mark.parametrize("dtype", ALL)
def test_attributes(dtype):
    x = xp.zeros((2, 3), dtype=getattr(xp, dtype))
    want = np.zeros((2, 3), dtype)
    assert (x.shape, x.ndim, x.size, x.nbytes, x.strides) == (want.shape, 2, 6, want.nbytes, want.strides)
    assert x.dtype.itemsize == want.itemsize and x.T.shape == x.mT.shape == (3, 2)
    assert x.__array_namespace__() is xp and x.__array_namespace__(api_version="2025.12") is xp
    assert str(x.to_device("cpu:1").device) == "cpu:1" and x.to_device(x.device).device == x.device
    with pytest.raises(ValueError, match='version "1999.1"'):
        x.__array_namespace__(api_version="1999.1")
    with pytest.raises(ValueError, match="must be on one device"):
        xp.matmul(xp.ones((2, 2)), xp.ones((2, 2), device="cpu:1"))


def test_representation():
    assert repr(xp.asarray([1.5, 2.0, xp.nan])) == "Array([1.5, 2.0, nan], dtype=float64)"
    assert repr(xp.asarray(True)) == "Array(True, dtype=bool)"
    assert repr(xp.arange(2000)) == "Array([0, 1, 2, ..., 1997, 1998, 1999], dtype=int64)"
    assert repr(xp.zeros((0, 2))) == "Array([], dtype=float64, shape=(0, 2))"
