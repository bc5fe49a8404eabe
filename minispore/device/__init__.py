"""The machine: the device that runs things, what it counts, and its model of time and memory.

``device.current()`` is the device of the context; ``set_context(device_target=..., device_id=...)``
changes it, at once for everything that runs from then on.
"""

from __future__ import annotations

from typing import Any

from minispore import context
from minispore.core import runtime as seam
from minispore.described import describe as _describe
from minispore.device import dryrun, dump
from minispore.device.ascend import Ascend
from minispore.device.counters import Counters
from minispore.device.cpu import CPU
from minispore.device.gpu import GPU
from minispore.device.machine import Machine
from minispore.device.model.forecast import Estimate
from minispore.device.model.parallel.plan import ParallelPlan, parallel_plan
from minispore.device.model.predict import Shapes, estimate, memory_report
from minispore.device.model.spec import SPECS, DeviceSpec, device_spec
from minispore.device.model.sweep import Sweep, sweep
from minispore.device.runtime import Device, Listener
from minispore.graph.compiler import compiler
from minispore.graph.ir import Graph

TARGETS: dict[str, type[Device]] = {kind.target: kind for kind in (CPU, GPU, Ascend)}
_devices: dict[tuple[str, int], Device] = {}


def current() -> Device:
    """The device of the context; ``device_id`` tells Ascends apart.

    >>> current().counters.reset()
    >>> current()
    CPU(0)
    """
    record = context.current()
    kind = TARGETS[record.device_target]
    number = record.device_id if kind.numbered else 0
    if (kind.target, number) not in _devices:
        _devices[kind.target, number] = kind(number)
    return _devices[kind.target, number]


def _admit(graph: Graph) -> None:
    current().admit(graph)


def _follow(old: context.Context, new: context.Context) -> None:
    seam.install_runtime(current())


def _dump(owner: object, graph: Graph, cells: dict[str, Any]) -> dump.Dump | None:
    return dump.ask_for(current().device_id, owner, graph, cells)


compiler.admissions.append(_admit)
compiler.observations.append(_dump)
context.subscribe(_follow)
seam.install_runtime(current())
dryrun.start(compiler)

__all__ = [
    "CPU",
    "GPU",
    "SPECS",
    "TARGETS",
    "Ascend",
    "Counters",
    "Device",
    "DeviceSpec",
    "Estimate",
    "Listener",
    "Machine",
    "ParallelPlan",
    "Shapes",
    "Sweep",
    "current",
    "device_spec",
    "estimate",
    "memory_report",
    "parallel_plan",
    "sweep",
]

_describe(__name__)
