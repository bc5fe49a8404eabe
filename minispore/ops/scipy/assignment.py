"""The linear sum assignment problem: pair rows with columns at minimum total cost."""

from __future__ import annotations

import sys

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind


class LinearSumAssignment(Primitive):
    """Pairs of rows and columns, each used once, with the minimum sum of costs.

    Args:
        maximize: find the maximum sum instead.

    Only the first ``dimension_limit`` columns are used. If these are fewer than the outputs, the
    outputs are padded with -1.

    Shape: cost_matrix (M, N), dimension_limit () -> two times (min(M, N),), int64.

    >>> costs = Tensor([[4.0, 1.0], [2.0, 0.0]])
    >>> rows, columns = LinearSumAssignment()(costs, Tensor(2))
    >>> print(rows, columns)
    [0 1] [1 0]

    Source: Crouse, https://doi.org/10.1109/TAES.2016.140952
    """

    maximize: bool = False

    def check(self) -> None:
        """Raise a TypeError unless ``maximize`` is a bool."""
        checks.boolean(self.name, "maximize", self.maximize)

    def infer(self, cost_matrix: Spec, dimension_limit: Spec) -> tuple[Spec, Spec]:
        """Return the specs of the rows and columns: int64, of the length of the shorter axis.

        Raises:
            TypeError: the costs are complex, or ``dimension_limit`` is not int64.
            ValueError: ``cost_matrix`` does not have two axes, or ``dimension_limit`` not one
                element.
        """
        check_dtype_kind(self.name, cost_matrix, "iufb", "cost_matrix")
        if cost_matrix.ndim != 2:
            raise ValueError(f"{self.name}: cost_matrix must have two axes, got {cost_matrix}.")
        if check_dtype_kind(self.name, dimension_limit, "i", "dimension_limit").dtype != np.int64:
            raise TypeError(
                f"{self.name}: dimension_limit must be a Tensor of int64, got {dimension_limit}."
            )
        if dimension_limit.size != 1:
            raise ValueError(
                f"{self.name}: dimension_limit must have one element, got {dimension_limit}."
            )
        indices = Spec((min(cost_matrix.shape),), np.dtype(np.int64))
        return indices, indices

    def kernel(
        self,
        cost_matrix: np.ndarray,
        dimension_limit: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray],
    ) -> None:
        """Write the rows and columns of the assignment, padded with -1.

        Raises:
            RuntimeError: no assignment of finite cost exists, a cost is NaN or infinitely good, or
                ``dimension_limit`` is below 1.
        """
        limit = int(dimension_limit.reshape(()))
        if limit < 1:
            raise RuntimeError(f"{self.name}: dimension_limit must be positive, got {limit}.")
        costs = cost_matrix[:, :limit].astype(np.float64)
        if self.maximize:
            costs = -costs
        if np.isnan(costs).any() or (costs == -np.inf).any():
            raise RuntimeError(
                f"{self.name}: cost_matrix must hold neither NaN nor the best of all costs, an "
                "infinite one."
            )
        is_transposed = costs.shape[0] > costs.shape[1]
        columns = _assign_columns(costs.T if is_transposed else costs)
        if columns is None:
            raise RuntimeError(
                f"{self.name}: cost_matrix must leave every row a column of finite cost."
            )
        assignment = [np.arange(len(columns)), columns]
        if is_transposed:
            assignment.reverse()
        order = np.argsort(assignment[0])
        for indices, assigned in zip(out, (a[order] for a in assignment), strict=True):
            indices[: len(assigned)] = assigned
            indices[len(assigned) :] = -1


def _assign_columns(costs: np.ndarray) -> np.ndarray | None:
    """Return the column assigned to each row of costs (M, N), M <= N; None if no assignment exists.

    Rows are assigned one after another, by the shortest augmenting path to a free column. Path
    lengths are reduced costs, which the potentials u and v keep non-negative.
    """
    rows, columns = costs.shape
    u, v = np.zeros(rows), np.zeros(columns)
    column_of_row, row_of_column = np.full(rows, -1), np.full(columns, -1)
    for start in range(rows):
        shortest, previous_row = np.full(columns, np.inf), np.full(columns, -1)
        remaining = np.arange(columns)[::-1].copy()  # the order breaks ties between equal costs
        visited_rows: list[int] = []
        visited_columns: list[int] = []
        distance = 0.0
        i, sink = start, -1
        while sink < 0:
            visited_rows.append(i)
            distance_through_row = distance + costs[i, remaining] - u[i] - v[remaining]
            is_nearer = distance_through_row < shortest[remaining]
            shortest[remaining[is_nearer]] = distance_through_row[is_nearer]
            previous_row[remaining[is_nearer]] = i
            distance = shortest[remaining].min()
            if distance == np.inf:
                return None
            ties = np.flatnonzero(shortest[remaining] == distance)
            free = ties[row_of_column[remaining[ties]] < 0]
            chosen = free[-1] if len(free) else ties[0]
            column = remaining[chosen]
            visited_columns.append(column)
            remaining[chosen] = remaining[-1]
            remaining = remaining[:-1]
            i = row_of_column[column]
            sink = column if i < 0 else -1
        u[start] += distance
        assigned_rows = np.array([r for r in visited_rows if r != start], int)
        u[assigned_rows] += distance - shortest[column_of_row[assigned_rows]]
        v[visited_columns] -= distance - shortest[visited_columns]
        while True:
            i = previous_row[sink]
            row_of_column[sink] = i
            freed_column = column_of_row[i]
            column_of_row[i] = sink
            if i == start:
                break
            sink = freed_column
    return column_of_row


def linear_sum_assignment(
    cost_matrix: Tensor, maximize: bool, dimension_limit: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Return pairs of rows and columns, each used once, with the minimum sum of costs.

    Args:
        cost_matrix: the cost of each row with each column, real numbers or bools.
        maximize: find the maximum sum instead.
        dimension_limit: use only this number of columns, an int64; None for all.

    Returns:
        The rows in ascending order and the column of each, both int64 of shape (min(M, N),); padded
        with -1 if ``dimension_limit`` leaves fewer columns.

    Raises:
        TypeError: costs are complex, ``maximize`` is not a bool, or the limit is not int64.
        ValueError: ``cost_matrix`` is not a matrix.
        RuntimeError: no assignment exists (NaN, or a row that is infinite everywhere), or the limit
            is below 1.

    >>> rows, columns = linear_sum_assignment(Tensor([[4.0, 1.0], [2.0, 0.0]]), False)
    >>> print(rows, columns)
    [0 1] [1 0]
    """
    checks.boolean("linear_sum_assignment", "maximize", maximize)
    limit = Tensor(sys.maxsize) if dimension_limit is None else dimension_limit
    return LinearSumAssignment(maximize)(cost_matrix, limit)


__all__ = ["LinearSumAssignment", "linear_sum_assignment"]
