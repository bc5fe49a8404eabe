"""The files of a profile, under MindSpore's own names and columns.

All times in them are *virtual*: added up by the machine's model, not measured. Those whose names
begin with ``wall_`` and those of the data pipeline are measured on this computer.
"""

from __future__ import annotations

from pathlib import Path

from minispore.profiler import kernels, memory, pipeline, steps, wall
from minispore.profiler.options import Options
from minispore.profiler.replay import Replay
from minispore.profiler.writing import write_json


def write_all(run: Replay, options: Options, folder: Path) -> list[Path]:
    """Write every file that ``options`` ask for, and return the paths; files about programs only if
    one ran.
    """
    folder.mkdir(parents=True, exist_ok=True)
    device = run.machine.device_id
    main = run.main
    written: list[Path] = []

    def add_path(name: str) -> Path:
        """Return the path of a file in ``folder``, and add it to ``written``."""
        written.append(folder / name)
        return written[-1]

    if options.training_trace and main is not None:
        steps.write_step_trace(add_path(f"step_trace_raw_{device}_detail_time.csv"), run, options)
        steps.write_points(add_path(f"step_trace_point_info_{device}.json"), main.cost, options)
    if options.task_trace and main is not None:
        kernels.write_detail(add_path(f"aicore_intermediate_{device}_detail.csv"), run.programs)
        kernels.write_framework(add_path(f"framework_raw_{device}.csv"), run.programs)
        kernels.write_types(add_path(f"aicore_intermediate_{device}_type.csv"), run.programs)
        kernels.write_tasks(add_path(f"output_timeline_data_{device}.txt"), run.timeline)
        kernels.write_trace(add_path(f"ascend_timeline_display_{device}.json"), run)
        kernels.write_trace_summary(add_path(f"ascend_timeline_summary_{device}.json"), run)
    if options.memory and main is not None:
        memory.write_operator_memory(add_path(f"operator_memory_{device}.csv"), main)
        memory.write_memory_record(add_path(f"cpu_ms_memory_record_{device}.txt"), main)
    return written + write_more(run, options, folder)


def write_more(run: Replay, options: Options, folder: Path) -> list[Path]:
    """Write the files whose names all versions of MindSpore, or none, have; return the paths.

    These are operations, AI Core metrics, AI CPU, and what was measured on this computer.
    """
    device = run.machine.device_id
    main = run.main
    written: list[Path] = []

    def add_path(name: str) -> Path:
        """Return the path of a file in ``folder``, and add it to ``written``."""
        written.append(folder / name)
        return written[-1]

    if options.task_trace and main is not None:
        kernels.write_flops(add_path(f"flops_{device}.txt"), run.programs)
        kernels.write_flops_summary(add_path(f"flops_summary_{device}.json"), run)
        kernels.write_flops_scope(add_path(f"flops_scope_{device}.json"), main.cost)
        if options.ai_core_metrics:
            name = f"aicore_intermediate_{device}_pmu.csv"
            kernels.write_metrics(add_path(name), main.cost, options.ai_core_metrics)
    if options.aicpu_trace:
        kernels.write_aicpu(add_path(f"aicpu_intermediate_{device}.csv"), run.timeline)
    if options.data:
        pipeline.write_pipeline(add_path(f"minddata_pipeline_raw_{device}.csv"), run)
        summary = pipeline.summarize_pipeline(run)
        pipeline.write_pipeline_summary(
            add_path(f"minddata_pipeline_summary_{device}.csv"), summary
        )
        write_json(add_path(f"minddata_pipeline_summary_{device}.json"), summary)
    if options.host:
        wall.write_wall_kernels(add_path(f"wall_kernels_{device}.csv"), run.recorder.wall_times())
        wall.write_wall_steps(add_path(f"wall_steps_{device}.csv"), run)
    return written
