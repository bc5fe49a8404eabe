"""The properties of a dataset: its size, columns, shapes, and how its rows are produced."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from types import UnionType
from typing import TYPE_CHECKING, Any

import numpy as np

from minispore import context, log
from minispore.dataset import check
from minispore.dataset.iterator import start_run
from minispore.dataset.operations import Operations
from minispore.dataset.pipeline.batch_sampler import SampledBatches
from minispore.dataset.pipeline.batching import Batch
from minispore.dataset.pipeline.block import row_value
from minispore.dataset.pipeline.bucketing import BucketBatch
from minispore.dataset.pipeline.flow import FlatMap
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import Repeat, Select, Shuffle
from minispore.dataset.pipeline.source import Sampled
from minispore.errors import DatasetError

if TYPE_CHECKING:
    from minispore.dataset.dataset import Dataset

_LOG_AFTER_S = 3.0  # counting that takes longer is logged


class DatasetProperties(Operations):
    """Base of datasets: their size, columns, shapes and other properties."""

    children: list[Dataset]
    _size: int | None = None  # None until it is known
    _cached_first_row: tuple[Node, tuple[Any, ...]] | None = None  # the first row of a node

    def get_dataset_size(self) -> int:
        """Return the number of rows in a pass (batches, after ``batch``).

        An endless repeat returns the number of one round. If the number can't be computed (a
        filter, a generator without a length), a pass is run and its rows are counted.
        """
        if self._size is None:
            size = self.node.size()
            self._size = self._count_rows() if size is None else size
        return self._size

    def knows_size(self) -> bool:
        """Whether the size is known without running a pass."""
        return self._size is not None or self.node.size() is not None

    def _count_rows(self) -> int:
        """Run a pass and return its number of rows; logs a warning once if it takes long.

        Raises:
            DatasetError: a row fails, or the pass did not end within ``op_timeout``.
        """
        run = start_run(self.node, callbacks=False)
        try:
            count, start_time, has_warned = 0, time.monotonic(), False
            for block in run.read_blocks(self.node.open_pass(run, 0)):
                if block.error is not None:
                    raise block.error
                count += block.count
                elapsed = time.monotonic() - start_time
                if elapsed > _LOG_AFTER_S and not has_warned:
                    has_warned = True
                    log.warning(
                        "get_dataset_size: %s has no length, so a pass is run to count its rows: "
                        "%d so far. If it has no end, pass sink_size to Model.train.",
                        type(self).__name__,
                        count,
                    )
                if elapsed > context.current().op_timeout:
                    raise DatasetError(
                        f"get_dataset_size: a pass must end within op_timeout="
                        f"{context.current().op_timeout} s, {count} rows came so far. If the "
                        "source has no end, pass sink_size to Model.train; else raise op_timeout."
                    )
            return count
        finally:
            run.close()

    def __len__(self) -> int:
        return self.get_dataset_size()

    def __bool__(self) -> bool:
        return True

    def get_col_names(self) -> list[str]:
        """Return the names of all columns, including those hidden until they are renamed."""
        return list(self.node.columns)

    def get_batch_size(self) -> int:
        """Return the batch size: 1 before ``batch``, -1 if a function chooses it.

        After ``flat_map`` it is the batch size of the dataset made from the first row.
        """
        batch_node = _find_node(self.node, Batch | SampledBatches)
        if not isinstance(batch_node, Batch):
            return 1 if batch_node is None else -1
        return batch_node.batch_size if isinstance(batch_node.batch_size, int) else -1

    def get_repeat_count(self) -> int:
        """Return the count of the last ``repeat`` of more than 1; 1 without one, -1 for no limit.

        After ``flat_map`` it is the count of the dataset made from the first row.
        """
        repeat_node = _find_node(self.node, Repeat)
        while isinstance(repeat_node, Repeat) and repeat_node.rounds == 1:
            repeat_node = _find_node(repeat_node.child, Repeat)
        if not isinstance(repeat_node, Repeat):
            return 1
        return -1 if repeat_node.rounds is None else repeat_node.rounds

    @property
    def num_parallel_workers(self) -> int | None:
        """The last operation's ``num_parallel_workers``; None for the number in ``ds.config``."""
        return getattr(self.node, "workers", None)

    def get_class_indexing(self) -> dict[str, Any]:
        """Return class names and their labels; {} if the source has none."""
        return self.children[0].get_class_indexing() if self.children else {}

    def num_classes(self) -> int | None:
        """Return the number of classes; None if the source does not know it."""
        return self.children[-1].num_classes() if self.children else None

    def output_shapes(self, estimate: bool = False) -> list[list[int | None]]:
        """Return the shape of each column in the first row.

        Args:
            estimate (bool): read all rows and use None where sizes differ. Default: ``False``.

        Raises:
            TypeError: ``estimate`` is not a bool.
            RuntimeError: rows have different numbers of axes.
        """
        check.boolean("output_shapes", "estimate", estimate)
        first: list[list[int | None]] = [[*_get_value_shape(v)] for v in self._read_first_row()]
        if not estimate:
            return first
        shapes_of_columns: list[set[tuple[int, ...]]] = [set() for _ in first]
        run = start_run(self.node, callbacks=False)
        try:
            for block in run.read_blocks(self.node.open_pass(run, 0)):
                if block.error is not None:
                    raise block.error
                for shapes, column in zip(shapes_of_columns, block.columns.values()):
                    if isinstance(column, np.ndarray) and column.dtype != object:
                        shapes.add(column.shape[1:])
                    else:
                        shapes |= {_get_value_shape(v) for v in column}
        finally:
            run.close()
        for shapes in shapes_of_columns:
            if len(set(map(len, shapes))) > 1:
                raise RuntimeError(
                    f"output_shapes: all rows must have one number of axes, got {sorted(shapes)}. "
                    "Inconsistent shapes, expect same shape for each data row: pad them with map."
                )
        return [_find_common_sizes(shapes) for shapes in shapes_of_columns]

    def output_types(self) -> list[np.dtype]:
        """Return the NumPy dtype of each column in the first row."""
        dtypes = [np.asarray(v).dtype for v in self._read_first_row()]
        return [np.dtype(dtype.kind) if dtype.kind in "US" else dtype for dtype in dtypes]

    def types_shapes(self) -> tuple[list[np.dtype], list[tuple[int, ...]]]:
        """Return the dtypes and shapes of the first row without consuming it from an iterator.

        Raises:
            RuntimeError: the dataset has no rows.
        """
        row = self._read_first_row()
        if not row:
            raise RuntimeError("output_shapes: the dataset must have a row, got none.")
        return [np.asarray(v).dtype for v in row], [np.shape(v) for v in row]

    def _read_first_row(self) -> tuple[Any, ...]:
        """Return the first row of the first pass, read in a separate run, and store it.

        The row is empty if there are no rows.
        """
        if self._cached_first_row is None or self._cached_first_row[0] is not self.node:
            run = start_run(self.node, threads=False, callbacks=False)
            try:
                for block in run.read_one_by_one(self.node.open_pass(run, 0)):
                    if block.error is not None and not block.count:
                        raise block.error
                    row = tuple(row_value(column, 0) for column in block.columns.values())
                    self._cached_first_row = self.node, row
                    break
                else:
                    return ()
            finally:
                run.close()
        assert self._cached_first_row is not None
        return self._cached_first_row[1]

    def is_shuffled(self) -> bool:
        """Whether rows come in random order."""
        return _any_node(self.node, _is_shuffled)

    def is_batched(self) -> bool:
        """Whether rows are combined into batches."""
        return _any_node(self.node, lambda n: isinstance(n, Batch | BucketBatch))

    def is_sharded(self) -> bool:
        """Whether the rows are only a shard of the source."""
        return _any_node(self.node, _is_shard)


