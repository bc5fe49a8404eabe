"""Functions made from functions: vjp, jvp, Jacobians, derivatives, vmap."""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.autograd import Tape
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor, wrap
from minispore.core.tree import map_tensors, map_values, replace_values, split_aux, values_in
from minispore.core.value import Value
from minispore.ops.shape.join import Stack, pick
from minispore.ops.shape.views import Reshape
from minispore.ops.shape.whole import Identity, OnesLike, StopGradient, ZerosLike
from minispore.ops.support.arguments import check_tensor_list


class _Linear:
    """``fn`` at ``inputs``, recorded: its output, and what its tape says of small changes."""

    def __init__(
        self,
        fn: Callable[..., Any],
        inputs: tuple[Any, ...],
        weights: tuple[Parameter, ...] = (),
        has_aux: bool = False,
        who: str = "vjp",
    ) -> None:
        self.who = who
        self.tape = Tape()
        self.watched: list[Value] = []
        own = [map_values(self._watch, x) for x in inputs]
        self.n_inputs = len(self.watched)
        self.watched += [self.tape.watch(w.value_) for w in weights]
        with interpreter.recording_on((*interpreter.tapes(), self.tape)):
            made = fn(*own)
        self.aux: tuple[Any, ...] = ()
        if has_aux:
            made, aux = split_aux(who, made)
            self.aux = tuple(map_tensors(lambda t: StopGradient()(t), a) for a in aux)
        self.out = made
        self.outs = values_in(made)
        if not self.outs:
            raise TypeError(f"{who}: fn must return tensors, got {made!r} ({type(made).__name__}).")

    def _watch(self, t: Tensor) -> Tensor:
        value = self.tape.watch(Identity()(t).value_)
        self.watched.append(value)
        return wrap(value)

    def pull(self, cotangents: list[Tensor]) -> list[Tensor]:
        """What ``cotangents`` of the outputs mean for each watched tensor."""
        seeds = [(o.value_, c) for o, c in zip(self.outs, cotangents, strict=True)]
        grads = self.tape.backward(seeds)
        return [ZerosLike()(wrap(v)) if (g := grads.get(v)) is None else g for v in self.watched]

    def push(self, tangents: list[Tensor]) -> list[Tensor]:
        """How the outputs change along ``tangents`` of what is watched: the pull transposed."""
        outer = Tape()
        dual = [wrap(outer.watch(ZerosLike()(o).value_)) for o in self.outs]
        with interpreter.recording_on((*interpreter.tapes(), outer)):
            pulled = self.pull(dual)
        grads = outer.backward([(p.value_, t) for p, t in zip(pulled, tangents, strict=True)])
        return [ZerosLike()(d) if (g := grads.get(d.value_)) is None else g for d in dual]

    def checked(self, given: Any, like: list[Tensor], name: str) -> list[Tensor]:
        """The tensors of ``given``, if they fit ``like``."""
        found = values_in(given)
        if [t.shape for t in found] != [t.shape for t in like]:
            raise ValueError(
                f"{self.who}: {name} must have the shapes {[t.shape for t in like]}, got "
                f"{[t.shape for t in found]}."
            )
        return found


def vjp(
    fn: Callable[..., Any], *inputs: Any, weights: Any = None, has_aux: bool = False
) -> tuple[Any, ...]:
    """The output of ``fn`` and the function that maps its cotangent to those of the inputs.

    Args:
        fn: a function or Cell of tensors.
        inputs: its arguments.
        weights: Parameters to differentiate by as well: one, a list or ParameterTuple.
        has_aux: only the first output is differentiated, the others are returned as they are.

    Returns:
        ``(output, vjp_fn)``, with ``has_aux`` ``(output, vjp_fn, aux)``; ``vjp_fn(*cotangents)`` is
        a tuple with one gradient for each input, with weights ``(by inputs, by weights)``.

    Raises:
        TypeError: ``fn`` returns no tensor.
        ValueError: when called: a cotangent has another shape than the output.

    >>> out, back = vjp(lambda x: x * x, Tensor([1.0, 2.0]))
    >>> print(out, back(Tensor([1.0, 10.0]))[0])
    [1. 4.] [ 2. 40.]
    """
    params: tuple[Any, ...] = ()
    if weights is not None:
        params = (weights,) if isinstance(weights, Parameter) else tuple(weights)
    run = _Linear(fn, inputs, params, has_aux)

    def vjp_fn(*cotangents: Any) -> Any:
        found = run.pull(run.checked(cotangents, run.outs, "cotangents"))
        by_input, by_weight = found[: run.n_inputs], tuple(found[run.n_inputs :])
        shaped = replace_values(inputs, by_input)
        if weights is None:
            return shaped
        return shaped, by_weight[0] if isinstance(weights, Parameter) else by_weight

    if has_aux:
        return run.out, vjp_fn, run.aux[0] if len(run.aux) == 1 else run.aux
    return run.out, vjp_fn


