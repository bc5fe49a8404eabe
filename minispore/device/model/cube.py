"""The work of convolutions and products on the cube units: padded tiles, divided among cores."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

from minispore.device.model.records import OpRecord
from minispore.device.model.roles import get_matmul_kind, has_role
from minispore.device.model.spec import DeviceSpec

Shape = tuple[int, ...]

#: The minimum number of tiles of a part if the sum of a product is split over cores.
SPLIT_DEPTH = 8


class CubeWork(NamedTuple):
    """The work of one op on the cube units."""

    cycles: float  # of the busiest core
    flops: float  # with padding
    cores: int


def cube_work(record: OpRecord, spec: DeviceSpec) -> CubeWork:
    """Return the cycles, operations and cores of a product or convolution on the cube units."""
    if get_matmul_kind(record.name) == "product":
        return _compute_product_work(record, spec)
    return _compute_conv_work(record, spec)


def _compute_conv_work(record: OpRecord, spec: DeviceSpec) -> CubeWork:
    """Return the work of a convolution, whose output tiles are distributed over the cores.

    A weight gradient has a small output and a long sum, so it also splits the batch.
    """
    tile = int(spec.cube_tile)
    blocks, depth, splits = _count_conv_tiles(record, tile)
    cores = max(1, min(int(spec.ai_cores), blocks * splits))  # an empty output has no tile
    rounds = math.ceil(blocks * splits / cores)  # output tiles of the busiest core
    cycles = rounds * depth / splits * tile**3 / _get_macs(record, spec)
    is_grouped = int(record.attrs.get("group", 1)) > 1
    efficiency = spec.group_efficiency if is_grouped else spec.cube_efficiency
    return CubeWork(cycles / efficiency, 2.0 * blocks * depth * tile**3, cores)


def _compute_product_work(record: OpRecord, spec: DeviceSpec) -> CubeWork:
    """Return the work of a matrix product, whose output is cut into blocks for the cores.

    A block is summed in a core's accumulators. In each step of the sum, its rows and columns are
    loaded from the L2 cache while the cube computes: the longer of the two counts.
    """
    tile, cores = int(spec.cube_tile), int(spec.ai_cores)
    matrices, *lengths = _get_product_sizes(record)
    m, k, n = (math.ceil(length / tile) for length in lengths)
    l2_bytes_per_cycle = spec.l2_gbs * 1e3 / spec.clock_mhz / cores
    cycles, used_cores = _choose_block(
        (matrices, m, k, n),
        cores,
        max(1, int(spec.l0c_bytes) // (4 * tile**2)),  # sums are float32
        tile**3 / _get_macs(record, spec) / spec.product_efficiency,
        tile**2 * record.inputs[0].dtype.itemsize / l2_bytes_per_cycle,
    )
    return CubeWork(cycles, 2.0 * matrices * m * k * n * tile**3, used_cores)


@lru_cache(maxsize=4096)
def _choose_block(
    sizes: tuple[int, int, int, int],
    cores: int,
    most_tiles: int,
    compute_cycles: float,
    load_cycles: float,
) -> tuple[float, int]:
    """Return the cycles and cores of a product with the best block, as chosen by the chip's
    compilers.

    Args:
        sizes: the number of matrices, and the tiles of the rows, sums and columns of each.
        cores: the number of cores that share the blocks.
        most_tiles: the largest number of tiles in a block.
        compute_cycles: the cycles to compute one tile in one step of the sum.
        load_cycles: the cycles to load one tile of rows or columns.
    """
    matrices, m, k, n = sizes
    most_splits = max(1, k // SPLIT_DEPTH) if matrices == 1 else 1
    best = (math.inf, 1)
    for height in _list_block_lengths(m, most_tiles):
        for width in _list_block_lengths(n, most_tiles // height):
            blocks = matrices * math.ceil(m / height) * math.ceil(n / width)
            # A block whose sum is split over cores consists of several tasks.
            tasks = blocks * min(most_splits, math.ceil(cores / max(1, blocks)))
            step_cycles = max(height * width * compute_cycles, (height + width) * load_cycles)
            cycles = math.ceil(tasks / cores) * k * step_cycles * blocks / max(1, tasks)
            best = min(best, (cycles, max(1, min(cores, tasks))))
    return best


def _list_block_lengths(length: int, most: int) -> list[int]:
    """Return the powers of two up to ``most`` tiles, and the length of the axis if it is shorter.

    >>> _list_block_lengths(6, 16), _list_block_lengths(0, 16)
    ([1, 2, 4, 6], [1])
    """
    lengths = [1 << i for i in range(most.bit_length()) if 1 << i < length]
    if 0 < length <= most:
        lengths.append(length)
    return lengths or [1]


def _get_macs(record: OpRecord, spec: DeviceSpec) -> float:
    """Return the multiply-adds per cycle of a core, for the dtype of the op's first input."""
    is_float32 = spec.cube_macs_float32 and record.inputs[0].dtype.itemsize > 2
    return spec.cube_macs_float32 if is_float32 else spec.cube_macs


def _count_conv_tiles(record: OpRecord, tile: int) -> tuple[int, float, int]:
    """Count the tiles of a convolution or its gradients.

    Returns:
        The number of output tiles, the number of tiles summed into each, and the number of parts
        into which the sum may be split.
    """

    def round_to_tiles(n: float) -> int:
        """Return the number of tiles that cover a length of ``n``."""
        return math.ceil(n / tile)

    matmul_kind = get_matmul_kind(record.name)
    attrs = record.attrs
    image, weight, output = _get_conv_shapes(record, matmul_kind)
    group = int(attrs.get("group", 1))
    spatial = math.prod(weight[2:])
    c_in, c_out = max(1, image[1] // group), max(1, output[1] // group)
    groups_per_tile = max(1, min(group, tile // max(c_in, c_out, 1)))  # if groups are small
    groups = math.ceil(group / groups_per_tile)
    pixels = output[0] * math.prod(output[2:])
    in_tiles = round_to_tiles(c_in * groups_per_tile)
    out_tiles = round_to_tiles(c_out * groups_per_tile)
    if matmul_kind == "input gradient":
        pixels_in = image[0] * math.prod(image[2:])
        stride = max(1, round(pixels_in / max(1, pixels)))  # zeros between strides are skipped
        return groups * round_to_tiles(pixels_in) * in_tiles, spatial * out_tiles / stride, 1
    if matmul_kind == "weight gradient":
        return groups * spatial * in_tiles * out_tiles, round_to_tiles(pixels), max(1, output[0])
    return groups * round_to_tiles(pixels) * out_tiles, spatial * in_tiles, 1


def _get_product_sizes(record: OpRecord) -> tuple[int, float, float, int]:
    """Return the number of matrices in a product, and the rows, sum length and columns of each."""
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
    if has_role(record.name, "groups of rows"):  # no tile has rows of two groups
        matrices = max(1, min(b[0], rows))
    return matrices, rows / max(1, matrices), inner, columns


def _get_conv_shapes(record: OpRecord, matmul_kind: str) -> tuple[Shape, Shape, Shape]:
    """Return the shapes of input map, weight and output map of a convolution or its gradients."""
    shapes: list[Any] = [o.shape for o in record.inputs]
    out = record.outputs[0].shape
    if matmul_kind == "input gradient":  # (dout, weight) -> x
        return out, shapes[1], shapes[0]
    if matmul_kind == "weight gradient":  # (dout, x) -> weight
        return shapes[1], out, shapes[0]
    return shapes[0], shapes[1], out
