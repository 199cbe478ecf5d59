"""Fields as types of elements."""

from __future__ import annotations

import sys
from array import array as machine_array
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from . import _icicle
from .arguments import count, integer, is_foreign, shown
from .dtype import DType
from .errors import InvalidArgument
from .field_array import FieldArray

if TYPE_CHECKING:
    from .arguments import Shape, Values
    from .dtype import DeviceLike

_WORDS: dict[int, Literal["I", "Q"]] = {4: "I", 8: "Q"}


class Field(DType[FieldArray]):
    """A field of the registry, in canonical or Montgomery form; the type of a FieldArray's elements."""

    is_curve = False
    array = FieldArray

    prefix: str
    """The family, such as `babybear`."""
    role: str
    """What the field is to its family: `scalar`, `base`, `g2_base`, `extension` or `qm31`."""
    modulus: int
    """The modulus of the prime field below."""
    bits: int
    """Significant bits of the modulus."""
    degree: int
    """Degree over the prime field: coefficients of an element."""
    extension: tuple[str, list[int]] | None
    """How an extension is built: ("quadratic", [w]) for x² = w, ("quartic", [w]) for x⁴ = w, ("complex tower", [a, b]) for
    i² = -1, u² = a + b·i with coefficients of 1, i, u, iu. None for prime fields."""
    is_extension: bool
    """Whether products with elements of the scalar field are offered."""
    two_adicity: int
    """Largest s with 2^s dividing the modulus minus 1."""
    has_ntt: bool
    """Whether number-theoretic transforms are offered."""
    scalar: Field
    """The scalar field of the family, canonical: of transform domains and of mixed products."""

    def __init__(self, row: dict[str, Any], *, montgomery: bool) -> None:
        for name, value in row.items():
            if name not in ("infix", "scalar"):
                setattr(self, name, value)
        self.role = row["infix"].removesuffix("_field") or "scalar"
        self.modulus = int.from_bytes(row["modulus"], "little")
        self.montgomery = montgomery
        width = self._width = self.itemsize // self.degree
        self.limb_bytes = 8 if width % 8 == 0 else 4
        self.limb_shape = tuple(n for n in (self.degree, width // self.limb_bytes) if n > 1)
        radix = pow(2, 8 * width, self.modulus)
        self._factor = radix if montgomery else 1
        self._divisor = pow(radix, -1, self.modulus) if montgomery else 1

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self.name, self.montgomery)

    def zeros(self, shape: Shape, *, device: DeviceLike | None = None) -> FieldArray:
        """An array of zeros on a device, the current one if None.

        Raises as `empty`: TypeError, InvalidArgument, InvalidDevice, OutOfMemory.
        """
        out = self.empty(shape, device=device)
        out.buffer.fill(0)
        return out

    def full(self, shape: Shape, value: Values, *, device: DeviceLike | None = None) -> FieldArray:
        """An array of one value, or of values spread as by NumPy's rules, on a device, the current one if None.

        Raises as `empty`, as `from_ints` for the value, and InvalidArgument if it does not spread to the shape.
        """
        out = self.zeros(shape, device=device)
        out += value
        return out

    def ones(self, shape: Shape, *, device: DeviceLike | None = None) -> FieldArray:
        """An array of ones on a device, the current one if None.

        Raises as `empty`: TypeError, InvalidArgument, InvalidDevice, OutOfMemory.
        """
        return self.full(shape, 1, device=device)

    def random(self, shape: Shape, *, seed: bytes | int | None = None, device: DeviceLike | None = None) -> FieldArray:
        """Uniform elements on a device (the current one if None), from the operating system's entropy.

        From a seed, 32 bytes or an integer below 2^256, the same ones for the same shape everywhere; for tests.

        Raises as `empty`; InvalidArgument for a seed out of range, TypeError for another one; Internal if the system
        gives no entropy.
        """
        out = self.empty(shape, device=device)
        _icicle.random_elements(self.number, out.buffer, None if seed is None else _seed(seed))
        return out

    def symbol(self, value: Any) -> _icicle.Symbol:
        """A constant of a circuit: an integer, or an element as `from_ints` takes it.

        Raises TypeError for anything else, InvalidArgument for another number of coefficients.
        """
        return _icicle.Symbol.constant(self._pack([self._plain(value)]))

    def _is_element(self, value: Any) -> bool:
        if isinstance(value, tuple):
            return self.degree > 1
        return isinstance(value, int) or (
            hasattr(value, "__index__") and not isinstance(value, _icicle.Array) and not is_foreign(value)
        )

    def _pack(self, values: Iterable[Any]) -> bytes:
        flat = list(self._coefficients(values) if self.degree > 1 else values)
        p, factor, width = self.modulus, self._factor, self._width
        if not {int}.issuperset(map(type, flat)):
            flat = [self._integer(i // self.degree, value) for i, value in enumerate(flat)]
        if factor != 1:
            flat = [value * factor for value in flat]
        if width in _WORDS and sys.byteorder == "little":
            return machine_array(_WORDS[width], [value % p for value in flat]).tobytes()
        return b"".join([(value % p).to_bytes(width, "little") for value in flat])

    def _integer(self, i: int, value: Any) -> int:
        """A coefficient of element i as an integer."""
        plain = self._plain(value)
        return integer("from_ints", f"element {i}", value if isinstance(plain, list) else plain)

    def _coefficients(self, values: Iterable[Any]) -> list[int]:
        flat: list[int] = []
        rest = (0,) * (self.degree - 1)
        for value in values:
            if isinstance(value, _icicle.Array):
                value = self._plain(value)
            coefficients = value if isinstance(value, tuple) else (value, *rest)
            if len(coefficients) != self.degree:
                rule = f"an element of {self} has {self.degree}"
                raise InvalidArgument("from_ints", f"{len(coefficients)} coefficients: {rule}")
            flat.extend(coefficients)
        return flat

    def _unpack(self, data: bytes) -> list[Any]:
        width = self._width
        flat: list[Any]
        if width in _WORDS and sys.byteorder == "little":
            flat = memoryview(data).cast(_WORDS[width]).tolist() if data else []
        else:
            read = int.from_bytes
            flat = [read(data[i : i + width], "little") for i in range(0, len(data), width)]
        if self._divisor != 1:
            flat = [value * self._divisor % self.modulus for value in flat]
        return flat if self.degree == 1 else list(zip(*[iter(flat)] * self.degree))

    def _check(self, array: FieldArray) -> None:
        _icicle.check_elements(self.number, array.size, array.buffer)

    def _converted(self, array: FieldArray) -> FieldArray:
        return array.astype(self)


def _seed(seed: Any) -> bytes:
    """A seed's bytes."""
    if isinstance(seed, (bytes, bytearray)):
        if len(seed) != 32:
            raise InvalidArgument("generate_random", f"seed of {len(seed)} bytes: must be of 32, or an integer")
        return bytes(seed)
    if not hasattr(seed, "__index__"):
        raise TypeError(f"generate_random: seed {shown(seed)}: must be an integer or 32 bytes")
    return count("generate_random", "seed", seed, most=(1 << 256) - 1).to_bytes(32, "little")


def _find(name: str, montgomery: bool) -> Field:
    field = FIELDS[name]
    return field.montgomery_type if montgomery else field


def _registry() -> dict[str, Field]:
    fields: dict[int, Field] = {}
    rows = _icicle.fields()
    for row in rows:
        canonical, other = Field(row, montgomery=False), Field(row, montgomery=True)
        canonical._other, other._other = other, canonical
        fields[row["number"]] = canonical
    for row in rows:
        field = fields[row["number"]]
        field.scalar = field._other.scalar = fields[row["scalar"]]
    return {field.name: field for field in fields.values()}


FIELDS: dict[str, Field] = _registry()
"""Every field by name, in canonical form."""
BY_NUMBER: dict[int, Field] = {field.number: field for field in FIELDS.values()}
