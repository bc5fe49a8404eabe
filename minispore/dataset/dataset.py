"""Dataset: a pipeline as users hold it, to be iterated, asked, and made into other ones."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from minispore import checks, context, log
from minispore.dataset import samplers
from minispore.dataset import saving as tfrecord
from minispore.dataset.iterator import (
    DeviceIterator,
    DictIterator,
    TupleIterator,
    checked_epochs,
    start,
)
from minispore.dataset.mindrecord import saving as mindrecord
from minispore.dataset.operations import Operations
from minispore.dataset.pipeline.batching import Batch
from minispore.dataset.pipeline.block import value
from minispore.dataset.pipeline.bucketing import BucketBatch
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import Repeat, Select, Shuffle
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.pipeline.source import Sampled
from minispore.dataset.row_operations import RowOperations, conditions
from minispore.dataset.transfer import TransferDataset, Use
from minispore.errors import DatasetError, did_you_mean
from minispore.files import write_text

_TELL_S = 3.0  # counting for so long is told of


class Dataset(Operations):
    """Base of all datasets.

    A dataset is never changed by its operations, and nothing runs before it is iterated. Each
    iterator is a run of its own: its passes have orders of their own, and under a seed a new
    iterator gives the same passes again.
    """

    __loop_size__: int | None = None  # MindSpore's: steps of a turn in sink mode, set by scripts
    _kinds: ClassVar[dict[type[Node], type[Dataset]]] = {}  # of what operations give

    def __init_subclass__(cls, of: tuple[type[Node], ...] = (), **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        Dataset._kinds.update(dict.fromkeys(of, cls))

    def __init__(self, node: Node, children: Sequence[Any] = ()) -> None:
        self.node = node
        self.children: list[Dataset] = list(children)
        self.use = Use()
        self.input_indexs: Any = ()
        self._size: int | None = None
        self._first: tuple[Node, tuple[Any, ...]] | None = None
        self._init_step = 0

    def _derived(self, node: Node, *others: RowOperations) -> Dataset:
        kind = Dataset._kinds.get(type(node), Dataset)
        made = kind.__new__(kind)
        Dataset.__init__(made, node, (self, *others))
        made.input_indexs = self.input_indexs
        return made

    # -- iterating
    # --------------------------------------------------------------------------------------

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> DictIterator:
        """An iterator over rows as dicts; each ``for`` over it is one pass.

        Args:
            num_epochs (int): how many passes; -1 for no end. Default: ``-1``.
            output_numpy (bool): whether values are NumPy arrays, not Tensors. Default: ``False``.
            do_copy (bool): whether each row gets memory of its own; else rows may be views of
                larger arrays.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: ``num_epochs`` is less than -1.
            RuntimeError: ``num_epochs`` is 0; later, the passes are over or a row fails.
        """
        op = "create_dict_iterator"
        return DictIterator(
            self, _shown(self.node), *_iterator_arguments(op, num_epochs, output_numpy, do_copy)
        )

    def create_tuple_iterator(
        self,
        columns: Sequence[str] | None = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
    ) -> TupleIterator:
        """An iterator over rows as lists of values; each ``for`` over it is one pass.

        Args:
            columns (list, optional): which columns, in which order. Default: ``None``, all.
            num_epochs, output_numpy, do_copy: as for :meth:`create_dict_iterator`.

        Raises:
            RuntimeError: a column does not exist. See :meth:`create_dict_iterator` for others.
        """
        node = _shown(self.node) if columns is None else self.project(columns).node
        op = "create_tuple_iterator"
        return TupleIterator(
            self, node, *_iterator_arguments(op, num_epochs, output_numpy, do_copy)
        )

    def __iter__(self) -> TupleIterator:
        return self.create_tuple_iterator(num_epochs=1)

    def device_iterator(
        self,
        num_passes: int,
        total_batches: int | None = None,
        *,
        first_pass: int = 0,
        first_batch: int = 0,
        with_rows: bool = False,
        seed: Seed | None = None,
    ) -> DeviceIterator:
        """An iterator over the batches of consecutive passes as arrays, for feeding a device.

        Args:
            num_passes (int): how many passes; -1 for no end.
            total_batches (int, optional): stop after so many batches. Default: ``None``, at the end
                of the last pass.
            first_pass (int): the number of the first pass: under a seed, passes before it are left
                out unmade.
            first_batch (int): the batch that the first pass starts with; those before it are left
                out, unmade where rows have random access.
            with_rows (bool): whether each batch carries the ids of its source rows. Default:
                ``False``.
            seed (Seed, optional): of shuffles and random operations. Default: ``None``, as
                ``ds.config`` says.
        """
        return DeviceIterator(
            self.node,
            num_passes,
            total_batches,
            first_pass=first_pass,
            first_batch=first_batch,
            with_rows=with_rows,
            seed=seed,
        )

    def device_que(
        self,
        send_epoch_end: bool = True,
        create_data_info_queue: bool = False,
        queue_name: str = "",
    ) -> TransferDataset:
        """The device's end of this dataset: a named queue, filled by a thread after ``send``.

        Args:
            send_epoch_end (bool): accepted; passes follow each other without a mark.
            create_data_info_queue (bool): accepted; ``get_data_info`` always answers.
            queue_name (str): the name that GetNext asks for. Default: ``""``, a new one.
        """
        checks.boolean("device_que", "send_epoch_end", send_epoch_end)
        checks.boolean("device_que", "create_data_info_queue", create_data_info_queue)
        if not isinstance(queue_name, str):
            raise TypeError(f"device_que: queue_name must be a str, got {queue_name!r}.")
        return TransferDataset(self, queue_name)

    @property
    def __transfer_dataset__(self) -> TransferDataset:
        """MindSpore's name for the queue that this dataset feeds.

        Raises:
            AttributeError: it has fed none.
        """
        if self.use.transfer is None:
            raise AttributeError("__transfer_dataset__: the dataset has not been sunk yet.")
        return self.use.transfer

    def reset(self) -> None:
        """Do nothing: iterators reset themselves."""

    def close(self) -> None:
        """Do nothing: iterators close themselves, and have a ``close`` of their own."""

    # -- asking
    # -----------------------------------------------------------------------------------------

    def get_dataset_size(self) -> int:
        """Rows of one pass (batches, after ``batch``); for an endless repeat, those of one round.

        Where only a run can tell (a filter, a generator without a length), a pass is run and
        counted.
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
        """The names of the columns."""
        return list(_shown(self.node).columns)

    def get_batch_size(self) -> int:
        """Rows of a batch; 1 before ``batch``, -1 where a function says."""
        found = _find(self.node, Batch)
        if not isinstance(found, Batch):
            return 1
        return found.batch_size if isinstance(found.batch_size, int) else -1

    def get_repeat_count(self) -> int:
        """The count of the last ``repeat``; 1 without one, -1 for an endless one."""
        found = _find(self.node, Repeat)
        if not isinstance(found, Repeat):
            return 1
        return -1 if found.rounds is None else found.rounds

    def get_class_indexing(self) -> dict[str, Any]:
        """Class names and their labels, where the source has them."""
        return self.children[0].get_class_indexing() if self.children else {}

    def num_classes(self) -> int | None:
        """The number of classes, where the source knows it."""
        return self.children[0].num_classes() if self.children else None

    def output_shapes(self, estimate: bool = False) -> list[list[int | None]]:
        """The shape of each column, that of the first row.

        Args:
            estimate (bool): look at all rows and put None where they differ. Default: ``False``.
        """
        checks.boolean("output_shapes", "estimate", estimate)
        first = [list(np.shape(v)) for v in self._first_row()]
        if not estimate:
            return first
        seen: list[set[tuple[int, ...]]] = [set() for _ in first]
        run = start(self.node, callbacks=False)
        try:
            for block in run.read(self.node.open(run, 0)):
                if block.error is not None:
                    raise block.error
                for shapes, column in zip(seen, block.columns.values()):
                    if isinstance(column, np.ndarray):
                        shapes.add(column.shape[1:])
                    else:
                        shapes |= {np.shape(v) for v in column}
        finally:
            run.close()
        return [_common(shapes) for shapes in seen]

    def output_types(self) -> list[np.dtype]:
        """The NumPy dtype of each column, that of the first row."""
        return [np.asarray(v).dtype for v in self._first_row()]

    def types_shapes(self) -> tuple[list[np.dtype], list[tuple[int, ...]]]:
        """The dtypes and shapes of the first row, without taking it from any iterator."""
        row = self._first_row()
        return [np.asarray(v).dtype for v in row], [np.shape(v) for v in row]

    def _first_row(self) -> tuple[Any, ...]:
        """The first row of the first pass, made apart from all iterators and kept."""
        if self._first is None or self._first[0] is not self.node:
            run = start(self.node, threads=False, callbacks=False)
            try:
                for block in run.read_one_by_one(self.node.open(run, 0)):
                    if block.error is not None and not block.count:
                        raise block.error
                    self._first = (self.node, tuple(value(c, 0) for c in block.columns.values()))
                    break
                else:
                    raise RuntimeError("output_shapes: the dataset must have a row, got none.")
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
        return _any(
            self.node,
            lambda n: isinstance(n, Sampled) and getattr(n.sampler, "is_sharded", bool)(),
        )

    def to_json(self, filename: str = "") -> dict[str, Any]:
        """The tree of operations with their arguments, as a dict that JSON can hold.

        Args:
            filename (str): write it there too. Default: ``""``, nowhere.
        """
        tree = describe(self.node)
        if filename:
            write_text(filename, json.dumps(tree, indent=2, default=str))
        return tree

    def save(self, file_name: str, num_files: int = 1, file_type: str = "mindrecord") -> None:
        """Write one pass to files, which :class:`MindDataset` or :class:`TFRecordDataset` reads.

        In MindRecord files numbers keep their type if they are int32, int64, float32 or float64, or
        get the next larger of these; of an array, the first size may differ from row to row. In
        TFRecord files integers become int64, floats float32, strings and bytes bytes.

        Args:
            file_name (str): the file; with several, their names have a number at the end.
            num_files (int): how many files the rows go to in turn. Default: ``1``.
            file_type (str): ``"mindrecord"`` or ``"tfrecord"``. Default: ``"mindrecord"``.

        Raises:
            TypeError, ValueError: an argument is not what it must be.
            FileExistsError, RuntimeError: a file is there already.
            RuntimeError: a row fails, or can't be written; no file stays.
        """
        if not isinstance(file_name, str) or not file_name:
            raise TypeError(f"save: file_name must be a str, got {file_name!r}.")
        count = checks.integer("save", "num_files", num_files, 1, 1000)
        if file_type not in _WRITERS:
            raise ValueError(f"save: file_type must be one of {list(_WRITERS)}, got {file_type!r}.")
        run = start(self.node)
        try:
            write = _WRITERS[file_type]
            write(file_name, self.node.columns, run.read(self.node.open(run, 0)), count)
            run.end_pass()
        finally:
            run.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.node.describe()}: {', '.join(self.node.columns)})"

    # -- sync
    # -------------------------------------------------------------------------------------------

    def sync_update(
        self, condition_name: str, num_batch: int | None = None, data: Any = None
    ) -> None:
        """Let rows pass a :meth:`sync_wait`.

        Args:
            condition_name (str): which.
            num_batch (int, optional): how many. Default: ``None``, as many as at first.
            data (optional): given to the callback.

        Raises:
            RuntimeError: there is no such condition.
        """
        known = conditions(self.node)
        if condition_name not in known:
            raise RuntimeError(
                "sync_update: condition_name must name a sync_wait, got "
                f"{condition_name!r}.{did_you_mean(str(condition_name), known)}"
            )
        if num_batch is not None:
            checks.int32("sync_update", "num_batch", num_batch, 1)
        known[condition_name].update(num_batch, data)

    def disable_sync(self) -> None:
        """Let all rows pass."""
        for condition in conditions(self.node).values():
            condition.disable()

    def is_sync(self) -> bool:
        """Whether there is a :meth:`sync_wait`."""
        return bool(conditions(self.node))

    def set_init_step(self, init_step: int) -> None:
        """Let the iterators made from now on begin with a later step, of a later pass if it is
        past the first: a resumed training goes on in the middle. Their later passes are whole.

        >>> import minispore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False)
        >>> data.set_init_step(4)
        >>> rows = data.create_tuple_iterator(num_epochs=2)
        >>> [[int(x) for (x,) in rows] for _ in range(2)]
        [[2, 3], [1, 2, 3]]
        """
        self._init_step = checks.int32("set_init_step", "init_step", init_step, 0)

    def get_init_step(self) -> int:
        """The step that iterators begin with."""
        return self._init_step


