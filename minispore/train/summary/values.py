"""Arrays as what a summary holds: a number, a picture, a tensor, a distribution."""

from __future__ import annotations

import numpy as np

from minispore.train.summary import png
from minispore.train.summary_pb2 import Bucket, Histogram, Image, TensorProto, Value

_COLUMNS = 8  # pictures of a batch that stand side by side
_MAX_BINS, _PER_BIN = 90, 10
_TYPES = {
    "bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7,
    "uint32": 8, "uint64": 9, "float16": 10, "float32": 11, "float64": 12, "bfloat16": 46,
}  # fmt: skip  # anf_ir.proto, DataType


def fits(plugin: str, array: np.ndarray) -> str:
    """What is wrong with an array for a plugin, or nothing."""
    if array.dtype.name not in _TYPES:
        return f"hold real numbers, not {array.dtype.name}"
    if plugin == "scalar":
        return "" if array.size == 1 else "hold one element"
    if plugin == "image":
        good = array.ndim == 4 and array.shape[1] in (1, 3) and array.size
        return "" if good else "have 4 axes (N, C, H, W), with 1 or 3 channels"
    return "" if array.ndim else "have at least 1 axis"


def value_of(plugin: str, tag: str, array: np.ndarray) -> Value:
    """The summary of an array under a name."""
    if plugin == "scalar":
        number = float(array.item())
        return Value(tag=tag, simple_value=number, scalar_value=number)
    if plugin == "image":
        return Value(tag=tag, image=_image(array))
    if plugin == "tensor":
        return Value(tag=tag, tensor=_tensor(array))
    return Value(tag=tag, histogram=_histogram(array))


def _tensor(array: np.ndarray) -> TensorProto:
    return TensorProto(
        dims=list(array.shape),
        data_type=_TYPES[array.dtype.name],
        float_data=array.astype(np.float32).ravel().tolist(),
    )


def _image(array: np.ndarray) -> Image:
    picture = canvas(array)
    low, high = picture.min(), picture.max()
    if low >= 0 and high <= 1:
        picture = picture * 255
    else:
        picture = (picture - low) * (255 / (high - low + 1))
    picture = picture.astype(np.uint8)
    height, width, channels = picture.shape
    return Image(
        height=height, width=width, colorspace=channels, encoded_image=png.encoded(picture)
    )


def canvas(array: np.ndarray) -> np.ndarray:
    """(N, C, H, W) as one picture (rows * H, columns * W, 3), eight in a row."""
    count, _, height, width = array.shape
    columns = min(count, _COLUMNS)
    rows = -(-count // columns)
    full = np.zeros((rows * columns, 3, height, width), np.float32)
    full[:count] = array  # a single channel becomes all three
    grid = full.reshape(rows, columns, 3, height, width)
    return grid.transpose(0, 3, 1, 4, 2).reshape(rows * height, columns * width, 3)


def bins(count: int) -> int:
    """In how many buckets so many values go.

    >>> [bins(n) for n in (0, 5, 10, 99, 100, 10**6)]
    [1, 2, 3, 10, 11, 90]
    """
    if not count:
        return 1
    if count <= 5:
        return 2
    if count <= 10:
        return 3
    return min(_MAX_BINS, count // _PER_BIN + 1)


def _histogram(array: np.ndarray) -> Histogram:
    made = Histogram(nan_count=0, pos_inf_count=0, neg_inf_count=0, count=array.size)
    if array.dtype.kind not in "iuf":  # bool, bfloat16
        array = array.astype(np.float32)
    finite = array[np.isfinite(array)]
    if finite.size < array.size:
        made.nan_count = int(np.isnan(array).sum())
        made.pos_inf_count = int((array == np.inf).sum())
        made.neg_inf_count = int((array == -np.inf).sum())
    if not finite.size:
        return made
    low, high = float(finite.min()), float(finite.max())
    made.min, made.max, made.sum = low, high, float(finite.sum(dtype=np.float64))
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, bins(finite.size) + 1, dtype=array.dtype)
    counts, edges = np.histogram(finite, bins=edges)
    made.buckets = [
        Bucket(left=float(left), width=float(right - left), count=int(count))
        for count, left, right in zip(counts, edges, edges[1:])
    ]
    return made
