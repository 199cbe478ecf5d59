"""What refusals say, word for word: operation, argument, value and rule."""

import numpy as np
import pytest

import icicle
from icicle.errors import InvalidArgument
from icicle.program import Program, execute

babybear, bn254 = icicle.fields.babybear, icicle.fields.bn254
field, extension, big = babybear.scalar, babybear.extension, bn254.scalar
curve, bls = icicle.curves.bn254, icicle.curves.bls12_381
x, m, there = field.ones(4), field.montgomery_type.ones(4), field.ones(4, device="cpu:1")
square, points = x.reshape(2, 2), curve.affine.zeros(4)
PROGRAM = Program.predefined("ab-c")

LOOP = [1]
LOOP[0] = LOOP
DEEP = 1
for _ in range(65):
    DEEP = [DEEP]


class Interface:
    """Another library's array on a GPU, by what it says of itself."""

    def __init__(self, **facts):
        self.__cuda_array_interface__ = {"shape": (2,), "typestr": "<u4", "data": (4096, False), "version": 3, **facts}


ARGUMENTS = {
    "from_ints: 2 coefficients: an element of babybear_extension has 4": lambda: extension.from_ints([(1, 2)]),
    "from_ints: array of bn254: must be of babybear": lambda: field.from_ints(big.ones(2)),
    "from_ints: values: every sequence along an axis must have 2 elements": lambda: field.from_ints([[1, 2], [3]]),
    "from_ints: values: every sequence along an axis must have 4 elements": lambda: extension.from_ints(
        [[1, 2, 3, 4], (1, 2, 3, 4)]
    ),
    "from_ints: values: a sequence contains itself": lambda: field.from_ints(LOOP),
    "from_ints: values: more than 64 axes": lambda: field.from_ints(DEEP),
    "slice: offset of 256 bits: must be 0 to 9223372036854775807": lambda: x.slice(1 << 255, 1, 1),
    "assign: value of babybear, shape (3,): must be of shape (2,), or spread to it": lambda: x.__setitem__(
        [0, 1], [1, 2, 3]
    ),
    "from_cuda_array: limbs of 8 bytes, shape (2,): must be unsigned, 4 bytes each, of shape (…)": lambda: (
        field.from_cuda_array(Interface(shape=(2,), typestr="<u8"))
    ),
    "from_cuda_array: limbs of 4 bytes, shape (2, 3): must be unsigned, 8 bytes each, of shape (…, 2, 4)": lambda: (
        curve.affine.from_cuda_array(Interface(shape=[2, 3], typestr="<u4"))
    ),
    "from_cuda_array: limbs of other bytes, shape (4,): must be unsigned, 8 bytes each, of shape (…, 4)": lambda: (
        big.from_cuda_array(Interface(shape=(4,), typestr="<i8"))
    ),
    "from_cuda_array: shape: axis of length -1: must be 0 to 9223372036854775807": lambda: field.from_cuda_array(
        Interface(shape=(-1,))
    ),
    "generate_random: seed of 5 bytes: must be of 32, or an integer": lambda: field.random(3, seed=b"short"),
    "generate_random: seed of 257 bits: must be 0 to 115792089237316195423570985008687907853269984665640564039457584007913129639935": lambda: (
        field.random(3, seed=1 << 256)
    ),
    "generate_random: seed -1: must be 0 to 115792089237316195423570985008687907853269984665640564039457584007913129639935": lambda: (
        field.random(3, seed=-1)
    ),
    "empty: shape: axis of length -1: must be 0 to 9223372036854775807": lambda: field.empty(-1),
    "empty: shape of 65 axes: must have at most 64": lambda: field.empty((1,) * 65),
    "empty: shape (4294967296, 4294967296): exceeds the address space": lambda: field.empty((1 << 32, 1 << 32)),
    "empty: shape (4611686018427387904,) of 4 bytes each: exceeds the address space": lambda: field.empty(1 << 62),
    "empty: memory 'fast': must be device, pinned or managed": lambda: field.empty(3, memory="fast"),
    "vector_add: shapes (3,) and (2,): each axis must be equal, or one of them of length 1": lambda: field.full(
        3, [1, 2]
    ),
    "to_ints: array of babybear in Montgomery form: must be of babybear": lambda: field.to_ints(m),
    "from_bytes: 5 bytes: must be a multiple of 4, an element of babybear": lambda: field.from_bytes(bytes(5)),
    "from_numpy: limbs of 4 bytes, shape (2, 3): must be unsigned, 8 bytes each, of shape (…, 2, 4)": lambda: (
        curve.affine.from_numpy(np.zeros((2, 3), np.uint32))
    ),
    "from_numpy: limbs of other bytes, shape (4,): must be unsigned, 8 bytes each, of shape (…, 4)": lambda: (
        big.from_numpy(np.zeros(4, np.int64))
    ),
    "astype: type babybear_extension: must be an encoding of babybear": lambda: x.astype(extension),
    "vector_mul: operand of babybear in Montgomery form: must be canonical, convert it with astype()": lambda: m * m,
    "vector_div: operand of babybear in Montgomery form: must be canonical, convert it with astype()": lambda: m / m,
    "vector_div: operand of bn254 in Montgomery form: must be canonical, convert it with astype()": lambda: (
        2 / big.montgomery_type.ones(4)
    ),
    "vector_inv: operand of babybear in Montgomery form: must be canonical, convert it with astype()": lambda: m.inv(),
    "vector_product: operand of babybear in Montgomery form: must be canonical, convert it with astype()": lambda: (
        m.prod()
    ),
    "pow: operand of babybear in Montgomery form: must be canonical, convert it with astype()": lambda: m**2,
    "matmul: operand of babybear in Montgomery form: must be canonical, convert it with astype()": lambda: (
        m.reshape(2, 2) @ m.reshape(2, 2)
    ),
    "vector_add: operands of babybear and bn254: must be the same": lambda: x + big.ones(4),
    "vector_add: shapes (4,) and (3,): each axis must be equal, or one of them of length 1": lambda: x + field.ones(3),
    "vector_mul: shapes (4,) and (2,): each axis must be equal, or one of them of length 1": lambda: x * [1, 2],
    "vector_add: shapes (4,) and (2, 4): the result of shape (2, 4) does not fit the first": lambda: field.ones(
        4
    ).__iadd__([[1] * 4] * 2),
    "vector_add: operands of babybear and babybear_extension: must be the same": lambda: x + extension.ones(4),
    "equal: shape (4,) and one value: == compares whole arrays; compare with an array of that shape, or look for a value with 'in'": lambda: (
        x == 1
    ),
    "bool: truth value of an array of 4 elements: must be one; compare whole arrays with ==, or look for a value with 'in'": lambda: (
        bool(x)
    ),
    "contains: value of babybear, shape (2,): must be one element of babybear": lambda: [1, 2] in x,
    "vector_sum: axis 1 of shape (4,): must be the first or the last": lambda: x.sum(axis=1),
    "vector_product: axis 1 of shape (4,): must be the first or the last": lambda: x.prod(axis=1),
    "bit_reverse: axis 1 of shape (2, 2, 2): must be the first or the last": lambda: field.ones((2, 2, 2)).bit_reverse(
        axis=1
    ),
    "slice: axis 2 of shape (4,): must be the first or the last": lambda: x.slice(0, 1, 1, axis=2),
    "slice: offset -1: must be 0 to 9223372036854775807": lambda: x.slice(-1, 1, 1),
    "highest_non_zero_idx: axis -1 of shape (): must be the first or the last": lambda: x[0].highest_non_zero(),
    "matrix_transpose: shape (4,): must have at least 2 axes": lambda: x.T,
    "matrix_transpose: shape (3,): must have at least 2 axes": lambda: x[:3].transpose(),
    "matmul: shapes (2, 2) and (4,): must have 2 axes each": lambda: square @ x,
    "matmul: shapes (4,) and (2, 2): must have 2 axes each": lambda: x @ square,
    "matmul: operands of babybear and bn254: must be the same": lambda: square @ big.ones((2, 2)),
    "reshape: shape (-1, -1): must hold 1 elements": lambda: x[:1].reshape(-1, -1),
    "reshape: shape (3,): must hold 4 elements": lambda: x.reshape(3),
    "assign: value on cpu:1: the array is on cpu:0; copy it with to()": lambda: x.__setitem__([0], there[:1]),
    "assign: value of babybear in Montgomery form, shape (): must be of babybear, shape ()": lambda: x.__setitem__(
        0, m[0]
    ),
    "assign: value of babybear, shape (2,): must be of shape (4,), or spread to it": lambda: x.__setitem__(..., [1, 2]),
    "concatenate: no arrays: must be at least one": lambda: icicle.concatenate([]),
    "concatenate: arrays of babybear on cpu:0 and of babybear in Montgomery form on cpu:0: must be of one type on one device; see astype() and to()": lambda: (
        icicle.concatenate([x, m])
    ),
    "concatenate: arrays of babybear on cpu:0 and of babybear on cpu:1: must be of one type on one device; see astype() and to()": lambda: (
        icicle.concatenate([x, there])
    ),
    "concatenate: axis 1: must be below 1, the number of axes": lambda: icicle.concatenate([x], axis=1),
    "concatenate: shapes (2, 2) and (2, 1): must be equal but for axis 0": lambda: icicle.concatenate(
        [square, square[:, :1]]
    ),
    "stack: arrays of babybear on cpu:0 and of babybear in Montgomery form on cpu:0: must be of one type on one device; see astype() and to()": lambda: (
        icicle.stack([x, m])
    ),
    "stack: axis 2: must be below 2, the number of axes": lambda: icicle.stack([x], axis=2),
    "stack: shapes (4,) and (2,): must be equal": lambda: icicle.stack([x, x[:2]]),
    "poly_eval: operands of babybear and bn254: must be the same": lambda: icicle.polynomial.evaluate(x, big.ones(2)),
    "poly_eval: operand of babybear in Montgomery form: must be canonical, convert it with astype()": lambda: (
        icicle.polynomial.evaluate(m, m)
    ),
    "poly_eval: shapes () and (4,): must have an axis of coefficients": lambda: icicle.polynomial.evaluate(x[0], x),
    "poly_eval: shapes (4,) and (): must have an axis of coefficients": lambda: icicle.polynomial.evaluate(x, x[0]),
    "poly_eval: points of shape (2, 2): must have 1 axis": lambda: icicle.polynomial.evaluate(x, square),
    "poly_division: operand of babybear in Montgomery form: must be canonical, convert it with astype()": lambda: (
        icicle.polynomial.divide(m, m)
    ),
    "poly_division: shapes (2, 2) and (4,): must be equal but for the last axis": lambda: icicle.polynomial.divide(
        square, x
    ),
    "point_arithmetic: operands of bn254 affine and bls12_381 affine: must be of one curve": lambda: (
        points + bls.affine.zeros(4)
    ),
    "point_arithmetic: shapes (4,) and (3,): each axis must be equal, or one of them of length 1": lambda: (
        points + points[:3]
    ),
    "point_arithmetic: scalars of babybear: must be of bn254": lambda: x * points,
    "astype: type bls12_381 affine: must be of points of bn254": lambda: points.astype(bls.affine),
    "from_ints: point of 3 coordinates: must be (x, y) or None": lambda: curve.affine.from_ints([(1, 2, 3)]),
    "check_points: point 0: coordinates must be below the modulus and satisfy the equation of bn254": lambda: (
        curve.affine.from_ints([(1, 3)])
    ),
    "msm: points of bn254 projective: must be bn254 affine": lambda: curve.msm([1], points.projective()),
    "msm: scalars of babybear: must be of bn254": lambda: curve.msm(x, points),
    "msm: scalars of shape (): must have an axis to sum along": lambda: curve.msm(curve.scalar.ones(()), points),
    "msm: 4 points for scalars of shape (3,): must be 3 or one for each scalar, times precompute 1": lambda: curve.msm(
        [1] * 3, points
    ),
    "msm: 4 points for scalars of shape (4,): must be 4 or one for each scalar, times precompute 3": lambda: curve.msm(
        [1] * 4, points, precompute=3
    ),
    "msm: precompute -1: must be 0 to 9223372036854775807": lambda: curve.msm([1] * 4, points, precompute=-1),
    "msm: c -1: must be 0 to 4294967295": lambda: curve.msm([1] * 4, points, c=-1),
    "msm: c 4294967296: must be 0 to 4294967295": lambda: curve.msm([1] * 4, points, c=1 << 32),
    "msm: out of bn254 affine, shape (): must be bn254 projective, ()": lambda: curve.msm(
        [1] * 4, points, out=points[0]
    ),
    "msm_precompute_bases: points of bn254 projective: must be bn254 affine": lambda: curve.precompute(
        points.projective(), 2
    ),
    "msm_precompute_bases: c -1: must be 0 to 4294967295": lambda: curve.precompute(points, 2, c=-1),
    "msm_precompute_bases: bitsize -1: must be 0 to 4294967295": lambda: curve.precompute(points, 2, bitsize=-1),
    "ecntt: points of bls12_381 affine: must be of bn254": lambda: curve.ecntt(bls.affine.zeros(2)),
    "ecntt: points of bn254 affine: must be projective and canonical": lambda: curve.ecntt(points),
    "decompress_points: 47 bytes: must be a multiple of 48": lambda: bls.decompress(bytes(47)),
    "ntt: axis -1 of shape (): must be the first or the last": lambda: icicle.ntt(x[0]),
    "ntt: axis 1 of shape (4,): must be the first or the last": lambda: icicle.ntt(x, axis=1),
    "ntt: out of babybear in Montgomery form, shape (4,): must be of babybear, shape (4,)": lambda: icicle.ntt(
        x, out=m
    ),
    "ntt: out of babybear, shape (2,): must be of babybear, shape (4,)": lambda: icicle.ntt(x, out=field.ones(2)),
    "ecntt: axis 1 of shape (4,): must be the first or the last": lambda: curve.ecntt(points.projective(), axis=1),
    "ecntt: out of bn254 affine, shape (4,): must be of bn254 projective, shape (4,)": lambda: curve.ecntt(
        points.projective(), out=points
    ),
    "slice: stride of 300 bits: must be 0 to 9223372036854775807": lambda: x.slice(0, 1 << 299, 1),
    "ntt: array of babybear: must be of a field of bn254": lambda: bn254.ntt(x),
    "get_root_of_unity: max_size -1: must be 0 to 9223372036854775807": lambda: babybear.root_of_unity(-1),
    "execute_program: no arrays: the program has 4 parameters": lambda: execute(PROGRAM, []),
    "execute_program: operand of babybear in Montgomery form: must be canonical, convert it with astype()": lambda: (
        execute(PROGRAM, [m] * 4)
    ),
    "execute_program: arrays of babybear, shape (4,) and bn254, shape (4,): must be the same": lambda: execute(
        PROGRAM, [x, big.ones(4), x, x]
    ),
    "execute_program: arrays of babybear, shape (4,) and babybear, shape (2,): must be the same": lambda: execute(
        PROGRAM, [x, x[:2], x, x]
    ),
    "execute_program: 1 vectors: the program has 4 parameters": lambda: execute(PROGRAM, [x.copy()]),
}

