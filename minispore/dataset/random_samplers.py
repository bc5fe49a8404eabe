"""Random samplers: some rows of each class, or rows drawn by weights."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.pipeline.mersenne import draw_classes, draw_fractions, draw_weighted
from minispore.dataset.pipeline.random import PassGenerator
from minispore.dataset.samplers import BuiltinSampler
from minispore.errors import DatasetError

_DEFAULT_COLUMN = "label"  # the class column of most sources


class PKSampler(BuiltinSampler):
    """``num_val`` random rows of each class, classes in order; a row may occur more than once.

    Args:
        num_val (int): the number of rows of each class.
        num_class (int, optional): the number of classes. Default: ``None``, all.
        shuffle (bool): whether the classes come in random order. Default: ``False``.
        class_column (str): the column that holds the class. Default: ``"label"``; without such a
            column, the first column of numbers.
        num_samples (int, optional): the maximum number of rows.
    """

    _needs_classes_ = True

    def __init__(
        self,
        num_val: int,
        num_class: int | None = None,
        shuffle: bool = False,
        class_column: str = _DEFAULT_COLUMN,
        num_samples: int | None = None,
    ) -> None:
        super().__init__(num_samples)
        self.num_val = check.int32("PKSampler", "num_val", num_val, 1)
        self.num_class = num_class
        if num_class is not None:
            check.int32("PKSampler", "num_class", num_class, 1)
        self.shuffle = check.boolean("PKSampler", "shuffle", shuffle)
        if not isinstance(class_column, str):
            raise TypeError(f"PKSampler: class_column must be a str, got {class_column!r}.")
        self.class_column = class_column
        self._groups_of_table: tuple[Any, list[np.ndarray]] | None = None

    def is_shuffled(self) -> bool:
        return True

    def _compute_order_(self, rows: int, rng: PassGenerator, number: int, table: Any) -> np.ndarray:
        """Draw the rows of each class; raise DatasetError if there is a child sampler."""
        if self.child_sampler is not None:
            raise DatasetError(
                "PKSampler: can't pick from another sampler. Use it without a child."
            )
        groups = self.group_rows(table)
        seed = int(rng.integers(2**32)) if rng.seed is None else rng.seed
        order = draw_classes(groups, self.num_val, seed, number, self.shuffle)
        return order[: self.num_samples]

    def _compute_size_(self, rows: int) -> int:
        """Return ``num_val`` times the number of classes, at most ``num_samples``.

        Raises:
            DatasetError: the sampler has no table yet.
        """
        if self._groups_of_table is None:
            raise DatasetError("PKSampler: must be given to a dataset before its size is known.")
        return self._limit_(self.num_val * len(self._groups_of_table[1]))

    def _bind_table_(self, table: Any) -> PKSampler:
        """Group the rows of the table by class, and return this sampler."""
        super()._bind_table_(table)
        self.group_rows(table)
        return self

    def group_rows(self, table: Any) -> list[np.ndarray]:
        """Return the rows of each class of a table, stored for the next call.

        Raises:
            DatasetError: the table has no such class column, or fewer classes than ``num_class``.
        """
        if self._groups_of_table is None or self._groups_of_table[0] is not table:
            labels = _find_labels(table, self.class_column)
            if labels is None:
                raise DatasetError(
                    "PKSampler: class_column must be a column of class labels of the source, got "
                    f"{self.class_column!r}. The source has {list(table.columns)}."
                )
            rows_in_class_order = np.argsort(labels, kind="stable")
            classes = np.asarray(labels)[rows_in_class_order]
            edges = np.flatnonzero(classes[1:] != classes[:-1]) + 1
            groups = np.split(rows_in_class_order, edges)
            if self.num_class is not None and self.num_class > len(groups):
                raise DatasetError(
                    f"PKSampler: num_class must be at most {len(groups)}, the classes of the "
                    f"source, got {self.num_class}."
                )
            self._groups_of_table = (table, groups[: self.num_class])
        return self._groups_of_table[1]


def _find_labels(table: Any, column: str) -> np.ndarray | None:
    """Return the class of each row; None if the column does not hold classes.

    A table without the column "label" is searched for the first column that does.
    """
    labels = getattr(table, "get_labels", lambda column: None)
    matches = labels(column)
    if matches is None and column == _DEFAULT_COLUMN and column not in table.columns:
        others = (labels(name) for name in table.columns)
        matches = next((values for values in others if values is not None), None)
    return matches


class WeightedRandomSampler(BuiltinSampler):
    """Rows drawn with probabilities in proportion to ``weights``.

    Row i has weight i; rows without a weight are never drawn.

    Args:
        weights (list[float]): non-negative, not all zero; a single number is a list of one.
        num_samples (int, optional): the number of rows in a pass, limited to the number of rows of
            the source. Default: ``None``, that number.
        replacement (bool): whether to draw with replacement. Default: ``True``.
    """

    def __init__(
        self,
        weights: list[float] | list[int] | float,
        num_samples: int | None = None,
        replacement: bool = True,
    ) -> None:
        super().__init__(num_samples)
        weight_list = weights if isinstance(weights, list) else [weights]
        for i, w in enumerate(weight_list):
            if not isinstance(w, int | float | np.integer | np.floating):
                raise TypeError(
                    f"WeightedRandomSampler: weights must be a list of numbers, got {w!r} at {i}: "
                    f"type of weights element must be number, but got w[{i}]: {w}, type: {type(w)}."
                )
            if not 0 <= float(w) < sys.float_info.max:
                raise ValueError(
                    f"WeightedRandomSampler: weights must be 0 or more, got {w!r} at {i}: they "
                    "should not contain negative numbers."
                )
        if not any(w > 0 for w in weight_list):
            raise ValueError("WeightedRandomSampler: weights must not be empty or all zero.")
        self.weights = list(weight_list)
        mindspore_rule = f"must be a boolean value but was: {replacement}"
        self.replacement = check.boolean(
            "WeightedRandomSampler", "replacement", replacement, mindspore_rule
        )

    def is_shuffled(self) -> bool:
        return True

    def _compute_size_(self, rows: int) -> int:
        """Return the number of draws; without replacement at most one for each weight."""
        count = self._limit_(rows)
        return count if self.replacement else min(count, len(self.weights))

    def _compute_order_(self, rows: int, rng: PassGenerator, number: int, table: Any) -> np.ndarray:
        """Return the rows drawn for one pass; under a seed they are the same as MindSpore's.

        Raises:
            DatasetError: there are more weights than rows.
        """
        weights = np.array(self.weights, np.float64)
        if len(weights) > rows:
            raise DatasetError(
                f"WeightedRandomSampler: weights must be at most one for each of the {rows} rows, "
                f"got {len(weights)}."
            )
        count = self._compute_size_(rows)
        seed = int(rng.integers(2**32)) if rng.seed is None else rng.seed
        if self.replacement:
            return draw_weighted(weights, seed, count)
        # The rows with the largest u ** (1 / w) are a draw without replacement (Efraimidis and
        # Spirakis, 2006); w = 0 comes last.
        with np.errstate(divide="ignore"):
            keys = -np.log(1 - draw_fractions(seed, len(weights))) / weights
        return np.argsort(keys, kind="stable")[:count]
