"""Check the arguments of a session, and convert them to the options of a profiler.

As in MindSpore, an invalid value does not end a training: it is replaced by the default, with a
warning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from minispore.errors import warn
from minispore.profiler.options import METRICS, Options
from minispore.profiler.sessions.enums import (
    AicoreMetrics,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
)
from minispore.profiler.sessions.marks import Marks

Validator = Callable[[Any], bool]


class _ExperimentalConfig:
    """Experimental arguments of ``profile``, which may change.

    Args:
        profiler_level: the level of detail; LevelNone records no kernels, and needs ``mstx``.
        aic_metrics: the AI Core metrics of Level1 and Level2.
        l2_cache, data_simplification, sys_io, sys_interconnection, host_sys: only checked; the
            model of a device does not cover them.
        mstx: whether to collect the marks of ``mstx``.
        export_type: the format of the files, which is always text.
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


def _make_type_validator(cls: type) -> Validator:
    """Return a function that checks whether a value is an instance of ``cls``."""
    return lambda value: isinstance(value, cls)


def _make_list_validator(cls: type) -> Validator:
    """Return a function that checks whether a value is a list of instances of ``cls``."""
    return lambda value: isinstance(value, list) and all(isinstance(v, cls) for v in value)


def _is_list_of_names(value: Any) -> bool:
    """Whether a value is a list of nonempty strings."""
    return _make_list_validator(str)(value) and "" not in value


#: Argument -> (default, whether a value is valid, a description of the valid values).
ARGUMENTS: Mapping[str, tuple[Any, Validator, str]] = {
    "activities": (
        [ProfilerActivity.CPU, ProfilerActivity.NPU],
        _make_list_validator(ProfilerActivity),
        "a list of ProfilerActivity",
    ),
    **{
        name: (default, _make_type_validator(bool), "a bool")
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
    "profiler_level": (
        ProfilerLevel.Level0,
        _make_type_validator(ProfilerLevel),
        "a ProfilerLevel",
    ),
    "aic_metrics": (
        AicoreMetrics.AiCoreNone,
        _make_type_validator(AicoreMetrics),
        "one of AicoreMetrics",
    ),
    "export_type": ([ExportType.Text], _make_list_validator(ExportType), "a list of ExportType"),
    "mstx_domain_include": ([], _is_list_of_names, "a list of names"),
    "mstx_domain_exclude": ([], _is_list_of_names, "a list of names"),
    "host_sys": ([], _make_list_validator(HostSystem), "a list of HostSystem"),
}


@dataclass(frozen=True)
class Settings:
    """The checked arguments of a session."""

    values: Mapping[str, Any]

    @property
    def starts_itself(self) -> bool:
        """Whether the session starts when it is created."""
        return bool(self.values["start_profile"])

    def make_options(self, folder: Path) -> Options:
        """Return the options that the activities and level imply, for a profiler that writes to
        ``folder``.
        """
        values = self.values
        activities = values["activities"]
        has_device = ProfilerActivity.NPU in activities or ProfilerActivity.GPU in activities
        has_tasks = has_device and values["profiler_level"] is not ProfilerLevel.LevelNone
        metrics = values["aic_metrics"].value
        return Options(
            folder,
            training_trace=has_tasks,
            task_trace=has_tasks,
            aicpu_trace=has_tasks,
            memory=values["profile_memory"],
            data=values["data_process"],
            host=ProfilerActivity.CPU in activities,
            ai_core_metrics=metrics if metrics in METRICS else "",
        )

    def make_marks(self) -> Marks | None:
        """Return an empty collection for the program's marks, or None if they are not collected."""
        values = self.values
        if not values["mstx"]:
            return None
        return Marks(values["mstx_domain_include"], values["mstx_domain_exclude"])

    def to_dict(self) -> dict[str, Any]:
        """Return the arguments as plain values for a file."""
        return {name: _to_plain_value(value) for name, value in self.values.items()}


def _to_plain_value(value: Any) -> Any:
    """Return a value with enumeration members replaced by their values."""
    if isinstance(value, list):
        return [_to_plain_value(v) for v in value]
    return value.value if isinstance(value, Enum) else value


def make_settings(arguments: Mapping[str, Any], config: Any, has_schedule: bool) -> Settings:
    """Return the settings from the arguments of ``profile`` and its ``experimental_config``, which
    takes precedence.

    An invalid value is replaced by the default, and conflicting settings are changed, with a
    warning.
    """
    arguments = dict(arguments)
    if isinstance(config, _ExperimentalConfig):
        arguments |= vars(config)
    elif config is not None:
        _warn_of_default("experimental_config", "an _ExperimentalConfig", config, "its default")
    values = {}
    for name, (default, is_valid, description) in ARGUMENTS.items():
        value = arguments.get(name)
        if value is not None and not is_valid(value):
            _warn_of_default(name, description, value, _to_plain_value(default))
            value = None
        values[name] = default if value is None else value
    _resolve_conflicts(values, has_schedule)
    return Settings(values)


def _warn_of_default(name: str, description: str, value: Any, default: Any) -> None:
    """Warn that an invalid value is replaced by the default."""
    warn(f"profile: {name} must be {description}, got {value!r}. {default} is taken.")


def _resolve_conflicts(values: dict[str, Any], has_schedule: bool) -> None:
    """Change settings in ``values`` that conflict with each other, with a warning for each."""

    def change_setting(name: str, value: Any, why: str) -> None:
        """Set ``values[name]``, and warn with the reason."""
        values[name] = value
        warn(f"profile: {name} is taken to be {_to_plain_value(value)}: {why}.")

    for name, instead in {"pcie": "sys_interconnection", "hbm_ddr": "profile_memory"}.items():
        if values[name]:
            warn(f"profile: {name} will go. Use {instead} instead.")
    if has_schedule and values["data_process"]:
        change_setting("data_process", False, "with a schedule the data pipeline is not collected")
    if values["profiler_level"] is ProfilerLevel.LevelNone and not values["mstx"]:
        change_setting("profiler_level", ProfilerLevel.Level0, "LevelNone wants mstx=True")
    has_metrics_level = values["profiler_level"] in (ProfilerLevel.Level1, ProfilerLevel.Level2)
    level, metrics = values["profiler_level"].value, values["aic_metrics"]
    if has_metrics_level and metrics is AicoreMetrics.AiCoreNone:
        change_setting("aic_metrics", AicoreMetrics.PipeUtilization, f"{level} has metrics")
    elif not has_metrics_level and metrics is not AicoreMetrics.AiCoreNone:
        change_setting("aic_metrics", AicoreMetrics.AiCoreNone, f"{level} has no metrics")
    if values["record_shapes"] and ProfilerActivity.CPU not in values["activities"]:
        change_setting("record_shapes", False, "the activities are without CPU")
    include, exclude = "mstx_domain_include", "mstx_domain_exclude"
    for name in (include, exclude):
        if values[name] and not values["mstx"]:
            change_setting(name, [], "it wants mstx=True")
    if values[include] and values[exclude]:
        change_setting(exclude, [], f"{include} is given")


__all__ = ["Settings", "_ExperimentalConfig", "make_settings"]
