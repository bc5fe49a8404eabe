"""One operation of a map, on whole blocks or row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.dataset.pipeline import random
from minispore.dataset.pipeline.block import Column, Failure, stacked, values
from minispore.dataset.transforms.base import Transform, narrow


def as_value(result: Any) -> Any:
    """What a user's function gave for one column, as the value of a row: an array, or a dict of
    arrays (or None), of lists and tuples of them, or of such dicts. Texts take no more room than
    the longest of them does.

    Raises:
        TypeError: it is None or nothing that an array of a column can hold.
    """
    if isinstance(result, dict):
        return {key: _nested(value) for key, value in result.items()}
    return narrow(as_array(result))


def as_array(result: Any) -> np.ndarray:
    """The same as an array that is no dict.

    Raises:
        TypeError: there is none.
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


def _nested(value: Any) -> Any:
    """What stands in a dict of such values: texts keep the room that they have."""
    if isinstance(value, dict):
        return {key: _nested(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        made = [_nested(v) for v in value]
        return tuple(made) if isinstance(value, tuple) else made
    return None if value is None else as_array(value)


@dataclass(frozen=True)
class Operation:
    """One operation of a map: what is called, the key it draws from, its number in the list."""

    call: Callable[..., Any]
    key: np.ndarray | None = None
    number: int = 0

    @property
    def name(self) -> str:
        """What the operation is called in messages."""
        if isinstance(self.call, Transform):
            return type(self.call).__name__
        return getattr(self.call, "__name__", None) or type(self.call).__name__

    def apply(self, columns: list[Column], rows: np.ndarray) -> tuple[list[Column], Failure | None]:
        """All rows up to the first that fails; in one go where there is a batched form."""
        transform = self.call if isinstance(self.call, Transform) else None
        if transform is None:
            return self._row_by_row(columns, rows, lambda i, row: self.call(*row))
        if transform.batched and all(isinstance(c, np.ndarray) for c in columns):
            try:
                if transform.random:
                    assert self.key is not None
                    rngs = random.RowGenerators(self.key, rows, self.number)
                    out = transform.batch(*columns, rngs=rngs)  # type: ignore[call-arg]
                else:
                    out = transform.batch(*columns)
                return list(out) if isinstance(out, tuple) else [out], None
            except Exception as exc:
                if len(rows) == 1:
                    return self._failed([], columns, exc)
                # One of the rows is wrong: the row form says which one, and gives those before it.

        def row(i: int, values: Sequence[Any]) -> Any:
            columns = [transform.column(v) for v in values]
            if not transform.random:
                return transform.row(*columns)
            assert self.key is not None
            rng = random.RowGenerators(self.key, rows, self.number)[i]
            return transform.row(*columns, rng=rng)  # type: ignore[call-arg]

        return self._row_by_row(columns, rows, row)

    def _row_by_row(
        self, columns: list[Column], rows: np.ndarray, call: Callable[[int, Sequence[Any]], Any]
    ) -> tuple[list[Column], Failure | None]:
        results: list[tuple] = []
        for i, row in enumerate(zip(*[values(c) for c in columns])):
            try:
                out = call(i, row)
            except Exception as exc:
                return self._failed(results, columns, exc)
            out = out if isinstance(out, tuple) else (out,)
            if results and len(out) != len(results[0]):
                wrong = ValueError(
                    "the function must give the same number of columns for all rows, got "
                    f"{len(out)} after {len(results[0])}."
                )
                return self._failed(results, columns, wrong)
            results.append(out)
        return self._columns(results, len(columns)), None

    def _failed(
        self, results: list[tuple], columns: list[Column], exc: Exception
    ) -> tuple[list[Column], Failure]:
        return self._columns(results, len(columns)), Failure(self.name, len(results), exc)

    @staticmethod
    def _columns(results: list[tuple], width: int) -> list[Column]:
        if not results:
            return [[] for _ in range(width)]
        return [stacked(column) for column in zip(*results)]


def compute(
    operations: Sequence[Operation], columns: list[Column], rows: np.ndarray, outputs: Sequence[str]
) -> tuple[list[Column], Failure | None]:
    """Operations one after the other on rows numbered ``rows``, up to the first that fails."""
    failure: Failure | None = None
    for operation in operations:
        columns, failed = operation.apply(columns, rows)
        if failed is not None:
            failure, rows = failed, rows[: failed.row]
            if not failed.row:
                return [[] for _ in outputs], failure
    last = operations[-1].name
    if len(columns) != len(outputs):
        wrong = ValueError(
            f"the operations must give {len(outputs)} columns for {list(outputs)}, got "
            f"{len(columns)}. Invalid columns: the number of columns returned in 'map' operations "
            "should match the number of 'output_columns'."
        )
        return [[] for _ in outputs], Failure(last, 0, wrong)
    checked = []
    for column in columns:
        if isinstance(column, list) or column.dtype.kind not in "biuf" or not column.dtype.isnative:
            column, failed = _as_values(column, last)
            if failed is not None and (failure is None or failed.row < failure.row):
                failure = failed
        checked.append(column)
    return [c if failure is None else c[: failure.row] for c in checked], failure


def _as_values(column: Column, operation: str) -> tuple[Column, Failure | None]:
    kept = []
    for row, result in enumerate(column):
        try:
            kept.append(as_value(result))
        except TypeError as exc:
            return stacked(kept), Failure(operation, row, exc)
    return stacked(kept), None
