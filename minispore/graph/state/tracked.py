"""Tracked states: pieces of Python state with snapshots, comparison and restoration.

Each class handles one kind of object. ``take_snapshot`` returns its content, ``matches`` compares
it with a snapshot, ``restore`` restores it from a snapshot. The docstring of the package describes
the algorithm that uses them.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import is_
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MappingProxyType,
    ModuleType,
)
from typing import Any

from minispore.core.primitive import Primitive
from minispore.ir.dtype import DType

MISSING = object()
_REPEATED_MISSING = repeat(MISSING)
IMMUTABLE_TYPES = frozenset({int, float, bool, str, bytes, complex, type(None)})
_SIGNED_ZERO_TYPES = frozenset({float, complex})  # 0.0 == -0.0, but they are different numbers
_CONTAINERS: Any = (OrderedDict, dict, MappingProxyType, list, tuple, deque, set, frozenset)


def get_container_class(x: Any) -> Any:
    """Return the built-in base class of a container's class, such as dict for a user's subclass of
    dict.

    Its methods only read and write the content; those of a user's subclass may compute or load
    items.
    """
    return next(cls for cls in _CONTAINERS if isinstance(x, cls))


def list_contents(x: Any) -> tuple[Any, ...]:
    """Return the items of a container; for a mapping, the keys and then the values.

    Reads them through the built-in class, so that no method of a user's subclass runs.
    """
    cls = get_container_class(x)
    items = cls.__iter__(x)
    return (*items, *cls.values(x)) if hasattr(cls, "values") else tuple(items)


class TrackedState:
    """A piece of Python state that code can change.

    Args:
        name: the name by which the code refers to it.

    Attributes:
        label: the kind of state, for messages.
    """

    label = "object"

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        """Return the kind of state and its name, for a message."""
        return f"the {self.label} {self.name}" if self.name else f"a {self.label}"

    def take_snapshot(self) -> Sequence[Any]:
        """Return the current content, as references to the objects in it; subclasses define its
        form.
        """
        raise NotImplementedError

    def take_weak_snapshot(self) -> Sequence[Any]:
        """Return a snapshot that keeps no object alive, to be stored with a compiled graph.

        A snapshot that is not a tuple is returned unchanged.
        """
        snapshot = self.take_snapshot()
        return [make_weak(x) for x in snapshot] if isinstance(snapshot, tuple) else snapshot

    def restore(self, snapshot: Any) -> None:
        """Restore the content that the object had when ``snapshot`` was taken; subclasses override
        this.
        """
        raise NotImplementedError

    def matches(self, snapshot: Sequence[Any]) -> bool:
        """Whether the content has the same objects as ``snapshot``, in which weak references may
        stand for them; equal objects do not count.
        """
        current = self.take_snapshot()
        if len(current) != len(snapshot):
            return False
        return all(map(is_, current, snapshot)) or all(map(is_same, current, snapshot))

    def find_changed_name(self, snapshot: Sequence[Any]) -> str:
        """Return the name of a variable or attribute that differs from ``snapshot``, for a message;
        the base class returns the state's name.
        """
        return self.name


def is_same(a: Any, b: Any) -> bool:
    """Whether ``a`` and ``b`` are the same object, or equal immutable ones.

    ``b`` may be an entry of a weak snapshot. 0.0 and -0.0 differ.
    """
    if a is b:
        return True
    if b.__class__ is _WeakEntry:
        return a is not None and b() is a
    if a.__class__ is not b.__class__ or a.__class__ not in IMMUTABLE_TYPES:
        return False
    return repr(a) == repr(b) if a.__class__ in _SIGNED_ZERO_TYPES else bool(a == b)


class _WeakEntry(weakref.ref):
    """An entry of a weak snapshot. The class distinguishes it from a weak reference that is content
    itself.
    """

    __slots__ = ()


# Names of closure variables by which a function does not keep a Cell alive.
_NO_CLOSURES = (), ("__class__",)
# Objects that keep no Cell alive, or only through a module that stays alive anyway.
_HARMLESS_TYPES = (type, CodeType, ModuleType, BuiltinFunctionType, Primitive, DType)


def make_weak(x: Any) -> Any:
    """Return an entry of a weak snapshot for ``x``.

    It is a weak reference, or ``x`` itself if ``x`` keeps no Cell alive or does not support weak
    references.
    """
    if x.__class__ in IMMUTABLE_TYPES or x is MISSING or isinstance(x, _HARMLESS_TYPES):
        return x
    if isinstance(x, FunctionType) and x.__code__.co_freevars in _NO_CLOSURES:
        return x
    try:
        return _WeakEntry(x)
    except TypeError:
        return x


class NamespaceState(TrackedState):
    """The values of names in modules, classes or Parameters.

    All names of a kind form one state, since every call compares them.

    Args:
        names_of_owners: pairs of a dict or a class, and the names in it.
        label: the kind of state, for messages.
    """

    def __init__(self, names_of_owners: Iterable[tuple[Any, Iterable[str]]], label: str) -> None:
        super().__init__("")
        self.label = label
        namespaces = [
            (x, x if isinstance(x, dict) else vars(x), names) for x, names in names_of_owners
        ]
        self._entries = [
            (x, name, namespace.get) for x, namespace, names in namespaces for name in sorted(names)
        ]

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return the value of each name, MISSING for names that are not set."""
        return tuple([get(name, MISSING) for _, name, get in self._entries])

    def restore(self, snapshot: Any) -> None:
        """Set each name to its old value; delete names that were not set."""
        for (owner, name, get), old in zip(self._entries, snapshot, strict=True):
            if get(name, MISSING) is old:
                continue
            if isinstance(owner, dict) and old is MISSING:
                del owner[name]
            elif isinstance(owner, dict):
                owner[name] = old
            elif old is MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, old)

    def find_changed_name(self, snapshot: Sequence[Any]) -> str:
        """Return the first name whose value differs from ``snapshot``; "" if none does."""
        compared = zip(self._entries, self.take_snapshot(), snapshot)
        return next((name for (_, name, _), a, b in compared if not is_same(a, b)), "")


