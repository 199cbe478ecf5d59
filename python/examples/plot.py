"""Plot the time of MSM and NTT against size, for every device.

usage: python plot.py OUTPUT.png [--log-n FROM TO] [--curve NAME] [--field NAME]
"""

import argparse

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt

import icicle
from icicle import bench


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Plot the time of MSM and NTT against size, for every device.")
    parser.add_argument("output", help="the picture's file")
    parser.add_argument("--log-n", type=bench.exponent, nargs=2, default=(8, 16), metavar=("FROM", "TO"))
    parser.add_argument("--curve", default="bn254", choices=icicle.curves.CURVES)
    parser.add_argument("--field", default="babybear", choices=icicle.fields.FAMILIES)
    options = parser.parse_args(arguments)
    first, last = options.log_n
    measured = bench.rows(icicle.devices(), range(first, last + 1), options.curve, options.field)
    rows = [row for _, row in measured if row is not None]
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), sharex=True)
    for axis, kind in zip(axes, ("msm", "ntt")):
        chosen = [row for row in rows if row.operation.startswith(kind)]
        for line in dict.fromkeys((row.device, row.operation) for row in chosen):
            points = [(1 << row.log_n, row.ms) for row in chosen if (row.device, row.operation) == line]
            axis.loglog(*zip(*points), marker="o", base=2, label=" ".join(line))
        axis.set(title=kind.upper(), xlabel="elements", ylabel="milliseconds, median")
        axis.set_yscale("log", base=10)
        axis.grid(alpha=0.3)
        axis.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(options.output, dpi=150)


if __name__ == "__main__":
    main()
