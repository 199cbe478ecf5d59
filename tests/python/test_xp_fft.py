"""icicle.xp.fft against NumPy: lengths of every kind, cut and padded, along every axis, with every norm."""

import inspect

import array_api_strict as strict
import numpy as np
import pytest
from arrays_of_numbers import FLOATS, INEXACT, arrays, same, strided
from hypothesis import given, settings
from hypothesis import strategies as st

from icicle import xp

NORMS = ["backward", "ortho", "forward"]
REAL = {"rfft", "ihfft", "rfftn"}
# Powers of two and their neighbours, primes, products of small and of large primes.
LENGTHS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 97, 101 * 3, 127, 128, 129, 1000, 1024, 1031, 4096]


def close(got, want):
    assert (got.dtype.name, got.shape) == (want.dtype.name, want.shape)
    single = want.dtype.name in ("float32", "complex64")
    scale = np.abs(want).max(initial=1e-30)
    np.testing.assert_allclose(np.asarray(got) / scale, want / scale, atol=2e-6 if single else 1e-14)


def signal(dtype, shape):
    random = np.random.default_rng(7)
    x = random.standard_normal(shape)
    return (x + 1j * random.standard_normal(shape) if dtype.startswith("complex") else x).astype(dtype)


def taken(name, dtype):
    return not (name in REAL and dtype.startswith("complex"))


def test_names_and_signatures_are_the_standards():
    assert set(xp.fft.__all__) == set(strict.fft.__all__)
    for name in xp.fft.__all__:
        ours, theirs = (inspect.signature(getattr(module.fft, name)).parameters for module in (xp, strict))
        kinds = {p.name: p.kind for p in ours.values()}
        for one in theirs.values():
            assert kinds[one.name] == one.kind and one.default in (ours[one.name].default, inspect.Parameter.empty), (
                name
            )
        assert "aises" in getattr(xp.fft, name).__doc__


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", INEXACT)
def test_lengths(dtype, n, name):
    if not taken(name, dtype) or (n == 1 and name in ("irfft", "hfft")):
        return
    x = signal(dtype, (n,))
    for norm in NORMS:
        close(getattr(xp.fft, name)(strided(x), norm=norm), getattr(np.fft, name)(x, norm=norm))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_axes_cuts_and_zeros(name, data):
    x = data.draw(arrays(FLOATS if name in REAL else INEXACT, least=1, least_side=1))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    n = data.draw(st.none() | st.integers(1, 12))
    if n is None and x.shape[axis] == 1 and name in ("irfft", "hfft"):
        n = 1
    norm = data.draw(st.sampled_from(NORMS))
    close(
        getattr(xp.fft, name)(strided(x), n=n, axis=axis, norm=norm),
        getattr(np.fft, name)(x, n=n, axis=axis, norm=norm),
    )


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_several_axes(name, data):
    x = data.draw(arrays(FLOATS if name in REAL else INEXACT, least=1, least_side=2))
    axes = data.draw(st.none() | st.permutations(range(x.ndim)).map(lambda order: tuple(order[: 1 + len(order) // 2])))
    s = data.draw(st.none() | st.lists(st.integers(2, 7), min_size=x.ndim, max_size=x.ndim))
    if s is not None and axes is not None:
        s = s[: len(axes)]
    norm = data.draw(st.sampled_from(NORMS))
    # NumPy asks for axes beside s.
    named = range(x.ndim) if axes is None else axes
    want = getattr(np.fft, name)(x, s=s, axes=named, norm=norm)
    close(getattr(xp.fft, name)(strided(x), s=s, axes=axes, norm=norm), want)


def test_extents_without_axes_are_of_the_last():
    x = signal("float64", (3, 4, 5))
    close(xp.fft.fftn(xp.asarray(x), s=(4, 6)), np.fft.fftn(x, s=(4, 6), axes=(1, 2)))


@pytest.mark.parametrize("shape", [(0, 4), (3, 0, 4)])
def test_no_lines(shape):
    assert xp.fft.fft(xp.zeros(shape)).shape == shape
    assert xp.fft.rfft(xp.zeros(shape)).shape == (*shape[:-1], 3)
    assert xp.fft.irfft(xp.zeros(shape, dtype=xp.complex64)).dtype == xp.float32


@pytest.mark.parametrize("dtype", INEXACT)
def test_many_lines(dtype):
    x = signal(dtype, (3000, 8))
    close(xp.fft.fft(strided(x)), np.fft.fft(x))
    close(xp.fft.fft(strided(x), axis=0), np.fft.fft(x, axis=0))
    close(xp.fft.ifftn(xp.fft.fftn(strided(x))), np.asarray(x + 0j, dtype=str(np.result_type(dtype, "complex64"))))


@pytest.mark.parametrize("d", [1.0, 0.1, -2.5, 3])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 100])
def test_frequencies(n, d):
    same(xp.fft.fftfreq(n, d=d), np.fft.fftfreq(n, d))
    same(xp.fft.rfftfreq(n, d=d), np.fft.rfftfreq(n, d))
    assert xp.fft.fftfreq(n, dtype=xp.float32).dtype == xp.float32
    assert str(xp.fft.rfftfreq(n, device="cpu:1").device) == "cpu:1"


@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data(), x=arrays(INEXACT, least=1))
def test_shifts(x, data):
    axes = data.draw(st.none() | st.permutations(range(x.ndim)).map(lambda order: tuple(order[: len(order) // 2])))
    for name in ("fftshift", "ifftshift"):
        same(getattr(xp.fft, name)(strided(x), axes=axes), getattr(np.fft, name)(x, axes=axes))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: xp.fft.fft(xp.ones(3, dtype=xp.int8)), TypeError, "fft: array of int8: must be of real floating or"),
        (lambda: xp.fft.rfft(xp.ones(3, dtype=xp.complex64)), TypeError, "rfft: array of complex64: must be of real"),
        (lambda: xp.fft.fft(xp.zeros(0)), ValueError, "fft: n 0 along axis -1 of extent 0"),
        (lambda: xp.fft.irfft(xp.ones(1)), ValueError, "irfft: n 0 along axis -1 of extent 1"),
        (lambda: xp.fft.fft(xp.ones(3), n=0), ValueError, "n 0"),
        (lambda: xp.fft.fft(xp.ones(3), n=-1), OverflowError, "negative"),
        (lambda: xp.fft.fft(xp.ones(3), axis=1), ValueError, "fft: axis 1"),
        (lambda: xp.fft.fft(xp.ones(3), norm="none"), ValueError, 'norm "none": must be "backward"'),
        (lambda: xp.fft.fftn(xp.ones((3, 3)), s=(2,), axes=(0, 1)), ValueError, "must be as many"),
        (lambda: xp.fft.fftn(xp.ones((3, 3)), axes=(0, 0)), ValueError, "fftn"),
        (lambda: xp.fft.rfftn(xp.ones((3, 3)), axes=()), ValueError, "must name at least one"),
        (lambda: xp.fft.fftfreq(0), ValueError, "n 0 and d 1"),
        (lambda: xp.fft.rfftfreq(3, d=0.0), ValueError, "must not be 0"),
        (lambda: xp.fft.fftfreq(3, dtype=xp.int8), ValueError, "dtype int8"),
    ],
)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call()
