"""What may be asked of a profiler, and what is refused before anything starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minispore import context
from minispore.profiler import Profiler
from minispore.profiler.options import METRICS, Options, make_options


def test_options_of_the_context_choose_what_is_collected(tmp_path: Path) -> None:
    options = {
        "result_path": str(tmp_path),
        "training_trace": "off",
        "task_trace": "on",
        "fp_point": "Conv2D",
        "ai_core_metrics": "Memory",
    }
    actual = Options.parse(json.dumps(options))
    assert actual.folder == tmp_path / "profiler"
    assert (actual.training_trace, actual.task_trace, actual.aicpu_trace) == (False, True, False)
    assert (actual.fp_point, actual.bp_point, actual.ai_core_metrics) == ("Conv2D", "", "Memory")


def test_only_training_trace_is_on_by_default() -> None:
    actual = Options.parse("{}")
    assert (actual.training_trace, actual.task_trace, actual.aicpu_trace) == (True, False, False)


def test_the_oldest_form_lists_traces() -> None:
    actual = Options.parse("training_trace:op_trace")
    assert (actual.training_trace, actual.task_trace) == (True, True)
    assert not Options.parse("task_trace").training_trace


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ('{"training": "on"}', ValueError),
        ('{"training_trace": "yes"}', ValueError),
        ('{"ai_core_metrics": "Pipe"}', ValueError),
        ('{"result_path": "/no/such/folder"}', ValueError),
        ("{not json", ValueError),
        ("kernel_trace", ValueError),
        (7, TypeError),
    ],
)
def test_bad_options_are_refused_and_nothing_starts(options, error: type[Exception]) -> None:
    with pytest.raises(error):
        context.set_context(profiling_options=options, enable_profiling=True)
    assert not context.get_context("enable_profiling")


@pytest.mark.parametrize("was", [False, True])
def test_refused_options_leave_profiling_as_it_was_in_any_order(was: bool, tmp_path: Path) -> None:
    context.set_context(profiling_options=json.dumps({"result_path": str(tmp_path)}))
    context.set_context(enable_profiling=was)
    with pytest.raises(ValueError, match="has no option 'training'"):
        context.set_context(enable_profiling=not was, profiling_options='{"training": "on"}')
    assert context.get_context("enable_profiling") is was
    context.set_context(enable_profiling=False)


@pytest.mark.parametrize("metrics", METRICS)
def test_all_ai_core_metrics_can_be_set_in_the_context(metrics: str) -> None:
    options = json.dumps({"ai_core_metrics": metrics})
    context.set_context(profiling_options=options)
    assert context.get_context("profiling_options") == options
    assert Options.parse(options).ai_core_metrics == metrics


@pytest.mark.parametrize("metrics", METRICS)
def test_ai_core_metrics_are_selected_by_number(metrics: str) -> None:
    options = make_options(".", 10, {"aicore_metrics": METRICS.index(metrics)})
    assert options.ai_core_metrics == metrics


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"output_pat": "x"}, TypeError, "no argument 'output_pat'"),
        ({"profil_memory": True}, TypeError, "Did you mean 'profile_memory'"),
        ({"output_path": 3}, TypeError, "output_path must be a str"),
        ({"profile_memory": 1}, TypeError, "profile_memory must be bool"),
        ({"aicore_metrics": True}, TypeError, "aicore_metrics must be int"),
        ({"aicore_metrics": 5}, ValueError, "from -1 to 4"),
        ({"detail_steps": -1}, ValueError, "at least 0"),
        ({"detail_steps": 1.5}, TypeError, "must be an int"),
        ({"device_spec": "Ascend911"}, ValueError, "Did you mean 'Ascend910'"),
    ],
)
def test_bad_arguments_of_a_profiler_are_refused(arguments, error, words: str) -> None:
    with pytest.raises(error, match=words):
        Profiler(**arguments)
