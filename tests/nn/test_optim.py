"""Optimizers: settings, groups, learning rates, names, refusals; LAMB and LARS by hand."""

from __future__ import annotations

import numpy as np
import pytest

from minispore import Parameter, ParameterTuple, Tensor, context, float32, nn, ops
from minispore.experimental import optim as experimental
from minispore.nn.optim.optimizer import opt_init_args_register


def make_parameters(**values: list[float]) -> list[Parameter]:
    return [Parameter(Tensor(v, float32), name=name) for name, v in values.items()]


def at(parameter: Parameter) -> list[float]:
    return np.round(parameter.asnumpy().astype(np.float64), 5).tolist()


ONES = (Tensor([1.0]), Tensor([1.0]))


@pytest.fixture(params=[context.PYNATIVE_MODE, context.GRAPH_MODE], ids=["by op", "as a graph"])
def mode(request):
    context.set_context(mode=request.param)
    return request.param


# -- weight decay ---------------------------------------------------------------------------------


def test_without_groups_betas_and_gammas_do_not_decay(mode):
    a, gamma, beta = ps = make_parameters(a=[1.0], gamma=[1.0], beta=[1.0])
    nn.SGD(ps, 1.0, weight_decay=0.25)((Tensor([0.0]),) * 3)
    assert [at(p) for p in (a, gamma, beta)] == [[0.75], [1.0], [1.0]]


def test_group_weight_decay_includes_gamma_parameters(mode):
    gamma, bias = make_parameters(gamma=[1.0], bias=[1.0])
    groups = [{"params": [gamma], "weight_decay": 0.5}, {"params": [bias]}]
    nn.SGD(groups, 1.0)((Tensor([0.0]),) * 2)
    assert (at(gamma), at(bias)) == ([0.5], [1.0])


def test_a_decay_may_depend_on_the_step(mode):
    class Halving(nn.Cell):
        def construct(self, step):
            return ops.pow(0.5, ops.cast(step, float32)) * 0.5

    (p,) = ps = make_parameters(p=[1.0])
    optimizer = nn.Momentum(ps, 1.0, 0.0, weight_decay=Halving())
    optimizer((Tensor([0.0]),))
    assert at(p) == [0.5]
    optimizer((Tensor([0.0]),))
    assert at(p) == [0.375]


def test_the_loss_scale_divides_the_gradient_and_not_the_decay(mode):
    (p,) = ps = make_parameters(p=[1.0])
    nn.SGD(ps, 1.0, weight_decay=0.5, loss_scale=8.0)((Tensor([2.0]),))
    assert at(p) == [0.25]


# -- centralisation -------------------------------------------------------------------------------


def test_centralised_gradients_have_no_mean(mode):
    p = Parameter(Tensor(np.zeros((2, 16), np.float32)), name="p")
    g = np.random.default_rng(1).normal(size=(2, 16)).astype(np.float32)
    nn.SGD([{"params": [p], "grad_centralization": True}], 1.0)((Tensor(g),))
    np.testing.assert_allclose(p.asnumpy(), g.mean(1, keepdims=True) - g, atol=1e-6)


# -- learning rates -------------------------------------------------------------------------------


def test_groups_have_separate_learning_rates(mode):
    a, b = make_parameters(a=[1.0], b=[1.0])
    optimizer = nn.SGD([{"params": [a], "lr": 0.5}, {"params": [b]}], 0.25)
    optimizer(ONES)
    assert (at(a), at(b)) == ([0.5], [0.75])
    assert [r.asnumpy().item() for r in optimizer.get_lr()] == [0.5, 0.25]


def test_a_list_is_a_rate_for_each_step(mode):
    (p,) = ps = make_parameters(p=[0.0])
    optimizer = nn.SGD(ps, [1.0, 10.0, 100.0])
    rates = []
    for _ in range(3):
        rates.append(optimizer.get_lr().asnumpy().item())
        optimizer((Tensor([-1.0]),))
    assert rates == [1.0, 10.0, 100.0]
    assert at(p) == [111.0]


