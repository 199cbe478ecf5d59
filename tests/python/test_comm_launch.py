"""Ranks of collectives that are processes: how they find each other, under mpiexec, as launchers start them."""

import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import numpy
import pytest

import icicle
from icicle import rendezvous

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "python/examples"


class Mpi:
    """What is used of mpi4py's communicators, for rank 0 of hosts of these names."""

    rank, size = 0, 2

    def __init__(self, hosts):
        self.hosts = hosts

    def allgather(self, _own):
        return self.hosts

    def bcast(self, data, root):
        self.told = data
        return data


def test_ranks_of_several_hosts_need_an_address_that_others_reach(monkeypatch):
    found = {}
    monkeypatch.setattr(socket, "gethostbyname", lambda name: found[name])
    found["a"] = "127.0.1.1"
    with pytest.raises(icicle.InvalidArgument, match="host 'a' at 127.0.1.1: must be one that the other hosts reach"):
        icicle.Communicator.from_mpi(Mpi(["a", "b"]))
    found["a"] = "192.0.2.1"  # nobody's
    with pytest.raises(icicle.InvalidArgument, match="address 192.0.2.1:0: cannot listen there"):
        icicle.Communicator.from_mpi(Mpi(["a", "b"]))
    for mpi, address in [(Mpi(["a", "b"]), "127.0.0.1:0"), (Mpi(["a", "a"]), None)]:
        with pytest.raises(icicle.Timeout, match=r"\[1\]"):
            icicle.Communicator.from_mpi(mpi, address=address, timeout=0.1)
        assert icicle.UniqueId.from_bytes(mpi.told).address.startswith("127.0.0.1:")


def start(*arguments, **environment):
    command = [sys.executable, HERE / "comm_ranks.py", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, env=os.environ | environment, **pipes)


def succeeded(processes):
    outputs = [(process.communicate(timeout=120)[0], process.returncode) for process in processes]
    assert all(code == 0 for _, code in outputs), outputs


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def test_processes_find_each_other_by_the_environment():
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    succeeded([start("all", 2, RANK=str(rank), **common) for rank in range(2)])
    succeeded([start("all", 1)])


def test_processes_find_each_other_by_a_file(tmp_path):
    path = tmp_path / "id"
    succeeded([start("file", path, rank) for rank in range(3)])
    assert not list(tmp_path.iterdir())
    path.write_bytes(b"old")
    with pytest.raises(icicle.InvalidArgument, match="is there already"):
        icicle.Communicator.init_rank(path, 2, 0, timeout=1)
    assert path.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1
    with pytest.raises(icicle.Timeout, match="rank 0 to write"):
        icicle.Communicator.init_rank(tmp_path / "none", 2, 1, timeout=0.1)


def test_a_killed_process_is_an_error_of_the_others():
    id = icicle.UniqueId()
    process = start("bytes", id.to_bytes().hex(), RANK="1", WORLD_SIZE="2")
    comm = icicle.Communicator.init_rank(id, 2, 0, timeout=60)
    comm.all_reduce(numpy.ones(1))
    assert process.stdout.readline() == "ready\n"
    threading.Timer(0.1, process.kill).start()
    with pytest.raises(icicle.RemoteError, match="rank 1"):
        comm.all_reduce(numpy.ones(1))
    process.communicate()


def mpiexec(n, *arguments):
    program = Path(sys.executable).with_name("mpiexec")
    program = program if program.exists() else shutil.which("mpiexec")
    assert program, "the suite's requirements install mpiexec"
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    environment = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")}
    command = [program, "--oversubscribe", "-n", str(n), sys.executable, *map(str, arguments)]
    return subprocess.run(command, env=environment | root, capture_output=True, text=True, timeout=300)


def test_mpiexec_starts_the_ranks():
    done = mpiexec(3, HERE / "comm_ranks.py", "all", 3)
    assert done.returncode == 0, done.stdout + done.stderr


class Gpu:
    """What a GPU is of that chooses one."""

    kind = "cuda"


def test_a_launched_process_takes_the_gpu_of_its_number(monkeypatch):
    """If each of the host's processes has one; else all of them stay on the CPU."""
    cpu, gpus = icicle.current_device(), [Gpu(), Gpu()]
    monkeypatch.setattr(rendezvous._icicle, "devices", lambda: [cpu, *gpus])
    for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"):
        monkeypatch.delenv(name, raising=False)
    assert rendezvous.own_device(None) == cpu
    for ranks in (("LOCAL_RANK", "LOCAL_WORLD_SIZE"), ("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE")):
        for rank, size, expected in [(0, 2, gpus[0]), (1, 2, gpus[1]), (0, 1, gpus[0]), (0, 3, cpu), (2, 3, cpu)]:
            monkeypatch.setenv(ranks[0], str(rank))
            monkeypatch.setenv(ranks[1], str(size))
            assert rendezvous.own_device(None) == expected
            assert rendezvous.own_device("cpu:1") == icicle.Device("cpu:1")
        monkeypatch.delenv(ranks[1])
        assert rendezvous.own_device(None) == cpu  # rank 2, and nobody says of how many
        monkeypatch.setenv(ranks[0], "1")
        assert rendezvous.own_device(None) == gpus[1]
        monkeypatch.delenv(ranks[0])


def test_the_example_of_all_reduce_under_mpiexec_and_torchruns_environment():
    done = mpiexec(4, EXAMPLES / "all_reduce.py")
    assert done.returncode == 0, done.stdout + done.stderr
    expected = [f"rank {rank} of 4 on cpu:0: every gradient is 10" for rank in range(4)]
    assert sorted(done.stdout.split("\n"))[-4:] == expected
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    run = lambda rank: subprocess.Popen(
        [sys.executable, EXAMPLES / "all_reduce.py"],
        env=os.environ | common | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
        stdout=subprocess.PIPE,
        text=True,
    )
    outputs = [process.communicate(timeout=120)[0] for process in [run(0), run(1)]]
    assert outputs == [f"rank {rank} of 2 on cpu:0: every gradient is 3\n" for rank in range(2)]


def test_the_documents_example():
    text = (HERE.parents[1] / "docs/COLLECTIVES.md").read_text()
    (block,) = (block.split("```")[0] for block in text.split("```python\n")[1:])
    exec(block, {})


@pytest.mark.parametrize(
    ("name", "n", "text"),
    [
        ("data_parallel.py", 1, "1 ranks: "),
        ("data_parallel.py", 4, "and one device has the same bits"),
        ("model_parallel.py", 4, "4 ranks, and 2 by 2: the divided products are those of one device"),
        ("model_parallel.py", 3, "3 ranks, and 3 by 1: the divided products are those of one device"),
        ("sharded_msm.py", 3, "3 ranks: the sum of 1023 products is that of one device"),
    ],
)
def test_examples(name, n, text):
    done = mpiexec(n, EXAMPLES / name)
    assert done.returncode == 0 and text in done.stdout, done.stdout + done.stderr
