"""Collect findings into a report, and format it as text or JSON."""

from __future__ import annotations

import ast
import json
import linecache
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace

from minispore.check.dataflow.folding import is_in_untaken_branch
from minispore.check.dataflow.liveness import (
    Liveness,
    assume_branches_of_run,
    decide_as_parser,
    has_effect,
    is_folded_away,
    is_result_dropped,
)
from minispore.check.names import find_missing_names
from minispore.check.rule import (
    CERTAIN,
    COMPILES,
    OTHER,
    POSSIBLE,
    REFUSED,
    SECTIONS,
    Rule,
    RuleMatch,
    all_rules,
)
from minispore.check.sinks import RawFinding
from minispore.check.source import TracedFunction, parse_file
from minispore.check.versions import VERSIONS
from minispore.check.watch import StaleCall, Watch

ALL_WELL = "as far as a run here tells, a real Ascend does what it does here"
_UNSEEN = "no result of this run depends on it"
_SILENCING_COMMENT = re.compile(r"#\s*minispore:\s*ok\s+([\w, -]+)")


@dataclass(frozen=True, order=True)
class Finding:
    """One place where MindSpore would behave differently, or where a training goes wrong.

    Args:
        file, line: the location.
        rule: the name of the rule.
        says: what MindSpore does at this place.
        way_out: lines to write instead, which MindSpore accepts, too.
        lax, strict: ``"refused"``, ``"other"`` or nothing, by ``jit_syntax_level``.
        sure: ``"certain"`` or ``"possible"``.
        about: the name or detail concerned, if any.
        section: the section of the report that lists the finding.
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

    @property
    def example(self) -> str:
        """The lines of the rule's example that ``way_out`` replaces; "" if ``way_out`` is specific
        to this place.
        """
        rule = all_rules()[self.rule]
        return rule.bad if self.way_out == rule.good else ""

    def levels(self) -> str:
        """Return what LAX and STRICT do, such as "LAX refuses"; "" for a finding that is not about
        graphs.
        """
        verbs = {REFUSED: "refuses", OTHER: "computes otherwise"}
        verdicts = (("LAX", self.lax), ("STRICT", self.strict))
        return ", ".join(f"{level} {verbs[verdict]}" for level, verdict in verdicts if verdict)


@dataclass
class Report:
    """The result of a check; true if there are no certain findings.

    Args:
        findings: the places where MindSpore would behave differently, or a training goes wrong.
            Certain findings count; possible findings are listed separately.
        functions: the number of functions that went through a graph.
        lines: further lines by section, in the report of a script.
        title: the script, the version of MindSpore and the device, in the report of a script.
        notes: sentences about the run itself, such as that it was shortened.
        failed: whether the script raised an error, so the rest of it was not checked.
        bars: for each training the milliseconds of a step in each execution mode.
    """

    findings: list[Finding] = field(default_factory=list)
    functions: int = 0
    lines: dict[str, list[str]] = field(default_factory=dict)
    title: str = ""
    notes: list[str] = field(default_factory=list)
    failed: bool = False
    bars: list[tuple[str, list[tuple[str, float]]]] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Whether there are no certain findings."""
        return not self.certain

    @property
    def certain(self) -> list[Finding]:
        """The findings of constructs that MindSpore was seen to refuse or compute differently."""
        return [f for f in self.findings if f.sure == CERTAIN]

    @property
    def possible(self) -> list[Finding]:
        """The findings that depend on facts that neither the source nor this run shows."""
        return [f for f in self.findings if f.sure == POSSIBLE]

    def verdict(self, level: str = "lax") -> str:
        """Return what MindSpore does at a level: ``"same"``, ``"other"`` or ``"refused"``."""
        verdicts = {getattr(f, level) for f in self.certain}
        return next((v for v in (REFUSED, OTHER) if v in verdicts), "same")

    def json(self) -> str:
        """Return the complete report as JSON text for other programs."""
        data = {
            "title": self.title,
            "notes": self.notes,
            "functions": self.functions,
            "findings": [asdict(f) for f in self.findings],
            "sections": {name: self.lines.get(name, []) for name in SECTIONS},
            "ms_a_step": {location: dict(modes) for location, modes in self.bars},
        }
        return json.dumps(data, indent=1)

    def without_strict(self) -> Report:
        """Return a copy without the findings that apply to ``jit_syntax_level=STRICT`` alone."""
        return replace(self, findings=[f for f in self.findings if f.lax or not f.strict])

    def text(self, colour: bool = False) -> str:
        """Return the report as readable text, with ANSI bold and dim if ``colour`` is set.

        >>> print(Report(functions=2).text())
        2 functions went through graphs: nothing that the real MindSpore does otherwise.
        """
        return self._format_sections(colour) if self.lines else self._format_findings(colour)

    def _format_findings(self, colour: bool) -> str:
        """Return the findings and a line that counts functions and findings."""
        if not self.findings:
            return (
                f"{self.format_function_count()}: nothing that the real MindSpore does otherwise."
            )
        lines = [line for f in self.findings for line in _format_finding(f, colour)]
        return "\n".join([*lines, f"{self.format_function_count()}: {self.format_counts()}."])

    def _format_sections(self, colour: bool) -> str:
        """Return the text of a script's report: each section with its findings and lines.

        A section without findings and lines is left out; possible findings follow after all
        sections.
        """
        bold, end = ("\033[1m", "\033[0m") if colour else ("", "")
        lines = [f"{bold}{self.title}{end}", f"{bold}{self.summary()}{end}", *self.notes]
        for name in SECTIONS:
            findings = [f for f in self.certain if f.section == name]
            details = [line for f in findings for line in _format_finding(f, colour)]
            details += self.lines.get(name, [])
            if details:
                count = f" {format_count(len(findings), 'finding')}" if findings else ""
                lines += [f"{bold}{name}{end}{count}", *(f"  {line}" for line in details)]
        if self.possible:
            count = format_count(len(self.possible), "finding")
            lines.append(f"{bold}possible{end} {count}")
            lines += [f"  {line}" for f in self.possible for line in _format_finding(f, colour)]
        return "\n".join(lines)

    def summary(self) -> str:
        """Return one line: that there are no findings, or how many there are."""
        if self.failed:
            return ", ".join(filter(None, ["the script failed", self.format_counts()]))
        return self.format_counts() or ALL_WELL

    def format_counts(self) -> str:
        """Return the numbers of certain and possible findings as text."""
        certain = format_count(len(self.certain), "finding") if self.certain else ""
        possible = f"{len(self.possible)} possible" if self.possible else ""
        return ", ".join(filter(None, [certain, possible]))

    def format_function_count(self) -> str:
        """Return the number of functions that went through graphs, to begin a sentence."""
        return f"{format_count(self.functions, 'function')} went through graphs"


