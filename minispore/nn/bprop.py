"""The derivative that a Cell writes for itself: ``bprop(*inputs, out, dout)``."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from minispore import context
from minispore.core import interpreter
from minispore.core.autograd import custom_vjp
from minispore.core.tensor import Tensor, call
from minispore.core.tree import refilled, tensors_in
from minispore.ops.elementwise.bases import ReduceToShape

if TYPE_CHECKING:
    from minispore.nn.cell import Cell


def call_with_bprop(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``cell.construct(*args, **kwargs)``, differentiated by ``cell.bprop``."""
    bound = inspect.signature(cell.construct).bind(*args, **kwargs)
    bound.apply_defaults()
    args, kwargs = bound.args, bound.kwargs
    result: Any = None

    def forward(*xs: Any) -> Any:
        nonlocal result
        result = cell.construct(*xs, **kwargs)
        return result

    def backward(xs: Any, outs: Any, douts: Any) -> list[Tensor]:
        grads = cell.bprop(*refilled(args, xs), refilled(result, outs), refilled(result, douts))
        return _cotangents(f"{type(cell).__name__}.bprop", args, grads)

    return custom_vjp(forward, backward, args)


def _cotangents(who: str, args: tuple[Any, ...], grads: Any) -> list[Tensor]:
    """What bprop returned for the tensors in ``args``, each of its tensor's shape and dtype."""
    checking = context.current().check_bprop
    if not isinstance(grads, tuple | list):
        grads = (grads,)
    if len(grads) < len(args) or (checking and len(grads) != len(args)):
        raise (TypeError if checking else RuntimeError)(
            f"{who}: must return one gradient for each of the {len(args)} inputs, got {len(grads)}."
        )
    found: list[Tensor] = []
    for i, (arg, grad) in enumerate(zip(args, grads, strict=False)):
        wanted = tensors_in(arg)
        if not wanted:
            continue
        given = [grad] if isinstance(grad, int | float) else tensors_in(grad)
        if len(given) != len(wanted):
            raise (TypeError if checking else RuntimeError)(
                f"{who}: must return one gradient for each tensor, got {len(given)} for the "
                f"{len(wanted)} of input {i}."
            )
        found += [_fitted(f"{who}: gradient {i}", g, t, checking) for g, t in zip(given, wanted)]
    return found


def _fitted(who: str, grad: Any, like: Tensor, checking: bool) -> Tensor:
    """``grad`` with the shape and dtype of ``like``; an error instead where ``check_bprop`` asks
    for exactly these.
    """
    if not isinstance(grad, Tensor):
        if checking:
            raise TypeError(f"{who} must be a Tensor, got {grad!r} ({type(grad).__name__}).")
        grad = Tensor(grad)
    if grad.shape != like.shape:
        if checking:
            raise ValueError(f"{who} must have the input's shape {like.shape}, got {grad.shape}.")
        if not _covers(grad.shape, like.shape):
            raise RuntimeError(
                f"{who} must have the input's shape {like.shape}, or one that it broadcasts to, "
                f"got {grad.shape}."
            )
        grad = ReduceToShape(like.shape)(grad)
    if grad.dtype != like.dtype:
        if checking:
            raise TypeError(f"{who} must be of the input's dtype {like.dtype}, got {grad.dtype}.")
        grad = call("Cast", grad, like.dtype)
    return grad


def _covers(shape: tuple[int, ...], part: tuple[int, ...]) -> bool:
    """Whether ``part`` broadcasts to ``shape``."""
    try:
        return np.broadcast_shapes(shape, part) == shape
    except ValueError:
        return False


def _follow(old: context.Context, new: context.Context) -> None:
    if old.check_bprop != new.check_bprop:
        interpreter.touch()


context.subscribe(_follow)
