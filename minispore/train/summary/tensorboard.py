"""Summaries as messages that TensorBoard reads, for a file beside MindSpore's.

The field numbers are those of TensorFlow's ``event.proto``, ``summary.proto``,
``tensor.proto`` and ``graph.proto``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.foundation.protobuf.message import Message
from minispore.train.summary import values

VERSION = "brain.Event:2"
_DT_STRING = 7
_PRODUCER = 27  # the version of graphs from TensorFlow 1.15 on


class Dim(Message):
    schema = "1 size int"


class Shape(Message):
    schema = "2 dim Dim*"


class Tensor(Message):
    schema = "1 dtype int; 2 tensor_shape Shape; 8 string_val bytes*"


class PluginData(Message):
    schema = "1 plugin_name str; 2 content bytes"


class Metadata(Message):
    schema = "1 plugin_data PluginData"


class Image(Message):
    schema = "1 height int; 2 width int; 3 colorspace int; 4 encoded_image_string bytes"


class Histogram(Message):
    schema = """1 min double; 2 max double; 3 num double; 4 sum double; 5 sum_squares double;
        6 bucket_limit double*; 7 bucket double*"""


class Value(Message):
    schema = """1 tag str; 2 simple_value float; 4 image Image; 5 histo Histogram; 8 tensor Tensor;
        9 metadata Metadata"""


class Summary(Message):
    schema = "1 value Value*"


class Event(Message):
    schema = """1 wall_time double; 2 step int; 3 file_version str; 4 graph_def bytes;
        5 summary Summary"""


class Node(Message):
    schema = "1 name str; 2 op str; 3 input str*; 4 device str"


class Versions(Message):
    schema = "1 producer int"


class GraphDef(Message):
    schema = "1 node Node*; 4 versions Versions"


class Operand(Message):
    """An input of a node in MindSpore's ``anf_ir.proto``, as Operation and Graph below."""

    schema = "1 name str"


class Operation(Message):
    schema = "1 input Operand*; 2 name str; 3 op_type str; 4 scope str"


class Graph(Message):
    schema = "1 node Operation*; 3 parameters Operand*"


def make_value(plugin: str, tag: str, content: Any) -> Value:
    """Make TensorBoard's value for an array or text; a tensor becomes a histogram."""
    if plugin == "text":
        shape = Shape(dim=[Dim(size=1)])
        text = Tensor(dtype=_DT_STRING, tensor_shape=shape, string_val=[content.encode()])
        return Value(tag=tag, tensor=text, metadata=_make_metadata("text"))
    if plugin == "scalar":
        return Value(
            tag=tag, simple_value=float(content.item()), metadata=_make_metadata("scalars")
        )
    if plugin == "image":
        source = values.make_value(plugin, tag, content).image
        picture = Image(
            height=source.height,
            width=source.width,
            colorspace=source.colorspace,
            encoded_image_string=source.encoded_image,
        )
        return Value(tag=tag, image=picture, metadata=_make_metadata("images"))
    return Value(tag=tag, histo=_make_histogram(content), metadata=_make_metadata("histograms"))


def _make_metadata(plugin: str) -> Metadata:
    """Make the metadata that selects the TensorBoard plugin ``plugin``."""
    return Metadata(plugin_data=PluginData(plugin_name=plugin))


def _make_histogram(array: np.ndarray) -> Histogram:
    """Make the histogram of the finite elements of an array."""
    finite = array.astype(np.float64).ravel()
    finite = finite[np.isfinite(finite)]
    if not finite.size:
        return Histogram(num=0.0, bucket_limit=[0.0], bucket=[0.0])
    counts, edges = np.histogram(finite, bins=values.count_bins(finite.size))
    return Histogram(
        min=float(finite.min()),
        max=float(finite.max()),
        num=float(finite.size),
        sum=float(finite.sum()),
        sum_squares=float(np.square(finite).sum()),
        bucket_limit=edges[1:].tolist(),
        bucket=counts.astype(np.float64).tolist(),
    )


def convert_graph(graph: bytes) -> bytes:
    """Convert the bytes of a MindSpore graph to those of TensorBoard's GraphDef, with nodes under
    their scopes.
    """
    source = Graph.FromString(graph)
    scoped_names = {node.name: f"{node.scope}/{node.name}".strip("/") for node in source.node}
    scoped_names |= {parameter.name: parameter.name for parameter in source.parameters}
    nodes = [Node(name=name, op="Parameter") for name in {p.name: None for p in source.parameters}]
    for node in source.node:
        inputs = [
            scoped_names[operand.name] for operand in node.input if operand.name in scoped_names
        ]
        nodes.append(Node(name=scoped_names[node.name], op=node.op_type, input=inputs))
    return GraphDef(node=nodes, versions=Versions(producer=_PRODUCER)).SerializeToString()


__all__ = ["VERSION", "Event", "Summary", "Value", "convert_graph", "make_value"]
