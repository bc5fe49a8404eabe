"""The page stands alone, and works in a real browser where there is one."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from minispore.ops.support import transport
from minispore.ops.support.transport import Traffic
from minispore.profiler import page
from minispore.profiler.record import WallTime
from minispore.profiler.writing import MODEL_NOTE
from tests.profiler.conftest import EPOCHS, STEPS

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=3000",
)


def data_of(text: str) -> dict:
    actual = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert actual is not None
    return json.loads(actual[1].replace("<\\/", "</"))


# -- the file -------------------------------------------------------------------------------------


def test_the_page_asks_nobody_for_anything(profiled) -> None:
    text = profiled().report().read_text(encoding="utf-8")
    without_names = text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(
        r"https?://|\bsrc=|\burl\(|@import|<link|\bfetch\(|import\(", without_names
    )


def test_the_page_says_that_its_times_are_a_model(profiled) -> None:
    text = profiled().report().read_text(encoding="utf-8")
    assert "a model of it, not a measurement" in text
    assert data_of(text)["note"] == MODEL_NOTE


def test_the_page_has_the_user_s_view_and_the_four_ways(profiled) -> None:
    data = page.make_page_data(profiled().get_priced_run())
    assert [v["id"] for v in data["views"]] == ["user", "none", "data", "graph", "loop"]
    assert [v["wall"] for v in data["views"]] == [True, False, False, False, False]
    assert len({v.get("scale") for v in data["views"][1:]}) == 1  # one scale: lengths compare
    elapsed = [v["elapsed"] for v in data["views"][1:]]
    assert elapsed == sorted(elapsed, reverse=True)


def test_the_user_s_view_has_a_bar_for_each_interaction(profiled) -> None:
    calls = page.make_page_data(profiled().get_priced_run())["views"][0]["lanes"][0]["tasks"]
    assert len(calls) == EPOCHS
    assert all(name.startswith(f"{STEPS} steps, loss ") for _, _, name, *_ in calls)


def test_the_page_has_loss_memory_kernels_and_pipeline(profiled) -> None:
    data = page.make_page_data(profiled().get_priced_run())
    curves = dict(data["curves"])
    assert [step for step, _ in curves["loss"]] == list(range(1, EPOCHS * STEPS + 1))
    assert (
        max(map(sum, zip(*data["memory"]["kinds"].values(), strict=True))) == data["memory"]["peak"]
    )
    assert sum(share for *_, share in data["kernels"]) == pytest.approx(1)
    assert data["pipeline"]["pipeline_ops"] == ["batch", "NumpySlicesDataset"]
    assert [row[0] for row in data["table"]] == ["none", "data", "graph", "loop"]


def test_names_in_the_data_can_not_end_the_script(profiled) -> None:
    profiler = profiled()
    profiler.recorder.eager_kernels["x"] = WallTime("x", "</script><b>", calls=1, total_ns=10**12)
    text = profiler.report().read_text(encoding="utf-8")
    assert "</script><b>" not in text
    assert any(row[1] == "</script><b>" for row in data_of(text)["wall"])


def test_long_runs_are_thinned_and_keep_their_last_point() -> None:
    assert page._thin_points(list(range(10_000)), 100)[-1] == 9_999
    assert len(page._thin_points(list(range(10_000)), 100)) == 100
    assert page._thin_points([1, 2], 100) == [1, 2]


# -- colours: WCAG 2.2, AA ------------------------------------------------------------------------

GROUPS = ("host", "data", "copy", "getnext", "cube", "vector", "control")


def theme(name: str) -> dict[str, str]:
    """The colours of a theme, as the page's style names them."""
    text = resources.files("minispore.profiler").joinpath("page.html").read_text("utf-8")
    begin = ":root {" if name == "light" else ':root[data-theme="dark"] {'
    style = text[text.index(begin) :].partition("}")[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", style))


def contrast(a: str, b: str) -> float:
    """The ratio of two colours' luminances."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(a), luminance(b)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("group", GROUPS)
def test_a_bar_stands_out_and_its_label_can_be_read(name: str, group: str) -> None:
    colours = theme(name)
    assert contrast(colours[group], colours[f"on-{group}"]) >= 4.5
    assert min(contrast(colours[group], colours[ground]) for ground in ("ground", "raised")) >= 3


@pytest.mark.parametrize("name", ["light", "dark"])
def test_texts_and_kernel_colours_have_enough_contrast(name: str) -> None:
    colours = theme(name)
    for text in ("text", "quiet"):
        assert min(contrast(colours[text], colours[g]) for g in ("ground", "raised")) >= 4.5
    assert contrast(colours["cube"], colours["vector"]) >= 3
    assert contrast(colours["loss"], colours["ground"]) >= 3


def test_both_dark_themes_are_one(profiled) -> None:
    text = profiled().report().read_text(encoding="utf-8")
    chosen, by_system = (
        re.findall(r"--[\w-]+: #\w+;", text[text.index(begin) :].partition("}")[0])
        for begin in (':root[data-theme="dark"] {', ':root:not([data-theme="light"]) {')
    )
    assert chosen == by_system


def test_the_first_sentence_says_what_bounds_the_run(profiled) -> None:
    data = data_of(profiled().report().read_text(encoding="utf-8"))["verdict"]
    assert re.match(r"Here the (computation|data pipeline) bounds the run: a step takes", data)


def test_layers_have_the_user_s_names(profiled) -> None:
    rows = data_of(profiled().report().read_text(encoding="utf-8"))["wall"]
    assert rows and not any("Sink" in row[1] or "Gradients" in row[1] for row in rows)


# -- in a browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser() -> str:
    """A Chromium, or a skip that says why."""
    actual = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if actual is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    return actual


@pytest.fixture
def seen(browser: str, profiled, tmp_path: Path):
    """``seen(script)``: what ``script``, run in the ready page, returns."""
    text = profiled().report().read_text(encoding="utf-8")

    def seen(script: str, *flags: str):
        probe = (
            "<script>const page = document.documentElement.outerHTML;"
            "window.addEventListener('load', () => setTimeout(() => {let r; try {r = "
            f"(() => {{{script}}})();}} catch (e) {{r = 'failed: ' + e;}}"
            "document.body.dataset.result = JSON.stringify(r);}, 50));</script></body>"
        )
        file = tmp_path / "probe.html"
        file.write_text(text.replace("</body>", probe), encoding="utf-8")
        profile = tmp_path / "browser"
        done = subprocess.run(
            [browser, *FLAGS, *flags, f"--user-data-dir={profile}", "--dump-dom", file.as_uri()],
            capture_output=True,
            text=True,
            timeout=600,  # a browser beside other work
            check=False,
        )
        shutil.rmtree(profile, ignore_errors=True)
        result = re.search(r'data-result="(.*?)"', done.stdout)
        assert result is not None, done.stderr[-2000:]
        return json.loads(html.unescape(result[1]))

    return seen


def test_the_page_draws_everything_without_an_error(seen) -> None:
    actual = seen(
        "return {ready: document.documentElement.dataset.ready,"
        "svgs: document.querySelectorAll('svg').length,"
        "tasks: [...document.querySelectorAll('.view')]"
        ".map(v => v.querySelectorAll('.task').length),"
        "tables: document.querySelectorAll('table').length,"
        "line: document.querySelectorAll('polyline').length};"
    )
    assert actual["ready"] == "yes"
    assert actual["svgs"] == 6 + 2  # five views and the run; memory and loss
    assert actual["tables"] == 4
    assert actual["line"] == 1
    assert len(actual["tasks"]) == 6
    assert all(n > 0 for n in actual["tasks"])


def test_the_keyboard_zooms_moves_and_picks(seen) -> None:
    actual = seen(
        "const s = document.querySelectorAll('.view svg')[1], out = [];"
        "const key = k => s.dispatchEvent(new KeyboardEvent('keydown', {key: k, bubbles: true, "
        "cancelable: true}));"
        "s.focus(); out.push(document.activeElement === s);"
        "const ticks = () => [...s.querySelectorAll('.tick')].map(t => t.textContent).join();"
        "const all = ticks(); key('+'); const near = ticks(); out.push(near !== all);"
        "key('ArrowLeft'); out.push(ticks() !== near); key('0'); out.push(ticks() === all);"
        "key('ArrowDown'); out.push(document.getElementById('said').textContent);"
        "out.push(s.querySelectorAll('.task.on').length);"
        "out.push(document.getElementById('tip').style.display); return out;"
    )
    assert actual[:4] == [True] * 4
    assert actual[4].startswith("batch")
    assert actual[4].endswith("lane Data")
    assert actual[5:] == [1, "block"]


def test_hovering_a_bar_tells_what_it_is(seen) -> None:
    text = seen(
        "const r = document.querySelectorAll('.view')[2].querySelector('.task');"
        "r.scrollIntoView({block: 'center'});"
        "const b = r.getBoundingClientRect();"
        "r.dispatchEvent(new PointerEvent('pointermove', {bubbles: true,"
        "clientX: b.left + b.width / 2, clientY: b.top + b.height / 2}));"
        "return document.getElementById('tip').textContent;"
    )
    assert re.search(r"batch .* step [12]$", text)  # two thin bars may share a pixel


def test_the_buttons_zoom(seen) -> None:
    assert seen(
        "const view = document.querySelectorAll('.view')[1];"
        "const b = view.previousSibling.querySelector('button');"
        "const before = view.querySelectorAll('.tick')[1].textContent; b.click();"
        "return before !== view.querySelectorAll('.tick')[1].textContent;"
    )


@pytest.mark.parametrize("width", [500, 768, 880, 1280])
def test_nothing_is_wider_than_the_window(seen, width: int) -> None:
    assert seen(
        "return [document.documentElement.scrollWidth <= window.innerWidth + 1,"
        "[...document.querySelectorAll('.scroll')]"
        ".every(t => t.scrollWidth <= t.clientWidth + 1)];",
        f"--window-size={width},800",
    ) == [True, True]


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_sees_whole_tables_and_never_scrolls_sideways(seen, width: int) -> None:
    # A headless window is no narrower than 500 pixels; a frame in it is.
    assert seen(
        "if (window.name) return null;"
        "const f = document.createElement('iframe'); f.name = 'narrow';"
        f"f.style.cssText = 'width:{width}px;height:800px;border:0';"
        "document.body.replaceChildren(f);"
        "f.contentDocument.write(page); f.contentDocument.close();"
        "const d = f.contentDocument;"
        "return [d.documentElement.scrollWidth <= f.clientWidth,"
        "[...d.querySelectorAll('.scroll')].every(t => t.scrollWidth <= t.clientWidth + 1),"
        "d.querySelectorAll('td').length > 20];"
    ) == [True, True, True]


def test_light_and_dark_differ_and_the_button_changes_them(seen) -> None:
    actual = seen(
        "const ground = () => getComputedStyle(document.body).backgroundColor, out = [ground()];"
        "document.getElementById('theme').click(); out.push(ground());"
        "document.getElementById('theme').click(); out.push(ground()); return out;"
    )
    assert actual[0] == actual[2] == "rgb(255, 255, 255)"
    assert actual[1] == "rgb(20, 23, 28)"


def test_everything_that_acts_has_a_name_and_can_be_reached(seen) -> None:
    assert (
        seen(
            "return [...document.querySelectorAll('button, [tabindex]')]"
            ".filter(e => e.tabIndex < 0"
            " || !(e.textContent.trim() || e.getAttribute('aria-label'))).length;"
        )
        == 0
    )


def test_the_page_says_how_much_of_the_exchange_of_gradients_is_hidden(
    profiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = profiled().get_priced_run()
    traffic = Traffic(buckets=6, nbytes=3 << 20, in_flight_ns=400, waited_ns=100)
    monkeypatch.setattr(transport.current, "traffic", traffic)
    facts = dict(page.make_page_data(run)["facts"])
    assert facts["all-reduces of gradients"] == "6, 3.0 MB, 75% of their time behind other work"
    monkeypatch.setattr(transport.current, "traffic", Traffic())
    assert "all-reduces of gradients" not in dict(page.make_page_data(run)["facts"])


def test_each_lane_of_the_device_is_explained(profiled) -> None:
    data = page.make_page_data(profiled().get_priced_run())
    assert {lane["name"] for lane in data["run"]["lanes"]} <= data["terms"].keys()
