"""Node: one immutable operation of a pipeline. Pass: one run over its rows.

A pass over a node can either give any of its rows at once (:class:`Indexed`) or only one after the
other (:class:`Stream`). A shuffle, a skip or a repeat of an indexed pass moves numbers, never rows,
and a pass can begin at row one million at no cost. A node that can't be indexed (a generator, a
filter) makes a stream of every node above it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.ordered_workers import Ticket

if TYPE_CHECKING:
    from minispore.dataset.pipeline.run import Run


class Pass:
    """One pass over a node.

    Attributes:
        weight: how many source rows make one row of this pass (the batch size, after ``batch``).
        max_threads: how many threads may fetch rows in parallel.
    """

    weight: int = 1
    max_threads: int = 1

    def files(self, position: int) -> Sequence[Any]:
        """Return the files that the row was read from, if known; for messages."""
        return ()


class Indexed(Pass, ABC):
    """A pass that can give any of its rows.

    Attributes:
        size: the number of rows, None if there is no end.
    """

    size: int | None

    @abstractmethod
    def fetch(self, positions: np.ndarray, ticket: Ticket) -> Block:
        """Return the rows numbered ``positions``, in that order, up to the first that fails."""


class Stream(Pass, ABC):
    """A pass that gives its rows one after the other."""

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield all rows, in blocks of any size; an error ends the last one."""


class Node(ABC):
    """One operation, immutable; ``children`` are the nodes whose rows it takes."""

    children: tuple[Node, ...] = ()
    rounds: int | None = 1  # passes of its children in one pass of this node, None for no end
    rows_per_output: int = (
        1  # rows of its children in one row of this node, where that is a constant
    )

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the node's columns."""

    @abstractmethod
    def size(self) -> int | None:
        """Return the rows of one pass; None if only a run can tell.

        For an endless pass it is the rows of one round.
        """

    @abstractmethod
    def open(self, run: Run, number: int) -> Pass:
        """Open pass ``number`` (0, 1, ...) over this node."""

    @property
    def endless(self) -> bool:
        """Whether a pass never ends."""
        return any(child.endless for child in self.children)

    def describe(self) -> str:
        """Return the operation in a few words, for statistics and errors."""
        return type(self).__name__.lower()

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that ``to_json`` writes for this node."""
        return {}

    def prepare(self, run: Run) -> None:  # noqa: B027  # most nodes start nothing
        """Start in the caller's thread what must start with the run (worker processes)."""

    @cached_property
    def height(self) -> int:
        """The number of nodes on the longest path to a source."""
        return 1 + max((child.height for child in self.children), default=0)


@dataclass(frozen=True, eq=False)
class UnaryNode(Node):
    """A node over one child, by default with the child's columns and number of rows."""

    child: Node

    @property
    def children(self) -> tuple[Node, ...]:  # type: ignore[override]
        return (self.child,)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns

    def size(self) -> int | None:
        return self.child.size()


def replace_columns(
    columns: tuple[str, ...], inputs: tuple[str, ...], outputs: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the columns with outputs for inputs: in their places if as many, else in front.

    >>> replace_columns(("a", "b"), ("b",), ("x",)), replace_columns(("a", "b"), ("b",), ("x", "y"))
    (('a', 'x'), ('x', 'y', 'a'))
    """
    if len(inputs) == len(outputs):
        new_names = dict(zip(inputs, outputs))
        return tuple(new_names.get(name, name) for name in columns)
    return outputs + tuple(name for name in columns if name not in inputs)


@dataclass(frozen=True)
class Options:
    """Settings of a run; none but ``on_error`` changes a row.

    Attributes:
        threads: whether to work ahead in threads; without, all is done in the caller's thread, when
            asked for.
        prefetch: how many rows of the root to prepare ahead.
        workers: the workers of operations that were not given a number of them.
        function_workers: the same for users' functions.
        start_method: of worker processes, ``"fork"`` or ``"spawn"``.
        patience_s: a worker process that needs longer for its rows is logged as a warning.
        on_error: what ``map`` does with a row that fails: ``"raise"``, ``"skip"`` it, or
            ``"replace"`` it by another.
        trace: whether blocks carry the ids of the source rows they were made of.
        callbacks: whether the callbacks of maps are called; not if only some rows are looked at.
        hooks: called with the columns before the first operation of each map, and after each.
        rows: the largest number of rows made at a time; None: as many as take a few milliseconds.
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


SINGLE_THREAD_OPTIONS = Options(threads=False)
