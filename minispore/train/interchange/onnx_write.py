"""From a graph to an ONNX model."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.value import Node, Spec, Value
from minispore.graph.funcgraph import FuncGraph
from minispore.train.interchange import onnx_proto as proto
from minispore.train.interchange.inference import refuse
from minispore.train.interchange.onnx_shapes import RULES
from minispore.train.interchange.open_axes import opened
from minispore.version import __version__

OPSET, IR_VERSION = 17, 8  # the first with LayerNormalization, and the format of its time


def model_of(function: FuncGraph, twin: FuncGraph) -> proto.ModelProto:
    """The ONNX model of ``function``; an axis that has another length in ``twin`` is open.

    Raises:
        RuntimeError: an op has no counterpart.
    """
    return OnnxWriter(function, twin).model


class OnnxWriter:
    """What the rules write with: names for values, constants, nodes."""

    def __init__(self, function: FuncGraph, twin: FuncGraph) -> None:
        graph = function.graph
        self.shapes = opened(graph, twin.graph)
        self.model = proto.ModelProto(
            ir_version=IR_VERSION, producer_name="minispore", producer_version=__version__,
            graph=proto.GraphProto(name=function.name),
            opset_import=[proto.OperatorSetIdProto(domain="", version=OPSET)],
        )  # fmt: skip
        self.out = self.model.graph
        self.uses, self.producers = graph.count_uses(), graph.producers()
        self.taken = {p.name for p in graph.state}
        self.names: dict[Value, str] = {}
        self.constants: dict[Any, str] = {}
        self.count = 0
        self.node: Node | None = None
        for i, value in enumerate(graph.inputs):
            self.names[value] = self.free(f"input_{i}")
            self.out.input.append(_info(self.names[value], value.spec.dtype, self.shape(value)))
        for p, value in graph.state.items():
            self.names[value] = p.name
            self.out.initializer.append(_tensor(p.name, p.asnumpy()))
        for node in graph.nodes:
            self._add(node)
        for i, value in enumerate(graph.outputs):
            name = self.free(f"output_{i}")
            self.out.node.add(input=[self(value)], output=[name], name=name, op_type="Identity")
            self.out.output.append(_info(name, value.spec.dtype, self.shape(value)))

    def _add(self, node: Node) -> None:
        rule = RULES.get(node.prim.name)
        if rule is None:
            raise refuse(
                node,
                "has no counterpart in ONNX here. Compute it with other ops, or export MINDIR.",
            )
        if any(v.spec.dtype.kind == "c" for v in (*node.inputs, *node.outputs)):
            raise refuse(node, "has complex numbers, which ONNX's ops don't take.")
        self.node = node
        made = rule(self, node, *node.args)
        for value, name in zip(node.outputs, made if isinstance(made, list) else [made]):
            self.names[value] = name
        for value in node.outputs:
            if value not in self.names and self.uses.get(value):
                raise refuse(node, "has further outputs in use, which ONNX has not.")

    def __call__(self, arg: Any, like: Spec | None = None) -> str:
        """The name of a value; a number becomes a constant of the dtype of ``like``."""
        if arg.__class__ is Value:
            return self.names[arg] if arg in self.names else self.constant(arg.data)
        return self.constant(np.array(arg, np.int64 if like is None else like.dtype))

    def shape(self, value: Value) -> tuple[int, ...]:
        """The shape of a value, -1 where its length is open."""
        return self.shapes.get(value, value.spec.shape)

    def free(self, name: str) -> str:
        """``name``, or one like it that no parameter has."""
        while name in self.taken:
            name += "_"
        return name

    def constant(self, array: np.ndarray) -> str:
        """The name of a constant."""
        key = (array.dtype.name, array.shape, array.tobytes())
        if key not in self.constants:
            name = self.constants[key] = self.free(f"constant_{len(self.constants)}")
            self.out.initializer.append(_tensor(name, array))
        return self.constants[key]

    def ints(self, *numbers: int) -> str:
        """The name of a constant int64 vector."""
        return self.constant(np.array(numbers, np.int64))

    def emit(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        """Add a node; the name of its output, or a list of names."""
        made = []
        for _ in range(outputs):
            self.count += 1
            made.append(self.free(f"value_{self.count}"))
        scope = self.node.scope if self.node is not None else ""
        self.out.node.add(
            input=list(inputs), output=made, name=f"{scope}/{op}_{self.count}", op_type=op,
            attribute=[_attribute(k, v) for k, v in attributes.items()],
        )  # fmt: skip
        return made[0] if outputs == 1 else made


def _tensor(name: str, array: np.ndarray) -> proto.TensorProto:
    return proto.TensorProto(
        dims=list(array.shape), data_type=proto.TENSOR_TYPES[array.dtype.name], name=name,
        raw_data=np.ascontiguousarray(array).tobytes(),
    )  # fmt: skip


def _info(name: str, dtype: np.dtype, shape: tuple[int, ...]) -> proto.ValueInfoProto:
    made = proto.ValueInfoProto(name=name)
    tensor = made.type.tensor_type
    tensor.elem_type = proto.TENSOR_TYPES[dtype.name]
    # A scalar has a shape too, of no axes: an empty message that must be written.
    tensor.shape = proto.TensorShapeProto()
    for n in shape:
        tensor.shape.dim.add(**({"dim_param": "N"} if n == -1 else {"dim_value": n}))
    return made


def _attribute(name: str, value: Any) -> proto.AttributeProto:
    made = proto.AttributeProto(name=name)
    match value:
        case int():
            made.type, made.i = proto.INT, value
        case float():
            made.type, made.f = proto.FLOAT, value
        case str():
            made.type, made.s = proto.STRING, value.encode()
        case _:
            made.type, made.ints = proto.INTS, list(value)
    return made


__all__ = ["OnnxWriter", "model_of"]
