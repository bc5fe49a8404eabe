"""Write the profile's page: one HTML file that contains all data of the run."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from minispore import context
from minispore.device.model.forecast import Estimate
from minispore.device.model.schedule import WAYS
from minispore.device.model.timeline import Record, Timeline
from minispore.foundation.files import write_text
from minispore.ops.support import transport
from minispore.profiler.memory import memory_over_time
from minispore.profiler.pipeline import summarize_pipeline
from minispore.profiler.replay import Replay
from minispore.profiler.writing import MODEL_NOTE

MAX_STEPS = 4  # steps in the view of each sink mode
MAX_DETAILED_KERNELS = 1500  # kernels in the view of a sink mode; a longer program is one bar
MAX_TASKS = 6000  # tasks in the view of the run
MAX_POINTS = 2000  # points of a curve, and interactions in the user's view
MAX_KERNELS = 20

TITLES = {
    "none": (
        "Without sink",
        "The host fetches, copies, sends every kernel, and waits, step by step.",
    ),
    "data": (
        "Data sink",
        "Batches flow to the device by themselves; the host still sends every kernel.",
    ),
    "graph": ("Graph sink", "The whole program is on the device; the host starts it once a step."),
    "loop": (
        "Loop sink",
        "The host starts a sink; the device fetches the next batch while it computes this one.",
    ),
}
GROUPS = {
    "Data": "data",
    "Host": "host",
    "H2D": "copy",
    "D2H": "copy",
    "AI CPU": "getnext",
    "HCCL": "copy",
}
#: Explanations of lane and kernel names, for readers who do not know the device.
TERMS = {
    "Host": "the Python process that starts the work",
    "Data": "the threads of the data pipeline",
    "H2D": "copies from the host to the device",
    "D2H": "copies from the device to the host",
    "AI CPU": "the processor on the device; it takes batches from the queue (GetNext)",
    "AI Core": "the cores that run kernels: a cube for products, vector units for the rest",
    "HCCL": "exchanges between devices (Huawei's collective communication library)",
    "TransData": "a kernel that puts an array into the layout that the cube reads",
    "Cast": "a kernel that changes the data type of an array",
    "MemSet": "a kernel that sets memory to zero before sums are added to it",
}
# Cells that training wraps around the user's network; they are omitted from layer names.
_WRAPPER_CELLS = {
    "Gradients", "SinkNetwork", "TrainOneStepCell", "TrainOneStepWithLossScaleCell", "WithLossCell",
    "WithEvalCell", "_backbone", "_network", "network",
}  # fmt: skip


def write_page(path: Path, run: Replay) -> None:
    """Write the page of ``run`` to ``path``: the template with the data as JSON in it."""
    template = resources.files("minispore.profiler").joinpath("page.html")
    text = json.dumps(make_page_data(run), separators=(",", ":")).replace("</", "<\\/")
    page = template.read_text(encoding="utf-8").replace('"__DATA__"', text)
    write_text(path, page)


def make_page_data(run: Replay) -> dict[str, Any]:
    """Return everything that the page shows, ready for JSON."""
    estimate = run.estimate()
    return {
        "note": MODEL_NOTE,
        "terms": TERMS,
        "device": run.machine.spec.name,
        "verdict": format_verdict(run, estimate),
        "measured_first": context.get_context("device_target") == "CPU",
        "device_id": run.machine.device_id,
        "facts": _collect_facts(run),
        "views": [
            _make_user_view(run),
            *(_make_mode_views(estimate) if estimate is not None else []),
        ],
        "table": _tabulate_modes(estimate) if estimate is not None else [],
        "bottleneck": estimate.bottleneck if estimate is not None else "",
        "advice": list(estimate.advice) if estimate is not None else [],
        "run": _make_view(
            "run", "This run, kernel by kernel", _truncate_timeline(run.timeline), ""
        ),
        "memory": _collect_memory(run),
        "curves": _collect_curves(run),
        "kernels": _rank_kernel_types(run),
        "wall": [
            [
                t.name,
                format_layer_name(t.scope),
                t.line,
                t.calls,
                t.total_ns / 1e6,
                t.total_ns / 1e3 / t.calls,
            ]
            for t in run.recorder.wall_times()[:MAX_KERNELS]
        ],
        "wall_total_ms": sum(t.total_ns for t in run.recorder.wall_times()) / 1e6,
        "pipeline": summarize_pipeline(run),
    }


def format_layer_name(scope: str) -> str:
    """Return the layer of a scope by its name in the user's network, without the Cells that
    training wraps around it.

    >>> format_layer_name("Gradients.SinkNetwork.network.network._backbone.conv2")
    'conv2, backward'
    >>> format_layer_name("TrainOneStepCell.optimizer"), format_layer_name("SinkNetwork")
    ('optimizer', 'the step itself')
    """
    is_backward = scope.startswith("Gradients")
    components = scope.split(".")
    while components and components[0] in _WRAPPER_CELLS:
        components.pop(0)
    name = ".".join(components).replace("_loss_fn", "loss") or "the step itself"
    return f"{name}, backward" if is_backward else name


def format_verdict(run: Replay, estimate: Estimate | None) -> str:
    """Return a text that names the bottleneck of the run on this computer and on the device."""
    recorder = run.recorder
    calls_ms = (
        sum(launch.ended_ns - launch.began_ns for launch in recorder.launches if launch.ended_ns)
        / 1e6
    )
    if not recorder.steps or not calls_ms:
        return "No step was recorded."
    step_ms, data_ms = calls_ms / recorder.steps, run.data_us / 1e3
    limit = "the data pipeline" if data_ms > step_ms else "the computation"
    text = (
        f"Here {limit} bounds the run: a step takes {step_ms:.2f} ms, "
        f"a batch is made in {data_ms:.2f} ms."
    )
    if estimate is None:
        return text
    name = run.machine.spec.name
    return f"{text} On the {name}, by its model, the bound would be: {estimate.bottleneck}."


def _collect_curves(run: Replay) -> list[list[Any]]:
    """Return each curve as [name, points], the loss first; without a Model there are only
    losses.
    """
    curves = run.recorder.curves.get_curves() or {"loss": list(enumerate(run.losses, 1))}
    return [[name, _thin_points(points, MAX_POINTS)] for name, points in curves.items() if points]


def _collect_facts(run: Replay) -> list[list[str]]:
    """Return the facts about the run, as pairs of a label and a text."""
    recorder, main = run.recorder, run.main
    wall_ms = (
        sum(launch.ended_ns - launch.began_ns for launch in recorder.launches if launch.ended_ns)
        / 1e6
    )
    trained = recorder.curves.steps or recorder.steps
    evaluated_steps = recorder.steps - trained
    facts = [
        [
            "steps",
            f"{trained:,}"
            + (f", and {evaluated_steps:,} of evaluations" if evaluated_steps > 0 else ""),
        ],
        ["interactions of host and device", f"{len(recorder.launches):,}"],
        ["wall time in them", f"{wall_ms:,.1f} ms"],
        ["data pipeline, measured", f"{run.data_us / 1e3:.3f} ms a batch"],
    ]
    traffic = transport.current.traffic
    if traffic.buckets:
        facts.append(
            [
                "all-reduces of gradients",
                f"{traffic.buckets:,}, {traffic.nbytes / 2**20:,.1f} MB, "
                f"{traffic.hidden:.0%} of their time behind other work",
            ]
        )
    if main is not None:
        cost = main.cost
        facts += [
            ["kernels a step", f"{cost.launches}"],
            [
                f"{run.machine.spec.name}, modelled",
                f"{cost.device_us / 1e3:.3f} ms of kernels a step",
            ],
            ["peak device memory", f"{main.plan.peak / 2**20:,.1f} MB"],
        ]
    return facts


def _make_user_view(run: Replay) -> dict[str, Any]:
    """Return the program's view in wall time: its calls, and the batches sent."""
    recorder = run.recorder
    start_ns = recorder.began_ns
    calls = []
    for launch in _thin_points([x for x in recorder.launches if x.ended_ns], MAX_POINTS):
        name = f"{launch.steps} steps" if launch.steps != 1 else "1 step"
        if len(launch.losses):
            name += f", loss {float(launch.losses[-1]):.4g}"
        calls.append(
            _make_task(
                (launch.began_ns - start_ns) / 1e3,
                (launch.ended_ns - launch.began_ns) / 1e3,
                name,
                "host",
            )
        )
    # Copied to a list first, since a sender thread may add its queue meanwhile.
    sent = [ns for times in list(recorder.sent_ns.values()) for ns in times]
    batches = [
        _make_task((ns - start_ns) / 1e3, 0.0, f"batch {i} into the queue", "data")
        for i, ns in _thin_points(list(enumerate(sorted(sent), 1)), MAX_POINTS)
    ]
    lanes = [{"name": "your calls", "tasks": calls}]
    if batches:
        lanes.append({"name": "batches sent", "tasks": batches})
    return {
        "id": "user",
        "title": "User's view",
        "text": "What your program saw on this computer: wall time, measured. One bar is one "
        "interaction with the device.",
        "wall": True,
        "elapsed": max((t[0] + t[1] for lane in lanes for t in lane["tasks"]), default=1.0),
        "lanes": lanes,
    }


