"""Milliseconds of sums and products of 2^20 elements of BN254's scalar field, in the library's own memory.

usage: RAYON_NUM_THREADS=1 python vectors.py     beside `go run . -what vector` in benches/gnark
"""

import statistics
import timeit
from collections.abc import Callable

import icicle
from icicle import FieldArray

N = 1 << 20
RUNS = 31


def main() -> None:
    field = icicle.fields.bn254.scalar
    a, b = field.random(N), field.random(N)
    work: dict[str, Callable[[], FieldArray]] = {"add": lambda: a + b, "mul": lambda: a * b}
    for name, call in work.items():
        # The result before lives until the next is there, so that each has memory of its own.
        kept = call()

        def once(call: Callable[[], FieldArray] = call) -> None:
            nonlocal kept
            kept = call()

        times = timeit.repeat(once, number=1, repeat=RUNS)
        print(f"{name}: median {statistics.median(times) * 1e3:.3f} ms, least {min(times) * 1e3:.3f} ms")


if __name__ == "__main__":
    main()
