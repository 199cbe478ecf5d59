"""What `python -m icicle` prints, in the process, with times that are given."""

import io
import json
import platform
import re
import sys

import pytest

import icicle
import icicle.__main__
import icicle.bench
import icicle.info

main = icicle.__main__.main


@pytest.fixture
def fixed_times(monkeypatch):
    """Every case is run once, and takes 2.5 ms in the median of 4 runs."""
    monkeypatch.setattr(icicle.bench, "measure", lambda device, run: (run(), (2.5, 4))[1])


def test_the_table(fixed_times, capsys):
    assert main(["bench", "--log-n", "12", "13", "--devices", "cpu:1,cpu:2", "--curve", "grumpkin"]) == 0
    assert capsys.readouterr() == (
        "device    operation                  n          ms  M elements/s\n"
        "cpu:1     msm grumpkin            2^12       2.500          1.64\n"
        "cpu:1     ntt babybear            2^12       2.500          1.64\n"
        "cpu:1     msm grumpkin            2^13       2.500          3.28\n"
        "cpu:1     ntt babybear            2^13       2.500          3.28\n"
        "cpu:2     msm grumpkin            2^12       2.500          1.64\n"
        "cpu:2     ntt babybear            2^12       2.500          1.64\n"
        "cpu:2     msm grumpkin            2^13       2.500          3.28\n"
        "cpu:2     ntt babybear            2^13       2.500          3.28\n",
        "",
    )


def test_the_table_as_json(fixed_times, capsys):
    assert main(["bench", "--log-n", "0", "0", "--devices", "cpu:3", "--field", "koalabear", "--json"]) == 0
    assert capsys.readouterr().out == "[\n" + ",\n".join(
        "  {\n"
        '    "device": "cpu:3",\n'
        f'    "operation": "{operation}",\n'
        '    "log_n": 0,\n'
        '    "ms": 2.5,\n'
        '    "runs": 4\n'
        "  }"
        for operation in ("msm bn254", "ntt bn254", "ntt koalabear")
    ) + "\n]\n"  # fmt: skip


def test_what_is_measured_unless_told(fixed_times, capsys):
    assert main(["bench", "--json"]) == 0
    rows = [(row["device"], row["operation"], row["log_n"]) for row in json.loads(capsys.readouterr().out)]
    operations = ("msm bn254", "ntt bn254", "ntt babybear")
    assert rows == [(str(d), name, n) for d in icicle.devices() for n in range(10, 17) for name in operations]


def test_fields_without_transforms_are_left_out():
    cases = [name for name, _ in icicle.bench.cases(icicle.Device("cpu"), 2, "grumpkin", "m31")]
    assert cases == ["msm grumpkin"]


def test_the_progress_bar(fixed_times, monkeypatch, capsys):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    assert main(["bench", "--log-n", "3", "4", "--devices", "cpu:1", "--curve", "grumpkin"]) == 0
    none, half, full = " " * 40, "#" * 20 + " " * 20, "#" * 40
    assert sys.stderr.getvalue() == (
        f"\r[{none}] cpu:1 msm grumpkin 2^3                  "
        f"\r[{none}] cpu:1 ntt babybear 2^3                  "
        f"\r[{half}]                                         "
        f"\r[{half}] cpu:1 msm grumpkin 2^4                  "
        f"\r[{half}] cpu:1 ntt babybear 2^4                  "
        f"\r[{full}]                                         "
        f"\r{' ' * 84}\r"
    )
    assert len(capsys.readouterr().out.splitlines()) == 5


@pytest.mark.parametrize(
    "options, runs, median",
    [
        ({"seconds": 0.02, "least": 3}, [(9, 9.002), (9.002, 9.006), (9.006, 9.009), 9.0125, (9.02, 9.025), 9.02], 3.5),
        ({"seconds": 0.001, "least": 2}, [(9, 9.002), (9.002, 9.006), 9.1], 3),
        ({}, [(9, 9.1), (9.1, 9.2), (9.2, 9.25), 9.29, (9.29, 9.31), 9.31], 75),
        ({}, [(9, 10), (10, 12), (12, 13), 13], 1000),
    ],
)
def test_medians_of_runs(options, runs, median, monkeypatch):
    """Starts and ends of runs, and the times at which the clock is asked whether to go on."""
    clock = [0, 9, 9] + [t for run in runs for t in (run if isinstance(run, tuple) else (run,))]
    monkeypatch.setattr(icicle.bench.time, "perf_counter", lambda: clock.pop(0))
    ms, count = icicle.bench.measure(icicle.Device("cpu"), lambda: None, **options)
    assert (round(ms, 6), count, clock) == (median, sum(isinstance(run, tuple) for run in runs), [])


