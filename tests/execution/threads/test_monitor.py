"""Who waits under a monitor is woken, by time if by nobody, and holds it again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from minispore.execution.threads.monitor import Event, Monitor


def started(call: Callable[[], Any]) -> threading.Thread:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread


def ended(*threads: threading.Thread) -> bool:
    for thread in threads:
        thread.join(30)
    return not any(thread.is_alive() for thread in threads)


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_all_that_wait_are_woken_one_after_the_other() -> None:
    changed, come, inside, met = Monitor(), [], [], []

    def wait() -> None:
        with changed:
            while not come:
                changed.wait(600)
            inside.append(1)
            time.sleep(0.01)
            met.append(len(inside))
            inside.pop()

    threads = [started(wait) for _ in range(4)]
    until(lambda: len(changed._waiters) == 4)
    with changed:
        come.append(1)
        changed.notify_all()
    assert ended(*threads) and not changed._waiters
    assert met == [1] * 4  # the others waited for the lock


def test_a_waiter_that_is_not_notified_times_out_and_is_removed() -> None:
    changed = Monitor()
    with changed:
        start = time.monotonic()
        changed.wait(0.05)
        assert time.monotonic() - start >= 0.05
        assert not changed._waiters
        other = started(lambda: changed.__enter__())
        other.join(0.05)
        assert other.is_alive()  # it is held again
    assert ended(other)


def test_what_ends_a_wait_leaves_the_lock_with_its_holder(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupting:
        def acquire(self, *args: Any) -> bool:
            if args:
                raise KeyboardInterrupt
            return True

    changed = Monitor()
    with monkeypatch.context() as patch:
        patch.setattr(threading, "Lock", Interrupting)
        with pytest.raises(KeyboardInterrupt), changed:
            changed.wait(600)
    assert ended(started(lambda: changed.__enter__()))


def test_event_wait_blocks_until_set_or_timeout() -> None:
    event = Event()
    assert not event.wait(0.01) and not event.wait(0) and not event.is_set()
    waiting = started(event.wait)
    until(lambda: bool(event._monitor._waiters))
    event.set()
    assert ended(waiting) and event.wait() and event.wait(0)
    event.clear()
    assert not event.wait(0)
