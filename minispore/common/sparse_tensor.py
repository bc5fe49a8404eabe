"""Door: tensors that hold what is not zero, at ``mindspore.common.sparse_tensor``."""

from minispore.ops.index.rows import RowTensor as RowTensor
from minispore.ops.index.rows import RowTensor as RowTensorInner  # noqa: F401  MindSpore's own use
from minispore.ops.methods.sparse_tensors import COOTensor as COOTensor
from minispore.ops.methods.sparse_tensors import CSRTensor as CSRTensor

__all__ = ["COOTensor", "CSRTensor", "RowTensor"]
