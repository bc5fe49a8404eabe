"""Protobuf messages from a table of fields: attributes to bytes and back.

A subclass is a plain record that lists its fields like a ``.proto`` file::

    class Pair(Message):
        schema = "1 name str; 2 dims int*; 3 child Pair"

``*`` after the kind means repeated; ``map`` is a dict with str values, ``map:int`` one with int
values. A field that was never set is not written; reading it gives an empty list, an empty
message, or the zero of its kind.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from minispore.foundation.protobuf import wire

_message_types: dict[str, type[Message]] = {}
_ZERO_VALUES: dict[str, Any] = {"int": 0, "float": 0.0, "double": 0.0, "str": "", "bytes": b""}
_FIXED_WIDTH = {"float": (wire.FIXED32, "<f"), "double": (wire.FIXED64, "<d")}


class Field(NamedTuple):
    """One line of a schema."""

    number: int
    name: str
    kind: str
    repeated: bool


class Repeated(list[Any]):
    """The messages of a repeated field."""

    def __init__(self, message_type: type[Message]) -> None:
        super().__init__()
        self._message_type = message_type

    def add(self, **content: Any) -> Any:
        """Append a new message with these fields, and return it."""
        self.append(self._message_type(**content))
        return self[-1]


class Message:
    """Base class of messages: records that can be written and read. See the module's docstring.

    >>> class Pair(Message):
    ...     schema = "1 key str; 2 values int*"
    >>> data = Pair(key="a", values=[1, -1]).SerializeToString()
    >>> Pair.FromString(data)
    Pair(key='a', values=[1, -1])
    """

    schema: ClassVar[str]
    by_name: ClassVar[dict[str, Field]]
    by_number: ClassVar[dict[int, Field]]
    _auto_created: set[str]

    def __init_subclass__(cls) -> None:
        """Parse the schema into tables of fields, and register the class for the schemas of its
        module.
        """
        fields = []
        for line in cls.schema.split(";"):
            number, name, kind = line.split()
            fields.append(Field(int(number), name, kind.rstrip("*"), kind.endswith("*")))
        cls.by_name = {f.name: f for f in fields}
        cls.by_number = {f.number: f for f in fields}
        # Two formats may have messages of the same name, so each uses only those of its own module.
        _message_types[f"{cls.__module__}.{cls.__name__}"] = cls

    def __init__(self, **content: Any) -> None:
        """Set the given fields; AttributeError for one that the schema lacks."""
        self.__dict__["_auto_created"] = set()  # values created on reading, written only if filled
        for name, value in content.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field; AttributeError if the schema lacks it."""
        if name not in self.by_name:
            raise AttributeError(f"{type(self).__name__}: has no field {name!r}.")
        self.__dict__[name] = value
        self._auto_created.discard(name)

    def __getattr__(self, name: str) -> Any:
        """Return the value of an unset field: zero, or a new empty list, dict or message, which is
        then stored in the field.

        Raises:
            AttributeError: the message has no such field.
        """
        field = type(self).by_name.get(name)
        if field is None:
            raise AttributeError(f"{type(self).__name__}: has no field {name!r}.")
        if field.kind in _ZERO_VALUES and not field.repeated:
            return _ZERO_VALUES[field.kind]
        default: Any
        if field.kind in _ZERO_VALUES:
            default = []
        elif _is_map(field):
            default = {}
        else:
            message_type = self._get_message_type(field)
            default = Repeated(message_type) if field.repeated else message_type()
            self._auto_created.add(name)
        self.__dict__[name] = default
        return default

    def __repr__(self) -> str:
        """Return the fields that are set, as arguments of the class."""
        fields = ", ".join(f"{k}={v!r}" for k, v in self._iterate_set_fields())
        return f"{type(self).__name__}({fields})"

    def __eq__(self, other: object) -> bool:
        """Whether both have the same type and the same fields set to equal values."""
        return type(self) is type(other) and list(self._iterate_set_fields()) == list(
            other._iterate_set_fields()
        )

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def _make_zero(cls, field: Field) -> Any:
        """Return the default of one item of a field."""
        return (
            _ZERO_VALUES[field.kind]
            if field.kind in _ZERO_VALUES
            else cls._get_message_type(field)()
        )

    @classmethod
    def _get_message_type(cls, field: Field) -> type[Message]:
        """Return the message class that a field's kind names, from the same module."""
        return _message_types[f"{cls.__module__}.{field.kind}"]

    def _iterate_set_fields(self) -> Iterator[tuple[str, Any]]:
        """Yield (name, value) of the fields with a value, in the order of the schema.

        Empty lists and dicts, and empty messages that were only read, do not count.
        """
        for name in self.by_name:
            value = self.__dict__.get(name)
            if value is None or (isinstance(value, list | dict) and not value):
                continue
            if (
                name in self._auto_created
                and isinstance(value, Message)
                and not any(value._iterate_set_fields())
            ):
                continue
            yield name, value

    # The names of protobuf's own classes, which scripts use.

    def SerializeToString(self) -> bytes:
        """Return the message as bytes, its fields in the order of the schema."""
        out = []
        for name, value in self._iterate_set_fields():
            field = self.by_name[name]
            if _is_map(field):
                value = [_write_map_entry(field, k, v) for k, v in value.items()]
            for item in value if isinstance(value, list) else [value]:
                out.append(_write_field(field, item))
        return b"".join(out)

    @classmethod
    def FromString(cls, data: bytes | memoryview) -> Any:
        """Return the message that ``data`` encodes; fields that the schema lacks are skipped.

        Raises:
            ValueError: the bytes are not a message of this type.
        """
        message = cls()
        for number, value in wire.iterate_fields(data):
            field = cls.by_number.get(number)
            if field is None:
                continue  # a newer writer may know more fields
            items = list(cls._parse_field(field, value))
            if field.repeated:
                getattr(message, field.name).extend(items)
            elif _is_map(field):
                getattr(message, field.name).update(items)
            elif items:
                message.__dict__[field.name] = items[-1]
        return message

    @classmethod
    def _parse_field(cls, field: Field, value: wire.FieldValue) -> Iterator[Any]:
        """Yield the values of a field from its content on the wire; several if it is packed.

        Raises:
            WireError: the content has a different kind.
        """
        if field.kind == "int":
            yield from wire.decode_integers(value).tolist()
        elif field.kind in _FIXED_WIDTH and not isinstance(value, int):
            yield from np.frombuffer(value, _FIXED_WIDTH[field.kind][1]).tolist()
        elif not isinstance(value, memoryview):
            raise wire.WireError(f"{cls.__name__}.{field.name} is no {field.kind}")
        elif field.kind == "str":
            yield str(value, "utf-8")
        elif field.kind == "bytes":
            yield bytes(value)
        elif _is_map(field):
            value_field, entry = _get_value_field(field), dict(wire.iterate_fields(value))
            key = str(entry.get(1, b""), "utf-8")  # type: ignore[arg-type]
            yield (
                key,
                list(cls._parse_field(value_field, entry[2]))[-1]
                if 2 in entry
                else cls._make_zero(value_field),
            )
        else:
            yield cls._get_message_type(field).FromString(value)


def _write_field(field: Field, value: Any) -> bytes:
    """Return the bytes of a field with its key."""
    if field.kind == "int":
        return wire.encode_integer(field.number, int(value))
    if field.kind in _FIXED_WIDTH:
        kind, code = _FIXED_WIDTH[field.kind]
        return wire.encode_varint(field.number << 3 | kind) + struct.pack(code, value)
    if field.kind == "str":
        value = value.encode()
    elif isinstance(value, Message):
        value = value.SerializeToString()
    return wire.encode_block(field.number, value)


def _is_map(field: Field) -> bool:
    """Whether a field is a dict: its kind is ``map`` or ``map:int``."""
    return field.kind.partition(":")[0] == "map"


def _get_value_field(field: Field) -> Field:
    """Return the field of a map entry that holds the value."""
    return Field(2, "value", field.kind.partition(":")[2] or "str", False)


def _write_map_entry(field: Field, key: str, value: Any) -> bytes:
    """Return the bytes of a map's entry, a message of key (1) and value (2)."""
    return wire.encode_block(1, key.encode()) + _write_field(_get_value_field(field), value)


__all__ = ["Field", "Message", "Repeated"]
