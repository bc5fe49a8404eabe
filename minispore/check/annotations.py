"""Findings for tools that show them next to the code: SARIF files and GitHub annotations."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from minispore.check.finding import Finding, Report
from minispore.check.rule import CERTAIN, all_rules
from minispore.foundation.version import __version__

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def make_sarif(report: Report) -> str:
    """Return the findings as a SARIF 2.1.0 log, which code-scanning services and editors read.

    Certain findings become errors, possible ones notes. Paths are relative to the working
    directory.
    """
    rule_names = sorted({finding.rule for finding in report.findings})
    run = {
        "tool": {
            "driver": {
                "name": "minispore check",
                "version": __version__,
                "rules": [_describe_rule(name) for name in rule_names],
            }
        },
        "invocations": [{"executionSuccessful": not report.failed}],
        "results": [_make_result(finding, rule_names) for finding in report.findings],
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _describe_rule(name: str) -> dict[str, Any]:
    """Return the SARIF descriptor of a rule."""
    rule = all_rules()[name]
    return {
        "id": name,
        "shortDescription": {"text": rule.says},
        "help": {"text": f"Instead of\n\n{rule.bad}\n\nwrite\n\n{rule.good}"},
    }


def _make_result(finding: Finding, rule_names: list[str]) -> dict[str, Any]:
    """Return the SARIF result of a finding; its rule index is the position in ``rule_names``."""
    location: dict[str, Any] = {"artifactLocation": {"uri": _make_uri(finding.file)}}
    if finding.line > 0:
        location["region"] = {"startLine": finding.line}
    return {
        "ruleId": finding.rule,
        "ruleIndex": rule_names.index(finding.rule),
        "level": "error" if finding.sure == CERTAIN else "note",
        "message": {"text": _format_message(finding)},
        "locations": [{"physicalLocation": location}],
    }


def _make_uri(file: str) -> str:
    """Return the relative URI of a file in the working directory, the absolute URI of any other
    file.
    """
    path = Path(file).absolute()
    if path.is_relative_to(Path.cwd()):
        return quote(path.relative_to(Path.cwd()).as_posix())
    return path.as_uri()


def format_github(report: Report) -> str:
    """Return the findings as workflow commands, with which GitHub Actions annotates the lines."""
    lines = []
    for finding in report.findings:
        kind = "error" if finding.sure == CERTAIN else "notice"
        file = _escape_property(os.path.relpath(finding.file))
        place = f"file={file},line={finding.line}" if finding.line > 0 else f"file={file}"
        title = _escape_property(f"minispore check: {finding.rule}")
        lines.append(f"::{kind} {place},title={title}::{_escape(_format_message(finding))}")
    return "\n".join(lines)


def _format_message(finding: Finding) -> str:
    """Return MindSpore's behaviour, the affected levels, and the lines to write instead."""
    levels = f" ({finding.levels()})" if finding.levels() else ""
    about = f" About: {finding.about}." if finding.about else ""
    example = f"\nExample: {finding.example}" if finding.example else ""
    return f"{finding.says}{levels}{about}{example}\nInstead: {finding.way_out}"


def _escape(text: str) -> str:
    """Return a text with percent signs and newlines escaped, because the message of a workflow
    command must be one line.
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    """Return a text escaped as a property of a workflow command, where ``:`` and ``,`` are
    separators.
    """
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
