"""Hooks: the user's functions that see what goes into a Cell, comes out of it, and flows back
through it.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from minispore.core import interpreter
from minispore.core.autograd import custom_vjp
from minispore.core.tensor import Tensor, call
from minispore.core.tree import map_tensors, refilled, tensors_in
from minispore.graph.staging import plain_of

if TYPE_CHECKING:
    from minispore.nn.cell import Cell


class HookHandle:
    """Removes a hook."""

    def __init__(self, hooks: OrderedDict[int, Any], key: int) -> None:
        self._hooks = hooks
        self._key = key

    @property
    def handle_id(self) -> int:
        """The number of the hook."""
        return self._key

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        self._hooks.pop(self._key, None)
        interpreter.touch()


class _Forward:
    def __init__(self, fn: Callable[..., Any], with_kwargs: bool, always_call: bool) -> None:
        self.fn, self.with_kwargs, self.always_call = fn, with_kwargs, always_call


class Hooks:
    """All hooks of one Cell."""

    def __init__(self) -> None:
        self.forward_pre: OrderedDict[int, _Forward] = OrderedDict()
        self.forward: OrderedDict[int, _Forward] = OrderedDict()
        self.backward_pre: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.backward: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self._count = itertools.count()

    def __bool__(self) -> bool:
        return bool(self.forward_pre or self.forward or self.backward_pre or self.backward)

    @property
    def kinds(self) -> tuple[OrderedDict[int, Any], ...]:
        """The hooks of each kind, by number."""
        return self.forward_pre, self.forward, self.backward_pre, self.backward

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions themselves."""
        around = [hook.fn for hook in (*self.forward_pre.values(), *self.forward.values())]
        return [*around, *self.backward_pre.values(), *self.backward.values()]

    def key(self) -> tuple[int, ...]:
        """What a compiled graph depends on."""
        return (*self.forward_pre, -1, *self.forward, -1, *self.backward_pre, -1, *self.backward)

    def add(
        self, kind: OrderedDict[int, Any], fn: Any, prepend: bool = False, **how: bool
    ) -> HookHandle:
        """Put a hook after the others, or before them.

        Raises:
            TypeError: the hook is no function, or one of ``jit``.
        """
        if not callable(fn):
            raise TypeError(f"Cell: hook_fn must be a function, got {fn!r} ({type(fn).__name__}).")
        if plain_of(fn) is not fn:
            raise TypeError(
                f"Cell: hook_fn must be a plain function, got {fn.__name__}, decorated with "
                "'@jit', which is not supported. Let it call a graph instead."
            )
        number = next(self._count)
        kind[number] = _Forward(fn, **how) if how else fn
        if prepend:
            kind.move_to_end(number, last=False)
        interpreter.touch()
        return HookHandle(kind, number)

    def run(
        self, cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any], body: Callable[..., Any]
    ) -> Any:
        """``body(*args, **kwargs)`` between the hooks."""
        out, called = None, 0
        try:
            args, kwargs = self._before(cell, args, kwargs)
            seen: list[Any] = []  # the cotangents of the outputs, once backward has come to them
            met = self.backward and _may_meet_a_gradient(args)
            if met:
                args = self._watch_inputs(cell, args, seen)
            out = body(*args, **kwargs)
            for called, hook in enumerate(self.forward.values(), 1):  # noqa: B007  # for the handler
                out = _kept(hook.fn(cell, args, *([kwargs] if hook.with_kwargs else ()), out), out)
            if self.backward or self.backward_pre:
                out = self._watch_outputs(cell, out, seen, () if met else self.backward.values())
            return out
        except Exception:
            for hook in list(self.forward.values())[called:]:
                if hook.always_call:
                    hook.fn(cell, args, *([kwargs] if hook.with_kwargs else ()), out)
            raise

    def _before(
        self, cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        for hook in self.forward_pre.values():
            if hook.with_kwargs:
                new = hook.fn(cell, args, kwargs)
                if new is None:
                    continue
                if not (isinstance(new, tuple) and len(new) == 2):
                    raise RuntimeError(
                        f"{type(cell).__name__}: a forward pre-hook with kwargs must return None "
                        "or "
                        f"(args, kwargs), got {new!r}."
                    )
                args, kwargs = new
            else:
                new = hook.fn(cell, args)
                if new is not None:
                    args = new if isinstance(new, tuple) else (new,)
        return args, kwargs

    def _watch_inputs(self, cell: Cell, args: tuple[Any, ...], seen: list[Any]) -> tuple[Any, ...]:
        def backward(_: Any, __: Any, douts: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            grads: tuple[Tensor, ...] = tuple(douts)
            for hook in self.backward.values():
                grads = _as_grads(cell, "backward hook", hook(cell, grads, tuple(seen)), grads)
            return grads

        return custom_vjp(_identities, backward, args)

    def _watch_outputs(
        self, cell: Cell, out: Any, seen: list[Any], last: Iterable[Callable[..., Any]]
    ) -> Any:
        """``last`` are the backward hooks where no gradient will come to the inputs: what they
        see of it is None, and what they return is of no use.
        """

        def backward(_: Any, __: Any, douts: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            grads: tuple[Tensor, ...] = tuple(douts)
            for hook in self.backward_pre.values():
                grads = _as_grads(cell, "backward pre-hook", hook(cell, grads), grads)
            seen[:] = grads
            for hook in last:
                _as_grads(cell, "backward hook", hook(cell, (None,), grads), (None,))
            return grads

        outs = tensors_in(out)
        watched = custom_vjp(_identities, backward, tuple(outs))
        return refilled(out, watched)


def _identities(*args: Any) -> Any:
    """The same values as values of their own, so that only what passes here meets the hook."""
    return map_tensors(lambda t: call("Identity", t), args)


def _kept(new: Any, old: Any) -> Any:
    return old if new is None else new


def _may_meet_a_gradient(args: Any) -> bool:
    values = interpreter.interpreter().lift(tuple(t.value_ for t in tensors_in(args)))
    return any(tape.reaches(value) for tape in interpreter.tapes() for value in values)


def _as_grads(cell: Cell, what: str, new: Any, old: tuple[Any, ...]) -> tuple[Any, ...]:
    if new is None:
        return old
    grads = new if isinstance(new, tuple) else (new,)
    if len(grads) != len(old):
        raise TypeError(
            f"{type(cell).__name__}: a {what} must return None or {len(old)} tensors, got "
            f"{len(grads)}."
        )
    return grads
