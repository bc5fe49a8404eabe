"""The dump configuration: MindSpore's JSON file, or the ``enable_dump`` of the context."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minispore import context
from minispore.errors import did_you_mean
from minispore.foundation.files import parse_json

ALL, KERNELS, MARKED = 0, 1, 2  # dump_mode
BOTH, INPUTS, OUTPUTS = 0, 1, 2  # input_output
SAVED = ("tensor", "statistic", "full")
DEVICES = tuple(range(8))

_COMMON = {
    "dump_mode", "path", "net_name", "iteration", "saved_data", "input_output", "kernels",
    "support_device", "op_debug_mode", "file_format",
}  # fmt: skip
_E2E = {"enable", "trans_flag"}


@dataclass(frozen=True)
class DumpConfig:
    """The settings of a dump: which ops in which runs, and the folder.

    Attributes:
        path: the folder.
        net_name: the subfolder of the network.
        mode: all ops (0), the ops in ``kernels`` (1), or the ops marked by ``set_dump`` (2).
        iterations: first and last run of each range, from 0; None for all.
        saved_data: "tensor", "statistic" or "full".
        sides: inputs and outputs (0), inputs (1), outputs (2).
        kernels: names of ops, or parts of the names of types.
        devices: the ids of the devices that dump.
        overflow: only ops that overflow.
        synchronous: whether the files of a run are written at its end, not each after its op.
        source: the content of the configuration file, which is copied into the dump.
    """

    path: Path
    net_name: str
    mode: int = ALL
    iterations: tuple[tuple[int, int], ...] | None = None
    saved_data: str = "tensor"
    sides: int = BOTH
    kernels: tuple[str, ...] = ()
    devices: tuple[int, ...] = DEVICES
    overflow: bool = False
    synchronous: bool = False
    source: str = "{}"

    def includes_iteration(self, number: int) -> bool:
        """Whether run ``number`` is dumped."""
        return self.iterations is None or any(a <= number <= b for a, b in self.iterations)

    def includes_kernel(self, name: str) -> bool:
        """Whether the op with this full name matches one of ``kernels``.

        >>> config = DumpConfig(Path("/tmp"), "Net", mode=KERNELS, kernels=("conv",))
        >>> config.includes_kernel("Default/net/conv1/Conv2D-op3")
        True
        >>> config.includes_kernel("Default/Add")
        False
        """
        short_name = name.rpartition("/")[2]
        # A full name must be equal; any other pattern must be a substring of the op type's name.
        return any(
            pattern == name
            if "/" in pattern or "-op" in pattern
            else pattern.lower() in short_name.lower()
            for pattern in self.kernels
        )


def find_dump_config() -> DumpConfig | None:
    """Return the configuration of ``MINDSPORE_DUMP_CONFIG``, otherwise that of the context, or
    None.

    Raises:
        ValueError: the file can't be read, or has an unknown or unsupported setting.
    """
    file = os.environ.get("MINDSPORE_DUMP_CONFIG")
    record = context.current()
    if file:
        return read_dump_config(file, asynchronous=record.device_target == "Ascend")
    if record.enable_dump and record.device_target == "Ascend":
        return DumpConfig(Path(record.save_dump_path).resolve(), "Net")
    return None


def read_dump_config(file: str, *, asynchronous: bool = True) -> DumpConfig:
    """Read the JSON configuration in ``file``; its dump is asynchronous by default if
    ``asynchronous``.

    Raises:
        ValueError: the file can't be read, or has an unknown or unsupported setting.
    """
    error_prefix = f"Dump: {file}"
    try:
        source = Path(file).read_text(encoding="utf-8")
        settings = parse_json(source)
        common = settings["common_dump_settings"]
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise ValueError(
            f"{error_prefix} must be a JSON file with common_dump_settings, got "
            f"{type(exc).__name__}: {exc}."
        ) from exc
    end_to_end = settings.get("e2e_dump_settings", {})
    _check_keys(error_prefix, "common_dump_settings", common, _COMMON)
    _check_keys(error_prefix, "e2e_dump_settings", end_to_end, _E2E)
    debug = _read_choice(error_prefix, common, "op_debug_mode", (0, 1, 2, 3))
    if common.get("file_format", "npy") != "npy":
        raise ValueError(
            f"{error_prefix}: file_format must be 'npy', got {common['file_format']!r}. The layout "
            "of a device's own files is not written here."
        )
    return DumpConfig(
        path=_read_path(error_prefix, common),
        net_name=str(common.get("net_name", "Net")),
        mode=_read_choice(error_prefix, common, "dump_mode", (ALL, KERNELS, MARKED)),
        iterations=_parse_iterations(error_prefix, common.get("iteration", "all")),
        saved_data=_read_choice(error_prefix, common, "saved_data", SAVED),
        sides=_read_choice(error_prefix, common, "input_output", (BOTH, INPUTS, OUTPUTS)),
        kernels=tuple(common.get("kernels", ())),
        devices=tuple(common.get("support_device", DEVICES)),
        overflow=debug != 0,
        synchronous=bool(end_to_end.get("enable", False)) or not asynchronous,
        source=source,
    )


def _check_keys(
    error_prefix: str, section: str, settings: Mapping[str, Any], names: set[str]
) -> None:
    """Raise ValueError if a section of the file has a key that is not one of ``names``."""
    for name in settings:
        if name not in names:
            raise ValueError(
                f"{error_prefix}: {section} has no {name!r}.{did_you_mean(name, sorted(names))}"
            )


def _read_choice(
    error_prefix: str, settings: Mapping[str, Any], name: str, allowed: tuple[Any, ...]
) -> Any:
    """Return the setting ``name``, by default the first of ``allowed``; raise ValueError for other
    values.
    """
    value = settings.get(name, allowed[0])
    if value not in allowed or isinstance(value, bool):
        choices = ", ".join(map(repr, allowed))
        raise ValueError(f"{error_prefix}: {name} must be one of {choices}, got {value!r}.")
    return value


def _read_path(error_prefix: str, common: Mapping[str, Any]) -> Path:
    """Return the dump's folder: ``path``, otherwise ``MS_DIAGNOSTIC_DATA_PATH``.

    Raises:
        ValueError: there is neither, or the path is not absolute.
    """
    path = common.get("path", "")
    if not path:
        root = os.environ.get("MS_DIAGNOSTIC_DATA_PATH")
        if not root:
            raise ValueError(
                f"{error_prefix}: path must not be empty. Set it, or MS_DIAGNOSTIC_DATA_PATH in "
                "the environment."
            )
        return Path(root) / "debug_dump"
    if not os.path.isabs(path):
        raise ValueError(f"{error_prefix}: path must be absolute, got {path!r}.")
    return Path(path)


def _parse_iterations(error_prefix: str, text: Any) -> tuple[tuple[int, int], ...] | None:
    """Parse ranges of run numbers, both ends included; return None for ``"all"``.

    Raises:
        ValueError: the text does not have this form.

    >>> _parse_iterations("", "0|5-8")
    ((0, 0), (5, 8))
    """
    if text == "all":
        return None
    ranges = []
    for run_range in str(text).split("|"):
        first, _, last = run_range.partition("-")
        try:
            ranges.append((int(first), int(last or first)))
        except ValueError:
            raise ValueError(
                f"{error_prefix}: iteration must be 'all' or like '0|5-8', got {text!r}."
            ) from None
    return tuple(ranges)
