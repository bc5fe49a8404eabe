"""From a MindIR model to a graph: each node is bound again, under a tracer."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core import interpreter
from minispore.core.parameter import Parameter
from minispore.core.registry import registry
from minispore.core.tensor import Tensor, wrap
from minispore.core.tree import number_leaves
from minispore.core.value import Spec
from minispore.errors import did_you_mean
from minispore.graph.funcgraph import FuncGraph
from minispore.graph.passes import common_subexpressions, dead_code, fold_constants, simplify
from minispore.graph.trace import Tracer, finish_graph
from minispore.train.interchange import mindir_proto as proto
from minispore.train.interchange.mindir_foreign import FOREIGN, MONAD
from minispore.train.interchange.mindir_ops import (
    ALSO_NAMED,
    CODECS,
    FILE_NAMES,
    FUNCTIONS,
    RECORDS,
)
from minispore.train.interchange.open_axes import LENGTHS, closed

WHO = "load"
OURS = {name: ours for ours, name in FILE_NAMES.items()}
_TYPES = {number: name for name, number in proto.TENSOR_TYPES.items()}


def graph_of(model: proto.ModelProto) -> FuncGraph:
    """The graph of ``model``.

    Raises:
        RuntimeError: it holds what minispore can't run.
    """
    try:
        return _Reader(model).function
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as exc:
        raise RuntimeError(f"{WHO}: the file is damaged: {exc!r}.") from exc


class _Reader:
    def __init__(self, model: proto.ModelProto) -> None:
        graph = model.graph
        if model.functions:
            raise RuntimeError(
                f"{WHO}: the file holds control flow ({len(model.functions)} further graphs), and "
                "minispore reads straight graphs. Export the network without branches on tensors."
            )
        if graph.map_parameter:
            raise RuntimeError(f"{WHO}: the file holds a MapParameter, which minispore has not.")
        self.primitives = {f"REF::{p.name}": p for p in model.primitives}
        self.values: dict[str, Any] = {}
        self.tracer = tracer = Tracer()
        open_shapes: list[tuple[int, ...]] = []
        for info in graph.input:
            if not info.tensor:
                raise RuntimeError(f"{WHO}: input {_plain(info.name)!r} is no tensor.")
            spec = _spec(info.tensor[0], info.name)
            open_shapes.append(spec.shape)
            self.values[info.name] = wrap(tracer.add_input(closed(spec, LENGTHS[0]), None))
        for tensor in graph.parameter:
            name = _plain(tensor.name)
            self.values[tensor.name] = Parameter(Tensor(_array(tensor)), name=name)
        with interpreter.using_interpreter(tracer):
            for node in graph.node:
                self._node(node)
            result = tuple([self._value(o.name) for o in graph.output])
            structure, outputs = number_leaves(result[0] if len(result) == 1 else result)
            flat = [x if isinstance(x, Tensor) else Tensor(x) for x in outputs]
            made = finish_graph(tracer, [t.value_ for t in flat])
        for step in (dead_code, simplify, fold_constants, common_subexpressions, dead_code):
            made = step(made)
        name = re.sub(r"^\d+_\d*_*|_construct.*$", "", graph.name).strip("_") or "graph"
        self.function = FuncGraph(made, structure, name, tuple(open_shapes))

    def _value(self, name: str) -> Any:
        if name not in self.values:
            raise RuntimeError(f"{WHO}: the file asks for {name!r} before it is there.")
        return self.values[name]

    def _node(self, node: proto.NodeProto) -> None:
        if node.op_type == "Constant":
            found = [a for a in node.attribute if a.name == "value"]
            self.values[node.output[0]] = _content(found[0]) if found else None
            return
        primitive = self.primitives.get(node.op_type)
        op = primitive.op_type if primitive is not None else node.op_type
        attributes = {a.name: _content(a) for a in primitive.attribute} if primitive else {}
        args = [self._value(name) for name in node.input]
        before = len(self.tracer.graph.nodes)
        if op != "UpdateState":  # the order of nodes is enough to order effects
            args = [a for a in args if a is not MONAD]
        self.values[node.output[0]] = self._bound(op, args, attributes, node)
        for made in self.tracer.graph.nodes[before:]:
            made.scope, made.line = _scope(node.domain), ""

    def _bound(
        self, op: str, args: list[Any], attributes: dict[str, Any], node: proto.NodeProto
    ) -> Any:
        try:
            if op in FOREIGN:
                return FOREIGN[op](attributes, *args)
            op = OURS.get(op, op)
            if op in FUNCTIONS:
                return _function(op, args)
            if op in RECORDS:
                return registry[op](**_fields(op, attributes))(*args)
        except (AttributeError, LookupError, TypeError, ValueError) as exc:
            raise RuntimeError(f"{WHO}: {op} of {node.domain or node.name}: {exc}") from exc
        hint = did_you_mean(op, [*FUNCTIONS, *RECORDS, *FOREIGN])
        raise RuntimeError(
            f"{WHO}: the file asks for the op {op} ({node.domain or node.name}), which minispore "
            f"can't read.{hint}"
        )


def _function(op: str, args: list[Any]) -> Any:
    """Call an op whose attributes stand among the inputs."""
    call: dict[int, Any] = {}
    fields = {}
    for (what, kind), value in zip(FUNCTIONS[op], args, strict=False):
        if what == "*":
            call[0] = value
        elif what.isdigit():
            call[int(what)] = CODECS[kind][1](value)
        else:
            fields[what] = CODECS[kind][1](value)
    return registry[op](**fields)(*[call[i] for i in sorted(call)])


def _fields(op: str, attributes: dict[str, Any]) -> dict[str, Any]:
    """The arguments of our class out of a record of attributes."""
    fields = {}
    for name, kind in RECORDS[op].items():
        known = name if name in attributes else ALSO_NAMED.get(name, name)
        if known in attributes and name != "num":
            fields[name] = CODECS[kind][1](attributes[known])
    return fields


# -- messages as values ----------------------------------------------------------------------------


def _plain(name: str) -> str:
    """A parameter's own name: what follows the graph's."""
    return name.partition(":")[2] or name


def _scope(domain: str) -> str:
    """``conv1`` from ``Default/conv1-Conv2d/Conv2D-op3``."""
    cells = domain.split("/")[1:-1]
    return ".".join(cell.partition("-")[0] for cell in cells)


def _spec(tensor: proto.TensorProto, name: str) -> Spec:
    if any(d < -1 for d in tensor.dims):
        raise RuntimeError(
            f"{WHO}: {_plain(name)!r} has a shape of unknown rank, {tuple(tensor.dims)}, and "
            "minispore reads known ones. Export the network with an input of a known rank."
        )
    if tensor.data_type not in _TYPES:
        raise RuntimeError(f"{WHO}: {_plain(name)!r} has the unknown data type {tensor.data_type}.")
    name = _TYPES[tensor.data_type]
    dtype = mstype.to_numpy(getattr(mstype, "bool_" if name == "bool" else name))
    return Spec(tuple(tensor.dims), dtype)


def _array(tensor: proto.TensorProto) -> np.ndarray:
    if "external_data" in vars(tensor):
        raise RuntimeError(
            f"{WHO}: the parameters stand in files of their own ({tensor.external_data.location}), "
            "as MindSpore writes networks above 1 GB; minispore reads single files."
        )
    shape, dtype = _spec(tensor, tensor.name)
    if len(tensor.raw_data) != math.prod(shape) * dtype.itemsize:
        raise RuntimeError(
            f"{WHO}: {_plain(tensor.name)!r}: {len(tensor.raw_data)} bytes do not make a "
            f"{dtype.name} of the shape {shape}."
        )
    return np.frombuffer(tensor.raw_data, dtype).reshape(shape)


def _content(attribute: proto.AttributeProto) -> Any:
    """The Python value of an attribute; a tensor becomes a Tensor."""
    kind = attribute.type
    if kind in (proto.TUPLE, proto.LIST):
        return tuple([_content(v) for v in attribute.values])
    if kind in (proto.TENSOR, proto.TENSORS):
        tensors = [Tensor(_array(t)) for t in attribute.tensors or [attribute.t]]
        return tensors[0] if len(tensors) == 1 else tuple(tensors)
    if kind == proto.STRING:
        return str((attribute.strings or [attribute.s])[0], "utf-8")
    if kind in (proto.UMONAD, proto.IOMONAD):
        return MONAD
    if kind == proto.NONE:
        return None
    if kind == proto.BOOL:
        return bool((attribute.ints or [attribute.i])[0])
    if kind == proto.FLOAT:
        return _shortest((attribute.floats or [attribute.f])[0])
    if kind == proto.DOUBLE:
        return (attribute.doubles or [attribute.d])[0]
    return (attribute.ints or [attribute.i])[0]


def _shortest(number: float) -> float:
    """The number that was meant: 1e-05, of which float32 keeps 9.99999974e-06."""
    return float(str(np.float32(number)))


__all__ = ["graph_of"]
