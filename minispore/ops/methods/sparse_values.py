"""Parts of sparse tensors, and functions of their values: ``ops.coo_sin``, ``ops.csr_abs``, ...

They are reached at the first look at one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from minispore.core.registry import registry
from minispore.core.tensor import Tensor
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.methods.sparse_tensors import COOTensor, CSRTensor

S = TypeVar("S", COOTensor, CSRTensor, Tensor)


def a_kind_of(kind: type[S], op: str, argument: str, value: Any) -> S:
    if not isinstance(value, kind):
        raise TypeError(f"{op}: {argument} must be a {kind.__name__}, got {value!r}.")
    return value


_PLACES = {COOTensor: "Tensor([[0, 1]])", CSRTensor: "Tensor([0, 1, 1]), Tensor([1])"}
_PAGE = """The {kind} ``x`` with :class:`{primitive}` of its values.

Args:
    x ({kind}): any.

Returns:
    {kind}, of the same places.

Raises:
    TypeError: ``x`` is no {kind}.

Example:
    >>> from minispore import {kind}, Tensor, ops
    >>> x = {kind}({places}, Tensor([0.5]), (2, 2))
    >>> ops.{op}(x).shape
    (2, 2)
"""


def _of_values(kind: type[Any], op: str, primitive: str) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        return a_kind_of(kind, op, "x", x).with_values(registry[primitive]()(x.values))

    function.__name__ = function.__qualname__ = op
    function.__doc__ = _PAGE.format(
        kind=kind.__name__, primitive=primitive, op=op, places=_PLACES[kind]
    )
    return function


def _of_coo(name: str, primitive: str) -> Callable[[COOTensor], COOTensor]:
    return _of_values(COOTensor, f"coo_{name}", primitive)


def _of_csr(name: str, primitive: str) -> Callable[[CSRTensor], CSRTensor]:
    return _of_values(CSRTensor, f"csr_{name}", primitive)


coo_abs = _of_coo("abs", "Abs")
coo_acos = _of_coo("acos", "ACos")
coo_acosh = _of_coo("acosh", "Acosh")
coo_asin = _of_coo("asin", "Asin")
coo_asinh = _of_coo("asinh", "Asinh")
coo_atan = _of_coo("atan", "Atan")
coo_atanh = _of_coo("atanh", "Atanh")
coo_ceil = _of_coo("ceil", "Ceil")
coo_cos = _of_coo("cos", "Cos")
coo_cosh = _of_coo("cosh", "Cosh")
coo_exp = _of_coo("exp", "Exp")
coo_expm1 = _of_coo("expm1", "Expm1")
coo_floor = _of_coo("floor", "Floor")
coo_inv = _of_coo("inv", "Inv")
coo_isfinite = _of_coo("isfinite", "IsFinite")
coo_isinf = _of_coo("isinf", "IsInf")
coo_isnan = _of_coo("isnan", "IsNan")
coo_log = _of_coo("log", "Log")
coo_log1p = _of_coo("log1p", "Log1p")
coo_neg = _of_coo("neg", "Neg")
coo_relu = _of_coo("relu", "ReLU")
coo_relu6 = _of_coo("relu6", "ReLU6")
coo_round = _of_coo("round", "Round")
coo_sigmoid = _of_coo("sigmoid", "Sigmoid")
coo_sin = _of_coo("sin", "Sin")
coo_sinh = _of_coo("sinh", "Sinh")
coo_softsign = _of_coo("softsign", "Softsign")
coo_sqrt = _of_coo("sqrt", "Sqrt")
coo_square = _of_coo("square", "Square")
coo_tan = _of_coo("tan", "Tan")
coo_tanh = _of_coo("tanh", "Tanh")
csr_abs = _of_csr("abs", "Abs")
csr_acos = _of_csr("acos", "ACos")
csr_acosh = _of_csr("acosh", "Acosh")
csr_asin = _of_csr("asin", "Asin")
csr_asinh = _of_csr("asinh", "Asinh")
csr_atan = _of_csr("atan", "Atan")
csr_atanh = _of_csr("atanh", "Atanh")
csr_ceil = _of_csr("ceil", "Ceil")
csr_cos = _of_csr("cos", "Cos")
csr_cosh = _of_csr("cosh", "Cosh")
csr_exp = _of_csr("exp", "Exp")
csr_expm1 = _of_csr("expm1", "Expm1")
csr_floor = _of_csr("floor", "Floor")
csr_inv = _of_csr("inv", "Inv")
csr_isfinite = _of_csr("isfinite", "IsFinite")
csr_isinf = _of_csr("isinf", "IsInf")
csr_isnan = _of_csr("isnan", "IsNan")
csr_log = _of_csr("log", "Log")
csr_log1p = _of_csr("log1p", "Log1p")
csr_neg = _of_csr("neg", "Neg")
csr_relu = _of_csr("relu", "ReLU")
csr_relu6 = _of_csr("relu6", "ReLU6")
csr_round = _of_csr("round", "Round")
csr_sigmoid = _of_csr("sigmoid", "Sigmoid")
csr_sin = _of_csr("sin", "Sin")
csr_sinh = _of_csr("sinh", "Sinh")
csr_softsign = _of_csr("softsign", "Softsign")
csr_sqrt = _of_csr("sqrt", "Sqrt")
csr_square = _of_csr("square", "Square")
csr_tan = _of_csr("tan", "Tan")
csr_tanh = _of_csr("tanh", "Tanh")


def coo_tensor_get_values(x: COOTensor) -> Tensor:
    """What is not zero.

    Args:
        x (COOTensor): any.

    Returns:
        Tensor, (n,).

    Raises:
        TypeError: ``x`` is no COOTensor.

    Example:
        >>> from minispore import COOTensor, Tensor, ops
        >>> x = COOTensor(Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.coo_tensor_get_values(x).tolist()
        [2.0, 3.0]
    """
    return a_kind_of(COOTensor, "coo_tensor_get_values", "x", x).values


def coo_tensor_get_indices(x: COOTensor) -> Tensor:
    """Where the values stand.

    Args:
        x (COOTensor): any.

    Returns:
        Tensor, (n, 2).

    Raises:
        TypeError: ``x`` is no COOTensor.

    Example:
        >>> from minispore import COOTensor, Tensor, ops
        >>> x = COOTensor(Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.coo_tensor_get_indices(x).tolist()
        [[0, 1], [1, 0]]
    """
    return a_kind_of(COOTensor, "coo_tensor_get_indices", "x", x).indices


def coo_tensor_get_dense_shape(x: COOTensor) -> tuple[int, ...]:
    """Shape of the dense tensor.

    Args:
        x (COOTensor): any.

    Returns:
        tuple of int.

    Raises:
        TypeError: ``x`` is no COOTensor.

    Example:
        >>> from minispore import COOTensor, Tensor, ops
        >>> x = COOTensor(Tensor([[0, 1], [1, 0]]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.coo_tensor_get_dense_shape(x)
        (2, 2)
    """
    return a_kind_of(COOTensor, "coo_tensor_get_dense_shape", "x", x).shape


def csr_tensor_get_values(x: CSRTensor) -> Tensor:
    """What is not zero.

    Args:
        x (CSRTensor): any.

    Returns:
        Tensor, (n,).

    Raises:
        TypeError: ``x`` is no CSRTensor.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.csr_tensor_get_values(x).tolist()
        [2.0, 3.0]
    """
    return a_kind_of(CSRTensor, "csr_tensor_get_values", "x", x).values


def csr_tensor_get_indices(x: CSRTensor) -> Tensor:
    """The columns.

    Args:
        x (CSRTensor): any.

    Returns:
        Tensor, (n,).

    Raises:
        TypeError: ``x`` is no CSRTensor.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.csr_tensor_get_indices(x).tolist()
        [1, 0]
    """
    return a_kind_of(CSRTensor, "csr_tensor_get_indices", "x", x).indices


def csr_tensor_get_indptr(x: CSRTensor) -> Tensor:
    """Where each row begins, and where the last one ends.

    Args:
        x (CSRTensor): any.

    Returns:
        Tensor, (rows + 1,).

    Raises:
        TypeError: ``x`` is no CSRTensor.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.csr_tensor_get_indptr(x).tolist()
        [0, 1, 2]
    """
    return a_kind_of(CSRTensor, "csr_tensor_get_indptr", "x", x).indptr


def csr_tensor_get_dense_shape(x: CSRTensor) -> tuple[int, ...]:
    """Shape of the dense tensor.

    Args:
        x (CSRTensor): any.

    Returns:
        tuple of int.

    Raises:
        TypeError: ``x`` is no CSRTensor.

    Example:
        >>> from minispore import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> ops.csr_tensor_get_dense_shape(x)
        (2, 2)
    """
    return a_kind_of(CSRTensor, "csr_tensor_get_dense_shape", "x", x).shape


def dense_to_sparse_coo(tensor: Tensor) -> COOTensor:
    """The elements of a matrix that are not 0; which those are is known only when it runs.

    Args:
        tensor (Tensor): of two axes.

    Returns:
        COOTensor.

    Raises:
        TypeError: ``tensor`` is no Tensor.
        ValueError: it has another number of axes.

    Example:
        >>> from minispore import Tensor, ops
        >>> ops.dense_to_sparse_coo(Tensor([[0.0, 2.0]])).indices.tolist()
        [[0, 1]]
    """
    made: Any = a_kind_of(Tensor, "dense_to_sparse_coo", "tensor", tensor)
    return made.to_coo()


def dense_to_sparse_csr(tensor: Tensor) -> CSRTensor:
    """The elements of a matrix that are not 0; which those are is known only when it runs.

    Args:
        tensor (Tensor): of two axes.

    Returns:
        CSRTensor.

    Raises:
        TypeError: ``tensor`` is no Tensor.
        ValueError: it has another number of axes.

    Example:
        >>> from minispore import Tensor, ops
        >>> ops.dense_to_sparse_csr(Tensor([[0.0, 2.0]])).indptr.tolist()
        [0, 1]
    """
    made: Any = a_kind_of(Tensor, "dense_to_sparse_csr", "tensor", tensor)
    return made.to_csr()


attach_docstrings("minispore.ops", __name__)
