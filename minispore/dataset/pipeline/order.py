"""Nodes that select, repeat and reorder rows. On indexed passes they only translate row numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.dataset.pipeline import mersenne, random
from minispore.dataset.pipeline.block import Block, from_rows, join
from minispore.dataset.pipeline.node import UnaryNode
from minispore.dataset.pipeline.ordered_workers import Ticket
from minispore.dataset.pipeline.passes import Indexed, Pass, Stream
from minispore.dataset.pipeline.run import Chunks, Run


class _ReorderedPass(Indexed):
    """A pass whose row i is row ``order[i]`` of another pass."""

    def __init__(self, child_pass: Indexed, order: np.ndarray) -> None:
        self._child_pass, self._order = child_pass, order
        self.size = len(order)
        self.weight, self.max_threads = child_pass.weight, child_pass.max_threads

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        return self._child_pass.fetch_rows(self._order[positions], ticket)

    def list_files(self, position: int) -> Sequence[Any]:
        return self._child_pass.list_files(int(self._order[position]))


class _SlicePass(Indexed):
    """A pass of the rows ``start`` to ``start + size`` of another pass."""

    def __init__(self, child_pass: Indexed, start: int, size: int | None) -> None:
        self._child_pass, self._start = child_pass, start
        self.size = size
        self.weight, self.max_threads = child_pass.weight, child_pass.max_threads

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        return self._child_pass.fetch_rows(positions + self._start, ticket)

    def list_files(self, position: int) -> Sequence[Any]:
        return self._child_pass.list_files(position + self._start)


class _GeneratorPass(Stream):
    """A stream from a generator function."""

    def __init__(self, weight: int, blocks: Callable[[], Iterator[Block]]) -> None:
        self.weight = weight
        self._blocks = blocks

    def iterate_blocks(self) -> Iterator[Block]:
        return self._blocks()


@dataclass(frozen=True, eq=False)
class Shuffle(UnaryNode):
    """A shuffle with a buffer: a random row leaves it, the next row of the child takes its place.

    Args:
        buffer: the number of slots.
        seed: a seed in place of the run's, or None.
        reshuffle: whether each pass has a different order.
    """

    buffer: int
    seed: int | None = None
    reshuffle: bool = True

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open a pass in a random order.

        Over a stream or an endless pass, it is a stream that shuffles rows in a buffer.
        """
        child_pass = self.child.open_pass(run, number)
        if isinstance(child_pass, Indexed) and child_pass.size is not None:
            slots = self._make_slots(run, number, child_pass.size)
            order = random.compute_buffered_order(slots, child_pass.size, self.buffer)
            return _ReorderedPass(child_pass, order)
        return _GeneratorPass(
            child_pass.weight, lambda: self._shuffle_stream(run, child_pass, number)
        )

    def _make_slots(self, run: Run, number: int, rows: int | None) -> random.Slots:
        """Make the source of random slots for a pass; each pass has ``rows`` rows.

        Under a chosen seed the passes share one stream of MindSpore's random words: the remaining
        words after this pass are stored in the run for the next pass. A run that begins with a
        later pass reads the child once to count its rows, if ``rows`` is None.
        """
        number = number if self.reshuffle else 0
        seed = run.seed if self.seed is None else random.Seed(self.seed, chosen=True)
        if not seed.chosen:
            return random.Slots(run.make_generator(self, number))
        # The random words that remain after each pass: the next pass continues with them.
        words_after_pass: dict[int, mersenne.Mt19937Words64] = run.get_or_make(self, dict)
        for stale in [n for n in words_after_pass if n < number]:
            del words_after_pass[stale]
        if number in words_after_pass:
            words = copy(words_after_pass[number])
        else:
            if number and rows is None:  # the run begins with a later pass of a stream: count one
                rows = sum(b.count for b in run.read_blocks(self.child.open_pass(run, 0)))
            words = mersenne.Mt19937Words64(seed.value).skip(number * (rows or 0))
        return random.Slots(words, lambda: words_after_pass.update({number + 1: words}))

    def _shuffle_stream(self, run: Run, child_pass: Pass, number: int) -> Iterator[Block]:
        """Yield the rows of a stream in the order of :func:`random.compute_buffered_order`.

        An error of the child comes after the rows that are still in the buffer.
        """
        slots = self._make_slots(run, number, self.child.size())
        buffered: list[tuple[Any, int]] = []
        error: BaseException | None = None
        for block in run.read_blocks(child_pass):
            fill = min(self.buffer - len(buffered), block.count)
            numbers = [0] * block.count if block.source_rows is None else block.source_rows.tolist()
            rows = list(zip(block.copy_rows(), numbers))
            buffered += rows[:fill]
            if fill < block.count:
                slot_numbers = slots.draw([self.buffer] * (block.count - fill))
                yield self._make_block(
                    run, list(random.pass_through_buffer(buffered, slot_numbers, rows[fill:]))
                )
            error = block.error
            if error is not None:
                break
        slot_numbers = slots.draw(range(len(buffered), 0, -1))
        last = self._make_block(run, list(random.pass_through_buffer(buffered, slot_numbers, ())))
        slots.end()
        yield last if error is None else last.copy_with_error(error)

    def _make_block(self, run: Run, rows: list[tuple[Any, int]]) -> Block:
        """Make a block of rows, each paired with the id of its source row."""
        block = from_rows(self.columns, [row for row, _ in rows])
        block.source_rows = np.array([n for _, n in rows], np.int64) if run.options.trace else None
        return block

    def get_arguments(self) -> dict[str, Any]:
        return {"buffer_size": self.buffer, "reshuffle_each_epoch": self.reshuffle}


