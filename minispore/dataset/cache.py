"""DatasetCache: rows kept in memory once they were made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from minispore.dataset import check
from minispore.dataset.pipeline.caching import Cached, Store
from minispore.dataset.pipeline.mapping import Map
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import Select
from minispore.dataset.pipeline.source import TableSource
from minispore.dataset.transforms.base import Transform


class CacheStatistics:
    """What a cache holds.

    Attributes:
        avg_cache_sz: bytes of a row, on average.
        num_mem_cached: rows in memory.
        num_disk_cached: 0; nothing is spilled.
    """

    def __init__(self, rows: int, size: int) -> None:
        self.avg_cache_sz = size // rows if rows else 0
        self.num_mem_cached = rows
        self.num_disk_cached = 0


class DatasetCache:
    """Keeps the rows of sources and of maps in memory; later passes need not make them again.

    Args:
        session_id (int): accepted; there is no cache server, rows stay in this process.
        size (int): at most so many megabytes; 0 for no bound. Default: ``0``.
        spilling (bool): accepted; rows beyond ``size`` are made again, not written to disk.
        hostname, port, num_connections, prefetch_size: accepted.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
    """

    def __init__(
        self,
        session_id: int,
        size: int = 0,
        spilling: bool = False,
        hostname: str | None = None,
        port: int | None = None,
        num_connections: int | None = None,
        prefetch_size: int | None = None,
    ) -> None:
        op = "DatasetCache"
        self.session_id = check.integer(op, "session_id", session_id, 0, 2**32 - 1)
        self.size = check.int32(op, "size", size, 0)
        self.spilling = check.boolean(op, "spilling", spilling)
        self._stores: list[Store] = []

    def get_stat(self) -> CacheStatistics:
        """How many rows are kept, and how large they are."""
        return CacheStatistics(sum(s.rows for s in self._stores), self._nbytes)

    @property
    def _nbytes(self) -> int:
        return sum(s.nbytes for s in self._stores)

    def _room(self) -> bool:
        return not self.size or self._nbytes < self.size << 20

    def over(self, op: str, node: Node) -> Node:
        """The node, its rows kept: a source with random access, or maps and projections over one.

        Raises:
            RuntimeError: rows do not depend on the source row alone.
        """
        source = node
        while isinstance(source, Map | Select):
            if isinstance(source, Map) and any(
                isinstance(o, Transform) and o.random for o in source.operations
            ):
                raise RuntimeError(
                    f"{op}: cache must not be given to random transforms, whose rows differ in "
                    "each pass. Put them into a map after this one."
                )
            if isinstance(source, Map) and source.callbacks:
                raise RuntimeError(
                    f"{op}: cache must not be given to a map with callbacks, which would not run "
                    "for rows that are kept. Put them on a map after this one."
                )
            source = source.child
        if not isinstance(source, TableSource):
            raise RuntimeError(
                f"{op}: cache must be given to maps right over a source with random access, got "
                f"one over {source.describe()}."
            )
        store = Store(node.columns, len(source.table), self._room)
        self._stores.append(store)
        return Cached(source.table, source.sampler, _in_order(node), store)


def cache_of(op: str, value: Any) -> DatasetCache:
    """``cache`` of an operation.

    Raises:
        TypeError: it is no DatasetCache.
    """
    if not isinstance(value, DatasetCache):
        raise check.wrong_type(op, "cache", "be a DatasetCache", value, DatasetCache)
    return value


def _in_order(node: Node) -> Node:
    """The same maps over all rows of the source, in order."""
    if isinstance(node, Map | Select):
        return replace(node, child=_in_order(node.child))
    assert isinstance(node, TableSource)
    return replace(node, sampler=None)
