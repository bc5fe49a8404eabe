"""``minispore check script.py``: whether data can be sunk, a step fits, the numbers hold."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

import minispore as ms
from minispore.check import fits
from minispore.check.rule import FITS, NAMES, SINKS
from minispore.communication import GlobalComm
from minispore.train.files import checkpoint_file

HEAD = """import numpy as np
import minispore as ms
import minispore.dataset as ds
from minispore import nn, ops, Tensor

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
rng = np.random.default_rng(0)
x, y = rng.random((40, 4), np.float32), rng.random((40, 2), np.float32)


def model(**options):
    net = nn.Dense(4, 2)
    scale = options.pop("loss_scale", 1.0)
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=scale)
    return ms.Model(net, nn.MSELoss(), opt, **options)


def data(size=8, x=x):
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(size)


"""


@pytest.fixture
def checked(check_script):
    """The report of a script of these lines."""

    def checked(lines: str, *options: str) -> dict[str, Any]:
        return check_script(HEAD + lines, *options)

    return checked


def rules(report: dict[str, Any]) -> list[str]:
    return [f["rule"] for f in report["findings"]]


def line_of(lines: str, text: str) -> int:
    return next(i for i, line in enumerate((HEAD + lines).splitlines(), 1) if text in line)


# -- sinks? ----------------------------------------------------------------------------------------


def test_sink_section_accepts_equal_shapes_and_lists_callbacks_once_a_sink(checked) -> None:
    actual = checked("model().train(9, data(), ms.LossMonitor(), dataset_sink_mode=True)\n")
    assert (actual["status"], rules(actual)) == (0, [])
    first, second, *_ = actual["sections"][SINKS]
    assert first.endswith("Model.train can sink its data (x: float32[8, 4], y: float32[8, 2])")
    assert second.strip().startswith("LossMonitor: step_end once a sink, of 5 steps")


def test_check_reports_a_smaller_last_batch_only_where_a_sink_reaches_it(checked) -> None:
    lines = "model().train(1, data(9), dataset_sink_mode=True)\n"
    actual = checked(lines)
    assert [(f["rule"], f["line"], f["about"]) for f in actual["findings"]] == [
        ("sink-shapes", line_of(lines, "train("), "4 rows are left")
    ]
    assert (actual["status"], actual["findings"][0]["sure"]) == (0, "possible")
    lines = "model().train(2, data(9), dataset_sink_mode=True, sink_size=1)\n"
    assert rules(checked(lines)) == []


def test_sink_section_names_a_column_of_strings_without_a_finding(checked) -> None:
    lines = """
names = np.array(["a"] * 40)
rows = ds.NumpySlicesDataset((x, y, names), ["x", "y", "name"], shuffle=False).batch(8)
for row in rows.create_tuple_iterator(num_epochs=1):
    pass
"""
    actual = checked(lines)
    assert rules(actual) == []
    assert "can't sink its data, column name of strings" in actual["sections"][SINKS][0]


def test_values_that_a_loop_brings_to_the_host_are_counted(checked) -> None:
    lines = """
net = nn.Dense(4, 2)
for a, b in data().create_tuple_iterator(num_epochs=1):
    print(float(net(a).sum()))
