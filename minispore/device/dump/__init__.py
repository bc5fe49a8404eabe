"""Data dump: what ops read and made, in files, as ``MINDSPORE_DUMP_CONFIG`` asks for it.

A graph that is dumped runs as it was traced, op by op on arrays of its own, with the same results
to the last bit. ``config`` is the JSON file, ``record`` looks at the ops, ``files`` writes.
"""

from __future__ import annotations

from minispore.device.dump.config import DumpConfig, configured
from minispore.device.dump.record import Dump, ask_for

__all__ = ["Dump", "DumpConfig", "ask_for", "configured"]
