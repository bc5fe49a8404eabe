"""Reverse-mode differentiation as users ask for it, on the tape of :mod:`minispore.core.tape`."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from minispore import checks, context
from minispore.core import interpreter as interp
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.primitive import Primitive
from minispore.core.staged import Derivative
from minispore.core.tape import Tape
from minispore.core.tensor import Tensor, call, wrap
from minispore.core.tree import (
    Mutable,
    Valued,
    aux_apart,
    map_tensors,
    map_values,
    tensors_in,
    values_in,
)
from minispore.core.value import Value
from minispore.errors import PositionError, warn


class CustomVjp(Primitive):
    """Stands in a tape for a computation whose derivative the user wrote (``Cell.bprop``)."""

    internal = True
    multi = True
    hermitian = written = True
    backward: Any
    partial: Any = False  # type: ignore[misc]  # here it is the call that says so

    def vjp(self, *args: Any, out: Any, dout: Any) -> Any:
        return tuple(self.backward(args, out, dout))


def custom_vjp(
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    args: tuple[Any, ...],
    partial: Callable[[], bool] = bool,
) -> Any:
    """``forward(*args)``, differentiated by ``backward(args, outs, douts) -> one cotangent per
    tensor in args``. ``partial``, asked after ``forward``, says whether backward takes None for
    outputs that nobody differentiated, not zeros.
    """
    open_tapes = interp.tapes()
    if not open_tapes:
        return forward(*args)
    given = tuple(t.value_ for t in tensors_in(args))  # forward may write into them
    taken = set(given)

    def apart(t: Tensor) -> Tensor:
        """An output that is an input, or another output, needs a value of its own, or the cotangent
        of the one would be that of the other.
        """
        value = _own(t).value_ if t.value_ in taken else t.value_
        taken.add(value)
        return wrap(value)

    with interp.with_tapes(()):
        out = map_tensors(apart, forward(*args))
    outs = tensors_in(out)
    interp.record(CustomVjp(backward, partial()), given, tuple(t.value_ for t in outs))
    return out


def _recalled(fn: Any, given: tuple[Any, ...], *asked: Any) -> Any:
    """What ``fn`` has just computed of ``given``, if a Cell remembers it (:mod:`minispore.nn`); it
    is forgotten now.
    """
    state = interp.state()
    if not state.forwards or state.tapes or not hasattr(fn, "trainable_params"):
        return None
    found = state.forwards.pop(fn, None)
    return found if found is not None and found.is_of(given, *asked) else None


# -- what users call ------------------------------------------------------------------------------


def _differentiate(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    positions: tuple[int, ...],
    weights: tuple[Parameter, ...],
    sens: Any,
    has_aux: bool,
) -> tuple[Any, list[Any], list[Tensor]]:
    """``fn(*args, **kwargs)``, its gradients by the inputs at ``positions`` (keyword inputs come
    after the others, in the order given) and by ``weights``.

    Raises:
        RuntimeError: op by op, where :class:`no_grad` forbids it.
    """
    op_by_op = context.current().mode == context.PYNATIVE_MODE and not interp.tracing()
    if op_by_op and isinstance(interp.tapes(), _None):
        raise RuntimeError(
            "grad: a gradient must be asked for outside of no_grad. In no_grad context, you can "
            "not calculate gradient."
        )
    given = (*args, *kwargs.values())
    watched: dict[int, list[Value]] = {}
    if before := _recalled(fn, given, tuple(kwargs), positions, weights):
        tape, out = before.tape, before.out
        watched.update(enumerate(before.watched))
        of_weights = [before.leaves.get(w) or tape.watch(w.value_) for w in weights]
    else:
        tape, outer, fresh = Tape(), interp.tapes(), list(given)
        for i in positions:
            # A value of its own per position: the same tensor passed twice has two gradients.
            fresh[i] = map_values(_own, given[i])
            watched[i] = [tape.watch(t.value_) for t in values_in(fresh[i])]
        of_weights = [tape.watch(w.value_) for w in weights]
        if positions:
            rest = [t.value_ for i, x in enumerate(fresh) if i not in watched for t in values_in(x)]
            tape.beside.update(interp.interpreter().lift(tuple(rest)))
        with interp.with_tapes((*outer, tape)):
            out = fn(*fresh[: len(args)], **dict(zip(kwargs, fresh[len(args) :], strict=True)))
    head = aux_apart("grad", out)[0] if has_aux else out
    # A sparse tensor beside others counts, as in MindSpore's GRAPH_MODE.
    outs = values_in(head)
    if not outs:  # what is no tensor depends on none
        name = getattr(fn, "__name__", type(fn).__name__)
        warn(
            f"grad: the function {name!r} returned no Tensor to differentiate but {head!r:.80} "
            f"({type(head).__name__}), so its gradients are 0, as MindSpore's are.",
        )
    seeds = _seeds(outs, sens) if outs else []
    grads = tape.backward([(t.value_, s) for t, s in zip(outs, seeds, strict=True)])

    def gradient(value: Value, box: Tensor) -> Tensor:
        found = grads.get(value)
        made = call("ZerosLike", wrap(value)) if found is None else found
        return made if box.hooks_ is None else box.hooks_(made)

    by_input = []
    for i in positions:
        pairs = zip(watched[i], values_in(given[i]), strict=True)
        by_input.append(_arranged(given[i], iter([gradient(v, t) for v, t in pairs])))
    by_weight = [
        gradient(v, w) if w.requires_grad else call("ZerosLike", w)
        for v, w in zip(of_weights, weights, strict=True)
    ]
    return out, by_input, by_weight


def _arranged(tree: Any, gradients: Iterator[Tensor]) -> Any:
    """``gradients`` in the structure of ``tree``, by the values of a sparse tensor in its place; 0
    for its numbers, which are constants.
    """
    if isinstance(tree, Tensor | Valued):
        return next(gradients)
    if isinstance(tree, tuple):
        return tuple([_arranged(x, gradients) for x in tree])
    if isinstance(tree, list):
        return [_arranged(x, gradients) for x in tree]
    if isinstance(tree, dict):
        return {k: _arranged(x, gradients) for k, x in tree.items()}
    return 0


def _own(t: Tensor) -> Tensor:
    return call("Identity", t) if interp.tracing() or interp.tapes() else wrap(t.value_.again())


def _seeds(outs: list[Tensor], sens: Any) -> list[Tensor]:
    if sens is None:
        return [call("OnesLike", t) for t in outs]
    given = values_in(sens) or [Tensor(sens, outs[0].dtype)]
    if len(given) != len(outs):
        raise ValueError(
            f"sens must hold one tensor for each of the {len(outs)} outputs, got {len(given)}."
        )
    return [_seed(s, t) for s, t in zip(given, outs, strict=True)]


def _seed(given: Tensor, out: Tensor) -> Tensor:
    """``given`` as the cotangent of ``out``; one element serves for one, () or (1,)."""
    if given.dtype is not out.dtype:
        raise TypeError(
            f"sens must have the output's dtype {out.dtype}, got {given.dtype}. Cast it."
        )
    if given.shape == out.shape:
        return given
    if given.size == out.size == 1:
        return call("Reshape", given, out.shape)
    raise ValueError(f"sens must have the output's shape {out.shape}, got {given.shape}.")


def _cotangent(
    owner: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], Any]:
    """The inputs without the cotangent that was given with them, and the cotangent."""
    if "sens" in kwargs:
        return args, kwargs.pop("sens")
    if not args:
        raise TypeError(
            f"{owner}: with sens_param=True the last input must be the output's cotangent."
        )
    return args[:-1], args[-1]


def _staged(call_it: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run as one graph in GRAPH_MODE (at the top level), else directly."""
    if compiler := interp.staging():
        return compiler.call(call_it, args, kwargs)
    return call_it(*args, **kwargs)


