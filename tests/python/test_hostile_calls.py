"""Calls that nobody should make: each gets an error that says what is wrong; nothing hangs, crashes, panics or is written."""

import numpy as np
import pytest

import icicle
from icicle.errors import InvalidArgument
from icicle.program import Program, Symbol, execute

CLEAR = (TypeError, ValueError, OverflowError, IndexError, BufferError, icicle.Error)

SHAPES = {
    "negative": -1,
    "negative axis": (2, -3),
    "float": 2.5,
    "whole float": 2.0,
    "text": "3",
    "None": None,
    "nested": ((2, 3),),
    "dictionary": {2: 3},
    "float array": np.array([1.0]),
    "too large": 1 << 64,
    "far too large": 10**400,
    "product": (1 << 32, 1 << 32),
    "bytes": b"\2\3",
    "many axes": (1,) * 65,
}


@pytest.mark.parametrize("name", SHAPES)
def test_bad_shapes(name):
    shape = SHAPES[name]
    field, curve = icicle.fields.bn254.scalar, icicle.curves.bn254
    for make in (
        field.empty,
        field.zeros,
        field.ones,
        field.random,
        lambda s: field.full(s, 1),
        curve.affine.zeros,
        curve.projective.random,
        curve.affine.empty,
    ):
        with pytest.raises((TypeError, InvalidArgument), match="empty: shape"):
            make(shape)
    for ours in (np.int64(3), [2, 3], np.array([2, 3]).tolist(), (np.int32(2),), ()):
        assert field.zeros(ours).shape == (tuple(ours) if not np.isscalar(ours) else (3,))


SEEDS = [-1, 1 << 256, 1.5, "seed", b"short", b"\0" * 33, None, [1], object()]


def test_bad_seeds():
    field = icicle.fields.m31.scalar
    for seed in SEEDS:
        if seed is None:
            continue
        with pytest.raises((TypeError, InvalidArgument), match="generate_random: seed"):
            field.random(3, seed=seed)
    assert field.random(3, seed=(1 << 256) - 1) == field.random(3, seed=b"\xff" * 32)
    assert (
        field.random(3, seed=np.int64(5)) == field.random(3, seed=(5).to_bytes(32, "little")) == field.random(3, seed=5)
    )


