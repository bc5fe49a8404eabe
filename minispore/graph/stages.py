"""What a compile goes through, for those who asked: the graph after each stage, and its time.

A file for each stage is written where ``save_graphs`` is set, or in the environment
``MS_DEV_SAVE_GRAPHS`` (0 to 3) and ``MS_DEV_SAVE_GRAPHS_PATH``, which come first;
``MS_DEV_DUMP_IR_PASSES`` names the ones that are wanted, by parts of their names. A table of times
is printed where :mod:`minispore.graph._parse.compile_config` says so.
"""

from __future__ import annotations

import os
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
        level, program.saved_to = saving()
        return printer.save(name, self.graphs, program, level, Path(program.saved_to), _parts())

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
    return bool(saving()[0]) or timed()


def saving() -> tuple[int, str]:
    """How much of each compile is to be written, from 0 to 3, and the folder for it.

    Raises:
        ValueError: ``MS_DEV_SAVE_GRAPHS`` is no such number.
    """
    settings = context.current()
    folder = os.environ.get("MS_DEV_SAVE_GRAPHS_PATH", settings.save_graphs_path)
    level = os.environ.get("MS_DEV_SAVE_GRAPHS")
    if not level:
        return settings.save_graphs, folder
    if level not in _LEVELS:
        raise ValueError(
            f"MS_DEV_SAVE_GRAPHS: must be 0, 1, 2 or 3, got {level!r}. Unset it to go by "
            "set_context(save_graphs=...)."
        )
    return int(level), folder


def _parts() -> tuple[str, ...]:
    """Of what names a stage must have one in its own; none: all are wanted."""
    return tuple(p for p in os.environ.get("MS_DEV_DUMP_IR_PASSES", "").split(",") if p)


def timed() -> bool:
    """Whether the table of times is to be printed."""
    return str(compile_config.COMPILE_PROFILE) == "1"


_LEVELS = ("0", "1", "2", "3")
