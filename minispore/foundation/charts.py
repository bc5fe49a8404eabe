"""Display of records outside a terminal: tables in a notebook, and charts by matplotlib."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any


class TextRepr:
    """Base of records whose ``str`` is a table, which a notebook shows in a monospaced font.

    >>> class Table(TextRepr):
    ...     def __str__(self): return "a < b"
    >>> Table()._repr_html_()
    '<pre>a &lt; b</pre>'
    """

    def _repr_html_(self) -> str:
        """Return the ``str`` in a monospaced font, for a notebook."""
        return format_html_text(str(self))


def format_html_text(text: str) -> str:
    """Return a text as HTML in a monospaced font.

    >>> format_html_text("a < b")
    '<pre>a &lt; b</pre>'
    """
    return f"<pre>{_escape(text)}</pre>"


def format_html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table with a caption above it; an empty header is omitted.

    >>> format_html_table("Squares", ["x", "x * x"], [["2", "4"]]).replace("</tr>", "")
    '<table><caption>Squares</caption><tr><th>x</th><th>x * x</th><tr><td>2</td><td>4</td></table>'
    """
    lines = [("th", header)] if header else []
    lines += [("td", row) for row in rows]
    cells = [[f"<{tag}>{_escape(cell)}</{tag}>" for cell in line] for tag, line in lines]
    body = "".join(f"<tr>{''.join(line)}</tr>" for line in cells)
    return f"<table><caption>{_escape(caption)}</caption>{body}</table>"


def _escape(text: str) -> str:
    """Replace &, < and > as html.escape does, without the cost of importing html everywhere."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def make_figure(api_name: str, width: float = 7.0, height: float = 4.0) -> Any:
    """Return an empty matplotlib Figure of this size in inches, without a window.

    Raises:
        ImportError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise ImportError(
            f"{api_name}: needs matplotlib, which is not installed. Run: pip install "
            "'minispore[plot]'"
        ) from missing
    return Figure(figsize=(width, height), layout="constrained")


def save_chart(api_name: str, chart: Any, path: str | os.PathLike[str] | None) -> Any:
    """Return the chart; write it to ``path`` unless that is None.

    Raises:
        ValueError: the extension of ``path`` is not an image format that matplotlib writes.
    """
    if path is not None:
        ending = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
        endings = sorted(chart.canvas.get_supported_filetypes())
        if ending not in endings:
            raise ValueError(
                f"{api_name}: path must end in one of {', '.join(endings)}, got {path!r}."
            )
        chart.savefig(path, dpi=150)
    return chart


__all__ = ["TextRepr", "format_html_table", "format_html_text", "make_figure", "save_chart"]
