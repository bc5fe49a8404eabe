"""Hooks of Cells: users' functions that see the inputs, outputs and gradients of a call."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from minispore.core import interpreter
from minispore.core.autograd import custom_vjp
from minispore.core.tensor import Tensor
from minispore.core.tree import replace_tensors, tensors_in
from minispore.graph.staging import get_undecorated
from minispore.ops.shape.cast_fill import Identity


class HookHandle:
    """A handle that removes the hook that it was returned for."""

    def __init__(self, hooks: OrderedDict[int, Any], key: int) -> None:
        self._hooks = hooks
        self._key = key

    @property
    def handle_id(self) -> int:
        """The number of the hook."""
        return self._key

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        self._hooks.pop(self._key, None)
        interpreter.note_change()


class _ForwardHook:
    """A user's forward hook or forward pre-hook with its options."""

    def __init__(self, fn: Callable[..., Any], with_kwargs: bool, always_call: bool) -> None:
        self.fn, self.with_kwargs, self.always_call = fn, with_kwargs, always_call


class Hooks:
    """The forward and backward hooks of one Cell, by number."""

    def __init__(self) -> None:
        self.forward_pre: OrderedDict[int, _ForwardHook] = OrderedDict()
        self.forward: OrderedDict[int, _ForwardHook] = OrderedDict()
        self.backward_pre: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.backward: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self._count = itertools.count()

    def __bool__(self) -> bool:
        return bool(self.forward_pre or self.forward or self.backward_pre or self.backward)

    @property
    def kinds(self) -> tuple[OrderedDict[int, Any], ...]:
        """The dicts of hooks, by number: forward pre, forward, backward pre, backward."""
        return self.forward_pre, self.forward, self.backward_pre, self.backward

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The users' functions in all dicts of hooks."""
        forward_functions = [
            hook.fn for hook in (*self.forward_pre.values(), *self.forward.values())
        ]
        return [*forward_functions, *self.backward_pre.values(), *self.backward.values()]

    def key(self) -> tuple[int, ...]:
        """Return the numbers of the hooks, in order, with -1 between the kinds, as part of a
        graph's key.
        """
        return (*self.forward_pre, -1, *self.forward, -1, *self.backward_pre, -1, *self.backward)

    def add(
        self, hooks: OrderedDict[int, Any], fn: Any, prepend: bool = False, **options: bool
    ) -> HookHandle:
        """Append a hook to one of the dicts (with ``prepend``, insert it first), and return its
        handle.

        Raises:
            TypeError: the hook is not a function, or is decorated with ``jit``.
        """
        if not callable(fn):
            raise TypeError(f"Cell: hook_fn must be a function, got {fn!r} ({type(fn).__name__}).")
        if get_undecorated(fn) is not fn:
            raise TypeError(
                f"Cell: hook_fn must be a plain function, got {fn.__name__}, decorated with "
                "'@jit', which is not supported. Let it call a graph instead."
            )
        number = next(self._count)
        hooks[number] = _ForwardHook(fn, **options) if options else fn
        if prepend:
            hooks.move_to_end(number, last=False)
        interpreter.note_change()
        return HookHandle(hooks, number)

    def run(
        self, cell: object, args: tuple[Any, ...], kwargs: dict[str, Any], body: Callable[..., Any]
    ) -> Any:
        """Call ``body(*args, **kwargs)`` with the hooks around it and return the output.

        On an exception, hooks with ``always_call`` that have not run yet are called with the output
        so far.
        """
        out, n_called = None, 0
        try:
            args, kwargs = self._run_forward_pre_hooks(cell, args, kwargs)
            backward_state = _BackwardState()
            if self.backward:
                args = self._watch_inputs(cell, args, backward_state)
            out = body(*args, **kwargs)
            for n_called, hook in enumerate(self.forward.values(), 1):  # noqa: B007  # for the handler
                out = _replace_unless_none(
                    hook.fn(cell, args, *([kwargs] if hook.with_kwargs else ()), out), out
                )
            if self.backward or self.backward_pre:
                out = self._watch_outputs(cell, out, backward_state)
            return out
        except Exception:
            for hook in list(self.forward.values())[n_called:]:
                if hook.always_call:
                    hook.fn(cell, args, *([kwargs] if hook.with_kwargs else ()), out)
            raise

    def _run_forward_pre_hooks(
        self, cell: object, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Run the forward pre-hooks and return the possibly replaced arguments.

        Raises:
            RuntimeError: a hook with kwargs returned something other than None or (args, kwargs).
        """
        for hook in self.forward_pre.values():
            if hook.with_kwargs:
                replacement = hook.fn(cell, args, kwargs)
                if replacement is None:
                    continue
                if not (isinstance(replacement, tuple) and len(replacement) == 2):
                    raise RuntimeError(
                        f"{type(cell).__name__}: a forward pre-hook with kwargs must return None "
                        f"or (args, kwargs), got {replacement!r}."
                    )
                args, kwargs = replacement
            else:
                replacement = hook.fn(cell, args)
                if replacement is not None:
                    args = replacement if isinstance(replacement, tuple) else (replacement,)
        return args, kwargs

    def _watch_inputs(
        self, cell: object, args: tuple[Any, ...], backward_state: _BackwardState
    ) -> Any:
        """Return the inputs with tensors replaced by copies whose gradient runs the backward hooks.

        Tensors inside a tuple and tensors that no tape differentiates are not replaced. The
        gradient also sets ``has_input_grad`` of ``backward_state``.
        """

        def replace_grads(grads: tuple[Any, ...]) -> tuple[Any, ...]:
            """Run the backward hooks and return the possibly replaced input gradients.

            Also notes in ``backward_state`` that a gradient has reached the inputs.
            """
            backward_state.has_input_grad = True
            return self._run_backward_hooks(cell, grads, backward_state)

        tensors = [a for a in args if isinstance(a, Tensor)]
        watched_tensors = iter(_watch_gradients(tensors, replace_grads))
        return tuple([next(watched_tensors) if isinstance(a, Tensor) else a for a in args])

    def _run_backward_hooks(
        self, cell: object, grads: tuple[Any, ...], backward_state: _BackwardState
    ) -> tuple[Any, ...]:
        """Run the backward hooks and return the possibly replaced input gradients."""
        for hook in self.backward.values():
            grads = _check_hook_grads(
                cell, "backward hook", hook(cell, grads, backward_state.output_grads), grads
            )
        return grads

    def _watch_outputs(self, cell: object, out: Any, backward_state: _BackwardState) -> Any:
        """Return the output with tensors replaced by copies whose gradient runs the backward
        pre-hooks.

        If the gradient does not reach the inputs, the backward hooks are called at its end, with
        None.
        """

        def run_hooks_if_no_input_grad() -> None:
            if not backward_state.has_input_grad:
                self._run_backward_hooks(cell, (None,), backward_state)

        def replace_grads(grads: tuple[Any, ...]) -> tuple[Any, ...]:
            """Run the backward pre-hooks and return the possibly replaced output gradients.

            Also stores these gradients in ``backward_state``, and registers a callback that runs
            the backward hooks if no input gets a gradient.
            """
            for hook in self.backward_pre.values():
                grads = _check_hook_grads(cell, "backward pre-hook", hook(cell, grads), grads)
            backward_state.output_grads, backward_state.has_input_grad = grads, False
            if self.backward:
                interpreter.state().after_backward.append(run_hooks_if_no_input_grad)
            return grads

        if type(out) is not tuple:
            return replace_tensors(out, _watch_gradients(tensors_in(out), replace_grads))
        tensors = [t for t in out if isinstance(t, Tensor)]
        watched_tensors = iter(_watch_gradients(tensors, replace_grads))
        return tuple([next(watched_tensors) if isinstance(t, Tensor) else t for t in out])


class _BackwardState:
    """The gradients that the backward hooks of one call of a Cell have seen so far."""

    output_grads: tuple[Any, ...] = ()  # the gradients of the call's outputs
    has_input_grad = False  # whether a gradient has reached the inputs


def _watch_gradients(
    tensors: list[Tensor], replace_grads: Callable[[tuple[Any, ...]], tuple[Any, ...]]
) -> list[Tensor]:
    """Return ``tensors`` with differentiated ones replaced by copies that pass their gradients to a
    hook.

    The copies have their own values, so other readers of the tensors are not affected.

    Args:
        tensors: the tensors; those that no tape differentiates are returned unchanged.
        replace_grads: called once with a gradient or None for each tensor; returns the same number.
    """
    has_grads = [_is_differentiated(t) for t in tensors]
    if not any(has_grads):
        return tensors

    def backward(_: Any, __: Any, douts: tuple[Tensor | None, ...]) -> tuple[Any, ...]:
        """Return the gradients of the copies, as replaced by ``replace_grads``."""
        copy_grads = iter(douts)
        grads = tuple([next(copy_grads) if has_grad else None for has_grad in has_grads])
        return tuple(itertools.compress(replace_grads(grads), has_grads))

    differentiated = tuple(itertools.compress(tensors, has_grads))
    copies = iter(custom_vjp(_copy_tensors, backward, differentiated, lambda: True))
    return [next(copies) if has_grad else t for t, has_grad in zip(tensors, has_grads, strict=True)]


def _copy_tensors(*args: Tensor) -> tuple[Tensor, ...]:
    return tuple([Identity()(t) for t in args])


def _replace_unless_none(replacement: Any, current: Any) -> Any:
    return current if replacement is None else replacement


def _is_differentiated(t: Tensor) -> bool:
    """Whether a currently recording tape differentiates this tensor."""
    value = interpreter.current().lift((t.value_,))[0]
    return any(tape.may_call_hooks(value) for tape in interpreter.tapes())


def _check_hook_grads(
    cell: object, hook_name: str, returned: Any, grads_before: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Return the result of a backward hook as a tuple of gradients; None means the previous ones.

    Raises:
        TypeError: the number of gradients differs, or one that was a tensor no longer is.
    """
    if returned is None:
        return grads_before
    grads = returned if isinstance(returned, tuple) else (returned,)
    if len(grads) != len(grads_before):
        raise TypeError(
            f"{type(cell).__name__}: a {hook_name} must return None or {len(grads_before)} "
            f"tensors, got {len(grads)}."
        )
    for new_grad, old_grad in zip(grads, grads_before, strict=True):
        if not isinstance(new_grad, Tensor) and (new_grad is not None or old_grad is not None):
            raise TypeError(
                f"{type(cell).__name__}: a {hook_name} must return a tensor for each gradient, got "
                f"{new_grad!r} ({type(new_grad).__name__})."
            )
    return grads
