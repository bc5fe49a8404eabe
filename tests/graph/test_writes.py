"""Random programs that write into tensors and views of them give the same bits in both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

import minispore as ms
from minispore import Parameter, Tensor, nn, ops

# Each takes a tensor of three rows and columns, and gives another of them.
TAKEN = {
    "rows backwards": lambda t, u: t[::-1],
    "transpose": lambda t, u: t.T,
    "reshaped": lambda t, u: t.reshape(9)[::-1].reshape(3, 3),
    "itself": lambda t, u: t,
    "result of a slope": lambda t, u: ms.vjp(ops.tanh, u)[1](t)[0],
    "slope of its own value": lambda t, u: (lambda y, pull: pull(y)[0])(*ms.vjp(ops.tanh, t)),
    "picked rows": lambda t, u: t[Tensor([2, 0, 2])],
    "product": lambda t, u: t * 0.5,
    "sum": lambda t, u: t + u,
}
# Each writes into its first tensor, from the second.
WRITTEN = {
    "copy": lambda t, u, m: t.copy_(u),
    "add": lambda t, u, m: t.add_(u, alpha=2),
    "part": lambda t, u, m: t[1:].sub_(u[:2]),
    "rows": lambda t, u, m: t.__setitem__(slice(None, 2), u[1:]),
    "column": lambda t, u, m: t.__setitem__((slice(None), 0), u[1]),
    "where": lambda t, u, m: t.__setitem__(m, 3.0),
    "picked": lambda t, u, m: t.__setitem__(Tensor([1, 0]), u[:2]),
    "scattered": lambda t, u, m: t.masked_scatter_(m, u),
    "filled": lambda t, u, m: t.masked_fill_(u > 1, -1.0),
    "added rows": lambda t, u, m: t.index_add_(0, Tensor([0, 0, 2]), u),
    "all": lambda t, u, m: t.fill_(0.25),
    "all of a view": lambda t, u, m: t.T.fill_(-1.5),
    "clamped": lambda t, u, m: t[0].clamp_(-2.0, 2.0),
}
steps = st.lists(
    st.tuples(st.sampled_from([*TAKEN, *WRITTEN]), st.integers(0, 9), st.integers(0, 9)),
    min_size=2,
    max_size=8,
)


class Net(nn.Cell):
    """Follows ``steps`` with an argument, a Parameter and what is made of them; gives all."""

    def __init__(self, steps: list[tuple[str, int, int]]) -> None:
        super().__init__()
        self.steps = steps
        self.w = Parameter(Tensor(np.arange(9, dtype=np.float32).reshape(3, 3) / 4 - 1), name="w")

    def construct(self, x: Tensor, m: Tensor) -> Any:
        output = [x, x * 2, self.w]
        for name, i, j in self.steps:
            t, u = output[i % len(output)], output[j % len(output)]
            if name in TAKEN:
                output.append(TAKEN[name](t, u))
            else:
                WRITTEN[name](t, u, m)
                if i % 2:
                    ops.assign_add(self.w, t)
        return output


def left_by(steps: list[tuple[str, int, int]], mode: int) -> list[bytes]:
    """What two calls of the network give, and what they leave."""
    ms.set_context(mode=mode)
    net, m = Net(steps), Tensor(np.eye(3)[::-1] + np.eye(3) > 0)
    x = Tensor(np.array([[0.5, -1, 2], [-0.25, 3, 1], [1, -2, 0.75]], np.float32))
    return [t.asnumpy().tobytes() for _ in range(2) for t in (*net(x, m), x, net.w)]


@given(steps)
@example([("scattered", 1, 1)])
@example([("all", 2, 2)])
@example([("product", 0, 0), ("slope of its own value", 3, 3)])
def test_writes_into_what_overlaps_leave_the_same_in_both_modes(
    steps: list[tuple[str, int, int]],
) -> None:
    assert left_by(steps, ms.GRAPH_MODE) == left_by(steps, ms.PYNATIVE_MODE)
