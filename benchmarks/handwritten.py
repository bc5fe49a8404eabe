"""Write a LeNet-5 training step by hand in NumPy: the speed that a compiler has to reach.

Every buffer is allocated once; images lie (C, H, W, N), the batch innermost, so columns are copied
in long runs and each layer is one GEMM. Ties of the pools go to all their elements, which no loss
notices.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

F32 = np.float32


class Conv:
    """A layer of a 5x5 convolution, ReLU and 2x2 maximum over (C, H, H, N) images."""

    def __init__(self, rng: Any, c: int, f: int, size: int, n: int, gradient: bool) -> None:
        self.c, self.f, self.o, self.n = c, f, size - 4, n
        self.w = (rng.standard_normal((f, c * 25)) * 0.1).astype(F32)
        self.dw, self.m = np.empty_like(self.w), np.zeros_like(self.w)
        o = self.o
        self.cols = np.empty((c * 25, o * o * n), F32)
        self.y = np.empty((f, o, o, n), F32)
        self.rows = np.empty((f, o // 2, o, n), F32)
        self.top = np.empty((f, o // 2, o // 2, n), F32)
        self.dy, self.hit = np.empty_like(self.y), np.empty_like(self.top)
        self.dcols = np.empty_like(self.cols) if gradient else None
        self.dx = np.empty((c, size, size, n), F32) if gradient else None

    def forward(self, x: np.ndarray) -> np.ndarray:
        c, o, n = self.c, self.o, self.n
        sc, sh, sw, sn = x.strides
        np.copyto(
            self.cols.reshape(c, 5, 5, o, o, n),
            as_strided(x, (c, 5, 5, o, o, n), (sc, sh, sw, sh, sw, sn)),
        )
        np.matmul(self.w, self.cols, out=self.y.reshape(self.f, -1))
        np.maximum(self.y[:, 0::2], self.y[:, 1::2], out=self.rows)
        np.maximum(self.rows[:, :, 0::2], self.rows[:, :, 1::2], out=self.top)
        np.maximum(self.top, 0, out=self.top)  # of the maximum: a quarter of the work
        return self.top

    def backward(self, dtop: np.ndarray) -> np.ndarray | None:
        for i in (0, 1):
            for j in (0, 1):
                corner = (slice(None), slice(i, None, 2), slice(j, None, 2))
                np.equal(self.y[corner], self.top, out=self.hit)  # never where ReLU made a 0
                np.multiply(self.hit, dtop, out=self.dy[corner])
        dy = self.dy.reshape(self.f, -1)
        np.matmul(dy, self.cols.T, out=self.dw)
        if self.dcols is None or self.dx is None:
            return None
        np.matmul(self.w.T, dy, out=self.dcols)
        taps = self.dcols.reshape(self.c, 5, 5, self.o, self.o, self.n)
        self.dx.fill(0)
        for i in range(5):
            for j in range(5):
                part = self.dx[:, i : i + self.o, j : j + self.o]
                np.add(part, taps[:, i, j], out=part)
        return self.dx


class Dense:
    """A layer w @ x + b of (features, N) columns, with ReLU unless it is the last."""

    def __init__(self, rng: Any, i: int, o: int, n: int, relu: bool) -> None:
        self.relu = relu
        self.w = (rng.standard_normal((o, i)) * i**-0.5).astype(F32)
        self.b = np.zeros((o, 1), F32)
        self.dw, self.mw = np.empty_like(self.w), np.zeros_like(self.w)
        self.db, self.mb = np.empty_like(self.b), np.zeros_like(self.b)
        self.y, self.mask = np.empty((o, n), F32), np.empty((o, n), F32)
        self.dx = np.empty((i, n), F32)
        self.x = self.dx

    def forward(self, x: np.ndarray) -> np.ndarray:
        self.x = x
        np.matmul(self.w, x, out=self.y)
        np.add(self.y, self.b, out=self.y)
        if self.relu:
            np.maximum(self.y, 0, out=self.y)
        return self.y

    def backward(self, dy: np.ndarray) -> np.ndarray:
        if self.relu:
            np.greater(self.y, 0, out=self.mask)
            np.multiply(dy, self.mask, out=dy)
        np.matmul(dy, self.x.T, out=self.dw)
        np.add.reduce(dy, axis=1, keepdims=True, out=self.db)
        np.matmul(self.w.T, dy, out=self.dx)
        return self.dx


def make_lenet_step(x: np.ndarray, labels: np.ndarray) -> Callable[[], float]:
    """Make a step on one batch x (N, 1, 32, 32): forward, backward, Momentum; it returns
    the loss.
    """
    rng, n = np.random.default_rng(0), len(x)
    convs = [Conv(rng, 1, 6, 32, n, False), Conv(rng, 6, 16, 14, n, True)]
    sizes = [400, 120, 84, 10]
    dense = [Dense(rng, i, o, n, o != 10) for i, o in pairwise(sizes)]
    image = np.empty((1, 32, 32, n), F32)
    p, where = np.empty((10, n), F32), np.arange(n)
    updates = [(c.w, c.dw, c.m, np.empty_like(c.w)) for c in convs]
    updates += [(d.w, d.dw, d.mw, np.empty_like(d.w)) for d in dense]
    updates += [(d.b, d.db, d.mb, np.empty_like(d.b)) for d in dense]

    def step() -> float:
        np.copyto(image, x.transpose(1, 2, 3, 0))
        h = convs[1].forward(convs[0].forward(image)).reshape(400, n)
        for d in dense:
            h = d.forward(h)
        np.subtract(h, h.max(axis=0), out=p)
        picked = p[labels, where]
        np.exp(p, out=p)
        total = p.sum(axis=0)
        loss = float(np.mean(np.log(total) - picked))
        np.divide(p, total * n, out=p)
        p[labels, where] -= F32(1 / n)
        g = p
        for d in reversed(dense):
            g = d.backward(g)
        back = convs[1].backward(g.reshape(16, 5, 5, n))
        assert back is not None
        convs[0].backward(back)
        for w, dw, m, work in updates:
            np.multiply(m, F32(0.9), out=m)
            np.add(m, dw, out=m)
            np.multiply(m, F32(0.01), out=work)
            np.subtract(w, work, out=w)
        return loss

    return step
