"""The vectors of tests/vectors, which are shared by all languages: each line, and lines for each operation on offer."""

import operator
import subprocess
import sys
from pathlib import Path

import pytest

import icicle
from icicle import transform
from icicle._icicle import Buffer, point_convert
from icicle.program import Program, Symbol, execute

VECTORS = Path(__file__).parents[2] / "tests/vectors"
FILES = sorted((VECTORS / "operations").iterdir())
DEVICE = icicle.Device("cpu")
BINARY = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}
PREDEFINED = {"ab_minus_c": "ab-c", "eq_times_ab_minus_c": "eq(ab-c)"}


def memory(word):
    return bytes.fromhex(word.replace(",", ""))


def array(dtype, word):
    """The array whose memory a word names."""
    data = memory(word)
    return dtype.array(Buffer.from_bytes(data, DEVICE), dtype, (len(data) // dtype.itemsize,))


def root(scalar, order, w):
    """The library's root of unity is this one, and becomes the domain."""
    value = int.from_bytes(memory(w), "little")
    assert transform.root_of_unity(scalar, int(order)) == value
    transform.init_domain(scalar, int(order), root=value, device=DEVICE)


def options(way, ordering, coset):
    assert way in ("forward", "inverse")
    return {"inverse": way == "inverse", "ordering": ordering, "coset": int.from_bytes(memory(coset), "little")}


class OfField:
    """Operations on a field by their names: what they give, as arrays or, where that is what they are, numbers."""

    def __init__(self, name, size, scalar):
        self.domain = self.field = icicle.fields.FIELDS[name]
        assert (self.field.itemsize, self.field.scalar.name) == (int(size), scalar)
        self.scalar = self.field.scalar

    def array(self, word):
        return array(self.field, word)

    def vector_binary(self, name, a, b, r):
        self.same(BINARY[name](self.array(a), self.array(b)), r)

    def vector_mixed_mul(self, a, b, r):
        self.same(self.array(a) * array(self.scalar, b), r)

    def vector_scalar(self, name, s, v, r):
        self.same(BINARY[name](self.array(s)[0], self.array(v)), r)

    def vector_inv(self, a, r):
        self.same(self.array(a).inv(), r)

    def vector_reduce(self, name, a, r):
        self.same({"sum": self.array(a).sum, "product": self.array(a).prod}[name](), r)

    def convert_montgomery(self, a, r):
        form = self.field.montgomery_type
        self.same(self.array(a).astype(form), r)
        self.same(array(form, r).astype(self.field), a)

    def bit_reverse(self, a, r):
        self.same(self.array(a).bit_reverse(), r)

    def slice(self, offset, stride, a, r):
        self.same(self.array(a).slice(int(offset), int(stride), self.array(r).size), r)

    def highest_non_zero(self, a, index):
        assert self.array(a).highest_non_zero() == int(index)

    def polynomial_evaluate(self, c, x, r):
        self.same(icicle.polynomial.evaluate(self.array(c), self.array(x)), r)

    def polynomial_divide(self, a, b, *parts):
        for part, word in zip(icicle.polynomial.divide(self.array(a), self.array(b)), parts, strict=True):
            self.same(part, word)

    def matrix_transpose(self, rows, cols, a, r):
        self.same(self.array(a).reshape(int(rows), int(cols)).transpose(), r)

    def matrix_multiply(self, rows, inner, cols, a, b, r):
        left, right = self.array(a).reshape(int(rows), int(inner)), self.array(b).reshape(int(inner), int(cols))
        self.same(left @ right, r)

    def program(self, name, *words):
        *operands, r = words
        expected = words
        if name == "exchange":
            k, *operands = operands
            x, y, z = (Symbol.input(i) for i in range(3))
            program = Program([y, x, (x * y - Symbol.constant(memory(k))) * (x + z).inverse() + z])
            expected = [operands[1], operands[0], r]
        else:
            program, operands = Program.predefined(PREDEFINED[name]), words
        arrays = [self.array(word) for word in operands]
        if name != "exchange":
            arrays[-1] = self.field.empty(arrays[-1].shape, device=DEVICE)
        execute(program, arrays)
        for found, word in zip(arrays, expected, strict=True):
            self.same(found, word)

    def root(self, order, w):
        root(self.scalar, order, w)

    def ntt(self, way, ordering, coset, x, r):
        self.same(icicle.ntt(self.array(x), **options(way, ordering, coset)), r)

    @staticmethod
    def same(found, word):
        assert found.contiguous().buffer.tobytes() == memory(word)


class OfCurve:
    """Operations on a curve group."""

    def __init__(self, name, size, scalar):
        self.domain = self.curve = icicle.curves.CURVES[name]
        assert (self.curve.base.itemsize, self.curve.scalar.name) == (int(size), scalar)
        self.scalar = self.curve.scalar

    def type(self, form):
        return {"a": self.curve.affine, "p": self.curve.projective}[form]

    def point_binary(self, name, forms, a, b, r):
        call = {"add": operator.add, "sub": operator.sub}[name]
        self.same(call(array(self.type(forms[0]), a), array(self.type(forms[1]), b)), forms[2], r)

    def point_scalar_mul(self, forms, s, p, r):
        self.same(array(self.scalar, s) * array(self.type(forms[0]), p), forms[1], r)

    def point_unary(self, name, forms, a, r):
        points = array(self.type(forms[0]), a)
        if name == "negate":
            self.same(-points, forms[1], r)
            return
        # astype() leaves points of the same form as they are.
        assert name == "normalize"
        operand = points.buffer, forms[0] == "p"
        assert point_convert(self.curve.number, points.size, operand, forms[1] == "p").tobytes() == memory(r)

    def point_equal(self, forms, a, b, r):
        left, right = array(self.type(forms[0]), a), array(self.type(forms[1]), b)
        flags = [left[i] == right[i] for i in range(left.size)]
        assert b"".join(flag.to_bytes(4, "little") for flag in flags) == memory(r)

    def point_convert_montgomery(self, form, x, r):
        kind = self.type(form)
        assert array(kind, x).astype(kind.montgomery_type).buffer.tobytes() == memory(r)
        assert array(kind.montgomery_type, r).astype(kind).buffer.tobytes() == memory(x)

    def msm(self, s, p, r):
        self.same(self.curve.msm(array(self.scalar, s), array(self.curve.affine, p)), "p", r)

    def msm_precompute(self, factor, c, p, r):
        self.same(self.curve.precompute(array(self.curve.affine, p), int(factor), c=int(c)), "a", r)

    def root(self, order, w):
        root(self.scalar, order, w)

    def ec_ntt(self, way, ordering, coset, x, r):
        self.same(self.curve.ecntt(array(self.curve.projective, x), **options(way, ordering, coset)), "p", r)

    def same(self, found, form, word):
        assert found.astype(self.type(form)).buffer.tobytes() == memory(word)


def subject(header):
    return {"field": OfField, "curve": OfCurve}[header[0]](*header[1:])


def lines(path):
    """Numbers and words of all lines but comments."""
    text = path.read_text().splitlines()
    return [(i, line.split(" ")) for i, line in enumerate(text, start=1) if not line.startswith("#")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_line(path):
    (_, header), *rest = lines(path)
    of, ran = subject(header), set()
    try:
        for i, (name, *words) in rest:
            try:
                assert name == "root" or name.removesuffix("_precompute") in icicle.operations()
                getattr(of, name)(*words)
            except Exception as error:
                error.add_note(f"at {path}:{i}")
                raise
            ran.add(name.removesuffix("_precompute"))
    finally:
        if of.scalar.has_ntt:
            transform.release_domain(of.scalar, device=DEVICE)
    assert ran - {"root"} == {name for name in icicle.operations() if DEVICE.supports(name, of.domain)}


def test_every_domain_has_a_file():
    domains = {subject(lines(path)[0][1]).domain for path in FILES}
    assert domains == {*icicle.fields.FIELDS.values(), *icicle.curves.CURVES.values()}
    offered = [DEVICE.supports(name, domain) for name in icicle.operations() for domain in domains]
    print(f"{sum(offered)} pairs of operation and domain")


def test_the_files_are_what_make_py_writes():
    command = [sys.executable, VECTORS / "make.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
