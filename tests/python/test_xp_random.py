"""Random numbers: those that other libraries give for the same words, and what is refused."""

import copy
import pickle
import threading
from pathlib import Path

import numpy as np
import pytest

import icicle
from icicle import random, xp

VECTORS = Path(__file__).parents[2] / "core/array/tests/random/random.txt"
SEED = 0x0123456789ABCDEF


def cases():
    for line in VECTORS.read_text().splitlines():
        call, arrow, result = line.partition(" -> ")
        operation, *arguments = call.split(" ")
        if arrow and operation != "quantiles":
            dtype, shape, data = result.split(":")
            want = np.frombuffer(bytes.fromhex(data), dtype).reshape([int(n) for n in shape.split(",") if n])
            yield pytest.param(operation, dict(pair.split("=") for pair in arguments), want, id=f"{call} {dtype}")


CASES = list(cases())


def test_the_vectors_are_found():
    assert len(CASES) == 35


@pytest.mark.parametrize(("operation", "arguments", "want"), CASES)
def test_numbers_are_those_of_other_libraries(operation, arguments, want):
    key, shape, dtype = random.Key(SEED), want.shape, getattr(xp, want.dtype.name)
    if operation == "split":
        i = int(arguments["i"])
        got = random.bits(key.split(i + 1)[i], shape, dtype=dtype)
    elif operation == "fold":
        got = random.bits(key.fold_in(int(arguments["data"])), shape, dtype=dtype)
    elif operation == "integers":
        got = random.integers(key, int(arguments["low"]), int(arguments["high"]), shape, dtype=dtype)
    elif operation == "uniform":
        got = random.uniform(key, shape, float(arguments["low"]), float(arguments["high"]), dtype=dtype)
    elif operation == "bernoulli":
        got = random.bernoulli(key, float(arguments["p"]), shape)
    elif operation == "permutation":
        got = random.permutation(key, want.size)
    else:
        got = getattr(random, operation)(key, shape, dtype=dtype)
    got = np.asarray(got)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    tolerance = 4 * np.finfo(want.dtype).eps if operation == "normal" else 0
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=0)


def test_keys_are_values():
    key = random.Key(SEED)
    assert key.words == (0x89ABCDEF, 0x01234567, 0, 0) and random.Key(np.uint64(SEED)) == key
    assert random.Key.from_words(key.words) == key and hash(random.Key(SEED)) == hash(key)
    one, two = key.split()
    assert len({key, one, two, key.fold_in(0), key.fold_in(1)}) == 5
    assert key.split(5)[:2] == [one, two] and key.split(0) == []
    for same in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), eval(repr(one), {"icicle": icicle})):
        assert same == one and same.words == one.words
    assert random.Key(2**64 - 1).words == (2**32 - 1, 2**32 - 1, 0, 0)


def test_numbers_depend_on_key_and_index_only():
    key = random.Key(1).fold_in(2)
    whole = random.normal(key, (3, 1, 7), dtype=xp.float32)
    assert whole.dtype == xp.float32 and random.normal(key, 21, dtype=xp.float32).tolist() == sum(
        (row for table in whole.tolist() for row in table), []
    )
    assert random.normal(key).shape == () and random.normal(key).dtype == random.uniform(key).dtype == xp.float64
    assert random.bits(key).dtype == xp.uint32 and random.integers(key, 0, 9).dtype == xp.int64
    assert random.normal(key, (0, 3)).shape == (0, 3)
    there = random.uniform(key, 5, device="cpu:1")
    assert str(there.device) == "cpu:1" and there.tolist() == random.uniform(key, 5).tolist()
    with icicle.Device("cpu:2"):
        assert str(random.permutation(key, 3).device) == "cpu:2"


