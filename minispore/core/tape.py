"""The tape of a gradient: the nodes that depend on watched values, and the walk back over them.

The walk binds the vjp of each node through the current interpreter. Under Pynative that
computes the gradient; under a Tracer it extends the graph; under an outer tape it is recorded
and can be differentiated again. A tape is in program order, so its reverse is a topological
order, and nothing recurses.

A Parameter is a leaf, whatever is assigned to it: each read contributes to its gradient, and no
gradient flows from a read into a value assigned earlier. Two reads may see different contents, so
the tape identifies contents by their Parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from minispore.core import interpreter as interp
from minispore.core.primitive import Primitive
from minispore.core.row_gradient import RowGradient
from minispore.core.tensor import Tensor, call, wrap
from minispore.execution.kernels.saved_intermediates import SavedIntermediates, looking_up_in
from minispore.ir.node import Node
from minispore.ir.operator import Operator
from minispore.ir.value import ContentOwner, Value


class Tape:
    """The nodes that depend on watched values, in program order.

    Args:
        watches_parameters: whether every trainable Parameter is watched once it is read.
    """

    def __init__(self, watches_parameters: bool = False) -> None:
        self._watches_parameters = watches_parameters
        self.nodes: list[Node] = []
        self.saved = SavedIntermediates()
        self._tracked: set[Value] = set()
        self.other_inputs: set[Value] = set()  # inputs without a requested gradient
        self._leaves: dict[ContentOwner, Value] = {}
        self._parameter_reads: dict[Value, Value] = {}  # content of a watched Parameter -> its leaf

    def watch(self, value: Value) -> Value:
        """Track ``value``; return the interpreter's value for it, under which :meth:`backward`
        reports the gradient.
        """
        value = interp.current().lift((value,))[0]
        self._tracked.add(value)
        if value.param is not None:
            self._leaves[value.param] = value
        return value

    def record(self, prim: Operator, args: tuple[Any, ...], outputs: tuple[Value, ...]) -> None:
        """Add a node if one of its arguments is tracked, and track its outputs.

        An op without a gradient is skipped. ``state.pack_node`` may replace the node.
        """
        tracked = self._tracked
        if prim.__class__.vjp is Primitive.vjp:  # no gradient flows back through it
            return
        for a in args:
            if a.__class__ is Value and (
                a in tracked or (a.param is not None and self._note_parameter_read(a))
            ):
                node = Node(prim, args, outputs, *interp.current().where())
                pack_node = interp.state().pack_node
                self.nodes.append(node if pack_node is None else pack_node(node))
                tracked.update(outputs)
                return

    def reaches(self, value: Value) -> bool:
        """Whether a gradient may flow to ``value``; tracks it first if it is the content of a
        watched Parameter.
        """
        return value in self._tracked or (
            value.param is not None and self._note_parameter_read(value)
        )

    def may_call_hooks(self, value: Value) -> bool:
        """Whether hooks on ``value`` may be called: it is in ``other_inputs``, or :meth:`reaches`
        is true.
        """
        return value in self.other_inputs or self.reaches(value)

    def _note_parameter_read(self, content: Value) -> bool:
        """Track ``content`` as a read of its Parameter if that is watched; return whether it is.

        A trainable Parameter is watched from its first read on, if the tape watches Parameters.
        """
        param: ContentOwner = content.param  # type: ignore[assignment]
        leaf = self._leaves.get(param)
        if leaf is None:
            if not self._watches_parameters or not param.requires_grad:
                return False
            leaf = self.watch(content)
        self._tracked.add(content)
        self._parameter_reads[content] = leaf
        return True

    def find_leaves(self) -> dict[ContentOwner, Value]:
        """Return the watched Parameters in the order in which the nodes read them.

        Each is paired with the value under which :meth:`backward` reports its gradient.
        """
        values = [a for node in self.nodes for a in node.args if a.__class__ is Value]
        params = dict.fromkeys(v.param for v in values if v.param is not None and self.reaches(v))
        return {p: self._leaves[p] for p in params if p in self._leaves}

    def backward(self, seeds: Iterable[tuple[Value, Tensor]]) -> dict[Value, Tensor]:
        """Return the cotangents of the watched values, computed from ``seeds`` by the vjps of the
        nodes in reverse.

        Args:
            seeds: outputs, each with its cotangent.
        """
        grads: dict[Value, Tensor] = {}
        for value, seed in seeds:
            value = interp.current().lift((value,))[0]
            if self.reaches(value):
                self._accumulate_grad(grads, value, seed)
        if interp.tracing():
            self._walk_back(grads, self._propagate_with_origin)
        else:
            with interp.crediting_gradient_of(None), looking_up_in(self.saved):
                self._walk_back(grads, self._propagate_cotangents)
        return grads

    def _walk_back(self, grads: dict[Value, Tensor], propagate: Callable[..., None]) -> None:
        """Visit the nodes in reverse and call ``propagate`` for each that has a cotangent.

        Afterwards, calls the callbacks that the nodes' derivatives added to ``after_backward``.
        """
        state = interp.state()
        outer_callbacks, state.after_backward = state.after_backward, []
        try:
            with interp.deriving():
                for node in reversed(self.nodes):
                    douts = [grads.pop(o, None) for o in node.outputs]
                    if any(d is not None for d in douts):
                        propagate(grads, node, douts)
            for callback in state.after_backward:
                callback()
        finally:
            state.after_backward = outer_callbacks

    def _propagate_with_origin(self, grads: Any, node: Node, douts: Any) -> None:
        """Propagate cotangents, and credit the new nodes to ``node``'s Cell and line."""
        with interp.crediting_gradient_of(node):
            self._propagate_cotangents(grads, node, douts)

    def _propagate_cotangents(
        self, grads: dict[Value, Tensor], node: Node, douts: list[Tensor | None]
    ) -> None:
        """Compute the cotangents of a node's inputs from ``douts``, and add them to ``grads``; skip
        inputs to which no gradient flows.
        """
        for arg, cot in zip(node.args, compute_cotangents(node, douts), strict=False):
            if cot is None or arg.__class__ is not Value:
                continue
            if not self.reaches(arg):
                continue
            if not isinstance(cot, Tensor):
                cot = cot()  # a thunk, called only if the cotangent is needed
                if cot is None:
                    continue
            self._accumulate_grad(grads, arg, cot)

    def _accumulate_grad(self, grads: dict[Value, Tensor], value: Value, cot: Tensor) -> None:
        """Add a cotangent to the gradient of ``value`` in ``grads``, or of the Parameter that
        ``value`` was read from.
        """
        value = self._parameter_reads.get(value, value)
        previous = grads.get(value)
        if previous is not None:
            is_by_rows = isinstance(previous, RowGradient) and isinstance(cot, RowGradient)
            cot = previous.concatenate(cot) if is_by_rows else call("Add", previous, cot)  # type: ignore[attr-defined]
        grads[value] = cot


