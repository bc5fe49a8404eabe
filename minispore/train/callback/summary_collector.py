"""SummaryCollector: loss, rate and weights over a training, in a file."""

from __future__ import annotations

import json
import os
import re
import time
from types import TracebackType
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean
from minispore.ops import watch
from minispore.train import check
from minispore.train.callback.base import Callback, RunContext, handle_loss

_DEFAULTS: dict[str, Any] = {
    "collect_metric": True,
    "collect_graph": True,
    "collect_train_lineage": True,
    "collect_eval_lineage": True,
    "collect_input_data": True,
    "collect_dataset_graph": True,
    "histogram_regular": None,
    "collect_landscape": None,
}
HISTOGRAMS = 5  # parameters whose distribution is collected by default, as in MindSpore
BINS = 10


class SummaryCollector(Callback):
    """Collect what a training did, every ``collect_freq`` steps (with data sink: epochs) and at the
    first: the loss, the learning rate, histograms of weights, and what summary ops handed out.

    Each record is a line of JSON in ``<summary_dir>/summary.jsonl``.

    Args:
        summary_dir: the folder, made when missing.
        collect_freq: steps from record to record; with data sink, epochs.
        num_process: kept for MindSpore's sake.
        collect_specified_data: switches by name, such as ``{"collect_metric": False}``;
            ``"histogram_regular"`` is a pattern that chooses parameters by name.
        keep_default_action: whether what is not specified is collected.
        custom_lineage_data: more to write at the end: numbers and texts by name.
        collect_tensor_freq: kept for MindSpore's sake.
        max_file_size: bytes after which nothing more is written.
        export_options: kept for MindSpore's sake.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: one has a value that can't be; in training: there is a second collector.
    """

    def __init__(
        self,
        summary_dir: str,
        collect_freq: int = 10,
        num_process: int = 32,
        collect_specified_data: dict[str, Any] | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: dict[str, Any] | None = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: dict[str, Any] | None = None,
    ) -> None:
        who = "SummaryCollector"
        check.instance(who, "summary_dir", summary_dir, str)
        self._freq = check.integer(who, "collect_freq", collect_freq, 1)
        check.boolean(who, "keep_default_action", keep_default_action)
        for name, size in (
            ("collect_tensor_freq", collect_tensor_freq),
            ("max_file_size", max_file_size),
        ):
            if size is not None:
                check.integer(who, name, size, 1)
        self._max_bytes = max_file_size
        self._wanted = _switches(who, collect_specified_data, keep_default_action)
        self._lineage = check.instance(who, "custom_lineage_data", custom_lineage_data or {}, dict)
        for key, value in self._lineage.items():
            if not isinstance(key, str) or not isinstance(value, int | float | str):
                raise TypeError(
                    f"{who}: custom_lineage_data must map str to numbers and texts, got "
                    f"{key!r}: {value!r}."
                )
        os.makedirs(summary_dir, exist_ok=True)
        self.path = os.path.join(summary_dir, "summary.jsonl")
        self._from_ops: dict[str, Any] = {}
        self._first = True

    def __enter__(self) -> SummaryCollector:
        self._first = True
        watch.listeners.append(self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        watch.listeners.remove(self._note)

    def begin(self, run_context: RunContext) -> None:
        callbacks = run_context.original_args().list_callback
        if sum(isinstance(c, SummaryCollector) for c in callbacks) > 1:
            raise ValueError("SummaryCollector: callbacks must hold one of it, got several.")

    def on_train_step_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if not params.get("dataset_sink_mode"):
            self._collect(params, params.cur_step_num)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if params.get("dataset_sink_mode"):
            self._collect(params, params.cur_epoch_num)

    def on_train_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if self._wanted["collect_train_lineage"]:
            self._write(
                "train_lineage",
                params.cur_step_num,
                {
                    "network": type(params.network).__name__,
                    "loss_function": type(params.loss_fn).__name__,
                    "optimizer": type(params.optimizer).__name__,
                    "epoch": params.epoch_num,
                    "steps_per_epoch": params.batch_num,
                    "loss": _number(handle_loss(params.net_outputs)),
                    **self._lineage,
                },
            )

    def on_eval_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if self._wanted["collect_eval_lineage"]:
            metrics = {name: np.asarray(value).tolist() for name, value in params.metrics.items()}
            self._write("eval_lineage", params.cur_step_num, {"metrics": metrics})

    def _note(self, kind: str, name: str, value: np.ndarray) -> None:
        self._from_ops[f"{kind}/{name}"] = _histogram(value) if value.size > 1 else _number(value)

    def _collect(self, params: Any, count: int) -> None:
        if not self._first and count % self._freq:
            self._from_ops.clear()
            return
        self._first = False
        values: dict[str, Any] = {}
        if self._wanted["collect_metric"]:
            values["loss"] = _number(handle_loss(params.net_outputs))
            rate = getattr(params.optimizer, "learning_rate", None)
            if isinstance(rate, Tensor):
                values["learning_rate"] = _number(rate)
        for parameter in self._watched(params.network):
            values[f"{parameter.name}/histogram"] = _histogram(parameter.asnumpy())
        self._write("train", params.cur_step_num, values | self._from_ops)
        self._from_ops.clear()

    def _watched(self, network: Any) -> list[Any]:
        parameters = list(network.trainable_params())
        pattern = self._wanted["histogram_regular"]
        if pattern is None:
            return parameters[:HISTOGRAMS]
        return [p for p in parameters if re.match(pattern, p.name)]

    def _write(self, kind: str, step: int, values: dict[str, Any]) -> None:
        line = json.dumps({"kind": kind, "step": step, "time": time.time(), **values}) + "\n"
        with open(self.path, "a", encoding="utf-8") as file:
            if self._max_bytes is None or file.tell() + len(line) <= self._max_bytes:
                file.write(line)


def _switches(who: str, given: Any, keep: bool) -> dict[str, Any]:
    check.instance(who, "collect_specified_data", given or {}, dict)
    made = (
        dict(_DEFAULTS) if keep else dict.fromkeys(_DEFAULTS, False) | {"histogram_regular": "$^"}
    )
    for name, value in (given or {}).items():
        if name not in _DEFAULTS:
            close = did_you_mean(str(name), _DEFAULTS)
            raise ValueError(f"{who}: collect_specified_data has no {name!r}.{close}")
        if name == "histogram_regular":
            check.instance(who, name, value, str, or_none=True)
            try:
                re.compile(value or "")
            except re.error as exc:
                raise ValueError(f"{who}: histogram_regular must be a pattern: {exc}.") from exc
        elif name != "collect_landscape":
            check.boolean(who, name, value)
        made[name] = value
    return made


def _number(value: Any) -> float | None:
    array = np.asarray(value.asnumpy() if isinstance(value, Tensor) else value, np.float64)
    mean = float(array.mean()) if array.size else float("nan")
    return mean if np.isfinite(mean) else None  # JSON has no NaN


def _histogram(value: np.ndarray) -> dict[str, list[float]]:
    finite = value[np.isfinite(value)]
    counts, edges = np.histogram(finite, BINS)
    return {"counts": counts.tolist(), "edges": edges.tolist()}
