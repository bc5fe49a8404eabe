"""Signals that come while a process is forked: delivered after it, once each, and none lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from minispore.foundation.signals import HoldSignals

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
NUMBERS = [signal.SIGINT, signal.SIGTERM]


@pytest.fixture
def received() -> Iterator[list[int]]:
    """The numbers of the signals that a handler of the program got."""
    numbers: list[int] = []
    previous = {n: signal.signal(n, lambda number, _: numbers.append(number)) for n in NUMBERS}
    handlers = [signal.getsignal(n) for n in NUMBERS]
    yield numbers
    assert [signal.getsignal(n) for n in NUMBERS] == handlers
    for number, handler in previous.items():
        signal.signal(number, handler)


def test_signals_are_delivered_at_the_end_of_the_block_once_each(received: list[int]) -> None:
    with HoldSignals():
        for number in (*NUMBERS, signal.SIGINT):
            signal.raise_signal(number)
        assert received == []
    assert received == NUMBERS
    signal.raise_signal(signal.SIGINT)
    assert received == [*NUMBERS, signal.SIGINT]


def test_an_inner_block_delivers_to_the_outer_one(received: list[int]) -> None:
    with HoldSignals():
        with HoldSignals():
            signal.raise_signal(signal.SIGTERM)
        assert received == []
    assert received == [signal.SIGTERM]


def test_a_handler_that_raises_ends_the_block_and_costs_no_other_signal(
    received: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGINT, stop)
    with pytest.raises(KeyboardInterrupt), HoldSignals():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGINT) is stop
    signal.signal(signal.SIGINT, previous)
    assert received == [signal.SIGTERM]


@pytest.mark.parametrize("at", range(4))
def test_a_signal_while_handlers_are_replaced_or_restored_is_delivered(
    at: int, received: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_handler, calls = signal.signal, []

    def set_and_interrupt(number: int, handler: object) -> object:
        if number == signal.SIGINT and not calls.count("sent"):
            calls.append("SIGINT")
            if len(calls) == at // 2 + 1 and at % 2 == 0:
                calls.append("sent")
                signal.raise_signal(number)
        previous = set_handler(number, handler)
        if number == signal.SIGINT and len(calls) == at // 2 + 1 and "sent" not in calls:
            calls.append("sent")
            signal.raise_signal(number)
        return previous

    with monkeypatch.context() as patch:
        patch.setattr(signal, "signal", set_and_interrupt)
        with HoldSignals():
            pass
    assert received == [signal.SIGINT]


def test_in_another_thread_nothing_changes(received: list[int]) -> None:
    seen = []

    def look() -> None:
        with HoldSignals():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


@posix
def test_a_child_has_the_handlers_and_none_of_its_parent_s_signals(received: list[int]) -> None:
    handler = signal.getsignal(signal.SIGINT)
    with HoldSignals():
        signal.raise_signal(signal.SIGINT)
        pid = os.fork()
        if not pid:
            os._exit(0 if signal.getsignal(signal.SIGINT) is handler and not received else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert received == [signal.SIGINT]


# -- where the package forks -----------------------------------------------------------------------

INTERRUPTED = """
import os, signal, sys
import numpy as np

parent, forks = os.getpid(), []

def interrupt():
    if os.getpid() == parent:
        forks.append(1)
        if len(forks) == int(sys.argv[2]):
            os.kill(parent, signal.SIGINT)

os.register_at_fork(**{sys.argv[1]: interrupt})
"""
PIPELINE = """
import multiprocessing
import minispore.dataset as ds
data = ds.NumpySlicesDataset({"x": np.arange(8)}, shuffle=False)
data = data.map(lambda x: x + 1, "x", num_parallel_workers=2, python_multiprocessing=True)
try:
    list(data.create_dict_iterator(num_epochs=1))
except KeyboardInterrupt:
    print("interrupted", [process.pid for process in multiprocessing.active_children()])
"""
WORKERS = """
import minispore as ms
from minispore.execution.threads import thread_pool, worker_processes
thread_pool._cores = 3
ms.set_context(runtime_num_threads=3)
try:
    worker_processes.ensure_workers(0)
except KeyboardInterrupt:
    print("interrupted", [worker.pid for worker in worker_processes._team._workers])
"""


@posix
@pytest.mark.parametrize("moment", ["before", "after_in_parent"])
@pytest.mark.parametrize("fork", [1, 2])
@pytest.mark.parametrize("work", [PIPELINE, WORKERS], ids=["pipeline", "workers"])
def test_ctrl_c_during_a_fork_is_not_lost_and_leaves_no_process(
    work: str, fork: int, moment: str, root: Path
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED + work, moment, str(fork)],
        env=os.environ | {"PYTHONPATH": str(root), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (run.stdout, run.stderr) == ("interrupted []\n", "")
