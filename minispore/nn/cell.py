"""Cell: a network or a part of one, with its Parameters."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from minispore import context
from minispore.core import dtype as mstype
from minispore.core import interpreter, views
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.tensor import Tensor
from minispore.core.tree import map_tensors
from minispore.core.value import Value
from minispore.foundation import checks
from minispore.nn.bprop import call_with_bprop
from minispore.nn.check import a_flag
from minispore.nn.forwards import remembered, wanted
from minispore.nn.hooks import HookHandle, Hooks
from minispore.nn.record import note
from minispore.nn.saved import saved_tensors_hooks
from minispore.nn.settings import CellSettings
from minispore.ops.control.effects import Assign
from minispore.ops.shape.whole import Cast

_LOWERED = {"fp16": mstype.float16, "fp32": mstype.float32, "bf16": mstype.bfloat16}


class Cell(CellSettings):
    """Base of all networks: a subclass makes its parts in ``__init__`` and
    computes in ``construct``.

    Args:
        auto_prefix: whether the parameters of a Cell that becomes an attribute are renamed
            after it.
        flags: see :meth:`add_flags`.

    Raises:
        AttributeError: ``super().__init__()`` was not called before a part is set.

    >>> from minispore import nn, Tensor
    >>> class Twice(nn.Cell):
    ...     def construct(self, x):
    ...         return x * 2
    >>> print(Twice()(Tensor([1.0, 2.0])))
    [2. 4.]
    """

    # Cells that read their parameters in full precision whatever to_float says (normalisations).
    _full_precision_ = False

    def __init__(self, auto_prefix: bool = True, flags: dict[str, Any] | None = None) -> None:
        super().__init__(auto_prefix)
        own = self.__dict__
        own["training"] = own["requires_grad"] = False
        self._record_.plain = not hasattr(type(self), "bprop")
        own.update(phase="train", bprop_debug=False, cell_type=None, parameter_layout_dict={})
        if flags:
            self.add_flags(**flags)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """What the Cell computes; for subclasses."""
        raise AttributeError(
            f"{type(self).__name__}: must define construct(self, ...): 'construct' is not defined."
        )

    # -- calling ----------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if compiler := interpreter.find_stage_compiler():
            self._check_inputs_(args, kwargs)
            return compiler.call(self, args, kwargs)
        if not interpreter.tracing():
            return self._call_construct_(args, kwargs)
        with interpreter.entering_scope(self._scope_name_):
            interpreter.interpreter().visit(self)
            return self._call_construct_(args, kwargs)

    _plain_call_ = __call__  # what a graph is made of: a class may put its own around it

    def _call_construct_(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        record = self._record_
        if not record.named:
            self.check_names_and_refresh_name()
            record.named = True
        state = interpreter.state()
        state.depth += 1
        try:
            if self.requires_grad and self.training and wanted(state):
                return remembered(self, self._constructed_, args, kwargs)
            if record.plain:
                return self.construct(*args, **kwargs)
            return self._constructed_(args, kwargs)
        except Exception as exc:
            note(exc, self)
            raise
        finally:
            state.depth -= 1
            if not state.depth:
                state.forwards.clear()

    def _constructed_(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        record = self._record_
        if record.plain:
            return self.construct(*args, **kwargs)
        if record.hooks:
            return record.hooks.run(self, args, kwargs, self._call_lowered_)
        return self._call_lowered_(*args, **kwargs)

    def _call_lowered_(self, *args: Any, **kwargs: Any) -> Any:
        """``construct`` in the Cell's own precision, with the Cell's own derivative."""
        record, derived = self._record_, hasattr(self, "bprop") and interpreter.tapes()
        body = self._with_bprop_ if derived else self.construct
        if record.packing and interpreter.tapes():
            body = record.packing(body)
        if record.precision is None:
            return body(*args, **kwargs)
        args, kwargs = map_tensors(lambda t: _cast_float(t, record.precision), (args, kwargs))
        outer = record.reading
        record.reading = None if self._full_precision_ else record.precision
        # Constants count in the Cell's precision, too: while construct runs they stand there cast.
        own = self.__dict__
        lowered = {} if record.reading is None else self._constants_()
        before = {name: own.get(name, _CLASS) for name in lowered}
        own.update({name: stand_in for name, (stand_in, _) in lowered.items()})
        try:
            return body(*args, **kwargs)
        finally:
            record.reading = outer
            for name, (stand_in, were) in lowered.items():
                if own.get(name) is stand_in:
                    _put_back(own, name, before[name], stand_in, were)

    def _constants_(self) -> dict[str, tuple[Any, Any]]:
        """By name, what stands for tensors of this Cell and its class and for containers of its
        Parameters, and what those hold.
        """
        own = self.__dict__
        found = {
            n: t
            for kind in type(self).__mro__[: -len(Cell.__mro__)]
            for n, t in vars(kind).items()
            if t.__class__ is Tensor and n not in own
        }
        found.update({n: t for n, t in own.items() if t.__class__ is Tensor})
        made: dict[str, tuple[Any, Any]] = {n: (self._lowered_(t), None) for n, t in found.items()}
        for name, held in own.items():
            parts = held.values() if held.__class__ is dict else held
            if held.__class__ in _CONTAINERS and any(isinstance(p, Parameter) for p in parts):
                low = [self._lowered_(p) if isinstance(p, Parameter) else p for p in parts]
                if held.__class__ is dict:
                    made[name] = (
                        dict(zip(held, low, strict=True)),
                        dict(zip(held, low, strict=True)),
                    )
                else:
                    made[name] = (list(low) if held.__class__ is list else tuple(low)), low
        return made

    def _with_bprop_(self, *args: Any, **kwargs: Any) -> Any:
        return call_with_bprop(self, args, kwargs)

    def _lowered_(self, tensor: Tensor) -> Tensor:
        dtype = self._record_.reading
        if dtype is None or tensor.dtype.kind != "f" or tensor.dtype is dtype:
            return tensor
        return _Lowered(tensor, dtype)

    @property
    def _scope_name_(self) -> str:
        return self._record_.attribute or type(self).__name__

    def insert_child_to_cell(self, child_name: str, child_cell: Cell | None) -> None:
        super().insert_child_to_cell(child_name, child_cell)
        if child_cell is not None:
            child_cell._record_.attribute = child_name

    def _graph_key_(self) -> Hashable:
        """What a trace of this Cell depends on beside its inputs; equal keys may share
        a compiled graph.
        """
        record = self._record_
        trees = self._params.version, self._cells.version, self._buffers.version
        hooks = record.hooks.key() if record.hooks else ()
        checked = not record.plain and context.current().check_bprop
        return self.training, self.requires_grad, record.version, trees, hooks, checked

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the graph for these inputs without running it; in PYNATIVE_MODE there is nothing
        to compile.
        """
        if compiler := interpreter.find_stage_compiler():
            self._check_inputs_(args, kwargs)
            compiler.prepare(self, *args, **kwargs)

    def compile_and_run(self, *args: Any, **kwargs: Any) -> Any:
        """The same as calling the Cell: graphs are compiled at the first call."""
        return self(*args, **kwargs)

    # -- flags ------------------------------------------------------------------------------------

    def set_train(self, mode: bool = True) -> Any:
        """Switch this Cell and all below it to training (Dropout, BatchNorm) or back;
        returns the Cell.

        Raises:
            TypeError: ``mode`` is neither a bool nor a number.
        """
        a_flag(f"{type(self).__name__}.set_train", "mode", mode)
        self.phase = "train" if mode else "predict"
        return self.add_flags_recursive(training=mode)

    def set_grad(self, requires_grad: bool = True) -> Any:
        """Let a gradient asked for inside of a Cell take what this one has just computed there.

        Raises:
            TypeError: ``requires_grad`` is neither a bool nor a number.
        """
        a_flag(f"{type(self).__name__}.set_grad", "requires_grad", requires_grad)
        self.requires_grad = requires_grad
        return self

    def to_float(self, dst_type: mstype.DType) -> Any:
        """Compute this Cell and all below it in ``dst_type``: inputs and Parameters are cast,
        outputs stay so. Normalisation layers keep their Parameters in float32.

        Raises:
            ValueError: ``dst_type`` is not float16, float32 or bfloat16.
        """
        if dst_type not in _LOWERED.values():
            who, rule = f"{type(self).__name__}.to_float", "be float16, float32 or bfloat16"
            raise ValueError(checks.format_error(who, "dst_type", rule, repr(dst_type)))
        return self.add_flags_recursive(**{flag: dst_type is d for flag, d in _LOWERED.items()})

    def add_flags(self, **flags: Any) -> Any:
        """Set flags of this Cell, each also an attribute; returns the Cell."""
        record = self._record_
        record.flags.update(flags)
        self.__dict__.update(flags)
        for flag, dtype in _LOWERED.items():
            if flags.get(flag):
                record.precision = dtype
                record.plain = False
        if flags.keys() == {"training"}:
            interpreter.note_change()  # a part of _graph_key_ by itself: both graphs stay compiled
        else:
            self._note_change_()
        return self

    def add_flags_recursive(self, **flags: Any) -> Any:
        """Set flags of this Cell and all below it; returns the Cell."""
        self.add_flags(**flags)
        for cell in self.cells():
            cell.add_flags_recursive(**flags)
        return self

    def get_flags(self) -> dict[str, Any]:
        """The flags that :meth:`add_flags` set."""
        return self._record_.flags

    # -- hooks ------------------------------------------------------------------------------------

    def register_saved_tensors_hooks(
        self, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]
    ) -> None:
        """Run construct inside of :class:`minispore.saved_tensors_hooks` of these two."""
        self._record_.packing = saved_tensors_hooks(pack_hook, unpack_hook).around
        self._record_.plain = False
        self._note_change_()

    def _own_hooks_(self) -> Hooks:
        record = self._record_
        if record.hooks is None:
            record.hooks = Hooks()
        record.plain = False
        return record.hooks

    def register_forward_pre_hook(
        self, hook_fn: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """Call ``hook_fn(cell, args)`` before construct; what it returns, if not None,
        replaces the inputs.
        """
        hooks = self._own_hooks_()
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
        """Call ``hook_fn(cell, args, output)`` after construct; what it returns, if not None,
        replaces the output.
        """
        hooks = self._own_hooks_()
        return hooks.add(
            hooks.forward, hook_fn, prepend, with_kwargs=with_kwargs, always_call=always_call
        )

    def register_backward_pre_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Call ``hook_fn(cell, grad_output)`` when the gradient reaches the outputs; what it
        returns replaces it.
        """
        hooks = self._own_hooks_()
        return hooks.add(hooks.backward_pre, hook_fn)

    def register_backward_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Call ``hook_fn(cell, grad_input, grad_output)`` when the gradient leaves; what it returns
        replaces it.
        """
        hooks = self._own_hooks_()
        return hooks.add(hooks.backward, hook_fn)

    def _get_name(self) -> str:
        return type(self).__name__

    def __bool__(self) -> bool:
        return True


class _Lowered(Tensor):
    """A Parameter or a constant read in lower precision. Assigning to it assigns to that."""

    __slots__ = ("source",)

    def __init__(self, source: Tensor, dtype: mstype.DType) -> None:
        self.source = source
        self._value = Cast()(source, dtype).value_

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.source, name)  # what a Parameter has and a Tensor has not

    def set_value_(self, value: Value) -> None:
        self._value = value
        new = Tensor.__new__(Tensor)
        new._value = value
        given = Cast()(new, self.source.dtype)
        if isinstance(self.source, Parameter):
            Assign()(self.source, given)
        else:
            views.write_through(self.source, given.value_)


_CLASS = object()  # an attribute of the class
_CONTAINERS = (list, tuple, dict, ParameterTuple)


def _put_back(own: dict[str, Any], name: str, before: Any, stand_in: Any, were: Any) -> None:
    """End the time in which ``stand_in`` was an attribute; what construct did to it stays done."""
    if before is _CLASS:
        del own[name]
        return
    own[name] = before
    if stand_in.__class__ is list and not _alike(stand_in, were):
        before[:] = [getattr(x, "source", x) for x in stand_in]
    elif stand_in.__class__ is dict and not (
        [*stand_in] == [*were] and _alike([*stand_in.values()], [*were.values()])
    ):
        now = {k: getattr(x, "source", x) for k, x in stand_in.items()}
        before.clear()
        before.update(now)


def _alike(some: list[Any], others: list[Any]) -> bool:
    return len(some) == len(others) and all(a is b for a, b in zip(some, others, strict=True))


def _cast_float(t: Tensor, dtype: mstype.DType | None) -> Tensor:
    return t if t.dtype.kind != "f" or t.dtype is dtype else Cast()(t, dtype)


__all__ = ["Cell"]
