"""A quick table of times: multi-scalar multiplications and transforms on each device."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from . import _icicle
from ._icicle import Device
from .curve import CURVES
from .fields import FAMILIES


def exponent(text: str) -> int:
    """The logarithm of a size, as given on a command line."""
    log_n = int(text)
    if not 0 <= log_n <= 40:
        raise argparse.ArgumentTypeError(f"{text}: must be 0 to 40")
    return log_n


@dataclass(frozen=True)
class Row:
    """One measurement: the median of several runs, in milliseconds."""

    device: str
    operation: str
    log_n: int
    ms: float
    runs: int


def cases(device: Device, log_n: int, curve_name: str, family_name: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is measured on a device at a size: a name, and a call whose operands lie there. Unsupported ones are left out."""
    n = 1 << log_n
    curve, family = CURVES[curve_name], FAMILIES[family_name]
    if device.supports("msm", curve):
        scalars = curve.scalar.random(n, device=device)
        points = curve.affine.random(min(n, 1024), device="cpu").buffer.tobytes() * (n // min(n, 1024))
        bases = curve.affine._wrap(_icicle.Buffer.from_bytes(points, device), (n,))
        yield f"msm {curve.name}", lambda: curve.msm(scalars, bases)
    for field in (curve.scalar, family.scalar):
        if field.has_ntt and n <= 1 << field.two_adicity and device.supports("ntt", field):
            x = field.random(n, device=device)
            yield f"ntt {field.name}", lambda x=x: FAMILIES[x.dtype.prefix].ntt(x)  # type: ignore[misc]


def measure(device: Device, run: Callable[[], Any], *, seconds: float = 0.3, least: int = 3) -> tuple[float, int]:
    """Median milliseconds of a call, the device idle before and after, and how often it ran."""

    def once() -> float:
        start = time.perf_counter()
        run()
        device.synchronize()
        return 1e3 * (time.perf_counter() - start)

    once()
    times: list[float] = []
    deadline = time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < deadline:
        times.append(once())
    return statistics.median(times), len(times)


def rows(
    devices: Sequence[Device], sizes: Sequence[int], curve: str, family: str
) -> Iterator[tuple[float, Row | None]]:
    """Measurements as they come, each with the share of the work that is done."""
    total = len(devices) * len(sizes)
    for i, (device, log_n) in enumerate((device, log_n) for device in devices for log_n in sizes):
        for name, run in cases(device, log_n, curve, family):
            ms, runs = measure(device, run)
            yield i / total, Row(str(device), name, log_n, ms, runs)
        yield (i + 1) / total, None


def _with_bar(measured: Iterable[tuple[float, Row | None]]) -> list[Row]:
    """Collect rows, with a progress bar on a terminal."""
    found: list[Row] = []
    for share, row in measured:
        if row is not None:
            found.append(row)
        if sys.stderr.isatty():
            filled = int(40 * share)
            label = "" if row is None else f"{row.device} {row.operation} 2^{row.log_n}"
            print(f"\r[{'#' * filled}{' ' * (40 - filled)}] {label:<40}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r" + " " * 84, end="\r", file=sys.stderr)
    return found


def show(devices: Sequence[Device], sizes: Sequence[int], curve: str, family: str, as_json: bool) -> None:
    """Measure and print. Raises KeyError for an unknown curve or family."""
    if curve not in CURVES or family not in FAMILIES:
        raise KeyError(f"curve {curve}, field {family}: must be of {', '.join(CURVES)} and {', '.join(FAMILIES)}")
    found = _with_bar(rows(devices, sizes, curve, family))
    if as_json:
        print(json.dumps([asdict(row) for row in found], indent=2))
        return
    print(f"{'device':<10}{'operation':<20}{'n':>8}{'ms':>12}{'M elements/s':>14}")
    for row in found:
        rate = (1 << row.log_n) / row.ms / 1e3
        print(f"{row.device:<10}{row.operation:<20}{f'2^{row.log_n}':>8}{row.ms:>12.3f}{rate:>14.2f}")
