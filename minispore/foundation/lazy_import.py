"""Lazy imports: modules that are imported on first access to one of their names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec

from minispore.foundation.foreign_names import explain_attribute

GetAttribute = Callable[[str], object]
ListNames = Callable[[], list[str]]


def make_lazy_attributes(
    package: str, modules: Mapping[str, str], cached: bool = True
) -> tuple[GetAttribute, ListNames]:
    """Return ``__getattr__`` and ``__dir__`` for the module ``package``.

    ``modules`` maps each name to the module to import: one that defines it, or the name itself::

        __getattr__, __dir__ = make_lazy_attributes(__name__, {"mint": "minispore.mint"})

    A ``cached`` name becomes an attribute of ``package`` on first access. Submodules that have not
    been imported are attributes, too.
    """

    def load_attribute(name: str) -> object:
        """Return the attribute ``name`` of the package, after importing the module that defines it.

        Raises:
            AttributeError: neither the package nor a submodule has it.
        """
        module = sys.modules[package]
        if name not in modules:
            is_package = "__path__" in vars(module) and not name.startswith("__")
            if is_package and _has_module(f"{package}.{name}"):
                return import_module(f"{package}.{name}")  # this sets the attribute
            hint = explain_attribute(package, name)
            message = f"module {package!r} has no attribute {name!r}{hint and '.' + hint}"
            raise AttributeError(message, name=name, obj=module)
        source = import_module(modules[name])
        value = source if modules[name] == f"{package}.{name}" else getattr(source, name)
        if cached:
            setattr(module, name, value)  # the next access bypasses this function
        return value

    def list_names() -> list[str]:
        """Return all names of the package, including those not imported yet."""
        return sorted({*vars(sys.modules[package]), *modules})

    return load_attribute, list_names


def _has_module(fullname: str) -> bool:
    """Whether the module can be found; imports its parent packages."""
    try:
        return find_spec(fullname) is not None
    except ModuleNotFoundError:
        return False


__all__ = ["make_lazy_attributes"]
