"""Render a report as one HTML page."""

from __future__ import annotations

import html
import linecache
import os
from collections.abc import Iterator
from importlib import resources

from minispore.check.finding import Finding, Report, format_count
from minispore.check.rule import FITS, REFUSED, SECTIONS


def render_page(report: Report) -> str:
    """Return the report as one self-contained HTML page.

    >>> "does what it does here" in render_page(Report(functions=1, title="train.py"))
    True
    """
    template = resources.files("minispore.check").joinpath("page.html").read_text(encoding="utf-8")
    fragments = [f'<p class="verdict">{html.escape(report.summary())}</p>']
    fragments += [f'<p class="quiet">{html.escape(note)}</p>' for note in report.notes]
    for name in SECTIONS:
        fragments += _render_section(report, name)
    if report.possible:
        fragments.append("<h2>possible</h2>")
        fragments += map(_render_finding, report.possible)
    title = html.escape(report.title)
    return template.replace("__TITLE__", title).replace("__BODY__", "\n".join(fragments))


def _render_section(report: Report, name: str) -> Iterator[str]:
    """Yield the HTML of one section: its findings, the bars of step times, and its lines."""
    findings = [f for f in report.certain if f.section == name]
    count = format_count(len(findings), "finding")
    badge = f' <span class="count some">{count}</span>' if findings else ""
    yield f"<h2>{html.escape(name)}{badge}</h2>"
    yield from map(_render_finding, findings)
    if name == FITS:
        for location, bars in report.bars:
            yield from _render_bars(location, bars)
    lines = report.lines.get(name, [])
    if lines:
        yield "<ul>"
        for line in lines:
            item_class = ' class="inner"' if line.startswith(" ") else ""
            yield f"<li{item_class}>{html.escape(line.strip())}</li>"
        yield "</ul>"


def _render_bars(location: str, bars: list[tuple[str, float]]) -> Iterator[str]:
    """Yield the HTML of a bar chart: milliseconds of a step in each execution mode."""
    longest = max(ms for _, ms in bars)
    yield f"<h3>{html.escape(location)}, ms a step, predicted</h3>"
    yield '<div class="bars">'
    for mode, ms in bars:
        percent = 100 * ms / longest
        yield f'<span>{mode}</span><i style="width:{percent:.1f}%"></i><span>{ms:.3f}</span>'
    yield "</div>"


def _render_finding(finding: Finding) -> str:
    """Return the HTML of one finding: line, MindSpore's behaviour, and what to write instead."""
    source_line = linecache.getline(finding.file, finding.line).strip()
    location = html.escape(f"{os.path.basename(finding.file)}:{finding.line}")
    article_class = ' class="refused"' if REFUSED in (finding.lax, finding.strict) else ""
    levels = f"{finding.levels()}; {finding.sure}".removeprefix("; ")
    about = f'<p class="quiet">{html.escape(finding.about)}</p>' if finding.about else ""
    source = f"<pre>{html.escape(source_line)}</pre>" if source_line else ""
    if finding.example:
        source += f'<p class="quiet">for example</p><pre>{html.escape(finding.example)}</pre>'
    return (
        f"<article{article_class}><h3>{location}: {html.escape(finding.rule)}</h3>"
        f'<p>{html.escape(finding.says)} <span class="quiet">({levels})</span></p>{about}{source}'
        f'<p class="quiet">instead</p><pre>{html.escape(finding.way_out)}</pre></article>'
    )
