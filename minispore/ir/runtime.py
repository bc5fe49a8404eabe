"""Two interfaces through which lower layers call higher ones without importing them.

* A :class:`Runtime` is *where* kernels and programs run. The default is the host; ``device/``
  installs the simulated targets.
* A :class:`Compiler` is *how* a function runs as a graph; ``graph/`` installs itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from minispore.ir.operator import Operator


class Launchable(Protocol):
    """A compiled program, as a runtime sees it.

    Attributes:
        traced: the compiled graph of the last run, or else of the next; None if the program runs op
            by op, or is not compiled yet.
    """

    @property
    def traced(self) -> Any:
        """The compiled graph of the last run, or else of the next one."""
        ...

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        """Run once; the returned arrays belong to the program and change at its next run."""


class Runtime(Protocol):
    """Interface of the place where kernels and programs run, such as the host or a device."""

    def execute(
        self, prim: Operator, kernel: Callable[..., Any], arrays: list[Any], out: Any
    ) -> Any:
        """Run ``kernel(*arrays, out=out)``, the kernel of ``prim``, and return its result.

        Called for each op in PYNATIVE_MODE.
        """

    def launch(
        self, program: Launchable, inputs: list[np.ndarray], loop: int = 1
    ) -> list[np.ndarray]:
        """Run a program ``loop`` times in one host-device interaction; return the last outputs."""

    def fetch(self, queue_name: str) -> tuple[np.ndarray, ...]:
        """Return the next batch of a device queue (the GetNext op)."""


class HostRuntime:
    """Runs everything at once on the host; it has no queues."""

    def execute(
        self, prim: Operator, kernel: Callable[..., Any], arrays: list[Any], out: Any
    ) -> Any:
        """Run the kernel at once."""
        return kernel(*arrays, out=out)

    def launch(
        self, program: Launchable, inputs: list[np.ndarray], loop: int = 1
    ) -> list[np.ndarray]:
        """Run the program ``loop`` times, one after the other; return the last outputs."""
        outputs: list[np.ndarray] = []
        for _ in range(loop):
            outputs = program.run(inputs)
        return outputs

    def fetch(self, queue_name: str) -> tuple[np.ndarray, ...]:
        """Refuse to fetch, as the host has no queues.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(
            f"GetNext: unsupported op [GetNext] on CPU (queue {queue_name!r}). Set device_target "
            "to 'Ascend' or 'GPU', or pass the data as arguments."
        )


class Compiler(Protocol):
    """Runs a Python function as a compiled graph."""

    def call(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return ``fn(*args, **kwargs)``, computed as a graph, which is compiled if needed."""
        ...

    def prepare(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Compile ``fn`` for these arguments without running it; return False if they do not
        determine a graph, as a tensor of dynamic shape.
        """

    def program(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Launchable | None:
        """Return the program that a call with these arguments runs, compiled but not run.

        Returns:
            None if the call runs op by op.
        """


runtime: Runtime = HostRuntime()
compiler: Compiler | None = None


def install_runtime(new_runtime: Runtime) -> Runtime:
    """Set the runtime; return the previous one."""
    global runtime
    previous, runtime = runtime, new_runtime
    return previous


def install_compiler(new_compiler: Compiler) -> None:
    """Set the compiler of GRAPH_MODE, in place of the previous one."""
    global compiler
    compiler = new_compiler
