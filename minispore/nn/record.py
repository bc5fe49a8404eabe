"""What a Cell holds: its Parameters, Cells and buffers by name, and what it knows of itself."""

from __future__ import annotations

from collections import OrderedDict
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
        interpreter.note_change()


class Record:
    """What a Cell knows about itself, kept in one place so that attributes of users' Cells can have
    any name.

    Attributes:
        version: how often an attribute changed that construct may depend on.
        attribute: the name under which the owner holds the Cell.
        path: from the root of the tree, as update_cell_prefix last saw it.
        scope: as generate_scope last saw it.
        transient: buffers that state_dict leaves out.
        named: whether names were checked for clashes.
        plain: whether a call is nothing but construct.
        hooks: around calls, and on the way back.
        packing: what packs and unpacks saved tensors.
        state_hooks: StateHooks, of state dicts.
        precision: the type that inputs and parameters are cast to.
        reading: the same, while construct runs.
        inputs: what set_inputs was told, to compare with.
    """

    __slots__ = (
        "attribute", "flags", "hooks", "inputs", "jit_config", "named", "packing", "path", "plain",
        "precision", "reading", "scope", "stage", "state_hooks", "transient", "version",
    )  # fmt: skip

    def __init__(self) -> None:
        self.version = self.stage = 0
        self.attribute = self.path = ""
        self.named, self.plain = False, True
        self.transient: set[str] = set()
        self.flags: dict[str, Any] = {}
        self.jit_config: dict[str, Any] = {}
        self.hooks: Hooks | None = None
        self.precision: DType | None = None
        self.reading: DType | None = None
        self.state_hooks: Any = None
        self.inputs: Any = None
        self.packing: Any = None
        self.scope: str | None = None


def note(exc: Exception, cell: Any) -> None:
    """Let ``exc`` say in which Cell it arose: one note, whose path grows on the way out."""
    inner, kind = getattr(exc, "_cell", ("", type(cell).__name__))
    path = f"{cell._scope_name_}.{inner}" if inner else cell._scope_name_
    try:
        exc._cell = path, kind  # type: ignore[attr-defined]
        others = [n for n in getattr(exc, "__notes__", ()) if n != f"in {inner} ({kind})"]
        exc.__notes__ = [*others, f"in {path} ({kind})"]
    except AttributeError:  # an exception that takes no attributes takes no note either
        return


__all__ = ["Record", "Registry"]
