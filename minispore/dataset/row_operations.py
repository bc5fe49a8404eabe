"""The operations of a dataset that decide which rows come, and in which order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from minispore.dataset import arguments, check, config
from minispore.dataset.pipeline.combine import Concat, Zip
from minispore.dataset.pipeline.flow import Condition, Filter, FlatMap, SyncWait
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import Repeat, Shuffle, Skip, Take
from minispore.dataset.pipeline.random import Seed
from minispore.foundation import checks

if TYPE_CHECKING:
    from minispore.dataset.dataset import Dataset

_SPLIT_SHUFFLE_ROWS = 10_000  # buffer size of the shuffle of a split, as in MindSpore


class RowOperations:
    """Base of datasets: the operations on rows.

    ``node`` is the pipeline node of the dataset.
    """

    node: Node

    @abstractmethod
    def _make_derived(self, node: Node, *others: RowOperations) -> Dataset:
        """Return the dataset of ``node``, whose inputs are this dataset and ``others``."""

    def shuffle(self, buffer_size: int) -> Dataset:
        """Shuffle with a buffer: a random row leaves it, and the next row takes its place.

        Each pass has a different order. On a source with random access only row numbers are
        shuffled.

        Args:
            buffer_size (int): at least 2; the number of rows gives a uniform shuffle.

        Raises:
            TypeError: ``buffer_size`` is not an int.
            ValueError: ``buffer_size`` is less than 2.
        """
        size = check.int32("shuffle", "buffer_size", buffer_size, 2)
        return self._make_derived(Shuffle(self.node, size))

    def repeat(self, count: int | None = None) -> Dataset:
        """Repeat the rows: ``count`` rounds are one pass; -1 or None repeats without end.

        Each round has its own random order.

        Raises:
            TypeError: ``count`` is not an int.
            ValueError: ``count`` is 0 or less than -1.
        """
        rounds = -1 if count is None else check.count("repeat", "count", count)
        return self._make_derived(Repeat(self.node, None if rounds == -1 else rounds))

    def take(self, count: int = -1) -> Dataset:
        """Take the first ``count`` rows of each pass; -1 for all.

        Raises:
            TypeError: ``count`` is not an int.
            ValueError: ``count`` is 0 or less than -1.
        """
        rows = check.count("take", "count", count)
        return self._make_derived(Take(self.node, None if rows == -1 else rows))

    def skip(self, count: int) -> Dataset:
        """Skip the first ``count`` rows of each pass.

        Raises:
            TypeError: ``count`` is not an int.
            ValueError: ``count`` is negative.
        """
        return self._make_derived(Skip(self.node, check.int32("skip", "count", count, 0)))

    def filter(
        self,
        predicate: Callable[..., Any],
        input_columns: str | Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
    ) -> Dataset:
        """Select the rows for which ``predicate`` is true.

        Args:
            predicate (function): takes one array per input column.
            input_columns (str or list, optional): Default: ``None``, all columns.
            num_parallel_workers (int, optional): accepted.

        Raises:
            TypeError: ``predicate`` is not callable.
            RuntimeError: a column does not exist.
        """
        checks.function("filter", "predicate", predicate)
        check.workers("filter", num_parallel_workers)
        columns = inputs = self.node.columns
        if input_columns:
            inputs = check.names("filter", "input_columns", input_columns)
        check.check_columns_exist("filter", "input_columns", inputs, columns)
        return self._make_derived(Filter(self.node, predicate, inputs))

    def flat_map(self, func: Callable[..., Any]) -> Dataset:
        """Replace each row by the rows of the dataset that ``func`` returns for it.

        Raises:
            TypeError: ``func`` is not callable; later, when it does not return a dataset.
        """
        checks.function("flat_map", "func", func)

        def make_node(*row: Any) -> Node:
            """Call ``func`` on the columns of a row and return the node of its dataset.

            Raises:
                TypeError: ``func`` did not return a dataset.
            """
            dataset = func(*row)
            if not isinstance(dataset, RowOperations):
                raise TypeError(f"flat_map: func must give a dataset, got {dataset!r}.")
            return dataset.node

        return self._make_derived(FlatMap(self.node, make_node))

    def zip(self, datasets: Any) -> Dataset:
        """Combine the columns of datasets side by side; the result is as long as the shortest.

        Args:
            datasets (Dataset or tuple): the other datasets.

        Raises:
            TypeError: an item is not a dataset.
            RuntimeError: two datasets have a column of the same name.
        """
        if isinstance(datasets, RowOperations):
            datasets = (datasets,)
        if not isinstance(datasets, tuple) or not all(
            isinstance(d, RowOperations) for d in datasets
        ):
            rule = "be a dataset or a tuple of datasets"
            raise check.wrong_type("zip", "datasets", rule, datasets, tuple, RowOperations)
        return zip_rows((self, *datasets))

    def concat(self, datasets: Any) -> Dataset:
        """Append the rows of other datasets.

        Args:
            datasets (Dataset or list): datasets with the same columns in the same order.

        Raises:
            TypeError: an item is not a dataset.
            RuntimeError: later, when columns, their data types or ranks differ.
        """
        listed = list(datasets) if isinstance(datasets, list) else [datasets]
        if not all(isinstance(d, RowOperations) for d in listed):
            rule = "be a dataset or a list of datasets"
            raise check.wrong_type("concat", "datasets", rule, datasets, list, RowOperations)
        if not listed:
            raise ValueError("concat: datasets must not be empty.")
        return self._make_derived(Concat((self.node, *(d.node for d in listed))), *listed)

    def __add__(self, datasets: Any) -> Dataset:
        return self.concat(datasets)

    def sync_wait(
        self,
        condition_name: str,
        num_batch: int = 1,
        callback: Callable[[Any], Any] | None = None,
    ) -> Dataset:
        """Let ``num_batch`` batches pass for each :meth:`Dataset.sync_update` of a condition.

        No later batch is made before its update. If no ``batch`` follows, a row is a batch.

        Args:
            condition_name (str): the name of the condition.
            num_batch (int): how many batches pass before the first update, and after each update
                that does not give a number.
            callback (function, optional): called with the data of each update.

        Raises:
            RuntimeError: the name is already in use.
        """
        if not isinstance(condition_name, str):
            raise check.wrong_type("sync_wait", "condition_name", "be a str", condition_name, str)
        if condition_name in find_conditions(self.node):
            raise RuntimeError(
                f"sync_wait: condition_name must be new, {condition_name!r} is there already."
            )
        if callback is not None:
            checks.function("sync_wait", "callback", callback)
        batches = check.int32("sync_wait", "num_batch", num_batch, 1)
        condition = Condition(condition_name, batches, callback)
        return self._make_derived(SyncWait(self.node, condition, config.get_callback_timeout()))

    def split(
        self, sizes: Sequence[int] | Sequence[float], randomize: bool = True
    ) -> tuple[Dataset, ...]:
        """Split the dataset into parts that share no row.

        Args:
            sizes (list): numbers of rows that sum up to all, or fractions that sum up to 1.
            randomize (bool): whether rows are shuffled first, in one order for all passes.
                Default: ``True``.

        Returns:
            tuple of datasets. Parts of a source with random access have the class of the source,
            and their ``use_sampler`` chooses from the rows of the part.

        Raises:
            TypeError: ``sizes`` is not a list of ints or of floats.
            ValueError: a size is not positive, or the fractions do not sum up to 1.
            RuntimeError: the numbers do not sum up to the size of the dataset, a part would be
                empty, or the dataset is a shard.

        Example:
            >>> import minispore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2, 3, 4, 5], ["x"], shuffle=False)
            >>> train, test = data.split([4, 1], randomize=False)
            >>> train.use_sampler(ds.DistributedSampler(2, 1, shuffle=False))
            >>> [int(x) for (x,) in train]
            [2, 4]
        """
        check.boolean("split", "randomize", randomize)
        if self.is_sharded():
            raise RuntimeError(
                "split: the dataset must be whole, got a shard. Dataset should not be sharded "
                "before split."
            )
        size = self.node.size()
        counts = arguments.split_sizes(sizes, self.get_dataset_size() if size is None else size)
        # One seed for all parts and passes, so that they share no row.
        seed = Seed.from_value(config.effective_seed()).value if randomize else None
        starts = [sum(counts[:i]) for i in range(len(counts))]
        return tuple(self._make_part(start, count, seed) for start, count in zip(starts, counts))

    def _make_part(self, start: int, count: int, seed: int | None) -> Dataset:
        """Return ``count`` rows from ``start`` on, after one shuffle with ``seed`` if given."""
        node: Node = self.node
        if seed is not None:
            node = Shuffle(node, _SPLIT_SHUFFLE_ROWS, seed, reshuffle=False)
        return self._make_derived(Take(Skip(node, start) if start else node, count))

    @abstractmethod
    def is_sharded(self) -> bool:
        """Whether the rows are only a shard of the source."""

    @abstractmethod
    def get_dataset_size(self) -> int:
        """Return the number of rows in one pass."""


def zip_rows(datasets: Sequence[RowOperations]) -> Dataset:
    """Combine the columns of datasets side by side.

    Raises:
        ValueError: there are fewer than two datasets.
        RuntimeError: two datasets have a column of the same name.
    """
    if len(datasets) < 2:
        raise ValueError(f"zip: datasets must be two or more, got {len(datasets)}.")
    names = [name for d in datasets for name in d.node.columns]
    duplicates = sorted({n for n in names if names.count(n) > 1})
    if duplicates:
        raise RuntimeError(
            f"zip: datasets must have different columns, got {duplicates} twice. Use rename first."
        )
    return datasets[0]._make_derived(Zip(tuple(d.node for d in datasets)), *datasets[1:])


def find_conditions(node: Node) -> dict[str, Condition]:
    """Find the sync_wait conditions of a node and all nodes below it, by name."""
    result = {node.condition.name: node.condition} if isinstance(node, SyncWait) else {}
    for child in node.children:
        result |= find_conditions(child)
    return result
