"""Schedule: which steps of a training are recorded."""

from __future__ import annotations

from enum import Enum

from minispore.errors import warn


class ProfilerAction(Enum):
    """What a profile does in a step."""

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3

    @staticmethod
    def get_by_value(value: int) -> ProfilerAction | None:
        """The action of a value, or None."""
        return next((action for action in ProfilerAction if action.value == value), None)


class Schedule:
    """The action of each step: ``skip_first`` steps nothing; then, over and over, ``wait`` steps
    nothing, ``warmup`` steps warming up, ``active`` steps recorded, the last of which ends a
    recording.

    Args:
        wait: steps of a cycle before it warms up.
        active: steps of a cycle that are recorded, at least 1.
        warmup: steps of a cycle before they are recorded. A virtual clock needs no warm-up; caches
            and compiles of the first steps are left out by it all the same.
        repeat: cycles; 0 for as many as there are.
        skip_first: steps before the first cycle.

    A bad value is replaced by the smallest good one, with a warning.

    >>> with_warmup = Schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [with_warmup(step).name for step in range(5)]
    ['NONE', 'WARM_UP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """

    def __init__(
        self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0
    ) -> None:
        self.wait = _count("wait", wait)
        self.active = _count("active", active, 1)
        self.warmup = _count("warmup", warmup)
        self.repeat = _count("repeat", repeat)
        self.skip_first = _count("skip_first", skip_first)
        if self.warmup == 0:
            warn("schedule: warmup is 0, so that what happens once is among the recorded steps.")

    def __call__(self, step: int) -> ProfilerAction:
        """The action of a step, counted from 0."""
        if step < 0:
            raise ValueError(f"schedule: step must be at least 0, got {step}.")
        cycle = self.wait + self.warmup + self.active
        turn, at = divmod(step - self.skip_first, cycle)
        if turn < 0 or 0 < self.repeat <= turn or at < self.wait:
            return ProfilerAction.NONE
        if at < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        return ProfilerAction.RECORD if at < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    def __repr__(self) -> str:
        return f"Schedule({', '.join(f'{name}={value}' for name, value in self.to_dict().items())})"

    def to_dict(self) -> dict[str, int]:
        """The arguments."""
        return {
            name: getattr(self, name)
            for name in ("wait", "active", "warmup", "repeat", "skip_first")
        }


def _count(name: str, value: int, least: int = 0) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= least:
        return value
    warn(f"schedule: {name} must be an int of at least {least}, got {value!r}. {least} is taken.")
    return least


#: How ``mindspore.profiler`` calls it.
schedule = Schedule

__all__ = ["ProfilerAction", "Schedule"]
