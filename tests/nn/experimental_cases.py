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
}
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
}


def gradients(step: int) -> list[np.ndarray]:
    """What the weights are moved by."""
    draw = np.random.default_rng(step)
    return [draw.normal(size=a.shape).astype(np.float32) for a in START]


def trained(optim: Any, ms: Any, case: str) -> list[np.ndarray]:
    """The weights after 4 steps of an optimizer of MindSpore or ours."""
    name, arguments = OPTIMIZERS[case]
    weights = [ms.Parameter(ms.Tensor(a), name=f"w{i}") for i, a in enumerate(START)]
    optimizer = getattr(optim, name)(weights, **arguments)
    for step in range(4):
        optimizer(tuple(ms.Tensor(g) for g in gradients(step)))
    return [np.array(w.asnumpy()) for w in weights]


def rates(optimizer: Any, scheduler: Callable[..., Any], arguments: dict[str, Any]) -> np.ndarray:
    """The learning rates at the start and after each of 7 steps."""
    made = scheduler(optimizer, **arguments)
    found = []
    for _ in range(8):
        found.append(float(made.get_last_lr()[0]))
        made.step()
    return np.array(found, np.float32)
