"""icicle.xp's arrays and other libraries': NumPy both ways, DLPack, the buffer protocol, pickling, threads."""

import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest
from arrays_of_numbers import ALL, arrays, same, strided
from hypothesis import given, settings

import icicle
from icicle import xp


@settings(max_examples=200, deadline=None, derandomize=True)
@given(x=arrays(small=False))
def test_there_and_back(x):
    ours = strided(x)
    same(ours, x)
    np.testing.assert_array_equal(np.asarray(ours), x)
    np.testing.assert_array_equal(np.from_dlpack(ours), x)
    np.testing.assert_array_equal(np.asarray(xp.from_dlpack(x)), x)
    np.testing.assert_array_equal(np.asarray(pickle.loads(pickle.dumps(ours))), x)
    if x.size:
        np.testing.assert_array_equal(np.asarray(xp.asarray(x.tolist(), dtype=ours.dtype)), x)


def test_numpy_shares_memory_and_does_not_write_it():
    x = xp.asarray([1.0, 2.0, 3.0])
    for view in (np.asarray, np.from_dlpack):
        view = view(x)
        assert view.ctypes.data == x.address and not view.flags.writeable
        x[0] = 9.0
        assert view[0] != 9.0 and view.ctypes.data != x.address, "what is shared is copied before it is changed"
        x[0] = 1.0
    with pytest.raises((ValueError, BufferError)):
        np.frombuffer(x)[0] = 1
    copied = np.array(x)
    copied[0] = 5
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_dlpack_keeps_memory_alive():
    x = xp.ones(1000) + xp.ones(1000)
    view = np.from_dlpack(x)
    del x
    gc.collect()
    others = [xp.zeros(1000) for _ in range(50)]
    assert (view == 2).all() and len(others) == 50
    owner = np.ones(5)
    alive = weakref.ref(owner)
    made = xp.from_dlpack(owner)
    del owner
    gc.collect()
    assert alive() is None and made.tolist() == [1.0] * 5, "a copy"


def test_dlpack_protocol():
    x = xp.ones(3)
    assert x.__dlpack_device__() == (1, 0)
    assert np.from_dlpack(x, copy=True).flags.writeable
    unused = x.__dlpack__(max_version=(1, 0))
    assert "dltensor_versioned" in repr(unused)
    old = x.__dlpack__()
    assert '"dltensor"' in repr(old)
    assert icicle._icicle.number_from_dlpack(old).tolist() == [1.0] * 3
    with pytest.raises(TypeError, match="unused"):
        icicle._icicle.number_from_dlpack(old)
    assert '"dltensor"' in repr(x.__dlpack__(copy=False)) and '"dltensor"' in repr(x.__dlpack__(max_version=(0, 0)))
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="always copied"):
        xp.from_dlpack(np.ones(2), copy=False)
    with pytest.raises(TypeError, match="has no __dlpack__"):
        xp.from_dlpack([1])


def test_asarray_of_what_numpy_takes():
    assert xp.asarray([]).dtype == xp.float64 and xp.asarray([[], []]).shape == (2, 0)
    assert xp.asarray([True, False]).dtype == xp.bool and xp.asarray([True, 2]).dtype == xp.int64
    assert xp.asarray([1, 2.0]).dtype == xp.float64 and xp.asarray((1, 2j)).dtype == xp.complex128
    assert xp.asarray([np.float32(1.5), np.int8(2)]).tolist() == [1.5, 2.0]
    assert xp.asarray(np.float32(1.5)).dtype == xp.float32 and xp.asarray(b"ab").tolist() == [97, 98]
    assert xp.asarray([xp.asarray(1), 2]).tolist() == [1, 2]
    assert xp.asarray([1, 2], dtype=xp.bfloat16).dtype == xp.bfloat16
    assert xp.asarray([(1 << 64) - 1], dtype=xp.uint64).tolist() == [(1 << 64) - 1]


@pytest.mark.parametrize(
    ("made", "error", "text"),
    [
        (lambda: xp.asarray([[1], [1, 2]]), ValueError, "sequences of several lengths"),
        (lambda: xp.asarray([[1], 2]), ValueError, "sequences of several lengths"),
        (lambda: xp.asarray("abc"), TypeError, "object of type str"),
        (lambda: xp.asarray([None]), TypeError, "object of type NoneType"),
        (lambda: xp.asarray([300], dtype=xp.uint8), OverflowError, "300: uint8 holds 0 to 255"),
        (lambda: xp.asarray([1], copy=False), ValueError, "copy=False"),
        (lambda: xp.asarray(np.ones(2), copy=False), ValueError, "copy=False"),
        (lambda: xp.asarray(np.array(["a"])), TypeError, "must be numbers"),
        (lambda: xp.asarray(np.ones(2, ">f8")), TypeError, "of this machine"),
        (lambda: np.asarray(xp.ones(2, dtype=xp.bfloat16)), TypeError, "bfloat16"),
    ],
)
def test_what_is_refused(made, error, text):
    with pytest.raises(error, match=text):
        made()


def test_copies_of_our_own():
    x = xp.ones(3)
    assert xp.asarray(x) is x and xp.asarray(x, copy=False) is x and xp.asarray(x, copy=True) is not x
    for other in (xp.asarray(x, copy=True), copy.copy(x), copy.deepcopy(x), x[...]):
        other[0] = 7.0
        assert x.tolist() == [1.0] * 3 and other[0] == 7.0
    assert pickle.loads(pickle.dumps(xp.float32)) is xp.float32
    moved = pickle.loads(pickle.dumps(x.to_device("cpu:2")))
    assert str(moved.device) == "cpu:2" and moved.tolist() == [1.0] * 3


@pytest.mark.parametrize("dtype", ALL)
def test_numpy_leaves_operators_to_us(dtype):
    x = xp.ones(2, dtype=getattr(xp, dtype))
    for call in (lambda: np.ones(2) + x, lambda: x + np.ones(2)):
        with pytest.raises(TypeError):
            call()


def test_threads():
    x = xp.ones(200_000)
    totals = []

    def work():
        totals.extend(float(xp.sum(x * 2.0)) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert totals == [400_000.0] * 80
