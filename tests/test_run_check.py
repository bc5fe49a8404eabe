"""``run_check()`` says whether what is installed computes."""

from __future__ import annotations

import pytest

import minispore as ms
from minispore import Tensor, run_check


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("target", ["CPU", "GPU", "Ascend"])
def test_a_product_is_right_on_each_target(target, mode, capsys):
    ms.set_context(device_target=target, mode=mode)
    ms.run_check()
    assert capsys.readouterr().out.endswith(f"on the {target}: right.\n")


def test_run_check_reports_a_wrong_product(monkeypatch):
    module = __import__("sys").modules[run_check.__module__]
    monkeypatch.setattr(module, "value_and_grad", lambda f: lambda x, y: (Tensor(0.0), x))
    with pytest.raises(RuntimeError, match="on the CPU: wrong"):
        run_check()
