"""The rule that writes a recurrent layer as one ONNX node for all steps of a direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.graph.ir import Graph
from minispore.ir.node import Node
from minispore.ir.value import Value
from minispore.ops.linalg.products import BatchMatMul
from minispore.train.interchange.onnx_ops import Writer, register_rule

# ONNX's gates (input, output, forget, cell; update, reset, new) as indices in minispore's.
_GATES = {"LSTMSequence": (0, 3, 1, 2), "GRUSequence": (1, 0, 2)}


def is_single_onnx_node(graph: Graph, node: Node, producers: dict[Value, Node]) -> bool:
    """Whether ONNX can write a recurrent layer of ``graph`` as one node.

    The layer must have no sequence lengths, and its input part must be a single product of x with
    the weights. Its gates, and all cell states except the last, must be unused.
    """
    if node.args[-1] is not None or _find_input_and_weights(producers, node) is None:
        return False
    gates, _, *cells = node.outputs
    unavailable = {gates, *cells[1:]}
    last_index = 0 if getattr(node.prim, "reverse", False) else gates.spec.shape[1]
    for user in graph.nodes:
        if unavailable & set(user.inputs):
            return False
        if cells and cells[0] in user.inputs:
            index_parts = user.args[1] if user.prim.name == "GetItem" else ()
            last_indices = (last_index, last_index - cells[0].spec.shape[0])  # from either end
            if not index_parts or index_parts[0] not in last_indices:
                return False
    return not {gates, *cells} & set(graph.results())


def _find_input_and_weights(producers: dict[Value, Node], node: Node) -> tuple[Value, Value] | None:
    """Find the input and the weights of all gates of a recurrent layer; return None if they are
    missing.

    LSTM: x (T, N, I) and (G H, I). GRU: x with a column of ones (T N, I + 1), and (G, H, I + 1).
    """
    if node.prim.name == "LSTMSequence":
        return node.args[3], node.args[0]
    reshape = producers.get(node.args[0])
    product = producers.get(reshape.args[0]) if reshape and reshape.prim.name == "Reshape" else None
    if product is None or product.prim != BatchMatMul(transpose_b=True):
        return None
    x, weights = product.args
    return (x, weights) if x.spec.ndim == 2 and weights.spec.ndim == 3 else None


@register_rule("LSTMSequence", "GRUSequence")
def _emit_sequence(w: Writer, node: Any, *args: Any) -> list[str]:
    """Emit LSTM or GRU for one direction; return the names of its outputs: "" for unused ones;
    states include the initial one.
    """
    is_lstm, reverse = node.prim.name == "LSTMSequence", node.prim.reverse
    input_and_weights = _find_input_and_weights(w.producers, node)
    assert input_and_weights is not None
    rows, w_ih = input_and_weights
    if is_lstm:
        _w, w_hh, b, _x, h, c, _lengths = args
    else:
        _input_part, h, w_hh, b, _lengths = args
    _, t, _, width = node.outputs[0].spec.shape
    count, size = node.prim.gates, rows.spec.shape[-1]
    n = w.shape(h)[0]
    order = w.ints(*_GATES[node.prim.name])

    def reorder_gates(weights: Value) -> str:
        """Reorder the gates as in ONNX: (G H, K) or (G, H, K) -> (1, G H, K)."""
        gate_weights = w.emit("Reshape", w.name(weights), w.ints(count, width, -1))
        gate_weights = w.emit("Gather", gate_weights, order, axis=0)
        return w.emit("Reshape", gate_weights, w.ints(1, count * width, -1))

    def add_direction_axis(state: Value) -> str:
        """Emit an Unsqueeze of a state for ONNX's axis of directions: (N, H) -> (1, N, H)."""
        return w.emit("Unsqueeze", w.name(state), w.ints(0))

    x = w.emit("Reshape", w.name(rows), w.ints(t, n, size))
    inputs = [x, reorder_gates(w_ih), reorder_gates(w_hh)]
    attributes = {"hidden_size": width, "direction": "reverse" if reverse else "forward"}
    if is_lstm:
        bias = ""
        if b is not None:
            zeros = w.constant(np.zeros((1, 4 * width), h.spec.dtype))
            input_bias = w.emit("Reshape", reorder_gates(b), w.ints(1, 4 * width))
            bias = w.emit("Concat", input_bias, zeros, axis=1)
        ys, _, last_c = w.emit(
            "LSTM",
            *inputs,
            bias,
            "",
            add_direction_axis(h),
            add_direction_axis(c),
            outputs=3,
            **attributes,
        )
    else:
        zeros = w.constant(np.zeros(5 * width, h.spec.dtype))
        bias = w.emit("Unsqueeze", w.emit("Concat", zeros, w.name(b), axis=0), w.ints(0))
        ys = w.emit(
            "GRU", *inputs, bias, "", add_direction_axis(h), linear_before_reset=1, **attributes
        )
    y = w.emit("Squeeze", ys, w.ints(1))
    initial_state = add_direction_axis(h)
    states = (y, initial_state) if reverse else (initial_state, y)
    hs = w.emit("Concat", *states, axis=0)  # (T + 1, N, H)
    if not is_lstm:
        return ["", hs]
    # Only the last cell state is used, so it can represent all of them.
    return ["", hs, w.emit("Expand", last_c, w.ints(t + 1, 1, 1)), ""]


__all__ = ["is_single_onnx_node"]
