"""The transport of the ranks of one machine: a pair of sockets between each two of them.

Nothing blocks but the wait for all of them at once, in which a rank sends what a socket takes and
takes in whatever comes. So two ranks that send to each other at once do not wait for each other.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import time
import weakref
from collections import deque
from collections.abc import Collection, Iterator, Mapping

import numpy as np

from minispore.core.value import Spec
from minispore.ops.support.transport import ABOUT_BYTES, Members, Poll, Transport

_HEAD = struct.Struct(f"!QQ{ABOUT_BYTES}s")  # bytes of the array, number of the message, what it is
_BUFFER_BYTES = 1 << 20  # asked for; what a rank sends while the other one computes stays there
_PAUSE_SECONDS, _SPIN_SECONDS = 0.2, 100e-6  # to sleep for news; to look for more after some
_TOGETHER_BYTES = 64 << 10  # an array up to this size is sent in one piece with its head


class Mesh(Transport):
    """See the module's text; ``connections`` is a connected socket for each other rank."""

    def __init__(
        self, rank: int, connections: Mapping[int, socket.socket], members: Members, timeout: float
    ) -> None:
        super().__init__(rank, members, timeout)
        self._connections = connections
        self._ranks = {c.fileno(): r for r, c in connections.items()}
        self._readers = {r: self._read(r, c) for r, c in connections.items()}
        self._outgoing = {r: deque[list[memoryview]]() for r in connections}
        self._inbox: dict[tuple[int, int], tuple[str, np.ndarray]] = {}
        self._wanted: dict[tuple[int, int], np.ndarray] = {}
        self._ended: set[int] = set()
        self._news = 0.0  # when something last came or went
        self._spin_seconds = 0 if len(connections) >= (os.cpu_count() or 1) else _SPIN_SECONDS
        self._poll = select.poll()
        for connection in connections.values():
            connection.setblocking(False)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
            self._poll.register(connection, select.POLLIN)
        _open.add(self)

    def neighbours(self) -> tuple[int, ...]:
        return tuple(sorted([self._me, *self._connections]))

    def _read(self, rank: int, connection: socket.socket) -> Iterator[None]:
        """Take in what a rank sends; yields whenever there is no more of it for now."""
        head = memoryview(bytearray(_HEAD.size))
        while True:
            yield from _filled(head, connection)
            nbytes, number, about = _HEAD.unpack(head)
            place = self._wanted.pop((rank, number), _NOTHING).reshape(-1).view(np.uint8)
            data = place if place.nbytes == nbytes else np.empty(nbytes, np.uint8)
            yield from _filled(data.data, connection)
            self._inbox[rank, number] = about.rstrip(b"\0").decode(), data

    def _send(self, rank: int, number: int, about: str, x: np.ndarray) -> Poll:
        data = np.ascontiguousarray(x).reshape(-1).view(np.uint8).data
        head, outgoing = _HEAD.pack(x.nbytes, number, about.encode()), self._outgoing[rank]
        if x.nbytes > _TOGETHER_BYTES:
            outgoing.append([memoryview(head)])
            head = b""
        rest = [memoryview(head + data) if head else data]
        outgoing.append(rest)
        self._news = time.monotonic()
        self._push(rank)
        return lambda: None if rest[0] else True

    def _push(self, rank: int) -> None:
        """Send what the connection takes now; of a rank that has ended, its reader will see."""
        connection, outgoing = self._connections[rank], self._outgoing[rank]
        with contextlib.suppress(OSError):
            while outgoing:
                rest = outgoing[0]
                rest[0] = rest[0][connection.send(rest[0]) :]
                if not rest[0]:
                    outgoing.popleft()
        if rank not in self._ended:
            self._poll.modify(connection, select.POLLIN | (select.POLLOUT if outgoing else 0))

    def _receive(self, rank: int, number: int, about: str, like: Spec) -> Poll:
        self._wanted[rank, number] = np.empty(like.shape, like.dtype)

        def poll() -> np.ndarray | None:
            if (rank, number) not in self._inbox:
                return None
            theirs, data = self._inbox.pop((rank, number))
            self._wanted.pop((rank, number), None)
            self._check(rank, theirs, about)
            return data.view(like.dtype).reshape(like.shape)

        return poll

    def _left(self, waited: float) -> Collection[int]:
        return self._ended

    def _idle(self, waited: float, doze: bool) -> None:
        if time.monotonic() - self._news < self._spin_seconds:
            os.sched_yield()
            found = self._poll.poll(0)
        else:
            found = self._poll.poll(1e3 * min(_PAUSE_SECONDS, self._timeout))
        for number, _ in found:
            self._news, rank = time.monotonic(), self._ranks[number]
            self._push(rank)
            try:
                next(self._readers[rank])
            except (EOFError, OSError):
                self._ended.add(rank)
                self._poll.unregister(number)

    def close(self) -> None:
        for connection in self._connections.values():
            with contextlib.suppress(OSError):  # the other side has closed it
                connection.shutdown(socket.SHUT_RDWR)
        self.let_go()

    def let_go(self) -> None:
        """Close the connections of this process; they stay open in others that have them."""
        for connection in self._connections.values():
            connection.close()


def _filled(place: memoryview, connection: socket.socket) -> Iterator[None]:
    """Fill ``place``; yields whenever nothing has come, and raises at the end of all."""
    while place:
        try:
            count = connection.recv_into(place)
        except BlockingIOError:
            yield
            continue
        if not count:
            raise EOFError
        place = place[count:]


_NOTHING = np.zeros(0, np.uint8)
_open: weakref.WeakSet[Mesh] = weakref.WeakSet()


def _let_go() -> None:
    """A process that was forked from a rank is none: a rank that ends must not live on in it."""
    for mesh in _open:
        mesh.let_go()


os.register_at_fork(after_in_child=_let_go)
