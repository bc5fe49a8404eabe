"""Protobuf, as far as the files that we read and write need it: the wire, and messages on it."""
