"""Checkpoints from one format into the other, and one that is read beside the program."""

from __future__ import annotations

import glob
import os
import re
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.train.serialization import Choice, load_checkpoint, load_param_into_net
from minispore.train.sharded.folders import arrays, save


def ckpt_to_safetensors(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Write checkpoints as safetensors files, which hold arrays and no texts.

    Args:
        file_path (str): a ``.ckpt`` file, or a folder with folders ``rank_0``, ``rank_1``, ... of
            them.
        save_path (str, optional): the folder of the new files. Default: ``None``, beside the old.
        name_map (dict, optional): new names of parameters. Default: ``None``, all keep theirs.
        file_name_regex (str, optional): of a folder, only the files in whose names it is found.
        processes_num (int): accepted; the files are written one by one. Default: ``1``.

    Raises:
        ValueError: there is no such file or folder, or an argument is not what it must be.
        TypeError: a checkpoint holds a text.

    Example:
        >>> import os, tempfile
        >>> import minispore as ms
        >>> path = os.path.join(tempfile.mkdtemp(), "net.ckpt")
        >>> ms.save_checkpoint(ms.nn.Dense(2, 3), path)
        >>> ms.ckpt_to_safetensors(path, name_map={"bias": "b"})
        >>> sorted(ms.load_checkpoint(path.replace(".ckpt", ".safetensors"), format="safetensors"))
        ['b', 'weight']
    """
    who = "ckpt_to_safetensors"
    _convert(who, "safetensors", file_path, save_path, name_map, file_name_regex, processes_num)


def safetensors_to_ckpt(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Write safetensors files as checkpoints.

    Args:
        file_path (str): a ``.safetensors`` file, or a folder with folders ``rank_0``, ``rank_1``,
            ... of them.
        save_path, name_map, file_name_regex, processes_num: as for :func:`ckpt_to_safetensors`.

    Raises:
        ValueError: there is no such file or folder, or an argument is not what it must be.

    Example:
        >>> import os, tempfile
        >>> import minispore as ms
        >>> path = os.path.join(tempfile.mkdtemp(), "net.safetensors")
        >>> ms.save_checkpoint(ms.nn.Dense(2, 3), path, format="safetensors")
        >>> ms.safetensors_to_ckpt(path)
        >>> sorted(ms.load_checkpoint(path.replace(".safetensors", ".ckpt")))
        ['bias', 'weight']
    """
    who = "safetensors_to_ckpt"
    _convert(who, "ckpt", file_path, save_path, name_map, file_name_regex, processes_num)


def _convert(
    who: str, to: str, path: Any, target: Any, names: Any, pattern: Any, processes: Any
) -> None:
    ending = ".ckpt" if to == "safetensors" else ".safetensors"
    checks.integer(who, "processes_num", processes, 1)
    if not isinstance(path, str) or not os.path.exists(path):
        raise ValueError(f"{who}: file_path must be a file or a folder that exists, got {path!r}.")
    if os.path.isfile(path) and not path.endswith(ending):
        raise ValueError(f"{who}: file_path must be a {ending} file, got {path!r}.")
    if target is not None and (not isinstance(target, str) or os.path.splitext(target)[1]):
        raise ValueError(f"{who}: save_path must be a folder, got {target!r}.")
    found = [path] if os.path.isfile(path) else _of_ranks(who, path, ending, pattern)
    folder = os.path.dirname(path) if os.path.isfile(path) else path
    for old in found:
        beside = os.path.relpath(old, folder) if folder else old
        new = os.path.splitext(os.path.join(folder if target is None else target, beside))[0]
        os.makedirs(os.path.dirname(new) or ".", exist_ok=True)
        contents = arrays(old)
        texts = [name for name, content in contents.items() if isinstance(content, str)]
        if texts and to == "safetensors":
            raise TypeError(f"{who}: {old!r} must hold arrays alone, got the texts {texts}.")
        save({(names or {}).get(name, name): c for name, c in contents.items()}, new, to)


def _of_ranks(who: str, folder: str, ending: str, pattern: Any) -> list[str]:
    ranks = sorted(glob.glob(os.path.join(glob.escape(folder), "rank*", "")))
    if not ranks:
        raise ValueError(
            f"{who}: file_path must be a file, or have folders rank_0, rank_1, ..., got {folder!r}."
        )
    found: list[str] = []
    for rank in ranks:
        found += sorted(glob.glob(os.path.join(glob.escape(rank), f"*{ending}")))
    return [f for f in found if pattern is None or re.search(pattern, os.path.basename(f))]


class ParamDictFuture:
    """Parameters that are being read."""

    def __init__(self, future: Future[dict[str, Any]], net: Cell | None, strict: bool) -> None:
        self._future, self._net, self._strict = future, net, strict

    def result(self) -> dict[str, Any]:
        """The parameters; waits for them, and puts them into the network."""
        loaded = self._future.result()
        if self._net is not None:
            load_param_into_net(self._net, loaded, self._strict)
        return loaded


def load_checkpoint_async(
    ckpt_file_name: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Choice | None = None,
) -> ParamDictFuture:
    """Read a checkpoint in a thread, beside what the program does next.

    Args:
        ckpt_file_name: the file.
        net: a Cell to load it into when ``result()`` is asked for.
        strict_load: as for :func:`load_checkpoint`, as all that follow.
        filter_prefix: leave out names that begin so.
        dec_key: the key of an encrypted file.
        dec_mode: its mode.
        specify_prefix: only names that begin so.
        choice_func: says by name which parameters to load.

    Returns:
        an object whose ``result()`` waits for the parameters, or raises what
        :func:`load_checkpoint` raises.

    Example:
        >>> import os, tempfile
        >>> import minispore as ms
        >>> path = os.path.join(tempfile.mkdtemp(), "net.ckpt")
        >>> ms.save_checkpoint(ms.nn.Dense(2, 3), path)
        >>> sorted(ms.load_checkpoint_async(path).result())
        ['bias', 'weight']
    """
    reader = ThreadPoolExecutor(1, "load_checkpoint_async")
    chosen = (filter_prefix, dec_key, dec_mode, specify_prefix, choice_func)
    future = reader.submit(load_checkpoint, ckpt_file_name, None, strict_load, *chosen)
    reader.shutdown(wait=False)
    return ParamDictFuture(future, net, strict_load)
