"""Arrays of numbers on the CPU beside NumPy's, by turns: medians in milliseconds, and NumPy's time by ours; the same of the
processor's time, which other programs disturb less.

usage: RAYON_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python arrays.py [PART OF A NAME] [TURNS]
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from icicle import random, xp

N = 30_000_000
Row = tuple[str, int, Callable[[], object], Callable[[], object]]


def line(n: int, dtype: str = "float32") -> np.ndarray:
    return np.resize(np.linspace(0, 1, 1 << 16), n).astype(dtype)


def reductions() -> Iterator[Row]:
    a = line(N)
    x = xp.asarray(a)
    yield "sum f32 3e7", 1, a.sum, lambda: xp.sum(x)
    yield "max f32 3e7", 1, a.max, lambda: xp.max(x)
    yield "argmax f32 3e7", 1, a.argmax, lambda: xp.argmax(x)
    yield "mean f32 3e7", 1, a.mean, lambda: xp.mean(x)
    yield "var f32 3e7", 1, a.var, lambda: xp.var(x)
    for dtype in ("float32", "float64"):
        for shape in ((3000, 10000), (300000, 100), (30000, 1000), (100, 300000), (3000000, 10)):
            part = line(N, dtype).reshape(shape)
            y = xp.asarray(part)
            name = f"sum {dtype} {shape[0]}x{shape[1]}"
            yield f"{name} axis 0", 1, lambda part=part: part.sum(0), lambda y=y: xp.sum(y, axis=0)
            yield f"{name} axis 1", 1, lambda part=part: part.sum(1), lambda y=y: xp.sum(y, axis=1)
    small = line(10000).reshape(100, 100)
    y = xp.asarray(small)
    yield "sum f32 100x100 axis 0", 100, lambda: small.sum(0), lambda: xp.sum(y, axis=0)
    yield "sum f32 100x100 axis 1", 100, lambda: small.sum(1), lambda: xp.sum(y, axis=1)


def elementwise() -> Iterator[Row]:
    a, b, c = line(N), line(N), line(N)
    x, y, z = xp.asarray(a), xp.asarray(b), xp.asarray(c)
    yield "a + b f32 3e7", 1, lambda: a + b, lambda: x + y
    yield "a * b + c f32 3e7", 1, lambda: a * b + c, lambda: x * y + z
    yield "sum((a * b + c) ** 2) f32 3e7", 1, lambda: ((a * b + c) ** 2).sum(), lambda: xp.sum((x * y + z) ** 2)
    yield "a < b f32 3e7", 1, lambda: a < b, lambda: x < y
    yield "sqrt f32 3e7", 1, lambda: np.sqrt(a), lambda: xp.sqrt(x)
    yield "exp f32 3e7", 1, lambda: np.exp(a), lambda: xp.exp(x)
    yield "astype f32 to f64 3e7", 1, lambda: a.astype("float64"), lambda: xp.astype(x, xp.float64)
    m, row = a.reshape(3000, 10000), line(10000)
    p, q = xp.asarray(m), xp.asarray(row)
    yield "matrix + row f32 3000x10000", 1, lambda: m + row, lambda: p + q
    yield "copy of transpose f32 3000x10000", 1, lambda: m.T.copy(), lambda: xp.asarray(p.mT, copy=True)


def products() -> Iterator[Row]:
    wide, x = line(300_000_000).reshape(10000, 30000), line(30000)
    a, b = xp.asarray(wide), xp.asarray(x)
    yield "gemv f32 10000x30000", 1, lambda: wide @ x, lambda: a @ b
    u, v = wide.reshape(30000, 10000).T, xp.reshape(a, (30000, 10000)).mT
    yield "gemv f32 10000x30000 transposed", 1, lambda: u @ x, lambda: v @ b
    wide = a = u = v = None  # more than a gigabyte each
    for dtype in ("float32", "float64"):
        for n in (64, 256, 1024, 2048):
            s = np.random.default_rng(1).random((n, n), dtype)
            t = xp.asarray(s)
            each = max(1, (256 // n) ** 3 * 4)
            yield f"matmul {dtype} {n}^3", each, lambda s=s: s @ s, lambda t=t: t @ t


def sorting() -> Iterator[Row]:
    mixed = np.random.default_rng(1).random(10_000_000) * 1e9
    for dtype in ("float32", "float64", "int32", "int64"):
        values = mixed.astype(dtype)
        x = xp.asarray(values)
        yield f"sort {dtype} 1e7", 1, lambda v=values: np.sort(v), lambda x=x: xp.sort(x)
        yield (
            f"argsort {dtype} 1e7",
            1,
            lambda v=values: np.argsort(v, kind="stable"),
            lambda x=x: xp.argsort(x),
        )


def randomness() -> Iterator[Row]:
    philox, key = np.random.Generator(np.random.Philox(1)), random.Key(1)
    for dtype, ours in (("float32", xp.float32), ("float64", xp.float64)):
        yield (
            f"uniform {dtype} 3e7",
            1,
            lambda d=dtype: philox.random(N, dtype=d),
            lambda d=ours: random.uniform(key, N, dtype=d),
        )
        yield (
            f"normal {dtype} 3e7",
            1,
            lambda d=dtype: philox.standard_normal(N, dtype=d),
            lambda d=ours: random.normal(key, N, dtype=d),
        )


def small() -> Iterator[Row]:
    a = line(10)
    x = xp.asarray(a)
    yield "a + a f32 10, 1000 times", 1000, lambda: a + a, lambda: x + x
    yield "a + 1 f32 10, 1000 times", 1000, lambda: a + 1, lambda: x + 1
    yield "a < 1 f32 10, 1000 times", 1000, lambda: a < 1, lambda: x < 1
    yield "exp f32 10, 1000 times", 1000, lambda: np.exp(a), lambda: xp.exp(x)
    yield "sum f32 10, 1000 times", 1000, lambda: np.sum(a), lambda: xp.sum(x)
    yield "a[2:8] f32 10, 1000 times", 1000, lambda: a[2:8], lambda: x[2:8]
    yield "a[3] f32 10, 1000 times", 1000, lambda: a[3], lambda: x[3]
    yield "reshape f32 10, 1000 times", 1000, lambda: np.reshape(a, (2, 5)), lambda: xp.reshape(x, (2, 5))
    yield "dot f32 10, 1000 times", 1000, lambda: a @ a, lambda: x @ x
    yield "zeros 10, 1000 times", 1000, lambda: np.zeros(10), lambda: xp.zeros(10)


def clock(work: Callable[[], object], each: int) -> tuple[float, float]:
    """Milliseconds, passed and of the processor, of so many calls, each with its result computed and freed."""
    time.sleep(0.05)  # OpenBLAS's threads look for more work that long, on the cores that ours need
    start, busy = time.perf_counter(), time.process_time()
    for _ in range(each):
        result = work()
        if isinstance(result, xp.Array):
            _ = result.address
    return (time.perf_counter() - start) * 1e3, (time.process_time() - busy) * 1e3


def alone(work: Callable[[], object], times: int) -> tuple[float, float]:
    """As `clock`, once OpenBLAS's threads sleep: for a while after a product they look for the next, and take a core each."""
    time.sleep(0.1)
    work()
    return clock(work, times)


def main(part: str = "", turns: int = 7) -> None:
    print(f"{'':36} {'NumPy':>9} {'icicle':>9} {'ratio':>6} {'processor':>9} {'ratio':>6}")
    for group in (small, reductions, elementwise, products, sorting, randomness):
        for name, each, theirs, ours in group():
            if part not in name:
                continue
            times = [(alone(theirs, each), alone(ours, each)) for _ in range(turns)]
            numpy, icicle = (statistics.median(one[0] for one in column) for column in zip(*times, strict=True))
            wall, busy = (statistics.median(a[k] / b[k] for a, b in times) for k in (0, 1))
            processor = statistics.median(b[1] for _, b in times)
            print(f"{name:36} {numpy:9.3f} {icicle:9.3f} {wall:6.2f} {processor:9.3f} {busy:6.2f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
