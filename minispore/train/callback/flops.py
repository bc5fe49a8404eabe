"""How much of what a device could compute a training computes."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from typing import Any

from minispore import context, log
from minispore.core.registry import registry
from minispore.core.value import Spec
from minispore.device.model.predict import specs_of, trace_step
from minispore.device.model.records import OpRecord, records_of
from minispore.foundation import checks, files
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport
from minispore.train.callback.base import Callback, RunContext
from minispore.train.dataset_helper import SinkNetwork
from minispore.train.together import ranks_together

_WHO = "FlopsUtilizationCollector"
_COUNTED = frozenset(
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
    """Print the operations of a step and, as *mfu* and *hfu*, which part they are of what the
    device could compute in its time. Counted are products of matrices and two-dimensional
    convolutions, of which each group counts as if it read all channels, with their gradients; as
    no op is computed again, mfu and hfu are the same. For graphs only.

    ``Train per step time: 1.317 ms mfu:48.59% hfu:48.59%``

    Args:
        data_size (int): a line of the time comes after each step but the ``data_size``-th ones.
        computility (float, optional): operations a second of one device. Default: ``1``.
        full_flops (bool, optional): the work of all devices, not of one. Default: ``True``.
        enable_ma_collector (bool, optional): also write the files ``flops_rank_0.txt`` and
            ``time_step_rank_0.txt`` into the folder that ``MA_LOG_DIR`` names; with a
            ``computility`` of 1, instead of printing. Default: ``False``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``data_size`` is not positive; in a training: it is no graph.

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
        self.full_flops = checks.boolean(_WHO, "full_flops", full_flops)
        self.ma = checks.boolean(_WHO, "enable_ma_collector", enable_ma_collector)
        self.data_size = checks.integer(_WHO, "data_size", data_size, 1)
        self.computility = computility
        self.verbose = not (computility == 1 and enable_ma_collector)
        self.mfu_calculated = False
        self.shard_model_flops = self.full_model_flops = 0.0
        self.shard_hardware_flops = self.full_hardware_flops = 0.0
        self.full_mfu = self.full_hfu = self.shard_mfu = self.shard_hfu = 0.0
        self.step_time = time.time()

    def step_begin(self, run_context: RunContext) -> None:
        self.step_time = time.time()

    def step_end(self, run_context: RunContext) -> None:
        spent = (time.time() - self.step_time) * 1000
        params = run_context.original_args()
        if not self.mfu_calculated and not self._count(params):
            return
        if params.get("dataset_sink_mode"):
            spent /= params.batch_num
        if self.ma:
            self._write("time_step", [("time_monitor", "per_step_time", spent)])
        if self.verbose and params.cur_step_num % self.data_size:
            mfu, hfu = (
                (self.full_mfu, self.full_hfu)
                if self.full_flops
                else (self.shard_mfu, self.shard_hfu)
            )
            line = f"{params.mode.title()} per step time: {spent:5.3f} ms"
            parts = f"mfu:{_percent(mfu, spent)} hfu:{_percent(hfu, spent)}"
            print(line, parts, flush=True)

    def _count(self, params: Any) -> bool:
        """Count the operations of a step and tell them. False: that can't be, and nobody minds."""
        try:
            self.shard_model_flops = _flops(params)
        except ValueError as error:
            if self.verbose:
                raise
            log.info(str(error))
            return False
        self.shard_hardware_flops = self.shard_model_flops
        ranks = ranks_together()
        self.shard_mfu = self.shard_hfu = self.shard_model_flops / self.computility
        self.full_mfu = self.full_hfu = self.shard_mfu
        self.full_model_flops = self.full_hardware_flops = self.shard_model_flops * ranks
        self.mfu_calculated = True
        if self.ma:
            both = [("flops", f"{kind}_flops", self.shard_model_flops) for kind in _KINDS]
            self._write("flops", both)
        if self.verbose:
            full, shard = (
                ", ".join(f"{which} {kind} flops is {number}" for kind in _KINDS)
                for which, number in (
                    ("Full", self.full_mfu * self.computility * ranks),
                    ("Shard", self.shard_model_flops),
                )
            )
            print(f"{full}, {shard}." if self.full_flops else f"{shard}.", flush=True)
        return True

    def _write(self, name: str, lines: Sequence[tuple[str, str, float]]) -> None:
        rank, now = transport.current.rank(WORLD), round(time.time() * 1000)
        path = os.path.join(os.getenv("MA_LOG_DIR", "./"), f"{name}_rank_{rank}.txt")
        said = [
            f'{what}{{type="{kind}", rank_id="{rank}"}} {value} {now}\n'
            for what, kind, value in lines
        ]
        files.write_text(path, "".join(said))


_KINDS = ("model", "hardware")


def _percent(part: float, spent: float) -> str:
    return f"{math.floor(1000 * part / spent * 10**4) / 100:.2f}%"


def _flops(params: Any) -> float:
    """The operations of one step of the training or evaluation, on this rank."""
    if context.current().mode != context.GRAPH_MODE:
        raise ValueError(f"{_WHO}: the mode must be GRAPH_MODE, got PYNATIVE_MODE.")
    evaluated = params.mode == "eval"
    network = params.eval_network if evaluated else params.train_network
    if isinstance(network, SinkNetwork):
        network = network.network
    element = params.get("train_dataset_element")
    specs = (
        [Spec(x.shape, x.value_.spec.dtype) for x in element]
        if element and not evaluated
        else specs_of(params.valid_dataset if evaluated else params.train_dataset)
    )
    return float(sum(map(_operations, records_of(trace_step(network, specs)))))


def _operations(record: OpRecord) -> int:
    """Multiplications and additions of an op."""
    if record.name not in _COUNTED:
        return 0
    shapes, out = [o.shape for o in record.inputs], record.outputs[0].shape
    role = registry[record.name].matmul_kind
    if role == "product":
        inner = shapes[0][-2 if record.attrs.get("transpose_a") else -1]
        return 2 * math.prod(out) * inner
    if role == "input gradient":  # (dout, weight) -> x
        return 2 * math.prod(shapes[0]) * out[1] * math.prod(shapes[1][2:])
    if role == "weight gradient":  # (dout, x) -> weight
        return 2 * math.prod(shapes[0]) * shapes[1][1] * math.prod(out[2:])
    return 2 * math.prod(out) * shapes[0][1] * math.prod(shapes[1][2:])


__all__ = ["FlopsUtilizationCollector"]
