"""What a Cell holds: its Parameters, Cells and buffers by name, and what it knows of itself."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from minispore.core import interpreter
from minispore.core.dtype import DType

if TYPE_CHECKING:
    from minispore.nn.hooks import Hooks


class Registry(OrderedDict):
    """An ordered dict that tells compiled graphs when it changes."""

    version = 0

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        self._changed()

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        self._changed()

    def pop(self, *args: Any) -> Any:
        """As of a dict."""
        found = super().pop(*args)
        self._changed()
        return found

    def popitem(self, last: bool = True) -> tuple[str, Any]:
        """As of a dict."""
        found = super().popitem(last)
        self._changed()
        return found

    def clear(self) -> None:
        """As of a dict."""
        super().clear()
        self._changed()

    def move_to_end(self, key: str, last: bool = True) -> None:
        """As of a dict."""
        super().move_to_end(key, last)
        self._changed()

    def _changed(self) -> None:
        self.version += 1
        interpreter.touch()


@dataclass(slots=True, eq=False)
class Record:
    """What a Cell knows about itself, kept in one place so that attributes of users' Cells can have
    any name.
    """

    version: int = 0  # how often an attribute changed that construct may depend on
    attribute: str = ""  # the name under which the owner holds the Cell
    path: str = ""  # from the root of the tree, as update_cell_prefix last saw it
    transient: set[str] = field(default_factory=set)  # buffers that state_dict leaves out
    named: bool = False  # whether names were checked for clashes
    plain: bool = True  # whether a call is nothing but construct
    hooks: Hooks | None = None
    state_hooks: Any = None  # StateHooks, of state dicts
    flags: dict[str, Any] = field(default_factory=dict)
    precision: DType | None = None  # the type that inputs and parameters are cast to
    reading: DType | None = None  # the same, while construct runs
    inputs: tuple[Any, ...] | None = None  # what set_inputs kept
    jit_config: dict[str, Any] = field(default_factory=dict)
    stage: int = 0


__all__ = ["Record", "Registry"]
