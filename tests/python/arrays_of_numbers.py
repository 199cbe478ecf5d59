"""What the suites of icicle.xp share: arrays of every dtype, shape and stride, and how results are compared with NumPy's."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from icicle import xp

NUMBERS = [name for name in xp.__array_namespace_info__().dtypes() if name != "bool"]
REAL = [name for name in NUMBERS if not name.startswith("complex")]
INTEGERS = [name for name in REAL if "int" in name]
FLOATS = ["float32", "float64"]
INEXACT = [*FLOATS, "complex64", "complex128"]
ALL = ["bool", *NUMBERS]
# Relative differences that libraries' functions may have.
TOLERANCE = {"float32": 2e-5, "complex64": 1e-4, "float64": 1e-12, "complex128": 1e-10}


def elements(dtype, small=True):
    """Values for a dtype; small ones stay exact in sums and products."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return st.booleans()
    if kind == "u":
        return st.integers(0, 9) if small else st.integers(0, int(np.iinfo(dtype).max))
    if kind == "i":
        return st.integers(-9, 9) if small else st.integers(int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    floats = st.integers(-40, 40).map(lambda n: n / 8)
    if kind == "c":
        return st.builds(complex, floats, floats)
    return floats if small else st.one_of(floats, st.sampled_from([0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e-30]))


@st.composite
def arrays(draw, dtypes=ALL, shape=None, small=True, least=0, most=3, least_side=0):
    """A NumPy array, dense or a view at strides of either sign."""
    dtype = draw(st.sampled_from(dtypes))
    if shape is None:
        shape = draw(hnp.array_shapes(min_dims=least, max_dims=most, min_side=least_side, max_side=5))
    steps = [draw(st.sampled_from([1, 2, -1, -2])) for _ in shape]
    base = tuple(n * abs(step) for n, step in zip(shape, steps))
    made = draw(hnp.arrays(dtype, base, elements=elements(dtype, small)))
    made = made[(..., *(slice(None, None, step) for step in steps))]
    turn = draw(st.booleans())
    return np.ascontiguousarray(made.T).T if turn else made


def strided(x):
    """The same values in icicle, at the same strides: a view there too."""
    made = xp.asarray(x)
    return xp.flip(xp.asarray(np.ascontiguousarray(np.flip(x)))) if x.ndim and not x.flags.c_contiguous else made


def same(got, want, rtol=None):
    """Compare a result, or a sequence of results, with NumPy's: dtype, shape and values."""
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for one, other in zip(got, want):
            same(one, other, rtol)
        return
    if not isinstance(got, xp.Array):
        assert got == want and type(got) is type(want)
        return
    want = np.asarray(want)
    assert (got.dtype.name, got.shape) == (want.dtype.name, want.shape)
    tolerance = TOLERANCE.get(want.dtype.name, 0) if rtol is None else rtol
    np.testing.assert_allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance * 10)
