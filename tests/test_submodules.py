"""Submodules are attributes of their packages, as in MindSpore, which imports them all."""

from __future__ import annotations

import subprocess
import sys

from minispore import nn
from minispore.commands.paths import DOCUMENTED, HISTORICAL
from minispore.nn.loss import loss

CODE = """
import sys, minispore
for path in sys.argv[1:]:
    module = minispore
    for part in path.split("."):
        module = getattr(module, part)
"""
#: Its package has the name of a function, which is the attribute.
HIDDEN = "ops.function.grad.grad_func"


def test_every_path_can_be_followed_from_the_package() -> None:
    paths = [p for p in (DOCUMENTED + HISTORICAL).split() if p not in ("mindspore", HIDDEN)]
    done = subprocess.run(
        [sys.executable, "-c", CODE, *paths], capture_output=True, text=True, timeout=120
    )
    assert done.stderr == ""


def test_the_module_of_losses_has_all_of_them() -> None:
    assert set(nn.loss.__all__) <= set(vars(loss))
