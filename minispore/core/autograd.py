"""Reverse-mode differentiation, as users call it, on the tape of :mod:`minispore.core.tape`."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from minispore import context
from minispore.core import interpreter as interp
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.staged import Derivative
from minispore.core.tape import Tape
from minispore.core.tensor import Tensor, call, wrap
from minispore.core.tree import (
    HasValues,
    Mutable,
    map_tensors,
    map_values,
    split_aux,
    tensors_in,
    values_in,
)
from minispore.errors import PositionError, warn
from minispore.foundation import checks
from minispore.foundation.tracebacks import shorten_traceback
from minispore.ir.value import Value


class CustomVjp(Primitive):
    """Op that represents on the tape a function with a user-defined derivative."""

    backward: Any
    vjp_rule: Any  # type: ignore[misc]  # each call has its own

    def vjp(self, *args: Any, out: Any, dout: Any) -> Cotangents:
        """Return what the user's derivative returns for the arguments, the output and ``dout``."""
        return tuple(self.backward(args, out, dout))


def custom_vjp(
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    args: tuple[Any, ...],
    takes_none: Callable[[], bool] = bool,
) -> Any:
    """Return ``forward(*args)``, whose derivative ``backward`` computes.

    Open tapes record one node in place of the ops of ``forward``; without tapes, ``forward`` is
    just called.

    Args:
        forward: the function.
        backward: returns a cotangent for each tensor in ``args``: ``backward(args, outs, douts)``.
        args: the inputs.
        takes_none: called after ``forward``; returns whether ``backward`` takes None for outputs
            without a cotangent, instead of zeros.
    """
    open_tapes = interp.tapes()
    if not open_tapes:
        return forward(*args)
    inputs = tuple(t.value_ for t in tensors_in(args))  # forward may write into them
    used_values = set(inputs)

    def separate_output(t: Tensor) -> Tensor:
        """Return an output tensor whose Value no input or other output shares.

        Otherwise the cotangent of one would be added to the other.
        """
        value = _make_distinct(t).value_ if t.value_ in used_values else t.value_
        used_values.add(value)
        return wrap(value)

    with interp.recording_on(()):
        out = map_tensors(separate_output, forward(*args))
    outs = tensors_in(out)
    rule = VjpRule(hermitian=True, partial=takes_none(), takes_tuples=True, user_defined=True)
    interp.record(CustomVjp(backward, rule), inputs, tuple(t.value_ for t in outs))
    return out


def _take_forward_record(fn: Any, inputs: tuple[Any, ...], *request: Any) -> Any:
    """Remove the forward pass (``nn.forward_cache.ForwardPass``) that Cell ``fn`` recorded in this
    thread; return it if a gradient with this request can use it.

    Args:
        fn: a Cell or a function.
        inputs: the inputs of the requested gradient.
        request: the keyword names, the positions and the weights of the requested gradient.

    Returns:
        The recorded pass; None if it does not match, or if ``fn`` is a function. While a gradient
        is being recorded, None, and the pass is not removed.
    """
    state = interp.state()
    if not state.forwards or state.tapes or not hasattr(fn, "trainable_params"):
        return None
    record = state.forwards.pop(fn, None)
    return record if record is not None and record.matches(inputs, *request) else None


# -- what users call ------------------------------------------------------------------------------


