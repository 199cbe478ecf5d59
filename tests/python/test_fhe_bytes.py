"""Encrypted integers as bytes, pickled, and in the form to send."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import icicle
from icicle import fhe
from icicle.errors import InvalidArgument, InvalidDevice

FILES = Path(__file__).parents[1] / "vectors/fhe/bytes"


@pytest.fixture(scope="module")
def keys():
    """Seconds of work, once."""
    client = fhe.ClientKey()
    return client, client.compressed_server_key()


def back(kind, data):
    """The object that bytes hold, which gives them again; of other bytes there is none."""
    made = kind.from_bytes(data)
    assert made.to_bytes() == data
    for bad, text in [
        (data[:-1], "end too early"),
        (b"", "end too early"),
        (data + b"\0", "go on after their end"),
        (b"\0" * 99, "not of this library's format"),
        (data[:8] + b"\2\0" + data[10:], "are of version 2, must be of 1"),
        (data[:12] + b"\0\0\0\1" + data[16:], "under parameters"),
    ]:
        with pytest.raises(InvalidArgument, match=text):
            kind.from_bytes(bad)
    for bad in (5, "text", None):
        with pytest.raises(TypeError):
            kind.from_bytes(bad)
    return made


def test_files_that_another_language_wrote():
    """What tests/vectors/fhe/README.md says of them."""
    client = back(fhe.ClientKey, (FILES / "client_key").read_bytes())
    for name, dtype, values in [("uint8", np.uint8, [200]), ("bool", np.bool_, [True])]:
        found = client.decrypt(back(fhe.Array, (FILES / name).read_bytes()))
        assert found.dtype == dtype and found.tolist() == values
    for name, dtype, values in [("uint16", np.uint16, [0xCAFE, 7]), ("bool", np.bool_, [True, False, True])]:
        compressed = back(fhe.CompressedArray, (FILES / f"compressed_{name}").read_bytes())
        assert compressed.dtype == dtype and len(compressed) == len(values)
        assert repr(compressed) == f"<icicle.fhe.CompressedArray of {len(values)} {name}>"
        assert client.decrypt(compressed.decompress()).tolist() == values


def test_a_client_key_is_as_the_format_says():
    """Bits of both keys after the header, the lowest of each byte first: 918 and 2048."""
    data = fhe.ClientKey().to_bytes()
    assert (
        data[:8] == b"icicle\xf4\xe1" and data[8:16] == bytes([1, 0, 1, 0, 1, 0, 0, 0]) and len(data) == 32 + 115 + 256
    )
    bits = np.unpackbits(np.frombuffer(data[32:], np.uint8), bitorder="little")
    assert not bits[918:920].any() and 300 < bits[:918].sum() < 618 and 824 < bits[920:].sum() < 1224


def test_what_was_bytes_computes(keys):
    client, compressed = keys
    key = back(fhe.CompressedServerKey, compressed.to_bytes()).decompress("cpu:0")
    ready = fhe.ServerKey.from_bytes(bytearray(key.to_bytes()), "cpu")
    x = client.encrypt_compressed(np.array([200, 7], np.uint8)).decompress()
    y = back(fhe.Array, client.encrypt([100, 9], np.uint8).to_bytes())
    for server in (key, ready, fhe.ServerKey.from_bytes(memoryview(ready.to_bytes()))):
        with server:
            total, less = back(fhe.Array, (x + y).to_bytes()), back(fhe.Array, (x < y).to_bytes())
        reader = fhe.ClientKey.from_bytes(client.to_bytes())
        assert reader.decrypt(total).tolist() == [44, 16] and reader.decrypt(less).tolist() == [False, True]
    with icicle.DeviceGroup(["cpu:0"]) as group, pytest.raises(InvalidArgument, match="the key is of a group"):
        key.over(group).to_bytes()
    for kind, data, text in [
        (fhe.Array, client.to_bytes(), "are of kind 1, must be of 5, FheUint, or 6, FheBool"),
        (fhe.ClientKey, x.to_bytes(), "are of kind 5, must be of 1, ClientKey"),
        (fhe.ServerKey, compressed.to_bytes(), "are of kind 3, must be of 2, ServerKey"),
        (fhe.CompressedArray, x.to_bytes(), "must be of 8, CompressedFheUint, or 9, CompressedFheBool"),
    ]:
        with pytest.raises(InvalidArgument, match=text):
            kind.from_bytes(data)
    for bad in ([-1], [1.5], np.zeros((2, 2), np.uint8)):
        with pytest.raises(InvalidArgument):
            client.encrypt_compressed(bad)
    # Both go to the device that is named.
    for call in (compressed.decompress, lambda device: fhe.ServerKey.from_bytes(ready.to_bytes(), device)):
        with pytest.raises(InvalidDevice):
            call("cpu:1000")


def test_what_anyone_may_have_is_pickled(keys):
    client, compressed = keys
    key, compressed, x, small = pickle.loads(
        pickle.dumps(
            (compressed.decompress(), compressed, client.encrypt([200, 7], np.uint8), client.encrypt_compressed(True))
        )
    )
    for server in (key, compressed.decompress()):
        with server:
            assert client.decrypt(copy.deepcopy(x) + 100).tolist() == [44, 107]
    assert client.decrypt(small.decompress()).tolist() == [True]
    assert repr(compressed) == "<icicle.fhe.CompressedServerKey>"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="a client key is not pickled"):
            pickle.dumps({"key": client}, protocol)
    with pytest.raises(TypeError, match="a client key is not pickled"):
        copy.copy(client)
