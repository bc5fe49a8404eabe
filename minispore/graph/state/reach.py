"""What a function can reach: the code that it may run, and the places of Python state that this
code names.

From a Cell or function the walk follows what the code itself follows: globals and variables of
enclosing functions by the names in its bytecode, attributes by theirs. Code of this package and of
the standard library is known to keep no state of its own and is not read.
"""

from __future__ import annotations

import builtins
import functools
import os
import sys
import types
import weakref
from abc import ABCMeta
from array import array
from collections import defaultdict, deque
from collections.abc import Iterable
from operator import attrgetter, methodcaller
from random import Random
from typing import Any

import numpy as np

from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive
from minispore.core.rows import RowGradient
from minispore.core.staged import Staged
from minispore.core.tensor import Tensor
from minispore.graph.state.bytecode import read
from minispore.graph.state.contents import (
    Array,
    Box,
    Numbers,
    NumPySettings,
    Referent,
    Registered,
    Seen,
    generator_of,
)
from minispore.graph.state.definitions import (
    ABSTRACT,
    SAID,
    Applied,
    Body,
    Definitions,
    Functions,
    Memo,
    Subclasses,
    called_by_python,
    content,
    members,
)
from minispore.graph.state.outside import (
    is_numpys,
    is_ours,
    is_outside,
    is_users,
    leads_outside,
    made_by,
    member_of,
)
from minispore.graph.state.places import (
    PLAIN,
    Attributes,
    CellAttributes,
    Entries,
    Free,
    Items,
    Members,
    Names,
    Place,
    dict_of,
    held_in,
    slots_of,
)

# By these a function asks for attributes, or classes, that its code does not name.
_OPEN = frozenset({"getattr", "setattr", "vars", "__dict__", "delattr", "__match_args__"})
# By these it sees the names of Parameters.
_BY_NAME = frozenset({"name", "parameters_dict", "print", "repr", "str", "format"})
_MAKES = frozenset({"type", "__class__"})
_BEGIN = frozenset({"__init__", "__new__"})
_INNER = frozenset({"_params", "_cells", "_buffers", "_record_", "parameter_layout_dict"})
# Our own rooms whose objects change: schedules, managers of loss scales, initializers.
_CHANGING = "minispore.nn", "minispore.train", "minispore.core.initializer"
_CALLED = frozenset({"construct", "bprop"})  # methods of the user's that this package calls
_BASES = "minispore.nn.cell", "minispore.nn.state", "minispore.nn.tree", "minispore.core"
_OUTSIDE = object()  # what stands for a member of a module that lies outside
_TOLD = frozenset({"training", "requires_grad", *_INNER})  # each Cell tells of these itself
_BOUND = (types.BuiltinFunctionType, types.MethodWrapperType)
_VIEWS: tuple[Any, ...] = (type({}.keys()), type({}.values()), type({}.items()))


