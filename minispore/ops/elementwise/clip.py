"""Clipping of values and norms."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.ir.dtype import float32, float64
from minispore.ops.elementwise.arithmetic import Add, Div, Mul
from minispore.ops.elementwise.compare import GreaterEqual, IsFinite
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.elementwise.powers import Sqrt
from minispore.ops.elementwise.rounding import Square
from minispore.ops.index.select import Select
from minispore.ops.linalg.vector_norms import PNorm
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.join import Stack
from minispore.ops.statistics.reduce import ReduceSum


def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """Clip x to the range from ``clip_value_min`` to ``clip_value_max``, in the dtype of x.

    Args:
        x: a tensor, or a list or tuple of tensors, for which a tuple is returned.
        clip_value_min: the lower bound: a number, a tensor or None.
        clip_value_max: the upper bound: a number, a tensor or None.

    Raises:
        ValueError: both bounds are None.
        TypeError: ``x`` is neither a tensor nor a list or tuple of tensors.

    >>> print(clip_by_value(Tensor([1, 5, 9]), 2, 7))
    [2 5 7]
    """
    if clip_value_min is None and clip_value_max is None:
        raise ValueError("clip_by_value: at least one bound must be given, got None for both.")
    if isinstance(x, tuple | list):
        return tuple(clip_by_value(tensor, clip_value_min, clip_value_max) for tensor in x)
    _check_tensor("clip_by_value", x)
    clipped = x if clip_value_min is None else Maximum()(x, clip_value_min)
    clipped = clipped if clip_value_max is None else Minimum()(clipped, clip_value_max)
    return Cast()(clipped, x.dtype)


def clip_by_norm(
    x: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Any:
    """Scale ``x`` by max_norm / (norm + 1e-6) where its norm is above ``max_norm``.

    Args:
        x: a tensor, or a list or tuple of tensors, of which the joint norm is used; their dtypes
            may differ. Integers are converted to float32, also in the result.
        max_norm: the largest norm.
        norm_type: p of the p-norm; ``float("inf")`` for the maximum.
        error_if_nonfinite: raise if the norm is NaN or infinite.

    Raises:
        RuntimeError: the norm is not finite and ``error_if_nonfinite`` is set.
        ValueError: there is no tensor in ``x``.
        TypeError: ``x`` is neither a tensor nor a list or tuple of tensors.

    >>> print(clip_by_norm(Tensor([0.0, 0.3]), 1.0))
    [0.  0.3]
    """
    tensors = _to_tensor_list("clip_by_norm", x)
    if isinstance(max_norm, bool) or not isinstance(max_norm, int | float):
        raise TypeError(f"clip_by_norm: max_norm must be a number, got {max_norm!r}.")
    order = float(norm_type)
    tensors = [t if t.dtype.kind in "fc" else Cast()(t, float32) for t in tensors]
    norms = [PNorm(order, _get_all_axes(t))(t) for t in tensors]
    if len({norm.dtype for norm in norms}) > 1:
        common_dtype = float64 if any(norm.dtype == float64 for norm in norms) else float32
        norms = [Cast()(norm, common_dtype) for norm in norms]
    total_norm = norms[0] if len(norms) == 1 else PNorm(order, (0,))(Stack()(norms))
    if error_if_nonfinite and not bool(IsFinite()(total_norm)):
        raise RuntimeError(f"clip_by_norm: the norm must be finite, got {total_norm}.")
    scale = Minimum()(Div()(float(max_norm), total_norm + 1e-6), 1.0)
    clipped = tuple(Cast()(t * scale, t.dtype) for t in tensors)
    return clipped if isinstance(x, tuple | list) else clipped[0]


def clip_by_global_norm(x: Any, clip_norm: float = 1.0, use_norm: Any = None) -> Any:
    """Scale tensors by clip_norm / max(joint norm, clip_norm).

    Args:
        x: a list or tuple of tensors, or one tensor.
        clip_norm: the largest norm, above 0.
        use_norm: accepted as in MindSpore; must be None.

    Returns:
        A tuple, or a tensor for a single tensor.

    Raises:
        ValueError: ``clip_norm`` is not positive, ``use_norm`` is given, or ``x`` contains no
            tensor.
        TypeError: ``x`` is neither a tensor nor a list or tuple of tensors.

    >>> print(*clip_by_global_norm((Tensor([3.0]), Tensor([4.0]))))
    [0.6] [0.8]
    """
    tensors = _to_tensor_list("clip_by_global_norm", x)
    if isinstance(clip_norm, bool) or not isinstance(clip_norm, int | float):
        raise TypeError(f"clip_by_global_norm: clip_norm must be a number, got {clip_norm!r}.")
    if not clip_norm > 0:
        raise ValueError(f"clip_by_global_norm: clip_norm must be > 0, got {clip_norm}.")
    if use_norm is not None:
        raise ValueError(f"clip_by_global_norm: use_norm must be None, got {use_norm!r}.")
    widened = [t if t.dtype == float64 else Cast()(t, float32) for t in tensors]
    sums = [ReduceSum()(Square()(t), _get_all_axes(t)) for t in widened]
    norm = Sqrt()(_sum_tensors(sums))
    exceeds = GreaterEqual()(norm, float(clip_norm))  # False for a NaN norm
    norm = Select()(exceeds, norm, float(clip_norm))
    clipped = tuple(Cast()(Div()(Mul()(t, float(clip_norm)), norm), t.dtype) for t in tensors)
    return clipped if isinstance(x, tuple | list) else clipped[0]


def _get_all_axes(x: Tensor) -> tuple[int, ...]:
    """Return all axes of ``x``."""
    return tuple(range(x.ndim))


def _sum_tensors(tensors: list[Tensor]) -> Tensor:
    """Return the sum of a list of at least one tensor."""
    total = tensors[0]
    for t in tensors[1:]:
        total = Add()(total, t)
    return total


def _to_tensor_list(api_name: str, x: Any) -> list[Tensor]:
    """Return a tensor or a sequence of tensors as a list.

    Raises:
        TypeError: an element is not a Tensor.
        ValueError: the sequence is empty.
    """
    tensors = list(x) if isinstance(x, tuple | list) else [x]
    for t in tensors:
        _check_tensor(api_name, t)
    if not tensors:
        raise ValueError(f"{api_name}: x must hold a Tensor at least, got {x!r}.")
    return tensors


def _check_tensor(api_name: str, x: Any) -> None:
    """Check that ``x``, an argument or an element of a list argument, is a Tensor.

    Raises:
        TypeError: ``x`` is not a Tensor.
    """
    if not isinstance(x, Tensor):
        raise TypeError(
            f"{api_name}: x must be a Tensor, or a list or tuple of them, got {x!r} "
            f"({type(x).__name__})."
        )


__all__ = ["clip_by_global_norm", "clip_by_norm", "clip_by_value"]
