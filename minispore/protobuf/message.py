"""Protobuf messages from a table of fields: attributes to bytes and back.

A subclass lists its fields as a ``.proto`` file does, and is then a plain record::

    class Pair(Message):
        schema = "1 name str; 2 dims int*; 3 child Pair"

``*`` after the kind says repeated; ``map`` is a dict of texts, ``map:int`` one of integers. A field
that was never set takes no bytes; to ask for it gives an empty list, an empty message, or the zero
of its kind.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from minispore.protobuf import wire

_messages: dict[str, type[Message]] = {}
_ZERO: dict[str, Any] = {"int": 0, "float": 0.0, "double": 0.0, "str": "", "bytes": b""}
_FIXED = {"float": (wire.FIXED32, "<f"), "double": (wire.FIXED64, "<d")}


class Field(NamedTuple):
    """One line of a schema."""

    number: int
    name: str
    kind: str
    repeated: bool


class Repeated(list[Any]):
    """The messages of a repeated field."""

    def __init__(self, kind: type[Message]) -> None:
        super().__init__()
        self._kind = kind

    def add(self, **content: Any) -> Any:
        """A new message at the end of the list."""
        self.append(self._kind(**content))
        return self[-1]


class Message:
    """A record that can be written and read. See the module's text.

    >>> class Pair(Message):
    ...     schema = "1 key str; 2 values int*"
    >>> data = Pair(key="a", values=[1, -1]).SerializeToString()
    >>> Pair.FromString(data)
    Pair(key='a', values=[1, -1])
    """

    schema: ClassVar[str]
    by_name: ClassVar[dict[str, Field]]
    by_number: ClassVar[dict[int, Field]]
    _asked: set[str]

    def __init_subclass__(cls) -> None:
        fields = []
        for line in cls.schema.split(";"):
            number, name, kind = line.split()
            fields.append(Field(int(number), name, kind.rstrip("*"), kind.endswith("*")))
        cls.by_name = {f.name: f for f in fields}
        cls.by_number = {f.number: f for f in fields}
        # Two formats may have messages of one name; each looks in its own module.
        _messages[f"{cls.__module__}.{cls.__name__}"] = cls

    def __init__(self, **content: Any) -> None:
        self.__dict__["_asked"] = set()  # what was made by asking: written only if filled
        for name, value in content.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.by_name:
            raise AttributeError(f"{type(self).__name__}: has no field {name!r}.")
        self.__dict__[name] = value
        self._asked.discard(name)

    def __getattr__(self, name: str) -> Any:
        field = type(self).by_name.get(name)
        if field is None:
            raise AttributeError(f"{type(self).__name__}: has no field {name!r}.")
        if field.kind in _ZERO and not field.repeated:
            return _ZERO[field.kind]
        made: Any
        if field.kind in _ZERO:
            made = []
        elif _is_map(field):
            made = {}
        else:
            kind = self._message(field)
            made = Repeated(kind) if field.repeated else kind()
            self._asked.add(name)
        self.__dict__[name] = made
        return made

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._set())})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and list(self._set()) == list(other._set())

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def _zero(cls, field: Field) -> Any:
        return _ZERO[field.kind] if field.kind in _ZERO else cls._message(field)()

    @classmethod
    def _message(cls, field: Field) -> type[Message]:
        return _messages[f"{cls.__module__}.{field.kind}"]

    def _set(self) -> Iterator[tuple[str, Any]]:
        """The fields that hold something, in the order of their numbers."""
        for name in self.by_name:
            value = self.__dict__.get(name)
            if value is None or (isinstance(value, list | dict) and not value):
                continue
            if name in self._asked and isinstance(value, Message) and not any(value._set()):
                continue
            yield name, value

    # The spelling of protobuf's own classes, which scripts know.

    def SerializeToString(self) -> bytes:
        """The message as bytes."""
        out = []
        for name, value in self._set():
            field = self.by_name[name]
            if _is_map(field):
                value = [_entry(field, k, v) for k, v in value.items()]
            for item in value if isinstance(value, list) else [value]:
                out.append(_written(field, item))
        return b"".join(out)

    @classmethod
    def FromString(cls, data: bytes | memoryview) -> Any:
        """The message that ``data`` holds.

        Raises:
            ValueError: the bytes are no such message.
        """
        made = cls()
        for number, value in wire.fields(data):
            field = cls.by_number.get(number)
            if field is None:
                continue  # a newer writer may know more fields
            items = list(cls._read(field, value))
            if field.repeated:
                getattr(made, field.name).extend(items)
            elif _is_map(field):
                getattr(made, field.name).update(items)
            elif items:
                made.__dict__[field.name] = items[-1]
        return made

    @classmethod
    def _read(cls, field: Field, value: wire.Held) -> Iterator[Any]:
        if field.kind == "int":
            yield from wire.integers(value).tolist()
        elif field.kind in _FIXED and not isinstance(value, int):
            yield from np.frombuffer(value, _FIXED[field.kind][1]).tolist()
        elif not isinstance(value, memoryview):
            raise wire.WireError(f"{cls.__name__}.{field.name} is no {field.kind}")
        elif field.kind == "str":
            yield str(value, "utf-8")
        elif field.kind == "bytes":
            yield bytes(value)
        elif _is_map(field):
            content, pair = _content(field), dict(wire.fields(value))
            key = str(pair.get(1, b""), "utf-8")  # type: ignore[arg-type]
            yield key, list(cls._read(content, pair[2]))[-1] if 2 in pair else cls._zero(content)
        else:
            yield cls._message(field).FromString(value)


def _written(field: Field, value: Any) -> bytes:
    if field.kind == "int":
        return wire.integer(field.number, int(value))
    if field.kind in _FIXED:
        kind, code = _FIXED[field.kind]
        return wire.varint(field.number << 3 | kind) + struct.pack(code, value)
    if field.kind == "str":
        value = value.encode()
    elif isinstance(value, Message):
        value = value.SerializeToString()
    return wire.block(field.number, value)


def _is_map(field: Field) -> bool:
    return field.kind.partition(":")[0] == "map"


def _content(field: Field) -> Field:
    """The field of an entry that holds what the key stands for."""
    return Field(2, "value", field.kind.partition(":")[2] or "str", False)


def _entry(field: Field, key: str, value: Any) -> bytes:
    return wire.block(1, key.encode()) + _written(_content(field), value)


__all__ = ["Field", "Message", "Repeated"]
