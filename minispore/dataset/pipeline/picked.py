"""Batches that lists of row numbers pick."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minispore.dataset.pipeline.batching import collate
from minispore.dataset.pipeline.block import Block, stacked, values
from minispore.dataset.pipeline.lanes import Turn
from minispore.dataset.pipeline.node import Indexed, Over, Pass
from minispore.dataset.pipeline.operation import as_value
from minispore.dataset.pipeline.random import anew
from minispore.dataset.pipeline.run import Run
from minispore.errors import DatasetError


@dataclass(frozen=True, eq=False)
class Picked(Over):
    """The rows of a table, put together as lists of their numbers say.

    Args:
        name: of the dataset, for messages.
        picks: the lists; iterated over anew for each pass, if it can be.
        function: called with a list of values for each column, gives what the batch has of each;
            None: they are stacked.
    """

    name: str
    picks: Iterable[Any]
    function: Callable[..., Any] | None
    _kept: list[list[np.ndarray]] = field(default_factory=list)

    def size(self) -> int:
        return len(self.picks) if isinstance(self.picks, Sized) else len(self.lists(self._begun()))

    def prepare(self, run: Run) -> None:
        run.keep(self.picks, self._begun)

    def _begun(self) -> Iterable[Any]:
        """The lists of one iterator."""
        return self.picks if isinstance(self.picks, Iterator) else anew(self.picks)

    def lists(self, picks: Iterable[Any]) -> list[np.ndarray]:
        """The row numbers of each batch of the next pass over ``picks``.

        Raises:
            DatasetError: something else is picked.
        """
        if self._kept:
            return self._kept[0]
        try:
            made = [self._numbers(i, some) for i, some in enumerate(picks)]
        except DatasetError:
            raise
        except Exception as exc:
            raise DatasetError(
                f"{self.name}: batch_sampler failed. {type(exc).__name__}: {exc}"
            ) from exc
        if not made:
            raise DatasetError(f"{self.name}: batch_sampler must not be empty, got {self.picks!r}.")
        if isinstance(self.picks, Iterator):
            self._kept.append(made)
        return made

    def _numbers(self, i: int, some: Any) -> np.ndarray:
        numbers = list(some) if isinstance(some, Iterable) else []
        whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in numbers)
        if not numbers or not whole:
            raise DatasetError(
                f"{self.name}: batch_sampler must give lists of row numbers, at least one in each, "
                f"got {some!r} for batch {i}."
            )
        return np.array(numbers, np.int64)

    def open(self, run: Run, number: int) -> Pass:
        below = self.child.open(run, number)
        assert isinstance(below, Indexed)
        return _PickedPass(self, below, self.lists(run.keep(self.picks, self._begun)))

    def describe(self) -> str:
        return "batch_sampler"

    def arguments(self) -> dict[str, Any]:
        return {"batch_sampler": repr(self.picks), "collate_fn": self.function is not None}

    def together(self, rows: Block, number: int) -> dict[str, Any]:
        """The rows of batch ``number`` as a value for each column."""
        columns = [values(rows.columns[name]) for name in self.columns]
        if self.function is None:
            try:
                made = [collate(n, c) for n, c in zip(self.columns, columns, strict=True)]
            except DatasetError as exc:
                raise DatasetError(
                    f"{self.name}: batch {number} must have rows that are alike, or a collate_fn. "
                    f"{exc}"
                ) from exc
            return dict(zip(self.columns, made, strict=True))
        where = f"{self.name}: collate_fn failed on batch {number}."
        try:
            made = self.function(*columns)
            given = made if isinstance(made, tuple) else (made,)
            got = [as_value(v) for v in given]
        except Exception as exc:
            raise DatasetError(f"{where} {type(exc).__name__}: {exc}") from exc
        if made is None or len(got) != len(self.columns):
            raise DatasetError(
                f"{where} It must give a tuple with a value for each column of "
                f"{list(self.columns)}, got {'None' if made is None else len(got)}."
            )
        return dict(zip(self.columns, got, strict=True))


class _PickedPass(Indexed):
    def __init__(self, node: Picked, below: Indexed, lists: list[np.ndarray]) -> None:
        self._node, self._below, self._lists = node, below, lists
        self.size = len(lists)
        self.weight = below.weight * (sum(map(len, lists)) // max(1, len(lists)) or 1)
        self.lanes = below.lanes

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        lists = [self._lists[i] for i in at.tolist()]
        block = self._below.fetch(np.concatenate(lists), turn)
        with turn.at(self) if self._node.function else nullcontext():  # called in their order
            made, error = self._made(block, at.tolist(), lists)
        out = Block({n: stacked([m[n] for m in made]) for n in self._node.columns}, len(made))
        out.error = error
        if block.rows is not None:
            out.rows = np.empty(len(made), object)
            out.rows[:] = lists[: len(made)]
        return out

    def _made(
        self, block: Block, numbers: list[int], lists: list[np.ndarray]
    ) -> tuple[list[dict[str, Any]], BaseException | None]:
        """The batches that ``block`` has all rows of, and what stopped the next."""
        made: list[dict[str, Any]] = []
        begin = 0
        for number, some in zip(numbers, lists, strict=True):
            end = begin + len(some)
            if end > block.count:
                break
            try:
                made.append(self._node.together(block.cut(begin, end), number))
            except Exception as exc:
                return made, exc
            begin = end
        return made, block.error