class SourceDataset(Dataset):
    """Base of datasets that read something."""


class MappableDataset(SourceDataset):
    """Base of datasets whose rows have random access, so that samplers can pick from them."""

    def use_sampler(self, new_sampler: Any) -> None:
        """Take another sampler from now on.

        Raises:
            TypeError: it is no sampler, nor an iterable of ints.
        """
        if new_sampler is None:
            raise TypeError("use_sampler: new_sampler must be a sampler, got None.")
        node = self._source("use_sampler")
        self.node = replace(node, sampler=samplers.as_sampler(new_sampler).bound(node.table))
        self._size = None

    def add_sampler(self, new_sampler: Any) -> None:
        """Let ``new_sampler`` pick from what the present sampler gives."""
        if new_sampler is None:
            return
        node = self._source("add_sampler")
        added = samplers.as_sampler(new_sampler)
        if isinstance(node.sampler, samplers.Sampler):
            added.add_child(node.sampler)
        self.node = replace(node, sampler=added.bound(node.table))
        self._size = None

    def _source(self, op: str) -> Sampled:
        if not isinstance(self.node, Sampled):
            raise RuntimeError(
                f"{op}: the source must have random access, this {type(self).__name__} has not."
            )
        return self.node


_WRITERS = {"mindrecord": mindrecord.save, "tfrecord": tfrecord.save}