class ClosureVariable(TrackedState):
    """A variable of an enclosing function; its snapshot is empty if the variable is unbound."""

    label = "variable"

    def __init__(self, name: str, cell: CellType) -> None:
        super().__init__(name)
        self.cell = cell

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return the value in a tuple; () if the variable is unbound."""
        try:
            return (self.cell.cell_contents,)
        except ValueError:
            return ()

    def restore(self, snapshot: Any) -> None:
        """Restore the value of the variable, or unbind it."""
        if snapshot:
            self.cell.cell_contents = snapshot[0]
        else:
            del self.cell.cell_contents


class ListState(TrackedState):
    """The items of a list or deque."""

    label = "list"

    def __init__(self, name: str, items: Any) -> None:
        super().__init__(name)
        self.items, self._container_class = items, get_container_class(items)

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return the items."""
        # Through the built-in class, since a user's subclass may compute its items.
        return tuple(self._container_class.__iter__(self.items))

    def restore(self, snapshot: Any) -> None:
        """Replace the items in place."""
        self._container_class.clear(self.items)
        self._container_class.extend(self.items, snapshot)


class DictState(TrackedState):
    """The keys and values of a dict, or of a read-only view of a dict, which can't be restored."""

    label = "dict"

    def __init__(self, name: str, entries: dict[Any, Any] | MappingProxyType[Any, Any]) -> None:
        super().__init__(name)
        self.entries, self._container_class = entries, get_container_class(entries)

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return the keys and then the values."""
        # Through the built-in class, since a user's subclass may compute or load its items.
        return (
            *self._container_class.__iter__(self.entries),
            *self._container_class.values(self.entries),
        )

    def restore(self, snapshot: Any) -> None:
        """Restore the entries from ``snapshot``; do nothing for a read-only view."""
        if isinstance(self.entries, MappingProxyType):
            return  # the underlying dict is tracked, too, if the code can write to it
        half = len(snapshot) // 2
        self._container_class.clear(self.entries)
        self._container_class.update(
            self.entries, zip(snapshot[:half], snapshot[half:], strict=True)
        )


class SetState(TrackedState):
    """The members of a set."""

    label = "set"

    def __init__(self, name: str, members: set[Any]) -> None:
        super().__init__(name)
        self.members = members

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return the members."""
        # Through the built-in class, since a user's subclass may compute its members.
        return tuple(set.__iter__(self.members))

    def restore(self, snapshot: Any) -> None:
        """Replace the members in place."""
        set.clear(self.members)
        set.update(self.members, snapshot)


