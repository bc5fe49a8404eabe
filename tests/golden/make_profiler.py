"""Write what MindSpore's profiler schedules do and its enums hold: run it with MindSpore 2.10.

python tests/golden/make_profiler.py
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from mindspore import profiler
from mindspore.profiler.schedule import ProfilerAction

NAMES = ("wait", "active", "warmup", "repeat", "skip_first")
BAD: dict[str, list[Any]] = {
    "wait": [-1, 1.5, True, "1"],
    "active": [0, -2, 2.0, True, None],
    "warmup": [-1, False, "x"],
    "repeat": [-3, 0.5, True],
    "skip_first": [-1, None, True],
}


def actions() -> list[dict[str, Any]]:
    rows = []
    for counts in itertools.product((0, 2), (1, 3), (0, 1), (0, 2), (0, 3)):
        options = dict(zip(NAMES, counts, strict=True))
        output = profiler.schedule(**options)
        errors = [output(step).value for step in range(20)]
        selected, printed = output.to_dict(), repr(output)
        rows.append({"given": options, "actions": errors, "taken": selected, "repr": printed})
    return rows


def list_replacements() -> list[dict[str, Any]]:
    rows = []
    for name, values in BAD.items():
        for value in values:
            options = {
                "wait": 1,
                "active": 2,
                "warmup": 1,
                "repeat": 1,
                "skip_first": 1,
                name: value,
            }
            rows.append({"given": options, "taken": profiler.schedule(**options).to_dict()})
    return rows


def enums() -> dict[str, dict[str, Any]]:
    kinds = [
        ProfilerAction,
        profiler.ProfilerLevel,
        profiler.ProfilerActivity,
        profiler.AicoreMetrics,
        profiler.ExportType,
        profiler.HostSystem,
    ]
    return {kind.__name__: {m.name: m.value for m in kind} for kind in kinds}


if __name__ == "__main__":
    record = {"enums": enums(), "replaced": list_replacements(), "actions": actions()}
    path = Path(__file__).parent / "profiler_schedules.json"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
