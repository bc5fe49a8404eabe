"""Places that hold Python state: what each holds now, whether that changed, and how to put it back.

A trace runs Python once, a graph never again. So whatever Python keeps between two calls (a list,
a global, a random stream) is looked at before and after a trace, and before a compiled graph is
used again.
"""

from __future__ import annotations

import random as python_random
import weakref
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import is_
from types import CellType
from typing import Any

import numpy as np

from minispore.core import random
from minispore.core.tensor import Tensor

MISSING = object()
_PLAIN = frozenset({int, float, bool, str, bytes, complex, type(None)})
_SIGNED = frozenset({float, complex})  # 0.0 equals -0.0, and is another number


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

    def put(self, picture: Any) -> None:
        """Let it hold what it held when ``picture`` was taken."""
        raise NotImplementedError

    def holds(self, picture: Sequence[Any]) -> bool:
        """Whether it still holds what is in ``picture``."""
        now = self.look()
        return len(now) == len(picture) and (
            all(map(is_, now, picture)) or all(map(same, now, picture))
        )

    def touched(self, picture: Sequence[Any]) -> str:
        """The name of what differs from ``picture``."""
        return self.name


def same(a: Any, b: Any) -> bool:
    """Whether ``a`` is what ``b`` was; ``b`` may stand in a lasting picture."""
    if b.__class__ is weakref.ref:
        return b() is a
    if a is b:
        return True
    if a.__class__ is not b.__class__ or a.__class__ not in _PLAIN:
        return False
    return repr(a) == repr(b) if a.__class__ in _SIGNED else bool(a == b)


def lasting(picture: Sequence[Any]) -> Sequence[Any]:
    """``picture`` without holding on to what it shows: it may be kept as long as a graph is."""
    return [_weak(x) for x in picture] if isinstance(picture, tuple) else picture


def _weak(x: Any) -> Any:
    if x.__class__ in _PLAIN or x is MISSING:
        return x
    try:
        return weakref.ref(x)
    except TypeError:
        return x


class Names(Place):
    """Names of a module or a class."""

    kind = "global"

    def __init__(self, owner: Any, names: Iterable[str]) -> None:
        super().__init__("")
        self.owner, self.names = owner, tuple(sorted(names))
        self.kind = "global" if isinstance(owner, dict) else "class attribute"

    def look(self) -> tuple[Any, ...]:
        held = self.owner if isinstance(self.owner, dict) else vars(self.owner)
        return tuple(map(held.get, self.names, repeat(MISSING)))

    def put(self, picture: Any) -> None:
        for name, old, now in zip(self.names, picture, self.look(), strict=True):
            if now is old:
                continue
            if not isinstance(self.owner, dict):
                delattr(self.owner, name) if old is MISSING else setattr(self.owner, name, old)
            elif old is MISSING:
                del self.owner[name]
            else:
                self.owner[name] = old

    def touched(self, picture: Sequence[Any]) -> str:
        return next(
            n for n, a, b in zip(self.names, self.look(), picture, strict=True) if not same(a, b)
        )


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
        self.items = items

    def look(self) -> tuple[Any, ...]:
        return tuple(self.items)

    def put(self, picture: Any) -> None:
        self.items.clear()
        self.items.extend(picture)


class Entries(Place):
    """A dict."""

    kind = "dict"

    def __init__(self, name: str, entries: dict[Any, Any]) -> None:
        super().__init__(name)
        self.entries = entries

    def look(self) -> tuple[Any, ...]:
        return (*self.entries, *self.entries.values())

    def put(self, picture: Any) -> None:
        half = len(picture) // 2
        dict.clear(self.entries)
        dict.update(self.entries, zip(picture[:half], picture[half:], strict=True))


class Members(Place):
    """A set."""

    kind = "set"

    def __init__(self, name: str, members: set[Any]) -> None:
        super().__init__(name)
        self.members = members

    def look(self) -> tuple[Any, ...]:
        return tuple(self.members)

    def put(self, picture: Any) -> None:
        self.members.clear()
        self.members.update(picture)