class ObjectState(TrackedState):
    """The class, the attributes and the slots of an object that is not a Cell."""

    def __init__(self, name: str, owner: Any, extra_names: tuple[str, ...] = ()) -> None:
        super().__init__(name)
        self.label = f"{type(owner).__name__} object"
        self._get_owner = _make_reference(owner)
        self._slots = (
            "__class__",
            *extra_names,
            *[s for c in type(owner).__mro__ for s in list_slots(c)],
        )

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return the attributes' names, their values, and the values of the slots (MISSING if
        unset).
        """
        owner = self._get_owner()
        attributes = get_instance_dict(owner)
        return (*attributes, *attributes.values(), *[_get_slot(owner, s) for s in self._slots])

    def restore(self, snapshot: Any) -> None:
        """Restore attributes and slots, bypassing the class; delete those that were not set."""
        owner, item_count = self._get_owner(), len(snapshot) - len(self._slots)
        items, slot_values = snapshot[:item_count], snapshot[item_count:]
        if items or get_instance_dict(owner):
            half = len(items) // 2
            get_instance_dict(owner).clear()
            get_instance_dict(owner).update(zip(items[:half], items[half:], strict=True))
        for name, value in zip(self._slots, slot_values, strict=True):
            if value is _get_slot(owner, name):
                continue
            if value is not MISSING:
                object.__setattr__(owner, name, value)
            else:
                object.__delattr__(owner, name)

    def find_changed_name(self, snapshot: Sequence[Any]) -> str:
        """Return the first attribute that differs from ``snapshot``; the object's name if only a
        slot does.
        """
        slot_count = len(self._slots)
        old, current = (
            _pair_items(s[: len(s) - slot_count]) for s in (snapshot, self.take_snapshot())
        )
        for name in (*current, *old):
            if not is_same(current.get(name, MISSING), old.get(name, MISSING)):
                return str(name)
        return self.name


def _make_reference(x: Any) -> Callable[[], Any]:
    """Return a callable that returns ``x``, held by a weak reference where possible."""
    try:
        return weakref.ref(x)
    except TypeError:
        return lambda: x


def get_instance_dict(x: Any) -> dict[str, Any]:
    """Return the ``__dict__`` of ``x``, bypassing its class; {} if it has none."""
    try:
        attributes: dict[str, Any] = object.__getattribute__(x, "__dict__")
    except AttributeError:
        return {}
    return attributes


def _get_slot(x: Any, name: str) -> Any:
    """Return an attribute of ``x``, bypassing its class; MISSING if it is not set."""
    try:
        return object.__getattribute__(x, name)
    except AttributeError:
        return MISSING


def list_slots(c: type) -> list[str]:
    """Return the slots that ``c`` itself declares, without ``__dict__`` and ``__weakref__``."""
    slots = c.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else slots
    return [s for s in names if s not in ("__dict__", "__weakref__")]


def _pair_items(snapshot: Sequence[Any]) -> dict[Any, Any]:
    """Return a dict with the first half of a snapshot as keys and the second half as values."""
    half = len(snapshot) // 2
    names = [x() if x.__class__ is _WeakEntry else x for x in snapshot[:half]]
    return dict(zip(names, snapshot[half:], strict=True))


class CellAttributeState(TrackedState):
    """Attributes of users' Cells.

    A Cell does not notice writes through ``vars`` or ``object.__setattr__``, so the values are
    compared. The attributes of all Cells form one state, since every call compares them.

    Args:
        names_of_cells: pairs of a Cell and its attribute names.
    """

    label = "attribute of a Cell"

    def __init__(self, names_of_cells: Iterable[tuple[Any, Iterable[str]]]) -> None:
        super().__init__("")
        self._names_of_cells = [(weakref.ref(cell), tuple(names)) for cell, names in names_of_cells]

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return the attribute values of all Cells that are still alive; MISSING for unset ones."""
        values: list[Any] = []
        for ref, names in self._names_of_cells:
            cell = ref()
            if cell is not None:
                values += map(cell.__dict__.get, names, _REPEATED_MISSING)
        return tuple(values)

    def restore(self, snapshot: Any) -> None:
        """Restore the values in the Cells' ``__dict__``, bypassing ``__setattr__``; remove names
        that were not set.
        """
        remaining = iter(snapshot)
        for ref, names in self._names_of_cells:
            attributes = get_instance_dict(ref())
            for name in names:
                old = next(remaining)
                if old is not MISSING:
                    attributes[name] = old
                else:
                    attributes.pop(name, None)

    def find_changed_name(self, snapshot: Sequence[Any]) -> str:
        """Return the first attribute name whose value differs from ``snapshot``; "" if none
        does.
        """
        all_names = [name for _, names in self._names_of_cells for name in names]
        compared = zip(all_names, self.take_snapshot(), snapshot)
        return next((name for name, a, b in compared if not is_same(a, b)), self.name)


class StateSnapshots:
    """Snapshots of several states, taken together."""

    def __init__(self, states: Iterable[TrackedState]) -> None:
        self._snapshots = [(state, state.take_snapshot()) for state in states]

    def find_changed(self) -> tuple[TrackedState, str] | None:
        """Return the first state that differs from its snapshot, and the changed name; None if all
        match.
        """
        for state, snapshot in self._snapshots:
            if not state.matches(snapshot):
                return state, state.find_changed_name(snapshot)
        return None

    def restore_all(self) -> None:
        """Restore every state that differs from its snapshot."""
        for state, snapshot in self._snapshots:
            if not state.matches(snapshot):
                state.restore(snapshot)
