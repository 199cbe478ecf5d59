"""How far an example is: a bar on a terminal, nothing elsewhere."""

import sys
import time


def show(done, total, what, start):
    """Of a work that began at `start`, by time.perf_counter."""
    if sys.stderr.isatty():
        left = (time.perf_counter() - start) / done * (total - done)
        bar = "#" * (40 * done // total)
        end = "\n" if done == total else ""
        print(f"\r[{bar:<40}] {done}/{total} {what}, {left:.0f} s left ", end=end, file=sys.stderr, flush=True)
