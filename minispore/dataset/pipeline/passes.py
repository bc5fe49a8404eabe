"""Pass: one run over the rows of a node, and the options of all passes of a run.

A pass can either give any of its rows at once (:class:`Indexed`) or only one after the other
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
        weight: how many source rows make one row of this pass (the batch size, after ``batch``).
        max_threads: how many threads may fetch rows in parallel.
    """

    weight: int = 1
    max_threads: int = 1

    def list_files(self, position: int) -> Sequence[Any]:
        """Return the files that the row was read from, if known; for messages."""
        return ()


class Indexed(Pass, ABC):
    """A pass that can give any of its rows.

    Attributes:
        size: the number of rows, None if there is no end.
    """

    size: int | None

    @abstractmethod
    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        """Return the rows numbered ``positions``, in that order, up to the first that fails."""


class Stream(Pass, ABC):
    """A pass that gives its rows one after the other."""

    @abstractmethod
    def iterate_blocks(self) -> Iterator[Block]:
        """Yield all rows, in blocks of any size; an error ends the last one."""


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
