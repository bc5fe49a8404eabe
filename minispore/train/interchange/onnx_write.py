"""Writer of ONNX models: converts a graph to a ModelProto."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.foundation.version import __version__
from minispore.graph.funcgraph import FuncGraph
from minispore.ir.node import Node
from minispore.ir.value import Spec, Value
from minispore.train.interchange import onnx_proto as proto
from minispore.train.interchange.inference import make_export_error
from minispore.train.interchange.onnx_compound import RULES
from minispore.train.interchange.onnx_ops import Writer
from minispore.train.interchange.open_axes import infer_open_shapes

# The first opset that has LayerNormalization, and the IR version of its release.
OPSET, IR_VERSION = 17, 8


def make_model(function: FuncGraph, twin: FuncGraph) -> proto.ModelProto:
    """Make the ONNX model of ``function``; axes whose length differs in ``twin`` are open.

    Raises:
        RuntimeError: an op has no counterpart.
    """
    return OnnxWriter(function, twin).model


class OnnxWriter(Writer):
    """The writer of one graph, which rules use to name values and to add constants and nodes."""

    def __init__(self, function: FuncGraph, twin: FuncGraph) -> None:
        graph = function.graph
        self.shapes = infer_open_shapes(graph, twin.graph)
        self.model = proto.ModelProto(
            ir_version=IR_VERSION, producer_name="minispore", producer_version=__version__,
            graph=proto.GraphProto(name=function.name),
            opset_import=[proto.OperatorSetIdProto(domain="", version=OPSET)],
        )  # fmt: skip
        self.graph_proto = self.model.graph
        self.uses, self.producers = graph.count_uses(), graph.producers()
        self.used_names = {p.name for p in graph.state}
        self.names: dict[Value, str] = {}
        self.constants: dict[Any, str] = {}
        self.value_count = 0
        self.node: Node | None = None
        for i, value in enumerate(graph.inputs):
            self.names[value] = self.make_unique_name(f"input_{i}")
            self.graph_proto.input.append(
                _make_value_info(self.names[value], value.spec.dtype, self.shape(value))
            )
        for p, value in graph.state.items():
            self.names[value] = p.name
            self.graph_proto.initializer.append(_make_tensor(p.name, p.asnumpy()))
        for node in graph.nodes:
            self._write_node(node)
        for i, value in enumerate(graph.outputs):
            name = self.make_unique_name(f"output_{i}")
            self.graph_proto.node.add(
                input=[self.name(value)], output=[name], name=name, op_type="Identity"
            )
            self.graph_proto.output.append(
                _make_value_info(name, value.spec.dtype, self.shape(value))
            )

    def _write_node(self, node: Node) -> None:
        """Write one node by the rule of its op, and record the names of its outputs.

        Raises:
            RuntimeError: ONNX has no counterpart.
        """
        rule = RULES.get(node.prim.name)
        if rule is None:
            raise make_export_error(
                node,
                "has no counterpart in ONNX here. Compute it with other ops, or export MINDIR.",
            )
        if any(v.spec.dtype.kind == "c" for v in (*node.inputs, *node.outputs)):
            raise make_export_error(node, "has complex numbers, which ONNX's ops don't take.")
        self.node = node
        output_names = rule(self, node, *node.args)
        for value, name in zip(
            node.outputs, output_names if isinstance(output_names, list) else [output_names]
        ):
            self.names[value] = name
        if any(v not in self.names and self.uses.get(v) for v in node.outputs):
            raise make_export_error(node, "has further outputs in use, which ONNX has not.")

    def name(self, arg: Any, like: Spec | None = None) -> str:
        """Return the name of a Value, or of a constant for a number in the dtype of ``like`` or
        int64.

        A Value that no node computes becomes a constant, too.
        """
        if arg.__class__ is Value:
            return self.names[arg] if arg in self.names else self.constant(arg.data)
        return self.constant(np.array(arg, np.int64 if like is None else like.dtype))

    def shape(self, value: Value) -> tuple[int, ...]:
        """Return the shape of a Value in the file, with -1 for open axes."""
        return self.shapes.get(value, value.spec.shape)

    def make_unique_name(self, name: str) -> str:
        """Return ``name`` with underscores added until no parameter has it."""
        while name in self.used_names:
            name += "_"
        return name

    def constant(self, array: np.ndarray) -> str:
        """Return the name of a constant, adding it if it is new; equal arrays share a constant."""
        key = (array.dtype.name, array.shape, array.tobytes())
        if key not in self.constants:
            name = self.constants[key] = self.make_unique_name(f"constant_{len(self.constants)}")
            self.graph_proto.initializer.append(_make_tensor(name, array))
        return self.constants[key]

    def ints(self, *numbers: int) -> str:
        """Return the name of a constant vector of int64."""
        return self.constant(np.array(numbers, np.int64))

    def emit(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        """Add a node to the file, in the scope of the current graph node; return the name of its
        output.

        With several ``outputs``, return the list of their names.
        """
        output_names = []
        for _ in range(outputs):
            self.value_count += 1
            output_names.append(self.make_unique_name(f"value_{self.value_count}"))
        scope = self.node.scope if self.node is not None else ""
        self.graph_proto.node.add(
            input=list(inputs),
            output=output_names,
            name=f"{scope}/{op}_{self.value_count}",
            op_type=op,
            attribute=[_make_attribute(k, v) for k, v in attributes.items()],
        )  # fmt: skip
        return output_names[0] if outputs == 1 else output_names


def _make_tensor(name: str, array: np.ndarray) -> proto.TensorProto:
    """Make ONNX's message of an array, with its bytes in C order."""
    return proto.TensorProto(
        dims=list(array.shape), data_type=proto.TENSOR_TYPES[array.dtype.name], name=name,
        raw_data=np.ascontiguousarray(array).tobytes(),
    )  # fmt: skip


def _make_value_info(name: str, dtype: np.dtype, shape: tuple[int, ...]) -> proto.ValueInfoProto:
    """Make the message of an input or output, with "N" for axes of open length."""
    info = proto.ValueInfoProto(name=name)
    tensor = info.type.tensor_type
    tensor.elem_type = proto.TENSOR_TYPES[dtype.name]
    # A 0-d tensor has a shape without axes: an empty message that must be written.
    tensor.shape = proto.TensorShapeProto()
    for n in shape:
        tensor.shape.dim.add(**({"dim_param": "N"} if n == -1 else {"dim_value": n}))
    return info


def _make_attribute(name: str, value: Any) -> proto.AttributeProto:
    """Make the message of an int, float, str or iterable of ints."""
    message = proto.AttributeProto(name=name)
    match value:
        case int():
            message.type, message.i = proto.INT, value
        case float():
            message.type, message.f = proto.FLOAT, value
        case str():
            message.type, message.s = proto.STRING, value.encode()
        case _:
            message.type, message.ints = proto.INTS, list(value)
    return message


__all__ = ["OnnxWriter", "make_model"]
