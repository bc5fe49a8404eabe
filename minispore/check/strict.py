"""Enforce ``jit_syntax_level=STRICT`` by applying the rules to a function when it is traced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minispore.check.finding import make_report
from minispore.check.rule import REFUSED
from minispore.check.watch import Watch
from minispore.errors import GraphModeError
from minispore.graph.compiler import compiler


@contextmanager
def enforce_strict_level(fn: Callable[..., Any]) -> Iterator[None]:
    """Raise a GraphModeError if STRICT refuses a function that ran inside the ``with`` block.

    An exception of the block becomes the cause of the GraphModeError; if STRICT refuses nothing, it
    is raised again.
    """
    watch, error = Watch(), None
    with watch.around_call(fn):
        try:
            yield
        except Exception as exc:
            error = exc
    for finding in make_report(watch).findings:
        if finding.strict == REFUSED:
            about = f" ({finding.about})" if finding.about else ""
            raise GraphModeError(
                f"{finding.rule}: a graph under jit_syntax_level=STRICT must do without it at "
                f"{os.path.basename(finding.file)}:{finding.line}{about}. {finding.says} Instead: "
                f"{'; '.join(finding.way_out.splitlines())}"
            ) from error
    if error is not None:
        raise error


compiler.syntax_checker = enforce_strict_level
