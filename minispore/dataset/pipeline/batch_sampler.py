"""The ``batch_sampler`` node: batches of the rows that a batch sampler lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minispore.dataset.pipeline.batching import collate
from minispore.dataset.pipeline.block import Block, row_values, stack_rows
from minispore.dataset.pipeline.node import UnaryNode
from minispore.dataset.pipeline.operation import convert_result
from minispore.dataset.pipeline.ordered_workers import Ticket
from minispore.dataset.pipeline.passes import Indexed, Pass
from minispore.dataset.pipeline.random import copy_for_iterator
from minispore.dataset.pipeline.run import Run
from minispore.errors import DatasetError


@dataclass(frozen=True, eq=False)
class SampledBatches(UnaryNode):
    """Batches of rows of a table, each from a list of row numbers of a batch sampler.

    Args:
        name: the name of the dataset, for messages.
        batch_sampler: yields the lists; iterated again for each pass, if possible.
        function: called with a list of values for each column, returns the batch's value of each
            column; None to stack the values.
    """

    name: str
    batch_sampler: Iterable[Any]
    function: Callable[..., Any] | None
    _stored_lists: list[list[np.ndarray]] = field(default_factory=list)

    def size(self) -> int:
        """Return the number of batches; a sampler without a length is iterated to count them."""
        if isinstance(self.batch_sampler, Sized):
            return len(self.batch_sampler)
        return len(self.list_batches(self._start_sampler()))

    def prepare(self, run: Run) -> None:
        """Make the run's copy of the batch sampler when the run starts."""
        run.get_or_make(self.batch_sampler, self._start_sampler)

    def _start_sampler(self) -> Iterable[Any]:
        """Return the batch sampler for one iterator: a fresh copy, unless it is an iterator."""
        if isinstance(self.batch_sampler, Iterator):
            return self.batch_sampler
        return copy_for_iterator(self.batch_sampler)

    def list_batches(self, batch_sampler: Iterable[Any]) -> list[np.ndarray]:
        """Return the row numbers of each batch of the next pass over ``batch_sampler``.

        An iterator is read once, and its lists are stored for all later passes.

        Raises:
            DatasetError: the sampler fails, is empty, or yields anything other than lists of ints.
        """
        if self._stored_lists:
            return self._stored_lists[0]
        try:
            batches = [
                self._check_row_numbers(i, row_numbers)
                for i, row_numbers in enumerate(batch_sampler)
            ]
        except DatasetError:
            raise
        except Exception as exc:
            raise DatasetError(
                f"{self.name}: batch_sampler failed. {type(exc).__name__}: {exc}"
            ) from exc
        if not batches:
            raise DatasetError(
                f"{self.name}: batch_sampler must not be empty, got {self.batch_sampler!r}."
            )
        if isinstance(self.batch_sampler, Iterator):
            self._stored_lists.append(batches)
        return batches

    def _check_row_numbers(self, i: int, row_numbers: Any) -> np.ndarray:
        """Return the row numbers of batch ``i`` as an array, after checking that they are ints."""
        numbers = list(row_numbers) if isinstance(row_numbers, Iterable) else []
        are_ints = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in numbers)
        if not numbers or not are_ints:
            raise DatasetError(
                f"{self.name}: batch_sampler must give lists of row numbers, at least one in each, "
                f"got {row_numbers!r} for batch {i}."
            )
        return np.array(numbers, np.int64)

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open a pass over the batches that one iteration of the sampler lists."""
        child_pass = self.child.open_pass(run, number)
        assert isinstance(child_pass, Indexed)
        batch_sampler = run.get_or_make(self.batch_sampler, self._start_sampler)
        return _SampledBatchPass(self, child_pass, self.list_batches(batch_sampler))

    def describe(self) -> str:
        return "batch_sampler"

    def get_arguments(self) -> dict[str, Any]:
        return {"batch_sampler": repr(self.batch_sampler), "collate_fn": self.function is not None}

    def collate_batch(self, rows: Block, number: int) -> dict[str, Any]:
        """Collate the rows of batch ``number``, with the user's ``collate_fn`` if given.

        Returns:
            The value of the batch for each column, by column name.

        Raises:
            DatasetError: the rows can't be stacked, or the function failed.
        """
        columns = [row_values(rows.columns[name]) for name in self.columns]
        if self.function is None:
            try:
                collated = [collate(n, c) for n, c in zip(self.columns, columns, strict=True)]
            except DatasetError as exc:
                raise DatasetError(
                    f"{self.name}: batch {number} must have rows that are alike, or a collate_fn. "
                    f"{exc}"
                ) from exc
            return dict(zip(self.columns, collated, strict=True))
        error_prefix = f"{self.name}: collate_fn failed on batch {number}."
        try:
            collated = self.function(*columns)
            results = collated if isinstance(collated, tuple) else (collated,)
            batch_values = [convert_result(v) for v in results]
        except Exception as exc:
            raise DatasetError(f"{error_prefix} {type(exc).__name__}: {exc}") from exc
        if collated is None or len(batch_values) != len(self.columns):
            raise DatasetError(
                f"{error_prefix} It must give a tuple with a value for each column of "
                f"{list(self.columns)}, got {'None' if collated is None else len(batch_values)}."
            )
        return dict(zip(self.columns, batch_values, strict=True))


class _SampledBatchPass(Indexed):
    """A pass of batches over an indexed pass, by lists of row numbers."""

    def __init__(self, node: SampledBatches, child_pass: Indexed, lists: list[np.ndarray]) -> None:
        self._node, self._child_pass, self._lists = node, child_pass, lists
        self.size = len(lists)
        mean_batch_size = sum(map(len, lists)) // max(1, len(lists))
        self.weight = child_pass.weight * (mean_batch_size or 1)
        self.max_threads = child_pass.max_threads

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        """Fetch and collate the batches numbered ``positions``, up to the first that fails.

        If the run is traced, the source rows of a batch are its list of row numbers.
        """
        lists = [self._lists[i] for i in positions.tolist()]
        block = self._child_pass.fetch_rows(np.concatenate(lists), ticket)
        # The function is called with the batches in their order.
        with ticket.enter_turnstile(self) if self._node.function else nullcontext():
            batches, error = self._collate_batches(block, positions.tolist(), lists)
        out = Block(
            {n: stack_rows([batch[n] for batch in batches]) for n in self._node.columns},
            len(batches),
        )
        out.error = error
        if block.source_rows is not None:
            out.source_rows = np.empty(len(batches), object)
            out.source_rows[:] = lists[: len(batches)]
        return out

    def _collate_batches(
        self, block: Block, numbers: list[int], lists: list[np.ndarray]
    ) -> tuple[list[dict[str, Any]], BaseException | None]:
        """Collate the batches that are complete in ``block``, up to the first that fails.

        Returns:
            The values of each batch by column, and the error that ended them: of the next batch, or
            of a row in ``block``; None if there is none.
        """
        batches: list[dict[str, Any]] = []
        begin = 0
        for number, row_numbers in zip(numbers, lists, strict=True):
            end = begin + len(row_numbers)
            if end > block.count:
                break
            try:
                batches.append(self._node.collate_batch(block.slice_rows(begin, end), number))
            except Exception as exc:
                return batches, exc
            begin = end
        return batches, block.error