class Attributes(Place):
    """The attributes of an object that is no Cell."""

    def __init__(self, name: str, owner: Any) -> None:
        super().__init__(name)
        self.kind = f"{type(owner).__name__} object"
        self._owner: Callable[[], Any]
        try:
            self._owner = weakref.ref(owner)
        except TypeError:
            self._owner = lambda: owner
        self._slots = tuple(
            s
            for c in type(owner).__mro__
            for s in _as_names(c.__dict__.get("__slots__", ()))
            if s not in ("__dict__", "__weakref__")
        )

    def look(self) -> tuple[Any, ...]:
        owner = self._owner()
        held = getattr(owner, "__dict__", {})
        slots = [getattr(owner, s, MISSING) for s in self._slots]
        return (*held, *held.values(), *slots)

    def put(self, picture: Any) -> None:
        owner, slots = self._owner(), len(self._slots)
        held, own = picture[: len(picture) - slots], picture[len(picture) - slots :]
        if held or getattr(owner, "__dict__", None):
            half = len(held) // 2
            owner.__dict__.clear()
            owner.__dict__.update(zip(held[:half], held[half:], strict=True))
        for name, value in zip(self._slots, own, strict=True):
            if value is not MISSING:
                setattr(owner, name, value)
            elif hasattr(owner, name):
                delattr(owner, name)

    def touched(self, picture: Sequence[Any]) -> str:
        slots = len(self._slots)
        old, now = (_pairs(p[: len(p) - slots]) for p in (picture, self.look()))
        for name in (*now, *old):
            if not same(now.get(name, MISSING), old.get(name, MISSING)):
                return str(name)
        return self.name


def _pairs(picture: Sequence[Any]) -> dict[Any, Any]:
    half = len(picture) // 2
    names = [x() if isinstance(x, weakref.ref) else x for x in picture[:half]]
    return dict(zip(names, picture[half:], strict=True))


def _as_names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


class Array(Place):
    """A NumPy array."""

    kind = "array"

    def __init__(self, name: str, array: np.ndarray) -> None:
        super().__init__(name)
        self.array = array

    def look(self) -> Any:
        return self.array.copy()

    def put(self, picture: Any) -> None:
        self.array[...] = picture

    def holds(self, picture: Any) -> bool:
        now = self.array
        if now.shape != picture.shape or now.dtype != picture.dtype:
            return False
        return np.array_equal(now, picture, equal_nan=now.dtype.kind in "fc")


class Numbers(Place):
    """A bytearray, or an array of Python's own."""

    kind = "array"

    def __init__(self, name: str, numbers: bytearray | array[Any]) -> None:
        super().__init__(name)
        self.numbers = numbers

    def look(self) -> Any:
        return self.numbers[:]

    def put(self, picture: Any) -> None:
        self.numbers[:] = picture

    def holds(self, picture: Any) -> bool:
        return bytes(self.numbers) == bytes(picture)


class Box(Place):
    """A Tensor that is no Parameter: what it holds."""

    kind = "tensor"

    def __init__(self, name: str, tensor: Tensor) -> None:
        super().__init__(name)
        self.tensor = tensor

    def look(self) -> tuple[Any, ...]:
        return (self.tensor.value_,)

    def put(self, picture: Any) -> None:
        if not self.holds(picture):
            self.tensor.set_value(picture[0])


class Stream(Place):
    """A source of random numbers."""

    def __init__(self, name: str, get: Callable[[], Any], put: Callable[[Any], Any]) -> None:
        super().__init__(name)
        self.kind = "random stream"
        self._get, self._put = get, put

    def look(self) -> Any:
        return self._get()

    def put(self, picture: Any) -> None:
        self._put(picture)

    def holds(self, picture: Any) -> bool:
        return _equal_states(self._get(), picture)


def _equal_states(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_equal_states(a[k], b[k]) for k in a)
    if isinstance(a, tuple) and any(isinstance(x, np.ndarray | dict) for x in a):
        return len(a) == len(b) and all(map(_equal_states, a, b))
    return bool(a == b)


def generator_of(name: str, made: Any) -> Stream:
    """The place of a NumPy generator or a ``random.Random``."""
    if isinstance(made, np.random.Generator):
        bits = made.bit_generator
        return Stream(name, lambda: bits.state, lambda s: setattr(bits, "state", s))
    if isinstance(made, np.random.RandomState):
        return Stream(name, made.get_state, made.set_state)
    return Stream(name, made.getstate, made.setstate)


STREAMS = (
    Stream("random", python_random.getstate, python_random.setstate),
    Stream("numpy.random", np.random.get_state, np.random.set_state),
    Stream("of initializers", random.get_state, random.set_state),
)


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
