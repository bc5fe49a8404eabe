"""Define ``Rule``, and load all rules: each file of ``rules/`` holds one."""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from minispore.check.example import fill_template, make_construct_template
from minispore.check.source import TracedFunction

REFUSED = "refused"  # MindSpore's compiler raises an error
OTHER = "other"  # MindSpore compiles it, and the result differs from PYNATIVE_MODE
CERTAIN = "certain"  # MindSpore was seen to refuse the construct, or to compute it differently
POSSIBLE = "possible"  # it depends on facts that the source does not show, or changed no result

COMPILES, SAME, NAMES = "compiles?", "computes the same?", "names"
SINKS, FITS, NUMERICS = "sinks?", "fits, how fast?", "numerics"
SECTIONS = (COMPILES, SAME, NAMES, SINKS, FITS, NUMERICS)

# The node, the name or detail concerned, and how sure it is where that is not the rule's `sure`.
RuleMatch = tuple[ast.AST, str, str] | tuple[ast.AST, str] | ast.AST
RuleFinder = Callable[[TracedFunction], Iterator[RuleMatch]]


@dataclass(frozen=True)
class Rule:
    """A construct that MindSpore's graphs refuse or compute differently, with an example and its
    fix.

    Args:
        name: the id with which ``# minispore: ok NAME`` silences the rule.
        says: short sentences that say what MindSpore does and, where it helps, what to write.
        bad: lines that show the construct.
        good: the lines to write instead.
        lax: what ``jit_syntax_level=LAX`` does: ``REFUSED``, ``OTHER`` or "" for the same.
        strict: what ``STRICT`` does.
        sure: ``CERTAIN`` or ``POSSIBLE``.
        find: yields the matches in a function that ran in a graph; None for a rule that is
            checked by other means while the script runs.
        refuses_unused: whether LAX refuses it even in a function whose result is never used.
        about: the section of the report; by default it follows from ``lax`` and ``strict``.
        around: the program template in which ``bad`` and ``good`` are inserted.
    """

    name: str
    says: str
    bad: str
    good: str
    lax: str = ""
    strict: str = REFUSED
    sure: str = CERTAIN
    find: RuleFinder | None = None
    refuses_unused: bool = True
    about: str = ""
    around: str = make_construct_template()

    def program(self, lines: str) -> str:
        """Return a whole script with ``lines`` (``bad`` or ``good``) in the rule's template."""
        return fill_template(self.around, lines)

    @property
    def section(self) -> str:
        """The section of a report that lists the rule's findings."""
        return self.about or (COMPILES if (self.lax or self.strict) == REFUSED else SAME)


@functools.cache
def all_rules() -> dict[str, Rule]:
    """Return all rules by name; the first call imports their modules, later calls return the same
    dict.
    """
    package = f"{__package__}.rules"
    rules: dict[str, Rule] = {}
    for module in sorted(_find_rule_modules(package)):
        rule = importlib.import_module(module).RULE
        rules[rule.name] = rule
    return rules


def _find_rule_modules(package: str) -> list[str]:
    """Return the full names of all modules in a package and its subpackages."""
    path: Any = importlib.import_module(package).__path__
    names = []
    for info in pkgutil.iter_modules(path, f"{package}."):
        names += _find_rule_modules(info.name) if info.ispkg else [info.name]
    return names


__all__ = [
    "CERTAIN",
    "COMPILES",
    "FITS",
    "NAMES",
    "NUMERICS",
    "OTHER",
    "POSSIBLE",
    "REFUSED",
    "SAME",
    "SECTIONS",
    "SINKS",
    "Rule",
    "RuleFinder",
    "RuleMatch",
    "all_rules",
]
