"""Import of alias modules, which are created from the table when a program imports them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from operator import attrgetter
from pathlib import Path
from types import ModuleType

from minispore.foundation.alias_table import AliasedName, AliasModule, read_alias_table
from minispore.foundation.docstrings import attach_docstrings
from minispore.foundation.foreign_names import explain_attribute
from minispore.foundation.lazy_import import make_lazy_attributes

_REFERENCE = Path(__file__).parent / "reference"


class AliasFinder(MetaPathFinder):
    """Import finder for the modules of the table."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec that creates the alias module ``fullname``; None for other modules."""
        if not fullname.startswith("minispore.") or fullname not in read_alias_table():
            return None
        entry = read_alias_table()[fullname]
        return ModuleSpec(fullname, _AliasLoader(entry), is_package=entry.is_package)


class ForeignModuleFinder(MetaPathFinder):
    """Import finder that raises an error with MindSpore's counterpart of a PyTorch or Keras
    module.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> None:
        """Return None for any other module.

        Raises:
            ModuleNotFoundError: ``fullname`` is minispore's name followed by a name of PyTorch or
                Keras. The error has no ``name``, since ``from package import name`` drops errors
                that have one.
        """
        package, _, name = fullname.rpartition(".")
        hint = explain_attribute(package, name) if fullname.startswith("minispore.") else ""
        if hint:
            raise ModuleNotFoundError(f"No module named {fullname!r}.{hint}")


class _AliasLoader(Loader):
    """Loader that fills an alias module with the names of its entry."""

    def __init__(self, entry: AliasModule) -> None:
        self._entry = entry

    def exec_module(self, module: ModuleType) -> None:
        """Import the modules that define the names, and set the names in ``module``."""
        namespace, path = vars(module), self._entry.path
        module.__doc__ = f"Alias module: {self._entry.title}"
        namespace["__getattr__"], namespace["__dir__"] = make_lazy_attributes(path, {})
        # An imported submodule becomes an attribute, even in place of a function of the same name.
        # If it is imported first, the function replaces it below.
        for entry in self._entry.names:
            if f"{path}.{entry.name}" in read_alias_table():
                import_module(f"{path}.{entry.name}")
        public: set[str] = set()
        for entry in self._entry.names:
            values = _load_values(entry, path)
            namespace |= values
            public |= values.keys() if entry.is_public else set()
        if any(entry.is_public == entry.name.startswith("_") for entry in self._entry.names):
            namespace["__all__"] = sorted(public)  # differs from Python's default
        if (_REFERENCE / f"{path}.txt").exists():
            attach_docstrings(path)


def _load_values(entry: AliasedName, path: str) -> dict[str, object]:
    """Return the values of a name in the table, or of its ``*``, in the module ``path``."""
    if entry.source == path:
        return {entry.name: import_module(f"{path}.{entry.name}")}
    source = import_module(entry.source)
    if entry.name != "*":
        return {entry.name: attrgetter(entry.original)(source)}
    names = getattr(source, "__all__", [n for n in vars(source) if n[0] != "_"])
    return {name: getattr(source, name) for name in names}


def install_alias_finder() -> None:
    """Install the import finders for alias modules and foreign names.

    The former precedes Python's finders, which would take a wheel's stub folders for packages. The
    latter comes last.
    """
    if not any(isinstance(finder, AliasFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, AliasFinder())
        sys.meta_path.append(ForeignModuleFinder())


__all__ = ["AliasFinder", "install_alias_finder"]
