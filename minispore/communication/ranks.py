"""What the transports of several ranks share: who takes part, and reductions in rank order.

A sum is made in the order of the ranks, each part of a large one on one rank, so all ranks get the
same bits. A transport says how arrays get from rank to rank (``_begin``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from minispore.core.value import Spec
from minispore.ops.support.transport import Traffic

Members = Callable[[str], tuple[int, ...]]
_SMALL_BYTES = 64 << 10  # arrays up to this size are reduced by every rank, in one exchange
_REDUCE = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}


class Ranks(ABC):
    """A :class:`~minispore.ops.support.transport.Transport` on top of exchanges between ranks.

    Args:
        rank: the own rank in the world.
        members: the ranks of a group, by its name.
        timeout: seconds to wait for another rank.
    """

    def __init__(self, rank: int, members: Members, timeout: float) -> None:
        self._me, self._members, self._timeout = rank, members, timeout
        self.traffic = Traffic()

    @abstractmethod
    def _begin(
        self, op: str, group: str, out: Mapping[int, np.ndarray], like: Mapping[int, Spec]
    ) -> Callable[[], dict[int, np.ndarray]]:
        """Begin to send ``out`` to its ranks; the result waits for what those of ``like`` send."""

    @abstractmethod
    def _agree(self, op: str, x: np.ndarray, group: str) -> None:
        """Raise unless all ranks of the group make this call; where messages don't tell already."""

    def size(self, group: str) -> int:
        return len(self._members(group))

    def rank(self, group: str) -> int:
        members = self._members(group)
        if self._me not in members:
            raise ValueError(
                f"communication: group {group!r} has the ranks {members}, and this is rank "
                f"{self._me}. Only they may take part."
            )
        return members.index(self._me)

    def _at(self, op: str, index: int, group: str) -> int:
        """The rank in the world of one of a group."""
        members = self._members(group)
        if not 0 <= index < len(members):
            raise ValueError(
                f"{op}: the rank must be from 0 to {len(members) - 1} in group {group!r}, got "
                f"{index}."
            )
        return members[index]

    def _other(self, op: str, index: int, group: str) -> int:
        rank = self._at(op, index, group)
        if rank == self._me:
            raise ValueError(f"{op}: the rank must be another one, got {index}, this one itself.")
        return rank

    # -- what is made of exchanges -----------------------------------------------------------------

    def all_reduce(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        return self.begin_all_reduce(x, op, group)()

    def begin_all_reduce(self, x: np.ndarray, op: str, group: str) -> Callable[[], np.ndarray]:
        said, size = f"AllReduce {op}", self.size(group)
        self._agree(said, x, group)
        if x.nbytes <= _SMALL_BYTES:
            all_of_it = self._swap(said, [x] * size, group)
            return lambda: _reduced(all_of_it(), op)
        parts = np.array_split(x.reshape(-1), size)
        mine = self._swap(said, parts, group)

        def finish() -> np.ndarray:
            like = [Spec(p.shape, p.dtype) for p in parts]
            made = self._swap(said, [_reduced(mine(), op)] * size, group, like)()
            return np.concatenate(made).reshape(x.shape)

        return finish

    def reduce_scatter(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        said = f"ReduceScatter {op}"
        self._agree(said, x, group)
        return _reduced(self._swap(said, np.split(x, self.size(group)), group)(), op)

    def reduce(self, x: np.ndarray, op: str, root: int, group: str) -> np.ndarray | None:
        found = self._to_root(f"Reduce {op}", x, root, group)
        return None if found is None else _reduced(found, op)

    def all_gather(self, x: np.ndarray, group: str) -> list[np.ndarray]:
        self._agree("AllGather", x, group)
        return self._swap("AllGather", [x] * self.size(group), group)()

    def gather(self, x: np.ndarray, root: int, group: str) -> list[np.ndarray] | None:
        return self._to_root("CollectiveGather", x, root, group)

    def scatter(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        return self._from_root("CollectiveScatter", x, np.split(x, self.size(group)), root, group)

    def all_to_all(self, parts: Sequence[np.ndarray], group: str) -> list[np.ndarray]:
        self._agree("AlltoAll", parts[0], group)
        return self._swap("AlltoAll", parts, group)()

    def broadcast(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        return self._from_root("Broadcast", x, [x] * self.size(group), root, group)

    def barrier(self, group: str) -> None:
        nothing = np.zeros(0, np.uint8)
        self._agree("Barrier", nothing, group)
        self._swap("Barrier", [nothing] * self.size(group), group)()

    def _to_root(self, op: str, x: np.ndarray, root: int, group: str) -> list[np.ndarray] | None:
        self.rank(group)
        to, members, op = self._at(op, root, group), self._members(group), f"{op} to {root}"
        self._agree(op, x, group)
        if to != self._me:
            self._begin(op, group, {to: x}, {})()
            return None
        others = {r: Spec(x.shape, x.dtype) for r in members if r != to}
        came = self._begin(op, group, {}, others)()
        return [x if r == to else came[r] for r in members]

    def _from_root(
        self, op: str, x: np.ndarray, parts: Sequence[np.ndarray], root: int, group: str
    ) -> np.ndarray:
        own, members = self.rank(group), self._members(group)
        source, op = self._at(op, root, group), f"{op} from {root}"
        self._agree(op, x, group)
        if source != self._me:
            like = {source: Spec(parts[own].shape, parts[own].dtype)}
            return self._begin(op, group, {}, like)()[source]
        others = {r: part for r, part in zip(members, parts, strict=True) if r != source}
        self._begin(op, group, others, {})()
        return parts[own]

    def _swap(
        self,
        op: str,
        parts: Sequence[np.ndarray],
        group: str,
        like: Sequence[Spec] | None = None,
    ) -> Callable[[], list[np.ndarray]]:
        """Part i goes to rank i of the group; waits for what comes from each. Without ``like`` it
        is as what stays here.
        """
        members, own = self._members(group), self.rank(group)
        here = Spec(parts[own].shape, parts[own].dtype)
        others = {r: i for i, r in enumerate(members) if r != self._me}
        specs = {r: like[i] if like is not None else here for r, i in others.items()}
        wait = self._begin(op, group, {r: parts[i] for r, i in others.items()}, specs)

        def finish() -> list[np.ndarray]:
            came = wait()
            return [parts[own] if r == self._me else came[r] for r in members]

        return finish


def differ(op: str, rank: int, theirs: str, mine: str) -> RuntimeError:
    """What to say where two ranks do not make the same call."""
    return RuntimeError(
        f"{op.partition(' ')[0]}: rank {rank} is in {theirs}, this rank in {mine}. All ranks of a "
        "group must make the same calls in the same order."
    )


def late(op: str, me: int, timeout: float, missing: Collection[int]) -> RuntimeError:
    """What to say where a rank has waited in vain."""
    return RuntimeError(
        f"{op.partition(' ')[0]}: rank {me} has waited {timeout:.0f} s for the ranks "
        f"{sorted(missing)}. All ranks of a group must make the same calls in the same order; "
        "HCCL_EXEC_TIMEOUT sets how long to wait."
    )


def _reduced(parts: list[np.ndarray], op: str) -> np.ndarray:
    first, *rest = parts
    made = first.copy()
    for part in rest:
        _REDUCE[op](made, part, out=made)
    return made
