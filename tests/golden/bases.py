"""What users derive their own classes from, or hang attributes on: an instance of each."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


def bases(ms: ModuleType) -> dict[str, Any]:
    """The instances, of the package ``ms``, by name."""
    nn, data, train, optim, initializer = (
        import_module(f"{ms.__name__}.{room}")
        for room in ("nn", "dataset", "train", "experimental.optim", "common.initializer")
    )

    def weight() -> Any:
        return ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")

    def made(kind: type, *args: Any) -> Any:
        todo = dict.fromkeys(getattr(kind, "__abstractmethods__", ()))
        return type("Own", (kind,), todo)(*args)

    return {
        "Tensor": ms.Tensor([1.0, 2.0]),
        "Parameter": weight(),
        "Cell": made(nn.Cell),
        "CellList": made(nn.CellList),
        "SequentialCell": made(nn.SequentialCell),
        "CellDict": made(nn.CellDict),
        "LossBase": made(nn.LossBase),
        "Optimizer": made(nn.Optimizer, 0.1, [weight()]),
        "experimental.Optimizer": made(optim.Optimizer, [weight()], {"lr": 0.1}),
        "LearningRateSchedule": made(nn.learning_rate_schedule.LearningRateSchedule),
        "WithLossCell": made(nn.WithLossCell, nn.Dense(1, 1), nn.MSELoss()),
        "WithEvalCell": made(nn.WithEvalCell, nn.Dense(1, 1), nn.MSELoss()),
        "TrainOneStepCell": made(nn.TrainOneStepCell, nn.Dense(1, 1), nn.SGD([weight()])),
        "Metric": made(nn.Metric),
        "Callback": made(train.Callback),
        "Sampler": made(data.Sampler),
        "Initializer": made(initializer.Initializer),
    }


def names(of: Any) -> set[str]:
    """The attributes of an instance, but for Python's own."""
    parts = [getattr(of, kind, ()) for kind in ("_params", "_cells")]
    actual = {*dir(of), *getattr(of, "__dict__", ()), *parts[0], *parts[1]}
    return {name for name in actual if not (name.startswith("__") and name.endswith("__"))}
