"""The transport of the ranks of one machine: a pair of sockets between each two of them.

A thread for each other rank takes in what it sends, so two ranks that send to each other at once do
not wait for each other, and queues it; what ranks have in common finds it there.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
import weakref
from collections.abc import Collection, Mapping
from queue import Empty, SimpleQueue

import numpy as np

from minispore.core.value import Spec
from minispore.ops.support.transport import ABOUT_BYTES, Members, Poll, Transport

_HEAD = struct.Struct(f"!QQ{ABOUT_BYTES}s")  # bytes of the array, number of the message, what it is
_PAUSE_SECONDS = 0.2  # how often a wait looks whether it has become pointless


class Mesh(Transport):
    """See the module's text; ``connections`` is a connected socket for each other rank."""

    def __init__(
        self, rank: int, connections: Mapping[int, socket.socket], members: Members, timeout: float
    ) -> None:
        super().__init__(rank, members, timeout)
        self._connections = connections
        self._news = SimpleQueue[tuple[int, int, str, np.ndarray | None]]()
        self._inbox: dict[tuple[int, int], tuple[str, np.ndarray]] = {}
        self._ended: set[int] = set()
        self._readers = [
            threading.Thread(target=self._read, args=item, daemon=True)
            for item in connections.items()
        ]
        limit = struct.pack("ll", int(timeout), int(timeout % 1 * 1e6))
        for connection, reader in zip(connections.values(), self._readers, strict=True):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
            reader.start()
        _open.add(self)

    def neighbours(self) -> tuple[int, ...]:
        return tuple(sorted([self._me, *self._connections]))

    def _read(self, rank: int, connection: socket.socket) -> None:
        """Queue what a rank sends; at its end, nothing."""
        with contextlib.suppress(OSError), open(connection.fileno(), "rb", closefd=False) as stream:
            while len(head := stream.read(_HEAD.size)) == _HEAD.size:
                nbytes, number, about = _HEAD.unpack(head)
                data = np.empty(nbytes, np.uint8)
                if stream.readinto(data.data) < nbytes:
                    break
                self._news.put((rank, number, about.rstrip(b"\0").decode(), data))
        self._news.put((rank, 0, "", None))

    def _send(self, rank: int, number: int, about: str, x: np.ndarray) -> Poll:
        try:
            self._connections[rank].sendall(_HEAD.pack(x.nbytes, number, about.encode()))
            if x.nbytes:
                self._connections[rank].sendall(
                    np.ascontiguousarray(x).reshape(-1).view(np.uint8).data
                )
        except BlockingIOError:
            raise self._late(about, [rank]) from None
        except OSError:
            return lambda: None  # it has ended, as its reader will see
        return lambda: True

    def _receive(self, rank: int, number: int, about: str, like: Spec) -> Poll:
        def poll() -> np.ndarray | None:
            if (rank, number) not in self._inbox:
                return None
            theirs, data = self._inbox.pop((rank, number))
            self._check(rank, theirs, about)
            return data.view(like.dtype).reshape(like.shape)

        return poll

    def _left(self, waited: float) -> Collection[int]:
        return self._ended

    def _idle(self, waited: float, doze: bool) -> None:
        with contextlib.suppress(Empty):
            rank, number, about, data = self._news.get(timeout=min(_PAUSE_SECONDS, self._timeout))
            if data is None:
                self._ended.add(rank)
            else:
                self._inbox[rank, number] = about, data

    def close(self) -> None:
        for connection in self._connections.values():
            with contextlib.suppress(OSError):  # the other side has closed it
                connection.shutdown(socket.SHUT_RDWR)
        for reader in self._readers:
            reader.join()
        self.let_go()

    def let_go(self) -> None:
        """Close the connections; a process that was forked from a rank is none."""
        for connection in self._connections.values():
            connection.close()


_open: weakref.WeakSet[Mesh] = weakref.WeakSet()


def _let_go() -> None:
    for mesh in _open:
        mesh.let_go()


os.register_at_fork(after_in_child=_let_go)  # a rank that ends must not live on in its children
