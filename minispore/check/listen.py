"""Listening to whatever device a script sets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from minispore import context, device
from minispore.device.runtime import Listener


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell ``listener`` of all devices that are current inside the ``with`` block."""
    with ExitStack() as around:

        def follow(*_: Any) -> None:
            machine = device.current()
            if listener not in machine.listeners:
                around.enter_context(machine.listen(listener))

        around.enter_context(context.following(follow))
        follow()
        yield


__all__ = ["listening"]
