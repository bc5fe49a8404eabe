"""Where the example's digits come from: drawn once and kept, or fetched, resumed and checked."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import mnist_files

SMALL = {"train": 40, "t10k": 10}


# --- drawn ---------------------------------------------------------------------------------------


def test_drawn_files_are_idx(tmp_path: Path) -> None:
    mnist_files.generate(tmp_path, counts=SMALL)
    images = (tmp_path / "t10k-images-idx3-ubyte").read_bytes()
    labels = (tmp_path / "t10k-labels-idx1-ubyte").read_bytes()
    assert struct.unpack(">4I", images[:16]) == (2051, 10, 28, 28)
    assert len(images) == 16 + 10 * 28 * 28
    assert struct.unpack(">2I", labels[:8]) == (2049, 10)
    assert len(labels) == 8 + 10 and max(labels[8:]) < 10


def test_training_and_test_digits_differ(tmp_path: Path) -> None:
    mnist_files.generate(tmp_path, counts={"train": 10, "t10k": 10})
    train, test = ((tmp_path / f"{h}-images-idx3-ubyte").read_bytes() for h in ("train", "t10k"))
    assert train != test


def test_only_the_five_files_are_left(tmp_path: Path) -> None:
    mnist_files.generate(tmp_path, counts=SMALL)
    assert len(list(tmp_path.iterdir())) == 5


def test_drawn_files_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mnist_files.generate(tmp_path, counts=SMALL)
    monkeypatch.setattr(mnist_files.digits, "draw", None)
    mnist_files.generate(tmp_path, counts=SMALL)


@pytest.mark.parametrize("name", ["train-images-idx3-ubyte", "t10k-labels-idx1-ubyte"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-5]),
        lambda path: path.write_bytes(path.read_bytes()[:-1] + b"\x0f"),
        lambda path: path.write_bytes(b"a file of somebody else"),
        lambda path: path.unlink(),
    ],
    ids=["cut", "altered", "foreign", "gone"],
)
def test_a_damaged_file_is_drawn_again(tmp_path: Path, name: str, damage) -> None:
    mnist_files.generate(tmp_path, counts=SMALL)
    whole = (tmp_path / name).read_bytes()
    damage(tmp_path / name)
    mnist_files.generate(tmp_path, counts=SMALL)
    assert (tmp_path / name).read_bytes() == whole


@pytest.mark.parametrize("manifest", [b"", b"\xff\xfe", b"0" * 64 + b"  train-images-idx3-ubyte\n"])
def test_files_without_their_manifest_are_not_trusted(tmp_path: Path, manifest: bytes) -> None:
    mnist_files.generate(tmp_path, counts=SMALL)
    path = tmp_path / "digits.sha256"
    right = path.read_bytes()
    path.write_bytes(manifest)
    mnist_files.generate(tmp_path, counts=SMALL)
    assert path.read_bytes() == right


def test_an_interrupted_drawing_leaves_nothing_that_looks_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args, **kwargs):
        yield np.zeros((5, 28, 28), np.uint8), np.zeros(5, np.uint8)
        raise KeyboardInterrupt

    monkeypatch.setattr(mnist_files.digits, "draw", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mnist_files.generate(tmp_path, counts=SMALL)
    assert list(tmp_path.iterdir()) == []


# --- fetched -------------------------------------------------------------------------------------

PAYLOAD = gzip.compress(bytes(range(256)) * 2000, compresslevel=0, mtime=0)
FILES = {"one.gz": hashlib.md5(PAYLOAD).hexdigest()}


class Mirror(http.server.ThreadingHTTPServer):
    """A loopback server of PAYLOAD; how it behaves is up to the test."""

    daemon_threads = True
    payload = PAYLOAD
    knows_ranges = True
    stops_after: int | None = None  # bytes; the connection then closes

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.ranges: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Mirror

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.ranges.append(wanted)
        data, start = self.server.payload, 0
        if self.path != "/one.gz":
            return self.send_error(404)
        if wanted and self.server.knows_ranges:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(data):
                return self.send_error(416)
            self.send_response(206)
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        stop = self.server.stops_after
        self.wfile.write(data[start : None if stop is None else start + stop])

    def log_message(self, *args) -> None:
        pass


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with Mirror() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def fetch(folder: Path, *mirrors: str) -> bytes:
    mnist_files.download(folder, mirrors=mirrors, files=FILES)
    return (folder / "one.gz").read_bytes()


def test_a_file_is_fetched_and_its_part_is_gone(tmp_path: Path, mirror: Mirror) -> None:
    assert fetch(tmp_path, mirror.url) == PAYLOAD
    assert [p.name for p in tmp_path.iterdir()] == ["one.gz"]


def test_a_file_with_the_right_sum_is_not_fetched_again(tmp_path: Path, mirror: Mirror) -> None:
    fetch(tmp_path, mirror.url)
    fetch(tmp_path, mirror.url)
    assert mirror.ranges == [None]


def test_a_broken_connection_is_an_error_that_says_how_far_it_came(
    tmp_path: Path, mirror: Mirror
) -> None:
    mirror.stops_after = 1000
    with pytest.raises(mnist_files.DownloadError, match=f"after 1000 of {len(PAYLOAD)} bytes"):
        fetch(tmp_path, mirror.url)
    assert not (tmp_path / "one.gz").exists()


def test_the_next_try_goes_on_where_the_last_one_stopped(tmp_path: Path, mirror: Mirror) -> None:
    mirror.stops_after = 1000
    with pytest.raises(mnist_files.DownloadError):
        fetch(tmp_path, mirror.url)
    mirror.stops_after = None
    assert fetch(tmp_path, mirror.url) == PAYLOAD
    assert mirror.ranges == [None, "bytes=1000-"]


def test_a_server_without_ranges_sends_the_whole_file_again(tmp_path: Path, mirror: Mirror) -> None:
    (tmp_path / "one.gz.part").write_bytes(PAYLOAD[:500])
    mirror.knows_ranges = False
    assert fetch(tmp_path, mirror.url) == PAYLOAD


@pytest.mark.parametrize("size", [500, len(PAYLOAD), len(PAYLOAD) + 7])
def test_a_foreign_part_is_thrown_away_and_fetched_from_the_start(
    tmp_path: Path, mirror: Mirror, size: int
) -> None:
    (tmp_path / "one.gz.part").write_bytes(b"x" * size)
    assert fetch(tmp_path, mirror.url) == PAYLOAD


def test_a_whole_part_only_needs_its_name(tmp_path: Path, mirror: Mirror) -> None:
    (tmp_path / "one.gz.part").write_bytes(PAYLOAD)
    assert fetch(tmp_path, mirror.url) == PAYLOAD
    assert mirror.ranges == [f"bytes={len(PAYLOAD)}-"]


def test_a_wrong_sum_is_refused(tmp_path: Path, mirror: Mirror) -> None:
    mirror.payload = PAYLOAD[:-1] + b"!"
    with pytest.raises(mnist_files.DownloadError, match="MD5 sum is wrong"):
        fetch(tmp_path, mirror.url)
    assert list(tmp_path.iterdir()) == []


def test_the_next_mirror_is_asked_when_one_fails(tmp_path: Path, mirror: Mirror) -> None:
    assert fetch(tmp_path, f"{mirror.url}nowhere/", mirror.url) == PAYLOAD


def test_when_all_mirrors_fail_each_ones_reason_is_told(tmp_path: Path, mirror: Mirror) -> None:
    bad = f"{mirror.url}nowhere/"
    with pytest.raises(mnist_files.DownloadError, match=f"(?s)--data-dir.*{bad}: HTTP Error 404"):
        fetch(tmp_path, bad)


# --- found ---------------------------------------------------------------------------------------


def test_a_named_folder_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINISPORE_MNIST", "elsewhere")
    assert mnist_files.find("here") == Path("here")


def test_the_environment_names_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINISPORE_MNIST", "elsewhere")
    assert mnist_files.find() == Path("elsewhere")


def test_drawn_digits_stay_in_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MINISPORE_MNIST", raising=False)
    monkeypatch.setattr(mnist_files, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(mnist_files, "generate", lambda folder: folder)
    assert mnist_files.find() == tmp_path / f"digits-{mnist_files.digits.DRAWING}"


def test_halves_may_have_folders_of_their_own(tmp_path: Path) -> None:
    assert mnist_files.split(tmp_path, "train") == tmp_path
    (tmp_path / "train").mkdir()
    assert mnist_files.split(tmp_path, "train") == tmp_path / "train"