TYPES = {
    "from_ints: element 1 None: must be an integer": lambda: field.from_ints([1, None]),
    "from_ints: element 1 1.5: must be an integer": lambda: extension.from_ints([(1, 2, 3, 4), (1, 2, 3, 1.5)]),
    "from_ints: element 1 of type list: must be an integer": lambda: field.from_ints([1, [2]]),
    f"from_ints: {'a' * 37!r}: must be a value of babybear, or a sequence of them": lambda: field.from_ints("a" * 37),
    "from_ints: of type str: must be a value of babybear, or a sequence of them": lambda: field.from_ints("a" * 38),
    "from_ints: '12': must be a value of babybear, or a sequence of them": lambda: field.from_ints("12"),
    "from_ints: values of float64: must be integers": lambda: field.from_ints(np.zeros(2)),
    "generate_random: seed 'seed': must be an integer or 32 bytes": lambda: field.random(3, seed="seed"),
    "empty: shape: axis of length 1.5: must be an integer": lambda: field.empty(1.5),
    "from_ints: element 0 'a': must be an integer": lambda: field.symbol("a"),
    "to_ints: array of type list: must be an Array": lambda: field.to_ints([1]),
    "from_numpy: limbs of type list: must be a NumPy array, or have the buffer protocol; from_ints() takes integers": lambda: (
        field.from_numpy([1])
    ),
    "from_dlpack: data None: must have __dlpack__ and __dlpack_device__": lambda: field.from_dlpack(None),
    "from_cuda_array: data None: must have __cuda_array_interface__": lambda: field.from_cuda_array(None),
    "astype: type None: must be a DType": lambda: x.astype(None),
    "slice: stride 1.5: must be an integer": lambda: x.slice(0, 1.5, 1),
    "slice: count None: must be an integer": lambda: x.slice(0, 1, None),
    "reshape: shape: axis of length 1.5: must be an integer": lambda: x.reshape(1.5),
    "array of babybear, shape (4,): is no integer; to_ints() gives its values": lambda: int(x),
    "array of babybear, shape (4,): is no floating-point number; to_ints() gives its values": lambda: float(x),
    "array of no axes has no length": lambda: len(x[0]),
    "array of no axes cannot be iterated over": lambda: iter(x[0]),
    "concatenate: arrays of type FieldArray: must be a sequence of arrays": lambda: icicle.concatenate(x),
    "concatenate: array of type int: must be an Array": lambda: icicle.concatenate([x, 1]),
    "concatenate: axis '0': must be an integer": lambda: icicle.concatenate([x], axis="0"),
    "stack: arrays None: must be a sequence of arrays": lambda: icicle.stack(None),
    "concatenate: array None: must be an Array": lambda: icicle.concatenate([None]),
    "stack: array None: must be an Array": lambda: icicle.stack([None]),
    "stack: array of type int: must be an Array": lambda: icicle.stack([x, 1]),
    "poly_eval: operand of type int: must be a FieldArray": lambda: icicle.polynomial.evaluate(x, 3),
    "poly_division: operand of type list: must be a FieldArray": lambda: icicle.polynomial.divide(x, [1]),
    "astype: type None: must be a PointType": lambda: points.astype(None),
    "from_ints: of type int: must be a value of bn254 affine, or a sequence of them": lambda: curve.affine.from_ints(
        [5]
    ),
    "from_ints: point 1 of type int: must be (x, y) or None": lambda: curve.affine.from_ints([(1, 2), 5]),
    "from_ints: element 0 '1': must be an integer": lambda: curve.affine.from_ints([("1", 2)]),
    "msm: points of type int: must be a PointArray": lambda: curve.msm([1], 5),
    "msm: scalars of type int: must be a FieldArray": lambda: curve.msm(5, points),
    "msm: precompute '2': must be an integer": lambda: curve.msm([1] * 4, points, precompute="2"),
    "msm: bitsize 1.5: must be an integer": lambda: curve.msm([1] * 4, points, bitsize=1.5),
    "msm: out of type list: must be a PointArray": lambda: curve.msm([1] * 4, points, out=[None]),
    "msm_precompute_bases: points of type list: must be a PointArray": lambda: curve.precompute([None], 2),
    "msm_precompute_bases: precompute_factor 1.5: must be an integer": lambda: curve.precompute(points, 1.5),
    "ecntt: points of type list: must be a PointArray": lambda: curve.ecntt([None]),
    "ecntt: points of type FieldArray: must be a PointArray": lambda: icicle.transform.ecntt(x),
    "compress_points: points None: must be a PointArray": lambda: bls.compress(None),
    "decompress_points: data '00': must be a bytes or a bytearray or a memoryview": lambda: bls.decompress("00"),
    "ntt: x of type PointArray: must be a FieldArray: from_ints() makes one, and ecntt() transforms points": lambda: (
        icicle.ntt(points)
    ),
    "ntt: x of type list: must be a FieldArray: from_ints() makes one, and ecntt() transforms points": lambda: (
        icicle.ntt([1, 2])
    ),
    "ntt: out of type list: must be an Array": lambda: icicle.ntt(x, out=[1]),
    "ntt: coset 1.5: must be an integer": lambda: icicle.ntt(x, coset=1.5),
    "ecntt: coset '2': must be an integer": lambda: curve.ecntt(points.projective(), coset="2"),
    "ecntt: out of type int: must be an Array": lambda: curve.ecntt(points.projective(), out=5),
    "ntt: x of type int: must be a FieldArray": lambda: babybear.ntt(5),
    "get_root_of_unity: max_size '8': must be an integer": lambda: babybear.init_domain("8"),
    "ntt_init_domain: size '8': must be an integer": lambda: babybear.init_domain("8", root=3),
    "ntt_init_domain: root 1.5: must be an integer": lambda: babybear.init_domain(8, root=1.5),
    "ntt_init_domain: field 'babybear': must be a Field, such as icicle.fields.bn254.scalar": lambda: (
        icicle.transform.init_domain("babybear", 8)
    ),
    "ntt_init_domain: field of type PointType: must be a Field, such as icicle.fields.bn254.scalar": lambda: (
        icicle.transform.init_domain(curve.affine, 8)
    ),
    "ntt_release_domain: field None: must be a Field, such as icicle.fields.bn254.scalar": lambda: (
        icicle.transform.release_domain(None)
    ),
    "get_root_of_unity: field None: must be a Field, such as icicle.fields.bn254.scalar": lambda: (
        icicle.transform.root_of_unity(None, 8)
    ),
    "execute_program: arrays of type int: must be a sequence of FieldArrays": lambda: execute(PROGRAM, 5),
    "execute_program: program of type int: must be a Program": lambda: execute(5, [x]),
    "execute_program: array of type int: must be a FieldArray": lambda: execute(PROGRAM, [5]),
}

