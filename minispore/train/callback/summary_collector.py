"""SummaryCollector: writes the loss, inputs and weights of a training to event files."""

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
from minispore.train.callback.summary_options import (
    DEFAULTS,
    check_collect_options,
    check_custom_data,
    make_summary_folder,
)
from minispore.train.lineage_pb2 import (
    EvaluationLineage,
    HyperParameters,
    TrainLineage,
    UserDefinedInfo,
)
from minispore.train.summary import SummaryRecord
from minispore.train.summary.summary_record import check_export_options

log = logging.getLogger("minispore.train")

DEFAULT_HISTOGRAMS = 5  # number of parameters with a histogram by default, as in MindSpore
_MAX_TENSOR_STEPS = 20  # number of times that tensors are collected by default, as in MindSpore


class SummaryCollector(Callback):
    """Write values of a training to event files every ``collect_freq`` steps (with sink: epochs).

    The values are the loss, input images, weight histograms and those of summary ops; the first
    step is written, too. They go into the event files of a :class:`SummaryRecord` in
    ``summary_dir``, under the names ``loss/auto``, ``input_data/auto`` and ``<parameter>/auto``;
    lineage is written to a second file.

    Args:
        summary_dir: the folder, made when missing.
        collect_freq: steps between two records; with data sink, epochs.
        num_process: accepted for compatibility, has no effect.
        collect_specified_data: switches by name, such as ``{"collect_metric": False}``;
            ``"histogram_regular"`` is a pattern that selects parameters by name.
        keep_default_action: whether values not listed in ``collect_specified_data`` are collected.
        custom_lineage_data: numbers and strings by name, which are also written.
        collect_tensor_freq: steps between two records of TensorSummary values. Default:
            ``collect_freq``, or less often, to give about twenty records.
        max_file_size: size in bytes after which nothing more is written to a file.
        export_options: ``{"tensor_format": "npy"}`` also writes tensors as arrays.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument has an invalid value.
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
        api_name = "SummaryCollector"
        self._freq = checks.integer(api_name, "collect_freq", collect_freq, 1)
        checks.boolean(api_name, "keep_default_action", keep_default_action)
        for name, size in (
            ("collect_tensor_freq", collect_tensor_freq),
            ("max_file_size", max_file_size),
        ):
            if size is not None:
                checks.integer(api_name, name, size, 1)
        self._tensor_freq, self._max_bytes = collect_tensor_freq, max_file_size
        self._collect_specified_data = check_collect_options(
            api_name, collect_specified_data, keep_default_action
        )
        self._custom_lineage_data = check_custom_data(api_name, custom_lineage_data)
        check_export_options(api_name, export_options)
        self._export_options = export_options
        self._folder = make_summary_folder(api_name, summary_dir)
        self._opened_record: SummaryRecord | None = None

    @property
    def _summary_record(self) -> SummaryRecord:
        """The record of this run, which ``__enter__`` opens."""
        assert self._opened_record is not None, "entered by the CallbackManager"
        return self._opened_record

    def __enter__(self) -> SummaryCollector:
        """Open the SummaryRecord of this run."""
        self._is_first_record = True
        self._opened_record = SummaryRecord(
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
        """Close the SummaryRecord of this run."""
        with self._tolerate_write_errors():
            self._summary_record.close()

    @contextlib.contextmanager
    def _tolerate_write_errors(self) -> Iterator[None]:
        """Turn an OSError, such as a full disk, into one warning and stop collecting."""
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
        """Choose the steps at which tensors are collected."""
        cb_params = run_context.original_args()
        steps = cb_params.epoch_num * (1 if cb_params.dataset_sink_mode else cb_params.batch_num)
        self._tensor_steps = _choose_tensor_steps(steps, self._freq, self._tensor_freq)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Set the mode of the summary record to "train", in which values of summary ops are
        recorded.
        """
        self._summary_record.set_mode("train")

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Collect the step's values if they are due, in a training without sink."""
        # Summary values between two steps belong to no training step.
        self._summary_record.set_mode("eval")
        cb_params = run_context.original_args()
        if not cb_params.dataset_sink_mode and not self._failed:
            self._collect_if_due(cb_params, cb_params.cur_step_num)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Collect the epoch's values if they are due, in a training with sink; flush the files."""
        cb_params = run_context.original_args()
        if cb_params.dataset_sink_mode and not self._failed:
            self._collect_if_due(cb_params, cb_params.cur_epoch_num)
        if not self._failed:
            with self._tolerate_write_errors():
                self._summary_record.flush()

    def on_train_end(self, run_context: RunContext) -> None:
        """Write the lineage of the training and the custom lineage, unless an earlier write
        failed.
        """
        if self._failed:
            return
        if self._collect_specified_data.get("collect_train_lineage"):
            lineage = make_train_lineage(run_context.original_args())
            self._summary_record.add_value("train_lineage", "train_lineage", lineage)
        if self._custom_lineage_data:
            custom = make_custom_lineage(self._custom_lineage_data)
            self._summary_record.add_value("custom_lineage_data", "custom", custom)
        with self._tolerate_write_errors():
            self._summary_record.record(0)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Set the mode of the summary record to "eval", in which values of summary ops are not
        recorded.
        """
        self._summary_record.set_mode("eval")

    def on_eval_end(self, run_context: RunContext) -> None:
        """Write the lineage of the evaluation."""
        if self._collect_specified_data.get("collect_eval_lineage"):
            lineage = make_eval_lineage(run_context.original_args())
            self._summary_record.add_value("eval_lineage", "eval_lineage", lineage)
            with self._tolerate_write_errors():
                self._summary_record.record(0)

    def _collect_if_due(self, cb_params: Any, count: int) -> None:
        """Add the values that are due at ``count``, a number of steps (with sink: epochs), and
        write them to the event files, with those of summary ops. At the first call all are due.
        """
        is_due = self._is_first_record or count % self._freq == 0
        tensors_are_due = self._is_first_record or count in self._tensor_steps
        self._is_first_record = False
        if is_due:
            self._add_values(cb_params)
        with self._tolerate_write_errors():
            self._summary_record.record(
                cb_params.cur_step_num,
                plugin_filter=lambda plugin: tensors_are_due if plugin == "tensor" else is_due,
            )

    def _add_values(self, cb_params: Any) -> None:
        """Add the requested input batch, loss and histograms to the next summary record."""
        if self._collect_specified_data.get("collect_input_data"):
            self._collect_input_data(cb_params)
        if self._collect_specified_data.get("collect_metric"):
            loss = _compute_mean_loss(cb_params)
            if loss is not None:
                self._summary_record.add_value("scalar", "loss/auto", Tensor(np.float32(loss)))
        self._collect_histogram(cb_params)

    def _collect_input_data(self, cb_params: Any) -> None:
        """Add the input batch as an image if it holds images; otherwise stop collecting inputs."""
        element = cb_params.get("train_dataset_element")
        images = element[0] if isinstance(element, list | tuple) and element else element
        if isinstance(images, Tensor):
            try:
                self._summary_record.add_value("image", "input_data/auto", images)
                return
            except (TypeError, ValueError):
                pass
        log.info("SummaryCollector: the inputs are no pictures, so they are not collected.")
        self._collect_specified_data["collect_input_data"] = False

    def _collect_histogram(self, cb_params: Any) -> None:
        """Add histograms of the optimizer's first few parameters, or of those whose names match the
        pattern.

        Does nothing unless ``histogram_regular`` is among the options.
        """
        if "histogram_regular" not in self._collect_specified_data:
            return
        pattern = self._collect_specified_data["histogram_regular"]
        optimizer = find_optimizer(cb_params)
        parameters = list(optimizer.parameters) if optimizer is not None else []
        if pattern is None:
            parameters = parameters[:DEFAULT_HISTOGRAMS]
        else:
            parameters = [p for p in parameters if re.match(pattern, p.name)]
        for parameter in parameters:
            self._summary_record.add_value(
                "histogram", f"{parameter.name}/auto", Tensor(np.atleast_1d(parameter.asnumpy()))
            )


def find_optimizer(cb_params: Any) -> Any:
    """Return the optimizer of a run: the given one, or the first in its network, or None."""
    if cb_params.optimizer is not None:
        return cb_params.optimizer
    network = cb_params.eval_network if cb_params.mode == "eval" else cb_params.train_network
    cells = network.cells_and_names() if network is not None else ()
    return next((cell for _, cell in cells if isinstance(cell, Optimizer)), None)


def make_train_lineage(cb_params: Any) -> TrainLineage:
    """Make the lineage of a training: its hyperparameters, data, loss and checkpoint."""
    batch = cb_params.train_dataset.get_batch_size()
    lineage = TrainLineage()
    hyper = lineage.hyper_parameters = HyperParameters(
        epoch=cb_params.epoch_num,
        parallel_mode=cb_params.parallel_mode,
        device_num=cb_params.device_number,
        batch_size=batch,
    )
    optimizer = find_optimizer(cb_params)
    rate = getattr(optimizer, "learning_rate", None)
    if isinstance(rate, Tensor):
        hyper.learning_rate = rate.asnumpy().item()
    if optimizer is not None:
        hyper.optimizer = type(optimizer).__name__
    if cb_params.loss_fn is not None:
        hyper.loss_function = type(cb_params.loss_fn).__name__
    lineage.train_dataset.train_dataset_size = cb_params.train_dataset.get_dataset_size() * batch
    lineage.algorithm.network = type(cb_params.network).__name__
    loss = _compute_mean_loss(cb_params)
    if loss is not None:
        lineage.algorithm.loss = loss
    saved = [
        c.latest_ckpt_file_name for c in cb_params.list_callback if isinstance(c, ModelCheckpoint)
    ]
    path = os.path.realpath(saved[-1]) if saved and saved[-1] else None
    lineage.model.path = json.dumps({"ckpt": path})
    lineage.model.size = os.path.getsize(path) if path else 0
    return lineage


def make_eval_lineage(cb_params: Any) -> EvaluationLineage:
    """Make the lineage of an evaluation: its metrics and dataset size."""
    metrics = {name: np.asarray(value).tolist() for name, value in cb_params.metrics.items()}
    lineage = EvaluationLineage(metric=json.dumps(metrics))
    data = cb_params.valid_dataset
    lineage.valid_dataset.valid_dataset_size = data.get_dataset_size() * data.get_batch_size()
    return lineage


def make_custom_lineage(data: dict[str, Any]) -> UserDefinedInfo:
    """Make the custom lineage from a user's numbers and strings by name."""
    lineage = UserDefinedInfo()
    for key, value in data.items():
        type_name = "int32" if isinstance(value, int) else "str"
        if isinstance(value, float):
            type_name = "double"
        lineage.user_info.add(**{f"map_{type_name}": {key: value}})
    return lineage


