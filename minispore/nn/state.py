"""Buffers and state dicts: what a Cell remembers beside its Parameters, and all of it by name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter, _Buffer
from minispore.core.tensor import Tensor
from minispore.nn.tree import CellTree

if TYPE_CHECKING:
    from minispore.nn.cell import Cell


class IncompatibleKeys(NamedTuple):
    """What :meth:`CellState.load_state_dict` could not match."""

    missing_keys: list[str]
    unexpected_keys: list[str]


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
        (self._record.transient.discard if persistent else self._record.transient.add)(name)

    def _set_plain(self, name: str, value: Any) -> None:
        if isinstance(value, _Buffer):
            self.register_buffer(name, value, value.persistent)
        else:
            super()._set_plain(name, value)

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
        for name, kept in self._own_state():
            found[prefix + name] = kept
        for name, cell in self._cells.items():
            if cell is not None:
                cell.state_dict(destination=found, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return found

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True
    ) -> IncompatibleKeys:
        """Fill Parameters and buffers from a dict as :meth:`state_dict` gives it; all of them or,
        on an error, none.

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
        own: dict[str, Tensor] = self.state_dict()
        keys = IncompatibleKeys(
            [k for k in own if k not in state_dict], [k for k in state_dict if k not in own]
        )
        wrong = []
        if strict and keys.missing_keys:
            wrong.append(f"missing: {', '.join(keys.missing_keys)}")
        if strict and keys.unexpected_keys:
            wrong.append(f"unexpected: {', '.join(keys.unexpected_keys)}")
        for name in own:
            new = state_dict.get(name)
            if name in state_dict and not isinstance(new, Tensor):
                wrong.append(f"{name}: must be a Tensor, got {type(new).__name__}")
            elif new is not None and new.shape != own[name].shape:
                wrong.append(f"{name}: must have the shape {own[name].shape}, got {new.shape}")
        if wrong:
            raise RuntimeError(
                f"{where}: state_dict must match the Cell, got differences:\n  "
                + "\n  ".join(wrong)
            )
        for name, old in own.items():
            if name in state_dict:
                new = Tensor(state_dict[name].asnumpy(), old.dtype)
                if isinstance(old, Parameter):
                    old.set_data(new)
                else:
                    old.set_value(new.value_)
        return keys

    def _own_state(self) -> Iterator[tuple[str, Tensor]]:
        for name, p in self._params.items():
            if p is not None:
                yield name, p
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._record.transient:
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
        for p in self.get_parameters():
            if p.dtype.kind in "fc":
                p.set_dtype(dtype)
        for buffer in self.buffers():
            if buffer.dtype.kind in "fc":
                buffer.set_value(Tensor(buffer.asnumpy(), dtype).value_)
        self._note_change()
        return self

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """Fill the parameters that were left for later in ``nn.utils.no_init_parameters``. Maps
        each one to itself.
        """
        return {p: p.init_data() for p in self.get_parameters()}

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Cell:
        """Replace the content of each Parameter and buffer by what ``fn`` makes of it."""
        for p in self.get_parameters(expand=recurse):
            p.set_value(fn(p).value_)
        for buffer in self.buffers(recurse=recurse):
            buffer.set_value(fn(buffer).value_)
        return self  # type: ignore[return-value]
