"""ProgressBar: how far a run is, on the terminal, on one line."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport
from minispore.train.callback.base import Callback, RunContext, handle_loss

#: The switch: ``0`` never shows a bar by itself, ``1`` always does, else where a person looks on.
SWITCH = "MINISPORE_PROGRESS"


class ProgressBar(Callback):
    """Show steps done of all steps, their rate, the time left, the loss and the latest metrics.

    ``Model.train``, ``fit`` and ``eval`` show one by themselves when no callback reports anything
    and a person looks on: stderr is a terminal, or the program is a notebook. The environment
    variable ``MINISPORE_PROGRESS`` switches that off (0) or on (1) wherever it runs.

    Args:
        file: where to draw; stderr by default.
        interval: seconds between two drawings at least.

    Raises:
        TypeError: ``interval`` is no number.
        ValueError: it is negative.

    Example:
        >>> import sys
        >>> from minispore.train import ProgressBar
        >>> bar = ProgressBar(file=sys.stdout, interval=0.5)
    """

    _reports_: ClassVar[bool] = True

    def __init__(self, file: Any = None, interval: float = 0.1) -> None:
        if isinstance(interval, bool) or not isinstance(interval, int | float):
            raise TypeError(f"ProgressBar: interval must be seconds, got {interval!r}.")
        if not interval >= 0:
            raise ValueError(f"ProgressBar: interval must be at least 0 seconds, got {interval!r}.")
        self._file = file
        self._interval = interval
        self._bar: Any = None
        self._numbers: dict[str, str] = {}
        self._evaluates = False  # the bar is that of an evaluation of its own

    def __exit__(self, *error: Any) -> None:
        """Leave the line as it is when a run ends early."""
        self._close()

    def on_train_begin(self, run_context: RunContext) -> None:
        """Draw an empty bar as long as all steps of all epochs."""
        params = run_context.original_args()
        self._begun = params.cur_step_num  # the number of the step before the first
        self._open(f"epoch 1/{params.epoch_num}", params.epoch_num * params.batch_num)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Say which epoch it is."""
        params = run_context.original_args()
        first = self._begun // params.batch_num
        if self._bar is not None:
            self._bar.set_description_str(
                f"epoch {params.cur_epoch_num}/{first + params.epoch_num}", refresh=False
            )

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Move on; the loss is looked at only when the line is drawn."""
        params = run_context.original_args()
        if self._moved(params.cur_step_num - self._begun):
            self._show({"loss": handle_loss(params.net_outputs)})

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Show the metrics, if the epoch was evaluated."""
        params = run_context.original_args()
        metrics = dict(params.get("metrics") or {})
        if "loss" in metrics:
            metrics["eval_loss"] = metrics.pop("loss")
        self._show({"loss": handle_loss(params.net_outputs), **metrics})

    def on_train_end(self, run_context: RunContext) -> None:
        """Leave the finished line."""
        self._close()

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Draw a bar for an evaluation of its own; within ``fit`` the training's stays."""
        if self._bar is None:
            self._open("eval", run_context.original_args().batch_num)
            self._evaluates = True

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Move on."""
        if self._evaluates:
            self._moved(run_context.original_args().cur_step_num)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Show the metrics and leave the finished line."""
        if self._evaluates:
            self._show(run_context.original_args().get("metrics") or {})
            self._close()

    def _open(self, text: str, steps: int) -> None:
        # Here and not above: the bar takes longer to import than the whole of NumPy's random
        # numbers, and most runs never draw one.
        from tqdm.auto import tqdm

        self._bar = type("_Bar", (tqdm,), {"monitor_interval": 0})(  # no thread that watches it
            total=steps,
            desc=text,
            unit="step",
            file=self._file,
            mininterval=self._interval,
            dynamic_ncols=True,
        )
        self._drawn_s = time.perf_counter()

    def _moved(self, done: int) -> bool:
        """Move the bar to ``done`` steps; return whether it is time to draw."""
        if self._bar is None:
            return False
        self._bar.update(done - self._bar.n)
        now = time.perf_counter()
        if now - self._drawn_s < self._interval and done != self._bar.total:
            return False
        self._drawn_s = now
        return True

    def _show(self, values: dict[str, Any]) -> None:
        numbers = {name: _number(value) for name, value in values.items()}
        self._numbers.update({name: text for name, text in numbers.items() if text is not None})
        if self._bar is not None:
            self._bar.set_postfix(self._numbers)

    def _close(self) -> None:
        bar, self._bar, self._numbers, self._evaluates = self._bar, None, {}, False
        if bar is not None:
            bar.close()


def _number(value: Any) -> str | None:
    """A number short enough for one line; None for what is none."""
    array = np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)
    if array.dtype.kind not in "fiub" or array.size != 1:
        return None
    return f"{array.item():.4g}"


def unseen(callbacks: Sequence[Callback]) -> list[Callback]:
    """A bar for a run that nothing reports on, where somebody would see it; otherwise nothing."""
    said = os.environ.get(SWITCH)
    if said == "0" or any(callback._reports_ for callback in callbacks):
        return []
    watched = "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())
    first = transport.current.rank(WORLD) == 0  # one line for all ranks
    return [ProgressBar()] if first and (watched or said == "1") else []
