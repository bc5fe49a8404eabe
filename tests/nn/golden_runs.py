"""How the cases are evaluated, with the real MindSpore or with ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.nn.golden_cases import LAYERS, LISTS, LOSSES, METRICS, OPTIMIZERS, SCHEDULES, arrays


def parameter_values(name: str, shape: tuple[int, ...], number: int) -> np.ndarray:
    """What the tests put into the n-th parameter of a network."""
    rng = np.random.default_rng([31, number])
    low, high = (0.5, 1.5) if name.endswith(("variance", "gamma")) else (-0.5, 0.5)
    return rng.uniform(low, high, shape).astype(np.float32)


def _values(ms: Any, text: str, wrapped: bool = True) -> list[Any]:
    own = arrays()
    scope: dict[str, Any] = {"np": np, "ms": ms, "Tensor": ms.Tensor, **own}
    if "MODEL" in text:
        scope["MODEL"] = _model(ms)
    found = []
    for part in text.split():
        value = eval(part, scope)
        if wrapped and isinstance(value, np.ndarray | np.generic):
            value = ms.Tensor(value)
        elif wrapped and isinstance(value, tuple):
            value = tuple(ms.Tensor(v) for v in value)
        found.append(value)
    return found


def _model(ms: Any) -> Any:
    net = ms.nn.SequentialCell(ms.nn.Flatten(), ms.nn.Dense(24, 3))
    return filled(ms, net)


def filled(ms: Any, cell: Any) -> Any:
    """``cell`` with known parameters."""
    for i, p in enumerate(cell.get_parameters()):
        p.set_data(ms.Tensor(parameter_values(p.name, tuple(p.shape), i)))
    return cell


def _flat(tree: Any) -> Iterator[Any]:
    if isinstance(tree, tuple | list):
        for item in tree:
            yield from _flat(item)
    else:
        yield tree


def _numpy(value: Any) -> np.ndarray:
    return np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)


def run_cell(ms: Any, case: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Outputs, gradients by inputs and by parameters, and the parameters' names."""
    text, inputs, how = (*case, "")[:3]
    scope = {"nn": ms.nn, "np": np, "ms": ms, "Tensor": ms.Tensor}
    cell = filled(ms, eval(text, scope))
    cell.set_train(how == "train")
    args = _values(ms, inputs)
    out = cell(*args)
    found = {f"out{i}": _numpy(o) for i, o in enumerate(_flat(out))}
    after = {f"after {p.name}": _numpy(p) for p in cell.get_parameters() if not p.requires_grad}
    found.update(after)
    names = [p.name for p in cell.get_parameters()]
    found["names"] = np.array(names or [""])
    if how == "forward" or not args:
        return found
    cell = filled(ms, cell)
    first = next(_flat(out))
    rng = np.random.default_rng(32)
    cotangent = ms.Tensor(rng.uniform(-1, 1, first.shape).astype(np.float32))
    positions = tuple(
        i for i, a in enumerate(args) if isinstance(a, ms.Tensor) and "Float" in str(a.dtype)
    )

    def weighed(*xs: Any) -> Any:
        return (next(_flat(cell(*xs))) * cotangent).sum()

    weights = cell.trainable_params()
    for i in positions[:1] if how == "logits" else positions:
        found[f"dx{i}"] = _numpy(ms.grad(weighed, i)(*args))
    for p in weights:
        found[f"d {p.name}"] = _numpy(ms.grad(weighed, None, p)(*args))
    return found


STEPS = 5


def run_optimizer(ms: Any, text: str) -> dict[str, np.ndarray]:
    """The parameters after each of five steps, all state at the end, and its names."""
    shapes = {"fc.weight": (3, 16), "bn.gamma": (4,), "fc.bias": (2, 2)}
    ps = [
        ms.Parameter(ms.Tensor(parameter_values("", shape, i)), name=name)
        for i, (name, shape) in enumerate(shapes.items())
    ]
    optimizer = eval(text, {"nn": ms.nn, "ms": ms, "Tensor": ms.Tensor, "ps": ps, "np": np})
    rng = np.random.default_rng(33)
    found: dict[str, np.ndarray] = {}
    for step in range(STEPS):
        by_name = {p.name: rng.uniform(-1, 1, p.shape).astype(np.float32) for p in ps}
        optimizer(tuple(ms.Tensor(by_name[p.name]) for p in optimizer.parameters))
        found.update({f"step{step} {p.name}": _numpy(p).copy() for p in ps})
    found.update({f"state {p.name}": _numpy(p) for p in optimizer.get_parameters()})
    found["names"] = np.array([p.name for p in optimizer.get_parameters()])
    return found


def run_schedule(ms: Any, text: str) -> dict[str, np.ndarray]:
    """The learning rates of the first ten steps."""
    schedule = eval(text, {"nn": ms.nn})
    rates = [_numpy(schedule(ms.Tensor(step, ms.int32))) for step in range(10)]
    return {"rates": np.array(rates, np.float32)}


def run_list(ms: Any, text: str) -> dict[str, np.ndarray]:
    """The list of learning rates."""
    return {"rates": np.array(eval(text, {"nn": ms.nn}))}


def run_metric(ms: Any, case: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The result after all updates."""
    text, updates, arguments = (*case, "")[:3]
    metrics = getattr(ms, "train", ms.nn)
    metric = eval(text, {"nn": metrics, "np": np})
    metric.clear()
    for update in updates.split("|"):
        metric.update(*_values(ms, update, wrapped=False))
    result = metric.eval(*eval(f"({arguments},)" if arguments else "()"))
    return {f"out{i}": _numpy(r) for i, r in enumerate(_flat(result))}


RUNS: dict[str, tuple[Any, list[Any]]] = {
    "layers": (run_cell, LAYERS),
    "losses": (run_cell, LOSSES),
    "optimizers": (run_optimizer, OPTIMIZERS),
    "schedules": (run_schedule, SCHEDULES),
    "lists": (run_list, LISTS),
    "metrics": (run_metric, METRICS),
}


def title(case: Any) -> str:
    """The name of a case."""
    return case if isinstance(case, str) else " ; ".join(case)
