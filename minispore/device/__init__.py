"""Simulated devices, on which programs run, their counters, and the model of their time and memory.

``device.current()`` is the device of the context; ``set_context(device_target=..., device_id=...)``
changes it immediately for everything that runs afterwards.
"""

from __future__ import annotations

from typing import Any

from minispore import context
from minispore.device import dryrun, dump
from minispore.device.ascend import Ascend
from minispore.device.counters import Counters
from minispore.device.cpu import CPU
from minispore.device.gpu import GPU
from minispore.device.machine import Machine
from minispore.device.model.devices.host import HOST, ImagePipeline
from minispore.device.model.forecast import Estimate
from minispore.device.model.parallel.plan import ParallelPlan, parallel_plan
from minispore.device.model.parallel.search import PlanSearch, cheapest_plan
from minispore.device.model.predict import Shapes, estimate, memory_report
from minispore.device.model.spec import SPECS, DeviceSpec, device_spec
from minispore.device.model.sweep import Sweep, sweep
from minispore.device.runtime import Device, Listener
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.graph.compiler import compiler
from minispore.graph.ir import Graph
from minispore.graph.trace import Retrace
from minispore.ir import runtime as seam

TARGETS: dict[str, type[Device]] = {
    device_class.target: device_class for device_class in (CPU, GPU, Ascend)
}
_devices: dict[tuple[str, int], Device] = {}


def current() -> Device:
    """Return the device of the context, created at its first use; there is one Ascend per
    ``device_id``.

    >>> current().counters.reset()
    >>> current()
    CPU(0)
    """
    settings = context.current()
    device_class = TARGETS[settings.device_target]
    device_id = settings.device_id if device_class.numbered else 0
    if (device_class.target, device_id) not in _devices:
        _devices[device_class.target, device_id] = device_class(device_id)
    return _devices[device_class.target, device_id]


def _admit_to_current_device(graph: Graph, retrace: Retrace | None) -> None:
    """Admit a compiled graph to the current device; the compiler calls it before a first run."""
    current().admit(graph, retrace)


def _install_current_device(previous: context.Context, settings: context.Context) -> None:
    """Make the device of the new context the runtime; called after each change of the context."""
    seam.install_runtime(current())


def _make_dump_observer(entry: object, graph: Graph, cells: dict[str, Any]) -> dump.Dump | None:
    """Return the observer that dumps a traced graph; None if the configuration leaves it out.

    The compiler calls it for each graph; ``entry`` is the compiled function.
    """
    return dump.make_dump(current().device_id, entry, graph, cells)


compiler.admission_checks.append(_admit_to_current_device)
compiler.observer_factories.append(_make_dump_observer)
context.subscribe(_install_current_device)
seam.install_runtime(current())
dryrun.enable_if_requested(compiler)

__all__ = [
    "CPU",
    "GPU",
    "HOST",
    "SPECS",
    "TARGETS",
    "Ascend",
    "Counters",
    "Device",
    "DeviceSpec",
    "Estimate",
    "ImagePipeline",
    "Listener",
    "Machine",
    "ParallelPlan",
    "PlanSearch",
    "Shapes",
    "Sweep",
    "cheapest_plan",
    "current",
    "device_spec",
    "estimate",
    "memory_report",
    "parallel_plan",
    "sweep",
]

_describe(__name__)
