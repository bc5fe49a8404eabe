"""SummaryCollector: loss, inputs and weights over a training, in event files."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.errors import warn
from minispore.foundation import checks
from minispore.nn.optim.optimizer import Optimizer
from minispore.train.callback.base import Callback, RunContext
from minispore.train.callback.checkpoint import ModelCheckpoint
from minispore.train.callback.summary_options import DEFAULTS, a_folder, custom_data, switches
from minispore.train.lineage_pb2 import (
    EvaluationLineage,
    HyperParameters,
    TrainLineage,
    UserDefinedInfo,
)
from minispore.train.summary import SummaryRecord
from minispore.train.summary.summary_record import wants_export

log = logging.getLogger("minispore.train")

HISTOGRAMS = 5  # parameters whose distribution is collected by default, as in MindSpore
_TENSOR_STEPS = 20  # tensors are collected so many times by default, as in MindSpore


class SummaryCollector(Callback):
    """Collect what a training did, every ``collect_freq`` steps (with data sink: epochs) and at the
    first: the loss, pictures that went in, histograms of weights, and what summary ops handed out.

    The values go into the event files of a :class:`SummaryRecord` in ``summary_dir``, under
    the names ``loss/auto``, ``input_data/auto`` and ``<parameter>/auto``; lineage goes into
    the file beside.

    Args:
        summary_dir: the folder, made when missing.
        collect_freq: steps from record to record; with data sink, epochs.
        num_process: kept for MindSpore's sake.
        collect_specified_data: switches by name, such as ``{"collect_metric": False}``;
            ``"histogram_regular"`` is a pattern that chooses parameters by name.
        keep_default_action: whether what is not specified is collected.
        custom_lineage_data: more to write: numbers and texts by name.
        collect_tensor_freq: steps from record to record of what TensorSummary handed out. Default:
            ``collect_freq``, or rarer, so that there are about twenty.
        max_file_size: bytes after which nothing more is written into a file.
        export_options: ``{"tensor_format": "npy"}`` also writes tensors as arrays.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: one has a value that can't be.
        RuntimeError: in training: there is a second collector.
    """

    _reports_ = False
    _DEFAULT_SPECIFIED_DATA = DEFAULTS

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
        self._freq = checks.integer(who, "collect_freq", collect_freq, 1)
        checks.boolean(who, "keep_default_action", keep_default_action)
        for name, size in (
            ("collect_tensor_freq", collect_tensor_freq),
            ("max_file_size", max_file_size),
        ):
            if size is not None:
                checks.integer(who, name, size, 1)
        self._tensor_freq, self._max_bytes = collect_tensor_freq, max_file_size
        self._collect_specified_data = switches(who, collect_specified_data, keep_default_action)
        self._custom_lineage_data = custom_data(who, custom_lineage_data)
        wants_export(who, export_options)
        self._export_options = export_options
        self._folder = a_folder(who, summary_dir)
        self._open: SummaryRecord | None = None

    @property
    def _record(self) -> SummaryRecord:
        assert self._open is not None, "entered by the CallbackManager"
        return self._open

    def __enter__(self) -> SummaryCollector:
        self._first = True
        self._open = SummaryRecord(
            self._folder,
            raise_exception=True,
            max_file_size=self._max_bytes,
            export_options=self._export_options,
        )
        self._failed = False
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._surviving():
            self._record.close()

    @contextlib.contextmanager
    def _surviving(self) -> Iterator[None]:
        """A disk that is full ends the collecting, with a warning, and not the training."""
        try:
            yield
        except OSError as exc:
            if not self._failed:
                self._failed = True
                warn(
                    f"SummaryCollector: can't write to {self._folder}: {exc}. Nothing more is "
                    "collected; the training goes on.",
                )

    def on_train_begin(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        steps = params.epoch_num * (1 if params.dataset_sink_mode else params.batch_num)
        self._tensor_steps = _tensor_steps(steps, self._freq, self._tensor_freq)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        self._record.set_mode("train")

    def on_train_step_end(self, run_context: RunContext) -> None:
        self._record.set_mode("eval")  # what is handed out between two steps is of none
        params = run_context.original_args()
        if not params.dataset_sink_mode and not self._failed:
            self._collect(params, params.cur_step_num)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if params.dataset_sink_mode and not self._failed:
            self._collect(params, params.cur_epoch_num)
        if not self._failed:
            with self._surviving():
                self._record.flush()

    def on_train_end(self, run_context: RunContext) -> None:
        if self._failed:
            return
        if self._collect_specified_data.get("collect_train_lineage"):
            made = train_lineage(run_context.original_args())
            self._record.add_value("train_lineage", "train_lineage", made)
        if self._custom_lineage_data:
            custom = custom_lineage(self._custom_lineage_data)
            self._record.add_value("custom_lineage_data", "custom", custom)
        with self._surviving():
            self._record.record(0)

    def on_eval_begin(self, run_context: RunContext) -> None:
        self._record.set_mode("eval")

    def on_eval_end(self, run_context: RunContext) -> None:
        if self._collect_specified_data.get("collect_eval_lineage"):
            made = eval_lineage(run_context.original_args())
            self._record.add_value("eval_lineage", "eval_lineage", made)
            with self._surviving():
                self._record.record(0)

    def _collect(self, params: Any, count: int) -> None:
        due = self._first or count % self._freq == 0
        tensors = self._first or count in self._tensor_steps
        self._first = False
        if due:
            self._add_values(params)
        with self._surviving():
            self._record.record(
                params.cur_step_num,
                plugin_filter=lambda plugin: tensors if plugin == "tensor" else due,
            )

    def _add_values(self, params: Any) -> None:
        if self._collect_specified_data.get("collect_input_data"):
            self._collect_input_data(params)
        if self._collect_specified_data.get("collect_metric"):
            loss = _loss(params)
            if loss is not None:
                self._record.add_value("scalar", "loss/auto", Tensor(np.float32(loss)))
        self._collect_histogram(params)

    def _collect_input_data(self, params: Any) -> None:
        """The batch that went in, if it is one of pictures; else nobody asks again."""
        element = params.get("train_dataset_element")
        first = element[0] if isinstance(element, list | tuple) and element else element
        if isinstance(first, Tensor):
            try:
                self._record.add_value("image", "input_data/auto", first)
                return
            except (TypeError, ValueError):
                pass
        log.info("SummaryCollector: the inputs are no pictures, so they are not collected.")
        self._collect_specified_data["collect_input_data"] = False

    def _collect_histogram(self, params: Any) -> None:
        """The weights that the optimizer changes: the first ones, or those of a pattern."""
        if "histogram_regular" not in self._collect_specified_data:
            return
        pattern = self._collect_specified_data["histogram_regular"]
        optimizer = optimizer_of(params)
        parameters = list(optimizer.parameters) if optimizer is not None else []
        if pattern is None:
            parameters = parameters[:HISTOGRAMS]
        else:
            parameters = [p for p in parameters if re.match(pattern, p.name)]
        for parameter in parameters:
            self._record.add_value(
                "histogram", f"{parameter.name}/auto", Tensor(np.atleast_1d(parameter.asnumpy()))
            )


def optimizer_of(params: Any) -> Any:
    """The optimizer of a training: the one that is said, or the first that its network holds."""
    if params.optimizer is not None:
        return params.optimizer
    network = params.eval_network if params.mode == "eval" else params.train_network
    cells = network.cells_and_names() if network is not None else ()
    return next((cell for _, cell in cells if isinstance(cell, Optimizer)), None)


def train_lineage(params: Any) -> TrainLineage:
    """What a training was made of, and its last loss."""
    batch = params.train_dataset.get_batch_size()
    made = TrainLineage()
    hyper = made.hyper_parameters = HyperParameters(
        epoch=params.epoch_num,
        parallel_mode=params.parallel_mode,
        device_num=params.device_number,
        batch_size=batch,
    )
    optimizer = optimizer_of(params)
    rate = getattr(optimizer, "learning_rate", None)
    if isinstance(rate, Tensor):
        hyper.learning_rate = rate.asnumpy().item()
    if optimizer is not None:
        hyper.optimizer = type(optimizer).__name__
    if params.loss_fn is not None:
        hyper.loss_function = type(params.loss_fn).__name__
    made.train_dataset.train_dataset_size = params.train_dataset.get_dataset_size() * batch
    made.algorithm.network = type(params.network).__name__
    loss = _loss(params)
    if loss is not None:
        made.algorithm.loss = loss
    saved = [
        c.latest_ckpt_file_name for c in params.list_callback if isinstance(c, ModelCheckpoint)
    ]
    path = os.path.realpath(saved[-1]) if saved and saved[-1] else None
    made.model.path = json.dumps({"ckpt": path})
    made.model.size = os.path.getsize(path) if path else 0
    return made


def eval_lineage(params: Any) -> EvaluationLineage:
    """What an evaluation gave."""
    metrics = {name: np.asarray(value).tolist() for name, value in params.metrics.items()}
    made = EvaluationLineage(metric=json.dumps(metrics))
    data = params.valid_dataset
    made.valid_dataset.valid_dataset_size = data.get_dataset_size() * data.get_batch_size()
    return made


def custom_lineage(data: dict[str, Any]) -> UserDefinedInfo:
    """Numbers and texts by name."""
    made = UserDefinedInfo()
    for key, value in data.items():
        kind = (
            "int32" if isinstance(value, int) else "double" if isinstance(value, float) else "str"
        )
        made.user_info.add(**{f"map_{kind}": {key: value}})
    return made


def _loss(params: Any) -> float | None:
    """The mean of the network's first output, if it has one that is a number."""
    outputs = params.net_outputs
    first = outputs[0] if isinstance(outputs, list | tuple) and outputs else outputs
    if isinstance(first, Tensor):
        return float(np.mean(first.asnumpy()))
    return float(first) if isinstance(first, int | float) else None


def _tensor_steps(steps: int, freq: int, given: int | None) -> range:
    """When tensors are collected, in a run of so many steps.

    >>> _tensor_steps(100, 10, None), _tensor_steps(1000, 10, None), _tensor_steps(25, 1, None)
    (range(0, 101, 10), range(0, 1040, 52), range(0, 21))
    """
    if given is not None:
        return range(0, steps + 1, given)
    if len(range(0, steps + 1, freq)) <= _TENSOR_STEPS:
        return range(0, steps + 1, freq)
    wide = steps // (_TENSOR_STEPS - 1)
    if wide > 1:
        return range(0, _TENSOR_STEPS * wide, wide)
    return range(_TENSOR_STEPS + 1)  # steps count from 1: one more
