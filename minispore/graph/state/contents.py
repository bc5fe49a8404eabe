"""Tracked states of Cells, tensors, arrays, weak references, NumPy's settings and random
streams.
"""

from __future__ import annotations

import random as python_random
import weakref
from array import array
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.tensor import Tensor
from minispore.execution import random
from minispore.graph.state.tracked import TrackedState, get_instance_dict, is_same, make_weak
from minispore.ir.value import Value


class WeakReferenceState(TrackedState):
    """The object of a weak reference; None after it is freed."""

    label = "weak reference"

    def __init__(self, name: str, reference: weakref.ref[Any]) -> None:
        super().__init__(name)
        self.reference = reference

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return the object of the reference; None after it is freed."""
        return (self.reference(),)

    def restore(self, snapshot: Any) -> None:
        """Do nothing: a freed object can't be restored."""


class ArrayState(TrackedState):
    """The elements of a NumPy array, compared bit by bit."""

    label = "array"

    def __init__(self, name: str, array: np.ndarray) -> None:
        super().__init__(name)
        self.array = array

    def take_snapshot(self) -> Any:
        """Return a copy of the array."""
        return self.array.copy()

    def restore(self, snapshot: Any) -> None:
        """Write the old content into the array."""
        _restore_content(self.array, snapshot)

    def matches(self, snapshot: Any) -> bool:
        """Whether the array has the same bits as the copy."""
        return have_equal_bits(self.array, snapshot)


_SMALL_BYTES = 16384  # below this, comparing copies is just as fast


def have_equal_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays have the same shape, dtype and bits: 0.0 differs from -0.0, NaN equals
    itself.
    """
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    nbytes = a.nbytes
    is_dense = type(a) is np.ndarray and a.flags.c_contiguous and b.flags.c_contiguous
    if nbytes < _SMALL_BYTES or not is_dense or a.dtype.hasobject:
        return bool(a.tobytes() == b.tobytes())
    integer_type = f"u{min(nbytes & -nbytes, 8)}"  # the widest integers that divide it evenly
    return np.array_equal(a.reshape(-1).view(integer_type), b.reshape(-1).view(integer_type))


def _restore_content(array: np.ndarray, content: np.ndarray) -> None:
    """Copy ``content`` into ``array`` if their bits differ, even if the array is read-only now."""
    if not have_equal_bits(array, content):
        view = array.view()
        view.flags.writeable = True  # it changed, so its base is writable
        view[...] = content


class PythonArrayState(TrackedState):
    """The elements of a bytearray or an ``array.array``."""

    label = "array"

    def __init__(self, name: str, numbers: bytearray | array[Any]) -> None:
        super().__init__(name)
        self.numbers = numbers

    def take_snapshot(self) -> Any:
        """Return a copy of the elements."""
        return self.numbers[:]

    def restore(self, snapshot: Any) -> None:
        """Write the old elements into the object."""
        self.numbers[:] = snapshot

    def matches(self, snapshot: Any) -> bool:
        """Whether the elements have the same bytes as the copy."""
        return bytes(self.numbers) == bytes(snapshot)


class TensorState(TrackedState):
    """The value of a Tensor that is not a Parameter, and the elements of its array.

    NumPy code that has the array can change the elements.
    """

    label = "tensor"

    def __init__(self, name: str, tensor: Tensor) -> None:
        super().__init__(name)
        self.tensor = tensor

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return the tensor's Value and a copy of its array; None in place of the array if the
        tensor has no content.
        """
        value = self.tensor.value_
        return value, None if value.data is None else value.data.copy()

    def take_weak_snapshot(self) -> tuple[Any, ...]:
        """Return a weak reference to the Value, and a copy of its array only if NumPy code may hold
        it.
        """
        value = self.tensor.value_
        return make_weak(value), value.data.copy() if _is_lent(value) else None

    def restore(self, snapshot: Any) -> None:
        """Set the tensor's Value to the old one, and write back changed elements."""
        value, content = snapshot
        if value is not self.tensor.value_:
            self.tensor.set_value_(value)
        if content is not None:
            _restore_content(value.data, content)

    def matches(self, snapshot: Sequence[Any]) -> bool:
        """Whether the tensor has the same Value, and the Value the same elements.

        A weak snapshot has no content if only this package had the array; this must still be the
        case.
        """
        value, content = self.tensor.value_, snapshot[1]
        if not is_same(value, snapshot[0]):
            return False
        return not _is_lent(value) if content is None else have_equal_bits(value.data, content)


def _is_lent(value: Value) -> bool:
    """Whether NumPy code outside this package may hold the array of ``value``, and write to it."""
    data = value.data
    return data is not None and (data.base is not None or getattr(value, "lent", False))


