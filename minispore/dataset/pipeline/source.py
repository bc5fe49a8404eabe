"""Where rows come from: a table behind a sampler, or a function that makes streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.lanes import Turn
from minispore.dataset.pipeline.node import Indexed, Node, Over, Pass, Stream
from minispore.dataset.pipeline.random import Draws
from minispore.dataset.pipeline.run import Run


class Table(Protocol):
    """Rows with random access. One over files may say by ``files_of(row)`` which a row is from."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""

    def __len__(self) -> int: ...

    def open(self, run: Run, workers: int | None) -> Reader:
        """A reader for one run: what it reads is checked now, what it starts ends with the run."""


class Reader(Protocol):
    """Reads rows of a table. One whose processes have rows of their own has ``read_at(index, at,
    turn)`` beside ``read``, which is told the places of the rows in the pass.

    Attributes:
        lanes: how many threads are worth having.
        ordered: whether rows must be read one block after the other, in order.
    """

    lanes: int
    ordered: bool

    def read(self, index: np.ndarray) -> Block:
        """The rows ``index``, up to the first that fails."""


class Order(Protocol):
    """Which rows of a table make a pass, and in which order: a sampler."""

    def _size_(self, rows: int) -> int:
        """How many rows a pass has, of a table of ``rows``."""

    def _begun_(self) -> Order:
        """The one of one iterator."""

    def _order_(self, rows: int, rng: Draws, number: int, table: Any) -> np.ndarray:
        """The rows of pass ``number``."""


@dataclass(frozen=True, eq=False)
class Sampled(Node):
    """A node whose rows are those of a table, in the order of a sampler; None for all in order."""

    table: Table
    sampler: Order | None

    def size(self) -> int:
        rows = len(self.table)
        return rows if self.sampler is None else self.sampler._size_(rows)

    def prepare(self, run: Run) -> None:
        if self.sampler is not None:
            run.keep(self.sampler, self.sampler._begun_)

    def order(self, run: Run, number: int) -> np.ndarray | None:
        """The rows of a pass; None for all in order."""
        if self.sampler is None:
            return None
        rng = run.generator(self, number)
        sampler = run.keep(self.sampler, self.sampler._begun_)
        return sampler._order_(len(self.table), rng, number, self.table)


@dataclass(frozen=True, eq=False)
class TableSource(Sampled):
    """The rows of a table.

    Args:
        name: of the dataset, for messages.
        workers: how many read; None for the default.
        settings: what ``to_json`` says of it.
    """

    name: str
    workers: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.table.columns

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        self._reader(run)

    def open(self, run: Run, number: int) -> Pass:
        return _TablePass(self, run, self._reader(run), self.order(run, number))

    def describe(self) -> str:
        return self.name

    def arguments(self) -> dict[str, Any]:
        sampler = None if self.sampler is None else repr(self.sampler)
        return {**self.settings, "sampler": sampler, "num_parallel_workers": self.workers}

    def _reader(self, run: Run) -> Reader:
        return run.keep(self, lambda: self.table.open(run, self.workers))


class _TablePass(Indexed):
    def __init__(
        self, node: TableSource, run: Run, reader: Reader, order: np.ndarray | None
    ) -> None:
        self._reader, self._order, self._trace = reader, order, run.options.trace
        self._read = getattr(reader, "read_at", lambda index, at, turn: reader.read(index))
        self._table = node.table
        self.size = len(node.table) if order is None else len(order)
        self.lanes = reader.lanes
        self._meter = run.meter(node, node.name, self.lanes)

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        index = at if self._order is None else self._order[at]
        # The turn is waited for before the clock starts.
        ordered = turn.at(self) if self._reader.ordered else nullcontext()
        with ordered, self._meter.time(len(index)):
            block = self._read(index, at, turn)
        if self._trace:
            block.rows = index[: block.count]
        return block

    def files(self, at: int) -> Sequence[Any]:
        row = at if self._order is None else int(self._order[at])
        return getattr(self._table, "files_of", lambda row: ())(row)


@dataclass(frozen=True, eq=False)
class Varying(Over):
    """A source whose passes may have different numbers of rows: they are read from their first."""

    def open(self, run: Run, number: int) -> Pass:
        return _Read(run, self.child.open(run, number))

    def describe(self) -> str:
        return self.child.describe()


class _Read(Stream):
    def __init__(self, run: Run, below: Pass) -> None:
        self._run, self._below = run, below

    def blocks(self) -> Iterator[Block]:
        return self._run.read(self._below)


@dataclass(frozen=True, eq=False)
class StreamSource(Node):
    """The rows that a function yields in each pass.

    Args:
        name: for messages.
        names: the columns.
        make: gives an iterator over blocks for a pass; its arguments are the run and the number of
            the pass.
        rows: the number of rows, where known.
    """

    name: str
    names: tuple[str, ...]
    make: Callable[[Run, int], Iterator[Block]]
    rows: Callable[[], int | None]
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names

    def size(self) -> int | None:
        return self.rows()

    def open(self, run: Run, number: int) -> Pass:
        return _StreamPass(self, run, number)

    def describe(self) -> str:
        return self.name

    def arguments(self) -> dict[str, Any]:
        return dict(self.settings)


class _StreamPass(Stream):
    def __init__(self, node: StreamSource, run: Run, number: int) -> None:
        self._node, self._run, self._number = node, run, number
        self._meter = run.meter(node, node.name)

    def blocks(self) -> Iterator[Block]:
        blocks = self._node.make(self._run, self._number)
        rows = 0
        while True:
            with self._meter.time(0):
                block = next(blocks, None)
            if block is None:
                return
            self._meter.add(block.count, 0)
            if self._run.options.trace:
                block.rows = np.arange(rows, rows + block.count)
            rows += block.count
            yield block
            if block.error is not None:
                return
