"""Places beside names and containers: functions, weak references, arrays, tensors, streams."""

from __future__ import annotations

import random as python_random
import weakref
from array import array
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from types import FunctionType
from typing import Any

import numpy as np

from minispore.core import random
from minispore.core.tensor import Tensor
from minispore.graph.state.places import Place, same


class Functions(Place):
    """The code and the defaults of functions."""

    kind = "function"
    _PARTS = "__code__", "__defaults__", "__kwdefaults__"
    _parts = attrgetter(*_PARTS)

    def __init__(self, functions: Iterable[FunctionType]) -> None:
        super().__init__("")
        self._functions = [weakref.ref(f) for f in functions]

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
            for part in self._PARTS:
                setattr(ref(), part, next(left))

    def touched(self, picture: Sequence[Any]) -> str:
        pairs = enumerate(zip(self.look(), picture))
        at = next((i for i, (a, b) in pairs if not same(a, b)), 0) // len(self._PARTS)
        found = self._functions[at]()
        return "" if found is None else found.__name__


class Referent(Place):
    """What a weak reference refers to, while it is there."""

    kind = "weak reference"

    def __init__(self, name: str, reference: weakref.ref[Any]) -> None:
        super().__init__(name)
        self.reference = reference

    def look(self) -> tuple[Any, ...]:
        return (self.reference(),)

    def put(self, picture: Any) -> None:
        """What is gone stays gone."""


class Memo(Place):
    """What a function with a cache remembers: more of it changes nothing, less does."""

    kind = "cache of the function"

    def __init__(self, name: str, cached: Any) -> None:
        super().__init__(name)
        self.cached = cached

    def look(self) -> list[int]:
        info = self.cached.cache_info()
        return [info.currsize, info.misses - info.currsize]

    def put(self, picture: Any) -> None:
        """What was remembered on the way is no other than what would be."""

    def holds(self, picture: Sequence[Any]) -> bool:
        size, forgotten = self.look()
        return size >= picture[0] and forgotten == picture[1]


class Array(Place):
    """A NumPy array."""

    kind = "array"

    def __init__(self, name: str, array: np.ndarray) -> None:
        super().__init__(name)
        self.array = array

    def look(self) -> Any:
        return self.array.copy()

    def put(self, picture: Any) -> None:
        if not self.holds(picture):
            view = self.array.view()
            view.flags.writeable = True  # what changed has a base that may be written
            view[...] = picture

    def holds(self, picture: Any) -> bool:
        now = self.array
        if now.shape != picture.shape or now.dtype != picture.dtype:
            return False
        return bool(now.tobytes() == picture.tobytes())  # tells 0.0 from -0.0, and NaN is itself


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
