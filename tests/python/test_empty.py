"""Arrays without elements: results have the shape, type and device that those of others have."""

import pytest

import icicle

field, extension = icicle.fields.babybear.scalar, icicle.fields.babybear.extension
big, curve = icicle.fields.bls12_381.scalar, icicle.curves.bls12_381


def of(kind, *shape):
    return kind.zeros(shape, device="cpu:1")


CALLS = {
    "sums": (lambda: of(field, 0, 3) + of(field, 1, 3), field, (0, 3)),
    "sums in place": (lambda: of(field, 0, 3).__iadd__(of(field, 3)), field, (0, 3)),
    "products with scalars": (lambda: of(extension, 0, 3) * of(field, 3), extension, (0, 3)),
    "products with scalars in place": (lambda: of(extension, 0).__imul__(of(field, 0)), extension, (0,)),
    "quotients by scalars": (lambda: of(extension, 0, 3) / of(field, 3), extension, (0, 3)),
    "quotients of scalars": (lambda: of(field, 3) / of(extension, 0, 3), extension, (0, 3)),
    "powers of 0": (lambda: of(field, 0) ** 0, field, (0,)),
    "inverses": (lambda: of(field, 0).inv(), field, (0,)),
    "sums of rows": (lambda: of(field, 0, 3).sum(axis=1), field, (0,)),
    "sums of empty columns": (lambda: of(field, 0, 3).sum(axis=0), field, (3,)),
    "products of rows": (lambda: of(field, 0, 3).prod(axis=-1), field, (0,)),
    "bits reversed": (lambda: of(field, 0, 4).bit_reverse(), field, (0, 4)),
    "slices of no rows": (lambda: of(field, 0, 4).slice(0, 1, 2), field, (0, 2)),
    "slices of no columns": (lambda: of(field, 4, 0).slice(1, 1, 3, axis=0), field, (3, 0)),
    "transposes": (lambda: of(field, 2, 0, 3).transpose(), field, (2, 3, 0)),
    "values of no polynomials": (lambda: icicle.polynomial.evaluate(of(field, 0, 3), of(field, 2)), field, (0, 2)),
    "quotients of polynomials": (
        lambda: icicle.polynomial.divide(of(field, 0, 3), of(field, 0, 2))[0],
        field,
        (0, 3),
    ),
    "remainders of polynomials": (
        lambda: icicle.polynomial.divide(of(field, 0, 3), of(field, 0, 2))[1],
        field,
        (0, 3),
    ),
    "transforms": (lambda: icicle.ntt(of(field, 0, 4)), field, (0, 4)),
    "transforms in place": (lambda: (lambda x: icicle.ntt(x, out=x))(of(field, 0, 4)), field, (0, 4)),
    "no sums of products": (lambda: curve.msm(of(big, 0, 3), of(curve.affine, 3)), curve.projective, (0,)),
    "sums of no products": (lambda: curve.msm(of(big, 2, 0), of(curve.affine, 0)), curve.projective, (2,)),
    "points": (lambda: of(curve.affine, 0, 3) + of(curve.projective, 3), curve.projective, (0, 3)),
    "multiples": (lambda: of(big, 3) * of(curve.affine, 0, 3), curve.projective, (0, 3)),
    "forms of points": (lambda: of(curve.affine, 0).projective(), curve.projective, (0,)),
    "joined": (lambda: icicle.concatenate([of(field, 0, 3), of(field, 2, 3)]), field, (2, 3)),
    "stacked": (lambda: icicle.stack([of(field, 0), of(field, 0)], axis=1), field, (0, 2)),
}


@pytest.mark.parametrize("name", CALLS)
def test_results(name):
    call, kind, shape = CALLS[name]
    made = call()
    assert (made.dtype, made.shape, str(made.device)) == (kind, shape, "cpu:1")


def test_what_is_there_is_zero():
    assert of(field, 0, 3).sum(axis=0) == [0, 0, 0] and of(field, 0).sum() == 0 and of(field, 0).prod() == 1
    assert curve.msm(of(big, 2, 0), of(curve.affine, 0)).to_ints() == [None, None]


def test_an_output_without_elements_is_returned():
    x = of(field, 0, 4)
    assert icicle.ntt(x, out=x) is x
    y = x
    y += of(field, 4)
    assert y is x


def test_places_of_elements():
    assert of(field, 2, 0).highest_non_zero() == [-1, -1] and of(field, 0, 2).highest_non_zero() == []
    assert of(field, 2, 3, 0).highest_non_zero() == [[-1, -1, -1], [-1, -1, -1]]
    assert of(field, 2, 0, 3).highest_non_zero() == [[], []] and of(field, 0, 2, 3).highest_non_zero() == []
