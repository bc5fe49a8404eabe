"""Datasets from the network: resumed, checked, unpacked; the network is a server of the test."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import io
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from minispore.dataset import download

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
        expected = self.headers.get("Range")
        self.server.ranges.append(expected)
        data, start = self.server.payload, 0
        if self.path != "/one.gz":
            return self.send_error(404)
        if expected and self.server.knows_ranges:
            start = int(expected.removeprefix("bytes=").removesuffix("-"))
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
    download.fetch_files(folder, FILES, mirrors)
    return (folder / "one.gz").read_bytes()


def test_a_file_is_fetched_and_its_part_is_gone(tmp_path: Path, mirror: Mirror) -> None:
    assert fetch(tmp_path, mirror.url) == PAYLOAD
    assert [p.name for p in tmp_path.iterdir()] == ["one.gz"]


def test_a_file_with_the_right_checksum_is_not_fetched_twice(
    tmp_path: Path, mirror: Mirror
) -> None:
    fetch(tmp_path, mirror.url)
    fetch(tmp_path, mirror.url)
    assert mirror.ranges == [None]


def test_a_broken_connection_reports_the_received_bytes(tmp_path: Path, mirror: Mirror) -> None:
    mirror.stops_after = 1000
    with pytest.raises(download.DownloadError, match=f"after 1000 of {len(PAYLOAD)} bytes"):
        fetch(tmp_path, mirror.url)
    assert not (tmp_path / "one.gz").exists()


def test_the_next_try_goes_on_where_the_last_one_stopped(tmp_path: Path, mirror: Mirror) -> None:
    mirror.stops_after = 1000
    with pytest.raises(download.DownloadError):
        fetch(tmp_path, mirror.url)
    mirror.stops_after = None
    assert fetch(tmp_path, mirror.url) == PAYLOAD
    assert mirror.ranges == [None, "bytes=1000-"]


def test_a_server_without_ranges_sends_the_whole_file(tmp_path: Path, mirror: Mirror) -> None:
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
    with pytest.raises(download.DownloadError, match="MD5 sum is wrong"):
        fetch(tmp_path, mirror.url)
    assert list(tmp_path.iterdir()) == []


def test_the_next_mirror_is_used_when_one_fails(tmp_path: Path, mirror: Mirror) -> None:
    assert fetch(tmp_path, f"{mirror.url}nowhere/", mirror.url) == PAYLOAD


def test_the_error_lists_the_reason_of_each_failed_mirror(tmp_path: Path, mirror: Mirror) -> None:
    bad = f"{mirror.url}nowhere/"
    with pytest.raises(download.DownloadError, match=f"(?s)by hand.*{bad}: HTTP Error 404"):
        fetch(tmp_path, bad)


# --- unpacked ------------------------------------------------------------------------------------

INSIDE = {"box/train.bin": 300, "box/test.bin": 100}


def packed(sizes: dict[str, int]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, size in sizes.items():
            member = tarfile.TarInfo(name)
            member.size = size
            archive.addfile(member, io.BytesIO(name[:1].encode() * size))
    return stream.getvalue()


def unpack(folder: Path, mirror: Mirror, sizes: dict[str, int]) -> str:
    mirror.payload = packed(sizes)
    files = {"one.gz": hashlib.md5(mirror.payload).hexdigest()}
    return download._unpack_archive(folder, files, INSIDE, [mirror.url])


def test_an_archive_gives_its_files_and_nothing_else(tmp_path: Path, mirror: Mirror) -> None:
    folder = unpack(tmp_path, mirror, {**INSIDE, "box/readme": 5, "../escape": 5})
    assert folder == str(tmp_path / "box")
    results_by_name = {p.name: p.stat().st_size for p in (tmp_path / "box").iterdir()}
    assert results_by_name == {"train.bin": 300, "test.bin": 100}
    assert not (tmp_path.parent / "escape").exists()


def test_an_unpacked_file_is_not_fetched_twice(tmp_path: Path, mirror: Mirror) -> None:
    unpack(tmp_path, mirror, INSIDE)
    (tmp_path / "one.gz").unlink()
    unpack(tmp_path, mirror, INSIDE)
    assert mirror.ranges == [None]


def test_a_short_file_in_an_archive_is_refused_and_not_left(tmp_path: Path, mirror: Mirror) -> None:
    with pytest.raises(download.DownloadError, match="must have 300 bytes"):
        unpack(tmp_path, mirror, {**INSIDE, "box/train.bin": 299})
    assert not list((tmp_path / "box").iterdir())


@pytest.mark.parametrize("name", ["mnist", "fashion_mnist", "cifar10", "cifar100"])
def test_without_a_network_the_error_names_the_file_and_its_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(*args: object, **kwargs: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr(download.urllib.request, "urlopen", offline)
    with pytest.raises(download.DownloadError, match=rf"\.gz can't be .* put it into {tmp_path}"):
        getattr(download, name)(tmp_path)
