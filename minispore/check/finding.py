"""Findings as data, and how they are printed: text, JSON."""

from __future__ import annotations

import ast
import json
import linecache
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace

from minispore.check.folding import left_out
from minispore.check.names import gone
from minispore.check.rule import COMPILES, OTHER, REFUSED, SECTIONS, Rule, all_rules
from minispore.check.sinks import Told
from minispore.check.source import Source
from minispore.check.versions import VERSIONS
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
        section: the section of a report that it stands in.
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
    section: str = COMPILES

    def levels(self) -> str:
        """Which levels of graphs it is about, and what they do; nothing if it is not of graphs."""
        done = {REFUSED: "refuses", OTHER: "computes otherwise"}
        said = (("LAX", self.lax), ("STRICT", self.strict))
        return ", ".join(f"{level} {done[what]}" for level, what in said if what)


@dataclass
class Report:
    """What a check found; true if it found nothing.

    Args:
        findings: the places where the real one does otherwise, or where a training goes wrong.
        functions: how many went through a graph.
        lines: what else there is to say, by section; those of a script alone.
        title: what was checked, of a script.
        bars: of each training step the ways to run it, and milliseconds.
    """

    findings: list[Finding] = field(default_factory=list)
    functions: int = 0
    lines: dict[str, list[str]] = field(default_factory=dict)
    title: str = ""
    bars: list[tuple[str, list[tuple[str, float]]]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not self.findings

    def verdict(self, level: str = "lax") -> str:
        """What the real one does at a level: ``"same"``, ``"other"`` or ``"refused"``."""
        said = {getattr(f, level) for f in self.findings}
        return REFUSED if REFUSED in said else OTHER if OTHER in said else "same"

    def json(self) -> str:
        """All of it, for other programs."""
        found = {
            "title": self.title,
            "functions": self.functions,
            "findings": [asdict(f) for f in self.findings],
            "sections": {name: self.lines.get(name, []) for name in SECTIONS},
            "ms_a_step": {where: dict(ways) for where, ways in self.bars},
        }
        return json.dumps(found, indent=1)

    def without_strict(self) -> Report:
        """The same but for what STRICT alone does otherwise."""
        return replace(self, findings=[f for f in self.findings if f.lax or not f.strict])

    def text(self, colour: bool = False) -> str:
        """The findings, for a reader.

        >>> print(Report(functions=2).text())
        2 functions went through graphs: nothing that the real MindSpore does otherwise.
        """
        return self._sections(colour) if self.lines else self._plain(colour)

    def _plain(self, colour: bool) -> str:
        if not self.findings:
            return f"{self.counted()}: nothing that the real MindSpore does otherwise."
        lines = [line for f in self.findings for line in _shown(f, colour)]
        return "\n".join([*lines, f"{self.counted()}: {numbered(self.findings)}."])

    def _sections(self, colour: bool) -> str:
        bold, end = ("\033[1m", "\033[0m") if colour else ("", "")
        lines = [f"{bold}{self.title}{end}"]
        for name in SECTIONS:
            mine = [f for f in self.findings if f.section == name]
            lines.append(f"{bold}{name}{end} {numbered(mine)}")
            lines += [f"  {line}" for f in mine for line in _shown(f, colour)]
            lines += [f"  {line}" for line in self.lines.get(name, [])]
        return "\n".join([*lines, f"{bold}{numbered(self.findings)}{end}"])

    def counted(self) -> str:
        """How many functions went through graphs."""
        return f"{self.functions} function{'s' * (self.functions != 1)} went through graphs"


def numbered(findings: list[Finding]) -> str:
    n = len(findings)
    return f"{n} finding{'s' * (n != 1)}"


def _shown(f: Finding, colour: bool) -> Iterator[str]:
    bold, dim, end = ("\033[1m", "\033[2m", "\033[0m") if colour else ("", "", "")
    name = os.path.relpath(f.file) if os.path.isabs(f.file) else f.file
    said = f"{f.levels()}; {f.sure}".removeprefix("; ")
    yield f"{bold}{name}:{f.line}: {f.rule}{end} ({said})"
    yield f"    {f.says}"
    if f.about:
        yield f"    {dim}about: {f.about}{end}"
    shown = linecache.getline(f.file, f.line).strip()
    if shown:
        yield f"    {dim}here:  {shown}{end}"
    for i, line in enumerate(f.way_out.splitlines()):
        yield f"    {dim}{'         ' if i else 'instead: '}{line}{end}"


def report(
    watch: Watch,
    scripts: Iterable[str] = (),
    told: Iterable[Told] = (),
    version: str = VERSIONS[-1],
) -> Report:
    """What the rules say of all that ``watch`` saw, of the names in ``scripts``, and of what was
    ``told``.
    """
    found = {_made(all_rules()[rule], file, line, about) for rule, file, line, about in told}
    for source in watch.sources.values():
        found.update(_of_source(source))
    for stale in watch.stale:
        found.add(_of_stale(stale))
    found.update(_made(all_rules()[rule], file, line, "") for rule, file, line in watch.called)
    for script in scripts:
        found.update(_of_names(script, version))
    kept = [f for f in found if not _silenced(f)]
    return Report(sorted(kept), len(watch.sources))


def _of_source(source: Source) -> Iterator[Finding]:
    for rule in all_rules().values():
        for item in rule.find(source) if rule.find is not None else ():
            if source.by_jit and OTHER in (rule.lax, rule.strict):
                continue  # PYNATIVE_MODE goes through the graph here, too
            node, about = item if isinstance(item, tuple) else (item, "")
            if left_out(source, node):
                continue
            found = _made(rule, source.file, getattr(node, "lineno", 0), about)
            if source.lenient:
                found = replace(found, strict=rule.lax)
            if found.lax or found.strict:
                yield found


def _of_names(script: str, version: str) -> Iterator[Finding]:
    try:
        tree = ast.parse("".join(linecache.getlines(script)))
    except SyntaxError:
        return
    for line, old, new in gone(tree, version):
        yield replace(_made(all_rules()["name-gone"], script, line, old), way_out=new)


def _of_stale(stale: Stale) -> Finding:
    return _made(all_rules()["stale"], stale.file, stale.line, f"{stale.function}: {stale.reason}")


def _made(rule: Rule, file: str, line: int, about: str) -> Finding:
    return Finding(
        file, line, rule.name, rule.says, rule.good, rule.lax, rule.strict, rule.sure, about,
        rule.section,
    )  # fmt: skip


def _silenced(finding: Finding) -> bool:
    said = _OK.search(linecache.getline(finding.file, finding.line))
    return said is not None and finding.rule in _words(said.group(1))


def _words(text: str) -> Iterable[str]:
    return [w.strip() for part in text.split(",") for w in part.split()]


__all__ = ["Finding", "Report", "report"]
