"""A private lookup: the client sends an encrypted key of 16 bits, and gets back the encrypted record of 64 bits that a server has under it.

The server learns neither the key nor the record, nor whether there was one. Whatever passes between the two passes as bytes.
"""

import argparse
import os
import sys
import time

import numpy as np
from progress import show

import icicle
from icicle import fhe


def look_up(key, keys, records, at_once):
    """Whether there is a record of an encrypted key, and that record, or 0.

    It is the sum of all records, of which all but that one count as 0; some at once, as each takes half a megabyte meanwhile.
    """
    counts, sums, start = [], [], time.perf_counter()
    for at in range(0, len(keys), at_once):
        some = slice(at, at + at_once)
        same = key.repeat(len(keys[some])) == keys[some]
        counts.append(same.count(np.uint8))
        sums.append(same.select(records[some], np.uint64(0)).sum())
        show(min(at + at_once, len(keys)), len(keys), "records", start)
    return fhe.concatenate(counts).sum() != 0, fhe.concatenate(sums).sum()


def main(count, missing):
    rng = np.random.default_rng()
    with icicle.DeviceGroup() as group:  # all GPUs, or the processor
        gpus = sum(device.kind == "cuda" for device in group.devices)
        count = min(count or 4096 * gpus or 64, 2**16 - 1)
        at_once = 512 * gpus or 8 * (os.cpu_count() or 1)
        # What the server has, in the clear: keys, each once, and a record for each.
        *keys, absent = rng.choice(2**16, count + 1, replace=False).astype(np.uint16)
        keys = np.array(keys)
        records = rng.integers(0, 2**64, count, np.uint64)

        # The client.
        start = time.perf_counter()
        client = fhe.ClientKey()
        server_key = client.compressed_server_key().to_bytes()
        key = absent if missing else rng.choice(keys)
        query = client.encrypt_compressed(key).to_bytes()
        print(f"keys and query in {time.perf_counter() - start:.2f} s")
        print(f"sent: a server key of {len(server_key)} bytes, once, and a query of {len(query)} bytes")

        # The server, which has these bytes and its table.
        start = time.perf_counter()
        server = fhe.CompressedServerKey.from_bytes(server_key).decompress(group.devices[0]).over(group)
        names = ", ".join(map(str, group.devices))
        print(f"server key ready on {names} in {time.perf_counter() - start:.2f} s")
        start = time.perf_counter()
        with server:
            query = fhe.CompressedArray.from_bytes(query).decompress()
            answer = [array.to_bytes() for array in look_up(query, keys, records, at_once)]
        seconds = time.perf_counter() - start
        print(f"{count} records in {seconds:.2f} s, {count / seconds:.1f} a second")

    # The client again.
    print(f"sent: an answer of {sum(map(len, answer))} bytes")
    found, record = (int(client.decrypt(fhe.Array.from_bytes(part))[0]) for part in answer)
    expected = records[keys == key]
    right = (found, record) == ((1, int(expected[0])) if len(expected) else (0, 0))
    print(f"key {key}: {f'record {record}' if found else 'no record'}, which is {'right' if right else 'wrong'}")
    return 0 if right else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, help="from 1 to 65535, by default 4096 for each GPU, 64 on a processor")
    parser.add_argument("--missing", action="store_true", help="look up a key that no record has")
    arguments = parser.parse_args()
    if arguments.records is not None and not 1 <= arguments.records < 2**16:
        parser.error("--records must be from 1 to 65535")
    sys.exit(main(arguments.records, arguments.missing))
