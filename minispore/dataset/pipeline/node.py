"""Node: one immutable operation of a pipeline.

A pass over it is Indexed or a Stream (:mod:`minispore.dataset.pipeline.passes`). A node that can't
be indexed (a generator, a filter) turns every node above it into a stream.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from minispore.dataset.pipeline.passes import Pass
from minispore.dataset.pipeline.run import Run


class Node(ABC):
    """One immutable operation; ``children`` are its input nodes."""

    children: tuple[Node, ...] = ()
    rounds: int | None = 1  # passes of its children in one pass of this node, None if endless
    rows_per_output: int = 1  # rows of its children in one of its rows, if constant

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the node's columns."""

    @abstractmethod
    def size(self) -> int | None:
        """Return the number of rows in one pass; None if only a run can tell.

        For an endless pass it is the number of one round.
        """

    @abstractmethod
    def open_pass(self, run: Run, number: int) -> Pass:
        """Open pass ``number`` (0, 1, ...) over this node."""

    @property
    def endless(self) -> bool:
        """Whether a pass never ends."""
        return any(child.endless for child in self.children)

    def describe(self) -> str:
        """Return the operation in a few words, for statistics and errors."""
        return type(self).__name__.lower()

    def get_arguments(self) -> dict[str, Any]:
        """Return the arguments that ``to_json`` writes for this node."""
        return {}

    def prepare(self, run: Run) -> None:  # noqa: B027  # most nodes start nothing
        """Start worker processes and the like in the caller's thread, at the start of the run."""

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
    """Return column names with ``inputs`` replaced: in place if the counts match, else in front.

    >>> replace_columns(("a", "b"), ("b",), ("x",)), replace_columns(("a", "b"), ("b",), ("x", "y"))
    (('a', 'x'), ('x', 'y', 'a'))
    """
    if len(inputs) == len(outputs):
        new_names = dict(zip(inputs, outputs))
        return tuple(new_names.get(name, name) for name in columns)
    return outputs + tuple(name for name in columns if name not in inputs)
