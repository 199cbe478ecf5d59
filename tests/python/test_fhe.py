"""Encrypted integers, against NumPy's arithmetic."""

import operator
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import icicle
from icicle import fhe
from icicle.errors import InvalidArgument, InvalidDevice, OutOfMemory, Unsupported

# The first GPU, if there is one.
GPU = next((device for device in icicle.devices() if device.kind == "cuda"), None)
A, B = np.array([200, 7], np.uint8), np.array([100, 9], np.uint8)


@pytest.fixture(scope="module")
def keys():
    """Seconds of work, once."""
    client = fhe.ClientKey()
    return client, client.server_key("cpu")


@pytest.fixture
def x(keys):
    return keys[0].encrypt(A)


@pytest.fixture
def y(keys):
    return keys[0].encrypt(B)


OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_numpys(keys, x, y, name):
    client, server = keys
    apply = OPERATORS[name]
    with server:
        for got, expected in [
            (apply(x, y), apply(A, B)),
            (apply(x, B), apply(A, B)),
            (apply(A, y), apply(A, B)),
            (apply(x, 100), apply(A, np.uint8(100))),
            (apply(100, x), apply(np.uint8(100), A)),
            (apply(x, np.uint8(7)), apply(A, np.uint8(7))),
        ]:
            found = client.decrypt(got)
            assert found.dtype == expected.dtype and np.array_equal(found, expected)


def test_methods(keys, x, y):
    client, server = keys

    def clear(array):
        return client.decrypt(array).tolist()

    with server:
        assert clear(-x) == [56, 249] and clear(~x) == [55, 248]
        # Amounts count modulo 8, also those that no uint8 holds.
        assert (
            clear(x << 257) == [144, 14] and clear(x >> 2**40) == [200, 7] and clear(x.rotate_left(260)) == [0x8C, 0x70]
        )
        assert clear(x << 1) == [144, 14] and clear(x >> y) == [12, 3]
        assert clear(x << np.array([1, 2], np.uint8)) == [144, 28]
        assert clear(x.rotate_left(4)) == [0x8C, 0x70] == clear(x.rotate_right(client.encrypt([4, 4], np.uint8)))
        assert clear(x.min(y)) == [100, 7] and clear(x.max(50)) == [200, 50]
        total, over = x.overflowing_add(y)
        assert clear(total) == [44, 16] and clear(over) == [True, False]
        assert clear(x.overflowing_sub(B)[1]) == [False, True]
        less = x < y
        assert less.dtype == np.bool_ and clear(less.select(x, y)) == [100, 7] and clear(less.select(x, 1)) == [1, 7]
        assert clear(less.select(np.uint8(3), np.uint8(4))) == [4, 3] and clear(less.select(A, B)) == [100, 7]
        assert clear(~less) == [True, False] and clear(less | ~less) == [True, True]
        assert clear(less == less) == [True, True] and clear(less ^ less) == [False, False]
        assert clear(less.count()) == [1] and less.count(np.uint8).dtype == np.uint8
        assert clear(less.astype(np.uint16)) == [0, 1] and clear(x.astype(np.uint64)) == [200, 7]
        assert clear((x - 200).astype(bool)) == [False, True]
        assert clear(x.sum()) == [207] and clear(fhe.trivial([5, 6], np.uint8) + x) == [205, 13]


def test_arrays(keys, x, y):
    client, _ = keys
    long = fhe.concatenate([x, y, x[:0]])
    for key in [slice(None), slice(1, 3), slice(None, None, -1), slice(0, 4, 2), slice(3, 1)]:
        assert np.array_equal(client.decrypt(long[key]), np.concatenate([A, B])[key])
    assert [int(client.decrypt(part)[0]) for part in long] == [200, 7, 100, 9] and client.decrypt(long[-1]) == [9]
    assert (
        client.decrypt(x[1].repeat(3)).tolist() == [7, 7, 7]
        and len(x) == 2
        and repr(x) == "<icicle.fhe.Array of 2 uint8>"
    )
    for values, dtype in (
        ([True, False], None),
        (np.arange(3, dtype=np.uint64)[::-1], None),
        (np.uint32(7), None),
        ([], np.uint16),
    ):
        clear = np.atleast_1d(np.asarray(values, dtype))
        found = client.decrypt(client.encrypt(values, dtype))
        assert found.dtype == clear.dtype and np.array_equal(found, clear) and found.flags.writeable


def test_what_breaks_a_rule_is_refused(keys, x, y):
    client, server = keys
    with pytest.raises(InvalidArgument, match="this thread has no server key: call set_server_key"):
        x + y
    with server:
        for call, text in [
            (lambda: x + client.encrypt([1, 2], np.uint16), "y has integers of 16 bits, x of 8"),
            (lambda: x + client.encrypt([1, 2, 3], np.uint8), "y has 3 elements, x 2"),
            (lambda: x + 256, "the clear operand is 256, must be from 0 to 255"),
            (lambda: x + np.array([1.5, 2]), "dtype is float64"),
            (lambda: x * np.array([1, 2]), "dtype is int64"),
            (lambda: (x < y) + (x < y), "x and y hold truth values, must hold integers"),
            (lambda: x.count(), "x holds integers, must hold truth values"),
            (lambda: x.select(x, y), "condition holds integers"),
            (lambda: x.astype(np.int8), "dtype is int8"),
            (lambda: client.encrypt(np.zeros((2, 2), np.uint8)), "values have 2 axes, must have one"),
            (lambda: client.encrypt([-1, 2]), "dtype is int64"),
            (lambda: fhe.concatenate([]), "must be at least one"),
            (lambda: fhe.concatenate([x, x < y]), "holds bool, arrays"),
            (lambda: fhe.ClientKey().decrypt(x), "is encrypted under the key"),
        ]:
            with pytest.raises(InvalidArgument, match=text):
                call()
        for call in (
            lambda: x + "1",
            lambda: x + True,
            lambda: x.min(1.5),
            lambda: bool(x),
            lambda: hash(x),
            lambda: (x < y) & 1,
        ):
            with pytest.raises(TypeError):
                call()
        with pytest.raises(IndexError):
            x[2]
        with pytest.raises(OutOfMemory):
            x.repeat(2**62)
    with pytest.raises(InvalidDevice):
        client.server_key("cpu:1000")


