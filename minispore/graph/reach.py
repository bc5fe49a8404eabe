"""What a function can reach: the code that it may run, and the places of Python state that this
code names.

From a Cell or function the walk follows what the code itself follows: globals and variables of
enclosing functions by the names in its bytecode, attributes by theirs. Code of this package and of
the standard library is known to keep no state of its own and is not read.
"""

from __future__ import annotations

import builtins
import functools
import io
import os
import sys
import types
import weakref
from array import array
from collections import deque
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import numpy as np

from minispore.core.parameter import Parameter
from minispore.core.staged import Staged
from minispore.core.tensor import Tensor
from minispore.graph.bytecode import read
from minispore.graph.places import (
    Array,
    Attributes,
    Box,
    Entries,
    Free,
    Items,
    Members,
    Names,
    Numbers,
    Place,
    generator_of,
)

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

# Modules through which a function sees or changes what lies outside of Python's objects.
_OUTSIDE = frozenset({
    "_io", "_thread", "io", "logging", "os", "posix", "nt", "secrets",
    "socket", "subprocess", "sys", "threading", "time", "uuid", "warnings",
})  # fmt: skip
# Our own modules whose functions answer by settings that no compiled graph watches.
_SETTINGS = (
    "minispore.context", "minispore.core.random", "minispore.dataset.config", "minispore.device",
    "minispore.log", "minispore.parallel._algo_parameters",
    "minispore.parallel._auto_parallel_context",
)  # fmt: skip
_CLOCKS = frozenset({"now", "today", "utcnow"})  # of datetime's classes
_OPEN = frozenset({"getattr", "setattr", "vars", "__dict__", "globals", "delattr"})
_PLAIN = (int, float, str, bytes, complex, type(None), types.BuiltinFunctionType)
_HOLDERS = frozenset({"UserDict", "UserList", "ChainMap"})  # of collections, each around a dict


