"""Optimizers and schedulers run alike by MindSpore, PyTorch and us."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

START = [np.array([[0.5, -1.0], [2.0, 0.25]], np.float32), np.array([0.1, -0.2], np.float32)]
OPTIMIZERS: dict[str, tuple[str, dict[str, Any]]] = {
    "SGD": ("SGD", {"lr": 0.1}),
    "SGD momentum": ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
    "SGD dampening": ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5}),
    "SGD nesterov": ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True}),
    "Adam": ("Adam", {}),
    "Adam eps": ("Adam", {"lr": 0.1, "betas": (0.8, 0.99), "eps": 0.1, "weight_decay": 0.01}),
    "AdamW": ("AdamW", {}),
    "AdamW amsgrad": ("AdamW", {"lr": 0.1, "amsgrad": True, "eps": 0.1, "maximize": True}),
    "ASGD": ("ASGD", {}),
    "ASGD average": ("ASGD", {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 2.0, "maximize": True}),
    "ASGD groups": ("ASGD", {"lr": 0.1}),
    "Adadelta": ("Adadelta", {}),
    "Adadelta rho": ("Adadelta", {"lr": 0.5, "rho": 0.5, "eps": 0.01, "maximize": True}),
    "Adadelta groups": ("Adadelta", {"lr": 0.5, "eps": 0.1}),
    "Adagrad": ("Adagrad", {}),
    "Adagrad decay": (
        "Adagrad",
        {"lr": 0.1, "lr_decay": 0.5, "initial_accumulator_value": 0.5, "eps": 0.1},
    ),
    "Adagrad climbs": ("Adagrad", {"lr": 0.1, "weight_decay": 0.1, "maximize": True}),
    "Adagrad groups": ("Adagrad", {"lr": 0.1}),
    "Adamax": ("Adamax", {}),
    "Adamax eps": (
        "Adamax",
        {"lr": 0.1, "betas": (0.8, 0.9), "eps": 0.1, "weight_decay": 0.1, "maximize": True},
    ),
    "Adamax groups": ("Adamax", {"lr": 0.1}),
    "NAdam": ("NAdam", {}),
    "NAdam momentum": ("NAdam", {"lr": 0.1, "eps": 0.1, "momentum_decay": 0.5}),
    "NAdam groups": ("NAdam", {"lr": 0.1}),
    "RAdam": ("RAdam", {}),
    "RAdam soon": ("RAdam", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 0.1, "weight_decay": 0.1}),
    "RAdam never": ("RAdam", {"lr": 0.1, "betas": (0.5, 0.6)}),
    "RAdam groups": ("RAdam", {"lr": 0.1, "betas": (0.9, 0.95)}),
    "RMSprop": ("RMSprop", {}),
    "RMSprop momentum": ("RMSprop", {"alpha": 0.9, "momentum": 0.9, "eps": 0.1, "maximize": True}),
    "RMSprop centered": ("RMSprop", {"centered": True, "alpha": 0.8, "weight_decay": 0.1}),
    "RMSprop both": ("RMSprop", {"centered": True, "alpha": 0.8, "momentum": 0.5}),
    "RMSprop groups": ("RMSprop", {"lr": 0.05}),
    "Rprop": ("Rprop", {}),
    "Rprop etas": (
        "Rprop",
        {"lr": 0.1, "etas": (0.4, 1.5), "step_sizes": (0.05, 0.15), "maximize": True},
    ),
    "Rprop groups": ("Rprop", {"lr": 0.1}),
}
#: Those of mint.optim as well.
MINT = [case for case, (name, _) in OPTIMIZERS.items() if name in ("SGD", "Adam", "AdamW")]
#: What the weights' groups say for themselves; a StepLR goes beside.
GROUPS: dict[str, list[dict[str, Any]]] = {
    "ASGD groups": [{"lr": 0.2, "weight_decay": 0.1}, {"lambd": 0.5, "t0": 1.0}],
    "Adadelta groups": [{"lr": 1.0, "weight_decay": 0.1}, {"rho": 0.5, "maximize": True}],
    "Adagrad groups": [{"lr": 0.2, "weight_decay": 0.1}, {"lr_decay": 1.0, "maximize": True}],
    "Adamax groups": [{"lr": 0.2, "weight_decay": 0.1}, {"betas": (0.5, 0.6), "maximize": True}],
    "NAdam groups": [{"lr": 0.2, "weight_decay": 0.1}, {"momentum_decay": 0.1}],
    "RAdam groups": [{"lr": 0.2, "weight_decay": 0.1}, {"betas": (0.5, 0.9)}],
    "RMSprop groups": [{"lr": 0.1, "weight_decay": 0.1}, {"momentum": 0.5, "maximize": True}],
    "Rprop groups": [{"lr": 0.2, "weight_decay": 0.1}, {"etas": (0.2, 2.0), "maximize": True}],
}
#: Those that MindSpore takes float16 parameters in.
FLOAT16 = ["ASGD", "Adadelta", "Adamax", "NAdam", "RAdam soon", "RMSprop", "RMSprop momentum"]
STEPS = 8
BETWEEN = {"base_lr": 0.1, "max_lr": 0.5}
SCHEDULERS: dict[str, tuple[str, dict[str, Any]]] = {
    "StepLR": ("StepLR", {"step_size": 2, "gamma": 0.5}),
    "MultiStepLR": ("MultiStepLR", {"milestones": [2, 5], "gamma": 0.5}),
    "ExponentialLR": ("ExponentialLR", {"gamma": 0.9}),
    "ConstantLR": ("ConstantLR", {"factor": 0.5, "total_iters": 3}),
    "LinearLR": ("LinearLR", {"total_iters": 4}),
    "PolynomialLR": ("PolynomialLR", {"total_iters": 4, "power": 2.0}),
    "LambdaLR": ("LambdaLR", {"lr_lambda": lambda epoch: 0.9**epoch}),
    "MultiplicativeLR": ("MultiplicativeLR", {"lr_lambda": lambda epoch: 0.8}),
    "CosineAnnealingLR": ("CosineAnnealingLR", {"T_max": 4, "eta_min": 0.01}),
    "CyclicLR": ("CyclicLR", {**BETWEEN, "step_size_up": 2}),
    "CyclicLR down": ("CyclicLR", {**BETWEEN, "step_size_up": 2, "step_size_down": 3}),
    "CyclicLR falls": ("CyclicLR", {**BETWEEN, "step_size_up": 2, "step_size_down": 0}),
    "CyclicLR half": ("CyclicLR", {**BETWEEN, "step_size_up": 2, "mode": "triangular2"}),
    "CyclicLR power": (
        "CyclicLR",
        {**BETWEEN, "step_size_up": 2, "mode": "exp_range", "gamma": 0.9},
    ),
    "CyclicLR function": (
        "CyclicLR",
        {**BETWEEN, "step_size_up": 2, "scale_fn": lambda x: 0.8**x, "scale_mode": "iterations"},
    ),
    "CosineAnnealingWarmRestarts": ("CosineAnnealingWarmRestarts", {"T_0": 3}),
    "CosineAnnealingWarmRestarts longer": (
        "CosineAnnealingWarmRestarts",
        {"T_0": 2, "T_mult": 2, "eta_min": 0.05},
    ),
}
#: What SequentialLR puts together: the schedulers, and the milestones.
SEQUENCES: dict[str, tuple[list[str], list[int]]] = {
    "from ConstantLR to ExponentialLR": (["ConstantLR", "ExponentialLR"], [3]),
    "from LambdaLR to ConstantLR": (["LambdaLR", "ConstantLR"], [2]),
    "from LambdaLR to MultiplicativeLR": (["LambdaLR", "MultiplicativeLR"], [3]),
    "of three": (["LinearLR", "StepLR", "PolynomialLR"], [2, 5]),
    "from LinearLR to CosineAnnealingLR": (["LinearLR", "CosineAnnealingLR"], [2]),
    "from LinearLR to restarts": (["LinearLR", "CosineAnnealingWarmRestarts"], [2]),
    "from restarts to ConstantLR": (["CosineAnnealingWarmRestarts", "ConstantLR"], [4]),
    "from LinearLR to CyclicLR": (["LinearLR", "CyclicLR"], [2]),
}
MEASURES = [1.0, 0.9, 0.95, 0.96, 0.97, 0.98, 0.8, float("nan"), 0.79, 0.8, 0.72, 0.9, 0.9, 0.9]
PLATEAUS: dict[str, dict[str, Any]] = {
    "min": {"patience": 1},
    "max": {"patience": 1, "mode": "max", "factor": 0.5},
    "abs": {"patience": 0, "threshold": 0.1, "threshold_mode": "abs", "factor": 0.5},
    "max abs": {"patience": 2, "mode": "max", "threshold_mode": "abs", "factor": 0.5},
    "rel": {"patience": 0, "threshold": 0.1, "factor": 0.5},
    "cooldown": {"patience": 1, "cooldown": 2, "factor": 0.5},
    "least": {"patience": 0, "factor": 0.5, "min_lr": [0.03, 0.01]},
    "eps": {"patience": 0, "factor": 0.5, "eps": 0.04},
}


def gradients(step: int) -> list[np.ndarray]:
    """What the weights are moved by."""
    draw = np.random.default_rng(step)
    return [draw.normal(size=a.shape).astype(np.float32) for a in START]


def trained(optim: Any, ms: Any, case: str, dtype: Any = np.float32) -> list[np.ndarray]:
    """The weights after some steps of an optimizer of MindSpore or ours."""
    name, arguments = OPTIMIZERS[case]
    weights = [ms.Parameter(ms.Tensor(a.astype(dtype)), name=f"w{i}") for i, a in enumerate(START)]
    own = GROUPS.get(case)
    params = [{"params": [w], **g} for w, g in zip(weights, own, strict=True)] if own else weights
    optimizer = getattr(optim, name)(params, **arguments)
    schedule = optim.lr_scheduler.StepLR(optimizer, 3, 0.5) if own else None
    for step in range(STEPS):
        optimizer(tuple(ms.Tensor(g.astype(dtype)) for g in gradients(step)))
        if schedule:
            schedule.step()
    return [np.array(w.asnumpy()) for w in weights]


def rates(optimizer: Any, scheduler: Callable[..., Any], arguments: dict[str, Any]) -> np.ndarray:
    """The learning rates at the start and after each of 7 steps."""
    output = scheduler(optimizer, **arguments)
    results = []
    for _ in range(8):
        results.append(float(output.get_last_lr()[0]))
        output.step()
    return np.array(results, np.float32)


def grouped(optim: Any, ms: Any) -> Any:
    """An optimizer of two groups."""
    one, two = (ms.Parameter(ms.Tensor([1.0]), name=name) for name in "ab")
    return optim.SGD([{"params": [one], "lr": 0.1}, {"params": [two]}], lr=0.2)


def sequence(optim: Any, ms: Any, case: str) -> np.ndarray:
    """The learning rates of two groups, at the start and after each of 9 steps of SequentialLR."""
    names, milestones = SEQUENCES[case]
    optimizer, own = grouped(optim, ms), optim.lr_scheduler
    parts = [getattr(own, n)(optimizer, **SCHEDULERS[n][1]) for n in names]
    sequential_lr, results = own.SequentialLR(optimizer, parts, milestones), []
    for _ in range(10):
        results.append([float(lr) for lr in sequential_lr.get_last_lr()])
        sequential_lr.step()
    return np.array(results, np.float32)


def plateau(optim: Any, ms: Any, case: str) -> np.ndarray:
    """The learning rates of two groups after each of the measures."""
    reduce_lr_on_plateau, results = (
        optim.lr_scheduler.ReduceLROnPlateau(grouped(optim, ms), **PLATEAUS[case]),
        [],
    )
    for measure in MEASURES:
        reduce_lr_on_plateau.step(measure)
        results.append([float(lr) for lr in reduce_lr_on_plateau.get_last_lr()])
    return np.array(results, np.float32)