def test_each_thread_has_a_key(keys, x, y):
    client, server = keys
    assert fhe.server_key() is None
    found = []

    def work():
        fhe.set_server_key(server)
        found.append(client.decrypt(x + y).tolist())

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[44, 16]] * 3 and fhe.server_key() is None
    with server, server:
        assert fhe.server_key() is not None
    assert fhe.server_key() is None
    fhe.set_server_key(server)
    fhe.set_server_key(None)
    assert fhe.server_key() is None


def test_groups_divide_arrays(keys):
    client, server = keys
    a = np.arange(9, dtype=np.uint8)
    x = client.encrypt(a)
    with icicle.DeviceGroup([f"cpu:{i}" for i in range(3)], shares=[1, 0, 2]) as group:
        over = server.over(group)
        with pytest.raises(InvalidArgument, match="the key is of a group"):
            over.over(group)
        with over:
            assert np.array_equal(client.decrypt(x * 3), a * 3)
            assert client.decrypt(x.sum()) == [36]


def test_on_a_device(keys, x, y):
    """Keys and results on a GPU where there is one, else on another CPU device."""
    client, server = keys
    device, cpu = icicle.Device(GPU or "cpu:1"), icicle.Device("cpu")
    key = client.compressed_server_key().decompress(device)
    with key:
        before = device.memory.used
        total = x + y
        after = device.memory.used
        # Where the key is: two integers of four blocks.
        assert not GPU or after - before == 2 * 4 * 2049 * 8
        assert client.decrypt((x < total).select(x, total)).tolist() == [44, 7]
    # Parts of it have its memory.
    part = total[1:]
    both, twice = fhe.concatenate([part, total]), part.repeat(2)
    assert device.memory.used == after
    assert client.decrypt(both).tolist() == [16, 44, 16] and client.decrypt(twice).tolist() == [16, 16]
    del total, both, twice
    assert device.memory.used == after and client.decrypt(part).tolist() == [16]
    assert client.decrypt(fhe.Array.from_bytes(part.to_bytes())).tolist() == [16]
    # Over both, from the CPU's key; what lies on one is an operand for both, and for the CPU.
    with icicle.DeviceGroup([device, cpu], shares=[1, 1]) as group:
        if GPU:
            for call in (key.to_bytes, lambda: key.over(group)):
                with pytest.raises(Unsupported, match=f"the key is on {GPU}, which keeps a part of it only"):
                    call()
        for other in (server.over(group), server):
            with other:
                assert client.decrypt(part.repeat(2) + y).tolist() == [116, 25]
    del part
    assert not GPU or device.memory.used == before


ROOT = Path(__file__).parents[2]


def test_the_guide():
    block = (ROOT / "docs/FHE.md").read_text().split("```python\n")[1].split("```")[0]
    exec(block, {})


def run_example(name, *arguments, stderr=subprocess.PIPE):
    command = [sys.executable, ROOT / "python/examples" / name, *arguments]
    environment = {**os.environ, "ICICLE_CPU_DEVICES": "2"}
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment, cwd="/")


def test_the_additions():
    done = run_example("fhe_additions.py", "--additions", "1", "--threads", "1")
    assert done.returncode == 0 and "2 of 2 sums are right, both ways" in done.stdout, done.stderr
    for bad in (["--additions", "0"], ["--threads", "none"]):
        done = run_example("fhe_additions.py", *bad)
        assert done.returncode == 2 and "usage:" in done.stderr and "Traceback" not in done.stderr


def test_the_auction():
    # On a terminal it shows how far it is, else not.
    terminal, side = os.openpty()
    os.set_blocking(terminal, False)
    done = run_example("fhe_auction.py", "--bidders", "5", stderr=side)
    shown = os.read(terminal, 1 << 16).decode()
    assert done.returncode == 0 and "sold to bidder" in done.stdout and ", which is right" in done.stdout, shown
    assert "2/4 comparisons" in shown and "4/4 comparisons, 0 s left" in shown
    done = run_example("fhe_auction.py", "--bidders", "1", "--reserve", "4000000000")
    assert done.returncode == 0 and "not sold" in done.stdout and ", which is right" in done.stdout and not done.stderr
    for bad in (["--bidders", "0"], ["--reserve", str(2**32)]):
        done = run_example("fhe_auction.py", *bad)
        assert done.returncode == 2 and "usage:" in done.stderr and "Traceback" not in done.stderr


def test_the_lookup():
    done = run_example("fhe_lookup.py", "--records", "9")
    assert done.returncode == 0 and "9 records in" in done.stdout and ": record " in done.stdout, done.stderr
    assert ", which is right" in done.stdout and not done.stderr
    done = run_example("fhe_lookup.py", "--records", "2", "--missing")
    assert done.returncode == 0 and ": no record, which is right" in done.stdout, done.stderr
    for bad in ("0", "65536"):
        done = run_example("fhe_lookup.py", "--records", bad)
        assert done.returncode == 2 and "usage:" in done.stderr and "Traceback" not in done.stderr
