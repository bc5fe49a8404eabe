"""The order of communication: whether ranks that each wait in their own order can ever go on.

An Ascend writes what each rank did to ``rank_R/execute_order/comm_execute_order.csv``. Operations
that several ranks take part in are the nodes of a graph, and each rank's order of them its edges: a
circle is a deadlock. Here nothing needs to be collected: two ranks compare each exchange as it
happens, and raise.
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

from minispore import checks, log

_COLUMNS = (
    "index", "group", "comm_rank", "primitive", "src_rank", "dest_rank", "root_rank",
    "input_shape", "input_type", "output_shape", "output_type", "input_size", "output_size",
)  # fmt: skip
_SENDS = ("Send", "DistCommIsend", "InnerCommIsend")
_RECEIVES = ("Receive", "DistCommIrecv", "InnerCommIrecv")


@dataclass
class ExecuteOrder:
    """One operation of one rank: a row of its file.

    Args:
        index: its number on the rank.
        group: the group's name.
        comm_rank: the ranks that take part, with spaces between them.
        primitive: the operation's name.
        src_rank, dest_rank, root_rank: the rank from which, to which or around which; or "".
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
        """What the operation is called on every rank that takes part; ``rank`` has this row."""
        everyone = ",".join(self.comm_rank)
        if self.primitive in _SENDS and self.dest_rank + self.src_rank:
            return f"Send_Receive_{self.group}_({rank})->({self.dest_rank})_{self.input_shape}"
        if self.primitive in _RECEIVES and self.dest_rank + self.src_rank:
            return f"Send_Receive_{self.group}_({self.src_rank})->({rank})_{self.output_shape}"
        roles = [
            f"_{role}Rank:({of})"
            for role, of in (
                ("src", self.src_rank),
                ("dest", self.dest_rank),
                ("root", self.root_rank),
            )
            if of
        ]
        named = f"_commRank:({everyone})" if roles else f"_({everyone})"
        return f"{self.primitive}_{self.group}{named}{''.join(roles)}"

    def generate_key(self, rank: str, count: int) -> str:
        """The name of its ``count``-th time."""
        return f"{self.generate_base_key(rank)}_{count}th"


class RankFolderParser:
    """Reads the files of ranks.

    Args:
        folders (str or list[str]): folders called ``rank_R``, or folders that hold such.

    Raises:
        ValueError: a folder is relative, is not there, holds no rank, or a rank is there twice.
    """

    def __init__(self, folders: str | Sequence[str]) -> None:
        self.folders = [folders] if isinstance(folders, str) else list(folders)
        self._ranks: dict[str, Path] = {}
        for folder in self.folders:
            for found in _rank_folders(folder):
                rank = found.name.partition("_")[2]
                if rank in self._ranks:
                    raise ValueError(_said(f"hold each rank once, got {found.name} twice", folder))
                self._ranks[rank] = found

    def parse(self) -> dict[str, list[ExecuteOrder]]:
        """The operations of each rank, in their order."""
        found = {}
        for rank, folder in self._ranks.items():
            orders = self.parse_rank_folder(str(folder / "execute_order"), rank)[1]
            if orders:
                found[rank] = orders
        return found

    def parse_rank_folder(
        self, rank_folder_path: str, rank_id: str
    ) -> tuple[str, list[ExecuteOrder] | None]:
        """A rank and its operations; None and a line in the log, if its file can't be read."""
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


def _rank_folders(folder: str) -> Iterator[Path]:
    path = Path(checks.string("runtime_execution_order_check", "folders_", folder))
    if not path.is_absolute():
        raise ValueError(_said("be an absolute path", folder))
    if not path.is_dir():
        raise ValueError(f"{_said('be a folder', folder)} Path does not exist.")
    if path.name.startswith("rank_"):
        yield path
        return
    found = [p for p in sorted(path.iterdir()) if p.name.startswith("rank_") and p.is_dir()]
    if not found:
        raise ValueError(f"{_said('hold folders rank_R', folder)} No rank_x folders found.")
    yield from found


def _said(rule: str, folder: str) -> str:
    return f"runtime_execution_order_check: folders_ must {rule}, got {folder!r}."


def modify_execute_orders(
    execute_orders_map: Mapping[str, Sequence[ExecuteOrder] | None],
) -> dict[str, list[str]]:
    """The names of each rank's operations, the same on every rank that takes part in one."""
    made: dict[str, list[str]] = {}
    for rank, orders in execute_orders_map.items():
        times = Counter[str]()
        made[rank] = []
        for order in orders or ():
            times[order.generate_base_key(rank)] += 1
            made[rank].append(order.generate_key(rank, times[order.generate_base_key(rank)]))
    return made


