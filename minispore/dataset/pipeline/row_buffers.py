"""Finds users' functions that give one buffer again and again, so that batches hold wrong rows.

A batch is made when its rows are there. A function that writes each row into the same array has
overwritten the first by then, and MindSpore, too, puts the last row into all places.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from minispore.dataset.transforms.base import Transform

logger = logging.getLogger("minispore.dataset")

_CHECKED_ROWS = 8  # a buffer that is used again is there from the beginning


class RowBufferCheck:
    """Looks at the first rows of a function, and warns once if a later row overwrites one.

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
        """Note the values of the next row, and compare with those of earlier rows.

        Returns:
            The check for the row after it; None when enough rows were looked at.
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
        if self._rows_left <= 0:  # several threads may note rows
            self.is_looking, self._arrays = False, []
            return None
        return self


def make_row_checks(functions: Sequence[Callable[..., Any]]) -> tuple[RowBufferCheck | None, ...]:
    """Return a check for each function of a user; None for transforms, which give new arrays."""
    checks: list[RowBufferCheck | None] = []
    for function in functions:
        name = getattr(function, "__name__", type(function).__name__)
        is_transform = isinstance(function, Transform)
        checks.append(None if is_transform else RowBufferCheck(f"map: {name}"))
    return tuple(checks)
