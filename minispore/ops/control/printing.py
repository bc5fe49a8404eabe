"""Python's ``print`` as an op: in a graph it prints each time the graph runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minispore.core.parameter import Parameter
from minispore.core.primitive import Effect, Primitive
from minispore.core.tensor import Tensor
from minispore.core.tree import map_tensors
from minispore.ir.value import Spec


class PrintLine(Primitive):
    """Prints as Python's ``print`` does, each time a graph runs.

    Args:
        form: a :class:`Form`: the arguments of ``print`` with a hole for each tensor.
        sep: the text between the arguments.
        end: the text after the arguments.
    """

    effect = Effect.EXTERNAL

    form: Any
    sep: str = " "
    end: str = "\n"

    @staticmethod
    def make_form(args: tuple[Any, ...]) -> tuple[Form, list[Tensor]]:
        """Return the arguments of ``print`` as a form with holes, and the tensors that fill the
        holes.
        """
        tensors: list[Tensor] = []

        def replace_with_hole(t: Tensor) -> Any:
            """Append a tensor to ``tensors`` and return a hole for it; a Parameter is returned
            unchanged.
            """
            if isinstance(t, Parameter):
                return t  # its text names the Parameter, not its content
            tensors.append(t)
            return _HOLE

        templates = [map_tensors(replace_with_hole, arg) for arg in args]
        return Form([x if _has_hole(x) else str(x) for x in templates]), tensors

    def infer(self, *args: Any) -> Spec:
        """Return the spec of the output, a 0-d int32."""
        return Spec((), np.dtype(np.int32))

    def kernel(self, *args: Any, out: np.ndarray) -> None:
        """Fill the tensors into the form and print it; the output is a 0."""
        tensors = iter([Tensor.from_numpy(np.array(a)) for a in args])
        texts = [_fill_holes(template, tensors) for template in self.form.parts]
        print(*texts, sep=self.sep, end=self.end)
        out.fill(0)


_HOLE = object()


class Form:
    """The arguments of one ``print`` with holes for tensors; compared by identity."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts


def _has_hole(x: Any) -> bool:
    """Whether the nested ``x`` contains a hole for a tensor."""
    if isinstance(x, dict):
        return any(map(_has_hole, x.values()))
    return x is _HOLE or (isinstance(x, list | tuple) and any(map(_has_hole, x)))


def _fill_holes(x: Any, tensors: Iterator[Tensor]) -> Any:
    """Return the nested ``x`` with each hole replaced by the next of ``tensors``."""
    if x is _HOLE:
        return next(tensors)
    if isinstance(x, dict):
        return {k: _fill_holes(v, tensors) for k, v in x.items()}
    if isinstance(x, list):
        return [_fill_holes(v, tensors) for v in x]
    if isinstance(x, tuple):
        values = [_fill_holes(v, tensors) for v in x]
        return type(x)(*values) if hasattr(x, "_fields") else tuple(values)
    return x


__all__ = ["Form", "PrintLine"]
