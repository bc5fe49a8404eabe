"""Sweeps: an estimate for each value of one setting, as a table and a plot."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from minispore.device.model.forecast import Estimate
from minispore.device.model.predict import (
    Shapes,
    estimate,
    measure_pipeline,
    resolve_spec,
    specs_of,
    training_step,
)
from minispore.errors import did_you_mean
from minispore.foundation import charts

#: The settings that can be swept besides the constants of a device.
OPTIONS = ("batch", "devices", "sink_size", "device", "data_us", "host_rows_s")


@dataclass(frozen=True)
class Sweep(charts.TextRepr):
    """The estimates for the values of one setting."""

    name: str
    values: tuple[Any, ...]
    estimates: tuple[Estimate, ...]

    def __len__(self) -> int:
        """Return the number of values of the setting."""
        return len(self.values)

    def __getitem__(self, index: int) -> Estimate:
        """Return the estimate for the value at ``index``."""
        return self.estimates[index]

    @property
    def step_ms(self) -> list[float]:
        """The milliseconds of a step in the best way, for each value."""
        return [e.best.step_us / 1e3 for e in self.estimates]

    @property
    def rows_s(self) -> list[float]:
        """The rows per second of all devices, for each value."""
        return [e.rows_s for e in self.estimates]

    def __str__(self) -> str:
        """Return a table with one line for each value of the setting and its estimate."""
        width = max(len(self.name), *(len(_format_value(v)) for v in self.values))
        lines = [
            f"{'':<{width}}{'step ms':>12}{'rows/s':>14}{'peak MB':>10}{'busy':>7}  bottleneck",
        ]
        for value, e in zip(self.values, self.estimates, strict=True):
            lines.append(
                f"{_format_value(value):<{width}}{e.best.step_us / 1e3:>12.3f}{e.rows_s:>14,.0f}"
                f"{e.memory.peak / 2**20:>10.0f}{e.best.busy_share:>7.0%}  {e.bottleneck}"
            )
        return f"{self.name}: predicted, a model and no measurement\n" + "\n".join(lines)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Plot the milliseconds of a step and the rows per second over the values.

        Args:
            path: a file to write, with the extension ``.png`` or ``.svg``.

        Returns:
            A matplotlib Figure.

        Raises:
            ImportError: matplotlib is not installed.
            ValueError: ``path`` has a different extension.
        """
        api_name = "Sweep.plot"
        drawing = charts.make_figure(api_name, height=4.2)
        is_numeric = all(isinstance(v, int | float) for v in self.values)
        positions: Sequence[Any] = self.values if is_numeric else range(len(self.values))
        needs_log_scale = (
            is_numeric and min(self.values) > 0 and max(self.values) >= 16 * min(self.values)
        )
        top, bottom = drawing.subplots(2, 1, sharex=True)
        for axes, heights, label in (
            (top, self.step_ms, "ms a step"),
            (bottom, self.rows_s, "rows/s, all devices"),
        ):
            if is_numeric:
                axes.plot(positions, heights, marker="o", markersize=4, color="#1f6fb4")
            else:
                axes.bar(positions, heights, width=0.5, color="#1f6fb4")
            axes.set_ylabel(label)
            if max(heights) > 20 * min(heights):
                axes.set_yscale("log")
            else:
                axes.set_ylim(bottom=0)
            axes.grid(alpha=0.3)
        if needs_log_scale:
            bottom.set_xscale("log", base=2)
        if not is_numeric or len(positions) <= 8:
            bottom.set_xticks(list(positions), [_format_value(v) for v in self.values])
            bottom.minorticks_off()
        bottom.set_xlabel(self.name)
        names = {e.spec.name for e in self.estimates}
        title = f"{names.pop()}, predicted" if len(names) == 1 else "predicted"
        drawing.suptitle(title, fontsize="medium")
        return charts.save_chart(api_name, drawing, path)