def _compute_gradients(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    positions: tuple[int, ...],
    weights: tuple[Parameter, ...] | None,
    sens: Any,
    has_aux: bool,
) -> tuple[Any, list[Any], list[Tensor]]:
    """Return ``fn(*args, **kwargs)``, its gradients by inputs at ``positions``, and those by
    ``weights``.

    Keyword inputs come after the others, in the order given. With ``has_aux`` only the first output
    is differentiated. If ``weights`` is None, they are the trainable Parameters that ``fn`` reads.
    ``sens`` holds the cotangents of the outputs; None means ones. Uses the forward pass that Cell
    ``fn`` has just recorded, if there is one, instead of calling ``fn``. Calls the gradient hooks
    of the inputs and weights. Warns if there is no tensor to differentiate.

    Raises:
        RuntimeError: called inside :class:`no_grad` in PYNATIVE_MODE.
    """
    op_by_op = context.current().mode == context.PYNATIVE_MODE and not interp.tracing()
    if op_by_op and isinstance(interp.tapes(), _NoTapes):
        raise RuntimeError(
            "grad: a gradient must be asked for outside of no_grad. In no_grad context, you can "
            "not calculate gradient."
        )
    inputs = (*args, *kwargs.values())
    watched: dict[int, list[Value]] = {}
    forward_record = _take_forward_record(fn, inputs, tuple(kwargs), positions, weights or ())
    if forward_record:  # fn ran already, on a tape: only the walk back is left
        tape, out = forward_record.tape, forward_record.out
        watched.update(enumerate(forward_record.watched))
        leaves = {w: forward_record.leaves.get(w) or tape.watch(w.value_) for w in weights or ()}
    else:
        tape, outer_tapes, fresh_inputs = Tape(weights is None), interp.tapes(), list(inputs)
        for i in positions:
            # A distinct value per position: the same tensor passed twice has two gradients.
            fresh_inputs[i] = map_values(_make_distinct, inputs[i])
            watched[i] = [tape.watch(t.value_) for t in values_in(fresh_inputs[i])]
        leaves = {w: tape.watch(w.value_) for w in weights or ()}
        if positions:
            other_values = [
                t.value_
                for i, x in enumerate(fresh_inputs)
                if i not in watched
                for t in values_in(x)
            ]
            tape.other_inputs.update(interp.current().lift(tuple(other_values)))
        with interp.recording_on((*outer_tapes, tape)):
            out = fn(
                *fresh_inputs[: len(args)],
                **dict(zip(kwargs, fresh_inputs[len(args) :], strict=True)),
            )
    if weights is None:
        leaves = tape.find_leaves()
        weights = tuple(leaves)
    differentiated = split_aux("grad", out)[0] if has_aux else out
    # A sparse tensor beside others counts, as in MindSpore's GRAPH_MODE.
    outs = values_in(differentiated)
    if not outs:  # no other output depends on an input
        name = getattr(fn, "__name__", type(fn).__name__)
        warn(
            f"grad: the function {name!r} returned no Tensor to differentiate but "
            f"{differentiated!r:.80} ({type(differentiated).__name__}), so its gradients are 0, as "
            "MindSpore's are.",
        )
    seeds = _make_seeds(outs, sens) if outs else []
    grads = tape.backward([(t.value_, s) for t, s in zip(outs, seeds, strict=True)])

    def find_gradient(value: Value, tensor: Tensor) -> Tensor:
        """Return the gradient of ``value`` (zeros if there is none) after the tensor's hooks."""
        grad_or_none = grads.get(value)
        gradient = call("ZerosLike", wrap(value)) if grad_or_none is None else grad_or_none
        return gradient if tensor.hooks_ is None else tensor.hooks_(gradient)

    input_grads = []
    for i in positions:
        tensors = values_in(inputs[i])
        gradients = [find_gradient(v, t) for v, t in zip(watched[i], tensors, strict=True)]
        input_grads.append(_restore_structure(inputs[i], iter(gradients)))
    weight_grads = [
        find_gradient(leaves[w], w) if w.requires_grad else call("ZerosLike", w) for w in weights
    ]
    return out, input_grads, weight_grads


def _restore_structure(tree: Any, gradients: Iterator[Tensor]) -> Any:
    """Return ``gradients`` in the structure of ``tree``, with 0 for Python scalars, which are
    constants.

    A sparse tensor is replaced by the gradient of its values.
    """
    if isinstance(tree, Tensor | HasValues):
        return next(gradients)
    if isinstance(tree, tuple):
        return tuple([_restore_structure(x, gradients) for x in tree])
    if isinstance(tree, list):
        return [_restore_structure(x, gradients) for x in tree]
    if isinstance(tree, dict):
        return {k: _restore_structure(x, gradients) for k, x in tree.items()}
    return 0