INDICES = {
    "index: more than one '...'": lambda: x[..., ...],
    "index: 2 indices: the array has 1 axes": lambda: x[0, 0],
    "index: more than one list or mask: index by one after the other": lambda: square[[0], [1]],
    "index: an integer beside a list or mask: index by one after the other, as in x[0][:, [1, 2]]": lambda: square[
        0, [1]
    ],
    "index: 4: the axis has 4 elements": lambda: x[4],
    "index: -5: the axis has 4 elements": lambda: x[-5],
    "index: True: must be an integer; a mask is a list or array": lambda: x[True],
    "index: an array of icicle's: must be a list, or an array of integers or truth values": lambda: x[x],
    "index: 1.5: must be an integer, a slice, '...', None, a list of integers or a mask": lambda: x[1.5],
    "index: 'a': must be an integer, a slice, '...', None, a list of integers or a mask": lambda: x["a"],
    "index: integers and truth values in one list: must be of one kind": lambda: x[[True, 0, 1, 1]],
    "index: mask of shape (2,): the axes have shape (4,)": lambda: x[[True, False]],
    "index: 0.5: must be an integer, or a sequence of them": lambda: x[[0.5]],
    "index: makes 65 axes: must be at most 64": lambda: x[(None,) * 64],
}


@pytest.mark.parametrize("text", ARGUMENTS)
def test_arguments_that_break_a_rule(text):
    with pytest.raises(InvalidArgument) as caught:
        ARGUMENTS[text]()
    assert str(caught.value) == text
    assert (caught.value.operation, caught.value.detail) == tuple(text.split(": ", 1))
    assert caught.value.args == (caught.value.operation, caught.value.detail)


