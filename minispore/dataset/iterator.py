"""Iterators: rows as dicts or tuples for users, batches as plain arrays for a device."""

from __future__ import annotations

import weakref
from collections.abc import Iterator as IteratorOf
from typing import Any, NamedTuple

import numpy as np

from minispore.core.tensor import Tensor
from minispore.dataset import check, config
from minispore.dataset.pipeline.feed import Feed
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.passes import Options
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.statistics import PipelineStatistics
from minispore.errors import DatasetError

_STATE_VERSION = 1
_ON_ERROR = {
    config.ErrorSamplesMode.RETURN: "raise",
    config.ErrorSamplesMode.REPLACE: "replace",
    config.ErrorSamplesMode.SKIP: "skip",
}


def start_run(
    node: Node,
    seed: Seed | None = None,
    *,
    trace: bool = False,
    threads: bool = True,
    callbacks: bool = True,
    owner: object = None,
) -> Run:
    """Start a run of a node under the settings of ``ds.config``.

    The run ends when its ``owner`` is dropped.
    """
    settings = config.settings()
    options = Options(
        threads=threads and not settings.debug_mode,
        prefetch=settings.prefetch_size,
        workers=config.get_num_parallel_workers(),
        function_workers=settings.num_parallel_workers or 1,
        start_method=settings.multiprocessing_start_method,
        patience_s=settings.multiprocessing_timeout_interval,
        on_error="raise" if settings.debug_mode else _ON_ERROR[settings.error_samples_mode],
        trace=trace,
        callbacks=callbacks,
        hooks=settings.debug_hooks if settings.debug_mode else (),
        rows=1 if settings.debug_mode else None,
    )
    return Run(node, seed or Seed.from_value(config.effective_seed()), options, owner=owner)