@dataclass(frozen=True, eq=False)
class Repeat(UnaryNode):
    """``rounds`` passes of the child as one, None for no limit. Each has its own order."""

    rounds: int | None

    def size(self) -> int | None:
        """Return the number of rows of all rounds, of one round if their number has no limit."""
        size = self.child.size()
        return size if size is None or self.rounds is None else size * self.rounds

    @property
    def endless(self) -> bool:
        """Whether a pass never ends; an unlimited repeat of no rows ends."""
        return self.child.endless or (self.rounds is None and self.child.size() != 0)

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open the rounds as one pass; the child's pass for one round or if it is endless."""
        first = number * (self.rounds or 0)
        child_pass = self.child.open_pass(run, first)
        if self.rounds == 1 or (isinstance(child_pass, Indexed) and child_pass.size is None):
            return child_pass
        if isinstance(child_pass, Indexed):
            return _RepeatPass(self, run, child_pass, first)
        return _GeneratorPass(
            child_pass.weight, lambda: self._repeat_stream(run, child_pass, first)
        )

    def _repeat_stream(self, run: Run, child_pass: Pass, first: int) -> Iterator[Block]:
        """Yield the blocks of all rounds; an endless repeat stops at a round without rows."""
        done = 0
        while True:
            empty = True
            for block in run.read_blocks(child_pass):
                empty = empty and not block.count
                yield block
                if block.error is not None:
                    return
            done += 1
            if done == self.rounds or (empty and self.rounds is None):
                return
            child_pass = self.child.open_pass(run, first + done)

    def get_arguments(self) -> dict[str, Any]:
        return {"count": -1 if self.rounds is None else self.rounds}


class _RepeatPass(Indexed):
    """A pass of several passes of a child.

    Each pass is opened when its rows are needed and dropped afterwards.
    """

    def __init__(self, node: Repeat, run: Run, child_pass: Indexed, first: int) -> None:
        assert child_pass.size is not None
        self._node, self._run, self._first, self._round_size = node, run, first, child_pass.size
        self._open_passes = {0: child_pass}
        if node.rounds is None:
            self.size = None if child_pass.size else 0
        else:
            self.size = node.rounds * child_pass.size
        self.weight, self.max_threads = child_pass.weight, child_pass.max_threads
        # Faster threads may be this many rounds ahead of a slow one, so these passes stay open.
        self._retained_rounds = 2 + Chunks.ROWS * (child_pass.max_threads + 2) // max(
            1, child_pass.size * child_pass.weight
        )

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        """Fetch rows of one or several rounds; drop the passes of rounds no longer needed."""
        rounds = positions // self._round_size
        first = int(rounds.min())
        self._drop_passes(first - self._retained_rounds)
        if first == rounds.max():
            return self._get_pass(first).fetch_rows(positions - first * self._round_size, ticket)

        def fetch_round(number: int, rows: np.ndarray) -> Block:
            """Fetch the rows at ``positions[rows]``, which all belong to one round."""
            round_positions = positions[rows] - number * self._round_size
            return self._get_pass(number).fetch_rows(round_positions, ticket)

        return _fetch_by_part(rounds, fetch_round)

    def list_files(self, position: int) -> Sequence[Any]:
        number, row = divmod(position, self._round_size)
        return self._get_pass(number).list_files(row)

    def _get_pass(self, number: int) -> Indexed:
        """Return pass ``number`` of the child, opened at the first call."""
        with self._run.lock:
            if number not in self._open_passes:
                opened = self._node.child.open_pass(self._run, self._first + number)
                assert isinstance(opened, Indexed)
                self._open_passes[number] = opened
            return self._open_passes[number]

    def _drop_passes(self, first_needed: int) -> None:
        """Drop the open passes before ``first_needed``."""
        with self._run.lock:
            for number in [n for n in self._open_passes if n < first_needed]:
                del self._open_passes[number]


