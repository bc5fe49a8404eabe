"""Door: tensors that hold what is not zero, at ``mindspore.common.sparse_tensor``."""

from minispore.core.rare import look_sparse as __getattr__  # noqa: F401
from minispore.core.rare import names_sparse as __dir__  # noqa: F401
from minispore.ops.index.rows import RowTensor as RowTensor
from minispore.ops.index.rows import RowTensor as RowTensorInner  # noqa: F401  MindSpore's own use
from minispore.ops.methods.sparse_tensors import COOTensor as COOTensor
from minispore.ops.methods.sparse_tensors import CSRTensor as CSRTensor

__all__ = ["COOTensor", "CSRTensor", "RowTensor"]