def test_one_group_with_a_list_and_one_with_a_number_go_together(mode):
    a, b = make_parameters(a=[0.0], b=[0.0])
    optimizer = nn.SGD([{"params": [a], "lr": [1.0, 2.0]}, {"params": [b]}], 10.0)
    for _ in range(2):
        optimizer((Tensor([-1.0]), Tensor([-1.0])))
    assert (at(a), at(b)) == ([3.0], [20.0])


def test_setting_the_rate_takes_effect_at_the_next_step(mode):
    (p,) = ps = make_parameters(p=[0.0])
    optimizer = nn.SGD(ps, 1.0)
    optimizer((Tensor([-1.0]),))
    ops.assign(optimizer.learning_rate, Tensor(10.0))
    optimizer((Tensor([-1.0]),))
    assert at(p) == [11.0]


def test_get_lr_parameter_returns_the_rate_of_a_parameter():
    a, b = make_parameters(a=[1.0], b=[1.0])
    optimizer = nn.SGD([{"params": [a], "lr": 0.5}, {"params": [b]}], 0.25)
    assert optimizer.get_lr_parameter(a).asnumpy().item() == 0.5
    assert [r.name for r in optimizer.get_lr_parameter([a, b])] == [
        "learning_rate_group_0",
        "learning_rate",
    ]
    with pytest.raises(ValueError, match="must be one of the optimizer's, got 'c'"):
        optimizer.get_lr_parameter(make_parameters(c=[1.0])[0])
    with pytest.raises(TypeError, match="param must be a Parameter"):
        optimizer.get_lr_parameter(3)


def test_past_the_end_of_a_list_of_rates_the_step_fails_and_changes_nothing():
    (p,) = ps = make_parameters(p=[0.0])
    optimizer = nn.Momentum(ps, [1.0], 0.9)
    optimizer((Tensor([-1.0]),))
    with pytest.raises((IndexError, ValueError, RuntimeError)):
        optimizer((Tensor([-1.0]),))
    assert at(p) == [1.0]
    assert optimizer.global_step.asnumpy().tolist() == [1]


# -- order and names ------------------------------------------------------------------------------


def test_order_params_says_in_which_order_gradients_come():
    a, b = make_parameters(a=[0.0], b=[0.0])
    groups = [{"params": [b], "lr": 10.0}, {"params": [a]}, {"order_params": [a, b]}]
    optimizer = nn.SGD(groups, 1.0)
    assert [p.name for p in optimizer.parameters] == ["a", "b"]
    assert optimizer.is_group_params_ordered and not nn.SGD(groups[:2]).is_group_params_ordered
    optimizer((Tensor([-1.0]), Tensor([-2.0])))
    assert (at(a), at(b)) == ([1.0], [20.0])


@pytest.mark.parametrize("lr", [10.0, [10.0, 10.0]])
def test_order_params_may_split_a_group_with_its_learning_rate(lr):
    a, b, c = make_parameters(a=[0.0], b=[0.0], c=[0.0])
    groups = [{"params": [a, c], "lr": lr}, {"params": [b]}, {"order_params": [a, b, c]}]
    optimizer = nn.SGD(groups, 1.0)
    optimizer((Tensor([-1.0]), Tensor([-1.0]), Tensor([-2.0])))
    assert (at(a), at(b), at(c)) == ([10.0], [1.0], [20.0])
    first, last = optimizer.get_lr_parameter([a, c])
    assert first is last


def test_optimizers_accept_an_iterator_of_parameters():
    net = nn.Dense(1, 1)
    assert len(nn.SGD(iter(net.trainable_params()), 0.1).parameters) == 2
    assert len(nn.SGD(net.get_parameters(), 0.1).parameters) == 2


def test_state_is_named_as_in_checkpoints_of_mindspore():
    ps = make_parameters(fc=[1.0])
    assert [p.name for p in nn.Momentum(ps, 0.1, 0.9).get_parameters()] == [
        "global_step",
        "learning_rate",
        "fc",
        "momentum",
        "moments.fc",
    ]
    assert [p.name for p in nn.Adam(make_parameters(fc=[1.0])).get_parameters()] == [
        "global_step",
        "learning_rate",
        "fc",
        "beta1_power",
        "beta2_power",
        "moment1.fc",
        "moment2.fc",
    ]


