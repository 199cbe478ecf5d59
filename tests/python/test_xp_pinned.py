"""Arrays in page-locked memory: copied from and to GPUs where there are any, plain memory where there are none."""

import gc
import pickle

import numpy as np
import pytest

import icicle
from icicle import xp

IS_GPU = any(device.kind == "cuda" for device in icicle.devices())


@pytest.mark.parametrize("device", icicle.devices(), ids=str)
def test_copies_to_and_from_devices(device):
    host = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for view in (lambda x: x, lambda x: x[1], lambda x: xp.permute_dims(x, (2, 0, 1)), lambda x: x[:, ::-1]):
        x, want = view(xp.asarray(host, device=device)), view(xp.asarray(host)).tolist()
        pinned = x.to_pinned()
        assert pinned.is_pinned == IS_GPU and not x.is_pinned and not (pinned + pinned).is_pinned
        assert str(pinned.device) == ("cpu:0" if device.kind == "cuda" else str(device))
        assert pinned.shape == x.shape and pinned.tolist() == want and pinned.to_device(device).tolist() == want
        # NumPy sees it where it is, and keeps it.
        seen = np.asarray(pinned)
        assert seen.ctypes.data == pinned.address
        del pinned
        gc.collect()
        assert seen.tolist() == want
    assert xp.zeros((0, 3), device=device).to_pinned().shape == (0, 3)


def test_assignment_keeps_the_memory():
    x = xp.zeros((2, 3)).to_pinned()
    at = x.address
    x[0] = 1
    assert x.address == at and x.is_pinned == IS_GPU and x.tolist() == [[1.0] * 3, [0.0] * 3]
    other = x[:]
    x[1] = 2
    assert x.address != at and x.is_pinned == IS_GPU and other.tolist() == [[1.0] * 3, [0.0] * 3]
    assert pickle.loads(pickle.dumps(x)).tolist() == x.tolist()


def test_refusals():
    x = xp.ones(3)
    with pytest.raises(TypeError):
        x.to_pinned("cpu:0")
    with pytest.raises(AttributeError):
        x.is_pinned = True
