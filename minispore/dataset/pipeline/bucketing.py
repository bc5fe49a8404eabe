"""The ``bucket_batch_by_length`` node: batches of rows of a similar length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.dataset.pipeline.batching import Padding, collate, pad
from minispore.dataset.pipeline.block import (
    Block,
    from_rows,
    make_empty_block,
    row_values,
    stack_rows,
)
from minispore.dataset.pipeline.node import UnaryNode
from minispore.dataset.pipeline.passes import Pass, Stream
from minispore.dataset.pipeline.run import Run
from minispore.errors import DatasetError

_Row = tuple[int, tuple, Any]  # row number, values, and the source row if the run is traced


@dataclass(frozen=True, eq=False)
class BucketBatch(UnaryNode):
    """Batches of rows of a similar length.

    Args:
        inputs: the columns that determine the length.
        boundaries: increasing; bucket i takes lengths in [boundaries[i - 1], boundaries[i]), the
            last bucket takes the rest.
        sizes: the batch size of each bucket.
        length: a function of the input columns; None for the first dimension of the only column, 0
            for a scalar.
        padding: the columns to pad.
        to_boundary: whether sizes given as None in a shape are the bucket's boundary minus one.
        drop: whether the last, incomplete batch of each bucket is dropped.
    """

    inputs: tuple[str, ...]
    boundaries: tuple[int, ...]
    sizes: tuple[int, ...]
    length: Callable[..., Any] | None
    padding: Padding | None
    to_boundary: bool
    drop: bool

    def size(self) -> None:
        return None

    def describe(self) -> str:
        return "bucket_batch_by_length"

    def get_arguments(self) -> dict[str, Any]:
        """Return the arguments that ``to_json`` writes, without functions and padding."""
        return {
            "column_names": list(self.inputs),
            "bucket_boundaries": list(self.boundaries),
            "bucket_batch_sizes": list(self.sizes),
            "drop_remainder": self.drop,
        }

    def open_pass(self, run: Run, number: int) -> Pass:
        return _BucketPass(self, run, self.child.open_pass(run, number))


class _BucketPass(Stream):
    """A pass that collects rows in buckets and yields a bucket as a batch once it is full."""

    def __init__(self, node: BucketBatch, run: Run, child_pass: Pass) -> None:
        self._node, self._run, self._child_pass = node, run, child_pass
        self._meter = run.get_meter(node, node.describe())
        self.weight = child_pass.weight * max(node.sizes)

    def iterate_blocks(self) -> Iterator[Block]:
        """Yield each bucket as a batch once it is full; at the end, the rest unless dropped."""
        node = self._node
        buckets: list[list[_Row]] = [[] for _ in node.sizes]
        number = 0
        for block in self._run.read_blocks(self._child_pass):
            names = list(block.columns)
            ids = [None] * block.count if block.source_rows is None else block.source_rows
            for row, source in zip(block.copy_rows(), ids, strict=True):
                try:
                    i = self._choose_bucket(dict(zip(names, row)), number)
                    buckets[i].append((number, row, source))
                    if len(buckets[i]) == node.sizes[i]:
                        batch_rows, buckets[i] = buckets[i], []
                        yield self._make_batch(names, batch_rows, i)
                except DatasetError as exc:
                    yield make_empty_block(names, exc)
                    return
                number += 1
            if block.error is not None:
                yield make_empty_block(names, block.error)
                return
        if not node.drop:
            for i, remaining_rows in enumerate(buckets):
                if remaining_rows:
                    yield self._make_batch(names, remaining_rows, i)

    def _choose_bucket(self, row: dict[str, Any], number: int) -> int:
        """Return the index of the bucket for row ``number``, from its length.

        The length is the result of the length function, or the first dimension of the first input
        column.

        Raises:
            DatasetError: the length function failed or did not return an int of 0 or more.
        """
        node = self._node
        error_prefix = f"bucket_batch_by_length: element_length_function failed on row {number}"
        function_args = [row[name] for name in node.inputs]
        try:
            shape = *np.shape(function_args[0]), 0  # a 0-d array has length 0
            length = shape[0] if node.length is None else node.length(*function_args)
            if isinstance(length, np.ndarray) and length.size == 1:
                length = length.item()
            if isinstance(length, float | str):
                raise TypeError(f"it must give an int, got {length!r}")
            length = int(length)
        except Exception as exc:
            raise DatasetError(f"{error_prefix}. {type(exc).__name__}: {exc}") from exc
        if length < 0:
            raise DatasetError(f"{error_prefix}. It must give 0 or more, got {length}.")
        return int(np.searchsorted(node.boundaries, length, side="right"))

    def _get_bucket_limit(self, name: str, bucket: int) -> int:
        """Return the largest length in a bucket, to which its rows are padded.

        Raises:
            DatasetError: the bucket is the last one, which has no boundary.
        """
        if bucket == len(self._node.boundaries):
            raise DatasetError(
                f"bucket_batch_by_length: pad_info[{name!r}] must say the size of rows that are "
                f"longer than bucket_boundaries, got None for one beyond "
                f"{self._node.boundaries[-1]}. pad_to_bucket_boundary has no boundary for it."
            )
        return self._node.boundaries[bucket] - 1

    def _make_batch(self, names: list[str], rows: list[_Row], bucket: int) -> Block:
        """Pad and stack the rows of a bucket into a block of one batch."""
        node = self._node
        with self._meter.time(1):
            columns = from_rows(names, [row for _, row, _ in rows]).columns
            out = {}
            for name in names:
                if node.padding is not None and name in node.padding:
                    shape, fill = node.padding[name]
                    if node.to_boundary and shape is not None and None in shape:
                        limit = self._get_bucket_limit(name, bucket)
                        shape = tuple(limit if s is None else s for s in shape)
                    out[name] = pad(name, row_values(columns[name]), shape, fill, rows[0][0])
                else:
                    out[name] = collate(name, row_values(columns[name]), rows[0][0])
            batch = Block({n: stack_rows([c]) for n, c in out.items()}, 1)
            sources = [source for _, _, source in rows]
            if None not in sources:
                batch.source_rows = np.empty(1, object)
                batch.source_rows[:] = [np.array(sources)]
            return batch
