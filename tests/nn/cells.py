"""Small Cells, their parameters and the names of these."""

from __future__ import annotations

from minispore import Parameter, Tensor, nn


def par(name: str | None = None, value: float = 1.0) -> Parameter:
    return Parameter(Tensor([value]), name=name)


def names(cell: nn.Cell) -> list[str]:
    return [p.name for p in cell.get_parameters()]


class Pair(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = par("custom")
        self.v = par()

    def construct(self, x):
        return x * self.w + self.v


class Nest(nn.Cell):
    def __init__(self, auto_prefix=True):
        super().__init__(auto_prefix)
        self.a = Pair()
        self.b = Pair()

    def construct(self, x):
        return self.b(self.a(x))
