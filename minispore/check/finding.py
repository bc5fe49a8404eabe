"""Findings as data, and how they are printed: text, JSON."""

from __future__ import annotations

import ast
import json
import linecache
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace

from minispore.check.names import gone
from minispore.check.rule import OTHER, REFUSED, Rule, all_rules
from minispore.check.source import Source
from minispore.check.watch import Stale, Watch

_OK = re.compile(r"#\s*minispore:\s*ok\s+([\w, -]+)")


@dataclass(frozen=True, order=True)
class Finding:
    """One place where the real MindSpore does otherwise.

    Args:
        file, line: where.
        rule: the name of the rule.
        says: what the real one does there.
        way_out: lines that do it in a way that both take.
        lax, strict: ``"refused"``, ``"other"`` or nothing, by ``jit_syntax_level``.
        sure: ``"certain"`` or ``"likely"``.
        about: the name that it is about, if any.
    """

    file: str
    line: int
    rule: str
    says: str
    way_out: str
    lax: str
    strict: str
    sure: str
    about: str = ""


@dataclass
class Report:
    """What a check found; true if it found nothing."""

    findings: list[Finding] = field(default_factory=list)
    functions: int = 0  # that went through a graph

    def __bool__(self) -> bool:
        return not self.findings

    def verdict(self, level: str = "lax") -> str:
        """What the real one does at a level: ``"same"``, ``"other"`` or ``"refused"``."""
        said = {getattr(f, level) for f in self.findings}
        return REFUSED if REFUSED in said else OTHER if OTHER in said else "same"

    def json(self) -> str:
        """The findings, for other programs."""
        return json.dumps([asdict(f) for f in self.findings], indent=1)

    def text(self, colour: bool = False) -> str:
        """The findings, for a reader.

        >>> print(Report(functions=2).text())
        2 functions went through graphs: nothing that the real MindSpore does otherwise.
        """
        count = f"{self.functions} function{'s' * (self.functions != 1)} went through graphs"
        if not self.findings:
            return f"{count}: nothing that the real MindSpore does otherwise."
        bold, dim, end = ("\033[1m", "\033[2m", "\033[0m") if colour else ("", "", "")
        lines = []
        for f in self.findings:
            levels = ", ".join(
                f"{level} {'refuses' if said == REFUSED else 'computes otherwise'}"
                for level, said in (("LAX", f.lax), ("STRICT", f.strict))
                if said
            )
            name = os.path.relpath(f.file) if os.path.isabs(f.file) else f.file
            lines.append(f"{bold}{name}:{f.line}: {f.rule}{end} ({levels}; {f.sure})")
            lines.append(f"    {f.says}")
            if f.about:
                lines.append(f"    {dim}about: {f.about}{end}")
            shown = linecache.getline(f.file, f.line).strip()
            if shown:
                lines.append(f"    {dim}here:  {shown}{end}")
            lines += [
                f"    {dim}{'instead: ' if not i else '         '}{line}{end}"
                for i, line in enumerate(f.way_out.splitlines())
            ]
        n = len(self.findings)
        lines.append(f"{count}: {n} finding{'s' * (n != 1)}.")
        return "\n".join(lines)


def report(watch: Watch, scripts: Iterable[str] = ()) -> Report:
    """What the rules say of all that ``watch`` saw, and of the names in ``scripts``."""
    found: set[Finding] = set()
    for source in watch.sources.values():
        found.update(_of_source(source))
    for stale in watch.stale:
        found.add(_of_stale(stale))
    for script in scripts:
        found.update(_of_names(script))
    kept = [f for f in found if not _silenced(f)]
    return Report(sorted(kept), len(watch.sources))


def _of_source(source: Source) -> Iterator[Finding]:
    for rule in all_rules().values():
        for item in rule.find(source) if rule.find is not None else ():
            if source.by_jit and OTHER in (rule.lax, rule.strict):
                continue  # PYNATIVE_MODE goes through the graph here, too
            node, about = item if isinstance(item, tuple) else (item, "")
            found = _made(rule, source.file, getattr(node, "lineno", 0), about)
            if source.lenient:
                found = replace(found, strict=rule.lax)
            if found.lax or found.strict:
                yield found


def _of_names(script: str) -> Iterator[Finding]:
    try:
        tree = ast.parse("".join(linecache.getlines(script)))
    except SyntaxError:
        return
    for line, old, new in gone(tree):
        yield replace(_made(all_rules()["name-gone"], script, line, old), way_out=new)


def _of_stale(stale: Stale) -> Finding:
    return _made(all_rules()["stale"], stale.file, stale.line, f"{stale.function}: {stale.reason}")


def _made(rule: Rule, file: str, line: int, about: str) -> Finding:
    return Finding(
        file, line, rule.name, rule.says, rule.good, rule.lax, rule.strict, rule.sure, about
    )


def _silenced(finding: Finding) -> bool:
    said = _OK.search(linecache.getline(finding.file, finding.line))
    return said is not None and finding.rule in _words(said.group(1))


def _words(text: str) -> Iterable[str]:
    return [w.strip() for part in text.split(",") for w in part.split()]


__all__ = ["Finding", "Report", "report"]