"""
    actual = checked(lines, "--steps", "4")
    where = f"train.py:{line_of(lines, 'print(')}"
    assert f"{where}: float() brings a value to the host, 4 times in the shortened run; each " in (
        "\n".join(actual["sections"][SINKS])
    )


def test_sink_section_gives_the_reason_for_a_recompile(checked) -> None:
    actual = checked("net = nn.Dense(4, 2)\nnet(Tensor(x[:2]))\nnet(Tensor(x[:3]))\n")
    (message,) = [line for line in actual["sections"][SINKS] if "compiled again" in line]
    assert "Dense is compiled again once: " in message
    assert "(3, 4)" in message or "[3, 4]" in message


# -- fits, how fast? -------------------------------------------------------------------------------


def test_training_cost_is_estimated_for_four_sink_modes_on_the_named_device(checked) -> None:
    actual = checked("model().train(1, data())\n", "--device", "Ascend910B2")
    ((where, ways),) = actual["ms_a_step"].items()
    assert where.startswith("train.py:")
    assert list(ways) == ["no sink", "data sink", "graph sink", "loop sink"]
    assert list(ways.values()) == sorted(ways.values(), reverse=True)
    assert actual["title"] == "train.py on MindSpore 2.10, Ascend910B2"
    text = "\n".join(actual["sections"][FITS])
    assert "bounded by: " in text
    assert "measured here" in text


def test_many_ranks_are_priced_with_their_all_reduce(checked) -> None:
    actual = checked("model().train(1, data())\n", "--ranks", "8")
    assert "8 ranks: the gradients' all-reduce takes" in "\n".join(actual["sections"][FITS])


SHARDED = """
from minispore.communication import get_group_size, get_rank, init
init()
ranks, rank = get_group_size(), get_rank()
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, device_num=ranks)
print(ops.AllReduce()(Tensor([3.0])), ranks, rank)
shard = ds.NumpySlicesDataset((x, y), ["x", "y"], num_shards=ranks, shard_id=rank)
model().train(1, shard.batch(1))
"""


def read_all_reduce(report: dict[str, Any]) -> str:
    return re.findall(r"all-reduce takes ([\d.]+) ms", "\n".join(report["sections"][FITS]))[0]


def test_each_of_many_ranks_trains_on_its_shard(checked) -> None:
    actual = checked(SHARDED, "--ranks", "8")
    assert actual["status"] == 0, actual
    assert f"an epoch of {40 // 8} steps" in "\n".join(actual["sections"][FITS])
    assert "[3.] 8 0" in actual["stderr"]  # the sum over a rank alone
    assert not GlobalComm.INITED
    assert ms.get_auto_parallel_context("device_num") == 1


def test_the_all_reduce_of_a_script_that_joins_the_ranks_is_counted_once(checked) -> None:
    script = SHARDED.replace("init()\n", "").replace("get_group_size(), get_rank()", "1, 0")
    alone = checked(script, "--ranks", "8")
    assert read_all_reduce(checked(SHARDED, "--ranks", "8")) == read_all_reduce(alone)


def test_a_network_that_the_ranks_split_is_checked_all_the_same(checked) -> None:
    lines = "ms.set_auto_parallel_context(pipeline_stages=2)\nms.communication.init()\n"
    assert checked(lines, "--ranks", "8")["status"] == 0


def test_memory_finding_says_that_not_even_one_row_fits(checked) -> None:
    lines = """
ms.set_context(max_device_memory="0.00001GB")
model().train(1, data())
"""
    actual = checked(lines)
    (only,) = actual["findings"]
    assert (actual["status"], only["rule"], only["section"]) == (1, "memory", FITS)
    assert "the largest batch is " in only["about"]
    assert "not even one row fits" in only["way_out"]


def test_memory_finding_suggests_the_largest_batch_that_fits(checked) -> None:
    lines = """
ms.set_context(max_device_memory="0.0001GB")
net = nn.SequentialCell(nn.Dense(4, 64), nn.Dense(64, 2))
rows = ds.NumpySlicesDataset({"a": np.ones((4096, 4), np.float32),
                              "b": np.ones((4096, 2), np.float32)}).batch(4096)
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1)).train(1, rows)
"""
    (only,) = checked(lines)["findings"]
    largest = re.search(r"largest batch is (\d+)", only["about"])
    assert only["way_out"] == f"data.batch({largest[1]})"


def test_a_loop_whose_step_is_a_graph_is_priced_too(checked) -> None:
    lines = """
net = nn.Dense(4, 2)
opt = nn.SGD(net.trainable_params(), 0.1)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt)
for a, b in data().create_tuple_iterator(num_epochs=1):
    step(a, b)
"""
    assert len(checked(lines)["ms_a_step"]) == 1


LOOP = """
net = nn.Dense(4, 2)
loss = nn.MSELoss()
opt = nn.SGD(net.trainable_params(), 0.1)
grad = ms.value_and_grad(lambda a, b: loss(net(a), b), None, opt.parameters)


