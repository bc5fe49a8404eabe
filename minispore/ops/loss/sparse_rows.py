"""Cross entropy with class indices as labels: the loss of each row and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.elementwise.compare import Equal
from minispore.ops.elementwise.powers import Exp
from minispore.ops.network.softmax import LogSoftmax
from minispore.ops.shape.cast_fill import Cast, StopGradient
from minispore.ops.shape.views import ExpandDims
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import check_indices
from minispore.ops.support.derive import _Composite


class SparseSoftmaxCrossEntropyWithLogitsV2(_Composite):
    """-log(softmax(logits)[label]) of each row, and the gradient softmax(logits) - one_hot(label).

    Args:
        logits (Tensor): float (N, C).
        labels (Tensor): int32 or int64 (N,).

    Returns:
        ``(loss, slope)``, (N,) and (N, C).

    >>> loss, slope = SparseSoftmaxCrossEntropyWithLogitsV2()(Tensor([[0.0, 0.0]]), Tensor([1]))
    >>> print(loss, slope)
    [0.6931472] [[ 0.5 -0.5]]
    """

    def __call__(self, logits: Tensor, labels: Tensor) -> Any:
        """Return the loss of each row, and its gradient, which is not differentiable."""
        check_dtype_kind(self.name, logits.value_.spec, "f", "logits")
        check_indices(self.name, labels.value_.spec, "labels")
        if logits.ndim != 2 or labels.shape != logits.shape[:1]:
            rule = "hold a class number for each row of logits, (N, C)"
            raise ValueError(checks.format_error(self.name, "labels", rule, f"{labels.shape}"))
        logs = LogSoftmax()(logits)
        classes = Tensor(np.arange(logits.shape[1]), labels.dtype)
        one_hot = Cast()(Equal()(ExpandDims()(labels, 1), classes), logits.dtype)
        loss = -ReduceSum()(logs * one_hot, -1)
        return loss, StopGradient()(Exp()(logs) - one_hot)


__all__ = ["SparseSoftmaxCrossEntropyWithLogitsV2"]