def parse_and_validate(data: Mapping[str, Sequence[str]], all_rank: bool = True) -> None:
    """Write to the log which operation of a rank another of its ranks does not have.

    Args:
        data: the names of each rank's operations; the first two brackets of one hold its ranks.
        all_rank: whether every rank has to be among them.
    """
    if not isinstance(data, Mapping):
        log.error("The names of operations must be a dict of lists, got %r.", data)
        return
    known = {}
    for rank, names in data.items():
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            known[rank] = set(names)
        else:
            log.error("The operations of rank %r must be a list of str, got %r.", rank, names)
    for said in known.values():
        for name in sorted(said):
            inside = re.findall(r"\((.*?)\)", name)[:2]
            ranks = {rank.strip() for group in inside for rank in group.split(",")}
            missing = ranks - known.keys()
            if all_rank and missing:
                log.error("%s: there is nothing of the ranks %s.", name, sorted(missing))
                continue
            for rank in sorted(ranks - missing):
                if name not in known[rank]:
                    log.error("%s: rank %s takes no part in it.", name, rank)


def detect_cycle_in_graph(
    ranks_map: Mapping[str, Sequence[str]],
) -> tuple[list[str], list[str]] | tuple[None, None]:
    """The operations of a deadlock, the first again at the end, and the steps with their ranks.

    >>> detect_cycle_in_graph({"0": ["A", "B"], "1": ["B", "A"]})
    (['A', 'B', 'A'], ['0 A -> B', '1 B -> A'])
    >>> detect_cycle_in_graph({"0": ["A", "B"], "1": ["A", "B"]})
    (None, None)
    """
    after: dict[str, list[str]] = {}
    owner = {}
    for rank, names in ranks_map.items():
        for one, two in pairwise(names):
            after.setdefault(one, []).append(two)
            owner[one, two] = rank
    done = set[str]()
    for start in list(after):
        way: dict[str, Iterator[str]] = {}  # from the start to here, and what is left to try
        if start not in done:
            way[start] = iter(after[start])
        while way:
            here = next(reversed(way))
            following = next(way[here], None)
            if following is None:
                done.add(here)
                del way[here]
            elif following in way:
                nodes = list(way)
                circle = [*nodes[nodes.index(following) :], following]
                steps = pairwise(circle)
                return circle, [f"{owner[step]} {step[0]} -> {step[1]}" for step in steps]
            elif following not in done:
                way[following] = iter(after.get(following, ()))
    return None, None


def runtime_execution_order_check(
    folders_: str | Sequence[str], all_rank: bool | None = None
) -> None:
    """Read what ranks did and in which order, and write to the log where they wait in a circle.

    Args:
        folders_ (str or list[str]): absolute paths of folders ``rank_R``, or of one that holds all.
        all_rank (bool, optional): whether the folders are those of all ranks. Default: ``None``,
            if there is one path.

    Raises:
        ValueError: a folder is relative, is not there, holds no rank, or a rank is there twice.
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
    circle, steps = detect_cycle_in_graph(names)
    if circle is None or steps is None:
        log.warning("No rank waits in a circle with others.")
        return
    log.error("Ranks wait for each other in a circle: %s", " -> ".join(circle))
    for step in steps:
        log.error("rank %s", step)


@dataclass
class _Watch:
    is_on: bool = False


_watch = _Watch()


def comm_exec_order_check(action: str) -> None:
    """Begin or end a check of the order of communication.

    Here each exchange is compared at once, whether a check was begun or not: ranks whose calls
    differ raise RuntimeError and name both.

    Args:
        action (str): ``"start"`` or ``"end"``. One that comes out of turn is a line in the log.

    Raises:
        TypeError: ``action`` is no str.
        ValueError: ``action`` is another one.

    >>> comm_exec_order_check("start")
    >>> comm_exec_order_check("end")
    """
    name = "comm_exec_order_check"
    checks.one_of(name, "action", checks.string(name, "action", action), ("start", "end"))
    if _watch.is_on == (action == "start"):
        log.error("comm_exec_order_check: %r comes out of turn.", action)
    _watch.is_on = action == "start"


__all__ = [
    "ExecuteOrder",
    "RankFolderParser",
    "comm_exec_order_check",
    "detect_cycle_in_graph",
    "modify_execute_orders",
    "parse_and_validate",
    "runtime_execution_order_check",
]