def step(a, b):
    value, grads = grad(a, b)
    opt(grads)
    return value


if STAGED:
    step = ms.jit(step)
for a, b in data().create_tuple_iterator(num_epochs=1):
    step(a, b)
"""


@pytest.fixture
def of_loop(checked, monkeypatch):
    """Milliseconds of a step by way, and the lines; a batch is there after 10 us."""
    monkeypatch.setattr(fits, "measure_pipeline", lambda dataset: 10.0)

    def of_loop(staged: bool, after: str = "") -> tuple[dict[str, float], str]:
        mode = "ms.set_context(mode=ms.PYNATIVE_MODE)\n"
        actual = checked(mode + LOOP.replace("STAGED", str(staged)) + after)
        (ways,) = actual["ms_a_step"].values()
        return ways, "\n".join(actual["sections"][FITS])

    return of_loop


def test_a_loop_that_runs_op_by_op_is_priced_as_it_is_and_as_a_graph(of_loop) -> None:
    ways, text = of_loop(staged=False)
    assert list(ways) == ["op by op", "no sink", "data sink", "graph sink", "loop sink"]
    assert ways["op by op"] > ways["no sink"]
    assert " ops one by one; in a graph no sink " in text
    assert "batch 8, up to " in text


def test_a_loop_that_runs_op_by_op_would_sink_as_its_jit_function_does(of_loop) -> None:
    ways, _ = of_loop(staged=False)
    as_graph, _ = of_loop(staged=True)
    assert "op by op" not in as_graph
    for way in ("graph sink", "loop sink"):
        assert as_graph[way] == pytest.approx(ways[way], rel=0.05)


def test_what_follows_a_loop_is_no_part_of_its_step(of_loop) -> None:
    ways, _ = of_loop(staged=False)
    longer, _ = of_loop(staged=False, after="for _ in range(99):\n    net(Tensor(x))\n")
    assert longer == ways


def test_a_loop_that_trains_nothing_has_no_estimate(checked) -> None:
    actual = checked("for a, b in data():\n    nn.Dense(4, 2)(a)\n")
    assert not actual["ms_a_step"]
    assert "no estimate, as no optimizer was seen in its loop" in actual["sections"][FITS][0]


# -- numerics --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["GRAPH_MODE", "PYNATIVE_MODE"])
def test_check_reports_a_float64_product_in_both_modes(checked, mode: str) -> None:
    lines = f"""
ms.set_context(mode=ms.{mode})


class Net(nn.Cell):
    def construct(self, a):
        return ops.matmul(a, a)


Net()(Tensor(np.eye(3)))
"""
    actual = checked(lines)
    assert [(f["rule"], f["line"]) for f in actual["findings"]] == [
        ("float64-product", line_of(lines, "ops.matmul"))
    ]


def test_check_reports_float16_overflow_only_in_mixed_precision(checked) -> None:
    lines = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 2)

    def construct(self, a):
        return self.fc(a * 60000.0 * 60000.0) * 1e-9


net = Net()
opt = nn.SGD(net.trainable_params(), 1e-9)
ms.Model(net, nn.MSELoss(), opt).train(1, data())
"""
    assert "float16-overflow" not in rules(checked(lines))
    mixed = checked(lines, "--amp", "O2")
    results_by_name = {f["rule"]: f["line"] for f in mixed["findings"]}
    assert results_by_name["float16-overflow"] == line_of(lines, "60000")


def test_a_cast_that_overflows_is_float16_that_overflows(checked) -> None:
    lines = """
class Net(nn.Cell):
    def construct(self, a):
        return (a * 60000).astype(ms.float16)


Net()(Tensor(np.ones((2, 2), np.float32) * 100))
"""
    actual = checked(lines)
    assert [(f["rule"], f["line"]) for f in actual["findings"]] == [
        ("float16-overflow", line_of(lines, "60000"))
    ]
    assert "no overflow of float16 was seen" not in str(actual["sections"])


def test_check_reports_nan_at_the_op_that_computed_the_infinity(checked) -> None:
    lines = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 2)

    def construct(self, a):
        big = ops.exp(a + 1000)
        return self.fc(big - big)


