"""bucket_batch_by_length: batches of rows of a similar length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.dataset.pipeline.batching import Padding, collate, pad
from minispore.dataset.pipeline.block import Block, from_rows, no_rows, stacked, values
from minispore.dataset.pipeline.node import Over, Pass, Stream
from minispore.dataset.pipeline.run import Run
from minispore.errors import DatasetError

_Row = tuple[int, tuple, Any]  # its number, its values, and the source row, if that is asked for


@dataclass(frozen=True, eq=False)
class BucketBatch(Over):
    """Rows batched with others of a similar length.

    Args:
        inputs: the columns that tell the length.
        boundaries: rising; bucket i takes lengths from boundaries[i - 1] to below boundaries[i],
            the last one the rest.
        sizes: the batch size of each bucket.
        length: a function of the input columns; None for the first size of the one column, 0 of one
            without axes.
        padding: columns to be padded.
        to_boundary: whether sizes that a shape names as None are those of the bucket: its boundary
            minus one.
        drop: whether the last, incomplete batch of each bucket is left out.
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

    def arguments(self) -> dict[str, Any]:
        return {
            "column_names": list(self.inputs),
            "bucket_boundaries": list(self.boundaries),
            "bucket_batch_sizes": list(self.sizes),
            "drop_remainder": self.drop,
        }

    def open(self, run: Run, number: int) -> Pass:
        return _Buckets(self, run, self.child.open(run, number))


class _Buckets(Stream):
    def __init__(self, node: BucketBatch, run: Run, below: Pass) -> None:
        self._node, self._run, self._below = node, run, below
        self._meter = run.meter(node, node.describe())
        self.weight = below.weight * max(node.sizes)

    def blocks(self) -> Iterator[Block]:
        node = self._node
        buckets: list[list[_Row]] = [[] for _ in node.sizes]
        number = 0
        for block in self._run.read(self._below):
            names = list(block.columns)
            ids = [None] * block.count if block.rows is None else block.rows
            for row, source in zip(block.copies(), ids, strict=True):
                try:
                    i = self._bucket(dict(zip(names, row)), number)
                    buckets[i].append((number, row, source))
                    if len(buckets[i]) == node.sizes[i]:
                        full, buckets[i] = buckets[i], []
                        yield self._batch(names, full, i)
                except DatasetError as exc:
                    yield no_rows(names, exc)
                    return
                number += 1
            if block.error is not None:
                yield no_rows(names, block.error)
                return
        if not node.drop:
            for i, rest in enumerate(buckets):
                if rest:
                    yield self._batch(names, rest, i)

    def _bucket(self, row: dict[str, Any], number: int) -> int:
        node = self._node
        where = f"bucket_batch_by_length: element_length_function failed on row {number}"
        given = [row[name] for name in node.inputs]
        try:
            size = *np.shape(given[0]), 0  # what has no axes has no length either
            length = size[0] if node.length is None else node.length(*given)
            if isinstance(length, np.ndarray) and length.size == 1:
                length = length.item()
            if isinstance(length, float | str):
                raise TypeError(f"it must give an int, got {length!r}")
            length = int(length)
        except Exception as exc:
            raise DatasetError(f"{where}. {type(exc).__name__}: {exc}") from exc
        if length < 0:
            raise DatasetError(f"{where}. It must give 0 or more, got {length}.")
        return int(np.searchsorted(node.boundaries, length, side="right"))

    def _most(self, name: str, bucket: int) -> int:
        """The largest length in a bucket."""
        if bucket == len(self._node.boundaries):
            raise DatasetError(
                f"bucket_batch_by_length: pad_info[{name!r}] must say the size of rows that are "
                f"longer than bucket_boundaries, got None for one beyond "
                f"{self._node.boundaries[-1]}. pad_to_bucket_boundary has no boundary for it."
            )
        return self._node.boundaries[bucket] - 1

    def _batch(self, names: list[str], rows: list[_Row], bucket: int) -> Block:
        node = self._node
        with self._meter.time(1):
            columns = from_rows(names, [row for _, row, _ in rows]).columns
            out = {}
            for name in names:
                if node.padding is not None and name in node.padding:
                    shape, fill = node.padding[name]
                    if node.to_boundary and shape is not None and None in shape:
                        most = self._most(name, bucket)
                        shape = tuple(most if s is None else s for s in shape)
                    out[name] = pad(name, values(columns[name]), shape, fill, rows[0][0])
                else:
                    out[name] = collate(name, values(columns[name]), rows[0][0])
            made = Block({n: stacked([c]) for n, c in out.items()}, 1)
            sources = [source for _, _, source in rows]
            if None not in sources:
                made.rows = np.empty(1, object)
                made.rows[:] = [np.array(sources)]
            return made
