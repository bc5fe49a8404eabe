"""Alias module: tensors that hold what is not zero, at ``mindspore.common.sparse_tensor``."""

from minispore.ops.index.rows import RowTensor as RowTensor
from minispore.ops.index.rows import RowTensor as RowTensorInner  # noqa: F401  MindSpore's own use
from minispore.ops.methods.sparse_tensors import COOTensor as COOTensor
from minispore.ops.methods.sparse_tensors import CSRTensor as CSRTensor
from minispore.ops.rare import look_old as __getattr__  # noqa: F401
from minispore.ops.rare import names_old as __dir__  # noqa: F401

__all__ = ["COOTensor", "CSRTensor", "RowTensor"]
