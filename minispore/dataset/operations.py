"""The operations of a dataset that work on columns; each returns a new dataset."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from minispore.dataset import arguments, check
from minispore.dataset.cache import check_cache
from minispore.dataset.callback import make_hook_factories
from minispore.dataset.pipeline.batching import Batch, BatchInfo
from minispore.dataset.pipeline.bucketing import BucketBatch
from minispore.dataset.pipeline.mapping import Map
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import Rename, Select
from minispore.dataset.transforms.base import Transform
from minispore.dataset.transforms.compose import unpack_operations

if TYPE_CHECKING:
    from minispore.dataset.dataset import Dataset

from minispore.dataset.row_operations import RowOperations
from minispore.foundation import checks

_ELEMENT = (
    "Parameter operations's element of method map should be a python function or class method"
)
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


class Operations(RowOperations):
    """Base of datasets: the operations that work on columns."""

    def map(
        self,
        operations: Any,
        input_columns: str | Sequence[str] | None = None,
        output_columns: str | Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
        **kwargs: Any,
    ) -> Dataset:
        """Apply operations to columns, each operation to the result of the one before.

        Args:
            operations (callable or list): transforms, functions, anything that can be called with
                one array per column.
            input_columns (str or list, optional): the inputs of the first operation. Default:
                ``None``, the first column.
            output_columns (str or list, optional): the names of the last operation's outputs.
                Default: ``None``, the input columns. If there are as many outputs as inputs, they
                take the inputs' positions; otherwise they come first.
            num_parallel_workers (int, optional): the number of threads or processes. Without it
                functions run one row at a time, in order; transforms use the number of
                ``ds.config``.
            **kwargs: python_multiprocessing (bool): run functions in processes. max_rowsize (int or
                list): megabytes of shared memory to and from a process. cache (DatasetCache): cache
                the rows. column_order (list): the columns to keep, in order. offload: accepted.
                callbacks (DSCallback or list): called at the epochs and rows of this map.

        Returns:
            Dataset, with the new columns.

        Raises:
            TypeError, ValueError: an argument has an invalid type or value.
            RuntimeError: an input column does not exist, or an output column already exists.

        Example:
            >>> import minispore.dataset as ds
            >>> data = ds.NumpySlicesDataset({"x": [1, 2]}, shuffle=False)
            >>> data = data.map(lambda x: (x, x * x), "x", ["x", "y"])
            >>> [[int(v) for v in row] for row in data.create_tuple_iterator(num_epochs=1)]
            [[1, 1], [2, 4]]
        """
        arguments.check_keywords("map", kwargs, _MAP_EXTRAS)
        hooks = make_hook_factories("map", kwargs.get("callbacks"))
        operation_list = operations if isinstance(operations, list | tuple) else [operations]
        flat_operations = list(unpack_operations(operation_list))
        for operation in flat_operations:
            if isinstance(operation, type) and issubclass(operation, Transform):
                raise ValueError(
                    f"map: operations must be transforms, got the class {operation.__name__}. Make "
                    f"an instance: {operation.__name__}(...). {_ELEMENT}, not a class."
                )
            if not callable(operation):
                raise ValueError(
                    f"map: operations must be callable, got {operation!r}. Pass the function, not "
                    f"its result. {_ELEMENT} which should be callable, but got: {operation}."
                )
        columns = self.node.columns
        inputs, outputs = _choose_columns(
            "map", input_columns, output_columns, columns[:1], columns
        )
        processes = check.boolean(
            "map", "python_multiprocessing", kwargs.get("python_multiprocessing", False)
        )
        node: Node = Map(
            self.node,
            tuple(flat_operations),
            inputs,
            outputs,
            check.workers("map", num_parallel_workers),
            processes,
            arguments.parse_max_rowsize("map", kwargs.get("max_rowsize")),
            hooks,
        )
        if not flat_operations:
            node = Select(self.node, tuple((n, n) for n in columns))
        if kwargs.get("cache") is not None:
            node = check_cache("map", kwargs["cache"]).make_cached_node("map", node)
        return self._make_derived(node)._reorder_columns("map", kwargs.get("column_order"))

    def batch(
        self,
        batch_size: int | Callable[[BatchInfo], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        **kwargs: Any,
    ) -> Dataset:
        """Combine ``batch_size`` rows into a batch.

        Args:
            batch_size (int or function): the number of rows, or a function that returns it for a
                BatchInfo.
            drop_remainder (bool): whether a last batch with fewer rows is
                dropped. Default: ``False``.
            num_parallel_workers (int, optional): the number of threads for per_batch_map.
            **kwargs: per_batch_map (function): takes a list of rows for each input column and a
                BatchInfo, returns a tuple of lists. input_columns, output_columns (list): the
                columns of per_batch_map. pad_info (dict): column -> (shape, value); None in place
                of a size or of the shape means the longest row. column_order (list): the columns to
                keep. python_multiprocessing, max_rowsize: accepted.

        Raises:
            TypeError, ValueError: an argument has an invalid type or value.
            RuntimeError: a column does not exist; later, rows of one batch differ in
                shape or dtype.

        Example:
            >>> import minispore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False).batch(2)
            >>> [x.asnumpy().tolist() for (x,) in data.create_tuple_iterator(num_epochs=1)]
            [[1, 2], [3]]
        """
        arguments.check_keywords("batch", kwargs, _BATCH_EXTRAS)
        if callable(batch_size):
            _check_size_function(batch_size)
        else:
            if not isinstance(batch_size, int):
                rule, got = "be an int or a function", checks.format_value(batch_size)
                raise TypeError(checks.format_error("batch", "batch_size", rule, got))
            batch_size = check.int32("batch", "batch_size", int(batch_size), 1)
        columns = self.node.columns
        function = kwargs.get("per_batch_map")
        inputs: tuple[str, ...] = ()
        outputs: tuple[str, ...] = ()
        if function is not None:
            checks.function("batch", "per_batch_map", function)
            input_columns = kwargs.get("input_columns")
            if input_columns is not None:
                names = check.names("batch", "input_columns", input_columns)
                _check_batch_map_signature(function, names)
            inputs, outputs = _choose_columns(
                "batch", input_columns, kwargs.get("output_columns"), columns, columns
            )
        elif kwargs.get("input_columns") or kwargs.get("output_columns"):
            raise ValueError(
                "batch: input_columns can be specified only when per_batch_map is set. It takes "
                "them."
            )
        arguments.parse_max_rowsize("batch", kwargs.get("max_rowsize"))
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
        padding = arguments.parse_pad_info("batch", kwargs.get("pad_info"), node.columns)
        if padding is not None:
            node = replace(node, padding=padding)
        return self._make_derived(node)._reorder_columns("batch", kwargs.get("column_order"))

    def padded_batch(
        self,
        batch_size: int | Callable[[BatchInfo], int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: dict | None = None,
    ) -> Dataset:
        """Combine ``batch_size`` rows into a batch, padded to one shape.

        Args:
            batch_size, drop_remainder, num_parallel_workers: as for :meth:`batch`.
            pad_info (dict, optional): column -> (shape, value), see :meth:`batch`; ``{}`` pads all
                columns to the longest row with 0. Default: ``None``, no padding.
        """
        return self.batch(batch_size, drop_remainder, num_parallel_workers, pad_info=pad_info)

    def bucket_batch_by_length(
        self,
        column_names: list[str],
        bucket_boundaries: list[int],
        bucket_batch_sizes: list[int],
        element_length_function: Callable[..., int] | None = None,
        pad_info: dict | None = None,
        pad_to_bucket_boundary: bool = False,
        drop_remainder: bool = False,
    ) -> Dataset:
        """Batch rows with others of a similar length.

        Args:
            column_names (list[str]): the columns that determine the length.
            bucket_boundaries (list[int]): increasing; n boundaries make n + 1 buckets.
            bucket_batch_sizes (list[int]): the batch size of each bucket.
            element_length_function (function, optional): returns the length of a row from these
                columns. Default: ``None``, the first dimension of the only column, 0 for a scalar.
            pad_info (dict, optional): see :meth:`batch`. Default: ``None``, pad all columns to the
                longest row with 0.
            pad_to_bucket_boundary (bool): whether sizes that are not given are padded to the
                bucket's boundary minus one. Default: ``False``.
            drop_remainder (bool): whether incomplete batches are dropped. Default: ``False``.

        Raises:
            TypeError, ValueError: an argument has an invalid type or value.
            RuntimeError: a column does not exist.
        """
        api_name = "bucket_batch_by_length"
        inputs = arguments.check_bucket_arguments(
            column_names,
            bucket_boundaries,
            bucket_batch_sizes,
            element_length_function,
            pad_to_bucket_boundary,
            drop_remainder,
        )
        columns = self.node.columns
        check.check_columns_exist(api_name, "column_names", inputs, columns)
        pad_info = {} if pad_info is None else pad_info
        node = BucketBatch(
            self.node,
            inputs,
            tuple(bucket_boundaries),
            tuple(bucket_batch_sizes),
            element_length_function,
            arguments.parse_pad_info(api_name, pad_info, columns),
            pad_to_bucket_boundary,
            drop_remainder,
        )
        return self._make_derived(node)

    def rename(
        self, input_columns: str | Sequence[str], output_columns: str | Sequence[str]
    ) -> Dataset:
        """Rename columns.

        Raises:
            ValueError: the numbers of old and new names differ.
            RuntimeError: a column does not exist, or a new name is already in use.
        """
        old = check.names("rename", "input_columns", input_columns)
        new = check.names("rename", "output_columns", output_columns)
        if len(old) != len(new):
            raise ValueError(
                f"rename: output_columns must have as many names as input_columns, got {len(new)} "
                f"for {len(old)}."
            )
        columns = self.node.columns
        check.check_columns_exist("rename", "input_columns", old, columns)
        arguments.check_new_columns("rename", new, old, columns)
        new_names = dict(zip(old, new))
        pairs = tuple((name, new_names.get(name, name)) for name in columns)
        return self._make_derived(Rename(self.node, pairs))

    def project(self, columns: str | Sequence[str]) -> Dataset:
        """Select these columns, in this order.

        Raises:
            RuntimeError: a column does not exist.
        """
        names = check.names("project", "columns", columns)
        check.check_columns_exist("project", "columns", names, self.node.columns)
        return self._make_derived(Select(self.node, tuple((n, n) for n in names)))

    def apply(self, apply_func: Callable[[Any], Any]) -> Dataset:
        """Return the dataset that ``apply_func`` makes from this one.

        Raises:
            TypeError: ``apply_func`` is not callable, or does not return a dataset.
        """
        result = checks.function("apply", "apply_func", apply_func)(self)
        if not isinstance(result, Operations):
            raise TypeError(f"apply: apply_func must give a dataset, got {result!r}.")
        return result  # type: ignore[return-value]  # each Operations is a Dataset

    def _reorder_columns(self, api_name: str, columns: Any) -> Dataset:
        """Select the columns of ``column_order``, if given."""
        if columns is None:
            return self  # type: ignore[return-value]  # each Operations is a Dataset
        return self.project(check.names(api_name, "column_order", columns))


def _choose_columns(
    api_name: str,
    input_columns: str | Sequence[str] | None,
    output_columns: str | Sequence[str] | None,
    default: tuple[str, ...],
    columns: tuple[str, ...],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of an operation's input and output columns.

    ``input_columns`` defaults to ``default``, and ``output_columns`` to the input columns.

    Raises:
        TypeError, ValueError: an argument does not hold column names.
        RuntimeError: an input column does not exist, or an output column already exists.
    """
    inputs = outputs = default
    if input_columns is not None:
        inputs = outputs = check.names(api_name, "input_columns", input_columns)
    if output_columns is not None:
        outputs = check.names(api_name, "output_columns", output_columns)
    check.check_columns_exist(api_name, "input_columns", inputs, columns)
    arguments.check_new_columns(api_name, outputs, inputs, columns)
    return inputs, outputs