class Reach:
    """Code and places that can be reached from what was given to :meth:`add`."""

    def __init__(self) -> None:
        self.functions: dict[types.CodeType, types.FunctionType] = {}
        self.outside: tuple[str, str] | None = None  # what lies outside, and the line
        self.cells: list[Any] = []
        self.parameters: list[Parameter] = []
        self._places: list[Place] = []
        self._names: set[str] = set()
        self._everything = False  # the code asks for attributes by names made at run time
        self._waiting: dict[str, list[Any]] = {}
        self._globals: dict[int, tuple[Any, set[str]]] = {}
        self._classes: dict[type, None] = {}
        self._seen: dict[int, Any] = {}
        self._todo: list[tuple[Any, str, bool]] = []

    def add(self, *found: Any, name: str = "") -> None:
        """Walk from ``found``, which the code calls ``name``, as far as it goes."""
        self._todo += [(x, name, False) for x in found]
        while self._todo:
            self._visit(*self._todo.pop())

    @property
    def places(self) -> list[Place]:
        """What the code may read or write beside attributes of Cells."""
        named = [Names(owner, names) for owner, names in self._globals.values() if names]
        classes = [
            Names(c, used) for c in self._classes if (used := self._wanted(vars(c)))
        ]  # fmt: skip
        return [*self._places, *named, *classes]

    @property
    def named(self) -> list[Parameter]:
        """The Parameters whose names the code may ask for."""
        asked = self._everything or not self._names.isdisjoint({"name", "parameters_dict"})
        return self.parameters if asked else []

    def line_of(self, name: str) -> str:
        """``file.py:12``, where the code most likely changes ``name``."""
        best, where = -2, ""
        for code in self.functions:
            rank, line = read(code).lines.get(name, (-1, code.co_firstlineno))
            if rank > best:
                best, where = rank, f"{os.path.basename(code.co_filename)}:{line}"
        return where

    def _wanted(self, held: Iterable[str]) -> list[str]:
        return [
            n
            for n in held
            if (self._everything or n in self._names or n == "construct")
            and not (n.startswith("__") and n.endswith("__"))
        ]

    # -- the walk ----------------------------------------------------------------------------------

    def _visit(self, x: Any, name: str, ours: bool) -> None:
        """``ours``: held by this package, which tells compiled graphs of changes itself."""
        if isinstance(x, _PLAIN) or id(x) in self._seen:
            return
        self._seen[id(x)] = x
        if isinstance(x, Tensor):
            if isinstance(x, Parameter):
                self.parameters.append(x)
            elif x.value_.data is not None and not ours:
                self._places.append(Box(name, x))
            if x.hooks_ is not None:
                self._push(x.hooks_.functions, name, True)
        elif isinstance(x, np.ndarray):
            if not ours:
                self._places.append(Array(name, x))
        elif isinstance(x, bytearray | array):
            if not ours:
                self._places.append(Numbers(name, x))
        elif isinstance(x, list | tuple | dict | set | frozenset | deque):
            self._visit_container(x, name, ours)
        elif isinstance(x, types.FunctionType):
            self._visit_function(x)
        elif isinstance(x, Staged):
            self._push(x.fn, name)
        elif isinstance(x, types.MethodType):
            self._push(x.__self__, name)
            self._push(x.__func__, name)
        elif isinstance(x, functools.partial):
            self._push(x.func, name)
            self._push(x.args, name)
            self._push(x.keywords, name)
        elif isinstance(x, staticmethod | classmethod):
            self._push(x.__func__, name)
        elif isinstance(x, weakref.ref):
            self._push(x(), name)
        elif isinstance(x, functools._lru_cache_wrapper):
            self._push(x.__wrapped__, name)
        elif isinstance(x, property):
            self._push(x.fget, name)
            self._push(x.fset, name)
        elif isinstance(x, type):
            if is_users(x.__module__):
                self._visit_class(x)
                self._use({"__init__", "__call__"})
        elif isinstance(x, np.random.Generator | np.random.RandomState | Random):
            self._places.append(generator_of(name, x))
        elif hasattr(type(x), "__next__") and not ours:
            self._found_outside(f"it reads from the iterator {name or type(x).__name__}", name)
        elif hasattr(type(x), "graph_key"):
            self._visit_cell(x)
        elif (
            is_users(type(x).__module__)
            or isinstance(x, types.SimpleNamespace)
            or getattr(type(x), "steps_in_construct", False)
        ):
            self._visit_object(x, name)
        elif type(x).__module__ == "collections" and type(x).__name__ in _HOLDERS:
            self._push(vars(x), name, ours)

    def _push(self, x: Any, name: str = "", ours: bool = False) -> None:
        if x is not None:
            self._todo.append((x, name, ours))

    def _visit_container(self, x: Any, name: str, ours: bool) -> None:
        if not ours:
            if isinstance(x, list | deque):
                self._places.append(Items(name, x))
            elif isinstance(x, dict):
                self._places.append(Entries(name, x))
            elif isinstance(x, set):
                self._places.append(Members(name, x))
        for item in x.values() if isinstance(x, dict) else x:
            if not isinstance(item, _PLAIN):
                self._push(item, name, ours)
        if type(x).__module__ != "builtins" and hasattr(x, "__dict__") and not ours:
            self._visit_object(x, name)

    def _visit_cell(self, cell: Any) -> None:
        """Its attributes are told by its own version; what they hold is not."""
        ours = not is_users(type(cell).__module__)
        if not ours:
            self._visit_class(type(cell))
        own = vars(cell)
        self.cells.append(cell)
        for registry in ("_params", "_cells", "_buffers"):
            for name, held in own.get(registry, {}).items():
                self._push(held, name, ours)
        if own["_record"].hooks is not None:
            self._push(own["_record"].hooks.functions, "hook", True)
        for name, held in own.items():
            if name in ("_params", "_cells", "_buffers", "_record", "parameter_layout_dict"):
                continue
            if ours or hasattr(type(held), "graph_key"):
                self._push(held, name, ours)
            else:
                self._wait(name, held)

    def _visit_object(self, x: Any, name: str) -> None:
        self._places.append(Attributes(name, x))
        self._visit_class(type(x))
        slots = [s for c in type(x).__mro__ for s in _slots(c)]
        held = {**getattr(x, "__dict__", {}), **{s: getattr(x, s, None) for s in slots}}
        for attribute, value in held.items():
            self._wait(attribute, value)

    def _visit_class(self, cls: type) -> None:
        for c in cls.__mro__:
            if c in self._classes or not is_users(c.__module__):
                continue
            self._classes[c] = None
            for name, value in vars(c).items():
                if name == "construct" or (
                    name.startswith("__")
                    and name not in ("__init__", "__new__")
                    and isinstance(value, types.FunctionType)
                ):
                    self._push(value, name)
                else:
                    self._wait(name, value)

    def _wait(self, name: str, value: Any) -> None:
        """Visit ``value`` once some code uses the attribute ``name``."""
        if isinstance(value, _PLAIN):
            return
        if self._everything or name in self._names:
            self._push(value, name)
        else:
            self._waiting.setdefault(name, []).append(value)

    def _use(self, names: set[str]) -> None:
        if names & _OPEN and not self._everything:
            self._everything = True
            names = names | self._waiting.keys()
        for name in names - self._names:
            for value in self._waiting.pop(name, ()):
                self._push(value, name)
        self._names |= names

    def _visit_function(self, f: types.FunctionType) -> None:
        cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
        if not is_users(f.__module__ or "", f.__code__):
            for name, cell in cells.items():
                self._push(_content(cell), name, True)
            return
        self._push(f.__dict__.get("__wrapped__"))
        if f.__code__ in self.functions and not cells:
            return
        self.functions[f.__code__] = f
        for held in (f.__defaults__ or (), (f.__kwdefaults__ or {}).values()):
            for value in held:
                self._push(value, f.__name__)
        code = read(f.__code__)
        self._use(code.names | (code.roots & _OPEN))
        for name, cell in cells.items():
            self._places.append(Free(name, cell))
            self._push(_content(cell), name)
        for module, line in code.imports.items():
            if module in _OUTSIDE or module == "datetime":
                self._found_outside(f"it imports {module}", module, f.__code__, line)
        for chain in code.chains:
            self._follow(f, cells, chain)

    def _follow(self, f: Any, cells: dict[str, Any], chain: tuple[str, ...]) -> None:
        """Go where ``chain`` (a name and attributes of it) leads in the code of ``f``."""
        root, *attributes = chain
        if root in cells:
            value = _content(cells[root])
        else:
            held = f.__globals__
            value = held.get(root, builtins.__dict__.get(root))
            if root in held or not hasattr(builtins, root):
                self._name(held, root)
            if (value is print and root in held) or value is open or value is input:
                self._found_outside(f"it calls {root}", root, f.__code__)
        name = root
        for i, attribute in enumerate(attributes):
            if not isinstance(value, types.ModuleType):
                break
            name = attribute
            owner, value = value, _member(value, attribute)
            if is_users(owner.__name__):
                self._name(vars(owner), attribute)
            if _leads_outside(owner, value, attributes[i + 1 :]):
                self._found_outside(f"it uses {'.'.join(chain)}", attribute, f.__code__)
        else:
            attributes = []
        if isinstance(value, types.FunctionType) and attributes:
            self._places.append(Entries(attributes[0], value.__dict__))
        if _leads_outside(None, value, attributes):
            self._found_outside(f"it uses {'.'.join(chain)}", root, f.__code__)
        elif not isinstance(value, types.ModuleType):
            self._push(value, name)

    def _name(self, held: dict[str, Any], name: str) -> None:
        self._globals.setdefault(id(held), (held, set()))[1].add(name)

    def _found_outside(
        self, why: str, name: str, code: types.CodeType | None = None, line: int = 0
    ) -> None:
        if self.outside is None:
            if code is not None:
                line = line or read(code).lines.get(name, (0, code.co_firstlineno))[1]
                where = f"{os.path.basename(code.co_filename)}:{line}"
            else:
                where = self.line_of(name)
            self.outside = why, where


