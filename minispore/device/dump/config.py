"""The dump configuration: MindSpore's JSON file, or the ``enable_dump`` of the context."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minispore import context
from minispore.errors import did_you_mean

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
    """What is dumped, and where to.

    Attributes:
        path: the folder.
        net_name: the folder of the network in it.
        mode: all ops (0), those of ``kernels`` (1), those that ``set_dump`` marked (2).
        iterations: first and last of each stretch of runs, from 0; None for all.
        saved: "tensor", "statistic" or "full".
        sides: inputs and outputs (0), inputs (1), outputs (2).
        kernels: names of ops, or parts of the names of types.
        devices: the ids of the devices that dump.
        overflow: only ops that overflow.
        synchronous: the files of a run are written at its end, else each after its op.
        source: the file's content, kept beside what is dumped.
    """

    path: Path
    net_name: str
    mode: int = ALL
    iterations: tuple[tuple[int, int], ...] | None = None
    saved: str = "tensor"
    sides: int = BOTH
    kernels: tuple[str, ...] = ()
    devices: tuple[int, ...] = DEVICES
    overflow: bool = False
    synchronous: bool = False
    source: str = "{}"

    def wants_iteration(self, number: int) -> bool:
        """Whether run ``number`` is dumped."""
        return self.iterations is None or any(a <= number <= b for a, b in self.iterations)

    def wants_kernel(self, name: str) -> bool:
        """Whether the op of this full name is one of ``kernels``.

        >>> config = DumpConfig(Path("/tmp"), "Net", mode=KERNELS, kernels=("conv",))
        >>> config.wants_kernel("Default/net/conv1/Conv2D-op3"), config.wants_kernel("Default/Add")
        (True, False)
        """
        kind = name.rpartition("/")[2]
        return any(
            k == name if "/" in k or "-op" in k else k.lower() in kind.lower() for k in self.kernels
        )


def configured() -> DumpConfig | None:
    """The configuration in force: of ``MINDSPORE_DUMP_CONFIG``, else of the context; None for none.

    Raises:
        ValueError: the file can't be read, or asks for something that can't be.
    """
    file = os.environ.get("MINDSPORE_DUMP_CONFIG")
    record = context.current()
    if file:
        return read(file, asynchronous=record.device_target == "Ascend")
    if record.enable_dump and record.device_target == "Ascend":
        return DumpConfig(Path(record.save_dump_path).resolve(), "Net")
    return None


def read(file: str, *, asynchronous: bool = True) -> DumpConfig:
    """The configuration of ``file``; ``asynchronous`` unless it says otherwise.

    Raises:
        ValueError: see :func:`configured`.
    """
    who = f"Dump: {file}"
    try:
        source = Path(file).read_text(encoding="utf-8")
        given = json.loads(source)
        common = given["common_dump_settings"]
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise ValueError(
            f"{who} must be a JSON file with common_dump_settings, got {type(exc).__name__}: {exc}."
        ) from exc
    end_to_end = given.get("e2e_dump_settings", {})
    _known(who, "common_dump_settings", common, _COMMON)
    _known(who, "e2e_dump_settings", end_to_end, _E2E)
    debug = _choice(who, common, "op_debug_mode", (0, 1, 2, 3))
    if common.get("file_format", "npy") != "npy":
        raise ValueError(
            f"{who}: file_format must be 'npy', got {common['file_format']!r}. The layout of a "
            "device's own files is not written here."
        )
    return DumpConfig(
        _path(who, common),
        str(common.get("net_name", "Net")),
        _choice(who, common, "dump_mode", (ALL, KERNELS, MARKED)),
        _iterations(who, common.get("iteration", "all")),
        _choice(who, common, "saved_data", SAVED),
        _choice(who, common, "input_output", (BOTH, INPUTS, OUTPUTS)),
        tuple(common.get("kernels", ())),
        tuple(common.get("support_device", DEVICES)),
        debug != 0,
        bool(end_to_end.get("enable", False)) or not asynchronous,
        source,
    )


def _known(who: str, part: str, given: Mapping[str, Any], names: set[str]) -> None:
    for name in given:
        if name not in names:
            raise ValueError(f"{who}: {part} has no {name!r}.{did_you_mean(name, sorted(names))}")


def _choice(who: str, given: Mapping[str, Any], name: str, allowed: tuple[Any, ...]) -> Any:
    value = given.get(name, allowed[0])
    if value not in allowed or isinstance(value, bool):
        shown = ", ".join(map(repr, allowed))
        raise ValueError(f"{who}: {name} must be one of {shown}, got {value!r}.")
    return value


def _path(who: str, common: Mapping[str, Any]) -> Path:
    path = common.get("path", "")
    if not path:
        root = os.environ.get("MS_DIAGNOSTIC_DATA_PATH")
        if not root:
            raise ValueError(
                f"{who}: path must not be empty. Set it, or MS_DIAGNOSTIC_DATA_PATH in the "
                "environment."
            )
        return Path(root) / "debug_dump"
    if not os.path.isabs(path):
        raise ValueError(f"{who}: path must be absolute, got {path!r}.")
    return Path(path)


def _iterations(who: str, text: Any) -> tuple[tuple[int, int], ...] | None:
    """Stretches of runs.

    >>> _iterations("", "0|5-8")
    ((0, 0), (5, 8))
    """
    if text == "all":
        return None
    found = []
    for part in str(text).split("|"):
        first, _, last = part.partition("-")
        try:
            found.append((int(first), int(last or first)))
        except ValueError:
            raise ValueError(
                f"{who}: iteration must be 'all' or like '0|5-8', got {text!r}."
            ) from None
    return tuple(found)
