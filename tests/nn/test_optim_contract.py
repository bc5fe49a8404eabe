"""What every optimizer must do, asked of all of them: of ``nn``, ``experimental.optim`` and
``mint.optim``.

A new optimizer needs a line in ``SAMPLES`` and, among the golden cases, one that MindSpore has run.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from minispore import Parameter, Tensor, context, float32, load_param_into_net, mint, nn
from minispore.experimental import optim as experimental
from tests.nn.golden_cases import OPTIMIZERS

PYNATIVE, GRAPH = context.PYNATIVE_MODE, context.GRAPH_MODE
GROUPED = experimental.Optimizer  # the base of those with PyTorch's arguments

#: How each one is made of parameters and a learning rate; other settings are passed on.
SAMPLES: dict[type, Callable[..., Any]] = {
    nn.Adagrad: lambda ps, lr, **more: nn.Adagrad(ps, 0.1, lr, **more),
    nn.ProximalAdagrad: lambda ps, lr, **more: nn.ProximalAdagrad(ps, 0.1, lr, 0.01, 0.02, **more),
    nn.Adadelta: nn.Adadelta,
    nn.AdaFactor: lambda ps, lr, **more: nn.AdaFactor(
        ps, lr, scale_parameter=False, relative_step=False, **more
    ),
    nn.Adam: nn.Adam,
    nn.AdamOffload: nn.AdamOffload,
    nn.LazyAdam: nn.LazyAdam,
    nn.AdamWeightDecay: nn.AdamWeightDecay,
    nn.AdaMax: nn.AdaMax,
    nn.ASGD: lambda ps, lr, **more: nn.ASGD(ps, lr, t0=1.0, **more),
    nn.FTRL: lambda ps, lr, **more: nn.FTRL(ps, 0.1, lr, l1=0.01, l2=0.02, **more),
    nn.Lamb: nn.Lamb,
    nn.LARS: lambda ps, lr, **more: nn.LARS(nn.Momentum(ps, lr, 0.9, **more)),
    nn.Momentum: lambda ps, lr, **more: nn.Momentum(ps, lr, 0.9, **more),
    nn.RMSProp: lambda ps, lr, **more: nn.RMSProp(ps, lr, momentum=0.9, centered=True, **more),
    nn.Rprop: nn.Rprop,
    nn.SGD: lambda ps, lr, **more: nn.SGD(ps, lr, 0.9, 0.1, **more),
    experimental.ASGD: lambda ps, lr: experimental.ASGD(ps, lr, 0.1, t0=1.0),
    experimental.Adadelta: experimental.Adadelta,
    experimental.Adagrad: lambda ps, lr: experimental.Adagrad(ps, lr, 0.5),
    experimental.Adam: lambda ps, lr: experimental.Adam(ps, lr, amsgrad=True),
    experimental.AdamW: experimental.AdamW,
    experimental.Adamax: experimental.Adamax,
    experimental.NAdam: experimental.NAdam,
    experimental.RAdam: lambda ps, lr: experimental.RAdam(ps, lr, (0.5, 0.9)),
    experimental.RMSprop: lambda ps, lr: experimental.RMSprop(
        ps, lr, 0.8, momentum=0.5, centered=True
    ),
    experimental.Rprop: experimental.Rprop,
    experimental.SGD: lambda ps, lr: experimental.SGD(ps, lr, 0.9),
    mint.optim.Adam: mint.optim.Adam,
    mint.optim.AdamW: mint.optim.AdamW,
    mint.optim.FusedAdamW: mint.optim.FusedAdamW,
    mint.optim.SGD: lambda ps, lr: mint.optim.SGD(ps, lr, 0.9),
}

#: MindSpore's CPU has no kernel of these: their numbers are derived by hand in test_optim.py.
BY_HAND = {nn.Lamb, nn.LARS}
#: These take one rate for all steps and parameters, as MindSpore's do, and say so.
ONE_RATE = {nn.FTRL}
#: By the paper the rate is the size of the first step alone.
FIRST_RATE = {nn.Rprop}


def optimizers() -> list[type]:
    """All that are public."""

    def below(cls: type) -> Iterator[type]:
        for sub in cls.__subclasses__():
            yield sub
            yield from below(sub)

    actual = {*below(nn.Optimizer), *below(GROUPED)}
    fronts = {"nn": nn, "experimental": experimental, "mint": mint.optim}
    public = {cls for front in fronts.values() for cls in actual if cls in vars(front).values()}
    return sorted(public, key=lambda cls: (cls.__module__, cls.__name__))


ALL = [cls for cls in optimizers() if cls in SAMPLES]
OF_NN = [cls for cls in ALL if issubclass(cls, nn.Optimizer)]


def of(classes: list[type]) -> Any:
    return pytest.mark.parametrize(
        "cls", classes, ids=lambda c: f"{c.__module__[10:]}.{c.__name__}"
    )


SHAPES = {"conv.weight": (2, 3, 2, 2), "fc.weight": (3, 4), "fc.bias": (3,)}


def parameters(names: Any = SHAPES) -> list[Parameter]:
    rng = np.random.default_rng(3)
    values = {name: rng.uniform(-1, 1, shape) for name, shape in SHAPES.items()}
    return [Parameter(Tensor(values[name], float32), name=name) for name in names]


def gradients(step: int, names: Any = SHAPES, factor: float = 1.0) -> tuple[Tensor, ...]:
    rng = np.random.default_rng([5, step])
    values = {name: rng.uniform(-1, 1, shape) * factor for name, shape in SHAPES.items()}
    return tuple(Tensor(values[name], float32) for name in names)


def contents(optimizer: Any) -> dict[str, bytes]:
    """All that a checkpoint would hold, by name."""
    return {p.name: p.asnumpy().tobytes() for p in optimizer.get_parameters()}


def walked(cls: type, steps: int = 3, mode: int = PYNATIVE, lr: Any = 0.1, **more: Any) -> Any:
    """The optimizer after some steps, and its parameters."""
    context.set_context(mode=mode)
    output = parameters()
    optimizer = SAMPLES[cls](output, lr, **more)
    for step in range(steps):
        optimizer(gradients(step))
    return optimizer, output


def bits(actual: list[Parameter]) -> list[bytes]:
    return [p.asnumpy().tobytes() for p in actual]


# -- there is one ----------------------------------------------------------------------------------


@of(optimizers())
def test_every_optimizer_has_a_sample(cls: type) -> None:
    assert cls in SAMPLES, f"say in SAMPLES of {__file__} how {cls.__name__} is made"


@of([cls for cls in optimizers() if issubclass(cls, nn.Optimizer) and cls not in BY_HAND])
def test_every_optimizer_is_compared_with_mindspore(cls: type) -> None:
    text = (
        f"add a case 'nn.{cls.__name__}(ps, ...)' to OPTIMIZERS of tests/nn/golden_cases.py and "
        "run tests/golden/make_nn.py with MindSpore"
    )
    assert any(case.startswith(f"nn.{cls.__name__}(") for case in OPTIMIZERS), text


@of(optimizers())
def test_every_optimizer_says_what_it_computes(cls: type) -> None:
    assert cls.__dict__.get("__doc__"), f"{cls.__name__} has no docstring"


# -- the step --------------------------------------------------------------------------------------


@of(ALL)
def test_every_parameter_moves_and_the_step_answers(cls: type) -> None:
    output = parameters()
    before = bits(output)
    answer = SAMPLES[cls](output, 0.1)(gradients(0))
    assert all(a != b for a, b in zip(before, bits(output), strict=True))
    assert answer is True if issubclass(cls, GROUPED) else answer == (True,) * len(output)


@of(ALL)
def test_a_graph_makes_the_same_steps_bit_for_bit(cls: type) -> None:
    by_op, as_a_graph = walked(cls, mode=PYNATIVE)[0], walked(cls, mode=GRAPH)[0]
    assert contents(by_op) == contents(as_a_graph)


@of(ALL)
def test_parameters_of_one_optimizer_step_as_in_separate_optimizers(cls: type) -> None:
    together = walked(cls)[1]
    for name, joined in zip(SHAPES, together, strict=True):
        (single,) = output = parameters([name])
        optimizer = SAMPLES[cls](output, 0.1)
        for step in range(3):
            optimizer(gradients(step, [name]))
        assert bits([single]) == bits([joined]), name


@of(ALL)
def test_a_number_steps_as_a_vector_of_one_does(cls: type) -> None:
    ends = []
    for shape in (), (1,):
        weight = Parameter(Tensor(np.full(shape, 0.5), float32), name="w")
        optimizer = SAMPLES[cls]([weight], 0.1)
        for step in range(3):
            optimizer((Tensor(np.full(shape, 0.25 * step - 0.3), float32),))
        assert weight.shape == shape
        ends.append(weight.asnumpy().item())
    assert ends[0] == pytest.approx(ends[1], rel=1e-6)


# -- the state -------------------------------------------------------------------------------------


@of(ALL)
def test_a_step_goes_on_from_what_a_checkpoint_holds(cls: type) -> None:
    whole, _ = walked(cls, steps=4)
    half, output = walked(cls, steps=2)
    saved = {p.name: Parameter(p.asnumpy(), name=p.name) for p in half.get_parameters()}
    assert len(saved) == len(list(half.get_parameters())), "two states of one name"
    fresh = parameters()
    other = SAMPLES[cls](fresh, 0.1)
    load_param_into_net(other, saved)
    for old, new in zip(output, fresh, strict=True):
        new.set_data(Tensor(old.asnumpy()))
    for step in (2, 3):
        other(gradients(step))
    assert contents(other) == contents(whole)


@of(OF_NN)
def test_steps_are_counted(cls: type) -> None:
    optimizer, _ = walked(cls, steps=3)
    assert optimizer.global_step.asnumpy().tolist() == [3]


# -- rates, groups, scales -------------------------------------------------------------------------


@of([cls for cls in OF_NN if cls not in ONE_RATE])
def test_a_rate_for_each_step_is_that_of_its_step(cls: type) -> None:
    assert bits(walked(cls, lr=[0.1, 0.1, 0.1])[1]) == bits(walked(cls, lr=0.1)[1])
    others = walked(cls, lr=[0.1, 0.3, 0.5])[1]
    assert (bits(others) == bits(walked(cls, lr=0.1)[1])) == (cls in FIRST_RATE)


@of([cls for cls in OF_NN if cls not in ONE_RATE])
def test_a_group_with_a_learning_rate_steps_as_an_optimizer_with_that_rate(cls: type) -> None:
    first, *others = output = parameters()
    optimizer = SAMPLES[cls]([{"params": [first], "lr": 0.3}, {"params": others}], 0.1)
    for step in range(3):
        optimizer(gradients(step))
    assert bits(output)[0] == bits(walked(cls, lr=0.3)[1])[0]
    assert bits(output)[1:] == bits(walked(cls, lr=0.1)[1])[1:]


@of(sorted(ONE_RATE, key=lambda c: c.__name__))
def test_optimizers_with_one_rate_refuse_a_list(cls: type) -> None:
    with pytest.raises(ValueError, match=f"{cls.__name__}: learning_rate must be one number"):
        walked(cls, lr=[0.1, 0.2, 0.3])


@of([cls for cls in OF_NN if "loss_scale" in inspect.signature(cls).parameters])
@pytest.mark.parametrize("decay", [0.0, 0.25])
def test_a_loss_scale_divides_the_gradients_and_not_the_decay(cls: type, decay: float) -> None:
    more = {"weight_decay": decay} if "weight_decay" in inspect.signature(cls).parameters else {}
    output = parameters()
    optimizer = SAMPLES[cls](output, 0.1, loss_scale=1024.0, **more)
    for step in range(3):
        optimizer(gradients(step, factor=1024.0))
    assert bits(output) == bits(walked(cls, **more)[1])


# -- what is refused -------------------------------------------------------------------------------


@of(ALL)
def test_a_rate_below_zero_is_refused_by_name(cls: type) -> None:
    owner = "Momentum" if cls is nn.LARS else cls.__name__
    with pytest.raises(ValueError, match=rf"^{owner}: .*must"):
        SAMPLES[cls](parameters(), -0.1)


@of(ALL)
def test_no_parameters_are_refused_by_name(cls: type) -> None:
    owner = "Momentum" if cls is nn.LARS else cls.__name__
    with pytest.raises(ValueError, match=rf"^{owner}: .*must"):
        SAMPLES[cls]([], 0.1)


@of(ALL)
@pytest.mark.parametrize("mode", [PYNATIVE, GRAPH], ids=["by op", "as a graph"])
def test_too_few_gradients_change_nothing(cls: type, mode: int) -> None:
    optimizer, _ = walked(cls, steps=1, mode=mode)
    before = contents(optimizer)
    with pytest.raises(ValueError, match=f"{cls.__name__}: gradients must be"):
        optimizer(gradients(1)[:2])
    assert contents(optimizer) == before


@of(OF_NN)
def test_init_args_and_init_params_record_the_arguments(cls: type) -> None:
    optimizer, output = walked(cls, steps=0)
    assert hasattr(optimizer, "init_args"), "decorate __init__ with @opt_init_args_register"
    inputs = optimizer.init_params["params"]
    assert [p.name for p in inputs] == [p.name for p in output]
