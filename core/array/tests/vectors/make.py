"""Write the vectors beside this file with NumPy, and ml_dtypes for bfloat16: `python make.py`.

A line is `operation arguments operand... -> result`, in words separated by spaces. An array is `dtype:extents:bytes`, its
elements in C order, little-endian, in hexadecimal; other arguments are `name=value`.
"""

import itertools
import os
import sys

import ml_dtypes
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SIGNED, UNSIGNED = ["int8", "int16", "int32", "int64"], ["uint8", "uint16", "uint32", "uint64"]
INTEGER, FLOAT, COMPLEX = SIGNED + UNSIGNED, ["float16", "bfloat16", "float32", "float64"], ["complex64", "complex128"]
NUMBER = INTEGER + FLOAT + COMPLEX
REAL = INTEGER + FLOAT
np.seterr(all="ignore")
rng = np.random.default_rng(20)


def dtype(name):
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def text(x):
    x = np.asarray(x)
    return f"{x.dtype.name}:{','.join(map(str, x.shape))}:{np.ascontiguousarray(x).tobytes().hex()}"


def edges(name):
    if name == "bool":
        return np.array([False, True])
    if name in INTEGER:
        i = np.iinfo(name)
        return np.array([0, 1, 2, 3, 7, 8, 63, i.max - 1, i.max, i.min, i.min + 1] + ([-1, -2, -7] if i.min else []), name)
    if name in FLOAT:
        inf = float("inf")
        big = 60000.0 if name == "float16" else 1e30
        return np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 2.5, -2.5, 3.5, 0.001, 7.25, -7.25, big, -big, inf, -inf, float("nan")]).astype(dtype(name))
    return np.array([0, 1, -1, 1j, -1j, 0.5 + 0.25j, -2.5 + 1.5j, 3 - 2j, -0.125 - 0.75j], name)


def write(name, lines):
    with open(os.path.join(HERE, name + ".txt"), "w") as f:
        f.write(f"# make.py, NumPy {np.__version__}, ml_dtypes {ml_dtypes.__version__}\n")
        f.writelines(line + "\n" for line in lines)
    print(name, len(lines), file=sys.stderr)


def line(op, operands, result, **arguments):
    words = [op] + [f"{k}={v}" for k, v in arguments.items()] + [text(x) for x in operands] + ["->", text(result)]
    return " ".join(words)


