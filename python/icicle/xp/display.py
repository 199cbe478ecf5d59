"""How arrays are shown: the ends of long axes, and the dtype."""

from __future__ import annotations

from typing import Any

from .array import Array

MOST = 1000
"""Elements from which on only the ends of axes are shown."""
ENDS = 3
"""How many from each end."""


def _lines(x: Array, short: bool, indent: str) -> str:
    if not x.ndim:
        return _number(x.tolist())
    length = x.shape[0]
    cut = short and length > 2 * ENDS
    rows: list[int | None] = [*range(ENDS), None, *range(length - ENDS, length)] if cut else list(range(length))
    parts = ["..." if row is None else _lines(x[row], short, indent + " ") for row in rows]
    between = ", " if x.ndim == 1 else ",\n" + indent + " "
    return "[" + between.join(parts) + "]"


def _number(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    digits = f"{value:.8g}"
    return digits + ".0" if digits.lstrip("-").isdigit() else digits


def text(x: Array) -> str:
    """The representation of an array."""
    where = "" if x.device.kind == "cpu" else f", device='{x.device}'"
    host = x.to_device("cpu")
    shape = f", shape={x.shape}" if not x.size and x.ndim > 1 else ""
    return f"Array({_lines(host, x.size > MOST, ' ' * 6)}, dtype={x.dtype}{shape}{where})"
