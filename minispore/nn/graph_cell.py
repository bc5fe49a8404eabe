"""GraphCell: a Cell that runs a graph loaded from a model file."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.graph.funcgraph import FuncGraph
from minispore.nn.cell import Cell


class GraphCell(Cell):
    """Run a graph that :func:`mindspore.load` has read.

    Args:
        graph: the result of ``load``.
        params_init: new contents for the graph's Parameters, as Tensors by name; names that the
            graph does not have are ignored.
        obf_random_seed: must be None, as in MindSpore, which no longer obfuscates structures.

    Raises:
        ValueError: ``obf_random_seed`` is given.
        TypeError: ``graph`` is not a graph, or ``params_init`` is not a dict of Tensors by name.
        ValueError: the shape of a Tensor in ``params_init`` differs from that of its Parameter;
            when called: the shape or dtype of an input differs from the exported graph.

    >>> import os, tempfile
    >>> import minispore as ms
    >>> from minispore import nn, Tensor
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "twice.mindir")
    ...     ms.export(nn.Dense(1, 1, "ones"), Tensor([[2.0]]), file_name=file, file_format="MINDIR")
    ...     net = nn.GraphCell(ms.load(file), {"bias": Tensor([0.5])})
    >>> print(net(Tensor([[3.0]])))
    [[3.5]]
    """

    def __init__(
        self,
        graph: FuncGraph,
        params_init: dict[str, Tensor] | None = None,
        obf_random_seed: int | None = None,
    ) -> None:
        super().__init__(auto_prefix=True)
        if obf_random_seed is not None:
            raise ValueError(
                "GraphCell: obf_random_seed must be None: MindSpore reads no hidden structures any "
                "more, and neither does minispore."
            )
        if not isinstance(graph, FuncGraph):
            raise TypeError(
                f"GraphCell: graph must be what mindspore.load returned, got {graph!r} "
                f"({type(graph).__name__})."
            )
        initial_values = {} if params_init is None else params_init
        if not isinstance(initial_values, dict):
            raise TypeError(
                f"GraphCell: params_init must be a dict or None, got {initial_values!r} "
                f"({type(initial_values).__name__})."
            )
        for name, value in initial_values.items():
            if not isinstance(name, str) or not isinstance(value, Tensor):
                raise TypeError(
                    "GraphCell: params_init must hold Tensors by name, got "
                    f"{type(value).__name__} by {name!r}."
                )
        graph.update(initial_values)
        self.graph = graph
        for name, parameter in graph.parameters.items():
            self.insert_param_to_cell(name, parameter, check_name_contain_dot=False)

    def construct(self, *inputs: Any) -> Any:
        return self.graph(*inputs)


__all__ = ["GraphCell"]
