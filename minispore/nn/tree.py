"""The tree of Cells: which Cells and Parameters belong to a Cell, and what they are called.

A Parameter is named after the path of attributes that leads to it (``conv1.weight``): assigning a
Cell to an attribute renames its parameters, unless the parent was created with
``auto_prefix=False``.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, ValuesView
from typing import TYPE_CHECKING, Any, ClassVar

from minispore.core import interpreter
from minispore.core.parameter import (
    PARAMETER_NAME_DEFAULT,
    Parameter,
    ParameterTuple,
    check_unique_names,
)
from minispore.core.tensor import Tensor
from minispore.errors import MissingAttribute
from minispore.foundation import checks
from minispore.foundation.charts import format_html_table
from minispore.foundation.foreign_names import (
    check_keywords,
    check_takes_positional,
    explain_attribute,
)
from minispore.ir.dtype import DType
from minispore.nn.hooks import Hooks
from minispore.ops.control.effects import Assign


class Registry(OrderedDict):
    """An ordered dict that counts its changes and notifies compiled graphs of them."""

    version = 0

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        self._note_change()

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        self._note_change()

    def pop(self, *args: Any) -> Any:
        """Remove a key and return its value, like ``dict.pop``."""
        value = super().pop(*args)
        self._note_change()
        return value

    def popitem(self, last: bool = True) -> tuple[str, Any]:
        """Remove and return the last pair (or the first), like ``OrderedDict``."""
        item = super().popitem(last)
        self._note_change()
        return item

    def clear(self) -> None:
        """Remove all items."""
        super().clear()
        self._note_change()

    def move_to_end(self, key: str, last: bool = True) -> None:
        """Move a key to the end, or to the front."""
        super().move_to_end(key, last)
        self._note_change()

    def _note_change(self) -> None:
        self.version += 1
        interpreter.note_change()


class CellRecord:
    """The private state of a Cell, in one object so that users' attributes can have any other name.

    Attributes:
        version: the number of changes to attributes that construct may depend on.
        attribute: the attribute of the parent Cell that holds this Cell.
        path: the path from the root of the tree, as set by update_cell_prefix.
        scope: the scope name, as set by generate_scope; None before.
        transient: the names of non-persistent buffers, which state_dict omits.
        named: whether parameter names were checked for clashes.
        plain: whether a call runs only construct (no hooks, cast, bprop or packing).
        hooks: the forward and backward hooks, or None.
        packing: wraps a function so that it packs saved tensors, or None.
        state_hooks: the StateHooks of state_dict and load_state_dict, or None.
        precision: the dtype to which inputs and parameters are cast, or None.
        reading: the dtype in which construct reads parameters while it runs, or None.
        inputs: the inputs that set_inputs declared, or None.
    """

    __slots__ = (
        "attribute", "flags", "hooks", "inputs", "jit_config", "named", "packing", "path", "plain",
        "precision", "reading", "scope", "stage", "state_hooks", "transient", "version",
    )  # fmt: skip

    def __init__(self) -> None:
        self.version = self.stage = 0
        self.attribute = self.path = ""
        self.named, self.plain = False, True
        self.transient: set[str] = set()
        self.flags: dict[str, Any] = {}
        self.jit_config: dict[str, Any] = {}
        self.hooks: Hooks | None = None
        self.precision: DType | None = None
        self.reading: DType | None = None
        self.state_hooks: Any = None
        self.inputs: Any = None
        self.packing: Any = None
        self.scope: str | None = None


class CellTree:
    """Base of Cell that registers attributes, names Parameters and iterates over the tree."""

    # No graph depends on these attributes.
    _untracked_attributes_: ClassVar[frozenset[str]] = frozenset({"phase"})

    if not TYPE_CHECKING:  # type checkers use __init__

        def __new__(cls, /, *args: Any, **kwargs: Any) -> Any:
            """Create a Cell, after checking its keywords and that it accepts a Tensor by
            position.
            """
            if kwargs:
                check_keywords(cls, kwargs)
            if args and isinstance(args[0], Tensor):
                check_takes_positional(cls)
            return super().__new__(cls)

    def __init__(self, auto_prefix: bool = True) -> None:
        attributes = self.__dict__
        attributes["_params"] = Registry()
        attributes["_cells"] = Registry()
        attributes["_buffers"] = Registry()
        attributes["_auto_prefix"] = auto_prefix
        attributes["_record_"] = CellRecord()
        interpreter.current().on_create(self)

    # -- attributes -------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        """Return a Cell, Parameter or buffer, cast for construct; for an unknown name, suggest a
        similar one.
        """
        attributes = self.__dict__
        if "_params" not in attributes:
            raise AttributeError(
                f"{type(self).__name__}: has no attribute {name!r}. "
                "If its own __init__ sets it, call super().__init__() there first."
            )
        value = attributes["_cells"].get(name)
        if value is not None:
            return value
        value = attributes["_params"].get(name)
        if value is not None:
            return value if attributes["_record_"].reading is None else self._cast_for_read_(value)
        value = attributes["_buffers"].get(name)
        if value is not None:
            return value if attributes["_record_"].reading is None else self._cast_for_read_(value)
        for registry in (attributes["_cells"], attributes["_buffers"], attributes["_params"]):
            if name in registry:
                return None
        if name.startswith("__"):  # Python's own lookups of dunder names need no suggestion
            raise AttributeError(name)
        raise MissingAttribute(
            f"{type(self).__name__}: has no attribute {name!r}.",
            name,
            lambda: [*attributes["_params"], *attributes["_cells"], *dir(type(self))],
            explain_attribute("Cell", name),
        )

    def _cast_for_read_(self, tensor: Tensor) -> Tensor:
        """Return ``tensor`` in the dtype in which construct reads it; Cell overrides it."""
        return tensor

    def __setattr__(self, name: str, value: Any) -> None:
        """Register a Parameter or a Cell, named after the attribute; notify compiled graphs."""
        if name in self._untracked_attributes_ or "_params" not in self.__dict__:
            if isinstance(value, Parameter | ParameterTuple | CellTree):
                raise AttributeError(
                    f"{type(self).__name__}: call super().__init__() before assigning {name!r}."
                )
            object.__setattr__(self, name, value)
            return
        interpreter.current().on_setattr(self, name)
        if isinstance(value, Parameter):
            self.__dict__.pop(name, None)
            self.insert_param_to_cell(name, value)
        elif isinstance(value, CellTree):
            self.__dict__.pop(name, None)
            if self._auto_prefix:
                value.update_parameters_name(f"{name}.")
            self.insert_child_to_cell(name, value)
        else:
            self._set_attribute_(name, value)

    def _set_attribute_(self, name: str, value: Any) -> None:
        """Set an attribute to a value that is neither a single Parameter nor a Cell.

        If ``name`` is already a Parameter, a Cell or a buffer, its content is replaced. The members
        of a ParameterTuple are registered, too.

        Raises:
            TypeError: the value cannot replace the object registered under ``name``.
        """
        if isinstance(value, ParameterTuple):
            self._insert_param_tuple_(value)
        elif name in self._params:
            self._set_param_content_(name, value)
            return
        elif name in self._cells:
            if value is not None:
                raise TypeError(
                    f"{type(self).__name__}: {name!r} is a Cell and must be replaced by a Cell or "
                    f"None, got {value!r} ({type(value).__name__})."
                )
            self._cells[name] = None
            return
        elif name in self._buffers:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"{type(self).__name__}: {name!r} is a buffer and must be set to a Tensor or "
                    f"None, got {value!r} ({type(value).__name__})."
                )
            self._buffers[name] = value
            return
        elif isinstance(value, list | tuple) and value and isinstance(value[0], Parameter):
            check_unique_names(
                f"{type(self).__name__}.{name}", {**self.__dict__, name: value}.values()
            )
        object.__setattr__(self, name, value)
        self._note_change_()

    def _set_param_content_(self, name: str, value: Any) -> None:
        """Set the content of the Parameter ``name`` to a Tensor or number; with None, unset it.

        While a graph is traced, this is an Assign op.

        Raises:
            TypeError: ``value`` has another type, or there is no Parameter to fill.
        """
        param = self._params[name]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if param is not None and is_number and not param.shape:
            value = Tensor(value, param.dtype)
        if value is None:
            self._params[name] = None
        elif isinstance(value, Tensor) and param is not None:
            if interpreter.tracing():
                Assign()(param, value)
            else:
                param.set_data(value)
        else:
            number_hint = "" if param is None or param.shape else " (or a number)"
            raise TypeError(
                f"{type(self).__name__}: {name!r} is a Parameter and must be set to a Parameter, "
                f"Tensor or None{number_hint}, got {value!r} ({type(value).__name__})."
            )

    def _insert_param_tuple_(self, items: ParameterTuple) -> None:
        """Register each Parameter of a ParameterTuple under its name; unnamed ones are numbered."""
        unnamed = 0
        for p in items:
            if p.has_default_name_:
                unnamed += 1
                p.name = f"{PARAMETER_NAME_DEFAULT}${unnamed}"
            self.insert_param_to_cell(p.name, p, check_name_contain_dot=False)

    def __delattr__(self, name: str) -> None:
        """Remove a registered or plain attribute, and notify compiled graphs."""
        interpreter.current().on_setattr(self, name)
        for registry in (self._params, self._cells, self._buffers):
            if name in registry:
                del registry[name]
                return
        object.__delattr__(self, name)
        self._note_change_()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._params, *self._cells, *self._buffers]

    def _note_change_(self) -> None:
        """Count a change on which construct may depend, and notify compiled graphs."""
        self._record_.version += 1
        interpreter.note_change()

    def insert_param_to_cell(
        self, param_name: str, param: Parameter | None, check_name_contain_dot: bool = True
    ) -> None:
        """Register a Parameter as the attribute ``param_name``; an unnamed one gets that name.

        Raises:
            KeyError: the name is empty, contains a dot or is the name of another attribute.
            TypeError: ``param`` is neither a Parameter nor None.
        """
        api_name = f"{type(self).__name__}.insert_param_to_cell"
        if not param_name:
            raise KeyError(f"{api_name}: param_name must not be empty, got {param_name!r}.")
        if check_name_contain_dot and "." in param_name:
            raise KeyError(f"{api_name}: param_name must not contain a dot, got {param_name!r}.")
        if "_params" not in self.__dict__:
            raise AttributeError(f"{api_name}: call super().__init__() first.")
        if param_name not in self._params and hasattr(self, param_name):
            raise KeyError(
                f"{api_name}: param_name must be new, got {param_name!r}, which is another "
                "attribute."
            )
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"{api_name}: param must be a Parameter or None, got {param!r} "
                f"({type(param).__name__})."
            )
        if param is not None and param.has_default_name_:
            param.name = param_name
        self._params[param_name] = param

    def insert_child_to_cell(self, child_name: str, child_cell: Any) -> None:
        """Register a Cell as the attribute ``child_name``.

        Raises:
            TypeError: ``child_name`` is not a str, or ``child_cell`` is neither a Cell nor None.
            KeyError: the name is empty, contains a dot or is the name of another attribute.
        """
        api_name = f"{type(self).__name__}.insert_child_to_cell"
        if not isinstance(child_name, str):
            raise TypeError(
                f"{api_name}: child_name must be a str, got {child_name!r} "
                f"({type(child_name).__name__})."
            )
        if not child_name or "." in child_name:
            raise KeyError(
                f"{api_name}: child_name must be a name without dots, got {child_name!r}."
            )
        if child_name not in self._cells and hasattr(self, child_name):
            raise KeyError(
                f"{api_name}: child_name must be new, got {child_name!r}, which is another "
                "attribute."
            )
        if child_cell is not None and not isinstance(child_cell, CellTree):
            raise TypeError(
                f"{api_name}: child_cell must be a Cell or None, got {child_cell!r} "
                f"({type(child_cell).__name__})."
            )
        self._cells[child_name] = child_cell

    # -- walking ----------------------------------------------------------------------------------

    def cells_and_names(
        self, cells: set[Any] | None = None, name_prefix: str = ""
    ) -> Iterator[tuple[str, CellTree]]:
        """Iterate over this Cell and its descendants, each once, with their paths, parents first.

        ``cells`` is a set of Cells to skip; those visited are added to it, unless it is empty.

        >>> from minispore import nn
        >>> [name for name, _ in nn.SequentialCell(nn.ReLU(), nn.Tanh()).cells_and_names()]
        ['', '0', '1']
        """
        seen = cells if cells else set()
        if self in seen:
            return
        seen.add(self)
        yield name_prefix, self
        for name, cell in self._cells.items():
            if cell is not None:
                yield from cell.cells_and_names(
                    seen, f"{name_prefix}.{name}" if name_prefix else name
                )

    def name_cells(self) -> OrderedDict[str, Any]:
        """Return the direct children of this Cell, each once, by attribute name."""
        seen: set[Any] = set()
        cells_by_name: OrderedDict[str, Any] = OrderedDict()
        for name, cell in self._cells.items():
            if cell is not None and cell not in seen:
                seen.add(cell)
                cells_by_name[name] = cell
        return cells_by_name

    def cells(self) -> ValuesView[Any]:
        """Return the direct children of this Cell."""
        return self.name_cells().values()

    def get_sub_cell(self, target: str) -> CellTree:
        """Return the Cell at the path ``target``, such as ``"backbone.conv1"``.

        Raises:
            AttributeError: there is no such Cell.
        """
        cell: Any = self
        for name in target.split(".") if target else ():
            cell = getattr(cell, name)
            if not isinstance(cell, CellTree):
                raise AttributeError(
                    f"{type(self).__name__}: {name!r} in {target!r} is not a Cell."
                )
        return cell

    def apply(self, fn: Callable[[Any], Any]) -> Any:
        """Call ``fn`` with each descendant, then with this Cell; return this Cell."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    def parameters_and_names(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Iterate over the Parameters of this Cell and, with ``expand``, of its descendants, each
        once, with their attribute paths.
        """
        cells: Iterable[tuple[str, Any]] = (
            self.cells_and_names(name_prefix=name_prefix) if expand else ((name_prefix, self),)
        )
        seen: set[int] = set()
        for path, cell in cells:
            for name, p in cell._params.items():
                if p is not None and id(p) not in seen:
                    seen.add(id(p))
                    yield (f"{path}.{name}" if path else name), p

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """Return the Parameters of this Cell and, with ``expand``, of its descendants."""
        for _, p in self.parameters_and_names(expand=expand):
            yield p

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Return the Parameters that training changes (``requires_grad``)."""
        return [p for p in self.get_parameters(expand=recurse) if p.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Return the Parameters that training leaves unchanged."""
        return [p for p in self.get_parameters(expand=recurse) if not p.requires_grad]

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """Return the Parameters by name."""
        return OrderedDict((p.name, p) for p in self.get_parameters(expand=recurse))

    def parameters_broadcast_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter] | None:
        """Return the Parameters that ranks share, by name; None if there are none."""
        shared = (
            (p.name, p) for p in self.get_parameters(expand=recurse) if not p.layerwise_parallel
        )
        return OrderedDict(shared) or None

    # -- names ------------------------------------------------------------------------------------

    @property
    def param_prefix(self) -> str:
        """The path of this Cell in the tree, as set by the last :meth:`update_cell_prefix`."""
        return self._record_.path

    def update_cell_prefix(self) -> None:
        """Store the path in the tree in this Cell and each descendant."""
        for name, cell in self.cells_and_names():
            cell._record_.path = name

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Rename each Parameter to ``prefix`` followed by its attribute path.

        Raises:
            TypeError: ``prefix`` is not a str.
            ValueError: it has characters other than letters, digits, ``_``, ``.`` and ``-``.
        """
        api_name = f"{type(self).__name__}.update_parameters_name"
        if re.search(r"[^\w.-]", checks.string(api_name, "prefix", prefix), re.ASCII):
            raise ValueError(
                f"{api_name}: prefix must be made of a-z, 0-9, _, . and -, got {prefix!r}."
            )
        for name, p in self.parameters_and_names(expand=recurse):
            p.name = prefix + name

    def set_comm_fusion(self, fusion_type: int, recurse: bool = True) -> Any:
        """Set the number of the all-reduce that fuses the gradients of trainable Parameters; 0: no
        fusion. Return the Cell.

        Raises:
            TypeError, ValueError: ``fusion_type`` is not an int >= 0.
        """
        checks.integer(f"{type(self).__name__}.set_comm_fusion", "fusion_type", fusion_type, 0)
        for p in self.trainable_params(recurse):
            p.comm_fusion = fusion_type
        return self

    def check_names(self) -> None:
        """Check that no two Parameters share a name.

        Raises:
            ValueError: two do.
        """
        seen: dict[str, str] = {}
        for path, p in self.parameters_and_names():
            if p.name in seen:
                raise ValueError(
                    f"{type(self).__name__}: the parameters {seen[p.name]!r} and {path!r} must "
                    f"have different names, got {p.name!r} for both."
                )
            seen[p.name] = path

    def check_names_and_refresh_name(self) -> None:
        """Name all Parameters after their attribute paths if two share a name.

        Raises:
            ValueError: even then two share a name.
        """
        names = [p.name for _, p in self.parameters_and_names()]
        if len(set(names)) < len(names):
            self.update_parameters_name()
            self.check_names()

    # -- text -------------------------------------------------------------------------------------

    def extend_repr(self) -> str:
        """Return the text that ``repr`` shows in parentheses; a subclass may override it."""
        return ""

    def __repr__(self) -> str:
        text = self.extend_repr()
        children = [f"({name}): {_indent_lines(repr(cell))}" for name, cell in self._cells.items()]
        lines = [*(text.split("\n") if text else ()), *children]
        if not children and len(lines) <= 1:
            return f"{type(self).__name__}({text})"
        return "\n  ".join([f"{type(self).__name__}(", *lines]) + "\n)"

    def _repr_html_(self) -> str:
        """Return the HTML table of layers and their own parameters that a notebook shows."""
        rows = []
        for path, cell in self.cells_and_names():
            shapes = {name: tuple(p.shape) for name, p in cell._params.items() if p is not None}
            text = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
            rows.append([path or "(the Cell itself)", type(cell).__name__, text])
        params = list(self.get_parameters())
        count = sum(p.size for p in params)
        trainable = sum(p.size for p in params if p.requires_grad)
        caption = f"{type(self).__name__}: {count:,} numbers in {len(params)} parameters"
        caption += "" if trainable == count else f", {trainable:,} of them trainable"
        return format_html_table(caption, ("layer", "class", "parameters"), rows)


def _indent_lines(text: str) -> str:
    return text.replace("\n", "\n  ")
