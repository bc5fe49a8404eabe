"""``python -m tests.mutants.trial TASKS.json RESULTS.jsonl``: run mutants, in a copy.

pytest collects once, and its loop forks a child for each mutant. The child takes over the mutant's
functions and runs the tests that reach the changed line until one fails. A change outside of
functions (a constant, a decorator, a class's own line) is seen only by who imports the file anew:
such a child is forked before anything was imported.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import hypothesis.extra.numpy  # noqa: F401  (imported once, not by each child)
import numpy  # noqa: F401
import pytest

from tests.mutants.child import Outcome, Tell, watch
from tests.mutants.swap import Changed, find_changed_functions, find_functions, swap

TREE = Path(__file__).resolve().parents[2]
SCRATCH = TREE.with_name(TREE.name + ".tmp")  # what tests write
IMPORT_S, WAIT_S = 120.0, 8.0  # as a busy machine needs them
SOON_S = 0.5
OPTIONS = (
    *("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--disable-warnings", "--tb=no"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # of what was imported once
)


@dataclass(frozen=True)
class Task:
    """A mutant's text, and its tests in order, with the seconds that each takes alone."""

    key: str
    file: str
    source: str
    tests: list[str]
    seconds: list[float]
    imported: bool  # whether the changed line runs at import, too
    slowness: float = 1.0  # of this machine, as busy as it is

    @property
    def limits(self) -> list[float]:
        return [
            *(self.slowness * (WAIT_S + 10.0 * s) for s in self.seconds),
            self.slowness * IMPORT_S,
        ]

    @property
    def original(self) -> str:
        return (TREE / self.file).read_text(encoding="utf-8")

    def drop_tests(self, tests: set[str]) -> Task:
        stored = [n for n, test in enumerate(self.tests) if test not in tests]
        return replace(
            self,
            tests=[self.tests[n] for n in stored],
            seconds=[self.seconds[n] for n in stored],
        )

    def put_killers_first(self, kills: Counter[str]) -> Task:
        """Order the tests: first those that killed most mutants of this file and are fast."""
        order = sorted(
            range(len(self.tests)),
            key=lambda n: -kills[self.tests[n]] if self.seconds[n] < SOON_S else 0,
        )
        return replace(
            self,
            tests=[self.tests[n] for n in order],
            seconds=[self.seconds[n] for n in order],
        )

    def keep_tests(self, *tests: str) -> Task:
        return self.drop_tests({other for other in self.tests if other not in tests})

    def first_of_each_file(self) -> Task:
        return self.keep_tests(
            *{test.partition("::")[0]: test for test in reversed(self.tests)}.values()
        )

    @contextmanager
    def write_source(self) -> Iterator[None]:
        """Write the mutant's file in the block, for a fresh import and for programs that a
        test starts.
        """
        old = self.original
        (TREE / self.file).write_text(self.source, encoding="utf-8")
        try:
            yield
        finally:
            (TREE / self.file).write_text(old, encoding="utf-8")

    def run_in_child(self, body: Callable[[Tell], bool]) -> Outcome:
        """Run ``body`` in a child within the limits of the tests, and return the outcome."""
        SCRATCH.mkdir(exist_ok=True)
        outcome = watch(body, self.limits)
        shutil.rmtree(SCRATCH, ignore_errors=True)
        return Outcome("no test", -1) if outcome.passed and outcome.test < 0 else outcome


# -- in a child ------------------------------------------------------------------------------------


class TaskPlugin:
    """A pytest plugin that runs one task's tests."""

    def __init__(self, task: Task, tell: Tell) -> None:
        self.task, self.tell, self.passed = task, tell, False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.passed = not session.testsfailed and passes(self.task, session, self.tell)
        return True


def passes_after_import(task: Task, tell: Tell) -> bool:
    """Whether the tests pass in a process that imports the mutant."""
    requests = TaskPlugin(task, tell)
    pytest.main([*OPTIONS, *_list_files([task])], plugins=[requests])
    return requests.passed


def passes(task: Task, session: pytest.Session, tell: Tell) -> bool:
    """Whether the task's tests pass, in order."""
    values_by_name = {item.nodeid: item for item in session.items}
    items = [
        (n, values_by_name[test]) for n, test in enumerate(task.tests) if test in values_by_name
    ]
    followers = [item for _, item in items[1:]] + [None]
    session.config.pluginmanager.unregister(name="terminalreporter")  # its stream isn't the child's
    failed = session.testsfailed
    for (n, item), follower in zip(items, followers):
        tell(n)
        item.ihook.pytest_runtest_protocol(item=item, nextitem=follower)
        if session.testsfailed > failed:
            return False
    return True


