"""Steps: an op told as others, which the compiler puts in its place and its own kernel runs.

What both modes do is written once, so they agree to the last bit; and equal steps of several ops
(the columns of a convolution and of its weight's gradient) are one in a graph. Op by op they are
so too where it pays, see :mod:`minispore.core.kernels.saved`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minispore import context
from minispore.core import half, layout
from minispore.core.kernels import saved
from minispore.core.registry import registry
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
    specs = tuple([Spec(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in args])
    steps, held = _inferred(prim, specs), dict[int, np.ndarray]()
    last = steps[-1]
    half.execute(last.prim, [_number(i, args, steps, held) for i in last.reads], out)


def kernels(
    prim: Primitive, args: Sequence[Any], out: np.ndarray
) -> Iterator[tuple[Primitive, list[Any], np.ndarray]]:
    """The steps of ``prim`` in order, each with the arrays that it reads and the one it writes."""
    specs = tuple([Spec(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in args])
    known = list(args)
    *steps, last = _inferred(prim, specs)
    for step in steps:
        reads = [known[i] for i in step.reads]
        made = _seen(step.prim, reads)
        if made is None:
            made = layout.empty(step.spec, step.prim.layout, tuple(reads))
            yield step.prim, reads, made
        known.append(made)
    yield last.prim, [known[i] for i in last.reads], out


def _number(i: int, args: Sequence[Any], steps: list[_Step], held: dict[int, np.ndarray]) -> Any:
    """What has number ``i``: an argument, or what a step made, or makes now."""
    if i < len(args):
        return args[i]
    if i not in held:
        step = steps[i - len(args)]
        shared = bool(step.chain) and step.prim.saved
        made = saved.found(step.chain, args[step.start]) if shared else None
        if made is None:
            reads = [_number(j, args, steps, held) for j in step.reads]
            made = _made(step.prim, reads, step.spec)
            if shared:
                saved.save(made, step.chain, args[step.start])
        held[i] = made
    return held[i]


def _made(step: Primitive, args: list[Any], spec: Spec) -> np.ndarray:
    made = _seen(step, args)
    if made is None:
        made = layout.empty(spec, step.layout, tuple(args))
        half.execute(step, args, made)
    return made


def _seen(step: Primitive, args: list[Any]) -> np.ndarray | None:
    """What a step makes, if it is to be seen in what it reads."""
    seen = step.view(*args) if step.has_view else None
    return None if seen is None or layout.misread(seen) else seen


def told(prim: Primitive, specs: tuple[Any, ...]) -> list[tuple[Primitive, tuple[int, ...]]]:
    """The steps of ``prim``. Of half floats they are those of float32, between conversions."""
    at = [i for i, s in enumerate(specs) if isinstance(s, Spec) and half.is_half(s.dtype)]
    if not at:
        return prim.lowered(*specs).made
    convert, count = registry["Converted"], len(specs)
    wide = [Spec(s.shape, half.FLOAT32) if i in at else s for i, s in enumerate(specs)]
    place = [count + at.index(i) if i in at else i for i in range(count)]
    found: list[tuple[Primitive, tuple[int, ...]]] = [(convert("float32"), (i,)) for i in at]
    for step, reads in prim.lowered(*wide).made:
        shifted = tuple(place[i] if i < count else i + len(at) for i in reads)
        found.append((step, shifted))
    return [*found, (convert(specs[at[0]].dtype.name), (count + len(found) - 1,))]


class _Step(NamedTuple):
    """A step of an op on arguments of known specs.

    Attributes:
        prim, reads: the primitive, and the numbers of what it reads.
        spec: of what it makes.
        chain: where each step reads one thing, those from an argument to this one; else ().
        start: the number of that argument.
    """

    prim: Primitive
    reads: tuple[int, ...]
    spec: Spec
    chain: tuple[Primitive, ...]
    start: int


@lru_cache(maxsize=1024)
def _inferred(prim: Primitive, specs: tuple[Any, ...]) -> list[_Step]:
    """The steps of ``prim``, each with what is known of it."""
    known, found = list(specs), list[_Step]()
    for step, reads in told(prim, specs):
        known.append(step.infer(*[known[i] for i in reads]))
        chain: tuple[Primitive, ...] = ()
        start = reads[0]
        if len(reads) == 1 and start < len(specs):
            chain = (step,)
        elif len(reads) == 1 and (before := found[start - len(specs)]).chain:
            chain, start = (*before.chain, step), before.start
        found.append(_Step(step, reads, known[-1], chain, start))
    return found


def _follow(old: context.Context, new: context.Context) -> None:
    """A setting may say how an op is lowered."""
    _inferred.cache_clear()


context.subscribe(_follow)
