"""Layout passes: keep images in the blocked layout between convolutions that use it.

In the blocked layout an image (N, C, H, W) is stored as B *planes*, (C, B, H, W/B, N); see
:mod:`minispore.ops.steps.planes`. Lowering emits ``FromPlanes`` after each blocked convolution and
``ToPlanes`` before the next. These rules move the ops between them into the blocked layout, until
the two conversions meet and cancel. A rule changes only where an element is stored, never its
value.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.execution import layout
from minispore.graph.ir import Graph, make_node_like, rewrite
from minispore.graph.strides import StrideInference
from minispore.ir.node import Node
from minispore.ir.value import Spec, Value
from minispore.ops.elementwise.arithmetic import Add
from minispore.ops.elementwise.piecewise_activations import ReLU, ReluGrad
from minispore.ops.network.bias import BiasAdd
from minispore.ops.network.pool import MaxPool, MaxPoolGrad
from minispore.ops.shape.views import Reshape
from minispore.ops.steps import planes, pools


def relu_after_pool(graph: Graph) -> Graph:
    """Rewrite MaxPool(ReLU(x)) to ReLU(MaxPool(x)): with 2x2 windows ReLU then does a quarter of
    the work.

    Applied only if nothing else reads ReLU(x) but the gradients of the two ops.

    The gradients are rewritten, too: if the maximum of a window is positive, it is the same in x;
    otherwise the slope of ReLU is 0. With r = ReLU(x), p = MaxPool(r) and q = MaxPool(x)::

        ReluGrad(MaxPoolGrad(r, p, dy), r) = MaxPoolGrad(x, q, ReluGrad(dy, p))
    """
    producers = graph.producers()
    readers: dict[Value, list[Node]] = {}
    for node in graph.nodes:
        for a in node.inputs:
            readers.setdefault(a, []).append(node)
    results = set(graph.results())
    relu_of_pool: dict[Node, Node] = {}  # the ReLU whose output is read by a pool
    for pool in graph.nodes:
        relu = producers.get(pool.args[0]) if isinstance(pool.prim, MaxPool) else None
        if relu is None or not isinstance(relu.prim, ReLU):
            continue
        relu_output = relu.outputs[0]
        grads = [n for n in readers[relu_output] if n is not pool]
        can_swap = all(
            (
                _is_relu_grad(n, relu_output)
                and _is_pool_grad(producers.get(n.args[0]), relu_output, pool)
            )
            or (
                _is_pool_grad(n, relu_output, pool)
                and all(_is_relu_grad(r, relu_output) for r in readers.get(n.outputs[0], [n]))
            )
            for n in grads
        )
        if can_swap and relu_output not in results:
            relu_of_pool[pool] = relu
    if not relu_of_pool:
        return graph
    pool_of_relu_output = {relu.outputs[0]: pool for pool, relu in relu_of_pool.items()}
    relu_of_pool_output = {pool.outputs[0]: relu for pool, relu in relu_of_pool.items()}
    pooled_inputs: dict[Value, Value] = {}  # MaxPool(x) by ReLU(MaxPool(x))

    def emit_pool_first(node: Node, producers: dict[Value, Node]) -> Any:
        """Rewrite MaxPool(ReLU(x)) to ReLU(MaxPool(x)), and record the pooled x."""
        relu = relu_of_pool_output.get(node.outputs[0])
        if relu is None:
            return None
        pool = make_node_like(node, node.prim, relu.args[0])
        new_relu = make_node_like(node, relu.prim, pool.outputs[0])
        pooled_inputs[new_relu.outputs[0]] = pool.outputs[0]
        return [pool, new_relu]

    def emit_relu_grad_first(node: Node, producers: dict[Value, Node]) -> Any:
        """Rewrite ReluGrad(MaxPoolGrad(...), r) to mask the pool's cotangent by ReLU first.

        Returns None for other gradients.
        """
        pool_grad = producers.get(node.args[0])
        if node.args[1] not in pool_of_relu_output or pool_grad is None:
            return None
        if not isinstance(pool_grad.prim, MaxPoolGrad):
            return None
        relu = relu_of_pool[pool_of_relu_output[node.args[1]]]
        _, pooled, dy = pool_grad.args
        masked_dy = make_node_like(node, node.prim, dy, pooled)
        x_grad = make_node_like(
            node, pool_grad.prim, relu.args[0], pooled_inputs[pooled], masked_dy.outputs[0]
        )
        return [masked_dy, x_grad]

    return rewrite(graph, (MaxPool, emit_pool_first), (ReluGrad, emit_relu_grad_first))


def _is_pool_grad(node: Node | None, relu_output: Value, pool: Node) -> bool:
    """Whether ``node`` is the gradient of ``pool``, whose input is ``relu_output``."""
    return (
        node is not None
        and isinstance(node.prim, MaxPoolGrad)
        and node.args[0] is relu_output
        and node.args[1] is pool.outputs[0]
    )


def _is_relu_grad(node: Node, relu_output: Value) -> bool:
    """Whether ``node`` is a gradient of the ReLU that computed ``relu_output``."""
    return isinstance(node.prim, ReluGrad) and node.args[1] is relu_output


def meet_planes(graph: Graph) -> Graph:
    """Move pointwise ops and 2x2 pools into the blocked layout, and drop ToPlanes(FromPlanes(x)).

    Repeats until no rule applies any more.
    """
    if not any(isinstance(n.prim, planes.FromPlanes) for n in graph.nodes):
        return graph
    return rewrite(
        graph,
        (planes.ToPlanes, _cancel_to_planes),
        (BiasAdd, _move_bias_add),
        (MaxPool, _move_max_pool),
        (MaxPoolGrad, _move_max_pool_grad),
        (Primitive, partial(_move_pointwise, StrideInference(graph).arrays)),
        until_stable=True,
    )


def _find_blocked_source(value: Any, producers: dict[Value, Node]) -> Value | None:
    """Return x if ``value`` is an uncropped FromPlanes(x); None otherwise."""
    producer = producers.get(value) if value.__class__ is Value else None
    if (
        producer is None
        or not isinstance(producer.prim, planes.FromPlanes)
        or producer.prim.win is not None
    ):
        return None
    return producer.args[0]


def _cancel_to_planes(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite ToPlanes(FromPlanes(x)) to x if neither pads and the number of planes is the same."""
    prim: Any = node.prim
    source, win = _find_blocked_source(node.args[0], producers), prim.win
    has_same_blocking = source is not None and source.spec.shape[1] == prim.block_size
    return source if has_same_blocking and (win is None or win.padded == win.size) else None


