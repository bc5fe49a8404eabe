"""What a dataset can be asked: its size, its columns, and how its rows came about."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from types import UnionType
from typing import TYPE_CHECKING, Any

import numpy as np

from minispore import context, log
from minispore.dataset import check
from minispore.dataset.iterator import start
from minispore.dataset.operations import Operations
from minispore.dataset.pipeline.batching import Batch
from minispore.dataset.pipeline.block import value
from minispore.dataset.pipeline.bucketing import BucketBatch
from minispore.dataset.pipeline.flow import FlatMap
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import Repeat, Select, Shuffle
from minispore.dataset.pipeline.picked import Picked
from minispore.dataset.pipeline.source import Sampled
from minispore.errors import DatasetError

if TYPE_CHECKING:
    from minispore.dataset.dataset import Dataset

_TELL_S = 3.0  # counting for so long is told of


class Questions(Operations):
    """What a dataset can be asked."""

    children: list[Dataset]
    _size: int | None = None  # once it was counted
    _first: tuple[Node, tuple[Any, ...]] | None = None  # the first row of a node

    def get_dataset_size(self) -> int:
        """Rows of one pass (batches, after ``batch``); for an endless repeat, those of one round.

        Where only a run can tell (a filter, a generator without a length), a pass is
        run and counted.
        """
        if self._size is None:
            known = self.node.size()
            self._size = self._counted() if known is None else known
        return self._size

    def knows_size(self) -> bool:
        """Whether its size is known without running a pass."""
        return self._size is not None or self.node.size() is not None

    def _counted(self) -> int:
        run = start(self.node, callbacks=False)
        try:
            count, begun, told = 0, time.monotonic(), False
            for block in run.read(self.node.open(run, 0)):
                if block.error is not None:
                    raise block.error
                count += block.count
                taken = time.monotonic() - begun
                if taken > _TELL_S and not told:
                    told = True
                    log.warning(
                        "get_dataset_size: %s has no length, so a pass is run to count its rows: "
                        "%d so far. If it has no end, pass sink_size to Model.train.",
                        type(self).__name__,
                        count,
                    )
                if taken > context.current().op_timeout:
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
        """The names of the columns, of those that are hidden until they are renamed, too."""
        return list(self.node.columns)

    def get_batch_size(self) -> int:
        """Rows of a batch; 1 before ``batch``, -1 where a function says.

        After ``flat_map`` it is that of the dataset made of the first row.
        """
        found = _find(self.node, Batch | Picked)
        if not isinstance(found, Batch):
            return 1 if found is None else -1
        return found.batch_size if isinstance(found.batch_size, int) else -1

    def get_repeat_count(self) -> int:
        """The count of the last ``repeat`` of more than 1; 1 without one, -1 for an endless one.

        After ``flat_map`` it is that of the dataset made of the first row.
        """
        found = _find(self.node, Repeat)
        while isinstance(found, Repeat) and found.rounds == 1:
            found = _find(found.child, Repeat)
        if not isinstance(found, Repeat):
            return 1
        return -1 if found.rounds is None else found.rounds

    @property
    def num_parallel_workers(self) -> int | None:
        """How many workers the last operation was given; None for what ``ds.config`` says."""
        return getattr(self.node, "workers", None)

    def get_class_indexing(self) -> dict[str, Any]:
        """Class names and their labels, where the source has them."""
        return self.children[0].get_class_indexing() if self.children else {}

    def num_classes(self) -> int | None:
        """The number of classes, where the source knows it."""
        return self.children[-1].num_classes() if self.children else None

    def output_shapes(self, estimate: bool = False) -> list[list[int | None]]:
        """The shape of each column, that of the first row.

        Args:
            estimate (bool): look at all rows and put None where they differ. Default: ``False``.

        Raises:
            TypeError: ``estimate`` is no bool.
            RuntimeError: rows have different numbers of axes.
        """
        check.boolean("output_shapes", "estimate", estimate)
        first: list[list[int | None]] = [[*_shape(v)] for v in self._first_row()]
        if not estimate:
            return first
        seen: list[set[tuple[int, ...]]] = [set() for _ in first]
        run = start(self.node, callbacks=False)
        try:
            for block in run.read(self.node.open(run, 0)):
                if block.error is not None:
                    raise block.error
                for shapes, column in zip(seen, block.columns.values()):
                    if isinstance(column, np.ndarray) and column.dtype != object:
                        shapes.add(column.shape[1:])
                    else:
                        shapes |= {_shape(v) for v in column}
        finally:
            run.close()
        for shapes in seen:
            if len(set(map(len, shapes))) > 1:
                raise RuntimeError(
                    f"output_shapes: all rows must have one number of axes, got {sorted(shapes)}. "
                    "Inconsistent shapes, expect same shape for each data row: pad them with map."
                )
        return [_common(shapes) for shapes in seen]

    def output_types(self) -> list[np.dtype]:
        """The NumPy dtype of each column, that of the first row."""
        kinds = [np.asarray(v).dtype for v in self._first_row()]
        return [np.dtype(kind.kind) if kind.kind in "US" else kind for kind in kinds]

    def types_shapes(self) -> tuple[list[np.dtype], list[tuple[int, ...]]]:
        """The dtypes and shapes of the first row, without taking it from any iterator."""
        row = self._first_row()
        if not row:
            raise RuntimeError("output_shapes: the dataset must have a row, got none.")
        return [np.asarray(v).dtype for v in row], [np.shape(v) for v in row]

    def _first_row(self) -> tuple[Any, ...]:
        """The first row of the first pass, made apart from all iterators and kept; none if there
        is none."""
        if self._first is None or self._first[0] is not self.node:
            run = start(self.node, threads=False, callbacks=False)
            try:
                for block in run.read_one_by_one(self.node.open(run, 0)):
                    if block.error is not None and not block.count:
                        raise block.error
                    self._first = (self.node, tuple(value(c, 0) for c in block.columns.values()))
                    break
                else:
                    return ()
            finally:
                run.close()
        assert self._first is not None
        return self._first[1]

    def is_shuffled(self) -> bool:
        """Whether rows come in random order."""
        return _any(
            self.node,
            lambda n: (
                isinstance(n, Shuffle)
                or (isinstance(n, Sampled) and getattr(n.sampler, "is_shuffled", bool)())
            ),
        )

    def is_batched(self) -> bool:
        """Whether rows were put into batches."""
        return _any(self.node, lambda n: isinstance(n, Batch | BucketBatch))

    def is_sharded(self) -> bool:
        """Whether the rows are those of a shard."""
        return _any(self.node, _is_shard)


def _find(node: Node, kind: type[Node] | UnionType) -> Node | None:
    """The first node of a kind on the way down along last children."""
    at: Node | None = node
    while at is not None and not isinstance(at, kind):
        if isinstance(at, FlatMap):
            at = at.first
        else:
            at = at.children[-1] if at.children else None
    return at


def visible(node: Node) -> Node:
    """Without the columns that are hidden until they are renamed, such as ``_meta-filename``."""
    names = [name for name in node.columns if not name.startswith("_meta-")]
    alike = len(names) == len(node.columns)
    return node if alike else Select(node, tuple((name, name) for name in names))


def from_a_shard(node: Node) -> bool:
    """Whether rows come from a shard: also those that a flat_map is given."""
    made = _below(node) if isinstance(node, FlatMap) else ()
    return _is_shard(node) or any(map(from_a_shard, (*node.children, *made)))


def _is_shard(node: Node) -> bool:
    return isinstance(node, Sampled) and getattr(node.sampler, "is_sharded", bool)()


def _any(node: Node, is_it: Callable[[Node], bool]) -> bool:
    return is_it(node) or any(_any(child, is_it) for child in _below(node))


def _below(node: Node) -> Iterable[Node]:
    """Where its rows come from: of a flat_map what it makes, not what it is given."""
    if isinstance(node, FlatMap):
        return () if node.first is None else (node.first,)
    return node.children


def _shape(value: Any) -> tuple[int, ...]:
    """The shape that is told of a value: a dict has one axis, which is empty."""
    return (0,) if isinstance(value, dict) else np.shape(value)


def _common(shapes: set[tuple[int, ...]]) -> list[int | None]:
    """The sizes that all shapes share, None where they differ."""
    return [sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*shapes)]
