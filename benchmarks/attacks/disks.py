"""Fill the disk of each writer: it must raise, keep the old files and leave no others.

The disk is full for a fork of this process alone: no file of its may become larger than a limit.
"""

from __future__ import annotations

import os
import random
import resource
import tempfile
import traceback
import warnings
from pathlib import Path

from benchmarks.attacks import kills, writers

# All but the one that a thread does: its error is raised by the next save, in another process.
WRITERS = [name for name in writers.WRITERS if name != "checkpoint by a thread"]


def attack(name: str, count: int, seed: int = 0) -> int:
    """Run a writer ``count`` times on a disk that fills up; return how often it was full.

    Raises:
        AssertionError: it said nothing, or something else than that it can't write; or what is
            there is not what was there.
    """
    writer, rng = writers.WRITERS[name], random.Random(f"{name} {seed}")
    full_count = 0
    with tempfile.TemporaryDirectory() as parent, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(count):
            folder = Path(parent) / str(i)
            folder.mkdir()
            if writer.replaces:
                writer.write(folder, 1)
            largest = max([p.stat().st_size for p in folder.iterdir()], default=1000)
            status = _write_to_full_disk(writer, folder, rng.randrange(largest))
            what = f"{name}, time {i} of seed {seed}"
            assert status in (kills.DONE, kills.KILLED), f"{what}: another error than of the disk"
            full_count += status == kills.KILLED
            expected = 2 if status == kills.DONE else 1
            files = [p for p in folder.iterdir() if p.name[0] != "."]
            if status == kills.DONE or writer.replaces:
                assert writer.read(folder) == expected, f"{what}: not what was there"
            else:
                assert not files, f"{what}: left {files}"
            leftovers = [p.name for p in folder.iterdir() if p.name[0] == "."]
            assert not leftovers, f"{what}: left {leftovers}"
    return full_count


def _write_to_full_disk(writer: writers.Writer, folder: Path, limit: int) -> int:
    """Write version 2 in a fork whose disk is full; return DONE, or KILLED if it raised."""
    child = kills.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        writer.write(folder, 2)
    except (OSError, RuntimeError):  # MindRecord's errors are RuntimeErrors
        os._exit(kills.KILLED)
    except BaseException:
        traceback.print_exc()
        os._exit(kills.FAILED)
    os._exit(kills.DONE)