def _make_mode_views(estimate: Estimate) -> list[dict[str, Any]]:
    """Return a view of the first steps in each supported sink mode, on one time scale.

    A step of many kernels is shown as one bar.
    """
    steps = min(MAX_STEPS, estimate.dataset_size)
    sink = max(2, min(steps, estimate.sink_size)) if steps > 1 else 1
    detail = steps if estimate.cost.launches * steps <= MAX_DETAILED_KERNELS else 0
    views = []
    for mode in WAYS:
        if not estimate[mode].supported:
            continue
        timeline = estimate.with_sink(sink).timeline(mode, steps, detail=detail)
        title, text = TITLES[mode]
        views.append(_make_view(mode, title, timeline, text))
    scale = max(view["elapsed"] for view in views)
    for view in views:
        view["scale"] = scale
    return views


def _make_view(name: str, title: str, timeline: Timeline, text: str) -> dict[str, Any]:
    """Return a view of a timeline: a lane for each unit of the device, with its tasks."""
    lanes = []
    for lane in timeline.lanes():
        tasks = [
            _make_task(
                r.start_us,
                r.duration_us,
                _label_task(r),
                _classify_task(r),
                r.step,
                r.scope,
                r.nbytes,
            )
            for r in timeline
            if r.lane == lane
        ]
        lanes.append({"name": lane, "tasks": tasks})
    return {
        "id": name,
        "title": title,
        "text": text,
        "wall": False,
        "elapsed": timeline.elapsed_us,
        "lanes": lanes,
    }


