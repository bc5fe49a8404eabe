"""Cell: a network or a part of one, with its Parameters."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, ValuesView
from typing import TYPE_CHECKING, Any

from minispore import context
from minispore.core import interpreter, views
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.tensor import Tensor
from minispore.core.tree import map_tensors
from minispore.errors import warn
from minispore.foundation import checks
from minispore.foundation.tracebacks import shorten_traceback
from minispore.graph.dynamic import Declared
from minispore.ir import dtype as mstype
from minispore.ir.value import Value
from minispore.nn.bprop import call_with_bprop
from minispore.nn.check import check_flag, check_recompute_options
from minispore.nn.forward_cache import may_need_gradient, run_and_keep
from minispore.nn.hooks import HookHandle, Hooks
from minispore.nn.saved_tensors import saved_tensors_hooks
from minispore.nn.state import CellState
from minispore.ops.control.effects import Assign
from minispore.ops.shape.cast_fill import Cast

_PRECISION_FLAGS = {"fp16": mstype.float16, "fp32": mstype.float32, "bf16": mstype.bfloat16}


class Cell(CellState):
    """Base of all networks: a subclass makes layers in ``__init__`` and computes in ``construct``.

    Args:
        auto_prefix: whether the parameters of a Cell that becomes an attribute are renamed
            after the attribute.
        flags: see :meth:`add_flags`.

    Raises:
        AttributeError: ``super().__init__()`` was not called before a layer is set.

    >>> from minispore import nn, Tensor
    >>> class Twice(nn.Cell):
    ...     def construct(self, x):
    ...         return x * 2
    >>> print(Twice()(Tensor([1.0, 2.0])))
    [2. 4.]
    """

    # Whether the Cell reads its parameters in full precision despite to_float (normalisations).
    _full_precision_ = False

    if TYPE_CHECKING:  # the nodes of a Cell's tree are Cells

        def cells_and_names(
            self, cells: set[Any] | None = None, name_prefix: str = ""
        ) -> Iterator[tuple[str, Cell]]: ...
        def name_cells(self) -> OrderedDict[str, Cell]: ...
        def cells(self) -> ValuesView[Cell]: ...
        def get_sub_cell(self, target: str) -> Cell: ...
        def apply(self, fn: Callable[[Cell], Any]) -> Any: ...

    def __init__(self, auto_prefix: bool = True, flags: dict[str, Any] | None = None) -> None:
        super().__init__(auto_prefix)
        attributes = self.__dict__
        attributes["training"] = attributes["requires_grad"] = False
        self._record_.plain = not hasattr(type(self), "bprop")
        attributes.update(
            phase="train", bprop_debug=False, cell_type=None, parameter_layout_dict={}
        )
        if flags:
            self.add_flags(**flags)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs of the Cell; a subclass defines it.

        Raises:
            AttributeError: the subclass does not define it.
        """
        hint = " Rename its method forward." if hasattr(type(self), "forward") else ""
        raise AttributeError(
            f"{type(self).__name__}: must define construct(self, ...): 'construct' is not defined."
            f"{hint}"
        )

    # -- calling ----------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the compiled graph if a compiler is active, else construct; traces record the
        scope.
        """
        if compiler := interpreter.find_stage_compiler():
            self._check_inputs_(args, kwargs)
            return compiler.call(self, args, kwargs)
        if not interpreter.tracing():
            return self._call_and_track_(args, kwargs)
        with interpreter.entering_scope(self._scope_name_):
            interpreter.current().visit(self)
            return self._call_and_track_(args, kwargs)

    _plain_call_ = __call__  # the compiler calls it in graphs; a class may wrap ``__call__``

    def _call_and_track_(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run one call of the Cell: check names at the first call, and count the depth of calls.

        A Cell in training with ``requires_grad`` also caches its forward pass for the next
        gradient; when the outermost call ends, the cache is cleared. An exception gets a note with
        the path of the Cell.
        """
        record = self._record_
        if not record.named:
            self.check_names_and_refresh_name()
            record.named = True
        state = interpreter.state()
        state.depth += 1
        try:
            if self.requires_grad and self.training and may_need_gradient(state):
                return run_and_keep(self, self._run_construct_, args, kwargs)
            if record.plain:
                return self.construct(*args, **kwargs)
            return self._run_construct_(args, kwargs)
        except Exception as exc:
            add_cell_note(exc, self)
            if state.depth == 1:
                shorten_traceback(exc)
            raise
        finally:
            state.depth -= 1
            if not state.depth:
                state.forwards.clear()

    def _run_construct_(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run construct, with the Cell's hooks, cast and bprop, if any."""
        record = self._record_
        if record.plain:
            return self.construct(*args, **kwargs)
        if record.hooks:
            return record.hooks.run(self, args, kwargs, self._call_in_precision_)
        return self._call_in_precision_(*args, **kwargs)

    def _call_in_precision_(self, *args: Any, **kwargs: Any) -> Any:
        """Run construct in the Cell's precision; while a tape records, also with the Cell's bprop
        and saved-tensors hooks.
        """
        record, uses_bprop = self._record_, hasattr(self, "bprop") and interpreter.tapes()
        body = self._call_with_bprop_ if uses_bprop else self.construct
        if record.packing and interpreter.tapes():
            body = record.packing(body)
        return self._run_in_precision_(body, args, kwargs)

    def _run_in_precision_(
        self, body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run ``body``, which computes the Cell's outputs, in the Cell's precision.

        Float inputs are cast. During the call, tensor attributes and containers of Parameters are
        replaced by cast stand-ins, except in normalization layers (``_full_precision_``); then
        they are restored.
        """
        record = self._record_
        if record.precision is None:
            return body(*args, **kwargs)
        args, kwargs = map_tensors(lambda t: _cast_float(t, record.precision), (args, kwargs))
        outer_dtype = record.reading
        record.reading = None if self._full_precision_ else record.precision
        # Constants are also read in the Cell's precision: cast copies replace them during
        # construct.
        attributes = self.__dict__
        stand_ins = {} if record.reading is None else self._make_stand_ins_()
        originals = {name: attributes.get(name, _ON_CLASS) for name in stand_ins}
        attributes.update({name: stand_in for name, (stand_in, _) in stand_ins.items()})
        try:
            return body(*args, **kwargs)
        finally:
            record.reading = outer_dtype
            for name, (stand_in, items) in stand_ins.items():
                if attributes.get(name) is stand_in:
                    _restore_attribute(attributes, name, originals[name], stand_in, items)

    def _make_stand_ins_(self) -> dict[str, tuple[Any, Any]]:
        """Make cast stand-ins for tensor attributes and for containers of Parameters.

        Returns:
            By attribute name, the stand-in and, for containers, a copy of its items.
        """
        attributes = self.__dict__
        subclasses = type(self).__mro__[: -len(Cell.__mro__)]  # the Cell's classes, without Cell's
        tensors = {
            n: t
            for cls in subclasses
            for n, t in vars(cls).items()
            if t.__class__ is Tensor and n not in attributes
        }
        tensors.update({n: t for n, t in attributes.items() if t.__class__ is Tensor})
        stand_ins: dict[str, tuple[Any, Any]] = {
            n: (self._cast_for_read_(t), None) for n, t in tensors.items()
        }
        for name, container in attributes.items():
            items = container.values() if container.__class__ is dict else container
            if container.__class__ in _CONTAINERS and any(isinstance(p, Parameter) for p in items):
                cast_items = [
                    self._cast_for_read_(p) if isinstance(p, Parameter) else p for p in items
                ]
                if container.__class__ is dict:
                    cast_dict = dict(zip(container, cast_items, strict=True))
                    stand_ins[name] = cast_dict, dict(cast_dict)
                else:
                    make_container = list if container.__class__ is list else tuple
                    stand_ins[name] = make_container(cast_items), cast_items
        return stand_ins

    def _call_with_bprop_(self, *args: Any, **kwargs: Any) -> Any:
        return call_with_bprop(self, args, kwargs)

    def _cast_for_read_(self, tensor: Tensor) -> Tensor:
        """Return a float tensor as a view in the dtype in which the running construct reads.

        Other tensors, and all tensors outside of such a call, are returned unchanged.
        """
        dtype = self._record_.reading
        if dtype is None or tensor.dtype.kind != "f" or tensor.dtype is dtype:
            return tensor
        return _LowPrecisionView(tensor, dtype)

    @property
    def _scope_name_(self) -> str:
        """The name of the attribute that holds this Cell, or else its class."""
        return self._record_.attribute or type(self).__name__

    def insert_child_to_cell(self, child_name: str, child_cell: Cell | None) -> None:
        super().insert_child_to_cell(child_name, child_cell)
        if child_cell is not None:
            child_cell._record_.attribute = child_name

    def _graph_key_(self) -> Hashable:
        """Return a key of everything except inputs that a trace depends on; Cells with equal keys
        share graphs.
        """
        record = self._record_
        versions = self._params.version, self._cells.version, self._buffers.version
        hooks = record.hooks.key() if record.hooks else ()
        checks_bprop = not record.plain and context.current().check_bprop
        return self.training, self.requires_grad, record.version, versions, hooks, checks_bprop

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the graph for these inputs without running it; do nothing in PYNATIVE_MODE."""
        if compiler := interpreter.find_stage_compiler():
            self._check_inputs_(args, kwargs)
            compiler.prepare(self, *args, **kwargs)

    def compile_and_run(self, *args: Any, **kwargs: Any) -> Any:
        """Call the Cell: graphs are compiled at the first call anyway."""
        return self(*args, **kwargs)

    # -- flags ------------------------------------------------------------------------------------

    def set_train(self, mode: bool = True) -> Any:
        """Switch this Cell and its descendants to training or inference; return the Cell.

        Also sets this Cell's ``phase`` to ``"train"`` or ``"predict"``.

        Raises:
            TypeError: ``mode`` is neither a bool nor a number.
        """
        check_flag(f"{type(self).__name__}.set_train", "mode", mode)
        self.phase = "train" if mode else "predict"
        return self.add_flags_recursive(training=mode)

    def set_grad(self, requires_grad: bool = True) -> Any:
        """Set whether a gradient that is computed inside another Cell reuses the last forward pass
        of this Cell, if it is in training; return the Cell.

        Raises:
            TypeError: ``requires_grad`` is neither a bool nor a number.
        """
        check_flag(f"{type(self).__name__}.set_grad", "requires_grad", requires_grad)
        self.requires_grad = requires_grad
        return self

    def to_float(self, dst_type: mstype.DType) -> Any:
        """Compute this Cell and its descendants in ``dst_type``.

        Inputs and Parameters are cast to it, and outputs keep it. Normalisation layers keep their
        Parameters in float32.

        Raises:
            ValueError: ``dst_type`` is not float16, float32 or bfloat16.
        """
        if dst_type not in _PRECISION_FLAGS.values():
            api_name, rule = f"{type(self).__name__}.to_float", "be float16, float32 or bfloat16"
            raise ValueError(checks.format_error(api_name, "dst_type", rule, repr(dst_type)))
        return self.add_flags_recursive(
            **{flag: dst_type is d for flag, d in _PRECISION_FLAGS.items()}
        )

    def add_flags(self, **flags: Any) -> Any:
        """Set flags of this Cell, which are also set as attributes; return the Cell.

        ``fp16``, ``fp32`` or ``bf16`` set to True selects the precision, as :meth:`to_float` does.
        """
        record = self._record_
        record.flags.update(flags)
        self.__dict__.update(flags)
        for flag, dtype in _PRECISION_FLAGS.items():
            if flags.get(flag):
                record.precision = dtype
                record.plain = False
        if flags.keys() == {"training"}:
            # `training` is part of _graph_key_, so the graphs of both modes stay compiled.
            interpreter.note_change()
        else:
            self._note_change_()
        return self

    def add_flags_recursive(self, **flags: Any) -> Any:
        """Set flags of this Cell and its descendants; return the Cell."""
        self.add_flags(**flags)
        for cell in self.cells():
            cell.add_flags_recursive(**flags)
        return self

    def get_flags(self) -> dict[str, Any]:
        """Return the flags that :meth:`add_flags` set."""
        return self._record_.flags

    # -- settings ---------------------------------------------------------------------------------

    @property
    def cls_name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    @property
    def pipeline_stage(self) -> int:
        """The pipeline stage of the Cell; it has no effect, since there is one device."""
        return self._record_.stage

    @pipeline_stage.setter
    def pipeline_stage(self, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{type(self).__name__}: pipeline_stage must be an int, got {value!r}.")
        if value < 0:
            raise ValueError(f"{type(self).__name__}: pipeline_stage must be >= 0, got {value}.")
        self._record_.stage = value

    @property
    def jit_config_dict(self) -> dict[str, Any]:
        """The options that :meth:`set_jit_config` stored."""
        return self._record_.jit_config

    def set_jit_config(self, jit_config: Any) -> None:
        """Store the options of a JitConfig; only the first call has an effect."""
        if not self._record_.jit_config:
            self._record_.jit_config = jit_config.jit_config_dict
            self._note_change_()

    def set_inputs(self, *inputs: Any, **kwargs: Any) -> None:
        """Declare all inputs, or only the named ones; None denotes an axis of variable length.

        In GRAPH_MODE, a direct call of the Cell compares its inputs with them: a difference is a
        warning, since MindSpore refuses it, and an error under ``jit_syntax_level=STRICT``.

        Raises:
            ValueError: both positional and keyword inputs are given, or construct has no such
                input; when called under STRICT: a shape or number differs from the declaration.
            TypeError: when called under STRICT: a kind or dtype differs, or the declared inputs are
                not those of construct.
        """
        if inputs and kwargs:
            raise ValueError(
                f"{type(self).__name__}.set_inputs: inputs must be all positional or all keyword."
            )
        signature = inspect.signature(self.construct)
        self._record_.inputs = _DeclaredInputs(type(self).__name__, signature, inputs, kwargs)

    def get_inputs(self) -> tuple[Any, ...] | None:
        """Return the inputs that :meth:`set_inputs` declared, with None for undeclared inputs."""
        declared = self._record_.inputs
        return None if declared is None else declared.ordered_inputs()

    _dynamic_shape_inputs = property(get_inputs)  # an attribute of MindSpore that scripts read

    def _check_inputs_(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Check the inputs of a call against those that ``set_inputs`` declared, if any.

        A mismatch is a warning unless the syntax level is STRICT.

        Raises:
            TypeError, ValueError: an input does not match, in STRICT.
        """
        if self._record_.inputs is None:
            return
        try:
            self._record_.inputs.check(args, kwargs)
        except (TypeError, ValueError) as error:
            if context.is_syntax_strict():
                raise
            warn(f"{error} MindSpore refuses that in GRAPH_MODE.")

    def update_cell_type(self, cell_type: str) -> None:
        """Store a name for the type of Cell (``"second-order"``), which some optimizers read."""
        self.cell_type = cell_type

    def set_broadcast_flag(self, mode: bool = True) -> Any:
        """Set the flag ``broadcast_flag`` on this Cell and its descendants; return the Cell."""
        return self.add_flags_recursive(broadcast_flag=mode)

    def set_boost(self, boost_type: str) -> Any:
        """Set the flag ``less_bn`` on this Cell and its descendants; return the Cell.

        Raises:
            ValueError: ``boost_type`` is not ``"less_bn"``.
        """
        if boost_type != "less_bn":
            raise ValueError(
                f"{type(self).__name__}.set_boost: boost_type must be 'less_bn', got "
                f"{boost_type!r}."
            )
        return self.add_flags_recursive(less_bn=True)

    # -- names in the network ---------------------------------------------------------------------

    def generate_scope(self) -> None:
        """Name each unnamed descendant by its path, ``Default/<attribute>-<class>/...``.

        The classes are omitted if ``reserve_class_name_in_scope`` of the context is False.
        """
        self._name_scopes_("Default")

    def _name_scopes_(self, prefix: str) -> None:
        """Name each unnamed child ``<prefix>/<attribute>-<class>``, and so on for its children.

        Named ones keep their names. Called by :meth:`generate_scope`.
        """
        with_class = context.current().reserve_class_name_in_scope
        for attribute, cell in self.name_cells().items():
            scope = f"{prefix}/{attribute}" + (f"-{type(cell).__name__}" if with_class else "")
            if cell._record_.scope is None:
                cell._record_.scope = scope
            cell._name_scopes_(scope)

    def get_scope(self) -> str | None:
        """Return the name that :meth:`generate_scope` of an ancestor has set; None before."""
        return self._record_.scope

    # -- accepted for compatibility ----------------------------------------------------------------

    def recompute(self, **kwargs: Any) -> None:
        """Mark the scopes of this Cell and its descendants as recomputed, which has no other
        effect.

        The memory planner alone decides which values stay in memory.
        """
        check_recompute_options(f"{type(self).__name__}.recompute", kwargs)
        for _, cell in self.cells_and_names():
            scope = cell._record_.scope or ""
            cell._record_.scope = "recompute_" + scope.removeprefix("recompute_")

    def shard(
        self, in_strategy: Any, out_strategy: Any = None, parameter_plan: Any = None, **kwargs: Any
    ) -> None:
        """Accepted for compatibility where there is one rank.

        Raises:
            RuntimeError: there are several ranks, in a mode that splits networks.
        """
        context.parallel.note_shard_call(f"{type(self).__name__}.shard")

    def offload(self, backward_prefetch: Any = "Auto") -> None:
        """Check ``backward_prefetch``, and do nothing else: everything is already in host memory.

        Raises:
            TypeError, ValueError: ``backward_prefetch`` is not valid.
        """
        checks.backward_prefetch(f"{type(self).__name__}.offload", backward_prefetch)

    def set_data_parallel(self) -> None:
        """Accepted for compatibility: no strategy is searched for."""

    # -- hooks ------------------------------------------------------------------------------------

    def register_saved_tensors_hooks(
        self, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]
    ) -> None:
        """Run construct inside :class:`minispore.saved_tensors_hooks` with these two functions."""
        self._record_.packing = saved_tensors_hooks(pack_hook, unpack_hook).wrap_function
        self._record_.plain = False
        self._note_change_()

    def _get_hooks_(self) -> Hooks:
        """Return the Hooks of this Cell; the first call creates them.

        From then on, calls of the Cell no longer run construct alone.
        """
        record = self._record_
        if record.hooks is None:
            record.hooks = Hooks()
        record.plain = False
        return record.hooks

    def register_forward_pre_hook(
        self, hook_fn: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """Call ``hook_fn(cell, args)`` before construct; return a handle that removes the hook.

        A result other than None replaces the inputs. ``with_kwargs`` calls ``hook_fn(cell, args,
        kwargs)``, which returns None or (args, kwargs). ``prepend`` runs it before other hooks.
        """
        hooks = self._get_hooks_()
        return hooks.add(
            hooks.forward_pre, hook_fn, prepend, with_kwargs=with_kwargs, always_call=False
        )

    def register_forward_hook(
        self,
        hook_fn: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookHandle:
        """Call ``hook_fn(cell, args, output)`` after construct; return a handle that removes it.

        A result other than None replaces the output. ``with_kwargs`` calls ``hook_fn(cell, args,
        kwargs, output)``, ``prepend`` runs it before other hooks, and ``always_call`` runs it also
        after an exception.
        """
        hooks = self._get_hooks_()
        return hooks.add(
            hooks.forward, hook_fn, prepend, with_kwargs=with_kwargs, always_call=always_call
        )

    def register_backward_pre_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Call ``hook_fn(cell, grad_output)`` when the gradient reaches the outputs.

        A result other than None replaces the gradient. Returns a handle that removes the hook.
        """
        hooks = self._get_hooks_()
        return hooks.add(hooks.backward_pre, hook_fn)

    def register_backward_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Call ``hook_fn(cell, grad_input, grad_output)`` when the inputs' gradient is computed.

        A result other than None replaces ``grad_input``. Returns a handle that removes the hook.
        """
        hooks = self._get_hooks_()
        return hooks.add(hooks.backward, hook_fn)

    def _get_name(self) -> str:
        return type(self).__name__

    def __bool__(self) -> bool:
        return True


def add_cell_note(exc: Exception, cell: Any) -> None:
    """Add a note to ``exc`` with the path and class of the Cell in which it was raised.

    While the exception propagates, each outer Cell replaces the note by one with a longer path.
    Exceptions that don't accept attributes get no note.
    """
    inner_path, class_name = getattr(exc, "_cell", ("", type(cell).__name__))
    path = f"{cell._scope_name_}.{inner_path}" if inner_path else cell._scope_name_
    try:
        exc._cell = path, class_name  # type: ignore[attr-defined]
        other_notes = [
            n for n in getattr(exc, "__notes__", ()) if n != f"in {inner_path} ({class_name})"
        ]
        exc.__notes__ = [*other_notes, f"in {path} ({class_name})"]
    except AttributeError:  # an exception that accepts no attributes accepts no note either
        return


class _DeclaredInputs(Declared):
    """The inputs that ``Cell.set_inputs`` declared: all of them, or some by name."""

    def __init__(
        self,
        cell_name: str,
        signature: inspect.Signature,
        inputs: tuple[Any, ...],
        named: dict[str, Any],
    ) -> None:
        super().__init__(f"{cell_name}.set_inputs", "construct", signature, named)
        self._inputs = inputs

    def expected_by_name(self) -> dict[str, Any]:
        """Return the declared inputs, by the names of construct's arguments.

        Raises:
            TypeError: these are not the inputs of construct.
        """
        if self._expected:
            return self._expected
        try:
            return self._signature.bind(*self._inputs).arguments
        except TypeError as exc:
            raise TypeError(
                f"{self._api_name}: inputs must be those of construct: {exc}."
            ) from None

    def ordered_inputs(self) -> tuple[Any, ...]:
        """Return the declared inputs in the order of the signature, with None for undeclared
        ones.
        """
        if not self._expected:
            return self._inputs
        return tuple([self._expected.get(name) for name in self._signature.parameters])

    def _get_required_class(self, x: Tensor) -> type:
        """Return the class that an input and its declaration must both have."""
        return Parameter if isinstance(x, Parameter) else Tensor


class _LowPrecisionView(Tensor):
    """A Parameter or constant read in lower precision; assignments are written to the source."""

    __slots__ = ("source",)

    def __init__(self, source: Tensor, dtype: mstype.DType) -> None:
        self.source = source
        self._value = Cast()(source, dtype).value_

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.source, name)  # attributes that a Parameter has, but not a Tensor

    def set_value_(self, value: Value) -> None:
        """Set the view's value, and write it to the source in the source's dtype."""
        self._value = value
        tensor = Tensor.__new__(Tensor)
        tensor._value = value
        source_value = Cast()(tensor, self.source.dtype)
        if isinstance(self.source, Parameter):
            Assign()(self.source, source_value)
        else:
            views.write_through(self.source, source_value.value_)


_ON_CLASS = object()  # denotes an attribute that is only on the class
_CONTAINERS = (list, tuple, dict, ParameterTuple)


def _restore_attribute(
    attributes: dict[str, Any], name: str, original: Any, stand_in: Any, items: Any
) -> None:
    """Replace ``stand_in`` by the original attribute, after construct ran.

    Items that construct changed in a list or dict are written to the original container.

    Args:
        attributes: the Cell's ``__dict__``.
        name: the attribute.
        original: the value before construct ran, or ``_ON_CLASS``.
        stand_in: the value while construct ran.
        items: the items of the stand-in before construct ran.
    """
    if original is _ON_CLASS:
        del attributes[name]
        return
    attributes[name] = original
    if stand_in.__class__ is list and not _has_same_items(stand_in, items):
        original[:] = [getattr(x, "source", x) for x in stand_in]
    elif stand_in.__class__ is dict and not (
        [*stand_in] == [*items] and _has_same_items([*stand_in.values()], [*items.values()])
    ):
        content = {k: getattr(x, "source", x) for k, x in stand_in.items()}
        original.clear()
        original.update(content)


def _has_same_items(items: list[Any], others: list[Any]) -> bool:
    """Whether two lists hold the same objects in the same order."""
    return len(items) == len(others) and all(a is b for a, b in zip(items, others, strict=True))


def _cast_float(t: Tensor, dtype: mstype.DType | None) -> Tensor:
    return t if t.dtype.kind != "f" or t.dtype is dtype else Cast()(t, dtype)


__all__ = ["Cell"]
