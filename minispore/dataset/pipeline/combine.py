"""Nodes with several children: concat and zip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.mersenne import draw_fractions
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import _cut_first_rows, _fetch_by_part, _GeneratorPass
from minispore.dataset.pipeline.ordered_workers import Ticket
from minispore.dataset.pipeline.passes import Indexed, Pass
from minispore.dataset.pipeline.random import PassGenerator
from minispore.dataset.pipeline.run import Run
from minispore.errors import DatasetError


@dataclass(frozen=True)
class StridedShard:
    """One of ``step`` shards of rows: ``first``, ``first + step``, ..., without wrapping around."""

    step: int
    first: int

    def size(self, rows: int) -> int:
        """Return the number of rows in the shard, out of ``rows`` in all."""
        return len(range(self.first, rows, self.step))

    def row_numbers(self, rows: int) -> np.ndarray:
        """Return the row numbers of the shard, out of ``rows`` in all."""
        return np.arange(self.first, rows, self.step)


@dataclass(frozen=True)
class RandomInterleaving:
    """An order of all rows that draws the next child at random and keeps each child's own order.

    The more rows a child has left, the likelier it is drawn. Under a seed the order is the same as
    MindSpore's.

    Args:
        sizes: the number of rows of each child.
    """

    sizes: tuple[int, ...]

    def choose_children(self, rng: PassGenerator, number: int) -> np.ndarray:
        """Return for each row of a pass the index of the child that it comes from."""
        remaining = np.array(self.sizes)
        rows = int(remaining.sum())
        if rng.seed is None:
            return rng.permutation(np.repeat(np.arange(len(remaining)), remaining))
        # MindSpore draws once for each row, and once more to find that no row is left.
        draws = draw_fractions(rng.seed, (number + 1) * (rows + 1))[number * (rows + 1) :]
        chosen = np.empty(rows, np.int64)
        for i, draw in enumerate(draws[:rows]):
            cumulative = np.cumsum(remaining / remaining.sum())
            cumulative[-1] = 1.0
            chosen[i] = np.searchsorted(cumulative, draw)
            remaining[chosen[i]] -= 1
        return chosen


@dataclass(frozen=True, eq=False)
class Concat(Node):
    """The concatenated rows of several nodes with the same columns.

    Args:
        children: the nodes.
        sampler: chooses among the rows of all children; None for all rows in order.
    """

    children: tuple[Node, ...]
    sampler: StridedShard | RandomInterleaving | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return self.children[0].columns

    def size(self) -> int | None:
        """Return the number of rows of all children, or of the shard; None if a size is unknown."""
        sizes = [child.size() for child in self.children]
        declared_sizes = [s for s in sizes if s is not None]
        if len(declared_sizes) < len(sizes):
            return None
        rows = sum(declared_sizes)
        return self.sampler.size(rows) if isinstance(self.sampler, StridedShard) else rows

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open a pass in the order of the sampler: indexed if all children are, else a stream."""
        child_passes = [child.open_pass(run, number) for child in self.children]
        chosen_children = None
        if isinstance(self.sampler, RandomInterleaving):
            chosen_children = self.sampler.choose_children(run.make_generator(self, number), number)
        indexed = [p for p in child_passes if isinstance(p, Indexed) and p.size is not None]
        if len(indexed) < len(child_passes):
            weight = max(p.weight for p in child_passes)
            if chosen_children is None:
                return _GeneratorPass(weight, lambda: self._concat_streams(run, child_passes))
            return _GeneratorPass(
                weight, lambda: self._interleave_streams(run, child_passes, chosen_children)
            )
        concatenated = _ConcatPass(indexed, self.columns)
        if isinstance(self.sampler, StridedShard):
            return _ChosenRowsPass(concatenated, self.sampler.row_numbers(concatenated.row_count))
        if chosen_children is None:
            return concatenated
        rows = np.empty(len(chosen_children), np.int64)
        rows[np.argsort(chosen_children, kind="stable")] = np.arange(len(chosen_children))
        return _ChosenRowsPass(concatenated, rows)

    def _concat_streams(self, run: Run, child_passes: list[Pass]) -> Iterator[Block]:
        """Yield the concatenated rows of the children, or only one shard of these rows."""
        layout_check, first_row = _LayoutCheck(self.columns), 0
        shard = self.sampler if isinstance(self.sampler, StridedShard) else StridedShard(1, 0)
        for child_pass in child_passes:
            for block in run.read_blocks(child_pass):
                block = layout_check.check_block(block)
                shard_rows = np.arange(
                    (shard.first - first_row) % shard.step, block.count, shard.step
                )
                first_row += block.count
                output = block if len(shard_rows) == block.count else block.take(shard_rows)
                output.error = block.error
                yield output
                if block.error is not None:
                    return

    def _interleave_streams(
        self, run: Run, child_passes: list[Pass], chosen_children: np.ndarray
    ) -> Iterator[Block]:
        """Yield the rows in the order of the chosen children; each block has rows of one child.

        Raises:
            DatasetError: a child has fewer rows than its size says.
        """
        layout_check = _LayoutCheck(self.columns)
        readers = [run.read_blocks(child) for child in child_passes]
        head_blocks = [Block({}, 0) for _ in child_passes]
        ends = np.flatnonzero(np.append(chosen_children[1:] != chosen_children[:-1], True)) + 1
        for start, end in zip([0, *ends[:-1]], ends):
            child, missing = int(chosen_children[start]), int(end - start)
            while missing:
                while not head_blocks[child].count and head_blocks[child].error is None:
                    next_block = next(readers[child], None)
                    if next_block is None:
                        raise DatasetError(
                            f"concat: dataset {child} must have as many rows as it said, it has "
                            "fewer. The actual size does not match its defined size."
                        )
                    head_blocks[child] = layout_check.check_block(next_block)
                block = head_blocks[child].slice_rows(0, missing)
                yield block
                if block.error is not None:
                    return
                head_blocks[child] = head_blocks[child].slice_rows(
                    block.count, head_blocks[child].count
                )
                missing -= block.count


