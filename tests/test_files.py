"""Files that are there whole, or not at all."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from minispore.foundation import files

posix = pytest.mark.skipif(os.name == "nt", reason="modes and locks of POSIX")


@posix
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_umask_determines_the_file_mode(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        files.write_text(tmp_path / "a", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_what_a_killed_process_left_is_removed_before_the_next_write(tmp_path: Path) -> None:
    (tmp_path / ".a.0123abcd.tmp").write_text("half")
    (tmp_path / ".b.0123abcd.tmp").write_text("of another file")
    files.write_text(tmp_path / "a", "whole")
    assert sorted(os.listdir(tmp_path)) == [".b.0123abcd.tmp", "a"]


@posix
def test_what_killed_processes_left_in_the_folder_is_removed_by_the_next_writer(
    tmp_path: Path,
) -> None:
    (tmp_path / ".net-1_1.ckpt.ms012abc.tmp").write_text("of a training that is over")
    (tmp_path / ".upload.k3x9w2aa.tmp").write_text("of another program")
    files.write_text(tmp_path / "a", "whole")
    assert sorted(os.listdir(tmp_path)) == [".upload.k3x9w2aa.tmp", "a"]


@posix
def test_the_drafts_of_a_live_writer_and_of_a_journal_stay(tmp_path: Path) -> None:
    """A writer of several files locks one draft, whose token all have."""
    live, moved = files.Draft(tmp_path / "set0"), tmp_path / ".set.msabcdef.tmp"
    also_live = files.make_draft_path(tmp_path / "set1", live.token)
    for path in (also_live, moved):
        path.touch()
    files.make_journal_path(tmp_path / "set").write_text(json.dumps([[moved.name, "set"]]))
    files.write_text(tmp_path / "a", "whole")
    assert live.path.exists() and also_live.exists() and moved.exists()
    live.close()
    files.write_text(tmp_path / "a", "whole")
    assert not also_live.exists() and moved.exists()


@posix
@pytest.mark.parametrize("error", [PermissionError, OSError])
def test_without_locks_nobody_s_drafts_are_removed_but_those_of_the_same_file(
    error: type[OSError], tmp_path: Path, monkeypatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise error

    monkeypatch.setattr(files.fcntl, "flock", refuse)
    for name in (".a.ms012abc.tmp", ".b.ms345def.tmp"):
        (tmp_path / name).touch()
    files.write_text(tmp_path / "a", "whole")
    assert sorted(os.listdir(tmp_path)) == [".b.ms345def.tmp", "a"]


@posix
def test_what_is_still_written_to_is_no_leftover(tmp_path: Path) -> None:
    with files.replacing(tmp_path / "a") as file:
        file.write(b"first")
        files.write_text(tmp_path / "a", "second")
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "first"


def test_a_missing_folder_is_named_and_not_the_temporary_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no/a'$"):
        files.write_text(tmp_path / "no" / "a", "x")


def test_interrupted_renames_are_finished(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("new")  # the first was renamed
    (tmp_path / "b").write_text("old")
    (tmp_path / ".b.0123abcd.tmp").write_text("new")
    journal = tmp_path / "journal"
    journal.write_text(json.dumps([[f".{n}.0123abcd.tmp", n] for n in "ab"]))
    assert files.finish_renames(journal)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a": "new", "b": "new"}
    assert not files.finish_renames(journal)


@posix
def test_a_second_set_of_renames_waits_for_the_first(tmp_path: Path, monkeypatch) -> None:
    """The second writer comes while the first has renamed one of its two files."""
    journal, replace, others = tmp_path / "journal", os.replace, []

    def make_renames(content: str) -> list[tuple[Path, Path]]:
        renames = [(tmp_path / f".{n}.{content:0>8}.tmp", tmp_path / n) for n in "ab"]
        for draft, _ in renames:
            draft.write_text(content)
        return renames

    def replace_and_let_other_in(source: Path, target: Path) -> None:
        replace(source, target)
        if target == tmp_path / "a" and not others:
            second = make_renames("second")
            others.append(threading.Thread(target=files.replace_targets, args=(second, journal)))
            others[0].start()
            others[0].join(0.2)

    monkeypatch.setattr(files.os, "replace", replace_and_let_other_in)
    files.replace_targets(make_renames("first"), journal)
    others[0].join()
    contents = {p.name: p.read_text() for p in tmp_path.iterdir()}
    assert contents == {"a": "second", "b": "second"}


@pytest.mark.parametrize(
    "move", [["x", "a"], [".a.0123abcd.tmp", "b"], ["../.a.0123abcd.tmp", "a"]]
)
def test_a_journal_may_only_rename_temporary_files_to_their_targets(tmp_path: Path, move) -> None:
    (tmp_path / "journal").write_text(json.dumps([move]))
    with pytest.raises(ValueError, match="must name drafts"):
        files.finish_renames(tmp_path / "journal")


def test_a_folder_whose_name_begins_like_the_scratch_folders_is_redirected(tmp_path: Path) -> None:
    with files.redirecting_to(str(tmp_path / "scratch")):
        path = Path(files.resolve_write_path(tmp_path / "scratch2" / "net.ckpt"))
    assert path.is_relative_to(tmp_path / "scratch")
