"""Accessors and element-wise functions of sparse tensors: ``ops.coo_sin``, ``ops.csr_abs``, ...

The module is imported when one of the functions is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from minispore.core.tensor import Tensor
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir.registry import registry
from minispore.ops.methods.sparse_tensors import COOTensor, CSRTensor

S = TypeVar("S", COOTensor, CSRTensor, Tensor)


def check_instance(cls: type[S], api_name: str, argument: str, value: Any) -> S:
    """Return ``value`` if it is a ``cls``, else raise TypeError."""
    if not isinstance(value, cls):
        raise TypeError(f"{api_name}: {argument} must be a {cls.__name__}, got {value!r}.")
    return value


_EXAMPLE_INDICES = {COOTensor: "Tensor([[0, 1]])", CSRTensor: "Tensor([0, 1, 1]), Tensor([1])"}
_DOC_TEMPLATE = """The {kind} ``x`` with :class:`{primitive}` of its values.

Args:
    x ({kind}): any.

Returns:
    {kind}, with the same positions.

Raises:
    TypeError: ``x`` is no {kind}.

Example:
    >>> from minispore import {kind}, Tensor, ops
    >>> x = {kind}({places}, Tensor([0.5]), (2, 2))
    >>> ops.{op}(x).shape
    (2, 2)
