"""Build hook of the wheel: writes the stubs of the alias modules, which no file holds."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class AliasStubs(BuildHookInterface):
    """Adds one stub for each entry of the alias table."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the stubs to a temporary folder, from which the wheel takes them."""
        if version == "editable":
            return
        self._folder = TemporaryDirectory()
        folder = Path(self._folder.name)
        for stub in _load_alias_table(Path(self.root)).write_stubs(folder):
            build_data["force_include"][str(stub)] = stub.relative_to(folder).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if version != "editable":
            self._folder.cleanup()


def _load_alias_table(root: Path) -> ModuleType:
    """Import the table's module by its file: the package itself needs NumPy."""
    path = root / "minispore" / "foundation" / "alias_table.py"
    spec = importlib.util.spec_from_file_location("alias_table", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["alias_table"] = module  # its dataclasses look it up
    spec.loader.exec_module(module)
    return module
