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
#: ``{t}`` a new name of a tensor, ``{v}`` a new name of another kind.
FEATURES: dict[str, tuple[str, ...]] = {
    "arithmetic": ("{t} = {a} * {n} + {b}", "{t} = ops.relu({a} - {n})", "{t} = -{a}"),
    "in place": ("{a} += {n}", "{a} *= {b}", "{t} = {a}\n{t} += {b}", "{t} = {a} * 2\n{t} -= 1"),
    "idle op": (
        "{t} = ops.cast({a}, ms.float32)\n{t} += {n}",
        "{t} = ops.reshape({a}, (-1,))\n{t} *= 2",
        "{t} = ops.stop_gradient({a})\n{t} += {b}",
        "{t} = ops.reshape({a}, (2, 1)).reshape(2)\n{t} += {n}",
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
    ),
    "and, or, not": (
        "{t} = {n} and {a}",
        "{t} = self.k or {a}\n{t} = {t} * {b}",
        "{t} = {a}.sum() and {n}\n{t} = {b} * {t}",
        "{t} = {a} if not {n} else {b}",
    ),
    "for": (
        "{t} = {a}\nfor i in range({n}):\n    {t} = {t} + i",
        "{t} = 0\nfor {v} in ({a}, {b}):\n    {t} = {t} + {v}",
        "{t} = 0\nfor {v} in [{a}, {b}]:\n    {t} += {v}",
        "{t} = {a}\nfor {v} in {b}:\n    {t} = {t} * {v}",
        "{t} = {a}\nfor i in range({n}):\n    if i == 1:\n        continue\n    {t} = {t} + i",
    ),
    "while": (
        "{t} = {a}\nwhile {t}.sum() < 20:\n    {t} = {t} + 3",
        "{v} = 0\n{t} = {a}\nwhile {v} < {n}:\n    {t} = {t} * 2\n    {v} = {v} + 1",
    ),
    "comprehension": (
        "{t} = {a} * len([i for i in range(6) if i % {n}])",
        "{t} = sum([{a} * i for i in range(3)])",
        "{t} = [{a} * i for i in range(4) if i > 1][0]",
        "{t} = {a} * len([v for v in (0, {n}, 1) if v])",
        "{t} = [v + 1 for v in ({a}, {b})][1]",
    ),
    "list": (
        "{v} = [{a}, {b}]\n{v}.append({a} * 2)\n{t} = {v}[2]",
        "{v} = [{a}, {b}]\n{v}[0] = {b}\n{t} = {v}[0]",
        "{v} = [{a} * 2, {b}]\n{v}[0] += {n}\n{t} = {v}[0]",
        "{v} = [{a}, {b}]\n{v}.pop()\n{t} = {v}[0] * len({v})",
        "{v} = [3, 1, 2]\n{v}.sort()\n{t} = {a} * {v}[0]",
        "{v} = [{a}]\n{v}.insert(0, {b})\n{t} = {v}[0]",
    ),
    "dict": (
        "{v} = {{'a': {a}}}\n{v}['b'] = {b}\n{t} = {v}['b']",
        "{v} = {{'a': {a}, 'b': {b}}}\n{t} = sum({v}.values())",
        "{v} = {{'a': {a}}}\n{t} = {v}.get('c', {b})",
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
    ),
    "text": (
        "{v} = f'{{{n}}}'\n{t} = {a} * len({v})",
        "{t} = {a} if f'{{2.5:.0f}}' == '2' else {b}",
        "{t} = {a} if 'net'.upper() == 'NET' else {b}",
        "{t} = {a} if 'net'.startswith('n') else {b}",
    ),
    "state": (
        "self.k = self.k + 1\n{t} = {a} * self.k",
        "self.k += {n}\n{t} = {a}",
        "self.last = {a}\n{t} = {b}",
        "self.w = self.w + {a}\n{t} = self.w * 1",
        "self.w += 1\n{t} = self.w * {a}",
        "{t} = self.w * {a}",
    ),
    "item": (
        "{t} = {a} * 1\n{t}[0] = {n}",
        "{a}[0] = {n}",
        "{t} = {a}[0] + {b}",
        "{t} = {a} * 1\n{t}[0] += {n}",
        "{t} = {a}[:1] + {b}",
    ),
    "layer": ("{t} = self.fc({a}.reshape(1, 2)).reshape(2)", "{t} = self.relu({a})"),
    "gradient": (
        "{t} = ms.grad(lambda e: (e * e).sum())({a})",
        "{t} = ms.grad(self.square)({a})",
    ),
    "harmless": (
        "print('step')\n{t} = {a}",
        "assert {n} > 0\n{t} = {a}",
        "{v}, {t} = 1, {a}",
        "{t} = ops.stack([{a}, {b}]).sum(0)",
        "{t} = {a} if isinstance({n}, int) else {b}",
        "{v} = max({n}, 2)\n{t} = {a} * {v}",
    ),
}
_PROGRAM = """class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.k, self.name, self.last = 0, 'net', None
        self.fc, self.relu = nn.Dense(2, 2, weight_init='ones'), nn.ReLU()
        self.w = ms.Parameter(Tensor([1.0, 2.0]), name='w')

    def square(self, e):
        return (e * e).sum()

    def construct(self, x, y):
{body}
        return {result}


def program():
    net, x, y = Net(), Tensor([1.0, 2.0]), Tensor([3.0, 1.0])
    first = net(x, y)
    return first, net(x, y), x, y, net.k, net.w
"""


def generate_programs(seed: int, count: int) -> Iterator[dict[str, str]]:
    """Yield programs of one to four statements each; the category is the feature of the first."""
    draw = random.Random(seed)
    names = list(FEATURES)
    for index in range(count):
        feature = names[index % len(names)]
        others = draw.choices(names, k=draw.randint(0, 3))
        tensors, lines = ["x", "y"], []
        for number, name in enumerate([feature, *others]):
            template = draw.choice(FEATURES[name])
            new = f"t{number}"
            a, b = draw.choice(tensors), draw.choice(tensors)
            lines.append(template.format(a=a, b=b, n=draw.randint(1, 3), t=new, v=f"v{number}"))
            if "{t}" in template:
                tensors.append(new)
        result = ", ".join(draw.sample(tensors, k=min(2, len(tensors))))
        body = "\n".join(" " * 8 + line for block in lines for line in block.split("\n"))
        source = _PROGRAM.format(body=body, result=f"({result})")
        yield {"id": f"s{seed}_{index}", "category": feature, "source": source}


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
