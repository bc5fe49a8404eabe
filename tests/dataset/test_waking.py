"""Lanes and conditions: who waits is woken, not found out by looking again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from minispore.dataset.pipeline import flow
from minispore.dataset.pipeline import ordered_workers as lanes_room
from minispore.dataset.pipeline.flow import Condition
from minispore.dataset.pipeline.ordered_workers import OrderedWorkers
from minispore.errors import DatasetError
from minispore.execution.threads.monitor import Monitor

LONG_S = 600.0  # longer than any test


@pytest.fixture(autouse=True)
def one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits looks once, and then only when it is woken."""
    monkeypatch.setattr(lanes_room, "_POLL_S", LONG_S)
    monkeypatch.setattr(flow, "CLOSE_POLL_S", LONG_S)


def lanes(items: Any, work: Callable[..., Any], count: int = 1, ahead: int = 1) -> OrderedWorkers:
    iterator = iter(items)
    return OrderedWorkers(lambda: next(iterator), work, count, lambda: ahead, "test")


def same(item: Any, turn: Any) -> Any:
    return item


class Started(threading.Thread):
    """A call that goes on in a thread of its own; ``ended`` gives what it gave."""

    def __init__(self, call: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.call = call
        self.start()

    def run(self) -> None:
        try:
            self.result: Any = self.call()
        except BaseException as exc:
            self.result = exc

    def ended(self) -> Any:
        self.join(60.0)
        assert not self.is_alive()
        return self.result


def until_waiting(changed: Monitor, count: int = 1) -> None:
    while len(changed._waiters) < count:
        time.sleep(0.001)


def ended(actual: OrderedWorkers) -> bool:
    for thread in actual._threads:
        thread.join(60.0)
    return not any(thread.is_alive() for thread in actual._threads)


# -- lanes -----------------------------------------------------------------------------------------


def test_stop_drops_unread_results() -> None:
    output = lanes([1, 2], same, ahead=2)
    next(output)
    assert ended(output) and output.result_count == 1
    output.stop()
    assert output.result_count == 0


def test_a_result_wakes_its_consumer() -> None:
    go = threading.Event()

    def late(item: int, turn: Any) -> int:
        go.wait(LONG_S)
        return item

    output = lanes([7], late)
    consumer = Started(lambda: next(output))
    until_waiting(output._changed)
    go.set()
    assert consumer.ended() == 7
    assert isinstance(Started(lambda: next(output)).ended(), StopIteration)
    assert ended(output)


def test_the_end_of_the_items_wakes_the_consumer() -> None:
    go = threading.Event()

    def items() -> Iterator[int]:
        yield 7
        go.wait(LONG_S)

    output = lanes(items(), same)
    assert next(output) == 7
    consumer = Started(lambda: next(output))
    until_waiting(output._changed)
    go.set()
    assert isinstance(consumer.ended(), StopIteration)
    assert ended(output)


def test_a_failing_item_source_wakes_the_consumer() -> None:
    go = threading.Event()

    def items() -> Iterator[int]:
        go.wait(LONG_S)
        raise KeyError("no")
        yield 0

    output = lanes(items(), same)
    consumer = Started(lambda: next(output))
    until_waiting(output._changed)
    go.set()
    assert isinstance(consumer.ended(), KeyError)
    assert isinstance(Started(lambda: next(output)).ended(), StopIteration)
    assert ended(output)


def test_reading_a_result_wakes_a_worker_that_waits_for_space() -> None:
    output = lanes([0, 1, 2], same)
    assert next(output) == 0
    until_waiting(output._changed)
    assert Started(lambda: next(output)).ended() == 1
    assert Started(lambda: next(output)).ended() == 2
    assert isinstance(Started(lambda: next(output)).ended(), StopIteration)
    assert ended(output)


def test_stop_wakes_workers_that_wait_for_space() -> None:
    output = lanes(range(9), same)
    assert next(output) == 0
    until_waiting(output._changed)
    output.stop()
    assert ended(output) and output.result_count == 0


def test_stop_wakes_a_consumer_that_waits_for_a_result() -> None:
    go = threading.Event()

    def never(item: int, turn: Any) -> None:
        go.wait(LONG_S)

    output = lanes([0], never)
    consumer = Started(lambda: next(output))
    until_waiting(output._changed)
    output.stop()
    assert isinstance(consumer.ended(), StopIteration)
    go.set()
    assert ended(output)


# -- turnstiles ------------------------------------------------------------------------------------


@pytest.mark.parametrize("enters", [True, False])
def test_a_ticket_that_is_through_wakes_the_next(enters: bool) -> None:
    go = threading.Event()

    def work(item: int, turn: Any) -> int:
        if item == 0:
            go.wait(LONG_S)
            if not enters:
                return 0
        with turn.enter_turnstile("gate"):
            if item == 0:
                return 0
        return item

    output = lanes(range(2), work, count=2, ahead=4)
    consumer = Started(lambda: list(output))
    until_waiting(output._gate._changed)
    go.set()
    assert consumer.ended() == [0, 1]
    assert ended(output)


def test_a_ticket_that_left_one_place_wakes_the_next_while_it_works_on() -> None:
    go, first_is_through = threading.Event(), threading.Event()

    def work(item: int, turn: Any) -> int:
        if item == 0:
            until_waiting(output._gate._changed)
        with turn.enter_turnstile("gate"):
            pass
        if item == 0:
            go.wait(LONG_S)
        else:
            first_is_through.set()
        return item

    output = lanes(range(2), work, count=2, ahead=4)
    consumer = Started(lambda: list(output))
    assert first_is_through.wait(60.0)
    go.set()
    assert consumer.ended() == [0, 1]
    assert ended(output)


def test_stop_wakes_a_worker_at_a_turnstile() -> None:
    go, through = threading.Event(), threading.Event()

    def work(item: int, turn: Any) -> None:
        if item == 0:
            go.wait(LONG_S)
        with turn.enter_turnstile("gate"):
            pass
        if item == 1:
            through.set()

    output = lanes(range(2), work, count=2, ahead=4)
    consumer = Started(lambda: list(output))
    until_waiting(output._gate._changed)
    output.stop()
    assert through.wait(60.0)
    go.set()
    consumer.ended()
    assert ended(output)


# -- conditions ------------------------------------------------------------------------------------


def never() -> bool:
    return False


@pytest.mark.parametrize("let", [lambda c: c.update(1, None), lambda c: c.disable()])
def test_update_or_disable_wakes_a_waiter_of_a_condition(let: Callable[[Condition], None]) -> None:
    condition = Condition("c", 1, None)
    condition.wait(LONG_S, never)
    waiter = Started(lambda: condition.wait(LONG_S, never))
    until_waiting(condition._changed)
    let(condition)
    assert waiter.ended() is None


def passes(condition: Condition) -> bool:
    try:
        condition.wait(0.0, never)
    except DatasetError:
        return False
    return True


def test_a_condition_passes_as_many_rows_as_its_update_allows() -> None:
    messages: list[Any] = []
    condition = Condition("c", 2, messages.append)
    assert [passes(condition) for _ in range(3)] == [True, True, False]
    condition.update(1, "one")
    assert [passes(condition) for _ in range(2)] == [True, False]
    condition.update(None, "as at first")
    assert [passes(condition) for _ in range(3)] == [True, True, False]
    assert messages == ["one", "as at first"]
    condition.reset(1)
    assert [passes(condition) for _ in range(3)] == [True, True, False]
    condition.disable()
    assert [passes(condition) for _ in range(3)] == [True, True, True]


def test_a_timed_out_wait_reports_its_duration() -> None:
    condition = Condition("c", 0, None)
    with pytest.raises(DatasetError, match=r"condition 'c' got no sync_update for 0.05 s"):
        condition.wait(0.05, never)


def test_a_closed_run_waits_for_nothing() -> None:
    Condition("c", 0, None).wait(LONG_S, lambda: True)