def _move_pointwise(
    arrays: dict[Value, np.ndarray], node: Node, producers: dict[Value, Node]
) -> Any:
    """Rewrite f(FromPlanes(x), y) to FromPlanes(f(x, ToPlanes(y))) for a pointwise op f.

    All arguments must have the shape of the output, or one element. The output keeps the strides
    that it had without the rewrite (``arrays``), so that later sums add in the same order.
    """
    output = node.outputs[0]
    if not node.prim.pointwise or output.spec.ndim != 4:
        return None
    tensors = [a for a in node.inputs if a.spec.size != 1]
    blocked = {a: p for a in tensors if (p := _find_blocked_source(a, producers)) is not None}
    order = _find_memory_order(arrays[output])
    if not blocked or order is None or any(a.spec.shape != output.spec.shape for a in tensors):
        return None
    block = next(iter(blocked.values())).spec.shape[1]
    nodes: list[Node] = []

    def get_blocked_argument(a: Any) -> Any:
        """Return a node's argument in blocked layout; adds a ToPlanes to ``nodes`` if needed.

        Single elements and static arguments are returned unchanged.
        """
        if a.__class__ is not Value or a.spec.size == 1:
            return a
        if a in blocked and blocked[a].spec.shape[1] == block:
            return blocked[a]
        nodes.append(make_node_like(node, planes.ToPlanes(block), a))
        return nodes[-1].outputs[0]

    nodes.append(make_node_like(node, node.prim, *[get_blocked_argument(a) for a in node.args]))
    return [*nodes, make_node_like(node, planes.FromPlanes(order=order), nodes[-1].outputs[0])]


def _find_memory_order(x: np.ndarray) -> str | None:
    """Return the layout rule that matches the strides of ``x``: BATCH_LAST, ROW_MAJOR, or None.

    FromPlanes can write these two layouts.
    """
    rules = (layout.BATCH_LAST, layout.ROW_MAJOR)
    spec = Spec(x.shape, x.dtype)
    return next((r for r in rules if layout.compute_strides(spec, r, ()) == x.strides), None)


def _move_bias_add(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite BiasAdd(FromPlanes(x), b) to FromPlanes(x + b), with b reshaped to 5 axes.

    Only for the default data format.
    """
    if node.prim != BiasAdd():
        return None
    x = _find_blocked_source(node.args[0], producers)
    if x is None:
        return None
    bias = make_node_like(node, Reshape(), node.args[1], (-1, 1, 1, 1, 1))
    total = make_node_like(node, Add(), x, bias.outputs[0])
    return [bias, total, make_node_like(node, planes.FromPlanes(), total.outputs[0])]


def _is_even_2x2_pool(prim: Any, x: Value) -> bool:
    """Whether a pool is 2x2 with stride 2 and no padding, over blocked images that it divides
    evenly.
    """
    win = prim.make_window((x.spec.shape[2], x.spec.shape[3] * x.spec.shape[1]))
    is_even = x.spec.shape[1] % 2 == 0 and x.spec.shape[2] % 2 == 0
    return win.kernel == (2, 2) and win.is_partition and win.padded == win.size and is_even


def _move_max_pool(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite MaxPool(FromPlanes(x)) to FromPlanes(PlaneMaxPool(x)), if it is an even 2x2 pool."""
    x = _find_blocked_source(node.args[0], producers)
    if x is None or not _is_even_2x2_pool(node.prim, x):
        return None
    pooled = make_node_like(node, pools.PlaneMaxPool(), x)
    return [pooled, make_node_like(node, planes.FromPlanes(), pooled.outputs[0])]


def _move_max_pool_grad(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite the gradient of an even 2x2 pool of blocked images to the gradient of a blocked pool.

    MaxPoolGrad(FromPlanes(x), FromPlanes(y), dy) = FromPlanes(PlaneMaxPoolGrad(x, y,
    ToPlanes(dy)))
    """
    x, y = (_find_blocked_source(a, producers) for a in node.args[:2])
    if x is None or y is None or not _is_even_2x2_pool(node.prim, x):
        return None
    if y.spec.shape[1] * 2 != x.spec.shape[1]:
        return None
    dy = make_node_like(node, planes.ToPlanes(y.spec.shape[1]), node.args[2])
    dx = make_node_like(node, pools.PlaneMaxPoolGrad(), x, y, dy.outputs[0])
    return [dy, dx, make_node_like(node, planes.FromPlanes(), dx.outputs[0])]
