"""Bound kernels: kernels of many calls, with private arrays that the calls are bound to.

A graph binds the calls of a kernel to its own arrays once. Op by op, the arrays differ in each run.
So a bound kernel of small arrays copies inputs in and outputs out, which takes less time than
creating the calls. Its calls are the same as in a graph, so the bits are the same.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.execution import half, layout
from minispore.execution.kernels import steps
from minispore.ir.operator import Calls, Operator
from minispore.ir.value import Spec


def make_scratch_arrays(prim: Operator, args: Any) -> list[np.ndarray] | None:
    """Return new scratch arrays for the calls of ``prim``; None if it needs none."""
    if not prim.traits.has_scratch:
        return None
    specs = [Spec(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in args]
    return [np.empty(s.shape, s.dtype) for s in prim.scratch(*specs)]


class BoundKernel:
    """A kernel's calls, bound to private arrays with the strides of ``args`` and ``out``.

    Attributes:
        nbytes: the size of these arrays.
    """

    def __init__(self, prim: Operator, args: Any, out: Any) -> None:
        self.nbytes = 0
        self._calls = Calls()
        self._args = [self._make_private_array(a) if isinstance(a, np.ndarray) else a for a in args]
        self._inputs = [i for i, a in enumerate(args) if isinstance(a, np.ndarray)]
        has_several_outputs = out.__class__ is tuple
        self._outs = tuple(
            [self._make_private_array(a) for a in (out if has_several_outputs else (out,))]
        )
        self._bind_calls(prim, self._args, self._outs if has_several_outputs else self._outs[0])

    def _make_private_array(self, template: np.ndarray) -> np.ndarray:
        """Return a new array with the strides of ``template``, and count its bytes."""
        self.nbytes += template.nbytes
        return layout.empty_like(template)

    def _bind_calls(self, prim: Operator, args: Any, out: Any) -> None:
        """Append the calls that compute ``out`` from ``args``, step by step if the op has steps,
        and count the bytes of the arrays that these need.
        """
        if half.computes_in_float32(prim, out) or not (
            prim.traits.lowers_to_steps or prim.traits.has_calls
        ):
            self._calls.append(partial(half.execute, prim, args, out))
        elif prim.traits.lowers_to_steps:
            for step, reads, output in steps.iterate_kernels(prim, args, out):
                self.nbytes += output.nbytes
                self._bind_calls(step, reads, output)
        else:
            work = make_scratch_arrays(prim, args)
            self.nbytes += sum(a.nbytes for a in work or ())
            self._calls += prim.calls(*args, out=out, work=work)

    def run(self, *args: Any, out: Any) -> None:
        """Compute ``out`` from ``args``, which must have the specs and strides of the private
        arrays.
        """
        private_args = self._args
        for i in self._inputs:
            private_args[i][...] = args[i]
        for call in self._calls:
            call()
        if out.__class__ is not tuple:
            out[...] = self._outs[0]
            return
        for destination, source in zip(out, self._outs, strict=True):
            destination[...] = source


__all__ = ["BoundKernel", "make_scratch_arrays"]
