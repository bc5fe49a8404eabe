"""Kernels of small arrays, with calls that were bound before.

To make the calls of a kernel takes longer than to run them where the arrays are small: LeNet's
first convolution of one image takes 50 us, and 21 with calls that are there. A graph makes them
once, for its own arrays. Op by op the arrays are others each time; so a kernel that has come a few
times with arrays that lie alike gets arrays of its own, and calls bound to them. From then on its
inputs are copied in and its outputs are copied out. The calls are those that a graph runs, with the
same bits.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from minispore import context
from minispore.core import half, layout
from minispore.core.kernels import steps
from minispore.core.threads.crew import Calls
from minispore.core.value import Spec

if TYPE_CHECKING:
    from minispore.core.primitive import Primitive

_MOST_COPIED = 1 << 17  # bytes of inputs and outputs: to copy more takes longer than to bind
_MOST_BYTES = 16 << 20  # of all arrays that a thread's kernels have
_MOST_KERNELS = 4096
_OFTEN = 3  # times that a kernel must come first
_PLAIN = frozenset({bool, int, str, type(None)})
_ITEMS = frozenset({bool, int})


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

    def run(self, args: Any, out: Any) -> None:
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


class _Here(threading.local):
    """What this thread has bound: no two threads compute in the same arrays."""

    def __init__(self) -> None:
        self.settings = context.current()
        self.clear()

    def clear(self) -> None:
        self.kernels: dict[Any, Bound | int] = {}  # or how often it came
        self.nbytes = 0


_here = _Here()


def find(prim: Primitive, args: Any, out: Any) -> Bound | None:
    """The calls of a kernel, if it comes often and its arrays are small."""
    key = _key(prim, args, out)
    if key is None:
        return None
    here = _here
    if here.settings is not context.current():  # one may say how an op is computed
        here.settings = context.current()
        here.clear()
    found = here.kernels.get(key, 0)
    if isinstance(found, Bound):
        return found
    if len(here.kernels) >= _MOST_KERNELS or here.nbytes > _MOST_BYTES:
        here.clear()
    here.kernels[key] = times = found + 1
    if times != _OFTEN:
        return None
    made = Bound(prim, args, out)
    if made.nbytes > _MOST_BYTES // 16:
        return None
    here.nbytes += made.nbytes
    here.kernels[key] = made
    return made


def _key(prim: Primitive, args: Any, out: Any) -> tuple[Any, ...] | None:
    """What the calls of a kernel depend on; None if it is none to be bound."""
    nbytes, key = 0, list[Any]([prim])
    for a in (*args, *out) if out.__class__ is tuple else (*args, out):
        kind = a.__class__
        if kind is np.ndarray:
            nbytes += a.nbytes
            key += (a.shape, a.strides, a.dtype)
        elif kind in _PLAIN or (kind is tuple and _ITEMS.issuperset(map(type, a))):
            key += (kind, repr(a))  # which tells 1 and True apart
        else:
            return None
    plain = prim.pure and not prim.distinct and nbytes <= _MOST_COPIED
    return tuple(key) if plain else None
