"""How layers of LSTM and GRU are said in ONNX: as one node for all steps of a direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.value import Node, Value
from minispore.graph.ir import Graph
from minispore.ops.linalg.products import BatchMatMul
from minispore.train.interchange.onnx_ops import on

# Where ONNX's gates are among ours: input, output, forget, cell; update, reset, new.
_GATES = {"LSTMSequence": (0, 3, 1, 2), "GRUSequence": (1, 0, 2)}


def said_whole(graph: Graph, node: Node, producers: dict[Value, Node]) -> bool:
    """Whether ONNX says a sequence of ``graph`` as one node: there are no lengths, what x adds is
    a product of x with the weights, and of all c the last alone is looked at.
    """
    if node.args[-1] is not None or _product(producers, node) is None:
        return False
    gates, _, *cells = node.outputs
    unsaid = {gates, *cells[1:]}
    last = 0 if getattr(node.prim, "reverse", False) else gates.spec.shape[1]
    for other in graph.nodes:
        if unsaid & set(other.inputs):
            return False
        if cells and cells[0] in other.inputs:
            parts = other.args[1] if other.prim.name == "GetItem" else ()
            if not parts or parts[0] not in (last, last - cells[0].spec.shape[0]):
                return False
    return not {gates, *cells} & set(graph.results())


def _product(producers: dict[Value, Node], node: Node) -> tuple[Value, Value] | None:
    """x (T, N, I) and the weights of all gates (G H, I); of a GRU (T N, I + 1), x with a column of
    ones, and (G, H, I + 1).
    """
    if node.prim.name == "LSTMSequence":
        return node.args[3], node.args[0]
    shaped = producers.get(node.args[0])
    product = producers.get(shaped.args[0]) if shaped and shaped.prim.name == "Reshape" else None
    if product is None or product.prim != BatchMatMul(False, True):
        return None
    rows, each = product.args
    return (rows, each) if rows.spec.ndim == 2 and each.spec.ndim == 3 else None


@on("LSTMSequence", "GRUSequence")
def _sequence(w: Any, node: Any, *args: Any) -> list[str]:
    lstm, reverse = node.prim.name == "LSTMSequence", node.prim.reverse
    found = _product(w.producers, node)
    assert found is not None
    rows, each = found
    _, w_hh, b, _, h, c, _ = args if lstm else (None, args[2], args[3], None, args[1], None, None)
    _, t, _, width = node.outputs[0].spec.shape
    count, size = node.prim.gates, rows.spec.shape[-1]
    n = w.shape(h)[0]
    order = w.ints(*_GATES[node.prim.name])

    def gates(weights: Value) -> str:
        """(G H, K) or (G, H, K) -> (1, G H, K), with the gates in ONNX's order."""
        apart = w.emit("Reshape", w(weights), w.ints(count, width, -1))
        return w.emit(
            "Reshape", w.emit("Gather", apart, order, axis=0), w.ints(1, count * width, -1)
        )

    def first(state: Value) -> str:
        return w.emit("Unsqueeze", w(state), w.ints(0))

    x = w.emit("Reshape", w(rows), w.ints(t, n, size))
    inputs = [x, gates(each), gates(w_hh)]
    way = {"hidden_size": width, "direction": "reverse" if reverse else "forward"}
    if lstm:
        bias = ""
        if b is not None:
            zeros = w.constant(np.zeros((1, 4 * width), h.spec.dtype))
            of_x = w.emit("Reshape", gates(b), w.ints(1, 4 * width))
            bias = w.emit("Concat", of_x, zeros, axis=1)
        ys, _, end = w.emit("LSTM", *inputs, bias, "", first(h), first(c), outputs=3, **way)
    else:
        zeros = w.constant(np.zeros(5 * width, h.spec.dtype))
        bias = w.emit("Unsqueeze", w.emit("Concat", zeros, w(b), axis=0), w.ints(0))
        ys = w.emit("GRU", *inputs, bias, "", first(h), linear_before_reset=1, **way)
    y = w.emit("Squeeze", ys, w.ints(1))
    hs = w.emit("Concat", *((y, first(h)) if reverse else (first(h), y)), axis=0)
    if not lstm:
        return ["", hs]
    # Of all c the last alone is looked at, so it stands for them all.
    return ["", hs, w.emit("Expand", end, w.ints(t + 1, 1, 1)), ""]


__all__ = ["said_whole"]
