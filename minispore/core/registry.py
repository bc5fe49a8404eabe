"""Primitives by name, so that ``Tensor.__add__`` can say ``call("Add", ...)``: a name crosses, not
an import.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minispore.core.primitive import Primitive

registry: dict[str, type[Primitive]] = {}


@cache
def primitive(name: str) -> Primitive:
    """The instance of the primitive ``name`` with default attributes."""
    return registry[name]()
