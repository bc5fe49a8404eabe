"""Make an instance of each class that users derive from, or hang attributes on."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


def bases(ms: ModuleType) -> dict[str, Any]:
    """Return an instance of each base class of the package ``ms``, by name."""
    nn, data, train, optim, initializer = (
        import_module(f"{ms.__name__}.{room}")
        for room in ("nn", "dataset", "train", "experimental.optim", "common.initializer")
    )

    def weight() -> Any:
        return ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")

    def make_instance(kind: type, *args: Any) -> Any:
        todo = dict.fromkeys(getattr(kind, "__abstractmethods__", ()))
        return type("Own", (kind,), todo)(*args)

    return {
        "Tensor": ms.Tensor([1.0, 2.0]),
        "Parameter": weight(),
        "Cell": make_instance(nn.Cell),
        "CellList": make_instance(nn.CellList),
        "SequentialCell": make_instance(nn.SequentialCell),
        "CellDict": make_instance(nn.CellDict),
        "LossBase": make_instance(nn.LossBase),
        "Optimizer": make_instance(nn.Optimizer, 0.1, [weight()]),
        "experimental.Optimizer": make_instance(optim.Optimizer, [weight()], {"lr": 0.1}),
        "LearningRateSchedule": make_instance(nn.learning_rate_schedule.LearningRateSchedule),
        "WithLossCell": make_instance(nn.WithLossCell, nn.Dense(1, 1), nn.MSELoss()),
        "WithEvalCell": make_instance(nn.WithEvalCell, nn.Dense(1, 1), nn.MSELoss()),
        "TrainOneStepCell": make_instance(nn.TrainOneStepCell, nn.Dense(1, 1), nn.SGD([weight()])),
        "Metric": make_instance(nn.Metric),
        "Callback": make_instance(train.Callback),
        "Sampler": make_instance(data.Sampler),
        "Initializer": make_instance(initializer.Initializer),
    }


def names(of: Any) -> set[str]:
    """Return the attributes of an instance, except Python's."""
    parts = [getattr(of, kind, ()) for kind in ("_params", "_cells")]
    actual = {*dir(of), *getattr(of, "__dict__", ()), *parts[0], *parts[1]}
    return {name for name in actual if not (name.startswith("__") and name.endswith("__"))}
