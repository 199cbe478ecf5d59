"""The fields, in families: `icicle.fields.bn254.scalar`, `icicle.fields.babybear.extension`, ….

Every family of the registry is an attribute of this module; `FIELDS` holds all fields by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import transform
from .errors import InvalidArgument
from .field import FIELDS, Field

if TYPE_CHECKING:
    from .dtype import DeviceLike
    from .field_array import FieldArray


class Family:
    """The fields of one name: `scalar`, and where there are such, `base`, `g2_base`, `extension`, `qm31`."""

    scalar: Field
    """Scalars of the curve, or the base field of a hash-based proof system; of transform domains."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fields: tuple[Field, ...] = tuple(field for field in FIELDS.values() if field.prefix == name)
        for field in self.fields:
            setattr(self, field.role, field)

    if TYPE_CHECKING:

        def __getattr__(self, role: str) -> Field: ...

    def ntt(self, x: FieldArray, **options: Any) -> FieldArray:
        """Transform an array of the scalar field or its extension: `icicle.ntt` with the same options."""
        if x.dtype.canonical_type not in self.fields:
            raise InvalidArgument("ntt", f"array of {x.dtype}: must be of a field of {self.name}")
        return transform.ntt(x, **options)

    def root_of_unity(self, size: int) -> int:
        """The library's primitive root of unity of order `size`, rounded up to a power of two."""
        return transform.root_of_unity(self.scalar, size)

    def init_domain(self, size: int, *, root: int | None = None, device: DeviceLike | None = None) -> None:
        """Make transforms of up to `size` elements ready on a device: `icicle.transform.init_domain`."""
        transform.init_domain(self.scalar, size, root=root, device=device)

    def release_domain(self, *, device: DeviceLike | None = None) -> None:
        """Forget the domain of a device, the current one if None."""
        transform.release_domain(self.scalar, device=device)

    def __repr__(self) -> str:
        return f"<icicle fields {self.name}: {', '.join(field.role for field in self.fields)}>"


FAMILIES: dict[str, Family] = {name: Family(name) for name in dict.fromkeys(field.prefix for field in FIELDS.values())}
"""Every family by name."""

globals().update(FAMILIES)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Family: ...