net = Net()
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1)).train(1, data())
"""
    (only,) = checked(lines)["findings"]
    assert (only["rule"], only["line"]) == ("nan", line_of(lines, "ops.exp"))
    assert "log" not in only["way_out"]


@pytest.mark.parametrize(
    ("dtype", "device", "is_found"),
    [
        ("bfloat16", "Ascend910", True),
        ("bfloat16", "Ascend910B2", False),
        ("complex64", "Ascend910", True),
        ("complex64", "Ascend910B2", True),
        ("float16", "Ascend910", False),
    ],
)
def test_check_reports_a_product_with_a_dtype_the_device_lacks(
    checked, dtype: str, device: str, is_found: bool
) -> None:
    lines = f"x = Tensor(np.ones((2, 2)), ms.{dtype})\nops.matmul(x, x)\n"
    assert ("product-dtype" in rules(checked(lines, "--device", device))) == is_found


def test_check_reports_a_nan_loss_at_the_op_that_computed_it(checked) -> None:
    lines = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 2)

    def construct(self, a):
        return ops.log(self.fc(a) * 0 - 1)


net = Net()
opt = nn.SGD(net.trainable_params(), 0.1)
ms.Model(net, nn.MSELoss(), opt).train(1, data())
"""
    actual = checked(lines)
    assert [(f["rule"], f["line"]) for f in actual["findings"]] == [
        ("nan", line_of(lines, "ops.log"))
    ]


def test_a_nan_that_does_not_reach_the_loss_is_no_finding(checked) -> None:
    lines = """
class Net(nn.Cell):
    def construct(self, a):
        return ops.where(a > 0, ops.sqrt(a), ops.zeros_like(a)).sum()


Net()(Tensor([-1.0, 4.0], ms.float32))
"""
    assert rules(checked(lines)) == []


@pytest.mark.filterwarnings("ignore:build_train_network")
def test_check_reports_a_loss_scale_that_the_optimizer_does_not_undo(checked) -> None:
    scale = "loss_scale_manager=ms.FixedLossScaleManager(1024, False)"
    actual = checked(f"model({scale}).train(1, data())\n")
    assert rules(actual) == ["loss-scale"]
    assert "loss_scale=1, 1024 would be right" in actual["findings"][0]["about"]
    right = checked(f"model({scale}, loss_scale=1024.0).train(1, data())\n")
    assert rules(right) == []


# -- the run ---------------------------------------------------------------------------------------