class _LayoutCheck:
    """Checks that the blocks of several datasets agree with the first in columns, ranks, dtypes."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self._columns = columns
        self._layouts: dict[str, tuple[int, str]] = {}  # rank and dtype of each column

    def check_block(self, block: Block) -> Block:
        """Return the block, or an empty one with an error if the rank or dtype of a column differs.

        The first rows of a column set its rank and dtype; strings of any length have one dtype.

        Raises:
            DatasetError: the columns or their order differ.
        """
        if tuple(block.columns) != self._columns:
            raise DatasetError(
                f"concat: all datasets must have the columns {list(self._columns)}, in this order, "
                f"got {list(block.columns)}. Use rename or project first."
            )
        for name, column in block.columns.items():
            if isinstance(column, np.ndarray) and len(column):
                is_text = column.dtype.kind in "US"
                layout = column.ndim - 1, column.dtype.kind if is_text else column.dtype.name
                first_layout = self._layouts.setdefault(name, layout)
                if layout != first_layout:
                    layout_texts = [
                        f"{dtype} of {axes} axes" for axes, dtype in (first_layout, layout)
                    ]
                    error = DatasetError(
                        f"concat: rows of column {name!r} must have one rank and data type, got "
                        f"{' and '.join(layout_texts)}."
                    )
                    return block.slice_rows(0, 0).copy_with_error(error)
        return block


class _ChosenRowsPass(Indexed):
    """A pass of chosen rows of an indexed pass."""

    def __init__(self, all_rows: Indexed, order: np.ndarray) -> None:
        self._all_rows, self._order = all_rows, order
        self.size = len(order)
        self.weight, self.max_threads = all_rows.weight, all_rows.max_threads

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        return self._all_rows.fetch_rows(self._order[positions], ticket)

    def list_files(self, position: int) -> Sequence[Any]:
        return self._all_rows.list_files(int(self._order[position]))


class _ConcatPass(Indexed):
    """A pass that concatenates several indexed passes."""

    def __init__(self, child_passes: list[Indexed], columns: tuple[str, ...]) -> None:
        self._child_passes, self._layout_check = child_passes, _LayoutCheck(columns)
        sizes = np.array([child_pass.size for child_pass in child_passes])
        self._ends = np.cumsum(sizes)
        self._starts = self._ends - sizes
        self.size = self.row_count = int(self._ends[-1])
        self.weight = max(child_pass.weight for child_pass in child_passes)
        self.max_threads = max(child_pass.max_threads for child_pass in child_passes)

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        """Fetch each row from its child; the layouts of all children must agree."""

        def fetch_from_child(child: int, rows: np.ndarray) -> Block:
            """Fetch the rows at ``positions[rows]``, which all belong to one child."""
            child_positions = positions[rows] - self._starts[child]
            block = self._child_passes[child].fetch_rows(child_positions, ticket)
            return self._layout_check.check_block(block)

        return _fetch_by_part(
            np.searchsorted(self._ends, positions, side="right"), fetch_from_child
        )

    def list_files(self, position: int) -> Sequence[Any]:
        child = int(np.searchsorted(self._ends, position, side="right"))
        return self._child_passes[child].list_files(position - int(self._starts[child]))


@dataclass(frozen=True, eq=False)
class Zip(Node):
    """The columns of several nodes side by side, as long as the shortest node."""

    children: tuple[Node, ...]

    @cached_property
    def _column_names(self) -> tuple[str, ...]:
        return tuple(name for child in self.children for name in child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return self._column_names

    @property
    def endless(self) -> bool:
        """Whether a pass never ends: all children are endless."""
        return all(child.endless for child in self.children)

    def size(self) -> int | None:
        """Return the size of the shortest child, None if unknown.

        Endless children do not count unless all are endless.
        """
        bounded = [child for child in self.children if not child.endless] or self.children
        sizes = [child.size() for child in bounded]
        return None if any(s is None for s in sizes) else min(s for s in sizes if s is not None)

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open an indexed pass if all children have one, else a stream."""
        child_passes = [child.open_pass(run, number) for child in self.children]
        indexed = [p for p in child_passes if isinstance(p, Indexed)]
        if len(indexed) == len(child_passes):
            return _ZipPass(indexed)
        weight = max(p.weight for p in child_passes)
        return _GeneratorPass(weight, lambda: self._zip_streams(run, child_passes))

    def _zip_streams(self, run: Run, child_passes: list[Pass]) -> Iterator[Block]:
        """Yield blocks with the columns of all children, until the first child ends or fails."""
        readers = [run.read_blocks(child_pass) for child_pass in child_passes]
        blocks = [Block({}, 0) for _ in child_passes]
        while True:
            for i, reader in enumerate(readers):
                while not blocks[i].count and blocks[i].error is None:
                    next_block = next(reader, None)
                    if next_block is None:
                        return
                    blocks[i] = next_block
            zipped = _zip_blocks(blocks)
            yield zipped
            if zipped.error is not None:
                return
            blocks = [block.slice_rows(zipped.count, block.count) for block in blocks]


class _ZipPass(Indexed):
    """A pass of several indexed passes side by side."""

    def __init__(self, child_passes: list[Indexed]) -> None:
        self._child_passes = child_passes
        sizes = [child_pass.size for child_pass in child_passes if child_pass.size is not None]
        self.size = min(sizes) if sizes else None
        self.weight = max(child_pass.weight for child_pass in child_passes)
        self.max_threads = max(child_pass.max_threads for child_pass in child_passes)

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        return _zip_blocks([child.fetch_rows(positions, ticket) for child in self._child_passes])

    def list_files(self, position: int) -> Sequence[Any]:
        return [
            file for child_pass in self._child_passes for file in child_pass.list_files(position)
        ]


def _zip_blocks(blocks: list[Block]) -> Block:
    """Return a block with the columns of all blocks, as long as the shortest, with the error of the
    first shortest block that has one.

    Its source rows are those of the first block.
    """
    count = min(block.count for block in blocks)
    error = next((b.error for b in blocks if b.error is not None and b.count == count), None)
    heads = [_cut_first_rows(block, count) for block in blocks]
    columns = {name: column for head in heads for name, column in head.columns.items()}
    return Block(columns, count, heads[0].source_rows, error)
