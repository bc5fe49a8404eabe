"""Actions in the life of training code, on small networks: what ``test_life`` puts in random order.

An action is a function of a world and of picks, which say what it takes and what it does to it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import minispore as ms
import minispore.dataset as ds
from minispore import Model, Parameter, Tensor, nn, ops
from minispore.train import Callback

ROWS, WIDTH, OUT = 4, 6, 3
NETS, OPTIMIZERS, TENSORS = 2, 2, 12  # how many of them a world holds
SETTING = {"k": 1.0}


class Picks:
    """Choices by numbers; there are always more of them."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = list(numbers)

    def number(self) -> int:
        return self.numbers.pop(0) if self.numbers else 0

    def of(self, options: Sequence[Any]) -> Any:
        return options[self.number() % len(options)]

    def array(self, *shape: int) -> np.ndarray:
        return (np.random.default_rng(self.number()).integers(-8, 9, shape) / 8).astype(np.float32)

    def tensor(self, *shape: int) -> Tensor:
        return Tensor(self.array(*shape))


# -- networks: (rows, 6) to (rows, 3) -------------------------------------------------------------


class Plain(nn.Cell):
    """Reads Python state of several kinds."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Dense(WIDTH, 4), nn.Dense(4, OUT)
        self.scale, self.items, self.on = 1.0, [1.0], True
        self.array, self.t = np.ones(4, np.float32), Tensor(np.ones(4, np.float32))
        self.act: Any = ops.tanh

    def construct(self, x: Tensor) -> Tensor:
        x = self.act(self.first(x)) * self.scale * self.items[0] * Tensor(self.array) * self.t
        return self.last(x + 1 if self.on else x) * SETTING["k"]


class Convolved(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 4, (2, 3), pad_mode="valid"), nn.BatchNorm2d(4)
        self.drop, self.last = nn.Dropout(p=0.5), nn.Dense(4, OUT)

    def construct(self, x: Tensor) -> Tensor:
        x = ops.relu(self.norm(self.conv(x.reshape((-1, 1, 2, 3)))))
        return self.last(self.drop(x).reshape((-1, 4)))


class Recurrent(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(2, OUT, batch_first=True)

    def construct(self, x: Tensor) -> Tensor:
        out, (h, _) = self.lstm(x.reshape((-1, 3, 2)))
        return out[:, -1] + h[0]


class Counting(nn.Cell):
    """Assigns to Parameters, and branches on a value."""

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(np.ones((WIDTH, OUT), np.float32), name="w")
        self.count = Parameter(np.zeros(1, np.float32), name="count", requires_grad=False)
        self.mean = Parameter(np.zeros(OUT, np.float32), name="mean", requires_grad=False)

    def construct(self, x: Tensor) -> Tensor:
        y = ops.matmul(x, self.w)
        count = ops.assign_add(self.count, 1.0)
        ops.assign(self.mean, self.mean * 0.5 + ops.stop_gradient(y).mean(0))
        return y * count + self.mean if x.sum() > 0 else y - self.mean


class Listed(nn.Cell):
    """Lists of Cells, two of which share a Parameter, and a function that is a graph of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.CellList([nn.Dense(WIDTH, WIDTH), nn.Dense(WIDTH, WIDTH)])
        self.parts[1].weight = self.parts[0].weight
        self.row = nn.SequentialCell(nn.Dense(WIDTH, OUT), nn.Tanh())

    @ms.jit
    def inner(self, x: Tensor) -> Tensor:
        return ops.tanh(x) * SETTING["k"]

    def construct(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = self.inner(part(x))
        return self.row(x)


class Remembering(nn.Cell):
    """Keeps a tensor from step to step in Python: no graph."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(WIDTH, OUT)
        self.before: Tensor | None = None

    def construct(self, x: Tensor) -> Tensor:
        y = self.dense(x)
        if self.before is not None and self.before.shape == y.shape:
            y = y + self.before
        self.before = ops.stop_gradient(y)
        return y


KINDS = [Plain, Convolved, Recurrent, Counting, Listed, Remembering]


class World:
    """What one of the two lives has."""

    def __init__(self) -> None:
        self.nets: list[nn.Cell] = []
        self.optimizers: list[tuple[nn.Cell, nn.Optimizer, nn.Cell]] = []
        self.tensors: list[Tensor] = []
        self.arrays: list[np.ndarray] = []
        self.handles: list[Any] = []
        self.setting = 1.0

    def keep(self, t: Tensor) -> Tensor:
        self.tensors = [*self.tensors, t][-TENSORS:]
        return t

    def net(self, picks: Picks) -> nn.Cell:
        if not self.nets:
            new_net(self, picks)
        return picks.of(self.nets)

    def optimizer(self, picks: Picks) -> tuple[nn.Cell, nn.Optimizer, nn.Cell]:
        if not self.optimizers:
            thaw(self, Picks([]))
            new_optimizer(self, picks)
        return picks.of(self.optimizers)

    def param(self, picks: Picks) -> Parameter:
        return picks.of(list(self.net(picks).get_parameters()))

    def x(self, picks: Picks) -> Tensor:
        references = [t for t in self.tensors if t.shape[1:] == (WIDTH,) and t.dtype == ms.float32]
        fresh = picks.number() % 2 or not references
        return (
            self.keep(picks.tensor(picks.of([ROWS, 2]), WIDTH)) if fresh else picks.of(references)
        )

    def state(self) -> dict[str, Any]:
        """All that it holds, by name."""
        options: dict[str, Any] = {}
        owners = {"net": self.nets, "optimizer": [o for _, o, _ in self.optimizers]}
        for kind, cells in owners.items():
            for i, cell in enumerate(cells):
                for path, p in cell.parameters_and_names():
                    options[f"{kind} {i} {path} ({p.name}, {p.requires_grad})"] = p
        options |= {f"tensor {i}": t for i, t in enumerate(self.tensors)}
        options |= {f"array {i}": a for i, a in enumerate(self.arrays)}
        return options


# -- running --------------------------------------------------------------------------------------


def new_net(world: World, picks: Picks) -> Any:
    net = picks.of(KINDS)()
    for p in net.trainable_params():
        p.set_data(picks.tensor(*p.shape) * 0.5)
    world.nets = [*world.nets, net][-NETS:]


def new_optimizer(world: World, picks: Picks) -> Any:
    net = world.net(picks)
    params: Any = net.trainable_params()
    if not params:
        return
    if picks.number() % 3 == 2:
        params = [{"params": params[:1], "lr": 0.2}, {"params": params[1:], "weight_decay": 0.1}]
        params = [group for group in params if group["params"]]
    rate = picks.of([0.1, [0.1, 0.05] * 50, nn.ExponentialDecayLR(0.1, 0.5, 2)])
    kind = picks.of([nn.Momentum, nn.Adam, nn.SGD, nn.AdamWeightDecay, nn.RMSProp])
    optimizer = kind(params, rate, 0.9) if kind is nn.Momentum else kind(params, rate)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    world.optimizers = [*world.optimizers, (net, optimizer, step)][-OPTIMIZERS:]


def forward(world: World, picks: Picks) -> Any:
    return world.keep(world.net(picks)(world.x(picks)))


def forward_of_what_came_out(world: World, picks: Picks) -> Any:
    net, x = world.net(picks), world.x(picks)
    y = net(x)
    return world.keep(net(ops.concat((y, y), 1)))


def step(world: World, picks: Picks) -> Any:
    _, _, train = world.optimizer(picks)
    x = world.x(picks)
    return world.keep(train(x, picks.tensor(x.shape[0], OUT)))


def own_step(world: World, picks: Picks) -> Any:
    net, optimizer, _ = world.optimizer(picks)
    named = {p.name: p for p in net.get_parameters()}
    if any(named.get(p.name, p) is not p for p in optimizer.parameters):
        return None  # graphs alone refuse two of one name
    x = world.x(picks)
    y = picks.tensor(x.shape[0], OUT)
    loss = nn.MSELoss()
    output, grads = ms.value_and_grad(lambda x: loss(net(x), y), None, optimizer.parameters)(x)
    optimizer(grads)
    return output, world.keep(picks.of(grads))


def gradients(world: World, picks: Picks) -> Any:
    net = world.net(picks)
    return ms.grad(lambda x: (net(x) * net(x)).sum(), 0, net.trainable_params())(world.x(picks))


class _Stops(Callback):
    def on_train_step_end(self, run_context: Any) -> None:
        raise KeyboardInterrupt


def train(world: World, picks: Picks) -> Any:
    net, optimizer, _ = world.optimizer(picks)
    model = Model(net, nn.MSELoss(), optimizer, metrics={"loss"})
    rows = ds.NumpySlicesDataset((picks.array(8, WIDTH), picks.array(8, OUT)), shuffle=False)
    stops = [_Stops()] if picks.number() % 4 == 3 else []
    try:
        model.train(1, rows.batch(ROWS), stops, dataset_sink_mode=bool(picks.number() % 2))
    except KeyboardInterrupt:
        return "stopped"
    return model.eval(rows.batch(ROWS)), world.keep(model.predict(world.x(picks)))


# -- Parameters -----------------------------------------------------------------------------------

WRITES: list[Callable[[Parameter, Tensor], Any]] = [
    lambda p, t: p.set_data(t),
    lambda p, t: ops.assign(p, t),
    lambda p, t: ops.assign_add(p, t),
    lambda p, t: ops.assign_sub(p, t),
    lambda p, t: p.add_(t),
    lambda p, t: p.__setitem__(0, 0.25),
    lambda p, t: p.reshape((-1,)).__setitem__(0, 0.5),
]
READS: list[Callable[[Tensor], Tensor]] = [
    lambda t: t.reshape((-1,)),
    lambda t: t[0],
    lambda t: t.T,
    lambda t: t + 0,
    lambda t: t.copy(),
    lambda t: Tensor(t),
    lambda t: ops.stop_gradient(t),
    lambda t: copy.deepcopy(t) * 1,
]


def write_parameter(world: World, picks: Picks) -> Any:
    p = world.param(picks)
    output = picks.of(WRITES)(p, world.keep(picks.tensor(*p.shape)))
    if type(output) is Tensor:
        world.keep(output)


def read_parameter(world: World, picks: Picks) -> Any:
    p = world.param(picks)
    world.arrays = [*world.arrays, p.asnumpy()][-TENSORS:]
    return world.keep(picks.of(READS)(p))


def one_parameter_into_another(world: World, picks: Picks) -> Any:
    p, q = world.param(picks), world.param(picks)
    if p.shape == q.shape:
        p.set_data(q)


def freeze(world: World, picks: Picks) -> Any:
    params = world.net(picks).trainable_params()
    if params:
        picks.of(params).requires_grad = False


def thaw(world: World, picks: Picks) -> Any:
    for p in world.net(picks).get_parameters():
        p.requires_grad = not p.name.endswith(("count", "mean", "variance"))


def rename(world: World, picks: Picks) -> Any:
    p = world.param(picks)
    p.name = f"{p.name}_"


def take_over(world: World, picks: Picks) -> Any:
    """Let one network load what another one of its kind, or itself, holds at the moment."""
    net, other = world.net(picks), world.net(picks)
    if type(net) is type(other):
        ms.load_param_into_net(net, other.parameters_dict())


def copy_net(world: World, picks: Picks) -> Any:
    world.nets = [*world.nets, copy.deepcopy(world.net(picks))][-NETS:]


def learn_slower(world: World, picks: Picks) -> Any:
    rate = world.optimizer(picks)[1].learning_rate
    if isinstance(rate, Parameter) and not rate.shape:
        rate.set_data(Tensor(picks.of([0.01, 0.3]), ms.float32))


# -- tensors --------------------------------------------------------------------------------------


def tensor_over_array(world: World, picks: Picks) -> Any:
    output = picks.array(ROWS, WIDTH)
    world.arrays = [*world.arrays, output][-TENSORS:]
    world.keep(picks.of([Tensor.from_numpy, Tensor])(output))


def write_array(world: World, picks: Picks) -> Any:
    if world.arrays:
        picks.of(world.arrays)[:1] = 0.125


def read_tensor(world: World, picks: Picks) -> Any:
    long = [t for t in world.tensors if t.ndim]
    return world.keep(picks.of(READS)(picks.of(long))) if long else None


def write_tensor(world: World, picks: Picks) -> Any:
    long = [t for t in world.tensors if t.ndim]
    if long:
        picks.of(long)[0] = 0.5


# -- Cells ----------------------------------------------------------------------------------------


def set_train(world: World, picks: Picks) -> Any:
    cells = [cell for _, cell in world.net(picks).cells_and_names()]
    picks.of(cells).set_train(bool(picks.number() % 2))


def change_plain(world: World, picks: Picks) -> Any:
    value = picks.of([0.5, 2.0, 0.0, -0.0])
    new = nn.Dense(WIDTH, 4, weight_init="ones", bias_init="zeros")
    changes: list[Callable[[Any], Any]] = [
        lambda net: setattr(net, "scale", value),
        lambda net: net.items.__setitem__(0, value),
        lambda net: setattr(net, "on", value > 1),
        lambda net: net.array.__setitem__(1, value),
        lambda net: net.t.__setitem__(1, value),
        lambda net: setattr(net, "t", Tensor(np.full(4, value, np.float32))),
        lambda net: setattr(net, "act", picks.of([ops.relu, ops.sigmoid])),
        lambda net: setattr(net, "first", new),
        lambda net: setattr(world, "setting", value),
    ]
    change = picks.of(changes)
    for net in world.nets:
        if isinstance(net, Plain):
            change(net)


def change_listed(world: World, picks: Picks) -> Any:
    new = nn.Dense(WIDTH, WIDTH, weight_init="ones", bias_init="zeros")
    changes: list[Callable[[Any], Any]] = [
        lambda net: net.parts.append(new),
        lambda net: net.parts.insert(0, new),
        lambda net: net.parts.__setitem__(0, new),
        lambda net: net.parts.__delitem__(0) if len(net.parts) > 1 else None,
        lambda net: net.row.append(nn.ReLU()),
        lambda net: net.row.__delitem__(-1) if len(net.row) > 1 else None,
    ]
    change = picks.of(changes)
    listed = [net for net in world.nets if isinstance(net, Listed)]
    if listed:
        change(picks.of(listed))


def hook(world: World, picks: Picks) -> Any:
    cell, setting = world.net(picks), SETTING
    register: Callable[[], Any] = picks.of(
        [
            lambda: cell.register_forward_pre_hook(lambda c, args: (args[0] * setting["k"],)),
            lambda: cell.register_forward_hook(lambda c, args, out: out * 0.5),
            lambda: world.param(picks).register_hook(lambda grad: grad * setting["k"]),
        ]
    )
    world.handles.append(register())


def unhook(world: World, picks: Picks) -> Any:
    if world.handles:
        world.handles.pop(picks.number() % len(world.handles)).remove()


ACTIONS: list[Callable[[World, Picks], Any]] = [
    new_net, new_net, new_optimizer, forward, forward, forward_of_what_came_out, step, step, step,
    own_step, own_step, gradients, train, write_parameter, write_parameter, read_parameter,
    one_parameter_into_another, freeze, thaw, rename, take_over, copy_net, learn_slower,
    tensor_over_array, write_array, read_tensor, write_tensor, set_train, change_plain,
    change_plain, change_listed, hook, unhook,
]  # fmt: skip
