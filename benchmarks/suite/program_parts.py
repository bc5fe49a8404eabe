"""Random whole programs, put together from tables of statements."""
# ruff: noqa: E501

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Iterator
from typing import Any

# fmt: off
DATASETS = (
    "ds.NumpySlicesDataset((X, Y), ['x', 'y'], shuffle=False)",
    "ds.NumpySlicesDataset({'x': X, 'y': Y}, shuffle=True)",
    "ds.GeneratorDataset(list(zip(X, Y)), ['x', 'y'], shuffle=False)",
    "ds.GeneratorDataset(Rows(), ['x', 'y'], shuffle=True, num_parallel_workers=1)",
    "ds.GeneratorDataset(lambda: iter(zip(X, Y)), ['x', 'y'])",
    "ds.NumpySlicesDataset((X, Y), ['x', 'y'], sampler=ds.SubsetSampler([5, 3, 8, 1, 0, 2, 9]))",
    "ds.GeneratorDataset(Rows(), ['x', 'y'], sampler=ds.RandomSampler(num_samples=10))",
    "ds.NumpySlicesDataset((X, Y), ['x', 'y'], num_shards=2, shard_id=1, shuffle=False)",
)
ROW_OPERATIONS = (
    "data = data.map(lambda x: x * np.float32(0.5), 'x')",
    "data = data.map([transforms.TypeCast(ms.float16), transforms.TypeCast(ms.float32)], ['x'])",
    "data = data.map(lambda x, y: (x - np.float32(1), y), ['x', 'y'])",
    "data = data.map(lambda x: (x, x.sum()), 'x', ['x', 's'])\ndata = data.project(['x', 'y'])",
    "data = data.shuffle(4)",
    "data = data.filter(lambda x: bool(x.sum() > -2), ['x'])",
    "data = data.skip(1)",
    "data = data.take(9)",
    "data = data.repeat(2)",
    "data = data.concat(ds.NumpySlicesDataset((X[:2], Y[:2]), ['x', 'y'], shuffle=False))",
    "data, rest = data.split([0.75, 0.25], randomize=False)",
    "data = data.rename(['x', 'y'], ['a', 'b']).rename(['a', 'b'], ['x', 'y'])",
    "data = ds.zip((data.project(['x']), ds.NumpySlicesDataset(Y, ['y'], shuffle=False)))",
)
BATCHES = (
    "data = data.batch(4)",
    "data = data.batch(4, drop_remainder=True)",
    "data = data.batch(3).repeat(2)",
    "data = data.batch(lambda info: 2 + info.get_batch_num() % 2)",
    "data = data.batch(2, per_batch_map=lambda x, y, info: ([v + 1 for v in x], y))",
    "data = data.padded_batch(4, True, pad_info={'x': ([5], 0)})",
    "data = data.batch(3, num_parallel_workers=1).take(2)",
)
#: What makes (N, 8) of (N, 5): the line of ``__init__``, and that of ``construct``.
LAYERS = (
    ("self.body = nn.Dense(5, 8, activation='relu')", "x = self.body(x)"),
    ("self.body = nn.SequentialCell(nn.Dense(5, 6), nn.Tanh(), nn.Dense(6, 8))", "x = self.body(x)"),
    (
        "self.body = nn.CellList([nn.Dense(5, 8), nn.Dense(8, 8), nn.Dense(8, 8)])",
        "for layer in self.body:\n    x = ops.tanh(layer(x))",
    ),
    (
        "self.up, self.norm = nn.Dense(5, 8, has_bias=False), nn.BatchNorm2d(4, momentum=0.8)",
        "x = self.norm(self.up(x).reshape((-1, 4, 2, 1))).reshape((-1, 8))",
    ),
    ("self.up, self.norm = nn.Dense(5, 8), nn.LayerNorm((8,))", "x = ops.gelu(self.norm(self.up(x)))"),
    ("self.conv = nn.Conv1d(1, 2, 2, pad_mode='valid')", "x = self.conv(x.expand_dims(1)).reshape(-1, 8)"),
    (
        "self.conv, self.pool = nn.Conv2d(1, 8, 3), nn.AvgPool2d((1, 5))",
        "x = self.pool(self.conv(x.reshape(-1, 1, 1, 5))).reshape((-1, 8))",
    ),
    ("self.rnn = nn.LSTM(1, 8, batch_first=True)", "x = self.rnn(x.expand_dims(-1))[0][:, -1]"),
    ("self.rnn = nn.GRU(5, 4, bidirectional=True)", "x = self.rnn(x.expand_dims(0))[0][0]"),
    (
        "self.table, self.up = nn.Embedding(7, 8), nn.Dense(5, 8)",
        "x = self.up(x) + self.table(ops.cast(ops.abs(x[:, 0]) * 3, ms.int32) % 7)",
    ),
    (
        "self.parts = nn.CellDict({'a': nn.Dense(5, 8), 'b': nn.Dense(5, 8, has_bias=False)})",
        "x = self.parts['a'](x) * ops.sigmoid(self.parts['b'](x))",
    ),
    (
        "self.w = ms.ParameterTuple([ms.Parameter(Tensor(W[i]), f'w{i}') for i in range(2)])",
        "x = ops.concat([ops.matmul(x, w) for w in self.w], 1)",
    ),
)
#: State, control flow and containers, x (N, 8) -> (N, 8).
STATEMENTS = (
    ("self.count = ms.Parameter(Tensor(0, ms.int32), 'count', requires_grad=False)", "self.count += 1"),
    ("self.seen = ms.Parameter(Tensor(0.0), 'seen', requires_grad=False)", "ops.assign(self.seen, x.mean())"),
    ("self.steps = 0", "self.steps = self.steps + 1\nx = x * (1 + 0.1 * self.steps)"),
    ("self.scale = ms.Parameter(Tensor([1.0] * 8), name='scale')", "x = x * self.scale"),
    ("self.register_buffer('mean', Tensor([0.5] * 8))", "x = x - self.mean"),
    ("self.cache = ms.Parameter(Tensor(np.zeros((8,), np.float32)), requires_grad=False)", "self.cache[2] = x.sum()"),
    ("", "if self.training:\n    x = x * 2\nelse:\n    x = x + 0"),
    ("", "if x.sum() > 0.37:\n    x = x * 0.5\nelse:\n    x = x + 1"),
    ("", "while ops.abs(x).max() > 2:\n    x = x * 0.5"),
    ("", "for i in range(3):\n    if i == 1:\n        continue\n    x = x + 0.1 * i"),
    ("", "items = [x, x * 2]\nitems.append(x * 3)\nx = items[-1] - items[0]"),
    ("", "record = {'a': x}\nrecord['b'] = x * x\nx = sum(record.values()) / len(record)"),
    ("", "a, *rest = ops.split(x, 2, 1)\nx = ops.concat([*rest, a], 1)"),
    ("", "x = ops.flip(x, (1,)) if x.shape[1] == 8 else x"),
    ("", "mean, std = x.mean(0), x.std(0)\nx = (x - 0.5 * mean) / (std + 1)"),
    ("", "x = ops.where(x > 0, x, 0.1 * x)"),
    ("", "y = x.copy()\ny[:, 0] = 0\nx = y"),
    ("", "x = ops.clip_by_value(x, -3, 3).astype(ms.float32)"),
    ("", "values, index = ops.topk(x, 8)\nx = x + values.mean() + index.sum() * 0"),
    ("", "x = ops.stop_gradient(x).mean(1, keep_dims=True) + x"),
    ("self.act = nn.get_activation('leakyrelu')", "x = self.act(x)"),
    ("self.fn = ops.ReLU6()", "x = self.fn(x) if self.fn is not None else x"),
)
LOSSES = (
    "nn.MSELoss()", "nn.MSELoss(reduction='sum')", "nn.L1Loss()", "nn.SmoothL1Loss(beta=0.5)",
    "nn.HuberLoss()", "nn.BCEWithLogitsLoss(reduction='sum')", "nn.RMSELoss()", "nn.HuberLoss(delta=0.3)",
)
RATES = (
    "0.05", "0.01", "[0.1, 0.05] * 20", "Tensor(0.02)", "Tensor([0.1 / (i + 1) for i in range(40)])",
    "nn.cosine_decay_lr(0.01, 0.1, 40, 2, 10)", "nn.piecewise_constant_lr([3, 40], [0.1, 0.01])",
    "nn.ExponentialDecayLR(0.1, 0.9, 4)", "nn.PolynomialDecayLR(0.1, 0.01, 8, 0.5)",
    "nn.WarmUpLR(0.1, 5)", "nn.InverseDecayLR(0.1, 0.5, 2, True)", "nn.NaturalExpDecayLR(0.1, 0.9, 4)",
)
OPTIMIZERS = (
    "nn.SGD(PARAMS, RATE)", "nn.SGD(PARAMS, RATE, momentum=0.9, nesterov=True)",
    "nn.SGD(PARAMS, RATE, momentum=0.9, dampening=0.1, weight_decay=0.01)",
    "nn.Momentum(PARAMS, RATE, 0.9)", "nn.Momentum(PARAMS, RATE, 0.9, 0.01, 2.0)",
    "nn.Adam(PARAMS, RATE)", "nn.Adam(PARAMS, RATE, weight_decay=0.1, use_amsgrad=True)",
    "nn.Adam(PARAMS, RATE, use_nesterov=True)", "nn.AdamWeightDecay(PARAMS, RATE, weight_decay=0.1)",
    "nn.Adagrad(PARAMS, learning_rate=RATE)", "nn.AdaMax(PARAMS, RATE)", "nn.FTRL(PARAMS, learning_rate=0.05)",
    "nn.Rprop(PARAMS, 0.01)",
    "nn.ASGD(PARAMS, 0.01)", "nn.LazyAdam(PARAMS, RATE)", "nn.ProximalAdagrad(PARAMS, learning_rate=0.05)",
    "nn.Adadelta(PARAMS, RATE)", "nn.Adam(PARAMS, RATE, eps=1e-3, loss_scale=2.0)",
    "nn.AdamOffload(PARAMS, RATE)",
)
PARAMS = (
    "net.trainable_params()", "net.get_parameters()", "[p for p in net.trainable_params()]",
    "filter(lambda p: p.requires_grad, net.get_parameters())",
    "[{'params': net.trainable_params()[:1], 'lr': 0.01}, {'params': net.trainable_params()[1:]}]",
    "[{'params': net.trainable_params()[1:], 'weight_decay': 0.1}, {'params': net.trainable_params()[:1]},"
    " {'order_params': net.trainable_params()}]",
)
CALLBACKS = (
    "LossMonitor()", "LossMonitor(2)", "Events()", "TimeMonitor()", "History()",
    "ModelCheckpoint('m', '.', CheckpointConfig(2, keep_checkpoint_max=2))",
    "ModelCheckpoint('e', 'deep/er', CheckpointConfig(save_checkpoint_steps=3, append_info=['epoch_num']))",
    "ModelCheckpoint(directory='.', config=CheckpointConfig(3, saved_network=net))",
    "LearningRateScheduler(lambda lr, step: lr * 0.9)",
    "LambdaCallback(on_train_step_end=lambda c: show('step', c.original_args().cur_step_num))",
    "EarlyStopping('loss', patience=1, verbose=True, mode='min')",
    "ReduceLROnPlateau('loss', patience=1, verbose=True, mode='min')",
)
TRAININGS = (
    "Model(net, loss_fn, optimizer).train(EPOCHS, data, callbacks=CALLBACKS)",
    "model = Model(net, loss_fn, optimizer, metrics={'a': nn.MAE(), 'b': nn.MSE()})\n"
    "model.fit(EPOCHS, data, data, callbacks=CALLBACKS)\nshow('eval', model.eval(data))",
    "model = Model(net, loss_fn, optimizer, metrics={'loss': nn.Loss(), 'm': nn.MAE()}, amp_level='O0')\n"
    "model.train(EPOCHS, data, CALLBACKS, dataset_sink_mode=False)\n"
    "show('eval', model.eval(data, callbacks=Events()))",
    "step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)\nstep.set_train()\n"
    "for e in range(EPOCHS):\n    for x, y in data.create_tuple_iterator():\n        show('loss', step(x, y))",
    "step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, loss_fn), optimizer, Tensor(4.0))\n"
    "for row in data.create_dict_iterator(num_epochs=1):\n    show('loss', step(*row.values()))",
    "def forward(x, y):\n    return loss_fn(net(x), y)\n"
    "grad = ms.value_and_grad(forward, None, optimizer.parameters)\nnet.set_train()\nfor x, y in data:\n    loss, grads = grad(x, y)\n    optimizer(grads)\n    show('loss', loss)",
    "def forward(x, y):\n    out = net(x)\n    return loss_fn(out, y), out\n"
    "grad = ops.value_and_grad(forward, None, optimizer.parameters, has_aux=True)\n@ms.jit\ndef step(x, y):\n"
    "    (loss, out), grads = grad(x, y)\n    grads = ops.clip_by_global_norm(grads, 1.0)\n"
    "    return ops.depend(loss, optimizer(grads)), out\n"
    "for x, y in data:\n    show('step', step(x, y))",
    "manager = ms.FixedLossScaleManager(8, False)\n"
    "Model(net, loss_fn, optimizer, loss_scale_manager=manager).train(EPOCHS, data, CALLBACKS)",
)
#: What may follow the training, in any order.
ENDINGS = (
    "show('files', {f: sorted(ms.load_checkpoint(f)) for f in list_files('ckpt')})",
    "ms.save_checkpoint(net, 'a.ckpt', append_dict={'epoch': 3, 'lr': 0.5})\nshow('a', ms.load_checkpoint('a.ckpt'))",
    "ms.save_checkpoint(optimizer, 'o')\nshow('o', ms.load_checkpoint('o.ckpt'))",
    "ms.save_checkpoint([{'name': 'v', 'data': Tensor([1, 2])}], 'l.ckpt')\nshow('l', ms.load_checkpoint('l.ckpt'))",
    "ms.save_checkpoint(net, 's', choice_func=lambda n: 'bias' not in n, format='safetensors')\n"
    "show('s', ms.load_checkpoint('s.safetensors', format='safetensors'))",
    "ms.save_checkpoint(net, 'b.ckpt')\nother = Net()\n"
    "show('b', ms.load_param_into_net(other, ms.load_checkpoint('b.ckpt', choice_func=lambda n: '.' in n)))\n"
    "show('other', other.parameters_dict())",
    "net.set_train(False)\nshow('out', net(Tensor(X)))",
    "show('predict', Model(net).predict(Tensor(X[:3])))",
    "ms.export(net.set_train(False), Tensor(X), file_name='g', file_format='MINDIR')\n"
    "show('g', nn.GraphCell(ms.load('g.mindir'))(Tensor(X)))",
    "ms.export(net.set_train(False), Tensor(X), file_name='n', file_format='ONNX')\nshow('n', list_files('onnx'))",
    "show('step', optimizer.global_step)",
    "show('names', [(n, type(c).__name__) for n, c in net.name_cells().items()])",
    "def total(x):\n    return net(x).sum()\nshow('grad', ms.grad(total)(Tensor(X)))",
    "show('half', Net().to_float(ms.float16)(Tensor(X)).dtype)",
)
# fmt: on
WEIGHT_SCALE = "np.float32(0.3)"
PROGRAM = """import os
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import Model, Tensor, nn, ops
from mindspore.dataset import transforms
from mindspore.train import *

ms.set_context(mode=ms.MODE, device_target='CPU')
ms.set_seed(SEED)
rng = np.random.default_rng(SEED)
X = rng.standard_normal((12, 5)).astype(np.float32)
Y = rng.random((12, 2)).astype(np.float32)
W = rng.standard_normal((2, 5, 4)).astype(np.float32)


def show(name, x):
    print(name, plain(x))


def draw_weight(shape):
    return rng.standard_normal(shape).astype(np.float32) * WEIGHT_SCALE


def plain(x):
    if isinstance(x, Tensor):
        return [type(x).__name__, str(x.dtype), x.shape, x.asnumpy().ravel().tolist()]
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    return [plain(v) for v in x] if isinstance(x, (list, tuple)) else x


def list_files(end):
    return sorted(os.path.join(d, f) for d, _, fs in os.walk('.') for f in fs if f.endswith(end))


class Rows:
    def __getitem__(self, i):
        return X[i], Y[i]

    def __len__(self):
        return len(X)


class Events(Callback):
    def __getattribute__(self, name):
        if name.startswith('on_') or name in ('begin', 'end', 'step_end'):
            print(name)
        return super().__getattribute__(name)

    def on_train_epoch_end(self, run_context):
        args = run_context.original_args()
        show('epoch', [args.cur_epoch_num, args.cur_step_num, args.batch_num, args.net_outputs])


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        INIT
        self.head = nn.Dense(8, 2)

    def construct(self, x):
        CONSTRUCT
        return self.head(x)


MAIN
"""


