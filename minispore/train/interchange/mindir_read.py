"""Reader of MindIR models: binds each node under a tracer, which records the graph."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor, wrap
from minispore.core.tree import number_leaves
from minispore.errors import did_you_mean
from minispore.graph.funcgraph import FuncGraph
from minispore.graph.passes import common_subexpressions, dead_code, fold_constants, simplify
from minispore.graph.trace import Tracer, finish_graph
from minispore.ir import dtype as mstype
from minispore.ir.registry import registry
from minispore.ir.value import Spec
from minispore.train.interchange import mindir_proto as proto
from minispore.train.interchange.mindir_foreign import FOREIGN, MONAD
from minispore.train.interchange.mindir_ops import (
    ATTRIBUTE_ALIASES,
    CODECS,
    FILE_NAMES,
    FUNCTIONS,
    RECORDS,
)
from minispore.train.interchange.open_axes import LENGTHS, fix_open_axes

API_NAME = "load"
CLASS_NAMES = {name: ours for ours, name in FILE_NAMES.items()}
_DTYPE_NAMES = {number: name for name, number in proto.TENSOR_TYPES.items()}


def read_graph(model: proto.ModelProto) -> FuncGraph:
    """Read the graph of ``model``.

    Raises:
        RuntimeError: the model is damaged, or holds something that minispore can't run.
    """
    try:
        return _Reader(model).function
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as exc:
        raise RuntimeError(f"{API_NAME}: the file is damaged: {exc!r}.") from exc


class _Reader:
    """The state of reading one model; ``function`` is the result."""

    def __init__(self, model: proto.ModelProto) -> None:
        graph = model.graph
        if model.functions:
            raise RuntimeError(
                f"{API_NAME}: the file holds control flow ({len(model.functions)} further graphs), "
                "and minispore reads straight graphs. Export the network without branches on "
                "tensors."
            )
        if graph.map_parameter:
            raise RuntimeError(
                f"{API_NAME}: the file holds a MapParameter, which minispore has not."
            )
        self.primitives = {f"REF::{p.name}": p for p in model.primitives}
        self.values: dict[str, Any] = {}
        self.tracer = tracer = Tracer()
        open_shapes: list[tuple[int, ...]] = []
        for info in graph.input:
            if not info.tensor:
                raise RuntimeError(
                    f"{API_NAME}: input {_strip_graph_name(info.name)!r} is no tensor."
                )
            spec = _decode_spec(info.tensor[0], info.name)
            open_shapes.append(spec.shape)
            self.values[info.name] = wrap(tracer.add_input(fix_open_axes(spec, LENGTHS[0]), None))
        for tensor in graph.parameter:
            name = _strip_graph_name(tensor.name)
            self.values[tensor.name] = Parameter(Tensor(_decode_array(tensor)), name=name)
        with interpreter.using_interpreter(tracer):
            for node in graph.node:
                self._read_node(node)
            result = tuple([self._get_value(o.name) for o in graph.output])
            structure, outputs = number_leaves(result[0] if len(result) == 1 else result)
            tensors = [x if isinstance(x, Tensor) else Tensor(x) for x in outputs]
            traced_graph = finish_graph(tracer, [t.value_ for t in tensors])
        for transform in (dead_code, simplify, fold_constants, common_subexpressions, dead_code):
            traced_graph = transform(traced_graph)
        name = re.sub(r"^\d+_\d*_*|_construct.*$", "", graph.name).strip("_") or "graph"
        self.function = FuncGraph(traced_graph, structure, name, tuple(open_shapes))

    def _get_value(self, name: str) -> Any:
        """Return the value of a node or input by its name.

        Raises:
            RuntimeError: no earlier node has this name.
        """
        if name not in self.values:
            raise RuntimeError(f"{API_NAME}: the file asks for {name!r} before it is there.")
        return self.values[name]

    def _read_node(self, node: proto.NodeProto) -> None:
        """Read a constant, or call the op of a node; store the output under the node's name.

        The traced nodes get the scope in the file.
        """
        if node.op_type == "Constant":
            value_attributes = [a for a in node.attribute if a.name == "value"]
            self.values[node.output[0]] = (
                _decode_attribute(value_attributes[0]) if value_attributes else None
            )
            return
        primitive = self.primitives.get(node.op_type)
        op = primitive.op_type if primitive is not None else node.op_type
        attributes = (
            {a.name: _decode_attribute(a) for a in primitive.attribute} if primitive else {}
        )
        args = [self._get_value(name) for name in node.input]
        previous_count = len(self.tracer.graph.nodes)
        if op != "UpdateState":  # the order of the nodes is that of the effects
            args = [a for a in args if a is not MONAD]
        self.values[node.output[0]] = self._call_op(op, args, attributes, node)
        for traced_node in self.tracer.graph.nodes[previous_count:]:
            traced_node.scope, traced_node.line = _parse_scope(node.domain), ""

    def _call_op(
        self, op: str, args: list[Any], attributes: dict[str, Any], node: proto.NodeProto
    ) -> Any:
        """Call the op of a node with its arguments and return the output.

        Raises:
            RuntimeError: minispore does not have the op, or the call fails.
        """
        try:
            if op in FOREIGN:
                return FOREIGN[op](attributes, *args)
            op = CLASS_NAMES.get(op, op)
            if op in FUNCTIONS:
                return _call_function(op, args)
            if op in RECORDS:
                return registry[op](**_decode_fields(op, attributes))(*args)
        except (AttributeError, LookupError, TypeError, ValueError) as exc:
            raise RuntimeError(f"{API_NAME}: {op} of {node.domain or node.name}: {exc}") from exc
        hint = did_you_mean(op, [*FUNCTIONS, *RECORDS, *FOREIGN])
        raise RuntimeError(
            f"{API_NAME}: the file asks for the op {op} ({node.domain or node.name}), which "
            f"minispore can't read.{hint}"
        )


def _call_function(op: str, args: list[Any]) -> Any:
    """Call the op named ``op``, whose attributes are among the inputs ``args`` of its node."""
    arguments: dict[int, Any] = {}
    fields = {}
    for (field, codec), value in zip(FUNCTIONS[op], args, strict=False):
        if field == "*":
            arguments[0] = value
        elif field.isdigit():
            arguments[int(field)] = CODECS[codec][1](value)
        else:
            fields[field] = CODECS[codec][1](value)
    return registry[op](**fields)(*[arguments[i] for i in sorted(arguments)])


def _decode_fields(op: str, attributes: dict[str, Any]) -> dict[str, Any]:
    """Decode the arguments of minispore's class from a record of attributes."""
    fields = {}
    for name, codec in RECORDS[op].items():
        key = name if name in attributes else ATTRIBUTE_ALIASES.get(name, name)
        if key in attributes and name != "num":
            fields[name] = CODECS[codec][1](attributes[key])
    return fields


