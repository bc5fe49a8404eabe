"""Random programs with the verdicts of a real MindSpore: a file that the benchmark check reads."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MODES = ("pynative", "lax", "strict")

#: Statements by feature. ``{a}`` and ``{b}`` are tensors of shape (2,), ``{n}`` is a small number,
#: ``{t}`` a new name of a tensor, ``{v}`` a new name of another kind. ``{block}`` is a statement
#: of another feature, and ``{inner}`` its tensor. Lines that begin with ``before:`` stand before
#: the first call of the network, those with ``between:`` before the second.
FEATURES: dict[str, tuple[str, ...]] = {
    "arithmetic": (
        "{t} = {a} * {n} + {b}",
        "{t} = ops.relu({a} - {n})",
        "{t} = -{a}",
        "{t} = ({a} > {n}).astype(ms.float32) * {b}",
        "{t} = {n} - {a} ** 2",
    ),
    "in place": (
        "{a} += {n}",
        "{a} *= {b}",
        "{t} = {a}\n{t} += {b}",
        "{t} = {a} * 2\n{t} -= 1",
        "{t} = {a} * 1\n{v} = [{t}]\n{t} += {n}\n{t} = {v}[0] + 0",
    ),
    "idle op": (
        "{t} = ops.cast({a}, ms.float32)\n{t} += {n}",
        "{t} = ops.reshape({a}, (-1,))\n{t} *= 2",
        "{t} = ops.stop_gradient({a})\n{t} += {b}",
        "{t} = ops.reshape({a}, (2, 1)).reshape(2)\n{t} += {n}",
        "{t} = ops.identity({a})\n{t} += {n}",
        "{t} = {a}.astype(ms.float16).astype(ms.float32)\n{t} -= {n}",
    ),
    "view": (
        "{t} = {a}[:]\n{t} += {n}",
        "{v} = {a}.reshape(1, 2)\n{v}[0, 0] = {n}\n{t} = {v}[0]",
        "{t} = {a}.view(1, 2)[0]\n{t} *= 2",
        "{t} = {a} * 1\n{v} = {t}[:1]\n{v} += {n}",
        "{t} = {a}.copy()\n{t} += {n}",
    ),
    "tensor branch": (
        "if {a}.sum() > {n}:\n    {t} = {a}\nelse:\n    {t} = {b} * 2",
        "{t} = {a}\nif {b}.max() > {n}:\n    {t} = {t} + 1",
        "{t} = None\nif {a}.sum() > {n}:\n    {t} = {a}\n{t} = {b} if {t} is None else {t}",
        "{v} = 0\nif {a}.sum() > {n}:\n    {v} = 1\n{t} = {a} * {v}",
        "{t} = {a} if {a}.sum() > {n} else {b}",
        "{t} = {n}\nif {a}.sum() > {n}:\n    {t} = {a}\n{t} = {t} * {b}",
    ),
    "constant branch": (
        "if {a}.ndim == 1:\n    {t} = {a} + 1\nelse:\n    {t} = {b}",
        "if self.k > 1:\n    {t} = {a}\nelse:\n    {t} = {b}",
        "if {a}.shape[0] > 5:\n    {t} = {a}\n{t} = {b}",
        "if self.name == 'net':\n    {t} = {a} * 2\nelse:\n    {t} = {a}",
        "if isinstance({a}, Tensor):\n    {t} = {a} + {b}\nelse:\n    {t} = {b}",
    ),
    "and, or, not": (
        "{t} = {n} and {a}",
        "{t} = self.k or {a}\n{t} = {t} * {b}",
        "{t} = {a}.sum() and {n}\n{t} = {b} * {t}",
        "{t} = {a} if not {n} else {b}",
        "{t} = {a} if {a}.sum() > {n} and {b}.sum() > {n} else {b}",
    ),
    "for": (
        "{t} = {a}\nfor i in range({n}):\n    {t} = {t} + i",
        "{t} = 0\nfor {v} in ({a}, {b}):\n    {t} = {t} + {v}",
        "{t} = 0\nfor {v} in [{a}, {b}]:\n    {t} += {v}",
        "{t} = {a}\nfor {v} in {b}:\n    {t} = {t} * {v}",
        "{t} = {a}\nfor i in range({n}):\n    if i == 1:\n        continue\n    {t} = {t} + i",
        "{t} = {a}\nfor {v} in self.layers:\n    {t} = {v}({t})",
    ),
    "while": (
        "{t} = {a}\nwhile {t}.sum() < 20:\n    {t} = {t} + 3",
        "{v} = 0\n{t} = {a}\nwhile {v} < {n}:\n    {t} = {t} * 2\n    {v} = {v} + 1",
        "{t} = {a}\nwhile {t}.sum() < 30:\n    {t} = {t} + 3\n    if {t}.max() > 9:\n        break",
    ),
    "nested block": (
        "{t} = {a}\nif {b}.sum() > {n}:\n{block}\n    {t} = {inner} + {t}",
        "{t} = {a}\nfor {v} in range({n}):\n{block}\n    {t} = {t} + {inner}",
        "{t} = {a}\nif {b}.ndim == 1:\n{block}\n    {t} = {inner} * 1",
        "def g{n}(e):\n{block}\n    return {inner} * e\n{t} = g{n}({a})",
    ),
    "comprehension": (
        "{t} = {a} * len([i for i in range(6) if i % {n}])",
        "{t} = sum([{a} * i for i in range(3)])",
        "{t} = [{a} * i for i in range(4) if i > 1][0]",
        "{t} = {a} * len([v for v in (0, {n}, 1) if v])",
        "{t} = [v + 1 for v in ({a}, {b})][1]",
        "{t} = sum([v * w for v, w in zip(({a}, {b}), reversed(({a}, {b})))])",
        "{t} = {{i: {a} * i for i in range(3)}}[1]",
    ),
    "list": (
        "{v} = [{a}, {b}]\n{v}.append({a} * 2)\n{t} = {v}[2]",
        "{v} = [{a}, {b}]\n{v}[0] = {b}\n{t} = {v}[0]",
        "{v} = [{a} * 2, {b}]\n{v}[0] += {n}\n{t} = {v}[0]",
        "{v} = [{a}, {b}]\n{v}.pop()\n{t} = {v}[0] * len({v})",
        "{v} = [3, 1, 2]\n{v}.sort()\n{t} = {a} * {v}[0]",
        "{v} = [{a}]\n{v}.insert(0, {b})\n{t} = {v}[0]",
        "{v} = [{a}, {b}]\n{t} = {a} * {v}.index({b})",
        "{v} = [{a}, {b}]\n{t} = {v}[::-1][0]",
    ),
    "dict": (
        "{v} = {{'a': {a}}}\n{v}['b'] = {b}\n{t} = {v}['b']",
        "{v} = {{'a': {a}, 'b': {b}}}\n{t} = sum({v}.values())",
        "{v} = {{'a': {a}}}\n{t} = {v}.get('c', {b})",
        "{t} = {a}\nfor k, {v} in {{'a': {a}, 'b': {b}}}.items():\n    {t} = {t} + {v}",
        "{v} = {{'a': {a}}}\n{t} = {a} + {n} if 'a' in {v} else {b}",
    ),
    "iterator": (
        "{t} = {a}\nfor i, {v} in enumerate(({a}, {b})):\n    {t} = {t} + {v} * i",
        "{v} = zip(({n}, 1), (2, 3))\n{t} = {a}\nfor i, j in {v}:\n    {t} = {t} + i * j",
        "{v} = zip((1, 2), (3, 4))\n{t} = {a} * len(list({v})) + len(list({v}))",
        "{t} = sum(map(lambda e: e * 2, ({a}, {b})))",
        "{t} = {a}\nfor i in reversed(range({n})):\n    {t} = {t} - i",
    ),
    "closure": (
        "{v} = {n}\ndef f{n}(e):\n    return e * {v}\n{t} = f{n}({a})",
        "{v} = {n}\nf = lambda e: e + {v}\n{v} = 5\n{t} = f({a})",
        "fs = [lambda e: e * i for i in range(3)]\n{t} = fs[0]({a})",
        "{t} = (lambda e: e * 2)({a})",
        "{t} = partial(ops.add, {b})({a})",
        "def h{n}(e, scale={n}):\n    return e * scale\n{t} = partial(h{n}, scale=2)({a})",
    ),
    "text": (
        "{v} = f'{{{n}}}'\n{t} = {a} * len({v})",
        "{t} = {a} if f'{{2.5:.0f}}' == '2' else {b}",
        "{t} = {a} if 'net'.upper() == 'NET' else {b}",
        "{t} = {a} if 'net'.startswith('n') else {b}",
        "{t} = {a} * len('a,b'.split(','))",
    ),
    "built-in": (
        "{t} = {a} * math.sqrt({n})",
        "{t} = {a} * float({b}.sum())",
        "{t} = {a} * int({n} / 2)",
        "{t} = {a} + abs({b})",
        "{t} = {a} * sorted(({n}, 2, 1))[0]",
        "{t} = {a} * getattr(self, 'k')",
        "{t} = {a} if hasattr(self, 'w') else {b}",
        "{t} = {a} * (divmod(7, {n})[1] + round(2.4))",
        "{t} = {a} if any(({n} > 1, {n} > 2)) else {b}",
        "{t} = {a} * pow({n}, 2)",
    ),
    "outside world": (
        "{t} = {a} * {b}.asnumpy().sum()",
        "{t} = {a} * {b}.sum().item()",
        "import math as m{n}\n{t} = {a} * m{n}.floor(2.5)",
        "try:\n    {t} = {a} * {n}\nexcept ValueError:\n    {t} = {b}",
        "with open('/dev/null') as f:\n    {t} = {a}",
        "{t} = {a} * len(b'ab')",
        "{t} = {a} * len({{1, {n}}})",
        "{t} = {a} * np.array([1.0, 2.0]).sum()",
    ),
    "state": (
        "self.k = self.k + 1\n{t} = {a} * self.k",
        "self.k += {n}\n{t} = {a}",
        "self.last = {a}\n{t} = {b}",
        "self.w = self.w + {a}\n{t} = self.w * 1",
        "self.w += 1\n{t} = self.w * {a}",
        "{t} = self.w * {a}",
        "ops.assign(self.w, {a})\n{t} = {b} * self.w",
        "self.seen.append({n})\n{t} = {a} * len(self.seen)",
        "STATE['k'] = {n}\n{t} = {a} * STATE['k']",
    ),
    "changed between": (
        "{t} = {a} * self.k\nbetween: net.k = 5",
        "{t} = {a} * 2 if self.training else {a}\nbetween: net.set_train()",
        "{t} = {a} * self.w\nbetween: net.w.set_data(Tensor([5.0, 6.0]))",
        "{t} = {a} * STATE['k']\nbetween: STATE['k'] = 7",
        "{t} = {a} * len(self.seen)\nbetween: net.seen.append(1)",
    ),
    "item": (
        "{t} = {a} * 1\n{t}[0] = {n}",
        "{a}[0] = {n}",
        "{t} = {a}[0] + {b}",
        "{t} = {a} * 1\n{t}[0] += {n}",
        "{t} = {a}[:1] + {b}",
        "{t} = {a}\n{t}[0] = {n}",
    ),
    "layer": (
        "{t} = self.fc({a}.reshape(1, 2)).reshape(2)",
        "{t} = self.relu({a})",
        "{t} = self.block({a})",
        "{t} = nn.ReLU()({a} - {n})",
        "{t} = self.scale({a}, {n})",
    ),
    "hook": (
        "{t} = self.relu({a})\nbefore: net.relu.register_forward_hook("
        "lambda cell, inputs, output: output * {n})",
        "{t} = self.relu({a})\nbefore: handle = net.relu.register_forward_hook("
        "lambda cell, inputs, output: output * 2)\nbetween: handle.remove()",
        "{t} = self.relu({a})\nbefore: net.relu.register_forward_pre_hook("
        "lambda cell, inputs: (inputs[0] + {n},))",
        "{t} = {a} * 2\n{t}.register_hook(lambda g: g * {n})",
    ),
    "gradient": (
        "{t} = ms.grad(lambda e: (e * e).sum())({a})",
        "{t} = ms.grad(self.square)({a})",
        "{t} = ops.GradOperation()(self.square)({a})",
        "{v}, {t} = ms.value_and_grad(self.square)({a})",
        "{t} = ms.grad(partial(ops.mul, {b}))({a})",
        "{t} = ms.grad(ms.grad(lambda e: (e * e * e).sum()))({a})",
    ),
    "training step": (
        "{t} = self.w * {a}",
        "{t} = self.fc({a}.reshape(1, 2)).reshape(2) * self.w",
        "{t} = ops.stop_gradient(self.w) * {a} + self.w",
        "self.k += 1\n{t} = self.w * self.k",
        "{t} = self.square(self.w * {a})",
    ),
    "harmless": (
        "print('step')\n{t} = {a}",
        "assert {n} > 0\n{t} = {a}",
        "{v}, {t} = 1, {a}",
        "{t} = ops.stack([{a}, {b}]).sum(0)",
        "{t} = {a} if isinstance({n}, int) else {b}",
        "{v} = max({n}, 2)\n{t} = {a} * {v}",
        "print({a}.shape)\n{t} = {a}",
        "{t}: Tensor = {a} + {b}",
    ),
}
_PROGRAM = """import math
from functools import partial