def test_a_step_returns_true_for_each_parameter():
    assert nn.SGD(make_parameters(a=[0.0], b=[0.0]), 1.0)(ONES) == (True, True)


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda p: nn.SGD(None, 0.1), ValueError, "SGD: params must be a list of Parameters"),
        (lambda p: nn.SGD([], 0.1), ValueError, "SGD: params must not be empty"),
        (lambda p: nn.SGD(3, 0.1), TypeError, "SGD: params must be a list"),
        (lambda p: nn.SGD([1], 0.1), TypeError, "SGD: params must be all Parameters or all dicts"),
        (lambda p: nn.SGD([p, {}], 0.1), TypeError, "all Parameters or all dicts"),
        (
            lambda p: nn.SGD([{"params": [p], "learning_rate": 1.0}], 0.1),
            KeyError,
            "a group's key must be one of params, lr",
        ),
        (lambda p: nn.SGD([{"lr": 1.0}], 0.1), KeyError, "must have the key 'params'"),
        (lambda p: nn.SGD([{"params": []}], 0.1), ValueError, "params of a group must not be"),
        (
            lambda p: nn.SGD([{"params": [p]}, {"params": [p]}], 0.1),
            RuntimeError,
            "must be in one group only, got 'p' twice",
        ),
        (lambda p: nn.SGD([p, p], 0.1), ValueError, "got 'p' twice"),
        (lambda p: nn.SGD([{"params": [p], "lr": None}], 0.1), TypeError, "lr of a group must be"),
        (lambda p: nn.SGD([{"params": [p], "weight_decay": None}], 0.1), TypeError, "left out"),
        (
            lambda p: nn.SGD([{"params": [p]}, {"order_params": []}], 0.1),
            ValueError,
            "order_params must hold the parameters of all groups",
        ),
        (
            lambda p: nn.SGD([{"params": [p], "grad_centralization": 1}], 0.1),
            TypeError,
            "grad_centralization must be a bool",
        ),
        (lambda p: nn.SGD([p], "fast"), TypeError, "learning_rate must be a number"),
        (lambda p: nn.SGD([p], -0.1), ValueError, "learning_rate must be"),
        (lambda p: nn.SGD([p], Tensor([[0.1]])), ValueError, "learning_rate must have at most one"),
        (
            lambda p: nn.SGD([{"params": [p], "lr": [0.1]}], [0.1, 0.2]),
            ValueError,
            "learning rates given per step must have the same length",
        ),
        (lambda p: nn.SGD([p], 0.1, weight_decay=-1.0), ValueError, "weight_decay must be"),
        (lambda p: nn.SGD([p], 0.1, weight_decay="x"), TypeError, "weight_decay must be"),
        (lambda p: nn.SGD([p], 0.1, loss_scale=0.0), ValueError, "loss_scale must be"),
        (lambda p: nn.SGD([p], 0.1, momentum=-1.0), ValueError, "SGD: momentum must be"),
        (lambda p: nn.SGD([p], 0.1, nesterov=True), ValueError, "SGD: "),
        (lambda p: nn.Momentum([p], 0.1, -0.9), ValueError, "Momentum: momentum must be"),
        (lambda p: nn.Momentum([p], 0.1, "x"), TypeError, "Momentum: momentum must be"),
        (lambda p: nn.Adam([p], beta1=1.0), ValueError, "Adam: beta1 must be"),
        (lambda p: nn.Adam([p], eps=0.0), ValueError, "Adam: eps must be"),
        (lambda p: nn.AdamWeightDecay([p], beta2=2.0), ValueError, "AdamWeightDecay: beta2 must"),
        (lambda p: nn.RMSProp([p], decay=-1.0), ValueError, "RMSProp: decay must be"),
        (lambda p: nn.Adagrad([p], accum=-1.0), ValueError, "Adagrad: accum must be"),
        (lambda p: nn.FTRL([p], lr_power=1.0), ValueError, "FTRL: lr_power must be"),
        (lambda p: nn.Rprop([p], etas=(2.0, 1.0)), ValueError, "Rprop: etas"),
        (lambda p: nn.LARS(p), TypeError, "LARS: optimizer must be an Optimizer"),
        (lambda p: nn.Momentum([p], 0.1), TypeError, "Momentum: .*momentum"),
        (lambda p: nn.Adam([p], beta_1=0.9), KeyError, "beta_1.*Did you mean .beta1"),
    ],
)
def test_optimizers_refuse(make, error, text):
    with pytest.raises(error, match=text):
        make(make_parameters(p=[1.0])[0])


