"""Buffers and state dicts: the complete state of a Cell by name, including its Parameters."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Self

from minispore.core.parameter import Parameter, _Buffer
from minispore.core.tensor import Tensor
from minispore.foundation.foreign_names import explain_attribute
from minispore.ir import dtype as mstype
from minispore.nn.hooks import HookHandle
from minispore.nn.tree import CellTree
from minispore.ops.shape.cast_fill import ZerosLike

_EXTRA = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """The keys that :meth:`CellState.load_state_dict` could not match."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={keys}" for name, keys in self._asdict().items())
        return f"_IncompatibleKeys({fields})" if any(self) else "<All keys matched successfully>"

    def format_differences(self) -> list[str]:
        """Return one line of text for the missing and one for the unexpected keys, if any."""
        keys_by_label = {"missing": self.missing_keys, "unexpected": self.unexpected_keys}
        return [f"{label}: {', '.join(keys)}" for label, keys in keys_by_label.items() if keys]


class StateHooks:
    """The hooks of one Cell that run in ``state_dict`` and ``load_state_dict``, by number."""

    def __init__(self) -> None:
        self.state_dict_pre: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.state_dict_post: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.load_pre: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.load_post: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self._count = itertools.count()

    def add(self, hooks: OrderedDict[int, Any], api_name: str, hook: Any) -> HookHandle:
        """Append a hook to one of the dicts of hooks and return its handle.

        Raises:
            TypeError: ``hook`` is not a function.
        """
        if not callable(hook):
            raise TypeError(f"{api_name}: hook must be a function, got {hook!r}.")
        number = next(self._count)
        hooks[number] = hook
        return HookHandle(hooks, number)


def _check_no_differences(api_name: str, differences: list[str]) -> None:
    """Check that a state dict matches a Cell.

    Raises:
        RuntimeError: there are ``differences``, which it lists.
    """
    if differences:
        raise RuntimeError(
            f"{api_name}: state_dict must match the Cell, got differences:\n  "
            + "\n  ".join(differences)
        )


def _call_hooks(hooks: Iterable[Callable[..., Any]], api_name: str, *args: Any) -> None:
    """Call each hook with ``args``.

    Raises:
        RuntimeError: a hook returned a value.
    """
    for hook in list(hooks):
        if hook(*args) is not None:
            raise RuntimeError(
                f"{api_name}: a hook must return None, got a value. Change its arguments in place."
            )


