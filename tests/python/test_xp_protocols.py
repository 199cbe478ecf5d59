"""icicle.xp's arrays in other libraries: NumPy's protocols, array-api-compat, SciPy and scikit-learn."""

import functools
import json
import os
import re
import subprocess
import sys

import array_api_compat
import numpy as np
import pytest
from arrays_of_numbers import same
from hypothesis import given
from hypothesis import strategies as st

from icicle import xp
from icicle.xp import hints, protocols
from icicle.xp.elementwise import BINARY_NAMES, UNARY_NAMES

X = np.asarray([[4.0, 2.0, 0.5], [2.0, 3.0, 1.0], [0.25, 1.0, 2.0]])


@pytest.mark.parametrize("name", [*UNARY_NAMES, *BINARY_NAMES])
def test_universal_functions(name):
    ufunc = getattr(np, name)
    x = X.astype(int) if name.startswith("bitwise") else X > 1 if name.startswith("logical") else X / 8
    if name == "acosh":
        x = X + 1
    if name == "imag":
        x = X + 1j
    arguments = [x] if name in UNARY_NAMES else [x, x[0]]
    got = ufunc(*map(xp.asarray, arguments))
    same(got, ufunc(*arguments))


CALLS = [
    lambda x: np.add(x, 1),
    lambda x: np.multiply(2.5, x),
    lambda x: np.float64(2) * x + x * np.float64(3),
    lambda x: x - np.float32(1.5),
    lambda x: np.int8(2) * x,
    lambda x: np.arcsin(x / 8),
    lambda x: np.power(x, 2),
    lambda x: np.mod(x, 2),
    lambda x: np.matmul(x, x),
    lambda x: np.vecdot(x, x),
    lambda x: np.sum(x),
    lambda x: np.sum(x, 0, keepdims=True),
    lambda x: np.mean(x, axis=-1),
    lambda x: np.std(x, axis=0),
    lambda x: np.max(x, 1),
    lambda x: np.argmin(x, axis=0),
    lambda x: np.concatenate([x, x], axis=1),
    lambda x: np.stack((x, x), axis=-1),
    lambda x: np.where(x > 1, x, -x),
    lambda x: np.clip(x, 1, 2),
    lambda x: np.reshape(x, (9,)),
    lambda x: np.expand_dims(x, 1),
    lambda x: np.sort(x, axis=0),
    lambda x: np.take(x, np.argsort(x[0]), axis=1) if isinstance(x, np.ndarray) else np.take(x, np.argsort(x[0]), 1),
    lambda x: np.roll(x, 1, axis=0),
    lambda x: np.tensordot(x, x, axes=1),
    lambda x: np.broadcast_arrays(x, x[0])[1],
    lambda x: np.meshgrid(x[0], x[1])[0],
    lambda x: np.linalg.inv(x),
    lambda x: np.linalg.solve(x, x[0]),
    lambda x: np.linalg.det(x),
    lambda x: np.linalg.svd(x)[1],
    lambda x: np.linalg.matrix_norm(x, ord=1),
    lambda x: np.fft.fft(x, axis=0),
    lambda x: np.fft.irfft(np.fft.rfft(x), 3),
    lambda x: np.cumulative_sum(x, axis=1, include_initial=True),
    lambda x: np.zeros_like(x),
]


@pytest.mark.parametrize("call", CALLS)
def test_functions_of_numpy_give_our_arrays(call):
    got, want = call(xp.asarray(X)), np.asarray(call(X))
    assert isinstance(got, xp.Array)
    same(got, want, 1e-10)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.add(x, X),
        lambda x: X @ x,
        lambda x: x @ X,
        lambda x: np.concatenate([x, X]),
        lambda x: np.add(x, x, out=np.empty((3, 3))),
        lambda x: np.add(x, 1, dtype=np.float32),
        lambda x: np.add.reduce(x),
        lambda x: np.sum(x, where=X > 1),
        lambda x: np.mean(x, dtype=np.float32),
        lambda x: np.interp(x, x, x),
        lambda x: np.linalg.eigh(x, UPLO="U"),
        lambda x: np.divmod(x, 2),
    ],
)
def test_what_numpy_refuses(call):
    with pytest.raises(TypeError):
        call(xp.asarray(X))


def test_the_compatibility_layer_knows_us():
    x = xp.asarray(X)
    assert array_api_compat.is_array_api_obj(x) and array_api_compat.array_namespace(x, xp.ones(2)) is xp
    assert array_api_compat.device(x) == x.device and array_api_compat.size(x) == 9
    assert str(array_api_compat.device(array_api_compat.to_device(x, "cpu:1"))) == "cpu:1"
    assert not array_api_compat.is_numpy_array(x) and not array_api_compat.is_cupy_array(x)
    assert not hasattr(x, "__cuda_array_interface__"), "memory of the CPU"
    with pytest.raises(TypeError):
        array_api_compat.array_namespace(x, X)


