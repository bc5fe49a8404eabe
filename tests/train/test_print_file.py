"""print_file_path and parse_print: what Print is given on an Ascend is in a file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, context, nn, ops
from minispore.foundation import files
from minispore.ir import dtype as mstype
from tests.train.nets import GRAPH, PYNATIVE, numbers

MODES = [GRAPH, PYNATIVE]


class PrintInput(nn.Cell):
    """Prints its input, and returns the mean."""

    def __init__(self) -> None:
        super().__init__()
        self.print = ops.Print()

    def construct(self, x: Tensor) -> Tensor:
        self.print("x is", x)
        return x.mean()


@pytest.fixture
def file(tmp_path: Path) -> str:
    """The path of a file for prints, which an Ascend writes to."""
    path = str(tmp_path / "print.pb")
    context.set_context(device_target="Ascend", print_file_path=path)
    return path


@pytest.mark.parametrize("mode", MODES)
def test_prints_go_to_the_file_and_not_to_the_screen(mode, file, capsys) -> None:
    context.set_context(mode=mode)
    PrintInput()(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)))
    text, tensor = ms.parse_print(file)
    assert text == "x is"
    np.testing.assert_array_equal(tensor.asnumpy(), np.arange(6).reshape(2, 3))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("mode", MODES)
def test_every_step_of_a_sink_prints_into_the_file(mode, file) -> None:
    context.set_context(mode=mode)
    ms.Model(PrintInput()).train(1, numbers(3, shuffle=False), dataset_sink_mode=True, sink_size=4)
    actual = ms.parse_print(file)
    assert [t.asnumpy().tolist() for t in actual[1::2]] == [[0, 1], [2, 3], [4, 5], [0, 1]]


@pytest.mark.parametrize(
    "dtype",
    [mstype.bool_, mstype.int8, mstype.int64, mstype.uint16, mstype.float16, mstype.float64],
)
def test_a_tensor_keeps_its_type_and_shape(dtype, file) -> None:
    for shape in ((), (0, 3), (2, 2)):
        ops.Print()(Tensor(np.ones(shape), dtype))
    assert [(t.shape, t.dtype) for t in ms.parse_print(file)] == [
        (shape, dtype) for shape in ((), (0, 3), (2, 2))
    ]


def test_without_a_file_an_ascend_prints_on_the_screen(capsys) -> None:
    context.set_context(device_target="Ascend")
    ops.Print()("here")
    assert capsys.readouterr().out == "here\n"


def test_another_target_prints_on_the_screen(file, capsys) -> None:
    context.set_context(device_target="GPU")
    ops.Print()("here")
    assert capsys.readouterr().out == "here\n"
    assert not os.path.exists(file)


def test_an_existing_print_file_is_preserved_and_the_new_name_has_the_time(tmp_path) -> None:
    path = tmp_path / "print.pb"
    path.write_text("mine")
    context.set_context(device_target="Ascend", print_file_path=str(path))
    ops.Print()("here")
    new = context.get_context("print_file_path")
    assert new.startswith(f"{path}.") and new.rpartition(".")[2].isdigit()
    assert ms.parse_print(new) == ["here"]
    assert path.read_text() == "mine"


def test_two_print_files_of_one_second_have_distinct_names(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1000.5)
    path = tmp_path / "print.pb"
    for name in ("print.pb", "print.pb.1000"):
        (tmp_path / name).write_text("mine")
    context.set_context(device_target="Ascend", print_file_path=str(path))
    assert context.get_context("print_file_path") == f"{path}.1001"


def test_a_folder_is_no_file(tmp_path) -> None:
    context.set_context(device_target="Ascend")
    with pytest.raises(OSError, match="must be a file"):
        context.set_context(print_file_path=str(tmp_path))


def test_a_rehearsal_prints_into_the_scratch_folder(tmp_path: Path) -> None:
    path = tmp_path / "real" / "print.pb"
    with files.redirecting_to(str(tmp_path / "scratch")):
        context.set_context(device_target="Ascend", print_file_path=str(path))
        ops.Print()("here")
        assert ms.parse_print(str(path)) == ["here"]
    assert not path.parent.exists()
    assert Path(context.get_context("print_file_path")).is_relative_to(tmp_path / "scratch")


def test_a_folder_is_no_file_in_a_rehearsal_either(tmp_path: Path) -> None:
    context.set_context(device_target="Ascend")
    with (
        files.redirecting_to(str(tmp_path / "scratch")),
        pytest.raises(OSError, match="must be a file"),
    ):
        context.set_context(print_file_path=str(tmp_path))
    assert not (tmp_path / "scratch").exists()


def test_parse_print_refuses_a_missing_or_empty_file(tmp_path) -> None:
    with pytest.raises(ValueError, match="must be a file with something in it"):
        ms.parse_print(str(tmp_path / "nothing"))
    (tmp_path / "empty").touch()
    with pytest.raises(ValueError):
        ms.parse_print(str(tmp_path / "empty"))


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_a_file_that_is_cut_off_is_a_runtime_error(keep, file) -> None:
    ops.Print()("a text", Tensor(np.ones(9, np.float32)))
    content = Path(file).read_bytes()
    Path(file).write_bytes(content[: int(keep * len(content))])
    with pytest.raises(RuntimeError, match="can't be read"):
        ms.parse_print(file)
