"""MindSpore's strategy files: how each parameter of a training lies on its devices.

A file of several pipeline stages has the stage before each name: ``1-dense.weight``.
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

Piece = tuple[tuple[int, int], ...]  # for each axis: which part, of how many


def overlap(a: Piece, b: Piece) -> bool:
    """Whether two pieces of one array share elements."""
    return all(i * m < (j + 1) * n and j * n < (i + 1) * m for (i, n), (j, m) in zip(a, b))


@dataclass(frozen=True)
class Slicing:
    """How a parameter lies on the devices of its stage, which are a grid, row by row.

    >>> Slicing((2, 2), (1, 0)).piece(1)
    ((0, 2), (1, 2))
    """

    grid: tuple[int, ...]
    axes: tuple[int, ...]  # of the parameter: the axis of the grid, from its end; -1: not cut
    step: int = 0  # an optimizer's shards: how far apart their ranks are
    shards: int = 0  # and how many cut the first axis further; -1: all that hold the same
    first: int = 0  # the rank of the stage's first device

    @classmethod
    def of(cls, layout: ParallelLayouts) -> Slicing:
        """What ``layout`` says.

        Raises:
            ValueError: it cuts into parts of several lengths.
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
        return math.prod(self.grid)

    @property
    def ranks(self) -> range:
        """Those that hold a slice."""
        return range(self.first, self.first + self.devices)

    def piece(self, rank: int) -> Piece:
        """The part of the parameter that ``rank`` holds."""
        place = rank - self.first
        cut = [self._along(axis, place) for axis in self.axes]
        if self.shards and cut:
            same = self.devices // math.prod(n for _, n in cut)
            shards = same if self.shards < 0 else self.shards
            i, n = cut[0]
            cut[0] = i * shards + place // self.step % shards, n * shards
        return tuple(cut)

    def _along(self, axis: int, place: int) -> tuple[int, int]:
        if axis < 0:
            return 0, 1
        at = len(self.grid) - 1 - axis
        return place // math.prod(self.grid[at + 1 :]) % self.grid[at], self.grid[at]


class Strategy:
    """A strategy file as it is needed: the slicing of each parameter, by its name.

    Args:
        layouts: what the file says of each name.
    """

    def __init__(self, layouts: Mapping[str, ParallelLayouts]) -> None:
        self.slicings: dict[str, Slicing] = {}
        self.devices = 0  # of all stages
        for name, layout in layouts.items():
            prefix = re.match(r"(\d+)-", name)
            slicing = Slicing.of(layout)
            if prefix:
                first = int(prefix[1]) * slicing.devices
                slicing = Slicing(slicing.grid, slicing.axes, slicing.step, slicing.shards, first)
            self.slicings[name[prefix.end() :] if prefix else name] = slicing
            self.devices = max(self.devices, slicing.ranks.stop)

    def here(self, rank: int) -> Iterator[tuple[str, Slicing]]:
        """The parameters of which ``rank`` holds a slice."""
        return ((n, s) for n, s in self.slicings.items() if rank in s.ranks)


def read_bytes(who: str, name: str, path: Any, what: str) -> bytes:
    """The content of a file that must be there and hold something."""
    if not isinstance(path, str):
        raise TypeError(f"{who}: {name} must be a str, got {path!r} ({type(path).__name__}).")
    if not os.path.isfile(path):
        raise ValueError(f"{who}: {name} must be an existing {what}, got {path!r}.")
    with open(path, "rb") as file:
        data = file.read()
    if not data:
        raise ValueError(f"{who}: {name} must not be empty, got {path!r}.")
    return data


def read_map(who: str, name: str, path: Any) -> ParallelStrategyMap:
    """The messages of a strategy file."""
    data = read_bytes(who, name, path, "strategy file")
    try:
        return ParallelStrategyMap.FromString(data)
    except (ValueError, IndexError, TypeError) as exc:
        raise TypeError(
            f"{who}: {name} must be a strategy file of protobuf messages, got {path!r}: {exc}"
        ) from exc


def layouts_of(who: str, name: str, path: Any) -> dict[str, ParallelLayouts]:
    """What a strategy file says of each parameter."""
    items = read_map(who, name, path).parallel_layout_item
    return {item.param_name: item.parallel_layouts for item in items}


def merged(files: list[ParallelStrategyMap]) -> ParallelStrategyMap:
    """The files of several stages as one."""
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
