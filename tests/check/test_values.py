"""What reaches a result, and who shares memory: each program ran on MindSpore 2.10 (CPU)."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from benchmarks.check import predict_in_child

PROGRAM = """import mindspore as ms
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
STATE = {'k': 2}


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.k, self.seen = 0, []
        self.w = ms.Parameter(Tensor([1.0, 2.0]), name="w")

    def construct(self, x, y):
LINES


net, x, y = Net(), Tensor([1.25, 2.5]), Tensor([3.75, 0.5])
first = net(x, y)
STATE['k'] = 7
print(net(x, y), x, y)
"""
OTHER = {
    "self.w = self.w + x\nf = lambda e: e * 2\nreturn f(x), y": "lambda-drops-effect",
    "ops.assign(self.w, x)\nf = lambda e: e * 2\nreturn f(x), y": "lambda-drops-effect",
    "print(1)\nf = lambda e: e * 2\nfor i in range(2):\n    y = y + i\nreturn f(x), y": (
        "lambda-after-effect"
    ),
    "for i in range(2):\n    f = lambda e: e * 2\n    y = y + f(x)\nreturn x, y": "lambda-in-for",
    "t = ops.identity(x)\nt += 1\nreturn t, y": "augmented",
    "t = x * 1\nv = [t]\nt += 1\nreturn v[0], y": "augmented",
    "t = x if x.sum() > 3 else y\nt += y\nreturn t, x": "augmented",
    "self.k = self.k + 1\nx[0] = 5\nreturn x * self.k, y": "given-written",
    "t = y * 2\nt += 2\nv = t.sum() and 3\nu = x * v\nreturn x, y": "branch-types",
    "return x * STATE['k'], y": "stale",
    "t = x\nt += y\nu = t * 1\nreturn x, y": "augmented",
    "t = x\nt += y\nif self.k > 1:\n    y = t\nreturn x, y": "augmented",
    "t = y\nif x.sum() > 1:\n    t = x\nu = x\nu += 1\nreturn u, y": "augmented",
    "t = None\nif x.sum() > 1:\n    t = x\nx += 1\nreturn y, x": "augmented",
    "z = x * 2\nu = 0\nfor v in [z, y]:\n    u += v\nreturn u, z": "augmented",
    "if self.k > 0:\n    y = x\nself.k += 1\nreturn self.w * self.k, y": "self-cache",
    "t = y\nt += x\nv = [t]\nv.append(x)\nreturn v[1], x": "augmented",
    "return x if f'{2.5:.0f}' == '2' else y, y": "format-spec",
    "t = x * 2\nif f'{2.5:.0f}' == '2':\n    t = y\nreturn t, y": "format-spec",
    "z = y * y.asnumpy().sum()\nx += 1\nreturn x, z": "augmented",
    "t = x * STATE['k']\nv = [y * 2, t]\nreturn v[1] + 1, x": "stale",
    "t = x * 2\nu = ops.reshape(t, (-1,))\nu += 1\nv = [y, t]\nv.append(y * 2)\nreturn v[1], y": (
        "augmented"
    ),
    "t = x * 2\nu = t\nu += y\nreturn y * (t * 2).asnumpy().sum(), u": "augmented",
    "d = {'a': 1}\ne = d\ne['b'] = 2\nreturn x * len(d), y": "list-alias",
    "v = [y, x]\nv.pop()\nt = v[0] * len(v)\ny *= t\nreturn t, x": "augmented",
    "t = y\nt += x\nu = t\nu = x * 2\nreturn u, y": "augmented",
    "t = x * STATE['k']\nfor i in range(2):\n    y = y + t\n    t = x\nreturn y, x": "stale",
    "t = y\nfor i in range(2):\n    t += x\nu = t\nif x.ndim == 1:\n    u = x * 2\nreturn u, y": (
        "augmented"
    ),
    "u = x\nif x.ndim == 1:\n    y += x\n    u = y\nif x.ndim == 1:\n    u = x * 2\nreturn u, x": (
        "augmented"
    ),
    "p = zip((1, 2), (3, 4))\ni = 0\nwhile i < 2:\n    for a, b in p:\n        x = x + a * b\n"
    "    i += 1\nreturn x, y": "used-twice",
    "z = ops.stack((x, y))\nreturn z.max(-1)[0], y": "extreme-form",
    "z = ops.stack((x, y))\nreturn z.min(0, True), y": "extreme-form",
    "z = ops.stack((x, y))\nreturn z.argmax(), y": "extreme-form",
    "t = x * STATE['k']\nv = [y, t]\nv[0] = x\nreturn v[1], y": "stale",
    "t = x * STATE['k']\nv = [y]\nv.insert(0, t)\nreturn v[0], y": "stale",
    "v = [x * STATE['k']]\nw = v\nw[0] = w[0] + 1\nreturn v[0], y": "stale",
    "t = y\nt += x\nv = [t, x]\nv[0] = x\nreturn v[0], x * 2": "augmented",
    "t = 2\nif y.sum() > 2:\n    t = y\nt = t * x\nv = [t, x]\nv[0] = x\nreturn v[0], x": (
        "branch-types"
    ),
    "t = y\nt += x\nv = {'a': t, 'b': x}\nreturn v['b'], x * 2": "augmented",
    "t = y\nt += x\nv = (t, x)\na, b = v\nreturn b, x * 2": "augmented",
    "t = y\nt += x\nv = [t, x]\nreturn v[::-1][0], y * 2": "augmented",
    "t = y\nif y.sum() > 3:\n    t = y * 2\nx += 2\nreturn x, t": "augmented",
    "t = y\nif y.sum() > 3:\n    while t.sum() < 20:\n        t = t + y\nx += 2\nreturn x, t": (
        "augmented"
    ),
    "v = 0\nt = x * 3\nif y.sum() > 3:\n    v = 1\nx += 2\nreturn x, t * v": "augmented",
    "v = 0\nif y.sum() > 3:\n    v = 1\nt = x\nt += 2\nreturn t * v, x": "augmented",
    "t = y if y.sum() > 30 else x\nt += 2\nreturn t, x * 2": "augmented",
    "t = y if y.sum() > 30 else x\nx += 2\nreturn t, y": "augmented",
    "t = x * 2\nt = y if t.sum() > 30 else x\nt += 2\nreturn t, y": "augmented",
    "t = x if y.sum() > 3 else y\nx += 2\nreturn t, y": "augmented",
    "t = x * 1\nu = y if y.sum() > 30 else t\nu += 2\nreturn u, t": "augmented",
    "self.k = 3\nt = x * len('net')\nu = x * 1\nv = u\nv += t\nreturn v, u": "augmented",
    "if y.sum() > 3 and self.k == 0:\n    x = x * 2\nreturn x, y": "branch-types",
    "if y.sum() > 3 or 0:\n    x = x * 2\nreturn x, y": "branch-types",
    "if not (y.sum() > 3) and not self.k:\n    x = x * 2\nreturn x, y": "branch-types",
    "if x.ndim == 1 and (y.sum() > 3 or self.k > 3):\n    x = x * 2\nreturn x, y": "branch-types",
    "while y.sum() > 2 and x.ndim == 1:\n    y = y - 3\nreturn x, y": "branch-types",
    "x = x * 2 if y.sum() > 2 and isinstance(x, Tensor) else y\nreturn x, y": "branch-types",
    "assert y.sum() > 3 and self.k == 0\nreturn x, y": "branch-types",
    "for i in range(3):\n    if y.sum() > 3 and i > 1:\n        x = x + y\nreturn x, y": (
        "branch-types"
    ),
    "if y.sum() > 3 and not self.seen:\n    x = x * 2\nreturn x, y": "branch-types",
    "t = x\nt += y\nv = [y, y]\nv.pop()\nreturn t, v[0]": "augmented",
    "t = x\nt += y\nu = t * 2\nv = [u]\nv.insert(0, y)\nreturn u, v[0]": "augmented",
    "t = x * 3\nu = ops.identity(t)\nu += 1\nself.k = self.k + 1\nreturn t * 2, y": "augmented",
    "u = ops.identity(x)\nu += 1\nself.k = self.k + 1\nreturn x * self.k, y": "augmented",
    "def g(e):\n    v = e.sum() and 3\n    return e * v\nt = [g(x), y]\nreturn x, t[1]": (
        "branch-types"
    ),
    "def g(e):\n    v = e.sum() and 3\n    return e * v\ny = y + 1\nt, u = g(x), y\nreturn x, u": (
        "branch-types"
    ),
    "def g(e):\n    v = e.sum() and 3\n    return e * v\nt = g(x)\nprint(t)\nreturn x, y": (
        "branch-types"
    ),
    "d = {'a': x * STATE['k']}\nreturn d.get('a', y), x": "stale",
}
SAME = {
    "z = ops.stack((x, y))\nreturn z.max(axis=1), z.argmax(1)": "extreme-form",
    "z = ops.stack((x, y))\nreturn z.max(1, keepdim=True)[0], z.argmin()": "extreme-form",
    "return x.argmax(), max(1, 2) * x.min(dim=0)[0]": "extreme-form",
    "f = lambda e: e * 2\nself.w = self.w + x\nreturn f(x), y": "lambda-drops-effect",
    "print(1)\nf = lambda e: e * 2\nreturn f(x), y": "lambda-after-effect",
    "t = x.copy()\nt += 1\nreturn t, x": "augmented",
    "t = x * 2\nu = t\nu += t\nreturn u, x": "augmented",
    "t = x if x.sum() > 4 else y\nt += x\nreturn t, x": "augmented",
    "while y.sum() < 20:\n    y = y + 3\nx += 1\nreturn y * 2, y": "augmented",
    "t = x\nt += y\nif y.ndim == 1:\n    u = y\nelse:\n    u = t\nreturn u, x": "augmented",
    "t = x\nt += y\nu = y if 'net'.upper() == 'NET' else t\nreturn u, x": "augmented",
    "t = x\nt += y\nu = y if self.k < 1 else t\nreturn u, x": "augmented",
    "t = x\nt += y\nz = x * 1\nu = y if z.ndim == 1 else t\nreturn u, x": "augmented",
    "t = x\nt += y\nz = x * 1\nu = y if isinstance(z, Tensor) else t\nreturn u, x": "augmented",
    "t = x * STATE['k']\nv = {'a': y}\nu = y if 'a' in v else t\nreturn u, x": "stale",
    "z = x * 2\nu = 0\nfor v in [z, y]:\n    u += v\nreturn u, x": "augmented",
    "z = x * y.asnumpy().sum()\nu = z\nu += 1\nreturn u, z": "augmented",
    "u = x\nif self.k > 1:\n    u = y\nself.k += 1\nreturn self.w * self.k, x": "self-cache",
    "t = x * STATE['k']\nu = y if hasattr(self, 'w') else t\nreturn u, x": "stale",
    "t = y\nt += x\nv = [x, t]\nreturn v[0], x": "augmented",
    "t = x * STATE['k']\nv = [y * 2, t]\nreturn v[0] + 1, x": "stale",
    "t = x * STATE['k']\nu = y\nif t.shape[0] > 5:\n    u = x\nreturn u, x": "stale",
    "t = x * 2\nu = ops.reshape(t, (-1,))\nu += 1\nv = [y, t]\nv.append(y * 2)\nreturn v[2], y": (
        "augmented"
    ),
    "if y.sum() > 1:\n    t = y\nelse:\n    t = x * 2\nx += y\nreturn x, y": "augmented",
    "t = None\nif x.sum() > 1:\n    t = x\nt = y if t is None else t\nt += 1\nreturn t, x": (
        "augmented"
    ),
    "t = x * 1\nv = [t]\nt += 1\nt = v[0] + 0\nif self.k < 1:\n    t = y\nelse:\n    u = t\n"
    "return x, y": "augmented",
    "t = x * 1\nu = t\nfor layer in (nn.ReLU(), nn.ReLU()):\n    u = layer(u)\nt[0] = 3\n"
    "return u, t": "item-written",
    "if y.sum() > 1:\n    for i in range(2):\n        y = y + i\n"
    "return [x * i for i in range(3)][1], y": "bound-in-branch",
    "t = x * STATE['k']\nif self.k > 1:\n    y = t\nreturn x, y": "stale",
    "if self.k < 1:\n    return x, y\nfor i in range(2):\n    t = x * i\nreturn t, x": (
        "bound-in-loop"
    ),
    "t = ops.zeros_like(x)\nfor i in range(2):\n    t[i] = x[i]\n    y = y + i\nreturn t, y": (
        "item-written"
    ),
    "t = x * STATE['k']\nv = [t, y]\nv[0] = x\nreturn v[0], v[1]": "stale",
    "t = x * STATE['k']\nv = [t]\nv.insert(0, y)\nreturn v[0], y": "stale",
    "t = x * STATE['k']\nv = [y]\nv.append(t)\nreturn v[0], y": "stale",
    "t = x * STATE['k']\nv = [y, t]\nv.pop()\nreturn v[0], y": "stale",
    "t = x * STATE['k']\na, b = [t, y]\nreturn b, y": "stale",
    "t = x * STATE['k']\nv = (y, t)\na, b = v\nreturn a * 2, y": "stale",
    "t = x * STATE['k']\nv = [y, t]\nreturn v[-2] * 2, x": "stale",
    "t = x * STATE['k']\nv = {'a': y, 'b': t}\nreturn v['a'] * 2, x": "stale",
    "t = x * STATE['k']\nv = {'a': t}\nv['a'] = y\nreturn v['a'] * 2, x": "stale",
    "t = x * STATE['k']\nv = [t, y]\nfor i in range(2):\n    v[0] = y * i\nreturn v[0], x": "stale",
    "t = x * STATE['k']\nv = [t, y]\nreturn v[::-1][0] * len(v), x": "stale",
    "v = [x, y * STATE['k']]\nif x.ndim == 1:\n    v[1] = x * 2\nreturn v[1] + 1, x": "stale",
    "t = y * STATE['k']\nv = [x]\nfor i in range(2):\n    v.append(t * i)\nreturn v[0], x": "stale",
    "t = x * 1\nv = [t, y]\nt += 3\nv[0] = x\nreturn v[0] * 2, v[1]": "augmented",
    "t = x * 1\nv = [t, y]\nt += 3\nreturn v[1], y": "augmented",
    "t = y\nt += x\nv = [t, x]\nv.insert(0, x)\nreturn v[0], x * 2": "augmented",
    "t = y\nt += x\nv = [t, x]\nv.pop(0)\nreturn v[0], x * 2": "augmented",
    "t = x\nu = t if f'{2.5:.0f}' == '2' else x\nreturn u, y": "format-spec",
    "t = x\nu = x\nif f'{2.5:.0f}' == '2':\n    u = t\nreturn u * 2, y": "format-spec",
    "t = x\nu = t if t is x else x\nreturn u, y": "is",
    "while x.sum() < 30:\n    x = x + 3\n    if x.max() > 9:\n        break\nt = ops.identity(x)\n"
    "t += 3\nreturn t, y": "augmented",
    "t = None\nif x.sum() > 1:\n    t = x\nt = y if t is None else t\nu = ops.identity(t)\n"
    "u += 2\nreturn u, t": "augmented",
    "self.last = x * self.w\nreturn y, x": "self-cache",
    "t = [y * i for i in range(6) if i % 2]\nu = t[0] + 1\nreturn x * 2, y": "comprehension",
    "def g(e):\n    return e * STATE['k']\nt = g(x)\nreturn x, y": "stale",
    "def g(e):\n    return e * len([i for i in range(6) if i % 2])\nt = g(x)\nreturn x, y": (
        "comprehension-number"
    ),
    "v = [3, 1]\nv.sort()\nt = x * v[0]\nwhile t.sum() < 9:\n    t = t + 3\nreturn x, y": (
        "list-method"
    ),
    "t = x * STATE['k']\nreturn x, y": "stale",
    "STATE['k'] = 3\nreturn x * STATE['k'], y": "global",
    "self.seen.append(1)\nt = x * len(self.seen)\nreturn x, y": "self-append",
    "t = x * STATE['k']\nt = x * 3\nreturn t, y": "stale",
    "t = x * STATE['k']\nu = t\nif x.ndim == 1:\n    u = x * 3\nreturn u, y": "stale",
    "t = y\nt += x\nu = t\nif x.ndim == 1:\n    u = x * 2\nreturn u, y": "augmented",
    "t = x\nt += y\nif t.shape[0] > 3:\n    u = y\nu = y * 2\nreturn u, x": "augmented",
    "t = y * x\nu = ops.stop_gradient(t)\nu += x\nv = t * 2\nreturn v, u": "augmented",
    "t = x * 2\nu = ops.reshape(t, (-1,))\nt += 3\nv = u + y\nreturn v, t": "augmented",
    "t = sum([v * w for v, w in zip((x, y), reversed((x, y)))])\nu = x * 2\nv = u\nv += t\n"
    "return u, x": "augmented",
    "t = x\nwhile t.sum() < 30:\n    t = t + 3\n    if t.max() > 9:\n        break\ny *= x\n"
    "return t, y": "augmented",
    "v = 0\nif y.sum() > 3:\n    v = 1\nx += 2\nreturn x, y * v": "augmented",
    "t = y\nif y.sum() > 3:\n    ops.assign(self.w, y)\nx += 2\nreturn x, t": "augmented",
    "t = y\nif y.sum() > 3:\n    print(1)\nx += 2\nreturn x, t": "augmented",
    "t = y\nif y.sum() > 3:\n    x += 1\n    t = y * 2\nreturn x, t": "augmented",
    "t = y\nfor i in range(2):\n    if t.sum() > 1:\n        x += 1\nreturn x, t": "augmented",
    "t = y\nif y.sum() > 3:\n    t = x\nt += 2\nreturn t, y": "augmented",
    "t = x\nif y.sum() > 30:\n    t = y\nt += 2\nreturn t, y": "augmented",
    "t = y * 2\nu = x * 2\nwhile t.sum() < 20:\n    t = t + 3\nx += 2\nreturn t, y": "augmented",
    "t = y\nwhile t.sum() < 20:\n    t = t + x\nx += 1\nreturn x, t": "augmented",
    "v = [y, x]\nt = v[0] * 2\nwhile t.sum() < 20:\n    t = t + 3\nx += 2\nreturn t, y": (
        "augmented"
    ),
    "if y.sum() > 3:\n    return y, y\nx += 1\nreturn x, y": "augmented",
    "t = y * 0\nx += t\nreturn x, y": "augmented",
    "t = x * 1\nif y.sum() > 30:\n    u = t\n    u += 1\nreturn t, y": "augmented",
    "self.k = 3\nt = x * self.k\nu = x * 1\nv = u\nv += t\nreturn v, u": "augmented",
    "t = x + y\ndef g(e):\n    u = ops.reshape(t, (2, 1)).reshape(2)\n    u += 3\n"
    "    return u * e\nv = g(x)\nt = t * 2\nreturn x, y": "augmented",
    "if self.k == 0 and y.sum() > 3:\n    x = x * 2\nreturn x, y": "branch-types",
    "t = None\nif y.sum() > 3:\n    t = y\nu = x if f'{2.5:.0f}' == '2' else y * 2\n"
    "t = u if t is None else t\nreturn t, y": "format-spec",
    "t = x * STATE['k']\nu = x\nif y.sum() > 30:\n    u = t\nreturn u, y": "stale",
    "t = x * 1\nu = t\nu[0] = 4\nif y.sum() > 30:\n    y = t * 2\nreturn u, y": "item-written",
    "def g(e):\n    u = sum([v * w for v, w in zip((e, x), reversed((e, x)))])\n    return u * e\n"
    "t = g(y)\nreturn x, y": "reversed-comprehension",
    "t = x * STATE['k']\nu, v = ops.split(t, 1)\nreturn x, y": "stale",
    "t = x * STATE['k']\nif t.sum() > 1:\n    y = y + 1\nreturn x, y": "stale",
    "u = y if (x * STATE['k']).sum() > 4 and x.sum() > 4 else x\nreturn u, y": "stale",
    "d = {'a': x * STATE['k']}\nreturn d.get('c', y), x": "stale",
    "t = x if x.sum() > 3 else y\nu = x if f'{2.5:.0f}' == '2' else t\nreturn u, y": "format-spec",
    "def g(e):\n    v = e.sum() and 3\n    return e * v\nt = g(x)\nreturn x, y": "branch-types",
    "def g(e):\n    v = e.sum() and 3\n    return e * v\nif y.sum() > 2:\n    t = g(x)\n"
    "return x, y": "branch-types",
    "def g(e):\n    return e * [e, y].index(e)\nt = g(x)\nreturn x, y": "index-of-tensor",
    "t = x\nt += y\nv = [t]\nv.insert(0, y)\nreturn t, v[0]": "augmented",
    "t = x\nt += y\nv = [t, y]\nv.pop()\nu = ops.stop_gradient(t)\nu += 1\nreturn v[0], u": (
        "augmented"
    ),
    "t = x\nt += y\nif self.k > 1:\n    u = x\nelse:\n    u = t\nv = [u]\nv.insert(0, y)\n"
    "return u, v[0]": "augmented",
    "t = x * 3\nu = t\nt += 1\nself.k = self.k + 1\nreturn u * self.k, y": "augmented",
    "t = x * 3\nu = ops.identity(t)\nu += 1\nself.k = self.k + 1\nreturn t * self.k, u": (
        "augmented"
    ),
    "t = x * 3\nu = ops.identity(t)\nu += 1\nv = [t]\nv.insert(0, y)\nreturn v[1], y": "augmented",
    "t = x * STATE['k']\nt.register_hook(lambda g: g * 3)\nreturn x, y": "stale",
}
OTHER_IN_STRICT = [
    "v = [x]\nv.insert(0, y)\nt = v[0]\nt += 3\nreturn t, y",
    "v = [x, y]\nv.pop()\nt = v[0]\nt += 3\nreturn t, x",
    "t = x * 2\nv = [t]\nv.insert(0, y)\nt += 3\nu = v[1]\nreturn u, y",
    "t = x * 2\nv = [y]\nv.insert(0, t)\nu = v[0]\nu += 3\nreturn u, t",
]


def find_certain(check_script, lines: str, program: str = PROGRAM) -> list[dict[str, Any]]:
    text = program.replace("LINES", textwrap.indent(lines, " " * 8))
    findings = check_script(text.replace("mindspore", "minispore"), "--strict")["findings"]
    return [f for f in findings if f["sure"] == "certain"]


def find_rules_that_differ(check_script, lines: str, program: str = PROGRAM) -> set[str]:
    return {f["rule"] for f in find_certain(check_script, lines, program) if f["lax"]}


@pytest.mark.parametrize(("lines", "rule"), OTHER.items())
def test_what_mindspore_does_otherwise_is_a_finding(lines: str, rule: str, check_script) -> None:
    assert rule in find_rules_that_differ(check_script, lines)


@pytest.mark.parametrize(("lines", "rule"), SAME.items())
def test_what_mindspore_does_alike_is_no_finding(lines: str, rule: str, check_script) -> None:
    assert rule not in find_rules_that_differ(check_script, lines)


@pytest.mark.parametrize("lines", OTHER_IN_STRICT)
def test_what_only_strict_does_otherwise_is_a_finding_of_strict(lines: str, check_script) -> None:
    findings = find_certain(check_script, lines)
    assert [(f["rule"], f["lax"], f["strict"]) for f in findings] == [
        ("augmented-strict", "", "other")
    ]


TRAINING = (
    PROGRAM.partition("net, x, y = ")[0]
    + """net = Net()