def elementwise():
    unary = {
        "abs": NUMBER, "negative": NUMBER, "positive": NUMBER, "sign": NUMBER, "square": NUMBER,
        "floor": REAL, "ceil": REAL, "trunc": REAL, "round": NUMBER, "isnan": NUMBER, "isinf": NUMBER, "isfinite": NUMBER,
        "signbit": FLOAT, "conj": NUMBER, "real": COMPLEX, "imag": COMPLEX, "logical_not": ["bool"],
        "bitwise_invert": ["bool"] + INTEGER,
    }
    for op in "sqrt reciprocal exp expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh".split():
        unary[op] = FLOAT + COMPLEX
    for op, names in unary.items():
        for name in names:
            x = edges(name)
            if name in COMPLEX and op not in ("abs", "conj", "real", "imag", "negative", "positive", "square"):
                # Away from singular points and from branch cuts, whose sides are the sign of zero.
                x = np.array([0.5 + 0.25j, -2.5 + 1.5j, 3 - 2j, -0.125 - 0.75j, 1e-3 + 2e-3j], name)
            r = getattr(np, op)(x)
            if name in COMPLEX and r.dtype.kind == "c":
                # NumPy loses digits near 0: what it gives in higher precision is nearer.
                r = getattr(np, op)(x.astype(np.clongdouble)).astype(name)
            yield line(op, [x], r.astype(x.dtype) if r.dtype.kind == "f" and name in FLOAT else r)
    binary = {
        "add": NUMBER, "subtract": NUMBER, "multiply": NUMBER, "divide": FLOAT + COMPLEX, "floor_divide": REAL,
        "remainder": REAL, "pow": NUMBER, "atan2": FLOAT, "hypot": FLOAT, "copysign": FLOAT, "nextafter": FLOAT,
        "logaddexp": FLOAT, "maximum": REAL, "minimum": REAL, "bitwise_and": ["bool"] + INTEGER,
        "bitwise_or": ["bool"] + INTEGER, "bitwise_xor": ["bool"] + INTEGER, "bitwise_left_shift": INTEGER,
        "bitwise_right_shift": INTEGER, "equal": ["bool"] + NUMBER, "not_equal": ["bool"] + NUMBER, "less": REAL,
        "less_equal": REAL, "greater": REAL, "greater_equal": REAL, "logical_and": ["bool"], "logical_or": ["bool"],
        "logical_xor": ["bool"],
    }
    for op, names in binary.items():
        for name in names:
            x = edges(name)
            y = x
            if op == "pow" and name in INTEGER:
                y = x[x >= 0][:6]
            if name in COMPLEX and op in ("divide", "pow"):
                x = y = np.array([0.5 + 0.25j, -2.5 + 1.5j, 3 - 2j, -0.125 - 0.75j], name)
            if name == "bfloat16" and op in ("floor_divide", "remainder"):
                # ml_dtypes has other rules for infinite divisors and quotients that round.
                continue
            x, y = x[:, None], y[None, :]
            r = getattr(np, op)(x, y)
            if op == "floor_divide" and name in FLOAT:
                # Of infinities the array API's table, which NumPy does not follow.
                r = np.where(np.isinf(x) | np.isinf(y), np.floor(x / y), r)
            yield line(op, [x, y], r)
    for a, b in itertools.permutations(REAL + COMPLEX, 2):
        try:
            common = np.result_type(dtype(a), dtype(b))
        except Exception:
            continue
        mixed = (a in INTEGER) != (b in INTEGER) or common.name not in NUMBER or {"uint64"} & {a, b} and common.kind == "f"
        if mixed:
            continue
        x, y = edges(a)[:5], edges(b)[1:6]
        yield line("add", [x, y], (x.astype(common) + y.astype(common)))
    for name in ["bool"] + NUMBER:
        c = np.array([True, False, True])[:, None]
        x, y = edges(name)[:2], edges(name)[-1:]
        yield line("where", [c, x, y], np.where(c, x, y))


def casts():
    for a, b in itertools.product(["bool"] + NUMBER, repeat=2):
        if a in COMPLEX and b not in COMPLEX + ["bool"]:
            continue
        x = edges(a)
        if a in FLOAT and b in INTEGER:
            x = np.array([0.0, -0.0, 1.9, 2.5, 100.0, 0.1]).astype(dtype(a))
        yield line("astype", [x], x.astype(dtype(b)), dtype=b)


def reductions():
    shapes = [((0,), None), ((1,), None), ((5,), 0), ((33,), None), ((3, 4), 0), ((3, 4), 1), ((2, 3, 9), (0, 2)), ((2, 3, 9), 1),
              ((70, 9), 0), ((4, 0, 3), 1), ((4, 0, 3), 0), ((), None)]
    for name, (shape, axis) in itertools.product(["bool"] + NUMBER, shapes):
        if shape == (70, 9) and name not in ("int8", "float32", "complex64"):
            continue
        if name == "bool":
            x = rng.integers(0, 2, shape).astype(bool)
        elif name in INTEGER:
            x = rng.integers(np.iinfo(name).min, np.iinfo(name).max, shape, name, endpoint=True)
        else:
            x = (rng.standard_normal(shape) * 2).astype(dtype(name) if name in FLOAT else name)
            if name in COMPLEX:
                x = x + (rng.standard_normal(shape) * 1j).astype(name)
        x = np.asarray(x)
        args = {} if axis is None else {"axis": ",".join(map(str, np.atleast_1d(axis)))}
        empty = any(x.shape[k] == 0 for k in (range(x.ndim) if axis is None else np.atleast_1d(axis)))
        ops = ["all", "any", "count_nonzero"]
        if name != "bool":
            ops += ["sum", "prod"] + ([] if name in COMPLEX or empty else ["min", "max"])
            ops += ["mean"] if name in FLOAT + COMPLEX and not empty else []
            ops += ["var", "std"] if name in FLOAT and not empty else []
        for op in ops:
            wide = x
            if name in FLOAT + COMPLEX and op in ("sum", "prod", "mean", "var", "std"):
                wide = x.astype("complex128" if name in COMPLEX else "float64")
            r = np.asarray(getattr(np, op)(wide, axis=axis))
            if name in FLOAT + COMPLEX and wide is not x:
                r = r.astype(x.dtype)
            yield line(op, [x], r, **args)
        if name in REAL and not empty and (axis is None or np.ndim(axis) == 0):
            for op in ("argmin", "argmax"):
                yield line(op, [x], np.asarray(getattr(np, op)(x, axis=axis)), **args)
        if name != "bool" and np.ndim(axis) == 0 and axis is not None and x.ndim:
            for op, initial in itertools.product(("cumulative_sum", "cumulative_prod"), (0, 1)):
                wide = x.astype("complex128" if name in COMPLEX else "float64") if name not in INTEGER else x
                r = getattr(np, op)(wide, axis=axis, include_initial=bool(initial))
                yield line(op, [x], r if name in INTEGER else r.astype(x.dtype), axis=axis, initial=initial)
    for name in FLOAT:
        x = np.array([3, float("nan"), -1, float("nan"), 5]).astype(dtype(name))
        for op in ("min", "max", "argmin", "argmax"):
            yield line(op, [x], np.asarray(getattr(np, op)(x)))