def _function(owner: str, fn: Any) -> None:
    if not callable(fn) or isinstance(fn, Tensor):
        rule, hint = "be a function or Cell", "Pass the function itself, not what it returns."
        raise TypeError(checks.text(owner, "fn", rule, checks.shown(fn), hint))


def _as_weights(weights: Any) -> tuple[Parameter, ...]:
    if weights is None:
        return ()
    items = (weights,) if isinstance(weights, Tensor) else tuple(weights)
    items = tuple([getattr(w, "source", w) for w in items])  # of one that is read in fewer bits
    for w in items:
        if not isinstance(w, Parameter):
            raise TypeError(f"grad: weights must be Parameters, got {w!r} ({type(w).__name__}).")
    return items


def _as_positions(grad_position: Any, weights: Any) -> tuple[int, ...]:
    if grad_position is None:
        if weights is None:
            raise ValueError(
                "grad: grad_position and weights can't both be None. Say what to differentiate by."
            )
        return ()
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    if not positions:
        raise RuntimeError(
            "grad: grad_position should not be empty, got (). Name an input, or None with weights."
        )
    for i in positions:
        if isinstance(i, bool) or not isinstance(i, int):
            raise TypeError(
                f"grad: grad_position must be an int or a tuple of ints, got {grad_position!r}."
            )
        if i < 0:
            raise ValueError(f"grad: grad_position must be >= 0, got {i}.")
    if len(set(positions)) < len(positions):
        raise ValueError(
            f"grad: grad_position must name each input once, got {grad_position!r}. Use one "
            "gradient of it as often as it is wanted."
        )
    return positions


