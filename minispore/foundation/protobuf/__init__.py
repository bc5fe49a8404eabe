"""Protobuf, as far as our file formats need it: the wire format, and messages."""
