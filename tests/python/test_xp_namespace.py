"""Every name of the array API is in icicle.xp or in its list of missing ones, and gives what NumPy gives."""

import inspect
import subprocess
import sys
from pathlib import Path

import array_api_strict as strict
import numpy as np
import pytest
from arrays_of_numbers import ALL, FLOATS, INEXACT, NUMBERS, REAL, arrays, same, strided
from hypothesis import given, settings
from hypothesis import strategies as st

import icicle
from icicle import xp
from icicle.xp.elementwise import BINARY_NAMES, UNARY_NAMES

# Names of array-api-strict that are its own.
STRICTS = {"Device", "ArrayAPIStrictFlags", "__version__", "get_array_api_strict_flags"}
STRICTS |= {"set_array_api_strict_flags", "reset_array_api_strict_flags"}
OURS = {"Array", "DType", "InvalidIndex", "InvalidType", "ShardedArray", "VERSIONS", "bfloat16", "float16"}


def missing():
    lines = (Path(xp.__file__).parent / "MISSING.md").read_text().splitlines()
    return {line.split("`")[1] for line in lines if line.startswith("| `")}


def test_every_name_is_there_or_listed():
    standard = set(strict.__all__) - STRICTS
    assert standard - set(xp.__all__) == missing()
    assert set(xp.__all__) - standard == OURS
    assert all(hasattr(xp, name) for name in xp.__all__)


def test_the_namespace_is_there_without_its_import():
    code = "import sys, icicle; assert 'icicle.xp' not in sys.modules; print(icicle.xp.ones(2).tolist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[1.0, 1.0]\n", done.stderr
    code = "import sys, icicle; assert 'icicle.xp' not in sys.modules; print(icicle.random.Key(7).words)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "(7, 0, 0, 0)\n", done.stderr
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        icicle.nothing


def functions():
    return {name for name in xp.__all__ if inspect.isfunction(getattr(xp, name))}


@pytest.mark.parametrize("name", sorted(functions()))
def test_signatures_are_the_standards(name):
    ours = inspect.signature(getattr(xp, name)).parameters
    theirs = inspect.signature(getattr(strict, name)).parameters
    assert [(one.name, one.kind) for one in ours.values()] == [(one.name, one.kind) for one in theirs.values()]
    for one in theirs.values():
        # What is not given has a value of its own in array-api-strict.
        default = None if "UNDEF" in str(one.default) else one.default
        assert default == ours[one.name].default or one.default is one.empty, one


@pytest.mark.parametrize("name", sorted(functions()))
def test_docstrings_name_what_is_raised(name):
    assert "aises" in (inspect.getdoc(getattr(xp, name)) or "")


def on_axis(call):
    return lambda m, x: call(m, x, x.ndim - 1)


