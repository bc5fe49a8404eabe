"""Places beside names and containers: Cells, weak references, arrays, tensors, streams."""

from __future__ import annotations

import random as python_random
import weakref
from array import array
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minispore.core import interpreter, random
from minispore.core.tensor import Tensor
from minispore.core.value import Value
from minispore.graph.state.places import Place, dict_of, same, weak


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


class Array(Place):
    """A NumPy array."""

    kind = "array"

    def __init__(self, name: str, array: np.ndarray) -> None:
        super().__init__(name)
        self.array = array

    def look(self) -> Any:
        return self.array.copy()

    def put(self, picture: Any) -> None:
        _refill(self.array, picture)

    def holds(self, picture: Any) -> bool:
        return alike(self.array, picture)


_FEW = 16384  # bytes that are compared in a copy as fast as where they are


def alike(now: np.ndarray, then: np.ndarray) -> bool:
    """Whether two arrays are the same, bit for bit: 0.0 is not -0.0, and NaN is itself."""
    if now.shape != then.shape or now.dtype != then.dtype:
        return False
    n = now.nbytes
    plain = type(now) is np.ndarray and now.flags.c_contiguous and then.flags.c_contiguous
    if n < _FEW or not plain or now.dtype.hasobject:
        return bool(now.tobytes() == then.tobytes())
    bits = f"u{min(n & -n, 8)}"  # the widest integers that it is made of
    return np.array_equal(now.reshape(-1).view(bits), then.reshape(-1).view(bits))


def _refill(array: np.ndarray, content: np.ndarray) -> None:
    if not alike(array, content):
        view = array.view()
        view.flags.writeable = True  # what changed has a base that may be written
        view[...] = content


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
    """A Tensor that is no Parameter: what it holds, and the numbers in it, which NumPy code changes
    where it has the array.
    """

    kind = "tensor"

    def __init__(self, name: str, tensor: Tensor) -> None:
        super().__init__(name)
        self.tensor = tensor

    def look(self) -> tuple[Any, ...]:
        value = self.tensor.value_
        return value, None if value.data is None else value.data.copy()

    def kept(self) -> tuple[Any, ...]:
        value = self.tensor.value_
        return weak(value), value.data.copy() if _is_lent(value) else None

    def put(self, picture: Any) -> None:
        value, content = picture
        if value is not self.tensor.value_:
            self.tensor.set_value_(value)
        if content is not None:
            _refill(value.data, content)

    def holds(self, picture: Sequence[Any]) -> bool:
        value, content = self.tensor.value_, picture[1]
        if not same(value, picture[0]):
            return False
        return not _is_lent(value) if content is None else alike(value.data, content)


def _is_lent(value: Value) -> bool:
    """Whether code other than ours may write the array of ``value``."""
    data = value.data
    return data is not None and (data.base is not None or getattr(value, "lent", False))


class Registered(Place):
    """All that a Cell keeps: attributes, Parameters, Cells and buffers, flags and hooks. Only a
    trace asks: between two calls a Cell tells of changes itself.
    """

    kind = "state of the Cell"
    _HELD = "_params", "_cells", "_buffers"
    _TOLD = "plain", "precision", "inputs", "jit_config", "stage"  # of the record

    def __init__(self, cell: Any) -> None:
        super().__init__(type(cell).__name__)
        self._cell = cell

    def _dicts(self) -> list[Any]:
        own = dict_of(self._cell)
        record = own["_record_"]
        hooks = [] if record.hooks is None else record.hooks.kinds
        return [own, *[own[held] for held in self._HELD], record.flags, *hooks]

    def look(self) -> list[Any]:
        record = dict_of(self._cell)["_record_"]
        told = [record.hooks, *[getattr(record, name) for name in self._TOLD]]
        return [told, *[[*held.items()] for held in self._dicts()]]

    def holds(self, picture: Any) -> bool:
        now = self.look()
        return len(now) == len(picture) and all(
            len(a) == len(b) and all(_same_item(x, y) for x, y in zip(a, b))
            for a, b in zip(now, picture)
        )

    def put(self, picture: Any) -> None:
        (hooks, *told), *dicts = picture
        record = dict_of(self._cell)["_record_"]
        record.hooks = hooks
        for name, value in zip(self._TOLD, told, strict=True):
            setattr(record, name, value)
        for held, items in zip(self._dicts(), dicts, strict=True):
            held.clear()
            held.update(items)
        interpreter.touch()


def _same_item(a: Any, b: Any) -> bool:
    return all(map(same, a, b)) if isinstance(a, tuple) else same(a, b)


class Seen(Place):
    """The functions that see the gradient of a tensor."""

    kind = "hooks of the tensor"

    def __init__(self, tensor: Any) -> None:
        super().__init__(getattr(tensor, "name", ""))
        self._tensor = tensor

    def look(self) -> Any:
        hooks = self._tensor.hooks_
        return (hooks, *(() if hooks is None else hooks.functions.items()))

    def holds(self, picture: Any) -> bool:
        now = self.look()
        return len(now) == len(picture) and all(map(_same_item, now, picture))

    def put(self, picture: Any) -> None:
        self._tensor.hooks_, *items = picture
        if self._tensor.hooks_ is not None:
            self._tensor.hooks_.functions.clear()
            self._tensor.hooks_.functions.update(items)
        interpreter.touch()


class NumPySettings(Place):
    """How NumPy treats errors and writes arrays."""

    kind = "setting of NumPy"

    def look(self) -> Any:
        return np.geterr(), np.get_printoptions()

    def kept(self) -> Any:
        return self.look()

    def put(self, picture: Any) -> None:
        np.seterr(**picture[0])
        np.set_printoptions(**picture[1])

    def holds(self, picture: Any) -> bool:
        return bool(self.look() == picture)

    def touched(self, picture: Any) -> str:
        now, then = ({**errors, **printed} for errors, printed in (self.look(), picture))
        return next((name for name in now if now[name] != then.get(name)), "")


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
