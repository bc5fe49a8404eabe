"""The transport of the ranks of one machine: a pair of sockets between each two of them.

One pump moves bytes in both directions until a condition holds, so two ranks that send to each
other at once do not wait for each other, and Ctrl-C and lost ranks are noticed while it waits. What
arrives is kept by the call of the group that it belongs to.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import threading
import time
import weakref
from collections import Counter, deque
from collections.abc import Callable, Mapping
from hashlib import blake2b

import numpy as np

from minispore.communication.ranks import Members, Ranks, differ, late
from minispore.core.value import Spec

_ABOUT_BYTES = 232
_HEAD = struct.Struct(f"!Q16s{_ABOUT_BYTES}s")  # bytes of the array, its call, its op and spec
_BOTH = select.POLLIN | select.POLLOUT
_PAUSE_MS = 200  # how often a wait looks whether it has become pointless
_FAREWELL_SECONDS = 5.0


class Peer:
    """The connection to one rank: what waits to be sent, and what came."""

    def __init__(self, rank: int, connection: socket.socket) -> None:
        self.rank, self.connection = rank, connection
        connection.setblocking(False)
        self.outgoing: deque[memoryview] = deque()
        self.inbox: dict[bytes, tuple[str, np.ndarray]] = {}
        self.ended = False
        self._head: tuple[bytes, str] | None = None
        self._expect(_HEAD.size)

    def _expect(self, nbytes: int) -> None:
        self._data = np.empty(nbytes, np.uint8)
        self._room = self._data.data

    def post(self, call: bytes, about: str, x: np.ndarray) -> None:
        """Queue a message; the array must stay as it is until it is sent."""
        self.outgoing.append(memoryview(_HEAD.pack(x.nbytes, call, about.encode())))
        if x.nbytes:
            self.outgoing.append(np.ascontiguousarray(x).reshape(-1).view(np.uint8).data)

    def push(self) -> None:
        """Send what the connection takes now."""
        try:
            while self.outgoing:
                sent = self.connection.send(self.outgoing[0])
                if sent < len(self.outgoing[0]):
                    self.outgoing[0] = self.outgoing[0][sent:]
                else:
                    self.outgoing.popleft()
        except BlockingIOError:
            pass
        except OSError:
            self.ended = True

    def pull(self) -> None:
        """Take in what has arrived by now."""
        try:
            while not self.ended:
                got = self.connection.recv_into(self._room)
                self.ended = not got
                self._room = self._room[got:]
                while not self._room:
                    self._arrived()
        except BlockingIOError:
            pass
        except OSError:
            self.ended = True

    def _arrived(self) -> None:
        """The head or the array of a message is complete."""
        if self._head is None:
            nbytes, call, about = _HEAD.unpack(self._data.data)
            self._head = call, about.rstrip(b"\0").decode()
            self._expect(nbytes)
        else:
            self.inbox[self._head[0]] = self._head[1], self._data
            self._head = None
            self._expect(_HEAD.size)


class Mesh(Ranks):
    """See the module's text; ``connections`` is a connected socket for each other rank."""

    def __init__(
        self, rank: int, connections: Mapping[int, socket.socket], members: Members, timeout: float
    ) -> None:
        super().__init__(rank, members, timeout)
        self._peers = {r: Peer(r, c) for r, c in connections.items()}
        self._lock = threading.RLock()  # one op at a time, from whichever thread
        self._calls: Counter[str] = Counter()  # so far, of each group or of each two ranks and tag
        _open.add(self)

    def neighbours(self) -> tuple[int, ...]:
        return tuple(sorted([self._me, *self._peers]))

    def send(self, x: np.ndarray, to: int, tag: int, group: str) -> None:
        rank = self._other("Send", to, group)
        self._exchange(f"{self._me} to {rank}, {tag}", "Send", group, {rank: x}, {})()

    def receive(self, like: Spec, source: int, tag: int, group: str) -> np.ndarray:
        rank = self._other("Receive", source, group)
        said = f"{rank} to {self._me}, {tag}"
        return self._exchange(said, "Send", group, {}, {rank: like})()[rank]

    def _agree(self, op: str, x: np.ndarray, group: str) -> None:
        """Each message says what it is."""

    def _begin(
        self, op: str, group: str, out: Mapping[int, np.ndarray], like: Mapping[int, Spec]
    ) -> Callable[[], dict[int, np.ndarray]]:
        return self._exchange("all", op, group, out, like)

    def _exchange(
        self,
        kind: str,
        op: str,
        group: str,
        out: Mapping[int, np.ndarray],
        like: Mapping[int, Spec],
    ) -> Callable[[], dict[int, np.ndarray]]:
        with self._lock:
            what = f"{kind} {self._members(group)}"
            self._calls[what] += 1
            call = blake2b(f"{what} {self._calls[what]}".encode(), digest_size=16).digest()
            for rank, x in out.items():
                self._peers[rank].post(call, _about(op, Spec(x.shape, x.dtype)), x)
                self._peers[rank].push()

        def finish() -> dict[int, np.ndarray]:
            with self._lock:
                sources = [self._peers[r] for r in like]
                self._pump(op, [self._peers[r] for r in out], sources, call)
                return {p.rank: _array(op, p, call, like[p.rank]) for p in sources}

        return finish

    def _pump(self, op: str, receivers: list[Peer], sources: list[Peer], call: bytes = b"") -> None:
        """Move bytes until receivers have been sent everything and the call's messages are here."""
        deadline = time.monotonic() + self._timeout
        while True:
            for peer in receivers:
                peer.push()
            for peer in sources:
                if call not in peer.inbox:
                    peer.pull()
            waiting = [p for p in receivers if p.outgoing]
            waiting += [p for p in sources if call not in p.inbox]
            if not waiting:
                return
            self._check(op, waiting, deadline)
            poll, by_number = select.poll(), {}
            for peer in self._peers.values():
                if not peer.ended:
                    by_number[peer.connection.fileno()] = peer
                    poll.register(peer.connection, _BOTH if peer.outgoing else select.POLLIN)
            for number, _ in poll.poll(_PAUSE_MS):
                by_number[number].pull()

    def _check(self, op: str, waiting: list[Peer], deadline: float) -> None:
        """Raise if it is no use waiting."""
        name = op.partition(" ")[0]
        ended = sorted({p.rank for p in waiting if p.ended})
        if ended:
            raise RuntimeError(
                f"{name}: rank {ended[0]} has ended while rank {self._me} waits for it. All ranks "
                "of a group must make the same calls; look at what that rank says of itself."
            )
        if time.monotonic() > deadline:
            raise late(op, self._me, self._timeout, {p.rank for p in waiting})

    def abort(self, status: int) -> None:
        """Other ranks see that this one has ended."""

    def close(self) -> None:
        """Send what is still to be sent and leave; other ranks see that this one has ended."""
        with self._lock, contextlib.suppress(RuntimeError):
            self._timeout = _FAREWELL_SECONDS
            self._pump("release", list(self._peers.values()), [])
        self.let_go()

    def let_go(self) -> None:
        """Close the connections; a process that was forked from a rank is none."""
        for peer in self._peers.values():
            peer.connection.close()


_open: weakref.WeakSet[Mesh] = weakref.WeakSet()


def _let_go() -> None:
    for mesh in _open:
        mesh.let_go()


os.register_at_fork(after_in_child=_let_go)  # a rank that ends must not live on in its children


def _about(op: str, spec: Spec) -> str:
    return f"{op} with {spec}"[:_ABOUT_BYTES]


def _array(op: str, peer: Peer, call: bytes, like: Spec) -> np.ndarray:
    """The array of a message, which must be of the kind that is expected."""
    about, data = peer.inbox.pop(call)
    if about != _about(op, like):
        raise differ(op, peer.rank, about, _about(op, like))
    return data.view(like.dtype).reshape(like.shape)
