"""Hooks that pack and unpack the tensors that a node saves for its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.core import interpreter, tape
from minispore.core.autograd import CustomVjp
from minispore.core.tensor import Tensor, wrap
from minispore.graph.trace import Tracer, Untraceable
from minispore.ir.node import Node
from minispore.ir.value import Value


class saved_tensors_hooks:
    """Context manager under which hooks pack and unpack the tensors that ops save for gradients.

    ``pack_hook`` gets each such tensor, and its result is saved instead; ``unpack_hook`` converts
    that to a tensor for the gradient. Inside the ``with`` block everything runs op by op, even in
    GRAPH_MODE.

    Args:
        pack_hook (Callable): takes a tensor.
        unpack_hook (Callable): takes the result of ``pack_hook``, returns a tensor.

    Raises:
        RuntimeError: in the gradient: ``unpack_hook`` did not return a Tensor.

    >>> from minispore import grad
    >>> def in_half(x):
    ...     with saved_tensors_hooks(lambda t: t.asnumpy() / 2, lambda kept: Tensor(kept)):
    ...         return x * x
    >>> print(grad(in_half)(Tensor([1.0, 4.0])))
    [1. 4.]
    """

    def __init__(self, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook
        self._outer_packers: list[Any] = []

    def __enter__(self) -> None:
        interpreter.current().on_untraceable("saved_tensors_hooks")
        state = interpreter.state()
        self._outer_packers.append(state.pack_node)
        state.pack_node = self._pack_node

    def __exit__(self, *exc: Any) -> None:
        interpreter.state().pack_node = self._outer_packers.pop()

    def wrap_function(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``fn`` wrapped so that each call runs inside the ``with`` block."""

        def call_with_hooks(*args: Any, **kwargs: Any) -> Any:
            with self:
                return fn(*args, **kwargs)

        return call_with_hooks

    def _pack_node(self, node: Node) -> Node:
        """Return a node that stores packed tensors in place of those that ``node`` saves.

        Called by the interpreter for each recorded node. Nodes with a user-defined derivative or
        side effects are returned unchanged. While ``pack_hook`` runs, no hooks are applied.
        """
        if isinstance(node.prim, CustomVjp) or not node.prim.effect.is_pure:
            return node  # its gradient is user-defined
        state, positions = interpreter.state(), _find_saved_positions(node)
        state.pack_node = None
        try:
            with interpreter.recording_on(()):
                tensors = [*node.args, *node.outputs]
                packed = {
                    position: self.pack_hook(wrap(tensors[position])) for position in positions
                }
        finally:
            state.pack_node = self._pack_node
        return _PackedNode(node, packed, self.unpack_hook)


class _PackedNode(Node):
    """A node whose gradient computes with unpacked tensors in place of its own."""

    __slots__ = ("_packed", "_unpack")

    def __init__(self, node: Node, packed: dict[int, Any], unpack: Callable[..., Any]) -> None:
        super().__init__(node.prim, node.args, node.outputs, node.scope, node.line)
        self._packed, self._unpack = packed, unpack

    def unpack(self) -> Node:
        """Return a node whose packed arguments and outputs are replaced by unpacked tensors.

        Raises:
            RuntimeError: ``unpack_hook`` did not return a Tensor.
        """
        values, arg_count = [*self.args, *self.outputs], len(self.args)
        for position, packed in self._packed.items():
            tensor = self._unpack(packed)
            if not isinstance(tensor, Tensor):
                raise RuntimeError(
                    f"saved_tensors_hooks: unpack_hook must return a Tensor, got {tensor!r}."
                )
            values[position] = tensor.value_
        return Node(self.prim, tuple(values[:arg_count]), tuple(values[arg_count:]))


def _find_saved_positions(node: Node) -> list[int]:
    """Return the positions of the arguments and outputs that the gradient of ``node`` reads.

    Outputs are counted after the arguments. The derivative is traced with tracers in place of the
    values, and values that no gradient depends on are omitted; if it cannot be traced, all
    positions are returned.
    """
    values = [*node.args, *node.outputs]
    positions = [position for position, value in enumerate(values) if value.__class__ is Value]
    needs_grads = [
        any(t.reaches(values[position]) for t in interpreter.tapes()) for position in positions
    ]
    tracer, tracers = Tracer(), list(values)
    for position in positions:
        tracers[position] = tracer.add_input(values[position].spec, None)
    arg_count = len(node.args)
    copy = Node(node.prim, tuple(tracers[:arg_count]), tuple(tracers[arg_count:]))
    try:
        with interpreter.using_interpreter(tracer), interpreter.deriving():
            douts: list[Any] = [wrap(tracer.add_input(o.spec, None)) for o in node.outputs]
            cotangents = dict(enumerate(tape.compute_cotangents(copy, douts)))
            live = set()
            for position, needs_grad in zip(positions, needs_grads, strict=True):
                if not needs_grad or position >= arg_count:
                    continue
                cotangent = cotangents.get(position)
                if cotangent is not None and not isinstance(cotangent, Tensor):
                    cotangent = cotangent()  # a function that computes it
                if cotangent is not None:
                    live.add(cotangent.value_)
    except Untraceable:  # the derivative reads concrete values, so it may read all of them
        return positions
    for traced_node in reversed(tracer.graph.nodes):
        if not live.isdisjoint(traced_node.outputs):
            live.update(traced_node.inputs)
    return [position for position in positions if tracers[position] in live]


__all__ = ["saved_tensors_hooks"]
