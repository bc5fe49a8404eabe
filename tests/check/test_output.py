"""What the command prints around its findings, and the status that it ends with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from minispore.check import Finding, Report, command, finding

CLEAN = "import minispore as ms\nprint('loss', 1)\nprint(ms.Tensor([1.0]) + 1)\n"
MISTAKE = """import minispore as ms
from minispore import Tensor, nn


class Net(nn.Cell):
    def construct(self, x):
        {line}


Net()(Tensor([1.0]))
"""


@pytest.fixture
def run_text(tmp_path: Path, capsys, monkeypatch) -> Callable[..., tuple[int, str, str]]:
    """The status, the standard output and the standard error of a check of a script."""

    def run_text(text: str, *options: str) -> tuple[int, str, str]:
        script = tmp_path / "script.py"
        script.write_text(text)
        monkeypatch.setattr("sys.path", ["", *__import__("sys").path])
        status = command.main([*options, str(script)], lambda arguments: None)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run_text


def make_finding(sure: str) -> Finding:
    return Finding("a.py", 1, "try", "Says.", "pass", "refused", "refused", sure)


def test_one_line_says_that_all_is_well(run_text) -> None:
    status, out, _ = run_text(CLEAN)
    assert (status, out.splitlines()[1]) == (0, finding.ALL_WELL)
    assert "0 findings" not in out


def test_a_script_that_sets_no_mode_is_not_judged_for_graph_mode(run_text) -> None:
    text = MISTAKE.format(line="return (y := x + 1) * y")
    status, out, _ = run_text(text)
    assert (status, "--mode graph checks it" in out) == (0, True)


def test_mode_graph_judges_a_script_as_if_it_were_set(run_text) -> None:
    text = MISTAKE.format(line="return (y := x + 1) * y")
    status, out, _ = run_text(text, "--mode", "graph")
    assert (status, "walrus" in out, "--mode graph" in out) == (1, True, False)


def test_prints_option_shows_the_output_of_the_script(run_text) -> None:
    _, out, _ = run_text(CLEAN)
    assert ("loss 1" in out, "the script printed 2 lines: --prints" in out) == (False, True)
    assert run_text(CLEAN, "--prints")[1].startswith("loss 1\n")


def test_the_status_follows_the_certain_findings() -> None:
    assert Report([make_finding("possible")])
    assert not Report([make_finding("certain")])
    assert Report([make_finding("possible")]).verdict() == "same"


def test_report_counts_possible_findings_separately() -> None:
    report = Report([make_finding("certain"), make_finding("possible")], lines={"names": []})
    assert "\n1 finding, 1 possible\ncompiles? 1 finding\n" in report.text()
    assert "\npossible 1 finding\n" in report.text()


def test_internal_error_prints_one_line_and_exits_with_its_status(run_text, monkeypatch) -> None:
    def break_down(*_: object) -> None:
        raise KeyError("no such rule")

    monkeypatch.setattr(command, "make_report", break_down)
    status, out, err = run_text(CLEAN)
    assert (status, out) == (command.INTERNAL_ERROR, "")
    assert len(err.splitlines()) == 1
    assert "internal error at test_output.py:" in err
    assert "Please report this line" in err


def test_a_file_with_a_syntax_error_is_named(run_text) -> None:
    status, out, _ = run_text("import minispore as ms\nms.ms_function\nx = = 1\n")
    assert status == 2
    assert "script.py has a syntax error: its names were not checked" in out
    assert "the script failed" in out


UNREACHED = """import minispore as ms


def compile_old(fn):
    return ms.ms_function(fn)


{line}
"""


@pytest.mark.parametrize(
    ("line", "status"), [("pass", 0), ("compile_old(lambda x: x)", 1), ("ms.ms_function", 1)]
)
def test_a_missing_name_is_certain_where_the_run_reaches_it(
    line: str, status: int, run_text
) -> None:
    ended, out, _ = run_text(UNREACHED.format(line=line))
    assert ended in (status, 2 * status)  # 2: minispore has no such name either
    assert ("on a line that this run did not reach" in out) == (line != "compile_old(lambda x: x)")