@pytest.mark.parametrize(
    ("gradients", "error", "text"),
    [
        ((Tensor([1.0]),), ValueError, "gradients must be a tuple of 2 tensors, got 1"),
        (Tensor([1.0]), ValueError, "gradients must be a tuple of 2 tensors"),
        ((Tensor([1.0]), Tensor([1.0, 2.0])), ValueError, "gradient of 'b' must have the shape"),
        ((Tensor([1.0]), None), TypeError, "gradient of 'b' must be a Tensor"),
    ],
)
def test_gradients_that_do_not_fit_change_nothing(gradients, error, text, mode):
    a, b = make_parameters(a=[1.0], b=[1.0])
    optimizer = nn.Momentum([a, b], 0.1, 0.9)
    with pytest.raises(error, match=text):
        optimizer(gradients)
    assert (at(a), at(b)) == ([1.0], [1.0])
    assert optimizer.global_step.asnumpy().tolist() == [0]


# -- LAMB and LARS, which MindSpore has no CPU kernels for ---------------------------------------


def test_lamb_moves_each_layer_by_a_share_of_its_norm(mode):
    p = Parameter(Tensor([3.0, 4.0]), name="p")
    optimizer = nn.Lamb([p], 0.1, eps=1e-12)
    optimizer((Tensor([2.0, -0.5]),))
    # At the first step m / sqrt(v) is the gradient's sign, whose norm is sqrt(2).
    share = 0.1 * 5 / np.sqrt(2)
    np.testing.assert_allclose(p.asnumpy(), [3 - share, 4 + share], rtol=1e-5)


def test_lamb_over_two_steps_with_decay(mode):
    rng = np.random.default_rng(3)
    w = rng.normal(size=4)
    p = Parameter(Tensor(w, float32), name="p")
    optimizer = nn.Lamb([p], 0.1, 0.8, 0.9, 1e-3, weight_decay=0.5)
    m = v = np.zeros(4)
    for t in (1, 2):
        g = rng.normal(size=4)
        optimizer((Tensor(g, float32),))
        m, v = 0.8 * m + 0.2 * g, 0.9 * v + 0.1 * g * g
        r = (m / (1 - 0.8**t)) / (np.sqrt(v / (1 - 0.9**t)) + 1e-3) + 0.5 * w
        w = w - 0.1 * np.linalg.norm(w) / np.linalg.norm(r) * r
    np.testing.assert_allclose(p.asnumpy(), w, rtol=1e-4)


def test_lamb_leaves_the_ratio_out_where_a_norm_is_zero(mode):
    p = Parameter(Tensor([0.0]), name="p")
    nn.Lamb([p], 0.1, eps=1e-12)((Tensor([2.0]),))
    np.testing.assert_allclose(p.asnumpy(), [-0.1], rtol=1e-5)


def test_lars_scales_each_layer_and_lets_biases_be(mode):
    w = Parameter(Tensor([3.0, 4.0]), name="w")
    bias = Parameter(Tensor([1.0]), name="bias")
    optimizer = nn.LARS(nn.SGD([w, bias], 1.0), epsilon=0.0, coefficient=0.1)
    optimizer((Tensor([0.0, 2.0]), Tensor([0.5])))
    np.testing.assert_allclose(w.asnumpy(), [3.0, 4.0 - 0.1 * 5 / 2 * 2], rtol=1e-5)
    assert at(bias) == [0.5]


