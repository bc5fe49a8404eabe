"""Places of what code is made of: functions, partials and caches of them, classes."""

from __future__ import annotations

import abc
import gc
import weakref
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from operator import attrgetter
from types import CellType, FunctionType, GetSetDescriptorType
from typing import Any

from minispore.graph.state.places import Place, same

# How functions and classes are called, and what functions and, as attributes, classes have beside.
CALLED = frozenset({"__name__", "__qualname__"})
SAID = CALLED | {"__doc__", "__module__", "__annotations__"}


class Functions(Place):
    """The code and the defaults of functions, and what else is asked of them."""

    kind = "function"

    def __init__(self, functions: Iterable[FunctionType], named: Set[str]) -> None:
        super().__init__("")
        self._functions = [weakref.ref(f) for f in functions]
        self._names = ["__code__", "__defaults__", "__kwdefaults__", *sorted(SAID & named)]
        self._parts = attrgetter(*self._names)

    def look(self) -> tuple[Any, ...]:
        found: list[Any] = []
        for ref in self._functions:
            f = ref()
            if f is not None:
                found += self._parts(f)
        return tuple(found)

    def put(self, picture: Any) -> None:
        left = iter(picture)
        for ref in self._functions:
            for name in self._names:
                setattr(ref(), name, next(left))

    def touched(self, picture: Sequence[Any]) -> str:
        pairs = enumerate(zip(self.look(), picture))
        at = next((i for i, (a, b) in pairs if not same(a, b)), 0) // len(self._names)
        found = self._functions[at]()
        return "" if found is None else found.__name__


class Definitions(Place):
    """What classes are beside the attributes that code names: their bases, the methods that Python
    itself calls, and what they are called.
    """

    kind = "class"

    def __init__(self, classes: Iterable[type], named: Set[str]) -> None:
        super().__init__("")
        self._classes = [*classes]
        self._held = [vars(c) for c in self._classes]
        self._names = ["__bases__", *sorted(CALLED & named)]
        self._parts = attrgetter(*self._names)

    def look(self) -> tuple[Any, ...]:
        parts = [*map(self._parts, self._classes)]
        return parts, [*map(len, self._held)], [*map(called_by_python, self._held)]

    def kept(self) -> tuple[Any, ...]:
        return self.look()

    def holds(self, picture: Sequence[Any]) -> bool:
        parts, sizes, called = picture
        if [*map(self._parts, self._classes)] != parts:
            return False
        return [*map(len, self._held)] == sizes or [*map(called_by_python, self._held)] == called

    def put(self, picture: Any) -> None:
        for cls, parts, called in zip(self._classes, picture[0], picture[2], strict=True):
            for name in called_by_python(vars(cls)) - called:
                delattr(cls, name)
            each = parts if len(self._names) > 1 else (parts,)
            for name, part in zip(self._names, each, strict=True):
                if getattr(cls, name) != part:
                    setattr(cls, name, part)

    def touched(self, picture: Sequence[Any]) -> str:
        now, names = self.look(), [c.__name__ for c in self._classes]
        pairs = zip(names, zip(now[0], now[2]), zip(picture[0], picture[2]))
        return next((name for name, a, b in pairs if a != b), "")


def called_by_python(held: Mapping[str, Any]) -> set[str]:
    """The methods of a class that Python calls by itself."""
    return {
        n
        for n, x in held.items()
        if n[:2] == "__" and (x is None or hasattr(type(x), "__get__"))
        if n != "__doc__" and not isinstance(x, GetSetDescriptorType)
    }


class Subclasses(Place):
    """The classes that are made of others."""

    kind = "subclass"

    def __init__(self, classes: Iterable[type]) -> None:
        super().__init__("")
        self._classes = [*classes]

    def look(self) -> tuple[Any, ...]:
        return tuple(chain.from_iterable(map(type.__subclasses__, self._classes)))

    def put(self, picture: Any) -> None:
        """What was made goes when nothing holds it."""
        gc.collect()


class Applied(Place):
    """The function of a ``functools.partial``, and what it is given."""

    kind = "partial"

    def __init__(self, name: str, partial: Any) -> None:
        super().__init__(name)
        self._partial = partial

    def look(self) -> tuple[Any, ...]:
        f, args, named = self._partial.func, self._partial.args, self._partial.keywords
        return (f, len(args), *args, *named, *named.values())

    def put(self, picture: Any) -> None:
        f, n, *held = picture
        half = n + (len(held) - n) // 2
        named = dict(zip(held[n:half], held[half:], strict=True))
        self._partial.__setstate__((f, tuple(held[:n]), named, self._partial.__dict__))


class Memo(Place):
    """What a function with a cache remembers: more of it changes nothing, less does, and so does
    another answer.
    """

    kind = "cache of the function"

    def __init__(self, name: str, cached: Any) -> None:
        super().__init__(name)
        self._info = cached.cache_info
        # No other way leads to what it remembers: its answers, or a record of each.
        known: list[dict[Any, Any]]
        known = [x for x in gc.get_referents(cached) if type(x) is dict]
        self._answers = next((x for x in known if x is not cached.__dict__), {})

    def look(self) -> tuple[Any, ...]:
        info = self._info()
        return (info.misses - info.currsize, *self._answers.values())

    def put(self, picture: Any) -> None:
        """What was remembered on the way is no other than what would be."""

    def holds(self, picture: Sequence[Any]) -> bool:
        now = self.look()
        return len(now) >= len(picture) and all(map(same, now, picture))


class Body(Place):
    """All that a class of the user's has. Only a trace asks, which may put something new there."""

    kind = "class attribute"

    def __init__(self, cls: type) -> None:
        super().__init__("")
        self._cls = cls

    def look(self) -> Any:
        return {n: held for n, held in vars(self._cls).items() if n[:2] != "__"}

    def holds(self, picture: Any) -> bool:
        return not self.touched(picture)

    def put(self, picture: Any) -> None:
        while name := self.touched(picture):
            if name in picture:
                setattr(self._cls, name, picture[name])
            else:
                delattr(self._cls, name)

    def touched(self, picture: Any) -> str:
        now = self.look()
        names = (n for n in (*now, *picture) if n not in now or n not in picture)
        changed = (n for n in now if n in picture and not same(now[n], picture[n]))
        return next(names, "") or next(changed, "")


class Registrations(Place):
    """Which classes were registered as subclasses of abstract ones."""

    kind = "registration of a class"

    def look(self) -> tuple[Any, ...]:
        return (abc.get_cache_token(),)

    def put(self, picture: Any) -> None:
        """What was registered stays registered."""


ABSTRACT = Registrations("")


def members(cls: type) -> dict[str, None]:
    """The names that ``cls`` has, and that its bases have."""
    return {name: None for c in cls.__mro__[:-1] for name in vars(c)}


def content(cell: CellType) -> Any:
    """What a variable of an enclosing function holds; None if it holds nothing yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None
