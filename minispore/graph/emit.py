"""From a node to bound calls: the very ufuncs that its kernel would call, without the Python
around them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.value import Node
from minispore.ops.linalg.products import product

Call = Callable[[], Any]
Emitter = Callable[[Any, list[Any], np.ndarray], list[Call]]

# Primitives whose kernel is one ufunc over (inputs..., out).
_UFUNCS: dict[str, Any] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "RealDiv": np.true_divide,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "Neg": np.negative,
    "Exp": np.exp,
    "Sqrt": np.sqrt,
    "Tanh": np.tanh,
    "Square": np.square,
}


def calls(
    prim: Primitive,
    args: list[Any],
    outs: tuple[np.ndarray, ...],
    single: bool,
    work: list[np.ndarray] | None = None,
) -> list[Call]:
    """Zero-argument calls that compute ``outs``, in the scratch arrays ``work``."""
    name, one_float = prim.name, outs[0].dtype.kind == "f" and _one_type(args, outs[0])
    if one_float and name in _UFUNCS:
        return [partial(_UFUNCS[name], *args, out=outs[0])]
    if one_float and name in _EMITTERS:
        return _EMITTERS[name](prim, args, outs[0])
    out = outs[0] if single else outs
    if prim.has_calls:
        return prim.calls(*args, out=out, work=work)
    if work:
        return [partial(prim.kernel, *args, out=out, work=work)]
    return [partial(prim.kernel, *args, out=out)]


def _one_type(args: list[Any], out: np.ndarray) -> bool:
    """Whether all arrays are of one type of at least 4 bytes, which ufuncs compute in directly."""
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    return out.dtype.itemsize >= 4 and all(a.dtype == out.dtype for a in arrays)


def _relu(prim: Any, args: list[Any], out: np.ndarray) -> list[Call]:
    return [partial(np.clip, args[0], 0.0, np.inf, out=out)]


def _relu_grad(prim: Any, args: list[Any], out: np.ndarray) -> list[Call]:
    dy, y = args
    return [partial(np.greater, y, 0, out=out), partial(np.multiply, out, dy, out=out)]


def _matmul(prim: Any, args: list[Any], out: np.ndarray) -> list[Call]:
    a, b = args
    a = a.swapaxes(-1, -2) if prim.transpose_a else a
    b = b.swapaxes(-1, -2) if prim.transpose_b else b
    if a.ndim > 2 and b.ndim == 2:
        return [partial(product, a, b, out)]
    return [partial(np.matmul, a, b, out=out)]


def _bias_add(prim: Any, args: list[Any], out: np.ndarray) -> list[Call]:
    x, bias = args
    behind = 0 if prim.data_format == "NHWC" else x.ndim - 2
    return [partial(np.add, x, bias.reshape(-1, *(1,) * behind), out=out)]


# Primitives whose kernel is Python around a few calls: the same calls, bound.
_EMITTERS: dict[str, Emitter] = {
    "ReLU": _relu,
    "ReluGrad": _relu_grad,
    "MatMul": _matmul,
    "BatchMatMul": _matmul,
    "BiasAdd": _bias_add,
}


def flops(node: Node) -> int:
    """Floating-point operations of a node: two per multiply-add of a GEMM, one per element
    otherwise.
    """
    name, out = node.prim.name, node.outputs[0].spec
    ins = [a.spec for a in node.inputs]
    if name in ("MatMul", "BatchMatMul", "MatMulExt") and ins[0].shape:
        inner = ins[0].shape[-2 if getattr(node.prim, "transpose_a", False) else -1]
        return 2 * out.size * inner
    if name == "PlaneGemm":
        return 2 * ins[0].shape[0] * ins[1].size
    if name == "PlaneFilterGemm":
        return 2 * ins[0].shape[0] * ins[0].shape[1] * ins[1].size
    if name == "PlaneInput":
        return 2 * ins[0].shape[1] * ins[1].size
    if name == "ColumnsGemm":
        return 2 * ins[1].size * (ins[0].shape[0])
    if name == "FilterGemm":
        return 2 * out.size * ins[0].shape[1]
    if name == "InputGemm":
        return 2 * out.size * ins[1].shape[0]
    return sum(o.spec.size for o in node.outputs)
