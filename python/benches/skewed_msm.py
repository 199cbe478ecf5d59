"""Multi-scalar multiplications of inputs that are not uniform, beside uniform ones of the same size.

usage: python skewed_msm.py [LOG_N] [CURVE]     16, bn254 if not given

Runs every case by turns with the uniform one; prints median milliseconds and the ratio uniform / case, which should not
be below 1 by more than the clock's noise.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

import icicle

RUNS = 5


def main(log_n: int, name: str) -> None:
    curve = getattr(icicle.curves, name)
    field, n = curve.scalar, 1 << log_n
    rng = random.Random(1)
    uniform = field.random(n)
    points = curve.affine.random(n)

    def scalars(value: Callable[[int], int]) -> icicle.FieldArray:
        return field.from_ints([value(i) for i in range(n)])

    half = field.modulus >> 1
    bits = field.modulus.bit_length()
    short = {
        f"{k} bits short": (scalars(lambda i, k=k: rng.randrange(min(1 << (bits - k), field.modulus))), points)
        for k in (1, 2, 3, 4, 6, 8)
    }
    witness = [lambda: 0] * 4 + [lambda: 1] * 2 + [lambda: rng.randrange(1 << 16)] * 2
    witness += [lambda: rng.randrange(field.modulus)] * 2
    cases = {
        **short,
        "half one value": (scalars(lambda i: half if i % 2 else rng.randrange(field.modulus)), points),
        "a witness": (scalars(lambda i: rng.choice(witness)()), points),
        "zeros and ones": (scalars(lambda i: rng.randrange(2)), points),
        "nine in ten zero": (scalars(lambda i: 0 if rng.randrange(10) else rng.randrange(field.modulus)), points),
        "64 bits": (scalars(lambda i: rng.randrange(1 << 64)), points),
        "all r - 1": (scalars(lambda i: field.modulus - 1), points),
        "all one scalar": (scalars(lambda i: half), points),
        "few scalars": (scalars(lambda i: half + i % 7), points),
        "one point": (uniform, curve.affine.from_numpy(np.repeat(points[:1].numpy(), n, axis=0))),
        "two points": (uniform, curve.affine.from_numpy(np.tile(points[:2].numpy(), (n // 2, 1, 1)))),
    }
    print(f"{name} 2^{log_n}, milliseconds")
    for case, (values, bases) in cases.items():
        times: list[tuple[float, float]] = []
        for _ in range(RUNS):
            start = time.perf_counter()
            curve.msm(uniform, points)
            middle = time.perf_counter()
            curve.msm(values, bases)
            times.append((middle - start, time.perf_counter() - middle))
        ours, theirs = (statistics.median(column) * 1e3 for column in zip(*times, strict=True))
        print(f"{case:<18} uniform {ours:9.2f}  this {theirs:9.2f}  ratio {ours / theirs:5.2f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 16, sys.argv[2] if len(sys.argv) > 2 else "bn254")
