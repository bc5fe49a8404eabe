"""Graphs as text that a person can read (``.ir``) and as pictures (``.dot``)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from minispore import files
from minispore.core.value import Value
from minispore.graph.ir import Graph

if TYPE_CHECKING:
    from minispore.graph.program import Program


def names(graph: Graph) -> dict[Value, str]:
    """A name for each value: ``%input0``, the Parameter's own, ``%12``."""
    found: dict[Value, str] = {}
    for i, v in enumerate(graph.inputs):
        found[v] = f"%input{i}"
    for p, v in graph.state.items():
        found[v] = f"%{p.name}"
    count = 0
    for node in graph.nodes:
        for o in node.outputs:
            found[o] = f"%{count}"
            count += 1
    return found


def text(graph: Graph, title: str = "graph") -> str:
    """One op a line: outputs, primitive, inputs, specs; then its Cell and the Python line.

    >>> print(text(Graph(), "empty"))
    # empty: 0 inputs, 0 parameters, 0 nodes
    return ()
    """
    known = names(graph)

    def show(arg: object) -> str:
        if not isinstance(arg, Value):
            return repr(arg)
        if arg in known:
            return known[arg]
        data = arg.data
        if data is not None and data.size and (data.size == 1 or not any(data.strides)):
            return f"const({data.flat[0]} {arg.spec})"
        return f"const({arg.spec})"

    lines = [
        f"# {title}: {len(graph.inputs)} inputs, {len(graph.state)} parameters, "
        f"{len(graph.nodes)} nodes"
    ]
    lines += [f"input     {known[v]}: {v.spec}" for v in graph.inputs]
    lines += [f"parameter {known[v]}: {v.spec}" for v in graph.state.values()]
    guards = {g.position: g for g in graph.guards}
    for i, node in enumerate(graph.nodes):
        if i in guards:
            g = guards[i]
            lines.append(f"guard {show(g.value)} is {g.expected}  # {g.line}")
        outs = ", ".join(f"{known[o]}: {o.spec}" for o in node.outputs)
        ins = ", ".join(show(a) for a in node.args)
        where = "  # " + ", ".join(x for x in (node.scope, node.line) if x)
        lines.append(f"{outs} = {node.prim!r}({ins}){where if len(where) > 4 else ''}")
    lines += [f"update    {known[graph.state[p]] if p in graph.state else p.name} = {show(v)}"
              for p, v in graph.updates.items()]  # fmt: skip
    lines.append(f"return ({', '.join(show(v) for v in graph.outputs)})")
    return "\n".join(lines)


def dot(graph: Graph, title: str = "graph") -> str:
    """The graph in Graphviz's language: a box per op, coloured by forward, backward, update."""
    known = names(graph)
    out = [f'digraph "{_escaped(title)}" {{', "  rankdir=TB; node [shape=box, fontname=monospace];"]
    for v in graph.inputs:
        out.append(f'  "{known[v]}" [shape=ellipse, label="{known[v]}\\n{v.spec}"];')
    for v in graph.state.values():
        out.append(
            f'  "{known[v]}" [shape=ellipse, style=filled, fillcolor="#dfe8f6", '
            f'label="{_escaped(known[v])}\\n{v.spec}"];'
        )
    producer: dict[Value, str] = {v: known[v] for v in (*graph.inputs, *graph.state.values())}
    for i, node in enumerate(graph.nodes):
        colour = "#fbe9d0" if node.scope.startswith("Gradients") else "#e4f3e1"
        if node.prim.mutates:
            colour = "#f3dede"
        label = f"{node.prim.name}\\n{', '.join(str(o.spec) for o in node.outputs)}\\n{node.line}"
        out.append(f'  n{i} [style=filled, fillcolor="{colour}", label="{_escaped(label)}"];')
        for a in node.inputs:
            if a in producer:
                out.append(f'  "{_escaped(producer[a])}" -> n{i};')
        for o in node.outputs:
            producer[o] = f"n{i}"
    for v in graph.outputs:
        if v in producer:
            out.append(f'  "{_escaped(producer[v])}" -> "return"; "return" [shape=ellipse];')
    return "\n".join([*out, "}"])


def _escaped(label: str) -> str:
    return label.replace('"', '\\"')


_saved = 0


def save(
    name: str,
    stages: list[tuple[str, Graph]],
    program: Program,
    level: int,
    folder: Path,
    parts: tuple[str, ...] = (),
) -> list[Path]:
    """Write each stage of a compilation as ``.ir`` and ``.dot`` to ``folder``, below ``level`` 2
    the first and the last, of all these the ones with one of ``parts`` in their name; returns the
    files.
    """
    global _saved
    folder.mkdir(parents=True, exist_ok=True)
    wanted = stages if level >= 2 else [stages[0], stages[-1]]
    written = []
    label = re.sub(r"\W+", "_", name)
    for stage, graph in wanted:
        if not _named(stage, parts):
            continue
        for suffix, content in (
            (".ir", text(graph, f"{label} {stage}")),
            (".dot", dot(graph, label)),
        ):
            written.append(_write(folder / f"{stage}_{label}_{_saved:04d}{suffix}", content))
    last = f"{len(stages):02d}_program"
    if _named(last, parts):
        path = folder / f"{last}_{label}_{_saved:04d}.ir"
        written.append(_write(path, program.explain()))
    _saved += 1
    return written


def _named(stage: str, parts: tuple[str, ...]) -> bool:
    return not parts or any(p in stage for p in parts)


def _write(path: Path, content: str) -> Path:
    files.write_text(path, content + "\n")
    return path
