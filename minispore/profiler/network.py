"""Define ``summary``: the layers of a network with their shapes, parameters and operations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from minispore.core.tensor import Tensor
from minispore.core.tree import tensors_in
from minispore.device.model.predict import trace_step
from minispore.foundation import charts
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ir.value import Spec
from minispore.nn.cell import Cell

_HEADER = ("layer", "kind", "output", "parameters", "flops", "output MB")


class Layer(NamedTuple):
    """One Cell of a network, as a row of its summary.

    Attributes:
        name: its path, such as ``backbone.conv1``; "" for the network itself.
        kind: its class.
        outputs: the outputs of its first call; () if it was never called.
        parameters: the number of elements in its own parameters, without those of the Cells in it.
        trainable: the number of these that are trainable.
        flops: operations of all its calls, including the Cells in it.
        calls: the number of calls.
    """

    name: str
    kind: str
    outputs: tuple[Spec, ...]
    parameters: int
    trainable: int
    flops: int
    calls: int

    @property
    def output_bytes(self) -> int:
        """Bytes of its outputs."""
        return sum(spec.size * spec.dtype.itemsize for spec in self.outputs)


@dataclass(frozen=True)
class NetworkSummary(charts.TextRepr):
    """The result of :func:`summary`; ``print`` it for the table.

    Attributes:
        layers: the network, followed by the Cells in it, in order.
        parameters: the number of elements in all parameters; shared ones count once.
        trainable: the number of these that are trainable.
        parameter_bytes: bytes of all parameters.
        flops: operations of one forward pass, two per multiply-add.
        activation_bytes: bytes of the outputs of all layers that contain no other layers.
    """

    layers: tuple[Layer, ...]
    parameters: int
    trainable: int
    parameter_bytes: int
    flops: int
    activation_bytes: int

    def __iter__(self) -> Iterator[Layer]:
        """Iterate over the layers, the network first."""
        return iter(self.layers)

    def __str__(self) -> str:
        """Return a table with one row per layer, and the totals."""
        rows = [_HEADER, *(_format_row(layer) for layer in self.layers)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADER))]
        lines = [
            "  ".join(
                f"{cell:<{w}}" if i < 3 else f"{cell:>{w}}"
                for i, (cell, w) in enumerate(zip(row, widths))
            ).rstrip()
            for row in rows
        ]
        frozen = self.parameters - self.trainable
        return "\n".join(
            [
                *lines,
                f"parameters   {self.parameters:,} ({frozen:,} not trainable), "
                f"{self.parameter_bytes / 2**20:.2f} MB",
                f"operations   {self.flops / 1e6:,.2f} MFLOP forward",
                f"activations  {self.activation_bytes / 2**20:.2f} MB",
            ]
        )


def _format_row(layer: Layer) -> tuple[str, ...]:
    """Return the cells of a layer's row in the table."""
    depth = layer.name.count(".") + 1 if layer.name else 0
    name = "  " * depth + (layer.name.rpartition(".")[2] or "(network)")
    shapes = ", ".join(str(spec.shape) for spec in layer.outputs) or "not called"
    calls = f" x{layer.calls}" if layer.calls > 1 else ""
    return (
        name,
        layer.kind + calls,
        shapes,
        f"{layer.parameters:,}" if layer.parameters else "",
        f"{layer.flops:,}" if layer.flops else "",
        f"{layer.output_bytes / 2**20:.2f}",
    )


