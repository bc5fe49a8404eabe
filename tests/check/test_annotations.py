"""Findings beside the code: SARIF, GitHub's annotations, the action and the pre-commit hook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from minispore.check import Finding, Report
from minispore.check.annotations import format_github, make_sarif

CLEAN = "import minispore as ms\nprint(ms.Tensor([1.0]) + 1)\n"
MISTAKE = """import minispore as ms
from minispore import Tensor, nn

ms.set_context(mode=ms.GRAPH_MODE)


class Net(nn.Cell):
    def construct(self, x):
        return (y := x + 1) * y


Net()(Tensor([1.0]))
"""
# The scripts that pip installs are beside the interpreter.
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def make_finding(file: str = "a.py", line: int = 3, sure: str = "certain") -> Finding:
    return Finding(file, line, "try", "Says.", "pass", "refused", "refused", sure)


def make_log(*findings: Finding) -> dict[str, Any]:
    (run,) = json.loads(make_sarif(Report(list(findings))))["runs"]
    return run


def test_a_sarif_log_names_its_version_and_schema() -> None:
    log = json.loads(make_sarif(Report()))
    assert (log["version"], log["$schema"].endswith("sarif-2.1.0.json")) == ("2.1.0", True)


def test_a_sarif_result_points_to_its_rule_and_line() -> None:
    run = make_log(make_finding())
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "try"
    assert result["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "a.py"}, "region": {"startLine": 3}}}
    ]


@pytest.mark.parametrize(("sure", "level"), [("certain", "error"), ("possible", "note")])
def test_a_certain_finding_is_an_error(sure: str, level: str) -> None:
    assert make_log(make_finding(sure=sure))["results"][0]["level"] == level


def test_a_finding_without_a_line_has_no_region() -> None:
    (location,) = make_log(make_finding(line=0))["results"][0]["locations"]
    assert location == {"physicalLocation": {"artifactLocation": {"uri": "a.py"}}}


@pytest.mark.parametrize(
    ("file", "uri"), [("my net.py", "my%20net.py"), ("/elsewhere/a.py", "file:///elsewhere/a.py")]
)
def test_a_path_is_an_uri(file: str, uri: str) -> None:
    (location,) = make_log(make_finding(file))["results"][0]["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": uri}


def test_an_annotation_is_one_line_with_its_separators_escaped() -> None:
    assert format_github(Report([make_finding("a,b.py")])) == (
        "::error file=a%2Cb.py,line=3,title=minispore check%3A try::"
        "Says. (LAX refuses, STRICT refuses)%0AInstead: pass"
    )


def run_step(root: Path, folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run the last shell step of the action in ``folder``."""
    action = yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))
    step = action["runs"]["steps"][-1]
    inputs = {name: value.get("default", script) for name, value in action["inputs"].items()}
    values = {
        name: inputs[text.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, text in step["env"].items()
    }
    return subprocess.run(
        [step["shell"], "-c", step["run"]],
        cwd=folder,
        env={**os.environ, **values, "PATH": PATH},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("text", "status"), [(CLEAN, 0), (MISTAKE, 1)])
def test_the_action_ends_with_the_status_of_the_check(
    root: Path, tmp_path: Path, text: str, status: int
) -> None:
    (tmp_path / "train.py").write_text(text)
    ended = run_step(root, tmp_path, "train.py")
    assert ended.returncode == status, ended.stdout + ended.stderr
    assert ("::error file=train.py,line=9" in ended.stdout) == (status == 1)
    assert json.loads((tmp_path / "minispore.sarif").read_text())["version"] == "2.1.0"


@pytest.mark.parametrize(("text", "status"), [(CLEAN, 0), (MISTAKE, 1)])
def test_the_hook_stops_a_commit_with_a_finding(
    root: Path, tmp_path: Path, text: str, status: int
) -> None:
    # The hook of a repository is installed from there, which needs a network: here as a local one.
    (hook,) = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    hook |= {"language": "system", "args": ["train.py"]}
    (tmp_path / "train.py").write_text(text)
    config = {"repos": [{"repo": "local", "hooks": [hook]}]}
    (tmp_path / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    environment = {**os.environ, "PATH": PATH, "PRE_COMMIT_HOME": str(tmp_path / "home")}
    for command in (["git", "init", "-q"], ["git", "add", "train.py", ".pre-commit-config.yaml"]):
        subprocess.run(command, cwd=tmp_path, check=True)
    ended = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == status, ended.stdout + ended.stderr
    assert ("walrus" in ended.stdout) == (status == 1)


def test_the_hooks_of_the_repository_are_valid(root: Path) -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"]
    subprocess.run(command, cwd=root, check=True)
