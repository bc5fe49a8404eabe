"""Python's own ``print`` as an op: in a graph it prints each time the graph runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.core.tree import map_tensors
from minispore.core.value import Spec


class PrintLine(Primitive):
    """What Python's ``print`` writes, when a graph runs.

    Args:
        form: the arguments of ``print`` with a :class:`Hole` for each tensor.
        sep: what stands between them.
        end: what stands after them.
    """

    internal = True
    pure = False

    form: Any
    sep: str = " "
    end: str = "\n"

    @staticmethod
    def form_of(parts: tuple[Any, ...]) -> tuple[Form, list[Tensor]]:
        """``parts`` as text with holes, and the tensors that fill the holes."""
        tensors: list[Tensor] = []

        def hole(t: Tensor) -> Any:
            if isinstance(t, Parameter):
                return t  # its text is no content
            tensors.append(t)
            return _HOLE

        made = [map_tensors(hole, p) for p in parts]
        return Form([p if _has_hole(p) else str(p) for p in made]), tensors

    def infer(self, *args: Any) -> Spec:
        return Spec((), np.dtype(np.int32))

    def kernel(self, *args: Any, out: np.ndarray) -> None:
        left = iter([Tensor.from_numpy(np.array(a)) for a in args])
        parts = [_filled(p, left) for p in self.form.parts]
        print(*parts, sep=self.sep, end=self.end)
        out.fill(0)


_HOLE = object()


class Form:
    """The arguments of a ``print``; each stands for itself alone."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts


def _has_hole(x: Any) -> bool:
    if isinstance(x, dict):
        return any(map(_has_hole, x.values()))
    return x is _HOLE or (isinstance(x, list | tuple) and any(map(_has_hole, x)))


def _filled(x: Any, tensors: Iterator[Tensor]) -> Any:
    if x is _HOLE:
        return next(tensors)
    if isinstance(x, dict):
        return {k: _filled(v, tensors) for k, v in x.items()}
    if isinstance(x, list):
        return [_filled(v, tensors) for v in x]
    if isinstance(x, tuple):
        made = [_filled(v, tensors) for v in x]
        return type(x)(*made) if hasattr(x, "_fields") else tuple(made)
    return x


__all__ = ["Form", "PrintLine"]