# Run where SciPy is imported with its support for arrays of the standard. Each gives an array or a number.
LIBRARIES = {
    "whiten": "scipy.cluster.vq.whiten(x)",
    "zscore": "scipy.stats.zscore(x)",
    "skew": "scipy.stats.skew(x, axis=0)",
    "pearsonr": "scipy.stats.pearsonr(x[:, 0], x[:, 1]).statistic",
    "logsumexp": "scipy.special.logsumexp(x, axis=1)",
    "trapezoid": "scipy.integrate.trapezoid(x, axis=0)",
    "rfft": "scipy.fft.rfft(x, axis=0)",
    "pca": "abs(sklearn.decomposition.PCA(2, svd_solver='full').fit_transform(x))",
    "ridge": "sklearn.linear_model.Ridge(solver='svd').fit(x, x[:, 0]).coef_",
    "scaler": "sklearn.preprocessing.StandardScaler().fit_transform(x)",
    "minmax": "sklearn.preprocessing.MinMaxScaler().fit_transform(x)",
    "r2": "sklearn.metrics.r2_score(x[:, 0], x[:, 1])",
}
SCRIPT = """
import json, sys
import numpy, sklearn.decomposition, sklearn.linear_model, sklearn.metrics, sklearn.preprocessing
import scipy.cluster.vq, scipy.fft, scipy.integrate, scipy.special, scipy.stats
from icicle import xp

host = numpy.random.default_rng(5).standard_normal((40, 3))
found = {}
for name, call in json.loads(sys.argv[1]).items():
    want = numpy.asarray(eval(call, {"x": host, **globals()}))
    with sklearn.config_context(array_api_dispatch=True):
        got = eval(call, {**globals(), "x": xp.asarray(host)})
    ours = isinstance(got, xp.Array) or want.shape == () and isinstance(got, float)
    found[name] = [ours, bool(numpy.allclose(numpy.asarray(got), want, rtol=1e-9))]
print(json.dumps(found))
"""


def test_scipy_and_scikit_learn_take_and_give_our_arrays():
    command = [sys.executable, "-c", SCRIPT, json.dumps(LIBRARIES)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "SCIPY_ARRAY_API": "1"})
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {name: [True, True] for name in LIBRARIES}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: xp.concatenate, "module 'icicle.xp' has no attribute 'concatenate': see xp.concat"),
        (lambda x: xp.power, "module 'icicle.xp' has no attribute 'power': see xp.pow"),
        (lambda x: xp.array([1]), "module 'icicle.xp' has no attribute 'array': see xp.asarray"),
        (lambda x: xp.random, "module 'icicle.xp' has no attribute 'random': see icicle.random"),
        (lambda x: xp.nothing, "module 'icicle.xp' has no attribute 'nothing'"),
        (lambda x: x.sum(), "array has no attribute 'sum': see xp.sum"),
        (lambda x: x.astype(xp.int8), "array has no attribute 'astype': see xp.astype"),
        (lambda x: x.copy(), "array has no attribute 'copy': see xp.asarray with copy=True"),
        (lambda x: x.cumsum(), "array has no attribute 'cumsum': see xp.cumulative_sum"),
        (lambda x: x.nothing, "array has no attribute 'nothing'"),
        (lambda x: x.__nothing__, "array has no attribute '__nothing__'"),
    ],
)
def test_names_that_only_numpy_has_are_errors_that_lead_on(call, text):
    with pytest.raises(AttributeError) as found:
        call(xp.ones(3))
    assert str(found.value) == text


def test_what_errors_lead_to_is_there_and_what_they_are_for_is_not():
    names = [
        name
        for text in (*hints.FUNCTIONS.values(), *hints.METHODS.values())
        for name in re.findall(r"xp\.[\w.]+", text)
    ]
    assert len(names) > 15
    for name in names:
        functools.reduce(getattr, name.split(".")[1:], xp)
    assert not {*hints.FUNCTIONS, *protocols.NAMES} & {*xp.__all__}
    assert not any(hasattr(xp.ones(3), name) for name in hints.METHODS)
    assert all(hasattr(np, name) for name in hints.FUNCTIONS)


@given(st.floats(allow_nan=False), st.sampled_from(["", ".2f", "+.3e", ">12"]))
def test_numbers_are_formatted_as_pythons(value, spec):
    assert format(xp.asarray(value), spec) == format(value, spec)


def test_arrays_are_formatted_as_their_text_only():
    x = xp.asarray([1, 2])
    assert f"{x}" == str(x) and f"{x[1]:03}" == "002" and f"{xp.asarray(1 + 2j):.1f}" == "1.0+2.0j"
    with pytest.raises(TypeError, match="format: array of int64: only an array without axes"):
        f"{x:.2f}"


@pytest.mark.parametrize("key", [[0, 1], np.array([0, 1]), "a", 1.0, True])
def test_keys_that_are_none_of_ours_are_named(key):
    with pytest.raises(IndexError, match=f"key of type {type(key).__name__}: must be integers, slices"):
        xp.ones(3)[key]


def test_an_integer_repeats_along_the_last_axis():
    x = np.arange(6).reshape(2, 3)
    same(xp.tile(xp.asarray(x), 2), np.tile(x, 2))
