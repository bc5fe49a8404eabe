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

Call = Callable[[], Any]

# Primitives whose kernel is one ufunc over (inputs..., out).
_UFUNCS: dict[str, np.ufunc] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
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
    ufunc = _UFUNCS.get(prim.name)
    if ufunc is not None and all(
        (isinstance(a, np.ndarray) and a.dtype == outs[0].dtype) or isinstance(a, int | float)
        for a in args
    ):
        return [partial(ufunc, *args, out=outs[0])]
    out = outs[0] if single else outs
    if prim.has_calls:
        return prim.calls(*args, out=out, work=work)
    if work:
        return [partial(prim.kernel, *args, out=out, work=work)]
    return [partial(prim.kernel, *args, out=out)]


def flops(node: Node) -> int:
    """Floating-point operations of a node: two per multiply-add of a GEMM, one per element
    otherwise.
    """
    name, out = node.prim.name, node.outputs[0].spec
    ins = [a.spec for a in node.inputs]
    if name in ("MatMul", "BatchMatMul", "MatMulExt") and ins[0].shape:
        inner = ins[0].shape[-2 if getattr(node.prim, "transpose_a", False) else -1]
        return 2 * out.size * inner
    if name == "ColumnsGemm":
        return 2 * ins[1].size * (ins[0].shape[0])
    if name == "FilterGemm":
        return 2 * out.size * ins[0].shape[1]
    if name == "InputGemm":
        return 2 * out.size * ins[1].shape[0]
    return sum(o.spec.size for o in node.outputs)
