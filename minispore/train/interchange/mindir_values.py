"""Values as messages of a MindIR model."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.ir.value import Spec
from minispore.train.interchange import mindir_proto as proto


class _Monad:
    """The type of the values that order effects in a MindIR file."""

    def __repr__(self) -> str:
        return "U"


MONAD = _Monad()


def make_tensor_proto(
    spec: Spec, name: str = "", data: np.ndarray | None = None
) -> proto.TensorProto:
    """Make the message of a tensor, with its content if ``data`` is given."""
    message = proto.TensorProto(
        dims=list(spec.shape), data_type=proto.TENSOR_TYPES[spec.dtype.name]
    )
    if name:
        message.name = name
    if data is not None:
        message.raw_data = np.ascontiguousarray(data).tobytes()
    return message


def make_attribute(name: str, value: Any) -> proto.AttributeProto:
    """Make the message of a Python value, an array or a Spec, as MindSpore writes it."""
    message = proto.AttributeProto(name=name) if name else proto.AttributeProto()
    match value:
        case None:
            message.type = proto.NONE
        case _Monad():
            message.type = proto.UMONAD
        case bool():
            message.type, message.i = proto.BOOL, value
        case int():
            message.type, message.i = proto.INT64, value
        case float():
            message.type, message.f = proto.FLOAT, value
        case str():
            message.type, message.s = proto.STRING, value.encode()
        case np.ndarray():
            spec = Spec(value.shape, value.dtype)
            message.type = proto.TENSORS
            message.tensors = [make_tensor_proto(spec, "value0", value)]
        case Spec():
            message.type, message.tensors = proto.TENSORS, [make_tensor_proto(value)]
        case _:
            message.type, message.values = proto.TUPLE, [_make_element(v) for v in value]
            if any(isinstance(v, Spec) for v in value):
                message.seq_info.is_dyn_len = False
    return message


def _make_element(value: Any) -> proto.AttributeProto:
    """Make the message of a tuple element, which stores numbers in repeated fields."""
    match value:
        case bool():
            return proto.AttributeProto(type=proto.BOOL, ints=[value])
        case int():
            return proto.AttributeProto(type=proto.INT64, ints=[value])
        case float():
            return proto.AttributeProto(type=proto.FLOAT, floats=[value])
        case str():
            return proto.AttributeProto(type=proto.STRING, strings=[value.encode()])
    return make_attribute("", value)


def copy_with_name(info: proto.AttributeProto, name: str) -> proto.AttributeProto:
    """Copy an attribute message under a new name; keeps only type, tuple elements and tensors."""
    return proto.AttributeProto(name=name, type=info.type, values=info.values, tensors=info.tensors)


__all__ = ["MONAD", "copy_with_name", "make_attribute", "make_tensor_proto"]
