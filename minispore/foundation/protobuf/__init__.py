"""Protobuf, as far as minispore's file formats need it: the wire format, and messages."""
