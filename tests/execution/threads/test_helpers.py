"""Helpers run tiles beside this process, and nothing of them is left."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore.execution.threads import shared_memory, thread_pool, worker_processes
from minispore.execution.threads.worker_processes import Step

WAIT = 60.0  # seconds that no busy machine needs

pytestmark = pytest.mark.skipif(
    not worker_processes._WorkerTeam().possible, reason="no helpers on this system"
)


@pytest.fixture(autouse=True)
def three(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two helpers, which end with the test."""
    monkeypatch.setattr(thread_pool, "_cores", 3)
    ms.set_context(runtime_num_threads=3)
    yield
    worker_processes.end_workers()
    ms.set_context(runtime_num_threads=1)


def room(count: int = 64) -> np.ndarray:
    return shared_memory.allocate(8 * count).view(np.int64)


def until(true: Callable[[], Any]) -> None:
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end
        time.sleep(0.001)


def together(count: int, runner_pids: np.ndarray) -> list[list[Callable[[], Any]]]:
    """Tiles that end only when all have begun, each in a process of its own."""

    def tile(i: int) -> None:
        runner_pids[i] = os.getpid()
        until(lambda: runner_pids[:count].all())

    return [[lambda i=i: tile(i)] for i in range(count)]  # type: ignore[misc]


def started(tiles: list[list[Callable[[], Any]]]) -> Step:
    """A step that helpers know."""
    step = Step(tiles)
    assert worker_processes.ensure_workers(step.number)
    return step


def pids() -> list[int]:
    return [helper.pid for helper in worker_processes._team._workers]


def test_tiles_run_at_once_in_the_configured_number_of_processes() -> None:
    runner_pids = room()
    step = started(together(3, runner_pids))
    for _ in range(20):
        runner_pids[:] = 0
        step()
        assert runner_pids[0] == os.getpid()
        assert sorted(runner_pids[:3]) == sorted([os.getpid(), *pids()])


def test_every_tile_runs_once_and_its_calls_in_order() -> None:
    seen = room(256)

    def note(i: int, k: int) -> None:
        assert seen[8 * i] == k
        seen[8 * i] += 1

    step = started([[lambda i=i, k=k: note(i, k) for k in range(3)] for i in range(7)])  # type: ignore[misc]
    for _ in range(300):
        seen[:] = 0
        step()
        assert seen[:56:8].tolist() == [3] * 7


def test_many_tiles_are_run_some_at_a_time() -> None:
    seen = room(256)
    step = started([[lambda i=i: seen.__setitem__(i, seen[i] + 1)] for i in range(100)])  # type: ignore[misc]
    step()
    assert (seen[:100] == 1).all()


def test_a_step_that_no_helper_knows_is_the_caller_s() -> None:
    runner_pids = room()
    started(together(3, runner_pids))()
    late = Step([[lambda i=i: runner_pids.__setitem__(i, os.getpid())] for i in range(3)])  # type: ignore[misc]
    late()
    assert (runner_pids[:3] == os.getpid()).all()
    before = pids()
    assert worker_processes.ensure_workers(late.number)  # others, which know it
    assert not set(before) & set(pids())


def test_two_threads_that_call_at_once_both_get_all_their_tiles() -> None:
    seen = room(256)

    def add(at: int) -> None:
        seen[at] += 1

    steps = [
        Step([[lambda at=64 * i + 8 * k: add(at)] for k in range(4)])  # type: ignore[misc]
        for i in range(2)
    ]
    assert worker_processes.ensure_workers(steps[-1].number)
    callers = [threading.Thread(target=lambda s=s: [s() for _ in range(200)]) for s in steps]
    for t in callers:
        t.start()
    for t in callers:
        t.join(WAIT)
    assert seen[[0, 8, 16, 24, 64, 72, 80, 88]].tolist() == [200] * 8


def test_any_thread_may_start_helpers_and_call_them() -> None:
    runner_pids, step = room(), []

    def call() -> None:
        step.append(started(together(3, runner_pids)))
        step[0]()

    thread = threading.Thread(target=call)
    thread.start()
    thread.join(WAIT)
    assert len(set(runner_pids[:3].tolist())) == 3
    runner_pids[:] = 0
    step[0]()
    assert len(set(runner_pids[:3].tolist())) == 3


