"""The operations of a dataset: each gives a new dataset and leaves the old one as it was."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from minispore.dataset import arguments, check, config
from minispore.dataset.cache import cache_of
from minispore.dataset.callback import callbacks_of
from minispore.dataset.pipeline.batching import Batch, BatchInfo
from minispore.dataset.pipeline.bucketing import BucketBatch
from minispore.dataset.pipeline.flow import Condition, Filter, FlatMap, SyncWait
from minispore.dataset.pipeline.mapping import Map
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import Concat, Repeat, Select, Shuffle, Skip, Take, Zip
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.transforms.compose import unpacked

if TYPE_CHECKING:
    from minispore.dataset.dataset import Dataset

_MAP_EXTRAS = (
    "python_multiprocessing",
    "max_rowsize",
    "cache",
    "callbacks",
    "offload",
    "column_order",
)
_BATCH_EXTRAS = (
    "per_batch_map",
    "input_columns",
    "output_columns",
    "column_order",
    "pad_info",
    "python_multiprocessing",
    "max_rowsize",
)


class Operations:
    """What a dataset can be made into. ``node`` is the operation that it stands for."""

    node: Node

    @abstractmethod
    def _derived(self, node: Node, *others: Operations) -> Dataset:
        """A dataset for a node made of this one's (and others')."""

    def map(
        self,
        operations: Any,
        input_columns: str | Sequence[str] | None = None,
        output_columns: str | Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
        **kwargs: Any,
    ) -> Dataset:
        """Apply operations to columns, each operation to what the one before gave.

        Args:
            operations (callable or list): transforms, functions, anything that can be called with
                one array per column.
            input_columns (str or list, optional): what the first operation takes. Default:
                ``None``, the first column.
            output_columns (str or list, optional): the names of what the last one gives. Default:
                ``None``, those of the input. As many names as inputs take their places; otherwise
                they come first.
            num_parallel_workers (int, optional): threads, or processes. Without it functions run
                one row at a time, in order; transforms take what ``ds.config`` says.
            **kwargs: python_multiprocessing (bool): run functions in processes. max_rowsize (int or
                list): megabytes of shared memory to and from a process. cache (DatasetCache): keep
                the rows. column_order (list): the columns that go on, in order. offload: accepted.
                callbacks (DSCallback or list): told of the epochs and rows of this map.

        Returns:
            Dataset, with the new columns.

        Raises:
            TypeError, ValueError: an argument is not what it must be.
            RuntimeError: an input column does not exist, or an output column exists already.

        Example:
            >>> import minispore.dataset as ds
            >>> data = ds.NumpySlicesDataset({"x": [1, 2]}, shuffle=False)
            >>> data = data.map(lambda x: (x, x * x), "x", ["x", "y"])
            >>> [[int(v) for v in row] for row in data.create_tuple_iterator(num_epochs=1)]
            [[1, 1], [2, 4]]
        """
        arguments.known_arguments("map", kwargs, _MAP_EXTRAS)
        hooks = callbacks_of("map", kwargs.get("callbacks"))
        given = operations if isinstance(operations, list | tuple) else [operations]
        listed = list(unpacked(given))
        for operation in listed:
            if not callable(operation):
                raise ValueError(
                    f"map: operations must be callable, got {operation!r}. Pass the function, not "
                    "its result."
                )
        columns = self.node.columns
        inputs = (
            columns[:1]
            if input_columns is None
            else check.names("map", "input_columns", input_columns)
        )
        outputs = (
            inputs
            if output_columns is None
            else check.names("map", "output_columns", output_columns)
        )
        check.known("map", "input_columns", inputs, columns)
        arguments.fresh("map", outputs, inputs, columns)
        processes = check.boolean(
            "map", "python_multiprocessing", kwargs.get("python_multiprocessing", False)
        )
        node: Node = Map(
            self.node,
            tuple(listed),
            inputs,
            outputs,
            check.workers("map", num_parallel_workers),
            processes,
            arguments.shared_memory("map", kwargs.get("max_rowsize")),
            hooks,
        )
        if not listed:
            node = Select(self.node, tuple((n, n) for n in columns))
        if kwargs.get("cache") is not None:
            node = cache_of("map", kwargs["cache"]).over("map", node)
        return self._derived(node)._ordered("map", kwargs.get("column_order"))

    def batch(
        self,
        batch_size: int | Callable[[BatchInfo], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        **kwargs: Any,
    ) -> Dataset:
        """Put ``batch_size`` rows together.

        Args:
            batch_size (int or function): the number of rows, or a function of BatchInfo that gives
                it.
            drop_remainder (bool): whether a last batch with fewer rows is left out. Default:
                ``False``.
            num_parallel_workers (int, optional): threads for per_batch_map.
            **kwargs: per_batch_map (function): takes a list of rows for each input column and a
                BatchInfo, gives a tuple of lists. input_columns, output_columns (list): of
                per_batch_map. pad_info (dict): column -> (shape, value); None in a shape, or for
                it, means the longest row. column_order (list): the columns that go on.
                python_multiprocessing, max_rowsize: accepted.

        Raises:
            TypeError, ValueError: an argument is not what it must be.
            RuntimeError: a column does not exist; later, rows of one batch differ in shape or
                dtype.

        Example:
            >>> import minispore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False).batch(2)
            >>> [x.asnumpy().tolist() for (x,) in data.create_tuple_iterator(num_epochs=1)]
            [[1, 2], [3]]
        """
        arguments.known_arguments("batch", kwargs, _BATCH_EXTRAS)
        if not callable(batch_size):
            if isinstance(batch_size, bool) or not isinstance(batch_size, int | np.integer):
                raise TypeError(
                    f"batch: batch_size must be an int or a function, got {batch_size!r}."
                )
            check.integer("batch", "batch_size", batch_size, 1)
        columns = self.node.columns
        function = kwargs.get("per_batch_map")
        inputs: tuple[str, ...] = ()
        outputs: tuple[str, ...] = ()
        if function is not None:
            check.function("batch", "per_batch_map", function)
            given = kwargs.get("input_columns")
            inputs = columns if given is None else check.names("batch", "input_columns", given)
            given = kwargs.get("output_columns")
            outputs = inputs if given is None else check.names("batch", "output_columns", given)
            check.known("batch", "input_columns", inputs, columns)
            arguments.fresh("batch", outputs, inputs, columns)
        elif kwargs.get("input_columns") or kwargs.get("output_columns"):
            raise ValueError("batch: input_columns must come with per_batch_map, which takes them.")
        arguments.shared_memory("batch", kwargs.get("max_rowsize"))
        node = Batch(
            self.node,
            batch_size,
            check.boolean("batch", "drop_remainder", drop_remainder),
            function,
            inputs,
            outputs,
            None,
            check.workers("batch", num_parallel_workers),
        )
        padding = arguments.padding("batch", kwargs.get("pad_info"), node.columns)
        if padding is not None:
            node = replace(node, padding=padding)
        return self._derived(node)._ordered("batch", kwargs.get("column_order"))

    def padded_batch(
        self,
        batch_size: int | Callable[[BatchInfo], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: dict | None = None,
    ) -> Dataset:
        """Put ``batch_size`` rows together, padded to one shape.

        Args:
            batch_size, drop_remainder, num_parallel_workers: as for :meth:`batch`.
            pad_info (dict, optional): column -> (shape, value), see :meth:`batch`; ``{}`` pads all
                columns to the longest row with 0. Default: ``None``, no padding.
        """
        return self.batch(batch_size, drop_remainder, num_parallel_workers, pad_info=pad_info)

    def bucket_batch_by_length(
        self,
        column_names: str | Sequence[str],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        element_length_function: Callable[..., int] | None = None,
        pad_info: dict | None = None,
        pad_to_bucket_boundary: bool = False,
        drop_remainder: bool = False,
    ) -> Dataset:
        """Batch rows with others of a similar length.

        Args:
            column_names (str or list): the columns that tell the length.
            bucket_boundaries (list[int]): rising; one bucket more than boundaries.
            bucket_batch_sizes (list[int]): the batch size of each bucket.
            element_length_function (function, optional): length from those columns. Default:
                ``None``, the first size of the one column.
            pad_info (dict, optional): see :meth:`batch`. Default: ``None``, all columns to the
                longest row with 0.
            pad_to_bucket_boundary (bool): pad open sizes to the bucket's boundary minus one.
                Default: ``False``.
            drop_remainder (bool): whether incomplete batches are left out. Default: ``False``.

        Raises:
            TypeError, ValueError: an argument is not what it must be.
            RuntimeError: a column does not exist.
        """
        op = "bucket_batch_by_length"
        inputs = check.names(op, "column_names", column_names)
        check.known(op, "column_names", inputs, self.node.columns)
        for name, value in (
            ("bucket_boundaries", bucket_boundaries),
            ("bucket_batch_sizes", bucket_batch_sizes),
        ):
            if not isinstance(value, list | tuple):
                raise TypeError(f"{op}: {name} must be a list of ints, got {value!r}.")
            for item in value:
                check.integer(op, name, item, 1)
        if not bucket_boundaries:
            raise ValueError(f"{op}: bucket_boundaries must not be empty.")
        if list(bucket_boundaries) != sorted(set(bucket_boundaries)):
            raise ValueError(f"{op}: bucket_boundaries must rise, got {list(bucket_boundaries)}.")
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                f"{op}: bucket_batch_sizes must have one size more than there are boundaries, got "
                f"{len(bucket_batch_sizes)} sizes and {len(bucket_boundaries)} boundaries."
            )
        if element_length_function is not None:
            check.function(op, "element_length_function", element_length_function)
        elif len(inputs) != 1:
            raise ValueError(
                f"{op}: element_length_function must be given with several column_names, got "
                f"{list(inputs)}."
            )
        return self._derived(
            BucketBatch(
                self.node,
                inputs,
                tuple(bucket_boundaries),
                tuple(bucket_batch_sizes),
                element_length_function,
                arguments.padding(op, {} if pad_info is None else pad_info, self.node.columns),
                check.boolean(op, "pad_to_bucket_boundary", pad_to_bucket_boundary),
                check.boolean(op, "drop_remainder", drop_remainder),
            )
        )

    def shuffle(self, buffer_size: int) -> Dataset:
        """Shuffle with a buffer: a random one of ``buffer_size`` rows leaves, the next row takes
        its place.

        Each pass has an order of its own. On a source with random access only row numbers are
        moved.

        Args:
            buffer_size (int): at least 2; as many as there are rows for a uniform shuffle.

        Raises:
            TypeError: ``buffer_size`` is not an int.
            ValueError: it is less than 2.
        """
        size = check.integer("shuffle", "buffer_size", buffer_size, 2)
        return self._derived(Shuffle(self.node, size))

    def repeat(self, count: int | None = None) -> Dataset:
        """``count`` rounds as one pass, each with its own shuffles; -1 or None without end.

        Raises:
            TypeError: ``count`` is not an int.
            ValueError: it is 0 or less than -1.
        """
        rounds = -1 if count is None else check.count("repeat", "count", count)
        return self._derived(Repeat(self.node, None if rounds == -1 else rounds))

    def take(self, count: int = -1) -> Dataset:
        """The first ``count`` rows of each pass; -1 for all.

        Raises:
            TypeError: ``count`` is not an int.
            ValueError: it is 0 or less than -1.
        """
        rows = check.count("take", "count", count)
        return self._derived(Take(self.node, None if rows == -1 else rows))

    def skip(self, count: int) -> Dataset:
        """Each pass without its first ``count`` rows.

        Raises:
            TypeError: ``count`` is not an int.
            ValueError: it is negative.
        """
        return self._derived(Skip(self.node, check.integer("skip", "count", count, 0)))

    def filter(
        self,
        predicate: Callable[..., Any],
        input_columns: str | Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
    ) -> Dataset:
        """The rows for which ``predicate`` is true.

        Args:
            predicate (function): takes one array per input column.
            input_columns (str or list, optional): Default: ``None``, all columns.
            num_parallel_workers (int, optional): accepted.

        Raises:
            TypeError: ``predicate`` is not callable.
            RuntimeError: a column does not exist.
        """
        check.function("filter", "predicate", predicate)
        check.workers("filter", num_parallel_workers)
        columns = self.node.columns
        inputs = (
            columns if not input_columns else check.names("filter", "input_columns", input_columns)
        )
        check.known("filter", "input_columns", inputs, columns)
        return self._derived(Filter(self.node, predicate, inputs))

    def flat_map(self, func: Callable[..., Any]) -> Dataset:
        """The rows of the datasets that ``func`` makes of each row, one after the other.

        Raises:
            TypeError: ``func`` is not callable; later, it gives no dataset.
        """
        check.function("flat_map", "func", func)

        def node_of(*row: Any) -> Node:
            made = func(*row)
            if not isinstance(made, Operations):
                raise TypeError(f"flat_map: func must give a dataset, got {made!r}.")
            return made.node

        return self._derived(FlatMap(self.node, node_of))

    def zip(self, datasets: Any) -> Dataset:
        """The columns of this dataset and of others side by side, as many rows as the shortest has.

        Args:
            datasets (Dataset or tuple): the others.

        Raises:
            TypeError: one is no dataset.
            RuntimeError: two have a column of the same name.
        """
        if isinstance(datasets, Operations):
            datasets = (datasets,)
        if not isinstance(datasets, tuple) or not all(isinstance(d, Operations) for d in datasets):
            raise TypeError(
                f"zip: datasets must be a dataset or a tuple of datasets, got {datasets!r}."
            )
        return zipped((self, *datasets))

    def concat(self, datasets: Any) -> Dataset:
        """The rows of others after those of this one.

        Args:
            datasets (Dataset or list): with the same columns in the same order.

        Raises:
            TypeError: one is no dataset.
            RuntimeError: the columns differ.
        """
        listed = list(datasets) if isinstance(datasets, list | tuple) else [datasets]
        if not all(isinstance(d, Operations) for d in listed):
            raise TypeError(
                f"concat: datasets must be a dataset or a list of datasets, got {datasets!r}."
            )
        if not listed:
            raise ValueError("concat: datasets must not be empty.")
        for other in listed:
            if other.node.columns != self.node.columns:
                raise RuntimeError(
                    f"concat: all datasets must have the columns {list(self.node.columns)}, got "
                    f"{list(other.node.columns)}. Use rename or project first."
                )
        return self._derived(Concat((self.node, *(d.node for d in listed))), *listed)

    def __add__(self, datasets: Any) -> Dataset:
        return self.concat(datasets)

    def rename(
        self, input_columns: str | Sequence[str], output_columns: str | Sequence[str]
    ) -> Dataset:
        """Give columns other names.

        Raises:
            ValueError: there are not as many new names as old ones.
            RuntimeError: a column does not exist, or a new name is taken.
        """
        old = check.names("rename", "input_columns", input_columns)
        new = check.names("rename", "output_columns", output_columns)
        if len(old) != len(new):
            raise ValueError(
                f"rename: output_columns must have as many names as input_columns, got {len(new)} "
                f"for {len(old)}."
            )
        columns = self.node.columns
        check.known("rename", "input_columns", old, columns)
        arguments.fresh("rename", new, old, columns)
        to = dict(zip(old, new))
        return self._derived(Select(self.node, tuple((n, to.get(n, n)) for n in columns), "rename"))

    def project(self, columns: str | Sequence[str]) -> Dataset:
        """Only these columns, in this order.

        Raises:
            RuntimeError: a column does not exist.
        """
        names = check.names("project", "columns", columns)
        check.known("project", "columns", names, self.node.columns)
        return self._derived(Select(self.node, tuple((n, n) for n in names)))

    def apply(self, apply_func: Callable[[Any], Any]) -> Dataset:
        """What ``apply_func`` makes of this dataset.

        Raises:
            TypeError: it is not callable, or gives no dataset.
        """
        made = check.function("apply", "apply_func", apply_func)(self)
        if not isinstance(made, Operations):
            raise TypeError(f"apply: apply_func must give a dataset, got {made!r}.")
        return made  # type: ignore[return-value]  # each Operations is a Dataset

    def sync_wait(
        self,
        condition_name: str,
        num_batch: int = 1,
        callback: Callable[[Any], Any] | None = None,
    ) -> Dataset:
        """Let ``num_batch`` rows pass for each :meth:`Dataset.sync_update` of the condition; none
        is made before.

        Args:
            condition_name (str): names the condition.
            num_batch (int): how many rows pass before the first update, and at each one that says
                no number.
            callback (function, optional): called with the data of each update.

        Raises:
            RuntimeError: the name is taken.
        """
        if not isinstance(condition_name, str) or not condition_name:
            raise TypeError(f"sync_wait: condition_name must be a str, got {condition_name!r}.")
        if condition_name in conditions(self.node):
            raise RuntimeError(
                f"sync_wait: condition_name must be new, {condition_name!r} is there already."
            )
        if callback is not None:
            check.function("sync_wait", "callback", callback)
        rows = check.integer("sync_wait", "num_batch", num_batch, 1)
        condition = Condition(condition_name, rows, callback)
        return self._derived(SyncWait(self.node, condition, config.get_callback_timeout()))

    def split(
        self, sizes: Sequence[int] | Sequence[float], randomize: bool = True
    ) -> list[Dataset]:
        """Parts of the dataset that share no row.

        Args:
            sizes (list): numbers of rows that sum up to all, or fractions that sum up to 1.
            randomize (bool): whether rows are shuffled first, once and for all. Default: ``True``.

        Raises:
            TypeError: ``sizes`` is no list of ints or of floats.
            ValueError: a size is not positive, or the fractions do not sum up to 1.
            RuntimeError: the numbers do not sum up to the size of the dataset, or a part would be
                empty.
        """
        check.boolean("split", "randomize", randomize)
        rows = self.node.size()
        if rows is None:
            rows = self.get_dataset_size()
        counts = arguments.split_sizes(sizes, rows)
        whole: Node = self.node
        if randomize:
            seed = Seed.of(config.effective_seed()).value  # the same for all parts and passes
            whole = Shuffle(whole, max(2, rows), seed, reshuffle=False)
        parts, start = [], 0
        for count in counts:
            part: Node = Skip(whole, start) if start else whole
            parts.append(self._derived(Take(part, count)))
            start += count
        return parts

    @abstractmethod
    def get_dataset_size(self) -> int:
        """Rows of one pass."""

    def _ordered(self, op: str, columns: Any) -> Dataset:
        """Only the columns that ``column_order`` names, if it is given."""
        if columns is None:
            return self  # type: ignore[return-value]  # each Operations is a Dataset
        return self.project(check.names(op, "column_order", columns))


def zipped(datasets: Sequence[Operations]) -> Dataset:
    """The columns of datasets side by side."""
    if len(datasets) < 2:
        raise ValueError(f"zip: datasets must be two or more, got {len(datasets)}.")
    names = [name for d in datasets for name in d.node.columns]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise RuntimeError(
            f"zip: datasets must have different columns, got {twice} twice. Use rename first."
        )
    return datasets[0]._derived(Zip(tuple(d.node for d in datasets)), *datasets[1:])


def conditions(node: Node) -> dict[str, Condition]:
    """The conditions that a node and all below it wait for."""
    found = {node.condition.name: node.condition} if isinstance(node, SyncWait) else {}
    for child in node.children:
        found |= conditions(child)
    return found