def format_count(count: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural, such as ``2 findings``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _format_finding(finding: Finding, colour: bool) -> Iterator[str]:
    """Yield the lines about a finding: place, MindSpore's behaviour, and what to write instead."""
    bold, dim, end = ("\033[1m", "\033[2m", "\033[0m") if colour else ("", "", "")
    path = os.path.relpath(finding.file) if os.path.isabs(finding.file) else finding.file
    levels = f"{finding.levels()}; {finding.sure}".removeprefix("; ")
    yield f"{bold}{path}:{finding.line}: {finding.rule}{end} ({levels})"
    yield f"    {finding.says}"
    if finding.about:
        yield f"    {dim}about: {finding.about}{end}"
    source_line = linecache.getline(finding.file, finding.line).strip()
    if source_line:
        yield f"    {dim}here:  {source_line}{end}"
    for label, lines in (("example: ", finding.example), ("instead: ", finding.way_out)):
        for i, line in enumerate(lines.splitlines()):
            yield f"    {dim}{' ' * len(label) if i else label}{line}{end}"


def make_report(
    watch: Watch,
    scripts: Iterable[str] = (),
    raw_findings: Iterable[RawFinding] = (),
    version: str = VERSIONS[-1],
    reached_lines: dict[str, set[int]] | None = None,
) -> Report:
    """Return the report of a run: the findings of all rules in the functions and calls of
    ``watch``.

    Findings that are silenced on their line are left out.

    Args:
        watch: the functions and calls of the run.
        scripts: files to search for names that ``version`` of MindSpore does not have.
        raw_findings: further findings, of rules about data, memory and numerics.
        version: the version of MindSpore whose names are checked.
        reached_lines: the lines that ran, by the real path of the file, for files where this was
            recorded.
    """
    findings = {
        _make_finding(all_rules()[rule], file, line, about, *way_out)
        for rule, file, line, about, *way_out in raw_findings
    }
    functions = list(watch.functions.values())
    for function in functions:
        if not _is_call_folded_away(function, watch):
            is_dropped = is_result_dropped(function, functions)
            is_unused = is_dropped and is_result_dropped(function, functions, decide_as_parser)
            findings.update(_apply_rules(function, is_dropped, is_unused))
    for stale_call in watch.stale_calls:
        findings.add(_make_stale_finding(stale_call, functions))
    findings.update(
        _make_finding(all_rules()[rule], file, line, "") for rule, file, line in watch.call_matches
    )
    for script in scripts:
        findings.update(_report_missing_names(script, version, reached_lines or {}))
    reported = [f for f in findings if not _is_silenced(f)]
    return Report(sorted(reported), len(watch.functions))


def _is_call_folded_away(function: TracedFunction, watch: Watch) -> bool:
    """Whether MindSpore drops all calls in the graph that lead to a function, such as a hook,
    uncompiled.
    """
    calls = [
        (watch.functions[code], n)
        for code, line in function.call_sites
        if code is not None
        for n in watch.functions[code].walk(ast.Call)
        if n.lineno == line
    ]
    is_called_outside = any(code is None for code, _ in function.call_sites)
    return bool(calls) and not is_called_outside and all(is_folded_away(f, n) for f, n in calls)


def _apply_rules(
    function: TracedFunction, has_dropped_result: bool, has_unused_result: bool
) -> Iterator[Finding]:
    """Yield the findings of all rules in a function, except in branches that no object takes.

    Rules about different results leave out values that no result depends on. Where nothing uses
    the result of the function, LAX removes it before it infers types.
    """
    for rule in all_rules().values():
        matches = [_unpack_match(m, rule) for m in rule.find(function)] if rule.find else []
        is_otherwise = OTHER in (rule.lax, rule.strict)
        if function.compiled_by_jit and is_otherwise:
            continue  # PYNATIVE_MODE runs the same graph, so nothing differs
        nodes_of_run = _find_nodes_of_run(function, rule) if matches and is_otherwise else set()
        for node, about, sure in matches:
            is_read_by_parser = ".syntax." in rule.find.__module__
            if is_in_untaken_branch(function, node) or (
                not is_read_by_parser and is_folded_away(function, node)
            ):
                continue
            line = getattr(node, "lineno", 0)
            finding = replace(_make_finding(rule, function.file, line, about), sure=sure)
            if is_otherwise and (has_dropped_result or Liveness(function).is_dropped(node)):
                if has_dropped_result or not _is_condition_compiled(function, node):
                    continue
                finding = _keep_refusals(finding)
            if has_unused_result and not rule.refuses_unused:
                finding = replace(finding, lax="")
            if function.is_lax:
                finding = replace(finding, strict=finding.lax)
            if is_otherwise and sure == CERTAIN and node not in nodes_of_run:
                yield from _split_by_sureness(finding)
            elif finding.lax or finding.strict:
                yield finding


def _unpack_match(match: RuleMatch, rule: Rule) -> tuple[ast.AST, str, str]:
    """Return the node of a match, the name or detail concerned, and how sure the finding is."""
    node, about, sure = (
        (*match, rule.sure)[:3] if isinstance(match, tuple) else (match, "", rule.sure)
    )
    return node, about, sure


def _is_condition_compiled(function: TracedFunction, node: ast.AST) -> bool:
    """Whether a value is the condition of an ``if``, or of an expression that a result depends on,
    so that MindSpore compiles it although its outcome makes no difference.
    """
    choice = function.parents.get(node)
    if not isinstance(choice, ast.If | ast.IfExp) or choice.test is not node:
        return False
    return isinstance(choice, ast.If) or Liveness(function).reaches_result(choice)


def _keep_refusals(finding: Finding) -> Finding:
    """Return a finding without the levels at which MindSpore computes another value."""
    lax, strict = (level if level == REFUSED else "" for level in (finding.lax, finding.strict))
    return replace(finding, lax=lax, strict=strict)


def _find_nodes_of_run(function: TracedFunction, rule: Rule) -> set[ast.AST]:
    """Return the nodes at which a rule finds a difference that reached a result of this run."""
    if rule.find is None:
        return set()
    with assume_branches_of_run(function):
        nodes = [_unpack_match(match, rule)[0] for match in rule.find(function)]
        return {node for node in nodes if has_effect(function, node)}


def _split_by_sureness(finding: Finding) -> Iterator[Finding]:
    """Yield the certain and the possible part of a finding on which no result of this run depends:
    where MindSpore refuses it, and where it computes another value.
    """
    about = ", ".join(filter(None, [finding.about, _UNSEEN]))
    lax, strict = (level if level == OTHER else "" for level in (finding.lax, finding.strict))
    refused = _keep_refusals(finding)
    if refused.lax or refused.strict:
        yield refused
    if lax or strict:
        yield replace(finding, lax=lax, strict=strict, sure=POSSIBLE, about=about)


def _report_missing_names(
    script: str, version: str, reached_lines: dict[str, set[int]]
) -> Iterator[Finding]:
    """Yield a finding for each name in a script that ``version`` of MindSpore does not have.

    The finding is certain unless the run is known not to have reached the line.
    """
    tree, lines = parse_file(script), reached_lines.get(os.path.realpath(script))
    for line, old, new in find_missing_names(tree, version) if tree is not None else ():
        finding = replace(_make_finding(all_rules()["name-gone"], script, line, old), way_out=new)
        is_reached = lines is None or line in lines
        about = old if is_reached else f"{old}, on a line that this run did not reach"
        yield replace(finding, about=about, sure=CERTAIN if is_reached else POSSIBLE)


def _make_stale_finding(call: StaleCall, functions: list[TracedFunction]) -> Finding:
    """Return the finding about a call that MindSpore would answer with an outdated graph; possible
    if no result of this run depends on the changed state.
    """
    about = f"{call.function}: {call.reason}"
    finding = _make_finding(all_rules()["stale"], call.file, call.line, about)
    with assume_branches_of_run(*functions):
        is_read = call.is_read()
    return finding if is_read else replace(finding, sure=POSSIBLE, about=f"{about}, {_UNSEEN}")


def _make_finding(rule: Rule, file: str, line: int, about: str, way_out: str = "") -> Finding:
    """Return a finding of ``rule`` at a line; the rule's own ``way_out`` by default."""
    return Finding(
        file, line, rule.name, rule.says, way_out or rule.good, rule.lax, rule.strict, rule.sure,
        about, rule.section,
    )  # fmt: skip


def _is_silenced(finding: Finding) -> bool:
    """Whether the line of a finding has a comment ``# minispore: ok`` with the rule's name."""
    comment = _SILENCING_COMMENT.search(linecache.getline(finding.file, finding.line))
    return comment is not None and finding.rule in _split_rule_names(comment.group(1))


def _split_rule_names(text: str) -> Iterable[str]:
    """Return the rule names in a silencing comment, separated by commas or spaces."""
    return text.replace(",", " ").split()


__all__ = ["Finding", "Report", "make_report"]
