"""Listen to each device that a script makes current."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from minispore import context, device
from minispore.device.runtime import Listener


@contextmanager
def listen_to_devices(listener: Listener) -> Iterator[None]:
    """Register ``listener`` with every device that is current inside the ``with`` block."""
    with ExitStack() as listening_stack:

        def listen_to_current_device(*_: Any) -> None:
            """Register the listener with the current device until the block ends, if needed."""
            current_device = device.current()
            if listener not in current_device.listeners:
                listening_stack.enter_context(current_device.listen(listener))

        listening_stack.enter_context(context.subscribed(listen_to_current_device))
        listen_to_current_device()
        yield


__all__ = ["listen_to_devices"]