# -- in the parent ---------------------------------------------------------------------------------


Body = Callable[[Task, Tell], bool]
Report = Callable[[Task, Outcome], None]


class Judge:
    """A judge of mutants: a verdict counts if its test passes without the mutant, too."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.good: set[str] = set()
        self.bad: set[str] = set()
        self.imported: list[list[str]] = []  # tests whose files can be imported together
        self.kills: dict[str, Counter[str]] = defaultdict(Counter)

    def decide(self, task: Task, run_mutant: Body, original: Body) -> None:
        """Try a mutant until its verdict does not depend on a test that fails by itself,
        and report it.
        """
        task = task.put_killers_first(self.kills[task.file])
        while True:
            task = task.drop_tests(self.bad)
            if not task.tests:
                outcome = Outcome("no test", -1)
                break
            with task.write_source():
                outcome = task.run_in_child(partial(run_mutant, task))
            if outcome.passed:
                break
            if outcome.test < 0:  # while files were imported: the mutant, or a test's own?
                firsts = task.first_of_each_file()
                if (
                    firsts.tests in self.imported
                    or firsts.run_in_child(partial(original, firsts)).passed
                ):
                    self.imported.append(firsts.tests)
                    break
                self.bad.update(firsts.tests)
                continue
            last = task.tests[outcome.test]
            single = task.keep_tests(last)
            if outcome.word == "timed out" and task.slowness == 1.0:  # or is the machine busy?
                start = time.monotonic()
                single.run_in_child(partial(original, single))
                slowdown = (time.monotonic() - start) / max(single.seconds[0], 0.5)
                task = replace(task, slowness=min(max(1.01, slowdown), 10.0))
                continue
            if last in self.good or single.run_in_child(partial(original, single)).passed:
                self.good.add(last)
                self.kills[task.file][last] += 1
                break
            self.bad.add(last)
        self.report(task, outcome)


class Loop:
    """A pytest plugin that forks a child for each task after the tests are collected."""

    def __init__(self, tasks: list[Task], judge: Judge) -> None:
        self.tasks, self.judge = tasks, judge

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        functions = find_functions(TREE)
        gc.collect()
        gc.freeze()  # else a child's first collection would copy all that it has from here

        def run_original(task: Task, tell: Tell) -> bool:
            return passes(task, session, tell)

        for task in self.tasks:
            changed = find_changed_functions(str(TREE / task.file), task.original, task.source)

            def run_mutant(task: Task, tell: Tell, changed: Changed = changed) -> bool:
                swap(functions, changed)
                return passes(task, session, tell)

            if any(old in functions for old, _ in changed):
                self.judge.decide(task, run_mutant, run_original)
        return True


def _list_files(tasks: list[Task]) -> list[str]:
    return sorted({test.partition("::")[0] for task in tasks for test in task.tests})


def main(tasks_file: str, results: str) -> None:
    tasks = [Task(**task) for task in json.loads(Path(tasks_file).read_text(encoding="utf-8"))]
    SCRATCH.mkdir(exist_ok=True)
    os.environ["TMPDIR"] = str(SCRATCH)
    Path(results).touch()
    words: dict[str, str] = {}

    def tell(task: Task, outcome: Outcome) -> None:
        at = task.tests[outcome.test] if outcome.test >= 0 else "the import"
        result = {"key": task.key, "file": task.file, "word": outcome.word, "test": at}
        with open(results, "a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")

    loop = os.fork()
    if loop == 0:  # a process of its own: what comes after must not have imported anything
        pytest.main([*OPTIONS, *_list_files(tasks)], plugins=[Loop(tasks, Judge(tell))])
        os._exit(0)
    os.waitpid(loop, 0)
    for line in Path(results).read_text(encoding="utf-8").splitlines():
        words[json.loads(line)["key"]] = json.loads(line)["word"]
    judge = Judge(tell)
    for task in tasks:
        word = words.get(task.key, "outside")
        if word == "outside" or (word == "survived" and task.imported):
            judge.decide(task, passes_after_import, passes_after_import)


if __name__ == "__main__":
    main(*sys.argv[1:])