# -- messages as values ----------------------------------------------------------------------------


def _strip_graph_name(name: str) -> str:
    """Return a parameter's name without the name of the graph, which precedes it with a colon."""
    return name.partition(":")[2] or name


def _parse_scope(domain: str) -> str:
    """Return the scope in a node's domain: ``conv1`` from ``Default/conv1-Conv2d/Conv2D-op3``."""
    cells = domain.split("/")[1:-1]
    return ".".join(cell.partition("-")[0] for cell in cells)


def _decode_spec(tensor: proto.TensorProto, name: str) -> Spec:
    """Decode the shape and dtype of a tensor message.

    Raises:
        RuntimeError: the rank or the data type is unknown; the message names ``name``.
    """
    if any(d < -1 for d in tensor.dims):
        raise RuntimeError(
            f"{API_NAME}: {_strip_graph_name(name)!r} has a shape of unknown rank, "
            f"{tuple(tensor.dims)}, and "
            "minispore reads known ones. Export the network with an input of a known rank."
        )
    if tensor.data_type not in _DTYPE_NAMES:
        raise RuntimeError(
            f"{API_NAME}: {_strip_graph_name(name)!r} has the unknown data type {tensor.data_type}."
        )
    name = _DTYPE_NAMES[tensor.data_type]
    dtype = mstype.to_numpy(getattr(mstype, "bool_" if name == "bool" else name))
    return Spec(tuple(tensor.dims), dtype)


def _decode_array(tensor: proto.TensorProto) -> np.ndarray:
    """Decode the content of a tensor message.

    Raises:
        RuntimeError: the content is in another file, or its length does not match.
    """
    if "external_data" in vars(tensor):
        raise RuntimeError(
            f"{API_NAME}: the parameters stand in files of their own "
            f"({tensor.external_data.location}), "
            "as MindSpore writes networks above 1 GB; minispore reads single files."
        )
    shape, dtype = _decode_spec(tensor, tensor.name)
    if len(tensor.raw_data) != math.prod(shape) * dtype.itemsize:
        raise RuntimeError(
            f"{API_NAME}: {_strip_graph_name(tensor.name)!r}: {len(tensor.raw_data)} bytes do not "
            f"make a {dtype.name} of the shape {shape}."
        )
    return np.frombuffer(tensor.raw_data, dtype).reshape(shape)


def _decode_attribute(attribute: proto.AttributeProto) -> Any:
    """Decode an attribute to its Python value; a tensor becomes a Tensor, several become a tuple of
    Tensors.
    """
    type_number = attribute.type
    if type_number in (proto.TUPLE, proto.LIST):
        return tuple([_decode_attribute(v) for v in attribute.values])
    if type_number in (proto.TENSOR, proto.TENSORS):
        tensors = [Tensor(_decode_array(t)) for t in attribute.tensors or [attribute.t]]
        return tensors[0] if len(tensors) == 1 else tuple(tensors)
    if type_number == proto.STRING:
        return str((attribute.strings or [attribute.s])[0], "utf-8")
    if type_number in (proto.UMONAD, proto.IOMONAD):
        return MONAD
    if type_number == proto.NONE:
        return None
    if type_number == proto.BOOL:
        return bool((attribute.ints or [attribute.i])[0])
    if type_number == proto.FLOAT:
        return _round_to_float32_digits((attribute.floats or [attribute.f])[0])
    if type_number == proto.DOUBLE:
        return (attribute.doubles or [attribute.d])[0]
    return (attribute.ints or [attribute.i])[0]


def _round_to_float32_digits(number: float) -> float:
    """Return the shortest decimal that rounds to the same float32: 1e-05 for 9.99999974e-06."""
    return float(str(np.float32(number)))


__all__ = ["read_graph"]
