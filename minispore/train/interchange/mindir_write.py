"""Writer of MindIR models: converts a graph to a ModelProto."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.foundation.version import MINDSPORE
from minispore.graph.funcgraph import FuncGraph
from minispore.graph.ir import rewrite
from minispore.ir.dtype import DType
from minispore.ir.node import Node
from minispore.ir.operator import Operator
from minispore.ir.value import Spec, Value
from minispore.ops.network.batch_norm import BatchNorm
from minispore.train.interchange import mindir_proto as proto
from minispore.train.interchange.inference import make_export_error
from minispore.train.interchange.mindir_effects import Effects
from minispore.train.interchange.mindir_lower import lower_for_mindspore
from minispore.train.interchange.mindir_ops import (
    ATTRIBUTE_ALIASES,
    CODECS,
    FILE_NAMES,
    FUNCTIONS,
    RECORDS,
    RETURN_FIRST_ONLY,
)
from minispore.train.interchange.mindir_values import (
    MONAD,
    copy_with_name,
    make_attribute,
    make_tensor_proto,
)
from minispore.train.interchange.open_axes import infer_open_shapes

IR_VERSION, MODEL_VERSION, MIND_IR_VERSION = "1.1", MINDSPORE, 3


def make_model(function: FuncGraph, twin: FuncGraph) -> proto.ModelProto:
    """Make the MindIR model of ``function``; axes whose length differs in ``twin`` are open.

    Raises:
        RuntimeError: an op has no counterpart in MindSpore's files.
    """
    return _Writer(function, twin).model


class _Writer:
    """The state of writing one graph: the model, and the names of values and constants in it."""

    def __init__(self, function: FuncGraph, twin: FuncGraph) -> None:
        graph = rewrite(function.graph, (Primitive, lower_for_mindspore))
        self.shapes = infer_open_shapes(
            graph, rewrite(twin.graph, (Primitive, lower_for_mindspore))
        )
        self.effects = Effects(graph)
        name = "1_" + re.sub(r"\W", "_", function.name) + "_construct"
        self.model = proto.ModelProto(
            ir_version=IR_VERSION, producer_name="minispore", model_version=MODEL_VERSION,
            little_endian=True, mind_ir_version=MIND_IR_VERSION, graph=proto.GraphProto(name=name),
        )  # fmt: skip
        self.graph_proto = self.model.graph
        self.uses = graph.count_uses()
        self.used_names = {p.name for p in graph.state}
        self.names: dict[Value, str] = {}
        self.constants: dict[Any, str] = {}
        self.primitives: dict[Any, str] = {}
        self.node_count = 0
        for i, value in enumerate(graph.inputs):
            self.names[value] = self._make_unique_name(f"input{i}")
            self.graph_proto.input.add(
                name=self.names[value], tensor=[make_tensor_proto(self._make_open_spec(value))]
            )
        for p, value in graph.state.items():
            ref_name = f"{name}:{p.name}"
            (self.effects.parameter_refs if p in graph.updates else self.names)[value] = ref_name
            self.graph_proto.parameter.append(make_tensor_proto(value.spec, ref_name, p.asnumpy()))
            self.graph_proto.parameter[-1].ref_key = p.name
        self.graph_proto.attribute.append(make_attribute("phase", "export"))
        self.graph_proto.attribute.append(make_attribute("training", False))
        for node in graph.nodes:
            if node not in self.effects.moving_averages:
                self._write_node(node)
        result, info = self._emit_result(function.structure, graph.outputs)
        if self.effects.monad is not None:  # the result must wait for all updates of Parameters
            propagate = {"side_effect_propagate": 1}
            inputs = [result, self._order_next_effect()]
            result = self._emit_node("Depend", inputs, (), propagate, None)
            self.graph_proto.node[-1].attribute = [copy_with_name(info, "shape")]
        output = self.graph_proto.output.add(name=result)
        if isinstance(function.structure, tuple):
            output.denotation, output.attr_info = "Tuple", info
        else:
            output.tensor = list(info.tensors)

    # -- nodes -------------------------------------------------------------------------------------

    def _write_node(self, node: Node) -> None:
        """Write one node as a function, with a record of attributes, or as a special case.

        Raises:
            RuntimeError: it has no counterpart in MindIR.
        """
        prim, name = node.prim, node.prim.name
        if name == "BatchNormTrain":
            self._write_batch_norm(node)
            return
        args: list[Any] = list(node.args)
        if name == "BatchNormInfer":
            name = "BatchNorm"
            momentum = BatchNorm.fields["momentum"]
            fields = {**vars(prim), "is_training": False, "momentum": momentum}
            shapes = [self._make_open_spec(node.outputs[0]), *[a.spec for a in args[1:5]]]
        else:
            fields = {f: getattr(prim, f) for f in prim.fields}
            shapes = [self._make_open_spec(output) for output in node.outputs]
        attributes: dict[str, Any] = {}
        if prim.mutates:
            self._copy_values_read_later([node.args[i] for i in prim.mutates], node)
            for position in prim.mutates:
                args[position] = _FileName(self.effects.parameter_refs[node.args[position]])
        if name == "BatchNormGrad":
            data_format = CODECS["format"][0](fields["data_format"])
            attribute_args = [args[-1], True, fields["epsilon"], data_format]
            inputs = [self._get_input_name(a, node) for a in (*args, *attribute_args)]
        elif name in FUNCTIONS:
            inputs = self._list_function_inputs(node, FUNCTIONS[name], args, fields)
        elif name == "MaxPool" and args[0].spec.ndim == 5:
            name, attributes = "MaxPool3DWithArgmax", _make_3d_pool_attributes(prim)
            inputs = [self._get_input_name(args[0], node)]
        elif name in RECORDS:
            attributes = _make_record(node, name, fields)
            if prim.variadic:
                inputs = [self._emit_tuple(args)]
            else:
                inputs = [self._get_input_name(a, node) for a in args]
        else:
            raise make_export_error(
                node, "has no counterpart in a MindIR file. Compute it with other ops."
            )
        if name == "LayerNormGrad":
            attributes["epsilon"] = fields["epsilon"]
        name = FILE_NAMES.get(name, name)
        # A node with several outputs is one tuple in the file; TupleGetItem nodes are its elements.
        has_several_outputs = len(shapes) > 1 or name in _ALWAYS_TUPLES
        returns_tuple = has_several_outputs and name not in RETURN_FIRST_ONLY
        output_specs = shapes if returns_tuple else shapes[0]
        if prim.mutates:
            self._emit_in_place_op(name, inputs, output_specs, attributes, node)
            # Each output is the new content of a Parameter, to which later readers refer.
            for position, output in zip(prim.mutates, node.outputs, strict=True):
                ref = self.effects.parameter_refs[node.args[position]]
                self.effects.parameter_refs[output] = ref
            return
        result = self._emit_node(name, inputs, output_specs, attributes, node)
        for i, output in enumerate(node.outputs):
            self.names[output] = result
            if returns_tuple and self.uses.get(output):
                index = self._get_constant(i)
                self.names[output] = self._emit_node(
                    "TupleGetItem", [result, index], self._make_open_spec(output), {}, node
                )

    # -- Parameters that are updated
    # --------------------------------------------------------------------

    def _order_next_effect(self) -> str:
        """Return the name of the monad that the next effect waits for; it follows all pending
        copies of contents.
        """
        monad = self._get_monad()
        if self.effects.reads:
            monad = self._emit_update_state(monad, *self.effects.reads)
            self.effects.reads = []
        return monad

    def _get_monad(self) -> str:
        """Return the name of the last effect; before the first, that of a new constant monad."""
        if self.effects.monad is None:
            self.effects.monad = self._get_constant(MONAD)
        return self.effects.monad

    def _emit_update_state(self, *names: str) -> str:
        """Emit an UpdateState that waits for these values, and make it the last effect; return its
        name.
        """
        self.effects.monad = self._emit_node("UpdateState", [*names], MONAD, {}, None)
        return self.effects.monad

    def _copy_parameter(self, value: Value) -> str:
        """Emit a copy of the current content of a Parameter, which the next effect waits for;
        return its name.
        """
        spec = self._make_open_spec(value)
        load = self._emit_node(
            "Load", [self.effects.parameter_refs[value], self._get_monad()], spec, {}, None
        )
        self.names[value] = self._emit_node("TensorMove", [load], spec, {}, None)
        self.effects.reads.append(self.names[value])
        return self.names[value]

    def _copy_values_read_later(self, contents: list[Any], node: Node) -> None:
        """Copy contents of Parameters that are read after ``node`` updates them.

        Raises:
            RuntimeError: a content does not belong to a Parameter.
        """
        for value in contents:
            if value not in self.effects.parameter_refs:
                raise make_export_error(
                    node, "can't be written: it changes a Tensor that is no Parameter."
                )
            if value in self.effects.read_later and value not in self.names:
                self._copy_parameter(value)

    def _emit_in_place_op(
        self, op: str, inputs: list[str], shapes: Any, attributes: dict[str, Any], node: Node
    ) -> str:
        """Emit an op that updates Parameters, ordered among the effects; return its name."""
        monad = self._order_next_effect()
        attributes = {**attributes, "side_effect_mem": True}
        result = self._emit_node(op, [*inputs, monad], shapes, attributes, node)
        self._emit_update_state(monad, result)
        return result

    def _write_batch_norm(self, node: Node) -> None:
        """Write a BatchNormTrain and its two moving averages, which are one op in a MindIR file."""
        averages = self.effects.find_moving_averages(node)
        prim: Any = node.prim
        moving_stats = [average.args[0] for average in averages]
        self._copy_values_read_later(moving_stats, node)
        data_format = CODECS["format"][0](prim.data_format)
        numbers = [True, prim.epsilon, vars(averages[0].prim)["momentum"], data_format]
        inputs = [self._get_input_name(a, node) for a in node.args]
        inputs += [self.effects.parameter_refs[v] for v in moving_stats]
        inputs += [self._get_input_name(n, node) for n in numbers]
        spec, channel_spec = [self._make_open_spec(output) for output in node.outputs[:2]]
        result = self._emit_in_place_op("BatchNorm", inputs, [spec, *[channel_spec] * 4], {}, node)
        # Outputs 3 and 4 of MindSpore's op are the statistics of the batch, for the gradient.
        for output, i in zip(node.outputs, (0, 3, 4), strict=True):
            index = self._get_constant(i)
            self.names[output] = self._emit_node(
                "TupleGetItem", [result, index], self._make_open_spec(output), {}, node
            )
        for average, previous in zip(averages, moving_stats, strict=True):
            self.effects.parameter_refs[average.outputs[0]] = self.effects.parameter_refs[previous]

    def _list_function_inputs(
        self, node: Node, parameters: list[tuple[str, str]], args: list[Any], fields: dict[str, Any]
    ) -> list[str]:
        """Return the input names of an op whose attributes are among its inputs.

        Adds a constant node for each attribute, and a MakeTuple for ``*``. ``parameters`` is the
        op's form in ``mindir_ops.FUNCTIONS``.
        """
        inputs = []
        for field, codec in parameters:
            if field == "*":
                inputs.append(self._emit_tuple(args))
            elif not field.isdigit():
                inputs.append(self._get_constant(CODECS[codec][0](fields[field])))
            elif int(field) < len(args):
                inputs.append(self._get_input_name(args[int(field)], node, codec))
        return inputs

    def _emit_node(
        self, op: str, inputs: list[str], shapes: Any, attributes: dict[str, Any], node: Node | None
    ) -> str:
        """Add a node with output ``shapes`` and return its name; its scope is that of ``node``."""
        self.node_count += 1
        name = self._make_unique_name(f"CNode_{self.node_count}")
        self.graph_proto.node.add(
            input=inputs, output=[name], name=name, op_type=self._get_primitive(op, attributes),
            domain=_make_domain(op, node, self.node_count),
            attribute=[make_attribute("shape", shapes)],
        )  # fmt: skip
        return name

    def _get_primitive(self, op: str, attributes: dict[str, Any]) -> str:
        """Return the reference of a primitive with these attributes, adding it if new."""
        key = (op, repr(attributes))
        if key not in self.primitives:
            name = f"{op}:{len(self.primitives) + 1}"
            prim_type = proto.PRIMITIVE_FUNCTION if op in FUNCTIONS else proto.PRIMITIVE
            self.model.primitives.add(
                name=name, op_type=op, prim_type=prim_type,
                attribute=[make_attribute(k, v) for k, v in attributes.items()],
            )  # fmt: skip
            self.primitives[key] = f"REF::{name}"
        return self.primitives[key]

    def _emit_tuple(self, values: list[Any]) -> str:
        """Emit a MakeTuple of values and return its name."""
        specs = [self._make_open_spec(v) for v in values]
        return self._emit_node(
            "MakeTuple", [self._get_input_name(v, None) for v in values], specs, {}, None
        )

    def _emit_result(
        self, structure: Any, outputs: list[Value]
    ) -> tuple[str, proto.AttributeProto]:
        """Emit the nested tuple of outputs; return its name and the message of its type."""
        if not isinstance(structure, tuple):
            value = outputs[structure]
            return self._get_input_name(value, None), make_attribute(
                "", self._make_open_spec(value)
            )
        elements = [self._emit_result(element, outputs) for element in structure]
        info = proto.AttributeProto(type=proto.TUPLE, values=[p for _, p in elements])
        info.seq_info.is_dyn_len = False
        result = self._emit_node("MakeTuple", [name for name, _ in elements], (), {}, None)
        self.graph_proto.node[-1].attribute = [copy_with_name(info, "shape")]
        return result, info

    def _make_open_spec(self, value: Value) -> Spec:
        """Return the spec of a value, with -1 for axes of open length."""
        return Spec(self.shapes.get(value, value.spec.shape), value.spec.dtype)

    def _make_unique_name(self, name: str) -> str:
        """Return ``name`` with underscores added until no parameter has it, prefixed with the
        graph's name.
        """
        while name in self.used_names:
            name += "_"
        return f"{self.graph_proto.name}:{name}"

    # -- values ------------------------------------------------------------------------------------

    def _get_input_name(self, arg: Any, node: Node | None, codec: str = "") -> str:
        """Return the name of an argument in the file: a value, or a constant written with
        ``codec``.

        A Parameter that is updated is copied first.
        """
        if isinstance(arg, _FileName):
            return arg
        if arg.__class__ is Value:
            if arg in self.effects.parameter_refs and arg not in self.names:
                return self._copy_parameter(arg)
            return self.names[arg] if arg in self.names else self._get_constant(arg.data)
        if isinstance(arg, DType):
            codec = "dtype"
        arg = CODECS[codec][0](arg)
        if node is not None and node.prim.name in _SCALARS_ARE_TENSORS:
            dtype = next(a.spec.dtype for a in node.args if a.__class__ is Value)
            return self._get_constant(np.array(arg, dtype))
        return self._get_constant(arg)

    def _get_constant(self, content: Any) -> str:
        """Return the name of a constant node, adding it if it is new; equal contents share a
        node.
        """
        is_array = isinstance(content, np.ndarray)
        key = (str(content.dtype), content.shape, content.tobytes()) if is_array else repr(content)
        if key not in self.constants:
            name = self.constants[key] = f"ValueNode_{len(self.constants) + 1}"
            self.graph_proto.node.add(
                output=[name], name=name, op_type="Constant",
                attribute=[make_attribute("value", content)],
            )  # fmt: skip
        return self.constants[key]


class _FileName(str):
    """A name in the file that represents an argument."""


_SCALARS_ARE_TENSORS = {
    "Add", "Sub", "Mul", "Div", "RealDiv", "FloorDiv", "FloorMod", "Pow", "Maximum", "Minimum",
    "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "Atan2", "Xlogy",
    "MaskedFill", "Lerp", "Assign", "AssignAdd", "AssignSub", "Adam", "AdamWeightDecay",
    "ApplyAdaMax", "ApplyAdadelta", "ApplyAdagrad", "ApplyAdagradV2", "ApplyAdamWithAmsgrad",
    "ApplyAdamWithAmsgradV2", "ApplyAddSign", "ApplyCenteredRMSProp", "ApplyFtrl",
    "ApplyGradientDescent", "ApplyMomentum", "ApplyPowerSign", "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent", "ApplyRMSProp", "SGD",
}  # fmt: skip
_GRADIENT_OPS = {"Conv2DBackpropFilter", "Conv2DBackpropInput", "MaxPoolGrad"}
_ALWAYS_TUPLES = {"Split", "Unstack"}


def _make_domain(op: str, node: Node | None, number: int) -> str:
    """Return the path of Cells below the network, and the op: ``Default/conv1/Conv2D-op3``."""
    scope = node.scope.split(".")[1:] if node is not None else []
    return "/".join(["Default", *scope, f"{op}-op{number}"])


def _make_record(node: Node, op: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of an op that MindIR writes as a record, including those that MindSpore
    derives.
    """
    attributes: dict[str, Any] = {}
    for name, codec in RECORDS[op].items():
        value = fields[name]
        if value is None:
            continue
        attributes[name] = CODECS[codec][0](value)
        attributes[ATTRIBUTE_ALIASES.get(name, name)] = attributes[name]
    if op not in _GRADIENT_OPS:
        attributes.pop("data_format", None)  # called format in MindSpore's files
    if "pad" in attributes:  # the kernels read pad_list, which depends on the input's size
        x_shape: Any = node.args[0].spec.shape
        if op in ("Conv2DTranspose", "Conv2DBackpropInput"):
            x_shape = node.args[2]
        elif op == "Conv2DBackpropFilter":
            x_shape = node.args[1].spec.shape
        prim: Any = node.prim
        window = prim.make_window(x_shape[2:])
        pads: list[int] = []
        for padded, n, low in zip(window.padded, window.size, window.low, strict=True):
            pads += low, padded - n - low
        attributes["pad_list"] = tuple(max(int(p), 0) for p in pads)
    if op == "Conv3D":  # written twice, the second time including the batch and channel axes
        attributes["strides"] = (1, 1, *fields["stride"])
        attributes["dilations"] = (1, 1, *fields["dilation"])
        attributes["offset_x"] = 0
    if op == "Stack":
        attributes["num"] = attributes["N"] = len(node.args)
    if op == "Unstack":
        attributes["num"] = len(node.outputs)
    return attributes


def _make_3d_pool_attributes(pool: Operator) -> dict[str, Any]:
    """Return the attributes of a MaxPool3DWithArgmax that computes the same as MaxPool."""
    fields = vars(pool)
    return {
        "ksize": (1, *fields["kernel_size"]), "strides": (1, *fields["strides"]),
        "pads": (0, fields["pad"][0], fields["pad"][2]), "dilation": (1, *fields["dilation"]),
        "ceil_mode": fields["ceil_mode"], "format": "NCDHW", "argmax_type": "int64",
    }  # fmt: skip


__all__ = ["make_model"]
