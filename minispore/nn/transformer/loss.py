"""The loss of a language model: cross entropy over the unmasked tokens."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.cell import Cell
from minispore.nn.transformer.layers import FLOATS, _check_input_dtype, _check_input_shape
from minispore.nn.transformer.op_parallel_config import OpParallelConfig, default_dpmp_config
from minispore.ops.support.arguments import check_tensors


class CrossEntropyLoss(Cell):
    """sum(mask * -log softmax(logits)[label]) / (sum(mask) + 1e-5).

    Args:
        parallel_config: how the computation would be sharded over devices.

    Raises:
        TypeError: ``parallel_config`` is not an OpParallelConfig; when called: a dtype is wrong.
        ValueError: when called: a number of axes is wrong.

    Inputs: logits (N, C), float; label (N,), int32; input_mask (N,), float32.

    >>> import minispore as ms
    >>> from minispore import Tensor, nn
    >>> loss = nn.transformer.CrossEntropyLoss()
    >>> logits = Tensor([[3.0, 1.0], [0.0, 0.0]])
    >>> mask = Tensor([1.0, 0.0])
    >>> print(loss(logits, Tensor([0, 1], ms.int32), mask).asnumpy().round(3))
    [0.127]
    """

    def __init__(self, parallel_config: Any = default_dpmp_config) -> None:
        super().__init__()
        checks.instance(self, "parallel_config", parallel_config, OpParallelConfig)

    def construct(self, logits: Tensor, label: Tensor, input_mask: Tensor) -> Tensor:
        """Check the inputs, and return the mean loss of the tokens in ``input_mask``."""
        api_name = "CrossEntropyLoss"
        check_tensors(api_name, logits=logits, label=label, input_mask=input_mask)
        _check_input_shape(logits.shape, "logits", api_name, 2)
        _check_input_shape(label.shape, "label", api_name, 1)
        _check_input_shape(input_mask.shape, "input_mask", api_name, 1)
        _check_input_dtype(logits.dtype, "logits", FLOATS, api_name)
        _check_input_dtype(label.dtype, "label", [mstype.int32], api_name)
        _check_input_dtype(input_mask.dtype, "input_mask", [mstype.float32], api_name)
        logits = ops.cast(logits, mstype.float32)
        losses = ops.cross_entropy(logits, label, reduction="none")
        return (losses * input_mask).sum() / (input_mask.sum() + _EPS)


_EPS = Tensor([1e-5], mstype.float32)  # a batch without tokens gives 0

__all__ = ["CrossEntropyLoss"]