def compute_cotangents(node: Any, douts: list[Tensor | None]) -> Sequence[Any]:
    """Return the cotangents of a node's arguments, as its vjp computes them: Tensors, functions
    that return them, or None.

    Call it, and those functions, inside :func:`interpreter.deriving`: it sets ``state.deriving`` to
    False for a user's derivative.
    """
    state = interp.state()
    if node.__class__ is not Node:  # packed by saved_tensors_hooks
        state.deriving = False
        node = node.unpack()
    prim = node.prim
    rule = prim.vjp_rule
    state.deriving = not rule.user_defined
    if not rule.partial:
        douts = [
            d if d is not None else call("ZerosLike", wrap(o))
            for d, o in zip(douts, node.outputs, strict=True)
        ]
    args = [wrap(a) if a.__class__ is Value else a for a in node.args]
    outs = tuple([wrap(o) for o in node.outputs])
    has_single_output = len(outs) == 1 and not rule.takes_tuples
    needs_conjugate = not rule.hermitian and any(o.spec.dtype.kind == "c" for o in node.outputs)
    if needs_conjugate:
        douts = [None if d is None else _conjugate_tensor(d) for d in douts]
    cots = prim.vjp(
        *args,
        out=outs[0] if has_single_output else outs,
        dout=douts[0] if has_single_output else tuple(douts),
    )
    return [_conjugate_lazily(c) for c in cots] if needs_conjugate else cots


def _conjugate_lazily(cot: Any) -> Any:
    """Return a function that computes the conjugate of a cotangent, which may itself be a function;
    None for None.
    """
    if cot is None:
        return None
    return lambda: _conjugate_tensor(cot if isinstance(cot, Tensor) else cot())


def _conjugate_tensor(cot: Any) -> Any:
    """Return the conjugate of a cotangent; None for None."""
    return None if cot is None else call("Conj", cot)  # Conj returns a real tensor as it is


__all__ = ["Tape", "compute_cotangents"]
