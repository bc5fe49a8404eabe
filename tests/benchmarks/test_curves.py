"""The programs that learn beside PyTorch: each is there on both sides, and the figures are read."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import numpy as np
import pytest

import minispore as ms
from benchmarks import suite
from benchmarks.curves import BOUND, Curves, compute_typical, format_rows
from benchmarks.suite.curves_work import BATCHES, PROGRAMS, get_weights_path, make_batches
from benchmarks.suite.mindspore_curves import compute_minispore_losses, get_all_network_makers


def curves(**sides: float) -> Curves:
    """Losses that are off by so much at each step, in parts of the loss."""
    off = {"ours64": 0.0, "torch64": 0.0, "ours32": 0.0, "torch32": 0.0} | sides
    return Curves(**{name: [[2.0 * (1 + d)] * 120] * 3 for name, d in off.items()})


def test_the_benchmark_has_thirteen_programs() -> None:
    assert len(PROGRAMS) == 13


def test_pytorch_has_each_network() -> None:
    folder = Path(suite.__file__).parent
    output = {"dcgan"}
    for file, table in (("torch_nets.py", "NETWORKS"), ("torch_curves.py", "MORE")):
        for node in ast.parse((folder / file).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == table:
                assert isinstance(node.value, ast.Dict)
                output |= {k.value for k in node.value.keys if isinstance(k, ast.Constant)}
    assert {p.work.net for p in PROGRAMS.values()} <= output


def test_batches_differ_from_each_other_and_are_the_same_each_time() -> None:
    for name in PROGRAMS:
        first, second = make_batches(name), make_batches(name)
        assert len({x.tobytes() for x, _ in first}) == BATCHES
        assert [y.tobytes() for _, y in first] == [y.tobytes() for _, y in second]


def test_every_seed_has_distinct_batches() -> None:
    for name in PROGRAMS:
        assert (
            len({x.tobytes() for seed in range(3) for x, _ in make_batches(name, seed)})
            == 3 * BATCHES
        )


@pytest.mark.parametrize("program", ["norms", "volumes", "ctc", "lstm"])
def test_a_program_learns_equally_in_both_modes_from_saved_weights(
    program: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    shapes = [p.shape for p in get_all_network_makers(ms)[program]().trainable_params()]
    np.savez(
        get_weights_path(str(tmp_path), 0),
        **{str(i): rng.normal(size=s) * 0.2 for i, s in enumerate(shapes)},
    )
    results = [
        json.loads(compute_minispore_losses(program, "float64", 9, 1, str(tmp_path), mode)[1])
        for mode in ("GRAPH", "PYNATIVE")
    ]
    assert results[0] == results[1]
    (losses,) = results[0]
    assert losses[-1] < losses[0]


def test_a_program_holds_when_float64_agrees_and_float32_is_as_near_as_pytorchs() -> None:
    assert curves(ours64=BOUND / 2, ours32=1e-7, torch32=2e-7).holds
    assert not curves(ours64=BOUND * 2, ours32=1e-7, torch32=2e-7).holds
    assert not curves(ours32=3e-7, torch32=2e-7).holds


def test_a_ratio_above_1_that_several_runs_do_not_tell_from_1_is_no_miss() -> None:
    even = curves(ours32=1e-7, torch32=1e-7)
    luck = [[2.0 * (1 + off)] * 120 for off in (4e-7, 3e-8, 4e-7)]
    assert even._replace(ours32=luck).holds
    sure = [[2.0 * (1 + off)] * 120 for off in (4e-7, 3e-7, 4e-7)]
    assert not even._replace(ours32=sure).holds


def test_distances_average_over_steps_and_ratios_over_runs() -> None:
    """A distance is a geometric mean over the steps, a ratio one over the runs."""
    drifted = [2.0 * (1 + 1e-7)] * 50 + [2.0 * (1 + 1e-5)] * 70
    output = curves(torch32=1e-7)._replace(ours32=[drifted] * 3)
    assert [mine for mine, _ in output.distances32] == pytest.approx([1e-6] * 3, rel=1e-6)
    output = output._replace(ours32=[drifted, *output.torch32[1:]])
    assert compute_typical(output.ratios) == pytest.approx(10 ** (1 / 3), rel=1e-6)


def test_the_rows_tell_the_losses_the_distances_and_their_ratio() -> None:
    *output, last = format_rows("LeNet", curves(ours64=1e-12, ours32=1e-7, torch32=2e-7))
    assert [line.split()[-1] for line in output] == ["2", "1.0e-12", "2.0e-07", "1.0e-07"]
    assert last.strip() == (
        "ours / PyTorch's distance in float32: 0.50, known to a factor of 1.00; median 0.50"
    )
