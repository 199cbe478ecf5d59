"""Programs and types: the command line, examples, doctests, stubs."""

import doctest
import importlib
import json
import os
import pkgutil
import runpy
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

import icicle
import icicle.bench
import icicle.xp

ROOT = Path(__file__).parents[2]
MODULES = [name for _, name, _ in pkgutil.iter_modules(icicle.__path__) if name not in ("__main__", "_icicle")]
MODULES += [f"xp.{name}" for _, name, _ in pkgutil.iter_modules(icicle.xp.__path__)]


def run(*arguments, **environment):
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, cwd="/")


@pytest.mark.parametrize("name", ["__init__", *MODULES])
def test_examples_in_documentation(name):
    module = icicle if name == "__init__" else importlib.import_module(f"icicle.{name}")
    assert module.__doc__
    assert doctest.testmod(module).failed == 0


def test_doctests_are_found():
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [
        test for name in MODULES for test in finder.find(importlib.import_module(f"icicle.{name}")) if test.examples
    ]
    assert len(found) >= 10


def test_info():
    done = run("-m", "icicle", "info", "--json", ICICLE_CPU_DEVICES="2")
    facts = json.loads(done.stdout)
    assert [one["device"] for one in facts["devices"]][:2] == ["cpu:0", "cpu:1"]
    assert facts["build"]["version"] == icicle.__version__ and facts["build"]["fields"] == len(icicle.fields.FIELDS)
    reason = facts["libraries"]["CUDA driver"]
    assert reason is None or "libcuda" in reason
    text = run("-m", "icicle", "info", ICICLE_CPU_DEVICES="2").stdout
    assert "cpu:1" in text and "CUDA driver" in text


def test_version():
    from importlib.metadata import version

    done = run("-m", "icicle", "--version")
    assert done.returncode == 0 and done.stdout == f"icicle {icicle.__version__}\n"
    assert version("icicle-compute") == icicle.__version__ == icicle.version()


def test_bench():
    done = run("-m", "icicle", "bench", "--json", "--log-n", 4, 5, "--devices", "cpu:1", ICICLE_CPU_DEVICES="2")
    rows = json.loads(done.stdout)
    assert {row["operation"] for row in rows} == {"msm bn254", "ntt bn254", "ntt babybear"}
    assert {row["log_n"] for row in rows} == {4, 5} and {row["device"] for row in rows} == {"cpu:1"}
    assert all(0 < row["ms"] < 10_000 and row["runs"] >= 3 for row in rows)
    text = run("-m", "icicle", "bench", "--log-n", 3, 3, "--curve", "grumpkin").stdout
    assert "msm grumpkin" in text and "ntt grumpkin" not in text
    for line in text.splitlines()[1:]:
        *_, size, ms, rate = line.split()
        assert size == "2^3" and abs(float(rate) - 8 / float(ms) / 1e3) <= 0.005 + float(rate) * 0.0005 / float(ms)
    for bad in (["--devices", "cpu:9"], ["--curve", "secp"]):
        done = run("-m", "icicle", "bench", "--log-n", 3, 3, *bad)
        assert done.returncode == 1 and done.stderr.startswith("error: ") and "Traceback" not in done.stderr
    for bad in (["--log-n", -1, 3], ["--log-n", 3, 99], ["--log-n", "a", 3], ["--devices"]):
        done = run("-m", "icicle", "bench", *bad)
        assert done.returncode == 2 and "Traceback" not in done.stderr and not done.stdout


def test_measurements():
    ran = []

    def work():
        ran.append(len(ran))
        time.sleep(0.2 if len(ran) == 1 else 0.01)

    ms, runs = icicle.bench.measure(icicle.Device("cpu"), work, seconds=0.05, least=2)
    assert 10 <= ms < 100 and 2 <= runs <= 5 and len(ran) == runs + 1, "the first run does not count"
    assert icicle.bench.measure(icicle.Device("cpu"), lambda: None, seconds=0, least=7)[1] == 7


def setup_file():
    """The trusted setup that eth-account ships, another source than tests/vectors."""
    found = find_spec("eth_account")
    folder = Path(found.origin).parent if found else None
    return folder / "typed_transactions/blob_transactions/kzg_trusted_setup.txt"


def test_both_sources_of_the_setup_agree():
    points = setup_file().read_text().split()[2 : 2 + 4096]
    assert bytes.fromhex("".join(points)) == (ROOT / "tests/vectors/kzg/g1_lagrange.bin").read_bytes()


def test_kzg_blobs_on_several_devices():
    script = ROOT / "python/examples/kzg_blobs.py"
    assert len(script.read_text().splitlines()) <= 70
    done = run(script, setup_file(), 5, ICICLE_CPU_DEVICES="3")
    assert done.returncode == 0, done.stderr
    assert "5 of 5 commitments and 5 of 5 extensions agree with c-kzg" in done.stdout
    counts = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("cpu:")]
    assert len(counts) == 3 and sum(counts) == 5


def test_examples_refuse_bad_arguments(tmp_path):
    for script, *arguments in (
        ["kzg_blobs.py"],
        ["kzg_blobs.py", setup_file(), 0],
        ["kzg_blobs.py", setup_file(), -1],
        ["kzg_blobs.py", setup_file(), 10**9],
        ["kzg_blobs.py", setup_file(), "many"],
        ["kzg_blobs.py", tmp_path / "nothing"],
        ["plot.py"],
        ["plot.py", tmp_path / "x.png", "--log-n", -1, 4],
        ["plot.py", tmp_path / "x.png", "--curve", "secp"],
    ):
        done = run(ROOT / "python/examples" / script, *arguments)
        assert done.returncode == 2 and "usage:" in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_the_example_tells_wrong_results(monkeypatch, capsys):
    module = runpy.run_path(str(ROOT / "python/examples/kzg_blobs.py"))
    monkeypatch.setattr("ckzg.blob_to_kzg_commitment", lambda blob, setup: bytes(48))
    monkeypatch.setattr("ckzg.compute_cells", lambda blob, setup: [bytes(2048)] * 128)
    assert module["main"](setup_file(), 1) is True, "the exit status"
    assert "0 of 1 commitments and 0 of 1 extensions agree" in capsys.readouterr().out


def test_plot(tmp_path, monkeypatch):
    from matplotlib import pyplot

    output = tmp_path / "times.png"
    monkeypatch.setattr(icicle.bench, "measure", lambda device, call: (call(), (1 + device.index, 3))[1])
    runpy.run_path(str(ROOT / "python/examples/plot.py"))["main"]([str(output), "--log-n", "3", "5"])
    drawn = {
        (axis.get_title(), line.get_label()): (list(line.get_xdata()), list(line.get_ydata()))
        for axis in pyplot.gcf().axes
        for line in axis.lines
    }
    devices = [device for device in icicle.devices() if device.kind == "cpu"]
    expected = {
        (title, f"{device} {operation}"): ([8, 16, 32], [1 + device.index] * 3)
        for device in devices
        for title, operation in (("MSM", "msm bn254"), ("NTT", "ntt bn254"), ("NTT", "ntt babybear"))
    }
    assert {key: drawn.get(key) for key in expected} == expected
    assert output.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and output.stat().st_size > 10_000


def test_stubs_match_the_module():
    done = run("-m", "mypy.stubtest", "icicle._icicle", MYPYPATH=str(ROOT / "python"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_types(tmp_path):
    settings = ["--config-file", ROOT / "python/pyproject.toml", "--cache-dir", tmp_path]
    done = run("-m", "mypy", *settings, ROOT / "python/icicle")
    assert done.returncode == 0, done.stdout