def _leads_outside(owner: Any, value: Any, rest: list[str]) -> bool:
    if isinstance(value, io.IOBase):
        return True
    if isinstance(value, _PLAIN) and not isinstance(value, types.BuiltinFunctionType):
        return False
    if isinstance(value, types.ModuleType):
        return False
    if _answers_by_settings(value):
        return True
    if isinstance(value, type):
        return value.__module__ == "datetime" and bool(_CLOCKS.intersection(rest))
    where = getattr(owner, "__name__", None) or getattr(value, "__module__", None)
    known = getattr(value, "__module__", None)
    return (where in _OUTSIDE or known in _OUTSIDE) and not isinstance(value, tuple)


def _member(module: types.ModuleType, name: str) -> Any:
    """What ``module`` holds; one of ours may open a room at the first look."""
    opens = module.__name__.startswith(_OURS)
    return getattr(module, name, None) if opens else vars(module).get(name)


def _answers_by_settings(value: Any) -> bool:
    return isinstance(value, types.FunctionType) and value.__module__.startswith(_SETTINGS)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _slots(c: type) -> Iterator[str]:
    slots = c.__dict__.get("__slots__", ())
    for s in (slots,) if isinstance(slots, str) else slots:
        if s not in ("__dict__", "__weakref__"):
            yield s


@functools.lru_cache(maxsize=4096)
def _is_foreign(module: str) -> bool:
    top = module.partition(".")[0].removeprefix("@")
    if top in ("minispore", "mindspore", "numpy", "builtins") or top in _LIBRARY:
        return True
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return "-packages" + os.sep in file and not _is_for_us(top)


def _is_for_us(package: str) -> bool:
    """Whether an installed package is written for this one: some module of it names ours."""
    return any(
        str(getattr(held, "__module__", None) or getattr(held, "__name__", "")).startswith(_OURS)
        for name, module in [*sys.modules.items()]
        if name == package or name.startswith(package + ".")
        for held in vars(module).values()
        if isinstance(held, types.ModuleType | types.FunctionType | type)
    )


_OURS = ("minispore", "mindspore")


_LIBRARY_PATH = os.path.dirname(os.__file__) + os.sep
_LIBRARY = sys.stdlib_module_names - {"__main__"}


def is_users(module: str, code: types.CodeType | None = None) -> bool:
    """Whether code of ``module`` is the user's; doctests of this package are, too."""
    if code is not None:
        file = code.co_filename
        if file.startswith((PACKAGE, "<frozen")):
            return False
        if file.startswith(_LIBRARY_PATH) and "-packages" + os.sep not in file:
            return False  # such as what dataclasses writes into users' classes
        return module.startswith(_OURS) or not _is_foreign(module)  # a doctest of ours
    return not _is_foreign(module)


__all__ = ["PACKAGE", "Reach", "is_users"]