SHARED = {
    "array of babybear in Montgomery form: data in Montgomery form is not shared, convert it with astype()": lambda: (
        m.tobytes()
    ),
    "from_dlpack: data is read-only: it must be copied": lambda: field.from_dlpack(FROZEN, copy=False),
    "from_cuda_array: data is read-only: copy it first": lambda: field.from_cuda_array(Interface(data=(4096, True))),
    "from_cuda_array: strides or mask: data must be C-contiguous and unmasked": lambda: field.from_cuda_array(
        Interface(strides=(4,))
    ),
}
FROZEN = np.ones(4, np.uint32)
FROZEN.flags.writeable = False


@pytest.mark.parametrize("text", SHARED)
def test_memory_that_cannot_be_shared(text):
    with pytest.raises(BufferError) as caught:
        SHARED[text]()
    assert str(caught.value) == text


def test_masked_arrays_are_not_shared():
    with pytest.raises(BufferError, match="strides or mask"):
        field.from_cuda_array(Interface(mask=object()))


def test_lists_beyond_memory_name_the_call():
    value = [1]
    for _ in range(50):
        value = [value, value]
    with pytest.raises(icicle.OutOfMemory) as caught:
        field.from_ints(value)
    shape = (2,) * 50 + (1,)
    assert caught.value.args == ("from_ints", f"values of shape {shape}: exceed the machine's memory")


@pytest.mark.parametrize("text", TYPES)
def test_arguments_of_other_types(text):
    with pytest.raises(TypeError) as caught:
        TYPES[text]()
    assert str(caught.value) == text


@pytest.mark.parametrize("text", INDICES)
def test_keys_that_are_no_index(text):
    with pytest.raises(IndexError) as caught:
        INDICES[text]()
    assert str(caught.value) == text
