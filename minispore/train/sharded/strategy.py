"""MindSpore's strategy files: they describe how the parameters of a training are split over its
devices.

In a file of several pipeline stages, the stage precedes each name: ``1-dense.weight``.
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from minispore.train.node_strategy_pb2 import ParallelLayouts, ParallelStrategyMap

Piece = tuple[tuple[int, int], ...]  # for each axis: the index of the part, and the number of parts


def pieces_overlap(a: Piece, b: Piece) -> bool:
    """Whether two pieces of an array share elements, that is, whether they overlap on each axis."""
    # Part i of n covers [i / n, (i + 1) / n) of an axis; both sides are multiplied by n and m.
    return all(i * m < (j + 1) * n and j * n < (i + 1) * m for (i, n), (j, m) in zip(a, b))


@dataclass(frozen=True)
class Slicing:
    """The split of a parameter over the devices of its stage, which form a row-major grid.

    >>> Slicing((2, 2), (1, 0)).compute_piece(1)
    ((0, 2), (1, 2))
    """

    grid: tuple[int, ...]
    axes: tuple[int, ...]  # for each parameter axis: the grid axis, from the end; -1: not split
    shard_step: int = 0  # optimizer shards: the stride between their ranks
    shard_count: int = 0  # and their number along the first axis; -1: all replicas
    first_rank: int = 0  # the rank of the stage's first device

    @classmethod
    def from_layout(cls, layout: ParallelLayouts) -> Slicing:
        """Make the slicing that a layout message describes.

        Raises:
            ValueError: the layout has parts of different lengths.
        """
        if any(split.dim for split in layout.param_split_shape):
            raise ValueError(
                "strategy: a parameter must be cut into equal parts, got a layout with "
                "param_split_shape. Merge its slices by hand."
            )
        return cls(
            tuple(d for m in layout.dev_matrix for d in m.dim),
            tuple(d for m in layout.tensor_map for d in m.dim),
            layout.opt_weight_shard_step,
            layout.opt_weight_shard_size,
        )

    @property
    def devices(self) -> int:
        """The number of devices that hold a slice."""
        return math.prod(self.grid)

    @property
    def ranks(self) -> range:
        """The ranks that hold a slice."""
        return range(self.first_rank, self.first_rank + self.devices)

    def compute_piece(self, rank: int) -> Piece:
        """Return the piece of the parameter that ``rank`` stores."""
        device_index = rank - self.first_rank
        axis_parts = [self._find_axis_part(axis, device_index) for axis in self.axes]
        if self.shard_count and axis_parts:
            replica_count = self.devices // math.prod(n for _, n in axis_parts)
            shard_count = replica_count if self.shard_count < 0 else self.shard_count
            i, n = axis_parts[0]
            axis_parts[0] = (
                i * shard_count + device_index // self.shard_step % shard_count,
                n * shard_count,
            )
        return tuple(axis_parts)

    def _find_axis_part(self, axis: int, device_index: int) -> tuple[int, int]:
        """Return the index of a device's part along a grid axis, and the number of parts.

        Axes are counted from the last; a negative axis is not split (part 0 of 1).
        """
        if axis < 0:
            return 0, 1
        grid_axis = len(self.grid) - 1 - axis
        stride, part_count = math.prod(self.grid[grid_axis + 1 :]), self.grid[grid_axis]
        return device_index // stride % part_count, part_count


class Strategy:
    """The slicing of each parameter by name, as a strategy file describes it.

    Args:
        layouts: the layout message of each name.
    """

    def __init__(self, layouts: Mapping[str, ParallelLayouts]) -> None:
        self.slicings: dict[str, Slicing] = {}
        self.devices = 0  # of all stages
        for name, layout in layouts.items():
            prefix = re.match(r"(\d+)-", name)
            slicing = Slicing.from_layout(layout)
            if prefix:
                first_rank = int(prefix[1]) * slicing.devices
                slicing = Slicing(
                    slicing.grid, slicing.axes, slicing.shard_step, slicing.shard_count, first_rank
                )
            self.slicings[name[prefix.end() :] if prefix else name] = slicing
            self.devices = max(self.devices, slicing.ranks.stop)

    def slicings_on_rank(self, rank: int) -> Iterator[tuple[str, Slicing]]:
        """Return pairs of name and slicing for the parameters of which ``rank`` stores a slice."""
        return ((n, s) for n, s in self.slicings.items() if rank in s.ranks)


def read_nonempty_file(api_name: str, name: str, path: Any, file_kind: str) -> bytes:
    """Read a file that must exist and not be empty.

    Raises:
        TypeError: ``path`` is not a str.
        ValueError: there is no such file, or it is empty.
    """
    if not isinstance(path, str):
        raise TypeError(f"{api_name}: {name} must be a str, got {path!r} ({type(path).__name__}).")
    if not os.path.isfile(path):
        raise ValueError(f"{api_name}: {name} must be an existing {file_kind}, got {path!r}.")
    with open(path, "rb") as file:
        data = file.read()
    if not data:
        raise ValueError(f"{api_name}: {name} must not be empty, got {path!r}.")
    return data


def read_strategy_messages(api_name: str, name: str, path: Any) -> ParallelStrategyMap:
    """Read a strategy file as a protobuf message.

    Raises:
        TypeError: ``path`` is not a str, or the file has other content.
        ValueError: there is no such file, or it is empty.
    """
    data = read_nonempty_file(api_name, name, path, "strategy file")
    try:
        return ParallelStrategyMap.FromString(data)
    except (ValueError, IndexError, TypeError) as exc:
        raise TypeError(
            f"{api_name}: {name} must be a strategy file of protobuf messages, got {path!r}: {exc}"
        ) from exc


def read_layouts(api_name: str, name: str, path: Any) -> dict[str, ParallelLayouts]:
    """Read the layout message of each parameter from a strategy file; raises the errors of
    :func:`read_strategy_messages`.
    """
    items = read_strategy_messages(api_name, name, path).parallel_layout_item
    return {item.param_name: item.parallel_layouts for item in items}


def merge_stages(files: list[ParallelStrategyMap]) -> ParallelStrategyMap:
    """Merge the files of several stages into one; prefix each name with its stage, also in
    ``files`` themselves.
    """
    stage = 0
    for file in files:
        stage = file.current_stage
        for item in file.parallel_layout_item:
            item.param_name = f"{stage}-{item.param_name}"
    return ParallelStrategyMap(
        current_stage=stage,
        parallel_strategy_item=[*itertools.chain(*(f.parallel_strategy_item for f in files))],
        parallel_layout_item=[*itertools.chain(*(f.parallel_layout_item for f in files))],
    )
