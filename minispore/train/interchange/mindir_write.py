"""From a graph to a MindIR model."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from minispore.core.dtype import DType
from minispore.core.primitive import Primitive
from minispore.core.value import Node, Spec, Value
from minispore.graph.funcgraph import FuncGraph
from minispore.graph.ir import rewrite
from minispore.ops.network.batch_norm import BatchNorm
from minispore.train.interchange import mindir_proto as proto
from minispore.train.interchange.inference import refuse
from minispore.train.interchange.mindir_effects import Effects
from minispore.train.interchange.mindir_lower import as_mindspore_has_it
from minispore.train.interchange.mindir_ops import (
    ALSO_NAMED,
    CODECS,
    FILE_NAMES,
    FUNCTIONS,
    GIVE_ONE,
    RECORDS,
)
from minispore.train.interchange.mindir_values import MONAD, attribute, named, tensor_proto
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
        self.effects = Effects(graph)
        name = "1_" + re.sub(r"\W", "_", function.name) + "_construct"
        self.model = proto.ModelProto(
            ir_version=IR_VERSION, producer_name="minispore", model_version=MODEL_VERSION,
            little_endian=True, mind_ir_version=MIND_IR_VERSION, graph=proto.GraphProto(name=name),
        )  # fmt: skip
        self.out = self.model.graph
        self.uses = graph.count_uses()
        self.taken = {p.name for p in graph.state}
        self.names: dict[Value, str] = {}
        self.constants: dict[Any, str] = {}
        self.primitives: dict[Any, str] = {}
        self.count = 0
        for i, value in enumerate(graph.inputs):
            self.names[value] = self._free(f"input{i}")
            self.out.input.add(name=self.names[value], tensor=[tensor_proto(self._spec(value))])
        for p, value in graph.state.items():
            held = f"{name}:{p.name}"
            (self.effects.held if p in graph.updates else self.names)[value] = held
            self.out.parameter.append(tensor_proto(value.spec, held, p.asnumpy()))
            self.out.parameter[-1].ref_key = p.name
        self.out.attribute.append(attribute("phase", "export"))
        self.out.attribute.append(attribute("training", False))
        for node in graph.nodes:
            if node not in self.effects.averages:
                self._node(node)
        result, info = self._result(function.structure, graph.outputs)
        if self.effects.monad is not None:  # what is returned waits for all that was changed
            propagate = {"side_effect_propagate": 1}
            ends = [result, self._monad()]
            result = self._emit("Depend", ends, (), propagate, None)
            self.out.node[-1].attribute = [named(info, "shape")]
        output = self.out.output.add(name=result)
        if isinstance(function.structure, tuple):
            output.denotation, output.attr_info = "Tuple", info
        else:
            output.tensor = list(info.tensors)

    # -- nodes -------------------------------------------------------------------------------------

    def _node(self, node: Node) -> None:
        prim, name = node.prim, node.prim.name
        if name == "BatchNormTrain":
            self._batch_norm(node)
            return
        args: list[Any] = list(node.args)
        if name == "BatchNormInfer":
            name = "BatchNorm"
            momentum = BatchNorm.fields["momentum"]
            fields = {**vars(prim), "is_training": False, "momentum": momentum}
            shapes = [self._spec(node.outputs[0]), *[a.spec for a in args[1:5]]]
        else:
            fields = {f: getattr(prim, f) for f in prim.fields}
            shapes = [self._spec(o) for o in node.outputs]
        attributes: dict[str, Any] = {}
        if prim.mutates:
            self._will_change([node.args[i] for i in prim.mutates], node)
            for i in prim.mutates:
                args[i] = _Name(self.effects.held[node.args[i]])
        if name == "BatchNormGrad":
            form = CODECS["format"][0](fields["data_format"])
            rest = [args[-1], True, fields["epsilon"], form]
            inputs = [self._input(a, node) for a in (*args, *rest)]
        elif name in FUNCTIONS:
            inputs = self._function_inputs(node, FUNCTIONS[name], args, fields)
        elif name == "MaxPool" and args[0].spec.ndim == 5:
            name, attributes = "MaxPool3DWithArgmax", _in_space(prim)
            inputs = [self._input(args[0], node)]
        elif name in RECORDS:
            attributes = _record(node, name, fields)
            inputs = [self._tuple(args)] if prim.variadic else [self._input(a, node) for a in args]
        else:
            raise refuse(node, "has no counterpart in a MindIR file. Compute it with other ops.")
        if name == "LayerNormGrad":
            attributes["epsilon"] = fields["epsilon"]
        name = FILE_NAMES.get(name, name)
        several = (len(shapes) > 1 or name in _ALWAYS_TUPLES) and name not in GIVE_ONE
        shown = shapes if several else shapes[0]
        if prim.mutates:
            self._changed(name, inputs, shown, attributes, node)
            for i, o in zip(prim.mutates, node.outputs, strict=True):
                self.effects.held[o] = self.effects.held[node.args[i]]
            return
        made = self._emit(name, inputs, shown, attributes, node)
        for i, o in enumerate(node.outputs):
            self.names[o] = made
            if several and self.uses.get(o):
                at = self._constant(i)
                self.names[o] = self._emit("TupleGetItem", [made, at], self._spec(o), {}, node)

    # -- Parameters that change --------------------------------------------------------------------

    def _monad(self) -> str:
        """What the next effect comes after."""
        monad = self._last()
        if self.effects.reads:
            monad = self._after(monad, *self.effects.reads)
            self.effects.reads = []
        return monad

    def _last(self) -> str:
        if self.effects.monad is None:
            self.effects.monad = self._constant(MONAD)
        return self.effects.monad

    def _after(self, *done: str) -> str:
        self.effects.monad = self._emit("UpdateState", [*done], MONAD, {}, None)
        return self.effects.monad

    def _read(self, value: Value) -> str:
        """A copy of what a Parameter holds now."""
        spec = self._spec(value)
        loaded = self._emit("Load", [self.effects.held[value], self._last()], spec, {}, None)
        self.names[value] = self._emit("TensorMove", [loaded], spec, {}, None)
        self.effects.reads.append(self.names[value])
        return self.names[value]

    def _will_change(self, contents: list[Any], node: Node) -> None:
        """Copies of those ``contents`` of Parameters that are asked for after ``node``."""
        for value in contents:
            if value not in self.effects.held:
                raise refuse(node, "can't be written: it changes a Tensor that is no Parameter.")
            if value in self.effects.asked and value not in self.names:
                self._read(value)

    def _changed(
        self, op: str, inputs: list[str], shapes: Any, attributes: dict[str, Any], node: Node
    ) -> str:
        """The node of an op that changes Parameters, in its place among the effects."""
        before = self._monad()
        attributes = {**attributes, "side_effect_mem": True}
        made = self._emit(op, [*inputs, before], shapes, attributes, node)
        self._after(before, made)
        return made

    def _batch_norm(self, node: Node) -> None:
        """Normalisation and the two moving averages that it feeds are one op of a file."""
        means = self.effects.averaged(node)
        prim: Any = node.prim
        moved = [average.args[0] for average in means]
        self._will_change(moved, node)
        form = CODECS["format"][0](prim.data_format)
        numbers = [True, prim.epsilon, vars(means[0].prim)["momentum"], form]
        inputs = [self._input(a, node) for a in node.args]
        inputs += [self.effects.held[v] for v in moved] + [self._input(n, node) for n in numbers]
        spec, one = self._spec(node.outputs[0]), self._spec(node.outputs[1])
        made = self._changed("BatchNorm", inputs, [spec, one, one, one, one], {}, node)
        for o, i in zip(node.outputs, (0, 3, 4), strict=True):
            at = self._constant(i)
            self.names[o] = self._emit("TupleGetItem", [made, at], self._spec(o), {}, node)
        for average, old in zip(means, moved, strict=True):
            self.effects.held[average.outputs[0]] = self.effects.held[old]

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
            attribute=[attribute("shape", shapes)],
        )  # fmt: skip
        return made

    def _primitive(self, op: str, attributes: dict[str, Any]) -> str:
        key = (op, repr(attributes))
        if key not in self.primitives:
            name = f"{op}:{len(self.primitives) + 1}"
            kind = proto.PRIMITIVE_FUNCTION if op in FUNCTIONS else proto.PRIMITIVE
            self.model.primitives.add(
                name=name, op_type=op, prim_type=kind,
                attribute=[attribute(k, v) for k, v in attributes.items()],
            )  # fmt: skip
            self.primitives[key] = f"REF::{name}"
        return self.primitives[key]

    def _tuple(self, values: list[Any]) -> str:
        specs = [self._spec(v) for v in values]
        return self._emit("MakeTuple", [self._input(v, None) for v in values], specs, {}, None)

    def _result(self, structure: Any, outputs: list[Value]) -> tuple[str, proto.AttributeProto]:
        if not isinstance(structure, tuple):
            value = outputs[structure]
            return self._input(value, None), attribute("", self._spec(value))
        parts = [self._result(part, outputs) for part in structure]
        info = proto.AttributeProto(type=proto.TUPLE, values=[p for _, p in parts])
        info.seq_info.is_dyn_len = False
        made = self._emit("MakeTuple", [name for name, _ in parts], (), {}, None)
        self.out.node[-1].attribute = [named(info, "shape")]
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
        if isinstance(arg, _Name):
            return arg
        if arg.__class__ is Value:
            if arg in self.effects.held and arg not in self.names:
                return self._read(arg)
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
                attribute=[attribute("value", content)],
            )  # fmt: skip
        return self.constants[key]


class _Name(str):
    """What stands in a file for an argument."""


_SCALARS_ARE_TENSORS = {
    "Add", "Sub", "Mul", "Div", "RealDiv", "FloorDiv", "FloorMod", "Pow", "Maximum", "Minimum",
    "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "Atan2", "Xlogy",
    "MaskedFill", "Lerp", "Assign", "AssignAdd", "AssignSub", "Adam", "AdamWeightDecay",
    "ApplyAdaMax", "ApplyAdadelta", "ApplyAdagrad", "ApplyAdagradV2", "ApplyAdamWithAmsgrad",
    "ApplyAdamWithAmsgradV2", "ApplyAddSign", "ApplyCenteredRMSProp", "ApplyFtrl",
    "ApplyGradientDescent", "ApplyMomentum", "ApplyPowerSign", "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent", "ApplyRMSProp", "SGD",
}  # fmt: skip
_GRADIENTS = {"Conv2DBackpropFilter", "Conv2DBackpropInput", "MaxPoolGrad"}
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
    if op not in _GRADIENTS:
        attributes.pop("data_format", None)  # MindSpore's files say format
    if "pad" in attributes:  # what the kernels read, computed for this input
        x: Any = node.args[0].spec.shape
        if op in ("Conv2DTranspose", "Conv2DBackpropInput"):
            x = node.args[2]
        elif op == "Conv2DBackpropFilter":
            x = node.args[1].spec.shape
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


__all__ = ["model_of"]
