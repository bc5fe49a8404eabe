"""The table of alias modules: MindSpore's import paths whose names are defined elsewhere.

``alias_table.txt`` lists the names of each path. ``alias_modules`` creates these modules on import,
and the build of the wheel writes their stubs. The build has no NumPy, so this module depends only
on Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class AliasedName:
    """A name of an alias module, or ``*``, and where it is defined."""

    name: str
    source: str  # the module that defines it
    original: str  # its name in that module, or an attribute path
    is_public: bool  # whether ``import *`` includes it


@dataclass(frozen=True)
class AliasModule:
    """An entry of the table."""

    path: str
    title: str
    names: tuple[AliasedName, ...]
    is_package: bool


@cache
def read_alias_table() -> Mapping[str, AliasModule]:
    """Return the entries of the table by full path, such as ``minispore.amp``; the table is read
    once.
    """
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).strip()
    text = text.replace("\n" + 8 * " ", " ")  # joins continued rows
    entries = [entry.splitlines() for entry in text.split("\n\n")]
    parents = {heading.split(":")[0].rpartition(".")[0] for heading, *_ in entries}
    modules = {}
    for heading, *rows in entries:
        path, title = heading.split(": ", 1)
        names = tuple(name for row in rows for name in _parse_row(row))
        modules[f"minispore.{path}"] = AliasModule(
            f"minispore.{path}", title, names, is_package=path in parents
        )
    return modules


def _parse_row(row: str) -> Iterator[AliasedName]:
    """Yield the names of a row, ``    .module: name other=name_there * (names without *)``."""
    source, names = row.strip().split(": ", 1)
    source = f"minispore{source}" if source.startswith(".") else source
    public, _, others = names.partition("(")
    for is_public, words in (True, public), (False, others.rstrip(")")):
        for word in words.split():
            name, _, original = word.partition("=")
            yield AliasedName(name, source, original or name, is_public)


def make_stub(module: AliasModule) -> str:
    """Return the stub of a module for type checkers: one import per name."""
    lines = [f'"""{module.title}"""', ""]
    for entry in module.names:
        attribute, _, inner_path = entry.original.partition(".")
        if inner_path:  # an attribute of a class, such as ``Tensor.abs``
            lines += [f"from {entry.source} import {attribute} as _{attribute}"]
            lines += [f"{entry.name} = _{entry.original}"]
        elif entry.name == "*":
            lines += [f"from {entry.source} import *"]
        else:
            lines += [f"from {entry.source} import {entry.original} as {entry.name}"]
    return "\n".join(lines) + "\n"


def write_stubs(folder: Path) -> list[Path]:
    """Write the stubs of all entries below ``folder``; return their paths."""
    paths = []
    for name, module in read_alias_table().items():
        path = folder / (
            name.replace(".", "/") + ("/__init__.pyi" if module.is_package else ".pyi")
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make_stub(module), encoding="utf-8")
        paths.append(path)
    return paths


__all__ = ["AliasModule", "AliasedName", "make_stub", "read_alias_table", "write_stubs"]
