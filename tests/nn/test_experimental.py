"""Optimizers with groups of settings, and schedulers of their learning rates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, context, mint, nn
from minispore.experimental import optim
from tests.nn.experimental_cases import OPTIMIZERS, SCHEDULERS, rates, trained

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "experimental"
MINDSPORE = dict(np.load(GOLDEN / "mindspore.npz"))
TORCH = dict(np.load(GOLDEN / "torch.npz"))


def weight(name: str = "w", value: float = 1.0) -> Parameter:
    return Parameter(Tensor([value]), name=name)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
@pytest.mark.parametrize("case", OPTIMIZERS)
def test_an_optimizer_moves_weights_as_mindspores(case: str, mode: int) -> None:
    context.set_context(mode=mode)
    for i, made in enumerate(trained(optim, ms, case)):
        np.testing.assert_allclose(made, MINDSPORE[f"{case}: {i}"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", OPTIMIZERS)
def test_an_optimizer_of_mint_moves_weights_as_pytorchs(case: str) -> None:
    for i, made in enumerate(trained(mint.optim, ms, case)):
        np.testing.assert_allclose(made, TORCH[f"{case}: {i}"], rtol=1e-5, atol=5e-6)


@pytest.mark.parametrize("case", SCHEDULERS)
def test_a_scheduler_gives_mindspores_rates(case: str) -> None:
    name, arguments = SCHEDULERS[case]
    made = rates(optim.SGD([weight()], lr=0.2), getattr(optim.lr_scheduler, name), arguments)
    np.testing.assert_allclose(made, MINDSPORE[case], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("case", ["StepLR", "MultiStepLR", "ExponentialLR", "LinearLR"])
def test_a_scheduler_may_jump_to_an_epoch(case: str) -> None:
    name, arguments = SCHEDULERS[case]
    optimizer = optim.SGD([weight()], lr=0.2)
    scheduler = getattr(optim.lr_scheduler, name)(optimizer, **arguments)
    scheduler.step(3)
    assert float(scheduler.get_last_lr()[0]) == pytest.approx(MINDSPORE[case][3], rel=1e-5)


def test_a_parameters_names_are_mindspores() -> None:
    made = optim.Adam([weight()])
    names = [p.name for p in made.get_parameters()]
    assert {"exp_avg.w", "exp_avg_sq.w", "max_exp_avg_sq.w", "state_step"} <= set(names)
    made = optim.SGD([weight()], lr=0.1)
    assert {"accum.w", "stat.w"} <= {p.name for p in made.get_parameters()}


def test_groups_have_settings_of_their_own() -> None:
    a, b = weight("a"), weight("b")
    optimizer = optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.5, "maximize": True}], lr=0.1)
    optimizer((Tensor([1.0]), Tensor([1.0])))
    np.testing.assert_allclose([float(a), float(b)], [0.9, 1.5])
    assert optimizer.group_start_id == [0, 1, 2]


def test_a_group_can_be_added_later() -> None:
    class Climb(optim.Optimizer):
        def __init__(self, params, lr) -> None:
            super().__init__(params, {"lr": lr})

        def construct(self, gradients):
            for number, group in enumerate(self.param_groups):
                first = self.group_start_id[number]
                for i, p in enumerate(group["params"]):
                    ms.ops.assign(p, p + gradients[first + i] * group["lr"])

    a, b = weight("a"), weight("b")
    optimizer = Climb([a], 0.5)
    optimizer.add_param_group({"params": b, "lr": 0.25})
    optimizer((Tensor([1.0]), Tensor([1.0])))
    assert (float(a), float(b)) == (1.5, 1.25)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def test_a_compiled_step_sees_the_rate_of_the_scheduler(mode: int) -> None:
    context.set_context(mode=mode)
    w = weight()
    optimizer = optim.SGD([w], lr=0.5)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    for expected in (0.5, 0.25, 0.125):
        optimizer((Tensor([1.0]),))
        np.testing.assert_allclose(float(w), expected)
        scheduler.step()


@pytest.mark.parametrize(("mode", "expected"), [(ms.GRAPH_MODE, -0.5), (ms.PYNATIVE_MODE, -0.0625)])
def test_a_graph_keeps_the_settings_of_a_group_and_pynative_reads_them_anew(
    mode: int, expected: float
) -> None:
    # both numbers are MindSpore's: 1 - 3 * 0.5, and 0.25 - 0.25 * (1 + 0.25)
    context.set_context(mode=mode)
    w = weight()
    optimizer = optim.SGD([w], lr=0.5)
    optimizer((Tensor([1.0]),))
    optimizer.param_groups[0]["lr"] = 0.25
    optimizer((Tensor([1.0]),))
    optimizer.param_groups[0]["weight_decay"] = 1.0
    optimizer((Tensor([1.0]),))
    assert float(w) == expected


def test_a_network_learns_with_a_scheduler() -> None:
    ms.set_seed(1)
    net, loss_of = nn.Dense(2, 1), nn.MSELoss()
    optimizer = optim.AdamW(net.trainable_params(), lr=0.1)
    scheduler = optim.lr_scheduler.ExponentialLR(optimizer, 0.99)
    x = np.random.default_rng(0).normal(size=(32, 2)).astype(np.float32)
    y = x.sum(1, keepdims=True)
    step = ms.value_and_grad(lambda x, y: loss_of(net(x), y), None, optimizer.parameters)
    losses = []
    for _ in range(60):
        loss, grads = step(Tensor(x), Tensor(y))
        optimizer(grads)
        scheduler.step()
        losses.append(float(loss))
    assert losses[-1] < 0.01 * losses[0]


def test_the_text_lists_the_groups() -> None:
    text = repr(optim.Adam([weight()], lr=0.5))
    assert text.startswith("Adam (\nParameter Group 0\n    amsgrad: False\n")


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: optim.SGD([], lr=0.1), ValueError, "at least one Parameter"),
        (lambda: optim.SGD(weight(), lr=0.1), TypeError, "params must be Parameters"),
        (lambda: optim.SGD([Tensor([1.0])], lr=0.1), TypeError, "params must be Parameters"),
        (lambda: optim.SGD([weight()], lr=-0.1), ValueError, "lr"),
        (lambda: optim.SGD([weight()], lr=0.1, nesterov=True), ValueError, "momentum > 0"),
        (lambda: optim.Adam([weight()], betas=(1.0, 0.9)), ValueError, "betas"),
        (lambda: optim.AdamW([weight()], weight_decay=-1.0), ValueError, "weight_decay"),
        (lambda: optim.lr_scheduler.StepLR(nn.Dense(1, 1), 2), TypeError, "optimizer must be"),
        (
            lambda: optim.lr_scheduler.StepLR(optim.SGD([weight()], lr=0.1), 2, last_epoch=3),
            KeyError,
            "initial_lr",
        ),
    ],
)  # fmt: skip
def test_bad_arguments_raise(make, error, match: str) -> None:
    with pytest.raises(error, match=match):
        make()


def test_a_parameter_is_in_one_group() -> None:
    w = weight()
    with pytest.raises(ValueError, match="must be in one group"):
        optim.SGD([{"params": [w]}, {"params": [w]}], lr=0.1)


@pytest.mark.filterwarnings("ignore:GRAPH_MODE")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("LinearLR", {"start_factor": 0.5, "total_iters": 4}),
        ("StepLR", {"step_size": 2}),
        ("ExponentialLR", {"gamma": 0.5}),
        ("CosineAnnealingLR", {"T_max": 4}),
    ],
)
def test_a_schedule_that_steps_inside_a_graph_takes_each_step_once(name, options):
    def rates(mode):
        ms.set_context(mode=mode)
        optimizer = optim.Adam(ms.nn.Dense(2, 1).trainable_params(), 0.05)
        schedule = getattr(optim.lr_scheduler, name)(optimizer, **options)

        class Steps(ms.nn.Cell):
            def construct(self):
                schedule.step()
                return schedule.get_last_lr()

        net = Steps()
        return [float(net()[0]) for _ in range(5)]

    assert rates(ms.GRAPH_MODE) == rates(ms.PYNATIVE_MODE)
