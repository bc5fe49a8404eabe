"""Constants of devices: numbers with unit, source and a tag that says how reliable they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from minispore.errors import MissingAttribute, did_you_mean

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


class Constant(NamedTuple):
    """One number about a device, with its unit, source and trust tag."""

    value: float
    unit: str
    source: str
    tag: str


@dataclass(frozen=True, eq=False)
class DeviceSpec(Mapping[str, Constant]):
    """The constants of one device model: ``spec.ai_cores`` is the number, ``spec["ai_cores"]``
    its Constant.

    Args:
        name: the name of the device.
        target: the ``device_target`` of the context: "Ascend", "GPU" or "CPU".
        constants: the Constant of each name.
    """

    name: str
    target: str  # the device_target of the context: "Ascend", "GPU" or "CPU"
    constants: Mapping[str, Constant]

    def __getitem__(self, name: str) -> Constant:
        """Return the Constant of this name; KeyError if there is none."""
        return self.constants[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the constants."""
        return iter(self.constants)

    def __len__(self) -> int:
        return len(self.constants)

    def __getattr__(self, name: str) -> float:
        """Return the number of a constant by its name; AttributeError with a similar name if there
        is none.
        """
        try:
            return self.constants[name].value
        except KeyError:
            raise MissingAttribute(
                f"{self.name}: has no constant {name!r}.", name, lambda: self.constants
            ) from None

    def replace(self, **values: float) -> DeviceSpec:
        """Return a copy of the spec with some constants set by the user.

        Raises:
            ValueError: a name is not a constant, or a value is negative, not finite, or 0 in place
                of a positive number.
            TypeError: a value is not a number.
        """
        constants = dict(self.constants)
        for name, value in values.items():
            if name not in constants:
                raise ValueError(
                    f"{self.name}: a constant to replace must be one of its own, got {name!r}."
                    f"{did_you_mean(name, constants)} print(spec.table()) lists them."
                )
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(
                    f"{self.name}: {name} must be a number, got {type(value).__name__}."
                )
            if not math.isfinite(value) or value < 0 or (value == 0 and constants[name].value > 0):
                raise ValueError(
                    f"{self.name}: {name} must be a positive finite number, got {value}."
                )
            constants[name] = Constant(value, constants[name].unit, "given by the user", "given")
        return DeviceSpec(self.name, self.target, MappingProxyType(constants))

    def table(self) -> str:
        """Return a table of all constants with unit, tag and source."""
        width = max(map(len, self.constants))
        lines = [f"{self.name} ({self.target}): times made from these are a model"]
        for name, (value, unit, source, tag) in self.constants.items():
            lines.append(f"  {name:<{width}}  {value:>14,.10g} {unit:<14} [{tag}] {source}")
        return "\n".join(lines)

    @property
    def peak_cube_flops(self) -> float:
        """Floating-point operations per second of all cube units together, in their own dtype."""
        return 2 * self.ai_cores * self.cube_macs * self.clock_mhz * 1e6

    @property
    def peak_vector_flops(self) -> float:
        """Operations per second of all vector units together, in float16 lanes."""
        return self.vector_cores * (self.vector_bytes / 2) * self.clock_mhz * 1e6

    @property
    def sinks(self) -> tuple[str, ...]:
        """The ways to run that this target supports: see :mod:`minispore.device.model.schedule`."""
        return {
            "Ascend": ("none", "data", "graph", "loop"),
            "GPU": ("none", "data"),
            "CPU": ("none",),
        }[self.target]

    @property
    def best_sink(self) -> str:
        """The supported way to run that involves the host least, and so takes the least time."""
        return self.sinks[-1]