import numpy as np

STATE = {{'k': 2}}


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.k, self.name, self.last, self.seen = 0, 'net', None, []
        self.fc, self.relu = nn.Dense(2, 2, weight_init='ones'), nn.ReLU()
        self.layers = nn.CellList([nn.ReLU(), nn.Sigmoid()])
        self.block = nn.SequentialCell(nn.ReLU(), nn.Tanh())
        self.w = ms.Parameter(Tensor([1.0, 2.0]), name='w')

    def square(self, e):
        return (e * e).sum()

    def scale(self, e, factor=2):
        return e * factor + self.k

    def construct(self, x, y):
{body}        return {result}


def program():
    net, x, y = Net(), Tensor([1.25, 2.5]), Tensor([3.75, 0.5])
{before}    first = {call}(x, y)
{between}    return first, {call}(x, y), x, y, net.k, net.w
"""
_TRAINING = "step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.125))"


def generate_programs(seed: int, count: int) -> Iterator[dict[str, str]]:
    """Yield programs of one to five statements each; the category is the feature of the first."""
    for index in range(count):
        draw, names = random.Random(f"{seed} {index}"), list(FEATURES)
        feature = names[index % len(names)]
        source = _write_program(draw, [feature, *draw.choices(names, k=draw.randint(0, 4))])
        yield {"id": f"s{seed}_{index}", "category": feature, "source": source}


def _write_program(draw: random.Random, features: list[str]) -> str:
    """Return a program with a statement of each of the features."""
    tensors, lines, number = ["x", "y"], [], iter(range(99))
    for feature in features:
        block, tensor = _write_statement(draw, feature, tensors, number)
        lines += block
        tensors += [tensor] if tensor not in tensors else []
    parts: dict[str, list[str]] = {"before": [], "between": [], "body": []}
    for line in lines:
        part, _, rest = line.lstrip().partition(": ")
        is_outside = part in ("before", "between")
        parts[part if is_outside else "body"].append(rest if is_outside else line)
    results = [tensors[-1], draw.choice(tensors[:-1])]
    result, call = f"({', '.join(results)})", "net"
    if features[0] == "training step":
        result, call = f"({' * '.join(results)}).sum()", "step"
        parts["before"].append(_TRAINING)
    indents = {"body": 8, "before": 4, "between": 4}
    texts = {p: "".join(" " * indents[p] + line + "\n" for line in parts[p]) for p in parts}
    return _PROGRAM.format(result=result, call=call, **texts)


def _write_statement(
    draw: random.Random, feature: str, tensors: list[str], number: Iterator[int]
) -> tuple[list[str], str]:
    """Return the lines of a statement of a feature, and the tensor that it makes or changes."""
    template, i = draw.choice(FEATURES[feature]), next(number)
    a, b = draw.sample(tensors, k=2)
    names = {"a": a, "b": b, "n": draw.randint(1, 4), "t": f"t{i}", "v": f"v{i}"}
    if "{block}" in template:
        others = [name for name in FEATURES if name != feature]
        block, names["inner"] = _write_statement(draw, draw.choice(others), tensors, number)
        names["block"] = "\n".join("    " + line for line in block)
    return template.format(**names).split("\n"), f"t{i}" if "{t}" in template else a


def run_program(program: dict[str, str], mode: str, ms: Any, folder: str) -> dict[str, Any]:
    """Run a program in this process and return its verdict, with the result as plain data."""
    graph = mode != "pynative"
    ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
    ms.set_context(jit_syntax_level=0 if mode == "strict" else 2)
    ms.set_seed(1)
    path = Path(folder, f"p_{program['id']}.py")
    path.write_text(program["source"], encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    vars(module).update(ms=ms, nn=ms.nn, ops=ms.ops, Tensor=ms.Tensor)
    try:
        spec.loader.exec_module(module)
        return {"verdict": "ok", "result": _to_plain_data(module.program(), ms)}
    except Exception as exc:
        return {"verdict": "error", "type": type(exc).__name__, "message": str(exc)[:200]}


def _to_plain_data(x: Any, ms: Any) -> Any:
    """Return a result as JSON can hold it, in the form that ``benchmarks.check`` compares."""
    if isinstance(x, ms.Tensor):
        array = x.asnumpy()
        kind = "Parameter" if isinstance(x, ms.Parameter) else "Tensor"
        data = [float(v) for v in array.ravel()]
        return {"kind": kind, "dtype": str(x.dtype), "shape": list(x.shape), "data": data}
    if isinstance(x, list | tuple):
        kind = "list" if isinstance(x, list) else "tuple"
        return {"kind": kind, "items": [_to_plain_data(v, ms) for v in x]}
    return x if isinstance(x, int | float | str | type(None)) else type(x).__name__


def serve(package: str, timeout: float) -> int:
    """Answer each line of the input, a program, by its verdicts, each from a child process."""
    ms = importlib.import_module(package)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            program = json.loads(line)
            verdicts = {m: _run_in_child(program, m, ms, folder, timeout) for m in MODES}
            if verdicts["pynative"]["verdict"] == "ok":  # else it is no program
                answers.write(json.dumps({**program, "real": verdicts}) + "\n")
    return 0


def _run_in_child(
    program: dict[str, str], mode: str, ms: Any, folder: str, timeout: float
) -> dict[str, Any]:
    """Run a program in a child process; a crash or an endless run is a verdict, too."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(write, json.dumps(run_program(program, mode, ms, folder)).encode())
        finally:
            os._exit(0)
    os.close(write)
    text = ""
    if select.select([read], [], [], timeout)[0]:
        with os.fdopen(read) as answer:
            text = answer.read()
    else:
        os.close(read)
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return json.loads(text) if text else {"verdict": "error", "type": "crash", "message": ""}


def main(argv: list[str]) -> int:
    """Write programs of a seed with their verdicts, a line each, for ``benchmarks check``."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks check_programs", description=__doc__
    )
    parser.add_argument("file", help="where the programs and verdicts go")
    parser.add_argument("--python", default=sys.executable, help="an interpreter with MindSpore")
    parser.add_argument("--package", default="mindspore", help="what it imports (mindspore)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--timeout", type=float, default=60, help="seconds of one run (60)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.serve:
        return serve(args.package, args.timeout)
    lines = "".join(json.dumps(p) + "\n" for p in generate_programs(args.seed, args.count))
    command = [args.python, os.path.abspath(__file__), "--serve", "--package", args.package]
    command += ["--timeout", str(args.timeout), args.file]
    environment = {**os.environ, "GLOG_v": "4", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder, open(args.file, "w", encoding="utf-8") as file:
        done = subprocess.run(
            command, input=lines, stdout=file, text=True, cwd=folder, env=environment, check=False
        )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
