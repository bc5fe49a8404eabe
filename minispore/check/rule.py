"""What a rule is, and where rules come from: each file of ``rules/`` holds one."""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from minispore.check.example import construct, program
from minispore.check.source import Source

REFUSED = "refused"  # the real compiler raises
OTHER = "other"  # it compiles and gives something else than PYNATIVE_MODE
CERTAIN, LIKELY = "certain", "likely"

COMPILES, SAME, NAMES = "compiles?", "computes the same?", "names"
SINKS, FITS, NUMERICS = "sinks?", "fits, how fast?", "numerics"
SECTIONS = (COMPILES, SAME, NAMES, SINKS, FITS, NUMERICS)

Found = tuple[ast.AST, str] | ast.AST
Find = Callable[[Source], Iterator[Found]]


@dataclass(frozen=True)
class Rule:
    """One thing that the real MindSpore's graphs do otherwise.

    Args:
        name: by which ``# minispore: ok NAME`` silences it.
        says: one sentence of what the real one does.
        bad: lines that show it.
        good: the way out, in the same place.
        lax: what ``jit_syntax_level=LAX`` does: ``REFUSED``, ``OTHER`` or nothing.
        strict: what ``STRICT`` does.
        sure: ``CERTAIN`` or ``LIKELY``.
        find: gives the places in a function that went through a trace; None: seen while running.
        about: the section that it belongs to; by default the one that ``lax`` and ``strict`` say.
        around: the program in which ``bad`` and ``good`` stand.
    """

    name: str
    says: str
    bad: str
    good: str
    lax: str = ""
    strict: str = REFUSED
    sure: str = CERTAIN
    find: Find | None = None
    about: str = ""
    around: str = construct()

    def program(self, lines: str) -> str:
        """A whole script that has ``lines`` (``bad`` or ``good``) where the rule is about them."""
        return program(self.around, lines)

    @property
    def section(self) -> str:
        """The section of a report that its findings stand in."""
        return self.about or (COMPILES if (self.lax or self.strict) == REFUSED else SAME)


@functools.cache
def all_rules() -> dict[str, Rule]:
    """All rules by name, read from their files when first asked for."""
    package = f"{__package__}.rules"
    found: dict[str, Rule] = {}
    for module in sorted(_modules(package)):
        rule = importlib.import_module(module).RULE
        found[rule.name] = rule
    return found


def _modules(package: str) -> list[str]:
    path: Any = importlib.import_module(package).__path__
    names = []
    for info in pkgutil.iter_modules(path, f"{package}."):
        names += _modules(info.name) if info.ispkg else [info.name]
    return names


__all__ = [
    "CERTAIN",
    "COMPILES",
    "FITS",
    "LIKELY",
    "NAMES",
    "NUMERICS",
    "OTHER",
    "REFUSED",
    "SAME",
    "SECTIONS",
    "SINKS",
    "Find",
    "Found",
    "Rule",
    "all_rules",
]