# For each name: dtypes, least number of axes, and calls of a namespace (ours or NumPy's) with an array.
CASES = {
    "all": (ALL, 0, [lambda m, x: m.all(x), lambda m, x: m.all(x, axis=-1, keepdims=True) if x.ndim else m.all(x)]),
    "any": (ALL, 0, [lambda m, x: m.any(x), lambda m, x: m.any(x, axis=0) if x.ndim else m.any(x)]),
    "sum": (NUMBERS, 1, [lambda m, x: m.sum(x), lambda m, x: m.sum(x, axis=0), lambda m, x: m.sum(x, keepdims=True)]),
    "prod": (NUMBERS, 1, [lambda m, x: m.prod(x, axis=-1), lambda m, x: m.prod(x, axis=(0,), keepdims=True)]),
    "count_nonzero": (ALL, 1, [lambda m, x: m.count_nonzero(x, axis=0)]),
    "cumulative_sum": (NUMBERS, 1, [lambda m, x: m.cumulative_sum(x, axis=0, include_initial=True)]),
    "cumulative_prod": (NUMBERS, 1, [lambda m, x: m.cumulative_prod(x, axis=-1)]),
    "diff": (NUMBERS, 1, [lambda m, x: m.diff(x, axis=0), lambda m, x: m.diff(x, n=2, prepend=x)]),
    "sort": (ALL, 1, [lambda m, x: m.sort(x, axis=0), lambda m, x: m.sort(x)]),
    "argsort": (ALL, 1, [lambda m, x: m.argsort(x, axis=0, stable=True)]),
    "unique_all": (ALL, 0, [lambda m, x: tuple(m.unique_all(x))]),
    "unique_counts": (ALL, 0, [lambda m, x: tuple(m.unique_counts(x))]),
    "unique_inverse": (ALL, 0, [lambda m, x: tuple(m.unique_inverse(x))]),
    "unique_values": (REAL, 0, [lambda m, x: m.sort(m.unique_values(x))]),
    "isin": (ALL, 1, [lambda m, x: m.isin(x, x[:1]), lambda m, x: m.isin(x, x[:1], invert=True)]),
    "nonzero": (ALL, 1, [lambda m, x: m.nonzero(x)]),
    "where": (ALL, 1, [lambda m, x: m.where(x == x[:1], x, x[:1])]),
    "searchsorted": (REAL, 1, [lambda m, x: m.searchsorted(m.sort(m.reshape(x, (-1,))), x, side="right")]),
    "take": (ALL, 1, [lambda m, x: m.take(x, m.argsort(m.reshape(x, (-1,)))[:0], axis=0)]),
    "take_along_axis": (ALL, 1, [lambda m, x: m.take_along_axis(x, m.argsort(x, axis=0, stable=True), axis=0)]),
    "reshape": (ALL, 0, [lambda m, x: m.reshape(x, (-1,)), lambda m, x: m.reshape(x, (1, *x.shape))]),
    "permute_dims": (ALL, 0, [lambda m, x: m.permute_dims(x, tuple(reversed(range(x.ndim))))]),
    "moveaxis": (ALL, 1, [lambda m, x: m.moveaxis(x, 0, -1)]),
    "expand_dims": (ALL, 0, [lambda m, x: m.expand_dims(x, axis=-1)]),
    "squeeze": (ALL, 0, [lambda m, x: m.squeeze(m.expand_dims(x, axis=0), axis=0)]),
    "flip": (ALL, 1, [lambda m, x: m.flip(x), lambda m, x: m.flip(x, axis=-1)]),
    "roll": (ALL, 1, [lambda m, x: m.roll(x, 3), lambda m, x: m.roll(x, (1, -2), axis=(0, -1)) if x.ndim > 1 else x]),
    "broadcast_to": (ALL, 0, [lambda m, x: m.broadcast_to(x, (2, *x.shape))]),
    "broadcast_arrays": (ALL, 1, [lambda m, x: m.broadcast_arrays(x, x[:1])]),
    "concat": (ALL, 1, [lambda m, x: m.concat([x, x[:1]]), lambda m, x: m.concat([x, x], axis=None)]),
    "stack": (ALL, 0, [lambda m, x: m.stack([x, x], axis=-1)]),
    "unstack": (ALL, 1, [lambda m, x: m.unstack(x, axis=-1)]),
    "tile": (ALL, 0, [lambda m, x: m.tile(x, (2, 1, 3))]),
    "repeat": (ALL, 1, [lambda m, x: m.repeat(x, 2), lambda m, x: m.repeat(x, 3, axis=0)]),
    "tril": (ALL, 2, [lambda m, x: m.tril(x), lambda m, x: m.tril(x, k=-1)]),
    "triu": (ALL, 2, [lambda m, x: m.triu(x, k=1)]),
    "meshgrid": (
        ALL,
        1,
        [
            lambda m, x: m.meshgrid(*[m.reshape(x, (-1,))] * 2),
            lambda m, x: m.meshgrid(m.reshape(x, (-1,)), indexing="ij"),
        ],
    ),
    "matmul": (NUMBERS, 2, [lambda m, x: m.matmul(x, m.matrix_transpose(x)), lambda m, x: x @ m.matrix_transpose(x)]),
    "matrix_transpose": (ALL, 2, [lambda m, x: m.matrix_transpose(x), lambda m, x: x.mT]),
    "vecdot": (NUMBERS, 1, [lambda m, x: m.vecdot(x, x)]),
    "tensordot": (
        NUMBERS,
        1,
        [lambda m, x: m.tensordot(x, x, axes=((0,), (0,))), lambda m, x: m.tensordot(x, x, axes=0)],
    ),
    "zeros_like": (ALL, 0, [lambda m, x: m.zeros_like(x)]),
    "ones_like": (ALL, 0, [lambda m, x: m.ones_like(x)]),
    "full_like": (ALL, 0, [lambda m, x: m.full_like(x, 1)]),
}
NOT_EMPTY = {
    "min": (REAL, 1, [lambda m, x: m.min(x), lambda m, x: m.min(x, axis=0, keepdims=True)]),
    "max": (REAL, 1, [lambda m, x: m.max(x, axis=-1), lambda m, x: m.max(x, axis=tuple(range(x.ndim)))]),
    "argmin": (REAL, 1, [lambda m, x: m.argmin(x), lambda m, x: m.argmin(x, axis=0)]),
    "argmax": (REAL, 1, [lambda m, x: m.argmax(x, axis=-1, keepdims=True)]),
    "mean": (INEXACT, 1, [lambda m, x: m.mean(x), lambda m, x: m.mean(x, axis=0)]),
    "var": (FLOATS, 1, [lambda m, x: m.var(x), lambda m, x: m.var(x, axis=-1, keepdims=True)]),
    "std": (FLOATS, 1, [lambda m, x: m.std(x, axis=0)]),
}
# Tested beside their like, in the tests below and in the other files.
ELSEWHERE = {"arange", "asarray", "astype", "can_cast", "clip", "empty", "empty_like", "eye", "finfo", "from_dlpack"}
ELSEWHERE |= {"full", "iinfo", "isdtype", "linspace", "ones", "result_type", "zeros", "broadcast_shapes"}
ELSEWHERE |= {"__array_namespace_info__"}


