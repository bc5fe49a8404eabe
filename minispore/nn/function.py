"""_Function: a function whose derivative the user defines with ``forward`` and ``backward``."""

from __future__ import annotations

import inspect
from typing import Any

from minispore.core import interpreter
from minispore.core.autograd import custom_vjp, stop_gradient
from minispore.core.tensor import Tensor
from minispore.core.tree import replace_tensors, tensors_in
from minispore.nn.bprop import _fit_gradient


class _Function:
    """A function with a user-defined derivative; call a subclass through its ``apply``.

    A subclass defines static methods ``forward(ctx, *args)`` and ``backward(ctx, *grad_outputs)``,
    which returns a gradient (or None) for each input. If it also defines
    ``setup_context(ctx, inputs, output)``, ``forward`` takes only the inputs. The context ``ctx``
    stores data for backward.

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
        """Compute the outputs; a subclass defines it."""
        raise NotImplementedError("_Function: a subclass must define forward(ctx, ...).")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Compute the gradients of the inputs; a subclass defines it."""
        raise NotImplementedError("_Function: a subclass must define backward(ctx, ...).")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save the data for backward; a subclass may define it."""
        raise NotImplementedError("_Function: a subclass must define setup_context(ctx, ...).")

    def save_for_backward(self, *tensors: Any) -> None:
        """Store ``tensors`` as ``saved_tensors``; some may be None.

        Raises:
            RuntimeError: an argument is neither a Tensor nor None.
        """
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise RuntimeError(
                    f"{type(self).__name__}: save_for_backward must get Tensors, got {t!r}."
                )
        self.saved_tensors = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Mark the inputs that forward writes into; it must return them."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Mark the outputs that have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether backward gets zeros (True) or None for an output without a gradient."""
        self.materialize_grads = value

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call ``forward`` and return its outputs, whose gradients ``backward`` computes.

        Raises:
            RuntimeError: backward did not return one gradient per input, or forward did not return
                an input that it modified.
        """
        ctx = cls()
        has_setup_context = cls.setup_context is not _Function.setup_context
        if has_setup_context:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        ctx.needs_input_grad = tuple([isinstance(a, Tensor) and _is_on_tape(a) for a in args])
        output: Any = None

        def forward(*xs: Any) -> Any:
            """Run the user's forward and ``setup_context``, and store the output for backward.

            Raises:
                RuntimeError: a tensor passed to ``mark_dirty`` is not an output.
            """
            nonlocal output
            output = (
                cls.forward(*xs, **kwargs) if has_setup_context else cls.forward(ctx, *xs, **kwargs)
            )
            if has_setup_context:
                cls.setup_context(ctx, xs, output)
            outs = {id(t) for t in tensors_in(output)}
            if any(id(t) not in outs for t in ctx.dirty_tensors):
                raise RuntimeError(
                    f"{cls.__name__}: all dirty tensors must be outputs of forward. Return what "
                    "mark_dirty named."
                )
            return output

        def backward(xs: Any, outs: Any, douts: Any) -> list[Any]:
            """Run the user's backward with one gradient, or None, for each output."""
            tree = output if isinstance(output, tuple | list) else (output,)
            output_grads = [d if tensors_in(d) else None for d in replace_tensors(tree, douts)]
            grads = cls.backward(ctx, *output_grads)
            return _convert_input_grads(cls.__name__, args, grads)

        # custom_vjp calls forward now, which sets `output`, and backward when a tape asks for it.
        out = custom_vjp(forward, backward, args, lambda: not ctx.materialize_grads)
        if not ctx.non_differentiable:
            return out
        constant_ids = {id(t) for t in ctx.non_differentiable}
        tensors = [
            stop_gradient(t) if id(original) in constant_ids else t
            for t, original in zip(tensors_in(out), tensors_in(output), strict=True)
        ]
        return replace_tensors(out, tensors)


def _is_on_tape(t: Tensor) -> bool:
    """Whether a currently recording tape reaches this tensor."""
    value = interpreter.current().lift((t.value_,))[0]
    return any(tape.reaches(value) for tape in interpreter.tapes())


def _convert_input_grads(api_name: str, args: tuple[Any, ...], grads: Any) -> list[Any]:
    """Convert the gradients that ``backward`` returned, one per input, to one per tensor in
    ``args``.

    Each gets the shape and dtype of its tensor, or is None. Tensors inside a container get None.

    Raises:
        RuntimeError: there are too few gradients, or one does not match its input.
    """
    grads = grads if isinstance(grads, tuple) else (grads,)
    if len(grads) < len(args):
        raise RuntimeError(
            f"{api_name}: backward must return one gradient for each of the {len(args)} inputs, "
            f"got a wrong number of gradients, {len(grads)}."
        )
    tensor_grads: list[Any] = []
    for i, (arg, grad) in enumerate(zip(args, grads)):
        if grad is not None and not isinstance(grad, Tensor):
            raise RuntimeError(
                f"{api_name}: gradient {i} of backward must be None or a Tensor, got {grad!r}."
            )
        if isinstance(arg, Tensor):
            if grad is not None:
                grad = _fit_gradient(f"{api_name}: gradient {i}", grad, arg, is_strict=False)
            tensor_grads.append(grad)
        elif grad is not None:
            raise RuntimeError(
                f"{api_name}: gradient {i} of backward must be None, for the input is no Tensor."
            )
        else:
            tensor_grads += [None] * len(tensors_in(arg))
    return tensor_grads


__all__ = ["_Function"]