def make_nudged_weight_scale(relative: float) -> str:
    """Return a ``weight_scale`` of a program that changes each weight by a random small part."""
    change = f"{relative} * np.random.default_rng(1).standard_normal(shape)"
    return f"(0.3 + 0.3 * {change}).astype(np.float32)"


def generate_programs(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Yield programs that train: each part is drawn from one of the tables above."""
    draw = random.Random(seed)
    for index in range(count):
        callbacks = ", ".join(draw.sample(CALLBACKS, draw.randint(0, 3)))
        words = {
            "PARAMS": draw.choice((PARAMS[0], draw.choice(PARAMS))),
            "RATE": draw.choice(RATES),
            "EPOCHS": str(draw.randint(2, 3)),
            "CALLBACKS": f"[{callbacks}]",
        }
        blocks = [
            f"data = {draw.choice(DATASETS)}",
            *draw.sample(ROW_OPERATIONS, draw.randint(0, 2)),
            draw.choice(BATCHES),
            "show('data', [data.get_dataset_size(), data.get_col_names(), data.output_shapes()])",
            "net = Net()",
            "for p in net.trainable_params():\n    p.set_data(Tensor(draw_weight(p.shape)))",
            f"loss_fn = {draw.choice(LOSSES)}",
            f"optimizer = {draw.choice(OPTIMIZERS)}",
            draw.choice(TRAININGS),
            "show('net', net.parameters_dict())",
            "show('optimizer', {p.name: p for p in optimizer.get_parameters()})",
            *draw.sample(ENDINGS, draw.randint(1, 3)),
        ]
        yield {
            "id": f"s{seed}_{index}",
            "mode": draw.choice(("PYNATIVE_MODE", "GRAPH_MODE")),
            "seed": draw.randint(0, 99),
            "layers": [draw.choice(LAYERS), *draw.sample(STATEMENTS, draw.randint(0, 3))],
            "blocks": [_fill_words(block, words) for block in blocks],
        }


def _fill_words(block: str, words: dict[str, str]) -> str:
    """Return a block with the words in capitals replaced."""
    return re.sub("[A-Z]{4,}", lambda match: words.get(match[0], match[0]), block)


def write_source(program: dict[str, Any]) -> str:
    """Return the source of a program."""
    init, construct = ("\n".join(lines) for lines in zip(*program["layers"], strict=True))
    return (
        PROGRAM.replace("MODE", program["mode"])
        .replace("SEED", str(program["seed"]))
        .replace("WEIGHT_SCALE", program.get("weight_scale", WEIGHT_SCALE))
        .replace("INIT", textwrap.indent(init, " " * 8).strip())
        .replace("CONSTRUCT", textwrap.indent(construct, " " * 8).strip())
        .replace("MAIN", "\n".join(program["blocks"]))
    )