def test_every_function_has_a_case():
    assert {*CASES, *NOT_EMPTY, *ELSEWHERE, *UNARY_NAMES, *BINARY_NAMES} == functions()


@pytest.mark.parametrize("name", [*CASES, *NOT_EMPTY])
@settings(max_examples=15, deadline=None, derandomize=True)
@given(data=st.data())
def test_results_are_numpys(name, data):
    dtypes, least, calls = (CASES | NOT_EMPTY)[name]
    x = data.draw(arrays(dtypes, least=least, least_side=int(name in NOT_EMPTY)))
    for call in calls:
        same(call(xp, strided(x)), call(np, x))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(x=arrays(ALL, least=1))
def test_descending_order_is_stable(x):
    got = np.asarray(xp.argsort(strided(x), axis=0, descending=True))
    want = x.shape[0] - 1 - np.flip(np.argsort(np.flip(x, 0), axis=0, stable=True), 0)
    np.testing.assert_array_equal(got, want)
    same(xp.sort(strided(x), axis=0, descending=True), np.take_along_axis(x, want, 0))


@pytest.mark.parametrize("arguments", [(5,), (2, 9), (9, 2, -3), (0.0, 1.0, 0.25), (3, 3), (-2, 2.5)])
def test_arange(arguments):
    same(xp.arange(*arguments), np.arange(*arguments))
    same(xp.arange(*arguments, dtype=xp.float32), np.arange(*arguments).astype(np.float32))


def test_what_2025_12_added():
    x = xp.asarray([1.0, 2.0, 3.0])
    assert xp.searchsorted(x, 2.5).tolist() == 2 and xp.searchsorted(x, 2, side="right").tolist() == 2
    assert type(xp.meshgrid(x, x)) is type(xp.broadcast_arrays(x, x)) is tuple
    for axis in ((0, 2), (-1, 0), ()):
        same(xp.expand_dims(x, axis=axis), np.expand_dims(np.asarray(x), axis))
    for axis in ((0, 0), (3,), (-4, 0), (0, -3)):
        with pytest.raises(ValueError, match="expand_dims"):
            xp.expand_dims(x, axis=axis)
    same(xp.clip(x[:1], xp.asarray([0.0, 2.0]), 5), np.asarray([1.0, 2.0]))
    assert xp.eye(2, k=-(10**30)).tolist() == xp.tril(xp.zeros((2, 2)), k=10**30).tolist() == [[0.0] * 2] * 2


def test_masks_without_elements():
    x = xp.ones((3, 2))
    assert x[xp.zeros((0, 2), dtype=xp.bool)].shape == (0,) and x[xp.zeros(0, dtype=xp.bool)].shape == (0, 2)
    with pytest.raises(IndexError):
        x[xp.zeros((0, 1), dtype=xp.bool)]


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 7])
def test_linspace(num, endpoint):
    same(xp.linspace(-1, 3.5, num, endpoint=endpoint), np.linspace(-1, 3.5, num, endpoint=endpoint))
    with pytest.raises(ValueError, match="num -1"):
        xp.linspace(0, 1, -1)


def test_constant_arrays():
    same(xp.zeros((2, 3)), np.zeros((2, 3)))
    same(xp.ones(4, dtype=xp.int8), np.ones(4, np.int8))
    same(xp.full((2,), 2.5), np.full((2,), 2.5))
    same(xp.full((), 7), np.full((), 7))
    same(xp.full((2,), True), np.full((2,), True))
    same(xp.full((), 1j), np.full((), 1j))
    same(xp.eye(3, 4, k=1), np.eye(3, 4, k=1))
    assert xp.empty((2, 0)).shape == (2, 0) and xp.empty_like(xp.ones(3, dtype=xp.bool)).dtype == xp.bool
    assert xp.broadcast_shapes((2, 1), (3,)) == (2, 3)
    with pytest.raises(ValueError, match="exceeds the address space"):
        xp.zeros((1 << 40, 1 << 40))


