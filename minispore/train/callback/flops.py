"""FlopsUtilizationCollector: the share of a device's computing power that a training uses."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from typing import Any

from minispore import context, log
from minispore.device.model.predict import specs_of, trace_step
from minispore.device.model.records import OpRecord, records_of
from minispore.device.model.roles import get_matmul_kind
from minispore.foundation import checks, files
from minispore.ir.value import Spec
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport
from minispore.train.callback.base import Callback, RunContext
from minispore.train.cross_rank import count_training_ranks
from minispore.train.dataset_helper import SinkNetwork

_API_NAME = "FlopsUtilizationCollector"
_COUNTED_OPS = frozenset(
    {
        "BatchMatMul",
        "Conv2D",
        "Conv2DBackpropFilter",
        "Conv2DBackpropInput",
        "MatMul",
        "MatMulExt",
    }
)


class FlopsUtilizationCollector(Callback):
    """Print the operation count of a step and, as *mfu* and *hfu*, its share of the device's
    capacity.

    Matrix products and 2-D convolutions are counted with their gradients; each group of a
    convolution is counted as if it read all channels. Since no op is recomputed, mfu and hfu are
    equal. For graphs only.

    ``Train per step time: 1.317 ms mfu:48.59% hfu:48.59%``

    Args:
        data_size (int): the time is printed after each step except every ``data_size``-th.
        computility (float, optional): operations per second of one device. Default: ``1``.
        full_flops (bool, optional): whether to also report the operations of all devices. Default:
            ``True``.
        enable_ma_collector (bool, optional): also write the files ``flops_rank_0.txt`` and
            ``time_step_rank_0.txt`` into the folder that ``MA_LOG_DIR`` names; if ``computility``
            is 1, this replaces printing. Default: ``False``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``data_size`` is not positive; in a training: the mode is not GRAPH_MODE.

    Example:
        >>> collector = FlopsUtilizationCollector(data_size=100, computility=10e6)
        >>> collector.full_flops, collector.full_model_flops
        (True, 0.0)
    """

    _reports_ = False

    def __init__(
        self,
        data_size: int,
        computility: float = 1,
        full_flops: bool = True,
        enable_ma_collector: bool = False,
    ) -> None:
        self.full_flops = checks.boolean(_API_NAME, "full_flops", full_flops)
        self.ma = checks.boolean(_API_NAME, "enable_ma_collector", enable_ma_collector)
        self.data_size = checks.integer(_API_NAME, "data_size", data_size, 1)
        self.computility = computility
        self.verbose = not (computility == 1 and enable_ma_collector)
        self.mfu_calculated = False
        self.shard_model_flops = self.full_model_flops = 0.0
        self.shard_hardware_flops = self.full_hardware_flops = 0.0
        self.full_mfu = self.full_hfu = self.shard_mfu = self.shard_hfu = 0.0
        self.step_time = time.perf_counter()

    def step_begin(self, run_context: RunContext) -> None:
        """Start the clock of the step."""
        self.step_time = time.perf_counter()

    def step_end(self, run_context: RunContext) -> None:
        """Print or write the step's time and utilization; at the first step, also count
        operations.

        Nothing is printed at every ``data_size``-th step. With data sink the time is per step.
        """
        step_ms = (time.perf_counter() - self.step_time) * 1000
        cb_params = run_context.original_args()
        if not self.mfu_calculated and not self._count_flops(cb_params):
            return
        if cb_params.get("dataset_sink_mode"):
            step_ms /= cb_params.batch_num
        if self.ma:
            self._write_metrics_file("time_step", [("time_monitor", "per_step_time", step_ms)])
        if self.verbose and cb_params.cur_step_num % self.data_size:
            mfu, hfu = self.shard_mfu, self.shard_hfu
            if self.full_flops:
                mfu, hfu = self.full_mfu, self.full_hfu
            line = f"{cb_params.mode.title()} per step time: {step_ms:5.3f} ms"
            utilization = (
                f"mfu:{_format_utilization(mfu, step_ms)} hfu:{_format_utilization(hfu, step_ms)}"
            )
            print(line, utilization, flush=True)

    def _count_flops(self, cb_params: Any) -> bool:
        """Count the operations of a step, set the totals, and print or write them.

        Returns:
            Whether they could be counted; without ``verbose``, an error is only logged.

        Raises:
            ValueError: with ``verbose``: the mode is not GRAPH_MODE.
        """
        try:
            self.shard_model_flops = _count_step_flops(cb_params)
        except ValueError as error:
            if self.verbose:
                raise
            log.info(str(error))
            return False
        self.shard_hardware_flops = self.shard_model_flops
        ranks = count_training_ranks()
        self.shard_mfu = self.shard_hfu = self.shard_model_flops / self.computility
        self.full_mfu = self.full_hfu = self.shard_mfu
        self.full_model_flops = self.full_hardware_flops = self.shard_model_flops * ranks
        self.mfu_calculated = True
        if self.ma:
            entries = [("flops", f"{kind}_flops", self.shard_model_flops) for kind in _FLOPS_KINDS]
            self._write_metrics_file("flops", entries)
        if self.verbose:
            text = _format_flops("Shard", self.shard_model_flops)
            if self.full_flops:
                full_flops = self.full_mfu * self.computility * ranks
                text = f"{_format_flops('Full', full_flops)}, {text}"
            print(f"{text}.", flush=True)
        return True

    def _write_metrics_file(self, name: str, entries: Sequence[tuple[str, str, float]]) -> None:
        """Write entries of metric, type and value to ``<name>_rank_<n>.txt`` in the folder
        ``MA_LOG_DIR``.
        """
        rank, time_ms = transport.current.rank(WORLD), round(time.time() * 1000)
        path = os.path.join(os.getenv("MA_LOG_DIR", "./"), f"{name}_rank_{rank}.txt")
        text_lines = [
            f'{metric}{{type="{kind}", rank_id="{rank}"}} {value} {time_ms}\n'
            for metric, kind, value in entries
        ]
        files.write_text(path, "".join(text_lines))


_FLOPS_KINDS = ("model", "hardware")


def _format_flops(scope: str, number: float) -> str:
    """Format a number of operations as the printed clauses for "model" and "hardware"."""
    return ", ".join(f"{scope} {kind} flops is {number}" for kind in _FLOPS_KINDS)


def _format_utilization(full_speed_s: float, step_ms: float) -> str:
    """Format the time a step would take at full speed as a percentage of its time, rounded down to
    0.01 %.
    """
    share = 1000 * full_speed_s / step_ms
    return f"{math.floor(share * 10**4) / 100:.2f}%"


def _count_step_flops(cb_params: Any) -> float:
    """Return the operations of one step of the training or evaluation, on this rank.

    Raises:
        ValueError: the mode is not GRAPH_MODE.
    """
    if context.current().mode != context.GRAPH_MODE:
        raise ValueError(f"{_API_NAME}: the mode must be GRAPH_MODE, got PYNATIVE_MODE.")
    if cb_params.mode == "eval":
        network, element, dataset = cb_params.eval_network, None, cb_params.valid_dataset
    else:
        network, dataset = cb_params.train_network, cb_params.train_dataset
        element = cb_params.get("train_dataset_element")
    if isinstance(network, SinkNetwork):
        network = network.network
    if element:
        specs = [Spec(x.shape, x.value_.spec.dtype) for x in element]
    else:
        specs = specs_of(dataset)
    return float(sum(map(_count_op_flops, records_of(trace_step(network, specs)))))


def _count_op_flops(record: OpRecord) -> int:
    """Return the number of multiplications and additions of an op; 0 if it is not counted."""
    if record.name not in _COUNTED_OPS:
        return 0
    shapes, output_shape = [o.shape for o in record.inputs], record.outputs[0].shape
    matmul_kind = get_matmul_kind(record.name)
    if matmul_kind == "product":
        inner_size = shapes[0][-2 if record.attrs.get("transpose_a") else -1]
        return 2 * math.prod(output_shape) * inner_size
    if matmul_kind == "input gradient":  # (dout, weight) -> x
        return 2 * math.prod(shapes[0]) * output_shape[1] * math.prod(shapes[1][2:])
    if matmul_kind == "weight gradient":  # (dout, x) -> weight
        return 2 * math.prod(shapes[0]) * shapes[1][1] * math.prod(output_shape[2:])
    # A convolution: x (N, C, H, W), weight (O, I, KH, KW) -> (N, O, OH, OW)
    return 2 * math.prod(output_shape) * shapes[0][1] * math.prod(shapes[1][2:])


__all__ = ["FlopsUtilizationCollector"]