def test_bench_refuses(capsys):
    names = f"{', '.join(icicle.curves.CURVES)} and {', '.join(icicle.fields.FAMILIES)}"
    for arguments, text in (
        (["--curve", "secp"], f"curve secp, field babybear: must be of {names}"),
        (["--field", "secp"], f"curve bn254, field secp: must be of {names}"),
        (["--devices", "cpu:1,cpu:9"], "device: cpu:9: there are 4 CPU devices"),
    ):
        assert main(["bench", "--log-n", "3", "3", *arguments]) == 1
        assert capsys.readouterr() == ("", f"error: {text}\n")


def test_usage(capsys):
    for arguments, text in (
        ([], "python -m icicle: error: the following arguments are required: command"),
        (["bench", "--log-n", "-1", "3"], "python -m icicle bench: error: argument --log-n: -1: must be 0 to 40"),
        (["bench", "--log-n", "3", "41"], "python -m icicle bench: error: argument --log-n: 41: must be 0 to 40"),
    ):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2 and capsys.readouterr().err.splitlines()[-1] == text
    assert icicle.bench.exponent("0") == 0 and icicle.bench.exponent("40") == 40
    texts = {}
    for arguments in (["--help"], ["info", "--help"], ["bench", "--help"]):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 0
        texts[arguments[0]] = re.split(r"\n\n?|  +", capsys.readouterr().out)
    assert {"What icicle finds here, and how fast it is.", "{info,bench}", "--version"} <= set(texts["--help"])
    assert {"devices, libraries and build", "times of MSM and NTT on every device"} <= set(texts["--help"])
    assert texts["--help"][0] == "usage: python -m icicle [-h] [--version] {info,bench} ..."
    assert {"--json", "print JSON"} <= set(texts["info"]) and {"--json", "print JSON"} <= set(texts["bench"])
    assert {"--devices DEVICES", "such as cpu:0,cuda:0; all if left out"} <= set(texts["bench"])
    assert {"--log-n FROM TO", "sizes 2^FROM to 2^TO"} <= set(texts["bench"])
    assert {"--curve CURVE", "curve of the MSM and field of its scalars"} <= set(texts["bench"])
    assert {"--field FIELD", "family of the NTT over a small field"} <= set(texts["bench"])
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"icicle {icicle.__version__}\n"


FACTS = {
    "build": {"version": "1.2.3", "fields": 24},
    "devices": [{"device": "cpu:0", "name": "a processor", "units": 8}, {"device": "cuda:0", "name": "a GPU"}],
    "links": {"cpu:0 to cuda:0": "host, 55.4 GB/s"},
    "libraries": {"CUDA driver": None, "another": "no such file"},
}


def test_info_as_text(monkeypatch, capsys):
    monkeypatch.setattr(icicle.info, "facts", lambda: json.loads(json.dumps(FACTS)))
    assert main(["info"]) == 0
    assert capsys.readouterr().out == (
        "version     1.2.3\n"
        "fields      24\n"
        "\n"
        "cpu:0\n"
        "  name                      a processor\n"
        "  units                     8\n"
        "\n"
        "cuda:0\n"
        "  name                      a GPU\n"
        "\n"
        "links\n"
        "  cpu:0 to cuda:0           host, 55.4 GB/s\n"
        "\n"
        "CUDA driver found\n"
        "another     no such file\n"
    )
    assert main(["info", "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out) == FACTS and out.startswith('{\n  "build": {\n    "version": "1.2.3",\n')


def test_facts():
    facts = icicle.info.facts()
    assert list(facts) == ["build", "devices", "links", "libraries"] and list(facts["libraries"]) == ["CUDA driver"]
    assert not any(link.startswith("same memory") for link in facts["links"].values())
    build = facts["build"]
    assert list(build) == ["version", "python", "platform", "module", "fields", "curves", "operations"]
    assert (build["version"], build["python"]) == (icicle.version(), platform.python_version())
    assert build["platform"] == platform.platform() and build["module"] == icicle._icicle.__file__
    assert (build["fields"], build["curves"]) == (len(icicle.fields.FIELDS), len(icicle.curves.CURVES))
    assert build["operations"] == len(icicle.operations())
    for i, one in enumerate(facts["devices"][:4]):
        device = icicle.Device(("cpu", i))
        names = ["device", "name", "units", "total_memory", "free_memory", "supports_ntt", "supports_msm"]
        assert list(one)[:7] == names and list(one)[7:] == list(device.info.facts)
        assert (one["device"], one["name"], one["units"]) == (f"cpu:{i}", device.info.name, device.info.units)
        assert one["total_memory"] == device.info.total_memory and 0 < one["free_memory"] <= one["total_memory"]
        assert one["supports_ntt"] is one["supports_msm"] is True and one["architecture"] == platform.machine()
