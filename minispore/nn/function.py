"""Functions that say their own derivative: ``forward`` and ``backward`` of a context."""

from __future__ import annotations

import inspect
from typing import Any

from minispore.core import interpreter
from minispore.core.autograd import custom_vjp, stop_gradient
from minispore.core.tensor import Tensor
from minispore.core.tree import replace_tensors, tensors_in
from minispore.nn.bprop import _fitted


class _Function:
    """A function with a derivative of its own; a subclass is used by its ``apply``.

    A subclass defines static methods ``forward(ctx, *args)`` and ``backward(ctx, *grad_outputs)``,
    which returns a gradient (or None) for each input. With a third, ``setup_context(ctx, inputs,
    output)``, ``forward`` takes the inputs alone. The context ``ctx`` keeps what backward needs.

    >>> class Cube(_Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...
    ...     @staticmethod
    ...     def backward(ctx, dout):
    ...         (x,) = ctx.saved_tensors
    ...         return 3 * x * x * dout
    >>> from minispore import grad
    >>> print(grad(Cube.apply)(Tensor(2.0)))
    12.0
    """

    def __init__(self) -> None:
        self.saved_tensors: tuple[Any, ...] = ()
        self.needs_input_grad: tuple[bool, ...] = ()
        self.non_differentiable: tuple[Tensor, ...] = ()
        self.dirty_tensors: tuple[Tensor, ...] = ()
        self.materialize_grads = True

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """The outputs; for subclasses."""
        raise NotImplementedError("_Function: a subclass must define forward(ctx, ...).")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients by the inputs; for subclasses."""
        raise NotImplementedError("_Function: a subclass must define backward(ctx, ...).")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Keep what backward needs; for subclasses."""
        raise NotImplementedError("_Function: a subclass must define setup_context(ctx, ...).")

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep ``tensors`` as ``saved_tensors``; some may be None.

        Raises:
            RuntimeError: one is something else.
        """
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise RuntimeError(
                    f"{type(self).__name__}: save_for_backward must get Tensors, got {t!r}."
                )
        self.saved_tensors = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs forward writes into; it must return them."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (True) or None for an output that nobody differentiated."""
        self.materialize_grads = value

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """The outputs of ``forward``, differentiated by ``backward``.

        Raises:
            RuntimeError: backward returned other gradients than one for each input, or forward
                did not return what it wrote into.
        """
        ctx = cls()
        apart = cls.setup_context is not _Function.setup_context
        if apart:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        ctx.needs_input_grad = tuple([isinstance(a, Tensor) and _may_need(a) for a in args])
        made: Any = None

        def forward(*xs: Any) -> Any:
            nonlocal made
            made = cls.forward(*xs, **kwargs) if apart else cls.forward(ctx, *xs, **kwargs)
            if apart:
                cls.setup_context(ctx, xs, made)
            outs = {id(t) for t in tensors_in(made)}
            if any(id(t) not in outs for t in ctx.dirty_tensors):
                raise RuntimeError(
                    f"{cls.__name__}: all dirty tensors must be outputs of forward. Return what "
                    "mark_dirty named."
                )
            return made

        def backward(xs: Any, outs: Any, douts: Any) -> list[Any]:
            tree = made if isinstance(made, tuple | list) else (made,)
            by_output = [d if tensors_in(d) else None for d in replace_tensors(tree, douts)]
            given = cls.backward(ctx, *by_output)
            return _by_tensor(cls.__name__, args, given)

        out = custom_vjp(forward, backward, args, lambda: not ctx.materialize_grads)
        if not ctx.non_differentiable:
            return out
        fixed = {id(t) for t in ctx.non_differentiable}
        pairs = zip(tensors_in(out), tensors_in(made), strict=True)
        return replace_tensors(out, [stop_gradient(t) if id(m) in fixed else t for t, m in pairs])


def _may_need(t: Tensor) -> bool:
    value = interpreter.interpreter().lift((t.value_,))[0]
    return any(tape.reaches(value) for tape in interpreter.tapes())


def _by_tensor(who: str, args: tuple[Any, ...], given: Any) -> list[Any]:
    """What backward returned for the tensors among ``args``."""
    given = given if isinstance(given, tuple) else (given,)
    if len(given) < len(args):
        raise RuntimeError(
            f"{who}: backward must return one gradient for each of the {len(args)} inputs, got a "
            f"wrong number of gradients, {len(given)}."
        )
    found: list[Any] = []
    for i, (arg, grad) in enumerate(zip(args, given)):
        if grad is not None and not isinstance(grad, Tensor):
            raise RuntimeError(
                f"{who}: gradient {i} of backward must be None or a Tensor, got {grad!r}."
            )
        if isinstance(arg, Tensor):
            fits = grad is None or _fitted(f"{who}: gradient {i}", grad, arg, False)
            found.append(None if grad is None else fits)
        elif grad is not None:
            raise RuntimeError(
                f"{who}: gradient {i} of backward must be None, for the input is no Tensor."
            )
        else:
            found += [None] * len(tensors_in(arg))
    return found


__all__ = ["_Function"]
