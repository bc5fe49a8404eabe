"""Steps: an op told as others, which the compiler puts in its place and its own kernel runs.

What both modes do is written once, so they agree to the last bit; and equal steps of several ops
(the columns of a convolution and of its weight's gradient) are one in a graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from minispore import context
from minispore.core import layout
from minispore.core.value import Spec

if TYPE_CHECKING:
    from minispore.core.primitive import Primitive


class Steps:
    """Primitives in order, each with the numbers of what it reads.

    Numbers count the arguments of the op first, then what the steps make. Each step makes one
    array, and the last one makes the output::

        do = Steps(2)  # of an op of two arguments, 0 and 1
        total = do(Add(), 0, 1)
        do(Square(), total)
    """

    def __init__(self, arguments: int) -> None:
        self.made: list[tuple[Primitive, tuple[int, ...]]] = []
        self._arguments = arguments

    def __call__(self, prim: Primitive, *reads: int) -> int:
        """Add a step; answers the number of what it makes."""
        self.made.append((prim, reads))
        return self._arguments + len(self.made) - 1


def run(prim: Primitive, args: Sequence[Any], out: np.ndarray) -> None:
    """Run the steps of ``prim`` one after the other, the last one into ``out``."""
    held = list(args)
    specs = tuple([Spec(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in args])
    *some, (last, reads, _) = _inferred(prim, specs)
    for step, at, spec in some:
        held.append(_made(step, [held[i] for i in at], spec))
    last.kernel(*[held[i] for i in reads], out=out)


def _made(step: Primitive, args: list[Any], spec: Spec) -> np.ndarray:
    seen = step.view(*args) if step.has_view else None
    if seen is None:
        seen = layout.empty(spec, step.layout, tuple(args))
        step.kernel(*args, out=seen)
    return seen


@lru_cache(maxsize=1024)
def _inferred(
    prim: Primitive, specs: tuple[Any, ...]
) -> list[tuple[Primitive, tuple[int, ...], Spec]]:
    """The steps of ``prim``, each with the spec of what it makes."""
    known, found = list(specs), []
    for step, reads in prim.lowered(*specs).made:
        known.append(step.infer(*[known[i] for i in reads]))
        found.append((step, reads, known[-1]))
    return found


def _follow(old: context.Context, new: context.Context) -> None:
    """A setting may say how an op is lowered."""
    _inferred.cache_clear()


context.subscribe(_follow)
