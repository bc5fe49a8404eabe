"""``python -m minispore check script.py``: run it shortly, say what the real one would do."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from minispore import context
from minispore.check.finding import Report, report
from minispore.check.page import page
from minispore.check.watch import Watch
from minispore.dataset.dataset import Dataset
from minispore.graph.reach import PACKAGE
from minispore.train import serialization
from minispore.train.callback import checkpoint
from minispore.train.model import Model

CLEAN, FINDINGS, FAILED = 0, 1, 2


def main(arguments: list[str], take_over: Callable[[list[str]], None]) -> int:
    """Check the script that ``arguments`` name.

    Args:
        arguments: what stands after ``check``.
        take_over: makes this process look as if the script had been started directly.

    Returns:
        The exit status: 0 clean, 1 findings, 2 the script failed.
    """
    parser = argparse.ArgumentParser(prog="python -m minispore check", description=__doc__)
    parser.add_argument("--steps", type=int, default=3, help="steps of each training (3)")
    parser.add_argument("--json", action="store_true", help="findings as JSON")
    parser.add_argument("--html", metavar="FILE", help="write them as a page, too")
    parser.add_argument("--strict", action="store_true", help="what STRICT refuses counts, too")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if options.steps < 1:
        parser.error(f"--steps must be from 1, got {options.steps}")
    if not os.path.exists(options.script):
        parser.error(f"can't open file {os.path.abspath(options.script)!r}")
    take_over([options.script, *options.arguments])
    sys.path[0] = os.path.dirname(os.path.realpath(options.script))
    found, failed = _watched(options.script, options.steps)
    if not options.strict:
        found.findings = [f for f in found.findings if f.lax]
    if options.html:
        with open(options.html, "w", encoding="utf-8") as file:
            file.write(page(found, options.script))
    print(found.json() if options.json else found.text(colour=sys.stdout.isatty()))
    return FAILED if failed else FINDINGS if found.findings else CLEAN


def _watched(script: str, steps: int) -> tuple[Report, bool]:
    """What was found in a run of ``script``, and whether that failed."""
    watch, failed = Watch(), False
    with ExitStack() as around:
        around.enter_context(watch.watching())
        around.enter_context(_cut_short(steps))
        around.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", message="GRAPH_MODE: .* runs op by op")
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as end:
            failed = end.code not in (None, 0)
        except BaseException:
            traceback.print_exc()
            failed = True
    context.set_context(mode=context.PYNATIVE_MODE)
    return report(watch, _scripts(script)), failed


def _scripts(script: str) -> list[str]:
    """The script, and the modules beside and below it that it has imported."""
    folder = os.path.dirname(os.path.abspath(script)) + os.sep
    files = {os.path.abspath(getattr(m, "__file__", None) or "") for m in [*sys.modules.values()]}
    beside = {f for f in files if f.startswith(folder) and f.endswith(".py")}
    own = {f for f in beside if "site-packages" not in f and not f.startswith(PACKAGE)}
    return sorted(own | {script})


@contextmanager
def _cut_short(steps: int) -> Iterator[None]:
    """Each training a few steps, each pass over data as many batches, checkpoints to
    a scratch folder.
    """
    train, evaluate = Model.train, Model.eval
    tuples, dicts = Dataset.create_tuple_iterator, Dataset.create_dict_iterator
    save = serialization.save_checkpoint

    def short_train(self: Any, epoch: int, train_dataset: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("sink_size", None)
        return train(self, 1, train_dataset.take(steps), *args[:2], **kwargs)

    def short_eval(self: Any, valid_dataset: Any, *args: Any, **kwargs: Any) -> Any:
        return evaluate(self, valid_dataset.take(steps), *args, **kwargs)

    with tempfile.TemporaryDirectory() as scratch, ExitStack() as back:

        def put(owner: Any, name: str, new: Any) -> None:
            back.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, new)

        def short_save(save_obj: Any, ckpt_file_name: str, *args: Any, **kwargs: Any) -> Any:
            file = os.path.join(scratch, os.path.basename(ckpt_file_name))
            return save(save_obj, file, *args, **kwargs)

        put(Model, "train", short_train)
        put(Model, "eval", short_eval)
        put(Dataset, "create_tuple_iterator",
            lambda self, *a, **k: tuples(self.take(steps), *a, **k))  # fmt: skip
        put(Dataset, "create_dict_iterator",
            lambda self, *a, **k: dicts(self.take(steps), *a, **k))  # fmt: skip
        put(serialization, "save_checkpoint", short_save)
        put(checkpoint, "save_checkpoint", short_save)
        yield


__all__ = ["main"]
