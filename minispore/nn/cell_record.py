"""The private state of a Cell: its registries and its record of settings."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from minispore.core import interpreter
from minispore.core.dtype import DType

if TYPE_CHECKING:
    from minispore.nn.hooks import Hooks


class Registry(OrderedDict):
    """An ordered dict that counts its changes and tells compiled graphs of them."""

    version = 0

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        self._note_change()

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        self._note_change()

    def pop(self, *args: Any) -> Any:
        """Remove a key and return its value, as ``dict.pop`` does."""
        value = super().pop(*args)
        self._note_change()
        return value

    def popitem(self, last: bool = True) -> tuple[str, Any]:
        """Remove and return the last pair (or the first), as ``OrderedDict`` does."""
        item = super().popitem(last)
        self._note_change()
        return item

    def clear(self) -> None:
        """Remove all items."""
        super().clear()
        self._note_change()

    def move_to_end(self, key: str, last: bool = True) -> None:
        """Move a key to the end, or to the front."""
        super().move_to_end(key, last)
        self._note_change()

    def _note_change(self) -> None:
        self.version += 1
        interpreter.note_change()


class CellRecord:
    """The private state of a Cell, kept in one object so that attributes of users' Cells can have
    any name.

    Attributes:
        version: how often an attribute changed that construct may depend on.
        attribute: the attribute of the parent Cell that holds this Cell.
        path: the path from the root of the tree, as set by update_cell_prefix.
        scope: the scope name, as set by generate_scope; None before.
        transient: the names of non-persistent buffers, which state_dict leaves out.
        named: whether parameter names were checked for clashes.
        plain: whether a call runs construct alone (no hooks, cast, bprop or packing).
        hooks: the forward and backward hooks, or None.
        packing: wraps a function so that it packs saved tensors, or None.
        state_hooks: the StateHooks of state_dict and load_state_dict, or None.
        precision: the dtype that inputs and parameters are cast to, or None.
        reading: the dtype in which construct reads parameters while it runs, or None.
        inputs: the inputs that set_inputs declared, or None.
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


def add_cell_note(exc: Exception, cell: Any) -> None:
    """Add the path and class of the Cell in which ``exc`` arose as one note to the exception.

    Each Cell on the way out replaces the note by one with a longer path. Exceptions that take no
    attributes get no note.
    """
    inner_path, class_name = getattr(exc, "_cell", ("", type(cell).__name__))
    path = f"{cell._scope_name_}.{inner_path}" if inner_path else cell._scope_name_
    try:
        exc._cell = path, class_name  # type: ignore[attr-defined]
        other_notes = [
            n for n in getattr(exc, "__notes__", ()) if n != f"in {inner_path} ({class_name})"
        ]
        exc.__notes__ = [*other_notes, f"in {path} ({class_name})"]
    except AttributeError:  # an exception that takes no attributes takes no note either
        return


__all__ = ["CellRecord", "Registry"]
