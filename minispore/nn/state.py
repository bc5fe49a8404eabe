"""Buffers and state dicts: what a Cell remembers beside its Parameters, and all of it by name."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter, _Buffer
from minispore.core.tensor import Tensor
from minispore.nn.hooks import HookHandle
from minispore.nn.tree import CellTree
from minispore.ops.shape.whole import ZerosLike

if TYPE_CHECKING:
    from minispore.nn.cell import Cell


_EXTRA = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """What :meth:`CellState.load_state_dict` could not match."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={keys}" for name, keys in self._asdict().items())
        return f"_IncompatibleKeys({told})" if any(self) else "<All keys matched successfully>"

    def told(self) -> list[str]:
        """What is wrong, a line for each kind."""
        lines = {"missing": self.missing_keys, "unexpected": self.unexpected_keys}
        return [f"{what}: {', '.join(keys)}" for what, keys in lines.items() if keys]


class StateHooks:
    """The functions that see how one Cell gives and takes its state."""

    def __init__(self) -> None:
        self.before_giving: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.given: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.before_taking: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.taken: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self._count = itertools.count()

    def add(self, kind: OrderedDict[int, Any], who: str, hook: Any) -> HookHandle:
        """Put a hook after the others.

        Raises:
            TypeError: it is no function.
        """
        if not callable(hook):
            raise TypeError(f"{who}: hook must be a function, got {hook!r}.")
        number = next(self._count)
        kind[number] = hook
        return HookHandle(kind, number)


def _refuse(where: str, wrong: list[str]) -> None:
    if wrong:
        raise RuntimeError(
            f"{where}: state_dict must match the Cell, got differences:\n  " + "\n  ".join(wrong)
        )


def _told(hooks: Iterable[Callable[..., Any]], kind: str, *args: Any) -> None:
    for hook in list(hooks):
        if hook(*args) is not None:
            raise RuntimeError(
                f"{kind}: a hook must return None, got a value. Change its arguments in place."
            )


