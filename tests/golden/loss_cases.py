"""Train under one seed; the losses are compared with the real MindSpore's.

``tests/golden/make_losses.py`` runs them with MindSpore, ``tests/train/test_same_losses.py`` with
minispore.
"""

from __future__ import annotations

from typing import Any

import numpy as np

EPOCHS = 2


def _convolutions(ms: Any) -> tuple[Any, Any]:
    nn = ms.nn
    body = nn.SequentialCell(
        nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 8, 3), nn.ReLU(), nn.Flatten(), nn.Dense(128, 10),
    )  # fmt: skip
    return body, nn.Momentum(body.trainable_params(), 0.05, 0.9, weight_decay=1e-4)


def _recurrent(ms: Any) -> tuple[Any, Any]:
    nn = ms.nn

    class Recurrent(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.head = nn.LSTM(12, 16, 2, batch_first=True), nn.Dense(16, 10)

        def construct(self, x: Any) -> Any:
            return self.head(self.layer(x[:, 0])[0][:, -1])

    recurrent = Recurrent()
    return recurrent, nn.Adam(recurrent.trainable_params(), 0.01)


def _attention(ms: Any) -> tuple[Any, Any]:
    nn, ops = ms.nn, ms.ops

    class Attention(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.TransformerEncoderLayer(12, 3, 24, dropout=0.0, batch_first=True)
            self.head = nn.Dense(12, 10, weight_init="xavier_uniform")

        def construct(self, x: Any) -> Any:
            return self.head(ops.mean(self.layer(x[:, 0]), 1))

    attention = Attention()
    return attention, nn.AdamWeightDecay(attention.trainable_params(), 0.01, weight_decay=0.01)


def _words(ms: Any) -> tuple[Any, Any]:
    nn, ops = ms.nn, ms.ops

    class Words(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(50, 8)
            self.head = nn.SequentialCell(nn.Dense(8, 16, activation="tanh"), nn.Dense(16, 10))

        def construct(self, x: Any) -> Any:
            return self.head(ops.mean(self.table(ops.cast(x[:, 0, 0] * 50, ms.int32)), 1))

    words = Words()
    return words, nn.SGD(words.trainable_params(), 0.5, momentum=0.9)


CASES = {f.__name__[1:]: f for f in (_convolutions, _recurrent, _attention, _words)}


def losses(ms: Any, case: str, mode: int) -> list[float]:
    """Train and return the loss of each step."""
    ds = ms.dataset
    ms.set_context(mode=mode)
    ms.set_seed(3)
    rng = np.random.default_rng(0)
    x = rng.random((96, 1, 12, 12), np.float32)
    y = np.argmax(x[:, 0, :10, 0] + x[:, 0, 0, :10], 1).astype(np.int32)
    sampler = ds.WeightedRandomSampler(np.arange(1, 97).tolist()) if case == "words" else None
    data = ds.NumpySlicesDataset((x, y), ["x", "y"], sampler=sampler).shuffle(40).batch(16)
    net, optimizer = CASES[case](ms)
    results: list[float] = []

    class Keep(ms.Callback):  # type: ignore[misc, name-defined]
        def on_train_step_end(self, run_context: Any) -> None:
            results.append(float(run_context.original_args().net_outputs.asnumpy()))

    model = ms.Model(net, ms.nn.CrossEntropyLoss(), optimizer)
    model.train(EPOCHS, data, callbacks=[Keep()], dataset_sink_mode=False)
    return results