def summary(network: Cell, *inputs: Any) -> NetworkSummary:
    """Return the layers of a network, found by tracing it on inputs of these shapes without
    computing.

    Args:
        network: any Cell.
        inputs: its arguments: Tensors, arrays, or shapes such as ``(32, 1, 28, 28)`` for float32
            inputs.

    Returns:
        A record to print or read.

    Raises:
        TypeError: ``network`` is not a Cell, or an input is none of these.
        ValueError: there are no inputs, or the network does not accept these shapes.

    Example:
        >>> from minispore import nn
        >>> print(summary(nn.SequentialCell(nn.Dense(4, 3), nn.ReLU()), (2, 4)))
        layer      kind            output  parameters  flops  output MB
        (network)  SequentialCell  (2, 3)                 60       0.00
          0        Dense           (2, 3)          15     54       0.00
          1        ReLU            (2, 3)                  6       0.00
        parameters   15 (0 not trainable), 0.00 MB
        operations   0.00 MFLOP forward
        activations  0.00 MB
    """
    if not isinstance(network, Cell):
        raise TypeError(f"summary: network must be a Cell, got {type(network).__name__}.")
    if not inputs:
        raise ValueError("summary: inputs must be given, got none. Pass a batch, or its shape.")
    specs = [_make_spec(i, value) for i, value in enumerate(inputs)]
    cells = dict(network.cells_and_names())
    names = {id(cell): name for name, cell in cells.items()}
    outputs_of_calls: dict[str, list[tuple[Spec, ...]]] = {name: [] for name in cells}

    def record_outputs(cell: Cell, args: Any, output: Any) -> None:
        """Record the specs of a Cell's outputs. Called as a forward hook for each call."""
        outputs_of_calls[names[id(cell)]].append(tuple(t.value_.spec for t in tensors_in(output)))

    with ExitStack() as hooks:
        for cell in cells.values():
            hooks.callback(cell.register_forward_hook(record_outputs).remove)
        graph = trace_step(network, specs)
    scopes = _map_scopes(network, cells)
    # A node counts for the Cell that computed it and for all Cells around that one.
    flops = dict.fromkeys(cells, 0)
    for node in graph.nodes:
        for name, scope in scopes.items():
            if node.scope == scope or node.scope.startswith(f"{scope}."):
                flops[name] += node.flops
    layers = tuple(
        _make_layer(name, cell, outputs_of_calls[name], flops[name]) for name, cell in cells.items()
    )
    params = list({id(p): p for p in network.get_parameters()}.values())
    parents = {name.rpartition(".")[0] for name in cells if name}
    return NetworkSummary(
        layers,
        sum(p.size for p in params),
        sum(p.size for p in params if p.requires_grad),
        sum(p.nbytes for p in params),
        sum(node.flops for node in graph.nodes),
        sum(layer.output_bytes * layer.calls for layer in layers if layer.name not in parents),
    )


def _make_spec(position: int, value: Any) -> Spec:
    """Return the spec of an input: a Tensor, an array, or a shape, which means float32.

    Raises:
        TypeError: it has another type.
    """
    if isinstance(value, Tensor):
        return value.value_.spec
    if isinstance(value, np.ndarray):
        return Spec(value.shape, value.dtype)
    if isinstance(value, Sequence) and all(type(n) is int and n >= 0 for n in value):
        return Spec(tuple(value), np.dtype(np.float32))
    raise TypeError(
        f"summary: input {position} must be a Tensor, an array or a shape, got {value!r}."
    )


def _map_scopes(network: Cell, cells: dict[str, Cell]) -> dict[str, str]:
    """Return the graph scope of each Cell's nodes, by the Cell's name."""
    network_scope = network._scope_name_
    return {name: f"{network_scope}.{name}" if name else network_scope for name in cells}


def _make_layer(name: str, cell: Cell, calls: list[tuple[Spec, ...]], flops: int) -> Layer:
    """Return the row of a Cell, with the outputs of its first call; parameters of inner Cells are
    not counted.
    """
    params = list(cell.get_parameters(expand=False))
    return Layer(
        name,
        type(cell).__name__,
        calls[0] if calls else (),
        sum(p.size for p in params),
        sum(p.size for p in params if p.requires_grad),
        flops,
        len(calls),
    )


__all__ = ["NetworkSummary", "summary"]

_describe(__name__)
