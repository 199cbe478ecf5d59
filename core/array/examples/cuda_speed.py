"""The times of CuPy and PyTorch for what `cuda_speed.rs` times: `python cuda_speed.py [PART OF A NAME]`."""

import statistics
import sys
import time

import cupy
import torch

ONLY = sys.argv[1] if len(sys.argv) > 1 else ""


def clock(name, gigabytes, runs, works):
    if ONLY not in name:
        return
    for peer, work in works.items():
        for _ in range(3):
            work()
        times = []
        for _ in range(runs):
            start = time.perf_counter()
            work()
            times.append((time.perf_counter() - start) * 1e3)
        times.sort()
        median, late = statistics.median(times), times[runs * 99 // 100]
        print(f"{name:32} {median:9.4f} ms  p99 {late:9.4f}  {gigabytes / median * 1e3:7.0f} GB/s  {peer}")


def both(name, gigabytes, runs, of_cupy, of_torch, is_scalar=False):
    """A call with its result waited for, or brought to the host."""

    def in_cupy():
        out = of_cupy()
        return out.item() if is_scalar else cupy.cuda.get_current_stream().synchronize()

    def in_torch():
        out = of_torch()
        return out.item() if is_scalar else torch.cuda.synchronize()

    clock(name, gigabytes, runs, {"cupy": in_cupy, "torch": in_torch})
    cupy.get_default_memory_pool().free_all_blocks()
    torch.cuda.empty_cache()


def line(n):
    base = cupy.linspace(0, 1, 1 << 16, dtype=cupy.float32)
    x = cupy.resize(base, n)
    return x, torch.from_dlpack(x)


def mixed(n):
    out = cupy.empty(n, dtype=cupy.uint32)
    for i in range(0, n, 100_000_000):
        place = cupy.arange(i, min(n, i + 100_000_000), dtype=cupy.uint64) * cupy.uint64(0x9E3779B97F4A7C15)
        out[i : i + 100_000_000] = (place ^ (place >> cupy.uint64(29))).astype(cupy.uint32)
    return out


def orders():
    x = mixed(1_000_000_000)
    # PyTorch sorts no unsigned words of 32 bits: as many signed ones.
    tx = torch.from_dlpack(x.view(cupy.int32))
    both("sort u32 1e9", 8.0, 7, lambda: cupy.sort(x), lambda: torch.sort(tx))
    f = x.astype("float32")
    tf = torch.from_dlpack(f)
    both("sort f32 1e9", 8.0, 7, lambda: cupy.sort(f), lambda: torch.sort(tf))
    both("cumulative_sum f32 1e9", 8.0, 7, lambda: cupy.cumsum(f), lambda: torch.cumsum(tf, 0))
    part = f[:100_000_000].copy()
    del x, tx, f, tf
    tpart = torch.from_dlpack(part)
    both("argsort f32 1e8", 1.2, 7, lambda: cupy.argsort(part), lambda: torch.argsort(tpart, stable=True))
    both("unique f32 1e8", 0.8, 7, lambda: cupy.unique(part), lambda: torch.unique(tpart))
    for lines, length in [(1_000_000, 100), (100_000, 1000), (10_000, 10_000)]:
        of, tof = part.reshape(lines, length), tpart.reshape(lines, length)
        both(f"sort f32 {lines} x {length}", 0.8, 7, lambda: cupy.sort(of, 1), lambda: torch.sort(tof, 1))
    small, tsmall = part[:10_000].copy(), tpart[:10_000].clone()
    both("sort f32 1e4", 0.0, 101, lambda: cupy.sort(small), lambda: torch.sort(tsmall))
    middle, tmiddle = part[:1_000_000].copy(), tpart[:1_000_000].clone()
    both("sort f32 1e6", 0.0, 101, lambda: cupy.sort(middle), lambda: torch.sort(tmiddle))
    order, torder = cupy.sort(middle), torch.sort(tmiddle).values
    both(
        "searchsorted f32 1e8 in 1e6", 1.2, 7, lambda: cupy.searchsorted(order, part), lambda: torch.searchsorted(torder, tpart)
    )


orders()
x, tx = line(30_000_000)
both("sum f32 3e7, scalar on the host", 0.12, 1000, lambda: x.sum(), lambda: tx.sum(), True)
both("max f32 3e7, scalar on the host", 0.12, 1000, lambda: x.max(), lambda: tx.max(), True)
one, tone = line(1)
both("add of one element", 0.0, 1000, lambda: one + one, lambda: tone + tone)
(a, ta), (b, tb), (c, tc) = line(1_000_000_000), line(1_000_000_000), line(1_000_000_000)
both("sum f32 1e9", 4.0, 21, lambda: a.sum(), lambda: ta.sum(), True)
both("argmax f32 1e9", 4.0, 21, lambda: a.argmax(), lambda: ta.argmax(), True)
both("a*b+c f32 1e9", 16.0, 21, lambda: a * b + c, lambda: torch.addcmul(tc, ta, tb))
both("sum((a*b+c)**2) f32 1e9", 12.0, 21, lambda: ((a * b + c) ** 2).sum(), lambda: ((ta * tb + tc) ** 2).sum(), True)
both("exp f32 1e9", 8.0, 21, lambda: cupy.exp(a), lambda: torch.exp(ta))
both("astype f32->f64 1e9", 12.0, 21, lambda: a.astype("float64"), lambda: ta.double())
m, tm = a.reshape(100_000, 10_000), ta.reshape(100_000, 10_000)
both("sum f32 axis 0 1e5x1e4", 4.0, 21, lambda: m.sum(0), lambda: tm.sum(0))
both("sum f32 axis 1 1e5x1e4", 4.0, 21, lambda: m.sum(1), lambda: tm.sum(1))
row, trow = line(10_000)
both("m + row 1e5x1e4", 8.0, 21, lambda: m + row, lambda: tm + trow)
both("copy of transpose 1e5x1e4", 8.0, 21, lambda: cupy.ascontiguousarray(m.T), lambda: tm.T.contiguous())
both("mean f32 1e9", 4.0, 21, lambda: a.mean(), lambda: ta.mean(), True)
both("var f32 1e9", 8.0, 21, lambda: a.var(), lambda: ta.var(unbiased=False), True)
del b, tb, c, tc
long, tlong = line(16_000_000_000)
both("sum f32 16e9", 64.0, 7, lambda: long.sum(), lambda: tlong.sum(), True)
