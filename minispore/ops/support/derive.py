"""The derivative of a formula in ops, for fused kernels whose own is rarely asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from minispore.core import interpreter
from minispore.core.autograd import Tape
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.ops.shape.whole import Identity, ZerosLike
from minispore.ops.support.axes import all_tensors


def pull_back(
    formula: Callable[..., Any], args: tuple[Tensor, ...], douts: tuple[Tensor | None, ...]
) -> tuple[Tensor, ...]:
    """Cotangents of ``args`` from those of ``formula(*args)`` (one tensor or a tuple).

    The nodes are bound like any others, so open tapes and tracers see them and can
    differentiate again.
    """
    tape = Tape()
    own = [Identity()(a) for a in args]
    for a in own:
        tape.watch(a.value_)
    with interpreter.with_tapes((*interpreter.tapes(), tape)):
        made = formula(*own)
    outs = (made,) if isinstance(made, Tensor) else made
    seeds = [(o.value_, d) for o, d in zip(outs, douts, strict=True) if d is not None]
    grads = tape.backward(seeds)
    found = [grads.get(a.value_) for a in own]
    return tuple([ZerosLike()(a) if g is None else g for a, g in zip(args, found, strict=True)])


class _Composite(Primitive):
    """An op that is a formula in other ops: calling it binds their nodes, so it needs no kernel.

    A subclass writes ``__call__``; what it calls a Tensor must be one.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        formula = type(self).__call__
        if not hasattr(formula, "__wrapped__"):  # at the first use, so that imports stay short
            type(self).__call__ = _of_tensors(formula)  # type: ignore[method-assign]


def _of_tensors(formula: Callable[..., Any]) -> Callable[..., Any]:
    names = formula.__code__.co_varnames[1 : formula.__code__.co_argcount]
    notes = formula.__annotations__
    wanted = [(i, name) for i, name in enumerate(names) if notes.get(name) == "Tensor"]

    @wraps(formula)
    def of_tensors(self: _Composite, *args: Any, **kwargs: Any) -> Any:
        for i, name in wanted:
            if i < len(args) and not isinstance(args[i], Tensor):
                all_tensors(self.name, **{name: args[i]})
        return formula(self, *args, **kwargs)

    return of_tensors


__all__: list[str] = []