step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.125))
for _ in range(2):
    step(Tensor([1.25, 2.5]), Tensor([3.75, 0.5]))
"""
)
OTHER_IN_TRAINING = {
    "t = y * self.w\nu = ops.identity(t)\nu += 3\nt = t * 1\nreturn (t * y).sum()": "augmented",
    "t = y * self.w\nu = t\nu += 3\nv = ops.relu(t)\nreturn (v * y * self.w).sum()": "augmented",
    "self.k += 1\nt = self.w * self.k\nreturn (t * y).sum()": "self-cache",
    "t = x * 2\nt.register_hook(lambda g: g * 3)\nreturn (t * y * self.w).sum()": "tensor-hook",
    "t = x * 2\nt.register_hook(lambda g: g * 3)\nif t.sum() > 100:\n    y = y * 2\n"
    "return (y * self.w).sum()": "tensor-hook",
    "t = self.w * x\nself.k += 2\nreturn (t * y).sum() * self.k": "self-cache",
}
SAME_IN_TRAINING = {
    "t = y * x\nv = [t]\nt += 3\nu = v[0] * x\nreturn (u * y * self.w).sum()": "augmented",
    "t = y * self.w\nu = ops.cast(t, ms.float32)\nu += 3\nv = t * 1\nreturn (v * y).sum()": (
        "augmented"
    ),
    "t = y * self.w\nt = x * self.k\nself.k = self.k + 1\nt = x * self.k\n"
    "return (t * y).sum()": "self-cache",
    "t = x * 2\nt.register_hook(lambda g: g * 3)\nu = t * 3\nreturn (y * self.w).sum()": (
        "tensor-hook"
    ),
    "t = x * 2\nt.register_hook(lambda g: g * 3)\nu = ops.stop_gradient(t)\n"
    "return (u * self.w).sum()": "tensor-hook",
    "t = x * 2\nt.register_hook(lambda g: g * 3)\nv = [t, y]\nv[0] = x\n"
    "return (v[0] * self.w).sum()": "tensor-hook",
    "t = x * 2\nt.register_hook(lambda g: g * 3)\nreturn (y * self.w * t.shape[0]).sum()": (
        "tensor-hook"
    ),
    "t = x * 2\nt.register_hook(lambda g: g * 3)\nreturn (y * self.w * t.sum().item()).sum()": (
        "tensor-hook"
    ),
    "self.k += 1\nt = self.w * x\nreturn (t * y).sum()": "self-cache",
    "t = y.reshape(1, 2)\nt[0, 0] = 2\nreturn (t[0] * self.w).sum()": "given-written",
}


@pytest.mark.parametrize(("lines", "rule"), OTHER_IN_TRAINING.items())
def test_what_a_training_does_otherwise_is_a_finding(lines: str, rule: str, check_script) -> None:
    assert rule in find_rules_that_differ(check_script, lines, TRAINING)


@pytest.mark.parametrize(("lines", "rule"), SAME_IN_TRAINING.items())
def test_what_a_training_does_alike_is_no_finding(lines: str, rule: str, check_script) -> None:
    assert rule not in find_rules_that_differ(check_script, lines, TRAINING)


@pytest.mark.parametrize(("loss", "rules"), [("self.w * t", {"stale"}), ("self.w", set())])
def test_a_training_is_stale_if_its_loss_reads_the_change(loss, rules, check_script) -> None:
    program = TRAINING + "net.k = 5\nstep(Tensor([1.25, 2.5]), Tensor([3.75, 0.5]))\n"
    lines = f"t = x * self.k\nreturn ({loss} * y).sum()"
    assert find_rules_that_differ(check_script, lines, program) == rules


FUNCTION = """class Net(nn.Cell):
    def construct(self, x, y):
        t = y * x.asnumpy().sum()
        u = x * 2
        if x.ndim == OUTCOME:
            u = t
        return u, y