write("elementwise", list(elementwise()))
write("casts", list(casts()))
write("reductions", list(reductions()))


def arrangement():
    """Joining, indexing and sorting: results are copies of elements, so two dtypes stand for each size."""
    for name in ["bool", "int8", "uint16", "float16", "int32", "float32", "int64", "float64", "complex64", "complex128"]:
        cast = (lambda x: x % 2 == 1) if name == "bool" else (lambda x: x.astype(name))
        x, y = cast(np.arange(12).reshape(3, 4)), cast(np.arange(100, 108).reshape(2, 4))
        z = cast(np.arange(24).reshape(2, 3, 4))
        yield line("concat", [x, y], np.concatenate([x, y], 0), axis=0)
        yield line("concat", [x, x[:, :1]], np.concatenate([x, x[:, :1]], 1), axis=-1)
        yield line("concat", [x, y], np.concatenate([x, y], None))
        for axis in (0, 1, -1):
            yield line("stack", [x, x + x], np.stack([x, x + x], axis), axis=axis)
        for times in [(2,), (2, 3), (2, 1, 3), (0, 2)]:
            yield line("tile", [x], np.tile(x, times), times=",".join(map(str, times)))
        yield line("repeat", [x], np.repeat(x, 2), times=2)
        yield line("repeat", [x], np.repeat(x, [1, 0, 3], 0), times="1,0,3", axis=0)
        for shift, axis in [((1,), None), ((-5,), None), ((2, -1), (0, 1)), ((7,), (2,))]:
            extra = {} if axis is None else {"axis": ",".join(map(str, axis))}
            yield line("roll", [z], np.roll(z, shift if axis else shift[0], axis), shift=",".join(map(str, shift)), **extra)
        yield line("moveaxis", [z], np.moveaxis(z, (0, 2), (-1, 0)), source="0,2", axis="-1,0")
        yield line("flip", [z], np.flip(z))
        yield line("flip", [z], np.flip(z, (0, 2)), axis="0,2")
        yield line("tril", [x], np.tril(x, 1), k=1)
        yield line("triu", [z], np.triu(z, -1), k=-1)
        i = np.array([[0, -1, 2], [1, 1, -3]])
        for axis in (0, 1):
            yield line("take", [x, i], np.take(x, i, axis), axis=axis)
        j = np.array([[1, 0, -1, 2], [0, 0, 1, 1]])
        yield line("take_along_axis", [x, j], np.take_along_axis(x, j, 0), axis=0)
        yield line("take_along_axis", [z, j[None, :1, :2]], np.take_along_axis(z, np.broadcast_to(j[None, :1, :2], (2, 3, 2)), 2), axis=2)
        m = np.array([True, False, True])
        yield line("mask", [x, m], x[m])
        yield line("mask", [x, x.astype(bool)], x[x.astype(bool)])
        yield line("index", [z, np.array([[1], [0]]), np.array([0, -1, 2])], z[np.array([[1], [0]]), np.array([0, -1, 2])])
        for axis, r in enumerate(np.nonzero(z)):
            yield line("nonzero", [z], r, axis=axis)
        w = x.copy()
        w[m] = y
        yield line("assign_mask", [x, m, y], w)
        w = x.copy()
        w[np.array([2, 0]), np.array([1, 1])] = y[0, :2]
        yield line("assign_at", [x, np.array([2, 0]), np.array([1, 1]), y[0, :2]], w)


