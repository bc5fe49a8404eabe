"""The exact counters of a device: steps, launches, copies and batches."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace


@dataclass(slots=True)
class Counters:
    """Counts of one device since its creation or the last :meth:`reset`.

    ``docs/machine.md`` has a table of the counts of a training.

    They are deterministic, so a test can assert them::

        device.current().counters.reset()
        model.train(10, dataset, dataset_sink_mode=True)
        assert device.current().counters.interactions == 10

    >>> c = Counters()
    >>> c.interactions += 1
    >>> c.reset()
    >>> c.interactions
    0
    """

    interactions: int = 0  # times that the host sent work (or a trigger) and got results back
    steps: int = 0  # steps begun on the device
    program_launches: int = 0  # starts of a compiled graph by the host
    kernel_launches: int = 0  # kernels launched by the host: all except those of a graph sink
    h2d_copies: int = 0  # arrays that the host copied to the device
    h2d_bytes: int = 0
    d2h_copies: int = 0  # arrays copied back to the host
    d2h_bytes: int = 0
    batches_sent: int = 0  # batches that the sender thread put into a channel
    bytes_sent: int = 0
    batches_taken: int = 0  # batches that GetNext took out of a channel
    getnext_waits: int = 0  # batches that GetNext had to wait for
    getnext_wait_s: float = 0.0  # wall-clock time of these waits

    def reset(self) -> None:
        """Set all counts to zero."""
        for f in fields(self):
            setattr(self, f.name, f.default)

    def snapshot(self) -> Counters:
        """Return a copy of the counters that later events do not change."""
        return replace(self)

    def as_dict(self) -> dict[str, float]:
        """Return all counts by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}
