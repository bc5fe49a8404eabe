"""Records outside of a terminal: text tables in a notebook, and charts by matplotlib."""

from __future__ import annotations

import os
from typing import Any


class TextRepr:
    """Base of records whose ``str`` is a table, which a notebook shows in a monospaced font.

    >>> class Table(TextRepr):
    ...     def __str__(self): return "a < b"
    >>> Table()._repr_html_()
    '<pre>a &lt; b</pre>'
    """

    def _repr_html_(self) -> str:
        # As html.escape does, without the cost of importing html in every program.
        escaped = str(self).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return f"<pre>{escaped}</pre>"


def make_figure(api_name: str, width: float = 7.0, height: float = 4.0) -> Any:
    """Return an empty matplotlib Figure of this size in inches, which belongs to no window.

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
    """Return the chart; writes it to ``path`` unless that is None.

    Raises:
        ValueError: the ending of ``path`` is no image format that matplotlib writes.
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


__all__ = ["TextRepr", "make_figure", "save_chart"]
