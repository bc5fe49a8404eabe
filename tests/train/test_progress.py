"""The progress bar: what it shows, and when it shows itself."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import minispore.dataset as ds
from minispore import Tensor, context, device, nn
from minispore.ops.support import transport
from minispore.train import (
    BackupAndRestore,
    Callback,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    Model,
    ModelCheckpoint,
    OnRequestExit,
    ProgressBar,
    ReduceLROnPlateau,
    SummaryCollector,
)
from minispore.train.callback.progress import default_progress_bar

pytestmark = pytest.mark.usefixtures("plain")


class Terminal(io.StringIO):
    """A stderr that a person looks at."""

    def isatty(self) -> bool:
        return True


Screen = Callable[[], Terminal]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINISPORE_PROGRESS", raising=False)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Screen:
    def terminal() -> Terminal:
        """Take the place of stderr; called in the test, since pytest sets stderr before it."""
        screen = Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        return screen

    return terminal


def model() -> Model:
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    return Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.0), metrics={"mae", "loss"})


def batches(count: int = 6) -> ds.Dataset:
    x = np.ones((2 * count, 2), np.float32)
    return ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"], shuffle=False).batch(2)


def last_line(screen: io.StringIO) -> str:
    return screen.getvalue().replace("\r", "\n").rstrip("\n").rpartition("\n")[2]


def test_it_counts_the_steps_of_all_epochs_and_shows_the_loss() -> None:
    screen = io.StringIO()
    model().train(3, batches(), ProgressBar(screen))
    assert "18/18" in last_line(screen) and "epoch 3/3" in last_line(screen)
    assert "loss=" in last_line(screen)


@pytest.mark.parametrize("mode", [context.GRAPH_MODE, context.PYNATIVE_MODE])
def test_it_counts_steps_in_sink_mode_too(mode: int) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    screen = io.StringIO()
    model().train(3, batches(), ProgressBar(screen), dataset_sink_mode=True, sink_size=4)
    assert "12/12" in last_line(screen)


def test_a_bar_with_initial_epoch_counts_the_remaining_steps_and_all_epochs() -> None:
    screen = io.StringIO()
    model().train(5, batches(), ProgressBar(screen), initial_epoch=3)
    assert "12/12" in last_line(screen) and "epoch 5/5" in last_line(screen)


def test_fit_shows_the_metrics_of_the_evaluated_epochs() -> None:
    screen = io.StringIO()
    model().fit(2, batches(), batches(3), callbacks=ProgressBar(screen))
    assert "mae=1" in last_line(screen) and "12/12" in last_line(screen)


def test_a_separate_evaluation_has_its_progress_bar() -> None:
    screen = io.StringIO()
    model().eval(batches(), ProgressBar(screen))
    assert "eval" in last_line(screen) and "6/6" in last_line(screen)
    assert "mae=1" in last_line(screen)


def test_a_training_without_callbacks_shows_one_on_a_terminal(
    terminal: Screen,
) -> None:
    screen = terminal()
    model().train(1, batches())
    assert "6/6" in last_line(screen)


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: History(),
        lambda folder: BackupAndRestore(folder),
        lambda folder: EarlyStopping("loss"),
        lambda folder: LearningRateScheduler(lambda rate, step: rate),
        lambda folder: ModelCheckpoint("a", folder),
        lambda folder: OnRequestExit(directory=folder),
        lambda folder: ReduceLROnPlateau("loss"),
        lambda folder: SummaryCollector(folder),
    ],
)
def test_silent_callbacks_leave_the_progress_bar_on_screen(
    make: Callable[[str], Callback], terminal: Screen, tmp_path: Path
) -> None:
    screen = terminal()
    model().train(1, batches(), make(str(tmp_path)))
    assert "6/6" in last_line(screen)


def test_a_callback_that_reports_takes_its_place(terminal: Screen) -> None:
    screen = terminal()
    model().train(1, batches(), LossMonitor())
    assert screen.getvalue() == ""


def test_no_bar_is_printed_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    model().train(1, batches())
    assert screen.getvalue() == ""


def test_the_switch_turns_it_off_on_a_terminal(
    terminal: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = terminal()
    monkeypatch.setenv("MINISPORE_PROGRESS", "0")
    model().train(1, batches())
    assert screen.getvalue() == ""


def test_the_switch_turns_it_on_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("MINISPORE_PROGRESS", "1")
    model().train(1, batches())
    assert "6/6" in last_line(screen)


def test_the_device_s_counters_do_not_know_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
    monkeypatch.setattr(sys, "stderr", Terminal())
    counted = []
    for text in ("0", "1"):
        monkeypatch.setenv("MINISPORE_PROGRESS", text)
        counters = device.current().counters
        counters.reset()
        model().train(2, batches(), dataset_sink_mode=True)
        timed = {"getnext_waits", "getnext_wait_s"}
        counted.append({k: v for k, v in counters.as_dict().items() if k not in timed})
    assert counted[0] == counted[1]


def test_a_failing_step_leaves_no_bar_and_no_thread() -> None:
    def fail(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raise OSError("no data")

    bad = batches().map(fail, input_columns=["x", "y"])
    bar = ProgressBar(io.StringIO())
    with pytest.raises(RuntimeError, match="no data"):
        model().train(1, bad, bar)
    assert bar._bar is None


@pytest.mark.parametrize(("interval", "error"), [("1", TypeError), (-1, ValueError)])
def test_a_wrong_interval_is_refused(interval: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="ProgressBar: interval must be"):
        ProgressBar(interval=interval)  # type: ignore[arg-type]


def test_a_run_that_draws_none_never_imports_the_library(root: Path) -> None:
    program = "import sys, minispore; print('tqdm' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "False"


# -- what stands on the line -----------------------------------------------------------------------


class Outputs(nn.Cell):
    """Gives back what it was told to."""

    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value

    def construct(self, x: Tensor, y: Tensor) -> object:
        return self.value


def run_with_bar(value: object, **options: object) -> str:
    screen = io.StringIO()
    Model(Outputs(value)).train(1, batches(2), ProgressBar(screen, **options))  # type: ignore[arg-type]
    return last_line(screen)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Tensor(0.123456), "loss=0.1235"),
        (Tensor([1.0, 2.0]), "loss=1.5"),
        ((Tensor(7), Tensor(1.0)), "loss=7"),
        ((Tensor([1.0, 2.0]), Tensor(1.0)), ""),  # of a tuple, the first as it is
        ("text", ""),
    ],
)
@pytest.mark.filterwarnings("ignore:GRAPH_MODE")
def test_a_loss_is_displayed_only_if_it_is_one_number(value: object, shown: str) -> None:
    context.set_context(mode=context.PYNATIVE_MODE)
    line = run_with_bar(value)
    assert "2/2" in line
    assert shown in line if shown else "loss" not in line


@pytest.mark.parametrize(("options", "step_s"), [({"interval": 2.0}, 1.0), ({}, 0.0625)])
def test_between_two_drawings_the_interval_passes(
    options: dict[str, float], step_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    from minispore.train.callback import progress

    now, looked = [0.0], []
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(progress, "handle_loss", lambda outputs: looked.append(now[0]))
    bar = ProgressBar(io.StringIO(), **options)

    def later(run_context: object) -> None:
        now[0] += step_s

    model().train(1, batches(6), [LambdaCallback(on_train_step_begin=later), bar])
    assert [x / step_s for x in looked] == [2, 4, 6, 6]  # and at the end of the epoch
    looked.clear()
    model().train(1, batches(5), [LambdaCallback(on_train_step_begin=later), bar])
    assert [x / step_s - 6 for x in looked] == [2, 4, 5, 5]  # the last step is always drawn


def test_the_line_is_as_wide_as_the_terminal_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    termios = pytest.importorskip("termios")
    monkeypatch.delenv("COLUMNS", raising=False)
    reader, writer = os.openpty()
    with open(reader, "rb", buffering=0) as printed, open(writer, "w") as screen:
        termios.tcsetwinsize(screen, (24, 70))

        def narrow(run_context: object) -> None:
            termios.tcsetwinsize(screen, (24, 50))

        callbacks = [LambdaCallback(on_train_step_begin=narrow), ProgressBar(screen, 0)]
        model().train(1, batches(2), callbacks)
        first, *others = printed.read(4096).decode().rstrip().lstrip("\r").split("\r")
    assert others and len(first) > 50 >= max(len(line.rstrip()) for line in others)


def test_a_metric_named_loss_is_the_evaluation_s() -> None:
    screen = io.StringIO()
    model().fit(1, batches(), batches(3), callbacks=ProgressBar(screen))
    assert "eval_loss=1" in last_line(screen) and "loss=" in last_line(screen).split("eval_loss")[0]


def test_epochs_of_one_step_are_counted_from_the_first_of_all() -> None:
    screen = io.StringIO()
    model().train(5, batches(1), ProgressBar(screen), initial_epoch=3)
    assert "epoch 5/5" in last_line(screen) and "2/2" in last_line(screen)


def test_a_reused_bar_restarts_its_count() -> None:
    screen = io.StringIO()
    bar = ProgressBar(screen)
    model().fit(1, batches(), batches(3), callbacks=bar)
    start = len(screen.getvalue())
    model().train(1, batches(2), bar)
    second = screen.getvalue()[start:]
    assert "2/2" in second and "mae" not in second
    model().eval(batches(4), bar)
    assert "4/4" in last_line(screen) and "eval" in last_line(screen)


def test_an_evaluation_within_a_training_moves_no_bar() -> None:
    screen = io.StringIO()
    model().fit(2, batches(2), batches(5), callbacks=ProgressBar(screen, interval=0))
    assert "/5" not in screen.getvalue() and "eval:" not in screen.getvalue()


def test_a_new_epoch_is_displayed_with_its_first_step() -> None:
    screen = io.StringIO()
    model().train(3, batches(6), ProgressBar(screen, interval=1e9))
    lines = [line for line in screen.getvalue().split("\r") if line.startswith("epoch 2/3")]
    assert lines and all("12/18" in line for line in lines)


def test_the_first_line_is_of_the_first_epoch() -> None:
    screen = io.StringIO()
    model().train(2, batches(2), ProgressBar(screen, interval=0))
    assert screen.getvalue().strip("\r\n").startswith("epoch 1/2:   0%")


def test_a_notebook_shows_one(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    assert len(default_progress_bar([])) == 1


def test_an_explicit_progress_bar_replaces_the_default_one(terminal: Screen) -> None:
    terminal()
    assert default_progress_bar([ProgressBar(io.StringIO())]) == []


def test_a_program_without_stderr_shows_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert default_progress_bar([]) == []


def test_of_several_ranks_the_first_shows_one(
    terminal: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal()
    lines = []
    for rank in (0, 1):
        monkeypatch.setattr(transport.current, "rank", lambda group, rank=rank: rank)
        lines.append(len(default_progress_bar([])))
    assert lines == [1, 0]
