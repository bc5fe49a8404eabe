"""Node: one immutable operation of a pipeline. Pass: one run over its rows.

A pass over a node either can give any of its rows at once (:class:`Indexed`) or only one after the
other (:class:`Stream`). A shuffle, a skip or a repeat of an indexed pass moves numbers, never rows,
and to go on from row one million is to start there. What can't be indexed (a generator, a filter)
makes streams of everything above it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.lanes import Turn

if TYPE_CHECKING:
    from minispore.dataset.pipeline.run import Run


class Pass:
    """One pass over a node.

    Attributes:
        weight: how many source rows make one row of this pass (the batch size, after ``batch``).
        lanes: how many threads may fetch rows side by side.
    """

    weight: int = 1
    lanes: int = 1

    def files(self, at: int) -> Sequence[Any]:
        """The files that row ``at`` was read from, where that is known; for messages."""
        return ()


class Indexed(Pass, ABC):
    """A pass that can give any of its rows.

    Attributes:
        size: the number of rows, None if there is no end.
    """

    size: int | None

    @abstractmethod
    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        """The rows numbered ``at``, in that order; up to the first that fails."""


class Stream(Pass, ABC):
    """A pass that gives its rows one after the other."""

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """All rows, in blocks of any size; an error ends the last one."""


class Node(ABC):
    """One operation, immutable; ``children`` are the nodes whose rows it takes."""

    children: tuple[Node, ...] = ()
    rounds: int | None = 1  # passes of its children that make one of its own, None for no end
    rows_each: int = 1  # rows of its children that make one of its own, where that is a number

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""

    @abstractmethod
    def size(self) -> int | None:
        """Rows of one pass, None if only a run can tell; of one round, if it has no end."""

    @abstractmethod
    def open(self, run: Run, number: int) -> Pass:
        """Pass ``number`` (0, 1, ...) over this node."""

    @property
    def endless(self) -> bool:
        """Whether a pass never ends."""
        return any(child.endless for child in self.children)

    def describe(self) -> str:
        """The operation in a few words, for statistics and errors."""
        return type(self).__name__.lower()

    def arguments(self) -> dict[str, Any]:
        """What ``to_json`` says of it."""
        return {}

    def prepare(self, run: Run) -> None:  # noqa: B027  # most nodes start nothing
        """Start what must start with the run, in the thread that starts it (worker processes)."""

    @cached_property
    def height(self) -> int:
        """The number of nodes on the longest way down."""
        return 1 + max((child.height for child in self.children), default=0)


@dataclass(frozen=True, eq=False)
class Over(Node):
    """A node over one child; unless it says otherwise, with the same columns and as many rows."""

    child: Node

    @property
    def children(self) -> tuple[Node, ...]:  # type: ignore[override]
        return (self.child,)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns

    def size(self) -> int | None:
        return self.child.size()


def replaced(
    columns: tuple[str, ...], inputs: tuple[str, ...], outputs: tuple[str, ...]
) -> tuple[str, ...]:
    """The columns with outputs for inputs: as many in their places, else they come first.

    >>> replaced(("a", "b", "c"), ("b",), ("x",)), replaced(("a", "b", "c"), ("b",), ("x", "y"))
    (('a', 'x', 'c'), ('x', 'y', 'a', 'c'))
    """
    if len(inputs) == len(outputs):
        new = dict(zip(inputs, outputs))
        return tuple(new.get(name, name) for name in columns)
    return outputs + tuple(name for name in columns if name not in inputs)


@dataclass(frozen=True)
class Options:
    """How a run works; but for ``on_error``, none of it changes a row.

    Attributes:
        threads: whether to work ahead in threads; without, all is done in the caller's thread, when
            asked for.
        prefetch: how many rows of the root to prepare ahead.
        workers: of operations that say nothing of them.
        function_workers: the same for users' functions.
        start_method: of worker processes, ``"fork"`` or ``"spawn"``.
        patience_s: a worker process that needs longer for its rows is logged as a warning.
        on_error: what ``map`` does with a row that fails: ``"raise"``, ``"skip"`` it, or
            ``"replace"`` it by another.
        trace: whether blocks carry the ids of the source rows they were made of.
        callbacks: whether the callbacks of maps are called; not by who only looks at a row.
        hooks: called with the columns before the first operation of each map, and after each.
        rows: how many are made at a time, at most; None for what is quick.
    """

    threads: bool = True
    prefetch: int = 16
    workers: int = 1
    function_workers: int = 1
    start_method: str = "fork"
    patience_s: float = 300.0
    on_error: str = "raise"
    trace: bool = False
    callbacks: bool = False
    hooks: tuple[Callable[..., Any], ...] = ()
    rows: int | None = None


ALONE_OPTIONS = Options(threads=False)