def test_orders_and_choices():
    key, x = random.Key(5), xp.reshape(xp.arange(12), (4, 3))
    order = random.permutation(key, 4)
    assert sorted(order.tolist()) == [0, 1, 2, 3]
    assert random.shuffle(key, x).tolist() == x[order].tolist()
    assert random.shuffle(key, x, axis=-1).tolist() == xp.take(x, random.permutation(key, 3), axis=1).tolist()
    assert random.choice(key, x, 2, replace=False).tolist() == x[order[:2]].tolist()
    assert random.choice(key, x, 50, axis=1).shape == (4, 50)
    there = x.to_device("cpu:1")
    assert str(random.shuffle(key, there).device) == str(random.choice(key, there, 2).device) == "cpu:1"


def test_many_numbers_leave_other_threads_their_turn():
    turns = []

    def turn():
        while not done.is_set():
            turns.append(1)
            done.wait(0.001)

    done = threading.Event()
    other = threading.Thread(target=turn)
    other.start()
    try:
        before = len(turns)
        for i in range(20):
            random.normal(random.Key(i), 1 << 19)
    finally:
        done.set()
        other.join()
    assert len(turns) > before


KEY = random.Key(1)
REFUSED = [
    (lambda: random.Key(-1), icicle.InvalidArgument, "key: seed -1: must be 0 to 18446744073709551615"),
    (lambda: random.Key(2**64), icicle.InvalidArgument, "key: seed 18446744073709551616: must be"),
    (lambda: random.Key("7"), TypeError, "str"),
    (lambda: random.Key(1.5), TypeError, "float"),
    (lambda: random.Key.from_words([1, 2, 3]), ValueError, "length"),
    (lambda: KEY.split(-1), icicle.InvalidArgument, "split: n -1: must not be negative"),
    (lambda: KEY.split(2**62), icicle.OutOfMemory, "split"),
    (lambda: KEY.fold_in(-1), icicle.InvalidArgument, "fold_in: data -1: must be 0 to"),
    (lambda: random.bits(7, 3), TypeError, "key"),
    (
        lambda: random.bits(KEY, 3, dtype=xp.int8),
        icicle.InvalidArgument,
        "bits: dtype int8: must be an unsigned integer",
    ),
    (lambda: random.bits(KEY, 3, dtype="uint8"), TypeError, "dtype of type str: must be one of icicle.xp"),
    (lambda: random.bits(KEY, (2**40, 2**40)), icicle.InvalidArgument, "bits: .*exceeds the address space"),
    (lambda: random.bits(KEY, 3, device="cpu:63"), icicle.InvalidDevice, "cpu:63"),
    (lambda: random.uniform(KEY, 3, 1.0, 1.0), icicle.InvalidArgument, "uniform: low 1 and high 1: low must be below"),
    (lambda: random.normal(KEY, 3, dtype=xp.float16), icicle.InvalidArgument, "normal: dtype float16: must be float32"),
    (lambda: random.integers(KEY, 3, 3, 1), icicle.InvalidArgument, "integers: low 3 and high 3: low must be below"),
    (lambda: random.integers(KEY, 0, 10**60, 1), icicle.InvalidArgument, "integers: low 0 and high .* in int64"),
    (lambda: random.integers(KEY, 0.0, 1, 1), TypeError, "float"),
    (lambda: random.bernoulli(KEY, 1.5, 1), icicle.InvalidArgument, "bernoulli: probability 1.5: must be from 0 to 1"),
    (lambda: random.permutation(KEY, -1), icicle.InvalidArgument, "permutation: n -1: must not be negative"),
    (lambda: random.permutation(KEY, 2**63), icicle.InvalidArgument, "permutation: .*exceeds the address space"),
    (lambda: random.shuffle(KEY, xp.ones(2), axis=1), icicle.InvalidArgument, "shuffle: axis 1: an array of 1 axes"),
    (lambda: random.shuffle(KEY, [1, 2]), TypeError, "object of type list: must be an array"),
    (lambda: random.choice(KEY, xp.ones(2), 3, replace=False), icicle.InvalidArgument, "choice: 3 of 2 elements"),
    (lambda: random.choice(KEY, xp.ones(2), -1), icicle.InvalidArgument, "choice: n -1: must not be negative"),
]


@pytest.mark.parametrize(("call", "error", "text"), REFUSED)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call()
