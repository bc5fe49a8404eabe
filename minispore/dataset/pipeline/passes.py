"""Pass: one run over the rows of a node, and the options of all passes of a run.

A pass either has random access to its rows (:class:`Indexed`) or yields them in order
(:class:`Stream`). A shuffle, a skip or a repeat of an indexed pass moves numbers, never rows, and a
pass can begin at row one million at no cost.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.ordered_workers import Ticket


class Pass:
    """One pass over a node.

    Attributes:
        weight: the number of source rows in one row of this pass (the batch size, after ``batch``).
        max_threads: how many threads may fetch rows in parallel.
    """

    weight: int = 1
    max_threads: int = 1

    def list_files(self, position: int) -> Sequence[Any]:
        """Return the files that row ``position`` was read from, if known; for messages."""
        return ()


class Indexed(Pass, ABC):
    """A pass with random access to its rows.

    Attributes:
        size: the number of rows, None if endless.
    """

    size: int | None

    @abstractmethod
    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        """Return the rows numbered ``positions``, in that order.

        The block ends before the first row that fails and carries its error. Users' functions with
        one worker are called in the order of the tickets.
        """


class Stream(Pass, ABC):
    """A pass that yields its rows in order."""

    @abstractmethod
    def iterate_blocks(self) -> Iterator[Block]:
        """Yield all rows, in blocks of any size; an error ends the last one."""


@dataclass(frozen=True)
class Options:
    """Settings of a run; only ``on_error`` changes the rows.

    Attributes:
        threads: whether threads prefetch rows; otherwise the caller's thread does all work on
            demand.
        prefetch: how many rows of the root to prefetch.
        workers: the default number of workers of an operation.
        function_workers: the default number of workers of a user's function.
        start_method: how worker processes start, ``"fork"`` or ``"spawn"``.
        patience_s: a warning is logged if a worker process needs longer than this for its rows.
        on_error: how ``map`` treats a row that fails: ``"raise"``, ``"skip"`` it, or ``"replace"``
            it by another row.
        trace: whether blocks carry the ids of their source rows.
        callbacks: whether the callbacks of maps are called; False when only inspecting rows.
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
