"""Places that hold Python state: what each holds now, whether that changed, and how to put it back.

A trace runs Python once, a graph never again. So whatever Python keeps between two calls (a list,
a global, a random stream) is looked at before and after a trace, and before a compiled graph is
used again.
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

from minispore.core.dtype import DType
from minispore.core.primitive import Primitive

MISSING = object()
_MISSING = repeat(MISSING)
PLAIN = frozenset({int, float, bool, str, bytes, complex, type(None)})
_SIGNED = frozenset({float, complex})  # 0.0 equals -0.0, and is another number
_CONTAINERS: Any = (OrderedDict, dict, MappingProxyType, list, tuple, deque, set, frozenset)


def plain_kind(x: Any) -> Any:
    """Python's own class of a container. What it holds is asked of that class: methods that a class
    of the user's has in their place may compute, or load what is not there yet.
    """
    return next(kind for kind in _CONTAINERS if isinstance(x, kind))


def held_in(x: Any) -> tuple[Any, ...]:
    """What a container holds: items, or keys and then values."""
    kind = plain_kind(x)
    items = kind.__iter__(x)
    return (*items, *kind.values(x)) if hasattr(kind, "values") else tuple(items)


class Place:
    """Something that Python code can change. ``look`` takes a picture, ``put`` goes back to one.

    Args:
        name: what the code calls it.
    """

    kind = "object"

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"the {self.kind} {self.name}" if self.name else f"a {self.kind}"

    def look(self) -> Sequence[Any]:
        """What it holds now, by reference."""
        raise NotImplementedError

    def kept(self) -> Sequence[Any]:
        """What it holds now, to be kept as long as a graph is: it holds on to nothing."""
        picture = self.look()
        return [weak(x) for x in picture] if isinstance(picture, tuple) else picture

    def put(self, picture: Any) -> None:
        """Let it hold what it held when ``picture`` was taken."""
        raise NotImplementedError

    def holds(self, picture: Sequence[Any]) -> bool:
        """Whether it still holds what is in ``picture``."""
        now = self.look()
        if len(now) != len(picture):
            return False
        return all(map(is_, now, picture)) or all(map(same, now, picture))

    def touched(self, picture: Sequence[Any]) -> str:
        """The name of what differs from ``picture``."""
        return self.name


def same(a: Any, b: Any) -> bool:
    """Whether ``a`` is what ``b`` was; ``b`` may stand in a picture that is kept."""
    if a is b:
        return True
    if b.__class__ is _Weak:
        return a is not None and b() is a
    if a.__class__ is not b.__class__ or a.__class__ not in PLAIN:
        return False
    return repr(a) == repr(b) if a.__class__ in _SIGNED else bool(a == b)


class _Weak(weakref.ref):
    """What stands in a picture that is kept; a plain reference may be what a place holds."""

    __slots__ = ()


# What refers to no Cell, or does so by a module that is held in any case.
_OF_NONE = (), ("__class__",)  # variables of enclosing functions
_FREE = (type, CodeType, ModuleType, BuiltinFunctionType, Primitive, DType)


def weak(x: Any) -> Any:
    """What stands for ``x`` in a picture that does not hold on to it."""
    if x.__class__ in PLAIN or x is MISSING or isinstance(x, _FREE):
        return x
    if isinstance(x, FunctionType) and x.__code__.co_freevars in _OF_NONE:
        return x
    try:
        return _Weak(x)
    except TypeError:
        return x


class Names(Place):
    """Names in modules, classes or Parameters. Those of a kind are one place, since every call
    looks at them.

    Args:
        named: dicts or classes, each with names.
        kind: what the names are of.
    """

    def __init__(self, named: Iterable[tuple[Any, Iterable[str]]], kind: str) -> None:
        super().__init__("")
        self.kind = kind
        held = [(x, x if isinstance(x, dict) else vars(x), names) for x, names in named]
        self._named = [(x, name, inner.get) for x, inner, names in held for name in sorted(names)]

    def look(self) -> tuple[Any, ...]:
        return tuple([get(name, MISSING) for _, name, get in self._named])

    def put(self, picture: Any) -> None:
        for (owner, name, get), old in zip(self._named, picture, strict=True):
            if get(name, MISSING) is old:
                continue
            if not isinstance(owner, dict):
                delattr(owner, name) if old is MISSING else setattr(owner, name, old)
            elif old is MISSING:
                del owner[name]
            else:
                owner[name] = old

    def touched(self, picture: Sequence[Any]) -> str:
        pairs = zip(self._named, self.look(), picture)
        return next((name for (_, name, _), a, b in pairs if not same(a, b)), "")


class Free(Place):
    """A variable of an enclosing function."""

    kind = "variable"

    def __init__(self, name: str, cell: CellType) -> None:
        super().__init__(name)
        self.cell = cell

    def look(self) -> tuple[Any, ...]:
        try:
            return (self.cell.cell_contents,)
        except ValueError:
            return ()

    def put(self, picture: Any) -> None:
        if picture:
            self.cell.cell_contents = picture[0]
        else:
            del self.cell.cell_contents


class Items(Place):
    """A list or deque."""

    kind = "list"

    def __init__(self, name: str, items: Any) -> None:
        super().__init__(name)
        self.items, self._plain = items, plain_kind(items)

    def look(self) -> tuple[Any, ...]:
        return tuple(self._plain.__iter__(self.items))

    def put(self, picture: Any) -> None:
        self._plain.clear(self.items)
        self._plain.extend(self.items, picture)


class Entries(Place):
    """A dict."""

    kind = "dict"

    def __init__(self, name: str, entries: dict[Any, Any] | MappingProxyType[Any, Any]) -> None:
        super().__init__(name)
        self.entries, self._plain = entries, plain_kind(entries)

    def look(self) -> tuple[Any, ...]:
        return (*self._plain.__iter__(self.entries), *self._plain.values(self.entries))

    def put(self, picture: Any) -> None:
        if isinstance(self.entries, MappingProxyType):
            return  # the dict behind it is a place, too, if the code can write to it
        half = len(picture) // 2
        self._plain.clear(self.entries)
        self._plain.update(self.entries, zip(picture[:half], picture[half:], strict=True))


class Members(Place):
    """A set."""

    kind = "set"

    def __init__(self, name: str, members: set[Any]) -> None:
        super().__init__(name)
        self.members = members

    def look(self) -> tuple[Any, ...]:
        return tuple(set.__iter__(self.members))

    def put(self, picture: Any) -> None:
        set.clear(self.members)
        set.update(self.members, picture)


class Attributes(Place):
    """The class and the attributes of an object that is no Cell."""

    def __init__(self, name: str, owner: Any, more: tuple[str, ...] = ()) -> None:
        super().__init__(name)
        self.kind = f"{type(owner).__name__} object"
        self._owner = _reference(owner)
        self._slots = (
            "__class__",
            *more,
            *[s for c in type(owner).__mro__ for s in slots_of(c)],
        )

    def look(self) -> tuple[Any, ...]:
        owner = self._owner()
        held = dict_of(owner)
        return (*held, *held.values(), *[_slot(owner, s) for s in self._slots])

    def put(self, picture: Any) -> None:
        owner, slots = self._owner(), len(self._slots)
        held, own = picture[: len(picture) - slots], picture[len(picture) - slots :]
        if held or dict_of(owner):
            half = len(held) // 2
            dict_of(owner).clear()
            dict_of(owner).update(zip(held[:half], held[half:], strict=True))
        for name, value in zip(self._slots, own, strict=True):
            if value is _slot(owner, name):
                continue
            if value is not MISSING:
                object.__setattr__(owner, name, value)
            else:
                object.__delattr__(owner, name)

    def touched(self, picture: Sequence[Any]) -> str:
        slots = len(self._slots)
        old, now = (_pairs(p[: len(p) - slots]) for p in (picture, self.look()))
        for name in (*now, *old):
            if not same(now.get(name, MISSING), old.get(name, MISSING)):
                return str(name)
        return self.name


def _reference(x: Any) -> Callable[[], Any]:
    """A weak one, where that can be."""
    try:
        return weakref.ref(x)
    except TypeError:
        return lambda: x


def dict_of(x: Any) -> dict[str, Any]:
    """What Python itself keeps for ``x``, whatever its class answers."""
    try:
        held: dict[str, Any] = object.__getattribute__(x, "__dict__")
    except AttributeError:
        return {}
    return held


def _slot(x: Any, name: str) -> Any:
    try:
        return object.__getattribute__(x, name)
    except AttributeError:
        return MISSING


def slots_of(c: type) -> list[str]:
    """The slots that ``c`` itself declares."""
    slots = c.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else slots
    return [s for s in names if s not in ("__dict__", "__weakref__")]


def _pairs(picture: Sequence[Any]) -> dict[Any, Any]:
    half = len(picture) // 2
    names = [x() if x.__class__ is _Weak else x for x in picture[:half]]
    return dict(zip(names, picture[half:], strict=True))


class CellAttributes(Place):
    """Attributes of a user's Cells, whoever wrote them: what goes by ``vars`` or
    ``object.__setattr__`` tells nobody. Those of all Cells are one place, since every call looks
    at them.

    Args:
        named: Cells, each with the names of attributes.
    """

    kind = "attribute of a Cell"

    def __init__(self, named: Iterable[tuple[Any, Iterable[str]]]) -> None:
        super().__init__("")
        self._named = [(weakref.ref(cell), tuple(names)) for cell, names in named]

    def look(self) -> tuple[Any, ...]:
        found: list[Any] = []
        for ref, names in self._named:
            cell = ref()
            if cell is not None:
                found += map(cell.__dict__.get, names, _MISSING)
        return tuple(found)

    def put(self, picture: Any) -> None:
        left = iter(picture)
        for ref, names in self._named:
            held = dict_of(ref())
            for name in names:
                old = next(left)
                if old is not MISSING:
                    held[name] = old
                else:
                    held.pop(name, None)

    def touched(self, picture: Sequence[Any]) -> str:
        asked = [name for _, names in self._named for name in names]
        pairs = zip(asked, self.look(), picture)
        return next((name for name, a, b in pairs if not same(a, b)), self.name)


class Pictures:
    """What places held at one moment."""

    def __init__(self, places: Iterable[Place]) -> None:
        self._taken = [(place, place.look()) for place in places]

    def changed(self) -> tuple[Place, str] | None:
        """The first place that holds something else now, and the name of what changed there."""
        for place, picture in self._taken:
            if not place.holds(picture):
                return place, place.touched(picture)
        return None

    def put_back(self) -> None:
        """Let every place hold again what it held."""
        for place, picture in self._taken:
            if not place.holds(picture):
                place.put(picture)
