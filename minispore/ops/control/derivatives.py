"""Transformations of functions: vjp, jvp, linearize, Jacobians, higher derivatives."""

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
from minispore.ir.value import Value
from minispore.ops.shape.cast_fill import Identity, OnesLike, StopGradient, ZerosLike
from minispore.ops.shape.join import Stack, pick
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import check_tensor_list


class _Linearization:
    """The linearization of ``fn`` at ``inputs``: its output, and a tape that maps cotangents and
    tangents.

    Args:
        fn: the function.
        inputs: the arguments of ``fn``; tensors in them are watched.
        weights: Parameters to watch after the tensors of the inputs.
        has_aux: whether all outputs but the first are auxiliary, without gradients.
        api_name: the public name that error messages begin with.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        inputs: tuple[Any, ...],
        weights: tuple[Parameter, ...] = (),
        has_aux: bool = False,
        api_name: str = "vjp",
    ) -> None:
        """Call ``fn`` on copies of ``inputs`` under a new tape, which watches the copies and
        ``weights``.

        Sets ``out``, its values ``outs``, the constant auxiliary outputs ``aux`` and ``watched``.
        """
        self.api_name = api_name
        self.tape = Tape()
        self.watched: list[Value] = []
        watched_inputs = [map_values(self._watch_input, x) for x in inputs]
        self.n_inputs = len(self.watched)
        self.watched += [self.tape.watch(w.value_) for w in weights]
        with interpreter.recording_on((*interpreter.tapes(), self.tape)):
            output = fn(*watched_inputs)
        self.aux: tuple[Any, ...] = ()
        if has_aux:
            output, aux = split_aux(api_name, output)
            self.aux = tuple(map_tensors(lambda t: StopGradient()(t), a) for a in aux)
        self.out = output
        self.outs = values_in(output)
        if not self.outs:
            raise TypeError(
                f"{api_name}: fn must return tensors, got {output!r} ({type(output).__name__})."
            )

    def _watch_input(self, t: Tensor) -> Tensor:
        """Return a copy of ``t`` that the tape watches; also appends its value to ``watched``."""
        value = self.tape.watch(Identity()(t).value_)
        self.watched.append(value)
        return wrap(value)

    def pull_back(self, cotangents: list[Tensor]) -> list[Tensor]:
        """Return the gradient of each watched tensor for these ``cotangents`` of the outputs.

        A tensor on which the outputs do not depend gets zeros.
        """
        seeds = [(o.value_, c) for o, c in zip(self.outs, cotangents, strict=True)]
        grads = self.tape.backward(seeds)
        return [ZerosLike()(wrap(v)) if (g := grads.get(v)) is None else g for v in self.watched]

    def push_forward(self, tangents: list[Tensor]) -> list[Tensor]:
        """Return the tangents of the outputs for these ``tangents`` of the watched tensors.

        ``pull_back`` is linear in the cotangents. Its gradient with respect to them, taken with a
        second tape, is therefore the transposed map: the forward-mode derivative.
        """
        second_tape = Tape()
        cotangents = [wrap(second_tape.watch(ZerosLike()(o).value_)) for o in self.outs]
        with interpreter.recording_on((*interpreter.tapes(), second_tape)):
            pulled = self.pull_back(cotangents)
        seeds = [(p.value_, t) for p, t in zip(pulled, tangents, strict=True)]
        grads = second_tape.backward(seeds)
        return [ZerosLike()(c) if (g := grads.get(c.value_)) is None else g for c in cotangents]

    def get_aux(self) -> Any:
        """Return the auxiliary output; a tuple of them unless there is exactly one."""
        return self.aux[0] if len(self.aux) == 1 else self.aux

    def check_shapes(self, tree: Any, like: list[Tensor], name: str) -> list[Tensor]:
        """Return the tensors of ``tree`` after comparing their shapes with those of ``like``.

        Raises:
            ValueError: their shapes are not those of ``like``.
        """
        tensors = values_in(tree)
        if [t.shape for t in tensors] != [t.shape for t in like]:
            raise ValueError(
                f"{self.api_name}: {name} must have the shapes {[t.shape for t in like]}, got "
                f"{[t.shape for t in tensors]}."
            )
        return tensors


def vjp(
    fn: Callable[..., Any], *inputs: Any, weights: Any = None, has_aux: bool = False
) -> tuple[Any, ...]:
    """Return the output of ``fn`` and a function that maps a cotangent to the inputs' gradients.

    Args:
        fn: a function or Cell of tensors.
        inputs: the arguments of ``fn``.
        weights: Parameters to differentiate by as well: one, a list or a ParameterTuple.
        has_aux: only the first output is differentiated; the others are returned unchanged.

    Returns:
        ``(output, vjp_fn)``, with ``has_aux`` ``(output, vjp_fn, aux)``; ``vjp_fn(*cotangents)``
        returns a tuple with one gradient per input; with weights, ``(by inputs, by weights)``.

    Raises:
        TypeError: ``fn`` returns no tensor.
        ValueError: when called: the shape of a cotangent differs from the output's.

    >>> out, back = vjp(lambda x: x * x, Tensor([1.0, 2.0]))
    >>> print(out, back(Tensor([1.0, 10.0]))[0])
    [1. 4.] [ 2. 40.]
    """
    params: tuple[Any, ...] = ()
    if weights is not None:
        params = (weights,) if isinstance(weights, Parameter) else tuple(weights)
    linearization = _Linearization(fn, inputs, params, has_aux)

    def vjp_fn(*cotangents: Any) -> Any:
        """Return the gradients of the inputs, and of the weights if given, for ``cotangents``."""
        grads = linearization.pull_back(
            linearization.check_shapes(cotangents, linearization.outs, "cotangents")
        )
        input_grads = replace_values(inputs, grads[: linearization.n_inputs])
        if weights is None:
            return input_grads
        weight_grads = tuple(grads[linearization.n_inputs :])
        return input_grads, weight_grads[0] if isinstance(weights, Parameter) else weight_grads

    if has_aux:
        return linearization.out, vjp_fn, linearization.get_aux()
    return linearization.out, vjp_fn


def jvp(fn: Callable[..., Any], inputs: Any, v: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Return the output of ``fn`` and its directional derivative along ``v``.

    Args:
        fn: a function or Cell of tensors.
        inputs: the argument of ``fn``, or a tuple or list of arguments.
        v: the direction, of the same form as ``inputs``.
        has_aux: only the first output is differentiated; the others are returned unchanged, as a
            third result.

    Raises:
        ValueError: ``v`` does not fit ``inputs``.

    >>> def square(x):
    ...     return x * x
    >>> out, change = jvp(square, Tensor([1.0, 2.0]), Tensor([1.0, 10.0]))
    >>> print(out, change)
    [1. 4.] [ 2. 40.]
    """
    args = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    linearization = _Linearization(fn, args, (), has_aux, "jvp")
    output_tangents = replace_values(
        linearization.out,
        linearization.push_forward(linearization.check_shapes(v, values_in(args), "v")),
    )
    if has_aux:
        return linearization.out, output_tangents, linearization.get_aux()
    return linearization.out, output_tangents


