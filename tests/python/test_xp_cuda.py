"""Linear algebra and Fourier transforms on GPUs, against NumPy; without a GPU, or NVIDIA's libraries, nothing is tested."""

import numpy as np
import pytest

import icicle
from icicle import xp
from icicle.errors import InvalidArgument, Unsupported

GPUS = [device for device in icicle.devices() if device.kind == "cuda"]
pytestmark = pytest.mark.skipif(not GPUS, reason="no CUDA device")
GPU = GPUS[-1] if GPUS else None
DTYPES = ["float32", "float64", "complex64", "complex128"]


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    parts = rng.standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1] if dtype.startswith("complex") else parts[0]).astype(dtype)


def near(got, want, dtype):
    """Within what the dtype's precision allows, relative to the largest."""
    assert str(got.device) == str(GPU) and got.shape == want.shape
    host = np.asarray(got.to_device("cpu"))
    scale = max(np.abs(want).max(), 1e-30) if want.size else 1
    assert np.abs(host - want).max(initial=0) <= 2e3 * np.finfo(dtype).eps * scale


def done(call):
    """What a call gives, unless NVIDIA's library for it is not there."""
    try:
        return call()
    except Unsupported as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 31, 64, 100])
def test_transforms(dtype, n):
    x = numbers((3, n), dtype)
    there = xp.asarray(x).to_device(GPU)
    for name in ("fft", "ifft", "fftn", "ifftn"):
        near(done(lambda: getattr(xp.fft, name)(there)), getattr(np.fft, name)(x), dtype)
    near(xp.fft.irfft(there, n=n, axis=1), np.fft.irfft(x, n=n, axis=1), dtype)
    if not dtype.startswith("complex"):
        near(xp.fft.rfft(there, axis=0, norm="ortho"), np.fft.rfft(x, axis=0, norm="ortho"), dtype)
        near(xp.fft.rfftn(there), np.fft.rfftn(x), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 17, 64])
def test_factorisations(dtype, n):
    x = numbers((2, n, n), dtype) + 2 * n * np.eye(n, dtype=dtype)
    y = numbers((2, n, 3), dtype, 1)
    there, right = xp.asarray(x).to_device(GPU), xp.asarray(y).to_device(GPU)
    near(done(lambda: xp.linalg.inv(there)), np.linalg.inv(x), dtype)
    near(xp.linalg.solve(there, right), np.linalg.solve(x, y), dtype)
    near(xp.linalg.slogdet(there).logabsdet, np.linalg.slogdet(x).logabsdet, dtype)
    near(xp.linalg.svdvals(there), np.linalg.svd(x, compute_uv=False), dtype)
    positive = x @ x.conj().swapaxes(-1, -2)
    there = xp.asarray(positive).to_device(GPU)
    near(xp.linalg.cholesky(there), np.linalg.cholesky(positive), dtype)
    near(xp.linalg.eigvalsh(there), np.linalg.eigvalsh(positive), dtype)
    q, r = xp.linalg.qr(there)
    near(q @ r, positive, dtype)


def test_singular_matrices_are_refused():
    x = xp.asarray([[1.0, 2.0], [2.0, 4.0]]).to_device(GPU)
    with pytest.raises(InvalidArgument, match="inv: matrix 0 of 1: is singular, must have an inverse"):
        done(lambda: xp.linalg.inv(x))