"""


def _make_values_function(cls: type[Any], api_name: str, primitive: str) -> Callable[[Any], Any]:
    """Make the public function ``api_name``, with docstring, which applies an op to a ``cls``'s
    values.
    """

    def apply_to_values(x: Any) -> Any:
        """Return ``x`` with the op applied to its values; raise TypeError if it is no ``cls``."""
        return check_instance(cls, api_name, "x", x).with_values(registry[primitive]()(x.values))

    apply_to_values.__name__ = apply_to_values.__qualname__ = api_name
    apply_to_values.__doc__ = _DOC_TEMPLATE.format(
        kind=cls.__name__, primitive=primitive, op=api_name, places=_EXAMPLE_INDICES[cls]
    )
    return apply_to_values


def _make_coo_function(name: str, primitive: str) -> Callable[[COOTensor], COOTensor]:
    """Make the public function ``coo_<name>``, which applies the op ``primitive`` to the values."""
    return _make_values_function(COOTensor, f"coo_{name}", primitive)


def _make_csr_function(name: str, primitive: str) -> Callable[[CSRTensor], CSRTensor]:
    """Make the public function ``csr_<name>``, which applies the op ``primitive`` to the values."""
    return _make_values_function(CSRTensor, f"csr_{name}", primitive)


coo_abs = _make_coo_function("abs", "Abs")
coo_acos = _make_coo_function("acos", "ACos")
coo_acosh = _make_coo_function("acosh", "Acosh")
coo_asin = _make_coo_function("asin", "Asin")
coo_asinh = _make_coo_function("asinh", "Asinh")
coo_atan = _make_coo_function("atan", "Atan")
coo_atanh = _make_coo_function("atanh", "Atanh")
coo_ceil = _make_coo_function("ceil", "Ceil")
coo_cos = _make_coo_function("cos", "Cos")
coo_cosh = _make_coo_function("cosh", "Cosh")
coo_exp = _make_coo_function("exp", "Exp")
coo_expm1 = _make_coo_function("expm1", "Expm1")
coo_floor = _make_coo_function("floor", "Floor")
coo_inv = _make_coo_function("inv", "Inv")
coo_isfinite = _make_coo_function("isfinite", "IsFinite")
coo_isinf = _make_coo_function("isinf", "IsInf")
coo_isnan = _make_coo_function("isnan", "IsNan")
coo_log = _make_coo_function("log", "Log")
coo_log1p = _make_coo_function("log1p", "Log1p")
coo_neg = _make_coo_function("neg", "Neg")
coo_relu = _make_coo_function("relu", "ReLU")
coo_relu6 = _make_coo_function("relu6", "ReLU6")
coo_round = _make_coo_function("round", "Round")
coo_sigmoid = _make_coo_function("sigmoid", "Sigmoid")
coo_sin = _make_coo_function("sin", "Sin")
coo_sinh = _make_coo_function("sinh", "Sinh")
coo_softsign = _make_coo_function("softsign", "Softsign")
coo_sqrt = _make_coo_function("sqrt", "Sqrt")
coo_square = _make_coo_function("square", "Square")
coo_tan = _make_coo_function("tan", "Tan")
coo_tanh = _make_coo_function("tanh", "Tanh")
csr_abs = _make_csr_function("abs", "Abs")
csr_acos = _make_csr_function("acos", "ACos")
csr_acosh = _make_csr_function("acosh", "Acosh")
csr_asin = _make_csr_function("asin", "Asin")
csr_asinh = _make_csr_function("asinh", "Asinh")
csr_atan = _make_csr_function("atan", "Atan")
csr_atanh = _make_csr_function("atanh", "Atanh")
csr_ceil = _make_csr_function("ceil", "Ceil")
csr_cos = _make_csr_function("cos", "Cos")
csr_cosh = _make_csr_function("cosh", "Cosh")
csr_exp = _make_csr_function("exp", "Exp")
csr_expm1 = _make_csr_function("expm1", "Expm1")
csr_floor = _make_csr_function("floor", "Floor")
csr_inv = _make_csr_function("inv", "Inv")
csr_isfinite = _make_csr_function("isfinite", "IsFinite")
csr_isinf = _make_csr_function("isinf", "IsInf")
csr_isnan = _make_csr_function("isnan", "IsNan")
csr_log = _make_csr_function("log", "Log")
csr_log1p = _make_csr_function("log1p", "Log1p")
csr_neg = _make_csr_function("neg", "Neg")
csr_relu = _make_csr_function("relu", "ReLU")
csr_relu6 = _make_csr_function("relu6", "ReLU6")
csr_round = _make_csr_function("round", "Round")
csr_sigmoid = _make_csr_function("sigmoid", "Sigmoid")
csr_sin = _make_csr_function("sin", "Sin")
csr_sinh = _make_csr_function("sinh", "Sinh")
csr_softsign = _make_csr_function("softsign", "Softsign")
csr_sqrt = _make_csr_function("sqrt", "Sqrt")
csr_square = _make_csr_function("square", "Square")
csr_tan = _make_csr_function("tan", "Tan")
csr_tanh = _make_csr_function("tanh", "Tanh")


def coo_tensor_get_values(x: COOTensor) -> Tensor:
    """Return the stored values of a COOTensor.

    Args:
        x (COOTensor): any.

    Returns:
        Tensor, (n,).

    Raises:
        TypeError: ``x`` is not a COOTensor.

    Example:
        >>> from minispore import COOTensor, Tensor, ops
        >>> x = COOTensor(Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.coo_tensor_get_values(x).tolist()
        [2.0, 3.0]
    """
    return check_instance(COOTensor, "coo_tensor_get_values", "x", x).values


def coo_tensor_get_indices(x: COOTensor) -> Tensor:
    """Return the row and column of each value of a COOTensor.

    Args:
        x (COOTensor): any.

    Returns:
        Tensor, (n, 2).

    Raises:
        TypeError: ``x`` is not a COOTensor.

    Example:
        >>> from minispore import COOTensor, Tensor, ops
        >>> x = COOTensor(Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.coo_tensor_get_indices(x).tolist()
        [[0, 1], [1, 0]]
    """
    return check_instance(COOTensor, "coo_tensor_get_indices", "x", x).indices


def coo_tensor_get_dense_shape(x: COOTensor) -> tuple[int, ...]:
    """Return the dense shape of a COOTensor.

    Args:
        x (COOTensor): any.

    Returns:
        tuple of int.

    Raises:
        TypeError: ``x`` is not a COOTensor.

    Example:
        >>> from minispore import COOTensor, Tensor, ops
        >>> x = COOTensor(Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.coo_tensor_get_dense_shape(x)
        (2, 2)
    """
    return check_instance(COOTensor, "coo_tensor_get_dense_shape", "x", x).shape


def csr_tensor_get_values(x: CSRTensor) -> Tensor:
    """Return the stored values of a CSRTensor.

    Args:
        x (CSRTensor): any.

    Returns:
        Tensor, (n,).

    Raises:
        TypeError: ``x`` is not a CSRTensor.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.csr_tensor_get_values(x).tolist()
        [2.0, 3.0]
    """
    return check_instance(CSRTensor, "csr_tensor_get_values", "x", x).values


def csr_tensor_get_indices(x: CSRTensor) -> Tensor:
    """Return the column of each value of a CSRTensor.

    Args:
        x (CSRTensor): any.

    Returns:
        Tensor, (n,).

    Raises:
        TypeError: ``x`` is not a CSRTensor.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.csr_tensor_get_indices(x).tolist()
        [1, 0]
    """
    return check_instance(CSRTensor, "csr_tensor_get_indices", "x", x).indices


def csr_tensor_get_indptr(x: CSRTensor) -> Tensor:
    """Return the offset of the first value of each row of a CSRTensor, and the number of values.

    Args:
        x (CSRTensor): any.

    Returns:
        Tensor, (rows + 1,).

    Raises:
        TypeError: ``x`` is not a CSRTensor.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.csr_tensor_get_indptr(x).tolist()
        [0, 1, 2]
    """
    return check_instance(CSRTensor, "csr_tensor_get_indptr", "x", x).indptr


def csr_tensor_get_dense_shape(x: CSRTensor) -> tuple[int, ...]:
    """Return the dense shape of a CSRTensor.

    Args:
        x (CSRTensor): any.

    Returns:
        tuple of int.

    Raises:
        TypeError: ``x`` is not a CSRTensor.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.csr_tensor_get_dense_shape(x)
        (2, 2)
    """
    return check_instance(CSRTensor, "csr_tensor_get_dense_shape", "x", x).shape


def dense_to_sparse_coo(tensor: Tensor) -> COOTensor:
    """Convert a matrix to a COOTensor of its non-zero elements; it cannot be part of a graph.

    Args:
        tensor (Tensor): 2-D.

    Returns:
        COOTensor.

    Raises:
        TypeError: ``tensor`` is not a Tensor.
        ValueError: it has a different number of axes.

    Example:
        >>> from minispore import Tensor, ops
        >>> ops.dense_to_sparse_coo(Tensor([[0.0, 2.0]])).indices.tolist()
        [[0, 1]]
    """
    dense: Any = check_instance(Tensor, "dense_to_sparse_coo", "tensor", tensor)
    return dense.to_coo()


def dense_to_sparse_csr(tensor: Tensor) -> CSRTensor:
    """Convert a matrix to a CSRTensor of its non-zero elements; it cannot be part of a graph.

    Args:
        tensor (Tensor): 2-D.

    Returns:
        CSRTensor.

    Raises:
        TypeError: ``tensor`` is not a Tensor.
        ValueError: it has a different number of axes.

    Example:
        >>> from minispore import Tensor, ops
        >>> ops.dense_to_sparse_csr(Tensor([[0.0, 2.0]])).indptr.tolist()
        [0, 1]
    """
    dense: Any = check_instance(Tensor, "dense_to_sparse_csr", "tensor", tensor)
    return dense.to_csr()


attach_docstrings("minispore.ops", __name__)