class Iterator:
    """Base of the users' iterators: each ``for`` is one pass, ``num_epochs`` of them.

    Example:
        >>> import minispore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False)
        >>> rows = data.create_tuple_iterator(num_epochs=2)
        >>> [[int(x) for (x,) in rows] for _ in range(2)]
        [[1, 2, 3], [1, 2, 3]]
    """

    def __init__(
        self,
        dataset: Any,
        node: Node,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
    ) -> None:
        self.dataset = dataset
        self._node = node
        self._passes = None if num_epochs == -1 else num_epochs
        self._convert = _convert_to_numpy if output_numpy else _convert_to_tensors
        self._copy = do_copy
        self._names = node.columns
        step = dataset.get_init_step()
        size = dataset.get_dataset_size() if step else None
        self._first_pass: int
        self._first_pass, position = divmod(step, size) if size else (0, step)
        self._start_feed(start_run(node, owner=self), self._first_pass, position)
        ITERATORS_LIST.append(weakref.ref(self, ITERATORS_LIST.remove))

    def _start_feed(self, run: Run, number: int, position: int) -> None:
        """Start a feed at row ``position`` of pass ``number``."""
        self._closed = False
        remaining = None if self._passes is None else self._passes + self._first_pass - number
        self._feed = Feed(run, remaining, number, position)

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return self._arrange_row([self._convert(v, self._copy) for v in self._read_row()])

    def _get_next(self) -> Any:
        """Return the next row, or an empty row at the end of a pass."""
        return next(self, self._arrange_row([]))

    get_next = _get_next  # its name in MindSpore 1.x

    def _arrange_row(self, values: list[Any]) -> Any:
        """Return a row's values in the form that this iterator returns: a list or a dict."""
        return values

    def _read_row(self) -> tuple[Any, ...]:
        """Return the values of the next row.

        Raises:
            StopIteration: the pass has ended.
            DatasetError: no pass is left.
            AttributeError: the iterator is closed.
        """
        if self._feed.is_finished:
            raise DatasetError(
                f"{type(self).__name__}: all {self._passes} passes (num_epochs) are over. Make a "
                "new iterator, or give a larger num_epochs. EOF buffer encountered. User tries to "
                "fetch data beyond the specified number of epochs."
            )
        if self._closed:
            raise AttributeError(
                f"{type(self).__name__}: has been closed, and a closed {type(self).__name__!r} "
                "object has no attribute '_runtime_context' to go on with. Make a new iterator."
            )
        row = self._feed.next()
        if row is None:
            raise StopIteration
        return row

    def get_col_names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self._names)

    def get_state(self) -> dict[str, int | bool]:
        """Return the position in JSON-serializable form, for :meth:`set_state`."""
        seed = self._feed.run.seed
        return {
            "version": _STATE_VERSION,
            "seed": seed.value,
            "seeded": seed.chosen,
            "pass": self._feed.number,
            "position": self._feed.position,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue where :meth:`get_state` was called: the same rows follow in the same order.

        Raises:
            TypeError: ``state`` is not a dict of ints.
            ValueError: ``state`` does not fit this iterator.
        """
        last = None if self._passes is None else self._passes + self._first_pass
        checked = _check_state(state, last)
        self.close()
        seed = Seed(checked["seed"], bool(checked["seeded"]))
        run = start_run(self._node, seed, owner=self)
        self._start_feed(run, checked["pass"], checked["position"])

    def statistics(self) -> PipelineStatistics:
        """Return the statistics of each operation and the fill of the queue so far."""
        return self._feed.statistics()

    def close(self) -> None:
        """Stop the threads and worker processes now, not when the iterator is dropped."""
        self._closed = True
        self._feed.close()

    stop = release = close

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class DictIterator(Iterator):
    """Rows as dicts from column name to value."""

    def _arrange_row(self, values: list[Any]) -> dict[str, Any]:
        return dict(zip(self._names, values))


class TupleIterator(Iterator):
    """Rows as lists of values, in column order."""


class Batch(NamedTuple):
    """One batch on its way to a device.

    Attributes:
        columns: the arrays, in column order.
        number: the batch number, counted from the first batch of the iterator's first pass.
        pass_number: the pass that the batch belongs to, from 0.
        rows: the ids of the source rows in the batch; None unless requested.
    """

    columns: tuple[np.ndarray, ...]
    number: int
    pass_number: int
    rows: np.ndarray | None


class DeviceIterator:
    """Batches of consecutive passes of one pipeline run, as arrays, to feed a device.

    ``for batch in iterator`` yields :class:`Batch` records until the end of the passes, or until
    ``total_batches``. The loop may run in its own thread; any thread may close the iterator.
    """

    def __init__(
        self,
        node: Node,
        num_passes: int,
        total_batches: int | None = None,
        *,
        first_pass: int = 0,
        first_batch: int = 0,
        with_rows: bool = False,
        seed: Seed | None = None,
    ) -> None:
        passes = check.count("device_iterator", "num_passes", num_passes)
        self._remaining = total_batches
        if total_batches is not None:
            check.int32("device_iterator", "total_batches", total_batches, 0)
        first = check.int32("device_iterator", "first_pass", first_pass, 0)
        position = check.int32("device_iterator", "first_batch", first_batch, 0)
        run = start_run(node, seed, trace=with_rows, owner=self)
        self._feed = Feed(run, None if passes == -1 else passes, first, position)
        self._number, self._pass_is_empty = position, False

    def __iter__(self) -> IteratorOf[Batch]:
        return self

    def __next__(self) -> Batch:
        """Return the next batch of any pass; after the last one, end its pass and close the run."""
        if self._remaining == 0:
            self.finish()
            self.close()
        while self._remaining != 0 and not self._feed.is_finished:
            batch = self.read_in_pass()
            if batch is not None:
                self._pass_is_empty = False
                if self._remaining is not None:
                    self._remaining -= 1
                return batch
            if self._pass_is_empty:
                raise StopIteration  # a pass without rows: later passes have none either
            self._pass_is_empty = True
        raise StopIteration

    def read_in_pass(self) -> Batch | None:
        """Return the next batch of the current pass; None once at its end, then the next pass's.

        After the last pass, return None always.
        """
        number = self._feed.number
        row = None if self._feed.is_finished else self._feed.next()
        if row is None:
            return None
        self._number += 1
        return Batch(row, self._number - 1, number, self._feed.source_rows)

    def finish(self) -> None:
        """Read the end of the pass once ``total_batches`` were read, so that callbacks are called.

        Does nothing before, or if more batches of the pass follow.
        """
        if self._remaining == 0:
            self._feed.finish_pass()

    def statistics(self) -> PipelineStatistics:
        """Return the statistics of each operation and the fill of the queue so far."""
        return self._feed.statistics()

    def close(self) -> None:
        """Stop all threads and worker processes."""
        self._feed.close()

    def __enter__(self) -> DeviceIterator:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


ITERATORS_LIST: list[weakref.ref[Iterator]] = []  # all open iterators


def _cleanup() -> None:
    """Stop the threads and worker processes of all open iterators."""
    for reference in list(ITERATORS_LIST):
        iterator = reference()
        if iterator is not None:
            iterator.close()
    ITERATORS_LIST.clear()


def _unset_iterator_cleanup() -> None:
    """Do nothing, kept for MindSpore's API: closed iterators stay closed."""


def check_num_epochs(api_name: str, value: Any) -> int:
    """Check and return ``num_epochs`` of an iterator: -1 for no limit, or positive.

    Raises:
        TypeError: ``value`` is not an int.
        ValueError: ``value`` is less than -1.
        RuntimeError: ``value`` is 0.
    """
    checked = check.int32(api_name, "num_epochs", value, -1)
    if checked == 0:
        raise DatasetError(f"{api_name}: num_epochs must be -1 or positive, got 0.")
    return checked


def _convert_to_numpy(value: Any, copy: bool) -> Any:
    """Return a row's value for ``output_numpy=True``: NumPy arrays stay what they are.

    With ``copy`` the arrays are copied, also those in dicts, lists and tuples.
    """
    if isinstance(value, dict):
        return {k: _convert_to_numpy(v, copy) for k, v in value.items()}
    if isinstance(value, list | tuple):
        items = [_convert_to_numpy(v, copy) for v in value]
        return tuple(items) if isinstance(value, tuple) else items
    return value.copy() if copy and isinstance(value, np.ndarray) else value


def _convert_to_tensors(value: Any, copy: bool) -> Any:
    """Return a row's value with Tensors for arrays and numbers; text stays a NumPy array."""
    if isinstance(value, dict):
        return {k: _convert_to_tensors(v, copy) for k, v in value.items()}
    if isinstance(value, list | tuple):
        items = [_convert_to_tensors(v, copy) for v in value]
        return tuple(items) if isinstance(value, tuple) else items
    if isinstance(value, np.ndarray | np.generic | bool | int | float):
        array = np.asarray(value)
        if array.dtype.kind in "US":  # a Tensor can't hold text
            return array.copy() if copy else array
        return Tensor.from_numpy(array.copy() if copy else array)
    return value


def _check_state(state: Any, passes: int | None) -> dict[str, int]:
    """Return ``state`` after checking that ``set_state`` can use it.

    Raises:
        TypeError: ``state`` is not a dict of ints.
        ValueError: ``state`` has a different version, or is out of range.
    """
    names = ("version", "seed", "seeded", "pass", "position")
    if not isinstance(state, dict) or any(not isinstance(state.get(n), int) for n in names):
        raise TypeError(
            f"set_state: state must be what get_state gave, a dict with {list(names)}, got "
            f"{state!r}."
        )
    if state["version"] != _STATE_VERSION:
        raise ValueError(f"set_state: version must be {_STATE_VERSION}, got {state['version']}.")
    if min(state["seed"], state["pass"], state["position"]) < 0:
        raise ValueError(f"set_state: seed, pass and position must not be negative, got {state!r}.")
    if passes is not None and state["pass"] > passes:
        raise ValueError(
            f"set_state: pass must be at most num_epochs={passes}, got {state['pass']}. Give a "
            "larger num_epochs."
        )
    return state
