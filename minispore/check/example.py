"""Programs around the lines of a rule, so that each can be run; ``LINES`` stands in their place."""

from __future__ import annotations

import re
import textwrap

_HEAD = """\
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
"""
_PLACE = re.compile("^( *)LINES$", re.MULTILINE)


def program(around: str, lines: str) -> str:
    """The whole script.

    >>> print(program("for x in (1, 2):\\n    LINES\\n", "y = x\\nprint(y)").partition("\\n\\n")[2])
    ms.set_context(mode=ms.GRAPH_MODE)
    for x in (1, 2):
        y = x
        print(y)
    <BLANKLINE>
    """
    return _HEAD + _PLACE.sub(lambda at: textwrap.indent(lines, at[1]), around)


def construct(
    made: str = "pass", head: str = "", given: str = "x", run: str = "Net()(Tensor([1.0, 2.0]))"
) -> str:
    """The lines are those of ``construct``.

    Args:
        made: lines of ``__init__``.
        head: lines of the module.
        given: what ``construct`` takes.
        run: what is done with the class ``Net``.
    """
    made = textwrap.indent(made, " " * 8)
    return (
        f"{head}\n\nclass Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
        f"{made}\n\n    def construct(self, {given}):\n        LINES\n\n\n{run}\n"
    )


def training(
    run: str = "LINES", forward: str = "return x", options: str = "", rows: int = 100
) -> str:
    """The lines are those of a training of ``model`` on ``data``.

    Args:
        run: lines after the Model was made.
        forward: lines of ``construct`` after the only layer.
        options: more arguments of the Model.
        rows: of the data.
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


__all__ = ["construct", "program", "training"]
