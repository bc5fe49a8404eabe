"""What SummaryCollector is told to collect, checked as MindSpore checks it."""

from __future__ import annotations

import os
import re
from typing import Any

from minispore.errors import did_you_mean
from minispore.foundation import checks
from minispore.foundation.files import resolve_write_path

DEFAULTS: dict[str, Any] = {
    "collect_metric": True,
    "collect_graph": True,
    "collect_train_lineage": True,
    "collect_eval_lineage": True,
    "collect_input_data": True,
    "collect_dataset_graph": True,
    "histogram_regular": None,
    "collect_landscape": None,
}
_LANDSCAPE = ("landscape_size", "unit", "create_landscape", "num_samples", "intervals")
_LANDSCAPES = ("train", "result")
_SIZES = (3, 255)  # of a landscape, in MindSpore


def a_folder(who: str, summary_dir: Any) -> str:
    """The folder of the summaries, made when it is missing.

    Raises:
        TypeError: no str.
        ValueError: an empty one.
        NotADirectoryError: a file has its name.
    """
    if not checks.string(who, "summary_dir", summary_dir):
        raise ValueError(f"{who}: summary_dir must name a folder, got ''. './' is this one.")
    folder = resolve_write_path(summary_dir)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise NotADirectoryError(f"{who}: summary_dir must be a folder, got the file {folder}.")
    os.makedirs(folder, exist_ok=True)
    return folder


def switches(who: str, given: Any, keep: bool) -> dict[str, Any]:
    """What is collected: the defaults if they are kept, and over them what is given.

    >>> switches("Collector", {"collect_metric": True}, keep=False)
    {'collect_metric': True}
    """
    made = dict(DEFAULTS) if keep else {}
    for name, value in checks.instance(who, "collect_specified_data", given or {}, dict).items():
        _known(who, "collect_specified_data", name, DEFAULTS)
        if name == "histogram_regular":
            checks.instance(who, name, value, str, or_none=True)
            try:
                re.compile(value or "")
            except re.error as exc:
                raise ValueError(f"{who}: histogram_regular must be a pattern: {exc}.") from exc
        elif name == "collect_landscape":
            _landscape(who, checks.instance(who, name, value, dict, or_none=True))
        else:
            checks.boolean(who, name, value)
        made[name] = value
    return made


def custom_data(who: str, given: Any) -> dict[str, Any]:
    """Numbers and texts by name.

    Raises:
        TypeError: no dict of them.
    """
    data = checks.instance(who, "custom_lineage_data", given or {}, dict)
    for key, value in data.items():
        plain = isinstance(value, int | float | str) and not isinstance(value, bool)
        if not isinstance(key, str) or not plain:
            raise TypeError(
                f"{who}: custom_lineage_data must map str to numbers and texts, got "
                f"{key!r}: {value!r}."
            )
    return data


def _known(who: str, where: str, name: Any, known: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{who}: a name in {where} must be a str, got {checks.format_value(name)}.")
    if name not in known:
        raise ValueError(f"{who}: {where} has no {name!r}.{did_you_mean(name, known)}")


def _landscape(who: str, given: dict[str, Any] | None) -> None:
    if not given:
        return
    for name, value in given.items():
        _known(who, "collect_landscape", name, _LANDSCAPE)
        if name == "landscape_size":
            checks.integer(who, name, value, *_SIZES)
        elif name == "num_samples":
            checks.integer(who, name, value)
        elif name == "unit":
            checks.string(who, name, value)
            checks.one_of(who, name, value, ("step", "epoch"))
        elif name == "create_landscape":
            for which, switch in checks.instance(who, name, value, dict).items():
                _known(who, name, which, _LANDSCAPES)
                checks.boolean(who, which, switch)
    for epochs in checks.instance(who, "intervals", given.get("intervals"), list):
        for epoch in checks.instance(who, "an interval", epochs, list):
            checks.integer(who, "an epoch of intervals", epoch)
        if len(epochs) < 3:
            raise ValueError(f"{who}: an interval must have at least 3 epochs, got {epochs}.")


__all__ = ["DEFAULTS", "a_folder", "custom_data", "switches"]
