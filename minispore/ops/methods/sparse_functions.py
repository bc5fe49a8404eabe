"""Sums, products and conversions of sparse tensors: ``ops.coo_add``, ``ops.csr_mm``, ...

The module is imported when one of the functions is first used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.complex_numbers import Conj
from minispore.ops.index.gather import GatherNd
from minispore.ops.index.segment import UnsortedSegmentMax, UnsortedSegmentSum
from minispore.ops.methods.sparse_tensors import COOTensor, CSRTensor
from minispore.ops.methods.sparse_values import check_instance
from minispore.ops.shape.cast_fill import StopGradient
from minispore.ops.shape.join import concat
from minispore.ops.shape.views import broadcast_to
from minispore.ops.support.arguments import check_arithmetic_operands, check_axis


def coo_add(x1: COOTensor, x2: COOTensor, thresh: Tensor) -> COOTensor:
    """Return the sum of two COOTensors, without the values whose magnitude is below ``thresh``.

    Args:
        x1 (COOTensor): 2-D.
        x2 (COOTensor): of the same shape.
        thresh (Tensor): 0-d; sums of smaller magnitude are dropped.

    Returns:
        COOTensor, one value per position.

    Raises:
        TypeError: ``x1`` or ``x2`` is not a COOTensor, or ``thresh`` is not a Tensor.
        ValueError: the shapes differ.

    Example:
        >>> from minispore import COOTensor, Tensor, ops
        >>> x = COOTensor(Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0]), (2, 2))
        >>> print(ops.coo_add(x, x, Tensor(5.0)).values)
        [6.]
    """
    return check_instance(COOTensor, "coo_add", "x1", x1).add(x2, thresh)


def coo_concat(sp_input: Any, concat_dim: int = 0) -> COOTensor:
    """Concatenate two or more COOTensors along the axis ``concat_dim``, and sort the elements by
    position.

    It cannot be part of a graph.

    Args:
        sp_input (tuple): at least 2 COOTensors, whose shapes are equal except along ``concat_dim``.
        concat_dim (int): the axis, from -2 to 1.

    Returns:
        COOTensor.

    Raises:
        TypeError: ``sp_input`` contains something other than COOTensors.
        ValueError: there are fewer than 2, the shapes do not fit, or the axis does not exist.

    Example:
        >>> from minispore import COOTensor, Tensor, ops
        >>> x = COOTensor(Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.coo_concat((x, x), 1).indices.tolist()
        [[0, 1], [0, 3], [1, 0], [1, 2]]
    """
    if not isinstance(sp_input, tuple | list):
        raise TypeError(f"coo_concat: sp_input must be a tuple of COOTensors, got {sp_input!r}.")
    if len(sp_input) < 2:
        raise ValueError(f"coo_concat: sp_input must hold at least 2, got {len(sp_input)}.")
    tensors = [check_instance(COOTensor, "coo_concat", "each of sp_input", x) for x in sp_input]
    axis = check_axis("coo_concat", concat_dim, 2, "concat_dim")
    lengths = [x.shape[axis] for x in tensors]
    for x in tensors:
        if x.shape[1 - axis] != tensors[0].shape[1 - axis]:
            raise ValueError(
                f"coo_concat: the shapes of sp_input must be equal but along axis {axis}, got "
                f"{[x.shape for x in tensors]}."
            )
    indices = np.concatenate([x.indices.asnumpy() for x in tensors])
    starts = np.cumsum([0, *lengths[:-1]])
    indices[:, axis] += np.repeat(starts, [x.size for x in tensors]).astype(indices.dtype)
    order = np.lexsort((indices[:, 1], indices[:, 0]))
    values = concat([x.values for x in tensors])[Tensor(order, mstype.int64)]
    shape = list(tensors[0].shape)
    shape[axis] = sum(lengths)
    return COOTensor(Tensor(indices[order]), values, tuple(shape))


def csr_add(a: CSRTensor, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
    """Return ``alpha * a + beta * b`` as a CSRTensor.

    Args:
        a (CSRTensor): 2-D.
        b (CSRTensor): of the same shape.
        alpha (Tensor): 0-d, the factor of ``a``.
        beta (Tensor): 0-d, the factor of ``b``.

    Returns:
        CSRTensor, one value per position.

    Raises:
        TypeError: ``a`` or ``b`` is not a CSRTensor, or a factor is not a Tensor.
        ValueError: the shapes differ.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> print(ops.csr_add(x, x, Tensor(1.0), Tensor(2.0)).values)
        [6. 9.]
    """
    check_instance(CSRTensor, "csr_add", "a", a)
    check_arithmetic_operands("csr_add", alpha=alpha, beta=beta)
    return a.add(b, alpha, beta)


def csr_mul(x: CSRTensor, y: Tensor) -> CSRTensor:
    """Return ``x * y``, where the dense ``y`` broadcasts to the shape of ``x``.

    Args:
        x (CSRTensor): any.
        y (Tensor): dense, broadcasts to the shape of ``x``.

    Returns:
        CSRTensor, with the same positions.

    Raises:
        TypeError: ``x`` is not a CSRTensor, or ``y`` is not a Tensor.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> print(ops.csr_mul(x, Tensor([[10.0, 100.0]])).values)
        [200.  30.]
    """
    check_instance(CSRTensor, "csr_mul", "x", x)
    check_arithmetic_operands("csr_mul", y=y)
    return x * y


def csr_div(x: CSRTensor, y: Tensor) -> Tensor:
    """Return the values of ``x / y``, where the dense ``y`` broadcasts to the shape of ``x``.

    Args:
        x (CSRTensor): any.
        y (Tensor): dense, broadcasts to the shape of ``x``.

    Returns:
        Tensor, only the values; ``x / y`` is a CSRTensor.

    Raises:
        TypeError: ``x`` is not a CSRTensor, or ``y`` is not a Tensor.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> print(ops.csr_div(x, Tensor([[1.0, 2.0]])))
        [1. 3.]
    """
    check_instance(CSRTensor, "csr_div", "x", x)
    check_arithmetic_operands("csr_div", y=y)
    return (x / y).values


def csr_mv(csr_tensor: CSRTensor, dense: Tensor) -> Tensor:
    """Return the product of a CSRTensor and a column vector, (columns, 1) -> (rows, 1).

    Args:
        csr_tensor (CSRTensor): (rows, columns).
        dense (Tensor): (columns, 1).

    Returns:
        Tensor, (rows, 1).

    Raises:
        TypeError: ``csr_tensor`` is not a CSRTensor, or ``dense`` is not a Tensor.
        ValueError: ``dense`` has a different shape.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> print(ops.csr_mv(x, Tensor([[1.0], [10.0]])))
        [[20.]
         [ 3.]]
    """
    return check_instance(CSRTensor, "csr_mv", "csr_tensor", csr_tensor).mv(dense)


def _to_transposed_dense(x: CSRTensor, transposed: bool, adjoint: bool) -> Tensor:
    """Return x as a dense matrix, transposed if ``transposed``, conjugate-transposed if
    ``adjoint``.
    """
    dense = x.to_dense()
    if adjoint and dense.dtype.kind == "c":
        dense = Conj()(dense)
    return dense.T if transposed or adjoint else dense


def csr_mm(
    a: CSRTensor,
    b: CSRTensor,
    trans_a: bool = False,
    trans_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> CSRTensor:
    """Return the product of two CSRTensors, optionally transposed or conjugate-transposed first.

    It cannot be part of a graph.

    Args:
        a (CSRTensor): 2-D.
        b (CSRTensor): 2-D.
        trans_a (bool): transpose ``a`` first.
        trans_b (bool): transpose ``b`` first.
        adjoint_a (bool): conjugate-transpose ``a`` first.
        adjoint_b (bool): conjugate-transpose ``b`` first.

    Returns:
        CSRTensor, without stored zeros.

    Raises:
        TypeError: ``a`` or ``b`` is not a CSRTensor, or a flag is not a bool.
        ValueError: both flags of a matrix are True, or the shapes do not fit.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> print(ops.csr_mm(x, x, trans_b=True).to_dense())
        [[4. 0.]
         [0. 9.]]
    """
    flags = (("trans", trans_a, trans_b), ("adjoint", adjoint_a, adjoint_b))
    for prefix, *values in flags:
        for name, flag in zip("ab", values):
            checks.boolean("csr_mm", f"{prefix}_{name}", flag)
    for name, x, *transpose_flags in (("a", a, trans_a, adjoint_a), ("b", b, trans_b, adjoint_b)):
        if all(transpose_flags):
            raise ValueError(f"csr_mm: trans_{name} and adjoint_{name} must not both be True.")
        check_instance(CSRTensor, "csr_mm", name, x)
    left: Any = _to_transposed_dense(a, trans_a, adjoint_a)
    return (left @ _to_transposed_dense(b, trans_b, adjoint_b)).to_csr()


def csr_gather(indptr: Tensor, indices: Tensor, dense: Tensor, sparse_shape: Any) -> Tensor:
    """Broadcast ``dense`` to ``sparse_shape``, and return its elements at the positions of a
    CSRTensor.

    Args:
        indptr (Tensor): where each row begins, and where the last one ends, (rows + 1,).
        indices (Tensor): columns, (n,).
        dense (Tensor): broadcasts to ``sparse_shape``.
        sparse_shape (tuple): (rows, columns).

    Returns:
        Tensor, (n,).

    Raises:
        TypeError: ``indptr``, ``indices`` or ``dense`` is not a Tensor.
        ValueError: the shapes do not fit.

    Example:
        >>> from minispore import Tensor, ops
        >>> dense = Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ops.csr_gather(Tensor([0, 1, 2]), Tensor([1, 0]), dense, (2, 2)))
        [2. 3.]
    """
    check_instance(Tensor, "csr_gather", "dense", dense)
    coordinates = CSRTensor(indptr, indices, indices, tuple(sparse_shape))._compute_coordinates()
    return GatherNd()(broadcast_to(dense, tuple(sparse_shape)), coordinates)


def csr_reduce_sum(csr_tensor: CSRTensor, axis: int) -> Tensor:
    """Return the sum of each row of a CSRTensor, (rows, 1); ``axis`` must be 1.

    Args:
        csr_tensor (CSRTensor): 2-D.
        axis (int): 1, or -1.

    Returns:
        Tensor, (rows, 1).

    Raises:
        TypeError: ``csr_tensor`` is not a CSRTensor.
        ValueError: ``axis`` has another value.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> print(ops.csr_reduce_sum(x, 1))
        [[2.]
         [3.]]
    """
    return check_instance(CSRTensor, "csr_reduce_sum", "csr_tensor", csr_tensor).sum(axis)


def csr_softmax(logits: CSRTensor, dtype: Any) -> CSRTensor:
    """Return the softmax of each row over its stored values, in the dtype of the values.

    Args:
        logits (CSRTensor): floats.
        dtype (dtype): float32 or float64; it has no effect on the result.

    Returns:
        CSRTensor, with the same positions.

    Raises:
        TypeError: ``logits`` is not a CSRTensor, or ``dtype`` is neither float32 nor float64.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> from minispore import float32
        >>> print(ops.csr_softmax(x, float32).values)
        [1. 1.]
    """
    check_instance(CSRTensor, "csr_softmax", "logits", logits)
    if dtype not in (mstype.float32, mstype.float64):
        raise TypeError(f"csr_softmax: dtype must be float32 or float64, got {dtype!r}.")
    rows, count = logits._compute_rows(), logits.shape[0]
    largest = UnsortedSegmentMax()(logits.values, rows, count)
    powers = (logits.values - StopGradient()(largest)[rows]).exp()
    return logits.with_values(powers / UnsortedSegmentSum()(powers, rows, count)[rows])


def csr_to_coo(tensor: CSRTensor) -> COOTensor:
    """Convert a CSRTensor to a COOTensor.

    Args:
        tensor (CSRTensor): 2-D.

    Returns:
        COOTensor.

    Raises:
        TypeError: ``tensor`` is not a CSRTensor.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.csr_to_coo(x).indices.tolist()
        [[0, 1], [1, 0]]
    """
    return check_instance(CSRTensor, "csr_to_coo", "tensor", tensor).to_coo()


def csr_to_dense(csr_tensor: CSRTensor) -> Tensor:
    """Convert a CSRTensor to a dense tensor.

    Args:
        csr_tensor (CSRTensor): any.

    Returns:
        Tensor, with zeros at all other positions.

    Raises:
        TypeError: ``csr_tensor`` is not a CSRTensor.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> print(ops.csr_to_dense(x))
        [[0. 2.]
         [3. 0.]]
    """
    return check_instance(CSRTensor, "csr_to_dense", "csr_tensor", csr_tensor).to_dense()


attach_docstrings("minispore.ops", __name__)
