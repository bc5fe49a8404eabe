"""Nodes that change which rows come when. On indexed passes they move numbers only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.dataset.pipeline import mersenne, random
from minispore.dataset.pipeline.block import Block, from_rows, join
from minispore.dataset.pipeline.lanes import Turn
from minispore.dataset.pipeline.node import Indexed, Over, Pass, Stream
from minispore.dataset.pipeline.run import Chunks, Run


class _Renumbered(Indexed):
    """Row i is row ``order[i]`` of another pass."""

    def __init__(self, below: Indexed, order: np.ndarray) -> None:
        self._below, self._order = below, order
        self.size, self.weight, self.lanes = len(order), below.weight, below.lanes

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        return self._below.fetch(self._order[at], turn)

    def files(self, at: int) -> Sequence[Any]:
        return self._below.files(int(self._order[at]))


class _Window(Indexed):
    """Rows ``start`` to ``start + size`` of another pass."""

    def __init__(self, below: Indexed, start: int, size: int | None) -> None:
        self._below, self._start = below, start
        self.size, self.weight, self.lanes = size, below.weight, below.lanes

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        return self._below.fetch(at + self._start, turn)

    def files(self, at: int) -> Sequence[Any]:
        return self._below.files(at + self._start)


class _Generated(Stream):
    """A stream from a generator function."""

    def __init__(self, weight: int, blocks: Any) -> None:
        self.weight = weight
        self._blocks = blocks

    def blocks(self) -> Iterator[Block]:
        return self._blocks()


@dataclass(frozen=True, eq=False)
class Shuffle(Over):
    """A buffer of rows: a random one leaves, the next one of the child takes its place.

    Args:
        buffer: the number of slots.
        seed: a seed of its own.
        reshuffle: whether each pass has an order of its own.
    """

    buffer: int
    seed: int | None = None
    reshuffle: bool = True

    def open(self, run: Run, number: int) -> Pass:
        below = self.child.open(run, number)
        if isinstance(below, Indexed) and below.size is not None:
            slots = self._slots(run, number, below.size)
            return _Renumbered(below, random.buffered_order(slots, below.size, self.buffer))
        return _Generated(below.weight, lambda: self._rows(run, below, number))

    def _slots(self, run: Run, number: int, rows: int | None) -> random.Slots:
        """What draws the slots of a pass; each pass has ``rows`` rows."""
        number = number if self.reshuffle else 0
        seed = run.seed if self.seed is None else random.Seed(self.seed, True)
        if not seed.chosen:
            return random.Slots(run.generator(self, number))
        # What is left of the words after each pass: the next one goes on with them.
        left: dict[int, mersenne.Words] = run.keep(self, dict)
        for old in [n for n in left if n < number]:
            del left[old]
        if number in left:
            words = copy(left[number])
        else:
            if number and rows is None:  # a run that begins later, on a stream: one pass tells
                rows = sum(b.count for b in run.read(self.child.open(run, 0)))
            words = mersenne.Words(seed.value).skip(number * (rows or 0))
        return random.Slots(words, lambda: left.update({number + 1: words}))

    def _rows(self, run: Run, below: Pass, number: int) -> Iterator[Block]:
        """The same order as :func:`random.buffered_order`, without knowing the number of rows."""
        slots = self._slots(run, number, self.child.size())
        held: list[tuple[Any, int]] = []
        error: BaseException | None = None
        for block in run.read(below):
            fill = min(self.buffer - len(held), block.count)
            numbers = [0] * block.count if block.rows is None else block.rows.tolist()
            rows = list(zip(block.copies(), numbers))
            held += rows[:fill]
            if fill < block.count:
                drawn = slots.draw([self.buffer] * (block.count - fill))
                yield self._block(run, list(random.through(held, drawn, rows[fill:])))
            error = block.error
            if error is not None:
                break
        drawn = slots.draw(range(len(held), 0, -1))
        last = self._block(run, list(random.through(held, drawn, ())))
        slots.end()
        yield last if error is None else last.failed(error)

    def _block(self, run: Run, rows: list[tuple[Any, int]]) -> Block:
        block = from_rows(self.columns, [row for row, _ in rows])
        block.rows = np.array([n for _, n in rows], np.int64) if run.options.trace else None
        return block

    def arguments(self) -> dict[str, Any]:
        return {"buffer_size": self.buffer, "reshuffle_each_epoch": self.reshuffle}


@dataclass(frozen=True, eq=False)
class Repeat(Over):
    """``rounds`` passes of the child as one; None for ever. Each has its own order."""

    rounds: int | None

    def size(self) -> int | None:
        size = self.child.size()
        return size if size is None or self.rounds is None else size * self.rounds

    @property
    def endless(self) -> bool:
        return self.child.endless or (self.rounds is None and self.child.size() != 0)

    def open(self, run: Run, number: int) -> Pass:
        first = number * (self.rounds or 0)
        below = self.child.open(run, first)
        if self.rounds == 1 or (isinstance(below, Indexed) and below.size is None):
            return below
        if isinstance(below, Indexed):
            return _Rounds(self, run, below, first)
        return _Generated(below.weight, lambda: self._rows(run, below, first))

    def _rows(self, run: Run, below: Pass, first: int) -> Iterator[Block]:
        done = 0
        while True:
            empty = True
            for block in run.read(below):
                empty = empty and not block.count
                yield block
                if block.error is not None:
                    return
            done += 1
            if done == self.rounds or (empty and self.rounds is None):
                return
            below = self.child.open(run, first + done)

    def arguments(self) -> dict[str, Any]:
        return {"count": -1 if self.rounds is None else self.rounds}


class _Rounds(Indexed):
    """Passes of a child one after the other; opened when reached, dropped when left behind."""

    def __init__(self, node: Repeat, run: Run, below: Indexed, first: int) -> None:
        assert below.size is not None
        self._node, self._run, self._first, self._round = node, run, first, below.size
        self._open = {0: below}
        if node.rounds is None:
            self.size = None if below.size else 0
        else:
            self.size = node.rounds * below.size
        self.weight, self.lanes = below.weight, below.lanes
        # Threads ahead of a slow one may be so many rounds further on.
        self._behind = 2 + Chunks.ROWS * (below.lanes + 2) // max(1, below.size * below.weight)

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        rounds = at // self._round
        first = int(rounds.min())
        self._drop(first - self._behind)
        if first == rounds.max():
            return self._pass(first).fetch(at - first * self._round, turn)
        return _by_part(
            rounds, lambda r, rows: self._pass(r).fetch(at[rows] - r * self._round, turn)
        )

    def files(self, at: int) -> Sequence[Any]:
        number, row = divmod(at, self._round)
        return self._pass(number).files(row)

    def _pass(self, number: int) -> Indexed:
        with self._run.lock:
            if number not in self._open:
                opened = self._node.child.open(self._run, self._first + number)
                assert isinstance(opened, Indexed)
                self._open[number] = opened
            return self._open[number]

    def _drop(self, before: int) -> None:
        with self._run.lock:
            for number in [n for n in self._open if n < before]:
                del self._open[number]


@dataclass(frozen=True, eq=False)
class Take(Over):
    """At most ``count`` rows; None for all."""

    count: int | None

    def size(self) -> int | None:
        size = self.child.size()
        if size is None or self.count is None:
            return size
        return self.count if self.child.endless else min(self.count, size)

    @property
    def endless(self) -> bool:
        return self.count is None and self.child.endless

    def open(self, run: Run, number: int) -> Pass:
        below = self.child.open(run, number)
        if self.count is None:
            return below
        if isinstance(below, Indexed):
            size = self.count if below.size is None else min(self.count, below.size)
            return _Window(below, 0, size)
        count = self.count
        return _Generated(below.weight, lambda: self._rows(run, below, count))

    def _rows(self, run: Run, below: Pass, left: int) -> Iterator[Block]:
        for block in run.read(below):
            if block.count >= left:
                yield _first(block, left)
                return
            left -= block.count
            yield block

    def arguments(self) -> dict[str, Any]:
        return {"count": -1 if self.count is None else self.count}


@dataclass(frozen=True, eq=False)
class Skip(Over):
    """Without the first ``count`` rows."""

    count: int

    def size(self) -> int | None:
        size = self.child.size()
        return size if size is None else max(0, size - self.count)

    def open(self, run: Run, number: int) -> Pass:
        below = self.child.open(run, number)
        if isinstance(below, Indexed):
            size = None if below.size is None else max(0, below.size - self.count)
            return _Window(below, self.count, size)
        return _Generated(below.weight, lambda: run.read(below, self.count))

    def arguments(self) -> dict[str, Any]:
        return {"count": self.count}


@dataclass(frozen=True, eq=False)
class Select(Over):
    """Columns under other names, in another order, or left out: ``names`` are pairs (old, new)."""

    names: tuple[tuple[str, str], ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(new for _, new in self.names)

    def open(self, run: Run, number: int) -> Pass:
        below = self.child.open(run, number)
        if isinstance(below, Indexed):
            return _Selected(below, self.names)
        return _Generated(below.weight, lambda: (_selected(b, self.names) for b in run.read(below)))

    def describe(self) -> str:
        return "project"

    def arguments(self) -> dict[str, Any]:
        return {"columns": [old for old, _ in self.names]}


class Rename(Select):
    """All columns in their order, some under other names."""

    def describe(self) -> str:
        return "rename"

    def arguments(self) -> dict[str, Any]:
        renamed = [(old, new) for old, new in self.names if old != new]
        return {
            "input_columns": [old for old, _ in renamed],
            "output_columns": [new for _, new in renamed],
        }


class _Selected(Indexed):
    def __init__(self, below: Indexed, names: tuple[tuple[str, str], ...]) -> None:
        self._below, self._names = below, names
        self.size, self.weight, self.lanes = below.size, below.weight, below.lanes

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        return _selected(self._below.fetch(at, turn), self._names)

    def files(self, at: int) -> Sequence[Any]:
        return self._below.files(at)


def _selected(block: Block, names: tuple[tuple[str, str], ...]) -> Block:
    return block.replace({new: block.columns[old] for old, new in names})


def _first(block: Block, count: int) -> Block:
    """The first ``count`` rows, without the error that came after later ones."""
    cut = block.cut(0, count)
    return Block(cut.columns, count, cut.rows)


def _by_part(parts: np.ndarray, fetch: Callable[[int, np.ndarray], Block]) -> Block:
    """Rows of several parts: ``fetch(part, positions)`` once for each, then put in order again."""
    places = [(int(part), np.flatnonzero(parts == part)) for part in np.unique(parts)]
    blocks = [fetch(part, place) for part, place in places]
    stop, error = len(parts), None
    for block, (_, place) in zip(blocks, places):
        if block.error is not None and place[block.count] < stop:
            stop, error = int(place[block.count]), block.error
    for block in blocks:
        block.error = None
    came = np.concatenate([place[: block.count] for block, (_, place) in zip(blocks, places)])
    joined = join(blocks)
    order = np.argsort(came)[:stop]
    if not np.array_equal(order, np.arange(len(came))):
        joined = joined.take(order)
    joined.error = error
    return joined
