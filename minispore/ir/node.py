"""Node: records which operator computed which values from which arguments."""

from __future__ import annotations

from typing import Any

from minispore.ir.operator import Operator
from minispore.ir.value import Value


class Node:
    """``outputs = prim(*args)``: ``args`` are Values (inputs) or other objects (static
    arguments).
    """

    __slots__ = ("args", "line", "outputs", "prim", "scope")

    def __init__(
        self,
        prim: Operator,
        args: tuple[Any, ...],
        outputs: tuple[Value, ...],
        scope: str = "",
        line: str = "",
    ) -> None:
        self.prim = prim
        self.args = args
        self.outputs = outputs
        self.scope = scope  # path of the Cell that bound it, such as "network.conv1"
        self.line = line  # "file.py:12", the line of the user's code that bound it

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The arguments that are Values."""
        return tuple([a for a in self.args if a.__class__ is Value])

    @property
    def specs(self) -> tuple[Any, ...]:
        """The args in the form that ``infer`` takes: specs of values, and static arguments."""
        return tuple([a.spec if a.__class__ is Value else a for a in self.args])

    @property
    def flops(self) -> int:
        """The number of floating-point operations."""
        return int(self.prim.flops(*self.specs))

    def __repr__(self) -> str:
        """Return the specs of the outputs and the operator."""
        return f"{', '.join(str(o.spec) for o in self.outputs)} = {self.prim!r}"
