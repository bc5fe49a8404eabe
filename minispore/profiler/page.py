"""The page: one HTML file with everything in it, made from the run."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from minispore import context
from minispore.device.model.forecast import Estimate
from minispore.device.model.schedule import WAYS
from minispore.device.model.timeline import Record, Timeline
from minispore.files import write_text
from minispore.ops.support import transport
from minispore.profiler.memory import memory_over_time
from minispore.profiler.pipeline import pipeline_summary
from minispore.profiler.replay import Replay
from minispore.profiler.writing import MODEL_NOTE

SHOWN_STEPS = 4  # of each of the four ways, on one scale
SHOWN_DETAIL = 1500  # kernels of one way; a longer program is one bar
SHOWN_TASKS = 6000  # of the run, kernel by kernel
SHOWN_POINTS = 2000  # of the loss and of the interactions
SHOWN_KERNELS = 20

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
# Cells that training puts around the user's own.
_WRAPPERS = {
    "Gradients", "SinkNetwork", "TrainOneStepCell", "TrainOneStepWithLossScaleCell", "WithLossCell",
    "WithEvalCell", "_backbone", "_network", "network",
}  # fmt: skip


def write_page(path: Path, run: Replay) -> None:
    """Write the page of ``run`` to ``path``."""
    template = resources.files("minispore.profiler").joinpath("page.html")
    text = json.dumps(page_data(run), separators=(",", ":")).replace("</", "<\\/")
    page = template.read_text(encoding="utf-8").replace('"__DATA__"', text)
    write_text(path, page)


def page_data(run: Replay) -> dict[str, Any]:
    """Everything that the page shows."""
    found = run.estimate()
    return {
        "note": MODEL_NOTE,
        "device": run.machine.spec.name,
        "verdict": verdict(run, found),
        "measured_first": context.get_context("device_target") == "CPU",
        "device_id": run.machine.device_id,
        "facts": _facts(run),
        "views": [_user_view(run), *(_ways(found) if found is not None else [])],
        "table": _table(found) if found is not None else [],
        "bottleneck": found.bottleneck if found is not None else "",
        "advice": list(found.advice) if found is not None else [],
        "run": _view("run", "This run, kernel by kernel", _first(run.timeline), ""),
        "memory": _memory(run),
        "curves": _curves(run),
        "kernels": _kernels(run),
        "wall": [
            [
                t.name,
                users_name(t.scope),
                t.line,
                t.calls,
                t.total_ns / 1e6,
                t.total_ns / 1e3 / t.calls,
            ]
            for t in run.recorder.wall_times()[:SHOWN_KERNELS]
        ],
        "wall_total_ms": sum(t.total_ns for t in run.recorder.wall_times()) / 1e6,
        "pipeline": pipeline_summary(run),
    }


def users_name(scope: str) -> str:
    """The layer that a scope is about, as the user's network calls it.

    >>> users_name("Gradients.SinkNetwork.network.network._backbone.conv2")
    'conv2, backward'
    >>> users_name("TrainOneStepCell.optimizer"), users_name("SinkNetwork")
    ('optimizer', 'the step itself')
    """
    backward = scope.startswith("Gradients")
    parts = scope.split(".")
    while parts and parts[0] in _WRAPPERS:
        parts.pop(0)
    name = ".".join(parts).replace("_loss_fn", "loss") or "the step itself"
    return f"{name}, backward" if backward else name


def verdict(run: Replay, found: Estimate | None) -> str:
    """What bounds the run on this computer, in one sentence, and what would on the device."""
    recorder = run.recorder
    calls_ms = sum(la.ended_ns - la.began_ns for la in recorder.launches if la.ended_ns) / 1e6
    if not recorder.steps or not calls_ms:
        return "No step was recorded."
    step_ms, data_ms = calls_ms / recorder.steps, run.data_us / 1e3
    here = "the data pipeline" if data_ms > step_ms else "the computation"
    said = (
        f"Here {here} bounds the run: a step takes {step_ms:.2f} ms, "
        f"a batch is made in {data_ms:.2f} ms."
    )
    if found is None:
        return said
    name = run.machine.spec.name
    return f"{said} On the {name}, by its model, the bound would be: {found.bottleneck}."


def _curves(run: Replay) -> list[list[Any]]:
    """Each curve with its name, the loss first; outside of a Model there are only losses."""
    found = run.recorder.curves.all() or {"loss": list(enumerate(run.losses, 1))}
    return [[name, _thinned(points, SHOWN_POINTS)] for name, points in found.items() if points]


def _facts(run: Replay) -> list[list[str]]:
    recorder, main = run.recorder, run.main
    wall_ms = sum(la.ended_ns - la.began_ns for la in recorder.launches if la.ended_ns) / 1e6
    trained = recorder.curves.steps or recorder.steps
    others = recorder.steps - trained
    facts = [
        ["steps", f"{trained:,}" + (f", and {others:,} of evaluations" if others > 0 else "")],
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
            ["largest batch that fits", f"{main.plan.largest_batch:,}"],
        ]
    return facts


def _user_view(run: Replay) -> dict[str, Any]:
    recorder = run.recorder
    zero = recorder.began_ns
    calls = []
    for la in _thinned([x for x in recorder.launches if x.ended_ns], SHOWN_POINTS):
        name = f"{la.steps} steps" if la.steps != 1 else "1 step"
        if len(la.losses):
            name += f", loss {float(la.losses[-1]):.4g}"
        calls.append(
            _task((la.began_ns - zero) / 1e3, (la.ended_ns - la.began_ns) / 1e3, name, "host")
        )
    sent = [ns for times in recorder.sent_ns.values() for ns in times]
    batches = [
        _task((ns - zero) / 1e3, 0.0, f"batch {i} into the queue", "data")
        for i, ns in _thinned(list(enumerate(sorted(sent), 1)), SHOWN_POINTS)
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


def _ways(found: Estimate) -> list[dict[str, Any]]:
    steps = min(SHOWN_STEPS, found.dataset_size)
    sink = max(2, min(steps, found.sink_size)) if steps > 1 else 1
    detail = steps if found.cost.launches * steps <= SHOWN_DETAIL else 0
    views = []
    for way in WAYS:
        if not found[way].supported:
            continue
        timeline = found.with_sink(sink).timeline(way, steps, detail=detail)
        title, text = TITLES[way]
        views.append(_view(way, title, timeline, text))
    scale = max(view["elapsed"] for view in views)
    for view in views:
        view["scale"] = scale
    return views


def _view(name: str, title: str, timeline: Timeline, text: str) -> dict[str, Any]:
    lanes = []
    for lane in timeline.lanes():
        tasks = [
            _task(r.start_us, r.duration_us, _label(r), _group(r), r.step, r.scope, r.nbytes)
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


def _first(timeline: Timeline) -> Timeline:
    return Timeline(timeline.records[:SHOWN_TASKS])


def _label(r: Record) -> str:
    return r.name if r.lane != "AI Core" or r.name in ("begin", "end", "program") else r.op_type


def _group(r: Record) -> str:
    if r.lane != "AI Core":
        return GROUPS.get(r.lane, "host")
    if r.name in ("begin", "end"):
        return "control"
    cube = any(word in r.op_type for word in ("Conv", "MatMul", "program"))
    return "cube" if cube else "vector"


def _task(
    start: float,
    took: float,
    name: str,
    group: str,
    step: int = 0,
    scope: str = "",
    nbytes: int = 0,
) -> list[Any]:
    return [round(start, 3), round(took, 3), name, group, step, scope, nbytes]


def _table(found: Estimate) -> list[list[Any]]:
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
        for p in found
    ]


def _memory(run: Replay) -> dict[str, Any]:
    main = run.main
    if main is None:
        return {}
    points = _thinned(memory_over_time(main), SHOWN_POINTS)
    kinds = list(points[0][1]) if points else []
    return {
        "us": [us for us, _ in points],
        "kinds": {kind: [use[kind] for _, use in points] for kind in kinds},
        "capacity": main.plan.capacity,
        "peak": main.plan.peak,
        "peak_op": main.plan.peak_op,
        "elapsed": main.cost.device_us,
    }


def _kernels(run: Replay) -> list[list[Any]]:
    main = run.main
    if main is None:
        return []
    total = main.cost.device_us or 1.0
    table = main.cost.by_type()
    return [
        [kind, count, us, us / total] for kind, (count, us) in list(table.items())[:SHOWN_KERNELS]
    ]


def _thinned(points: list[Any], most: int) -> list[Any]:
    """At most ``most`` of ``points``, evenly, the last one included."""
    if len(points) <= most:
        return points
    step = len(points) / most
    return [points[int(i * step)] for i in range(most - 1)] + [points[-1]]