def _of_tensors(positions: tuple[int, ...], given: tuple[Any, ...]) -> tuple[int, ...]:
    """The positions of what has a gradient, as in MindSpore: a tensor, sparse or not, or something
    mutable that holds tensors, but no number, nor a plain tuple, list or dict.
    """
    for i in positions if given else ():
        if i >= len(given):
            raise PositionError(
                f"grad: grad_position {i} must be below the number of inputs, got {len(given)} "
                "inputs."
            )
    return tuple([i for i in positions if i < len(given) and _has_gradient(given[i])])


def _has_gradient(given: Any) -> bool:
    return isinstance(given, Tensor | Valued) or (
        isinstance(given, Mutable) and bool(tensors_in(given))
    )


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: Any = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """A function that returns ``fn``'s value and its gradients.

    Args:
        fn: a function or Cell of tensors; what it returns is summed (with ``has_aux``,
            its first output).
        grad_position: inputs to differentiate by: an int, a tuple of ints or None. By numbers,
            and by a tuple, list or dict that is not ``mutable``, there is no gradient; that by a
            COOTensor or CSRTensor is the Tensor of the gradients by its values.
        weights: Parameters to differentiate by: one, a list or ParameterTuple, or None.
        has_aux: only the first output is differentiated, the others pass through.
        return_ids: return each gradient together with its position or name.
        sens_param: the last input of the result, or ``sens=``, is the cotangent of the output.

    Returns:
        ``(value, gradients)``; gradients as :func:`grad` gives them.

    Raises:
        ValueError: both ``grad_position`` and ``weights`` are None; later, with ``has_aux``, ``fn``
            returned no tuple of several outputs.
        TypeError: ``fn`` can't be called, ``grad_position`` is a list, ``weights`` holds something
            else than Parameters, or ``sens_param`` is no bool.
        RuntimeError: there are no positions.
        PositionError: one is not below the number of inputs.

    >>> from minispore import ops
    >>> f = value_and_grad(lambda x: x * x)
    >>> value, dx = f(Tensor(3.0))
    >>> print(value, dx)
    9.0 6.0
    """
    _function("grad", fn)
    checks.boolean("grad", "sens_param", sens_param)
    positions, params = _as_positions(grad_position, weights), _as_weights(weights)

    def run(*args: Any, **kwargs: Any) -> Any:
        sens = None
        if sens_param:
            args, sens = _cotangent("grad", args, kwargs)
        wanted = _of_tensors(positions, (*args, *kwargs.values()))
        out, dx, dw = _differentiate(fn, args, kwargs, wanted, params, sens, has_aux)
        # As in MindSpore: a tuple of one position gives one gradient, of one weight a tuple.
        by_input: Any = dx[0] if len(dx) == 1 else tuple(dx)
        by_weight: Any = dw[0] if isinstance(weights, Tensor) else tuple(dw)
        if return_ids:
            pairs = tuple(zip(wanted, dx, strict=True))
            by_input = pairs[0] if len(pairs) == 1 else pairs
            named = tuple((p.name, d) for p, d in zip(params, dw, strict=True))
            by_weight = named[0] if isinstance(weights, Tensor) else named
        if weights is None:
            return out, by_input
        return out, (by_weight if grad_position is None else (by_input, by_weight))

    # What the compile cache knows this closure by: asking again for the same gradient is the same.
    one = isinstance(weights, Tensor)
    flags = (grad_position, weights is None, one, has_aux, return_ids, sens_param)
    derivative = Derivative(fn, ("grad", flags, params), run)

    @functools.wraps(fn, updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return _staged(derivative, args, kwargs)

    return wrapped


def grad(
    fn: Callable[..., Any],
    grad_position: Any = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """A function that returns the gradients of ``fn``.

    Args:
        fn: a function or Cell of tensors; what it returns is summed (with ``has_aux``,
            its first output).
        grad_position: inputs to differentiate by: an int, a tuple of ints or None.
        weights: Parameters to differentiate by, or None.
        has_aux: return ``(gradients, other outputs)``.
        return_ids: return each gradient together with its position or name.
        sens_param: the last input of the result, or ``sens=``, is the cotangent of the output.

    Returns:
        The gradient for one position, a tuple for several; with ``weights`` too,
        ``(by inputs, by weights)``.

    >>> print(grad(grad(lambda x: x * x * x))(Tensor(2.0)))
    12.0
    >>> print(grad(lambda x: x * x, sens_param=True)(Tensor([1.0, 2.0]), Tensor([1.0, 10.0])))
    [ 2. 40.]
    """
    both = value_and_grad(fn, grad_position, weights, has_aux, return_ids, sens_param)

    @functools.wraps(fn, updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        out, gradients = both(*args, **kwargs)
        if has_aux:
            return gradients, tuple(out[1:])
        return gradients

    return wrapped


class GradOperation:
    """MindSpore's 1.x way to ask for gradients: ``GradOperation(...)(network, weights)(*inputs)``.

    Args:
        get_all: by all tensor inputs (a tuple), also those given by keyword, not by the first only.
        get_by_list: by ``weights``; with ``get_all`` the result is ``(by inputs, by weights)``.
        sens_param: the last input of the result is the cotangent of the output.

    Raises:
        TypeError: a flag is not a bool.

    >>> print(GradOperation()(lambda x: x * x)(Tensor(3.0)))
    6.0
    """

    def __init__(
        self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False
    ) -> None:
        for name, flag in (
            ("get_all", get_all),
            ("get_by_list", get_by_list),
            ("sens_param", sens_param),
        ):
            if not isinstance(flag, bool):
                says = f"For 'GradOperation', the '{name}' should be bool, but got another type."
                raise TypeError(
                    checks.text("GradOperation", name, "be a bool", checks.shown(flag), says)
                )
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn: Callable[..., Any], weights: Any = None) -> Callable[..., Any]:
        _function("GradOperation", fn)
        if self.get_by_list and weights is None:
            weights = getattr(fn, "trainable_params", lambda: None)()
            if weights is None:
                raise ValueError(
                    "GradOperation: weights must be given when get_by_list is True and fn is no "
                    "Cell."
                )
        params = _as_weights(weights) if self.get_by_list else ()

        def run(*args: Any, **kwargs: Any) -> Any:
            sens = None
            if self.sens_param:
                args, sens = _cotangent("GradOperation", args, kwargs)
            given = (*args, *kwargs.values())
            positions = range(len(given)) if self.get_all else () if self.get_by_list else (0,)
            wanted = _of_tensors(tuple(positions), given)
            _, dx, dw = _differentiate(fn, args, kwargs, wanted, params, sens, False)
            by_weight = dw[0] if isinstance(weights, Tensor) else tuple(dw)
            if not self.get_by_list:
                return tuple(dx) if self.get_all or not dx else dx[0]
            return (tuple(dx), by_weight) if self.get_all else by_weight

        flags = (*self.__dict__.values(), isinstance(weights, Tensor))
        derivative = Derivative(fn, ("grad_operation", flags, params), run)

        @functools.wraps(fn, updated=())
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return _staged(derivative, args, kwargs)

        return wrapped


class _None(tuple[Any, ...]):
    """No tapes, since somebody wants none."""


class no_grad(contextlib.ContextDecorator):
    """Record no gradients inside the ``with`` block or the decorated function, which in
    PYNATIVE_MODE must not ask for any.

    >>> def half_known(x):
    ...     with no_grad():
    ...         factor = x * 2.0
    ...     return factor * x
    >>> print(grad(half_known)(Tensor(3.0)))
    6.0
    """

    def __enter__(self) -> None:
        self._off = interp.with_tapes(_None())
        self._off.__enter__()

    def __exit__(self, *exc: Any) -> None:
        self._off.__exit__(*exc)


def stop_gradient(value: Any) -> Any:
    """``value`` itself, through which no gradient flows back.

    >>> print(grad(lambda x: stop_gradient(x) * x)(Tensor(3.0)))
    3.0
    """
    return map_tensors(lambda t: call("StopGradient", t), value)


__all__ = [
    "CustomVjp",
    "GradOperation",
    "ParameterTuple",
    "Tape",
    "custom_vjp",
    "grad",
    "no_grad",
    "stop_gradient",
    "value_and_grad",
]