def test_lars_takes_over_decay_and_loss_scale(mode):
    w = Parameter(Tensor([3.0, 4.0]), name="w")
    inner = nn.SGD([w], 1.0, weight_decay=0.5, loss_scale=4.0)
    nn.LARS(inner, epsilon=0.0, coefficient=0.1)((Tensor([0.0, 8.0]),))
    k = 0.1 * 5 / (2 + 0.5 * 5)
    expected = np.array([3.0, 4.0]) - k * (np.array([0.0, 2.0]) + 0.5 * np.array([3.0, 4.0]))
    np.testing.assert_allclose(w.asnumpy(), expected, rtol=1e-5)


def test_clipped_lars_never_exceeds_the_step_of_the_optimizer(mode):
    w = Parameter(Tensor([3.0, 4.0]), name="w")
    nn.LARS(nn.SGD([w], 0.01), epsilon=0.0, coefficient=1.0, use_clip=True)((Tensor([0.0, 1.0]),))
    np.testing.assert_allclose(w.asnumpy(), [3.0, 3.99], rtol=1e-6)


# -- optimizers of scripts ------------------------------------------------------------------------


def test_an_optimizer_of_a_script_is_a_construct(mode):
    class Plain(nn.Optimizer):
        def __init__(self, params, learning_rate):
            super().__init__(learning_rate, params)
            self.hyper_map = ops.HyperMap()
            self.assign = ops.Assign()

        def construct(self, gradients):
            lr = self.get_lr()
            step = ops.partial(_plain, lr)
            return self.hyper_map(step, self.parameters, self.decay_weight(gradients))

    (p,) = ps = make_parameters(p=[1.0])
    optimizer = Plain(ps, 0.5)
    optimizer((Tensor([1.0]),))
    assert at(p) == [0.5]


_plain = ops.MultitypeFuncGraph("plain")


@_plain.register("Tensor", "Tensor", "Tensor")
def _plain_step(lr, parameter, gradient):
    return ops.assign_sub(parameter, lr * gradient)


def test_an_optimizer_of_a_script_counts_its_steps_where_a_schedule_asks(mode):
    class Counted(nn.Optimizer):
        def construct(self, gradients):
            lr = self.get_lr()
            if self._is_dynamic_lr_or_weight_decay():
                self.assignadd(self.global_step, self.global_step_increase_tensor)
            gradients = self._grad_sparse_indices_deduplicate(gradients)
            return self.hyper_map(ops.partial(_plain, lr), self.parameters, gradients)

        @nn.Optimizer.target.setter
        def target(self, value):
            self._set_base_target(value)

    (p,), (q,) = make_parameters(p=[1.0]), make_parameters(q=[1.0])
    scheduled, constant = Counted([0.5, 0.25], [p]), Counted(0.5, [q])
    for optimizer in (scheduled, constant) * 2:
        optimizer((Tensor([1.0]),))
    assert (at(p), at(q)) == ([0.25], [0.0])
    assert (int(scheduled.global_step), int(constant.global_step)) == (2, 0)
    scheduled.target = "CPU"
    assert scheduled.target == "CPU"


def test_an_optimizer_without_a_step_says_what_is_missing():
    (p,) = make_parameters(p=[1.0])
    with pytest.raises(AttributeError, match="must define construct"):
        nn.Optimizer(0.1, [p])((Tensor([1.0]),))


def test_optimizer_arguments_are_recorded():
    class Mine(nn.Optimizer):
        @opt_init_args_register
        def __init__(self, params, learning_rate=0.1, extra=3):
            super().__init__(learning_rate, params)

    ps = make_parameters(p=[1.0])
    mine = Mine(ps, extra=4)
    assert mine.init_params == {"params": ps}
    assert mine.init_learning_rate == 0.1
    assert mine.init_args == {"extra": 4}


