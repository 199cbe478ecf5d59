"""Exceptions mirror the library's errors: classes, numbers, text."""

import os
import pickle
import subprocess
import sys
from ctypes import CDLL, c_bool, c_int, c_int32, c_uint64, c_void_p, create_string_buffer
from pathlib import Path

import pytest

import icicle
from icicle import errors

C_LIBRARY = os.environ.get("ICICLE_C_LIBRARY")
"""The C library, if it is built: errors of both must read the same."""


def classes():
    return {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and kind is not errors.Error}


def test_every_error_has_its_class_and_number():
    assert {name: kind.code for name, kind in classes().items()} == dict(icicle._icicle.error_codes())
    assert all(getattr(icicle, name) is kind and issubclass(kind, icicle.Error) for name, kind in classes().items())
    assert issubclass(icicle.OutOfMemory, MemoryError) and issubclass(icicle.Unsupported, NotImplementedError)
    assert issubclass(icicle.InvalidArgument, ValueError) and not issubclass(icicle.InvalidDevice, ValueError)


def test_errors_carry_operation_and_detail():
    with pytest.raises(icicle.InvalidArgument) as caught:
        icicle.fields.bn254.scalar.ones(3).bit_reverse()
    error = caught.value
    assert str(error) == "bit_reverse: size 3: must be a power of two"
    assert (error.operation, error.detail, error.code) == ("bit_reverse", "size 3: must be a power of two", 11)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is icicle.InvalidArgument and str(again) == str(error)


def _ranks(timeout):
    return icicle.Communicator.init_all(["cpu:0", "cpu:0"], timeout=timeout)


PROVOKED = {
    "InvalidDevice": lambda: icicle.Device("cpu:99").synchronize(),
    "OutOfMemory": lambda: icicle.Buffer(1 << 60),
    "InvalidPointer": lambda: icicle.fields.m31.scalar.ones(1) + icicle.fields.m31.scalar.ones(1, device="cpu:1"),
    "AllocationFailed": lambda: icicle.Buffer((1 << 63) - 1),
    "Unsupported": lambda: icicle.ntt(icicle.fields.m31.scalar.ones(2)),
    "InvalidArgument": lambda: icicle.ntt(icicle.fields.babybear.scalar.ones(3)),
    "Cancelled": lambda: icicle.DeviceGroup(["cpu:0"]).map(abs, range(9), progress=lambda done, total: False),
    "Timeout": lambda: [comm.barrier() for comm in _ranks(1e-3)],
    "RemoteError": lambda: [comm.close() or other.barrier() for comm, other in [_ranks(60)]],
}


NOT_PROVOKED = {
    "DeallocationFailed": "the CUDA driver's alone",
    "CopyFailed": "the CUDA driver's alone",
    "SynchronizationFailed": "the CUDA driver's alone",
    "StreamCreationFailed": "the CUDA driver's alone",
    "BackendLoadFailed": "ICICLE's: backends are part of the library",
    "StreamDestructionFailed": "of handles that are no stream's; Python has none to give",
    "Internal": "a fault of the library; none is known, and the library has no switch that makes one",
}
"""What cannot be provoked on a CPU, and why."""


def test_every_error_is_provoked_or_excused():
    assert sorted([*PROVOKED, *NOT_PROVOKED]) == sorted(classes())
    core = Path(__file__).parents[2] / "core"
    sources = [
        path for part in ("cpu", "device", "runtime", "zk") for path in sorted((core / part / "src").rglob("*.rs"))
    ]
    text = "".join(path.read_text() for path in sources if "cuda" not in path.parts)
    assert "ErrorCode::OutOfMemory" in text
    for name in list(NOT_PROVOKED)[:5]:
        assert f"ErrorCode::{name}" not in text, "it can be provoked without a GPU after all"


