"""What a call costs above the C library's: vectors of one element, added.

usage: python overhead.py LIBRARY     LIBRARY: libicicle_c.so, built by `cargo build --release -p icicle-ffi`

A C loop times `icicle_vector_add` into memory allocated before; Python's `x + y` allocates its result each time, `x += y`
does not. Exits with 1 if either takes 2 microseconds or more above the C call.
"""

import subprocess
import sys
import tempfile
import timeit
from pathlib import Path

import icicle

ROOT = Path(__file__).parents[2]
LOOP = """
#include <icicle.h>
#include <stdio.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e6 + t.tv_nsec / 1e3; }
int main(void) {
    icicle_vec_ops_config_t config = icicle_vec_ops_config_default();
    void *a, *b;
    if (icicle_malloc(&a, 4) || icicle_malloc(&b, 4)) return 1;
    config.is_a_on_device = config.is_b_on_device = config.is_result_on_device = true;
    double best = 1e9;
    for (int round = 0; round < 20; round++) {
        double start = now();
        for (int i = 0; i < 10000; i++)
            if (icicle_vector_add(ICICLE_FIELD_BABYBEAR, a, b, 1, &config, a)) return 1;
        double each = (now() - start) / 10000;
        if (each < best) best = each;
    }
    printf("%.4f\\n", best);
    return 0;
}
"""


def in_c(library):
    """Microseconds of the call in C."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "loop.c"), Path(folder, "loop")
        source.write_text(LOOP)
        # The names by which programs link and find it.
        for name in ("libicicle.so", "libicicle.so.0"):
            Path(folder, name).symlink_to(library)
        command = ["cc", "-O2", "-I", ROOT / "include", source, "-L", folder, "-licicle", f"-Wl,-rpath,{folder}"]
        command += ["-o", program]
        subprocess.run(command, check=True)
        return float(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


def in_python(statement):
    """Microseconds of a statement."""
    x = icicle.fields.babybear.scalar.ones(1)
    names = {"ones": x, "y": x.copy(), "add": icicle._icicle.vector_binary, "a": x.buffer, "b": x.copy().buffer}
    return min(timeit.repeat(statement, "x = ones", number=10_000, repeat=20, globals=names)) * 100


def main(library):
    base = in_c(library)
    print(f"{'C call':<32}{base:>8.3f} us")
    rows = {"x += y": "in place", "x + y": "new result", "add('add', 10010, 1, 1, False, a, b, b)": "native function"}
    times = {statement: in_python(statement) for statement in rows}
    for statement, name in rows.items():
        print(f"{name:<32}{times[statement]:>8.3f} us, {times[statement] - base:+.3f}")
    return max(times["x += y"], times["x + y"]) - base >= 2


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
