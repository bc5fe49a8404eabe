"""The collectives as functions, on several ranks; the program is in functions.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import minispore as ms
from minispore import Tensor, mint
from minispore.communication import comm_func, init, release
from tests.communication.test_ranks import by_all_ways, run, shown

PROGRAM = (Path(__file__).parent / "functions.py").read_text()
D = mint.distributed


@by_all_ways
@pytest.mark.parametrize("ranks", [2, 3])
def test_each_function_gives_what_numpy_makes_of_all_ranks(
    tmp_path: Path, way: str, ranks: int
) -> None:
    finished = run(tmp_path, PROGRAM, "--ranks", str(ranks), way=way)
    assert finished.returncode == 0, finished.stderr
    assert shown(finished) == {f"[{r}]": ["all right"] for r in range(ranks)}


UNLIKE = """
from mindspore import Tensor, ops
from mindspore.communication import comm_func, get_rank, init
init()
shapes = [(2,), (3 - get_rank(),)]  # rank 0 expects 3 of rank 1, which sends 2
try:
    comm_func.all_to_all_with_output_shape(shapes, [Tensor([1.0, 2.0])] * 2)
except ValueError as exc:
    print(exc)
"""


def test_mismatched_lengths_are_reported_on_all_ranks(tmp_path: Path) -> None:
    finished = run(tmp_path, UNLIKE, "--ranks", "2")
    text = "rank 0 of the group must expect the 2 elements that rank 1 sends it, got 3."
    lines = shown(finished)
    assert len(lines) == 2 and all(text in line[0] for line in lines.values()), finished.stderr


@pytest.fixture
def world() -> Iterator[None]:
    init()
    yield
    release()


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("call", [comm_func.all_reduce, comm_func.all_gather_into_tensor])
def test_a_gradient_goes_through_a_function(call: Any) -> None:
    gradient = ms.grad(lambda x: (call(x)[0] ** 2).sum())(Tensor([1.0, 3.0]))
    assert gradient.asnumpy().tolist() == [2.0, 6.0]


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("call", [comm_func.all_reduce, lambda x: (D.all_reduce(x), x)[1:]])
def test_calls_that_depend_on_the_group_run_op_by_op(call: Any) -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.warns(RuntimeWarning, match="op by op, since it uses"):
        assert ms.jit(lambda x: call(x)[0] * 2)(Tensor([1.0, 3.0])).asnumpy().tolist() == [2.0, 6.0]


@pytest.mark.usefixtures("world")
def test_wrong_arguments_change_nothing() -> None:
    x = Tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="op must be one of"):
        D.all_reduce(x, "mean")
    with pytest.raises(ValueError, match="must have the shape"):
        D.all_gather_into_tensor(Tensor([1.0]), x)
    with pytest.raises(TypeError, match="one tensor for each of 1 ranks"):
        D.all_gather([x, x], x)
    with pytest.raises(ValueError, match="this one itself"):
        D.send(x, 0)
    with pytest.raises(NotImplementedError, match="tag must be 0"):
        D.P2POp("isend", x, 1, tag=2)
    assert x.asnumpy().tolist() == [1.0, 2.0]


def test_rank_and_world_size_are_minus_one_before_init(caplog: pytest.LogCaptureFixture) -> None:
    assert (D.get_rank(), D.get_world_size(), D.is_initialized()) == (-1, -1, False)


def test_init_process_group_refuses_a_custom_address_for_several_ranks() -> None:
    with pytest.raises(ValueError, match="init_method and store must be left out"):
        D.init_process_group(init_method="tcp://127.0.0.1:1234", world_size=2, rank=0)
    with pytest.raises(ValueError, match="backend must be 'hccl'"):
        D.init_process_group("nccl")
    D.init_process_group(init_method="tcp://127.0.0.1:1234", world_size=1, rank=0)
    assert D.get_world_size() == 1
    D.destroy_process_group()


TOGETHER = """
import numpy as np
from mindspore import Tensor, grad, mint
D = mint.distributed
D.init_process_group()
own = D.get_rank()
whole = np.random.default_rng(0).standard_normal((5, 3, 2, 2)).astype(np.float32)
mine = slice(0, 2) if own == 0 else slice(2, 5)  # unequal batches
alone, shared = mint.nn.BatchNorm2d(3).set_train(), mint.nn.SyncBatchNorm(3).set_train()
push = Tensor(whole[::-1].copy())
want, got = alone(Tensor(whole)), shared(Tensor(whole[mine]))
close = lambda a, b: np.allclose(a.asnumpy(), b, rtol=0, atol=2e-6)
print(close(got, want.asnumpy()[mine]))
print(close(shared.running_mean, alone.running_mean.asnumpy()))
print(close(shared.running_var, alone.running_var.asnumpy()))
slope = grad(lambda x: (alone(x) * push).sum())(Tensor(whole)).asnumpy()[mine]
print(close(grad(lambda x: (shared(x) * push[mine]).sum())(Tensor(whole[mine])), slope))
print(shared.num_batches_tracked.asnumpy() == 2)
"""


def test_batches_of_all_ranks_are_normalised_as_one(tmp_path: Path) -> None:
    finished = run(tmp_path, TOGETHER, "--ranks", "2")
    assert shown(finished) == {"[0]": ["True"] * 5, "[1]": ["True"] * 5}, finished.stderr
