"""SparseTensor, the name of COOTensor in MindSpore 1.x."""

from __future__ import annotations

from minispore.core.tensor import Tensor
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.methods.sparse_tensors import COOTensor


class SparseTensor(COOTensor):
    """A :class:`COOTensor` of indices, values and shape, under its name in MindSpore 1.x.

    Args:
        indices (Tensor): positions, (n, 2), int16, int32 or int64.
        values (Tensor): (n,).
        shape (tuple): shape of the dense tensor, two sizes.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the shapes do not fit.

    >>> print(SparseTensor(Tensor([[0, 1]]), Tensor([2.0]), (1, 2)).to_dense())
    [[0. 2.]]
    """

    def __init__(self, indices: Tensor, values: Tensor, shape: tuple[int, ...]) -> None:
        super().__init__(indices, values, shape)


__all__ = ["SparseTensor"]

attach_docstrings("minispore", __name__)