def order():
    for name in ["bool"] + NUMBER:
        if name == "bool":
            x = rng.integers(0, 2, (5, 7)).astype(bool)
        else:
            x = rng.integers(0, 12, (5, 7)).astype(dtype(name))
            if name in INTEGER:
                x[0, :2] = [np.iinfo(name).max, np.iinfo(name).min]
            elif name in FLOAT:
                x[0, :4] = np.array([float("nan"), float("-inf"), -3, float("inf")]).astype(dtype(name))
            else:
                x = x + 1j * rng.integers(0, 3, (5, 7)).astype(name)
        x = x.astype(dtype(name))
        for axis in (0, 1):
            if name != "bfloat16":
                yield line("sort", [x], np.sort(x, axis), axis=axis)
                yield line("argsort", [x], np.argsort(x, axis, kind="stable"), axis=axis)
            if name in INTEGER + ["bool"]:
                yield line("sort", [x], np.flip(np.sort(x, axis), axis), axis=axis, descending=1)
                backwards = x.shape[axis] - 1 - np.argsort(np.flip(x, axis), axis, kind="stable")
                yield line("argsort", [x], np.flip(backwards, axis), axis=axis, descending=1)
        if name == "bfloat16":
            continue
        s = np.sort(x.ravel())
        for side in (0, 1):
            yield line("searchsorted", [s, x], np.asarray(np.searchsorted(s, x, "right" if side else "left")), right=side)
        u = np.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
        for part, r in zip("values indices inverse counts".split(), u):
            yield line("unique", [x], r, part=part)
        yield line("isin", [x, x[1]], np.isin(x, x[1]))


def products():
    shapes = [((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 2)), ((3, 4), (4, 2)), ((2, 1, 3, 4), (5, 4, 2)), ((3, 0), (0, 2)),
              ((1, 1), (1, 1)), ((17, 33), (33, 9)), ((0, 4), (4, 2))]
    for name, (a, b) in itertools.product(NUMBER, shapes):
        if (17, 33) == a and name not in ("int8", "int64", "float16", "float32", "float64", "complex64", "complex128"):
            continue
        x, y = (rng.integers(-5 if np.dtype(dtype(name)).kind != "u" else 0, 6, s).astype(dtype(name)) for s in (a, b))
        if name in COMPLEX:
            x = x + 1j * rng.integers(-3, 4, a).astype(name)
            x = x.astype(name)
        wide = name if name in INTEGER else "complex128" if name in COMPLEX else "float64"
        yield line("matmul", [x, y], np.asarray(np.matmul(x.astype(wide), y.astype(wide))).astype(x.dtype))
    for name in ["int16", "float32", "complex128"]:
        x, y = rng.integers(0, 9, (2, 3, 4)).astype(name), rng.integers(0, 9, (4, 5, 3)).astype(name)
        if name in COMPLEX:
            x = x * (1 + 2j)
        yield line("tensordot", [x, y], np.tensordot(x, y, ((1, 2), (2, 0))), x="1,2", y="2,0")
        yield line("tensordot", [x, y], np.tensordot(x, y, ((), ())), x="", y="")
        yield line("vecdot", [x, x[:1] + 1], np.vecdot(x, x[:1] + 1, axis=-1), axis=-1)
        yield line("vecdot", [x, x[:, :1] + 1], np.vecdot(x, x[:, :1] + 1, axis=0), axis=0)


write("arrangement", list(arrangement()))
write("order", list(order()))
write("products", list(products()))
