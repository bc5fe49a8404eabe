"""Small networks, datasets and callbacks that the training tests share."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

import minispore.dataset as ds
from minispore import context, nn, ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.train import Callback, Model

GRAPH, PYNATIVE = context.GRAPH_MODE, context.PYNATIVE_MODE
DEVICES = ("Ascend", "GPU")


def numbers(batches: int, batch: int = 2, *, shuffle: bool = True, seed: int | None = 3) -> Any:
    """Batches of the numbers 0, 1, 2, ...; under ``seed`` always in the same order."""
    with dataset_seed(seed):
        data = ds.NumpySlicesDataset(
            {"x": np.arange(batches * batch, dtype=np.float32)}, shuffle=shuffle
        )
        return data.batch(batch, drop_remainder=True)


@contextlib.contextmanager
def dataset_seed(seed: int | None) -> Iterator[None]:
    """The seed of the datasets that run inside; None for fresh orders."""
    saved = ds.config.settings()
    ds.config.restore(type(saved)(**{**_fields(saved), "seed": seed}))
    try:
        yield
    finally:
        ds.config.restore(saved)


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def passes(dataset: Any, count: int) -> list[list[list[float]]]:
    """The batches of ``count`` passes of one plain iterator."""
    rows = dataset.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [[b.tolist() for (b,) in rows] for _ in range(count)]


def consumed_by(dataset: Any, size: int, steps: int, first: int = 0) -> list[list[float]]:
    """What ``steps`` steps must get: batch g % size of pass g // size, from g = first on."""
    runs = passes(dataset, -(-(first + steps) // size))
    return [runs[g // size][g % size] for g in range(first, first + steps)]


class Log(nn.Cell):
    """Remembers the batches it was called with, in whatever mode; its loss is their mean."""

    def __init__(self, steps: int, batch: int = 2) -> None:
        super().__init__()
        self.log = Parameter(np.full((steps, batch), -1, np.float32), name="log")
        self.calls = Parameter(np.zeros((), np.int32), name="calls")

    def construct(self, x: Tensor) -> Tensor:
        ops.assign(self.log, ops.concat((self.log[1:], x.reshape((1, -1))), 0))
        ops.assign(self.calls, self.calls + 1)
        return x.mean()

    def batches(self) -> list[list[float]]:
        """The batches seen so far (at most the last ``steps``)."""
        calls = int(self.calls.asnumpy())
        return self.log.asnumpy()[max(0, len(self.log) - calls) :].tolist()


class Trace(Callback):
    """Notes every event with its numbers."""

    def __init__(self) -> None:
        self.events: list[tuple[str, int, int]] = []

    def _note(self, event: str, run_context: Any) -> None:
        params = run_context.original_args()
        self.events.append((event, params.get("cur_epoch_num", 0), params.cur_step_num))

    def of(self, event: str) -> list[tuple[int, int]]:
        """(epoch, step) of each ``event``."""
        return [(epoch, step) for name, epoch, step in self.events if name == event]

    def on_train_begin(self, run_context: Any) -> None:
        self._note("begin", run_context)

    def on_train_epoch_begin(self, run_context: Any) -> None:
        self._note("epoch_begin", run_context)

    def on_train_step_begin(self, run_context: Any) -> None:
        self._note("step_begin", run_context)

    def on_train_step_end(self, run_context: Any) -> None:
        self._note("step_end", run_context)

    def on_train_epoch_end(self, run_context: Any) -> None:
        self._note("epoch_end", run_context)

    def on_train_end(self, run_context: Any) -> None:
        self._note("end", run_context)


class Params(Callback):
    """Keeps a field of cb_params at every step_end."""

    def __init__(self, field: str) -> None:
        self.field = field
        self.values: list[Any] = []

    def on_train_step_end(self, run_context: Any) -> None:
        self.values.append(run_context.original_args()[self.field])


def regression(batches: int, batch: int = 2, features: int = 3) -> Any:
    """Data with labels that a Dense can learn, in an order of its own each pass."""
    x = np.linspace(-1, 1, batches * batch * features, dtype=np.float32)
    x = x.reshape(-1, features)
    return ds.NumpySlicesDataset((x, x.sum(1, keepdims=True)), ["x", "y"]).batch(batch)


def dense(features: int = 3) -> Any:
    """A Dense with fixed first weights."""
    weights = np.linspace(0.1, 0.5, features, dtype=np.float32).reshape(1, -1)
    return nn.Dense(features, 1, weight_init=Tensor(weights), bias_init="zeros")


def trainer(net: Any = None, loss_scale: float = 1.0, **options: Any) -> Model:
    """A Model that trains a Dense with Momentum."""
    net = net or dense()
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9, loss_scale=loss_scale)
    return Model(net, nn.MSELoss(), optimizer, **options)


def weights_of(model: Model) -> list[list[float]]:
    """All parameters of the network, as lists."""
    return [p.asnumpy().tolist() for p in model.train_network.get_parameters()]


class Screen(io.StringIO):
    """Shows what was printed at each flush, and nothing before."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def flush(self) -> None:
        self.shown.append(self.getvalue().removesuffix("\n"))
        self.seek(0)
        self.truncate()


def printed(run: Any) -> list[str]:
    """The lines that ``run()`` prints, each flushed."""
    with contextlib.redirect_stdout(Screen()) as screen:
        run()
    return screen.shown


# Sizes of trainings: batches per pass, epochs, sink size, first epoch.
sizes = st.integers(1, 5)
epochs = st.integers(1, 4)
sink_sizes = st.one_of(st.just(-1), st.integers(1, 7))
devices = st.sampled_from(DEVICES)
modes = st.sampled_from((GRAPH, PYNATIVE))


def train(model: Model, data: Any, callbacks: Any, epoch: int = 1, **options: Any) -> None:
    """``Model.train`` with the arguments in the order in which the tests vary them."""
    model.train(epoch, data, callbacks, **options)


def sink(mode: int = GRAPH, dev: str = "Ascend") -> None:
    """Take a mode and a target."""
    context.set_context(mode=mode, device_target=dev)
