"""Tracked states of definitions: functions, partials and caches of them, and classes."""

from __future__ import annotations

import abc
import gc
import weakref
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from operator import attrgetter
from types import CellType, FunctionType, GetSetDescriptorType
from typing import Any

from minispore.graph.state.tracked import TrackedState, is_same

# The names of functions and classes, and other metadata attributes of functions.
NAME_ATTRIBUTES = frozenset({"__name__", "__qualname__"})
METADATA_ATTRIBUTES = NAME_ATTRIBUTES | {"__doc__", "__module__", "__annotations__"}


class FunctionState(TrackedState):
    """The code and the defaults of functions, and those of their metadata that the code uses.

    Args:
        functions: the functions, which are held by weak references.
        used_names: the names that the code uses.
    """

    label = "function"

    def __init__(self, functions: Iterable[FunctionType], used_names: Set[str]) -> None:
        super().__init__("")
        self._functions = [weakref.ref(f) for f in functions]
        self._names = [
            "__code__",
            "__defaults__",
            "__kwdefaults__",
            *sorted(METADATA_ATTRIBUTES & used_names),
        ]
        self._read_attributes = attrgetter(*self._names)

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return code, defaults and used metadata of the functions that are still alive, as one
        flat tuple.
        """
        values: list[Any] = []
        for ref in self._functions:
            f = ref()
            if f is not None:
                values += self._read_attributes(f)
        return tuple(values)

    def restore(self, snapshot: Any) -> None:
        """Restore code, defaults and used metadata of each function."""
        remaining = iter(snapshot)
        for ref in self._functions:
            for name in self._names:
                setattr(ref(), name, next(remaining))

    def find_changed_name(self, snapshot: Sequence[Any]) -> str:
        """Return the name of the first function that differs from ``snapshot``; "" if it is
        freed.
        """
        compared = enumerate(zip(self.take_snapshot(), snapshot))
        index = next((i for i, (a, b) in compared if not is_same(a, b)), 0) // len(self._names)
        function = self._functions[index]()
        return "" if function is None else function.__name__


class ClassState(TrackedState):
    """The bases, special methods and names of classes.

    Other class attributes are tracked where the traced code reads them.

    Args:
        classes: the classes.
        used_names: attribute names that the traced code reads, of which only those in
            ``NAME_ATTRIBUTES`` matter.
    """

    label = "class"

    def __init__(self, classes: Iterable[type], used_names: Set[str]) -> None:
        super().__init__("")
        self._classes = [*classes]
        self._namespaces = [vars(c) for c in self._classes]
        self._attribute_names = ["__bases__", *sorted(NAME_ATTRIBUTES & used_names)]
        self._read_attributes = attrgetter(*self._attribute_names)

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return three lists over the classes: bases and used names, number of attributes, names of
        special methods.
        """
        attributes = [*map(self._read_attributes, self._classes)]
        return (
            attributes,
            [*map(len, self._namespaces)],
            [*map(find_special_methods, self._namespaces)],
        )

    def take_weak_snapshot(self) -> tuple[Any, ...]:
        """Return the same as ``take_snapshot``, since classes and names keep no Cell alive."""
        return self.take_snapshot()

    def matches(self, snapshot: Sequence[Any]) -> bool:
        """Whether bases, names and special methods are the same; equal numbers of attributes imply
        equal special methods.
        """
        attributes, sizes, special_methods = snapshot
        if [*map(self._read_attributes, self._classes)] != attributes:
            return False
        return [*map(len, self._namespaces)] == sizes or [
            *map(find_special_methods, self._namespaces)
        ] == special_methods

    def restore(self, snapshot: Any) -> None:
        """Delete new special methods, and set changed bases and names to the old ones."""
        old_attributes, _, old_special_methods = snapshot
        for cls, attributes, special_methods in zip(
            self._classes, old_attributes, old_special_methods, strict=True
        ):
            for name in find_special_methods(vars(cls)) - special_methods:
                delattr(cls, name)
            values = attributes if len(self._attribute_names) > 1 else (attributes,)
            for name, value in zip(self._attribute_names, values, strict=True):
                if getattr(cls, name) != value:
                    setattr(cls, name, value)

    def find_changed_name(self, snapshot: Sequence[Any]) -> str:
        """Return the name of the first class that differs from ``snapshot``; "" if none does."""
        attributes, _, special_methods = self.take_snapshot()
        old_attributes, _, old_special_methods = snapshot
        current = zip(attributes, special_methods)
        old = zip(old_attributes, old_special_methods)
        compared = zip(self._classes, current, old)
        return next((c.__name__ for c, a, b in compared if a != b), "")


def find_special_methods(namespace: Mapping[str, Any]) -> set[str]:
    """Return the names of special methods in the namespace of a class, such as ``__len__``, which
    Python calls implicitly.
    """
    return {
        n
        for n, x in namespace.items()
        if n[:2] == "__" and (x is None or hasattr(type(x), "__get__"))
        if n != "__doc__" and not isinstance(x, GetSetDescriptorType)
    }


