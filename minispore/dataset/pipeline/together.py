"""Nodes of several children: concat puts them after each other, zip side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.lanes import Turn
from minispore.dataset.pipeline.mersenne import fractions
from minispore.dataset.pipeline.node import Indexed, Node, Pass
from minispore.dataset.pipeline.order import _by_part, _first, _Generated
from minispore.dataset.pipeline.random import Draws
from minispore.dataset.pipeline.run import Run
from minispore.errors import DatasetError


@dataclass(frozen=True)
class Every:
    """Rows ``first``, ``first + step``, ...: one of ``step`` shards, none of which goes round."""

    step: int
    first: int

    def size(self, rows: int) -> int:
        """How many there are of ``rows``."""
        return len(range(self.first, rows, self.step))

    def order(self, rows: int) -> np.ndarray:
        """Their numbers, of ``rows``."""
        return np.arange(self.first, rows, self.step)


@dataclass(frozen=True)
class Mixed:
    """All rows, those of each part in its order, the parts in turn at random: the more rows a part
    has left, the likelier it is next. Under a seed it is MindSpore's choice.

    Args:
        sizes: how many rows each part has.
    """

    sizes: tuple[int, ...]

    def parts(self, rng: Draws, number: int) -> np.ndarray:
        """The part that each row of a pass is from."""
        left = np.array(self.sizes)
        rows = int(left.sum())
        if rng.seed is None:
            return rng.permutation(np.repeat(np.arange(len(left)), left))
        # One draw for each row, and one that finds out that there are no more.
        drawn = fractions(rng.seed, (number + 1) * (rows + 1))[number * (rows + 1) :]
        chosen = np.empty(rows, np.int64)
        for i, fraction in enumerate(drawn[:rows]):
            upto = np.cumsum(left / left.sum())
            upto[-1] = 1.0
            chosen[i] = np.searchsorted(upto, fraction)
            left[chosen[i]] -= 1
        return chosen


@dataclass(frozen=True, eq=False)
class Concat(Node):
    """The rows of one node after those of the other; both have the same columns.

    Args:
        children: the nodes.
        sampler: picks from all rows together; None for all in order.
    """

    children: tuple[Node, ...]
    sampler: Every | Mixed | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return self.children[0].columns

    def size(self) -> int | None:
        sizes = [child.size() for child in self.children]
        known = [s for s in sizes if s is not None]
        if len(known) < len(sizes):
            return None
        return self.sampler.size(sum(known)) if isinstance(self.sampler, Every) else sum(known)

    def open(self, run: Run, number: int) -> Pass:
        parts = [child.open(run, number) for child in self.children]
        chosen = None
        if isinstance(self.sampler, Mixed):
            chosen = self.sampler.parts(run.generator(self, number), number)
        indexed = [part for part in parts if isinstance(part, Indexed) and part.size is not None]
        if len(indexed) < len(parts):
            if chosen is not None:
                return _Generated(
                    max(p.weight for p in parts), lambda: self._mix(run, parts, chosen)
                )
            return _Generated(max(p.weight for p in parts), lambda: self._rows(run, parts))
        whole = _Parts(indexed, self.columns)
        if isinstance(self.sampler, Every):
            return _Chosen(whole, self.sampler.order(int(whole._ends[-1])))
        if chosen is None:
            return whole
        rows = np.empty(len(chosen), np.int64)
        rows[np.argsort(chosen, kind="stable")] = np.arange(len(chosen))
        return _Chosen(whole, rows)

    def _rows(self, run: Run, parts: list[Pass]) -> Iterator[Block]:
        alike, at = _Alike(self.columns), 0
        every = self.sampler if isinstance(self.sampler, Every) else Every(1, 0)
        for part in parts:
            for block in run.read(part):
                block = alike.checked(block)
                kept = np.arange((every.first - at) % every.step, block.count, every.step)
                at += block.count
                chosen = block if len(kept) == block.count else block.take(kept)
                chosen.error = block.error
                yield chosen
                if block.error is not None:
                    return

    def _mix(self, run: Run, parts: list[Pass], chosen: np.ndarray) -> Iterator[Block]:
        """Rows of the parts that are chosen, one block for each run of rows of one part."""
        alike = _Alike(self.columns)
        readers = [run.read(part) for part in parts]
        held = [Block({}, 0) for _ in parts]
        ends = np.flatnonzero(np.append(chosen[1:] != chosen[:-1], True)) + 1
        for start, end in zip([0, *ends[:-1]], ends):
            part, wanted = int(chosen[start]), int(end - start)
            while wanted:
                while not held[part].count and held[part].error is None:
                    following = next(readers[part], None)
                    if following is None:
                        raise DatasetError(
                            f"concat: dataset {part} must have as many rows as it said, it has "
                            "fewer. The actual size does not match its defined size."
                        )
                    held[part] = alike.checked(following)
                block = held[part].cut(0, wanted)
                yield block
                if block.error is not None:
                    return
                held[part] = held[part].cut(block.count, held[part].count)
                wanted -= block.count


class _Alike:
    """Holds the blocks of several datasets against the first one that comes."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self._columns = columns
        self._kinds: dict[str, tuple[int, str]] = {}  # of each column: axes and data type

    def checked(self, block: Block) -> Block:
        """The block; a failed one if a column is of another kind.

        Raises:
            DatasetError: it has other columns, or in another order.
        """
        if tuple(block.columns) != self._columns:
            raise DatasetError(
                f"concat: all datasets must have the columns {list(self._columns)}, in this order, "
                f"got {list(block.columns)}. Use rename or project first."
            )
        for name, column in block.columns.items():
            if isinstance(column, np.ndarray) and len(column):
                text = column.dtype.kind in "US"
                kind = column.ndim - 1, column.dtype.kind if text else column.dtype.name
                known = self._kinds.setdefault(name, kind)
                if kind != known:
                    kinds = [f"{dtype} of {axes} axes" for axes, dtype in (known, kind)]
                    error = DatasetError(
                        f"concat: rows of column {name!r} must have one rank and data type, got "
                        f"{' and '.join(kinds)}."
                    )
                    return block.cut(0, 0).failed(error)
        return block


