"""Operations on each element, generated from the namespace's own tables, against NumPy and the standard's dtype rules."""

import array_api_strict as strict
import numpy as np
import pytest
from arrays_of_numbers import ALL, INEXACT, INTEGERS, arrays, elements, same, strided
from hypothesis import given, settings
from hypothesis import strategies as st

from icicle import xp
from icicle.xp import elementwise
from icicle.xp.elementwise import BINARY_NAMES, UNARY_NAMES

# Where functions are defined; outside NumPy's and our branch cuts are compared elsewhere.
SHIFTS = {"bitwise_left_shift", "bitwise_right_shift"}
DIVISIONS = {"floor_divide", "remainder"}
# Near their zeros and singularities results of complex functions cancel.
LOOSE = {"expm1", "log1p", "tan", "tanh", "asinh", "acosh", "atanh", "asin", "acos", "atan", "pow"}
# Where the standard has no dtype rule of its own but ours and NumPy's is wider.
WIDER = {("positive", "bool"), ("real", "bool")}


def outcome(call):
    """What a call gives, or TypeError if it is refused for dtypes."""
    try:
        return call()
    except TypeError:
        return TypeError


def test_the_declared_names_are_the_cores():
    declared = {name for name, kind in vars(elementwise)["__annotations__"].items() if kind in ("Unary", "Binary")}
    assert declared == {*UNARY_NAMES, *BINARY_NAMES}
    assert {*UNARY_NAMES, *BINARY_NAMES} <= set(xp.__all__)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", UNARY_NAMES)
def test_dtypes_of_one(name, dtype):
    with np.errstate(all="ignore"):
        want = outcome(lambda: getattr(strict, name)(strict.ones(2, dtype=getattr(strict, dtype))))
    got = outcome(lambda: getattr(xp, name)(xp.ones(2, dtype=getattr(xp, dtype))))
    assert (got is TypeError) == (want is TypeError), (got, want)
    assert got is TypeError or got.dtype.name == str(want.dtype).split(".")[-1]


@pytest.mark.parametrize("name", BINARY_NAMES)
def test_dtypes_of_two(name):
    for first in ALL:
        for second in ALL:
            x, y = (strict.ones(2, dtype=getattr(strict, dtype)) for dtype in (first, second))
            want = outcome(lambda: getattr(strict, name)(x, y))
            a, b = (xp.ones(2, dtype=getattr(xp, dtype)) for dtype in (first, second))
            got = outcome(lambda: getattr(xp, name)(a, b))
            assert (got is TypeError) == (want is TypeError), (first, second, got, want)
            assert got is TypeError or got.dtype.name == str(want.dtype).split(".")[-1]


@pytest.mark.parametrize("name", UNARY_NAMES)
@settings(max_examples=15, deadline=None, derandomize=True)
@given(data=st.data())
def test_values_of_one(name, data):
    x = data.draw(arrays(small=False))
    with np.errstate(all="ignore"):
        got = outcome(lambda: getattr(xp, name)(strided(x)))
        if got is TypeError:
            return
        want = getattr(np, name)(x)
    if want.dtype.name in ("complex64", "complex128") and name in LOOSE:
        return same(got, want, 1e-3)
    same(got, want.astype(got.dtype.name) if name in ("sign", "floor", "ceil", "trunc") else want)


@pytest.mark.parametrize("name", BINARY_NAMES)
@settings(max_examples=15, deadline=None, derandomize=True)
@given(data=st.data())
def test_values_of_two(name, data):
    dtype = data.draw(st.sampled_from(ALL))
    x = data.draw(arrays([dtype]))
    kind = np.dtype(dtype).kind
    values = elements(dtype)
    if kind in "iu" and (name in SHIFTS or name == "pow"):
        values = st.integers(0, 6)
    if name in DIVISIONS or name == "divide" or (name == "pow" and kind in "fc"):
        values = values.filter(lambda value: value != 0)
    shape = tuple(data.draw(st.sampled_from([1, n])) for n in x.shape)
    shape = shape[data.draw(st.integers(0, len(shape))) :]
    y = np.array([data.draw(values) for _ in range(int(np.prod(shape)))], dtype).reshape(shape)
    got = outcome(lambda: getattr(xp, name)(strided(x), strided(y)))
    if got is TypeError:
        return
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x, y)
        if name == "floor_divide" and kind == "f":
            # Of infinities the standard's table, which NumPy does not follow.
            want = np.where(np.isinf(x) | np.isinf(y), np.floor(x / y), want)
    same(got, want, 1e-3 if name == "pow" and dtype.startswith("complex") else None)


def test_floor_division_of_infinities():
    inf = float("inf")
    x, y = (
        xp.asarray([inf, inf, -inf, -inf, 3.0, -3.0, 3.0, -3.0]),
        xp.asarray([2.0, -2.0, 2.0, -2.0, -inf, inf, inf, -inf]),
    )
    for got in (xp.floor_divide(x, y), x // y):
        assert got.tolist() == [inf, -inf, -inf, inf, 0.0, 0.0, 0.0, 0.0]
        assert xp.signbit(got).tolist() == [False, True, True, False, True, True, False, False]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(x=arrays(INTEGERS, small=False), y=st.integers(0, 100))
def test_integers_wrap(x, y):
    for name in ("add", "subtract", "multiply"):
        same(getattr(xp, name)(strided(x), y), getattr(np, name)(x, np.asarray(y, x.dtype)))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(x=arrays([*INTEGERS, *INEXACT]))
def test_clip(x):
    if x.dtype.kind == "c":
        with pytest.raises(TypeError):
            xp.clip(strided(x), 0, 3)
        return
    same(xp.clip(strided(x), 1, 3), np.clip(x, np.asarray(1, x.dtype), np.asarray(3, x.dtype)))
    same(xp.clip(strided(x), max=2), np.minimum(x, np.asarray(2, x.dtype)))
    same(xp.clip(strided(x)), x)


def test_refusals_say_why():
    x = xp.ones((2, 3))
    with pytest.raises(ValueError, match=r"add: shapes \[\[2, 3\], \[4\]\]"):
        x + xp.ones(4)
    with pytest.raises(TypeError, match="add: dtypes float64 and int64: have no common dtype"):
        x + xp.ones(3, dtype=xp.int64)
    with pytest.raises(TypeError, match="sin: array of int64"):
        xp.sin(xp.ones(3, dtype=xp.int64))
    with pytest.raises(TypeError, match="operand of type str"):
        xp.add(x, "a")
    with pytest.raises(ValueError, match="300: uint8 holds 0 to 255"):
        xp.ones(3, dtype=xp.uint8) + 300
