"""User-defined derivatives of Cells and functions: ``bprop(*inputs, out, dout)``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from minispore import context
from minispore.core import interpreter
from minispore.core.autograd import custom_vjp as call_with_vjp
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.core.tree import replace_tensors, tensors_in
from minispore.errors import BpropError
from minispore.graph.staging import get_undecorated
from minispore.ops.elementwise.bases import ReduceToShape
from minispore.ops.shape.cast_fill import Cast, ZerosLike


class _CellWithBprop(Protocol):
    """A Cell whose class defines its derivative."""

    @property
    def bprop(self) -> Callable[..., Any]: ...

    @property
    def construct(self) -> Callable[..., Any]: ...


def call_with_bprop(cell: _CellWithBprop, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call ``cell.construct(*args, **kwargs)`` with ``cell.bprop`` as its derivative.

    ``bprop`` returns the gradients of the inputs, and of the Parameters in
    ``cell.internal_params``, if any.

    Raises:
        RuntimeError: in PYNATIVE_MODE, if ``bprop`` is decorated with ``jit``.
    """
    api_name = f"{type(cell).__name__}.bprop"
    bprop = type(cell).bprop
    if get_undecorated(bprop) is not bprop and context.current().mode == context.PYNATIVE_MODE:
        raise RuntimeError(
            f"{api_name}: in PYNATIVE_MODE it must be a plain method. Take jit off it."
        )
    params = tuple(getattr(cell, "internal_params", ()))
    return _call_with_derivative(cell.bprop, api_name, cell.construct, args, kwargs, params)


class custom_vjp:
    """A function with a user-defined derivative. Call it like the function.

    Args:
        fn (function): a function of tensors.

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
        """Set the derivative; graphs that are already compiled then check whether it changed.

        Args:
            bwd: takes the inputs, the output and its gradient, and returns the gradient of each
                input, or None for zeros.
        """
        self._bwd = bwd
        interpreter.note_change()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function; raise TypeError if it has no derivative yet."""
        if self._bwd is None:
            raise TypeError(
                f"custom_vjp: {self._fn.__name__} must have a derivative, got none. Give it one "
                "with defbwd."
            )
        return _call_with_derivative(self._bwd, self._fn.__name__, self._fn, args, kwargs)


def _call_with_derivative(
    bprop: Callable[..., Any],
    api_name: str,
    construct: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    params: tuple[Parameter, ...] = (),
) -> Any:
    """Call ``construct(*args, **kwargs)`` with ``bprop`` as the derivative of the call.

    Args:
        api_name: the name with which error messages begin.
        params: Parameters whose gradients ``bprop`` also returns, in a dict.
    """
    bound = inspect.signature(construct).bind(*args, **kwargs)
    bound.apply_defaults()
    args, kwargs = bound.args, bound.kwargs
    result: Any = None

    def forward(*xs: Any) -> Any:
        """Return ``construct`` of the inputs without ``params``; store it for ``backward``."""
        nonlocal result
        result = construct(*xs[: len(args)], **kwargs)
        return result

    def backward(xs: Any, outs: Any, douts: Any) -> list[Tensor]:
        """Return the gradients that ``bprop`` computes: of the inputs, then of ``params``.

        Raises:
            BpropError: ``bprop`` does not take these arguments.
        """
        # xs holds the tensors of args, in order, and then params.
        inputs = xs[: len(xs) - len(params)]
        bprop_args = (
            *replace_tensors(args, inputs),
            replace_tensors(result, outs),
            replace_tensors(result, douts),
        )
        try:
            grads = bprop(*bprop_args)
        except TypeError as error:
            _check_bprop_accepts(api_name, bprop, bprop_args, error)
            raise
        if not params:
            return _convert_grads(api_name, args, grads)
        grads, weight_grads = _split_param_grads(api_name, grads, params)
        return [
            *_convert_grads(api_name, args, grads),
            *_convert_grads(api_name, params, weight_grads),
        ]

    return call_with_vjp(forward, backward, (*args, *params))


def _split_param_grads(
    api_name: str, grads: Any, params: tuple[Parameter, ...]
) -> tuple[Any, list[Any]]:
    """Split the result of a bprop into the gradients of the inputs and those of ``params``.

    Raises:
        RuntimeError: bprop did not return a pair, or its dict lacks a Parameter.
    """
    is_pair = isinstance(grads, tuple | list) and len(grads) == 2
    input_grads, param_grads = grads if is_pair else (grads, None)
    if not isinstance(param_grads, dict):
        param_grads = {}
    missing = [p.name for p in params if p not in param_grads]
    if missing:
        raise RuntimeError(
            f"{api_name}: must return a tuple of the inputs' gradients, and a dict of those of its "
            f"internal_params, got none for {', '.join(missing)}."
        )
    return input_grads, [param_grads[p] for p in params]


