"""``minispore check``: what is found, and what is not; the command tells."""

from __future__ import annotations

import json
import linecache
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn
from minispore.check import Report, check, source
from minispore.check.finding import make_report
from minispore.check.rule import all_rules
from minispore.check.watch import Watch
from minispore.errors import GraphModeError

HEAD = """import minispore as ms
from minispore import Tensor, nn, ops
"""


def network(folder: Path, body: str, actual: str = "pass", head: str = "") -> nn.Cell:
    """A Cell of a file whose construct has these lines."""
    lines = "\n".join("        " + line for line in body.splitlines())
    source = (
        f"{HEAD}{head}\n\n"
        "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
        f"        {actual}\n\n    def construct(self, x):\n{lines}\n"
    )
    path = folder / "net_file.py"
    path.write_text(source)
    space: dict = {"__name__": "net_file", "__file__": str(path)}
    exec(compile(source, str(path), "exec"), space)
    return space["Net"]()


def x() -> Tensor:
    return Tensor([1.0, 2.0], ms.float32)


@pytest.fixture
def check_body(tmp_path: Path):
    def check_body(body: str, actual: str = "pass", head: str = "") -> Report:
        linecache.clearcache()  # the same file again and again
        source.parse_file.cache_clear()
        source._map_parents.cache_clear()
        return check(network(tmp_path, body, actual, head), x())

    return check_body


def test_only_strict_mode_refuses_a_write_to_an_attribute(check_body) -> None:
    report = check_body("self.k = self.k + 1\nreturn x * self.k", "self.k = 1")
    assert report.verdict("lax") == "same"
    assert report.verdict("strict") == "refused"


def test_a_line_can_silence_a_rule(check_body) -> None:
    body = "try:  # minispore: ok try\n    y = x + 1\nfinally:\n    z = x\nreturn y"
    assert check_body(body)


def test_what_both_do_alike_is_not_reported(check_body) -> None:
    body = (
        "def double(a):\n    return a * 2\n"
        "for k in range(3):\n    x = double(x) if k else x\n"
        "while x.sum() < 100:\n    x = x * 2\n"
        "return ops.stack([x * k for k in (1, 2)])"
    )
    assert check_body(body)


MODEL = "loss = self.fc(x)\nself.steps += 1\nreturn loss"
INIT_LINES = "self.fc = nn.Dense(2, 1); self.steps = 0"


def test_a_model_is_checked_in_its_training_step(tmp_path: Path) -> None:
    net = network(tmp_path, "self.steps += 1\nreturn self.fc(x) * self.steps", INIT_LINES)
    opt = nn.SGD(net.trainable_params(), 0.1)
    actual = check(ms.Model(net, nn.MSELoss(), opt), ms.ops.ones((3, 2)), ms.ops.ones((3, 1)))
    assert [f.rule for f in actual.findings if f.lax] == ["self-cache"]  # under a derivative


def test_a_model_that_trains_nothing_is_checked_in_its_network(tmp_path: Path) -> None:
    net = network(tmp_path, MODEL, INIT_LINES)
    assert [f.rule for f in check(ms.Model(net), ms.ops.ones((3, 2))).findings] == [
        "self-attribute"
    ]


def test_a_check_leaves_the_weights_as_they_were() -> None:
    net = nn.Dense(2, 1)
    model = ms.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    before = [p.asnumpy().copy() for p in model.train_network.get_parameters()]
    check(model, ms.ops.ones((3, 2)), ms.ops.ones((3, 1)))
    for was, p in zip(before, model.train_network.get_parameters(), strict=True):
        np.testing.assert_array_equal(was, p.asnumpy())


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("y = x\nx = x * 2\nx += y\nreturn x", "same"),
        ("y = x * 2\nz = y\ny += 1\nreturn y, z", "other"),
        ("y = x * 2\nif x.ndim > 5:\n    y = x * 3\nz = y\ny += 1\nreturn y, z", "other"),
        ("y = x * 2\nz = y\nif x.ndim > 5:\n    y = x * 3\ny += 1\nreturn y, z", "other"),
        (
            "y = x * 2\nz = y\nif x.ndim > 5:\n    y = x * 3\nelse:\n    y += 1\nreturn y, z",
            "other",
        ),
        ("r = []\nfor k in (1, 2):\n    r.append(x)\n    x = x * k\n    x += 1\nreturn r", "same"),
        ("r = []\ny = x * 2\nfor k in (1, 2):\n    y += 1\n    r.append(y)\nreturn r", "other"),
    ],
    ids=[
        "made-anew",
        "another-name",
        "after-a-branch",
        "made-in-a-branch",
        "made-in-the-other",
        "in-each-turn",
        "kept",
    ],
)
def test_check_reports_an_in_place_add_to_a_tensor_with_another_name(
    body: str, verdict: str, check_body
) -> None:
    assert check_body(body).verdict("lax") == verdict


