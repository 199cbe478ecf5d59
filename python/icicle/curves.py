"""The curve groups: `icicle.curves.bn254`, `icicle.curves.bn254_g2`, ….

Every curve group of the registry is an attribute of this module, declared below so that type checkers know it; `CURVES` holds
all by name.
"""

from __future__ import annotations

from .curve import CURVES, Curve

globals().update(CURVES)

# For type checkers, and held to the registry by tests.
bls12_377: Curve
bls12_377_g2: Curve
bls12_381: Curve
bls12_381_g2: Curve
bn254: Curve
bn254_g2: Curve
bw6_761: Curve
bw6_761_g2: Curve
grumpkin: Curve
