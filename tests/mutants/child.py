"""Run tests in a forked child: silent, bounded, and killed with all that it started."""

from __future__ import annotations

import array
import os
import resource
import select
import signal
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

MOST_BYTES = 8 << 30
PASSED, FAILED = -1, -2

Tell = Callable[[int], None]


class Outcome(NamedTuple):
    """The outcome of a mutant, and the number of the test that decided it."""

    word: str  # "survived", "killed", "timed out" or "died"
    test: int

    @property
    def passed(self) -> bool:
        return self.word == "survived"


def watch(body: Callable[[Tell], bool], limits: list[float]) -> Outcome:
    """Run ``body`` in a child until it returns whether all tests passed.

    It tells the number of each test that begins; test i may take ``limits[i]`` seconds, and what
    comes before the first ``limits[-1]``.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: those of a test run
        child = os.fork()
    if child == 0:
        _run_body(body, writing)
    os.close(writing)
    test_number = -1
    try:
        while True:
            for text in _read_words(reading, child, limits[test_number]):
                if text in (PASSED, FAILED):
                    return Outcome("survived" if text == PASSED else "killed", test_number)
                test_number = text
    except TimeoutError:
        return Outcome("timed out", test_number)
    except EOFError:
        return Outcome("died", test_number)
    finally:
        os.close(reading)
        _kill_group(child)


def _run_body(body: Callable[[Tell], bool], writing: int) -> None:
    """Run ``body`` in the child, without output and with limited memory, and send its verdict."""
    os.setpgid(0, 0)  # a group of its own, which is ended as a whole
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))

    def tell(word: int) -> None:
        os.write(writing, array.array("i", [word]).tobytes())

    verdict = FAILED
    try:
        verdict = PASSED if body(tell) else FAILED
    finally:
        tell(verdict)
        os._exit(0)


def _read_words(reading: int, child: int, limit_s: float) -> array.array[int]:
    """Return the next numbers that the child sends; EOFError if it has ended, TimeoutError
    if it sends none.
    """
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        has_ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if select.select([reading], [], [], 0 if has_ended else 0.05)[0]:
            text = array.array("i", os.read(reading, 4096))
            if text:
                return text
            raise EOFError
        if has_ended:
            raise EOFError  # a child of its own may hold the pipe
    raise TimeoutError


def _kill_group(child: int) -> None:
    """Kill the child with all that it started, and wait for it."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:  # it had not come to be a group
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