def test_another_name_that_a_cell_gave_is_seen_by_running(check_body) -> None:
    text = "self.same = nn.Identity()"
    assert check_body("h = self.same(x)\nh += 1\nreturn h", text).verdict("lax") == "other"
    assert check_body("h = self.same(x * 2)\nh += 1\nreturn h", text).verdict("lax") == "same"


def test_check_reports_a_stale_graph_at_the_line_of_its_call() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.k = 1

        def construct(self, x: Tensor) -> Tensor:
            return x * self.k

    net = Net()

    def twice() -> None:
        net(x())
        net.k = 5
        net(x())

    ms.set_context(mode=ms.GRAPH_MODE)
    watch = Watch()
    with watch.watching():
        twice()
    (only,) = make_report(watch).findings
    assert only.rule == "stale"
    assert only.line == twice.__code__.co_firstlineno + 3


@pytest.mark.parametrize(
    "body",
    [
        "t = x * 2 if self.training else x\nreturn nn.ReLU()(x)",
        "t = x * self.k\nreturn x + {'k': 3}['k']",
        "t = x * 2 if self.training else x\nself.w += 1\nreturn self.w * x",
    ],
)
def test_changes_between_calls_that_no_result_reads_are_not_stale(
    tmp_path: Path, body: str
) -> None:
    net = network(tmp_path, body, "self.k, self.w = 1, ms.Parameter(Tensor([1.0, 2.0]), name='w')")
    ms.set_context(mode=ms.GRAPH_MODE)
    watch = Watch()
    with watch.watching():
        net(x())
        net.set_train()
        net.k = 5
        net(x())
    assert [f.rule for f in make_report(watch).findings if f.rule == "stale"] == []


def test_strict_refuses_with_the_line_and_the_way_out(tmp_path: Path) -> None:
    net = network(tmp_path, "try:\n    y = x + 1\nfinally:\n    z = x\nreturn y")
    ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.context.STRICT)
    with pytest.raises(GraphModeError, match=r"try: .* at net_file\.py:11\. .*Instead: "):
        net(x())


@pytest.mark.parametrize("level", ["LAX", "STRICT"])
def test_a_script_is_judged_by_the_level_that_it_sets(
    check_script: Callable[..., dict[str, Any]], level: str
) -> None:
    script = SCRIPT.format(line="exec('pass')\n        return x").replace("mindspore", "minispore")
    report = check_script(script.replace("GRAPH_MODE", f"GRAPH_MODE, jit_syntax_level=ms.{level}"))
    rules = [finding["rule"] for finding in report["findings"]]
    assert rules == (["exec"] if level == "STRICT" else [])
    assert report["status"] == (1 if level == "STRICT" else 0)


def run(script: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "minispore", "check", *options, str(script)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )


SCRIPT = """import mindspore as ms
from mindspore import nn, Tensor

ms.set_context(mode=ms.GRAPH_MODE)


class Net(nn.Cell):
    def construct(self, x):
        {line}


print(Net()(Tensor([1.0])))
"""


def test_command_exits_with_one_for_findings_and_two_for_a_script_error(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.format(line="return x + 1"))
    assert run(script).returncode == 0
    script.write_text(SCRIPT.format(line="return (y := x + 1) * y"))
    done = run(script, "--json")
    assert done.returncode == 1
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["rule"], finding["line"], finding["lax"]) == ("walrus", 9, "refused")
    script.write_text("raise KeyError(1)")
    assert run(script).returncode == 2


def test_the_page_shows_each_finding(tmp_path: Path) -> None:
    script, page = tmp_path / "train.py", tmp_path / "page.html"
    script.write_text(SCRIPT.format(line="return (y := x + 1) * y"))
    run(script, "--html", str(page))
    assert "train.py:9: walrus" in page.read_text(encoding="utf-8")


