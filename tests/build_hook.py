"""Build hook of the wheel and the source archive, which hold files that git does not.

The reference's docstrings and stubs (``make reference``) are written here if they are not current.
A wheel has a stub of each alias module, too. An editable installation gets none of them.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

REFERENCE = Path("minispore", "foundation", "reference")
#: The folders of what the reference is made of.
SOURCES = ("minispore", "tests/reference", "tests/typing", "tests/ops/samples", "tests/golden")


class GeneratedFiles(BuildHookInterface):
    """Adds the generated files to what hatchling builds."""

    def dependencies(self) -> list[str]:
        """Return what the package needs to write its reference, for whoever installs it."""
        is_editable = "get_requires_for_build_editable" in sys.argv  # as pip calls the backend
        if is_editable or self._is_reference_current():
            return []
        return ["numpy>=1.26", "tqdm", "Pillow", "ml_dtypes"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write what is missing, and tell hatchling where the stubs of a wheel are."""
        if version == "editable":
            return
        if not self._is_reference_current():
            subprocess.run(
                [sys.executable, "-W", "ignore", "-m", "tests.reference"],
                cwd=self.root, env={**os.environ, "PYTHONPATH": self.root}, check=True,
            )  # fmt: skip
        if self.target_name != "wheel":
            return
        self._folder = TemporaryDirectory()
        for folder, stubs in (
            (Path(self._folder.name), _load_alias_table(Path(self.root)).write_stubs),
            (Path(self.root) / REFERENCE / "stubs", lambda folder: folder.rglob("*.pyi")),
        ):
            for stub in stubs(folder):
                build_data["force_include"][str(stub)] = stub.relative_to(folder).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()

    def _is_reference_current(self) -> bool:
        """Whether the generated files are there, and no source is younger."""
        root = Path(self.root)
        last_written = root / REFERENCE / "stubs" / "minispore" / "core" / "tensor_methods.pyi"
        sources = [*root.glob("tests/reference/**/*.txt")]
        for folder in SOURCES:
            sources += root.glob(f"{folder}/**/*.py")
        return last_written.exists() and all(
            source.stat().st_mtime <= last_written.stat().st_mtime for source in sources
        )


def _load_alias_table(root: Path) -> ModuleType:
    """Import the table's module by its file: the package itself needs NumPy."""
    path = root / "minispore" / "foundation" / "alias_table.py"
    spec = importlib.util.spec_from_file_location("alias_table", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["alias_table"] = module  # its dataclasses look it up
    spec.loader.exec_module(module)
    return module
