"""Arrays in unified memory: of CPU devices, and of GPUs where there are any; as many as ICICLE_TEST_GPUS says."""

import gc
import os
import pickle

import numpy as np
import pytest

import icicle
from icicle import xp
from icicle.errors import InvalidArgument, InvalidDevice, Unsupported

GPUS = [device for device in icicle.devices() if device.kind == "cuda"]


def unified(x, device):
    """The array in unified memory, unless a GPU has none that it uses while the host does."""
    try:
        return x.to_unified(device)
    except Unsupported as error:
        if device in GPUS:
            pytest.skip(str(error))
        raise


def test_there_are_gpus():
    assert len(GPUS) >= int(os.environ.get("ICICLE_TEST_GPUS", "0"))


@pytest.mark.parametrize("device", icicle.devices(), ids=str)
def test_memory_that_devices_share(device):
    host = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for view in (lambda x: x, lambda x: x[1], lambda x: xp.permute_dims(x, (2, 0, 1)), lambda x: x[:, ::-1]):
        x, want = view(xp.asarray(host)), view(xp.asarray(host)).tolist()
        there = unified(x, device)
        assert there.device == device and there.is_unified and there.shape == x.shape and there.tolist() == want
        there.prefetch()
        total = there + there
        assert total.device == device and total.is_unified == (device.kind == "cpu")
        assert total.tolist() == (x + x).tolist()
        here = there.shared_with("cpu:1")
        assert str(here.device) == "cpu:1" and here.is_unified and here.address == there.address
        # NumPy sees it where it is, and keeps it.
        seen = np.asarray(here)
        assert seen.ctypes.data == there.address and not seen.flags.writeable
        del there, here
        gc.collect()
        assert seen.tolist() == want
    none = unified(xp.zeros((0, 3)), device)
    assert none.is_unified and none.shape == (0, 3) and none.prefetch() is None


@pytest.mark.parametrize("device", icicle.devices(), ids=str)
def test_assignment_changes_no_other(device):
    x = unified(xp.zeros((2, 3)), device)
    other = x.shared_with("cpu:2")
    x[0] = 1
    assert x.tolist() == [[1.0] * 3, [0.0] * 3] and other.tolist() == [[0.0] * 3] * 2
    assert x.is_unified and x.address != other.address
    # The only holder writes in place.
    at = x.address
    here = x.shared_with("cpu:2")
    del x
    here[1] = 2
    assert here.address == at and here.tolist() == [[1.0] * 3, [2.0] * 3]


def test_of_the_current_device():
    with icicle.Device("cpu:3"):
        assert str(xp.ones(3).to_unified().device) == "cpu:3"
    x = xp.ones(3)
    assert x.to_unified().device == x.device and x.to_unified().address != x.address
    assert x.shared_with(x.device).address == x.address
    chain = xp.linspace(0, 1, 1 << 15) * 2
    assert chain.is_unified and float(chain[-1]) == 2.0
    assert pickle.loads(pickle.dumps(x.to_unified("cpu:2"))).tolist() == [1.0, 1.0, 1.0]


def test_refusals():
    x = xp.ones(3)
    for call in (x.to_unified, x.shared_with):
        with pytest.raises(InvalidDevice, match="cpu:99"):
            call("cpu:99")
        with pytest.raises(TypeError):
            call(5)
        with pytest.raises(TypeError):
            call("cpu:0", "cpu:1")
    with pytest.raises(AttributeError):
        x.is_unified = True


@pytest.mark.parametrize("device", GPUS, ids=str)
def test_own_memory_of_gpus_is_refused(device):
    own, host = xp.asarray([1.0, 2.0]).to_device(device), xp.asarray([1.0, 2.0])
    assert not own.is_unified
    for call in (own.prefetch, lambda: own.shared_with("cpu"), lambda: host.shared_with(device)):
        with pytest.raises(InvalidArgument, match="must be in unified memory"):
            call()
