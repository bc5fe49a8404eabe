"""Choose which steps of a training are recorded."""

from __future__ import annotations

from enum import Enum

from minispore.errors import warn


class ProfilerAction(Enum):
    """The action of a profile in a step."""

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3

    @staticmethod
    def get_by_value(value: int) -> ProfilerAction | None:
        """Return the action with this value, or None."""
        return next((action for action in ProfilerAction if action.value == value), None)


class Schedule:
    """Returns the action of each step of a training, in cycles of steps.

    Nothing is done in the first ``skip_first`` steps. Each cycle then has ``wait`` steps without
    action, ``warmup`` steps of warm-up, and ``active`` recorded steps; the last one ends a
    recording.

    Args:
        wait: steps of a cycle before the warm-up.
        active: steps of a cycle that are recorded, at least 1.
        warmup: steps of a cycle before they are recorded. Virtual time needs no warm-up, but this
            excludes cache misses and compilation in the first steps.
        repeat: the number of cycles; 0 for no limit.
        skip_first: steps before the first cycle.

    An invalid value is replaced by the smallest valid one, with a warning.

    >>> with_warmup = Schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [with_warmup(step).name for step in range(5)]
    ['NONE', 'WARM_UP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """

    def __init__(
        self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0
    ) -> None:
        self.wait = _check_count("wait", wait)
        self.active = _check_count("active", active, 1)
        self.warmup = _check_count("warmup", warmup)
        self.repeat = _check_count("repeat", repeat)
        self.skip_first = _check_count("skip_first", skip_first)
        if self.warmup == 0:
            warn("schedule: warmup is 0, so that what happens once is among the recorded steps.")

    def __call__(self, step: int) -> ProfilerAction:
        """Return the action of a step, counted from 0.

        Raises:
            ValueError: ``step`` is negative.
        """
        if step < 0:
            raise ValueError(f"schedule: step must be at least 0, got {step}.")
        cycle = self.wait + self.warmup + self.active
        cycle_index, position = divmod(step - self.skip_first, cycle)
        if cycle_index < 0 or 0 < self.repeat <= cycle_index or position < self.wait:
            return ProfilerAction.NONE
        if position < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        return ProfilerAction.RECORD if position < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    def __repr__(self) -> str:
        """Return the call that makes an equal schedule."""
        return f"Schedule({', '.join(f'{name}={value}' for name, value in self.to_dict().items())})"

    def to_dict(self) -> dict[str, int]:
        """Return the arguments by name."""
        return {
            name: getattr(self, name)
            for name in ("wait", "active", "warmup", "repeat", "skip_first")
        }


def _check_count(name: str, value: int, minimum: int = 0) -> int:
    """Return ``value`` if it is an int of at least ``minimum``; else warn and return
    ``minimum``.
    """
    if isinstance(value, int) and not isinstance(value, bool) and value >= minimum:
        return value
    warn(
        f"schedule: {name} must be an int of at least {minimum}, got {value!r}. {minimum} is taken."
    )
    return minimum


#: Its name in ``mindspore.profiler``.
schedule = Schedule

__all__ = ["ProfilerAction", "Schedule"]
