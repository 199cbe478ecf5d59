"""Four virtual CPU devices, so that everything that spans devices is tested anywhere."""

import os

os.environ["ICICLE_CPU_DEVICES"] = "4"

import random

import pytest

import icicle


@pytest.fixture
def rng():
    """Random numbers, the same ones every time."""
    return random.Random(20240607)


@pytest.fixture(params=icicle.fields.FIELDS.values(), ids=str)
def field(request):
    """Every field of the registry."""
    return request.param


@pytest.fixture(params=icicle.curves.CURVES.values(), ids=lambda curve: curve.name)
def curve(request):
    """Every curve group of the registry."""
    return request.param


def pytest_terminal_summary(terminalreporter, config):
    """Close with the line that the other suites' runner counts."""
    stats = terminalreporter.stats
    passed, failed = (len(stats.get(name, [])) for name in ("passed", "failed"))
    failed += len(stats.get("error", []))
    terminalreporter.write_line(f"test result: {passed} passed; {failed} failed")
