"""Random networks of several families, with their training steps, for the laws of the model."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import minispore as ms
from minispore import Model, Tensor, nn, ops
from minispore.device import Shapes
from minispore.nn.utils import no_init_parameters

WIDTHS, WORDS = st.sampled_from([8, 24, 32, 100]), st.sampled_from([4, 16, 24])
FAMILIES = ("dense", "recurrent", "attention", "convolution", "contrastive")
OPTIMIZERS = ("Momentum", "Adam", "Lamb", "own")


class Case(NamedTuple):
    """A Model and the shapes of one row of its batches."""

    model: Model
    row_shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[Any, ...]

    def batch(self, rows: int, size: int = 4) -> Shapes:
        """Return batches of ``rows`` rows."""
        pairs = zip(self.row_shapes, self.dtypes, strict=True)
        return Shapes([((rows, *shape), dtype) for shape, dtype in pairs], size)


class OwnOptimizer(nn.Optimizer):
    """An optimizer with a velocity and a step that reads no array."""

    def __init__(self, params: Any) -> None:
        super().__init__(0.1, params)
        self.velocities = self.parameters.clone("velocity", init="zeros")

    def construct(self, gradients: Any) -> bool:
        scale = ops.ones((1,), ms.float32)
        for p, v, g in zip(self.parameters, self.velocities, gradients, strict=True):
            ops.assign(v, v * 0.9 + g)
            ops.assign_sub(p, v * 0.1 * scale)
        return True


class Recurrent(nn.Cell):
    """An LSTM or GRU over time, with the rows on the first or the second axis."""

    def __init__(self, kind: str, width: int, hidden: int, layers: int, batch_first: bool) -> None:
        super().__init__()
        self.cell = getattr(nn, kind)(width, hidden, layers, batch_first=batch_first)
        self.dense = nn.Dense(hidden, 4)
        self.batch_first = batch_first

    def construct(self, x: Tensor) -> Tensor:
        x = x if self.batch_first else x.swapaxes(0, 1)
        outputs = self.cell(x)[0]
        return self.dense(outputs[:, -1] if self.batch_first else outputs[-1])


class Attention(nn.Cell):
    """One block of attention over words, with learned positions."""

    def __init__(self, words: int, width: int, heads: int) -> None:
        super().__init__()
        self.table = nn.Embedding(64, width)
        self.positions = ms.Parameter(ms.ops.zeros((1, words, width), ms.float32), name="positions")
        self.qkv, self.out = nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.norm, self.head = nn.LayerNorm((width,)), nn.Dense(width, 4)
        self.heads, self.width = heads, width

    def construct(self, ids: Tensor) -> Tensor:
        rows, words = ids.shape
        x = self.table(ids) + self.positions
        shape = (rows, words, 3, self.heads, self.width // self.heads)
        q, k, v = self.qkv(x).reshape(shape).transpose(2, 0, 3, 1, 4)
        scores = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)))
        mixed = ops.matmul(scores, v).transpose(0, 2, 1, 3).reshape(rows, words, -1)
        return self.head(self.norm(x + self.out(mixed)).mean(1))


class Contrastive(nn.Cell):
    """Rows compared with all rows, as CLIP does: an array that grows with their square."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.dense = nn.Dense(width, 16)

    def construct(self, x: Tensor) -> Tensor:
        y = self.dense(x)
        return ops.matmul(y, y.T).mean(1).reshape(-1, 1) + y[:, :4]


class Design(NamedTuple):
    """What a random network is but for its sizes: all that the number of kernels depends on."""

    family: str
    optimizer: str
    depth: int = 1
    kind: str = "LSTM"
    steps: int = 2  # of a recurrent network
    batch_first: bool = True
    heads: int = 1

    def build(self, width: int, hidden: int, words: int) -> Case:
        """Build the Model with these sizes; its weights have no data."""
        with no_init_parameters():
            net, shape, dtype = self._build_network(width, hidden, words)
            params = net.trainable_params()
            update = {
                "Momentum": lambda: nn.Momentum(params, 0.1, 0.9),
                "Adam": lambda: nn.Adam(params),
                "Lamb": lambda: nn.Lamb(params, 0.1),
                "own": lambda: OwnOptimizer(params),
            }[self.optimizer]()
        return Case(Model(net, nn.MSELoss(), update), (shape, (4,)), (dtype, np.float32))

    def _build_network(
        self, width: int, hidden: int, words: int
    ) -> tuple[nn.Cell, tuple[int, ...], Any]:
        """Build the network; return it with shape and dtype of a row."""
        if self.family == "dense":
            lengths = [(width, hidden)[i % 2] for i in range(self.depth + 1)]
            layers = [layer for a, b in pairwise(lengths) for layer in (nn.Dense(a, b), nn.ReLU())]
            return nn.SequentialCell([*layers, nn.Dense(lengths[-1], 4)]), (width,), np.float32
        if self.family == "recurrent":
            net = Recurrent(self.kind, width, hidden, 1, self.batch_first)
            return net, (self.steps, width), np.float32
        if self.family == "attention":
            return Attention(words, width, self.heads), (words,), np.int32
        if self.family == "convolution":
            net = nn.SequentialCell(
                nn.Conv2d(3, width, 3), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2, 2),
                nn.Flatten(), nn.Dense(36 * width, 4),
            )  # fmt: skip
            return net, (3, 12, 12), np.float32
        return Contrastive(width), (width,), np.float32


@st.composite
def designs(draw: st.DrawFn, families: tuple[str, ...] = FAMILIES) -> Design:
    """Draw a network of one of the families, with one of the optimizers."""
    return Design(
        draw(st.sampled_from(families)),
        draw(st.sampled_from(OPTIMIZERS)),
        draw(st.integers(1, 3)),
        draw(st.sampled_from(["LSTM", "GRU", "RNN"])),
        draw(st.integers(2, 9)),
        draw(st.booleans()),
        draw(st.sampled_from([1, 2, 4])),
    )


@st.composite
def networks(draw: st.DrawFn, families: tuple[str, ...] = FAMILIES) -> Case:
    """Draw a Model of one of the families, with one of the optimizers and any sizes."""
    return draw(designs(families)).build(draw(WIDTHS), draw(WIDTHS), draw(WORDS))
