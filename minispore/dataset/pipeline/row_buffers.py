"""Finds users' functions that return the same buffer for each row, so that batches hold wrong rows.

A batch is made after all its rows. A function that writes each row into the same array has
overwritten the first rows by then; in MindSpore, too, all rows of the batch equal the last.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from minispore.dataset.transforms.base import Transform

logger = logging.getLogger("minispore.dataset")

_CHECKED_ROWS = 8  # a reused buffer is reused from the first rows on


class RowBufferCheck:
    """Checks the first rows of a function, and warns once if a later row overwrites one of them.

    Only arrays that share memory are compared, so later operations may change rows in place.

    Args:
        function_name: the function in the warning, such as "GeneratorDataset: source".
    """

    def __init__(self, function_name: str) -> None:
        self._function_name = function_name
        self._rows_left = _CHECKED_ROWS
        self.is_looking = True
        self._arrays: list[tuple[np.ndarray, np.ndarray]] = []  # with a copy of the content

    def note_row(self, values: Iterable[object]) -> RowBufferCheck | None:
        """Record the values of the next row, and warn if those of an earlier row were overwritten.

        Returns:
            This check, for the next row; None when enough rows were checked.
        """
        self._rows_left -= 1
        arrays = [v for v in values if isinstance(v, np.ndarray) and not v.dtype.hasobject]
        if any(
            np.may_share_memory(array, earlier) and earlier.tobytes() != content.tobytes()
            for array in arrays
            for earlier, content in self._arrays
        ):
            logger.warning(
                "%s must return memory of its own for each row, got an array that an earlier row "
                "has and whose content changed. Batches hold wrong rows. Return a copy: "
                "array.copy().",
                self._function_name,
            )
            self._rows_left = 0
        self._arrays = [*self._arrays, *[(array, array.copy()) for array in arrays]]
        if self._rows_left <= 0:  # several threads may record rows
            self.is_looking, self._arrays = False, []
            return None
        return self


def make_row_checks(functions: Sequence[Callable[..., Any]]) -> tuple[RowBufferCheck | None, ...]:
    """Return a check for each function of a user; None for transforms, which return new arrays."""
    checks: list[RowBufferCheck | None] = []
    for function in functions:
        name = getattr(function, "__name__", type(function).__name__)
        is_transform = isinstance(function, Transform)
        checks.append(None if is_transform else RowBufferCheck(f"map: {name}"))
    return tuple(checks)
