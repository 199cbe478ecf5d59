"""Write random.txt beside this file with the words of PyPI's `randomgen`, and mpmath and SciPy: `python make_random.py`.

Lines are those `make.py` describes, without operands. What `icicle_array::random` documents is done here again from the
reference's words: nothing of the crate's is called.
"""

import os

import mpmath as mp
import numpy as np
import randomgen
import scipy
from scipy import stats

HERE = os.path.dirname(os.path.abspath(__file__))
mp.mp.prec = 160
N = 1001
SEED = 0x0123456789ABCDEF
SPLIT, FOLD = 1 << 63, 1 << 62


def text(x):
    return f"{x.dtype.name}:{','.join(map(str, x.shape))}:{x.tobytes().hex()}"


def words(key, n, lower=0):
    """Words of 32 bits from a block on; a key is the cipher's and the counter's upper half."""
    counter = ((key[1] << 64 | lower) - 1) % 2**128  # the generator adds 1 before its first block
    return randomgen.Philox(key=key[0], counter=counter, number=4, width=32).random_raw(n).astype(np.uint32)


def derived(key, lower):
    a, b, c, d = (int(w) for w in words(key, 4, lower))
    return a | b << 32, c | d << 32


def wide(key, n):
    return words(key, 2 * n).view(np.uint64)


def uniform(dtype, key, n, low, high):
    low, high = dtype(low), dtype(high)
    if dtype is np.float32:
        fractions = (words(key, n) >> 8).astype(dtype) * dtype(2.0**-24)
    else:
        fractions = (wide(key, n) >> np.uint64(11)).astype(dtype) * dtype(2.0**-53)
    return np.minimum(low + (high - low) * fractions, np.nextafter(high, low))


def normal(dtype, key, n):
    bits = 32 if dtype is np.float32 else 64
    pairs = (words(key, n + 1) if bits == 32 else wide(key, n + 1))[: (n + 1) // 2 * 2].reshape(-1, 2)
    out = []
    for first, turn in pairs:
        u = (
            (dtype(first) + dtype(0.5)) * dtype(2.0**-32)
            if bits == 32
            else (dtype(first >> np.uint64(11)) + 0.5) * 2.0**-53
        )
        radius, angle = mp.sqrt(-2 * mp.log(mp.mpf(float(u)))), 2 * mp.pi * int(turn) / mp.mpf(2) ** bits
        out += [float(radius * mp.cos(angle)), float(radius * mp.sin(angle))]
    return np.array(out[:n]).astype(dtype)


def integers(dtype, key, n, low, high):
    count = high - low
    bits = 32 if count <= 2**24 else 64
    out = []
    for i, word in enumerate(words(key, n) if bits == 32 else wide(key, n)):
        product = int(word) * count
        if product % 2**bits < 2**bits % count:
            own = wide(derived(key, FOLD | 1 << 61 | i), 200)
            product = next(int(w) * count for w in own if int(w) * count % 2**64 >= 2**64 % count) >> 64 << bits
        out.append(low + (product >> bits))
    return np.array(out, dtype)


def lines():
    key = (SEED, 0)
    yield "bits", {}, words(key, N)
    for dtype in (np.uint8, np.uint16, np.uint64):
        yield "bits", {}, words(key, 2 * N).view(dtype)[:N]
    for dtype in (np.float32, np.float64):
        yield "uniform", {"low": 0, "high": 1}, uniform(dtype, key, N, 0, 1)
        yield "uniform", {"low": -3.7, "high": 1e3}, uniform(dtype, key, N, -3.7, 1e3)
        # So near each other that half of what is drawn would round to the upper.
        near = float(dtype(1) + np.finfo(dtype).eps)
        yield "uniform", {"low": 1, "high": repr(near)}, uniform(dtype, key, N, 1, near)
        yield "normal", {}, normal(dtype, key, N)
    for dtype, low, high in [
        ("int8", -128, 128), ("uint8", 0, 6), ("int16", -5, 5), ("uint16", 7, 8), ("int32", -(2**31), 2**31),
        ("uint32", 0, 2**24), ("int64", 0, 2**24 - 1), ("uint32", 5, 2**24 + 6), ("int64", -(2**63), 2**63),
        ("uint64", 0, 2**64), ("int64", -(2**62), 2**62 + 1), ("uint64", 3, 2**63 + 2**62),
    ]:  # fmt: skip
        yield "integers", {"low": low, "high": high}, integers(dtype, key, N, low, high)
    for p in (0, 0.3, 1):
        yield "bernoulli", {"p": p}, words(key, N).astype(np.uint64) < np.uint64(round(p * 2**32))
    yield "permutation", {}, np.argsort(wide(key, N), kind="stable")
    for i in (0, 1, 1000):
        yield "split", {"i": i}, words(derived(key, SPLIT | i), N)
    for data in (0, 1, 2**32, 2**64 - 1):
        yield "fold", {"data": data}, words(derived(derived(key, FOLD | data >> 32), FOLD | data % 2**32), N)
    yield "quantiles", {}, stats.norm.ppf(np.arange(1, 1024) / 1024)


with open(os.path.join(HERE, "random.txt"), "w") as f:
    f.write(
        f"# make_random.py, randomgen {randomgen.__version__}, mpmath {mp.__version__}, SciPy {scipy.__version__}\n"
    )
    for op, arguments, result in lines():
        f.write(" ".join([op] + [f"{k}={v}" for k, v in arguments.items()]) + f" -> {text(result)}\n")
