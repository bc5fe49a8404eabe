"""From a graph to a MindIR model."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from minispore.core.dtype import DType
from minispore.core.primitive import Primitive
from minispore.core.registry import registry
from minispore.core.value import Node, Spec, Value
from minispore.graph.funcgraph import FuncGraph
from minispore.graph.ir import rewrite
from minispore.train.interchange import mindir_proto as proto
from minispore.train.interchange.inference import refuse
from minispore.train.interchange.mindir_lower import as_mindspore_has_it
from minispore.train.interchange.mindir_ops import ALSO_NAMED, CODECS, FUNCTIONS, RECORDS
from minispore.train.interchange.open_axes import opened
from minispore.version import MINDSPORE

IR_VERSION, MODEL_VERSION, MIND_IR_VERSION = "1.1", MINDSPORE, 3


def model_of(function: FuncGraph, twin: FuncGraph) -> proto.ModelProto:
    """The MindIR model of ``function``; an axis that has another length in ``twin`` is open.

    Raises:
        RuntimeError: an op has no counterpart in MindSpore's files.
    """
    return _Writer(function, twin).model


class _Writer:
    def __init__(self, function: FuncGraph, twin: FuncGraph) -> None:
        graph = rewrite(function.graph, (Primitive, as_mindspore_has_it))
        self.shapes = opened(graph, rewrite(twin.graph, (Primitive, as_mindspore_has_it)))
        name = "1_" + re.sub(r"\W", "_", function.name) + "_construct"
        self.model = proto.ModelProto(
            ir_version=IR_VERSION, producer_name="minispore", model_version=MODEL_VERSION,
            little_endian=True, mind_ir_version=MIND_IR_VERSION, graph=proto.GraphProto(name=name),
        )  # fmt: skip
        self.out = self.model.graph
        self.uses = graph.uses()
        self.taken = {p.name for p in graph.state}
        self.names: dict[Value, str] = {}
        self.constants: dict[Any, str] = {}
        self.primitives: dict[Any, str] = {}
        self.count = 0
        for i, value in enumerate(graph.inputs):
            self.names[value] = self._free(f"input{i}")
            self.out.input.add(name=self.names[value], tensor=[_tensor(self._spec(value))])
        for p, value in graph.state.items():
            self.names[value] = f"{name}:{p.name}"
            self.out.parameter.append(_tensor(value.spec, self.names[value], p.asnumpy()))
            self.out.parameter[-1].ref_key = p.name
        self.out.attribute.append(_attribute("phase", "export"))
        self.out.attribute.append(_attribute("training", False))
        for node in graph.nodes:
            self._node(node)
        result, info = self._result(function.structure, graph.outputs)
        output = self.out.output.add(name=result)
        if isinstance(function.structure, tuple):
            output.denotation, output.attr_info = "Tuple", info
        else:
            output.tensor = list(info.tensors)

    # -- nodes -------------------------------------------------------------------------------------

    def _node(self, node: Node) -> None:
        prim, name = node.prim, node.prim.name
        args: list[Any] = list(node.args)
        if name == "BatchNormInfer":
            name = "BatchNorm"
            momentum = registry["BatchNorm"].fields["momentum"]
            fields = {**vars(prim), "is_training": False, "momentum": momentum}
            shapes = [self._spec(node.outputs[0]), *[a.spec for a in args[1:5]]]
        else:
            fields = {f: getattr(prim, f) for f in prim.fields}
            shapes = [self._spec(o) for o in node.outputs]
        attributes: dict[str, Any] = {}
        if name in FUNCTIONS:
            inputs = self._function_inputs(node, FUNCTIONS[name], args, fields)
        elif name == "MaxPool" and args[0].spec.ndim == 5:
            name, attributes = "MaxPool3DWithArgmax", _in_space(prim)
            inputs = [self._input(args[0], node)]
        elif name in RECORDS:
            attributes = _record(node, name, fields)
            inputs = [self._tuple(args)] if prim.variadic else [self._input(a, node) for a in args]
        else:
            raise refuse(node, "has no counterpart in a MindIR file. Compute it with other ops.")
        several = len(shapes) > 1 or name in _ALWAYS_TUPLES
        made = self._emit(name, inputs, shapes if several else shapes[0], attributes, node)
        for i, o in enumerate(node.outputs):
            self.names[o] = made
            if several and self.uses.get(o):
                at = self._constant(i)
                self.names[o] = self._emit("TupleGetItem", [made, at], self._spec(o), {}, node)

    def _function_inputs(
        self, node: Node, form: list[tuple[str, str]], args: list[Any], fields: dict[str, Any]
    ) -> list[str]:
        inputs = []
        for what, kind in form:
            if what == "*":
                inputs.append(self._tuple(args))
            elif not what.isdigit():
                inputs.append(self._constant(CODECS[kind][0](fields[what])))
            elif int(what) < len(args):
                inputs.append(self._input(args[int(what)], node, kind))
        return inputs

    def _emit(
        self, op: str, inputs: list[str], shapes: Any, attributes: dict[str, Any], node: Node | None
    ) -> str:
        self.count += 1
        made = self._free(f"CNode_{self.count}")
        self.out.node.add(
            input=inputs, output=[made], name=made, op_type=self._primitive(op, attributes),
            domain=_domain(op, node, self.count),
            attribute=[_attribute("shape", shapes)],
        )  # fmt: skip
        return made

    def _primitive(self, op: str, attributes: dict[str, Any]) -> str:
        key = (op, repr(attributes))
        if key not in self.primitives:
            name = f"{op}:{len(self.primitives) + 1}"
            kind = proto.PRIMITIVE_FUNCTION if op in FUNCTIONS else proto.PRIMITIVE
            self.model.primitives.add(
                name=name, op_type=op, prim_type=kind,
                attribute=[_attribute(k, v) for k, v in attributes.items()],
            )  # fmt: skip
            self.primitives[key] = f"REF::{name}"
        return self.primitives[key]

    def _tuple(self, values: list[Any]) -> str:
        specs = [self._spec(v) for v in values]
        return self._emit("MakeTuple", [self._input(v, None) for v in values], specs, {}, None)

    def _result(self, structure: Any, outputs: list[Value]) -> tuple[str, proto.AttributeProto]:
        if not isinstance(structure, tuple):
            value = outputs[structure]
            return self._input(value, None), _attribute("", self._spec(value))
        parts = [self._result(part, outputs) for part in structure]
        info = proto.AttributeProto(type=proto.TUPLE, values=[p for _, p in parts])
        info.seq_info.is_dyn_len = False
        made = self._emit("MakeTuple", [name for name, _ in parts], (), {}, None)
        self.out.node[-1].attribute = [_named(info, "shape")]
        return made, info

    def _spec(self, value: Value) -> Spec:
        return Spec(self.shapes.get(value, value.spec.shape), value.spec.dtype)

    def _free(self, name: str) -> str:
        """``name``, or one like it that no parameter has, after the graph's."""
        while name in self.taken:
            name += "_"
        return f"{self.out.name}:{name}"

    # -- values ------------------------------------------------------------------------------------

    def _input(self, arg: Any, node: Node | None, kind: str = "") -> str:
        if arg.__class__ is Value:
            return self.names[arg] if arg in self.names else self._constant(arg.data)
        if isinstance(arg, DType):
            kind = "dtype"
        arg = CODECS[kind][0](arg)
        if node is not None and node.prim.name in _SCALARS_ARE_TENSORS:
            other = next(a.spec.dtype for a in node.args if a.__class__ is Value)
            return self._constant(np.array(arg, other))
        return self._constant(arg)

    def _constant(self, content: Any) -> str:
        array = isinstance(content, np.ndarray)
        key = (str(content.dtype), content.shape, content.tobytes()) if array else repr(content)
        if key not in self.constants:
            name = self.constants[key] = f"ValueNode_{len(self.constants) + 1}"
            self.out.node.add(
                output=[name], name=name, op_type="Constant",
                attribute=[_attribute("value", content)],
            )  # fmt: skip
        return self.constants[key]