def linearize(fn: Callable[..., Any], inputs: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the output of ``fn`` and a function that maps a tangent of the inputs to the
    output's.

    ``fn`` runs once, for any number of directions.

    Args:
        fn: a function or Cell of tensors.
        inputs: the argument of ``fn``, or a tuple or list of arguments.

    Returns:
        The output, and a function of one argument, a direction of the same form as ``inputs``.

    Raises:
        ValueError: when the returned function is called: a direction does not fit ``inputs``.

    >>> def square(x):
    ...     return x * x
    >>> out, along = linearize(square, Tensor([1.0, 2.0]))
    >>> print(out, along(Tensor([1.0, 10.0])), along(Tensor([2.0, 0.0])))
    [1. 4.] [ 2. 40.] [4. 0.]
    """
    args = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    linearization = _Linearization(fn, args, api_name="linearize")

    def jvp_fn(v: Any) -> Any:
        """Return the derivative of the output along ``v``, in the structure of the output."""
        return replace_values(
            linearization.out,
            linearization.push_forward(linearization.check_shapes(v, values_in(args), "v")),
        )

    return linearization.out, jvp_fn


def _make_basis(like: Tensor) -> list[Tensor]:
    """Return the unit tensors of the shape of ``like``: one element 1, the others 0."""
    rows = np.eye(like.size, dtype=like.value_.spec.dtype)
    return [Tensor(row.reshape(like.shape)) for row in rows]


def jacrev(
    fn: Callable[..., Any], grad_position: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of ``fn``, one output element after the
    other.

    Args:
        fn: a function or Cell of tensors.
        grad_position: inputs to differentiate by: an int or a tuple of ints.
        has_aux: only the first output is differentiated; the result is ``(jacobian, aux)``.

    Returns:
        A function whose result has the shape ``output.shape + input.shape`` for each output and
        position, nested as ``[output][position]``. A single output or position, or a tuple of one
        position, adds no level.

    Raises:
        TypeError: ``grad_position`` is neither an int nor a tuple of ints.
        ValueError: it names no input, or one twice; when called: it names an input that is not a
            tensor, or with ``has_aux`` ``fn`` did not return several outputs as a tuple.

    >>> def square(x):
    ...     return x * x
    >>> print(jacrev(square)(Tensor([1.0, 2.0])))
    [[2. 0.]
     [0. 4.]]
    """

    def compute_rows(linearization: _Linearization, inputs: list[Tensor]) -> list[list[Tensor]]:
        """Compute the table of Jacobians [output][input], one backward pass per output
        element.
        """
        table = []
        for k, out in enumerate(linearization.outs):
            zeros = [ZerosLike()(o) for o in linearization.outs]
            pulled = [
                linearization.pull_back([*zeros[:k], unit, *zeros[k + 1 :]])
                for unit in _make_basis(out)
            ]
            table.append(
                [
                    Reshape()(Stack(0)([grads[i] for grads in pulled]), out.shape + x.shape)
                    for i, x in enumerate(inputs)
                ]
            )
        return table

    return _make_jacobian_fn(fn, grad_position, has_aux, compute_rows, "jacrev")


def jacfwd(
    fn: Callable[..., Any], grad_position: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of ``fn``, one input element after the
    other.

    Arguments and result are those of :func:`jacrev`; faster if the inputs are smaller than the
    outputs.

    >>> def square(x):
    ...     return x * x
    >>> print(jacfwd(square)(Tensor([1.0, 2.0])))
    [[2. 0.]
     [0. 4.]]
    """

    def compute_columns(linearization: _Linearization, inputs: list[Tensor]) -> list[list[Tensor]]:
        """Compute the table of Jacobians [output][input], one forward pass per input
        element.
        """
        table: list[list[Tensor]] = [[] for _ in linearization.outs]
        for i, x in enumerate(inputs):
            zeros = [ZerosLike()(y) for y in inputs]
            pushed = [
                linearization.push_forward([*zeros[:i], unit, *zeros[i + 1 :]])
                for unit in _make_basis(x)
            ]
            for k, out in enumerate(linearization.outs):
                stacked = Stack(-1)([tangents[k] for tangents in pushed])
                table[k].append(Reshape()(stacked, out.shape + x.shape))
        return table

    return _make_jacobian_fn(fn, grad_position, has_aux, compute_columns, "jacfwd")


def _make_jacobian_fn(
    fn: Callable[..., Any],
    grad_position: Any,
    has_aux: bool,
    compute_table: Callable[..., Any],
    api_name: str,
) -> Callable[..., Any]:
    """Check ``grad_position`` and return the function that computes the Jacobians of ``fn``.

    ``compute_table`` returns the Jacobians as one list per output, with one tensor per input.
    """
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    for p in positions:
        if isinstance(p, bool) or not isinstance(p, int):
            raise TypeError(
                f"{api_name}: grad_position must be an int or a tuple of ints, got "
                f"{grad_position!r}."
            )
    if not positions or len(set(positions)) < len(positions):
        raise ValueError(
            f"{api_name}: grad_position must name an input at least, and each once, got "
            f"{grad_position!r}."
        )

    def compute_jacobian(*inputs: Any) -> Any:
        """Compute the Jacobians at ``inputs``, nested [output][position], and auxiliary outputs if
        ``has_aux``.

        Raises:
            ValueError: ``grad_position`` names an input that is not a tensor.
        """
        if any(not 0 <= p < len(inputs) or not isinstance(inputs[p], Tensor) for p in positions):
            raise ValueError(
                f"{api_name}: grad_position must name tensors among the {len(inputs)} inputs, got "
                f"{grad_position!r}."
            )

        def call_with_selected(*selected: Any) -> Any:
            """Call ``fn`` with ``selected`` in place of the inputs at ``grad_position``."""
            all_inputs = list(inputs)
            for p, x in zip(positions, selected, strict=True):
                all_inputs[p] = x
            return fn(*all_inputs)

        selected = [inputs[p] for p in positions]
        linearization = _Linearization(call_with_selected, tuple(selected), (), has_aux, api_name)
        table = compute_table(linearization, selected)
        # As in MindSpore, a tuple of one position gives one Jacobian.
        output_rows = [row[0] if len(row) == 1 else tuple(row) for row in table]
        has_many_outputs = isinstance(linearization.out, tuple | list)
        jacobians = tuple(output_rows) if has_many_outputs else output_rows[0]
        return (jacobians, linearization.get_aux()) if has_aux else jacobians

    return compute_jacobian


def jet(fn: Callable[..., Any], primals: Any, series: Any) -> tuple[Any, Any]:
    """Return the output of ``fn`` at the start of a curve, and its derivatives along the curve.

    Args:
        fn: a function of tensors that returns one tensor, or a tuple of them.
        primals: the starting point of the curve: a tensor, or a tuple of them.
        series: the derivatives of the curve at its start, stacked along a new first axis, in the
            same form as ``primals``.

    Returns:
        ``(output, derivatives)``, the latter stacked along a new first axis; two lists if ``fn``
        has several outputs.

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

    def evaluate_curve(t: Tensor) -> Any:
        """Evaluate ``fn`` at parameter ``t`` of the curves, which are Taylor polynomials."""
        points = []
        for start, curve in zip(starts, curves, strict=True):
            point = start
            for k in range(order):
                point = point + pick(curve, 0, k) * (t ** (k + 1)) / factorial(k + 1)
            points.append(point)
        return fn(*points)

    zero, one = Tensor(0.0, dtype), Tensor(1.0, dtype)
    # derivatives[k] is the k-th derivative of the curve by its parameter t.
    derivatives: list[Callable[[Tensor], Any]] = [evaluate_curve]
    for _ in range(order):
        derivatives.append(functools.partial(_differentiate_at, derivatives[-1], one))
    out, slopes = evaluate_curve(zero), [f(zero) for f in derivatives[1:]]
    if isinstance(out, tuple | list):
        return list(out), [Stack(0)(list(rows)) for rows in zip(*slopes, strict=True)]
    return out, Stack(0)(slopes)


def _differentiate_at(f: Callable[[Tensor], Any], one: Tensor, t: Tensor) -> Any:
    """Return the derivative of ``f`` at ``t``; ``one`` is the tangent 1."""
    return jvp(f, t, one)[1]


def derivative(fn: Callable[..., Any], primals: Any, order: int) -> tuple[Any, Any]:
    """Return the output of ``fn`` and its ``order``-th directional derivative along the direction
    of ones in all inputs.

    For an element-wise ``fn`` of one input, this is the ordinary derivative of each element. With
    several outputs, both results are lists.

    >>> def cube(x):
    ...     return x * x * x
    >>> out, third = derivative(cube, Tensor(2.0), 3)
    >>> print(out, third)
    8.0 6.0
    """
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ValueError(f"derivative: order must be an int >= 1, got {order!r}.")
    starts = primals if isinstance(primals, tuple | list) else (primals,)
    series = [Stack(0)([OnesLike()(x), *[ZerosLike()(x)] * (order - 1)]) for x in starts]
    out, derived = jet(fn, tuple(starts), tuple(series))
    if isinstance(derived, list):
        return out, [pick(rows, 0, order - 1) for rows in derived]
    return out, pick(derived, 0, order - 1)


def get_grad(gradients: Any, identifier: Any) -> Tensor:
    """Return the gradient of one input or Parameter from the result of ``grad(...,
    return_ids=True)``.

    Args:
        gradients: the result of the gradient function.
        identifier: the position of an input, or a Parameter.

    Raises:
        RuntimeError: there is no such gradient.
    """
    name = identifier.name if isinstance(identifier, Parameter) else identifier
    pending = [gradients]
    while pending:
        node = pending.pop()
        if isinstance(node, tuple | list):
            if (
                len(node) == 2
                and not isinstance(node[0], tuple | list | Tensor)
                and node[0] == name
            ):
                return node[1]
            pending.extend(node)
    raise RuntimeError(f"get_grad: identifier must be among the gradients' ids, got {name!r}.")


__all__ = ["derivative", "get_grad", "jacfwd", "jacrev", "jet", "jvp", "linearize", "vjp"]
