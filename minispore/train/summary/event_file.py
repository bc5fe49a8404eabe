"""Files of events, one record each."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minispore.dataset.formats import tfrecord

log = logging.getLogger("minispore.train")

_FRAME_BYTES = 16  # of a record beside its content: its length and two checksums


class EventFile:
    """A file of records, made when there is one, ended when the next would be too much."""

    def __init__(
        self, path: Path, most: int | None, first: Callable[..., Any] | None = None
    ) -> None:
        self.path = path
        self._left, self._first = most, first  # the event that says which form it is
        self._file: Any = None
        self._ended = False

    def write(self, event: Any) -> None:
        """Add an event as a record."""
        if self._ended:
            return
        if self._file is None:
            # A record of the same second goes on where the last one ended.
            self._file = open(self.path, "ab")  # noqa: SIM115  # close() closes it
            if self._first is not None and not self._file.tell():
                self.write(self._first(wall_time=event.wall_time))
        data = event.SerializeToString()
        if self._left is not None:
            self._left -= len(data) + _FRAME_BYTES
            if self._left < 0:
                log.warning("SummaryRecord: %s has reached max_file_size and ends.", self.path)
                self.close()
                return
        tfrecord.write(self._file, data)

    def flush(self) -> None:
        """Bring what was written to the disk."""
        if self._file is not None and not self._ended:
            self._file.flush()

    def close(self) -> None:
        """Nothing more comes."""
        self._ended = True
        if self._file is not None:
            self._file.close()