@pytest.mark.parametrize("who", ["a helper", "the caller"])
def test_what_a_tile_raises_is_raised_when_no_helper_is_at_work(who: str) -> None:
    flags, parent_pid = room(), os.getpid()

    def tile(i: int) -> None:
        flags[i] = 1
        until(lambda: flags[:3].all())
        if (os.getpid() == parent_pid) == (who == "the caller"):
            raise IndexError("row 7")
        for _ in range(3000):
            flags[8 + i] += 1
            time.sleep(0.001)

    step = started([[lambda i=i: tile(i)] for i in range(3)])  # type: ignore[misc]
    if who == "the caller":
        with pytest.raises(IndexError, match="row 7"):
            step()
        before = flags[8:].tolist()
        time.sleep(0.05)
        assert flags[8:].tolist() == before  # nothing goes on
        assert not pids()
    else:
        with pytest.raises(IndexError, match="row 7"):
            step()
        assert not pids()
    flags[:] = 0
    started(together(3, flags))()


def test_an_error_that_cannot_be_pickled_is_reported_as_text() -> None:
    class LocalError(Exception):
        pass

    flags, parent_pid = room(), os.getpid()

    def tile(i: int) -> None:
        flags[i] = 1
        until(lambda: flags[:3].all())
        if os.getpid() != parent_pid:
            raise LocalError("of a class that only this function knows")

    step = started([[lambda i=i: tile(i)] for i in range(3)])  # type: ignore[misc]
    with pytest.raises(RuntimeError, match="LocalError: of a class that only this function knows"):
        step()


def test_a_killed_worker_raises_and_is_replaced_for_the_next_step() -> None:
    flags, parent_pid = room(), os.getpid()

    def tile(i: int) -> None:
        flags[i] = 1
        until(lambda: flags[:3].all())
        if os.getpid() != parent_pid:
            os.kill(os.getpid(), signal.SIGKILL)

    step = started([[lambda i=i: tile(i)] for i in range(3)])  # type: ignore[misc]
    with pytest.raises(RuntimeError, match=r"ended from outside.*runtime_num_threads=1"):
        step()
    assert not pids()
    flags[:] = 0
    started(together(3, flags))()


def test_a_helper_that_was_killed_while_nobody_called_is_replaced() -> None:
    runner_pids = room()
    step = started(together(3, runner_pids))
    os.kill(pids()[0], signal.SIGKILL)
    until(lambda: any(h.has_ended() for h in worker_processes._team._workers))
    assert worker_processes.ensure_workers(step.number)
    step()
    assert len(set(runner_pids[:3].tolist())) == 3


def test_an_interrupt_ends_the_helpers_and_reaches_the_caller() -> None:
    flags, parent_pid = room(), os.getpid()

    def tile(i: int) -> None:
        flags[i] = 1
        until(lambda: flags[:3].all())
        if os.getpid() == parent_pid:
            os.kill(parent_pid, signal.SIGINT)
        time.sleep(WAIT)

    step = started([[lambda i=i: tile(i)] for i in range(3)])  # type: ignore[misc]
    with pytest.raises(KeyboardInterrupt):
        step()
    assert not pids()


def test_helpers_do_not_hear_the_interrupt_of_the_terminal() -> None:
    runner_pids = room()
    step = started(together(3, runner_pids))
    before = pids()
    for pid in before:
        os.kill(pid, signal.SIGINT)
    step()
    assert pids() == before
    assert not any(h.has_ended() for h in worker_processes._team._workers)


def test_helpers_end_when_nobody_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_processes, "_IDLE_SECONDS", 0.1)
    monkeypatch.setattr(worker_processes, "_AWAKE_SECONDS", 0.05)
    runner_pids = room()
    # A helper may end before a step on a busy machine, so no tile waits for another.
    step = started([[lambda i=i: runner_pids.__setitem__(i, os.getpid())] for i in range(3)])  # type: ignore[misc]
    step()
    until(lambda: all(h.has_ended() for h in worker_processes._team._workers))
    runner_pids[:] = 0
    assert worker_processes.ensure_workers(step.number)
    step()
    assert runner_pids[:3].all()


def test_helpers_hold_no_file_of_their_parent() -> None:
    reader, writer = os.pipe()
    started(together(3, room()))()
    os.close(writer)
    assert os.read(reader, 1) == b""  # or it would wait for a helper to close it
    os.close(reader)


SCRIPT = """
import os, sys
import minispore as ms
from minispore.execution.threads import thread_pool, worker_processes
thread_pool._cores = 2
ms.set_context(runtime_num_threads=2)
step = worker_processes.Step([[lambda: None], [lambda: None]])
assert worker_processes.ensure_workers(step.number)
step()
print(worker_processes._team._workers[0].pid, flush=True)
{end}
"""


