"""Optimizers with groups of settings, and schedulers of their learning rates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, context, mint, nn
from minispore.experimental import optim
from tests.nn.experimental_cases import (
    FLOAT16,
    MINT,
    OPTIMIZERS,
    PLATEAUS,
    SCHEDULERS,
    SEQUENCES,
    plateau,
    rates,
    sequence,
    trained,
)

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "experimental"
MINDSPORE = dict(np.load(GOLDEN / "mindspore.npz"))
TORCH = dict(np.load(GOLDEN / "torch.npz"))


def weight(name: str = "w", value: float = 1.0) -> Parameter:
    return Parameter(Tensor([value]), name=name)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
@pytest.mark.parametrize("case", OPTIMIZERS)
def test_an_optimizer_moves_weights_as_mindspores(case: str, mode: int) -> None:
    context.set_context(mode=mode)
    for i, output in enumerate(trained(optim, ms, case)):
        np.testing.assert_allclose(output, MINDSPORE[f"{case}: {i}"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
@pytest.mark.parametrize("case", FLOAT16)
def test_an_optimizer_moves_weights_of_float16_as_mindspores(case: str, mode: int) -> None:
    context.set_context(mode=mode)
    for i, output in enumerate(trained(optim, ms, case, np.float16)):
        assert output.dtype == np.float16
        np.testing.assert_allclose(output, MINDSPORE[f"{case}, float16: {i}"], rtol=4e-3, atol=2e-3)


@pytest.mark.parametrize("case", MINT)
def test_an_optimizer_of_mint_moves_weights_as_pytorchs(case: str) -> None:
    for i, output in enumerate(trained(mint.optim, ms, case)):
        np.testing.assert_allclose(output, TORCH[f"{case}: {i}"], rtol=1e-5, atol=5e-6)


@pytest.mark.parametrize("case", SCHEDULERS)
def test_a_scheduler_gives_mindspores_rates(case: str) -> None:
    name, arguments = SCHEDULERS[case]
    output = rates(optim.SGD([weight()], lr=0.2), getattr(optim.lr_scheduler, name), arguments)
    np.testing.assert_allclose(output, MINDSPORE[case], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
@pytest.mark.parametrize("case", SEQUENCES)
def test_schedulers_one_after_the_other_give_mindspores_rates(case: str, mode: int) -> None:
    context.set_context(mode=mode)
    output = sequence(optim, ms, case)
    np.testing.assert_allclose(output, MINDSPORE[f"SequentialLR {case}"], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("case", PLATEAUS)
def test_a_plateau_gives_mindspores_rates(case: str) -> None:
    output = plateau(optim, ms, case)
    np.testing.assert_allclose(output, MINDSPORE[f"ReduceLROnPlateau {case}"], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize(
    "case", ["StepLR", "MultiStepLR", "ExponentialLR", "LinearLR", "ConstantLR"]
)
def test_a_scheduler_may_jump_to_an_epoch(case: str) -> None:
    name, arguments = SCHEDULERS[case]
    optimizer = optim.SGD([weight()], lr=0.2)
    scheduler = getattr(optim.lr_scheduler, name)(optimizer, **arguments)
    scheduler.step(3)
    assert float(scheduler.get_last_lr()[0]) == pytest.approx(MINDSPORE[case][3], rel=1e-5)


def test_a_parameters_names_are_mindspores() -> None:
    adam = optim.Adam([weight()])
    names = [p.name for p in adam.get_parameters()]
    assert {"exp_avg.w", "exp_avg_sq.w", "max_exp_avg_sq.w", "state_step"} <= set(names)
    adam = optim.SGD([weight()], lr=0.1)
    assert {"accum.w", "stat.w"} <= {p.name for p in adam.get_parameters()}


@pytest.mark.parametrize(
    ("make", "state"),
    [
        (optim.Adagrad, ["accum.w", "step_t"]),
        (optim.Rprop, ["prev.w", "step_size.w", "step_t"]),
        (optim.ASGD, ["mu_w", "eta_w", "ax.w", "step_t"]),
        (optim.Adamax, ["step_t", "exp_avg.w", "exp_inf.w"]),
        (lambda p: mint.optim.SGD(p, 0.1), ["momentum_buf.w", "step_t"]),
        (mint.optim.Adam, ["exp_avg.w", "exp_avg_sq.w", "state_step"]),
        (mint.optim.AdamW, ["exp_avg.w", "exp_avg_sq.w", "state_step"]),
        (
            lambda p: mint.optim.FusedAdamW(p, amsgrad=True),
            ["exp_avg.w", "exp_avg_sq.w", "max_exp_avg_sq.w", "state_step"],
        ),
    ],
)
def test_optimizer_state_has_the_checkpoint_names_of_mindspore(make: Any, state: list[str]) -> None:
    names = list(make([weight()]).parameters_dict())
    assert [n for n in names if n != "w" and not n.startswith("learning_rate")] == state


def test_steps_are_counted_as_mindspore_counts_them() -> None:
    counted = {}
    for name, more in (("SGD", {"lr": 0.1}), ("Adam", {}), ("AdamW", {}), ("FusedAdamW", {})):
        optimizer = getattr(mint.optim, name)([weight()], **more)
        optimizer((Tensor([1.0]),))
        optimizer((Tensor([1.0]),))
        step = optimizer.step_t if name == "SGD" else optimizer.state_step
        counted[name] = (step.dtype, step.shape, step.asnumpy().item())
    assert counted == {
        "SGD": (ms.int32, (), 2),
        "Adam": (ms.float32, (1,), 2.0),
        "AdamW": (ms.float32, (1,), 1.0),  # from -1 on
        "FusedAdamW": (ms.float32, (1,), 1.0),
    }


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def test_mint_sgd_begins_with_the_gradient_whatever_is_dampened(mode: int) -> None:
    context.set_context(mode=mode)
    output = weight()
    optimizer = mint.optim.SGD([output], 1.0, momentum=0.5, dampening=0.75)
    start = float(output)
    for _ in range(3):
        optimizer((Tensor([1.0]),))
    # v: 1, 1/2 + 1/4, 3/8 + 1/4
    assert start - float(output) == 1 + 0.75 + 0.625


@pytest.mark.parametrize("make", [optim.Adam, optim.SGD, optim.Adagrad])
def test_rates_and_steps_are_parameters_as_any_other(make) -> None:
    output = make([weight()], lr=0.5)
    text = "Parameter (name=learning_rate_group_0, shape=(), dtype=Float32, requires_grad=True)"
    assert repr(output.param_groups[0]["lr"]) == text
    assert all(p.requires_grad for p in output.get_parameters())


def test_parameter_groups_have_separate_settings() -> None:
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


@pytest.mark.parametrize(
    "make",
    [
        optim.Adadelta,
        optim.Adagrad,
        optim.Adam,
        optim.AdamW,
        optim.Adamax,
        optim.NAdam,
        lambda ps: optim.RAdam(ps, betas=(0.0, 0.5)),
        optim.RMSprop,
    ],
)
def test_an_eps_that_float16_has_no_number_for_keeps_what_has_no_gradient(make) -> None:
    w = Parameter(Tensor([1.0], ms.float16), name="w")
    optimizer = make([{"params": [w], "weight_decay": 0.0}])
    for _ in range(3):
        optimizer((Tensor([0.0], ms.float16),))
    assert float(w) == 1.0


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (optim.ASGD, {"step_t", "ax.w", "mu_w", "eta_w"}),
        (optim.Adadelta, {"accum.w", "accum_update.w"}),
        (optim.Adagrad, {"step_t", "accum.w"}),
        (optim.Adamax, {"step_t", "exp_avg.w", "exp_inf.w"}),
        (optim.NAdam, {"step_t", "exp_avg.w", "exp_avg_sq.w", "mu_product_w"}),
        (optim.RAdam, {"step_t", "exp_avg.w", "exp_avg_sq.w"}),
        (optim.RMSprop, {"mean_grad.w", "mean_square.w", "moment.w"}),
        (optim.Rprop, {"step_t", "prev.w", "step_size.w"}),
    ],
)
def test_the_states_have_mindspores_names(make, names: set[str]) -> None:
    assert {p.name for p in make([weight()]).get_parameters()} == {"w", *names}


def test_asgd_averages_the_parameters_after_step_t0_plus_1() -> None:
    w = weight()
    optimizer = optim.ASGD([w], lr=1.0, lambd=0.0, t0=1.0)
    for average in (0.0, -1.0, -2.0, (-2 - 3) / 2, (-2 - 3 - 4) / 3):
        optimizer((Tensor([1.0]),))
        np.testing.assert_allclose(optimizer.ax[0].asnumpy(), [average], rtol=1e-6)


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
    assert "\n    lr: 0.5\n" in text


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: optim.SGD([], lr=0.1), ValueError, "at least one Parameter"),
        (lambda: optim.SGD(weight(), lr=0.1), TypeError, "params must be Parameters"),
        (lambda: optim.SGD([Tensor([1.0])], lr=0.1), TypeError, "params must be Parameters"),
        (lambda: optim.SGD([weight()], lr=-0.1), ValueError, "lr"),
        (lambda: optim.SGD([weight()], lr=0.1, nesterov=True), ValueError, "momentum > 0"),
        (lambda: optim.Adam([weight()], betas=(1.0, 0.9)), ValueError, "betas"),
        (lambda: optim.Adam([weight()], betas=(0.9,)), ValueError, "betas must be two numbers"),
        (lambda: optim.AdamW([weight()], weight_decay=-1.0), ValueError, "weight_decay"),
        (lambda: optim.ASGD([weight()], lr=0.0), ValueError, "lr must be > 0.0"),
        (lambda: optim.ASGD([weight()], lr=Tensor(0.0)), ValueError, "lr must be > 0.0"),
        (lambda: optim.ASGD([weight()], lr=Tensor([0.1])), ValueError, "lr must be a number"),
        (lambda: optim.ASGD([weight()], lr="fast"), TypeError, "lr must be a number"),
        (lambda: optim.ASGD([weight()], lambd=1), TypeError, "lambd must be a float"),
        (lambda: optim.ASGD([weight()], t0=1), TypeError, "t0 must be a float"),
        (lambda: optim.Adadelta([weight()], rho=1), TypeError, "rho must be a float"),
        (lambda: optim.Adadelta([weight()], rho=1.1), ValueError, "rho"),
        (lambda: optim.Adadelta([weight()], eps=0.0), ValueError, "eps must be > 0.0"),
        (lambda: optim.Adagrad([weight()], lr_decay=-0.1), ValueError, "lr_decay"),
        (
            lambda: optim.Adagrad([weight()], initial_accumulator_value=-0.1),
            ValueError,
            "initial_accumulator_value",
        ),
        (lambda: optim.Adamax([weight()], betas=(0, 0.9)), TypeError, "betas.0. must be a float"),
        (lambda: optim.Adamax([weight()], betas=0.9), TypeError, "betas must be two numbers"),
        (lambda: optim.NAdam([weight()], momentum_decay=-0.1), ValueError, "momentum_decay"),
        (lambda: optim.RAdam([weight()], betas=(0.9, 1.0)), ValueError, "betas.1."),
        (lambda: optim.RMSprop([weight()], alpha=-0.1), ValueError, "alpha"),
        (lambda: optim.RMSprop([weight()], momentum=-0.1), ValueError, "momentum"),
        (lambda: optim.RMSprop([weight()], centered=1), TypeError, "centered must be a bool"),
        (lambda: optim.Rprop([weight()], etas=(1.0, 1.2)), ValueError, "etas.0."),
        (lambda: optim.Rprop([weight()], etas=(0.5, 1.0)), ValueError, "etas.1. must be > 1.0"),
        (lambda: optim.Rprop([weight()], step_sizes=(1.0,)), ValueError, "step_sizes must be two"),
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
        ("CyclicLR", {"base_lr": 0.1, "max_lr": 0.5, "step_size_up": 2}),
        ("CosineAnnealingWarmRestarts", {"T_0": 2, "T_mult": 2}),
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


@pytest.mark.parametrize("kind", [optim.NAdam, optim.RAdam])
def test_optimizers_without_maximize_ignore_it_in_a_group(kind: type) -> None:
    def moved(**settings: object) -> float:
        w = weight()
        kind([{"params": [w], **settings}], lr=0.1)((Tensor([1.0]),))
        return float(w.asnumpy()[0])

    assert moved(maximize=True) == moved() < 1.0


def test_a_linear_rate_without_steps_stays_at_its_first_factor() -> None:
    scheduler = optim.lr_scheduler.LinearLR(optim.SGD([weight()], 0.5), 0.5, 1.0, 0)
    seen = [scheduler.step() and float(scheduler.get_last_lr()[0]) for _ in range(3)]
    assert seen == [0.25, 0.25, 0.25]  # as MindSpore's


def test_a_cosine_without_length_is_refused() -> None:
    with pytest.raises(ValueError, match="T_max must not be 0"):
        optim.lr_scheduler.CosineAnnealingLR(optim.SGD([weight()], 0.5), 0)
