"""Graphs as readable text (``.ir``) and as diagrams (``.dot``)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from minispore.foundation import files
from minispore.graph.ir import Graph
from minispore.ir.value import Value

if TYPE_CHECKING:
    from minispore.graph.program import Program


def name_values(graph: Graph) -> dict[Value, str]:
    """Return a name for each value that is not a constant: ``%input0``, ``%`` and the Parameter's
    name, or ``%12``.
    """
    names: dict[Value, str] = {}
    for i, v in enumerate(graph.inputs):
        names[v] = f"%input{i}"
    for p, v in graph.state.items():
        names[v] = f"%{p.name}"
    count = 0
    for node in graph.nodes:
        for o in node.outputs:
            names[o] = f"%{count}"
            count += 1
    return names


def text(graph: Graph, title: str = "graph") -> str:
    """Return a graph as text, one op per line: outputs, primitive, inputs, specs, Cell, Python
    line.

    >>> print(text(Graph(), "empty"))
    # empty: 0 inputs, 0 parameters, 0 nodes
    return ()
    """
    names = name_values(graph)

    def format_argument(arg: object) -> str:
        """Return the name of a value, or its content if it is a constant; the ``repr`` of other
        arguments.
        """
        if not isinstance(arg, Value):
            return repr(arg)
        if arg in names:
            return names[arg]
        data = arg.data
        if data is not None and data.size and (data.size == 1 or not any(data.strides)):
            return f"const({data.flat[0]} {arg.spec})"
        return f"const({arg.spec})"

    lines = [
        f"# {title}: {len(graph.inputs)} inputs, {len(graph.state)} parameters, "
        f"{len(graph.nodes)} nodes"
    ]
    lines += [f"input     {names[v]}: {v.spec}" for v in graph.inputs]
    lines += [f"parameter {names[v]}: {v.spec}" for v in graph.state.values()]
    guard_lines: dict[int, list[str]] = {}  # by the number of nodes before them
    for g in graph.guards:
        # Positions are those of the trace; a pass may have removed nodes since.
        guard_lines.setdefault(min(g.position, len(graph.nodes)), []).append(
            f"guard {format_argument(g.value)} is {g.expected}  # {g.line}"
        )
    for i, node in enumerate(graph.nodes):
        lines += guard_lines.get(i, ())
        outs = ", ".join(f"{names[o]}: {o.spec}" for o in node.outputs)
        ins = ", ".join(format_argument(a) for a in node.args)
        location = "  # " + ", ".join(x for x in (node.scope, node.line) if x)
        lines.append(f"{outs} = {node.prim!r}({ins}){location if len(location) > 4 else ''}")
    lines += guard_lines.get(len(graph.nodes), ())
    for param, value in graph.updates.items():
        name = names[graph.state[param]] if param in graph.state else param.name
        lines.append(f"update    {name} = {format_argument(value)}")
    lines.append(f"return ({', '.join(format_argument(v) for v in graph.outputs)})")
    return "\n".join(lines)


def dot(graph: Graph, title: str = "graph") -> str:
    """Return the graph in Graphviz's language: one box per op, coloured by its phase of a training
    step.

    The phases are forward, backward and update.
    """
    names = name_values(graph)
    lines = [
        f'digraph "{_escape_quotes(title)}" {{',
        "  rankdir=TB; node [shape=box, fontname=monospace];",
    ]
    for value in graph.inputs:
        lines.append(f'  "{names[value]}" [shape=ellipse, label="{names[value]}\\n{value.spec}"];')
    for value in graph.state.values():
        lines.append(
            f'  "{names[value]}" [shape=ellipse, style=filled, fillcolor="#dfe8f6", '
            f'label="{_escape_quotes(names[value])}\\n{value.spec}"];'
        )
    producer: dict[Value, str] = {v: names[v] for v in (*graph.inputs, *graph.state.values())}
    for i, node in enumerate(graph.nodes):
        colour = "#fbe9d0" if node.scope.startswith("Gradients") else "#e4f3e1"
        if node.prim.mutates:
            colour = "#f3dede"
        label = f"{node.prim.name}\\n{', '.join(str(o.spec) for o in node.outputs)}\\n{node.line}"
        lines.append(
            f'  n{i} [style=filled, fillcolor="{colour}", label="{_escape_quotes(label)}"];'
        )
        for a in node.inputs:
            if a in producer:
                lines.append(f'  "{_escape_quotes(producer[a])}" -> n{i};')
        for o in node.outputs:
            producer[o] = f"n{i}"
    for value in graph.outputs:
        if value in producer:
            lines.append(
                f'  "{_escape_quotes(producer[value])}" -> "return"; "return" [shape=ellipse];'
            )
    return "\n".join([*lines, "}"])


def _escape_quotes(label: str) -> str:
    """Return ``label`` with its double quotes escaped, as Graphviz's language needs."""
    return label.replace('"', '\\"')


_save_count = 0


def save(
    name: str,
    stages: list[tuple[str, Graph]],
    program: Program,
    level: int,
    folder: Path,
    name_filters: tuple[str, ...] = (),
) -> list[Path]:
    """Write the stages of a compile as ``.ir`` and ``.dot`` files, numbered by compile.

    Args:
        name: the name of the compiled function.
        stages: the graphs with their names.
        program: the program, which is written as a table.
        level: from 2 on all stages are written, below 2 only the first and the last.
        folder: the folder to write to; created if it is missing.
        name_filters: only stages whose name contains one of these are written; all if empty.

    Returns:
        The paths of the files.
    """
    global _save_count
    folder.mkdir(parents=True, exist_ok=True)
    selected = stages if level >= 2 else [stages[0], stages[-1]]
    paths = []
    label = re.sub(r"\W+", "_", name)
    for stage, graph in selected:
        if not _matches_filters(stage, name_filters):
            continue
        for suffix, content in (
            (".ir", text(graph, f"{label} {stage}")),
            (".dot", dot(graph, label)),
        ):
            paths.append(
                _write_text(folder / f"{stage}_{label}_{_save_count:04d}{suffix}", content)
            )
    program_stage = f"{len(stages):02d}_program"
    if _matches_filters(program_stage, name_filters):
        path = folder / f"{program_stage}_{label}_{_save_count:04d}.ir"
        paths.append(_write_text(path, program.explain()))
    _save_count += 1
    return paths


def _matches_filters(stage: str, name_filters: tuple[str, ...]) -> bool:
    """Whether a stage is to be written: its name contains one of ``name_filters``, if there are
    any.
    """
    return not name_filters or any(p in stage for p in name_filters)


def _write_text(path: Path, content: str) -> Path:
    """Write ``content`` and a newline to the file ``path``, and return the path."""
    files.write_text(path, content + "\n")
    return path