field, curve = icicle.fields.babybear.scalar, icicle.curves.bn254
scalar = curve.scalar
VECTOR, POINTS = field.ones(4), curve.affine.zeros(4)
PROGRAM = Program([Symbol.input(0) + Symbol.input(0)])
CALLS = {
    "ntt of a list": lambda: icicle.ntt([1, 2, 3, 4]),
    "ntt of None": lambda: icicle.ntt(None),
    "ntt of points": lambda: icicle.ntt(POINTS),
    "ntt of limbs": lambda: icicle.ntt(np.zeros(4, np.uint32)),
    "ntt, float coset": lambda: icicle.ntt(VECTOR, coset=1.5),
    "ntt, text coset": lambda: icicle.ntt(VECTOR, coset="3"),
    "ntt, ordering": lambda: icicle.ntt(VECTOR, ordering=3),
    "ntt, axis": lambda: icicle.ntt(VECTOR, axis="x"),
    "ntt, list as out": lambda: icicle.ntt(VECTOR, out=[0] * 4),
    "ntt, stream": lambda: icicle.ntt(VECTOR, stream=5),
    "family's ntt of text": lambda: icicle.fields.babybear.ntt("1234"),
    "family's ntt of another field": lambda: icicle.fields.bn254.ntt(VECTOR),
    "ecntt of a list": lambda: icicle.curves.bn254.ecntt([None] * 4),
    "ecntt of elements": lambda: icicle.transform.ecntt(VECTOR),
    "ecntt of None": lambda: icicle.transform.ecntt(None),
    "domain, text": lambda: icicle.fields.babybear.init_domain("8"),
    "domain, negative": lambda: icicle.fields.babybear.init_domain(-1),
    "domain, float root": lambda: icicle.fields.babybear.init_domain(8, root=1.5),
    "domain, device": lambda: icicle.fields.babybear.init_domain(8, device=7),
    "domain of a curve": lambda: icicle.transform.init_domain(curve.affine, 8),
    "domain of a name": lambda: icicle.transform.release_domain("babybear"),
    "root, negative": lambda: icicle.fields.babybear.root_of_unity(-4),
    "root, huge": lambda: icicle.fields.babybear.root_of_unity(10**100),
    "root, float": lambda: icicle.fields.babybear.root_of_unity(4.0),
    "msm of nothing": lambda: curve.msm(None, None),
    "msm of numbers": lambda: curve.msm(3, POINTS),
    "msm of too few": lambda: curve.msm([1, 2], POINTS[:1]),
    "msm, points as scalars": lambda: curve.msm(POINTS, POINTS),
    "msm, scalars as points": lambda: curve.msm(scalar.ones(4), scalar.ones(4)),
    "msm, negative c": lambda: curve.msm([1] * 4, POINTS, c=-1),
    "msm, huge c": lambda: curve.msm([1] * 4, POINTS, c=1 << 40),
    "msm, float bitsize": lambda: curve.msm([1] * 4, POINTS, bitsize=8.0),
    "msm, text precompute": lambda: curve.msm([1] * 4, POINTS, precompute="2"),
    "msm, negative precompute": lambda: curve.msm([1] * 4, POINTS, precompute=-1),
    "msm, huge precompute": lambda: curve.msm([1] * 4, POINTS, precompute=10**30),
    "msm, list as out": lambda: curve.msm([1] * 4, POINTS, out=[None]),
    "precompute of a list": lambda: curve.precompute([None], 2),
    "precompute, negative": lambda: curve.precompute(POINTS, -2),
    "precompute, huge": lambda: curve.precompute(POINTS, 1 << 62),
    "compress of None": lambda: icicle.curves.bls12_381.compress(None),
    "decompress of text": lambda: icicle.curves.bls12_381.decompress("00" * 48),
    "decompress of a part": lambda: icicle.curves.bls12_381.decompress(bytes(47)),
    "evaluate a list": lambda: icicle.polynomial.evaluate([1, 2], VECTOR),
    "evaluate at a number": lambda: icicle.polynomial.evaluate(VECTOR, 3),
    "evaluate points": lambda: icicle.polynomial.evaluate(POINTS, POINTS),
    "divide by a list": lambda: icicle.polynomial.divide(VECTOR, [1, 2]),
    "execute nothing": lambda: execute(PROGRAM, []),
    "execute on a list": lambda: execute(PROGRAM, [[1, 2]]),
    "execute on an array": lambda: execute(PROGRAM, VECTOR),
    "execute on None": lambda: execute(PROGRAM, None),
    "execute None": lambda: execute(None, [VECTOR]),
    "execute on points": lambda: execute(PROGRAM, [POINTS]),
    "program of numbers": lambda: Program([1, 2]),
    "program of nothing": lambda: Program([]),
    "program of None": lambda: Program(None),
    "program's name": lambda: Program.predefined(5),
    "symbol, negative": lambda: Symbol.input(-1),
    "symbol, text": lambda: Symbol.input("a"),
    "symbol + 1": lambda: Symbol.input(0) + 1,
    "astype None": lambda: VECTOR.astype(None),
    "astype text": lambda: VECTOR.astype("bn254"),
    "astype points": lambda: VECTOR.astype(curve.affine),
    "points astype field": lambda: POINTS.astype(field),
    "points astype None": lambda: POINTS.astype(None),
    "to nowhere": lambda: VECTOR.to("nowhere"),
    "to None": lambda: VECTOR.to(None),
    "to a number": lambda: VECTOR.to(0),
    "to an index that is none": lambda: VECTOR.to(("cpu", -1)),
    "to a huge index": lambda: VECTOR.to("cpu:99999999999999999999"),
    "to no name": lambda: VECTOR.to(""),
    "sum, axis": lambda: VECTOR.sum(axis=5),
    "sum, text axis": lambda: VECTOR.sum(axis="0"),
    "sum, list axis": lambda: VECTOR.sum(axis=[0]),
    "slice, negative": lambda: VECTOR.slice(-1, 1, 2),
    "slice, stride 0 beyond": lambda: VECTOR.slice(0, 1, 5),
    "slice, huge": lambda: VECTOR.slice(0, 1, 1 << 63),
    "slice, float": lambda: VECTOR.slice(0.5, 1, 2),
    "bit_reverse of three": lambda: VECTOR[:3].bit_reverse(),
    "matmul of vectors": lambda: VECTOR @ VECTOR,
    "matmul with a number": lambda: VECTOR.reshape(2, 2) @ 3,
    "matmul with points": lambda: VECTOR.reshape(2, 2) @ POINTS,
    "transpose of a vector": lambda: VECTOR.T,
    "add points": lambda: VECTOR + POINTS,
    "points of another curve": lambda: POINTS + icicle.curves.grumpkin.affine.zeros(4),
    "points times another field": lambda: VECTOR * POINTS,
    "points times a float": lambda: POINTS * 1.5,
    "points plus 1": lambda: POINTS + 1,
    "points times points": lambda: POINTS * POINTS,
    "less than": lambda: VECTOR < VECTOR,
    "remainder": lambda: VECTOR % 3,
    "hash": lambda: hash(VECTOR),
    "float": lambda: float(POINTS[0]),
    "from_numpy of a list": lambda: field.from_numpy([1, 2]),
    "from_numpy of floats": lambda: field.from_numpy(np.zeros(4)),
    "from_numpy of signed": lambda: field.from_numpy(np.zeros(4, np.int32)),
    "from_numpy of other bytes": lambda: field.from_numpy(np.zeros(4, np.uint64)),
    "from_numpy of big endian": lambda: field.from_numpy(np.zeros(4, ">u4")),
    "from_numpy of objects": lambda: field.from_numpy(np.array([1, 2], object)),
    "from_numpy of too few axes": lambda: scalar.from_numpy(np.zeros((), np.uint64)),
    "from_cuda_array of a list": lambda: field.from_cuda_array([1]),
    "empty, memory": lambda: field.empty(3, memory=None),
    "empty, device": lambda: field.empty(3, device=5),
    "array of nothing": lambda: icicle.FieldArray(None, field, (3,)),
    "array of no type": lambda: icicle.FieldArray(icicle.Buffer(12), None, (3,)),
    "array of a list as shape": lambda: icicle.FieldArray(icicle.Buffer(12), field, [3]),
    "buffer, float": lambda: icicle.Buffer(1.5),
    "buffer, negative": lambda: icicle.Buffer(-1),
    "buffer, text": lambda: icicle.Buffer.from_bytes("text"),
    "buffer, strided": lambda: icicle.Buffer.from_bytes(np.zeros(8, np.uint8)[::2]),
    "buffer, fill": lambda: icicle.Buffer(4).fill(256),
    "buffer, from None": lambda: icicle.Buffer(4).copy_from(None),
    "device None": lambda: icicle.Device(None),
    "device, empty": lambda: icicle.Device(""),
    "device, null": lambda: icicle.Device("cpu:0\0"),
    "device, limit": lambda: icicle.Device("cpu").set_memory_limit(-1),
    "supports": lambda: icicle.Device("cpu").supports("ntt", 5),
    "supports None": lambda: icicle.Device("cpu").supports(None, field),
    "stream of text": lambda: icicle.Stream("nothing"),
    "stream waits for nothing": lambda: icicle.Stream("cpu").wait(None),
    "default device": lambda: icicle.set_default_device(None),
    "field by attribute": lambda: getattr(icicle.fields, "bn255", None) or int("no such field"),
}