class CellState(CellTree):
    """The part of a Cell that keeps state."""

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Keep a tensor that is no Parameter as the attribute ``name``.

        Args:
            name: the attribute.
            tensor: its content, or None.
            persistent: whether :meth:`state_dict` contains it.

        Raises:
            TypeError: ``name`` is not a str or ``tensor`` neither a Tensor nor None.
            KeyError: the name is empty, contains a dot or is the name of another attribute.
        """
        where = f"{type(self).__name__}.register_buffer"
        if not isinstance(name, str):
            raise TypeError(f"{where}: name must be a str, got {name!r} ({type(name).__name__}).")
        if not name or "." in name:
            raise KeyError(f"{where}: name must be a name without dots, got {name!r}.")
        if name not in self._buffers and hasattr(self, name):
            raise KeyError(f"{where}: name must be new, got {name!r}, which is another attribute.")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"{where}: tensor must be a Tensor or None, got {tensor!r} "
                f"({type(tensor).__name__})."
            )
        self._buffers[name] = tensor
        (self._record_.transient.discard if persistent else self._record_.transient.add)(name)

    def _set_plain_(self, name: str, value: Any) -> None:
        if isinstance(value, _Buffer):
            self.register_buffer(name, value, value.persistent)
        else:
            super()._set_plain_(name, value)

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers of this Cell and, with ``recurse``, of all below it, with their paths."""
        seen: set[int] = set()
        for path, cell in (
            self.cells_and_names(name_prefix=prefix) if recurse else ((prefix, self),)
        ):
            for name, buffer in cell._buffers.items():
                if buffer is None or id(buffer) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(buffer))
                yield (f"{path}.{name}" if path else name), buffer

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers of this Cell and, with ``recurse``, of all below it."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at the path ``target``.

        Raises:
            AttributeError: there is none.
        """
        path, _, name = target.rpartition(".")
        cell = self.get_sub_cell(path)
        if name not in cell._buffers:
            raise AttributeError(
                f"{type(self).__name__}.get_buffer: target must name a buffer, got {target!r}."
            )
        return cell._buffers[name]

    # -- state dicts ------------------------------------------------------------------------------

    def state_dict(
        self,
        *,
        destination: dict[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Any]:
        """Parameters and persistent buffers by attribute path.

        Args:
            destination: the dict to fill; a new one by default.
            prefix: put before each path.
            keep_vars: accepted for MindSpore's sake: the tensors themselves are returned
                in any case.

        >>> from minispore import nn
        >>> list(nn.SequentialCell(nn.Dense(2, 1)).state_dict())
        ['0.weight', '0.bias']
        """
        found: dict[str, Any] = OrderedDict() if destination is None else destination
        hooks = self._record_.state_hooks
        if hooks is not None:
            for hook in list(hooks.before_giving.values()):
                hook(self, prefix, keep_vars)
        for name, kept in self._own_state_():
            found[prefix + name] = kept
        if type(self).get_extra_state is not CellState.get_extra_state:
            found[prefix + _EXTRA] = self.get_extra_state()
        for name, cell in self._cells.items():
            if cell is not None:
                cell.state_dict(destination=found, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        if hooks is not None:
            _told(hooks.given.values(), "state_dict", self, found, prefix, {})
        return found

    def get_extra_state(self) -> Any:
        """What a Cell's :meth:`state_dict` has beside its tensors; for subclasses, with
        :meth:`set_extra_state`.

        Raises:
            RuntimeError: the subclass has none.

        >>> from minispore import nn
        >>> class Counted(nn.Cell):
        ...     seen = 3
        ...     def get_extra_state(self):
        ...         return {"seen": self.seen}
        ...     def set_extra_state(self, state):
        ...         self.seen = state["seen"]
        >>> dict(Counted().state_dict())
        {'_extra_state': {'seen': 3}}
        """
        raise RuntimeError(f"{type(self).__name__}: has no extra state. Define get_extra_state.")

    def set_extra_state(self, state: Any) -> None:
        """Take what :meth:`get_extra_state` gave, once :meth:`load_state_dict` has filled the
        tensors; for subclasses.

        Args:
            state: what was given.

        Raises:
            RuntimeError: the subclass has none.
        """
        raise RuntimeError(f"{type(self).__name__}: has no extra state. Define set_extra_state.")

    def _places_(self, prefix: str = "") -> Iterator[tuple[str, CellState]]:
        """What stands before the paths of this Cell and of those below it, parents first."""
        yield prefix, self
        for name, cell in self._cells.items():
            if cell is not None:
                yield from cell._places_(f"{prefix}{name}.")

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(cell, prefix, keep_vars)`` before :meth:`state_dict` collects anything.

        Args:
            hook: the function.

        Returns:
            A handle that removes it.
        """
        hooks = self._state_hooks_()
        return hooks.add(hooks.before_giving, "register_state_dict_pre_hook", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(cell, state_dict, prefix, local_metadata)`` when :meth:`state_dict` has all
        of the Cell; it may change the dict, and returns None.

        Args:
            hook: the function.

        Returns:
            A handle that removes it.
        """
        hooks = self._state_hooks_()
        return hooks.add(hooks.given, "register_state_dict_post_hook", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(cell, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs)`` before :meth:`load_state_dict` looks at a copy of the dict,
        which it may change. What is in the last three lists by then is reported.

        Args:
            hook: the function.

        Returns:
            A handle that removes it.
        """
        hooks = self._state_hooks_()
        return hooks.add(hooks.before_taking, "register_load_state_dict_pre_hook", hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(cell, incompatible_keys)`` when :meth:`load_state_dict` has filled the Cell.
        It may change the lists in place, and so what ``strict`` refuses, and returns None.

        Args:
            hook: the function.

        Returns:
            A handle that removes it.
        """
        hooks = self._state_hooks_()
        return hooks.add(hooks.taken, "register_load_state_dict_post_hook", hook)

    def _state_hooks_(self) -> StateHooks:
        if self._record_.state_hooks is None:
            self._record_.state_hooks = StateHooks()
        return self._record_.state_hooks

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True
    ) -> IncompatibleKeys:
        """Fill Parameters and buffers from a dict as :meth:`state_dict` gives it; all of them or,
        on an error, none: unless hooks that see the Cell filled have to say whether it is one.

        Args:
            state_dict: tensors by path.
            strict: whether paths may be missing or unknown.

        Returns:
            The missing and the unexpected paths.

        Raises:
            TypeError: ``state_dict`` is not a mapping.
            RuntimeError: a shape differs, or with ``strict`` a path is missing or unknown.
        """
        where = f"{type(self).__name__}.load_state_dict"
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"{where}: state_dict must be a dict, got {type(state_dict).__name__}.")
        places = list(self._places_())
        own = {at + name: kept for at, cell in places for name, kept in cell._own_state_()}
        keys, wrong = IncompatibleKeys([], []), list[str]()
        states = ((at, cell, cell._record_.state_hooks) for at, cell in places)
        hooked = [(at, cell, hooks) for at, cell, hooks in states if hooks is not None]
        if hooked:
            state_dict = OrderedDict(state_dict)
        for prefix, cell, hooks in hooked:
            for hook in list(hooks.before_taking.values()):
                hook(cell, state_dict, prefix, {}, strict, *keys, wrong)
        takers = {
            at + _EXTRA: cell
            for at, cell in places
            if type(cell).set_extra_state is not CellState.set_extra_state
        }
        keys.missing_keys.extend(k for k in [*own, *takers] if k not in state_dict)
        keys.unexpected_keys.extend(k for k in state_dict if k not in own and k not in takers)
        late = any(hooks.taken for _, _, hooks in hooked)
        if strict and not late:
            wrong += keys.told()
        for name in own:
            new = state_dict.get(name)
            if name in state_dict and not isinstance(new, Tensor):
                wrong.append(f"{name}: must be a Tensor, got {type(new).__name__}")
            elif new is not None and new.shape != own[name].shape:
                wrong.append(f"{name}: must have the shape {own[name].shape}, got {new.shape}")
        _refuse(where, wrong)
        for name, old in own.items():
            if name in state_dict:
                new = Tensor(state_dict[name].asnumpy(), old.dtype)
                if isinstance(old, Parameter):
                    old.set_data(new)
                else:
                    old.set_value_(new.value_)
        for name, cell in takers.items():
            if name in state_dict:
                cell.set_extra_state(state_dict[name])
        for _, cell, hooks in reversed(hooked):
            _told(hooks.taken.values(), where, cell, keys)
        if strict and late:
            _refuse(where, keys.told())
        return keys

    def _own_state_(self) -> Iterator[tuple[str, Tensor]]:
        for name, p in self._params.items():
            if p is not None:
                yield name, p
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._record_.transient:
                yield name, buffer

    # -- conversion -------------------------------------------------------------------------------

    def to(self, *args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """Convert floating-point Parameters and buffers to ``dtype``, in place; a device is
        accepted and ignored.
        """
        for arg in args:
            if isinstance(arg, mstype.DType):
                dtype = arg
        if dtype is None:
            return self
        if not isinstance(dtype, mstype.DType) or dtype.kind not in "fc":
            raise TypeError(f"{type(self).__name__}.to: dtype must be a float type, got {dtype!r}.")
        for _, p in self.parameters_and_names():
            if p.dtype.kind in "fc":
                p.set_dtype(dtype)
        for buffer in self.buffers():
            if buffer.dtype.kind in "fc":
                buffer.set_value_(Tensor(buffer.asnumpy(), dtype).value_)
        self._note_change_()
        return self

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """Fill the parameters that were left for later in ``nn.utils.no_init_parameters``. Maps
        each one to itself.
        """
        return {p: p.init_data() for _, p in self.parameters_and_names()}

    def to_empty(self, *, device: Any = None, recurse: bool = True) -> Any:
        """Forget what Parameters and buffers hold, to fill them later: they are zeros until then.
        Returns the Cell.

        Args:
            device: accepted for MindSpore's sake.
            recurse: also those of all Cells below.
        """
        return self._apply(lambda tensor: ZerosLike()(tensor), recurse)

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Cell:
        """Replace the content of each Parameter and buffer by what ``fn`` makes of it."""
        for p in self.get_parameters(expand=recurse):
            p.set_value_(fn(p).value_)
        for buffer in self.buffers(recurse=recurse):
            buffer.set_value_(fn(buffer).value_)
        return self  # type: ignore[return-value]
