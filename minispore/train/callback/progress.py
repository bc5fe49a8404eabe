"""ProgressBar: the progress of a run, on one line of the terminal."""

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

#: Environment variable: ``0`` never shows a default bar, ``1`` always; otherwise one is shown in
#: interactive runs.
PROGRESS_VARIABLE = "MINISPORE_PROGRESS"


class ProgressBar(Callback):
    """Show steps done of all steps, their rate, the time left, the loss and the latest metrics.

    ``Model.train``, ``fit`` and ``eval`` show a bar by default when no callback reports anything
    and the run is interactive: stderr is a terminal, or the program is a notebook. The environment
    variable ``MINISPORE_PROGRESS`` turns this off (0) or on (1).

    Args:
        file: where to draw; stderr by default.
        interval: the minimum number of seconds between two redraws.

    Raises:
        TypeError: ``interval`` is not a number.
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
        self._displayed_values: dict[str, str] = {}
        self._is_evaluation_bar = False  # whether the bar shows an evaluation outside a training

    def __exit__(self, *error: Any) -> None:
        """Close the bar without completing it when a run ends early."""
        self._close_bar()

    def on_train_begin(self, run_context: RunContext) -> None:
        """Open a bar over all steps of all epochs."""
        cb_params = run_context.original_args()
        self._initial_step = cb_params.cur_step_num  # the number of steps before the first one
        self._open_bar(f"epoch 1/{cb_params.epoch_num}", cb_params.epoch_num * cb_params.batch_num)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Show the number of the epoch."""
        cb_params = run_context.original_args()
        completed_epochs = self._initial_step // cb_params.batch_num
        if self._bar is not None:
            self._bar.set_description_str(
                f"epoch {cb_params.cur_epoch_num}/{completed_epochs + cb_params.epoch_num}",
                refresh=False,
            )

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Advance the bar; the loss is read only when the bar is redrawn."""
        cb_params = run_context.original_args()
        if self._advance_bar(cb_params.cur_step_num - self._initial_step):
            self._display_values({"loss": handle_loss(cb_params.net_outputs)})

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Show the loss and the metrics of the epoch, if it was evaluated."""
        cb_params = run_context.original_args()
        metrics = dict(cb_params.get("metrics") or {})
        if "loss" in metrics:
            metrics["eval_loss"] = metrics.pop("loss")
        self._display_values({"loss": handle_loss(cb_params.net_outputs), **metrics})

    def on_train_end(self, run_context: RunContext) -> None:
        """Close the finished bar."""
        self._close_bar()

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Open a bar for an evaluation, unless it runs within a training."""
        if self._bar is None:
            self._open_bar("eval", run_context.original_args().batch_num)
            self._is_evaluation_bar = True

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Advance the bar of an evaluation outside a training."""
        if self._is_evaluation_bar:
            self._advance_bar(run_context.original_args().cur_step_num)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Show the metrics and close the bar of an evaluation outside a training."""
        if self._is_evaluation_bar:
            self._display_values(run_context.original_args().get("metrics") or {})
            self._close_bar()

    def _open_bar(self, description: str, steps: int) -> None:
        """Create the tqdm bar for ``steps`` steps."""
        # Imported here because tqdm takes longer to import than NumPy's random
        # numbers, and most runs draw no bar.
        from tqdm.auto import tqdm

        self._bar = type("_Bar", (tqdm,), {"monitor_interval": 0})(  # without tqdm's monitor thread
            total=steps,
            desc=description,
            unit="step",
            file=self._file,
            mininterval=self._interval,
            dynamic_ncols=True,
        )
        self._last_draw_s = time.perf_counter()

    def _advance_bar(self, completed_steps: int) -> bool:
        """Advance the bar to ``completed_steps`` and return whether to redraw its values now; False
        if there is no bar.
        """
        if self._bar is None:
            return False
        self._bar.update(completed_steps - self._bar.n)
        now = time.perf_counter()
        if now - self._last_draw_s < self._interval and completed_steps != self._bar.total:
            return False
        self._last_draw_s = now
        return True

    def _display_values(self, values: dict[str, Any]) -> None:
        """Update the values that the bar displays; nonnumeric values are omitted."""
        texts = {name: _format_number(value) for name, value in values.items()}
        self._displayed_values.update(
            {name: text for name, text in texts.items() if text is not None}
        )
        if self._bar is not None:
            self._bar.set_postfix(self._displayed_values)

    def _close_bar(self) -> None:
        """Close the bar, if there is one, and reset its values."""
        bar, self._bar, self._displayed_values, self._is_evaluation_bar = self._bar, None, {}, False
        if bar is not None:
            bar.close()


def _format_number(value: Any) -> str | None:
    """Format a number with four digits; return None for a value that is not a single number."""
    array = np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)
    if array.dtype.kind not in "fiub" or array.size != 1:
        return None
    return f"{array.item():.4g}"


def default_progress_bar(callbacks: Sequence[Callback]) -> list[Callback]:
    """Return a list with one bar on the first rank of an interactive run in which no callback
    reports; else [].

    The environment variable ``MINISPORE_PROGRESS`` overrides this: 0 never, 1 always.
    """
    setting = os.environ.get(PROGRESS_VARIABLE)
    if setting == "0" or any(callback._reports_ for callback in callbacks):
        return []
    is_interactive = "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())
    is_first_rank = transport.current.rank(WORLD) == 0  # one bar for all ranks
    return [ProgressBar()] if is_first_rank and (is_interactive or setting == "1") else []
