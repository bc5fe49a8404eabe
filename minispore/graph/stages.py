"""Records of a compile: the graph after each stage, and the time that the stage took.

Each stage is written to a file if ``save_graphs`` is set. The environment variables
``MS_DEV_SAVE_GRAPHS`` (0 to 3) and ``MS_DEV_SAVE_GRAPHS_PATH`` take precedence.
``MS_DEV_DUMP_IR_PASSES`` selects stages by parts of their names. A table of times is printed if
:mod:`minispore.graph._parse.compile_config` says so.
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
        self._stage_start = time.perf_counter()

    def note(self, name: str, graph: Graph | None = None) -> None:
        """Record that stage ``name`` has ended and left ``graph``; ``a.b`` is a substage of
        ``a``.
        """
        now = time.perf_counter()
        self.seconds.append((name, now - self._stage_start))
        if graph is not None:
            self.graphs.append((f"{len(self.graphs):02d}_{name.rpartition('.')[2]}", graph))
        self._stage_start = time.perf_counter()

    def save(self, name: str, program: Program) -> list[Path]:
        """Write the graphs of the stages and the program as the settings ask; return the files.

        Also sets ``program.saved_to``.
        """
        level, program.saved_to = get_save_settings()
        return printer.save(
            name, self.graphs, program, level, Path(program.saved_to), _read_name_filters()
        )

    def times(self) -> str:
        """Return a table of times in MindSpore's format: the seconds of each stage and its
        substages.

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
            group, _, substage = name.partition(".")
            groups.setdefault(group, []).append((substage, seconds))
        lines = [f"TotalTime = {sum(s for _, s in self.seconds):.6g}, [{len(groups)}]"]
        for group, substages in groups.items():
            is_nested = len(substages) > 1 or substages[0][0]
            count = f", [{len(substages)}]" if is_nested else ""
            lines.append(f"[{group}]: {sum(s for _, s in substages):.6g}{count}")
            lines += [f"    [{substage}]: {s:.6g}" for substage, s in substages if is_nested]
        return "\n".join(lines)


def needs_stages() -> bool:
    """Whether the stages of a compile must be recorded, because the settings ask to save or time
    them.
    """
    return bool(get_save_settings()[0]) or is_timing_enabled()


def get_save_settings() -> tuple[int, str]:
    """Return the ``save_graphs`` level, 0 to 3, and the folder to write to.

    Raises:
        ValueError: ``MS_DEV_SAVE_GRAPHS`` is not 0, 1, 2 or 3.
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


def _read_name_filters() -> tuple[str, ...]:
    """Return the substrings in the environment variable MS_DEV_DUMP_IR_PASSES, which has commas
    between them.

    A stage is written if its name contains one of them, or if there are none.
    """
    return tuple(p for p in os.environ.get("MS_DEV_DUMP_IR_PASSES", "").split(",") if p)


def is_timing_enabled() -> bool:
    """Whether the table of times must be printed after each compile: ``COMPILE_PROFILE`` is 1."""
    return str(compile_config.COMPILE_PROFILE) == "1"


_LEVELS = ("0", "1", "2", "3")
