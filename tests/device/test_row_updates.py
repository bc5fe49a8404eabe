"""Ops that change or read some rows of an array are priced by those rows, not by the array."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Model, Parameter, Tensor, nn, ops
from minispore.device import Shapes, device_spec, estimate
from minispore.device.model.cost import Kernel
from minispore.nn.utils import no_init_parameters
from minispore.ops.transformer.caches import ReshapeAndCache
from minispore.ops.transformer.paged import PagedAttention

HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)
SPEC = device_spec("Ascend910")


class Decoder(nn.Cell):
    """One step of a decoder with heads of 128 numbers: writes and reads a cache in blocks of 16."""

    def __init__(self, blocks: int) -> None:
        super().__init__()
        shape = (blocks, 16, 8, 128)
        self.keys = Parameter(ops.zeros(shape, ms.float16), name="keys")
        self.values = Parameter(ops.zeros(shape, ms.float16), name="values")

    def construct(self, x: Tensor, slots: Tensor, tables: Tensor, lengths: Tensor) -> Tensor:
        ReshapeAndCache()(x, x, self.keys, self.values, slots)
        return PagedAttention(8, 0.1, 8)(x, self.keys, self.values, tables, lengths)


def price_decoder(blocks: int, context: int) -> tuple[Kernel, ...]:
    rows = ((4,), np.int32)
    batch = Shapes([((4, 1, 1024), HALF), rows, ((4, context // 16), np.int32), rows])
    with no_init_parameters():
        decoder = Decoder(blocks)
    return estimate(decoder, batch, device="Ascend910B2", data_us=0).cost.kernels


def test_a_cache_of_keys_is_written_and_read_by_the_blocks_of_the_batch() -> None:
    *writes, attention = price_decoder(blocks=4096, context=2048)
    for write in writes:
        assert write.nbytes == 4 * (3 * 2 * 1024 + 4)  # four new rows, the old ones, four slots
    read = 2 * 4 * 2048 * 1024 * 2
    assert read <= attention.nbytes <= 1.01 * read


def test_a_larger_cache_takes_no_longer() -> None:
    small, large = (price_decoder(blocks, context=1024) for blocks in (1024, 8192))
    assert [k.nbytes for k in small] == [k.nbytes for k in large]
    assert [k.compute_us for k in small] == [k.compute_us for k in large]


class Table(nn.Cell):
    """A table of which each row of a batch looks up eight rows."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.table = nn.EmbeddingLookup(words, 64, target="DEVICE", sparse=True)
        self.dense = nn.Dense(64, 1)

    def construct(self, ids: Tensor) -> Tensor:
        return self.dense(self.table(ids)).mean(1)


def find_update(words: int, optimizer: type[nn.Optimizer], op_type: str) -> Kernel:
    with no_init_parameters():
        net = Table(words)
        model = Model(net, nn.MSELoss(), optimizer(net.trainable_params()))
    batch = Shapes([((256, 8), np.int32), ((256, 1), SINGLE)])
    kernels = estimate(model, batch, device=SPEC, data_us=0).cost.kernels
    return next(k for k in kernels if k.op_type == op_type)


@pytest.mark.parametrize(
    ("optimizer", "op_type", "states"),
    [
        (nn.LazyAdam, "FusedSparseLazyAdam", 3),
        (nn.FTRL, "FusedSparseFtrl", 3),
        (nn.ProximalAdagrad, "FusedSparseProximalAdagrad", 2),
    ],
)
def test_a_lazy_optimizer_moves_the_rows_that_were_looked_up(
    optimizer: type[nn.Optimizer], op_type: str, states: int
) -> None:
    small, large = (find_update(words, optimizer, op_type) for words in (10_000, 100_000))
    rows = 256 * 8
    nbytes = (2 * states + 1) * rows * 64 * 4 + rows * 4  # states, their gradient, and indices
    assert nbytes <= small.nbytes <= nbytes + 64  # numbers such as the rate
    assert (large.nbytes, large.us) == (small.nbytes, small.us)


def test_rows_that_are_looked_up_are_read_alone() -> None:
    small, large = (find_update(n, nn.LazyAdam, "SparseGatherV2") for n in (10_000, 100_000))
    assert small.nbytes == large.nbytes == 2 * 256 * 8 * 64 * 4 + 256 * 8 * 4


def test_adam_moves_the_parameter_its_moments_and_the_gradient_once() -> None:
    """Four arrays are read and three written: no less time than that at the full bandwidth."""
    net = nn.Dense(2048, 2048, has_bias=False)
    model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
    batch = Shapes([((4, 2048), SINGLE)] * 2)
    kernels = estimate(model, batch, device=SPEC, data_us=0).cost.kernels
    (kernel,) = (k for k in kernels if k.op_type == "Adam")
    nbytes = 7 * 4 * 2048**2
    assert nbytes <= kernel.nbytes <= nbytes + 64
    assert kernel.us >= 6 / 7 * nbytes / SPEC.memory_gbs / 1e3  # the gradient may be in the cache
