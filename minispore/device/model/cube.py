"""What convolutions and products ask of the cube units: padded tiles, dealt to the cores."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from minispore.core.registry import registry
from minispore.device.model.records import OpRecord
from minispore.device.model.spec import DeviceSpec

Shape = tuple[int, ...]

#: A product's sum is split over cores only into parts of at least so many tiles.
SPLIT_DEPTH = 8


class CubeWork(NamedTuple):
    """What a cube op asks of the cube units."""

    cycles: float  # of the busiest core, at one padded tile a cycle
    flops: float  # with padding
    cores: int


def cube_work(record: OpRecord, spec: DeviceSpec) -> CubeWork:
    """Tiles of a cube op and how they are dealt to the cores.

    The tiles of the output are the units of work; a weight gradient, whose output is small and
    whose sum is long, also splits the batch.
    """
    blocks, depth, splits = _tiles(record, int(spec.cube_tile))
    cores = max(1, min(int(spec.ai_cores), blocks * splits))  # an empty output is no tile
    rounds = math.ceil(blocks * splits / cores)  # output tiles that the busiest core makes
    macs = spec.cube_macs
    if spec.cube_macs_float32 and record.inputs[0].dtype.itemsize > 2:
        macs = spec.cube_macs_float32
    tile_macs = int(spec.cube_tile) ** 3
    cycles = rounds * depth / splits * tile_macs / macs
    return CubeWork(cycles, 2.0 * blocks * depth * tile_macs, cores)


def _tiles(record: OpRecord, tile: int) -> tuple[int, float, int]:
    """(output tiles, tiles summed into each, parts that the sum may be split into)."""

    def up(n: float) -> int:
        return math.ceil(n / tile)

    role = registry[record.name].multiplies
    if role == "product":
        return _product_tiles(record, up)
    attrs = record.attrs
    image, weight, output = _conv_shapes(record, role)
    group = int(attrs.get("group", 1))
    spatial = math.prod(weight[2:])
    c_in, c_out = max(1, image[1] // group), max(1, output[1] // group)
    packed = max(1, min(group, tile // max(c_in, c_out, 1)))  # small groups share a tile
    groups = math.ceil(group / packed)
    pixels = output[0] * math.prod(output[2:])
    in_tiles, out_tiles = up(c_in * packed), up(c_out * packed)
    if role == "input gradient":
        pixels_in = image[0] * math.prod(image[2:])
        stride = max(1, round(pixels_in / max(1, pixels)))  # zeros between strides are skipped
        return groups * up(pixels_in) * in_tiles, spatial * out_tiles / stride, 1
    if role == "weight gradient":
        return groups * spatial * in_tiles * out_tiles, up(pixels), max(1, output[0])
    return groups * up(pixels) * out_tiles, spatial * in_tiles, 1


def _product_tiles(record: OpRecord, up: Callable[[float], int]) -> tuple[int, float, int]:
    a, b, out = record.inputs[0].shape, record.inputs[1].shape, record.outputs[0].shape
    grouped = len(out) > max(len(a), len(b))  # the rows of both are shared out among the matrices
    turned = grouped or record.attrs.get("transpose_a", False)
    inner = (a[-2] if turned and len(a) > 1 else a[-1]) / (max(1, out[0]) if grouped else 1)
    columns = out[-1] if len(b) > 1 and out else 1
    rows = math.prod(out) // max(1, columns)
    several = grouped or len(b) > 2  # else the rows of all are one matrix
    matrices = math.prod(out[:-2]) if several else 1
    tiles = matrices * up(rows / max(1, matrices)) * up(columns)
    return tiles, up(inner), max(1, up(inner) // SPLIT_DEPTH) if matrices == 1 else 1


def _conv_shapes(record: OpRecord, role: str) -> tuple[Shape, Shape, Shape]:
    """Shapes of the feature map read, the weight and the feature map made, of any of the triad."""
    shapes: list[Any] = [o.shape for o in record.inputs]
    out = record.outputs[0].shape
    if role == "input gradient":  # (dout, weight) -> x
        return out, shapes[1], shapes[0]
    if role == "weight gradient":  # (dout, x) -> weight
        return shapes[1], out, shapes[0]
    return shapes[0], shapes[1], out
