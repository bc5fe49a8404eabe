"""Messages of an event file, with the field numbers of MindSpore's ``summary.proto``.

A graph and a loss landscape are the bytes of their messages. TensorBoard reads ``simple_value``,
MindSpore's tools read ``scalar_value``; each ignores the other.
"""

from __future__ import annotations

from minispore.foundation.protobuf.message import Message


class TensorProto(Message):
    schema = "1 dims int*; 2 data_type int; 3 float_data float*"


class Image(Message):
    schema = "1 height int; 2 width int; 3 colorspace int; 4 encoded_image bytes"


class Bucket(Message):
    schema = "1 left double; 2 width double; 3 count int"


class Histogram(Message):
    schema = """1 buckets Bucket*; 2 nan_count int; 3 pos_inf_count int; 4 neg_inf_count int;
        5 max double; 6 min double; 7 sum double; 8 count int"""


class Value(Message):
    schema = """1 tag str; 2 simple_value float; 3 scalar_value float; 4 image Image;
        8 tensor TensorProto; 9 histogram Histogram; 10 loss_landscape bytes"""


class Summary(Message):
    schema = "1 value Value*"


class Event(Message):
    schema = """1 wall_time double; 2 step int; 3 version str; 4 graph_def bytes;
        5 summary Summary"""


__all__ = ["Event", "Summary"]
