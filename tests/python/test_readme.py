"""The READMEs' Python, as who copies it runs it: each block word for word, in an interpreter of its own, elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [
    pytest.param(block, id=f"{name}:{number}")
    for name in ("README.md", "python/README.md")
    for number, block in enumerate(FENCE.findall((ROOT / name).read_text()), start=1)
]


def run(folder, code):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ICICLE_", "PYTHONPATH"))}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=300)


def test_blocks_are_found():
    assert [
        sum(block.id.startswith(name) for block in BLOCKS) >= least for name, least in (("README", 1), ("python/", 4))
    ]


@pytest.mark.parametrize("block", BLOCKS)
def test_block(tmp_path, block):
    done = run(tmp_path, block)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    # What a comment says is printed is printed.
    for line in block.splitlines():
        promised = re.search(r"print\(.*\)  # (.+)$", line)
        assert not promised or promised[1] in done.stdout, f"{promised[1]!r} is not in {done.stdout!r}"


def test_the_first_example_of_the_project_prints_points(tmp_path):
    block = FENCE.findall((ROOT / "README.md").read_text())[0]
    lines = run(tmp_path, block).stdout.splitlines()
    assert lines and all(
        re.match(r"\w+:\d+ <PointArray \(\d+, \d+\), bn254 projective, \w+:\d+>$", line) for line in lines
    ), lines