@pytest.mark.parametrize(
    "end", ["", "sys.exit(3)", "os._exit(0)", "os.kill(os.getpid(), 9)", "raise ValueError"]
)
def test_helpers_end_with_their_parent_whatever_that_ends_by(end: str) -> None:
    process = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(end=end)], capture_output=True, timeout=WAIT
    )
    pid = int(process.stdout)
    until(lambda: not _running(pid))


def _running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_released_memory_ends_the_workers_that_map_it() -> None:
    values = room(1 << 10)
    runner_pids = room()
    step = started(together(3, runner_pids))
    before = pids()
    count = shared_memory.get_released_count()
    del values
    gc.collect()
    assert shared_memory.get_released_count() > count
    assert worker_processes.ensure_workers(step.number)
    assert not set(before) & set(pids())


def test_workers_are_unavailable_when_fork_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused() -> int:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(os, "fork", refused)
    monkeypatch.setattr(worker_processes._team, "possible", True)
    assert not worker_processes.ensure_workers(Step([]).number)
    assert not worker_processes.should_use_workers()


def test_one_thread_wants_no_helpers() -> None:
    ms.set_context(runtime_num_threads=1)
    assert not worker_processes.should_use_workers()


# -- memory in common ------------------------------------------------------------------------------


def test_a_forked_child_gets_a_private_copy_of_copied_memory() -> None:
    stored, work = room(), shared_memory.allocate(4096, copied_on_fork=False)
    stored[:], work[:] = 5, 5
    child = os.fork()
    if child == 0:
        try:
            right = (stored == 5).all() and not work.any()
            stored[:], work[:] = 6, 6
            os._exit(0 if right else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (stored == 5).all()
    assert (work == 5).all()


def test_a_forked_child_gets_a_private_copy_without_pipes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused() -> Any:
        raise OSError("too many open files")

    stored = room()
    stored[:] = 5
    monkeypatch.setattr(os, "pipe", refused)
    child = os.fork()
    if child == 0:
        try:
            right = (stored == 5).all()
            stored[:] = 6
            os._exit(0 if right else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (stored == 5).all()


def test_a_fork_returns_though_another_child_holds_what_it_waits_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stored = room()
    shared_memory.prepare_fork()
    pipe = shared_memory._fork_state.pipe
    other = os.fork()  # by another thread, as it were, between the hooks of this one's
    if other == 0:
        signal.pause()
    monkeypatch.setattr(
        worker_processes, "_forking", threading.get_ident()
    )  # the next runs no hooks
    child = os.fork()
    if child == 0:
        shared_memory._fork_state.pipe = pipe
        shared_memory.unshare_in_child()
        os._exit(int(stored.any()))

    def wait() -> None:
        shared_memory._fork_state.pipe = pipe
        shared_memory.wait_for_child()

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    waiting.join(WAIT / 6)
    late = waiting.is_alive()
    os.kill(other, signal.SIGKILL)
    os.waitpid(other, 0)
    assert not late
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_child_sees_nothing_of_what_its_parent_writes_later() -> None:
    stored, (reader, writer) = room(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.read(reader, 1)
            os._exit(1 if stored.any() else 0)
        finally:
            os._exit(2)
    stored[:] = 7
    os.write(writer, b"x")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for file in (reader, writer):
        os.close(file)


def test_a_forked_child_runs_its_workers_on_memory_of_the_parent() -> None:
    runner_pids = room()
    step = started(together(3, runner_pids))
    step()
    before = runner_pids[:3].tolist()
    child = os.fork()
    if child == 0:
        try:
            runner_pids[:] = 0
            assert worker_processes.ensure_workers(step.number)
            step()
            right = sorted(runner_pids[:3]) == sorted([os.getpid(), *pids()])
            worker_processes.end_workers()
            os._exit(0 if right else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert runner_pids[:3].tolist() == before


def test_is_shared_and_is_read_only_follow_views_to_the_base() -> None:
    common, mine = room(), np.zeros(8)
    assert shared_memory.is_shared(common)
    assert shared_memory.is_shared(common[::-1][3:])
    assert not shared_memory.is_shared(mine)
    assert not shared_memory.is_read_only(mine[2:])
    assert not shared_memory.is_read_only(
        np.broadcast_to(mine, (4, 8))
    )  # read only, but mine is not
    mine.flags.writeable = False
    assert shared_memory.is_read_only(mine[2:])
