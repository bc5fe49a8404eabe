"""A report as one HTML page."""

from __future__ import annotations

import html
import linecache
import os
from collections.abc import Iterator
from importlib import resources

from minispore.check.finding import Finding, Report, numbered
from minispore.check.rule import FITS, REFUSED, SECTIONS


def page(report: Report) -> str:
    """One page that needs nothing but itself.

    >>> "0 findings" in page(Report(functions=1, title="train.py"))
    True
    """
    template = resources.files("minispore.check").joinpath("page.html").read_text(encoding="utf-8")
    parts = [f'<p class="verdict">{_verdict(report)}</p>']
    for name in SECTIONS:
        parts += _section(report, name)
    title = html.escape(report.title)
    return template.replace("__TITLE__", title).replace("__BODY__", "\n".join(parts))


def _verdict(report: Report) -> str:
    if report:
        return "0 findings: as far as a run here tells, it does there what it does here."
    return f"{numbered(report.findings)} to look at before it runs there."


def _section(report: Report, name: str) -> Iterator[str]:
    mine = [f for f in report.findings if f.section == name]
    some = ' class="count some"' if mine else ' class="count"'
    yield f"<h2>{html.escape(name)} <span{some}>{numbered(mine)}</span></h2>"
    yield from map(_article, mine)
    if name == FITS:
        for where, bars in report.bars:
            yield from _bars(where, bars)
    lines = report.lines.get(name, [])
    if lines:
        yield "<ul>"
        for line in lines:
            inner = ' class="inner"' if line.startswith(" ") else ""
            yield f"<li{inner}>{html.escape(line.strip())}</li>"
        yield "</ul>"


def _bars(where: str, bars: list[tuple[str, float]]) -> Iterator[str]:
    longest = max(ms for _, ms in bars)
    yield f"<h3>{html.escape(where)}, ms a step, predicted</h3>"
    yield '<div class="bars">'
    for way, ms in bars:
        share = 100 * ms / longest
        yield f'<span>{way}</span><i style="width:{share:.1f}%"></i><span>{ms:.3f}</span>'
    yield "</div>"


def _article(f: Finding) -> str:
    line = linecache.getline(f.file, f.line).strip()
    where = html.escape(f"{os.path.basename(f.file)}:{f.line}")
    kind = ' class="refused"' if REFUSED in (f.lax, f.strict) else ""
    said = f"{f.levels()}; {f.sure}".removeprefix("; ")
    about = f'<p class="quiet">{html.escape(f.about)}</p>' if f.about else ""
    here = f"<pre>{html.escape(line)}</pre>" if line else ""
    return (
        f"<article{kind}><h3>{where}: {html.escape(f.rule)}</h3>"
        f'<p>{html.escape(f.says)} <span class="quiet">({said})</span></p>{about}{here}'
        f'<p class="quiet">instead</p><pre>{html.escape(f.way_out)}</pre></article>'
    )