class SubclassState(TrackedState):
    """The direct subclasses of classes, which code can enumerate."""

    label = "subclass"

    def __init__(self, classes: Iterable[type]) -> None:
        super().__init__("")
        self._classes = [*classes]

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return the direct subclasses of each class."""
        return tuple(chain.from_iterable(map(type.__subclasses__, self._classes)))

    def restore(self, snapshot: Any) -> None:
        """Collect garbage, which frees new subclasses that nothing refers to."""
        gc.collect()


class PartialState(TrackedState):
    """The function and the arguments of a ``functools.partial``."""

    label = "partial"

    def __init__(self, name: str, partial: Any) -> None:
        super().__init__(name)
        self._partial = partial

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return the function, the number of arguments, the arguments, the keywords, and their
        values.
        """
        f, args, keywords = self._partial.func, self._partial.args, self._partial.keywords
        return (f, len(args), *args, *keywords, *keywords.values())

    def restore(self, snapshot: Any) -> None:
        """Restore the function, arguments and keywords of the partial."""
        f, arg_count, *content = snapshot
        values_start = arg_count + (len(content) - arg_count) // 2
        keywords = dict(zip(content[arg_count:values_start], content[values_start:], strict=True))
        self._partial.__setstate__(
            (f, tuple(content[:arg_count]), keywords, self._partial.__dict__)
        )


class CachedFunctionState(TrackedState):
    """The cached results of a function with ``functools.lru_cache``.

    New results are not a change; missing or different ones are.
    """

    label = "cache of the function"

    def __init__(self, name: str, cached: Any) -> None:
        super().__init__(name)
        self._get_info = cached.cache_info
        # The cache is a dict that only the garbage collector exposes: it has the results, or a
        # record of each.
        dicts: list[dict[Any, Any]] = [x for x in gc.get_referents(cached) if type(x) is dict]
        self._cached_results = next((x for x in dicts if x is not cached.__dict__), {})

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return a number that grows only when results are evicted or the cache is cleared, and the
        cached results.
        """
        info = self._get_info()
        return (info.misses - info.currsize, *self._cached_results.values())

    def restore(self, snapshot: Any) -> None:
        """Do nothing: newly cached results equal those that would be computed."""

    def matches(self, snapshot: Sequence[Any]) -> bool:
        """Whether all results of ``snapshot`` are still cached, in the same order."""
        current = self.take_snapshot()
        return len(current) >= len(snapshot) and all(map(is_same, current, snapshot))


class ClassAttributeState(TrackedState):
    """All attributes of a user's class except special ones.

    Compared only around a trace, which may add or set attributes.
    """

    label = "class attribute"

    def __init__(self, cls: type) -> None:
        super().__init__("")
        self._cls = cls

    def take_snapshot(self) -> Any:
        """Return the attributes of the class itself, without those that begin with two
        underscores.
        """
        return {n: value for n, value in vars(self._cls).items() if n[:2] != "__"}

    def matches(self, snapshot: Any) -> bool:
        """Whether no attribute has changed."""
        return not self.find_changed_name(snapshot)

    def restore(self, snapshot: Any) -> None:
        """Set changed attributes to their old values, and delete new ones."""
        while name := self.find_changed_name(snapshot):
            if name in snapshot:
                setattr(self._cls, name, snapshot[name])
            else:
                delattr(self._cls, name)

    def find_changed_name(self, snapshot: Any) -> str:
        """Return an attribute that was added or deleted, else one whose value differs; "" if there
        is none.
        """
        current = self.take_snapshot()
        unpaired = (n for n in (*current, *snapshot) if n not in current or n not in snapshot)
        changed = (n for n in current if n in snapshot and not is_same(current[n], snapshot[n]))
        return next(unpaired, "") or next(changed, "")


class AbcRegistrationState(TrackedState):
    """The registrations of virtual subclasses with abstract base classes, by their counter."""

    label = "registration of a class"

    def take_snapshot(self) -> tuple[Any, ...]:
        """Return the counter that changes with each registration."""
        return (abc.get_cache_token(),)

    def restore(self, snapshot: Any) -> None:
        """Do nothing: a registration can't be undone."""


ABC_REGISTRATIONS = AbcRegistrationState("")


def list_members(cls: type) -> dict[str, None]:
    """Return the names of all attributes of ``cls`` and its bases other than ``object``, as the
    keys of a dict.
    """
    return {name: None for c in cls.__mro__[:-1] for name in vars(c)}


def get_cell_content(cell: CellType) -> Any:
    """Return the value of a variable of an enclosing function; None if it is unbound."""
    try:
        return cell.cell_contents
    except ValueError:
        return None
