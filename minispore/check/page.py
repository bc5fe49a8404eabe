"""Findings as one HTML page."""

from __future__ import annotations

import html
import linecache
import os

from minispore.check.finding import Finding, Report
from minispore.check.rule import REFUSED

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 50rem; margin: 0 auto; padding: 1rem; }
article { border-left: .25rem solid #b35900; padding: 0 1rem; margin: 1.5rem 0; }
article.refused { border-color: #b00020; }
pre { overflow-x: auto; padding: .5rem; border: 1px solid #8888; }
h2 { font-size: 1.1rem; overflow-wrap: anywhere; }
"""


def page(report: Report, script: str) -> str:
    """One page that needs nothing but itself.

    >>> "nothing" in page(Report(functions=1), "train.py")
    True
    """
    title = html.escape(f"{os.path.basename(script)} on the real MindSpore")
    n = len(report.findings)
    lead = (
        f"{n} place{'s' * (n != 1)} where its graphs do otherwise."
        if n
        else "Its graphs do nothing otherwise."
    )
    found = "\n".join(map(_article, report.findings))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
        f"<style>{_STYLE}</style><h1>{title}</h1><p>{lead} {report.functions} functions went "
        f"through graphs.</p>\n{found}</html>\n"
    )


def _article(f: Finding) -> str:
    words = {"refused": "refuses it", "other": "gives something else", "": "does the same"}
    levels = f"LAX {words[f.lax]}, STRICT {words[f.strict]} ({f.sure})"
    line = linecache.getline(f.file, f.line).strip()
    where = html.escape(f"{os.path.basename(f.file)}:{f.line}")
    kind = ' class="refused"' if f.lax == REFUSED else ""
    return (
        f"<article{kind}><h2>{where}: {html.escape(f.rule)}</h2>"
        f"<p>{html.escape(f.says)} <b>{levels}.</b> {html.escape(f.about)}</p>"
        f"<pre>{html.escape(line)}</pre><p>Instead:</p><pre>{html.escape(f.way_out)}</pre></article>"
    )
