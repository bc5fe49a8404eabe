"""What orders work on a device by hand: streams, events, pools of memory.

They can't be had of a device that runs one op after the other, and raise when they are made.
"""

from __future__ import annotations

from typing import Any, NoReturn


class _NotHere:
    """Base of what orders work on a device by hand."""

    instead = "Leave it out: ops run in the order of the program, and each is done when it returns."

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.refuse()

    @classmethod
    def refuse(cls) -> NoReturn:
        """Raise, and say what to do instead."""
        raise NotImplementedError(f"mindspore.runtime.{cls.__name__}: is not here. {cls.instead}")


class Stream(_NotHere):
    """Not here: raises when it is made.

    Args:
        *args, **kwargs: not looked at.

    Raises:
        NotImplementedError: always; it says what to do instead.
    """


class StreamCtx(_NotHere):
    """Not here: raises when it is made.

    Args:
        *args, **kwargs: not looked at.

    Raises:
        NotImplementedError: always; it says what to do instead.
    """


class Event(_NotHere):
    """Not here: raises when it is made.

    Args:
        *args, **kwargs: not looked at.

    Raises:
        NotImplementedError: always; it says what to do instead.
    """

    instead = "Leave it out, and take time.perf_counter() before and after what is to be timed."


class MemPool(_NotHere):
    """Not here: raises when it is made.

    Args:
        *args, **kwargs: not looked at.

    Raises:
        NotImplementedError: always; it says what to do instead.
    """

    instead = "Leave it out: memory is what the plan of a graph needs."


class PluggableAllocator(MemPool):
    """Not here: raises when it is made.

    Args:
        *args, **kwargs: not looked at.

    Raises:
        NotImplementedError: always; it says what to do instead.
    """


def current_stream() -> NoReturn:
    """Not here: raises, as :class:`Stream` does.

    Raises:
        NotImplementedError: always.
    """
    Stream.refuse()


def default_stream() -> NoReturn:
    """Not here: raises, as :class:`Stream` does.

    Raises:
        NotImplementedError: always.
    """
    Stream.refuse()


def set_cur_stream(stream: Any) -> None:
    """Not here: raises, as :class:`Stream` does.

    Args:
        stream (Stream): the one to go on in.

    Raises:
        NotImplementedError: always.
    """
    Stream.refuse()


communication_stream = default_stream
