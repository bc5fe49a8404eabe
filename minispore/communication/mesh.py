"""The transport between ranks of one machine: a socket pair between each two of them.

The only blocking call is a poll of all sockets, during which a rank sends as much as the sockets
accept and receives whatever arrives, so two ranks that send to each other do not deadlock.
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

from minispore.ir.value import Spec
from minispore.ops.support.transport import DESCRIPTION_BYTES, Members, Poll, Transport

_HEAD = struct.Struct(f"!QQ{DESCRIPTION_BYTES}s")  # bytes of the array, message number, description
_BUFFER_BYTES = 1 << 20  # socket buffer for data that arrives while a rank computes
_POLL_SECONDS, _SPIN_SECONDS = 0.2, 100e-6  # longest wait for events; busy polling after an event
_ONE_PIECE_BYTES = 64 << 10  # up to this size, an array is sent together with its header


class Mesh(Transport):
    """Transport over ``connections``, a connected socket for each other rank."""

    def __init__(
        self, rank: int, connections: Mapping[int, socket.socket], members: Members, timeout: float
    ) -> None:
        super().__init__(rank, members, timeout)
        self._connections = connections
        self._ranks = {c.fileno(): r for r, c in connections.items()}
        self._readers = {r: self._read_messages(r, c) for r, c in connections.items()}
        self._outgoing = {r: deque[list[memoryview]]() for r in connections}
        self._inbox: dict[tuple[int, int], tuple[str, np.ndarray]] = {}
        self._expected: dict[tuple[int, int], np.ndarray] = {}
        self._ended: set[int] = set()
        self._last_event = 0.0  # time of the last transfer
        self._spin_seconds = 0 if len(connections) >= (os.cpu_count() or 1) else _SPIN_SECONDS
        self._poll = select.poll()
        for connection in connections.values():
            connection.setblocking(False)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
            self._poll.register(connection, select.POLLIN)
        _open_meshes.add(self)

    def neighbours(self) -> tuple[int, ...]:
        """Return all ranks, since each is on this machine."""
        return tuple(sorted([self._own_rank, *self._connections]))

    def _read_messages(self, rank: int, connection: socket.socket) -> Iterator[None]:
        """Read the messages of a rank into the inbox; yield whenever no more data is available.

        A message is read into the array that a reception has reserved for it, if the lengths agree.
        """
        head = memoryview(bytearray(_HEAD.size))
        while True:
            yield from _fill_buffer(head, connection)
            nbytes, number, description = _HEAD.unpack(head)
            expected = self._expected.pop((rank, number), _EMPTY).reshape(-1).view(np.uint8)
            data = expected if expected.nbytes == nbytes else np.empty(nbytes, np.uint8)
            yield from _fill_buffer(data.data, connection)
            self._inbox[rank, number] = description.rstrip(b"\0").decode(), data

    def _begin_message(self, rank: int, number: int, description: str, x: np.ndarray) -> Poll:
        """Queue a message and send as much as the connection accepts; return a poll that tells when
        all is sent.
        """
        data = np.ascontiguousarray(x).reshape(-1).view(np.uint8).data
        head, outgoing = _HEAD.pack(x.nbytes, number, description.encode()), self._outgoing[rank]
        if x.nbytes > _ONE_PIECE_BYTES:
            outgoing.append([memoryview(head)])
            head = b""
        unsent = [memoryview(head + data) if head else data]  # shrinks as the connection accepts it
        outgoing.append(unsent)
        self._last_event = time.monotonic()
        self._send_pending(rank)
        return lambda: None if unsent[0] else True

    def _send_pending(self, rank: int) -> None:
        """Send as much as the connection accepts now, and update its poll events.

        Errors are ignored: the reader detects if the rank has ended.
        """
        connection, outgoing = self._connections[rank], self._outgoing[rank]
        with contextlib.suppress(OSError):
            while outgoing:
                unsent = outgoing[0]
                unsent[0] = unsent[0][connection.send(unsent[0]) :]
                if not unsent[0]:
                    outgoing.popleft()
        if rank not in self._ended:
            self._poll.modify(connection, select.POLLIN | (select.POLLOUT if outgoing else 0))

    def _begin_reception(self, rank: int, number: int, description: str, like: Spec) -> Poll:
        """Reserve an array for a message; return a poll that returns it once it has arrived."""
        self._expected[rank, number] = np.empty(like.shape, like.dtype)

        def poll() -> np.ndarray | None:
            """Return the array if its message has arrived, else None; check the sender's
            description.
            """
            if (rank, number) not in self._inbox:
                return None
            received_description, data = self._inbox.pop((rank, number))
            self._expected.pop((rank, number), None)
            self._check_description(rank, received_description, description)
            return data.view(like.dtype).reshape(like.shape)

        return poll

    def _find_ended_ranks(self, waited: float) -> Collection[int]:
        """Return the ranks whose connection has ended."""
        return self._ended

    def _make_progress(self, waited: float, may_sleep: bool) -> None:
        """Wait for socket events, and send and receive as much as possible.

        Ignores the arguments: it sleeps only if no event has occurred for a while.
        """
        if time.monotonic() - self._last_event < self._spin_seconds:
            os.sched_yield()
            events = self._poll.poll(0)
        else:
            events = self._poll.poll(1e3 * min(_POLL_SECONDS, self._timeout))
        for descriptor, _ in events:
            self._last_event, rank = time.monotonic(), self._ranks[descriptor]
            self._send_pending(rank)
            try:
                next(self._readers[rank])
            except (EOFError, OSError):
                self._ended.add(rank)
                self._poll.unregister(descriptor)

    def close(self) -> None:
        """Shut down the connections in both directions, and close them."""
        for connection in self._connections.values():
            with contextlib.suppress(OSError):  # the other side has already closed it
                connection.shutdown(socket.SHUT_RDWR)
        self.close_connections()

    def close_connections(self) -> None:
        """Close the connections of this process; forked processes may still have them open."""
        for connection in self._connections.values():
            connection.close()


def _fill_buffer(buffer: memoryview, connection: socket.socket) -> Iterator[None]:
    """Fill ``buffer``; yield whenever no data is available, and raise EOFError at the end of the
    connection.
    """
    while buffer:
        try:
            count = connection.recv_into(buffer)
        except BlockingIOError:
            yield
            continue
        if not count:
            raise EOFError
        buffer = buffer[count:]


_EMPTY = np.zeros(0, np.uint8)
_open_meshes: weakref.WeakSet[Mesh] = weakref.WeakSet()


def _close_in_child() -> None:
    """Close a rank's connections in its forked child, so that the rank's end is noticed."""
    for mesh in _open_meshes:
        mesh.close_connections()


os.register_at_fork(after_in_child=_close_in_child)
