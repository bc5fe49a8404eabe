"""The work of convolutions and products on the cube units: padded tiles, shared among the cores."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from minispore.device.model.records import OpRecord
from minispore.device.model.roles import get_matmul_kind
from minispore.device.model.spec import DeviceSpec

Shape = tuple[int, ...]

#: A product's sum is split over cores only into parts of at least so many tiles.
SPLIT_DEPTH = 8


class CubeWork(NamedTuple):
    """The work of one op on the cube units."""

    cycles: float  # of the busiest core, at one padded tile a cycle
    flops: float  # with padding
    cores: int


def cube_work(record: OpRecord, spec: DeviceSpec) -> CubeWork:
    """Return the work of a cube op whose tiles are shared among the cores.

    The tiles of the output are the units of work; a weight gradient, whose output is small and
    whose sum is long, also splits the batch.
    """
    blocks, depth, splits = _count_tiles(record, int(spec.cube_tile))
    cores = max(1, min(int(spec.ai_cores), blocks * splits))  # an empty output is no tile
    rounds = math.ceil(blocks * splits / cores)  # output tiles of the busiest core
    macs = spec.cube_macs
    if spec.cube_macs_float32 and record.inputs[0].dtype.itemsize > 2:
        macs = spec.cube_macs_float32
    tile_macs = int(spec.cube_tile) ** 3
    cycles = rounds * depth / splits * tile_macs / macs
    return CubeWork(cycles, 2.0 * blocks * depth * tile_macs, cores)


def _count_tiles(record: OpRecord, tile: int) -> tuple[int, float, int]:
    """Count the tiles of a matrix product or convolution.

    Returns:
        The output tiles, the tiles that are summed into each, and the number of parts into
        which the
        sum may be split.
    """

    def round_to_tiles(n: float) -> int:
        return math.ceil(n / tile)

    matmul_kind = get_matmul_kind(record.name)
    if matmul_kind == "product":
        return _count_product_tiles(record, round_to_tiles)
    attrs = record.attrs
    image, weight, output = _conv_shapes(record, matmul_kind)
    group = int(attrs.get("group", 1))
    spatial = math.prod(weight[2:])
    c_in, c_out = max(1, image[1] // group), max(1, output[1] // group)
    packed = max(1, min(group, tile // max(c_in, c_out, 1)))  # small groups share a tile
    groups = math.ceil(group / packed)
    pixels = output[0] * math.prod(output[2:])
    in_tiles, out_tiles = round_to_tiles(c_in * packed), round_to_tiles(c_out * packed)
    if matmul_kind == "input gradient":
        pixels_in = image[0] * math.prod(image[2:])
        stride = max(1, round(pixels_in / max(1, pixels)))  # zeros between strides are skipped
        return groups * round_to_tiles(pixels_in) * in_tiles, spatial * out_tiles / stride, 1
    if matmul_kind == "weight gradient":
        return groups * spatial * in_tiles * out_tiles, round_to_tiles(pixels), max(1, output[0])
    return groups * round_to_tiles(pixels) * out_tiles, spatial * in_tiles, 1


def _count_product_tiles(
    record: OpRecord, round_to_tiles: Callable[[float], int]
) -> tuple[int, float, int]:
    """Count the tiles of a matrix product, as :func:`_count_tiles` does.

    Only the sum of a single matrix may be split into several parts.
    """
    a, b, out = record.inputs[0].shape, record.inputs[1].shape, record.outputs[0].shape
    is_grouped = len(out) > max(len(a), len(b))  # the matrices share the rows of both
    is_transposed = is_grouped or record.attrs.get("transpose_a", False)
    inner = (a[-2] if is_transposed and len(a) > 1 else a[-1]) / (
        max(1, out[0]) if is_grouped else 1
    )
    columns = out[-1] if len(b) > 1 and out else 1
    rows = math.prod(out) // max(1, columns)
    is_batched = is_grouped or len(b) > 2  # otherwise the rows of all matrices form one matrix
    matrices = math.prod(out[:-2]) if is_batched else 1
    tiles = matrices * round_to_tiles(rows / max(1, matrices)) * round_to_tiles(columns)
    return (
        tiles,
        round_to_tiles(inner),
        max(1, round_to_tiles(inner) // SPLIT_DEPTH) if matrices == 1 else 1,
    )


def _conv_shapes(record: OpRecord, matmul_kind: str) -> tuple[Shape, Shape, Shape]:
    """Return the shapes of input map, weight and output map of a convolution or its gradients."""
    shapes: list[Any] = [o.shape for o in record.inputs]
    out = record.outputs[0].shape
    if matmul_kind == "input gradient":  # (dout, weight) -> x
        return out, shapes[1], shapes[0]
    if matmul_kind == "weight gradient":  # (dout, x) -> weight
        return shapes[1], out, shapes[0]
    return shapes[0], shapes[1], out
