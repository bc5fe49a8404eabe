"""Hooks: the user's functions that see what goes into a Cell, comes out of it, and flows back
through it.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minispore.core import interpreter
from minispore.core.autograd import custom_vjp
from minispore.core.tensor import Tensor
from minispore.core.tree import replace_tensors, tensors_in
from minispore.graph.staging import get_undecorated
from minispore.ops.shape.whole import Identity

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
        interpreter.note_change()


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
        if get_undecorated(fn) is not fn:
            raise TypeError(
                f"Cell: hook_fn must be a plain function, got {fn.__name__}, decorated with "
                "'@jit', which is not supported. Let it call a graph instead."
            )
        number = next(self._count)
        kind[number] = _Forward(fn, **how) if how else fn
        if prepend:
            kind.move_to_end(number, last=False)
        interpreter.note_change()
        return HookHandle(kind, number)

    def run(
        self, cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any], body: Callable[..., Any]
    ) -> Any:
        """``body(*args, **kwargs)`` between the hooks."""
        out, called = None, 0
        try:
            args, kwargs = self._before(cell, args, kwargs)
            passed = _Passed()
            if self.backward:
                args = self._watch_inputs(cell, args, passed)
            out = body(*args, **kwargs)
            for called, hook in enumerate(self.forward.values(), 1):  # noqa: B007  # for the handler
                out = _kept(hook.fn(cell, args, *([kwargs] if hook.with_kwargs else ()), out), out)
            if self.backward or self.backward_pre:
                out = self._watch_outputs(cell, out, passed)
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

    def _watch_inputs(self, cell: Cell, args: tuple[Any, ...], passed: _Passed) -> Any:
        """The inputs, the tensors among them (not those in a tuple) with a hook on the way back."""
        tensors = [a for a in args if isinstance(a, Tensor)]
        met = [_may_meet_a_gradient(t) for t in tensors]

        def backward(_: Any, __: Any, douts: tuple[Tensor | None, ...]) -> tuple[Any, ...]:
            passed.inputs = True
            found = iter(douts)
            grads = tuple([next(found) if m else None for m in met])
            grads = self._after(cell, grads, passed)
            return tuple([g for g, m in zip(grads, met, strict=True) if m])

        if not any(met):
            return args
        watched = iter(_watched([t for t, m in zip(tensors, met, strict=True) if m], backward))
        fresh = iter([next(watched) if m else t for t, m in zip(tensors, met, strict=True)])
        return tuple([next(fresh) if isinstance(a, Tensor) else a for a in args])

    def _after(self, cell: Cell, grads: tuple[Any, ...], passed: _Passed) -> tuple[Any, ...]:
        for hook in self.backward.values():
            grads = _as_grads(cell, "backward hook", hook(cell, grads, passed.outputs), grads)
        return grads

    def _watch_outputs(self, cell: Cell, out: Any, passed: _Passed) -> Any:
        outs = [t for t in out if isinstance(t, Tensor)] if type(out) is tuple else tensors_in(out)
        met = [_may_meet_a_gradient(t) for t in outs]

        def without_inputs() -> None:
            if not passed.inputs:
                self._after(cell, (None,), passed)

        def backward(_: Any, __: Any, douts: tuple[Tensor | None, ...]) -> tuple[Any, ...]:
            found = iter(douts)
            grads = tuple([next(found) if m else None for m in met])
            for hook in self.backward_pre.values():
                grads = _as_grads(cell, "backward pre-hook", hook(cell, grads), grads)
            passed.outputs, passed.inputs = grads, False
            if self.backward:
                interpreter.state().after_backward.append(without_inputs)
            return tuple([g for g, m in zip(grads, met, strict=True) if m])

        if not any(met):
            return out
        watched = iter(_watched([t for t, m in zip(outs, met, strict=True) if m], backward))
        fresh = [next(watched) if m else t for t, m in zip(outs, met, strict=True)]
        if type(out) is not tuple:
            return replace_tensors(out, fresh)
        left = iter(fresh)
        return tuple([next(left) if isinstance(t, Tensor) else t for t in out])


class _Passed:
    """What one call of a Cell has met on the way back."""

    outputs: tuple[Any, ...] = ()  # the gradients of its outputs
    inputs = False  # whether one has come to its inputs


def _watched(tensors: list[Tensor], backward: Callable[..., Any]) -> tuple[Tensor, ...]:
    """The same values as values of their own, so that only what passes here meets ``backward``,
    which is given None where no gradient came.
    """
    watched: tuple[Tensor, ...] = custom_vjp(_identities, backward, tuple(tensors), lambda: True)
    return watched


def _identities(*args: Tensor) -> tuple[Tensor, ...]:
    return tuple([Identity()(t) for t in args])


def _kept(new: Any, old: Any) -> Any:
    return old if new is None else new


def _may_meet_a_gradient(t: Tensor) -> bool:
    value = interpreter.interpreter().lift((t.value_,))[0]
    return any(tape.may_call_hooks(value) for tape in interpreter.tapes())


def _as_grads(cell: Cell, what: str, new: Any, old: tuple[Any, ...]) -> tuple[Any, ...]:
    if new is None:
        return old
    grads = new if isinstance(new, tuple) else (new,)
    if len(grads) != len(old):
        raise TypeError(
            f"{type(cell).__name__}: a {what} must return None or {len(old)} tensors, got "
            f"{len(grads)}."
        )
    for new_one, old_one in zip(grads, old, strict=True):
        if not isinstance(new_one, Tensor) and (new_one is not None or old_one is not None):
            raise TypeError(
                f"{type(cell).__name__}: a {what} must return a tensor for each gradient, got "
                f"{new_one!r} ({type(new_one).__name__})."
            )
    return grads
