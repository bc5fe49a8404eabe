"""Dataset: the user's view of a pipeline, to be iterated, queried, and extended by operations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from minispore.dataset import check, samplers
from minispore.dataset import saving as tfrecord
from minispore.dataset.iterator import (
    DeviceIterator,
    DictIterator,
    TupleIterator,
    check_num_epochs,
    start_run,
)
from minispore.dataset.mindrecord import saving as mindrecord
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.pipeline.source import Sampled
from minispore.dataset.properties import DatasetProperties, hide_meta_columns
from minispore.dataset.row_operations import RowOperations, find_conditions
from minispore.dataset.transfer import DatasetUse, TransferDataset
from minispore.errors import did_you_mean
from minispore.foundation import checks
from minispore.foundation.charts import format_html_table
from minispore.foundation.files import write_text
from minispore.foundation.foreign_names import add_keyword_hints


class Dataset(DatasetProperties):
    """Base of all datasets.

    Operations never change a dataset, and nothing runs before it is iterated. Each iterator is a
    separate run: each of its passes has its own order, and under a seed a new iterator repeats the
    same passes.
    """

    __loop_size__: int | None = None  # MindSpore's: steps of one sink, set by scripts
    # The dataset class for each node class.
    _class_of_node: ClassVar[dict[type[Node], type[Dataset]]] = {}

    def __init_subclass__(cls, of: tuple[type[Node], ...] = (), **kwargs: Any) -> None:
        """Register the subclass as the dataset class of the node classes ``of``.

        Also lets errors of the constructor suggest a replacement for an unknown keyword.
        """
        super().__init_subclass__(**kwargs)
        if "__init__" in vars(cls):
            cls.__init__ = add_keyword_hints(cls.__init__)  # type: ignore[method-assign]
        Dataset._class_of_node.update(dict.fromkeys(of, cls))

    def __init__(self, node: Node, children: Sequence[Any] = ()) -> None:
        self.node = node
        self.children: list[Dataset] = list(children)
        self.use = DatasetUse()
        self.input_indexs: Any = ()
        self._init_step: int | None = None

    def _make_derived(self, node: Node, *others: RowOperations) -> Dataset:
        """Return a dataset of ``node`` whose inputs are this dataset and ``others``.

        Its class is the one registered for the node's type; ``input_indexs`` is copied.
        """
        cls = Dataset._class_of_node.get(type(node), Dataset)
        dataset = cls.__new__(cls)
        Dataset.__init__(dataset, node, (self, *others))
        dataset.input_indexs = self.input_indexs
        return dataset

    # -- iterating ---------------------------------------------------------------------------------

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> DictIterator:
        """Return an iterator over rows as dicts; each ``for`` over it is one pass.

        Args:
            num_epochs (int): the number of passes; -1 for no limit. Default: ``-1``.
            output_numpy (bool): whether values are NumPy arrays, not Tensors. Default: ``False``.
            do_copy (bool): whether each row is copied into its own memory; else rows may be views
                of larger arrays.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: ``num_epochs`` is less than -1.
            RuntimeError: ``num_epochs`` is 0; later, when no pass is left or a row fails.
        """
        node = hide_meta_columns(self.node)
        checked = _check_iterator_arguments(
            "create_dict_iterator", num_epochs, output_numpy, do_copy
        )
        return DictIterator(self, node, *checked)

    def create_tuple_iterator(
        self,
        columns: Sequence[str] | None = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
    ) -> TupleIterator:
        """Return an iterator over rows as lists of values; each ``for`` over it is one pass.

        Args:
            columns (list, optional): the columns to return, in order. Default: ``None``, all.
            num_epochs, output_numpy, do_copy: as for :meth:`create_dict_iterator`.

        Raises:
            RuntimeError: a column does not exist. See :meth:`create_dict_iterator` for others.
        """
        node = hide_meta_columns(self.node if columns is None else self.project(columns).node)
        checked = _check_iterator_arguments(
            "create_tuple_iterator", num_epochs, output_numpy, do_copy
        )
        return TupleIterator(self, node, *checked)

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
        """Return an iterator over the batches of consecutive passes, as arrays for a device.

        Args:
            num_passes (int): the number of passes; -1 for no limit.
            total_batches (int, optional): the number of batches to stop after. Default: ``None``,
                stop at the end of the last pass.
            first_pass (int): the number of the first pass: under a seed, earlier passes are skipped
                without computing them.
            first_batch (int): the batch that the first pass starts with; earlier batches are
                skipped, without computing them where rows have random access.
            with_rows (bool): whether each batch carries the ids of its source
                rows. Default: ``False``.
            seed (Seed, optional): the seed of shuffles and random operations. Default: ``None``,
                the seed of ``ds.config``.
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
        """Make the device queue of this dataset, which a thread fills after ``send``.

        Args:
            send_epoch_end (bool): accepted; passes follow each other without a marker.
            create_data_info_queue (bool): accepted; ``get_data_info`` always works.
            queue_name (str): the name that GetNext reads from. Default: ``""``, a new name.

        Raises:
            TypeError: an argument has a wrong type.
        """
        check.boolean("device_que", "send_epoch_end", send_epoch_end)
        check.boolean("device_que", "create_data_info_queue", create_data_info_queue)
        if not isinstance(queue_name, str):
            raise TypeError(f"device_que: queue_name must be a str, got {queue_name!r}.")
        return TransferDataset(self, queue_name)

    @property
    def __transfer_dataset__(self) -> TransferDataset:
        """The queue that this dataset feeds, under MindSpore's name.

        Raises:
            AttributeError: the dataset has not fed a queue.
        """
        if self.use.transfer is None:
            raise AttributeError("__transfer_dataset__: the dataset has not been sunk yet.")
        return self.use.transfer

    def reset(self) -> None:
        """Do nothing: iterators reset themselves."""

    def close(self) -> None:
        """Do nothing: iterators close themselves, and have their own ``close``."""

    # -- writing, showing --------------------------------------------------------------------------

    def to_json(self, filename: str = "") -> dict[str, Any]:
        """Return the tree of operations with their arguments, as a dict that JSON can hold.

        Args:
            filename (str): a file to write the JSON to. Default: ``""``, no file.
        """
        tree = node_to_dict(self.node)
        if filename:
            write_text(filename, json.dumps(tree, indent=2, default=str))
        return tree

    def save(self, file_name: str, num_files: int = 1, file_type: str = "mindrecord") -> None:
        """Write one pass to files, which :class:`MindDataset` or :class:`TFRecordDataset` reads.

        In MindRecord files int32, int64, float32 and float64 keep their type, and other numbers get
        the next larger of these; the first dimension of an array may differ from row to row. In
        TFRecord files integers become int64, floats float32, strings and bytes bytes.

        Args:
            file_name (str): the file; several files get a number at the end of their names.
            num_files (int): the number of files, which get rows in turn. Default: ``1``.
            file_type (str): ``"mindrecord"`` or ``"tfrecord"``. Default: ``"mindrecord"``.

        Raises:
            TypeError, ValueError: an argument has an invalid type or value.
            FileExistsError, RuntimeError: a file already exists.
            RuntimeError: a row fails, or can't be written; no file is left behind.
        """
        if not isinstance(file_name, str) or not file_name:
            raise TypeError(f"save: file_name must be a str, got {file_name!r}.")
        count = check.integer("save", "num_files", num_files, 1, 1000)
        if file_type not in _WRITERS:
            raise ValueError(f"save: file_type must be one of {list(_WRITERS)}, got {file_type!r}.")
        run = start_run(self.node)
        try:
            write = _WRITERS[file_type]
            write(file_name, self.node.columns, run.read_blocks(self.node.open_pass(run, 0)), count)
            run.end_pass()
        finally:
            run.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.node.describe()}: {', '.join(self.node.columns)})"

    def _repr_html_(self) -> str:
        """Return an HTML table of the operations, from the source on, for notebooks.

        No row is read.
        """
        nodes: list[Node] = []

        def add_with_children(node: Node) -> None:
            """Append a node to ``nodes``, after all nodes that it reads from."""
            for child in node.children:
                add_with_children(child)
            nodes.append(node)

        add_with_children(self.node)
        rows = [[node.describe(), ", ".join(node.columns)] for node in nodes]
        return format_html_table(type(self).__name__, ("operation", "columns"), rows)

    # -- sync --------------------------------------------------------------------------------------

    def sync_update(
        self, condition_name: str, num_batch: int | None = None, data: Any = None
    ) -> None:
        """Let rows pass the :meth:`sync_wait` of ``condition_name``.

        Args:
            condition_name (str): the name of the condition.
            num_batch (int, optional): the number of batches to let pass. Default: ``None``, the
                ``num_batch`` of :meth:`sync_wait`.
            data (optional): passed to the callback.

        Raises:
            RuntimeError: there is no such condition.
        """
        conditions_by_name = find_conditions(self.node)
        if condition_name not in conditions_by_name:
            raise RuntimeError(
                "sync_update: condition_name must name a sync_wait, got "
                f"{condition_name!r}.{did_you_mean(str(condition_name), conditions_by_name)}"
            )
        if num_batch is not None:
            check.int32("sync_update", "num_batch", num_batch, 1)
        conditions_by_name[condition_name].update(num_batch, data)

    def disable_sync(self) -> None:
        """Let all rows pass every :meth:`sync_wait`."""
        for condition in find_conditions(self.node).values():
            condition.disable()

    def is_sync(self) -> bool:
        """Whether there is a :meth:`sync_wait`."""
        return bool(find_conditions(self.node))

    def set_init_step(self, init_step: int) -> None:
        """Let new iterators begin with a later step, as a resumed training does.

        A step past the first pass belongs to a later pass. The passes after it are complete.

        >>> import minispore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False)
        >>> data.set_init_step(4)
        >>> rows = data.create_tuple_iterator(num_epochs=2)
        >>> [[int(x) for (x,) in rows] for _ in range(2)]
        [[2, 3], [1, 2, 3]]
        """
        self._init_step = check.int32("set_init_step", "init_step", init_step, 0)

    def get_init_step(self) -> int:
        """Return the step that iterators begin with.

        It is the step set on this dataset, else that of its input if there is only one.
        """
        if self._init_step is not None:
            return self._init_step
        return self.children[0].get_init_step() if len(self.children) == 1 else 0


