"""Data dump: inputs and outputs of ops, written to files as ``MINDSPORE_DUMP_CONFIG`` says.

A dumped graph runs as it was traced, op by op with separate arrays, and gives bitwise the same
results. ``config`` reads the JSON file, ``record`` observes the ops, ``files`` writes.
"""

from __future__ import annotations

from minispore.device.dump.config import DumpConfig, find_dump_config
from minispore.device.dump.record import Dump, make_dump

__all__ = ["Dump", "DumpConfig", "find_dump_config", "make_dump"]