def _count_parameters(function: Any) -> int | None:
    """Return a function's number of parameters; None without a signature (some built-ins)."""
    try:
        return len(inspect.signature(function).parameters)
    except ValueError:
        return None


def _check_size_function(function: Any) -> None:
    """Check that a ``batch_size`` function takes one argument, a BatchInfo.

    Raises:
        ValueError: the function does not take exactly one argument.
    """
    parameter_count = _count_parameters(function)
    if parameter_count != 1:
        count_text = "any number" if parameter_count is None else parameter_count
        raise ValueError(
            "batch: batch_size must be an int or a function of one argument, got one of "
            f"{count_text}: callable batch_size should take one parameter (BatchInfo)."
        )


def _check_batch_map_signature(function: Any, inputs: Sequence[str]) -> None:
    """Check that a per_batch_map takes a list of rows for each column and a BatchInfo.

    Raises:
        ValueError: the function takes a wrong number of arguments.
    """
    parameter_count = _count_parameters(function)
    if parameter_count != len(inputs) + 1:
        count_text = "any number" if parameter_count is None else parameter_count
        raise ValueError(
            f"batch: per_batch_map must take {len(inputs) + 1} arguments, one for each of "
            f"{list(inputs)} and a BatchInfo, got a function of {count_text}. The signature "
            "of per_batch_map should match with input columns."
        )
