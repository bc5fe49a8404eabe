"""Values as messages of a MindIR model."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.value import Spec
from minispore.train.interchange import mindir_proto as proto


class _Monad:
    """The type of what orders effects."""

    def __repr__(self) -> str:
        return "U"


MONAD = _Monad()


def tensor_proto(spec: Spec, name: str = "", data: np.ndarray | None = None) -> proto.TensorProto:
    made = proto.TensorProto(dims=list(spec.shape), data_type=proto.TENSOR_TYPES[spec.dtype.name])
    if name:
        made.name = name
    if data is not None:
        made.raw_data = np.ascontiguousarray(data).tobytes()
    return made


def attribute(name: str, value: Any) -> proto.AttributeProto:
    """A Python value, an array or a Spec as MindSpore writes it."""
    made = proto.AttributeProto(name=name) if name else proto.AttributeProto()
    match value:
        case None:
            made.type = proto.NONE
        case _Monad():
            made.type = proto.UMONAD
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
            made.type, made.tensors = proto.TENSORS, [tensor_proto(spec, "value0", value)]
        case Spec():
            made.type, made.tensors = proto.TENSORS, [tensor_proto(value)]
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
    return attribute("", value)


def named(info: proto.AttributeProto, name: str) -> proto.AttributeProto:
    """The same attribute with a name."""
    return proto.AttributeProto(name=name, type=info.type, values=info.values, tensors=info.tensors)


__all__ = ["MONAD", "attribute", "named", "tensor_proto"]