def test_nothing_is_written_and_what_was_saved_can_be_loaded(checked, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    lines = f"""
keep = ms.ModelCheckpoint("net", directory={str(folder)!r})
model().train(1, data(), keep)
net = nn.Dense(4, 2)
ms.save_checkpoint(net, {str(folder / "last.ckpt")!r})
ms.load_checkpoint({str(folder / "last.ckpt")!r}, net)
ms.export(net, Tensor(x[:1]), file_name={str(folder / "net")!r}, file_format="MINDIR")
"""
    assert checked(lines)["status"] == 0
    assert not folder.exists()


def test_what_a_thread_still_writes_at_the_end_is_waited_for(
    checked, tmp_path: Path, monkeypatch
) -> None:
    done, plain = [], checkpoint_file.write

    def slowly(*args: Any) -> None:
        time.sleep(0.2)
        done.append(plain(*args))

    monkeypatch.setattr(checkpoint_file, "write", slowly)
    path = tmp_path / "net.ckpt"
    actual = checked(f"ms.save_checkpoint(nn.Dense(4, 2), {str(path)!r}, async_save=True)\n")
    assert (actual["status"], len(done), path.exists()) == (0, 1, False)


def test_steps_option_limits_the_steps_of_a_training(checked) -> None:
    lines = """
class Count(ms.Callback):
    def on_train_step_end(self, run_context):
        print("step", run_context.original_args().cur_step_num)


model().train(100, data(), Count())
"""
    actual = checked(lines, "--steps", "2")
    assert actual["stderr"].count("step ") == 4  # two epochs


def test_a_sunk_function_is_cut_to_a_few_short_sinks(checked) -> None:
    lines = """
net = nn.Dense(4, 2)
seen = []


def step(a, b):
    seen.append(1)
    return net(a)


sink = ms.data_sink(step, data(), sink_size=5)
for _ in range(50):
    sink()
print("ran", len(seen))
"""
    actual = checked(lines, "--steps", "2")
    assert "ran 4\n" in actual["stderr"]
    assert "a loop can sink its data" in actual["sections"][SINKS][0]


def test_a_helper_of_a_dataset_gives_a_few_steps(checked) -> None:
    lines = """
rows = data()
net = nn.WithLossCell(nn.Dense(4, 2), nn.MSELoss())
helper = ms.DatasetHelper(rows, dataset_sink_mode=False, epoch_num=2)
for _ in range(2):
    for batch in helper:
        print("batch", len(batch))
"""
    assert checked(lines, "--steps", "2")["stderr"].count("batch 2") == 4


def test_check_looks_names_up_in_the_mindspore_version_of_the_option(checked) -> None:
    lines = "ms.jit\nops.swiglu\nms.ops.depend\n"
    actual = checked(lines, "--mindspore", "1.10")["findings"]
    assert [(f["section"], f["about"], f["way_out"]) for f in actual] == [
        (NAMES, "mindspore.jit", "mindspore.ms_function"),
        (NAMES, "mindspore.ops.swiglu", "nothing of this name before MindSpore 2.10"),
    ]
    assert rules(checked(lines)) == []


@pytest.mark.parametrize(
    "lines",
    [
        "try:\n    from minispore import jit\nexcept ImportError:\n"
        "    from minispore import ms_function as jit\n",
        "op = ops.Add if hasattr(ops, 'Add') else ops.ResizeBilinear\n",
        "if ms.__version__ < '2':\n    from minispore import ms_function\n",
    ],
    ids=["try", "hasattr", "version"],
)
def test_a_name_that_the_script_asks_for_first_is_no_finding(checked, lines: str) -> None:
    assert rules(checked(lines)) == []


def test_a_finding_of_any_section_can_be_silenced_on_its_line(checked) -> None:
    lines = "model().train(1, data(9), dataset_sink_mode=True)  # minispore: ok sink-shapes\n"
    actual = checked(lines)
    assert (actual["status"], rules(actual)) == (0, [])


def test_a_device_that_nobody_knows_is_refused_with_its_neighbours(checked, capsys) -> None:
    with pytest.raises(SystemExit, match="2"):
        checked("pass\n", "--device", "Ascend911")
    assert "Ascend910" in capsys.readouterr().err


def test_the_page_has_each_section_and_the_four_ways(checked, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    checked("model().train(1, data())\n", "--html", str(page))
    text = page.read_text(encoding="utf-8")
    assert text.count("<h2>") == 6
    assert "<span>loop sink</span>" in text


def test_numerics_section_names_the_first_loss_scale_after_it_overflowed(checked) -> None:
    lines = """
ms.set_context(device_target="Ascend")
m = model(amp_level="O2", loss_scale_manager=ms.DynamicLossScaleManager())
m.train(2, data(), dataset_sink_mode=True)
"""
    numbers = "\n".join(checked(lines)["sections"]["numerics"])
    assert "that scale was 16,777,216 at first" in numbers
    assert "in an op of the forward pass" in numbers


def test_a_script_that_loads_its_last_checkpoint_gets_the_newest_that_was_written(
    checked, tmp_path: Path
) -> None:
    lines = f"""
folder = {str(tmp_path / "ckpt")!r}
saver = ms.ModelCheckpoint("net", folder, ms.CheckpointConfig(save_checkpoint_steps=1))
model().train(50, data(), saver)
params = ms.load_checkpoint(folder + "/net-50_5.ckpt")
print("loaded", sorted(params))
ms.load_checkpoint(folder + "/net-50_5.other")
"""
    report = checked(lines)
    assert "loaded [" in report["stderr"] and "net-50_5.other" in report["stderr"]
    assert report["status"] == 2
