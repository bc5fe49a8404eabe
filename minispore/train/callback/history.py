"""History: the network's output at the end of each epoch, and the metrics."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import charts
from minispore.train.callback.base import Callback, RunContext


class History(charts.TextRepr, Callback):
    """Record the network's output and the metrics of every epoch; prints as a table.

    :meth:`minispore.Model.fit` returns one. It shows the output as "loss".

    Attributes:
        epoch: ``{"epoch": [1, 2, ...]}`` of the last run.
        history: ``{"net_output": [...], "accuracy": [...]}``, over all runs; single numbers are
            Python scalars, several are arrays.
    """

    _reports_ = False

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: dict[str, list[int]] | None = None

    def begin(self, run_context: RunContext) -> None:
        """Clear the epoch numbers of an earlier run; ``history`` keeps its values."""
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context: RunContext) -> None:
        """Append the epoch number to ``epoch``, and the mean output and metrics to ``history``."""
        cb_params = run_context.original_args()
        if self.epoch is None:
            self.epoch = {"epoch": []}
        self.epoch["epoch"].append(cb_params.get("cur_epoch_num", 1))
        output = cb_params.net_outputs
        if isinstance(output, tuple | list) and output and isinstance(output[0], Tensor):
            output = output[0]
        if isinstance(output, Tensor):
            output = np.mean(output.asnumpy()).item()
        for key, value in {"net_output": output, **(cb_params.get("metrics") or {})}.items():
            self.history.setdefault(key, []).append(value)

    def __str__(self) -> str:
        """Return a table of the recorded values, one row per epoch."""
        if not self.history:
            return "History: no epoch yet"
        columns = [
            [
                self._get_label(name),
                *(f"{v:.6g}" if isinstance(v, int | float) else str(v) for v in values),
            ]
            for name, values in self.history.items()
        ]
        row_count = max(map(len, columns))
        columns.insert(0, ["epoch", *map(str, range(1, row_count))])
        padded = [[*column, *[""] * (row_count - len(column))] for column in columns]
        widths = [max(map(len, column)) for column in padded]
        return "\n".join(
            "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths))
            for row in zip(*padded)
        )

    __repr__ = __str__  # at a prompt, the result of fit shows its epochs

    def _get_label(self, name: str) -> str:
        """Return the label of an entry of ``history``: "loss" for the output, unless a metric has
        that name.
        """
        return "loss" if name == "net_output" and "loss" not in self.history else name

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Plot each recorded number over the epochs, the network's output on top.

        Args:
            path: a file to write; its extension, ``.png`` or ``.svg``, sets the format.

        Returns:
            A matplotlib Figure.

        Raises:
            ImportError: matplotlib is not installed.
            ValueError: no epoch has ended yet, or ``path`` has a different extension.
        """
        api_name = "History.plot"
        numbers = {
            name: values
            for name, values in self.history.items()
            if all(isinstance(v, int | float) for v in values)
        }
        if not numbers:
            raise ValueError(
                f"{api_name}: an epoch must have ended with a number, got none. Train first."
            )
        figure = charts.make_figure(api_name, height=2.2 * len(numbers) + 0.6)
        plots = figure.subplots(len(numbers), 1, sharex=True, squeeze=False).flat
        for axes, (name, values) in zip(plots, numbers.items()):
            axes.plot(range(1, len(values) + 1), values, marker="o", markersize=3)
            axes.set_ylabel(self._get_label(name))
            axes.grid(alpha=0.3)
        plots[-1].set_xlabel("epoch")
        plots[-1].xaxis.get_major_locator().set_params(integer=True)
        return charts.save_chart(api_name, figure, path)