@dataclass(frozen=True, eq=False)
class Take(UnaryNode):
    """The first ``count`` rows of the child; None for all."""

    count: int | None

    def size(self) -> int | None:
        """Return the number of rows, None if unknown; of an endless child exactly ``count``."""
        size = self.child.size()
        if size is None or self.count is None:
            return size
        return self.count if self.child.endless else min(self.count, size)

    @property
    def endless(self) -> bool:
        return self.count is None and self.child.endless

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open a pass of the first ``count`` rows, or the child's pass for all."""
        child_pass = self.child.open_pass(run, number)
        if self.count is None:
            return child_pass
        if isinstance(child_pass, Indexed):
            size = self.count if child_pass.size is None else min(self.count, child_pass.size)
            return _SlicePass(child_pass, 0, size)
        count = self.count
        return _GeneratorPass(child_pass.weight, lambda: self._take_stream(run, child_pass, count))

    def _take_stream(self, run: Run, child_pass: Pass, remaining: int) -> Iterator[Block]:
        """Yield blocks until ``remaining`` rows have been yielded."""
        for block in run.read_blocks(child_pass):
            if block.count >= remaining:
                yield _cut_first_rows(block, remaining)
                return
            remaining -= block.count
            yield block

    def get_arguments(self) -> dict[str, Any]:
        return {"count": -1 if self.count is None else self.count}


@dataclass(frozen=True, eq=False)
class Skip(UnaryNode):
    """The rows of the child without the first ``count``."""

    count: int

    def size(self) -> int | None:
        size = self.child.size()
        return size if size is None else max(0, size - self.count)

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open a pass from row ``count`` on, a stream if the child's pass is one."""
        child_pass = self.child.open_pass(run, number)
        if isinstance(child_pass, Indexed):
            size = None if child_pass.size is None else max(0, child_pass.size - self.count)
            return _SlicePass(child_pass, self.count, size)
        return _GeneratorPass(child_pass.weight, lambda: run.read_blocks(child_pass, self.count))

    def get_arguments(self) -> dict[str, Any]:
        return {"count": self.count}


@dataclass(frozen=True, eq=False)
class Select(UnaryNode):
    """Some columns of the child in a chosen order: ``names`` are pairs (old name, new name)."""

    names: tuple[tuple[str, str], ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(new for _, new in self.names)

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open a pass of the selected columns, a stream if the child's pass is one."""
        child_pass = self.child.open_pass(run, number)
        if isinstance(child_pass, Indexed):
            return _SelectPass(child_pass, self.names)
        return _GeneratorPass(
            child_pass.weight,
            lambda: (_select_columns(b, self.names) for b in run.read_blocks(child_pass)),
        )

    def describe(self) -> str:
        return "project"

    def get_arguments(self) -> dict[str, Any]:
        return {"columns": [old for old, _ in self.names]}


class Rename(Select):
    """All columns of the child in their order, some of them renamed."""

    def describe(self) -> str:
        return "rename"

    def get_arguments(self) -> dict[str, Any]:
        """Return the arguments that ``to_json`` writes: old and new names of renamed columns."""
        renamed = [(old, new) for old, new in self.names if old != new]
        return {
            "input_columns": [old for old, _ in renamed],
            "output_columns": [new for _, new in renamed],
        }


class _SelectPass(Indexed):
    """A pass with selected and renamed columns of an indexed pass."""

    def __init__(self, child_pass: Indexed, names: tuple[tuple[str, str], ...]) -> None:
        self._child_pass, self._names = child_pass, names
        self.size = child_pass.size
        self.weight, self.max_threads = child_pass.weight, child_pass.max_threads

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        return _select_columns(self._child_pass.fetch_rows(positions, ticket), self._names)

    def list_files(self, position: int) -> Sequence[Any]:
        return self._child_pass.list_files(position)


def _select_columns(block: Block, names: tuple[tuple[str, str], ...]) -> Block:
    """Return a block with the columns ``names``, pairs (old name, new name)."""
    return block.replace({new: block.columns[old] for old, new in names})


def _cut_first_rows(block: Block, count: int) -> Block:
    """Return the first ``count`` rows of a block, always without its error."""
    cut = block.slice_rows(0, count)
    return Block(cut.columns, count, cut.source_rows)


def _fetch_by_part(parts: np.ndarray, fetch: Callable[[int, np.ndarray], Block]) -> Block:
    """Fetch rows of several parts (rounds or children), and return them in order.

    Args:
        parts: the part of each row.
        fetch: called as ``fetch(part, positions)`` once for each part; ``positions`` index
            ``parts``.

    Returns:
        The rows up to the first that failed in any part.
    """
    positions_by_part = [(int(part), np.flatnonzero(parts == part)) for part in np.unique(parts)]
    blocks = [fetch(part, positions) for part, positions in positions_by_part]
    stop, error = len(parts), None
    for block, (_, positions) in zip(blocks, positions_by_part):
        if block.error is not None and positions[block.count] < stop:
            stop, error = int(positions[block.count]), block.error
    for block in blocks:
        block.error = None
    fetched = np.concatenate(
        [positions[: block.count] for block, (_, positions) in zip(blocks, positions_by_part)]
    )
    joined = join(blocks)
    order = np.argsort(fetched)[:stop]
    if not np.array_equal(order, np.arange(len(fetched))):
        joined = joined.take(order)
    joined.error = error
    return joined
