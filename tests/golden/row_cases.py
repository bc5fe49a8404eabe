"""Trainings of tables of which rows are looked up, held against the real MindSpore's.

``tests/golden/make_rows.py`` runs them with MindSpore, ``tests/nn/test_row_gradients.py`` with
minispore. Optimizers step rows by their fused ops (``target`` "CPU"), MindSpore's only ones here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

BATCHES = ([[1, 3], [3, 1]], [[0, 3], [3, 3]], [[4, 1], [0, 1]])

OPTIMIZERS = {
    "adam": lambda nn, ps: nn.Adam(ps, 0.1),
    "adam, nesterov": lambda nn, ps: nn.Adam(ps, 0.1, use_nesterov=True),
    "adam, lazy": lambda nn, ps: nn.Adam(ps, 0.1, use_lazy=True),
    "adam, decay": lambda nn, ps: nn.Adam(ps, 0.1, weight_decay=0.5),
    "lazy": lambda nn, ps: nn.LazyAdam(ps, 0.1),
    "lazy, nesterov": lambda nn, ps: nn.LazyAdam(ps, 0.1, use_nesterov=True),
    "lazy, decay": lambda nn, ps: nn.LazyAdam(ps, 0.1, weight_decay=0.5, loss_scale=4.0),
    "ftrl": lambda nn, ps: nn.FTRL(ps, learning_rate=0.1, l2=0.01),
    "ftrl, decay": lambda nn, ps: nn.FTRL(ps, learning_rate=0.1, weight_decay=0.5, loss_scale=4.0),
    "proximal": lambda nn, ps: nn.ProximalAdagrad(ps, learning_rate=0.1, l1=0.01, l2=0.01),
}
# Of MindSpore on the CPU: the other nets it can't train, but "limited", whose gradients it has
# otherwise. By Nesterov its fused Adam looks ahead in other rows, too, by m in place of beta1 m.
GOLDEN = tuple(f"one: {name}" for name in OPTIMIZERS if name != "adam, nesterov")


def table(ms: Any, net: str, optimizer: str, mode: int) -> list[float]:
    """The table after a step of each batch.

    Args:
        net: ``"one"`` lookup; "scaled": the loss, and the gradients back; "limited" in norm; "two"
            lookups of the same table; "beside" a product with all of it.
        optimizer: one of :data:`OPTIMIZERS`.
    """
    nn, ops, rows = ms.nn, ms.ops, np.arange(10).reshape(5, 2).astype(np.float32) / 10 + 0.1

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            most = 0.7 if net == "limited" else None
            self.look_up = nn.EmbeddingLookup(5, 2, max_norm=most)
            self.look_up.embedding_table.set_data(ms.Tensor(rows))
            self.weight = ms.Parameter(ms.Tensor([1.0, -2.0], ms.float32), name="weight")
            self.twice, self.all = net == "two", net == "beside"

        def construct(self, indices: Any) -> Any:
            actual = (self.look_up(indices) * self.weight).sum()
            if self.twice:
                actual = actual + ops.square(self.look_up(indices + 1)).sum()
            if self.all:
                actual = actual + ops.square(self.look_up.embedding_table).sum()
            return actual

    ms.set_context(mode=mode)
    body = Net()
    output = OPTIMIZERS[optimizer](nn, body.trainable_params())
    output.target = "CPU"
    if net == "scaled":
        scale = nn.FixedLossScaleUpdateCell(8.0)
        step = nn.TrainOneStepWithLossScaleCell(body, output, scale_sense=scale)
    else:
        step = nn.TrainOneStepCell(body, output)
    for batch in BATCHES:
        inputs = np.minimum(batch, 3) if net == "two" else batch
        step(ms.Tensor(inputs, ms.int32))
    return [round(float(v), 6) for v in body.look_up.embedding_table.asnumpy().ravel()]