def jvp(fn: Callable[..., Any], inputs: Any, v: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The output of ``fn`` and how it changes along ``v``.

    Args:
        fn: a function or Cell of tensors.
        inputs: its argument, or a tuple or list of them.
        v: the direction, of the same form as ``inputs``.
        has_aux: only the first output is differentiated, the others are returned as they are.

    Raises:
        ValueError: ``v`` does not fit ``inputs``.

    >>> def square(x):
    ...     return x * x
    >>> out, change = jvp(square, Tensor([1.0, 2.0]), Tensor([1.0, 10.0]))
    >>> print(out, change)
    [1. 4.] [ 2. 40.]
    """
    args = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    run = _Linear(fn, args, (), has_aux, "jvp")
    change = replace_values(run.out, run.push(run.checked(v, values_in(args), "v")))
    if has_aux:
        return run.out, change, run.aux[0] if len(run.aux) == 1 else run.aux
    return run.out, change


def linearize(fn: Callable[..., Any], inputs: Any) -> tuple[Any, Callable[..., Any]]:
    """The output of ``fn``, and a function that tells how it changes along a direction; ``fn`` runs
    once, however many directions are asked.

    Args:
        fn: a function or Cell of tensors.
        inputs: its argument, or a tuple or list of them.

    Returns:
        The output, and a function of one argument, a direction of the same form as ``inputs``.

    Raises:
        ValueError: later, a direction does not fit ``inputs``.

    >>> def square(x):
    ...     return x * x
    >>> out, along = linearize(square, Tensor([1.0, 2.0]))
    >>> print(out, along(Tensor([1.0, 10.0])), along(Tensor([2.0, 0.0])))
    [1. 4.] [ 2. 40.] [4. 0.]
    """
    args = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    run = _Linear(fn, args, who="linearize")

    def along(v: Any) -> Any:
        return replace_values(run.out, run.push(run.checked(v, values_in(args), "v")))

    return run.out, along


def _basis(like: Tensor) -> list[Tensor]:
    """The unit tensors of the shape of ``like``."""
    rows = np.eye(like.size, dtype=like.value_.spec.dtype)
    return [Tensor(row.reshape(like.shape)) for row in rows]


def jacrev(
    fn: Callable[..., Any], grad_position: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that returns the Jacobian of ``fn``, one output element after the other.

    Args:
        fn: a function or Cell of tensors.
        grad_position: inputs to differentiate by: an int or a tuple of ints.
        has_aux: only the first output is differentiated; the result is ``(jacobian, aux)``.

    Returns:
        A function whose result has the shape ``output.shape + input.shape`` for each output and
        position, nested as ``[output][position]``; one position, or a tuple of one, nests nothing.

    Raises:
        TypeError: ``grad_position`` is something else than an int or a tuple of ints.
        ValueError: it names no input, or one twice; later, it names what is no tensor, or with
            ``has_aux`` ``fn`` returned no tuple of several outputs.

    >>> def square(x):
    ...     return x * x
    >>> print(jacrev(square)(Tensor([1.0, 2.0])))
    [[2. 0.]
     [0. 4.]]
    """

    def rows(run: _Linear, inputs: list[Tensor]) -> list[list[Tensor]]:
        table = []
        for k, out in enumerate(run.outs):
            zeros = [ZerosLike()(o) for o in run.outs]
            pulled = [run.pull([*zeros[:k], e, *zeros[k + 1 :]]) for e in _basis(out)]
            table.append(
                [
                    Reshape()(Stack(0)([p[i] for p in pulled]), out.shape + x.shape)
                    for i, x in enumerate(inputs)
                ]
            )
        return table

    return _jacobian(fn, grad_position, has_aux, rows, "jacrev")


def jacfwd(
    fn: Callable[..., Any], grad_position: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that returns the Jacobian of ``fn``, one input element after the other.

    Arguments and result are those of :func:`jacrev`; quicker when the inputs are smaller
    than the outputs.

    >>> def square(x):
    ...     return x * x
    >>> print(jacfwd(square)(Tensor([1.0, 2.0])))
    [[2. 0.]
     [0. 4.]]
    """

    def columns(run: _Linear, inputs: list[Tensor]) -> list[list[Tensor]]:
        table: list[list[Tensor]] = [[] for _ in run.outs]
        for i, x in enumerate(inputs):
            zeros = [ZerosLike()(y) for y in inputs]
            pushed = [run.push([*zeros[:i], e, *zeros[i + 1 :]]) for e in _basis(x)]
            for k, out in enumerate(run.outs):
                stacked = Stack(-1)([p[k] for p in pushed])
                table[k].append(Reshape()(stacked, out.shape + x.shape))
        return table

    return _jacobian(fn, grad_position, has_aux, columns, "jacfwd")


def _jacobian(
    fn: Callable[..., Any], grad_position: Any, has_aux: bool, make: Callable[..., Any], who: str
) -> Callable[..., Any]:
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    for p in positions:
        if isinstance(p, bool) or not isinstance(p, int):
            raise TypeError(
                f"{who}: grad_position must be an int or a tuple of ints, got {grad_position!r}."
            )
    if not positions or len(set(positions)) < len(positions):
        raise ValueError(
            f"{who}: grad_position must name an input at least, and each once, got "
            f"{grad_position!r}."
        )

    def jacobian(*inputs: Any) -> Any:
        if any(not 0 <= p < len(inputs) or not isinstance(inputs[p], Tensor) for p in positions):
            raise ValueError(
                f"{who}: grad_position must name tensors among the {len(inputs)} inputs, got "
                f"{grad_position!r}."
            )

        def of_positions(*chosen: Any) -> Any:
            full = list(inputs)
            for p, x in zip(positions, chosen, strict=True):
                full[p] = x
            return fn(*full)

        chosen = [inputs[p] for p in positions]
        run = _Linear(of_positions, tuple(chosen), (), has_aux, who)
        table = make(run, chosen)
        # As in MindSpore: a tuple of one position gives one Jacobian.
        per_out = [row[0] if len(row) == 1 else tuple(row) for row in table]
        made = tuple(per_out) if isinstance(run.out, tuple | list) else per_out[0]
        return (made, run.aux[0] if len(run.aux) == 1 else run.aux) if has_aux else made

    return jacobian


def jet(fn: Callable[..., Any], primals: Any, series: Any) -> tuple[Any, Any]:
    """The output of ``fn`` along a curve, and its derivatives by the curve's parameter.

    Args:
        fn: a function of tensors that returns one tensor, or a tuple of them.
        primals: where the curve starts: a tensor, or a tuple of them.
        series: the derivatives of the curve there, stacked along a new first axis (in the same
            form as ``primals``).

    Returns:
        ``(output, derivatives)``, the latter stacked along a new first axis; of several outputs
        two lists.

    >>> def cube(x):
    ...     return x * x * x
    >>> out, series = jet(cube, Tensor(2.0), Tensor([1.0, 0.0]))
    >>> print(out, series)
    8.0 [12. 12.]
    """
    starts = primals if isinstance(primals, tuple | list) else (primals,)
    curves = series if isinstance(series, tuple | list) else (series,)
    check_tensor_list("jet", starts, "primals")
    order = check_tensor_list("jet", curves, "series")[0].shape[0]
    dtype = starts[0].dtype

    def value(t: Tensor) -> Any:
        points = []
        for start, curve in zip(starts, curves, strict=True):
            point = start
            for k in range(order):
                point = point + pick(curve, 0, k) * (t ** (k + 1)) / factorial(k + 1)
            points.append(point)
        return fn(*points)

    zero, one = Tensor(0.0, dtype), Tensor(1.0, dtype)
    derived: list[Callable[[Tensor], Any]] = [value]
    for _ in range(order):
        derived.append(functools.partial(_slope, derived[-1], one))
    out, slopes = value(zero), [f(zero) for f in derived[1:]]
    if isinstance(out, tuple | list):
        return list(out), [Stack(0)(list(rows)) for rows in zip(*slopes, strict=True)]
    return out, Stack(0)(slopes)


def _slope(f: Callable[[Tensor], Any], one: Tensor, t: Tensor) -> Any:
    return jvp(f, t, one)[1]


def derivative(fn: Callable[..., Any], primals: Any, order: int) -> tuple[Any, Any]:
    """The output of ``fn`` and its derivative of ``order`` along all inputs together.

    Of several outputs both are lists.

    >>> def cube(x):
    ...     return x * x * x
    >>> out, third = derivative(cube, Tensor(2.0), 3)
    >>> print(out, third)
    8.0 6.0
    """
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ValueError(f"derivative: order must be an int >= 1, got {order!r}.")
    starts = primals if isinstance(primals, tuple | list) else (primals,)
    series = []
    for x in starts:
        first, rest = OnesLike()(x), ZerosLike()(x)
        series.append(Stack(0)([first, *[rest] * (order - 1)]))
    out, derived = jet(fn, tuple(starts), tuple(series))
    if isinstance(derived, list):
        return out, [pick(rows, 0, order - 1) for rows in derived]
    return out, pick(derived, 0, order - 1)


def get_grad(gradients: Any, identifier: Any) -> Tensor:
    """The gradient of one input or Parameter among those that ``grad(..., return_ids=True)`` gives.

    Args:
        gradients: what the gradient function returned.
        identifier: the position of an input, or a Parameter.

    Raises:
        RuntimeError: there is no such gradient.
    """
    name = identifier.name if isinstance(identifier, Parameter) else identifier
    pending = [gradients]
    while pending:
        item = pending.pop()
        if isinstance(item, tuple | list):
            if (
                len(item) == 2
                and not isinstance(item[0], tuple | list | Tensor)
                and item[0] == name
            ):
                return item[1]
            pending.extend(item)
    raise RuntimeError(f"get_grad: identifier must be among the gradients' ids, got {name!r}.")


__all__ = ["derivative", "get_grad", "jacfwd", "jacrev", "jet", "jvp", "linearize", "vjp"]