class SourceDataset(Dataset):
    """Base of datasets that read or generate rows."""

    reads_files: ClassVar[bool] = True  # if False, its arguments are the data, and are not stored
    # Positional and keyword arguments of the constructor.
    init_args: tuple[tuple[Any, ...], dict[str, Any]] | None = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Make the dataset; one that reads files keeps its arguments, for ``serialize``."""
        dataset = super().__new__(cls)
        if cls.reads_files:
            dataset.init_args = args, kwargs
        return dataset


class MappableDataset(SourceDataset):
    """Base of datasets whose rows have random access, so that samplers can choose among them."""

    # A node and the order of its rows in the first pass.
    _first_order: tuple[Node, np.ndarray] | None = None

    def use_sampler(self, new_sampler: Any) -> None:
        """Replace the sampler of this dataset in place.

        In a part of a split, or after ``add_sampler``, the new sampler chooses from the rows of the
        previous one.

        Raises:
            TypeError: ``new_sampler`` is not a sampler.
            RuntimeError: ``new_sampler`` already has a child.
        """
        if not isinstance(new_sampler, samplers.Sampler):
            raise TypeError(
                "use_sampler: new_sampler must be a sampler, got "
                f"{checks.format_short(new_sampler)}, "
                "which is not an instance of a sampler."
            )
        node = self._get_source_node("use_sampler")
        new_sampler.add_child(getattr(node.sampler, "child_sampler", None))
        self.node = replace(node, sampler=self._adapt_sampler(new_sampler)._bind_table_(node.table))
        self._size = None

    def add_sampler(self, new_sampler: Any) -> None:
        """Let ``new_sampler`` choose from the current sampler's rows, in place; None is ignored."""
        if new_sampler is None:
            return
        node = self._get_source_node("add_sampler")
        sampler = self._adapt_sampler(samplers.as_sampler(new_sampler))
        if isinstance(node.sampler, samplers.Sampler):
            sampler.add_child(node.sampler)
        self.node = replace(node, sampler=sampler._bind_table_(node.table))
        self._size = None

    def _make_part(self, start: int, count: int, seed: int | None) -> Dataset:
        """Return ``count`` rows from ``start`` on as a dataset whose sampler can be replaced.

        With a ``seed`` the rows come from one shuffled order, the same for all passes.
        """
        if not isinstance(self.node, Sampled):
            return super()._make_part(start, count, seed)
        part = copy(self)
        Dataset.__init__(part, self.node)
        part.input_indexs, part._size = self.input_indexs, None
        if seed is not None:
            part.add_sampler(samplers.RandomSampler.with_fixed_order(seed))
        part.add_sampler(samplers.SequentialSampler(start, count))
        part.add_sampler(samplers.SequentialSampler())  # use_sampler replaces this one
        return part

    def _get_source_row(self, index: int) -> int:
        """Return the source row number of row ``index`` of the first pass.

        Raises:
            RuntimeError: ``index`` is out of range.
        """
        node = self._get_source_node(f"{type(self).__name__}[{index}]")
        if self._first_order is None or self._first_order[0] is not node:
            order = node.order(start_run(node, threads=False, callbacks=False), 0)
            self._first_order = node, np.arange(len(node.table)) if order is None else order
        order = self._first_order[1]
        if not 0 <= index < len(order):
            mindspore_fault = "is a negative number"
            if index > 0:
                mindspore_fault = "exceeded the number of data samples"
            raise RuntimeError(
                f"{type(self).__name__}: index must be in [0, {len(order) - 1}], got {index}: "
                f"Index [{index}] {mindspore_fault}."
            )
        return int(order[index])

    def _adapt_sampler(self, sampler: samplers.Sampler) -> samplers.Sampler:
        """Return a sampler adapted to the row order of this source; sources override it."""
        return sampler

    def _get_source_node(self, api_name: str) -> Sampled:
        """Return the node of the source.

        Raises:
            RuntimeError: the source has no random access.
        """
        if not isinstance(self.node, Sampled):
            raise RuntimeError(
                f"{api_name}: the source must have random access, this {type(self).__name__} "
                "has not."
            )
        return self.node


_WRITERS = {"mindrecord": mindrecord.save, "tfrecord": tfrecord.save}


def node_to_dict(node: Node) -> dict[str, Any]:
    """Return a node and all nodes below it as plain dicts and lists."""
    return {
        "op_type": getattr(node, "name", None) or type(node).__name__,
        **node.get_arguments(),
        "children": [node_to_dict(child) for child in node.children],
    }


def _check_iterator_arguments(
    api_name: str, epochs: Any, output_numpy: Any, do_copy: Any
) -> tuple[int, bool, bool]:
    """Check the arguments of an iterator and return them."""
    return (
        check_num_epochs(api_name, epochs),
        check.boolean(api_name, "output_numpy", output_numpy),
        check.boolean(api_name, "do_copy", do_copy),
    )


def _set_training_dataset(dataset: Any) -> None:
    """Do nothing: MindSpore scripts call it, but minispore's checkpoints hold the data's state."""
