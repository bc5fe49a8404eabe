"""Derivatives of formulas of ops, for fused kernels whose own derivative is rarely needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar

from minispore.core import interpreter
from minispore.core.autograd import Tape
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.ops.shape.cast_fill import Identity, ZerosLike
from minispore.ops.support.arguments import check_tensors


def pull_back(
    formula: Callable[..., Any], args: tuple[Tensor, ...], douts: tuple[Tensor | None, ...]
) -> tuple[Tensor, ...]:
    """Return the cotangents of ``args`` from those of ``formula(*args)`` (one tensor or a tuple).

    Calls ``formula`` once more and differentiates it. Active tapes and tracers record the ops of
    this computation, so it can be differentiated again. An output whose cotangent is None is left
    out; an argument without a gradient gets zeros.
    """
    tape = Tape()
    inputs = [Identity()(a) for a in args]
    for a in inputs:
        tape.watch(a.value_)
    with interpreter.recording_on((*interpreter.tapes(), tape)):
        result = formula(*inputs)
    outs = (result,) if isinstance(result, Tensor) else result
    seeds = [(o.value_, d) for o, d in zip(outs, douts, strict=True) if d is not None]
    grads = tape.backward(seeds)
    input_grads = [grads.get(a.value_) for a in inputs]
    return tuple(
        [ZerosLike()(a) if g is None else g for a, g in zip(args, input_grads, strict=True)]
    )


class _Composite(Primitive):
    """Base of ops composed of other ops: a call binds the nodes of those, so no kernel is needed.

    A subclass defines ``__call__``; arguments annotated as Tensor are checked to be Tensors.

    Attributes:
        is_one_kernel: whether Ascend has one kernel for the formula and one for its derivative.
    """

    is_one_kernel: ClassVar[bool] = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Create the op; the first instance of a class adds the Tensor check to the class's
        ``__call__``.
        """
        super().__init__(*args, **kwargs)
        formula = type(self).__call__
        if not hasattr(formula, "__wrapped__"):  # wrapped here, to keep the import fast
            type(self).__call__ = _check_tensor_arguments(formula)  # type: ignore[method-assign]


def _check_tensor_arguments(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap ``formula`` in a check that arguments annotated as Tensor are Tensors.

    A call raises a TypeError if one is not. Keyword arguments are not checked.
    """
    names = formula.__code__.co_varnames[1 : formula.__code__.co_argcount]
    annotations = formula.__annotations__
    tensor_params = [(i, name) for i, name in enumerate(names) if annotations.get(name) == "Tensor"]

    @wraps(formula)
    def call_checked(self: _Composite, *args: Any, **kwargs: Any) -> Any:
        """Check the arguments and call the formula; if ``is_one_kernel``, a trace marks its nodes
        as one call.
        """
        for i, name in tensor_params:
            if i < len(args) and not isinstance(args[i], Tensor):
                check_tensors(self.name, **{name: args[i]})
        if self.is_one_kernel and interpreter.tracing():
            with interpreter.entering_fused_call(self.name):
                return formula(self, *args, **kwargs)
        return formula(self, *args, **kwargs)

    return call_checked


__all__: list[str] = []