def _compute_mean_loss(cb_params: Any) -> float | None:
    """Return the mean of the network's first output, the loss; None if it is not numeric."""
    outputs = cb_params.net_outputs
    loss = outputs[0] if isinstance(outputs, list | tuple) and outputs else outputs
    if isinstance(loss, Tensor):
        return float(np.mean(loss.asnumpy()))
    return float(loss) if isinstance(loss, int | float) else None


def _choose_tensor_steps(steps: int, freq: int, tensor_freq: int | None) -> range:
    """Choose the steps at which tensors are collected in a run of ``steps`` steps.

    >>> _choose_tensor_steps(100, 10, None), _choose_tensor_steps(1000, 10, None)
    (range(0, 101, 10), range(0, 1040, 52))
    >>> _choose_tensor_steps(25, 1, None)
    range(0, 21)
    """
    if tensor_freq is not None:
        return range(0, steps + 1, tensor_freq)
    if len(range(0, steps + 1, freq)) <= _MAX_TENSOR_STEPS:
        return range(0, steps + 1, freq)
    stride = steps // (_MAX_TENSOR_STEPS - 1)
    if stride > 1:
        return range(0, _MAX_TENSOR_STEPS * stride, stride)
    return range(_MAX_TENSOR_STEPS + 1)  # steps are numbered from 1, so the range has one more
