"""The times of CuPy and PyTorch for what `cuda_product_speed.rs` times: `python cuda_product_speed.py [PART OF A NAME]`."""

import statistics
import sys
import time

import cupy
import torch

ONLY = sys.argv[1] if len(sys.argv) > 1 else ""
DTYPES = {name: getattr(torch, name) for name in ("float32", "float64", "complex128", "bfloat16", "uint8")}


def clock(name, amount, unit, runs, works):
    if ONLY not in name:
        return
    for peer, (work, wait) in works.items():
        try:
            for _ in range(3):
                work()
                wait()
        except (RuntimeError, TypeError, NotImplementedError) as error:
            print(f"{name:36} {peer}: {str(error).splitlines()[0]}")
            continue
        times = []
        for _ in range(runs):
            start = time.perf_counter()
            work()
            wait()
            times.append((time.perf_counter() - start) * 1e3)
        times.sort()
        median, late = statistics.median(times), times[runs * 99 // 100]
        print(f"{name:36} {median:9.4f} ms  p99 {late:9.4f}  {amount / median * 1e3:9.1f} {unit}  {peer}")


def both(name, amount, unit, runs, x, y, product=lambda x, y: x @ y):
    """A product of tensors, and of the same memory as CuPy's arrays where it has the dtype."""
    works = {"torch": (lambda: product(x, y), torch.cuda.synchronize)}
    if x.dtype != torch.bfloat16:
        a, b = cupy.from_dlpack(x), cupy.from_dlpack(y)
        works["cupy"] = (lambda: a @ b, cupy.cuda.get_current_stream().synchronize)
    clock(name, amount, unit, runs, works)
    cupy.get_default_memory_pool().free_all_blocks()
    torch.cuda.empty_cache()


def numbers(*shape, dtype=torch.float32):
    if dtype.is_floating_point or dtype.is_complex:
        some = torch.empty((1 << 20) + 7, dtype=torch.float32, device="cuda").uniform_(-1, 1).to(dtype)
    else:
        some = torch.randint(-100 if dtype.is_signed else 0, 100, ((1 << 20) + 7,), device="cuda").to(dtype)
    out = torch.empty(shape, dtype=dtype, device="cuda").reshape(-1)
    for start in range(0, out.numel(), some.numel()):
        part = out[start : start + some.numel()]
        part.copy_(some[: part.numel()])
    return out.reshape(shape)


for name, n, dtype, tf32 in [
    ("matmul f32 8192^3", 8192, torch.float32, False),
    ("matmul f32 as tf32 8192^3", 8192, torch.float32, True),
    ("matmul bf16 8192^3", 8192, torch.bfloat16, False),
    ("matmul f16 8192^3", 8192, torch.float16, False),
    ("matmul f64 4096^3", 4096, torch.float64, False),
    ("matmul c64 4096^3", 4096, torch.complex64, False),
    ("matmul c128 2048^3", 2048, torch.complex128, False),
    ("matmul i32 4096^3", 4096, torch.int32, False),
    ("matmul i64 4096^3", 4096, torch.int64, False),
    ("matmul f32 1024^3", 1024, torch.float32, False),
    ("matmul f32 128^3", 128, torch.float32, False),
]:
    # CuPy has no switch but the variable CUPY_TF32, so that its row of tf32 is of float32.
    torch.set_float32_matmul_precision("high" if tf32 else "highest")
    both(name, 2e-12 * n**3, "TFLOP/s", 21, numbers(n, n, dtype=dtype), numbers(n, n, dtype=dtype))
torch.set_float32_matmul_precision("highest")
both("matmul f32 8192^3 of transposes", 2e-12 * 8192**3, "TFLOP/s", 21, numbers(8192, 8192).T, numbers(8192, 8192).T)
both("matmul f32 512 of 256^3", 512 * 2e-12 * 256**3, "TFLOP/s", 21, numbers(512, 256, 256), numbers(512, 256, 256))
both("matmul f32 64x1e6 by 1e6x64", 2e-12 * 64e6 * 64, "TFLOP/s", 21, numbers(64, 1_000_000), numbers(1_000_000, 64))

for dtype, rows, columns in [
    ("float32", 10_000, 300_000),
    ("float32", 10_001, 299_999),
    ("float32", 300_000, 10_000),
    ("bfloat16", 10_000, 300_000),
    ("float64", 10_000, 150_000),
    ("complex128", 10_000, 75_000),
    ("uint8", 10_000, 1_000_000),
    ("float32", 16, 100_000_000),
]:
    kind = DTYPES[dtype]
    x, v, w = numbers(rows, columns, dtype=kind), numbers(columns, dtype=kind), numbers(rows, dtype=kind)
    gigabytes = rows * columns * x.element_size() / 1e9
    both(f"gemv {dtype} {rows}x{columns} by rows", gigabytes, "GB/s", 21, x, v)
    both(f"gemv {dtype} {rows}x{columns} by columns", gigabytes, "GB/s", 21, w, x)
    del x, v, w
x, y = numbers(1_000_000_000), numbers(1_000_000_000)
both("dot f32 1e9", 8.0, "GB/s", 21, x, y)
both("vecdot f32 1e9", 8.0, "GB/s", 21, x, y, torch.linalg.vecdot)
del x, y
both("gemv f32 1000x1000", 0.004, "GB/s", 1000, numbers(1000, 1000), numbers(1000))
