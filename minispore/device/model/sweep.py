"""One thing changed, all else the same: an estimate for each value of it, as a table and a plot."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from minispore import chart
from minispore.device.model.forecast import Estimate
from minispore.device.model.predict import (
    Shapes,
    as_spec,
    estimate,
    measure_pipeline,
    specs_of,
    training_step,
)
from minispore.errors import did_you_mean

#: What can be swept besides the constants of a device.
OPTIONS = ("batch", "devices", "sink_size", "device", "data_us", "host_rows_s")


@dataclass(frozen=True)
class Sweep(chart.ShownAsText):
    """Estimates for the values of one thing."""

    name: str
    values: tuple[Any, ...]
    estimates: tuple[Estimate, ...]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: int) -> Estimate:
        """The estimate for one value."""
        return self.estimates[index]

    @property
    def step_ms(self) -> list[float]:
        """Milliseconds of a step, in the best way."""
        return [e.predictions[-1].step_us / 1e3 for e in self.estimates]

    @property
    def rows_s(self) -> list[float]:
        """Rows a second of all devices."""
        return [e.rows_s for e in self.estimates]

    def __str__(self) -> str:
        width = max(len(self.name), *(len(_text(v)) for v in self.values))
        lines = [
            f"{'':<{width}}{'step ms':>12}{'rows/s':>14}{'peak MB':>10}{'busy':>7}  bottleneck",
        ]
        for value, e in zip(self.values, self.estimates, strict=True):
            best = e.predictions[-1]
            lines.append(
                f"{_text(value):<{width}}{best.step_us / 1e3:>12.3f}{e.rows_s:>14,.0f}"
                f"{e.memory.peak / 2**20:>10.0f}{best.busy_share:>7.0%}  {e.bottleneck}"
            )
        return f"{self.name}: predicted, a model and no measurement\n" + "\n".join(lines)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw milliseconds of a step and rows a second over the values.

        Args:
            path: a file to write, ``.png`` or ``.svg`` by its ending.

        Returns:
            A matplotlib Figure.

        Raises:
            ImportError: matplotlib is not installed.
            ValueError: ``path`` has another ending.
        """
        who = "Sweep.plot"
        drawing = chart.figure(who, height=4.2)
        numbers = all(isinstance(v, int | float) for v in self.values)
        at: Sequence[Any] = self.values if numbers else range(len(self.values))
        wide = numbers and min(self.values) > 0 and max(self.values) >= 16 * min(self.values)
        top, bottom = drawing.subplots(2, 1, sharex=True)
        for axes, heights, label in (
            (top, self.step_ms, "ms a step"),
            (bottom, self.rows_s, "rows/s, all devices"),
        ):
            if numbers:
                axes.plot(at, heights, marker="o", markersize=4, color="#1f6fb4")
            else:
                axes.bar(at, heights, width=0.5, color="#1f6fb4")
            axes.set_ylabel(label)
            if max(heights) > 20 * min(heights):
                axes.set_yscale("log")
            else:
                axes.set_ylim(bottom=0)
            axes.grid(alpha=0.3)
        if wide:
            bottom.set_xscale("log", base=2)
        if not numbers or len(at) <= 8:
            bottom.set_xticks(list(at), [_text(v) for v in self.values])
            bottom.minorticks_off()
        bottom.set_xlabel(self.name)
        names = {e.spec.name for e in self.estimates}
        who_for = f"{names.pop()}, predicted" if len(names) == 1 else "predicted"
        drawing.suptitle(who_for, fontsize="medium")
        return chart.saved(who, drawing, path)


def sweep(
    model: Any,
    dataset: Any,
    name: str,
    values: Iterable[Any],
    **options: Any,
) -> Sweep:
    """Estimates of a training in which one thing takes each of some values.

    Args:
        model: see :func:`estimate`.
        dataset: see :func:`estimate`.
        name: a constant of the device ("memory_gbs", "ai_cores", ...), or "batch", "devices",
            "sink_size", "device", "data_us" or "host_rows_s".
        values: what it takes. Columns whose first length is a multiple of the batch grow with it.
        options: those of :func:`estimate`, for all.

    Returns:
        A Sweep: ``print`` it for the table, ``plot`` it for a picture.

    Raises:
        ValueError: an unknown name, no values, or a value that can't be.

    Example:
        >>> from minispore import Model, nn
        >>> from minispore.device import Shapes, sweep
        >>> net = nn.Dense(256, 10)
        >>> model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        >>> data = Shapes([((32, 256), "float32"), ((32, 10), "float32")], size=100)
        >>> found = sweep(model, data, "batch", [32, 64, 128], device="Ascend910")
        >>> [e.rows for e in found.estimates]
        [32, 64, 128]
    """
    taken = tuple(values)
    if not taken:
        raise ValueError("sweep: values must hold at least one value, got none.")
    if name in options:
        raise ValueError(f"sweep: {name} must be swept or given, got both.")
    if hasattr(dataset, "create_dict_iterator") and not {"data_us", "host_rows_s"} & {
        *options,
        name,
    }:
        rows = specs_of(dataset)[0].shape[0]
        options["host_rows_s"] = rows * 1e6 / measure_pipeline(dataset)  # once for all
    one = _each(model, dataset, name, options)
    return Sweep(name, taken, tuple(one(v) for v in taken))


def _each(
    model: Any, dataset: Any, name: str, options: dict[str, Any]
) -> Callable[[Any], Estimate]:
    """What estimates for one value."""
    if name == "batch":
        return lambda value: estimate(model, _with_rows(dataset, value), **options)
    size = dataset if isinstance(dataset, int) else dataset.get_dataset_size()
    traced = training_step(model, dataset)
    if name in OPTIONS:
        return lambda value: estimate(traced, size, **options, **{name: value})
    spec = as_spec(options.pop("device", None))
    if name not in spec:
        known = [*OPTIONS, *spec]
        raise ValueError(
            f"sweep: name must be a constant of the device or one of {', '.join(OPTIONS)}, got "
            f"{name!r}.{did_you_mean(name, known)}"
        )
    return lambda value: estimate(traced, size, device=spec.replace(**{name: value}), **options)


def _with_rows(dataset: Any, rows: Any) -> Shapes:
    """The shapes of ``dataset`` with batches of another size."""
    if not hasattr(dataset, "types_shapes"):
        raise ValueError("sweep: batch must be swept with a dataset that has shapes, got none.")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise ValueError(f"sweep: batch must be an int of at least 1, got {rows!r}.")
    specs = specs_of(dataset)
    now = specs[0].shape[0] if specs[0].shape else 1
    columns = []
    for shape, dtype in specs:
        grows = bool(shape) and shape[0] % now == 0
        columns.append(((shape[0] // now * rows, *shape[1:]) if grows else shape, dtype))
    batches = -(-dataset.get_dataset_size() * now // rows)
    return Shapes(columns, size=batches)


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


__all__ = ["Sweep", "sweep"]