def _make_distinct(t: Tensor) -> Tensor:
    """Return a tensor with the same content and a Value of its own; in a graph or on a tape, it is
    a copy.
    """
    return call("Identity", t) if interp.tracing() or interp.tapes() else wrap(t.value_.alias())


def _make_seeds(outs: list[Tensor], sens: Any) -> list[Tensor]:
    """Return the cotangents of the outputs: ``sens`` in the outputs' shapes, or ones.

    Raises:
        ValueError: the number of tensors in ``sens`` differs from the number of outputs.
    """
    if sens is None:
        return [call("OnesLike", t) for t in outs]
    cotangents = values_in(sens) or [Tensor(sens, outs[0].dtype)]
    if len(cotangents) != len(outs):
        raise ValueError(
            f"sens must hold one tensor for each of the {len(outs)} outputs, got {len(cotangents)}."
        )
    return [_check_seed(s, t) for s, t in zip(cotangents, outs, strict=True)]


def _check_seed(cotangent: Tensor, out: Tensor) -> Tensor:
    """Check the dtype and shape of a cotangent of ``out``; return it in the shape of ``out``.

    A cotangent with one element fits any output with one element: it is reshaped, as from (1,) to
    ().

    Raises:
        TypeError: the dtype of the cotangent differs from that of ``out``.
        ValueError: the shapes differ.
    """
    if cotangent.dtype is not out.dtype:
        raise TypeError(
            f"sens must have the output's dtype {out.dtype}, got {cotangent.dtype}. Cast it."
        )
    if cotangent.shape == out.shape:
        return cotangent
    if cotangent.size == out.size == 1:
        return call("Reshape", cotangent, out.shape)
    raise ValueError(f"sens must have the output's shape {out.shape}, got {cotangent.shape}.")


def _split_sens(
    api_name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], Any]:
    """Return the function's positional inputs, and the cotangent of its output: ``sens``, which is
    removed from ``kwargs``, else the last of ``args``.

    Raises:
        TypeError: there is no input.
    """
    if "sens" in kwargs:
        return args, kwargs.pop("sens")
    if not args:
        raise TypeError(
            f"{api_name}: with sens_param=True the last input must be the output's cotangent."
        )
    return args[:-1], args[-1]


