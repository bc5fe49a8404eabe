"""What a compile goes through, for those who asked: the graph after each stage, and its time.

A file for each stage is written where ``save_graphs`` is set; a table of times is printed where
:mod:`minispore.graph._parse.compile_config` says so.
"""

from __future__ import annotations

import time
from pathlib import Path

from minispore import context
from minispore.graph import print as printer
from minispore.graph._parse import compile_config
from minispore.graph.ir import Graph
from minispore.graph.program import Program


class Stages:
    """The stages of one compile, in order.

    >>> stages = Stages()
    >>> stages.note("trace", Graph())
    >>> stages.note("optimize.dead_code", Graph())
    >>> [name for name, _ in stages.graphs]
    ['00_trace', '01_dead_code']
    """

    def __init__(self) -> None:
        self.graphs: list[tuple[str, Graph]] = []
        self.seconds: list[tuple[str, float]] = []
        self._since = time.perf_counter()

    def note(self, name: str, graph: Graph | None = None) -> None:
        """The stage ``name`` has ended, and left ``graph``; ``a.b`` is part of ``a``."""
        now = time.perf_counter()
        self.seconds.append((name, now - self._since))
        if graph is not None:
            self.graphs.append((f"{len(self.graphs):02d}_{name.rpartition('.')[2]}", graph))
        self._since = time.perf_counter()

    def save(self, name: str, program: Program) -> list[Path]:
        """Write the graphs of the stages and the program, once for each folder."""
        program.saved_to = context.current().save_graphs_path
        return printer.save(name, self.graphs, program)

    def times(self) -> str:
        """The table, in the form of MindSpore's: seconds, and the stages that each has in it.

        >>> stages = Stages()
        >>> stages.seconds = [("trace", 0.5), ("optimize.a", 0.125), ("optimize.b", 0.125)]
        >>> print(stages.times())
        TotalTime = 0.75, [2]
        [trace]: 0.5
        [optimize]: 0.25, [2]
            [a]: 0.125
            [b]: 0.125
        """
        groups: dict[str, list[tuple[str, float]]] = {}
        for name, seconds in self.seconds:
            group, _, part = name.partition(".")
            groups.setdefault(group, []).append((part, seconds))
        lines = [f"TotalTime = {sum(s for _, s in self.seconds):.6g}, [{len(groups)}]"]
        for group, parts in groups.items():
            nested = len(parts) > 1 or parts[0][0]
            count = f", [{len(parts)}]" if nested else ""
            lines.append(f"[{group}]: {sum(s for _, s in parts):.6g}{count}")
            lines += [f"    [{part}]: {s:.6g}" for part, s in parts if nested]
        return "\n".join(lines)


def wanted() -> bool:
    """Whether somebody wants to know of the stages of a compile."""
    return bool(context.current().save_graphs) or timed()


def timed() -> bool:
    """Whether the table of times is to be printed."""
    return str(compile_config.COMPILE_PROFILE) == "1"