def _truncate_timeline(timeline: Timeline) -> Timeline:
    """Return a timeline of the first ``MAX_TASKS`` records."""
    return Timeline(timeline.records[:MAX_TASKS])


def _label_task(r: Record) -> str:
    """Return the label of a task's bar: the type of a kernel, else the task's name."""
    return r.name if r.lane != "AI Core" or r.name in ("begin", "end", "program") else r.op_type


def _classify_task(r: Record) -> str:
    """Return the group that determines the colour of a task."""
    if r.lane != "AI Core":
        return GROUPS.get(r.lane, "host")
    if r.name in ("begin", "end"):
        return "control"
    is_cube = any(word in r.op_type for word in ("Conv", "MatMul", "program"))
    return "cube" if is_cube else "vector"


def _make_task(
    start: float,
    duration: float,
    name: str,
    group: str,
    step: int = 0,
    scope: str = "",
    nbytes: int = 0,
) -> list[Any]:
    """Return a task as the list that the page reads, with times rounded to nanoseconds."""
    return [round(start, 3), round(duration, 3), name, group, step, scope, nbytes]


def _tabulate_modes(estimate: Estimate) -> list[list[Any]]:
    """Return one row for each sink mode: times, shares, interactions and copied bytes."""
    return [
        [
            p.way,
            p.supported,
            p.step_us / 1e3,
            p.epoch_us / 1e3,
            p.busy_share,
            p.wait_share,
            p.counts.interactions,
            p.counts.h2d_bytes / 1e6,
        ]
        for p in estimate
    ]


def _collect_memory(run: Replay) -> dict[str, Any]:
    """Return the memory in use over one step of the main program, by kind; {} if no program ran."""
    main = run.main
    if main is None:
        return {}
    points = _thin_points(memory_over_time(main), MAX_POINTS)
    kinds = list(points[0][1]) if points else []
    return {
        "us": [us for us, _ in points],
        "kinds": {kind: [use[kind] for _, use in points] for kind in kinds},
        "capacity": main.plan.capacity,
        "peak": main.plan.peak,
        "peak_op": main.plan.peak_op,
        "elapsed": main.cost.device_us,
    }


def _rank_kernel_types(run: Replay) -> list[list[Any]]:
    """Return the most expensive kernel types of one step as name, count, microseconds, share; [] if
    no program ran.
    """
    main = run.main
    if main is None:
        return []
    total = main.cost.device_us or 1.0
    table = main.cost.sum_kernel_types()
    return [
        [kind, count, us, us / total] for kind, (count, us) in list(table.items())[:MAX_KERNELS]
    ]


def _thin_points(points: list[Any], limit: int) -> list[Any]:
    """Return at most ``limit`` of these points, evenly spaced and including the last one."""
    if len(points) <= limit:
        return points
    step = len(points) / limit
    return [points[int(i * step)] for i in range(limit - 1)] + [points[-1]]
