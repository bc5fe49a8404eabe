"""The transport between processes: a TCP connection between each two ranks.

One pump moves bytes in both directions until a condition holds, so two ranks that send to each
other at once do not wait for each other, and Ctrl-C and lost ranks are noticed while it waits. What
arrives is kept by the group and tag that it belongs to.

Sums are made in the order of the ranks, each part on one rank, so all ranks get the same bits.
"""

from __future__ import annotations

import contextlib
import json
import selectors
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from minispore.core.value import Spec

_HEAD = struct.Struct("!IQ")  # bytes of the text that describes a message, bytes of its array
_CHUNK = 1 << 20
_PAUSE_SECONDS = 0.2  # how often a wait looks whether it has become pointless
_FAREWELL_SECONDS = 5.0
_SMALL_BYTES = 64 << 10  # arrays up to this size are reduced by every rank, in one exchange
_REDUCE = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}

Message = tuple[dict[str, Any], bytearray]


class Peer:
    """The connection to one rank: what waits to be sent, and what came."""

    def __init__(self, rank: int, connection: socket.socket) -> None:
        self.rank, self.connection = rank, connection
        connection.setblocking(False)
        self.outgoing: deque[memoryview] = deque()
        self.inbox: dict[str, deque[Message]] = {}
        self.ended = False
        self._arriving = bytearray()

    def post(self, about: dict[str, Any], x: np.ndarray) -> None:
        """Queue a message; the array is copied."""
        text, data = json.dumps(about).encode(), x.tobytes()
        parts = (_HEAD.pack(len(text), len(data)) + text, data)
        self.outgoing += [memoryview(part) for part in parts if part]

    def push(self) -> None:
        """Send what the connection takes now."""
        try:
            while self.outgoing:
                first = self.outgoing.popleft()
                sent = self.connection.send(first)
                if sent < len(first):
                    self.outgoing.appendleft(first[sent:])
        except BlockingIOError:
            self.outgoing.appendleft(first)
        except OSError:
            self.ended = True

    def pull(self) -> None:
        """Take in what has arrived by now."""
        try:
            while data := self.connection.recv(_CHUNK):
                self._arriving += data
            self.ended = True
        except BlockingIOError:
            pass
        except OSError:
            self.ended = True
        while self._complete():
            pass

    def _complete(self) -> bool:
        """Move one message into the inbox, if all of it is here."""
        if len(self._arriving) < _HEAD.size:
            return False
        text, data = _HEAD.unpack_from(self._arriving)
        start, end = _HEAD.size + text, _HEAD.size + text + data
        if len(self._arriving) < end:
            return False
        about = json.loads(self._arriving[_HEAD.size : start])
        self.inbox.setdefault(about["to"], deque()).append((about, self._arriving[start:end]))
        del self._arriving[:end]
        return True


