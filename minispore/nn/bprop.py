"""The derivative that a Cell writes for itself: ``bprop(*inputs, out, dout)``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minispore import context
from minispore.core import interpreter
from minispore.core.autograd import custom_vjp as differentiated
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.core.tree import replace_tensors, tensors_in
from minispore.errors import BpropError
from minispore.graph.staging import get_undecorated
from minispore.ops.elementwise.bases import ReduceToShape
from minispore.ops.shape.whole import Cast, ZerosLike

if TYPE_CHECKING:
    from minispore.nn.cell import Cell


def call_with_bprop(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``cell.construct(*args, **kwargs)``, differentiated by ``cell.bprop``: by the inputs, and by
    the Parameters in ``cell.internal_params``, if it has such a list.

    Raises:
        RuntimeError: op by op, of a ``bprop`` that ``jit`` made a graph.
    """
    who = f"{type(cell).__name__}.bprop"
    bprop = type(cell).bprop  # type: ignore[attr-defined]
    if get_undecorated(bprop) is not bprop and context.current().mode == context.PYNATIVE_MODE:
        raise RuntimeError(f"{who}: in PYNATIVE_MODE it must be a plain method. Take jit off it.")
    params = tuple(getattr(cell, "internal_params", ()))
    return _differentiated_by(cell.bprop, who, cell.construct, args, kwargs, params)


class custom_vjp:
    """A function with a derivative of its own. Call it as the function.

    Args:
        fn (function): of tensors.

    Raises:
        TypeError: it is called before :meth:`defbwd`.

    Example:
        >>> @custom_vjp
        ... def half_known(x, y):
        ...     return 2 * x + y
        >>> half_known.defbwd(lambda x, y, out, dout: (2 * dout, 10 * dout))
        >>> from minispore.core.autograd import grad
        >>> print(*grad(half_known, (0, 1))(Tensor(1.0), Tensor(2.0)))
        2.0 10.0
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        functools.update_wrapper(self, fn)
        self._fn = fn
        self._bwd: Callable[..., Any] | None = None

    def defbwd(self, bwd: Callable[..., Any]) -> None:
        """Say the derivative.

        Args:
            bwd: takes the inputs, the output and its gradient, and returns the gradient of each
                input, None for zeros.
        """
        self._bwd = bwd
        interpreter.note_change()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._bwd is None:
            raise TypeError(
                f"custom_vjp: {self._fn.__name__} must have a derivative, got none. Give it one "
                "with defbwd."
            )
        return _differentiated_by(self._bwd, self._fn.__name__, self._fn, args, kwargs)


def _differentiated_by(
    bprop: Callable[..., Any],
    who: str,
    construct: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    params: tuple[Parameter, ...] = (),
) -> Any:
    bound = inspect.signature(construct).bind(*args, **kwargs)
    bound.apply_defaults()
    args, kwargs = bound.args, bound.kwargs
    result: Any = None

    def forward(*xs: Any) -> Any:
        nonlocal result
        result = construct(*xs[: len(args)], **kwargs)
        return result

    def backward(xs: Any, outs: Any, douts: Any) -> list[Tensor]:
        inputs = xs[: len(xs) - len(params)]
        given = (
            *replace_tensors(args, inputs),
            replace_tensors(result, outs),
            replace_tensors(result, douts),
        )
        try:
            grads = bprop(*given)
        except TypeError as error:
            _check_parameters(who, bprop, given, error)
            raise
        if not params:
            return _cotangents(who, args, grads)
        grads, weights = _parted(who, grads, params)
        return [*_cotangents(who, args, grads), *_cotangents(who, params, weights)]

    return differentiated(forward, backward, (*args, *params))


def _parted(who: str, grads: Any, params: tuple[Parameter, ...]) -> tuple[Any, list[Any]]:
    """Of what bprop returned the gradients of the inputs, and those of ``params``.

    Raises:
        RuntimeError: bprop returned no pair, or its dict lacks a Parameter.
    """
    pair = grads if isinstance(grads, tuple | list) and len(grads) == 2 else (grads, None)
    of_params = pair[1] if isinstance(pair[1], dict) else {}
    missing = [p.name for p in params if p not in of_params]
    if missing:
        raise RuntimeError(
            f"{who}: must return a tuple of the inputs' gradients, and a dict of those of its "
            f"internal_params, got none for {', '.join(missing)}."
        )
    return pair[0], [of_params[p] for p in params]


def _check_parameters(who: str, bprop: Any, given: Sequence[Any], error: TypeError) -> None:
    """Say so if ``bprop`` does not take what it is given.

    Raises:
        BpropError: it does not.
    """
    parameters = inspect.signature(bprop)
    try:
        parameters.bind(*given)
    except TypeError:
        raise BpropError(
            f"{who}: must take the {len(given) - 2} inputs, out and dout, got "
            f"{len(parameters.parameters)} parameters. The params of function 'bprop' of Primitive "
            "or Cell requires the forward inputs as well as the 'out' and 'dout'."
        ) from error


def _cotangents(who: str, args: tuple[Any, ...], grads: Any) -> list[Tensor]:
    """What bprop returned for the tensors in ``args``, each of its tensor's shape and dtype."""
    checking = context.current().check_bprop
    if grads is None:
        raise TypeError(f"{who}: must return a gradient for each input, got None.")
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
        if grad is None and not checking:
            found += [ZerosLike()(t) for t in wanted]
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
        grad = Cast()(grad, like.dtype)
    return grad


def _covers(shape: tuple[int, ...], part: tuple[int, ...]) -> bool:
    """Whether ``part`` broadcasts to ``shape``."""
    try:
        return np.broadcast_shapes(shape, part) == shape
    except ValueError:
        return False


def _follow(old: context.Context, new: context.Context) -> None:
    if old.check_bprop != new.check_bprop:
        interpreter.note_change()


context.subscribe(_follow)
