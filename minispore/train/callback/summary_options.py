"""Checks of the options of SummaryCollector, as in MindSpore."""

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
_LANDSCAPE_OPTIONS = ("landscape_size", "unit", "create_landscape", "num_samples", "intervals")
_LANDSCAPE_KINDS = ("train", "result")
_LANDSCAPE_SIZE_RANGE = (3, 255)  # MindSpore's limits for landscape_size


def make_summary_folder(api_name: str, summary_dir: Any) -> str:
    """Return the path of the summary folder, after making it if it is missing.

    Raises:
        TypeError: ``summary_dir`` is not a str.
        ValueError: it is empty.
        NotADirectoryError: it is a file.
    """
    if not checks.string(api_name, "summary_dir", summary_dir):
        raise ValueError(f"{api_name}: summary_dir must name a folder, got ''. './' is this one.")
    folder = resolve_write_path(summary_dir)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise NotADirectoryError(
            f"{api_name}: summary_dir must be a folder, got the file {folder}."
        )
    os.makedirs(folder, exist_ok=True)
    return folder


def check_collect_options(api_name: str, specified: Any, keep_defaults: bool) -> dict[str, Any]:
    """Check the collect options, and return them, merged over the defaults if those are kept.

    >>> check_collect_options("Collector", {"collect_metric": True}, keep_defaults=False)
    {'collect_metric': True}
    """
    options = dict(DEFAULTS) if keep_defaults else {}
    for name, value in checks.instance(
        api_name, "collect_specified_data", specified or {}, dict
    ).items():
        _check_option_name(api_name, "collect_specified_data", name, DEFAULTS)
        if name == "histogram_regular":
            checks.instance(api_name, name, value, str, or_none=True)
            try:
                re.compile(value or "")
            except re.error as exc:
                raise ValueError(
                    f"{api_name}: histogram_regular must be a pattern: {exc}."
                ) from exc
        elif name == "collect_landscape":
            _check_landscape_options(
                api_name, checks.instance(api_name, name, value, dict, or_none=True)
            )
        else:
            checks.boolean(api_name, name, value)
        options[name] = value
    return options


def check_custom_data(api_name: str, lineage_data: Any) -> dict[str, Any]:
    """Check custom lineage data (numbers and strings by name) and return it; {} for None.

    Raises:
        TypeError: ``lineage_data`` holds other values.
    """
    data = checks.instance(api_name, "custom_lineage_data", lineage_data or {}, dict)
    for key, value in data.items():
        is_number_or_text = isinstance(value, int | float | str) and not isinstance(value, bool)
        if not isinstance(key, str) or not is_number_or_text:
            raise TypeError(
                f"{api_name}: custom_lineage_data must map str to numbers and texts, got "
                f"{key!r}: {value!r}."
            )
    return data


def _check_option_name(api_name: str, argument: str, name: Any, options: Any) -> None:
    """Check that an option of ``argument`` exists.

    Raises:
        TypeError: its name is not a str.
        ValueError: there is no such option.
    """
    if not isinstance(name, str):
        raise TypeError(
            f"{api_name}: a name in {argument} must be a str, got {checks.format_value(name)}."
        )
    if name not in options:
        raise ValueError(f"{api_name}: {argument} has no {name!r}.{did_you_mean(name, options)}")


def _check_landscape_options(api_name: str, options: dict[str, Any] | None) -> None:
    """Check the options of ``collect_landscape``; None and {} pass.

    Raises:
        TypeError: a value has the wrong type, or ``intervals`` is missing.
        ValueError: an option is unknown, or a value is out of range.
    """
    if not options:
        return
    for name, value in options.items():
        _check_option_name(api_name, "collect_landscape", name, _LANDSCAPE_OPTIONS)
        if name == "landscape_size":
            checks.integer(api_name, name, value, *_LANDSCAPE_SIZE_RANGE)
        elif name == "num_samples":
            checks.integer(api_name, name, value)
        elif name == "unit":
            checks.string(api_name, name, value)
            checks.one_of(api_name, name, value, ("step", "epoch"))
        elif name == "create_landscape":
            for kind, switch in checks.instance(api_name, name, value, dict).items():
                _check_option_name(api_name, name, kind, _LANDSCAPE_KINDS)
                checks.boolean(api_name, kind, switch)
    for epochs in checks.instance(api_name, "intervals", options.get("intervals"), list):
        for epoch in checks.instance(api_name, "an interval", epochs, list):
            checks.integer(api_name, "an epoch of intervals", epoch)
        if len(epochs) < 3:
            raise ValueError(f"{api_name}: an interval must have at least 3 epochs, got {epochs}.")


__all__ = ["DEFAULTS", "check_collect_options", "check_custom_data", "make_summary_folder"]
