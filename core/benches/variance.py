"""Draw what the bench `variance` printed: `python variance.py LOG > variance.svg`, a histogram for each way on a common axis of
logarithms of time."""

import math
import sys
from collections.abc import Iterator

LEFT, RIGHT, LINE, WIDTH = 240, 20, 34, 960
#: Microseconds at the ends of the axis, and pieces of the axis.
FROM, TO, PIECES = 60.0, 3000.0, 180
COLOURS = {"1": "#4477aa", "2": "#cc6677"}


def read(lines: Iterator[str]) -> dict[str, dict[str, list[float]]]:
    """Times by way and by number of devices."""
    found: dict[str, dict[str, list[float]]] = {}
    for line in lines:
        if line.startswith("times\t"):
            _, count, way, times = line.rstrip("\n").split("\t")
            found.setdefault(way, {})[count] = [float(time) for time in times.split()]
    return found


def place(time: float) -> float:
    """From 0 to 1 along the axis."""
    return min(max(math.log(time / FROM) / math.log(TO / FROM), 0.0), 1.0)


def bars(times: list[float], bottom: float, colour: str) -> Iterator[str]:
    """A histogram whose highest bar fills its line."""
    counts = [0] * (PIECES + 1)
    for time in times:
        counts[int(place(time) * PIECES)] += 1
    width = (WIDTH - LEFT - RIGHT) / PIECES
    for i, count in enumerate(counts):
        if count:
            # A single outlier is seen, too.
            height = 2 + (LINE - 10) * count / max(counts)
            yield (
                f'<rect x="{LEFT + i * width:.1f}" y="{bottom - height:.1f}" width="{width:.1f}" '
                f'height="{height:.1f}" fill="{colour}"/>'
            )


def main() -> None:
    """Read the log, write the picture."""
    with open(sys.argv[1]) as log:
        ways = read(log)
    rows = [(way, count, times) for way, of in ways.items() for count, times in of.items()]
    height = LINE * (len(rows) + 2)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12">')
    print(f'<rect width="{WIDTH}" height="{height}" fill="white"/>')
    for time in [100, 200, 300, 500, 1000, 2000, 3000]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * place(time)
        print(f'<line x1="{x:.1f}" y1="10" x2="{x:.1f}" y2="{height - 40}" stroke="#dddddd"/>')
        print(f'<text x="{x:.1f}" y="{height - 22}" text-anchor="middle">{time}</text>')
    print(f'<text x="{WIDTH - RIGHT}" y="{height - 6}" text-anchor="end">microseconds a call</text>')
    for row, (way, count, times) in enumerate(rows):
        bottom = LINE * (row + 1)
        devices = "1 GPU" if count == "1" else f"{count} GPUs"
        print(f'<text x="{LEFT - 8}" y="{bottom - 2}" text-anchor="end">{way}, {devices}</text>')
        print("".join(bars(times, bottom, COLOURS.get(count, "#cc6677"))))
    print("</svg>")


if __name__ == "__main__":
    main()
