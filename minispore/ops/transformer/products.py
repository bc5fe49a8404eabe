"""The two matrix products over groups of rows, which are each other's gradients."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.linalg.products import matmul_into


def _make_group_slices(ends: np.ndarray, rows: int) -> list[slice]:
    """Return the slice of rows of each group.

    Raises:
        ValueError: the ends do not ascend from 0 to at most ``rows``.
    """
    bounds = [0, *ends.tolist()]
    groups = [slice(a, b) for a, b in pairwise(bounds)]
    if any(g.start > g.stop for g in groups) or bounds[-1] > rows:
        raise ValueError(
            "GroupedMatmul: group_list must say where each group ends, from 0 on in order and at "
            f"most at the {rows} rows, got ends {checks.format_short(bounds[1:])}. With "
            "group_list_type 1 it holds how long they are."
        )
    return groups


class GroupedRows(Primitive):
    """The rows of each group times the group's matrix, transposed with ``transpose_b``.

    Shape: x (M, K), weight (E, K, N), ends of the groups (E,) -> (M, N). Rows after the last group
    are 0. Ends that are not in order raise a ValueError when it runs.

    >>> x, weight = Tensor([[1.0], [2.0], [3.0]]), Tensor([[[1.0]], [[10.0]]])
    >>> print(GroupedRows()(x, weight, Tensor([1, 3])).asnumpy().ravel())
    [ 1. 20. 30.]
    """

    transpose_b: bool = False

    def infer(self, x: Spec, weight: Spec, ends: Spec) -> Spec:
        """Return the spec (rows, N) of the products, in the dtype of x."""
        n = weight.shape[1 if self.transpose_b else 2]
        return Spec((x.shape[0], n), x.dtype)

    def kernel(
        self, x: np.ndarray, weight: np.ndarray, ends: np.ndarray, *, out: np.ndarray
    ) -> None:
        """Multiply group by group, and zero the rows after the last group; raise ValueError if the
        ends are not in order.
        """
        groups = _make_group_slices(ends, len(x))
        for group, matrix in zip(groups, weight, strict=True):
            matmul_into(x[group], matrix.T if self.transpose_b else matrix, out[group])
        out[groups[-1].stop if groups else 0 :] = 0

    def flops(self, x: Spec, weight: Spec, ends: Spec) -> int:
        return 2 * self.infer(x, weight, ends).size * x.shape[1]

    def vjp(
        self, x: Tensor, weight: Tensor, ends: Tensor, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        """Return the gradient functions of x and weight; the ends have no gradient."""
        a, b = (dout, x) if self.transpose_b else (x, dout)
        return (
            lambda: GroupedRows(not self.transpose_b)(dout, weight, ends),
            lambda: GroupedOuter()(a, b, ends),
            None,
        )


class GroupedOuter(Primitive):
    """For each group the product of its rows of ``a``, transposed, and its rows of ``b``: (E, M,
    N).

    Rows after the last group do not count. Ends that are not in order raise a ValueError when it
    runs.

    >>> a, b = Tensor([[1.0], [2.0], [3.0]]), Tensor([[1.0], [1.0], [1.0]])
    >>> print(GroupedOuter()(a, b, Tensor([1, 3])).asnumpy().ravel())
    [1. 5.]
    """

    def infer(self, a: Spec, b: Spec, ends: Spec) -> Spec:
        """Return the spec (E, M, N) of the products, in the dtype of a."""
        return Spec((ends.shape[0], a.shape[1], b.shape[1]), a.dtype)

    def kernel(self, a: np.ndarray, b: np.ndarray, ends: np.ndarray, *, out: np.ndarray) -> None:
        """Multiply group by group; an empty group gives 0. Raise ValueError if the ends are not in
        order.
        """
        for group, target in zip(_make_group_slices(ends, len(a)), out, strict=True):
            matmul_into(a[group].T, b[group], target)

    def flops(self, a: Spec, b: Spec, ends: Spec) -> int:
        return 2 * a.size * b.shape[1]

    def vjp(self, a: Tensor, b: Tensor, ends: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient functions of a and b; the ends have no gradient."""
        return (
            lambda: GroupedRows(transpose_b=True)(b, dout, ends),
            lambda: GroupedRows()(a, dout, ends),
            None,
        )


__all__ = ["GroupedOuter", "GroupedRows"]