def _call_staged(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call ``function`` as one graph in GRAPH_MODE at the top level, else directly.

    Frames of this package are cut from the traceback of an error.
    """
    if compiler := interp.find_stage_compiler():
        return compiler.call(function, args, kwargs)
    try:
        return function(*args, **kwargs)
    except Exception as exc:
        shorten_traceback(exc)
        raise


def _check_function(api_name: str, fn: Any) -> None:
    """Raise a TypeError unless ``fn`` is a function or a Cell."""
    if not callable(fn) or isinstance(fn, Tensor):
        rule, hint = "be a function or Cell", "Pass the function itself, not what it returns."
        raise TypeError(checks.format_error(api_name, "fn", rule, checks.format_value(fn), hint))


def _check_weights(weights: Any) -> tuple[Parameter, ...]:
    """Return ``weights``, one Parameter or several, as a tuple (empty for None); raise a TypeError
    for anything else.

    A weight that mixed precision reads in lower precision is replaced by its Parameter.
    """
    if weights is None:
        return ()
    params = (weights,) if isinstance(weights, Tensor) else tuple(weights)
    params = tuple([getattr(w, "source", w) for w in params])  # a weight read in lower precision
    for w in params:
        if not isinstance(w, Parameter):
            raise TypeError(f"grad: weights must be Parameters, got {w!r} ({type(w).__name__}).")
    return params


def _check_positions(grad_position: Any, weights: Any) -> tuple[int, ...]:
    """Return ``grad_position`` as a tuple of distinct positions; () if only weights are given.

    Raises:
        TypeError: a position is not an int.
        ValueError: a position is negative or repeated, or there are neither positions nor weights.
        RuntimeError: the tuple is empty.
    """
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


def _select_differentiable(positions: tuple[int, ...], inputs: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the positions whose inputs have a gradient, as in MindSpore.

    Tensors, sparse or not, and mutable containers of tensors have one; Python scalars and plain
    tuples, lists or dicts do not.

    Raises:
        PositionError: there is no input at a position.
    """
    for i in positions if inputs else ():
        if i >= len(inputs):
            raise PositionError(
                f"grad: grad_position {i} must be below the number of inputs, got {len(inputs)} "
                "inputs."
            )
    return tuple([i for i in positions if i < len(inputs) and _is_differentiable(inputs[i])])


def _is_differentiable(value: Any) -> bool:
    """Whether an input has a gradient: it is a tensor, sparse or not, or a mutable container with
    one.
    """
    return isinstance(value, Tensor | HasValues) or (
        isinstance(value, Mutable) and bool(tensors_in(value))
    )


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: Any = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes ``fn``'s value and its gradients.

    Args:
        fn: a function or Cell of tensors; the elements of its outputs are summed (with
            ``has_aux``, of its first output alone).
        grad_position: inputs to differentiate by: an int, a tuple of ints or None. Python scalars,
            and tuples, lists or dicts that are not ``mutable``, have no gradient; that of a
            COOTensor or CSRTensor is a Tensor, the gradient by its values.
        weights: Parameters to differentiate by: one, a list or ParameterTuple, or None.
        has_aux: only the first output is differentiated, the others pass through.
        return_ids: return each gradient together with its position or name.
        sens_param: the last input of the result, or ``sens=``, is the cotangent of the output.

    Returns:
        ``(value, gradients)``; gradients as :func:`grad` returns them.

    Raises:
        ValueError: both ``grad_position`` and ``weights`` are None; when called with ``has_aux``,
            ``fn`` did not return a tuple of several outputs.
        TypeError: ``fn`` can't be called, ``grad_position`` is a list, ``weights`` holds something
            other than Parameters, or ``sens_param`` is not a bool.
        RuntimeError: there are no positions.
        PositionError: a position is not below the number of inputs.

    >>> from minispore import ops
    >>> f = value_and_grad(lambda x: x * x)
    >>> value, dx = f(Tensor(3.0))
    >>> print(value, dx)
    9.0 6.0
    """
    _check_function("grad", fn)
    checks.boolean("grad", "sens_param", sens_param)
    positions, params = _check_positions(grad_position, weights), _check_weights(weights)

    def compute_value_and_grads(*args: Any, **kwargs: Any) -> Any:
        """Call the function; return its output and its gradients, packed as the arguments of
        ``grad`` specify.
        """
        sens = None
        if sens_param:
            args, sens = _split_sens("grad", args, kwargs)
        differentiable = _select_differentiable(positions, (*args, *kwargs.values()))
        out, dx, dw = _compute_gradients(fn, args, kwargs, differentiable, params, sens, has_aux)
        # As in MindSpore: a tuple of one position yields a gradient, a tuple of one weight yields a
        # tuple.
        input_grads: Any = dx[0] if len(dx) == 1 else tuple(dx)
        weight_grads: Any = dw[0] if isinstance(weights, Tensor) else tuple(dw)
        if return_ids:
            numbered = tuple(zip(differentiable, dx, strict=True))
            input_grads = numbered[0] if len(numbered) == 1 else numbered
            named = tuple((p.name, d) for p, d in zip(params, dw, strict=True))
            weight_grads = named[0] if isinstance(weights, Tensor) else named
        if weights is None:
            return out, input_grads
        return out, (weight_grads if grad_position is None else (input_grads, weight_grads))

    # The compile cache's key of this closure: the same request finds the same graph again.
    is_one_weight = isinstance(weights, Tensor)
    flags = (grad_position, weights is None, is_one_weight, has_aux, return_ids, sens_param)
    derivative = Derivative(fn, ("grad", flags, params), compute_value_and_grads)

    @functools.wraps(fn, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        """Return the value of the function and its gradients, computed as one graph in
        GRAPH_MODE.
        """
        return _call_staged(derivative, args, kwargs)

    return wrapper


def grad(
    fn: Callable[..., Any],
    grad_position: Any = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the gradients of ``fn``.

    Args:
        fn: a function or Cell of tensors; the elements of its outputs are summed (with
            ``has_aux``, of its first output alone).
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
    compute_both = value_and_grad(fn, grad_position, weights, has_aux, return_ids, sens_param)

    @functools.wraps(fn, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        """Call the function; return its gradients, and with ``has_aux`` also its other outputs."""
        out, gradients = compute_both(*args, **kwargs)
        if has_aux:
            return gradients, tuple(out[1:])
        return gradients

    return wrapper


class GradOperation:
    """MindSpore's 1.x interface for gradients: ``GradOperation(...)(network, weights)(*inputs)``.

    Args:
        get_all: differentiate by all tensor inputs, keyword inputs included (returns a tuple),
            instead of only the first.
        get_by_list: differentiate by ``weights``, or without them by the trainable Parameters that
            the function reads, in the order read; with ``get_all`` the result is
            ``(by inputs, by weights)``.
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
                hint = f"For 'GradOperation', the '{name}' should be bool, but got another type."
                raise TypeError(
                    checks.format_error(
                        "GradOperation", name, "be a bool", checks.format_value(flag), hint
                    )
                )
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn: Callable[..., Any], weights: Any = None) -> Callable[..., Any]:
        """Return a function that computes the gradients of ``fn`` that the flags select."""
        _check_function("GradOperation", fn)
        is_without_weights = self.get_by_list and weights is None
        params = None if is_without_weights else _check_weights(weights if self.get_by_list else ())

        def compute_selected_grads(*args: Any, **kwargs: Any) -> Any:
            """Call the function; return the gradients that the flags of this object select."""
            sens = None
            if self.sens_param:
                args, sens = _split_sens("GradOperation", args, kwargs)
            inputs = (*args, *kwargs.values())
            positions: tuple[int, ...] = () if self.get_by_list else (0,)
            if self.get_all:
                positions = tuple(range(len(inputs)))
            differentiable = _select_differentiable(positions, inputs)
            _, dx, dw = _compute_gradients(
                fn, args, kwargs, differentiable, params, sens, has_aux=False
            )
            weight_grads = dw[0] if isinstance(weights, Tensor) else tuple(dw)
            if not self.get_by_list:
                return tuple(dx) if self.get_all or not dx else dx[0]
            return (tuple(dx), weight_grads) if self.get_all else weight_grads

        flags = (*self.__dict__.values(), isinstance(weights, Tensor))
        derivative = Derivative(fn, ("grad_operation", flags, params), compute_selected_grads)

        @functools.wraps(fn, updated=())
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            """Return the selected gradients, computed as one graph in GRAPH_MODE."""
            return _call_staged(derivative, args, kwargs)

        return wrapper


class _NoTapes(tuple[Any, ...]):
    """Empty tuple of tapes that :class:`no_grad` installs; computing gradients under it raises an
    error.
    """


class no_grad(contextlib.ContextDecorator):
    """Disable gradient recording inside the ``with`` block or the decorated function; in
    PYNATIVE_MODE, gradients must not be requested inside.

    >>> def half_known(x):
    ...     with no_grad():
    ...         factor = x * 2.0
    ...     return factor * x
    >>> print(grad(half_known)(Tensor(3.0)))
    6.0
    """

    def __enter__(self) -> None:
        """Stop recording on the tapes of this thread."""
        self._tape_override = interp.recording_on(_NoTapes())
        self._tape_override.__enter__()

    def __exit__(self, *exc: Any) -> None:
        """Record on the previous tapes again."""
        self._tape_override.__exit__(*exc)


def stop_gradient(value: Any) -> Any:
    """Return ``value`` itself, but no gradient flows back through it.

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