def test_clone_gives_state_the_names_of_its_parameters():
    ps = ParameterTuple(make_parameters(a=[1.0], b=[2.0]))
    assert [p.name for p in ps.clone("moments", init="zeros")] == ["moments.a", "moments.b"]


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        (nn.Momentum, {"momentum": 0.9}),
        (nn.Adam, {}),
        (nn.AdamWeightDecay, {}),
        (nn.Lamb, {}),
        (nn.AdaMax, {}),
        (nn.Adagrad, {}),
        (nn.Adadelta, {}),
        (nn.RMSProp, {}),
        (nn.FTRL, {}),
        (nn.ProximalAdagrad, {}),
        (nn.ASGD, {}),
        (nn.Rprop, {}),
    ],
)
def test_a_weight_decay_schedule_is_called_with_the_current_step(kind, arguments):
    seen = []

    class Noted(nn.Cell):
        def construct(self, step):
            seen.append(int(step))
            return ops.cast(step, float32) * 0.0

    optimizer = kind(make_parameters(p=[1.0]), learning_rate=0.1, weight_decay=Noted(), **arguments)
    for _ in range(3):
        optimizer((Tensor([1.0]),))
    assert seen == [0, 1, 2]


def test_adam_with_a_decay_schedule_gives_the_numbers_of_mindspore(mode):
    decays = Tensor(np.float32([0.5, 0.1, 0.9]))

    class Listed(nn.Cell):
        def construct(self, step):
            return ops.reshape(ops.gather(decays, step, 0), ())

    (p,) = ps = make_parameters(p=[1.0, -2.0, 3.0])
    optimizer = nn.AdamWeightDecay(ps, learning_rate=[0.1, 0.2, 0.3], weight_decay=Listed())
    for _ in range(3):
        optimizer((Tensor([0.1, 0.2, -0.3]),))
    np.testing.assert_allclose(p.asnumpy(), [-1.6516, -3.6908, 4.3705], atol=1e-4)


# -- the first step of Adam's family is the rate: what starts the averages cancels -----------------


@pytest.mark.parametrize(
    "make",
    [
        nn.Adam,
        nn.LazyAdam,
        nn.AdaMax,
        lambda ps, lr: nn.Adam(ps, lr, use_amsgrad=True),
        lambda ps, lr: experimental.Adam(ps, lr),
        lambda ps, lr: experimental.AdamW(ps, lr, weight_decay=0.0),
    ],
    ids=["Adam", "LazyAdam", "AdaMax", "amsgrad", "experimental Adam", "experimental AdamW"],
)
def test_the_first_step_of_adam_is_the_rate_to_float32s_rounding(mode, make):
    (w,) = ps = make_parameters(w=[1.0])
    make(ps, 1.0)((Tensor([1.0]),))
    assert abs(float(w.asnumpy()[0])) < 5e-7


@pytest.mark.parametrize("make", [nn.Adam, nn.AdamWeightDecay, nn.Lamb])
def test_the_second_moment_starts_with_1_minus_beta2_as_float32_has_it(mode, make):
    optimizer = make(make_parameters(w=[1.0]), 1.0)
    optimizer((Tensor([1.0]),))
    (v,) = [p for p in optimizer.get_parameters() if p.name.endswith(("moment2.w", "_v.w"))]
    assert v.asnumpy()[0] == np.float32(1) - np.float32(0.999)


def test_a_subclass_may_say_what_a_learning_rate_is(mode):
    class Relative(nn.Optimizer):
        def _preprocess_single_lr(self, learning_rate):
            return None if learning_rate is None else super()._preprocess_single_lr(learning_rate)

        def construct(self, gradients):
            lr = 0.25 if self.learning_rate is None else self.get_lr()
            return self.hyper_map(ops.partial(_plain, lr), self.parameters, gradients)

    for rate, left in ((None, 0.5), (0.125, 0.75)):
        (p,) = make_parameters(p=[1.0])
        Relative(rate, [p])((Tensor([2.0]),))
        assert p.tolist() == [left]
    with pytest.raises(TypeError, match="learning_rate must be a number"):
        Relative("quick", [p])
