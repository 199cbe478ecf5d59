"""Everything in the registry is reachable from Python: a new operation, field or curve makes a test here fail."""

import math

import pytest

import icicle
from icicle import program
from icicle.errors import Unsupported

DEVICE = icicle.Device("cpu")


def _vectors(field):
    return field.random(4, seed=3)


OPERATIONS = {
    "vector_binary": lambda field: _vectors(field) * _vectors(field),
    "vector_mixed_mul": lambda field: icicle._icicle.vector_mixed_mul(
        field.number, 4, 1, False, _vectors(field).buffer, _vectors(field.scalar).buffer
    ),
    "vector_scalar": lambda field: _vectors(field) * 3,
    "vector_inv": lambda field: _vectors(field).inv(),
    "vector_reduce": lambda field: _vectors(field).prod(),
    "convert_montgomery": lambda field: _vectors(field).astype(field.montgomery_type),
    "bit_reverse": lambda field: _vectors(field).bit_reverse(),
    "slice": lambda field: _vectors(field).slice(1, 2, 2),
    "highest_non_zero": lambda field: _vectors(field).highest_non_zero(),
    "polynomial_evaluate": lambda field: icicle.polynomial.evaluate(_vectors(field), _vectors(field)),
    "polynomial_divide": lambda field: icicle.polynomial.divide(_vectors(field), field.ones(2)),
    "matrix_transpose": lambda field: _vectors(field).reshape(2, 2).T,
    "matrix_multiply": lambda field: _vectors(field).reshape(2, 2) @ _vectors(field).reshape(2, 2),
    "program": lambda field: program.execute(
        program.Program([program.Symbol.input(0) * program.Symbol.input(0)]), [_vectors(field)]
    ),
    "ntt": lambda field: icicle.ntt(_vectors(field)),
    "ec_ntt": lambda curve: curve.ecntt(curve.projective.random(4)),
    "msm": lambda curve: curve.msm(_vectors(curve.scalar), curve.affine.random(4)),
    "point_convert_montgomery": lambda curve: curve.affine.random(4).astype(curve.affine.montgomery_type),
    "point_binary": lambda curve: curve.affine.random(4) + curve.projective.random(4),
    "point_scalar_mul": lambda curve: _vectors(curve.scalar) * curve.affine.random(4),
    "point_unary": lambda curve: -curve.affine.random(4),
    "point_equal": lambda curve: curve.affine.random(4) == curve.affine.random(4),
}
OF_CURVES = {"ec_ntt", "msm", *(name for name in OPERATIONS if name.startswith("point_"))}


def test_every_operation_has_a_call():
    assert set(OPERATIONS) == set(icicle.operations())


@pytest.mark.parametrize("name", OPERATIONS)
def test_support_is_what_calls_say(name):
    domains = icicle.curves.CURVES if name in OF_CURVES else icicle.fields.FIELDS
    supported = 0
    for domain in domains.values():
        if DEVICE.supports(name, domain):
            OPERATIONS[name](domain)
            supported += 1
        else:
            with pytest.raises(Unsupported):
                OPERATIONS[name](domain)
    assert supported > 0


def test_every_field_and_curve_is_an_attribute():
    rows = icicle._icicle.fields()
    assert len(rows) == len(icicle.fields.FIELDS)
    for row in rows:
        family = getattr(icicle.fields, row["prefix"])
        field = icicle.fields.FIELDS[row["name"]]
        assert getattr(family, field.role) is field and field.number == row["number"] and field in family.fields
        assert field.itemsize == field.limb_bytes * math.prod(field.limb_shape)
        assert field.modulus.bit_length() == field.bits and (field.modulus - 1) % (1 << field.two_adicity) == 0
        assert field.scalar.prefix == field.prefix and field.canonical_type.montgomery_type.canonical_type is field
    rows = icicle._icicle.curves()
    assert len(rows) == len(icicle.curves.CURVES)
    for row in rows:
        curve = getattr(icicle.curves, row["name"])
        x, y = curve.generator.to_ints()
        assert curve.number == row["number"] and icicle.curves.CURVES[row["name"]] is curve
        p, b = curve.base.modulus, curve.b
        if curve.base.degree == 1:
            assert (y * y - x**3 - b[0]) % p == 0
        assert curve.affine.from_ints((x, y)) == curve.generator and curve.affine.itemsize == 2 * curve.base.itemsize


def test_names_are_unique_and_public():
    assert len({field.name for field in icicle.fields.FIELDS.values()}) == len(icicle.fields.FIELDS)
    for name in icicle.__all__:
        assert getattr(icicle, name).__doc__, name
