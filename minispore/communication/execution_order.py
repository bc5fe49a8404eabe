"""The order of communication: checks whether ranks wait for each other in a cycle.

An Ascend writes the operations of each rank to ``rank_R/execute_order/comm_execute_order.csv``.
Operations that involve several ranks are the nodes of a graph, and the order on each rank gives its
edges: a cycle is a deadlock. minispore does not need the files: two ranks compare each exchange as
it happens, and raise an error.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from minispore import log
from minispore.foundation import checks

_COLUMNS = (
    "index", "group", "comm_rank", "primitive", "src_rank", "dest_rank", "root_rank",
    "input_shape", "input_type", "output_shape", "output_type", "input_size", "output_size",
)  # fmt: skip
_SEND_OPS = ("Send", "DistCommIsend", "InnerCommIsend")
_RECEIVE_OPS = ("Receive", "DistCommIrecv", "InnerCommIrecv")


@dataclass
class ExecuteOrder:
    """One operation of one rank: a row of the rank's file.

    Args:
        index: the number of the operation on the rank.
        group: the group's name.
        comm_rank: the participating ranks, separated by spaces.
        primitive: the operation's name.
        src_rank, dest_rank, root_rank: the source, destination or root rank, or "".
        input_shape, output_shape: the arrays' shapes, as text.

    >>> ExecuteOrder("1", "g", "0 1", "AllReduce").generate_key("0", 1)
    'AllReduce_g_(0,1)_1th'
    """

    index: str
    group: str
    comm_rank: Any
    primitive: str
    src_rank: str = ""
    dest_rank: str = ""
    root_rank: str = ""
    input_shape: str = ""
    output_shape: str = ""

    def __post_init__(self) -> None:
        self.comm_rank = self.comm_rank.split()

    def generate_base_key(self, rank: str) -> str:
        """Return the operation's name, which is the same on all participating ranks.

        ``rank`` is the rank whose list contains this row.
        """
        all_ranks = ",".join(self.comm_rank)
        if self.primitive in _SEND_OPS and self.dest_rank + self.src_rank:
            return f"Send_Receive_{self.group}_({rank})->({self.dest_rank})_{self.input_shape}"
        if self.primitive in _RECEIVE_OPS and self.dest_rank + self.src_rank:
            return f"Send_Receive_{self.group}_({self.src_rank})->({rank})_{self.output_shape}"
        roles = [
            f"_{role}Rank:({role_rank})"
            for role, role_rank in (
                ("src", self.src_rank),
                ("dest", self.dest_rank),
                ("root", self.root_rank),
            )
            if role_rank
        ]
        ranks = f"_commRank:({all_ranks})" if roles else f"_({all_ranks})"
        return f"{self.primitive}_{self.group}{ranks}{''.join(roles)}"

    def generate_key(self, rank: str, count: int) -> str:
        """Return the name of the ``count``-th operation of this kind, the same on all its ranks."""
        return f"{self.generate_base_key(rank)}_{count}th"


class RankFolderParser:
    """Reads the operation lists of ranks from their folders.

    Args:
        folders (str or list[str]): folders named ``rank_R``, or folders that contain them.

    Raises:
        ValueError: a folder is relative or missing, holds no rank, or a rank occurs twice.
    """

    def __init__(self, folders: str | Sequence[str]) -> None:
        self.folders = [folders] if isinstance(folders, str) else list(folders)
        self._ranks: dict[str, Path] = {}
        for folder in self.folders:
            for rank_folder in _find_rank_folders(folder):
                rank = rank_folder.name.partition("_")[2]
                if rank in self._ranks:
                    raise ValueError(
                        _format_error(f"hold each rank once, got {rank_folder.name} twice", folder)
                    )
                self._ranks[rank] = rank_folder

    def parse(self) -> dict[str, list[ExecuteOrder]]:
        """Return the operations of each rank, in order, omitting ranks without operations."""
        orders_by_rank = {}
        for rank, folder in self._ranks.items():
            orders = self.parse_rank_folder(str(folder / "execute_order"), rank)[1]
            if orders:
                orders_by_rank[rank] = orders
        return orders_by_rank

    def parse_rank_folder(
        self, rank_folder_path: str, rank_id: str
    ) -> tuple[str, list[ExecuteOrder] | None]:
        """Return a rank and its operations; log an error and return None if the file is missing or
        has other columns.
        """
        path = os.path.join(rank_folder_path, "comm_execute_order.csv")
        try:
            with open(path, encoding="utf-8", newline="") as file:
                rows = csv.DictReader(file)
                if tuple(rows.fieldnames or ()) != _COLUMNS:
                    log.error("%s: the columns must be %s.", path, ", ".join(_COLUMNS))
                    return rank_id, None
                names = [f.name for f in fields(ExecuteOrder)]
                return rank_id, [ExecuteOrder(**{n: row[n] or "" for n in names}) for row in rows]
        except OSError as e:
            log.error("rank %s has no list of operations: %s", rank_id, e)
            return rank_id, None


def _find_rank_folders(folder: str) -> Iterator[Path]:
    """Yield the folder itself if it is a rank folder, else the rank folders in it.

    Raises:
        ValueError: the path is relative or missing, or there is no rank folder.
    """
    path = Path(checks.string("runtime_execution_order_check", "folders_", folder))
    if not path.is_absolute():
        raise ValueError(_format_error("be an absolute path", folder))
    if not path.is_dir():
        raise ValueError(f"{_format_error('be a folder', folder)} Path does not exist.")
    if path.name.startswith("rank_"):
        yield path
        return
    rank_folders = [p for p in sorted(path.iterdir()) if p.name.startswith("rank_") and p.is_dir()]
    if not rank_folders:
        raise ValueError(f"{_format_error('hold folders rank_R', folder)} No rank_x folders found.")
    yield from rank_folders


def _format_error(rule: str, folder: str) -> str:
    """Return the error message that ``folders_`` must follow ``rule``."""
    return f"runtime_execution_order_check: folders_ must {rule}, got {folder!r}."


def modify_execute_orders(
    execute_orders_map: Mapping[str, Sequence[ExecuteOrder] | None],
) -> dict[str, list[str]]:
    """Return the names of each rank's operations, numbered in order.

    An operation of several ranks has the same name on all of them.
    """
    keys: dict[str, list[str]] = {}
    for rank, orders in execute_orders_map.items():
        counts = Counter[str]()
        keys[rank] = []
        for order in orders or ():
            counts[order.generate_base_key(rank)] += 1
            keys[rank].append(order.generate_key(rank, counts[order.generate_base_key(rank)]))
    return keys


def parse_and_validate(data: Mapping[str, Sequence[str]], all_rank: bool = True) -> None:
    """Log an error for each operation that one of its ranks lacks, and for data of a wrong type.

    Args:
        data: the names of each rank's operations; the first two brackets of a name list its ranks.
        all_rank: whether ``data`` must contain every rank that occurs in a name.
    """
    if not isinstance(data, Mapping):
        log.error("The names of operations must be a dict of lists, got %r.", data)
        return
    keys_by_rank = {}
    for rank, names in data.items():
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            keys_by_rank[rank] = set(names)
        else:
            log.error("The operations of rank %r must be a list of str, got %r.", rank, names)
    for rank_keys in keys_by_rank.values():
        for name in sorted(rank_keys):
            rank_lists = re.findall(r"\((.*?)\)", name)[:2]
            ranks = {rank.strip() for group in rank_lists for rank in group.split(",")}
            missing = ranks - keys_by_rank.keys()
            if all_rank and missing:
                log.error("%s: there is nothing of the ranks %s.", name, sorted(missing))
                continue
            for rank in sorted(ranks - missing):
                if name not in keys_by_rank[rank]:
                    log.error("%s: rank %s takes no part in it.", name, rank)


def detect_cycle_in_graph(
    ranks_map: Mapping[str, Sequence[str]],
) -> tuple[list[str], list[str]] | tuple[None, None]:
    """Return the operations of a deadlock, with the first repeated at the end, and its steps with
    ranks; (None, None) if there is none.

    >>> detect_cycle_in_graph({"0": ["A", "B"], "1": ["B", "A"]})
    (['A', 'B', 'A'], ['0 A -> B', '1 B -> A'])
    >>> detect_cycle_in_graph({"0": ["A", "B"], "1": ["A", "B"]})
    (None, None)
    """
    successors: dict[str, list[str]] = {}
    edge_ranks = {}
    for rank, names in ranks_map.items():
        for earlier, later in pairwise(names):
            successors.setdefault(earlier, []).append(later)
            edge_ranks[earlier, later] = rank
    visited = set[str]()
    for start in list(successors):
        path: dict[str, Iterator[str]] = {}  # the current path, with the remaining successors
        if start not in visited:
            path[start] = iter(successors[start])
        while path:
            node = next(reversed(path))
            successor = next(path[node], None)
            if successor is None:
                visited.add(node)
                del path[node]
            elif successor in path:
                nodes = list(path)
                cycle = [*nodes[nodes.index(successor) :], successor]
                steps = pairwise(cycle)
                return cycle, [f"{edge_ranks[step]} {step[0]} -> {step[1]}" for step in steps]
            elif successor not in visited:
                path[successor] = iter(successors.get(successor, ()))
    return None, None


def runtime_execution_order_check(
    folders_: str | Sequence[str], all_rank: bool | None = None
) -> None:
    """Read the ranks' operation lists, and log an error if ranks wait for each other in a cycle.

    Args:
        folders_ (str or list[str]): absolute paths of folders ``rank_R``, or of one folder that
            contains all of them.
        all_rank (bool, optional): whether the folders cover all ranks. Default: ``None``, true if
            there is one path.

    Raises:
        ValueError: a folder is relative or missing, holds no rank, or a rank occurs twice.
    """
    if not folders_:
        log.error("folders_ must be a path or a list of paths, got %r.", folders_)
        return
    orders = RankFolderParser(folders_).parse()
    if not orders:
        log.error("There is no rank with a list of operations. Nothing was compared.")
        return
    names = modify_execute_orders(orders)
    if all_rank is None:
        all_rank = isinstance(folders_, str) or len(folders_) == 1
    parse_and_validate(names, all_rank)
    cycle, steps = detect_cycle_in_graph(names)
    if cycle is None or steps is None:
        log.warning("No rank waits in a circle with others.")
        return
    log.error("Ranks wait for each other in a circle: %s", " -> ".join(cycle))
    for step in steps:
        log.error("rank %s", step)


@dataclass
class _CheckState:
    """Whether ``comm_exec_order_check`` was started."""

    is_on: bool = False


_check_state = _CheckState()


def comm_exec_order_check(action: str) -> None:
    """Start or end a check of the order of communication.

    It only logs misuse: minispore always compares each exchange at once, and ranks whose calls
    differ raise a RuntimeError that names both.

    Args:
        action (str): ``"start"`` or ``"end"``. An action out of turn is logged.

    Raises:
        TypeError: ``action`` is not a str.
        ValueError: ``action`` has another value.

    >>> comm_exec_order_check("start")
    >>> comm_exec_order_check("end")
    """
    name = "comm_exec_order_check"
    checks.one_of(name, "action", checks.string(name, "action", action), ("start", "end"))
    if _check_state.is_on == (action == "start"):
        log.error("comm_exec_order_check: %r comes out of turn.", action)
    _check_state.is_on = action == "start"


__all__ = [
    "ExecuteOrder",
    "RankFolderParser",
    "comm_exec_order_check",
    "detect_cycle_in_graph",
    "modify_execute_orders",
    "parse_and_validate",
    "runtime_execution_order_check",
]
