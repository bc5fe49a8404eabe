"""The dependency scanner: it finds the code that a function may run, and the Python state that it
uses.

The scan follows the names in the bytecode: globals, variables of enclosing functions, and
attributes. Code of this package and of the standard library is known to keep no state of its own,
and is not read. The docstring of the package describes the whole algorithm.
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
from minispore.core.row_gradient import RowGradient
from minispore.core.staged import StagedCallable
from minispore.core.tensor import Tensor
from minispore.graph.keys import is_cell
from minispore.graph.state.bytecode import summarize_code
from minispore.graph.state.code_origin import (
    find_constructors,
    get_module_member,
    is_from_numpy,
    is_package_module,
    is_untraceable,
    is_untraceable_module,
    is_user_code,
)
from minispore.graph.state.contents import (
    ArrayState,
    CellState,
    NumPySettingsState,
    PythonArrayState,
    TensorHooksState,
    TensorState,
    WeakReferenceState,
    make_generator_state,
)
from minispore.graph.state.definitions import (
    ABC_REGISTRATIONS,
    METADATA_ATTRIBUTES,
    CachedFunctionState,
    ClassAttributeState,
    ClassState,
    FunctionState,
    PartialState,
    SubclassState,
    find_special_methods,
    get_cell_content,
    list_members,
)
from minispore.graph.state.tracked import (
    IMMUTABLE_TYPES,
    CellAttributeState,
    ClosureVariable,
    DictState,
    ListState,
    NamespaceState,
    ObjectState,
    SetState,
    TrackedState,
    get_instance_dict,
    list_contents,
    list_slots,
)

# A function that uses one of these may read attributes that its code does not name.
_DYNAMIC_ACCESS = frozenset({"getattr", "setattr", "vars", "__dict__", "delattr", "__match_args__"})
# A function that uses one of these may read the names of Parameters.
_PARAM_NAME_READERS = frozenset({"name", "parameters_dict", "print", "repr", "str", "format"})
_CLASS_ACCESS = frozenset({"type", "__class__"})
_CONSTRUCTORS = frozenset({"__init__", "__new__"})
_CELL_INTERNALS = frozenset({"_params", "_cells", "_buffers", "_record_", "parameter_layout_dict"})
# minispore's packages with mutable objects: schedules, loss scale managers, initializers.
_MUTABLE_PACKAGES = "minispore.nn", "minispore.train", "minispore.core.initializer"
_RANDOM_MODULES = "minispore.ops.random.generators", "minispore.execution.random"
_CALLED_BY_PACKAGE = frozenset({"construct", "bprop"})  # methods of users' classes
_BASE_MODULES = (
    "minispore.nn.cell", "minispore.nn.state", "minispore.nn.tree", "minispore.core",
    "minispore.execution", "minispore.ir", "minispore.core.callback",
)  # fmt: skip
_UNTRACEABLE_MEMBER = object()  # marks an untraceable member of a module
# Attributes whose changes a Cell reports itself.
_SELF_REPORTED = frozenset({"training", "requires_grad", *_CELL_INTERNALS})
_BOUND_TYPES = (types.BuiltinFunctionType, types.MethodWrapperType)
_DICT_VIEWS: tuple[Any, ...] = (type({}.keys()), type({}.values()), type({}.items()))


class DependencyScanner:
    """Finds the code and the Python state that can be reached from the arguments of :meth:`scan`.

    Attributes:
        functions: the users' functions that the code may run, keyed by their code objects.
        untraceable: the reason why the code can't be traced, and the line; None if it can.
        cells, parameters, tensors: the objects of these kinds that were found.
    """

    def __init__(self) -> None:
        self.functions: dict[types.CodeType, types.FunctionType] = {}
        self.untraceable: tuple[str, str] | None = None  # the reason, and the line
        self.cells: list[Any] = []
        self.parameters: list[Parameter] = []
        self.tensors: list[Tensor] = []
        self._states: list[TrackedState] = []
        self._used_names: set[str] = set()
        self._uses_numpy = False  # whether the code computes with NumPy
        # Attributes that the code reads, which may be missing.
        self._probed_names: dict[str, None] = {}
        # Whether the code reads attributes whose names it computes at run time.
        self._uses_dynamic_names = False
        # Values to visit once the code uses an attribute of this name: of users' objects, and of
        # objects of this package or of the standard library.
        self._deferred: dict[str, list[Any]] = {}
        self._deferred_private: dict[str, list[Any]] = {}
        self._namespaces: dict[int, tuple[Any, set[str]]] = {}
        self._user_classes: dict[type, None] = {}
        # Classes that the code may construct, with their bases.
        self._constructed_classes: set[type] = set()
        self._package_classes: dict[type, None] = {}
        self._modules: list[types.ModuleType] = []
        self._user_functions: list[types.FunctionType] = []
        self._visited: dict[int, tuple[Any, bool]] = {}  # by id: (value, whether it is internal)
        self._pending: list[tuple[Any, str, bool]] = []  # (value, name, whether it is internal)

    def scan(self, *values: Any, name: str = "") -> None:
        """Scan ``values``, which the code calls ``name``, and everything that can be reached from
        them.

        Adds to ``functions``, ``cells``, ``parameters``, ``tensors`` and the tracked states. Stops
        as soon as the code turns out to be untraceable, and sets ``untraceable``.
        """
        self._pending += [(x, name, False) for x in values]
        while self._pending and self.untraceable is None:
            self._visit_value(*self._pending.pop())

    @property
    def tracked_states(self) -> list[TrackedState]:
        """The states that the code may read or write, to be compared after a trace and at later
        calls.
        """
        # Few states of many names, since each later call compares all states.
        namespaces: list[Any] = [
            (scope, names) for scope, names in self._namespaces.values() if names
        ]
        namespaces += [
            (vars(m), used) for m in self._modules if (used := self._filter_used_names(vars(m)))
        ]
        classes: list[Any] = [
            (c, class_names)
            for c in self._user_classes
            if (class_names := self._find_used_class_attributes(c))
        ]
        if self._user_functions:
            classes += [
                (c, used)
                for c in self._package_classes
                if (used := self._find_used_package_attributes(c))
            ]
        params = self._find_used_parameter_attributes()
        groups = {"global": namespaces, "class attribute": classes, "parameter": params}
        combined: list[TrackedState] = []
        cell_names = [(c, names) for c in self.cells if (names := self._find_used_attributes(c))]
        if cell_names:
            combined.append(CellAttributeState(cell_names))
        metadata_names = METADATA_ATTRIBUTES if self._uses_dynamic_names else self._used_names
        if self._user_functions:
            combined.append(FunctionState(self._user_functions, metadata_names))
        if self._user_classes:
            combined.append(ClassState(self._user_classes, metadata_names))
            if "__subclasses__" in self._used_names:
                combined.append(SubclassState(self._user_classes))
        if any(isinstance(c, ABCMeta) for c in self._user_classes):
            combined.append(ABC_REGISTRATIONS)
        if self._uses_numpy:
            combined.append(NumPySettingsState(""))
        return [
            *self._states,
            *[NamespaceState(entries, label) for label, entries in groups.items() if entries],
            *combined,
        ]

    @property
    def self_reporting_states(self) -> list[TrackedState]:
        """The states whose changes are reported elsewhere, so later calls need not compare them.

        They are compared around a trace, because a change during the trace matters.
        """
        return [
            *map(CellState, self.cells),
            *map(TensorHooksState, self.tensors),
            *map(ClassAttributeState, self._user_classes),
        ]

    def _find_used_attributes(self, cell: Any) -> list[str]:
        """Return the names of a Cell's attributes that the code may read.

        Registered Parameters, Cells and buffers of a user's Cell are included, because an attribute
        of the same name would hide them.
        """
        if not is_user_code(type(cell).__module__):
            return [
                name
                for name in vars(cell)
                if name in self._used_names and name not in _SELF_REPORTED
            ]
        registered = {**cell._params, **cell._cells, **cell._buffers}
        available = {*vars(cell), *list_members(type(cell)), *registered} - _CELL_INTERNALS
        return self._filter_used_names(
            sorted(available | self._used_names if self._uses_dynamic_names else available)
        )

    def _find_used_class_attributes(self, cls: type) -> set[str]:
        """Return the attributes of a user's class that the code uses, and its special methods,
        which Python calls implicitly.

        Constructors are left out if the code can't construct the class.
        """
        special_methods = find_special_methods(vars(cls)) - (
            set() if cls in self._constructed_classes else _CONSTRUCTORS
        )
        return special_methods.union(
            self._filter_used_names({**list_members(cls), **self._probed_names})
        )

    def _find_used_package_attributes(self, cls: type) -> list[str]:
        """Return the attributes of a class of this package that the code uses by name, and
        ``construct``.
        """
        return [
            n for n in vars(cls) if n == "construct" or (n in self._used_names and n[:2] != "__")
        ]

    def _find_used_parameter_attributes(self) -> list[tuple[Any, list[str]]]:
        """Return pairs of a Parameter's ``__dict__`` and the names in it that the code may read;
        "_name" if it may print one.
        """
        shows_names = self._uses_dynamic_names or not self._used_names.isdisjoint(
            _PARAM_NAME_READERS
        )
        used_attributes = []
        for p in self.parameters:
            names = {*vars(p), *self._probed_names}
            if is_user_code(type(p).__module__):
                names |= list_members(type(p)).keys()
            used = [n for n in self._filter_used_names(names) if not n.startswith("_")]
            if used or shows_names:
                used_attributes.append((vars(p), [*used, "_name"] if shows_names else used))
        return used_attributes

    def find_line(self, name: str) -> str:
        """Return ``file.py:12``, the line on which the scanned code most likely changes ``name``;
        "" if no code was scanned.
        """
        best_rank, location = -2, ""
        for code in self.functions:
            rank, line = summarize_code(code).lines.get(name, (-1, code.co_firstlineno))
            if rank > best_rank:
                best_rank, location = rank, f"{os.path.basename(code.co_filename)}:{line}"
        return location

    def _filter_used_names(self, names: Iterable[str]) -> list[str]:
        """Return the elements of ``names`` that the code may use, and ``construct``; all if it
        computes names at run time.
        """
        return [
            n
            for n in names
            if self._uses_dynamic_names or n in self._used_names or n == "construct"
        ]

    # -- the walk ----------------------------------------------------------------------------------

    def _visit_value(self, x: Any, name: str, is_internal: bool) -> None:
        """Visit one value once: track its state if it is mutable, and queue the values that it
        refers to.

        Args:
            x: the value.
            name: the name by which the code refers to it.
            is_internal: whether it belongs to an object of this package, which reports its own
                changes; then it is not tracked.
        """
        if type(x) in IMMUTABLE_TYPES:
            return
        _, was_internal = self._visited.get(id(x), (None, None))
        if was_internal is not None and (is_internal or not was_internal or is_cell(x)):
            return
        self._visited[id(x)] = x, is_internal
        # Data and modules come first, since they are never untraceable themselves.
        if isinstance(x, Tensor):
            self._visit_tensor(x, name, is_internal)
        elif isinstance(x, np.ndarray):
            if not is_internal:
                self._uses_numpy = True
                self._states.append(ArrayState(name, x))
                self._visit_instance(x, name)
            if x.dtype.hasobject:
                self._pending += [(item, name, is_internal) for item in x.flat]
        elif isinstance(x, bytearray | array):
            if not is_internal:
                self._states.append(PythonArrayState(name, x))
        elif isinstance(x, list | tuple | dict | set | frozenset | deque | types.MappingProxyType):
            self._visit_container(x, name, is_internal)
        elif isinstance(x, _DICT_VIEWS):
            self._push_value(x.mapping, name, is_internal)
        elif isinstance(x, types.ModuleType):
            self._visit_module(x)
        elif x is _UNTRACEABLE_MEMBER or (not is_internal and is_untraceable(x)):
            self._note_untraceable(f"it uses {name or type(x).__name__}", name)
        elif isinstance(x, types.FunctionType):
            self._visit_function(x)
        elif isinstance(x, StagedCallable):
            self._push_value(x.fn, name)
        elif isinstance(x, types.MethodType):
            self._push_value(x.__self__, name)
            self._push_value(x.__func__, name)
        elif isinstance(x, _BOUND_TYPES):
            if not isinstance(x.__self__, types.ModuleType):
                self._push_value(x.__self__, name, is_internal)
        elif isinstance(x, functools.partial):
            self._states.append(PartialState(name, x))
            self._pending += [(value, name, False) for value in (x.func, x.args, x.keywords)]
            self._visit_instance(x, name)
        elif isinstance(x, staticmethod | classmethod):
            self._push_value(x.__func__, name)
        elif isinstance(x, weakref.ref):
            if not isinstance(x, weakref.WeakMethod):
                self._states.append(WeakReferenceState(name, x))
            self._push_value(x(), name)
        elif isinstance(x, functools._lru_cache_wrapper):
            self._states.append(CachedFunctionState(name, x))
            self._push_value(x.__wrapped__, name)
        elif isinstance(x, property):
            self._push_value(x.fget, name)
            self._push_value(x.fset, name)
        elif isinstance(x, attrgetter | methodcaller):
            self._use_names({"getattr"})
        elif isinstance(x, type):
            self._visit_class(x)
            if is_user_code(x.__module__):
                self._constructed_classes.update(x.__mro__)
                self._pending += [
                    (constructor, name, False) for constructor in find_constructors(x)
                ]
        elif isinstance(x, np.random.Generator | np.random.RandomState | Random):
            self._states.append(make_generator_state(name, x))
        elif isinstance(x, np.ufunc) and set("".join(x.types)) == {*"O->"}:  # np.frompyfunc
            self._note_untraceable(f"it uses {name}, of which NumPy shows no code", name)
        elif hasattr(type(x), "__next__") and not is_internal:
            self._note_untraceable(f"it reads from the iterator {name or type(x).__name__}", name)
        elif is_cell(x):
            self._visit_cell(x)
        elif not is_internal or is_user_code(type(x).__module__):
            self._visit_instance(x, name)

    def _push_value(self, x: Any, name: str = "", is_internal: bool = False) -> None:
        """Queue ``x`` to be visited, unless it is None.

        ``is_internal`` says that it belongs to an object of this package, which reports its own
        changes.
        """
        if x is not None:
            self._pending.append((x, name, is_internal))

    def _visit_tensor(self, x: Tensor, name: str, is_internal: bool) -> None:
        """Record a tensor, track its content, and visit its class, attributes and hooks.

        The content of a Parameter, of a RowGradient and of the framework's own objects is not
        tracked.
        """
        self.tensors.append(x)
        self._visit_class(type(x))
        if isinstance(x, Parameter):
            self.parameters.append(x)
        elif not isinstance(x, RowGradient) and x.value_.data is not None and not is_internal:
            self._states.append(TensorState(name, x))
        if not isinstance(x, Parameter) and (x.__dict__ or is_user_code(type(x).__module__)):
            self._push_value(x.__dict__, name)
        if x.hooks_ is not None:
            self._push_value(x.hooks_.functions, name, True)

    def _visit_container(self, x: Any, name: str, is_internal: bool) -> None:
        """Track a list, deque, dict or set, unless it is internal to this package, and visit its
        items and attributes.
        """
        self._visit_class(type(x))
        if not is_internal:
            if isinstance(x, list | deque):
                self._states.append(ListState(name, x))
            elif isinstance(x, dict | types.MappingProxyType):
                self._states.append(DictState(name, x))
            elif isinstance(x, set):
                self._states.append(SetState(name, x))
        self._pending += [
            (item, name, is_internal)
            for item in list_contents(x)
            if type(item) not in IMMUTABLE_TYPES
        ]
        if isinstance(x, defaultdict) and not is_internal:
            self._states.append(ObjectState(name, x, ("default_factory",)))
            self._push_value(x.default_factory, name)
        elif not is_internal and get_instance_dict(x):
            self._visit_object(x, name)

    def _visit_module(self, module: types.ModuleType) -> None:
        """Visit a module: its members are visited once the code uses their names.

        In modules that are not the user's, only untraceable members matter.
        """
        self._modules.append(module)
        self._visit_class(type(module))
        is_users = is_user_code(module.__name__)
        for name, value in vars(module).items():
            if is_users and name == "__getattr__":
                self._push_value(value, name)
            elif is_users:
                self._defer(name, value)
            elif is_untraceable(value, module):
                self._defer_private(name, _UNTRACEABLE_MEMBER)

    def _visit_cell(self, cell: Any) -> None:
        """Visit a Cell: record it in ``cells``, and queue its registered Parameters, Cells and
        buffers, its hooks and its attributes.

        Attributes of a user's Cell that are not Cells are visited once the code uses their names.
        """
        is_internal = not is_user_code(type(cell).__module__)
        self._visit_class(type(cell))
        attributes = vars(cell)
        self.cells.append(cell)
        for registry in ("_params", "_cells", "_buffers"):
            self._pending += [
                (value, name, is_internal) for name, value in attributes.get(registry, {}).items()
            ]
        record = cell._record_  # raises an error if super().__init__() was not called
        if record.hooks is not None:
            self._push_value(record.hooks.functions, "hook", True)
        self._defer("get_flags", record.flags)
        for name in [n for n in attributes if n not in _CELL_INTERNALS]:
            value = attributes[name]
            if is_internal or is_cell(value):
                self._push_value(value, name, is_internal)
            if is_internal:
                self._defer_private(name, value)
            else:
                self._defer(name, value)

    def _visit_instance(self, x: Any, name: str) -> None:
        """Visit an object of any other class; track it if code outside this package may change it.

        An object of the standard library may turn out to be untraceable.
        """
        cls = type(x)
        if cls is memoryview or any(is_untraceable_module(c.__module__) for c in cls.__mro__):
            self._note_untraceable(f"it uses the {cls.__name__} {name}", name)
        elif is_user_code(cls.__module__) or getattr(cls, "steps_in_construct", False):
            self._visit_object(x, name)
        elif is_package_module(cls.__module__):
            if cls.__module__.startswith(_MUTABLE_PACKAGES):
                self._visit_object(x, name)
            else:
                is_internal = isinstance(x, Primitive)
                self._pending += [
                    (value, name, is_internal) for value in get_instance_dict(x).values()
                ]
                if cls.__module__.startswith(_RANDOM_MODULES):  # a new seed requires no new graph
                    self._defer("initial_seed", _UNTRACEABLE_MEMBER)
        elif get_instance_dict(x) or any(map(list_slots, cls.__mro__)):
            self._visit_object(x, name)

    def _visit_object(self, x: Any, name: str) -> None:
        """Track the attributes of an object, and visit those that the code uses.

        All are visited if its class has methods whose code is not read, since these may use any
        attribute.
        """
        cls = type(x)
        self._states.append(ObjectState(name, x))
        self._visit_class(cls)
        slots = [s for c in cls.__mro__ for s in list_slots(c)]
        is_read = all(c is object or is_user_code(c.__module__) for c in cls.__mro__)
        visit_attribute = (
            self._defer if is_read or cls is types.SimpleNamespace else self._push_attribute
        )
        slot_values = {s: getattr(x, s, None) for s in slots}
        for attribute, value in {**get_instance_dict(x), **slot_values}.items():
            visit_attribute(attribute, value)

    def _push_attribute(self, name: str, value: Any) -> None:
        """Queue the value of an attribute immediately; has the signature of :meth:`_defer`."""
        self._push_value(value, name)

    def _visit_class(self, cls: type) -> None:
        """Visit a class and its bases.

        Methods that Python or this package calls implicitly are visited at once, other attributes
        once the code uses their names. Constructors are visited once the code may construct the
        class.
        """
        package_classes = [c for c in cls.__mro__ if is_package_module(c.__module__)]
        self._package_classes.update(dict.fromkeys(package_classes))
        called_methods = _CALLED_BY_PACKAGE.union(
            *[vars(c) for c in package_classes if not c.__module__.startswith(_BASE_MODULES)]
        )
        for c in cls.__mro__:
            if c in self._user_classes or not is_user_code(c.__module__):
                continue
            self._user_classes[c] = None
            self._push_value(type(c))
            self._defer("__subclasses__", (*type.__subclasses__(c),))
            for name, value in vars(c).items():
                is_method = isinstance(value, types.FunctionType | classmethod)
                is_called = name in called_methods or (is_method and name.startswith("__"))
                if is_called and name not in _CONSTRUCTORS:
                    self._push_value(value, name)
                else:
                    self._defer(name, value)

    def _defer(self, name: str, value: Any) -> None:
        """Visit ``value`` once the code uses an attribute ``name``, directly or through getattr."""
        if type(value) in IMMUTABLE_TYPES:
            return
        if self._uses_dynamic_names or name in self._used_names:
            self._push_value(value, name)
        else:
            self._deferred.setdefault(name, []).append(value)

    def _defer_private(self, name: str, value: Any) -> None:
        """Visit ``value`` once the code itself contains ``name``; a use of getattr does not
        count.
        """
        if name in self._used_names:
            self._push_value(value, name)
        elif type(value) not in IMMUTABLE_TYPES:
            self._deferred_private.setdefault(name, []).append(value)

    def _use_names(self, names: set[str]) -> None:
        """Record that the code uses these names, and queue the values deferred until then.

        If one of the names, such as ``getattr``, reads attributes whose names are computed at run
        time, all values of ``_deferred`` are queued.
        """
        for name in sorted(names & self._deferred_private.keys()):
            for value in self._deferred_private.pop(name):
                self._push_value(value, name)
        if names & _DYNAMIC_ACCESS and not self._uses_dynamic_names:
            self._uses_dynamic_names = True
            names = names | self._deferred.keys()
        for name in sorted(names - self._used_names):
            for value in self._deferred.pop(name, ()):
                self._push_value(value, name)
        self._used_names |= names

    def _visit_function(self, f: types.FunctionType) -> None:
        """Read a user's function: its defaults, closure, imports and the chains of names in its
        code.

        For a function that is not the user's, only the closure is visited.
        """
        cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
        if not is_user_code(f.__module__ or "", f.__code__):
            for name, cell in cells.items():
                self._push_value(
                    get_cell_content(cell), name, is_package_module(f.__module__ or "")
                )
            return
        self._user_functions.append(f)
        for value in (f.__defaults__, f.__kwdefaults__, f.__dict__ or None):
            self._push_value(value, f.__name__)
        self._defer("__annotations__", f.__annotations__)
        self._defer("signature", (f.__dict__, f.__annotations__))  # both belong to the signature
        if f.__code__ in self.functions and not cells:
            return
        self.functions[f.__code__] = f
        code = summarize_code(f.__code__)
        self._use_names(
            code.names | (code.roots & (_DYNAMIC_ACCESS | _PARAM_NAME_READERS | {"signature"}))
        )
        if not _PARAM_NAME_READERS.isdisjoint(self._used_names):
            self._use_names({"extend_repr"})
        if "getattr" in code.roots or "hasattr" in code.roots:
            self._probed_names |= dict.fromkeys(sorted(code.identifier_texts))
        if "AttributeError" in code.roots:
            self._probed_names |= dict.fromkeys(sorted(code.names))
        if not _CLASS_ACCESS.isdisjoint(code.names | code.roots):
            self._use_names({*_CONSTRUCTORS})
        for name, cell in cells.items():
            self._states.append(ClosureVariable(name, cell))
            self._push_value(get_cell_content(cell), name)
        for module, line in code.imports.items():
            if is_untraceable_module(module) or module == "datetime":
                self._note_untraceable(f"it imports {module}", module, f.__code__, line)
            for full_name in (module, f"{f.__globals__.get('__package__')}.{module}"):
                self._push_value(sys.modules.get(full_name.rstrip(".")), module)
        for chain in sorted(code.attribute_chains):
            self._follow_chain(f, cells, chain)

    def _follow_chain(self, f: Any, cells: dict[str, Any], chain: tuple[str, ...]) -> None:
        """Follow a chain of a name and attributes from the namespaces of ``f`` to a value, and
        queue the value.

        Every name on the way is tracked. If the value is untraceable, the scanner is marked so.
        """
        root, *rest = chain
        owner: types.ModuleType | None = None
        if root in cells:
            value = get_cell_content(cells[root])
        else:
            builtin_names = vars(builtins)
            value = f.__globals__.get(root, builtin_names.get(root))
            self._uses_numpy = self._uses_numpy or is_from_numpy(value)
            self._track_name(f.__globals__, root)
            is_builtin = root not in f.__globals__ and root in builtin_names
            if is_builtin and root != "print":  # a trace replaces print itself
                self._track_name(builtin_names, root)
        if value is print and root in f.__globals__:
            self._note_untraceable(f"it calls {root}", root, f.__code__)
        name = root
        while rest and isinstance(value, types.ModuleType):
            name = rest.pop(0)
            owner, value = value, get_module_member(value, name)
            self._track_name(vars(owner), name)
            if value is None and is_user_code(owner.__name__):
                self._push_value(owner, name)
            if is_untraceable(value, owner, tuple(rest)):
                self._note_untraceable(f"it uses {'.'.join(chain)}", name, f.__code__)
        if isinstance(value, types.FunctionType) and rest:
            self._states.append(DictState(name, value.__dict__))
        if owner is None and is_untraceable(value, None, tuple(rest)):
            self._note_untraceable(f"it uses {'.'.join(chain)}", root, f.__code__)
        self._push_value(value, name)

    def _track_name(self, namespace: dict[str, Any], name: str) -> None:
        """Track the value of ``name`` in a namespace."""
        self._namespaces.setdefault(id(namespace), (namespace, set()))[1].add(name)

    def _note_untraceable(
        self, reason: str, name: str, code: types.CodeType | None = None, line: int = 0
    ) -> None:
        """Set ``untraceable`` to the reason and the line, unless it is set already.

        Args:
            reason: the reason, for the message.
            name: the name that the code uses.
            code: the code object; without it the reported line is the one that most likely changes
                ``name``.
            line: the line, if it is known.
        """
        if self.untraceable is None:
            if code is not None:
                line = line or summarize_code(code).lines.get(name, (0, code.co_firstlineno))[1]
                location = f"{os.path.basename(code.co_filename)}:{line}"
            else:
                location = self.find_line(name)
            self.untraceable = reason, location


__all__ = ["DependencyScanner"]
