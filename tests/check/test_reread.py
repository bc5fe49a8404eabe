"""Whether a script reads again what a graph has written into."""

from __future__ import annotations

import pytest

from minispore.check import all_rules


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        ("net(x)\nprint(x)", True),
        ("y = net(x)\nprint(y)", False),
        ("x = net(x)\nprint(x)", False),
        ("net(x)\nx = Tensor([3.0])\nprint(x)", False),
        ("print(net(x), x)", True),
        ("for _ in range(2):\n    net(x)", True),
        ("for _ in range(2):\n    x = Tensor([3.0])\n    net(x)", False),
        ("def run(z):\n    net(z)\n    return z\n\n\nrun(x)", True),
        ("def run(z):\n    return net(z)\n\n\nrun(x)\nprint(net)", False),
        ("net(x * 1)\nprint(x)", False),
        ("net(\n    x,\n)\nprint(1)", False),
    ],
)
def test_check_reports_a_second_read_of_a_tensor_that_a_graph_wrote(
    lines: str, read: bool, check_script
) -> None:
    text = all_rules()["given-written"].program(lines).replace("mindspore", "minispore")
    results = [f["rule"] for f in check_script(text)["findings"]]
    assert results == ["given-written"] * read


def test_one_tensor_for_two_arguments_of_which_one_is_written(check_script) -> None:
    rule = all_rules()["given-written"]
    text = rule.program("y = net(x, x)").replace("mindspore", "minispore")
    text = text.replace("(self, x)", "(self, x, z)").replace("return x", "return x + z")
    assert [f["rule"] for f in check_script(text)["findings"]] == ["given-written"]


def test_check_reports_a_lambda_as_a_default_value(check_script) -> None:
    text = all_rules()["lambda"].program("return self.f(x)").replace("mindspore", "minispore")
    text = text.replace("__init__(self)", "__init__(self, g=lambda a: a * 2)")
    text = text.replace("self.f = f", "self.f = g")
    assert [f["rule"] for f in check_script(text)["findings"]] == ["lambda"]