def _check_bprop_accepts(
    api_name: str, bprop: Any, bprop_args: Sequence[Any], error: TypeError
) -> None:
    """Check, after ``error``, whether ``bprop`` accepts the arguments that it was called with.

    If it does, ``error`` came from its body: the check returns, and the caller raises ``error``.

    Raises:
        BpropError: ``bprop`` does not take these arguments.
    """
    parameters = inspect.signature(bprop)
    try:
        parameters.bind(*bprop_args)
    except TypeError:
        raise BpropError(
            f"{api_name}: must take the {len(bprop_args) - 2} inputs, out and dout, got "
            f"{len(parameters.parameters)} parameters. The params of function 'bprop' of Primitive "
            "or Cell requires the forward inputs as well as the 'out' and 'dout'."
        ) from error


def _convert_grads(api_name: str, args: tuple[Any, ...], grads: Any) -> list[Tensor]:
    """Convert the gradients that bprop returned, one per argument, to one per tensor in ``args``.

    Each gets the shape and dtype of its tensor. Scalars become Tensors, and None becomes zeros
    unless ``check_bprop`` of the context is set. Arguments without tensors get no gradient.

    Raises:
        TypeError, RuntimeError: the number of gradients is wrong.
        TypeError, ValueError: with ``check_bprop``, a gradient does not match its tensor.
    """
    checks_bprop = context.current().check_bprop
    if grads is None:
        raise TypeError(f"{api_name}: must return a gradient for each input, got None.")
    if not isinstance(grads, tuple | list):
        grads = (grads,)
    if len(grads) < len(args) or (checks_bprop and len(grads) != len(args)):
        raise (TypeError if checks_bprop else RuntimeError)(
            f"{api_name}: must return one gradient for each of the {len(args)} inputs, got "
            f"{len(grads)}."
        )
    cotangents: list[Tensor] = []
    for i, (arg, grad) in enumerate(zip(args, grads, strict=False)):
        tensors = tensors_in(arg)
        if not tensors:
            continue
        if grad is None and not checks_bprop:
            cotangents += [ZerosLike()(t) for t in tensors]
            continue
        arg_grads = [grad] if isinstance(grad, int | float) else tensors_in(grad)
        if len(arg_grads) != len(tensors):
            raise (TypeError if checks_bprop else RuntimeError)(
                f"{api_name}: must return one gradient for each tensor, got {len(arg_grads)} for "
                f"the {len(tensors)} of input {i}."
            )
        cotangents += [
            _fit_gradient(f"{api_name}: gradient {i}", g, t, checks_bprop)
            for g, t in zip(arg_grads, tensors)
        ]
    return cotangents


def _fit_gradient(error_prefix: str, grad: Any, tensor: Tensor, is_strict: bool) -> Tensor:
    """Convert a gradient to the shape and dtype of ``tensor``; sum it over broadcast axes.

    Raises:
        TypeError, ValueError: with ``is_strict``, the type, shape or dtype differs.
        RuntimeError: the shape of the tensor does not broadcast to that of the gradient.
    """
    if not isinstance(grad, Tensor):
        if is_strict:
            raise TypeError(
                f"{error_prefix} must be a Tensor, got {grad!r} ({type(grad).__name__})."
            )
        grad = Tensor(grad)
    if grad.shape != tensor.shape:
        if is_strict:
            raise ValueError(
                f"{error_prefix} must have the input's shape {tensor.shape}, got {grad.shape}."
            )
        if not _broadcasts_to(grad.shape, tensor.shape):
            raise RuntimeError(
                f"{error_prefix} must have the input's shape {tensor.shape}, or one that it "
                f"broadcasts to, got {grad.shape}."
            )
        grad = ReduceToShape(tensor.shape)(grad)
    if grad.dtype != tensor.dtype:
        if is_strict:
            raise TypeError(
                f"{error_prefix} must be of the input's dtype {tensor.dtype}, got {grad.dtype}."
            )
        grad = Cast()(grad, tensor.dtype)
    return grad


def _broadcasts_to(shape: tuple[int, ...], source_shape: tuple[int, ...]) -> bool:
    """Whether ``source_shape`` broadcasts to ``shape``."""
    try:
        return np.broadcast_shapes(shape, source_shape) == shape
    except ValueError:
        return False


def _touch_if_check_bprop_changed(old: context.Context, new: context.Context) -> None:
    """Let compiled graphs compare the state of Cells again if ``check_bprop`` changed.

    Called by the context after each change.
    """
    if old.check_bprop != new.check_bprop:
        interpreter.note_change()


context.subscribe(_touch_if_check_bprop_changed)
