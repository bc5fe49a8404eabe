"""The page "Try it in the browser": its programs, its files, and its JavaScript in a browser."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.browser import ROOT, TRY, act_on_page

PAGE = (TRY / "page.html").read_text(encoding="utf-8")
PROGRAMS = re.findall(r'<option value="([\w.]+)">', PAGE)


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    """The module that runs a program in the browser."""
    spec = importlib.util.spec_from_file_location("runner", TRY / "runner.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# -- the programs ---------------------------------------------------------------------------------

LAST_LINES = {
    "first_network.py": r"This is a \d, and the network says \d\.",
    "sink.py": "The same weights to the last bit: True",
    "graph_and_pynative.py": r"PYNATIVE +[\d.]+ ms a step.*",
    "compiled_step.py": r"peak memory: 2276 bytes .*",
    "will_it_fit.py": r"The largest batch that fits is 4394\.",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_without_extras(
    name: str,
    runner: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for module in ("matplotlib", "onnxruntime", "PIL", "ml_dtypes"):
        monkeypatch.setitem(sys.modules, module, None)
    report = runner.run_program((TRY / name).read_text(encoding="utf-8"))
    printed = capsys.readouterr()
    assert printed.err == ""
    assert re.fullmatch(LAST_LINES[name], printed.out.splitlines()[-1])
    assert (report is not None) == (name == "sink.py")


def test_a_traceback_begins_in_the_program(
    runner: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert runner.run_program("x = 1\nprint(x / 0)\n") is None
    first, frame, line, *_ = capsys.readouterr().err.splitlines()
    assert first == "Traceback (most recent call last):"
    assert frame == '  File "program.py", line 2, in <module>'
    assert line == "    print(x / 0)"


def test_a_run_begins_with_the_settings_of_a_new_interpreter(
    runner: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    asks = (
        "import minispore as ms\nprint(ms.get_context('mode'), ms.get_context('device_target'))\n"
    )
    runner.run_program(asks)
    sets = (
        "import minispore as ms\nms.set_context(mode=1, device_target='Ascend')\nraise SystemExit"
    )
    runner.run_program(sets)
    runner.run_program(asks)
    first, second = capsys.readouterr().out.splitlines()
    assert first == second


def test_a_program_that_did_not_finish_leaves_no_profiler_at_work(
    runner: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    profiles = "import minispore as ms\nprofiler = ms.Profiler()\n"
    runner.run_program(profiles + "raise SystemExit")
    runner.run_program(profiles + "profiler.stop()")
    assert capsys.readouterr().err == ""


# -- the files ------------------------------------------------------------------------------------


def test_the_files_that_the_try_page_names_exist() -> None:
    script = (TRY / "try.js").read_text(encoding="utf-8")
    named = re.findall(r'(?:href|src|value)="([\w.]+)"', PAGE) + re.findall(r'"(\w+\.\w+)"', script)
    assert {*PROGRAMS, "try.css", "try.js", "worker.js", "runner.py", "digits.py"} == set(named)
    assert [n for n in named if not (TRY / n).is_file()] == ["digits.py"]
    assert (ROOT / "examples" / "digits.py").is_file()  # the site's hook puts it there


def test_pyodide_comes_from_a_pinned_version() -> None:
    assert re.search(r'data-pyodide="https://cdn\.jsdelivr\.net/pyodide/v[\d.]+/full/"', PAGE)


def test_each_control_has_a_label() -> None:
    for tag, name in re.findall(r'<(select|textarea|iframe|pre) [^>]*?id="([\w-]+)"', PAGE):
        labels = rf'<label for="{name}">|id="{name}"[^>]*(title|aria-labelledby)='
        assert re.search(labels, PAGE), f"{tag} {name}"


# -- the JavaScript, with a stand-in for Pyodide --------------------------------------------------


def test_choosing_a_program_fills_the_editor_and_preserves_edits(tmp_path: Path) -> None:
    actions = """
        const [choice, editor] = [byId("choice"), byId("editor")];
        const choose = async (name, start) => {
          choice.value = name;
          choice.dispatchEvent(new Event("change"));
          await until(() => editor.value.startsWith(start));
        };
        await until(() => editor.value);
        const first = editor.value;
        await choose("sink.py", '\\"\\"\\"What a sink is');
        const second = editor.value;
        editor.value = "edited";
        await choose("first_network.py", '\\"\\"\\"A network for digits');
        await choose("sink.py", "edited");
        return [first, second];
    """
    programs = [(TRY / name).read_text("utf-8") for name in ("first_network.py", "sink.py")]
    assert act_on_page(tmp_path, actions) == programs


def test_a_run_shows_output_progress_and_report(tmp_path: Path) -> None:
    bar = r'error("\\r 10%")' + "\n" + r'error("\\r100%\\nwarning\\n\\r half")'
    program = r'print("one\\n")' + f"\n{bar}\n" + r'print("two\\n")' + "\nreport"
    actions = f"""
        run({json.dumps(program.replace(chr(92) * 2, chr(92)))});
        await says("Done in");
        return [byId("output").textContent, byId("progress").textContent, byId("figure").hidden,
                byId("report").srcdoc];
    """
    output, progress, is_hidden, report = act_on_page(tmp_path, actions)
    assert output == "one\n100%\nwarning\ntwo\n half\n"
    assert progress == ""
    assert not is_hidden
    assert report == "<p>made by /home/pyodide/digits.py /home/pyodide/runner.py</p>"


def test_a_flood_of_output_arrives_whole(tmp_path: Path) -> None:
    actions = r"""
        run(Array.from({ length: 500 }, (_, i) => `print("line ${i}\\n")`).join("\n"));
        await says("Done in");
        return byId("output").textContent;
    """
    assert act_on_page(tmp_path, actions) == "".join(f"line {i}\n" for i in range(500))


@pytest.mark.parametrize("isolated", [False, True], ids=["terminate", "interrupt"])
def test_stop_ends_an_endless_program_and_the_page_goes_on(tmp_path: Path, isolated: bool) -> None:
    actions = r"""
        run('print("begun\\n")\nwhile True: pass');
        await until(() => byId("output").textContent.includes("begun"));
        byId("stop").click();
        await until(() => byId("stop").disabled);
        await new Promise(requestAnimationFrame);
        const stopped = [byId("status").textContent.split(/[. ]/)[0], byId("output").textContent];
        run('print("again\\n")');
        await until(() => byId("output").textContent === "again\n");
        await says("Done in");
        return stopped;
    """
    status, output = act_on_page(tmp_path, actions, isolated=isolated)
    assert status == ("Done" if isolated else "Stopped")
    assert output == ("begun\nKeyboardInterrupt\n" if isolated else "begun\n")


def test_offline_the_page_says_what_is_missing_and_how_to_go_on(tmp_path: Path) -> None:
    actions = """
        byId("run").click();
        await says("could not be loaded");
        return [byId("status").textContent, byId("run").disabled];
    """
    status, is_disabled = act_on_page(tmp_path, actions, pyodide="http://127.0.0.1:9/")
    assert status.startswith("Python could not be loaded from http://127.0.0.1:9/: ")
    assert "Connect and press Run again" in status
    assert not is_disabled


def test_a_site_without_the_wheel_says_so(tmp_path: Path) -> None:
    actions = """
        byId("run").click();
        await says("could not be loaded");
        return byId("status").textContent;
    """
    status = act_on_page(tmp_path, actions, wheel=None)
    assert status.startswith("minispore could not be loaded from http://127.0.0.1:")
    assert status.endswith("The site is not complete: make docs builds it.")


def test_a_crash_of_python_is_reported_and_the_next_run_restarts_it(tmp_path: Path) -> None:
    actions = r"""
        run("crash");
        await says("Python ended: out of memory.");
        run('print("again\\n")');
        await says("Done in");
        return byId("output").textContent;
    """
    assert act_on_page(tmp_path, actions) == "again\n"


def test_a_program_can_be_run_and_stopped_by_keyboard(tmp_path: Path) -> None:
    actions = r"""
        byId("editor").value = "while True: pass";
        const options = { key: "Enter", ctrlKey: true, cancelable: true, bubbles: true };
        byId("editor").dispatchEvent(new KeyboardEvent("keydown", options));
        await says("Running");
        const tab = new KeyboardEvent("keydown", { key: "Tab", cancelable: true, bubbles: true });
        const leaves = byId("editor").dispatchEvent(tab);
        byId("stop").focus();
        byId("stop").click();
        return [leaves, document.activeElement.id];
    """
    assert act_on_page(tmp_path, actions) == [True, "try-run"]
