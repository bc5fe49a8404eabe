"""Callbacks that monitor one value for improvement: EarlyStopping and its base class."""

from __future__ import annotations

import copy
import math
from typing import Any, ClassVar

import numpy as np

from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean, warn
from minispore.foundation import checks
from minispore.train.callback.base import Callback, RunContext, handle_loss

#: Metrics for which smaller is better, for mode "auto".
SMALLER_IS_BETTER = frozenset(
    ["eval_loss", "hausdorff_distance", "loss", "mae", "mean_surface_distance", "mse", "perplexity",
     "root_mean_square_distance"]
)  # fmt: skip


class MonitorCallback(Callback):
    """The base of callbacks that monitor one value and compare it with the best one so far.

    Args:
        api_name: name of the subclass, for messages.
        monitor: "loss", "eval_loss" or the name of a metric.
        mode: "min", "max" or "auto".
        min_delta: a smaller change does not count as an improvement.
    """

    _reports_ = False
    resumes: ClassVar[tuple[str, ...]] = ("best", "wait")

    def __init__(self, api_name: str, monitor: str, mode: str, min_delta: float) -> None:
        self.monitor = checks.instance(api_name, "monitor", monitor, str)
        self.min_delta = abs(checks.number(api_name, "min_delta", min_delta))
        self.mode = checks.instance(api_name, "mode", mode, str)
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"{api_name}: mode must be 'auto', 'min' or 'max', got {mode!r}.")
        self._smaller_is_better = mode == "min" or (mode == "auto" and monitor in SMALLER_IS_BETTER)
        self.best = math.inf if self._smaller_is_better else -math.inf
        self.wait = 0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the best value and the number of epochs without improvement."""
        self.best = math.inf if self._smaller_is_better else -math.inf
        self.wait = 0

    def improves(self, value: float, best: float) -> bool:
        """Whether ``value`` is better than ``best`` by more than ``min_delta``."""
        if self._smaller_is_better:
            return value < best - self.min_delta
        return value > best + self.min_delta

    def get_monitor_value(self, cb_params: Any) -> float | None:
        """Return the monitored value of this epoch; None, with a warning, if it is not available.

        Raises:
            ValueError: it is not a single number.
        """
        results = cb_params.get("eval_results") or {}
        if self.monitor == "loss":
            value = handle_loss(cb_params.net_outputs)
        else:
            value = results.get(self.monitor)
        if value is None:
            choices = ["loss", *results]
            warn(
                f"{type(self).__name__}: {self.monitor!r} is not available. There is: "
                f"{', '.join(choices)}.{did_you_mean(self.monitor, results)}"
            )
            return None
        array = value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)
        if array.size != 1:
            raise ValueError(
                f"{type(self).__name__}: {self.monitor!r} must be one number, got shape "
                f"{array.shape}."
            )
        return float(array.item())


class EarlyStopping(MonitorCallback):
    """Stop the training when a value has not improved for ``patience`` epochs.

    Args:
        monitor: "loss", "eval_loss" or the name of a metric.
        min_delta: a smaller change does not count as an improvement.
        patience: epochs without improvement to wait for; 0 stops at the first such epoch.
        verbose: print when it stops.
        mode: whether "min" or "max" is better; "auto" decides by the name.
        baseline: the value must be better than this to count as improved.
        restore_best_weights: whether to restore the weights of the best epoch when stopping.
    """

    resumes = (*MonitorCallback.resumes, "stopped_epoch", "_best_weights")

    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: bool = False,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        api_name = "EarlyStopping"
        super().__init__(api_name, monitor, mode, min_delta)
        self.patience = checks.integer(api_name, "patience", patience, 0)
        self.verbose = checks.boolean(api_name, "verbose", verbose)
        self.baseline = None if baseline is None else checks.number(api_name, "baseline", baseline)
        self.restore_best_weights = checks.boolean(
            api_name, "restore_best_weights", restore_best_weights
        )
        self.stopped_epoch = 0
        self._best_weights: dict[str, Any] | None = None

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the best value, the waiting epochs and the best weights."""
        super().on_train_begin(run_context)
        self.stopped_epoch = 0
        self._best_weights = None

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Stop after ``patience`` epochs without improvement; restore the best weights if
        requested.

        To that end, also copies the weights of the best epoch. An epoch without a value does not
        count.
        """
        cb_params = run_context.original_args()
        value = self.get_monitor_value(cb_params)
        if value is None:
            return
        if self.restore_best_weights and self._best_weights is None:
            self._best_weights = copy.deepcopy(cb_params.train_network.parameters_dict())
        self.wait += 1
        if self.improves(value, self.best):
            self.best = value
            if self.restore_best_weights:
                self._best_weights = copy.deepcopy(cb_params.train_network.parameters_dict())
            if self.baseline is None or self.improves(value, self.baseline):
                self.wait = 0
        if self.wait and self.wait >= self.patience:
            self.stopped_epoch = cb_params.cur_epoch_num
            run_context.request_stop()
            if self._best_weights is not None:
                if self.verbose:
                    print("Restoring model weights from the end of the best epoch.", flush=True)
                for name, parameter in cb_params.train_network.parameters_dict().items():
                    parameter.set_data(self._best_weights[name])

    def on_train_end(self, run_context: RunContext) -> None:
        """Print the epoch at which the training was stopped, if it was and ``verbose`` is set."""
        if self.stopped_epoch and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping", flush=True)