@pytest.mark.parametrize("name", PROVOKED)
def test_provoked(name):
    with pytest.raises(classes()[name]) as caught:
        PROVOKED[name]()
    operation, _, detail = str(caught.value).partition(": ")
    assert operation and detail and not detail.endswith(".")


def test_a_failed_call_writes_nothing():
    field = icicle.fields.babybear.scalar
    x, out = field.from_ints([1, 2, 3, 4]), field.from_ints([5, 6, 7, 8])
    number = field.number
    with pytest.raises(icicle.InvalidArgument, match="vector_add: vec_a holds 16 bytes: need 3 elements, 12 bytes"):
        icicle._icicle.vector_binary("add", number, 3, 1, False, x.buffer, x.buffer, out.buffer)
    with pytest.raises(icicle.InvalidArgument, match="output overlaps vec_a in part"):
        icicle._icicle.vector_binary("add", number, 2, 1, False, x.buffer[:8], x.buffer[8:], x.buffer[4:12])
    with pytest.raises(icicle.InvalidArgument, match="batch_size 0"):
        icicle._icicle.vector_binary("add", number, 4, 0, False, x.buffer, x.buffer, out.buffer)
    assert x.to_ints() == [1, 2, 3, 4] and out.to_ints() == [5, 6, 7, 8]


def test_numbers_out_of_the_registry():
    buffer = icicle.Buffer(64)
    with pytest.raises(icicle.InvalidArgument, match=r"field 7: must be one of fields\(\)"):
        icicle._icicle.vector_inv(7, 1, buffer)
    with pytest.raises(icicle.InvalidArgument, match=r"curve 10: must be one of curves\(\)"):
        icicle._icicle.msm(10, 1, 1, buffer, buffer, True, 1, 0, 0, (False, False))
    with pytest.raises(icicle.InvalidArgument, match="operation .nope.: must be one of"):
        icicle.Device("cpu").supports("nope", icicle.fields.bn254.scalar)
    for name in ("vector_binary", "vector_scalar", "vector_reduce"):
        with pytest.raises(icicle.InvalidArgument, match="operation .pow.: must be"):
            arguments = [buffer] if name == "vector_reduce" else [buffer, buffer]
            getattr(icicle._icicle, name)("pow", 10, 2, 1, False, *arguments)
    with pytest.raises(icicle.InvalidArgument, match="operation div: must be add, sub or mul"):
        icicle._icicle.vector_scalar("div", 10, 2, 1, False, buffer, buffer)


@pytest.mark.skipif(C_LIBRARY is None, reason="ICICLE_C_LIBRARY names no library")
def test_the_text_is_the_c_librarys():
    library = CDLL(str(Path(C_LIBRARY)))

    def message():
        text = create_string_buffer(512)
        library.icicle_last_error_message(text, 512)
        return text.value.decode()

    root = (c_int32 * 8)(5)
    assert library.icicle_ntt_init_domain(c_int32(10), root, (c_uint64 * 64)()) != 0
    with pytest.raises(icicle.Error) as caught:
        icicle._icicle.init_domain(10, bytes([5]), "cpu")
    assert message() == str(caught.value)
    assert library.icicle_get_root_of_unity(c_int32(10), c_uint64(1 << 40), root) != 0
    with pytest.raises(icicle.Error) as caught:
        icicle._icicle.root_of_unity(10, 1 << 40)
    assert message() == str(caught.value)
    supported = c_bool()
    assert library.icicle_supports(c_int(99), c_int32(10), c_void_p()) != 0 and not supported.value


def test_panics_and_interrupts_do_not_kill_the_process():
    """A fork-free check that a bad environment is told, not fatal."""
    code = "import icicle\ntry:\n    print(icicle.Buffer(10).nbytes)\nexcept icicle.Error as error:\n    print('told:', error)"
    environment = {**os.environ, "ICICLE_MEMORY_LIMIT": "nonsense"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert "told:" in done.stdout and "ICICLE_MEMORY_LIMIT" in done.stdout