class CellState(TrackedState):
    """All state of a Cell: attributes, Parameters, Cells, buffers, flags and hooks.

    Compared only around a trace: between calls a Cell reports its own changes.
    """

    label = "state of the Cell"
    _REGISTRIES = "_params", "_cells", "_buffers"
    _RECORD_FIELDS = "plain", "precision", "inputs", "jit_config", "stage"

    def __init__(self, cell: Any) -> None:
        super().__init__(type(cell).__name__)
        self._cell = cell

    def _list_dicts(self) -> list[Any]:
        """Return the dicts of the Cell's state: attributes, registries, flags and hooks."""
        attributes = get_instance_dict(self._cell)
        record = attributes["_record_"]
        hooks = [] if record.hooks is None else record.hooks.kinds
        registries = [attributes[registry] for registry in self._REGISTRIES]
        return [attributes, *registries, record.flags, *hooks]

    def take_snapshot(self) -> list[Any]:
        """Return the fields of the Cell's record, and the items of each dict of its state."""
        record = get_instance_dict(self._cell)["_record_"]
        record_values = [record.hooks, *[getattr(record, name) for name in self._RECORD_FIELDS]]
        return [record_values, *[[*content.items()] for content in self._list_dicts()]]

    def matches(self, snapshot: Any) -> bool:
        """Whether all attributes are the same objects under the same names, in the same order."""
        current = self.take_snapshot()
        return len(current) == len(snapshot) and all(
            len(a) == len(b) and all(_is_same_item(x, y) for x, y in zip(a, b))
            for a, b in zip(current, snapshot)
        )

    def restore(self, snapshot: Any) -> None:
        """Restore record, attributes, registries, flags and hooks, and report the change to the
        interpreter.
        """
        (hooks, *record_values), *dicts = snapshot
        record = get_instance_dict(self._cell)["_record_"]
        record.hooks = hooks
        for name, value in zip(self._RECORD_FIELDS, record_values, strict=True):
            setattr(record, name, value)
        for content, items in zip(self._list_dicts(), dicts, strict=True):
            content.clear()
            content.update(items)
        interpreter.note_change()


def _is_same_item(a: Any, b: Any) -> bool:
    """Whether two values, or two pairs of a key and a value, are the same objects."""
    return all(map(is_same, a, b)) if isinstance(a, tuple) else is_same(a, b)


class TensorHooksState(TrackedState):
    """The hooks on the gradient of a tensor."""

    label = "hooks of the tensor"

    def __init__(self, tensor: Any) -> None:
        super().__init__(getattr(tensor, "name", ""))
        self._tensor = tensor

    def take_snapshot(self) -> Any:
        """Return the object that holds the hooks, or None, and pairs of key and hook function."""
        hooks = self._tensor.hooks_
        return (hooks, *(() if hooks is None else hooks.functions.items()))

    def matches(self, snapshot: Any) -> bool:
        """Whether the same functions are hooks, in the same order."""
        current = self.take_snapshot()
        return len(current) == len(snapshot) and all(map(_is_same_item, current, snapshot))

    def restore(self, snapshot: Any) -> None:
        """Restore the old hooks, and report the change to the interpreter."""
        self._tensor.hooks_, *items = snapshot
        if self._tensor.hooks_ is not None:
            self._tensor.hooks_.functions.clear()
            self._tensor.hooks_.functions.update(items)
        interpreter.note_change()


class NumPySettingsState(TrackedState):
    """NumPy's error handling and print options."""

    label = "setting of NumPy"

    def take_snapshot(self) -> Any:
        """Return the error handling and the print options."""
        return np.geterr(), np.get_printoptions()

    def take_weak_snapshot(self) -> Any:
        """Return the same as ``take_snapshot``, since settings keep nothing alive."""
        return self.take_snapshot()

    def restore(self, snapshot: Any) -> None:
        """Set NumPy's error handling and print options as in ``snapshot``."""
        np.seterr(**snapshot[0])
        np.set_printoptions(**snapshot[1])

    def matches(self, snapshot: Any) -> bool:
        """Whether all settings are equal."""
        return bool(self.take_snapshot() == snapshot)

    def find_changed_name(self, snapshot: Any) -> str:
        """Return the first setting that differs from ``snapshot``; "" if none does."""
        current, earlier = (
            {**errors, **print_options}
            for errors, print_options in (self.take_snapshot(), snapshot)
        )
        return next((name for name in current if current[name] != earlier.get(name)), "")


class RandomStreamState(TrackedState):
    """The state of a random number generator.

    Args:
        name: the name by which the code refers to it.
        get_state: returns the generator's state.
        set_state: sets it.
    """

    def __init__(
        self, name: str, get_state: Callable[[], Any], set_state: Callable[[Any], Any]
    ) -> None:
        super().__init__(name)
        self.label = "random stream"
        self._get_state, self._set_state = get_state, set_state

    def take_snapshot(self) -> Any:
        """Return the generator's state."""
        return self._get_state()

    def restore(self, snapshot: Any) -> None:
        """Set the generator's state."""
        self._set_state(snapshot)

    def matches(self, snapshot: Any) -> bool:
        """Whether the generator's state is equal."""
        return _equal_states(self._get_state(), snapshot)


def _equal_states(a: Any, b: Any) -> bool:
    """Whether two states of a generator are equal; they may nest arrays in dicts and tuples."""
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_equal_states(a[k], b[k]) for k in a)
    if isinstance(a, tuple) and any(isinstance(x, np.ndarray | dict) for x in a):
        return len(a) == len(b) and all(map(_equal_states, a, b))
    return bool(a == b)


def make_generator_state(name: str, generator: Any) -> RandomStreamState:
    """Return the tracked state of a NumPy generator or a ``random.Random``."""
    if isinstance(generator, np.random.Generator):
        bits = generator.bit_generator
        return RandomStreamState(name, lambda: bits.state, lambda s: setattr(bits, "state", s))
    if isinstance(generator, np.random.RandomState):
        return RandomStreamState(name, generator.get_state, generator.set_state)
    return RandomStreamState(name, generator.getstate, generator.setstate)


STREAMS = (
    RandomStreamState("random", python_random.getstate, python_random.setstate),
    RandomStreamState("numpy.random", np.random.get_state, np.random.set_state),
    RandomStreamState("of initializers", random.get_state, random.set_state),
)