def program():
    return Net()(Tensor([1.25, 2.5]), Tensor([3.75, 0.5]))
"""


@pytest.mark.parametrize(("outcome", "strict"), [("1", "refused"), ("2", "same")])
def test_strict_takes_a_refused_value_that_only_an_untaken_side_needs(
    outcome: str, strict: str, tmp_path
) -> None:
    program = {"id": f"untaken_{outcome}", "source": FUNCTION.replace("OUTCOME", outcome)}
    predicted = predict_in_child(program, str(tmp_path))
    assert (predicted["lax"], predicted["strict"]) == ("same", strict)


REFUSED_IN_STRICT = {
    "t = x\nu = t if t is x else x\nreturn u, y": "is",
    "t = y if 'net'.startswith('n') else x\nv = [t, x]\nv[0] = x\nreturn v[0], x * 2": "text",
    "t = y if 'net'.startswith('n') else x\nv = {'a': t, 'b': x}\nreturn v['b'], x * 2": "text",
    "return x if 'net'.startswith('n') else y, y": "text",
}
SAME_IN_STRICT = {
    "t = None\nif x.sum() > 1:\n    t = y\nreturn x * 2, y": "none-or-tensor",
}


@pytest.mark.parametrize(("lines", "rule"), REFUSED_IN_STRICT.items())
def test_strict_refuses_what_reaches_no_result(lines: str, rule: str, check_script) -> None:
    findings = find_certain(check_script, lines)
    assert (rule, "", "refused") in [(f["rule"], f["lax"], f["strict"]) for f in findings]


@pytest.mark.parametrize(("lines", "rule"), SAME_IN_STRICT.items())
def test_strict_takes_what_nothing_reads(lines: str, rule: str, check_script) -> None:
    assert rule not in [f["rule"] for f in find_certain(check_script, lines)]


HOOK = """import mindspore as ms
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()

    def construct(self, x, y):
        t = self.relu(x)
        return RESULT, y


net, x, y = Net(), Tensor([1.25, 2.5]), Tensor([3.75, 0.5])
handle = net.relu.register_forward_hook(lambda cell, inputs, output: output * 2)
print(net(x, y))
handle.remove()
print(net(x, y))
"""


@pytest.mark.parametrize(
    ("result", "rules"),
    [("t", {"lambda", "stale"}), ("y if isinstance(1, int) else t", set())],
)
def test_a_hook_counts_if_its_layer_is_compiled(result: str, rules: set[str], check_script) -> None:
    text = HOOK.replace("RESULT", result).replace("mindspore", "minispore")
    findings = [f for f in check_script(text)["findings"] if f["sure"] == "certain"]
    assert {f["rule"] for f in findings if f["lax"]} == rules


METHOD = """import minispore as ms
from minispore import Tensor, nn


class Net(nn.Cell):
    def hasattr(self):
        return 1

    def construct(self, x):
        y = x * 2
        if self.hasattr():
            y += 1
        return y


ms.set_context(mode=ms.GRAPH_MODE)
Net()(Tensor([1.25, 2.5]))
"""


def test_a_method_that_is_called_hasattr_is_no_test_of_an_attribute(check_script) -> None:
    assert check_script(METHOD)["findings"] == []
