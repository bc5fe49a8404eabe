"""Define the options of a profiler, from ``profiling_options`` or ``Profiler(...)``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minispore.errors import did_you_mean
from minispore.foundation.files import parse_json

METRICS = (
    "ArithmeticUtilization",
    "PipeUtilization",
    "Memory",
    "MemoryL0",
    "ResourceConflictRatio",
)
DEFAULT_METRICS = "PipeUtilization"
#: Number of steps whose kernels are listed one by one; MindSpore recommends profiling about ten.
DETAIL_STEPS = 10


@dataclass(frozen=True)
class Options:
    """Selects the data that a profiler collects, and the folder of its files."""

    folder: Path
    training_trace: bool = True  # step trace files
    task_trace: bool = True  # kernel files, the timeline
    aicpu_trace: bool = True  # the AI CPU file
    memory: bool = True
    data: bool = True  # the pipeline's files
    host: bool = True  # the files of wall time on this computer
    fp_point: str = ""  # the kernel that starts the forward pass; "" for the first
    bp_point: str = ""  # the kernel that ends the backward pass; "" for the last
    ai_core_metrics: str = DEFAULT_METRICS
    detail_steps: int = DETAIL_STEPS

    @staticmethod
    def parse(text: str) -> Options:
        """Return the options in ``profiling_options`` of the context, which has checked the text.

        >>> Options.parse('{"result_path": ".", "task_trace": "off"}').task_trace
        False
        >>> Options.parse("training_trace:op_trace").aicpu_trace
        False
        """
        if not text.lstrip().startswith("{"):  # the oldest form: the traces that are on
            enabled = set(text.split(":"))
            settings: Mapping[str, str] = {
                name: "on" if name in enabled else "off"
                for name in ("training_trace", "task_trace", "aicpu_trace")
            }
            if "op_trace" in enabled:
                settings = {**settings, "task_trace": "on"}
        else:
            settings = parse_json(text)
        return Options(
            Path(settings.get("result_path", ".")).resolve() / "profiler",
            training_trace=settings.get("training_trace", "on") == "on",
            task_trace="on" in (settings.get("task_trace", "off"), settings.get("op_trace", "off")),
            aicpu_trace=settings.get("aicpu_trace", "off") == "on",
            fp_point=settings.get("fp_point", ""),
            bp_point=settings.get("bp_point", ""),
            ai_core_metrics=settings.get("ai_core_metrics", DEFAULT_METRICS),
        )


#: Keywords of MindSpore's Profiler with the types that they accept. Those that :func:`make_options`
#: does not read have no effect.
KEYWORDS: Mapping[str, tuple[type, ...]] = {
    "op_time": (bool,),
    "profile_communication": (bool,),
    "profile_memory": (bool,),
    "parallel_strategy": (bool,),
    "start_profile": (bool,),
    "aicore_metrics": (int,),
    "l2_cache": (bool,),
    "hbm_ddr": (bool,),
    "pcie": (bool,),
    "sync_enable": (bool,),
    "data_process": (bool,),
    "timeline_limit": (int,),
    "profile_framework": (str, type(None)),
    "with_stack": (bool,),
    "data_simplification": (bool,),
    "host_stack": (bool,),
    "profiler_level": (int, type(None)),
    "subgraph": (str,),
    "is_detail": (bool,),
    "is_show_op_path": (bool,),
    "optypes_to_deal": (str,),
    "optypes_not_deal": (str,),
    "job_id": (str,),
}


def make_options(output_path: str, detail_steps: int, keywords: Mapping[str, Any]) -> Options:
    """Return the options for the arguments of ``Profiler(...)``.

    Raises:
        TypeError: a keyword is unknown, or a value has the wrong type.
        ValueError: a value is out of range.
    """
    if not isinstance(output_path, str):
        raise TypeError(
            f"Profiler: output_path must be a str, got {output_path!r} "
            f"({type(output_path).__name__})."
        )
    if isinstance(detail_steps, bool) or not isinstance(detail_steps, int):
        raise TypeError(f"Profiler: detail_steps must be an int, got {detail_steps!r}.")
    if detail_steps < 0:
        raise ValueError(f"Profiler: detail_steps must be at least 0, got {detail_steps}.")
    for name, value in keywords.items():
        if name not in KEYWORDS:
            raise TypeError(f"Profiler: has no argument {name!r}.{did_you_mean(name, KEYWORDS)}")
        allowed_types = KEYWORDS[name]
        if not isinstance(value, allowed_types) or (
            isinstance(value, bool) and bool not in allowed_types
        ):
            names = " or ".join(t.__name__ for t in allowed_types)
            raise TypeError(f"Profiler: {name} must be {names}, got {value!r}.")
    metrics = keywords.get("aicore_metrics", METRICS.index(DEFAULT_METRICS))
    if not -1 <= metrics < len(METRICS):
        raise ValueError(
            f"Profiler: aicore_metrics must be from -1 to {len(METRICS) - 1}, got {metrics}."
        )
    return Options(
        Path(output_path).resolve() / "profiler",
        task_trace=keywords.get("op_time", True),
        aicpu_trace=keywords.get("op_time", True),
        memory=keywords.get("profile_memory", True),
        data=keywords.get("data_process", True),
        ai_core_metrics=METRICS[metrics] if metrics >= 0 else "",
        detail_steps=detail_steps,
    )
