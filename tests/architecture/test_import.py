"""What ``import minispore`` costs and what it brings along."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def output(root: Path, program: str, **environment: str) -> str:
    """What a fresh interpreter prints that runs ``program``."""
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=root,
        env=os.environ | environment,
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


def test_it_takes_less_than_a_quarter_second_of_cpu_beside_numpy(
    root: Path, tmp_path: Path
) -> None:
    program = (
        "import time, numpy, numpy.random\n"
        "start = time.process_time()\n"
        "import minispore\n"
        "print(time.process_time() - start)\n"
    )
    # Byte code is written once, as an installer does.
    cached = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}
    output(root, program, **cached)
    assert min(float(output(root, program, **cached)) for _ in range(3)) < 0.25