def describe(node: Node) -> dict[str, Any]:
    """A node and all below it as plain dicts and lists."""
    return {
        "op_type": getattr(node, "name", None) or type(node).__name__,
        **node.arguments(),
        "children": [describe(child) for child in node.children],
    }


def _iterator_arguments(
    op: str, epochs: Any, output_numpy: Any, do_copy: Any
) -> tuple[int, bool, bool]:
    return (
        checked_epochs(op, epochs),
        checks.boolean(op, "output_numpy", output_numpy),
        checks.boolean(op, "do_copy", do_copy),
    )


def _find(node: Node, kind: type[Node]) -> Node | None:
    """The first node of a kind on the way down along first children."""
    at: Node | None = node
    while at is not None and not isinstance(at, kind):
        at = at.children[0] if at.children else None
    return at


def _shown(node: Node) -> Node:
    """Without the columns that are hidden until they are renamed, such as ``_meta-filename``."""
    names = [name for name in node.columns if not name.startswith("_meta-")]
    return (
        node
        if len(names) == len(node.columns)
        else Select(node, tuple((name, name) for name in names))
    )


def _any(node: Node, is_it: Callable[[Node], bool]) -> bool:
    return is_it(node) or any(_any(child, is_it) for child in node.children)


def _common(shapes: set[tuple[int, ...]]) -> list[int | None]:
    """The sizes that all shapes share, None where they differ."""
    ranks = {len(s) for s in shapes}
    if len(ranks) != 1:
        return [None]
    return [sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*shapes)]