def test_the_fixture_fails_a_test_with_the_findings(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["minispore.check.plugin"]\n')
    (tmp_path / "test_net.py").write_text(
        SCRIPT.split("print")[0].format(line="return (y := x + 1) * y").replace("Net(", "Walrus(")
        + "\n\nclass Plain(nn.Cell):\n    def construct(self, x):\n        return x + 1\n"
        + "\n\ndef test_plain(minispore_check):\n    minispore_check(Plain(), Tensor([1.0]))\n"
        + "\n\ndef test_walrus(minispore_check):\n    minispore_check(Walrus(), Tensor([1.0]))\n"
    )
    text = (tmp_path / "test_net.py").read_text()
    (tmp_path / "test_net.py").write_text(text.replace("mindspore", "minispore"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert "1 failed, 1 passed" in done.stdout
    assert "walrus (LAX refuses, STRICT refuses; certain)" in done.stdout


def test_a_jit_function_is_lax_under_strict() -> None:
    @ms.jit
    def first(a: Tensor) -> Tensor:
        return a * float(a.asnumpy()[0])

    ms.set_context(mode=ms.GRAPH_MODE)
    watch = Watch()
    with watch.watching(), pytest.warns(RuntimeWarning, match="runs op by op"):
        first(x())
    assert make_report(watch).verdict("strict") == "same"


def test_an_attribute_that_holds_the_same_after_each_call_is_no_finding(check_body) -> None:
    assert check_body("self.n = 3\nreturn x * self.n", "self.n = 1").verdict("lax") == "same"


def test_the_command_tells_names_that_are_gone_with_the_new_ones(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import mindspore.dataset.vision.c_transforms as C\n"
        "from mindspore import ms_function, ops\n"
        "C.Rescale(1.0, 0.0)\nops.control_depend  # minispore: ok name-gone\n"
    )
    done = run(script, "--json")
    actual = json.loads(done.stdout)["findings"]
    assert done.returncode == 1
    assert [(f["line"], f["way_out"]) for f in actual] == [
        (1, "mindspore.dataset.vision"), (2, "mindspore.jit"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "verdict"),
    [
        ("self.debug = False", "same"),
        ("self.debug = True", "refused"),
    ],
)
def test_a_branch_that_an_attribute_of_self_leaves_out_is_not_judged(
    check_body, expected: str, verdict: str
) -> None:
    lines = "if self.debug:\n    y = x\n    del y\nreturn x"
    assert check_body(lines, expected).verdict("lax") == verdict


def test_a_branch_to_which_another_cell_of_the_class_goes_is_judged() -> None:
    class Block(nn.Cell):
        def __init__(self, debug: bool) -> None:
            super().__init__()
            self.debug = debug

        def construct(self, x: Tensor) -> Tensor:
            if self.debug:
                del self
            return x

    net = nn.SequentialCell(Block(debug=False), Block(debug=True))
    assert check(net, x()).verdict("lax") == "refused"
    assert check(nn.SequentialCell(net[0], net[0]), x()).verdict("lax") == "same"


@pytest.mark.parametrize(("read", "rules"), [("x * 2", []), ("x * self.note", ["stale"])])
def test_an_attribute_that_nothing_reads_makes_no_graph_stale(
    check_script, read: str, rules: list[str]
) -> None:
    text = all_rules()["stale"].program("net(x)\nnet.note = 5\nnet(x)")
    text = text.replace("self.scale = 1.0", "self.note = 1").replace("x * self.scale", read)
    message = check_script(text.replace("mindspore", "minispore"))
    assert [f["rule"] for f in message["findings"]] == rules


def test_training_is_stale_where_a_layer_reads_it(check_script) -> None:
    text = all_rules()["stale"].program("net(x)\nnet.set_train()\nnet(x)")
    text = text.replace("mindspore", "minispore")
    assert check_script(text)["findings"] == []
    text = text.replace("self.scale = 1.0", "self.scale = nn.Dropout(p=0.5)")
    message = check_script(text.replace("x * self.scale", "self.scale(x)"))
    assert [f["rule"] for f in message["findings"]] == ["stale"]


def test_a_wrapper_that_only_passes_on_is_no_finding(check_script) -> None:
    rule = all_rules()["decorated"]
    text = rule.program(rule.bad).replace("plain(self, x) * 2", "plain(self, x)")
    assert check_script(text.replace("mindspore", "minispore"))["findings"] == []


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("returned-object", "return ops.slice(x, (0,), (1,))"),
        ("range-returned", "return ops.range(Tensor(0), Tensor(3), Tensor(1))"),
    ],
)
def test_an_op_that_has_the_name_of_a_type_of_python_makes_none(
    check_script, rule: str, line: str
) -> None:
    text = all_rules()[rule].program(line).replace("mindspore", "minispore")
    message = check_script(text, "--strict")
    assert rule not in [f["rule"] for f in message["findings"]]
