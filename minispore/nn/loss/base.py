"""LossBase: the reduction that all losses share."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell


class LossBase(Cell):
    """Base of all losses: a subclass computes elementwise losses, and :meth:`get_loss` reduces
    them.

    Args:
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Raises:
        ValueError: ``reduction`` is invalid.

    >>> class Largest(LossBase):
    ...     def construct(self, logits, labels):
    ...         return self.get_loss(ops.abs(logits - labels))
    >>> print(Largest("sum")(Tensor([1.0, 2.0]), Tensor([0.0, 5.0])))
    4.0
    """

    _ignores_case_ = False  # accept `reduction` in upper or lower case, like MindSpore's ops

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        name = type(self).__name__
        if self._ignores_case_:
            reduction = checks.string(name, "reduction", reduction).lower()
        self.reduction = checks.one_of(name, "reduction", reduction, ("mean", "sum", "none"))
        self.average = reduction != "sum"
        self.reduce = reduction != "none"
        self.reduce_mean, self.reduce_sum = ops.ReduceMean(), ops.ReduceSum()
        self.mul, self.cast = ops.Mul(), ops.Cast()  # for subclasses, as in MindSpore

    def get_axis(self, x: Tensor) -> tuple[int, ...]:
        """Return all axes of x."""
        return tuple(range(x.ndim))

    def get_loss(self, x: Tensor, weights: Any = 1.0) -> Tensor:
        """Return ``x * weights``, reduced, in the dtype of x; float16 and bfloat16 are computed in
        float32.
        """
        compute_dtype = mstype.float64 if x.dtype == mstype.float64 else mstype.float32
        loss = self.cast(x, compute_dtype)
        if isinstance(weights, Tensor) or weights != 1.0:
            loss = self.mul(self.cast(weights, compute_dtype), loss)
        if self.reduce:
            reduction = self.reduce_mean if self.average else self.reduce_sum
            loss = reduction(loss, self.get_axis(loss))
        return self.cast(loss, x.dtype)

    def _check_tensors_(self, **inputs: Any) -> None:
        """Check that each input is a Tensor; raise TypeError with its name otherwise."""
        for name, value in inputs.items():
            check.check_tensor(type(self).__name__, name, value)


_Loss = LossBase  # MindSpore 1's name


def _check_label_dtype(labels_dtype: Any, cls_name: str) -> None:
    """Check that labels are int32 or int64. Called by users' losses.

    Raises:
        TypeError: the labels have another dtype.
    """
    if labels_dtype not in (mstype.int32, mstype.int64):
        raise TypeError(f"{cls_name}: labels must be of int32 or int64, got {labels_dtype}.")


__all__ = ["LossBase"]
