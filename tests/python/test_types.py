"""What type checkers see of the package: results have types, and names that do not exist are refused."""

import subprocess
import sys
import typing
from pathlib import Path

import pytest

import icicle
from icicle.field import Field

ROOT = Path(__file__).parents[2]
RIGHT = """
import icicle

field, curve = icicle.fields.bn254.scalar, icicle.curves.bn254
x, points = field.from_ints([1, 2]), curve.affine.random(2)
"""
TYPES = {
    "field": "Field",
    "icicle.fields.m31.qm31": "Field",
    "icicle.fields.bw6_761.g2_base": "Field",
    "curve": "Curve",
    "curve.affine": "PointType",
    "x": "FieldArray",
    "x + 1": "FieldArray",
    "x - x": "FieldArray",
    "2 * x": "FieldArray",
    "1 / x": "FieldArray",
    "-x": "FieldArray",
    "x**3": "FieldArray",
    "x @ x": "FieldArray",
    "x + [1, 2]": "FieldArray",
    "x[0]": "FieldArray",
    "x[:, [1, 2]]": "FieldArray",
    "x.reshape(2, 1)": "FieldArray",
    "x.to('cpu')": "FieldArray",
    "x.sum()": "FieldArray",
    "icicle.ntt(x)": "FieldArray",
    "icicle.fields.bn254.ntt([1, 2], inverse=True)": "FieldArray",
    "curve.ecntt(points.projective(), ordering='nr')": "PointArray",
    "icicle.concatenate([x, x])": "FieldArray",
    "x == [1, 2]": "bool",
    "1 in x": "bool",
    "int(x[0])": "int",
    "x.to_bytes()": "bytes",
    "[one for one in x]": "list[FieldArray]",
    "points": "PointArray",
    "points + points": "PointArray",
    "x * points": "PointArray",
    "3 * points": "PointArray",
    "points == points": "bool",
    "curve.msm(x, points)": "PointArray",
    "curve.msm([1, 2], points)": "PointArray",
    "curve.generator": "PointArray",
    "icicle.stack([points[0], points[1]])": "PointArray",
    "x.device": "Device",
    "x.dtype": "Field",
    "points.dtype": "PointType",
}
WRONG = {
    "icicle.fields.bn255": "attr-defined",
    "icicle.curves.bn255": "attr-defined",
    "icicle.fields.bn254.extension": "attr-defined",
    "icicle.fields.babybear.base": "attr-defined",
    "icicle.fields.grumpkin.g2_base": "attr-defined",
    "icicle.fields.stark252.extension": "attr-defined",
    "icicle.nt": "attr-defined",
    "x + 'a'": "operator",
    "x + 1.5": "operator",
    "x + points": "operator",
    "points * points": "operator",
    "points + 1": "operator",
    "x < x": "operator",
    "icicle.ntt([1, 2])": "arg-type",
    "icicle.fields.bn254.ntt(x, invers=True)": "call-arg",
    "icicle.fields.bn254.ntt(x, inverse='no')": "arg-type",
    "curve.ecntt(points, out=x)": "arg-type",
    "icicle.ntt(points)": "arg-type",
    "field.zeros(2.5)": "arg-type",
    "field.from_ints(1.5)": "arg-type",
    "curve.msm(points, x)": "arg-type",
    "x.to(5)": "arg-type",
    "icicle.concatenate([1, 2])": "type-var",
}


def mypy(folder, lines):
    """What mypy says of each line of a user's program: (severity, text) by line number."""
    program = folder / "program.py"
    program.write_text(RIGHT + "".join(line + "\n" for line in lines))
    settings = ["--config-file", ROOT / "python/pyproject.toml", "--cache-dir", folder / "cache"]
    command = [sys.executable, "-m", "mypy", *map(str, settings), "--hide-error-context", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    found = {}
    for line in done.stdout.splitlines():
        _, number, *rest = line.split(":", 2) if line.startswith("program.py:") else (None, "0", "")
        found.setdefault(int(number), []).append("".join(rest).strip())
    return [found.get(number, []) for number in range(RIGHT.count("\n") + 1, RIGHT.count("\n") + 1 + len(lines))]


def test_what_type_checkers_see(tmp_path):
    said = mypy(tmp_path, [f"reveal_type({code})" for code in TYPES])
    seen = {}
    for code, texts in zip(TYPES, said):
        assert len(texts) == 1, (code, texts)
        name = texts[0].split('"')[1]
        seen[code] = name.replace("builtins.", "").replace("icicle._icicle.", "")
        for module in ("field_array", "field", "curve", "point"):
            seen[code] = seen[code].replace(f"icicle.{module}.", "")
    assert seen == TYPES


def test_what_type_checkers_refuse(tmp_path):
    said = mypy(tmp_path, list(WRONG))
    codes = {
        code: {text.rsplit("[", 1)[1].rstrip("]") for text in texts if text.startswith("error")}
        for code, texts in zip(WRONG, said)
    }
    assert codes == {code: {kind} for code, kind in WRONG.items()}


def test_declared_names_are_the_registrys():
    for module, registry, kind in (
        (icicle.fields, icicle.fields.FAMILIES, icicle.fields.Family),
        (icicle.curves, icicle.curves.CURVES, icicle.Curve),
    ):
        declared = {
            name: one
            for name, one in typing.get_type_hints(module).items()
            if isinstance(one, type) and issubclass(one, kind)
        }
        assert declared == {name: type(one) for name, one in registry.items()}
        assert all(getattr(module, name) is one for name, one in registry.items())
        with pytest.raises(AttributeError):
            module.bn255
    for family in icicle.fields.FAMILIES.values():
        roles = {role for role, one in typing.get_type_hints(type(family)).items() if one is Field}
        assert roles == {field.role for field in family.fields} and all(
            getattr(family, role).role == role for role in roles
        )
        with pytest.raises(AttributeError):
            family.nothing
