"""What callers read: every public call has a docstring, and it names what the call raises."""

import inspect
import re

import pytest

import icicle
from icicle import comm, fields, polynomial, program, random, transform, xp

# Calls that cannot fail.
NEVER = {"icicle.current_device", "icicle.devices", "icicle.float32_matmul_precision", "icicle.operations"}
NEVER |= {"icicle.version"}

# Classes that callers make objects of, whose docstrings are those of the calls.
MADE = (icicle.Buffer, icicle.Device, icicle.Event, icicle.Stream, icicle.UniqueId, icicle.registered)
MADE += (program.Program, random.Key)


def _methods(kind):
    for name in dir(kind):
        value = getattr(kind, name, None)
        if not name.startswith("_") and callable(value) and not inspect.isclass(value):
            yield f"{kind.__name__}.{name}", value


def _calls():
    for module in (icicle, comm, polynomial, program, random, transform, xp, xp.linalg, xp.fft):
        own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
        for name in getattr(module, "__all__", own):
            value = getattr(module, name)
            if inspect.isclass(value) and not issubclass(value, (Exception, dict)):
                yield from _methods(value)
            elif inspect.isroutine(value) and not name.startswith("_"):
                yield f"{module.__name__}.{name}", value
    yield from _methods(fields.Family)
    for kind in MADE:
        yield kind.__name__, kind


CALLS = dict(_calls())


def test_the_public_calls_are_found():
    functions = {"icicle.ntt", "icicle.stack", "icicle.transform.ecntt", "icicle.program.execute"}
    functions |= {"icicle.xp.add", "icicle.xp.linalg.svd", "icicle.xp.fft.rfft", "icicle.random.normal"}
    methods = {
        "Curve.msm",
        "FieldArray.sum",
        "PointArray.to",
        "Field.random",
        "Buffer.write",
        "Stream.wait",
        "Family.ntt",
        "Key.split",
        "Communicator.all_reduce",
        "UniqueId.from_bytes",
        "ShardedArray.reshard",
    }
    assert functions | methods <= set(CALLS)


@pytest.mark.parametrize("name", sorted(set(CALLS) - NEVER))
def test_docstrings_name_what_is_raised(name):
    assert re.search(r"\b[Rr]aises\b", inspect.getdoc(CALLS[name]) or ""), f"{name}: says nothing of errors"


@pytest.mark.parametrize("name", sorted(NEVER))
def test_calls_that_cannot_fail_are_documented(name):
    assert inspect.getdoc(CALLS[name])
