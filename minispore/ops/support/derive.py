"""The derivative of a formula in ops, for fused kernels whose own is rarely asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.core import interpreter
from minispore.core.autograd import Tape
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor, call


def pull_back(
    formula: Callable[..., Any], args: tuple[Tensor, ...], douts: tuple[Tensor | None, ...]
) -> tuple[Tensor, ...]:
    """Cotangents of ``args`` from those of ``formula(*args)`` (one tensor or a tuple).

    The nodes are bound like any others, so open tapes and tracers see them and can
    differentiate again.
    """
    tape = Tape()
    own = [call("Identity", a) for a in args]
    for a in own:
        tape.watch(a.value_)
    with interpreter.with_tapes((*interpreter.tapes(), tape)):
        made = formula(*own)
    outs = (made,) if isinstance(made, Tensor) else made
    seeds = [(o.value_, d) for o, d in zip(outs, douts, strict=True) if d is not None]
    grads = tape.backward(seeds)
    found = [grads.get(a.value_) for a in own]
    return tuple(
        [call("ZerosLike", a) if g is None else g for a, g in zip(args, found, strict=True)]
    )


class _Composite(Primitive):
    """An op that is a formula in other ops: calling it binds their nodes, so it needs no kernel.

    A subclass writes ``__call__``.
    """


__all__: list[str] = []
