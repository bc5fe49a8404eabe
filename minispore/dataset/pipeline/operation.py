"""One operation of a map, on whole blocks or row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.dataset.pipeline import random
from minispore.dataset.pipeline.block import Column, Failure, row_values, stack_rows
from minispore.dataset.pipeline.row_buffers import RowBufferCheck
from minispore.dataset.transforms.base import Transform, narrow_text


def convert_result(result: Any) -> Any:
    """Convert the result of a user's function for one column to the value of a row.

    The value is an array, or a dict whose values are arrays, None, lists or tuples of these, or
    such dicts. String dtypes are as short as the longest string allows.

    Raises:
        TypeError: the result is None or can't be held by an array of a column.
    """
    if isinstance(result, dict):
        return {key: _convert_nested(value) for key, value in result.items()}
    return narrow_text(convert_to_array(result))


def convert_to_array(result: Any) -> np.ndarray:
    """Convert a result of a user's function to an array of a dtype that columns can have.

    Raises:
        TypeError: the result is None, complex, a date, or an object without a NumPy dtype.
    """
    if isinstance(result, np.ndarray):
        value = result
    elif result is None:
        raise TypeError("the result must be an array, a number, a string or a dict, got None.")
    else:
        value = result.asnumpy() if hasattr(result, "asnumpy") else np.asarray(result)
    if value.dtype == object:
        raise TypeError(
            f"the result must be an array of numbers or strings, got {result!r:.80}, which NumPy "
            "only holds as objects: neither it nor its converted NumPy array has a data type."
        )
    if value.dtype.kind in "cmM" or value.dtype.char == "g" or not value.dtype.isnative:
        raise TypeError(
            f"the result must be of bool, an int, float16, float32, float64 or text, got "
            f"{value.dtype!r}. Use astype."
        )
    return value


def _convert_nested(value: Any) -> Any:
    """Convert a value inside a dict of a user's result; string dtypes keep their length."""
    if isinstance(value, dict):
        return {key: _convert_nested(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        converted = [_convert_nested(v) for v in value]
        return tuple(converted) if isinstance(value, tuple) else converted
    return None if value is None else convert_to_array(value)


@dataclass(frozen=True)
class Operation:
    """One operation of a map: the callable, the random key of its pass, its index in the list.

    ``row_check`` checks the first rows of a user's function.
    """

    call: Callable[..., Any]
    key: np.ndarray | None = None
    number: int = 0
    row_check: RowBufferCheck | None = None

    @property
    def name(self) -> str:
        """The operation's name in messages."""
        if isinstance(self.call, Transform):
            return type(self.call).__name__
        return getattr(self.call, "__name__", None) or type(self.call).__name__

    def apply(self, columns: list[Column], rows: np.ndarray) -> tuple[list[Column], Failure | None]:
        """Apply the operation to all rows up to the first that fails.

        A batched transform is called once, and row by row only if that call fails; anything else
        is called for each row.

        Returns:
            The output columns, and the failure of the row after their last; None if all rows are
            good.
        """
        transform = self.call if isinstance(self.call, Transform) else None
        if transform is None:
            return self._apply_row_by_row(columns, rows, lambda _, values: self.call(*values))
        if transform.is_batched and all(isinstance(c, np.ndarray) for c in columns):
            try:
                if transform.random:
                    assert self.key is not None
                    rngs = random.RowGenerators(self.key, rows, self.number)
                    out = transform.transform_batch(*columns, rngs=rngs)  # type: ignore[call-arg]
                else:
                    out = transform.transform_batch(*columns)
                return list(out) if isinstance(out, tuple) else [out], None
            except Exception as exc:
                if len(rows) == 1:
                    return self._stop_at_failure([], columns, exc)
                # A row is wrong: the row-by-row path finds it and returns the rows before it.

        def apply_to_row(i: int, values: Sequence[Any]) -> Any:
            """Apply the transform to row ``i``; a random one gets the generator of that row."""
            columns = [transform.convert_column(v) for v in values]
            if not transform.random:
                return transform.transform_row(*columns)
            assert self.key is not None
            rng = random.RowGenerators(self.key, rows, self.number)[i]
            return transform.transform_row(*columns, rng=rng)  # type: ignore[call-arg]

        return self._apply_row_by_row(columns, rows, apply_to_row)

    def _apply_row_by_row(
        self, columns: list[Column], rows: np.ndarray, call: Callable[[int, Sequence[Any]], Any]
    ) -> tuple[list[Column], Failure | None]:
        """Apply ``call(i, row)`` to each row, up to the first that fails.

        A row with a number of output columns different from the first row's also fails. The
        operation's ``row_check`` sees the first results.
        """
        results: list[tuple] = []
        for i, row in enumerate(zip(*[row_values(c) for c in columns])):
            try:
                out = call(i, row)
            except Exception as exc:
                return self._stop_at_failure(results, columns, exc)
            out = out if isinstance(out, tuple) else (out,)
            if results and len(out) != len(results[0]):
                error = ValueError(
                    "the function must give the same number of columns for all rows, got "
                    f"{len(out)} after {len(results[0])}."
                )
                return self._stop_at_failure(results, columns, error)
            results.append(out)
            if self.row_check is not None and self.row_check.is_looking:
                self.row_check.note_row(out)
        return self._stack_columns(results, len(columns)), None

    def _stop_at_failure(
        self, results: list[tuple], columns: list[Column], exc: Exception
    ) -> tuple[list[Column], Failure]:
        """Return the stacked results so far and the failure of the next row."""
        return self._stack_columns(results, len(columns)), Failure(self.name, len(results), exc)

    @staticmethod
    def _stack_columns(results: list[tuple], width: int) -> list[Column]:
        """Return the results of the rows by column; ``width`` empty columns if there are none."""
        if not results:
            return [[] for _ in range(width)]
        return [stack_rows(column) for column in zip(*results)]


def apply_operations(
    operations: Sequence[Operation], columns: list[Column], rows: np.ndarray, outputs: Sequence[str]
) -> tuple[list[Column], Failure | None]:
    """Apply operations one after the other to rows numbered ``rows``, up to the first that fails.

    A wrong number of output columns, or a result that no column can hold, is a failure too.

    Returns:
        The output columns, and the failure of the row after their last; None if all rows are good.
    """
    failure: Failure | None = None
    for operation in operations:
        columns, failed = operation.apply(columns, rows)
        if failed is not None:
            failure, rows = failed, rows[: failed.row]
            if not failed.row:
                return [[] for _ in outputs], failure
    last = operations[-1].name
    if len(columns) != len(outputs):
        error = ValueError(
            f"the operations must give {len(outputs)} columns for {list(outputs)}, got "
            f"{len(columns)}. Invalid columns: the number of columns returned in 'map' operations "
            "should match the number of 'output_columns'."
        )
        return [[] for _ in outputs], Failure(last, 0, error)
    checked = []
    for column in columns:
        if isinstance(column, list) or column.dtype.kind not in "biuf" or not column.dtype.isnative:
            column, failed = _convert_column(column, last)
            if failed is not None and (failure is None or failed.row < failure.row):
                failure = failed
        checked.append(column)
    return [c if failure is None else c[: failure.row] for c in checked], failure


def _convert_column(column: Column, operation: str) -> tuple[Column, Failure | None]:
    """Convert the rows of a column made by users' functions, up to the first of a wrong type."""
    converted = []
    for row, result in enumerate(column):
        try:
            converted.append(convert_result(result))
        except TypeError as exc:
            return stack_rows(converted), Failure(operation, row, exc)
    return stack_rows(converted), None
