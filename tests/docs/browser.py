"""The page "Try it in the browser" in a headless Chromium, served on the loopback interface."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRY = ROOT / "docs" / "try"
STUB = Path(__file__).with_name("stub") / "pyodide.mjs"
WHEEL = "minispore-1.0-py3-none-any.whl"
SECONDS = 30  # until a browser on a busy machine is given up

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--remote-debugging-port=0"),  # a port: Chromium stays open
)
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css",
    ".py": "text/plain",
    ".wasm": "application/wasm",
}
_ISOLATION = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}
_SCRIPT = """<script type="module">
const byId = (name) => document.getElementById(`try-${{name}}`);
const deadline = Date.now() + {milliseconds};
const until = async (check) => {{
  while (!check()) {{
    if (Date.now() > deadline) throw new Error(`${{check}} in ${{document.body.innerText}}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }}
}};
const says = async (text) => {{
  await until(() => byId("status").textContent.includes(text));
  await new Promise(requestAnimationFrame); // with which the page shows what was printed
}};
const run = (text) => {{ byId("editor").value = text; byId("run").click(); }};
const act = async () => {{
  await until(() => byId("editor").value);
  {actions}
}};
const result = await act().catch((error) => String(error));
await fetch("/result", {{ method: "POST", body: JSON.stringify(result) }});
</script>"""


def find_browser() -> str:
    """Return the path of a Chromium, or skip the test."""
    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if path is None:
        pytest.skip("no browser")
    return path


def make_page(pyodide: str, actions: str, seconds: float) -> str:
    """Return the editor with Pyodide at another address and a script that acts as its user."""
    editor = (TRY / "page.html").read_text(encoding="utf-8").replace("WHEEL", WHEEL)
    address = editor.partition('data-pyodide="')[2].partition('"')[0]
    assert address.startswith("https://")
    script = _SCRIPT.format(actions=actions, milliseconds=900 * seconds)
    return f"<!doctype html><title>t</title>{editor.replace(address, pyodide)}{script}"


def act_on_page(
    folder: Path,
    actions: str,
    pyodide: str = "/stub/",
    wheel: bytes | None = b"PK",
    isolated: bool = False,
    more_pages: Mapping[str, bytes] = MappingProxyType({}),
    seconds: float = SECONDS,
) -> Any:
    """Open the page, run JavaScript in it and return what that returns.

    Args:
        folder: for the browser's own files.
        actions: the body of an asynchronous function. It may use ``byId``, ``until``, ``says``
            and ``run``.
        pyodide: the address from which the page loads Pyodide.
        wheel: the content of minispore's wheel, None for a site without it.
        isolated: whether the server lets the page share memory with its worker.
        more_pages: the content of further files by path.
        seconds: until the page is given up.
    """
    pages = {
        **more_pages,
        "/": make_page(pyodide, actions, seconds).encode(),
        "/stub/pyodide.mjs": STUB.read_bytes(),
        "/digits.py": (ROOT / "examples" / "digits.py").read_bytes(),
        **{f"/{path.name}": path.read_bytes() for path in TRY.iterdir() if path.is_file()},
    }
    if wheel is not None:
        pages[f"/{WHEEL}"] = wheel
    results: queue.Queue[Any] = queue.Queue()
    with serve_pages(pages, results, isolated) as address, open_browser(address, folder):
        return results.get(timeout=seconds)


@contextlib.contextmanager
def serve_pages(
    pages: dict[str, bytes], results: queue.Queue[Any], isolated: bool
) -> Iterator[str]:
    """Serve pages by path, and put what is posted into ``results``; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path)
            self.send_response(404 if body is None else 200)
            suffix = Path(self.path).suffix or ".html"
            self.send_header("Content-Type", _TYPES.get(suffix, "text/javascript"))
            for name, value in _ISOLATION.items() if isolated else ():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body or b"")

        def do_POST(self) -> None:
            results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def open_browser(address: str, folder: Path) -> Iterator[None]:
    """Keep a browser open at an address."""
    command = [find_browser(), *_FLAGS, f"--user-data-dir={folder}", address]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # with the processes of its pages
        process.wait()
