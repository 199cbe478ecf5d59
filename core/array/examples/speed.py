"""The times of NumPy for what `speed.rs` times: `python speed.py [PART OF A NAME]`."""

import statistics
import sys
import time

import numpy as np

ONLY = sys.argv[1] if len(sys.argv) > 1 else ""


def clock(name, runs, work):
    if ONLY not in name:
        return
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    print(f"{name:28} {statistics.median(times):9.3f} ms")


n = 30_000_000


def line(n):
    return np.resize(np.linspace(0, 1, 1 << 16), n).astype(np.float32)


a, b, c = line(n), line(n), line(n)
clock("sum f32 3e7", 11, lambda: a.sum())
clock("max f32 3e7", 11, lambda: a.max())
clock("argmax f32 3e7", 11, lambda: a.argmax())
clock("a*b+c f32 3e7", 11, lambda: a * b + c)
clock("sum((a*b+c)**2) f32 3e7", 11, lambda: ((a * b + c) ** 2).sum())
clock("a<b f32 3e7", 11, lambda: a < b)
clock("sqrt f32 3e7", 11, lambda: np.sqrt(a))
clock("exp f32 3e7", 5, lambda: np.exp(a))
clock("astype f32->f64 3e7", 11, lambda: a.astype("float64"))
m = a.reshape(3000, 10000)
clock("sum f32 axis 0 3000x10000", 11, lambda: m.sum(0))
clock("sum f32 axis 1 3000x10000", 11, lambda: m.sum(1))
row = line(10000)
clock("m + row", 11, lambda: m + row)
clock("copy of transpose", 5, lambda: m.T.copy())
clock("mean, var f32 3e7", 5, lambda: a.var())
wide, x = line(300_000_000).reshape(10000, 30000), line(30000)
clock("gemv f32 10000x30000", 5, lambda: wide @ x)
tall = wide.reshape(30000, 10000).T
clock("gemv f32, matrix transposed", 5, lambda: tall @ x)
wide = tall = None  # a gigabyte
s = line(2048 * 2048).reshape(2048, 2048)
clock("matmul f32 2048^3", 5, lambda: s @ s)
s = s.astype("float64")
clock("matmul f64 2048^3", 5, lambda: s @ s)
philox = np.random.Generator(np.random.Philox(1))
for dtype in ("float32", "float64"):
    clock(f"uniform {dtype} 3e7", 5, lambda: philox.random(n, dtype=dtype))
    clock(f"normal {dtype} 3e7", 5, lambda: philox.standard_normal(n, dtype=dtype))
clock("integers int64 3e7", 5, lambda: philox.integers(0, 1000, n))
mixed = philox.random(10_000_000) * 1e9
for dtype in ("float32", "float64", "int32", "int64"):
    values = mixed.astype(dtype)
    clock(f"sort {dtype} 1e7", 5, lambda: np.sort(values))
    clock(f"argsort {dtype} 1e7", 5, lambda: np.argsort(values, kind="stable"))
small = line(10)
clock("1000 x add of 10", 11, lambda: [small + small for _ in range(1000)])
clock("1000 x sum of 10", 11, lambda: [small.sum() for _ in range(1000)])
