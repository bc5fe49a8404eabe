"""What ``jit_syntax_level=STRICT`` refuses: the same rules, asked as a function is traced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minispore.check.finding import report
from minispore.check.rule import REFUSED
from minispore.check.watch import Watch
from minispore.errors import GraphModeError
from minispore.graph.compiler import compiler


@contextmanager
def judged(fn: Callable[..., Any]) -> Iterator[None]:
    """Raise a GraphModeError if a function that ran in the ``with`` block is refused."""
    watch, error = Watch(), None
    with watch.calling(fn):
        try:
            yield
        except Exception as exc:
            error = exc
    for found in report(watch).findings:
        if found.strict == REFUSED:
            about = f" ({found.about})" if found.about else ""
            raise GraphModeError(
                f"{found.rule}: a graph under jit_syntax_level=STRICT must do without it at "
                f"{os.path.basename(found.file)}:{found.line}{about}. {found.says} Instead: "
                f"{'; '.join(found.way_out.splitlines())}"
            ) from error
    if error is not None:
        raise error


compiler.judge = judged