class _Chosen(Indexed):
    """Some rows of an indexed pass."""

    def __init__(self, whole: Indexed, order: np.ndarray) -> None:
        self._whole, self._order = whole, order
        self.size = len(order)
        self.weight, self.lanes = whole.weight, whole.lanes

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        return self._whole.fetch(self._order[at], turn)

    def files(self, at: int) -> Sequence[Any]:
        return self._whole.files(int(self._order[at]))


class _Parts(Indexed):
    """Indexed passes one after the other."""

    def __init__(self, parts: list[Indexed], columns: tuple[str, ...]) -> None:
        self._parts, self._alike = parts, _Alike(columns)
        sizes = np.array([part.size for part in parts])
        self._ends = np.cumsum(sizes)
        self._starts = self._ends - sizes
        self.size = int(self._ends[-1])
        self.weight = max(part.weight for part in parts)
        self.lanes = max(part.lanes for part in parts)

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        parts, starts = self._parts, self._starts
        return _by_part(
            np.searchsorted(self._ends, at, side="right"),
            lambda p, rows: self._alike.checked(parts[p].fetch(at[rows] - starts[p], turn)),
        )

    def files(self, at: int) -> Sequence[Any]:
        part = int(np.searchsorted(self._ends, at, side="right"))
        return self._parts[part].files(at - int(self._starts[part]))


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
        return _Generated(max(p.weight for p in parts), lambda: self._rows(run, parts))

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
        heads = [_first(block, count) for block in blocks]
        return Block(_beside(heads), count, heads[0].rows, error)

    def files(self, at: int) -> Sequence[Any]:
        return [file for part in self._parts for file in part.files(at)]


def _beside(blocks: list[Block]) -> dict:
    return {name: column for block in blocks for name, column in block.columns.items()}
