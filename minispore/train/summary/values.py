"""Arrays as the values of a summary: scalars, images, tensors and histograms."""

from __future__ import annotations

import numpy as np

from minispore.train.summary import png
from minispore.train.summary_pb2 import Bucket, Histogram, Image, TensorProto, Value

_IMAGE_COLUMNS = 8  # number of images of a batch in one row
_MAX_BINS, _VALUES_PER_BIN = 90, 10
_DATA_TYPE_NUMBERS = {
    "bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7,
    "uint32": 8, "uint64": 9, "float16": 10, "float32": 11, "float64": 12, "bfloat16": 46,
}  # fmt: skip  # anf_ir.proto, DataType


def find_mismatch(plugin: str, array: np.ndarray) -> str:
    """Return the requirement of a plugin that an array violates, worded for an error; "" if it
    fits.
    """
    if array.dtype.name not in _DATA_TYPE_NUMBERS:
        return f"hold real numbers, not {array.dtype.name}"
    if plugin == "scalar":
        return "" if array.size == 1 else "hold one element"
    if plugin == "image":
        is_image_batch = array.ndim == 4 and array.shape[1] in (1, 3) and array.size
        return "" if is_image_batch else "have 4 axes (N, C, H, W), with 1 or 3 channels"
    return "" if array.ndim else "have at least 1 axis"


def make_value(plugin: str, tag: str, array: np.ndarray) -> Value:
    """Make the summary value of an array for a plugin: "scalar", "image" or "tensor"; a histogram
    for any other.
    """
    if plugin == "scalar":
        number = float(array.item())
        return Value(tag=tag, simple_value=number, scalar_value=number)
    if plugin == "image":
        return Value(tag=tag, image=_make_image(array))
    if plugin == "tensor":
        return Value(tag=tag, tensor=_make_tensor(array))
    return Value(tag=tag, histogram=_make_histogram(array))


def _make_tensor(array: np.ndarray) -> TensorProto:
    """Make the summary message of an array, with its elements as float32."""
    return TensorProto(
        dims=list(array.shape),
        data_type=_DATA_TYPE_NUMBERS[array.dtype.name],
        float_data=array.astype(np.float32).ravel().tolist(),
    )


def _make_image(array: np.ndarray) -> Image:
    """Make an 8-bit PNG image of a batch; values in [0, 1] are scaled to 0 to 255, others from
    their actual range.
    """
    picture = arrange_images(array)
    low, high = picture.min(), picture.max()
    if low >= 0 and high <= 1:
        picture = picture * 255
    else:
        picture = (picture - low) * (255 / (high - low + 1))
    picture = picture.astype(np.uint8)
    height, width, channels = picture.shape
    return Image(
        height=height, width=width, colorspace=channels, encoded_image=png.encode_png(picture)
    )


def arrange_images(array: np.ndarray) -> np.ndarray:
    """Arrange images (N, C, H, W) in one picture (rows * H, columns * W, 3), eight in a row."""
    count, _, height, width = array.shape
    columns = min(count, _IMAGE_COLUMNS)
    rows = -(-count // columns)
    padded = np.zeros((rows * columns, 3, height, width), np.float32)
    padded[:count] = array  # a single channel is repeated to three
    grid = padded.reshape(rows, columns, 3, height, width)
    return grid.transpose(0, 3, 1, 4, 2).reshape(rows * height, columns * width, 3)


def count_bins(count: int) -> int:
    """Return the number of histogram bins for ``count`` values.

    >>> [count_bins(n) for n in (0, 5, 10, 99, 100, 10**6)]
    [1, 2, 3, 10, 11, 90]
    """
    if not count:
        return 1
    if count <= 5:
        return 2
    if count <= 10:
        return 3
    return min(_MAX_BINS, count // _VALUES_PER_BIN + 1)


def _make_histogram(array: np.ndarray) -> Histogram:
    """Make the histogram of the finite elements, and count NaN and infinite elements."""
    histogram = Histogram(nan_count=0, pos_inf_count=0, neg_inf_count=0, count=array.size)
    if array.dtype.kind not in "iuf":  # bool, bfloat16
        array = array.astype(np.float32)
    finite = array[np.isfinite(array)]
    if finite.size < array.size:
        histogram.nan_count = int(np.isnan(array).sum())
        histogram.pos_inf_count = int((array == np.inf).sum())
        histogram.neg_inf_count = int((array == -np.inf).sum())
    if not finite.size:
        return histogram
    low, high = float(finite.min()), float(finite.max())
    histogram.min, histogram.max, histogram.sum = low, high, float(finite.sum(dtype=np.float64))
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, count_bins(finite.size) + 1, dtype=array.dtype)
    counts, edges = np.histogram(finite, bins=edges)
    histogram.buckets = [
        Bucket(left=float(left), width=float(right - left), count=int(count))
        for count, left, right in zip(counts, edges, edges[1:])
    ]
    return histogram
