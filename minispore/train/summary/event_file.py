"""Event files: sequences of records, written one by one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minispore.dataset.formats import tfrecord

log = logging.getLogger("minispore.train")

_FRAME_BYTES = 16  # bytes of a record besides its content: its length and two checksums


class EventFile:
    """A file of records, opened at the first record and closed at the size limit."""

    def __init__(
        self, path: Path, max_bytes: int | None, make_first_event: Callable[..., Any] | None = None
    ) -> None:
        self.path = path
        self._remaining_bytes = max_bytes
        self._make_first_event = make_first_event  # the record that names the version of the format
        self._file: Any = None
        self._is_closed = False

    def write(self, event: Any) -> None:
        """Append an event as a record; close the file instead if it would exceed its limit."""
        if self._is_closed:
            return
        if self._file is None:
            # A SummaryRecord made within the same second has the same name, and appends.
            self._file = open(self.path, "ab")  # noqa: SIM115  # close() closes it
            if self._make_first_event is not None and not self._file.tell():
                self.write(self._make_first_event(wall_time=event.wall_time))
        data = event.SerializeToString()
        if self._remaining_bytes is not None:
            self._remaining_bytes -= len(data) + _FRAME_BYTES
            if self._remaining_bytes < 0:
                log.warning("SummaryRecord: %s has reached max_file_size and ends.", self.path)
                self.close()
                return
        tfrecord.write_record(self._file, data)

    def flush(self) -> None:
        """Flush the written records to disk."""
        if self._file is not None and not self._is_closed:
            self._file.flush()

    def close(self) -> None:
        """Close the file; later events are ignored."""
        self._is_closed = True
        if self._file is not None:
            self._file.close()