_SCALARS_ARE_TENSORS = {
    "Add", "Sub", "Mul", "Div", "RealDiv", "FloorDiv", "FloorMod", "Pow", "Maximum", "Minimum",
    "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "Atan2", "Xlogy",
    "MaskedFill", "Lerp",
}  # fmt: skip
_ALWAYS_TUPLES = {"Split", "Unstack"}


def _domain(op: str, node: Node | None, number: int) -> str:
    """The path of Cells below the network, and the op: ``Default/conv1/Conv2D-op3``."""
    inner = node.scope.split(".")[1:] if node is not None else []
    return "/".join(["Default", *inner, f"{op}-op{number}"])


def _record(node: Node, op: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The attributes of an op that keeps them in a record."""
    attributes: dict[str, Any] = {}
    for name, kind in RECORDS[op].items():
        value = fields[name]
        if value is None:
            continue
        attributes[name] = CODECS[kind][0](value)
        attributes[ALSO_NAMED.get(name, name)] = attributes[name]
    attributes.pop("data_format", None)  # MindSpore's files say format
    if "pad" in attributes:  # what the kernels read, computed for this input
        x = node.args[2] if op == "Conv2DTranspose" else node.args[0].spec.shape
        prim: Any = node.prim
        win = prim.over(x[2:])
        high = [p - n - a for p, n, a in zip(win.padded, win.size, win.low, strict=True)]
        pads = [n for pair in zip(win.low, high, strict=True) for n in pair]
        attributes["pad_list"] = tuple(max(int(p), 0) for p in pads)
    if op == "Conv3D":  # twice over, the second time with the axes of batch and channels
        attributes["strides"] = (1, 1, *fields["stride"])
        attributes["dilations"] = (1, 1, *fields["dilation"])
        attributes["offset_x"] = 0
    if op == "Stack":
        attributes["num"] = attributes["N"] = len(node.args)
    if op == "Unstack":
        attributes["num"] = len(node.outputs)
    return attributes


def _in_space(p: Primitive) -> dict[str, Any]:
    """The attributes of MaxPool3DWithArgmax that do what the MaxPool ``p`` does."""
    of = vars(p)
    return {
        "ksize": (1, *of["kernel_size"]), "strides": (1, *of["strides"]),
        "pads": (0, of["pad"][0], of["pad"][2]), "dilation": (1, *of["dilation"]),
        "ceil_mode": of["ceil_mode"], "format": "NCDHW", "argmax_type": "int64",
    }  # fmt: skip


# -- values as messages ----------------------------------------------------------------------------


def _tensor(spec: Spec, name: str = "", data: np.ndarray | None = None) -> proto.TensorProto:
    made = proto.TensorProto(dims=list(spec.shape), data_type=proto.TENSOR_TYPES[spec.dtype.name])
    if name:
        made.name = name
    if data is not None:
        made.raw_data = np.ascontiguousarray(data).tobytes()
    return made


def _attribute(name: str, value: Any) -> proto.AttributeProto:
    """A Python value, an array or a Spec as MindSpore writes it."""
    made = proto.AttributeProto(name=name) if name else proto.AttributeProto()
    match value:
        case None:
            made.type = proto.NONE
        case bool():
            made.type, made.i = proto.BOOL, value
        case int():
            made.type, made.i = proto.INT64, value
        case float():
            made.type, made.f = proto.FLOAT, value
        case str():
            made.type, made.s = proto.STRING, value.encode()
        case np.ndarray():
            spec = Spec(value.shape, value.dtype)
            made.type, made.tensors = proto.TENSORS, [_tensor(spec, "value0", value)]
        case Spec():
            made.type, made.tensors = proto.TENSORS, [_tensor(value)]
        case _:
            made.type, made.values = proto.TUPLE, [_element(v) for v in value]
            if any(isinstance(v, Spec) for v in value):
                made.seq_info.is_dyn_len = False
    return made


def _element(value: Any) -> proto.AttributeProto:
    """A member of a tuple, whose numbers stand in the repeated fields."""
    match value:
        case bool():
            return proto.AttributeProto(type=proto.BOOL, ints=[value])
        case int():
            return proto.AttributeProto(type=proto.INT64, ints=[value])
        case float():
            return proto.AttributeProto(type=proto.FLOAT, floats=[value])
        case str():
            return proto.AttributeProto(type=proto.STRING, strings=[value.encode()])
    return _attribute("", value)


def _named(info: proto.AttributeProto, name: str) -> proto.AttributeProto:
    """The same attribute with a name."""
    return proto.AttributeProto(name=name, type=info.type, values=info.values)


__all__ = ["model_of"]
