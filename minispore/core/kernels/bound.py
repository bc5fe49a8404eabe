"""Kernels of many calls, with arrays of their own that the calls are bound to.

A graph makes the calls of a kernel once, for its own arrays. Op by op the arrays are others each
time; so a kernel of small arrays gets some, its inputs are copied in and its outputs are copied
out, which is quicker than to make the calls. They are those that a graph runs, with the same bits.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from minispore.core import half, layout
from minispore.core.kernels import steps
from minispore.core.threads.crew import Calls
from minispore.core.value import Spec

if TYPE_CHECKING:
    from minispore.core.primitive import Primitive


def work_of(prim: Primitive, args: Any) -> list[np.ndarray] | None:
    """The arrays that the calls of ``prim`` work in."""
    if not prim.has_scratch:
        return None
    given = [Spec(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in args]
    return [np.empty(s.shape, s.dtype) for s in prim.scratch(*given)]


class Bound:
    """The calls of a kernel on arrays of its own, which lie as ``args`` and ``out`` do.

    Attributes:
        nbytes: of these arrays.
    """

    def __init__(self, prim: Primitive, args: Any, out: Any) -> None:
        self.nbytes = 0
        self._calls = Calls()
        self._args = [self._own(a) if isinstance(a, np.ndarray) else a for a in args]
        self._inputs = [i for i, a in enumerate(args) if isinstance(a, np.ndarray)]
        several = out.__class__ is tuple
        self._outs = tuple([self._own(a) for a in (out if several else (out,))])
        self._bind(prim, self._args, self._outs if several else self._outs[0])

    def _own(self, like: np.ndarray) -> np.ndarray:
        self.nbytes += like.nbytes
        return layout.like(like)

    def _bind(self, prim: Primitive, args: Any, out: Any) -> None:
        if half.widens(prim, out) or not (prim.lowers or prim.has_calls):
            self._calls.append(partial(half.execute, prim, args, out))
        elif prim.lowers:
            for step, reads, made in steps.kernels(prim, args, out):
                self.nbytes += made.nbytes
                self._bind(step, reads, made)
        else:
            work = work_of(prim, args)
            self.nbytes += sum(a.nbytes for a in work or ())
            self._calls += prim.calls(*args, out=out, work=work)

    def run(self, *args: Any, out: Any) -> None:
        """Compute ``out`` from ``args``, which lie as those did that it was made for."""
        own = self._args
        for i in self._inputs:
            own[i][...] = args[i]
        for call in self._calls:
            call()
        if out.__class__ is not tuple:
            out[...] = self._outs[0]
            return
        for wanted, made in zip(out, self._outs, strict=True):
            wanted[...] = made


__all__ = ["Bound", "work_of"]
