"""Writes rows to TFRecord files."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset.formats import tfrecord
from minispore.dataset.pipeline.block import Block
from minispore.errors import DatasetError
from minispore.foundation.files import Draft, sync_folder


def save(path: str, columns: Sequence[str], blocks: Iterator[Block], count: int) -> None:
    """Write rows to ``count`` TFRecord files, row i to file i modulo ``count``.

    A single file is named ``path``; several files get a number at the end. Integers and booleans
    become int64, floats float32, strings and bytes bytes.

    Raises:
        FileExistsError: a file already exists.
        DatasetError: a row fails, or can't be written.
    """
    digits = len(str(count - 1))
    names = [path] if count == 1 else [f"{path}{i:0{digits}d}" for i in range(count)]
    with ExitStack() as stack:
        drafts = []
        for name in names:
            if Path(name).exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)
            drafts.append(Draft(Path(name)))
            stack.callback(drafts[-1].close)
        number = 0
        for block in blocks:
            for row in block:
                features = {n: _make_feature(n, number, v) for n, v in zip(columns, row)}
                file = drafts[number % count].file
                tfrecord.write_record(file, tfrecord.serialise_example(features))
                number += 1
            if block.error is not None:
                raise block.error
        for draft in drafts:
            draft.sync_to_disk()
        for draft in drafts:
            draft.replace_target()
        sync_folder(drafts[0].target.parent)


def _make_feature(name: str, row: int, value: Any) -> tfrecord.Feature:
    """Return a row's value as a feature of a tf.train.Example.

    Raises:
        DatasetError: ``value`` holds neither numbers nor strings.
    """
    kind = value.dtype.kind if isinstance(value, np.ndarray) else "O"
    if kind == "U":
        return [text.encode() for text in value.ravel().tolist()]
    if kind == "S":
        return list(value.ravel().tolist())
    if kind == "f":
        return value.ravel().astype(np.float32)
    if kind in "iub":
        return value.ravel().astype(np.int64)
    raise DatasetError(
        f"save: column {name!r} must hold numbers or strings, got {type(value).__name__} in row "
        f"{row}."
    )
