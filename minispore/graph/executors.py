"""MindSpore's executors that scripts use: compile without running, and wait for running ops."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from minispore.graph.compiler import compiler


class CellGraphExecutor:
    """Compiles Cells and functions."""

    def compile(
        self, obj: Callable[..., Any], *args: Any, phase: str = "predict", **kwargs: Any
    ) -> tuple[str, bool]:
        """Compile ``obj`` for these inputs without running it, in either mode.

        Args:
            obj: a Cell or function.
            args: its inputs.
            phase: returned unchanged.
            kwargs: its keyword inputs; MindSpore's own options (``do_convert``,
                ``jit_config_dict``, ``auto_parallel_mode``) change nothing.

        Returns:
            ``(phase, success)``; ``success`` is False only if an input has no content, as one of
            dynamic shape: then nothing was compiled.
        """
        for option in ("do_convert", "jit_config_dict", "auto_parallel_mode"):
            kwargs.pop(option, None)
        return phase, compiler.prepare(obj, *args, **kwargs)


class PynativeExecutor:
    """Runs op by op."""

    def sync(self) -> None:
        """Do nothing: each op is done when it returns, so there is nothing to wait for."""


_cell_graph_executor = CellGraphExecutor()
_pynative_executor = PynativeExecutor()


def _function_forbid_reuse(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``func`` unchanged: each call is traced separately, so no call reuses the graph of
    another.

    Raises:
        TypeError: ``func`` is not a Python function.
    """
    if not isinstance(func, FunctionType):
        raise TypeError(f"_function_forbid_reuse: func must be a function, got {func!r}.")
    return func


__all__ = ["_cell_graph_executor", "_pynative_executor"]