class Mesh:
    """See the module's text; the methods are those of ``ops.support.transport.Transport``.

    Args:
        rank: the own rank in the world.
        connections: a connected socket for each other rank.
        members: the ranks of a group, by its name.
        timeout: seconds to wait for another rank.
    """

    def __init__(
        self,
        rank: int,
        connections: Mapping[int, socket.socket],
        members: Callable[[str], tuple[int, ...]],
        timeout: float,
    ) -> None:
        self._me, self._members, self._timeout = rank, members, timeout
        self._peers = {r: Peer(r, c) for r, c in connections.items()}
        self._lock = threading.Lock()  # one op at a time, from whichever thread
        self._selector = selectors.DefaultSelector()
        for peer in self._peers.values():
            self._selector.register(peer.connection, selectors.EVENT_READ, peer)

    # -- the transport -----------------------------------------------------------------------------

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

    def all_reduce(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        if x.nbytes <= _SMALL_BYTES:
            return _reduced(self._swap("AllReduce", [x] * self.size(group), group), op)
        parts = np.array_split(x.reshape(-1), self.size(group))
        mine = _reduced(self._swap("AllReduce", parts, group), op)
        like = [Spec(p.shape, p.dtype) for p in parts]
        made = self._swap("AllReduce", [mine] * len(parts), group, like)
        return np.concatenate(made).reshape(x.shape)

    def all_gather(self, x: np.ndarray, group: str) -> list[np.ndarray]:
        return self._swap("AllGather", [x] * self.size(group), group)

    def all_to_all(self, parts: Sequence[np.ndarray], group: str) -> list[np.ndarray]:
        return self._swap("AlltoAll", parts, group)

    def broadcast(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        self.rank(group)
        source = self._at("Broadcast", root, group)
        if source == self._me:
            others = {r: x for r in self._members(group) if r != source}
            self._exchange("Broadcast", group, others, {})
            return x
        like = {source: Spec(x.shape, x.dtype)}
        return self._exchange("Broadcast", group, {}, like)[source]

    def send(self, x: np.ndarray, to: int, tag: int, group: str) -> None:
        self._exchange("Send", group, {self._other("Send", to, group): x}, {}, tag)

    def receive(self, like: Spec, source: int, tag: int, group: str) -> np.ndarray:
        rank = self._other("Receive", source, group)
        return self._exchange("Send", group, {}, {rank: like}, tag)[rank]

    def barrier(self, group: str) -> None:
        self._swap("Barrier", [np.zeros(0, np.uint8)] * self.size(group), group)

    def close(self) -> None:
        """Send what is still to be sent and leave; other ranks see that this one has ended."""
        with self._lock, contextlib.suppress(RuntimeError):
            self._timeout = _FAREWELL_SECONDS
            self._pump("release", list(self._peers.values()), [])
        self._selector.close()
        for peer in self._peers.values():
            peer.connection.close()

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

    # -- exchanges ---------------------------------------------------------------------------------

    def _swap(
        self,
        op: str,
        parts: Sequence[np.ndarray],
        group: str,
        like: Sequence[Spec] | None = None,
    ) -> list[np.ndarray]:
        """Part i goes to rank i of the group; what came from each. Without ``like`` it is as what
        stays here.
        """
        members, own = self._members(group), self.rank(group)
        here = Spec(parts[own].shape, parts[own].dtype)
        others = {r: i for i, r in enumerate(members) if r != self._me}
        specs = {r: like[i] if like is not None else here for r, i in others.items()}
        came = self._exchange(op, group, {r: parts[i] for r, i in others.items()}, specs)
        return [parts[own] if r == self._me else came[r] for r in members]

    def _exchange(
        self,
        op: str,
        group: str,
        out: Mapping[int, np.ndarray],
        like: Mapping[int, Spec],
        tag: int | None = None,
    ) -> dict[int, np.ndarray]:
        """Send ``out`` to its ranks; return what came from the ranks of ``like``."""
        to = json.dumps([group, tag])
        with self._lock:
            for rank, x in out.items():
                about = {"to": to, "op": op, "spec": str(Spec(x.shape, x.dtype))}
                self._peers[rank].post(about, x)
            sources = [self._peers[rank] for rank in like]
            self._pump(op, [self._peers[rank] for rank in out], sources, to)
            taken = {p.rank: p.inbox[to].popleft() for p in sources}
        return {rank: _array(op, rank, *taken[rank], like[rank]) for rank in like}

    def _pump(self, op: str, receivers: list[Peer], sources: list[Peer], to: str = "") -> None:
        """Move bytes until receivers have been sent everything and all sources' messages are
        here.
        """
        deadline = time.monotonic() + self._timeout
        while True:
            for peer in receivers:
                peer.push()
            waiting = [p for p in receivers if p.outgoing]
            waiting += [p for p in sources if not p.inbox.get(to)]
            if not waiting:
                return
            self._check(op, waiting, deadline)
            for peer in self._peers.values():
                if not peer.ended:
                    write = selectors.EVENT_WRITE if peer.outgoing else 0
                    self._selector.modify(peer.connection, selectors.EVENT_READ | write, peer)
            for key, _ in self._selector.select(_PAUSE_SECONDS):
                key.data.pull()
                if key.data.ended:
                    self._selector.unregister(key.fileobj)

    def _check(self, op: str, waiting: list[Peer], deadline: float) -> None:
        """Raise if it is no use waiting."""
        ended = sorted({p.rank for p in waiting if p.ended})
        if ended:
            raise RuntimeError(
                f"{op}: rank {ended[0]} has ended while rank {self._me} waits for it. All ranks of "
                "a group must make the same calls; look at what that rank says of itself."
            )
        if time.monotonic() > deadline:
            raise RuntimeError(
                f"{op}: rank {self._me} has waited {self._timeout:.0f} s for the ranks "
                f"{sorted({p.rank for p in waiting})}. All ranks of a group must make the same "
                "calls in the same order; HCCL_EXEC_TIMEOUT sets how long to wait."
            )


def _reduced(parts: list[np.ndarray], op: str) -> np.ndarray:
    first, *rest = parts
    made = first.copy()
    for part in rest:
        _REDUCE[op](made, part, out=made)
    return made


def _array(op: str, rank: int, about: dict[str, Any], data: bytearray, like: Spec) -> np.ndarray:
    """The array of a message, which must be of the kind that is expected."""
    if (about["op"], about["spec"]) != (op, str(like)):
        raise RuntimeError(
            f"{op}: rank {rank} is in {about['op']} with {about['spec']}, this rank in {op} with "
            f"{like}. All ranks of a group must make the same calls in the same order."
        )
    return np.frombuffer(data, like.dtype).reshape(like.shape)