class CellState(CellTree):
    """Base of Cell that manages buffers, saves and loads state dicts, and converts dtypes."""

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Store a tensor that is not a Parameter as the attribute ``name``.

        Args:
            name: the attribute.
            tensor: its content, or None.
            persistent: whether :meth:`state_dict` contains it.

        Raises:
            TypeError: ``name`` is not a str, or ``tensor`` is neither a Tensor nor None.
            KeyError: the name is empty, contains a dot or is the name of another attribute.
        """
        api_name = f"{type(self).__name__}.register_buffer"
        if not isinstance(name, str):
            raise TypeError(
                f"{api_name}: name must be a str, got {name!r} ({type(name).__name__})."
            )
        if not name or "." in name:
            raise KeyError(f"{api_name}: name must be a name without dots, got {name!r}.")
        if name not in self._buffers and hasattr(self, name):
            raise KeyError(
                f"{api_name}: name must be new, got {name!r}, which is another attribute."
            )
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"{api_name}: tensor must be a Tensor or None, got {tensor!r} "
                f"({type(tensor).__name__})."
            )
        self._buffers[name] = tensor
        if persistent:
            self._record_.transient.discard(name)
        else:
            self._record_.transient.add(name)

    def _set_attribute_(self, name: str, value: Any) -> None:
        """Set an attribute; a Buffer is registered as a buffer."""
        if isinstance(value, _Buffer):
            self.register_buffer(name, value, value.persistent)
        else:
            super()._set_attribute_(name, value)

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Iterate over the buffers of this Cell and, with ``recurse``, of its descendants, with
        their paths.

        Buffers that are None are skipped. A shared buffer is yielded once, unless
        ``remove_duplicate`` is False.
        """
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
        """Iterate over the buffers of this Cell and, with ``recurse``, of its descendants."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at the path ``target``.

        Raises:
            AttributeError: there is no such buffer.
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
        """Return Parameters and persistent buffers of this Cell and its descendants by path.

        A Cell that defines :meth:`get_extra_state` adds its result as ``_extra_state``.

        Args:
            destination: the dict to fill; a new one by default.
            prefix: put before each path.
            keep_vars: has no effect, accepted as in MindSpore: tensors are never copied.

        >>> from minispore import nn
        >>> list(nn.SequentialCell(nn.Dense(2, 1)).state_dict())
        ['0.weight', '0.bias']
        """
        state: dict[str, Any] = OrderedDict() if destination is None else destination
        hooks = self._record_.state_hooks
        if hooks is not None:
            for hook in list(hooks.state_dict_pre.values()):
                hook(self, prefix, keep_vars)
        for name, tensor in self._iterate_state_():
            state[prefix + name] = tensor
        if type(self).get_extra_state is not CellState.get_extra_state:
            state[prefix + _EXTRA] = self.get_extra_state()
        for name, cell in self._cells.items():
            if cell is not None:
                cell.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        if hooks is not None:
            _call_hooks(hooks.state_dict_post.values(), "state_dict", self, state, prefix, {})
        return state

    def get_extra_state(self) -> Any:
        """Return additional state that :meth:`state_dict` stores beside the tensors.

        A subclass may define it, together with :meth:`set_extra_state`.

        Raises:
            RuntimeError: the subclass does not define it.

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
        """Restore the state of :meth:`get_extra_state`; a subclass may define it.

        Called by :meth:`load_state_dict` after it has filled the tensors.

        Args:
            state: the result of :meth:`get_extra_state`.

        Raises:
            RuntimeError: the subclass does not define it.
        """
        raise RuntimeError(f"{type(self).__name__}: has no extra state. Define set_extra_state.")

    def _iterate_prefixes_(self, prefix: str = "") -> Iterator[tuple[str, CellState]]:
        """Yield this Cell and its descendants, parents first, with the prefixes of their keys."""
        yield prefix, self
        for name, cell in self._cells.items():
            if cell is not None:
                yield from cell._iterate_prefixes_(f"{prefix}{name}.")

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(cell, prefix, keep_vars)`` before :meth:`state_dict` collects anything.

        Args:
            hook: the function.

        Returns:
            A handle that removes it.
        """
        hooks = self._get_state_hooks_()
        return hooks.add(hooks.state_dict_pre, "register_state_dict_pre_hook", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call a hook when :meth:`state_dict` has collected the state of the Cell.

        It is called as ``hook(cell, state_dict, prefix, local_metadata)``, may change the dict, and
        must return None.

        Args:
            hook: the function.

        Returns:
            A handle that removes it.
        """
        hooks = self._get_state_hooks_()
        return hooks.add(hooks.state_dict_post, "register_state_dict_post_hook", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call a hook before :meth:`load_state_dict` reads its copy of the dict.

        It is called as ``hook(cell, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs)``, and may change the copy. The content of the last three lists
        is reported.

        Args:
            hook: the function.

        Returns:
            A handle that removes it.
        """
        hooks = self._get_state_hooks_()
        return hooks.add(hooks.load_pre, "register_load_state_dict_pre_hook", hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(cell, incompatible_keys)`` when :meth:`load_state_dict` has filled the Cell.

        It may change the lists in place, which affects what ``strict`` rejects, and must return
        None.

        Args:
            hook: the function.

        Returns:
            A handle that removes it.
        """
        hooks = self._get_state_hooks_()
        return hooks.add(hooks.load_post, "register_load_state_dict_post_hook", hook)

    def _get_state_hooks_(self) -> StateHooks:
        """Return the StateHooks of this Cell; the first call creates them."""
        if self._record_.state_hooks is None:
            self._record_.state_hooks = StateHooks()
        return self._record_.state_hooks

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True
    ) -> IncompatibleKeys:
        """Fill Parameters and buffers from a dict that :meth:`state_dict` returned.

        Values are cast to the target's dtype. On an error nothing is filled, unless post-hooks
        decide whether there is an error.

        Args:
            state_dict: tensors by path.
            strict: whether missing and unknown paths are an error.

        Returns:
            The missing and the unexpected paths.

        Raises:
            TypeError: ``state_dict`` is not a mapping.
            RuntimeError: a shape differs, a value is not a Tensor, or with ``strict`` a path is
                missing or unknown.
        """
        api_name = f"{type(self).__name__}.load_state_dict"
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"{api_name}: state_dict must be a dict, got {type(state_dict).__name__}."
            )
        cells = list(self._iterate_prefixes_())
        targets = {
            cell_prefix + name: tensor
            for cell_prefix, cell in cells
            for name, tensor in cell._iterate_state_()
        }
        keys, differences = IncompatibleKeys([], []), list[str]()
        cells_with_hooks = [
            (cell_prefix, cell, cell._record_.state_hooks)
            for cell_prefix, cell in cells
            if cell._record_.state_hooks is not None
        ]
        if cells_with_hooks:
            state_dict = OrderedDict(state_dict)
        # Pre-hooks may change the copy of the dict, and append to the lists of what is wrong.
        for prefix, cell, hooks in cells_with_hooks:
            for hook in list(hooks.load_pre.values()):
                hook(cell, state_dict, prefix, {}, strict, *keys, differences)
        extra_state_cells = {
            cell_prefix + _EXTRA: cell
            for cell_prefix, cell in cells
            if type(cell).set_extra_state is not CellState.set_extra_state
        }
        keys.missing_keys.extend(k for k in [*targets, *extra_state_cells] if k not in state_dict)
        keys.unexpected_keys.extend(
            k for k in state_dict if k not in targets and k not in extra_state_cells
        )
        checks_strict_last = any(hooks.load_post for _, _, hooks in cells_with_hooks)
        if strict and not checks_strict_last:
            differences += keys.format_differences()
        for name in targets:
            source = state_dict.get(name)
            if name in state_dict and not isinstance(source, Tensor):
                differences.append(f"{name}: must be a Tensor, got {type(source).__name__}")
            elif source is not None and source.shape != targets[name].shape:
                differences.append(
                    f"{name}: must have the shape {targets[name].shape}, got {source.shape}"
                )
        _check_no_differences(api_name, differences)
        # Only from here on is the Cell changed, so that an error above leaves it as it was.
        for name, target in targets.items():
            if name in state_dict:
                content = Tensor(state_dict[name].asnumpy(), target.dtype)
                if isinstance(target, Parameter):
                    target.set_data(content)
                else:
                    target.set_value_(content.value_)
        for name, cell in extra_state_cells.items():
            if name in state_dict:
                cell.set_extra_state(state_dict[name])
        # Descendants' post-hooks run first; each may still change what strict rejects below.
        for _, cell, hooks in reversed(cells_with_hooks):
            _call_hooks(hooks.load_post.values(), api_name, cell, keys)
        if strict and checks_strict_last:
            _check_no_differences(api_name, keys.format_differences())
        return keys

    def _iterate_state_(self) -> Iterator[tuple[str, Tensor]]:
        """Yield the Parameters and persistent buffers of this Cell, without descendants, with their
        names.
        """
        for name, p in self._params.items():
            if p is not None:
                yield name, p
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._record_.transient:
                yield name, buffer

    # -- conversion -------------------------------------------------------------------------------

    def to(self, *args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """Convert float and complex Parameters and buffers to ``dtype``, in place; return the Cell.

        The dtype may be passed by position. A device has no effect.

        Raises:
            TypeError: ``dtype`` is not a float or complex type.
            ValueError: a str does not name a device.
        """
        for arg in args:
            if isinstance(arg, mstype.DType):
                dtype = arg
        for device in (*args, kwargs.get("device")):
            if isinstance(device, str) and device.lower() not in ("cpu", "gpu", "ascend", "npu"):
                raise ValueError(
                    f"{type(self).__name__}.to: device must be 'CPU', 'GPU' or 'Ascend', got "
                    f"{device!r}.{explain_attribute('Cell', 'cuda')}"
                )
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
        """Initialize the parameters that ``nn.utils.no_init_parameters`` deferred.

        Returns:
            A dict from each Parameter to itself, as in MindSpore.
        """
        return {p: p.init_data() for _, p in self.parameters_and_names()}

    def to_empty(self, *, device: Any = None, recurse: bool = True) -> Any:
        """Reset Parameters and buffers to zeros, to be filled later, and return the Cell.

        Args:
            device: accepted for compatibility.
            recurse: whether to include those of all descendants.
        """
        return self._apply(lambda tensor: ZerosLike()(tensor), recurse)

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Set each Parameter and buffer ``t`` to the content of ``fn(t)``; return the Cell."""
        for p in self.get_parameters(expand=recurse):
            p.set_value_(fn(p).value_)
        for buffer in self.buffers(recurse=recurse):
            buffer.set_value_(fn(buffer).value_)
        return self
