"""The curve groups: `icicle.curves.bn254`, `icicle.curves.bn254_g2`, ….

Every curve group of the registry is an attribute of this module; `CURVES` holds all by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .curve import CURVES, Curve

globals().update(CURVES)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Curve: ...
