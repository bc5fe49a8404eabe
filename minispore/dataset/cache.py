"""DatasetCache: stores the rows of a source or a map in memory once they have been computed."""

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
    """The number and the size of the rows in a cache.

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
    """Keeps the rows of sources and of maps in memory, so that later passes can reuse them.

    Args:
        session_id (int): accepted; there is no cache server, rows stay in this process.
        size (int): the maximum size in megabytes; 0 for no limit. Default: ``0``.
        spilling (bool): accepted; rows beyond ``size`` are recomputed, not written to disk.
        hostname, port, num_connections, prefetch_size: accepted.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
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
        api_name = "DatasetCache"
        self.session_id = check.integer(api_name, "session_id", session_id, 0, 2**32 - 1)
        self.size = check.int32(api_name, "size", size, 0)
        self.spilling = check.boolean(api_name, "spilling", spilling)
        self._stores: list[Store] = []

    def get_stat(self) -> CacheStatistics:
        """Return statistics of the stored rows: their number and average size."""
        return CacheStatistics(sum(s.rows for s in self._stores), self._total_bytes)

    @property
    def _total_bytes(self) -> int:
        """The total size of all stored rows in bytes."""
        return sum(s.nbytes for s in self._stores)

    def _has_room(self) -> bool:
        """Whether the cache may store another row."""
        return not self.size or self._total_bytes < self.size << 20

    def make_cached_node(self, api_name: str, node: Node) -> Node:
        """Return ``node`` with its rows cached in a new store, which counts towards ``size``.

        ``node`` must be a source with random access, or maps and projections over one.

        Raises:
            RuntimeError: a row depends on more than its source row.
        """
        source = node
        while isinstance(source, Map | Select):
            if isinstance(source, Map):
                _check_cacheable(api_name, source)
            source = source.child
        if not isinstance(source, TableSource):
            raise RuntimeError(
                f"{api_name}: cache must be given to maps right over a source with random access, "
                f"got one over {source.describe()}."
            )
        store = Store(node.columns, len(source.table), self._has_room)
        self._stores.append(store)
        return Cached(source.table, source.sampler, _remove_sampler(node), store)


def check_cache(api_name: str, value: Any) -> DatasetCache:
    """Return the ``cache`` argument of an operation.

    Raises:
        TypeError: ``value`` is not a DatasetCache.
    """
    if not isinstance(value, DatasetCache):
        raise check.wrong_type(api_name, "cache", "be a DatasetCache", value, DatasetCache)
    return value


def _check_cacheable(api_name: str, node: Map) -> None:
    """Check that a map has no random transforms or callbacks, so that its rows can be cached.

    Users' functions are trusted to be deterministic.

    Raises:
        RuntimeError: the map has random transforms or callbacks.
    """
    if any(isinstance(o, Transform) and o.random for o in node.operations):
        raise RuntimeError(
            f"{api_name}: cache must not be given to random transforms, whose rows differ "
            "in each pass. Put them into a map after this one."
        )
    if node.callbacks:
        raise RuntimeError(
            f"{api_name}: cache must not be given to a map with callbacks, which would not "
            "run for rows that are kept. Put them on a map after this one."
        )


def _remove_sampler(node: Node) -> Node:
    """Return the same maps over all rows of the source, in order."""
    if isinstance(node, Map | Select):
        return replace(node, child=_remove_sampler(node.child))
    assert isinstance(node, TableSource)
    return replace(node, sampler=None)
