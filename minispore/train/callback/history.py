"""History: what the network returned at the end of each epoch, and its metrics."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.train.callback.base import Callback, RunContext


class History(Callback):
    """Keep the network's output and the metrics of every epoch.

    Attributes:
        epoch: ``{"epoch": [1, 2, ...]}`` of the last run.
        history: ``{"net_output": [...], "accuracy": [...]}``, over all runs.
    """

    reports = False

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: dict[str, list[int]] | None = None

    def begin(self, run_context: RunContext) -> None:
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if self.epoch is None:
            self.epoch = {"epoch": []}
        self.epoch["epoch"].append(params.get("cur_epoch_num", 1))
        output = params.net_outputs
        if isinstance(output, tuple | list) and output and isinstance(output[0], Tensor):
            output = output[0]
        if isinstance(output, Tensor):
            output = np.mean(output.asnumpy())
        for key, value in {"net_output": output, **(params.get("metrics") or {})}.items():
            self.history.setdefault(key, []).append(value)