class Reach:
    """Code and places that can be reached from what was given to :meth:`add`."""

    def __init__(self) -> None:
        self.functions: dict[types.CodeType, types.FunctionType] = {}
        self.outside: tuple[str, str] | None = None  # what lies outside, and the line
        self.cells: list[Any] = []
        self.parameters: list[Parameter] = []
        self.tensors: list[Tensor] = []
        self._places: list[Place] = []
        self._names: set[str] = set()
        self._numpy = False  # the code computes with NumPy
        self._asked: dict[str, None] = {}  # attributes that may be there, or not yet
        self._everything = False  # the code asks for attributes by names made at run time
        self._waiting: dict[str, list[Any]] = {}
        self._hidden: dict[str, list[Any]] = {}  # of what is not the user's
        self._globals: dict[int, tuple[Any, set[str]]] = {}
        self._classes: dict[type, None] = {}
        self._making: set[type] = set()  # with what they are made of
        self._of_ours: dict[type, None] = {}
        self._modules: list[types.ModuleType] = []
        self._own: list[types.FunctionType] = []
        self._seen: dict[int, tuple[Any, bool]] = {}
        self._todo: list[tuple[Any, str, bool]] = []

    def add(self, *found: Any, name: str = "") -> None:
        """Walk from ``found``, which the code calls ``name``, until it leads outside."""
        self._todo += [(x, name, False) for x in found]
        while self._todo and self.outside is None:
            self._visit(*self._todo.pop())

    @property
    def places(self) -> list[Place]:
        """What the code may read or write."""
        held: list[Any] = [pair for pair in self._globals.values() if pair[1]]
        held += [(vars(m), used) for m in self._modules if (used := self._wanted(vars(m)))]
        classes: list[Any] = [(c, asked) for c in self._classes if (asked := self._asked_of(c))]
        if self._own:
            classes += [(c, used) for c in self._of_ours if (used := self._used_of(c))]
        params = self._of_parameters()
        named = {"global": held, "class attribute": classes, "parameter": params}
        whole: list[Place] = []
        kept = [(c, names) for c in self.cells if (names := self._kept(c))]
        if kept:
            whole.append(CellAttributes(kept))
        said = SAID if self._everything else self._names
        if self._own:
            whole.append(Functions(self._own, said))
        if self._classes:
            whole.append(Definitions(self._classes, said))
            if "__subclasses__" in self._names:
                whole.append(Subclasses(self._classes))
        if any(isinstance(c, ABCMeta) for c in self._classes):
            whole.append(ABSTRACT)
        if self._numpy:
            whole.append(NumPySettings(""))
        return [*self._places, *[Names(of, kind) for kind, of in named.items() if of], *whole]

    @property
    def told(self) -> list[Place]:
        """What tells compiled graphs of changes itself, but a trace of none that it makes."""
        return [*map(Registered, self.cells), *map(Seen, self.tensors), *map(Body, self._classes)]

    def _kept(self, cell: Any) -> list[str]:
        """The attributes of ``cell`` that the code may ask for."""
        if not is_users(type(cell).__module__):
            return [name for name in self._names & vars(cell).keys() if name not in _TOLD]
        parts = {**cell._params, **cell._cells, **cell._buffers}  # which the others would hide
        own = {*vars(cell), *members(type(cell)), *parts} - _INNER
        return self._wanted(sorted(own | self._names if self._everything else own))

    def _asked_of(self, cls: type) -> set[str]:
        """What the code, and Python itself, asks of a class of the user's."""
        called = called_by_python(vars(cls)) - (set() if cls in self._making else _BEGIN)
        return called.union(self._wanted({**members(cls), **self._asked}))

    def _used_of(self, cls: type) -> list[str]:
        """What the code uses by name of a class of this package."""
        return [n for n in vars(cls) if n == "construct" or (n in self._names and n[:2] != "__")]

    def _of_parameters(self) -> list[tuple[Any, list[str]]]:
        """What may be asked of Parameters beside their contents."""
        asked = self._everything or not self._names.isdisjoint(_BY_NAME)
        found = []
        for p in self.parameters:
            held = {*vars(p), *self._asked}
            if is_users(type(p).__module__):
                held |= members(type(p)).keys()
            used = [n for n in self._wanted(held) if not n.startswith("_")]
            if used or asked:
                found.append((vars(p), [*used, *["_name"][:asked]]))
        return found

    def line_of(self, name: str) -> str:
        """``file.py:12``, where the code most likely changes ``name``."""
        best, where = -2, ""
        for code in self.functions:
            rank, line = read(code).lines.get(name, (-1, code.co_firstlineno))
            if rank > best:
                best, where = rank, f"{os.path.basename(code.co_filename)}:{line}"
        return where

    def _wanted(self, held: Iterable[str]) -> list[str]:
        return [n for n in held if self._everything or n in self._names or n == "construct"]

    # -- the walk ----------------------------------------------------------------------------------

    def _visit(self, x: Any, name: str, ours: bool) -> None:
        """``ours``: held by this package, which tells compiled graphs of changes itself."""
        if type(x) in PLAIN:
            return
        known = self._seen.get(id(x))
        if known is not None and (ours or not known[1] or hasattr(type(x), "_graph_key_")):
            return
        self._seen[id(x)] = x, ours
        if isinstance(x, Tensor):
            self._visit_tensor(x, name, ours)
        elif isinstance(x, np.ndarray):
            if not ours:
                self._numpy = True
                self._places.append(Array(name, x))
                self._visit_instance(x, name)
            if x.dtype.hasobject:
                self._todo += [(item, name, ours) for item in x.flat]
        elif isinstance(x, bytearray | array):
            if not ours:
                self._places.append(Numbers(name, x))
        elif isinstance(x, list | tuple | dict | set | frozenset | deque | types.MappingProxyType):
            self._visit_container(x, name, ours)
        elif isinstance(x, _VIEWS):
            self._push(x.mapping, name, ours)
        elif isinstance(x, types.ModuleType):
            self._visit_module(x)
        elif x is _OUTSIDE or (not ours and leads_outside(x)):
            self._found_outside(f"it uses {name or type(x).__name__}", name)
        elif isinstance(x, types.FunctionType):
            self._visit_function(x)
        elif isinstance(x, Staged):
            self._push(x.fn, name)
        elif isinstance(x, types.MethodType):
            self._push(x.__self__, name)
            self._push(x.__func__, name)
        elif isinstance(x, _BOUND):
            if not isinstance(x.__self__, types.ModuleType):
                self._push(x.__self__, name, ours)
        elif isinstance(x, functools.partial):
            self._places.append(Applied(name, x))
            self._todo += [(held, name, False) for held in (x.func, x.args, x.keywords)]
            self._visit_instance(x, name)
        elif isinstance(x, staticmethod | classmethod):
            self._push(x.__func__, name)
        elif isinstance(x, weakref.ref):
            if not isinstance(x, weakref.WeakMethod):
                self._places.append(Referent(name, x))
            self._push(x(), name)
        elif isinstance(x, functools._lru_cache_wrapper):
            self._places.append(Memo(name, x))
            self._push(x.__wrapped__, name)
        elif isinstance(x, property):
            self._push(x.fget, name)
            self._push(x.fset, name)
        elif isinstance(x, attrgetter | methodcaller):
            self._use({"getattr"})
        elif isinstance(x, type):
            self._visit_class(x)
            if is_users(x.__module__):
                self._making.update(x.__mro__)
                self._todo += [(made, name, False) for made in made_by(x)]
        elif isinstance(x, np.random.Generator | np.random.RandomState | Random):
            self._places.append(generator_of(name, x))
        elif isinstance(x, np.ufunc) and set("".join(x.types)) == {*"O->"}:
            self._found_outside(f"it uses {name}, of which NumPy shows no code", name)
        elif hasattr(type(x), "__next__") and not ours:
            self._found_outside(f"it reads from the iterator {name or type(x).__name__}", name)
        elif hasattr(type(x), "_graph_key_"):
            self._visit_cell(x)
        elif not ours or is_users(type(x).__module__):
            self._visit_instance(x, name)

    def _push(self, x: Any, name: str = "", ours: bool = False) -> None:
        if x is not None:
            self._todo.append((x, name, ours))

    def _visit_tensor(self, x: Tensor, name: str, ours: bool) -> None:
        self.tensors.append(x)
        self._visit_class(type(x))
        if isinstance(x, Parameter):
            self.parameters.append(x)
        elif not isinstance(x, RowGradient) and x.value_.data is not None and not ours:
            self._places.append(Box(name, x))
        if not isinstance(x, Parameter) and (x.__dict__ or is_users(type(x).__module__)):
            self._push(x.__dict__, name)
        if x.hooks_ is not None:
            self._push(x.hooks_.functions, name, True)

    def _visit_container(self, x: Any, name: str, ours: bool) -> None:
        self._visit_class(type(x))
        if not ours:
            if isinstance(x, list | deque):
                self._places.append(Items(name, x))
            elif isinstance(x, dict | types.MappingProxyType):
                self._places.append(Entries(name, x))
            elif isinstance(x, set):
                self._places.append(Members(name, x))
        self._todo += [(item, name, ours) for item in held_in(x) if type(item) not in PLAIN]
        if isinstance(x, defaultdict) and not ours:
            self._places.append(Attributes(name, x, ("default_factory",)))
            self._push(x.default_factory, name)
        elif not ours and dict_of(x):
            self._visit_object(x, name)

    def _visit_module(self, module: types.ModuleType) -> None:
        self._modules.append(module)
        self._visit_class(type(module))
        users = is_users(module.__name__)
        for name, value in vars(module).items():
            if users:
                self._push(value, name) if name == "__getattr__" else self._wait(name, value)
            elif leads_outside(value, module):
                self._hide(name, _OUTSIDE)

    def _visit_cell(self, cell: Any) -> None:
        ours = not is_users(type(cell).__module__)
        self._visit_class(type(cell))
        own = vars(cell)
        self.cells.append(cell)
        for registry in ("_params", "_cells", "_buffers"):
            self._todo += [(held, name, ours) for name, held in own.get(registry, {}).items()]
        record = cell._record_  # says what is missing without super().__init__()
        if record.hooks is not None:
            self._push(record.hooks.functions, "hook", True)
        self._wait("get_flags", record.flags)
        for name in [n for n in own if n not in _INNER]:
            held = own[name]
            if ours or hasattr(type(held), "_graph_key_"):
                self._push(held, name, ours)
            if ours:
                self._hide(name, held)
            else:
                self._wait(name, held)

    def _visit_instance(self, x: Any, name: str) -> None:
        """An object of which nothing is known but its class."""
        cls = type(x)
        if cls is memoryview or any(is_outside(c.__module__) for c in cls.__mro__):
            self._found_outside(f"it uses the {cls.__name__} {name}", name)
        elif is_users(cls.__module__) or getattr(cls, "steps_in_construct", False):
            self._visit_object(x, name)
        elif is_ours(cls.__module__):
            if cls.__module__.startswith(_CHANGING):
                self._visit_object(x, name)
            else:
                fixed = isinstance(x, Primitive)
                self._todo += [(held, name, fixed) for held in dict_of(x).values()]
                if cls.__module__.startswith("minispore.core.random"):  # a seed makes no new graph
                    self._wait("initial_seed", _OUTSIDE)
        elif dict_of(x) or any(map(slots_of, cls.__mro__)):
            self._visit_object(x, name)

    def _visit_object(self, x: Any, name: str) -> None:
        """The attributes that are named; all where code that is not read asks for some."""
        cls = type(x)
        self._places.append(Attributes(name, x))
        self._visit_class(cls)
        slots = [s for c in cls.__mro__ for s in slots_of(c)]
        read = all(c is object or is_users(c.__module__) for c in cls.__mro__)
        visit = self._wait if read or cls is types.SimpleNamespace else self._found
        for attribute, value in {**dict_of(x), **{s: getattr(x, s, None) for s in slots}}.items():
            visit(attribute, value)

    def _found(self, name: str, value: Any) -> None:
        self._push(value, name)

    def _visit_class(self, cls: type) -> None:
        ours = [c for c in cls.__mro__ if is_ours(c.__module__)]
        self._of_ours.update(dict.fromkeys(ours))
        called = _CALLED.union(*[vars(c) for c in ours if not c.__module__.startswith(_BASES)])
        for c in cls.__mro__:
            if c in self._classes or not is_users(c.__module__):
                continue
            self._classes[c] = None
            self._push(type(c))
            self._wait("__subclasses__", (*type.__subclasses__(c),))
            for name, value in vars(c).items():
                if (
                    name in called
                    or (
                        name.startswith("__")
                        and isinstance(value, types.FunctionType | classmethod)
                    )
                ) and name not in _BEGIN:
                    self._push(value, name)
                else:
                    self._wait(name, value)

    def _wait(self, name: str, value: Any) -> None:
        """Visit ``value`` once some code uses the attribute ``name``."""
        if type(value) in PLAIN:
            return
        if self._everything or name in self._names:
            self._push(value, name)
        else:
            self._waiting.setdefault(name, []).append(value)

    def _hide(self, name: str, value: Any) -> None:
        """Visit ``value`` once some code names ``name`` itself."""
        if name in self._names:
            self._push(value, name)
        elif type(value) not in PLAIN:
            self._hidden.setdefault(name, []).append(value)

    def _use(self, names: set[str]) -> None:
        for name in names & self._hidden.keys():
            for value in self._hidden.pop(name):
                self._push(value, name)
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
                self._push(content(cell), name, is_ours(f.__module__ or ""))
            return
        self._own.append(f)
        for held in (f.__defaults__, f.__kwdefaults__, f.__dict__ or None):
            self._push(held, f.__name__)
        self._wait("__annotations__", f.__annotations__)
        self._wait("signature", (f.__dict__, f.__annotations__))  # of which it is made, too
        if f.__code__ in self.functions and not cells:
            return
        self.functions[f.__code__] = f
        code = read(f.__code__)
        self._use(code.names | (code.roots & (_OPEN | _BY_NAME | {"signature"})))
        if not _BY_NAME.isdisjoint(self._names):
            self._use({"extend_repr"})
        if "getattr" in code.roots or "hasattr" in code.roots:
            self._asked |= dict.fromkeys(code.texts)
        if "AttributeError" in code.roots:
            self._asked |= dict.fromkeys(code.names)
        if not _MAKES.isdisjoint(code.names | code.roots):
            self._use({*_BEGIN})
        for name, cell in cells.items():
            self._places.append(Free(name, cell))
            self._push(content(cell), name)
        for module, line in code.imports.items():
            if is_outside(module) or module == "datetime":
                self._found_outside(f"it imports {module}", module, f.__code__, line)
            for full in (module, f"{f.__globals__.get('__package__')}.{module}"):
                self._push(sys.modules.get(full.rstrip(".")), module)
        for chain in code.chains:
            self._follow(f, cells, chain)

    def _follow(self, f: Any, cells: dict[str, Any], chain: tuple[str, ...]) -> None:
        """Go where ``chain`` (a name and attributes of it) leads in the code of ``f``."""
        root, *rest = chain
        owner: types.ModuleType | None = None
        if root in cells:
            value = content(cells[root])
        else:
            known = vars(builtins)
            value = f.__globals__.get(root, known.get(root))
            self._numpy = self._numpy or is_numpys(value)
            self._name(f.__globals__, root)
            if root not in f.__globals__ and root in known and root != "print":  # traces put theirs
                self._name(known, root)
        if value is print and root in f.__globals__:
            self._found_outside(f"it calls {root}", root, f.__code__)
        name = root
        while rest and isinstance(value, types.ModuleType):
            name = rest.pop(0)
            owner, value = value, member_of(value, name)
            self._name(vars(owner), name)
            if value is None and is_users(owner.__name__):
                self._push(owner, name)
            if leads_outside(value, owner, tuple(rest)):
                self._found_outside(f"it uses {'.'.join(chain)}", name, f.__code__)
        if isinstance(value, types.FunctionType) and rest:
            self._places.append(Entries(name, value.__dict__))
        if owner is None and leads_outside(value, None, tuple(rest)):
            self._found_outside(f"it uses {'.'.join(chain)}", root, f.__code__)
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


__all__ = ["Reach"]
