"""The fields, in families: `icicle.fields.bn254.scalar`, `icicle.fields.babybear.extension`, ….

Every family of the registry is an attribute of this module, declared below so that type checkers know it; `FIELDS` holds all
fields by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from . import transform
from .arguments import is_array_like, need
from .errors import InvalidArgument
from .field import FIELDS, Field
from .field_array import FieldArray

if TYPE_CHECKING:
    from .arguments import Values
    from .dtype import DeviceLike
    from .transform import NttOptions


class Family:
    """The fields of one name: `scalar`, and where there are such, `base`, `g2_base`, `extension`, `qm31`."""

    scalar: Field
    """Scalars of the curve, or the base field of a hash-based proof system; of transform domains."""
    name: str
    """The family's name, its attribute in this module."""
    fields: tuple[Field, ...]
    """All its fields, canonical."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fields: tuple[Field, ...] = tuple(field for field in FIELDS.values() if field.prefix == name)
        for field in self.fields:
            setattr(self, field.role, field)

    def ntt(self, x: FieldArray | Values, **options: Unpack[NttOptions]) -> FieldArray:
        """Transform an array of the scalar field or its extension: `icicle.ntt` with the same options.

        What the scalar field's `from_ints` takes becomes an array on the current device.

        Raises TypeError for what is no array, InvalidArgument for one of another family, and as `icicle.ntt`.
        """
        array: Any = self.scalar.from_ints(x) if is_array_like(x) else x
        if need("ntt", "x", array, FieldArray).dtype.canonical_type not in self.fields:
            raise InvalidArgument("ntt", f"array of {array.dtype}: must be of a field of {self.name}")
        return transform.ntt(array, **options)

    def root_of_unity(self, size: int) -> int:
        """The library's primitive root of unity of order `size`, rounded up to a power of two.

        Raises as `icicle.transform.root_of_unity`: InvalidArgument, Unsupported.
        """
        return transform.root_of_unity(self.scalar, size)

    def init_domain(self, size: int, *, root: int | None = None, device: DeviceLike | None = None) -> None:
        """Make transforms of up to `size` elements ready on a device: `icicle.transform.init_domain`.

        Raises as that: InvalidArgument, Unsupported.
        """
        transform.init_domain(self.scalar, size, root=root, device=device)

    def release_domain(self, *, device: DeviceLike | None = None) -> None:
        """Forget the domain of a device, the current one if None.

        Raises Unsupported if the field has no transforms, InvalidDevice.
        """
        transform.release_domain(self.scalar, device=device)

    def __repr__(self) -> str:
        return f"<icicle fields {self.name}: {', '.join(field.role for field in self.fields)}>"


class CurveFamily(Family):
    """The scalar field of a curve, and the field of its coordinates."""

    base: Field
    """Coordinates of the curve's points."""


class PairingFamily(CurveFamily):
    """The fields of a curve with a second group, G2."""

    g2_base: Field
    """Coordinates of G2's points."""


class ExtensionFamily(Family):
    """A small field and its extension."""

    extension: Field
    """The extension, of which transforms and mixed products are offered."""


class MersenneFamily(ExtensionFamily):
    """Mersenne's field, the complex extension and the quartic one over that."""

    qm31: Field
    """The extension of degree 4."""


_KINDS: dict[frozenset[str], type[Family]] = {
    frozenset({"scalar", "base"}): CurveFamily,
    frozenset({"scalar", "base", "g2_base"}): PairingFamily,
    frozenset({"scalar", "extension"}): ExtensionFamily,
    frozenset({"scalar", "extension", "qm31"}): MersenneFamily,
}


def _families() -> dict[str, Family]:
    roles: dict[str, set[str]] = {}
    for field in FIELDS.values():
        roles.setdefault(field.prefix, set()).add(field.role)
    return {name: _KINDS.get(frozenset(those), Family)(name) for name, those in roles.items()}


FAMILIES: dict[str, Family] = _families()
"""Every family by name."""

globals().update(FAMILIES)

# For type checkers, and held to the registry by tests.
babybear: ExtensionFamily
bls12_377: PairingFamily
bls12_381: PairingFamily
bn254: PairingFamily
bw6_761: PairingFamily
goldilocks: ExtensionFamily
grumpkin: CurveFamily
koalabear: ExtensionFamily
m31: MersenneFamily
stark252: Family
