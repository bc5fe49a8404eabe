"""Make runnable programs from the example lines of rules, which replace ``LINES`` in a template."""

from __future__ import annotations

import re
import textwrap

_HEAD = """\
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
"""
_LINES_MARK = re.compile("^( *)LINES$", re.MULTILINE)


def fill_template(around: str, lines: str) -> str:
    r"""Return a complete script: imports, and the template with ``lines`` in place of ``LINES``.

    >>> script = fill_template("for x in (1, 2):\n    LINES\n", "y = x\nprint(y)")
    >>> print(script.partition("\n\n")[2])
    ms.set_context(mode=ms.GRAPH_MODE)
    for x in (1, 2):
        y = x
        print(y)
    <BLANKLINE>
    """
    return _HEAD + _LINES_MARK.sub(lambda match: textwrap.indent(lines, match[1]), around)


def make_construct_template(
    init_lines: str = "pass",
    head: str = "",
    parameters: str = "x",
    run: str = "Net()(Tensor([1.0, 2.0]))",
) -> str:
    """Return a template in which ``LINES`` stands for the body of ``Net.construct``.

    Args:
        init_lines: lines of ``__init__``.
        head: lines of the module.
        parameters: the parameters of ``construct`` after self.
        run: lines that use the class ``Net``.
    """
    init_lines = textwrap.indent(init_lines, " " * 8)
    return (
        f"{head}\n\nclass Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
        f"{init_lines}\n\n    def construct(self, {parameters}):\n        LINES\n\n\n{run}\n"
    )


def make_training_template(
    run: str = "LINES", forward: str = "return x", options: str = "", rows: int = 100
) -> str:
    """Return a template whose lines train ``model`` on ``data``.

    Args:
        run: lines after the creation of the Model.
        forward: lines of ``construct`` after the only layer.
        options: further arguments of the Model.
        rows: the number of rows of the data.
    """
    forward = textwrap.indent(forward, " " * 8)
    return f"""import mindspore.dataset as ds

x, y = np.ones(({rows}, 4), np.float32), np.ones(({rows}, 2), np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 2)

    def construct(self, x):
        x = self.fc(x)
{forward}


net, loss = Net(), nn.MSELoss()
params = net.trainable_params()
model = ms.Model(net, loss, nn.Momentum(params, 0.1, 0.9){options})
{run}
"""


__all__ = ["fill_template", "make_construct_template", "make_training_template"]
