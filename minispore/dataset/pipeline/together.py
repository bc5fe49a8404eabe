"""Nodes of several children: concat puts them after each other, zip side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.lanes import Turn
from minispore.dataset.pipeline.node import Indexed, Node, Pass
from minispore.dataset.pipeline.order import _by_part, _first, _Generated
from minispore.dataset.pipeline.run import Run


@dataclass(frozen=True, eq=False)
class Concat(Node):
    """The rows of one node after those of the other; both have the same columns."""

    children: tuple[Node, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.children[0].columns

    def size(self) -> int | None:
        sizes = [child.size() for child in self.children]
        return None if any(s is None for s in sizes) else sum(s for s in sizes if s is not None)

    def open(self, run: Run, number: int) -> Pass:
        parts = [child.open(run, number) for child in self.children]
        indexed = [part for part in parts if isinstance(part, Indexed) and part.size is not None]
        if len(indexed) == len(parts):
            return _Parts(indexed, self.columns)
        return _Generated(parts[0], lambda: self._rows(run, parts))

    def _rows(self, run: Run, parts: list[Pass]) -> Iterator[Block]:
        for part in parts:
            for block in run.read(part):
                yield block.select(self.columns)
                if block.error is not None:
                    return


class _Parts(Indexed):
    """Indexed passes one after the other."""

    def __init__(self, parts: list[Indexed], columns: tuple[str, ...]) -> None:
        self._parts, self._columns = parts, columns
        self._ends = np.cumsum([part.size for part in parts])
        self.size = int(self._ends[-1])
        self.weight = max(part.weight for part in parts)
        self.lanes = max(part.lanes for part in parts)

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        starts = self._ends - [part.size for part in self._parts]
        return _by_part(
            np.searchsorted(self._ends, at, side="right"),
            lambda p, rows: self._parts[p].fetch(at[rows] - starts[p], turn).select(self._columns),
        )


@dataclass(frozen=True, eq=False)
class Zip(Node):
    """The columns of several nodes side by side, as many rows as the shortest has."""

    children: tuple[Node, ...]

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(name for child in self.children for name in child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return self._names

    @property
    def endless(self) -> bool:
        return all(child.endless for child in self.children)

    def size(self) -> int | None:
        bounded = [child for child in self.children if not child.endless] or self.children
        sizes = [child.size() for child in bounded]
        return None if any(s is None for s in sizes) else min(s for s in sizes if s is not None)

    def open(self, run: Run, number: int) -> Pass:
        parts = [child.open(run, number) for child in self.children]
        indexed = [part for part in parts if isinstance(part, Indexed)]
        if len(indexed) == len(parts):
            return _Beside(indexed)
        return _Generated(parts[0], lambda: self._rows(run, parts))

    def _rows(self, run: Run, parts: list[Pass]) -> Iterator[Block]:
        readers = [run.read(part) for part in parts]
        blocks = [Block({}, 0) for _ in parts]
        while True:
            for i, reader in enumerate(readers):
                while not blocks[i].count and blocks[i].error is None:
                    following = next(reader, None)
                    if following is None:
                        return
                    blocks[i] = following
            count = min(block.count for block in blocks)
            heads = [_first(block, count) for block in blocks]
            error = next(
                (b.error for b in blocks if b.error is not None and b.count == count), None
            )
            yield Block(_beside(heads), count, heads[0].rows, error)
            if error is not None:
                return
            blocks = [block.cut(count, block.count) for block in blocks]


class _Beside(Indexed):
    def __init__(self, parts: list[Indexed]) -> None:
        self._parts = parts
        sizes = [part.size for part in parts if part.size is not None]
        self.size = min(sizes) if sizes else None
        self.weight = max(part.weight for part in parts)
        self.lanes = max(part.lanes for part in parts)

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        blocks = [part.fetch(at, turn) for part in self._parts]
        count = min(block.count for block in blocks)
        error = next((b.error for b in blocks if b.error is not None and b.count == count), None)
        heads = [block if block.count == count else _first(block, count) for block in blocks]
        return Block(_beside(heads), count, heads[0].rows, error)


def _beside(blocks: list[Block]) -> dict:
    return {name: column for block in blocks for name, column in block.columns.items()}
