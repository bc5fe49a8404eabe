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


def note(exc: Exception, cell: Any) -> None:
    """Let ``exc`` say in which Cell it arose: one note, whose path grows on the way out."""
    inner, kind = getattr(exc, "_cell", ("", type(cell).__name__))
    path = f"{cell._scope_name}.{inner}" if inner else cell._scope_name
    try:
        exc._cell = path, kind  # type: ignore[attr-defined]
        others = [n for n in getattr(exc, "__notes__", ()) if n != f"in {inner} ({kind})"]
        exc.__notes__ = [*others, f"in {path} ({kind})"]
    except AttributeError:  # an exception that takes no attributes takes no note either
        return


__all__ = ["Record", "Registry"]
