"""What a session is asked to collect: its arguments, checked, and the options they come to.

As in MindSpore, a bad value ends no training: it is replaced by the default, with a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from minispore.errors import warn
from minispore.profiler.options import METRICS, Options
from minispore.profiler.sessions.marks import Marks
from minispore.profiler.sessions.words import (
    AicoreMetrics,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
)

Rule = Callable[[Any], bool]


class _ExperimentalConfig:
    """Arguments of ``profile`` that may change.

    Args:
        profiler_level: LevelNone asks for no kernels, and wants ``mstx``.
        aic_metrics: the AI Core metrics of Level1 and Level2.
        l2_cache, data_simplification, sys_io, sys_interconnection, host_sys: checked;
            the model of a device has nothing of it.
        mstx: whether what ``mstx`` marks is collected.
        export_type: the form of the files; they are text.
        mstx_domain_include: the domains whose marks are collected, if not all.
        mstx_domain_exclude: the domains whose marks are not collected.

    >>> _ExperimentalConfig(profiler_level=ProfilerLevel.Level1).profiler_level.value
    'Level1'
    """

    def __init__(
        self,
        profiler_level: ProfilerLevel = ProfilerLevel.Level0,
        aic_metrics: AicoreMetrics = AicoreMetrics.AiCoreNone,
        l2_cache: bool = False,
        mstx: bool = False,
        data_simplification: bool = True,
        export_type: list[ExportType] | None = None,
        mstx_domain_include: list[str] | None = None,
        mstx_domain_exclude: list[str] | None = None,
        sys_io: bool = False,
        sys_interconnection: bool = False,
        host_sys: list[HostSystem] | None = None,
    ) -> None:
        self.profiler_level = profiler_level
        self.aic_metrics = aic_metrics
        self.l2_cache = l2_cache
        self.mstx = mstx
        self.data_simplification = data_simplification
        self.export_type = export_type
        self.mstx_domain_include = mstx_domain_include
        self.mstx_domain_exclude = mstx_domain_exclude
        self.sys_io = sys_io
        self.sys_interconnection = sys_interconnection
        self.host_sys = host_sys


def _is(kind: type) -> Rule:
    return lambda value: isinstance(value, kind)


def _list_of(kind: type) -> Rule:
    return lambda value: isinstance(value, list) and all(isinstance(v, kind) for v in value)


def _names(value: Any) -> bool:
    return _list_of(str)(value) and "" not in value


#: Argument -> (its default, which values it takes, the same in words).
ARGUMENTS: Mapping[str, tuple[Any, Rule, str]] = {
    "activities": (
        [ProfilerActivity.CPU, ProfilerActivity.NPU],
        _list_of(ProfilerActivity),
        "a list of ProfilerActivity",
    ),
    **{
        name: (default, _is(bool), "a bool")
        for name, default in {
            "with_stack": False,
            "profile_memory": False,
            "data_process": False,
            "parallel_strategy": False,
            "start_profile": True,
            "hbm_ddr": False,
            "pcie": False,
            "sync_enable": True,
            "record_shapes": False,
            "l2_cache": False,
            "mstx": False,
            "data_simplification": True,
            "sys_io": False,
            "sys_interconnection": False,
        }.items()
    },
    "profiler_level": (ProfilerLevel.Level0, _is(ProfilerLevel), "a ProfilerLevel"),
    "aic_metrics": (AicoreMetrics.AiCoreNone, _is(AicoreMetrics), "one of AicoreMetrics"),
    "export_type": ([ExportType.Text], _list_of(ExportType), "a list of ExportType"),
    "mstx_domain_include": ([], _names, "a list of names"),
    "mstx_domain_exclude": ([], _names, "a list of names"),
    "host_sys": ([], _list_of(HostSystem), "a list of HostSystem"),
}


@dataclass(frozen=True)
class Settings:
    """The arguments of a session, each of them good."""

    values: Mapping[str, Any]

    @property
    def start(self) -> bool:
        """Whether it starts by itself."""
        return bool(self.values["start_profile"])

    def options(self, folder: Path) -> Options:
        """What is collected, and written into ``folder``."""
        given = self.values
        on = given["activities"]
        device = ProfilerActivity.NPU in on or ProfilerActivity.GPU in on
        tasks = device and given["profiler_level"] is not ProfilerLevel.LevelNone
        metrics = given["aic_metrics"].value
        return Options(
            folder,
            training_trace=tasks,
            task_trace=tasks,
            aicpu_trace=tasks,
            memory=given["profile_memory"],
            data=given["data_process"],
            host=ProfilerActivity.CPU in on,
            ai_core_metrics=metrics if metrics in METRICS else "",
        )

    def marks(self) -> Marks | None:
        """Where what the program marks is collected, if it is."""
        given = self.values
        if not given["mstx"]:
            return None
        return Marks(given["mstx_domain_include"], given["mstx_domain_exclude"])

    def written(self) -> dict[str, Any]:
        """As they stand in a file."""
        return {name: _plain(value) for name, value in self.values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value.value if isinstance(value, Enum) else value


def settings(given: Mapping[str, Any], config: Any, scheduled: bool) -> Settings:
    """The arguments ``given`` and those of ``config``, with defaults for what is bad."""
    given = dict(given)
    if isinstance(config, _ExperimentalConfig):
        given |= vars(config)
    elif config is not None:
        _replaced("experimental_config", "an _ExperimentalConfig", config, "its default")
    values = {}
    for name, (default, good, words) in ARGUMENTS.items():
        value = given.get(name)
        if value is not None and not good(value):
            _replaced(name, words, value, _plain(default))
            value = None
        values[name] = default if value is None else value
    _fit(values, scheduled)
    return Settings(values)


def _replaced(name: str, words: str, value: Any, default: Any) -> None:
    warn(f"profile: {name} must be {words}, got {value!r}. {default} is taken.")


def _fit(values: dict[str, Any], scheduled: bool) -> None:
    """Change what does not go together, with a warning each."""

    def change(name: str, value: Any, why: str) -> None:
        values[name] = value
        warn(f"profile: {name} is taken to be {_plain(value)}: {why}.")

    for name, instead in {"pcie": "sys_interconnection", "hbm_ddr": "profile_memory"}.items():
        if values[name]:
            warn(f"profile: {name} will go. Use {instead} instead.")
    if scheduled and values["data_process"]:
        change("data_process", False, "with a schedule the data pipeline is not collected")
    if values["profiler_level"] is ProfilerLevel.LevelNone and not values["mstx"]:
        change("profiler_level", ProfilerLevel.Level0, "LevelNone wants mstx=True")
    detailed = values["profiler_level"] in (ProfilerLevel.Level1, ProfilerLevel.Level2)
    level, metrics = values["profiler_level"].value, values["aic_metrics"]
    if detailed and metrics is AicoreMetrics.AiCoreNone:
        change("aic_metrics", AicoreMetrics.PipeUtilization, f"{level} has metrics")
    elif not detailed and metrics is not AicoreMetrics.AiCoreNone:
        change("aic_metrics", AicoreMetrics.AiCoreNone, f"{level} has no metrics")
    if values["record_shapes"] and ProfilerActivity.CPU not in values["activities"]:
        change("record_shapes", False, "the activities are without CPU")
    include, exclude = "mstx_domain_include", "mstx_domain_exclude"
    for name in (include, exclude):
        if values[name] and not values["mstx"]:
            change(name, [], "it wants mstx=True")
    if values[include] and values[exclude]:
        change(exclude, [], f"{include} is given")


__all__ = ["Settings", "_ExperimentalConfig", "settings"]