def sweep(
    model: Any,
    dataset: Any,
    name: str,
    values: Iterable[Any],
    **options: Any,
) -> Sweep:
    """Estimate a training for each value of one setting.

    The pipeline of a dataset with data is measured once for all values, unless its time is given.

    Args:
        model: see :func:`estimate`.
        dataset: see :func:`estimate`.
        name: a constant of the device ("memory_gbs", "ai_cores", ...), or "batch", "devices",
            "sink_size", "device", "data_us" or "host_rows_s".
        values: the values of the setting. Columns whose first length is a multiple of the batch
            grow with it.
        options: the options of :func:`estimate`, the same for all values.

    Returns:
        A Sweep: ``print`` it for the table, ``plot`` it for a figure.

    Raises:
        ValueError: an unknown name, no values, or an invalid value.

    Example:
        >>> from minispore import Model, nn
        >>> from minispore.device import Shapes, sweep
        >>> net = nn.Dense(256, 10)
        >>> model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        >>> data = Shapes([((32, 256), "float32"), ((32, 10), "float32")], size=100)
        >>> swept = sweep(model, data, "batch", [32, 64, 128], device="Ascend910")
        >>> [e.rows for e in swept.estimates]
        [32, 64, 128]
    """
    swept_values = tuple(values)
    if not swept_values:
        raise ValueError("sweep: values must hold at least one value, got none.")
    if name in options:
        raise ValueError(f"sweep: {name} must be swept or given, got both.")
    has_pipeline_time = not {"data_us", "host_rows_s"}.isdisjoint({*options, name})
    if hasattr(dataset, "create_dict_iterator") and not has_pipeline_time:
        rows = specs_of(dataset)[0].shape[0]
        options["host_rows_s"] = rows * 1e6 / measure_pipeline(dataset)  # for all values
    estimate_value = _make_estimator(model, dataset, name, options)
    return Sweep(name, swept_values, tuple(estimate_value(v) for v in swept_values))


def _make_estimator(
    model: Any, dataset: Any, name: str, options: dict[str, Any]
) -> Callable[[Any], Estimate]:
    """Return a function that estimates the training for one value of the setting ``name``.

    Takes "device" out of ``options`` if ``name`` is a constant of the device.

    Raises:
        ValueError: no setting has this name.
    """
    if name == "batch":
        return lambda value: estimate(model, _resize_batches(dataset, value), **options)
    size = dataset if isinstance(dataset, int) else dataset.get_dataset_size()
    step = training_step(model, dataset)
    if name in OPTIONS:
        return lambda value: estimate(step, size, **options, **{name: value})
    spec = resolve_spec(options.pop("device", None))
    if name not in spec:
        allowed_names = [*OPTIONS, *spec]
        raise ValueError(
            f"sweep: name must be a constant of the device or one of {', '.join(OPTIONS)}, got "
            f"{name!r}.{did_you_mean(name, allowed_names)}"
        )
    return lambda value: estimate(step, size, device=spec.replace(**{name: value}), **options)


def _resize_batches(dataset: Any, rows: Any) -> Shapes:
    """Return the shapes of ``dataset`` with ``rows`` rows per batch, and the same number of rows in
    all.

    Raises:
        ValueError: the dataset has no shapes, or ``rows`` is not an int of at least 1.
    """
    if not hasattr(dataset, "types_shapes"):
        raise ValueError("sweep: batch must be swept with a dataset that has shapes, got none.")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise ValueError(f"sweep: batch must be an int of at least 1, got {rows!r}.")
    specs = specs_of(dataset)
    current_rows = specs[0].shape[0] if specs[0].shape else 1
    columns = []
    for shape, dtype in specs:
        scales_with_batch = bool(shape) and shape[0] % current_rows == 0
        columns.append(
            ((shape[0] // current_rows * rows, *shape[1:]) if scales_with_batch else shape, dtype)
        )
    batches = -(-dataset.get_dataset_size() * current_rows // rows)
    return Shapes(columns, size=batches)


def _format_value(value: Any) -> str:
    """Return a swept value as text; a float in its shortest form."""
    return f"{value:g}" if isinstance(value, float) else str(value)


__all__ = ["Sweep", "sweep"]
