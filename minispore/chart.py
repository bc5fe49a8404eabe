"""What records look like outside a terminal: charts by matplotlib, tables in a notebook."""

from __future__ import annotations

import os
from typing import Any


class ShownAsText:
    """A record whose ``str`` is its table: a notebook shows it in letters of one width.

    >>> class Table(ShownAsText):
    ...     def __str__(self): return "a < b"
    >>> Table()._repr_html_()
    '<pre>a &lt; b</pre>'
    """

    def _repr_html_(self) -> str:
        # as html.escape does, whose tables each program would read
        said = str(self).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return f"<pre>{said}</pre>"


def figure(who: str, width: float = 7.0, height: float = 4.0) -> Any:
    """An empty matplotlib Figure of so many inches, which belongs to no window.

    Raises:
        ImportError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise ImportError(
            f"{who}: needs matplotlib, which is not installed. Run: pip install 'minispore[plot]'"
        ) from missing
    return Figure(figsize=(width, height), layout="constrained")


def saved(who: str, chart: Any, path: str | os.PathLike[str] | None) -> Any:
    """The chart, written to ``path`` if there is one.

    Raises:
        ValueError: the ending of ``path`` is no form of picture that matplotlib writes.
    """
    if path is not None:
        ending = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
        known = sorted(chart.canvas.get_supported_filetypes())
        if ending not in known:
            raise ValueError(f"{who}: path must end in one of {', '.join(known)}, got {path!r}.")
        chart.savefig(path, dpi=150)
    return chart


__all__ = ["ShownAsText", "figure", "saved"]
