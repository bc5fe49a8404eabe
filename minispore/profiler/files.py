"""The files of a profile, with MindSpore's names and columns.

All times in them are *virtual*: computed by the model of a device, not measured. The times in files
whose names begin with ``wall_`` and in those of the data pipeline are measured on this computer.
"""

from __future__ import annotations

from pathlib import Path

from minispore import context
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport
from minispore.profiler import kernels, memory, pipeline, steps, transfers, wall
from minispore.profiler.options import Options
from minispore.profiler.replay import Replay
from minispore.profiler.writing import FileList, write_json


def write_all(run: Replay, options: Options, folder: Path) -> list[Path]:
    """Write every file of a ``Profiler`` that ``options`` request, and return the paths; files
    about programs only if one ran.
    """
    device = _get_file_number(run)
    main = run.main
    written = FileList(folder)
    _write_info(written.add(f"profiler_info_{device}.json"), run)
    if options.training_trace and main is not None:
        steps.write_step_trace(
            written.add(f"step_trace_raw_{device}_detail_time.csv"), run, options
        )
        steps.write_points(written.add(f"step_trace_point_info_{device}.json"), main.cost, options)
    if options.task_trace and main is not None:
        kernels.write_detail(written.add(f"aicore_intermediate_{device}_detail.csv"), run.programs)
        kernels.write_framework(written.add(f"framework_raw_{device}.csv"), run.programs)
        kernels.write_types(written.add(f"aicore_intermediate_{device}_type.csv"), run.programs)
        kernels.write_tasks(written.add(f"output_timeline_data_{device}.txt"), run.timeline)
        kernels.write_trace(written.add(f"ascend_timeline_display_{device}.json"), run)
        kernels.write_trace_summary(written.add(f"ascend_timeline_summary_{device}.json"), run)
        if any(r.lane == "HCCL" for r in run.timeline):
            transfers.write_transfers(written.add(f"hccl_raw_{device}.csv"), run)
    if options.memory and main is not None:
        memory.write_operator_memory(written.add(f"operator_memory_{device}.csv"), main)
        memory.write_memory_record(written.add(f"cpu_ms_memory_record_{device}.txt"), main)
        memory.write_summary(written.add(f"memory_usage_summary_{device}.json"), main.plan)
        memory.write_details(written.add(f"memory_usage_details_{device}.json"), main)
    if options.data:
        pipeline.write_profiling(written.add(f"pipeline_profiling_{device}.json"), run)
    return written + write_common(run, options, folder)


def write_common(run: Replay, options: Options, folder: Path) -> list[Path]:
    """Write the files that ``Profiler`` and ``profile`` share, and return the paths.

    As ``options`` request, they contain floating-point operations, AI Core metrics, AI CPU tasks,
    and measurements of the data pipeline and of NumPy kernels on this computer.
    """
    device = _get_file_number(run)
    main = run.main
    written = FileList(folder)
    if options.task_trace and main is not None:
        kernels.write_flops(written.add(f"flops_{device}.txt"), run.programs)
        kernels.write_flops_summary(written.add(f"flops_summary_{device}.json"), run)
        kernels.write_flops_scope(written.add(f"flops_scope_{device}.json"), main.cost)
        if options.ai_core_metrics:
            name = f"aicore_intermediate_{device}_pmu.csv"
            kernels.write_metrics(written.add(name), main.cost, options.ai_core_metrics)
    if options.aicpu_trace:
        kernels.write_aicpu(written.add(f"aicpu_intermediate_{device}.csv"), run.timeline)
    if options.data:
        pipeline.write_pipeline(written.add(f"minddata_pipeline_raw_{device}.csv"), run)
        summary = pipeline.summarize_pipeline(run)
        pipeline.write_pipeline_summary(
            written.add(f"minddata_pipeline_summary_{device}.csv"), summary
        )
        write_json(written.add(f"minddata_pipeline_summary_{device}.json"), summary)
    if options.host:
        wall.write_wall_kernels(
            written.add(f"wall_kernels_{device}.csv"), run.recorder.wall_times()
        )
        wall.write_wall_steps(written.add(f"wall_steps_{device}.csv"), run)
    return written


def name_rank_file(stem: str, suffix: str) -> str:
    """Return the name of a file that each process has, with the rank in it if there are several:
    ranks may share a folder.
    """
    is_alone = transport.current.size(WORLD) == 1
    return f"{stem}{suffix}" if is_alone else f"{stem}_{transport.current.rank(WORLD)}{suffix}"


def _write_info(path: Path, run: Replay) -> None:
    """Write execution mode, device and ranks as JSON; MindInsight finds the other files by it."""
    is_graph_mode = context.current().mode == context.GRAPH_MODE
    info = {
        "context_mode": "graph" if is_graph_mode else "pynative",
        "device_target": run.machine.spec.target,
        "device_id": run.machine.device_id,
        "rank_id": transport.current.rank(WORLD),
        "rank_size": transport.current.size(WORLD),
    }
    write_json(path, info)


def _get_file_number(run: Replay) -> int:
    """Return the number in file names: the rank if there are several, else the device."""
    ranks = transport.current.size(WORLD)
    return transport.current.rank(WORLD) if ranks > 1 else run.machine.device_id