# How Python's and NumPy's own errors begin.
OF_PYTHON = ("'", "array ", "can't ", "invalid literal", "memoryview: ", "out ", "unhashable", "unsupported operand")
# How ours do.
OPERATIONS = set(
    """
    array astype bit_reverse compress_points copy_to_device decompress_points device ecntt empty execute_program
    from_cuda_array from_numpy generate_program get_root_of_unity malloc matmul matrix_transpose msm msm_precompute_bases ntt
    ntt_init_domain ntt_release_domain point_arithmetic poly_division poly_eval slice supports vector_sum
""".split()
)


@pytest.mark.parametrize("name", CALLS)
def test_bad_calls(name):
    with pytest.raises(CLEAR) as caught:
        CALLS[name]()
    text = str(caught.value)
    assert len(text) > 5 and "panic" not in text.lower() and not isinstance(caught.value, icicle.Internal), text
    # Our own errors name the operation, as the table of operations or the C call does, and the argument in lower case.
    if isinstance(caught.value, icicle.Error) or not text.startswith(OF_PYTHON):
        operation, _, rest = text.partition(": ")
        assert operation in OPERATIONS and not rest.startswith(("None ", "XX")) and not rest.split()[0].isupper(), text
    assert VECTOR == field.ones(4) and POINTS == curve.affine.zeros(4)


