"""What ``import minispore`` costs and what it brings along."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def output(root: Path, program: str) -> str:
    """What a fresh interpreter prints that runs ``program``."""
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_only_numpy_tqdm_and_the_standard_library_are_imported(root: Path) -> None:
    foreign = output(
        root,
        "import sys, numpy.random, tqdm\n"
        "before = set(sys.modules)\n"
        "import minispore\n"
        "names = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "known = {*sys.stdlib_module_names, 'numpy', 'tqdm', 'minispore', '__mp_main__'}\n"
        "print(*sorted(names - known))\n",
    )
    assert foreign.split() == []


def test_it_makes_fewer_than_250_000_calls(root: Path) -> None:
    """A count does not depend on the load of the machine; 200,000 calls take about a quarter of a
    second. From Python 3.12 on the standard library makes more of them.
    """
    calls = output(
        root,
        "import sys, numpy.random, tqdm\n"
        "calls = 0\n"
        "def count(frame, event, arg):\n"
        "    global calls\n"
        "    calls += event in ('call', 'c_call')\n"
        "sys.setprofile(count)\n"
        "import minispore\n"
        "sys.setprofile(None)\n"
        "print(calls)\n",
    )
    most = 250_000 if sys.version_info < (3, 12) else 275_000
    assert 100_000 < int(calls) < most
