"""Each rule finds its bad lines, in the program that it brings, and not its good ones."""

from __future__ import annotations

import gc
import linecache
import textwrap
from pathlib import Path
from typing import Any

import pytest

from minispore import Tensor
from minispore.check import Report, all_rules, check, source
from minispore.check.rule import FITS, NUMERICS, SECTIONS, SINKS

RULES = pytest.mark.parametrize("name", sorted(all_rules()))


def find_rule(check_script, name: str, lines: str) -> list[dict[str, Any]]:
    text = all_rules()[name].program(lines).replace("mindspore", "minispore")
    findings = check_script(text, "--strict")["findings"]
    if "async" in lines:
        gc.collect()  # else Python warns of the coroutine that nobody awaits in a later test
    return [f for f in findings if f["rule"] == name]


@RULES
@pytest.mark.filterwarnings("ignore:build_train_network")  # which says it, too
@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
def test_a_rule_finds_its_bad_lines(name: str, check_script) -> None:
    assert find_rule(check_script, name, all_rules()[name].bad)


@RULES
@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
def test_a_rule_does_not_find_its_good_lines(name: str, check_script) -> None:
    assert not find_rule(check_script, name, all_rules()[name].good)


@RULES
def test_a_rule_says_what_the_real_one_does(name: str) -> None:
    rule = all_rules()[name]
    assert rule.says.endswith(".") and rule.bad and rule.good
    assert rule.section in SECTIONS
    assert rule.lax or rule.strict or rule.section in (SINKS, FITS, NUMERICS)


def test_bound_in_branch_reports_a_name_that_is_changed_after_the_branch(check_script) -> None:
    lines = "if x.sum() > 0:\n    y = x\ny = y + 1\nreturn y"
    assert find_rule(check_script, "bound-in-branch", lines)


def test_a_name_that_is_bound_anew_after_the_branch_is_not_read(check_script) -> None:
    lines = "if x.sum() > 0:\n    y = x\ny = x + 1\nreturn y"
    assert not find_rule(check_script, "bound-in-branch", lines)


HARMLESS = {
    "branch-types": [
        "return 2 and x",
        "return 0 or x",
        "if x.sum() > 1:\n    r = None\nelse:\n    r = x\nreturn x",
        "y = x.sum() and 1\nz = x * y\nreturn x",
    ],
    "comprehension": [
        "return x * len([i for i in range(6) if i % 2])",
        "return x * len([i for i in range(6) if x.shape[0] - 2])",
        "return [x * i for i in range(4) if i % 2 == 1][0]",
    ],
    "comprehension-number": ["return x * len([i for i in (True, False) if i])"],
    "lambda": ["fs = [lambda a: a * 2 for i in range(3)]\nreturn fs[0](x)"],
    "format-tensor": ['s = f"{x}"\nreturn x', 'print(f"{x}")\nreturn x'],
    "list-changed": ["r = [3, 1]\nr.sort()\nz = x * r[0]\nreturn x"],
    "used-twice": [
        "v = zip((1, 2), (3, 4))\nz = x * len(list(v)) + len(list(v))\nreturn x",
    ],
    "augmented": [
        "y = x.astype(ms.float16)\ny += 1\nreturn y",
        "y = ops.reshape(x, (2, 1))\ny += 1\nreturn y",
        "y = x * 1\ny += 1\nreturn y",
        "r = [x * 2]\nr[0] += 1\nreturn r[0]",
    ],
}
"""Lines that the real one runs as PYNATIVE_MODE does."""


@pytest.mark.parametrize(
    ("name", "lines"), [(name, lines) for name in HARMLESS for lines in HARMLESS[name]]
)
def test_what_mindspore_runs_alike_is_no_finding(name: str, lines: str, check_script) -> None:
    assert not find_rule(check_script, name, lines)


WRITTEN_THROUGH = [
    "ops.reshape(x, (-1,))",
    "ops.reshape(x, (2, 1)).reshape(2)",
    "x.astype(ms.float32)",
    "ops.stop_gradient(x)",
    "x + 0",
    "x.T",
    "ops.cast(self.mask, ms.float32)",
]


@pytest.mark.parametrize("value", WRITTEN_THROUGH)
def test_check_reports_a_write_through_an_op_that_returns_its_input(value: str, tmp_path) -> None:
    report = check_network(tmp_path, f"y = {value}\ny += 1\nreturn y * x")
    assert report.verdict() == "other"


def test_check_reports_a_cell_that_writes_into_a_tensor_its_caller_reads(tmp_path) -> None:
    inner = "b = x.astype(ms.float32)\nb += 1\nreturn b"
    assert (
        check_network(tmp_path, inner, "h = x * 2\nreturn self.inner(h) + h").verdict() == "other"
    )
    assert check_network(tmp_path, inner, "h = x * 2\nreturn self.inner(h)").verdict() == "same"


def check_network(folder: Path, lines: str, outer: str = "return self.inner(x)") -> Report:
    """The report of a Cell that calls another one, whose construct has these lines."""
    linecache.clearcache()
    source.parse_file.cache_clear()
    source._map_parents.cache_clear()
    text = (
        "import minispore as ms\nfrom minispore import Tensor, nn, ops\n"
        "class Inner(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
        "        self.mask = Tensor([1.0, 2.0])\n"
        f"    def construct(self, x):\n{textwrap.indent(lines, ' ' * 8)}\n"
        "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
        "        self.inner = Inner()\n"
        f"    def construct(self, x):\n{textwrap.indent(outer, ' ' * 8)}\n"
    )
    path = folder / "written_through.py"
    path.write_text(text)
    space: dict[str, Any] = {"__name__": "written_through", "__file__": str(path)}
    exec(compile(text, str(path), "exec"), space)
    return check(space["Net"](), Tensor([1.0, 2.0]))


COUNTER = """class Loss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 1)
        self.calls = 0

    def construct(self, x):
        self.calls += 1
        return self.fc(x).sum() * self.calls


class Step(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.weights = net, ms.ParameterTuple(net.trainable_params())
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, x):
        return self.net(x), self.grad(self.net, self.weights)(x)


step = Step(Loss())
for _ in range(2):
    step(Tensor([[1.0, 2.0]]))
"""


def test_a_counter_is_frozen_where_only_a_second_call_is_differentiated(check_script) -> None:
    text = "import minispore as ms\nfrom minispore import Tensor, nn, ops\n"
    report = check_script(f"{text}ms.set_context(mode=ms.GRAPH_MODE)\n{COUNTER}")
    assert "self-cache" in {f["rule"] for f in report["findings"]}