def test_types_that_were_tampered_with_do_not_leave_the_memory():
    """A type is an object anyone may change; views still lie within the memory they were made of."""

    class Type:
        number, name, montgomery, is_curve = field.number, "tampered", False, False
        itemsize, limb_bytes, limb_shape = 4, 4, ()

    kind = Type()
    made = icicle._icicle.Array(icicle.Buffer.from_bytes(bytes(16)), kind, (4,))
    assert memoryview(made).nbytes == 16
    for change in (
        {"limb_shape": (1 << 20,)},
        {"limb_bytes": 0},
        {"limb_bytes": 8},
        {"limb_shape": (0,)},
        {"itemsize": 400, "limb_shape": (100,)},
    ):
        for name, value in change.items():
            setattr(kind, name, value)
        with pytest.raises(BufferError, match="array: limbs of shape"):
            memoryview(made)
        with pytest.raises(BufferError, match="array: limbs of shape"):
            made.__dlpack__()
        assert not hasattr(made, "__array_interface__")
        kind.itemsize, kind.limb_bytes, kind.limb_shape = 4, 4, ()
    kind.itemsize = 0
    with pytest.raises(ValueError, match="elements of 0 bytes"):
        icicle._icicle.Array(icicle.Buffer(16), kind, (4,), 0, [1])
    native = icicle._icicle.Array(icicle.Buffer(16), field, (4,))
    for numbers, count, behind in (([4], 4, 1), ([0], 5, 1), ([0], 1, 1 << 62), ([3], 4, 2), ([0], 0, 0)):
        with pytest.raises(ValueError, match="index: an axis"):
            native._take(numbers, count, behind)
    with pytest.raises(InvalidArgument, match="copy: "):
        native._put([0, 1], 4, 1, icicle.Buffer(4))


POINT = icicle.curves.bls12_381.generator
COUNTS = {
    "highest_non_zero": lambda n: icicle._icicle.highest_non_zero(field.number, 1, n, False, VECTOR.buffer),
    "highest_non_zero of nothing": lambda n: icicle._icicle.highest_non_zero(
        field.number, 0, n, False, icicle.Buffer(0)
    ),
    "point_equal": lambda n: icicle._icicle.point_equal(POINT.dtype.number, n, *[(POINT.buffer, False)] * 2),
    "point_binary": lambda n: icicle._icicle.point_binary(POINT.dtype.number, n, False, *[(POINT.buffer, False)] * 2),
    "compress": lambda n: icicle._icicle.compress(POINT.dtype.number, n, POINT.projective().buffer),
    "check_elements": lambda n: icicle._icicle.check_elements(field.number, n, VECTOR.buffer),
    "check_points": lambda n: icicle._icicle.check_points(POINT.dtype.number, n, POINT.buffer),
    "vector_binary": lambda n: icicle._icicle.vector_binary(
        "add", field.number, n, 1, False, VECTOR.buffer, VECTOR.buffer
    ),
    "vector_reduce": lambda n: icicle._icicle.vector_reduce("sum", field.number, 4, n, False, VECTOR.buffer),
    "vector_slice": lambda n: icicle._icicle.vector_slice(field.number, 4, 1, False, VECTOR.buffer, 0, 1, n),
    "matrix_transpose": lambda n: icicle._icicle.matrix_transpose(field.number, n, n, 1, VECTOR.buffer),
    "polynomial_evaluate": lambda n: icicle._icicle.polynomial_evaluate(
        field.number, n, 1, VECTOR.buffer, 4, VECTOR.buffer
    ),
    "polynomial_divide": lambda n: icicle._icicle.polynomial_divide(
        field.number, 1, 4, VECTOR.buffer, 4, VECTOR.buffer, n, n
    ),
    "transform": lambda n: icicle._icicle.transform(False, field.number, n, 1, False, VECTOR.buffer, False, "nn"),
    "msm": lambda n: icicle._icicle.msm(
        POINT.dtype.number, n, 1, VECTOR.buffer, POINT.buffer, True, 1, 0, 0, (False, False)
    ),
    "msm_precompute": lambda n: icicle._icicle.msm_precompute(POINT.dtype.number, 1, POINT.buffer, n, 0, 0, False),
    "buffer": icicle.Buffer,
    "pinned_empty": icicle.pinned_empty,
}


@pytest.mark.parametrize(
    "n", [1 << 60, (1 << 63) - 1, (1 << 64) - 1, 1 << 64], ids=["2^60", "2^63-1", "2^64-1", "2^64"]
)
@pytest.mark.parametrize("name", COUNTS)
def test_counts_beyond_memory(name, n):
    with pytest.raises((icicle.Error, OverflowError)) as caught:
        COUNTS[name](n)
    assert not isinstance(caught.value, icicle.Internal) and "panic" not in str(caught.value)
