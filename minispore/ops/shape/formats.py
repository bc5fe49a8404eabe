"""Ops that reorder axes and sizes by a permutation or a data format, expand and fill."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir.value import Spec
from minispore.ops.elementwise.complex_numbers import Conj
from minispore.ops.shape.views import BroadcastTo, Transpose
from minispore.ops.support.arguments import check_dtype, check_number, check_tensor_spec, to_static
from minispore.ops.support.derive import _Composite


class ConjugateTranspose(_Composite):
    """conj(x) with its axes in the order ``perm``.

    Args:
        x (Tensor): any dtype.
        perm (tuple): the axes, each exactly once.

    Returns:
        Tensor, of the dtype of x.

    >>> print(ConjugateTranspose()(Tensor([[1, 2], [3, 4]]), (1, 0)))
    [[1 3]
     [2 4]]
    """

    def __call__(self, x: Tensor, perm: Any) -> Tensor:
        """Transpose x and conjugate it if it is complex.

        Raises:
            TypeError: ``perm`` is not a tuple.
            ValueError: it is not a permutation of the axes.
        """
        order = to_static(perm)
        if not isinstance(order, tuple):
            raise TypeError(
                checks.format_error(self.name, "perm", "be a tuple", checks.format_value(perm))
            )
        if sorted(order) != list(range(x.ndim)):
            rule = f"hold each of the {x.ndim} axes once"
            raise ValueError(checks.format_error(self.name, "perm", rule, f"{order}"))
        transposed = Transpose()(x, order)
        return Conj()(transposed) if x.dtype.kind == "c" else transposed


class DataFormatVecPermute(Primitive):
    """Reorders numbers, one or two per axis, from one data format to another.

    Args:
        src_format: "NHWC" or "NCHW".
        dst_format: "NHWC" or "NCHW".
        input_x (Tensor): int32 or int64 (4,) or (4, 2), one or two numbers per axis.

    Returns:
        Tensor, of the same shape and dtype.

    >>> print(DataFormatVecPermute()(Tensor([1, 2, 3, 4])))
    [1 4 2 3]
    """

    src_format: str = "NHWC"
    dst_format: str = "NCHW"

    def check(self) -> None:
        """Raise a ValueError unless both formats are "NHWC" or "NCHW"."""
        for name in ("src_format", "dst_format"):
            checks.one_of(self.name, name, getattr(self, name), ("NHWC", "NCHW"))

    def infer(self, input_x: Spec) -> Spec:
        """Return the spec of the input; raise TypeError unless it is int32 or int64, ValueError
        unless it is (4,) or (4, 2).
        """
        check_dtype(
            self.name, check_tensor_spec(self.name, input_x, "input_x"), "input_x", "int32", "int64"
        )
        if input_x.shape not in ((4,), (4, 2)):
            rule = "have the shape (4,) or (4, 2)"
            raise ValueError(checks.format_error(self.name, "input_x", rule, f"{input_x}"))
        return input_x

    def kernel(self, input_x: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = input_x[[self.src_format.index(letter) for letter in self.dst_format]]


class Expand(_Composite):
    """``x`` repeated along its axes of length 1 to ``shape``.

    Args:
        x (Tensor): any dtype.
        shape (Tensor): int32 or int64, or a tuple; -1 keeps a length.

    Returns:
        Tensor of the shape ``shape``.

    >>> print(Expand()(Tensor([[1], [2]]), Tensor([2, 2])))
    [[1 1]
     [2 2]]
    """

    def __call__(self, x: Tensor, shape: Any) -> Tensor:
        """Return x broadcast to ``shape``, a tensor or tuple, in which -1 keeps a length."""
        return BroadcastTo(to_static(shape))(x)


class Fills(_Composite):
    """A tensor of the shape and dtype of ``x`` filled with ``value``.

    Args:
        x (Tensor): tensor whose shape and dtype the result has.
        value (Union[float, Tensor]): one number; no gradient flows back to it.

    Returns:
        Tensor, of the shape and dtype of x.

    >>> print(Fills()(Tensor([[1, 2]]), 3.0))
    [[3 3]]
    """

    def __call__(self, x: Tensor, value: Any) -> Tensor:
        """Return a tensor filled with ``value``, a number or one-element tensor, else it is a
        TypeError; no gradient flows to it.
        """
        number = check_number(self.name, value, "value")
        return Tensor(np.full(x.shape, number, x.value_.spec.dtype))


__all__ = ["ConjugateTranspose", "DataFormatVecPermute", "Expand", "Fills"]

attach_docstrings("minispore.ops", __name__)
