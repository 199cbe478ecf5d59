"""What operations give for infinities, NaN and signed zeros: ISO C's annex G and the standard's tables, as NumPy has them."""

import itertools

import numpy as np
import pytest

from icicle import xp
from icicle.xp.elementwise import BINARY_NAMES, UNARY_NAMES

inf, nan = np.inf, np.nan
REAL = np.asarray([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 710.0, -745.2, 1e308, 5e-324, inf, -inf, nan])
PARTS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, inf, -inf, nan]
COMPLEX = np.asarray([complex(x, y) for x in PARTS for y in PARTS])
# 1 / 0 is complex infinity here and NaN there; the standard leaves it open. Directions of infinity with NaN: NaN here.
OPEN = {"reciprocal": lambda z: z == 0, "sign": lambda z: np.isnan(z)}
# Where the standard leaves the sign of a part open, C's libraries differ.
UNSIGNED = {
    "sign": lambda z: np.full(z.shape, True),
    "reciprocal": lambda z: np.full(z.shape, True),
    "exp": lambda z: np.isinf(z.real) & ~np.isfinite(z.imag),
    "expm1": lambda z: np.isinf(z.real) & ~np.isfinite(z.imag),
    "sinh": lambda z: np.isinf(z.real) & ~np.isfinite(z.imag),
    "sin": lambda z: np.isinf(z.imag) & ~np.isfinite(z.real),
    "cosh": lambda z: ~np.isfinite(z.imag) | np.isnan(z.real),
    "cos": lambda z: ~np.isfinite(z.real) | np.isnan(z.imag),
    "tanh": lambda z: ~np.isfinite(z.imag),
    "tan": lambda z: ~np.isfinite(z.real),
    "sqrt": lambda z: np.isnan(z.imag),
    "acos": lambda z: np.isnan(z.imag) & np.isinf(z.real),
    "asin": lambda z: np.isnan(z.real),
    "asinh": lambda z: np.isnan(z.imag) | np.isnan(z.real),
    "atanh": lambda z: np.isnan(z.real),
    "atan": lambda z: np.isnan(z.imag),
    "acosh": lambda z: np.isnan(z.real) | np.isnan(z.imag),
}


def equal(got, want, signs=True):
    """The same number: NaN for NaN, zeros of one sign."""
    exact = (got == want) & ((np.signbit(got) == np.signbit(want)) | ~np.asarray(signs))
    either = ~np.asarray(signs) & (np.abs(got) == np.abs(want))
    return (np.isnan(got) & np.isnan(want)) | exact | either | (np.isclose(got, want, rtol=1e-12, atol=0) & (want != 0))


def check(got, want, arguments, ignore=None, unsigned=None):
    if want.dtype.kind == "c":
        signs = True if unsigned is None else ~unsigned
        good = equal(got.real, want.real, signs) & equal(got.imag, want.imag, signs)
    else:
        good = equal(got, want) if want.dtype.kind == "f" else got == want
    if ignore is not None:
        good |= ignore
    wrong = [(*(one[k] for one in arguments), got[k], want[k]) for k in np.flatnonzero(~good)]
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("name", UNARY_NAMES)
@pytest.mark.parametrize("x", [REAL, COMPLEX], ids=["real", "complex"])
def test_of_one(name, x):
    try:
        got = np.asarray(getattr(xp, name)(xp.asarray(x)))
    except TypeError:
        return
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x)
        if name == "expm1":
            # NumPy takes it apart, which makes NaN of infinities.
            want = np.where(np.isfinite(x), want, np.exp(x) - 1)
    whole = x.dtype.kind == "c"
    ignore = OPEN[name](x) if whole and name in OPEN else None
    check(got, want, [x], ignore, UNSIGNED[name](x) if whole and name in UNSIGNED else None)


@pytest.mark.parametrize("name", BINARY_NAMES)
def test_of_two(name):
    x, y = map(np.asarray, zip(*itertools.product(REAL, REAL)))
    try:
        got = np.asarray(getattr(xp, name)(xp.asarray(x), xp.asarray(y)))
    except TypeError:
        return
    with np.errstate(all="ignore"):
        # Of zeros of both signs the standard leaves open which is greater.
        zeros = (x == 0) & (y == 0) if name in ("maximum", "minimum") else None
        want = getattr(np, name)(x, y)
        if name == "floor_divide":
            # Of infinities the standard's table, which NumPy does not follow.
            want = np.where(np.isinf(x) | np.isinf(y), np.floor(x / y), want)
        check(got, want, [x, y], zeros)


# Rows of the standard's tables, some of which NumPy's own loops do not have: name, argument, result.
ROWS = [
    ("exp", complex(-inf, inf), 0j),
    ("exp", complex(nan, 0), complex(nan, 0)),
    ("expm1", complex(-inf, nan), complex(-1, 0)),
    ("expm1", complex(inf, 0), complex(inf, 0)),
    ("log", complex(-0.0, 0), complex(-inf, np.pi)),
    ("log", complex(-inf, inf), complex(inf, 3 * np.pi / 4)),
    ("log1p", complex(-1, 0), complex(-inf, 0)),
    ("log1p", complex(inf, inf), complex(inf, np.pi / 4)),
    ("sqrt", complex(nan, inf), complex(inf, inf)),
    ("sqrt", complex(-inf, 1), complex(0, inf)),
    ("sinh", complex(0, inf), complex(0, nan)),
    ("sinh", complex(inf, 2), complex(-inf, inf)),
    ("cosh", complex(inf, 0), complex(inf, 0)),
    ("tanh", complex(inf, 1), complex(1, 0)),
    ("tanh", complex(nan, 0), complex(nan, 0)),
    ("tanh", complex(400, 1), complex(1, 0)),
    ("acos", complex(-inf, inf), complex(3 * np.pi / 4, -inf)),
    ("acosh", complex(0, nan), complex(nan, np.pi / 2)),
    ("asinh", complex(inf, inf), complex(inf, np.pi / 4)),
    ("atanh", complex(1, 0), complex(inf, 0)),
    ("atanh", complex(nan, inf), complex(0, np.pi / 2)),
    ("abs", complex(nan, -inf), inf),
]


@pytest.mark.parametrize(("name", "x", "want"), ROWS)
def test_rows_of_the_standard(name, x, want):
    got = complex(getattr(xp, name)(xp.asarray(x)))
    assert equal(got.real, complex(want).real) and equal(got.imag, complex(want).imag), got