@pytest.mark.parametrize("first", ALL)
def test_types_are_the_standards(first):
    ours, theirs = getattr(xp, first), getattr(strict, first)
    for second in ALL:
        assert xp.can_cast(ours, getattr(xp, second)) == strict.can_cast(theirs, getattr(strict, second)), second
        try:
            want = str(strict.result_type(theirs, getattr(strict, second))).split(".")[-1]
        except TypeError:
            with pytest.raises(TypeError):
                xp.result_type(ours, getattr(xp, second))
        else:
            assert xp.result_type(ours, getattr(xp, second)).name == want
    for kind in (
        "bool",
        "signed integer",
        "unsigned integer",
        "integral",
        "real floating",
        "complex floating",
        "numeric",
    ):
        assert xp.isdtype(ours, kind) == strict.isdtype(theirs, kind)
    if xp.isdtype(ours, "integral"):
        assert (xp.iinfo(ours).min, xp.iinfo(ours).max) == (np.iinfo(first).min, np.iinfo(first).max)
    elif first != "bool":
        got, want = xp.finfo(ours), np.finfo(first)
        assert (got.eps, got.max, got.min, got.smallest_normal) == (want.eps, want.max, want.min, want.smallest_normal)


def test_result_type_of_numbers():
    assert xp.result_type(xp.float32, 1.5) == xp.float32 and xp.result_type(1j, xp.float32) == xp.complex64
    for dtype, number in ((xp.int8, 1.5), (xp.bool, 1), (xp.int8, True)):
        with pytest.raises(TypeError, match="no common dtype"):
            xp.result_type(dtype, number)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(x=arrays(ALL), to=st.sampled_from(ALL))
def test_astype(x, to):
    if x.dtype.kind == "c" and np.dtype(to).kind in "iuf":
        with pytest.raises(TypeError, match="complex numbers have no real value"):
            xp.astype(strided(x), getattr(xp, to))
        return
    if x.dtype.kind == "f" and np.dtype(to).kind == "u":
        x = np.abs(x)
    same(xp.astype(strided(x), getattr(xp, to)), x.astype(to))


def test_info():
    info, theirs = xp.__array_namespace_info__(), strict.__array_namespace_info__()
    assert set(info.dtypes()) == set(theirs.dtypes()) and set(info.dtypes(kind="integral")) == set(
        theirs.dtypes(kind="integral")
    )
    assert {kind: dtype.name for kind, dtype in info.default_dtypes().items()}["indexing"] == "int64"
    assert info.default_device() == icicle.current_device() and info.default_device() in info.devices()
    assert set(info.capabilities()) == set(theirs.capabilities())
    assert (xp.e, xp.pi, xp.inf, xp.newaxis) == (np.e, np.pi, np.inf, None) and xp.nan != xp.nan


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: xp.sum(xp.ones(3), axis=1), ValueError, "sum: axis 1: an array of 1 axes has -1 to 0"),
        (lambda: xp.mean(xp.ones(3, dtype=xp.int8)), TypeError, "mean: array of int8: must be floating point"),
        (lambda: xp.max(xp.zeros(0)), ValueError, "max: .*there is no element"),
        (lambda: xp.concat([xp.ones(2), xp.ones(2, dtype=xp.int8)]), TypeError, "concat: dtypes float64 and int8"),
        (lambda: xp.reshape(xp.ones(6), (4, -1)), ValueError, "reshape: .*as many elements"),
        (lambda: xp.take(xp.ones(3), xp.asarray([3])), IndexError, "take: index 3: the axis has 3 elements"),
        (lambda: xp.matmul(xp.ones((2, 3)), xp.ones((2, 3))), ValueError, "matmul"),
        (lambda: xp.where(xp.ones(2), 1, xp.ones(2)), TypeError, "where: condition of float64: must be of bool"),
        (lambda: xp.reshape(xp.ones((2, 3)).mT, (6,), copy=False), ValueError, "reshape: copy=False"),
        (lambda: xp.zeros(3, dtype="float32"), TypeError, "dtype of type str: must be one of icicle.xp"),
    ],
)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_the_documents_examples():
    text = (Path(__file__).parents[2] / "docs/ARRAYS.md").read_text()
    blocks = [block.split("```")[0] for block in text.split("```python\n")[1:]]
    assert len(blocks) >= 6
    exec("\n".join(blocks), {})