def _find_node(node: Node, kind: type[Node] | UnionType) -> Node | None:
    """Find the first node of a class on the path from ``node`` down through last children."""
    current: Node | None = node
    while current is not None and not isinstance(current, kind):
        if isinstance(current, FlatMap):
            current = current.first_node
        else:
            current = current.children[-1] if current.children else None
    return current


def hide_meta_columns(node: Node) -> Node:
    """Return the node without columns that are hidden until renamed, such as ``_meta-filename``."""
    names = [name for name in node.columns if not name.startswith("_meta-")]
    is_unchanged = len(names) == len(node.columns)
    return node if is_unchanged else Select(node, tuple((name, name) for name in names))


def reads_a_shard(node: Node) -> bool:
    """Whether rows come from a shard, also through the input of a flat_map."""
    inner_nodes = _list_row_sources(node) if isinstance(node, FlatMap) else ()
    return _is_shard(node) or any(map(reads_a_shard, (*node.children, *inner_nodes)))


def _is_shuffled(node: Node) -> bool:
    """Whether a node itself shuffles rows."""
    if isinstance(node, Shuffle):
        return True
    return isinstance(node, Sampled) and getattr(node.sampler, "is_shuffled", bool)()


def _is_shard(node: Node) -> bool:
    """Whether the rows of a source are a shard of its table."""
    return isinstance(node, Sampled) and getattr(node.sampler, "is_sharded", bool)()


def _any_node(node: Node, matches: Callable[[Node], bool]) -> bool:
    """Whether ``matches`` is true for a node or for any node that its rows come from."""
    return matches(node) or any(_any_node(child, matches) for child in _list_row_sources(node))


def _list_row_sources(node: Node) -> Iterable[Node]:
    """Return the nodes that a node's rows come from; for a flat_map the node that it makes."""
    if isinstance(node, FlatMap):
        return () if node.first_node is None else (node.first_node,)
    return node.children


def _get_value_shape(value: Any) -> tuple[int, ...]:
    """Return the shape that is reported for a value; a dict has the shape (0,)."""
    return (0,) if isinstance(value, dict) else np.shape(value)


def _find_common_sizes(shapes: set[tuple[int, ...]]) -> list[int | None]:
    """Return the sizes that all shapes have in common, None where they differ."""
    return [sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*shapes)]
